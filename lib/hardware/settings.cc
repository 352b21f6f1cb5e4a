#include "lib/hardware/settings.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"
#include "lib/hardware/device_facts.h"

namespace hloroof::internal::inline hardware {
namespace {

// Nobody reads a longer table, and each line is a prediction.
constexpr std::size_t kMaxPoints = 10'000;

std::optional<Setting::Value> parse_setting_value(std::string_view text) {
  Setting::Value value;
  value.is_multiple = text.size() > 1 && text.back() == 'x';
  if (value.is_multiple) text.remove_suffix(1);
  const std::optional<double> number = parse_number<double>(text);
  if (!number) return std::nullopt;
  value.number = *number;
  return value;
}

// Reads "NAME=V,V,...". The result has no values if the text has another form.
Setting parse_setting(std::string_view text) {
  Setting setting;
  const std::size_t at = text.rfind('=');
  if (at == std::string_view::npos || at == 0) return setting;
  setting.parameter = text.substr(0, at);
  for (const absl::string_view part : absl::StrSplit(to_absl(text.substr(at + 1)), ',')) {
    const std::optional<Setting::Value> value = parse_setting_value(from_absl(part));
    if (!value) return Setting();
    setting.values.push_back(*value);
  }
  return setting;
}

}  // namespace

absl::StatusOr<std::vector<Setting>> parse_settings(const std::vector<std::string>& texts, std::string_view option) {
  std::vector<Setting> settings;
  settings.reserve(texts.size());
  for (const std::string& text : texts) {
    Setting setting = parse_setting(text);
    if (setting.values.empty()) {
      return invalid_argument(absl::StrCat(to_absl(option), " ", text,
                                           ": expected PARAMETER=NUMBER, or NUMBERx for a multiple, several separated "
                                           "by commas; `hloroof devices show` lists the parameters"));
    }
    for (const Setting& other : settings) {
      if (other.parameter != setting.parameter) continue;
      return invalid_argument(absl::StrCat(to_absl(option), " ", setting.parameter,
                                           " is given twice; several values go into one: ", setting.parameter, "=1,2"));
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

namespace {

// The number that `value` means on `device`.
absl::StatusOr<double> number_of(const std::string& parameter, const Setting::Value& value, const Device& device,
                                 std::string_view option) {
  if (!value.is_multiple) return value.number;
  Device copy = device;  // says of a name that it is none, with the nearest ones, or that nothing reads it
  if (absl::Status status = set_parameter(copy, parameter, 1); !status.ok()) return status;
  for (const Parameter& known : parameters(device)) {
    if (known.path == parameter && known.value) return value.number * *known.value;
  }
  return not_found(
      absl::StrCat(to_absl(option), " ", parameter, ": ", device.name, " has no value to take a multiple of"));
}

}  // namespace

absl::StatusOr<std::vector<Point>> points_of(const std::vector<Setting>& settings, const Device& device,
                                             std::string_view option) {
  std::vector<Point> points(1);
  for (const Setting& setting : settings) {
    if (points.size() * setting.values.size() > kMaxPoints) {
      return invalid_argument(absl::StrCat(to_absl(option), ": more than ", kMaxPoints, " combinations of values"));
    }
    std::vector<double> numbers;
    numbers.reserve(setting.values.size());
    for (const Setting::Value& value : setting.values) {
      const absl::StatusOr<double> number = number_of(setting.parameter, value, device, option);
      if (!number.ok()) return number.status();
      numbers.push_back(*number);
    }
    std::vector<Point> grown;
    grown.reserve(points.size() * numbers.size());
    for (const Point& point : points) {
      for (const double number : numbers) {
        grown.push_back(point);
        grown.back().emplace_back(setting.parameter, number);
      }
    }
    points = std::move(grown);
  }
  return points;
}

}  // namespace hloroof::internal::inline hardware
