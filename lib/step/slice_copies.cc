#include "lib/step/slice_copies.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/gradients.h"
#include "lib/analysis/origin.h"
#include "lib/analysis/saturating.h"
#include "lib/base/strings.h"
#include "lib/ir/rows.h"
#include "lib/time/collective.h"

namespace hloroof::internal::inline step {

std::int64_t copies_of(const Module& module, const Target& target, const LogicalMesh& mesh) {
  const bool has_torus = target.device.ici.dims > 0;
  if (!has_torus || mesh.slices > 1) return 1;
  const std::int64_t slices = target.slices.value_or(target.topology ? target.topology->slices : 1);
  if (slices <= 1) return 1;
  if (target.topology) {
    Topology slice = *target.topology;
    slice.slices = 1;
    return slice.device_count() >= mesh.device_count ? slices : 1;
  }
  const std::int64_t stated = saturating_multiply(std::max<std::int64_t>(module.replica_count(), 1),
                                                  std::max<std::int64_t>(module.num_partitions(), 1));
  if (stated != mesh.device_count) return 1;  // a part of a module, without its header
  ModuleOrigin origin;
  find_backend(module, origin);
  find_stage(module, origin);
  return origin.backend == Backend::kTpu && origin.stage == CompileStage::kOptimized ? slices : 1;
}

absl::Status exchange_gradients(const Module& module, const CallGraph& calls, const Device& device,
                                const CollectiveOptions& options, CollectiveCosts& result) {
  const std::int64_t slices = result.mesh.slices;
  const std::int64_t devices = result.mesh.device_count / slices;
  const absl::StatusOr<std::vector<std::size_t>> gradients = gradient_collectives(module, calls, result.collectives);
  if (!gradients.ok()) {
    return invalid_argument(absl::StrCat(
        "the text is the program of one slice. ", slices, " slices would run copies of it, and what these exchange is ",
        "not known: ", gradients.status().message(), ". Compile the program for ", slices,
        " slices; without --slices, the prediction is that of copies which exchange nothing"));
  }
  for (const std::size_t c : *gradients) {
    const Collective& inside = result.collectives[c];
    if (!CallFacts::is_scheduled(calls, row_of(module, inside.carrier).computation)) continue;
    GradientExchange exchange;
    exchange.collective = c;
    exchange.after = inside.done.valid() ? inside.done : inside.carrier;
    exchange.between = inside;
    exchange.between.kind = CollectiveKind::kAllReduce;
    exchange.between.in_fusion = false;
    exchange.between.slices = slices;
    exchange.between.bytes = inside.bytes / static_cast<double>(inside.groups.group_size);
    exchange.between.groups = DeviceGroups();
    exchange.between.groups.within = {{slices, devices}};
    if (devices > 1) exchange.between.groups.across = {{devices, 1}};
    exchange.between.groups.group_size = slices;
    exchange.between.groups.group_count = devices;
    exchange.cost = collective_cost(exchange.between, result.mesh, result.mapping, device, options);
    result.exchanges.push_back(std::move(exchange));
  }
  result.mesh.notes.push_back(absl::StrCat("the text is the program of one slice: each of ", slices,
                                           " slices runs a copy, and they exchange ", result.exchanges.size(),
                                           result.exchanges.size() == 1 ? " gradient" : " gradients",
                                           " after each reduction inside a slice, which the text does not contain"));
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline step
