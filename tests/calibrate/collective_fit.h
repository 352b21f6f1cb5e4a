// Fits the rates of GPU collectives to measured times of one kind of collective on one device.
#ifndef HLOROOF_TESTS_CALIBRATE_COLLECTIVE_FIT_H_
#define HLOROOF_TESTS_CALIBRATE_COLLECTIVE_FIT_H_

#include <cstdint>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"

namespace hloroof::internal {

struct CollectiveMeasurement {
  CollectiveKind kind = CollectiveKind::kAllGather;
  double bytes = 0;          // Collective::bytes
  std::int64_t devices = 2;  // in the group; for a permutation, in the whole program
  bool relays = false;       // for a permutation: Send::relays
  double seconds = 0;
};

// Fits rates relative to the device's scale_up.bandwidth. A term that the measurements do not determine is
// 0 if it is a time, and nullopt if it is a rate. Needs at least one measurement. All must have the same kind, which is
// not collective-permute, and positive times. If `device` has low_latency_bytes for the
// kind, also fits `square`; the rate of low-latency messages is that of permutes.
CollectiveRates fit_collective_rates(const std::vector<CollectiveMeasurement>& measurements, const Device& device);

// The same for permutations. Fits the launch time and the rates of the channels and the link. The number of channels
// and the sizes at which it changes come from `device`.
SendRates fit_send_rates(const std::vector<CollectiveMeasurement>& measurements, const Device& device);

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_CALIBRATE_COLLECTIVE_FIT_H_
