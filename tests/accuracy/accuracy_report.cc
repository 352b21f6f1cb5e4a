// Prints how accurate the model is on all open data, and keeps tests/accuracy/README.md, expected.csv and the sections
// `accuracy` of data/hardware.
//
//   accuracy_report --shared DIR                   prints the report
//   accuracy_report --shared DIR --readme FILE --expected FILE --devices DIR
//                                                  rewrites the README's marked block, the figures and the device files
//   accuracy_report --shared DIR --check FILE      fails if a figure is worse than expected, or if the library has a
//                                                  device file whose accuracy is not that of the report
//
// expected.csv: figure,value,tolerance. A figure may be worse than its value by the tolerance; an update keeps
// tolerances.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "absl/strings/str_format.h"
#include "tests/accuracy/device_accuracy.h"
#include "tests/accuracy/sections.h"

namespace hloroof::internal {
namespace {

constexpr int kSkipped = 77;  // as ctest is told
constexpr const char* kBegin = "<!-- accuracy_report: begin -->\n";
constexpr const char* kEnd = "<!-- accuracy_report: end -->\n";

struct Expected {
  double value = 0;
  double tolerance = 0.01;
};

std::map<std::string, Expected> read_expected(const std::string& path) {
  std::map<std::string, Expected> expected;
  for (const auto& row : read_csv(path)) {
    expected[row.at("figure")] = {std::stod(row.at("value")), std::stod(row.at("tolerance"))};
  }
  return expected;
}

// Returns the number of figures that are worse than expected.
int check(const Report& report, const std::string& path) {
  int failures = 0;
  for (const auto& [name, expected] : read_expected(path)) {
    const auto at = report.kept().find(name);
    if (at == report.kept().end()) {
      std::printf("%s: not in the report\n", name.c_str());
      ++failures;
    } else if (at->second > expected.value + expected.tolerance) {
      std::printf("%s: %.4f, expected at most %.4f + %.4f\n", name.c_str(), at->second, expected.value,
                  expected.tolerance);
      ++failures;
    } else if (at->second < expected.value - expected.tolerance) {
      std::printf("%s: %.4f is better than %.4f; rewrite %s\n", name.c_str(), at->second, expected.value, path.c_str());
    }
  }
  return failures;
}

void write_expected(const Report& report, const std::string& path) {
  const std::map<std::string, Expected> before = read_expected(path);
  std::ofstream out(path);
  out << "figure,value,tolerance\n";
  for (const auto& [name, value] : report.kept()) {
    const auto at = before.find(name);
    out << absl::StrFormat("%s,%.4f,%.4g\n", name, value,
                           at == before.end() ? Expected().tolerance : at->second.tolerance);
  }
}

bool write_readme(const Report& report, const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string before = text.str();
  const std::size_t begin = before.find(kBegin);
  const std::size_t end = before.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    std::fprintf(stderr, "%s has no marked block\n", path.c_str());
    return false;
  }
  std::ofstream(path) << before.substr(0, begin) << kBegin << report.text() << '\n' << before.substr(end);
  return true;
}

int run(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  const std::string& shared = options["--shared"];
  if (!std::ifstream(shared + "/corpus/index.csv")) {
    std::printf("skipped: no corpus at '%s'\n", shared.c_str());
    return kSkipped;
  }
  Report report;
  report_tpu_matmuls(shared, report);
  report_observed(report);
  report_measured_kernels(report);
  report_h100_programs(report);
  report_pallas_kernels(shared, report);
  report_steps(shared, report);
  report_gpu_matmuls(shared, report);
  report_gpu_library_products(shared, report);
  report_gpu_collectives(shared, report);
  report_compiler_cycles(shared, report);
  report_collective_algorithms(shared, report);
  report.prepend_summary();
  if (options.count("--check") != 0) {
    const int failures = check(report, options["--check"]) + check_device_accuracy(report);
    return failures == 0 ? 0 : 1;
  }
  std::fputs(report.text().c_str(), stdout);
  if (options.count("--readme") != 0 && !write_readme(report, options["--readme"])) return 1;
  if (options.count("--expected") != 0) write_expected(report, options["--expected"]);
  if (options.count("--devices") != 0 && !write_device_accuracy(report, options["--devices"])) return 1;
  return 0;
}

}  // namespace
}  // namespace hloroof::internal

int main(int argc, char** argv) { return hloroof::internal::run(argc, argv); }
