#include "tests/accuracy/device_accuracy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/strings.h"
#include "lib/hardware/names.h"

namespace hloroof::internal {
namespace {

constexpr std::string_view kBegin = ",\n  \"accuracy\": [";
constexpr std::string_view kEnd = "\n}\n";

// Figures have three decimals in the files, so half of the last one is rounding. The rest absorbs the rounding of
// floating-point numbers, which differs between machines.
constexpr double kRounding = 0.0005 + 1e-9;

bool is_same(const Accuracy& a, const Accuracy& b) {
  return a.what == b.what && a.rows == b.rows && std::abs(a.median - b.median) <= kRounding &&
         std::abs(a.p90 - b.p90) <= kRounding;
}

std::string entry(const Accuracy& accuracy) {
  return absl::StrFormat("{\"what\": \"%s\", \"rows\": %d, \"median\": %.3f, \"p90\": %.3f}",
                         to_absl(word_of(kMeasuredWords, accuracy.what)), accuracy.rows, accuracy.median, accuracy.p90);
}

std::string entries(const std::vector<Accuracy>& list) {
  std::string out;
  for (const Accuracy& accuracy : list) absl::StrAppend(&out, out.empty() ? "" : ", ", entry(accuracy));
  return out.empty() ? "nothing" : out;
}

// Returns the accuracy of a device in the report; empty if nothing was measured.
std::vector<Accuracy> accuracy_of(const Report& report, const std::string& device) {
  const std::map<std::string, std::vector<Accuracy>> all = report.accuracies();
  const auto at = all.find(device);
  return at == all.end() ? std::vector<Accuracy>() : at->second;
}

}  // namespace

std::string with_accuracy(std::string_view text, const std::vector<Accuracy>& accuracy) {
  std::string out(text.substr(0, std::min(text.find(kBegin), text.size() - kEnd.size())));
  if (!accuracy.empty()) {
    absl::StrAppend(&out, to_absl(kBegin));
    for (std::size_t i = 0; i < accuracy.size(); ++i) {
      absl::StrAppend(&out, i == 0 ? "\n    " : ",\n    ", entry(accuracy[i]));
    }
    absl::StrAppend(&out, "\n  ]");
  }
  return out + std::string(kEnd);
}

bool write_device_accuracy(const Report& report, const std::string& folder) {
  for (const std::string& name : device_names()) {
    const std::string path = absl::StrCat(folder, "/", name, ".json");
    std::stringstream stream;
    stream << std::ifstream(path).rdbuf();
    const std::string text = stream.str();
    if (!text.ends_with(kEnd)) {
      std::fprintf(stderr, "%s: cannot be read, or does not end in a brace on its own line\n", path.c_str());
      return false;
    }
    const std::string after = with_accuracy(text, accuracy_of(report, name));
    if (after != text) std::ofstream(path) << after;
  }
  return true;
}

int check_device_accuracy(const Report& report) {
  int failures = 0;
  for (const std::string& name : device_names()) {
    const std::vector<Accuracy> stated = find_device(name)->accuracy;
    const std::vector<Accuracy> computed = accuracy_of(report, name);
    bool same = stated.size() == computed.size();
    for (std::size_t i = 0; same && i < stated.size(); ++i) same = is_same(stated[i], computed[i]);
    if (same) continue;
    ++failures;
    std::printf("data/hardware/%s.json: accuracy is %s, the report has %s; the target `accuracy` rewrites it\n",
                name.c_str(), entries(stated).c_str(), entries(computed).c_str());
  }
  return failures;
}

}  // namespace hloroof::internal
