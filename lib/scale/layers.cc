#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/ir/value_walk.h"
#include "lib/scale/placed_error.h"
#include "lib/scale/seeds.h"

namespace hloroof::internal::inline scale {
namespace {

constexpr std::string_view kStack = "a stack of layers would have to grow in two ways";

// The element of what a loop carries that a value of its body is, moved or converted; nullopt if it is none.
std::optional<std::size_t> carried_element(InstructionView value) {
  const InstructionView from = before_moves(value, true);
  const bool is_element = from.opcode() == Opcode::kGetTupleElement && from.operand(0).opcode() == Opcode::kParameter;
  if (!is_element) return std::nullopt;
  return static_cast<std::size_t>(from.tuple_index());
}

// What a loop began with, if `value` is an element of its result that its trips do not change.
std::optional<InstructionId> before_loop(InstructionView value) {
  if (value.opcode() != Opcode::kGetTupleElement || value.operand(0).opcode() != Opcode::kWhile) return std::nullopt;
  const InstructionView loop = value.operand(0);
  const auto element = static_cast<std::size_t>(value.tuple_index());
  const InstructionView tuple = loop.operand(0);
  if (tuple.opcode() != Opcode::kTuple || element >= tuple.operand_count()) return std::nullopt;
  for (ComputationView body : loop.computations(AttributeKey::kBody)) {
    const InstructionView root = body.root();
    if (root.opcode() != Opcode::kTuple || element >= root.operand_count()) return std::nullopt;
    if (carried_element(root.operand(element)) != element) return std::nullopt;
  }
  return tuple.operand_ids()[element];
}

}  // namespace

InstructionView before_moves(InstructionView value, bool through_converts) {
  int left = 15;  // moves; a hostile text has long chains with many uses
  return origin(value, [&](InstructionView at) {
    const bool moves = at.opcode() == Opcode::kCopy || at.opcode() == Opcode::kCopyStart ||
                       at.opcode() == Opcode::kCopyDone || at.opcode() == Opcode::kBitcast ||
                       (through_converts && at.opcode() == Opcode::kConvert);
    return moves && left-- > 0;
  });
}

std::vector<InstructionId> inside(const Module& module, InstructionView loop) {
  std::vector<InstructionId> result;
  for (ComputationView body : loop.computations(AttributeKey::kBody)) {
    std::vector<ComputationId> all = called_by(body);
    all.push_back(body.id());
    for (ComputationId id : all) {
      for (InstructionView i : module.computation(id).instructions()) result.push_back(i.id());
    }
  }
  return result;
}

std::vector<std::pair<std::int64_t, std::size_t>> picked(InstructionView i) {
  std::vector<std::pair<std::int64_t, std::size_t>> result;
  const bool takes = i.opcode() == Opcode::kDynamicSlice;
  if (!takes && i.opcode() != Opcode::kDynamicUpdateSlice) return result;
  const InstructionView piece = takes ? i : i.operand(1);
  const InstructionView whole = i.operand(0);
  for (std::size_t d = 0; d < whole.shape().dimensions.size(); ++d) {
    const std::int64_t size = whole.shape().dimensions[d];
    if (size > 1 && d < piece.shape().dimensions.size() && piece.shape().dimensions[d] == 1)
      result.emplace_back(size, d);
  }
  return result;
}

std::int64_t layers_of(const Module& module, InstructionView loop, std::int64_t trips) {
  std::int64_t layers = 0;
  for (InstructionId id : inside(module, loop)) {
    for (const auto& [size, dimension] : picked(module.instruction(id))) {
      if (size == trips || size == trips + 1) layers = std::max(layers, size);
    }
  }
  return layers;
}

bool begins_as_state(InstructionView loop, std::size_t element) {
  const Module& module = loop.module();
  const InstructionView tuple = loop.operand(0);
  if (tuple.opcode() != Opcode::kTuple || element >= tuple.operand_count()) return false;
  const std::set<std::int64_t> state = state_parameters(module);
  bool found = false;
  std::set<InstructionId> seen;
  std::vector<InstructionId> open = {tuple.operand_ids()[element]};
  while (!open.empty()) {
    const InstructionView at = module.instruction(open.back());
    open.pop_back();
    if (!seen.insert(at.id()).second) continue;
    if (at.opcode() == Opcode::kParameter) {
      if (at.computation().id() != module.entry().id() || state.count(at.parameter_number()) == 0) return false;
      found = true;
    }
    if (const std::optional<InstructionId> before = before_loop(at)) {
      open.push_back(*before);
      continue;
    }
    open.insert(open.end(), at.operand_ids().begin(), at.operand_ids().end());
  }
  return found;
}

bool takes_layers_of_state(const Module& module, InstructionView loop, std::int64_t trips) {
  const auto takes_one = [&](InstructionView i) {
    if (i.opcode() != Opcode::kDynamicSlice) return false;
    const auto sizes = picked(i);
    return std::any_of(sizes.begin(), sizes.end(),
                       [&](const auto& size) { return size.first == trips || size.first == trips + 1; });
  };
  const auto is_state = [&](InstructionView value) {
    const std::optional<std::size_t> element = carried_element(value);
    return element && begins_as_state(loop, *element);
  };
  for (ComputationView body : loop.computations(AttributeKey::kBody)) {
    for (InstructionView i : body.instructions()) {
      if (takes_one(i) && is_state(i.operand(0))) return true;
      for (ComputationId called : i.called_computations()) {
        for (InstructionView within : module.computation(called).instructions()) {
          if (!takes_one(within) || within.operand(0).opcode() != Opcode::kParameter) continue;
          const auto number = static_cast<std::size_t>(within.operand(0).parameter_number());
          if (number < i.operand_count() && is_state(i.operand(number))) return true;
        }
      }
    }
  }
  return false;
}

absl::StatusOr<LayerLoops> find_layer_loops(const Module& module) {
  LayerLoops result;
  const CallGraph calls = analyze_calls(module);
  for (const CallGraph::Loop& loop : calls.loops()) {
    if (loop.trips.source == TripCount::Source::kAssumed || loop.trips.value < 2) continue;
    const InstructionView instruction = module.instruction(loop.instruction);
    const std::int64_t layers = layers_of(module, instruction, loop.trips.value);
    if (layers == 0) continue;
    if (result.layers != 0 && result.layers != layers) {
      return placed_error(instruction, absl::StrCat("it goes over ", layers, " layers and another loop over ",
                                                    result.layers, ", so which are the layers is not known"));
    }
    result.layers = layers;
    const std::optional<InstructionId> bound = bound_of(module, instruction);
    if (!bound) return placed_error(instruction, "its condition does not compare with a single constant");
    result.loops.push_back({loop.instruction, *bound, loop.trips.value, 0});
  }
  if (result.loops.empty()) {
    return invalid_argument("the program has no loop that takes one slice of stacked layers in each trip");
  }
  return result;
}

void seed_layers(const Module& module, const Dimensions& dimensions, const LayerLoops& loops, Constraints& out) {
  add_inputs(module, dimensions, out);
  for (const LoopTrips& loop : loops.loops) {
    for (InstructionId id : inside(module, module.instruction(loop.loop))) {
      const InstructionView i = module.instruction(id);
      for (const auto& [size, d] : picked(i)) {
        if (size != loops.layers) continue;
        out.seeds.push_back({dimensions.first(i.operand_ids()[0]) + static_cast<Node>(d), 1, id, kStack});
      }
    }
  }
}

}  // namespace hloroof::internal::inline scale
