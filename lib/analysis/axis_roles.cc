#include "lib/analysis/axis_roles.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hloroof/analysis.h"
#include "hloroof/attributes.h"
#include "lib/analysis/collectives.h"
#include "lib/analysis/megascale.h"
#include "lib/analysis/mesh.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/shapes.h"
#include "lib/ir/value_walk.h"

namespace hloroof::internal::inline analysis {
namespace {

constexpr double kShareOfARole = 0.1;  // the share of an axis' bytes above which a secondary role is listed

// Stacked weights have few dimensions. The limit bounds the time for shapes with very many.
constexpr std::size_t kMostStackedDimensions = 64;

// The dimensions of an array that are longer than one, sorted. Transposes and reshapes that add or remove ones keep
// them.
using Extents = std::vector<std::int64_t>;

Extents extents_of(const Shape& shape) {
  Extents extents;
  for (const std::int64_t d : shape.dimensions) {
    if (d != 1) extents.push_back(d);
  }
  std::sort(extents.begin(), extents.end());
  return extents;
}

bool may_be_weight(const Shape& shape) {
  return shape.is_array() && shape.rank() >= 2 && is_floating(shape.element_type) && element_count(shape) > kSmallArray;
}

// The extents of the weights: the floating-point parameters of the entry that it also returns, as new weights or as
// gradients. If the entry returns none of its parameters, all of them count. Each is included whole and without one
// dimension, because layers may be stacked.
std::set<Extents> weight_extents(const Module& module) {
  std::set<Extents> weights;
  if (!module.has_entry()) return weights;
  std::set<Extents> returned;
  for (const ShapeId leaf : module.shapes().leaves(module.entry().root().shape_id())) {
    returned.insert(extents_of(module.shape(leaf)));
  }
  std::vector<const Shape*> parameters;
  bool any_returned = false;
  for (const InstructionId id : module.entry().parameters()) {
    if (!id.valid()) continue;
    for (const ShapeId leaf : module.shapes().leaves(module.instruction(id).shape_id())) {
      if (!may_be_weight(module.shape(leaf))) continue;
      parameters.push_back(&module.shape(leaf));
      any_returned = any_returned || returned.count(extents_of(module.shape(leaf))) != 0;
    }
  }
  for (const Shape* shape : parameters) {
    const Extents whole = extents_of(*shape);
    if (any_returned && returned.count(whole) == 0) continue;
    weights.insert(whole);
    if (whole.size() > kMostStackedDimensions) continue;
    for (std::size_t i = 0; whole.size() > 2 && i < whole.size(); ++i) {
      if (i > 0 && whole[i] == whole[i - 1]) continue;  // gives the same extents again
      Extents layer = whole;
      layer.erase(layer.begin() + static_cast<std::ptrdiff_t>(i));
      weights.insert(std::move(layer));
    }
  }
  return weights;
}

// Whether the permutation comes from the user's program (jax.lax.ppermute) and not from the partitioning of a matmul.
bool is_user_permute(InstructionView instruction) {
  const std::string name = op_name(instruction);
  static constexpr std::string_view kPrimitive = "ppermute";
  return name.size() >= kPrimitive.size() &&
         name.compare(name.size() - kPrimitive.size(), kPrimitive.size(), kPrimitive) == 0;
}

struct Use {
  AxisRole role = AxisRole::kUnknown;
  std::string_view why;
};

class RoleReader {
 public:
  RoleReader(const Module& module, const CallGraph& calls)
      : module_(module), calls_(calls), weights_(weight_extents(module)) {
    for (const CallGraph::Loop& loop : calls_.loops()) {
      for (const ComputationId body : module.instruction(loop.instruction).called_computations()) {
        trips_[body.index] = loop.trips.value;
      }
    }
  }

  double executions(const Collective& collective) const {
    return std::max(1.0, calls_.executions(module_.instruction(collective.carrier)));
  }

  Use use_of(const Collective& collective) const {
    std::int64_t elements = 0;
    bool weight = false;
    const ShapeId shard = collective.slices > 0 ? sent_between_slices(collective) : collective.shard_shape;
    if (shard.valid() && module_.shape(shard).is_array()) {
      const Shape& shape = module_.shape(shard);
      elements = element_count(shape);
      weight = may_be_weight(shape) && weights_.count(extents_of(shape)) != 0;
    }
    switch (collective.kind) {
      case CollectiveKind::kAllGather:
        return weight ? Use{AxisRole::kFsdp, "weights gathered"} : Use{AxisRole::kTensor, "activations gathered"};
      case CollectiveKind::kReduceScatter:
        return weight ? Use{AxisRole::kFsdp, "gradients scattered"} : Use{AxisRole::kTensor, "activations scattered"};
      case CollectiveKind::kAllReduce:
        if (weight) return {AxisRole::kData, "gradients reduced"};
        if (elements <= kSmallArray) return {AxisRole::kData, "scalars reduced"};
        return {AxisRole::kTensor, "activations reduced"};
      case CollectiveKind::kAllToAll:
        return weight ? Use{AxisRole::kFsdp, "weights exchanged"} : Use{AxisRole::kExpert, "activations exchanged"};
      case CollectiveKind::kRaggedAllToAll: return {AxisRole::kExpert, "activations exchanged"};
      case CollectiveKind::kCollectivePermute:
        return is_user_permute(module_.instruction(collective.instruction)) ? use_of_permute(collective)
               : weight ? Use{AxisRole::kFsdp, "weights passed round"}
                        : Use{AxisRole::kTensor, "partial results passed round"};
      case CollectiveKind::kCollectiveBroadcast: return {AxisRole::kData, "broadcast"};
      case CollectiveKind::kSend:
      case CollectiveKind::kRecv: return {AxisRole::kPipeline, "sent and received"};
    }
    return {};
  }

 private:
  // The shape of the array that a slice sends, before the compiler flattened it for the transfer.
  ShapeId sent_between_slices(const Collective& collective) const {
    const InstructionView recv = module_.instruction(collective.instruction);
    const auto [found, is_new] = sends_.try_emplace(recv.computation().id().index);
    if (is_new) found->second = megascale_sends(recv.computation());
    const auto send = found->second.find(megascale_rendezvous(recv));
    if (send == found->second.end() || module_.instruction(send->second).operand_count() == 0)
      return collective.shard_shape;
    const InstructionView sent = module_.instruction(send->second).operand(0);
    return origin(sent, [](InstructionView at) { return keeps_elements(at.opcode()); }).shape_id();
  }

  Use use_of_permute(const Collective& collective) const {
    std::set<std::int64_t> sources;
    std::set<std::int64_t> targets;
    for (const auto& [source, target] : collective.pairs) {
      sources.insert(source);
      targets.insert(target);
    }
    if (sources != targets) return {AxisRole::kPipeline, "passed along a chain"};
    const auto loop = trips_.find(module_.instruction(collective.carrier).computation().id().index);
    if (loop == trips_.end()) return {AxisRole::kSequence, "blocks passed to neighbours"};
    return loop->second <= collective.groups.group_size ? Use{AxisRole::kSequence, "blocks passed round a ring"}
                                                        : Use{AxisRole::kPipeline, "passed round for many rounds"};
  }

  const Module& module_;
  const CallGraph& calls_;
  std::set<Extents> weights_;
  std::map<std::uint32_t, std::int64_t> trips_;                                  // by loop body
  mutable std::map<std::uint32_t, std::map<std::string, InstructionId>> sends_;  // by computation, once needed
};

struct RoleEvidence {
  double bytes = 0;
  std::set<std::string_view> why;
};

}  // namespace

std::vector<AxisRole> collective_roles(const Module& module, const std::vector<Collective>& collectives) {
  return collective_roles(module, analyze_calls(module), collectives);
}

std::vector<AxisRole> collective_roles(const Module& module, const CallGraph& calls,
                                       const std::vector<Collective>& collectives) {
  const RoleReader reader(module, calls);
  std::vector<AxisRole> roles;
  roles.reserve(collectives.size());
  for (const Collective& collective : collectives) roles.push_back(reader.use_of(collective).role);
  return roles;
}

void assign_roles(const Module& module, const CallGraph& calls, const std::vector<Collective>& collectives,
                  LogicalMesh& mesh) {
  for (MeshAxis& axis : mesh.axes) {
    axis.roles.clear();
    axis.why.clear();
    axis.bytes = 0;
  }
  const RoleReader reader(module, calls);
  std::vector<std::map<AxisRole, RoleEvidence>> evidence(mesh.axes.size());
  for (const Collective& collective : collectives) {
    const Use use = reader.use_of(collective);
    const double bytes = collective.bytes * reader.executions(collective);
    for (const int i : spanned_axes(mesh, collective.groups)) {
      RoleEvidence& of_role = evidence[i][use.role];
      of_role.bytes += bytes;
      of_role.why.insert(use.why);
      mesh.axes[i].bytes += bytes;
    }
  }
  for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
    MeshAxis& axis = mesh.axes[i];
    std::map<AxisRole, RoleEvidence>& roles = evidence[i];
    // FSDP includes data parallelism.
    if (roles.count(AxisRole::kFsdp) != 0) roles.erase(AxisRole::kData);
    std::vector<std::pair<AxisRole, RoleEvidence>> sorted(roles.begin(), roles.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
    // On an expert axis, the other collectives move tokens to the experts and back.
    std::stable_partition(sorted.begin(), sorted.end(), [&](const auto& r) {
      return r.first == AxisRole::kExpert && r.second.bytes >= kShareOfARole * axis.bytes;
    });
    for (const auto& [role, found] : sorted) {
      if (!axis.roles.empty() && found.bytes < kShareOfARole * axis.bytes) continue;
      axis.roles.push_back(role);
      for (const std::string_view why : found.why) {
        absl::StrAppend(&axis.why, axis.why.empty() ? "" : ", ", std::string(why));
      }
    }
  }
}

}  // namespace hloroof::internal::inline analysis
