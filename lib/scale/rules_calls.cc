#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "lib/analysis/wrapped.h"
#include "lib/ir/opcode_facts.h"
#include "lib/scale/kernels.h"
#include "lib/scale/placed_error.h"
#include "lib/scale/rules.h"
#include "lib/values/attribute_values.h"
#include "lib/values/decode.h"

namespace hloroof::internal::inline scale {
namespace {

constexpr std::string_view kKernel =
    "the program of a custom call is made for operands and results of these sizes; the other size needs another one";

constexpr std::string_view kRounds = "the other size has another number of parts along the axis";

}  // namespace

// Operands from `first_operand` on are the parameters, and the root is the result.
void Rules::call(InstructionView i, ComputationId called, std::size_t first_operand) {
  const ComputationView computation = module_.computation(called);
  if (computation.is_missing()) return neither_grows(i);
  const std::vector<InstructionId> parameters = computation.parameters();
  for (std::size_t p = 0; p < parameters.size() && first_operand + p < i.operand_count(); ++p) {
    if (!parameters[p].valid()) continue;
    const InstructionView operand = i.operand(first_operand + p);
    all_alike(i, operand, 0, module_.instruction(parameters[p]), 0, arrays(operand));
  }
  all_alike(i, computation.root(), 0, i, 0, arrays(i));
}

void Rules::loop(InstructionView i) {
  all_alike(i, i.operand(0), 0, i, 0, arrays(i));
  for (AttributeKey key : {AttributeKey::kCondition, AttributeKey::kBody}) {
    for (ComputationView computation : i.computations(key)) {
      for (InstructionId parameter : computation.parameters()) {
        if (parameter.valid()) all_alike(i, i, 0, module_.instruction(parameter), 0, arrays(i));
      }
      if (key == AttributeKey::kBody) all_alike(i, i, 0, computation.root(), 0, arrays(i));
    }
  }
}

void Rules::conditional(InstructionView i) {
  const std::vector<ComputationId> branches = i.called_computations();
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const ComputationView branch = module_.computation(branches[b]);
    if (branch.is_missing() || b + 1 >= i.operand_count()) {
      neither_grows(i);
      continue;
    }
    for (InstructionId parameter : branch.parameters()) {
      if (!parameter.valid()) continue;
      all_alike(i, i.operand(b + 1), 0, module_.instruction(parameter), 0, arrays(i.operand(b + 1)));
    }
    all_alike(i, branch.root(), 0, i, 0, arrays(i));
  }
}

// A start has its operands, then the result, then what it needs to wait for it.
void Rules::async(InstructionView i) {
  const auto leaves = [&](InstructionView value, std::size_t element) {
    const Shape& shape = value.shape();
    return shape.is_tuple() && element < shape.elements.size() ? module_.shapes().leaves(shape.elements[element]).size()
                                                               : std::size_t{0};
  };
  if (i.opcode() == Opcode::kAsyncDone) {
    return all_alike(i, i.operand(0), leaves(i.operand(0), 0), i, 0, arrays(i));
  }
  std::size_t leaf = 0;
  for (InstructionView operand : i.operands()) {
    all_alike(i, operand, 0, i, leaf, arrays(operand));
    leaf += arrays(operand);
  }
  const std::vector<ComputationId> called = i.called_computations();
  if (called.size() != 1 || module_.computation(called[0]).is_missing()) return neither_grows(i);
  const ComputationView computation = module_.computation(called[0]);
  const std::vector<InstructionId> parameters = computation.parameters();
  for (std::size_t p = 0; p < parameters.size() && p < i.operand_count(); ++p) {
    if (!parameters[p].valid()) continue;
    all_alike(i, i.operand(p), 0, module_.instruction(parameters[p]), 0, arrays(i.operand(p)));
  }
  all_alike(i, computation.root(), 0, i, leaf, leaves(i, 1));
}

// An update may have operands that the start did not have. They are then the first arrays of its result.
void Rules::async_update(InstructionView i) {
  all_alike(i, i.operand(0), 0, i, 0, arrays(i));
  std::size_t leaf = 0;
  for (std::size_t n = 1; n < i.operand_count(); ++n) {
    all_alike(i, i.operand(n), 0, i, leaf, arrays(i.operand(n)));
    leaf += arrays(i.operand(n));
  }
}

void Rules::custom_call(InstructionView i) {
  const std::string_view target = i.text(AttributeKey::kCustomCallTarget);
  if (target == "\"AllocateBuffer\"") return;
  if (target == kAsyncCollectiveStart) {
    const InstructionView collective = i.operand(0);
    if (collective_kind(collective.opcode()) && collective.operand_count() == 1 && arrays(i) >= 2) {
      alike(i, collective.operand(0), 0, i, 0);
      alike(i, collective, 0, i, 1);
      return;
    }
  }
  if (target == kAsyncCollectiveDone) {
    for (InstructionView operand : i.operands()) {
      if (collective_kind(operand.opcode()) && arrays(operand) == arrays(i)) {
        return all_alike(i, operand, 0, i, 0, arrays(i));
      }
    }
  }
  if (target == "\"ConcatBitcast\"" && i.shape().is_array()) {
    // The pieces of an array, or of its bytes: each grows as the array does.
    std::vector<Node> whole;
    for (std::size_t d = 0; d < rank(i); ++d) whole.push_back(node(i, d));
    for (InstructionView operand : i.operands()) {
      if (array(operand).element_type == array(i).element_type && rank(operand) == rank(i)) {
        alike(i, operand, 0, i, 0);
        continue;
      }
      std::vector<Node> piece;
      for (std::size_t d = 0; d < rank(operand); ++d) piece.push_back(node(operand, d));
      out_.products.push_back({piece, whole, i.id()});
    }
    return;
  }
  kernel(i);
}

// The dimensions that only the same dimension of the grid indexes grow together. Nothing else of a kernel does.
void Rules::kernel(InstructionView i) {
  std::set<Node> batch;
  const auto node_of = [&](const BatchOfGrid::Place& place) {
    return place.array < i.operand_count() ? node(i.operand(place.array), place.dimension)
                                           : node(i, place.dimension, place.array - i.operand_count());
  };
  for (const BatchOfGrid& grid : batches_of_grid(i)) {
    for (const BatchOfGrid::Place& place : grid.places) {
      link(i, node_of(grid.places.front()), node_of(place));
      batch.insert(node_of(place));
    }
  }
  const auto stay_others = [&](InstructionView value) {
    for (std::size_t leaf = 0; leaf < arrays(value); ++leaf) {
      for (std::size_t d = 0; d < rank(value, leaf); ++d) {
        if (batch.count(node(value, d, leaf)) == 0) stay(i, node(value, d, leaf), kKernel);
      }
    }
  };
  stay_others(i);
  for (InstructionView operand : i.operands()) stay_others(operand);
}

// Operand n of a collective and array `leaf + n` of its result, where dimension `dimensions` of the result has the
// exponent of the operand's plus `offset`.
void Rules::exchange(InstructionView i, InstructionView result, std::size_t leaf, int offset) {
  const std::vector<std::int64_t> along = integers(i, AttributeKey::kDimensions);
  for (std::size_t n = 0; n < i.operand_count(); ++n) {
    const InstructionView operand = i.operand(n);
    if (leaf + n >= arrays(result) || rank(operand) != rank(result, leaf + n)) continue;
    for (std::size_t d = 0; d < rank(operand); ++d) {
      const bool is_along = !along.empty() && static_cast<std::size_t>(along[0]) == d;
      link(i, node(operand, d), node(result, d, leaf + n), is_along ? offset : 0);
      if (!is_along || offset == 0) continue;
      // A part of one element is one of each device, and so is each element of the whole.
      if (offset > 0 && array(operand).dimensions[d] == 1) stay(i, node(operand, d), kRounds);
      if (offset < 0 && array(result, leaf + n).dimensions[d] == 1) stay(i, node(result, d, leaf + n), kRounds);
    }
  }
}

// States that a dimension of the results is gathered, from as many devices as are in a group.
void Rules::gathered(InstructionView i, bool spans) {
  const std::vector<std::int64_t> along = integers(i, AttributeKey::kDimensions);
  const std::optional<ReplicaGroups> groups = replica_groups(i);
  if (along.empty() || !groups || groups->group_count() == 0) return;
  const std::int64_t devices = groups->group_size();
  const std::size_t first = i.opcode() == Opcode::kAllGather ? 0 : i.operand_count();
  for (std::size_t leaf = first; leaf < arrays(i); ++leaf) {
    const auto d = static_cast<std::size_t>(along[0]);
    if (d >= rank(i, leaf)) continue;
    out_.gathered.push_back({node(i, d, leaf), devices, spans ? devices / axis_->from() * axis_->to() : devices});
  }
}

absl::Status Rules::collective(InstructionView i) {
  bool spans = false;
  const bool has_groups = i.opcode() != Opcode::kCollectivePermute && i.opcode() != Opcode::kCollectivePermuteStart &&
                          async_role(i.opcode()) != AsyncRole::kDone;
  if (axis_ != nullptr && has_groups) {
    const absl::StatusOr<bool> is_spanned = axis_->is_spanned_by(i);
    if (!is_spanned.ok()) return is_spanned.status();
    spans = *is_spanned;
  }
  if (i.opcode() == Opcode::kAllGather || i.opcode() == Opcode::kAllGatherStart) gathered(i, spans);
  switch (i.opcode()) {
    case Opcode::kAllGather: exchange(i, i, 0, spans ? 1 : 0); break;
    case Opcode::kReduceScatter: exchange(i, i, 0, spans ? -1 : 0); break;
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectiveBroadcast: exchange(i, i, 0, 0); break;
    case Opcode::kAllGatherStart: {
      // ((operands), (results)), or (operand, result).
      const std::size_t count = i.operand_count();
      for (std::size_t n = 0; n < count; ++n) alike(i, i.operand(n), 0, i, n);
      exchange(i, i, count, spans ? 1 : 0);
      break;
    }
    case Opcode::kCollectivePermuteStart: {
      const std::size_t count = i.operand_count();
      for (std::size_t n = 0; n < count; ++n) {
        alike(i, i.operand(n), 0, i, n);
        alike(i, i.operand(n), 0, i, count + n);
      }
      break;
    }
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteDone: {
      const std::size_t count = arrays(i);
      all_alike(i, i.operand(0), count, i, 0, count);
      break;
    }
    case Opcode::kAllToAll:
      if (!spans) {
        exchange(i, i, 0, 0);
      } else if (i.operand_count() == 1 && i.shape().is_array()) {
        // Each element of a dimension of this size goes to one device.
        const std::vector<std::int64_t> along = integers(i, AttributeKey::kDimensions);
        exchange(i, i, 0, 0);
        const auto d = static_cast<std::size_t>(along.empty() ? 0 : along[0]);
        if (d >= rank(i) || array(i).dimensions[d] != axis_->from()) return placed_error(i, kRounds);
        out_.fixed.push_back({node(i, d), 1, i.id(), kRounds});
      } else {
        return placed_error(i, kRounds);
      }
      break;
    default: neither_grows(i);
  }
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline scale
