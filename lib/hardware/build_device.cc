// Converts the numbers of a device file, as its sources state them, to those of one JAX device.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/device_fields.h"
#include "lib/hardware/device_file.h"
#include "lib/hardware/names.h"

namespace hloroof::internal::inline hardware {
namespace {

std::string title_of(const std::string& key, const DeviceFile& file, const std::map<std::string, std::string>& titles) {
  if (const auto own = file.sources.find(key); own != file.sources.end()) return own->second;
  if (const auto shared = titles.find(key); shared != titles.end()) return shared->second;
  return key;
}

}  // namespace

absl::StatusOr<Device> build_device(const DeviceFile& file, const std::map<std::string, std::string>& titles,
                                    std::string_view path) {
  std::vector<std::string> missing;
  if (file.name.empty()) missing.emplace_back("name");
  if (file.display_name.empty()) missing.emplace_back("display_name");
  if (file.vendor.empty()) missing.emplace_back("vendor");
  if (!file.family) missing.emplace_back("family");

  Device device;
  device.name = file.name;
  device.display_name = file.display_name;
  device.vendor = file.vendor;
  device.architecture = file.architecture;
  const DeviceFamily family = file.family.value_or(DeviceFamily::kOther);
  device.core = empty_core(family);
  device.aliases = file.aliases;
  device.notes = file.notes;
  device.accuracy = file.accuracy;
  device.measured_relative = file.measured_relative;

  const std::span<const DeviceField> fields = device_fields();
  const auto stated = [&](size_t i) {
    return file.quantities[i] ? file.quantities[i]->value : Fact<double>();  // null means the same as an absent member
  };
  // Set the cores and devices of a chip first: the other numbers are divided by them.
  for (const std::string_view count : {"cores_per_chip", "devices_per_chip"}) {
    const size_t i = *find_field(count);
    if (stated(i)) set_field(fields[i], device, stated(i));
  }
  device.sources.resize(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    const DeviceField& field = fields[i];
    if (!stated(i) && needed(field.need, family)) {
      missing.emplace_back(field.path);
      continue;
    }
    if (is_unknown(stated(i))) continue;
    if (!exists(field, family)) {
      return invalid_argument(absl::StrCat(to_absl(path), ": at ", to_absl(field.path), ": no number of the family \"",
                                           to_absl(word_of(kFamilyWords, family)), "\""));
    }
    const Quantity& quantity = *file.quantities[i];
    device.sources[i] = quantity.source;
    device.sources[i].source = title_of(quantity.source.source, file, titles);
    if (quantity.value.is_none()) {
      set_field(field, device, quantity.value);
      continue;
    }
    double value = *quantity.value;
    if (quantity.per == FieldPer::kChip) value /= static_cast<double>(device.devices_per_chip);
    if (quantity.per == FieldPer::kCore) value *= core_count(device);
    if (!in_range(field.range, value)) {
      return invalid_argument(absl::StrCat(to_absl(path), ": at ", to_absl(field.path), ": ", value,
                                           " for one device; expected ", to_absl(range_text(field.range))));
    }
    set_field(field, device, value);
  }
  if (family == DeviceFamily::kTpu && !file.torus) missing.emplace_back("ici.torus");
  if (!missing.empty()) {
    return invalid_argument(
        absl::StrCat(to_absl(path), ": missing, and needed ",
                     file.family ? absl::StrCat("for the family \"", to_absl(word_of(kFamilyWords, *file.family)), "\"")
                                 : std::string("for every device"),
                     ": ", absl::StrJoin(missing, ", ")));
  }

  if (file.torus) {
    device.ici.dims = file.torus->dims;
    device.ici.wrap = file.torus->wrap;
    device.ici.pod_shape = file.torus->pod_shape;
    device.ici.cube_edge = file.torus->cube_edge;
    device.ici.slices = file.torus->slices;
  }
  device.vector.weights = file.weights;
  std::sort(device.vector.weights.begin(), device.vector.weights.end(),
            [](const OpWeight& a, const OpWeight& b) { return a.op < b.op; });
  for (OpWeight& weight : device.vector.weights) weight.source.source = title_of(weight.source.source, file, titles);
  return device;
}

}  // namespace hloroof::internal::inline hardware
