#include "lib/scale/seeds.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hloroof/analysis.h"
#include "lib/analysis/provenance.h"
#include "lib/analysis/wrapped.h"
#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/scale/placed_error.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline scale {

void add_inputs(const Module& module, const Dimensions& dimensions, Constraints& out) {
  for (InstructionId id : module.entry().parameters()) {
    if (!id.valid()) continue;
    Node node = dimensions.first(id);
    for (std::size_t leaf = 0; leaf < dimensions.arrays(id); ++leaf) {
      for (std::size_t d = 0; d < dimensions.array(id, leaf).dimensions.size(); ++d) out.inputs.push_back(node++);
    }
  }
}

namespace {

constexpr std::string_view kInput = "a parameter would have to grow in two ways";

// The sharding of an array, or of each array of a tuple.
const Sharding* sharding_of(const std::optional<ShardingAttribute>& attribute, std::size_t leaf) {
  if (!attribute || attribute->elements.empty()) return nullptr;
  if (attribute->elements.size() == 1) return &attribute->elements[0];
  return leaf < attribute->elements.size() ? &attribute->elements[leaf] : nullptr;
}

bool has_one_element(InstructionView i) {
  if (!i.shape().is_array()) return false;
  const std::vector<std::int64_t>& sizes = i.shape().dimensions;
  return std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size == 1; });
}

// If shardings are not stated, nothing says which arrays have shards that are never gathered, such as a table in which
// each device looks up its own part. Such a program masks with the number of the device, or branches on it. Errors:
// InvalidArgument where that number does something else than choose the place of a shard.
absl::Status check_device_numbers(const Module& module) {
  const Users users(module);
  std::vector<std::vector<InstructionId>> callers(module.computation_limit());
  std::vector<InstructionId> open;
  walk(module, [&](InstructionView i) {
    for (ComputationId called : i.called_computations()) callers[called.index].push_back(i.id());
    if (i.opcode() == Opcode::kPartitionId || i.opcode() == Opcode::kReplicaId) open.push_back(i.id());
  });
  std::set<InstructionId> seen(open.begin(), open.end());
  const auto add = [&](InstructionId id) {
    if (seen.insert(id).second) open.push_back(id);
  };
  // The loops that carry a tuple, as their operand or as the result of their body.
  const auto loops_of = [&](InstructionView tuple) {
    std::vector<InstructionView> loops;
    for (InstructionView user : users.of(tuple)) loops.push_back(user);
    if (tuple.is_root()) {
      for (InstructionId caller : callers[tuple.computation().id().index]) loops.push_back(module.instruction(caller));
    }
    return loops;
  };
  const auto carries_only = [&](InstructionView tuple) {
    const std::vector<InstructionView> loops = loops_of(tuple);
    return !loops.empty() && std::all_of(loops.begin(), loops.end(),
                                         [](InstructionView user) { return user.opcode() == Opcode::kWhile; });
  };
  // Adds the elements of the tuple in the loops and behind them.
  const auto add_carried = [&](InstructionView tuple, std::int64_t element) {
    for (InstructionView loop : loops_of(tuple)) {
      std::vector<InstructionView> values = {loop};
      for (ComputationId called : loop.called_computations()) {
        for (InstructionId parameter : module.computation(called).parameters()) {
          if (parameter.valid()) values.push_back(module.instruction(parameter));
        }
      }
      for (InstructionView value : values) {
        for (InstructionView user : users.of(value)) {
          if (user.opcode() == Opcode::kGetTupleElement && user.tuple_index() == element) add(user.id());
        }
      }
    }
  };
  while (!open.empty()) {
    const InstructionView at = module.instruction(open.back());
    open.pop_back();
    if (at.is_root()) {
      for (InstructionId caller : callers[at.computation().id().index]) {
        if (module.instruction(caller).opcode() == Opcode::kFusion) add(caller);
      }
    }
    for (InstructionView user : users.of(at)) {
      const absl::Span<const InstructionId> operands = user.operand_ids();
      if (user.opcode() == Opcode::kFusion) {
        for (std::size_t n = 0; n < operands.size(); ++n) {
          if (operands[n] != at.id()) continue;
          for (ComputationId called : user.called_computations()) {
            const std::vector<InstructionId> parameters = module.computation(called).parameters();
            if (n < parameters.size() && parameters[n].valid()) add(parameters[n]);
          }
        }
      } else if ((user.opcode() == Opcode::kDynamicSlice && operands[0] != at.id()) ||
                 (user.opcode() == Opcode::kDynamicUpdateSlice && operands[0] != at.id() && operands[1] != at.id())) {
        if (has_one_element(user)) add(user.id());
      } else if (user.opcode() == Opcode::kTuple && carries_only(user)) {
        for (std::size_t n = 0; n < operands.size(); ++n) {
          if (operands[n] == at.id()) add_carried(user, static_cast<std::int64_t>(n));
        }
      } else if (has_one_element(user) && user.opcode() != Opcode::kConditional) {
        add(user.id());
      } else {
        return placed_error(user,
                            "it uses the number of the device, and the text does not state the shardings of the "
                            "parameters, so which of them are sharded is not known");
      }
    }
  }
  return absl::OkStatus();
}

// The parameters that are the batch in a program of which no result reuses the memory of a parameter.
std::set<InstructionId> batch_without_state(const Module& module) {
  const std::vector<InstructionId> found = batch_inputs(module, analyze_calls(module), find_collectives(module));
  std::set<InstructionId> batch(found.begin(), found.end());
  for (InstructionId id : module.entry().parameters()) {
    if (!id.valid()) continue;
    const Shape& shape = module.instruction(id).shape();
    if (shape.is_array() && is_integral(shape.element_type)) batch.insert(id);
  }
  return batch;
}

}  // namespace

std::set<std::int64_t> state_parameters(const Module& module) {
  std::set<std::int64_t> state;
  for (const ParameterAlias& alias : input_output_alias(module)) state.insert(alias.parameter);
  for (const BufferDonor& donor : buffer_donors(module)) state.insert(donor.parameter);
  return state;
}

absl::Status seed_axis(const Module& module, const Dimensions& dimensions, const ScaledAxis& axis, const Rounds& rounds,
                       Constraints& out) {
  add_inputs(module, dimensions, out);
  const std::set<std::int64_t> state = state_parameters(module);
  const bool is_data_parallel = axis.is_data_parallel(rounds.pass_state);
  const bool is_guessed = state.empty() && is_data_parallel;
  const std::set<InstructionId> batch = is_guessed ? batch_without_state(module) : std::set<InstructionId>();
  bool has_unstated = false;
  for (InstructionId id : module.entry().parameters()) {
    if (!id.valid()) continue;
    const InstructionView parameter = module.instruction(id);
    const bool is_state = is_guessed ? batch.count(id) == 0 : state.count(parameter.parameter_number()) > 0;
    const std::optional<ShardingAttribute> attribute = sharding(parameter);
    for (std::size_t leaf = 0; leaf < dimensions.arrays(id); ++leaf) {
      const std::size_t rank = dimensions.array(id, leaf).dimensions.size();
      const Node first = dimensions.first(id, leaf);
      const Sharding* stated = sharding_of(attribute, leaf);
      std::vector<bool> shards(rank, false);
      if (stated != nullptr) {
        const auto found = axis.shards(*stated, rank);
        if (!found) {
          return placed_error(parameter, "its shards are no axes of the mesh that the collectives of the program show");
        }
        shards = *found;
      } else if (module.num_partitions() > 1 && rank > 0) {
        has_unstated = true;
        if (!is_data_parallel) {
          return placed_error(
              parameter,
              "the text does not state its sharding, and the axis is not only one along which weights "
              "are gathered or gradients reduced, so its size on the new mesh is not known; state the dimensions "
              "of the parameters that have shards along the axis (--shard)");
        }
        if (is_state) {
          for (std::size_t d = 0; d < rank; ++d) out.state.push_back(first + static_cast<Node>(d));
          continue;
        }
      }
      const bool is_sharded =
          stated == nullptr ? has_unstated : std::find(shards.begin(), shards.end(), true) != shards.end();
      if (is_sharded && state.empty() && !is_guessed) {
        return placed_error(
            parameter,
            "whether it is a part of the model or of the batch is not known, because no result takes "
            "the memory of a parameter; donate the state (donate_argnums), or state the dimensions that have "
            "shards along the axis (--shard)");
      }
      for (std::size_t d = 0; d < rank; ++d) {
        const Node node = first + static_cast<Node>(d);
        if (shards[d] && is_state && is_guessed) {
          out.state.push_back(node);
        } else {
          out.seeds.push_back({node, shards[d] && is_state ? -1 : 0, id, kInput});
        }
      }
    }
  }
  return has_unstated ? check_device_numbers(module) : absl::OkStatus();
}

absl::Status seed_shards(const Module& module, const Dimensions& dimensions, const std::vector<SharedDimension>& shards,
                         Constraints& out) {
  add_inputs(module, dimensions, out);
  std::set<Node> parts;
  for (const SharedDimension& shard : shards) {
    std::optional<Node> part;
    for (InstructionId id : module.entry().parameters()) {
      if (!id.valid()) continue;
      const InstructionView parameter = module.instruction(id);
      const bool is_named =
          shard.parameter == parameter.name() || shard.parameter == std::to_string(parameter.parameter_number());
      if (!is_named || !parameter.shape().is_array()) continue;
      if (shard.dimension < parameter.shape().dimensions.size()) {
        part = dimensions.first(id) + static_cast<Node>(shard.dimension);
      }
    }
    if (!part) {
      return invalid_argument(
          absl::StrCat("the entry has no parameter \"", shard.parameter, "\" with a dimension ", shard.dimension));
    }
    parts.insert(*part);
  }
  for (InstructionId id : module.entry().parameters()) {
    if (!id.valid()) continue;
    for (Node node = dimensions.first(id); node < dimensions.end(id); ++node) {
      out.seeds.push_back({node, parts.count(node) > 0 ? -1 : 0, id, kInput});
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
  std::vector<Found> unstated;
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
    if (is_integral(type) || (!state.empty() && rank > 1)) unstated.push_back({id, 0});
  }
  const std::vector<Found>& found = !state.empty() && !sharded.empty() ? sharded : unstated;
  if (found.empty()) {
    return invalid_argument(
        "which dimension is the batch is not known: no parameter is sharded and no state, or has integers");
  }
  for (const Found& at : found) {
    out.seeds.push_back({dimensions.first(at.parameter) + static_cast<Node>(at.dimension), 1, at.parameter, kInput});
  }
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline scale
