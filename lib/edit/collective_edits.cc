#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "hloroof/edit.h"
#include "lib/base/strings.h"
#include "lib/edit/all_or_nothing.h"

namespace hloroof::internal::inline edit {

bool has_control_edges(InstructionView instruction) {
  if (instruction.has(AttributeKey::kControlPredecessors)) return true;
  for (const InstructionView other : instruction.computation().instructions()) {
    for (const InstructionView predecessor : other.control_predecessors()) {
      if (predecessor.id() == instruction.id()) return true;
    }
  }
  return false;
}

NewAttribute attribute_of(InstructionView instruction, AttributeKey key) {
  NewAttribute made{key, "", {}};
  for (const ComputationView callee : instruction.computations(key)) made.computations.push_back(callee.id());
  if (made.computations.empty()) made.value = std::string(instruction.text(key));
  return made;
}

}  // namespace hloroof::internal::inline edit

namespace hloroof::inline v0 {
namespace {

struct Halves {
  Opcode start = Opcode::kUnknown;
  Opcode done = Opcode::kUnknown;
};

Halves halves_of(Opcode whole) {
  switch (whole) {
    case Opcode::kAllGather: return {Opcode::kAllGatherStart, Opcode::kAllGatherDone};
    case Opcode::kAllReduce: return {Opcode::kAllReduceStart, Opcode::kAllReduceDone};
    case Opcode::kCollectivePermute: return {Opcode::kCollectivePermuteStart, Opcode::kCollectivePermuteDone};
    default: return {};
  }
}

// A tuple, or its only element.
ShapeId one_or_tuple(ModuleEditor& edit, const std::vector<ShapeId>& elements) {
  if (elements.size() == 1) return elements[0];
  Shape shape;
  shape.element_type = ElementType::kTuple;
  shape.elements = elements;
  return edit.shape(shape);
}

// The start of an all-reduce has the result; the others have the operands, which they read until the done, and the
// result.
ShapeId start_shape(ModuleEditor& edit, InstructionView whole) {
  const ShapeId result = whole.shape_id();
  if (whole.opcode() == Opcode::kAllReduce) return result;
  std::vector<ShapeId> operands;
  for (const InstructionId operand : whole.operand_ids()) {
    operands.push_back(edit.module().instruction(operand).shape_id());
  }
  return one_or_tuple(edit, {one_or_tuple(edit, operands), result});
}

}  // namespace

absl::StatusOr<std::int64_t> next_channel_id(const Module& module) {
  std::int64_t largest = 0;
  for (const ComputationView computation : module.computations()) {
    for (const InstructionView instruction : computation.instructions()) {
      const std::string_view text = instruction.text(AttributeKey::kChannelId);
      std::int64_t channel = 0;
      if (!text.empty() && absl::SimpleAtoi(internal::to_absl(text), &channel)) largest = std::max(largest, channel);
    }
  }
  if (largest == std::numeric_limits<std::int64_t>::max()) {
    return absl::OutOfRangeError("the module has the largest channel_id already");
  }
  return largest + 1;
}

absl::StatusOr<StartAndDone> split_collective(ModuleEditor& edit, InstructionId id) {
  if (!edit.is_alive(id)) return internal::invalid_argument("there is no such instruction");
  const InstructionView whole = edit.module().instruction(id);
  const std::string name(whole.name());
  const Halves halves = halves_of(whole.opcode());
  if (halves.start == Opcode::kUnknown) {
    return internal::invalid_argument(name + " is " + std::string(to_string(whole.opcode())) +
                                      "; only an all-gather, an all-reduce and a collective-permute can be split");
  }
  if (internal::has_control_edges(whole)) {
    return absl::UnimplementedError(name + " has control edges, which a split would lose");
  }
  NewInstruction start;
  start.opcode = halves.start;
  start.operands.assign(whole.operand_ids().begin(), whole.operand_ids().end());
  NewInstruction done;
  done.opcode = halves.done;
  done.shape_id = whole.shape_id();
  for (const AttributeData& attribute : whole.attributes()) {
    NewAttribute made = internal::attribute_of(whole, attribute.key);
    if (attribute.key == AttributeKey::kMetadata) done.attributes.push_back(made);
    start.attributes.push_back(std::move(made));
  }
  start.shape_id = start_shape(edit, whole);

  StartAndDone made;
  const absl::Status status = internal::all_or_nothing(edit, [&]() -> absl::Status {
    const absl::StatusOr<InstructionId> first = edit.insert_before(id, start);
    if (!first.ok()) return first.status();
    done.operands = {*first};
    const absl::StatusOr<InstructionId> second = edit.insert_before(id, done);
    if (!second.ok()) return second.status();
    made = {*first, *second};
    if (absl::Status replaced = edit.replace_all_uses(id, *second); !replaced.ok()) return replaced;
    return edit.erase(id);
  });
  if (!status.ok()) return status;
  return made;
}

}  // namespace hloroof::inline v0
