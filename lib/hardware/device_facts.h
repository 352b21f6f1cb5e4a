// Facts that follow from the numbers of a Device.
#ifndef HLOROOF_LIB_HARDWARE_DEVICE_FACTS_H_
#define HLOROOF_LIB_HARDWARE_DEVICE_FACTS_H_

#include <algorithm>
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

// The most that is told apart of what a device has several of; a test checks that no built-in device has more.
// Links do not slow one another down: they are the axes of a TPU torus (Ici::dims), and GPUs have one. Each SparseCore
// runs one program at a time, and the text names it by its number.
inline constexpr int kMostLinks = 4;
inline constexpr int kMostSparseCores = 4;

// The cores of one device. Below 1 if the devices of a chip share a core.
inline double core_count(const Device& device) {
  return static_cast<double>(device.cores_per_chip) / static_cast<double>(device.devices_per_chip);
}

inline double register_elements(const TpuCore::Vector& vector) {
  return static_cast<double>(vector.lanes * vector.sublanes);
}

// Reads alone and writes alone attain a higher share of the HBM's bandwidth than both at once. `efficiency` is the
// share that equal reads and writes attain together. The difference is the time lost in turns from one to the other: in
// units of the nominal time of a byte, for each byte of the smaller stream. Of rates in place of shares it is that
// time.
inline double turning_share(double efficiency, double reads, double writes) {
  return std::max(2 / efficiency - 1 / reads - 1 / writes, 0.0);
}

// The cost of one element of `op`: one vector operation, unless the device file lists another cost.
OpWeight op_weight(const VectorUnit& unit, std::string_view op);
// The same as listed in the device file; null if it is not.
const OpWeight* find_op_weight(const VectorUnit& unit, std::string_view op);

// The share of the network's interfaces that one device has if all devices of a node send: NICs a device.
// 1 if the device file does not say who shares them.
inline double nics_of_device(const Device& device) {
  const Network& network = device.network;
  if (!network.nics) return 1;
  return *network.nics / (network.node_devices ? *network.node_devices : static_cast<double>(device.scale_up.domain));
}

// The nominal bandwidth of that share, in bytes/s; 0 if it is not known.
inline double network_bandwidth(const Device& device) {
  return device.network.bandwidth ? *device.network.bandwidth * nics_of_device(device) : 0;
}

// The product of the sizes; INT64_MAX on overflow.
std::int64_t chips_per_slice(const Topology& topology);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_DEVICE_FACTS_H_
