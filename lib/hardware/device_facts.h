// Facts that follow from the numbers of a Device.
#ifndef HLOROOF_LIB_HARDWARE_DEVICE_FACTS_H_
#define HLOROOF_LIB_HARDWARE_DEVICE_FACTS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

template <typename T>
bool is_unknown(const Fact<T>& fact) {
  return !fact.has_value() && !fact.is_none();
}

template <typename T>
std::optional<T> to_optional(const Fact<T>& fact) {
  return fact.has_value() ? std::optional<T>(*fact) : std::nullopt;
}

// The cores of one device. Below 1 if the devices of a chip share a core.
inline double core_count(const Device& device) {
  return static_cast<double>(device.cores_per_chip) / static_cast<double>(device.devices_per_chip);
}

inline double register_elements(const TpuCore::Vector& vector) {
  return static_cast<double>(vector.lanes * vector.sublanes);
}

// The cost of one element of `op`: one vector operation, unless the device file lists another cost.
OpWeight op_weight(const VectorUnit& unit, std::string_view op);
// The same as listed in the device file; null if it is not.
const OpWeight* find_op_weight(const VectorUnit& unit, std::string_view op);

// The product of the sizes; INT64_MAX on overflow.
std::int64_t chips_per_slice(const Topology& topology);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_DEVICE_FACTS_H_
