// Fits the rates of GPU collectives to measured times of one kind of collective on one device.
#ifndef HLOROOF_LIB_CALIBRATE_COLLECTIVE_FIT_H_
#define HLOROOF_LIB_CALIBRATE_COLLECTIVE_FIT_H_

#include <cstdint>
#include <vector>

#include "hloroof/device.h"
#include "hloroof/mesh.h"

namespace hloroof::inline v0 {

struct CollectiveMeasurement {
  CollectiveKind kind = CollectiveKind::kAllGather;
  double bytes = 0;          // as Collective::bytes
  std::int64_t devices = 2;  // of the group; of a permutation, of the whole program
  bool relays = false;       // of a permutation: as Send::relays
  double seconds = 0;
};

// Rates relative to `bandwidth`, the device's scale_up.bandwidth. A term the measurements do not show is 0 where it is
// a time and empty where it is a rate. Needs at least one measurement, all of one kind but collective-permute, with
// times above 0.
CollectiveRates fit_collective_rates(const std::vector<CollectiveMeasurement>& measurements, double bandwidth);

// The same for permutations. How many channels there are and the sizes at which they change are `device`'s own; what is
// fitted is the launch and what the channels and the link attain.
SendRates fit_send_rates(const std::vector<CollectiveMeasurement>& measurements, const Device& device);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_CALIBRATE_COLLECTIVE_FIT_H_
