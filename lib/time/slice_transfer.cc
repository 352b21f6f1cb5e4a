#include "lib/time/slice_transfer.h"

#include <algorithm>
#include <cmath>

#include "lib/time/scale_up.h"

namespace hloroof::internal {
namespace {

double steps_of(CollectiveKind kind, std::int64_t slices) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather: return rounds(kind) * static_cast<double>(slices - 1);
    default: return 1;
  }
}

}  // namespace

SliceTransferCost slice_transfer_cost(const Device& device, CollectiveKind kind, double bytes, std::int64_t slices,
                                      MissingNumbers* missing) {
  SliceTransferCost cost;
  if (slices <= 1) return cost;
  const Network& network = device.network;
  const double n = static_cast<double>(slices);
  cost.wire_bytes = bytes_sent(kind, bytes, slices);
  cost.steps = steps_of(kind, slices);
  cost.last_arrival = std::sqrt(2 * std::log(n));
  if (const double bandwidth = number_or(network.bandwidth, 0.0, missing); bandwidth > 0) {
    cost.network_seconds = cost.wire_bytes / (bandwidth * number_or(network.efficiency, 1.0, missing));
  }
  if (kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduceScatter) {
    cost.reduction_bytes = 3 * bytes * (n - 1) / n;
    if (const double bandwidth = number_or(network.reduction_bandwidth, 0.0, missing); bandwidth > 0) {
      cost.reduction_seconds = cost.reduction_bytes / bandwidth;
    }
  }
  cost.latency_seconds = number_or(network.launch, number_or(device.overhead.collective, 0.0, nullptr), missing) +
                         cost.steps * number_or(network.latency, 0.0, missing) +
                         cost.last_arrival * number_or(network.skew, 0.0, missing);
  return cost;
}

}  // namespace hloroof::internal
