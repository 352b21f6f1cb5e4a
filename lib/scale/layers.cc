#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/scale/placed_error.h"
#include "lib/scale/seeds.h"

namespace hloroof::internal::inline scale {
namespace {

constexpr std::string_view kStack = "a stack of layers would have to grow in two ways";

// The instructions in the body of a loop, at any depth.
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

// The sizes of dimensions of which an instruction takes or updates one element, and these dimensions of its operand 0.
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

}  // namespace

std::int64_t layers_of(const Module& module, InstructionView loop, std::int64_t trips) {
  std::int64_t layers = 0;
  for (InstructionId id : inside(module, loop)) {
    for (const auto& [size, dimension] : picked(module.instruction(id))) {
      if (size == trips || size == trips + 1) layers = std::max(layers, size);
    }
  }
  return layers;
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
