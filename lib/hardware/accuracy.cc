#include "lib/hardware/accuracy.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hloroof/device.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/hardware/names.h"

namespace hloroof::internal::inline hardware {
namespace {

// Formats the number of rows: "3 steps", "1 step".
std::string counted(const Accuracy& accuracy) {
  std::string_view word = word_of(kMeasuredWords, accuracy.what);
  if (accuracy.rows == 1) word.remove_suffix(1);
  return absl::StrCat(accuracy.rows, " ", to_absl(word));
}

// Whether no number of the device is anybody's: the generic CPU.
bool is_assumed(const Device& device) {
  const std::vector<Parameter> numbers = parameters(device);
  return std::all_of(numbers.begin(), numbers.end(), [](const Parameter& number) {
    return !number.value.has_value() || number.source.kind == Provenance::kAssumed;
  });
}

std::string nothing_measured(const Device& device) {
  const bool is_changed = device.measured_relative == device.name;
  if (is_changed) return absl::StrCat(device.name, " with changed numbers: nothing measured");
  if (is_assumed(device)) {
    return absl::StrCat(device.name, ": every number assumed; `hloroof calibrate` fits it to a profile of yours");
  }
  return absl::StrCat(device.name, ": nothing measured",
                      device.measured_relative.empty() ? "" : absl::StrCat("; ", device.measured_relative, " is"));
}

}  // namespace

std::string trust_text(const Device& device, std::optional<Measured> what) {
  if (device.accuracy.empty()) return nothing_measured(device);
  const auto found = std::find_if(device.accuracy.begin(), device.accuracy.end(),
                                  [&](const Accuracy& accuracy) { return accuracy.what == what; });
  const bool is_like_it = found != device.accuracy.end();
  const Accuracy& shown = is_like_it ? *found : device.accuracy.front();
  if (what == Measured::kSteps && !is_like_it && device.gpu() != nullptr) {
    return absl::StrCat("no steps measured on ", device.name, "; ", counted(shown), ": held-back median error ",
                        format_percent(shown.median));
  }
  const std::string rows = is_like_it ? absl::StrCat(counted(shown), " measured on ", device.name)
                                      : absl::StrCat("none like it measured on ", device.name, "; ", counted(shown));
  return absl::StrCat(rows, ": held-back median error ", format_percent(shown.median));
}

std::string trust_cell(const Device& device) {
  if (device.accuracy.empty()) return "nothing";
  const Accuracy& first = device.accuracy.front();
  return absl::StrCat(to_absl(word_of(kMeasuredWords, first.what)), " ", format_percent(first.median));
}

std::string describe_accuracy(const Device& device) {
  if (device.accuracy.empty()) return nothing_measured(device) + "\n";
  std::string out =
      absl::StrFormat("%-46s %6s %8s %16s\n", "error on held-back measurements", "rows", "median", "90th percentile");
  for (const Accuracy& accuracy : device.accuracy) {
    absl::StrAppend(
        &out, absl::StrFormat("  %-44s %6d %8s %16s\n", to_absl(word_of(kMeasuredWords, accuracy.what)), accuracy.rows,
                              format_percent(accuracy.median), format_percent(accuracy.p90)));
  }
  return out;
}

}  // namespace hloroof::internal::inline hardware
