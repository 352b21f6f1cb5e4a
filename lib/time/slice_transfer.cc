#include "lib/time/slice_transfer.h"

#include <cmath>

#include "lib/time/scale_up.h"

namespace hloroof::internal::inline time {
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

template <class Num>
SliceTransferCost<Num> slice_transfer_cost(CollectiveKind kind, double bytes, std::int64_t slices,
                                           const Numbers<Num>& numbers) {
  SliceTransferCost<Num> cost;
  if (slices <= 1) return cost;
  const Network& network = numbers.device().network;
  const double n = static_cast<double>(slices);
  cost.wire_bytes = bytes_sent(kind, bytes, slices);
  cost.steps = steps_of(kind, slices);
  if (const Num bandwidth = numbers.known_or(network.bandwidth, 0.0); value(bandwidth) > 0) {
    cost.network_seconds = numbers.amount("bytes over network", cost.wire_bytes, "B") /
                           (bandwidth * numbers.known_or(network.efficiency, 1.0));
  }
  if (kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduceScatter) {
    cost.reduction_bytes = 3 * bytes * (n - 1) / n;
    cost.reduction_seconds = over(numbers.amount("reduction by the host", cost.reduction_bytes, "B"),
                                  numbers.known_or(network.reduction_bandwidth, 0.0));
  }
  // The number for one transfer replaces that for any collective, which may be unknown.
  const Fact<double>& collective = numbers.device().overhead.collective;
  const Num launch = numbers.known_or(network.launch, collective ? numbers.at(*collective, &collective) : Num(0.0));
  const double last_arrival = std::sqrt(2 * std::log(n));
  cost.latency_seconds =
      sum("launch and steps", numbers.amount("each transfer", 1, "") * launch,
          numbers.amount("steps over network", cost.steps, "step") * numbers.known_or(network.latency, 0.0),
          numbers.amount("last slice to arrive", last_arrival, "deviation") * numbers.known_or(network.skew, 0.0));
  return cost;
}
template SliceTransferCost<double> slice_transfer_cost(CollectiveKind, double, std::int64_t, const Numbers<double>&);
template SliceTransferCost<Traced> slice_transfer_cost(CollectiveKind, double, std::int64_t, const Numbers<Traced>&);

}  // namespace hloroof::internal::inline time
