// The time of a transfer between slices, which the hosts of the slices perform over the data center network.
//
// Every device hands its bytes to its host and takes the result from there; Work counts these bytes. The hosts exchange
// and reduce them piece by piece, so that the slowest of the stages determines the time for the bytes:
//
//   network     bytes_sent() / (network.bandwidth network.efficiency): the NIC of a host, shared by its devices
//   reduction   3 (S-1)/S V / network.reduction_bandwidth: the host reads two operands and writes their sum
//   host        the bytes to and from the device, over host.bandwidth
//
// Added to that are network.launch once, network.latency for each step of the algorithm, and network.skew sqrt(2 ln S),
// the mean wait for the last of S slices if their arrivals are normally distributed. For S slices and V bytes of the
// full array, a device sends and the algorithm takes:
//
//   all-reduce        2 (S-1)/S V in 2 (S-1) steps, a ring
//   reduce-scatter      (S-1)/S V in    S-1  steps, a ring
//   all-gather          (S-1)/S V in    S-1  steps, a ring; the own part is V/S
//   all-to-all          (S-1)/S V in 1 step: all messages at once
//   one-to-one                  V in 1 step
#ifndef HLOROOF_LIB_TIME_SLICE_TRANSFER_H_
#define HLOROOF_LIB_TIME_SLICE_TRANSFER_H_

#include <cstdint>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "lib/time/missing_numbers.h"
#include "lib/time/numbers.h"
#include "lib/time/traced.h"

namespace hloroof::internal::inline time {

template <class Num>
struct SliceTransferCost {
  double wire_bytes = 0;       // sent by each device
  double reduction_bytes = 0;  // read and written by the host to reduce what a device exchanges
  double steps = 0;
  Num network_seconds = 0.0;
  Num reduction_seconds = 0.0;
  Num latency_seconds = 0.0;
  Num bandwidth_seconds() const { return slowest("stages of the hosts at once", network_seconds, reduction_seconds); }
};

// The cost of one transfer of `bytes`, those of the full array, among `slices` slices.
template <class Num>
SliceTransferCost<Num> slice_transfer_cost(CollectiveKind kind, double bytes, std::int64_t slices,
                                           const Numbers<Num>& numbers);
inline SliceTransferCost<double> slice_transfer_cost(const Device& device, CollectiveKind kind, double bytes,
                                                     std::int64_t slices, MissingNumbers* missing) {
  return slice_transfer_cost(kind, bytes, slices, Numbers<double>(device, missing));
}

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_SLICE_TRANSFER_H_
