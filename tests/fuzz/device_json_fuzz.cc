// Loads arbitrary device files. The result must be a consistent device or a message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "hloroof/device.h"
#include "lib/hardware/describe.h"
#include "lib/hardware/registry.h"
#include "lib/hardware/topology.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  absl::StatusOr<hloroof::Device> device = hloroof::internal::device_from_text(text, "fuzzed.json");
  if (!device.ok()) {
    // A message must not be empty or repeat a long text.
    if (device.status().message().empty() || device.status().message().size() > 20'000) std::abort();
    return 0;
  }
  if (hloroof::internal::describe_device(*device).empty()) std::abort();
  for (const int64_t count : {int64_t{1}, int64_t{7}, int64_t{1000}, INT64_MAX}) {
    const auto topology = hloroof::internal::default_topology(*device, count);
    if (!topology.ok() || topology->device_count() < count) std::abort();
    // A printed topology parses as the same topology.
    const auto again = hloroof::parse_topology(*device, topology->to_string());
    if (again.ok() && again->device_count() != topology->device_count()) std::abort();
  }
  for (const hloroof::Parameter& parameter : hloroof::parameters(*device)) {
    if (!parameter.value) continue;
    // A number that the model reads accepts its own value; a descriptive one is refused.
    const absl::Status set = hloroof::set_parameter(*device, parameter.path, *parameter.value);
    if (set.ok() != parameter.is_read) std::abort();
  }
  return 0;
}
