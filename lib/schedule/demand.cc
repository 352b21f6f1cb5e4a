#include "lib/schedule/demand.h"

#include <algorithm>

namespace hloroof::internal::inline schedule {

Demand without(const Demand& demand, Resource resource) {
  Demand rest = demand;
  const double before = resource == Resource::kIci ? links_busy(demand.busy) : demand.busy[static_cast<int>(resource)];
  rest.busy[static_cast<int>(resource)] = 0;
  const auto sparse_cores = rest.busy.begin() + kFirstSparseCore;
  if (resource == Resource::kIci) std::fill(rest.busy.begin() + kResourceCount, sparse_cores, 0);
  if (resource == Resource::kLatency) rest.issue = 0;
  if (resource == Resource::kDcn) {
    rest.between_seconds -= rest.between_busy;
    rest.between_busy = 0;
  }
  if (resource == Resource::kLatency) rest.between_seconds = rest.between_busy;
  if (before <= 0) return rest;
  double slowest = 0;
  for (int r = 0; r < kFirstSparseCore; ++r) {
    if (r != static_cast<int>(Resource::kLatency)) slowest = std::max(slowest, rest.busy[r]);
  }
  rest.seconds = std::min(demand.seconds, slowest + rest.busy[static_cast<int>(Resource::kLatency)]);
  if (demand.seconds > 0) rest.held *= rest.seconds / demand.seconds;
  for (auto busy = sparse_cores; busy != rest.busy.end(); ++busy) *busy = std::min(*busy, rest.seconds);
  return rest;
}

Demand scaled(Demand demand, double share) {
  for (double* seconds :
       {&demand.issue, &demand.seconds, &demand.held, &demand.between_seconds, &demand.between_busy}) {
    *seconds *= share;
  }
  for (double& busy : demand.busy) busy *= share;
  return demand;
}

}  // namespace hloroof::internal::inline schedule
