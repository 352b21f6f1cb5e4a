// Lists and changes the numbers of a device by path.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hloroof/device.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"
#include "lib/hardware/device_fields.h"
#include "lib/hardware/names.h"
#include "lib/hardware/write_device.h"

namespace hloroof::internal::inline hardware {

namespace {

constexpr size_t kSuggested = 3;  // paths suggested for an unknown path

std::string weight_path(const OpWeight& weight, std::string_view member) {
  return absl::StrCat(to_absl(kWeightsPath), weight.op, ".", to_absl(member));
}

// Removes the accuracy of a device whose numbers change.
void clear_accuracy(Device& device) {
  if (device.accuracy.empty()) return;
  device.accuracy.clear();
  device.measured_relative = device.name;
}

}  // namespace

absl::Status set_parameter(Device& device, std::string_view path, double value, const ParameterSource& source) {
  const auto refuse = [&](std::string_view expected) {
    return invalid_argument(absl::StrCat(to_absl(path), ": found ", value, "; expected ", to_absl(expected)));
  };
  if (const std::optional<size_t> i = find_field(path)) {
    const DeviceField& field = device_fields()[*i];
    if (!is_read(field, device.family())) {
      return invalid_argument(absl::StrCat(to_absl(path), ": no prediction for ", device.name, ", of the family \"",
                                           to_absl(word_of(kFamilyWords, device.family())), "\", reads it"));
    }
    if (!in_range(field.range, value)) {
      return refuse(field.range == FieldRange::kFlag ? "0 or 1" : range_text(field.range));
    }
    set_field(field, device, value);
    clear_accuracy(device);
    device.sources.resize(device_fields().size());
    device.sources[*i] = source;
    return absl::OkStatus();
  }
  for (OpWeight& weight : device.vector.weights) {
    const bool is_ops = path == weight_path(weight, "vector_ops");
    if (!is_ops && path != weight_path(weight, "transcendentals")) continue;
    if (!in_range(FieldRange::kNonNegative, value)) return refuse(range_text(FieldRange::kNonNegative));
    (is_ops ? weight.vector_ops : weight.transcendentals) = value;
    weight.source = source;
    clear_accuracy(device);
    return absl::OkStatus();
  }
  std::vector<std::string> paths;
  for (const Parameter& parameter : parameters(device)) paths.push_back(parameter.path);
  return not_found(absl::StrCat("no number \"", to_absl(path.substr(0, 80)), "\" of a device; the nearest are ",
                                absl::StrJoin(nearest_names(path, paths, kSuggested), ", ")));
}

}  // namespace hloroof::internal::inline hardware

namespace hloroof::inline v0 {
using namespace internal;

std::vector<Parameter> parameters(const Device& device) {
  std::vector<Parameter> list;
  const std::span<const DeviceField> fields = device_fields();
  const DeviceFamily family = device.family();
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!exists(fields[i], family)) continue;
    Parameter parameter;
    parameter.is_read = is_read(fields[i], family);
    parameter.path = fields[i].path;
    parameter.unit = fields[i].unit;
    parameter.meaning = fields[i].meaning;
    parameter.value = get_field(fields[i], device);
    if (i < device.sources.size()) parameter.source = device.sources[i];
    list.push_back(std::move(parameter));
  }
  for (const OpWeight& weight : device.vector.weights) {
    list.push_back(
        {weight_path(weight, "vector_ops"), "1", "vector operations of one element", weight.vector_ops, weight.source});
    list.push_back({weight_path(weight, "transcendentals"), "1", "transcendental results of one element",
                    weight.transcendentals, weight.source});
  }
  return list;
}

absl::Status set_parameter(Device& device, std::string_view path, double value) {
  return internal::set_parameter(device, path, value, {Provenance::kUser, "given by the user", ""});
}

}  // namespace hloroof::inline v0
