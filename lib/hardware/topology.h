// Chooses the topology of a prediction.
#ifndef HLOROOF_LIB_HARDWARE_TOPOLOGY_H_
#define HLOROOF_LIB_HARDWARE_TOPOLOGY_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

inline constexpr std::int64_t kMaxSlices = 1'000'000;

// Returns the smallest standard slice of `device` that holds `device_count` devices. If no single slice does, returns
// several of the largest. Errors: InvalidArgument for a count below one.
absl::StatusOr<Topology> default_topology(const Device& device, int64_t device_count);

// Returns the topology on which a module of `device_count` devices runs: the requested one, or else the default. If the
// requested slice has more devices, it is a compact part of it, if there is one.
// If the text itself names `text_slices` > 1 slices, a requested topology is that of one slice, and a requested number
// of slices must be the same. Errors: InvalidArgument if the target requests fewer than one slice, another number of
// slices than the text names, or fewer devices than `device_count`; the message has both numbers.
absl::StatusOr<Topology> topology_for(const Target& target, int64_t device_count, int64_t text_slices = 1);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_TOPOLOGY_H_
