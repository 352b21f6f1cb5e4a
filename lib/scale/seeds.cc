#include "lib/scale/seeds.h"

#include <algorithm>
#include <set>
#include <vector>

#include "lib/analysis/wrapped.h"
#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/scale/placed_error.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline scale {
namespace {

constexpr std::string_view kInput = "a parameter would have to grow in two ways";

std::set<std::int64_t> state_parameters(const Module& module) {
  std::set<std::int64_t> state;
  for (const ParameterAlias& alias : input_output_alias(module)) state.insert(alias.parameter);
  for (const BufferDonor& donor : buffer_donors(module)) state.insert(donor.parameter);
  return state;
}

void add_inputs(const Module& module, const Dimensions& dimensions, Constraints& out) {
  for (InstructionId id : module.entry().parameters()) {
    if (!id.valid()) continue;
    Node node = dimensions.first(id);
    for (std::size_t leaf = 0; leaf < dimensions.arrays(id); ++leaf) {
      for (std::size_t d = 0; d < dimensions.array(id, leaf).dimensions.size(); ++d) out.inputs.push_back(node++);
    }
  }
}

// The sharding of an array, or of each array of a tuple.
const Sharding* sharding_of(const std::optional<ShardingAttribute>& attribute, std::size_t leaf) {
  if (!attribute || attribute->elements.empty()) return nullptr;
  if (attribute->elements.size() == 1) return &attribute->elements[0];
  return leaf < attribute->elements.size() ? &attribute->elements[leaf] : nullptr;
}

}  // namespace

absl::Status seed_axis(const Module& module, const Dimensions& dimensions, const ScaledAxis& axis, Constraints& out) {
  add_inputs(module, dimensions, out);
  const std::set<std::int64_t> state = state_parameters(module);
  for (InstructionId id : module.entry().parameters()) {
    if (!id.valid()) continue;
    const InstructionView parameter = module.instruction(id);
    const bool is_state = state.count(parameter.parameter_number()) > 0;
    const std::optional<ShardingAttribute> attribute = sharding(parameter);
    for (std::size_t leaf = 0; leaf < dimensions.arrays(id); ++leaf) {
      const std::size_t rank = dimensions.array(id, leaf).dimensions.size();
      std::vector<bool> shards(rank, false);
      const Sharding* stated = sharding_of(attribute, leaf);
      if (stated != nullptr) {
        const auto found = axis.shards(*stated, rank);
        if (!found) {
          return placed_error(parameter, "its shards are no axes of the mesh that the collectives of the program show");
        }
        shards = *found;
      } else if (module.num_partitions() > 1 && rank > 0) {
        return placed_error(parameter,
                            "the text does not state its sharding, so its size on the new mesh is not known");
      }
      const bool is_sharded = std::find(shards.begin(), shards.end(), true) != shards.end();
      if (is_sharded && state.empty()) {
        return placed_error(parameter,
                            "whether it is a part of the model or of the batch is not known, because no result takes "
                            "the memory of a parameter; donate the state (donate_argnums)");
      }
      for (std::size_t d = 0; d < rank; ++d) {
        const Node node = dimensions.first(id, leaf) + static_cast<Node>(d);
        out.seeds.push_back({node, shards[d] && is_state ? -1 : 0, id, kInput});
      }
    }
  }
  return absl::OkStatus();
}

absl::Status seed_batch(const Module& module, const Dimensions& dimensions, Constraints& out) {
  add_inputs(module, dimensions, out);
  const std::set<std::int64_t> state = state_parameters(module);
  struct Found {
    InstructionId parameter;
    std::size_t dimension = 0;
  };
  std::vector<Found> sharded;
  std::vector<Found> integers;
  for (InstructionId id : module.entry().parameters()) {
    if (!id.valid()) continue;
    const InstructionView parameter = module.instruction(id);
    if (state.count(parameter.parameter_number()) > 0 || !parameter.shape().is_array()) continue;
    const std::size_t rank = parameter.shape().dimensions.size();
    if (rank == 0) continue;
    const std::optional<ShardingAttribute> attribute = sharding(parameter);
    const Sharding* stated = sharding_of(attribute, 0);
    for (std::size_t d = 0; stated != nullptr && d < rank; ++d) {
      if (stated->shards_of_dimension(d) <= 1) continue;
      sharded.push_back({id, d});
      break;
    }
    const ElementType type = parameter.shape().element_type;
    if (type == ElementType::kS32 || type == ElementType::kU32 || type == ElementType::kS64)
      integers.push_back({id, 0});
  }
  const std::vector<Found>& found = !state.empty() && !sharded.empty() ? sharded : integers;
  if (found.empty()) {
    return invalid_argument(
        "which dimension is the batch is not known: no parameter that is not state is sharded or has integers");
  }
  for (const Found& at : found) {
    out.seeds.push_back({dimensions.first(at.parameter) + static_cast<Node>(at.dimension), 1, at.parameter, kInput});
  }
  return absl::OkStatus();
}

absl::Status seed_layers(const Module& module, const Dimensions& dimensions, std::int64_t layers, Constraints& out) {
  add_inputs(module, dimensions, out);
  const CallGraph calls = analyze_calls(module);
  std::set<ComputationId> inside;
  for (const CallGraph::Loop& loop : calls.loops()) {
    if (loop.trips.source == TripCount::Source::kAssumed || loop.trips.value != layers) continue;
    for (ComputationView body : module.instruction(loop.instruction).computations(AttributeKey::kBody)) {
      inside.insert(body.id());
      for (ComputationId called : called_by(body)) inside.insert(called);
    }
  }
  bool has_any = false;
  for (ComputationId id : inside) {
    for (InstructionView i : module.computation(id).instructions()) {
      const bool takes = i.opcode() == Opcode::kDynamicSlice;
      if (!takes && i.opcode() != Opcode::kDynamicUpdateSlice) continue;
      const InstructionView piece = takes ? i : i.operand(1);
      const InstructionView whole = i.operand(0);
      for (std::size_t d = 0; d < whole.shape().dimensions.size(); ++d) {
        if (whole.shape().dimensions[d] != layers || piece.shape().dimensions[d] != 1) continue;
        out.seeds.push_back({dimensions.first(whole.id()) + static_cast<Node>(d), 1, i.id(), kInput});
        has_any = true;
      }
    }
  }
  if (!has_any) return invalid_argument("the program has no loop that takes one slice of stacked layers in each trip");
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline scale
