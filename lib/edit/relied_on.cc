// Checks the properties that the parser guarantees and that readers of a module do not check: numbers of operands,
// elements of tuples, and required attributes. Every edit maintains them.
#include <string>

#include "lib/base/strings.h"
#include "lib/edit/editor.h"
#include "lib/ir/rows.h"
#include "lib/values/opcode_attributes.h"
#include "lib/values/operand_count.h"

namespace hloroof::internal::inline edit {

absl::Status Editor::check_operand_count(Opcode opcode, std::size_t count) {
  // A dot may have the metadata of sparse operands as further operands.
  const bool is_dot = opcode == Opcode::kDot;
  if (is_dot ? count >= 2 : takes_operands(opcode, count)) return absl::OkStatus();
  return invalid_argument(std::string(to_string(opcode)) + " takes " + (is_dot ? "2 or more" : operand_counts(opcode)) +
                          " operands, not " + std::to_string(count));
}

// Checks the tuples of an instruction with these operands and this result shape. `number` is the index of a
// get-tuple-element.
absl::Status Editor::check_tuples(Opcode opcode, const std::vector<InstructionId>& operands, ShapeId shape,
                                  std::uint32_t number) const {
  const ShapeTable& shapes = module_.shapes();
  if (opcode == Opcode::kTuple) {
    const Shape& tuple = shapes[shape];
    if (tuple.is_tuple() && tuple.elements.size() == operands.size()) return absl::OkStatus();
    return invalid_argument("a tuple of " + std::to_string(operands.size()) + " operands cannot have the shape " +
                            to_string(shapes, shape));
  }
  if (opcode == Opcode::kGetTupleElement) {
    const Shape& tuple = shapes[row_of(module_, operands[0]).shape];
    if (tuple.is_tuple() && number < tuple.elements.size()) return absl::OkStatus();
    return invalid_argument(std::string(module_.instruction(operands[0]).name()) + " has no element " +
                            std::to_string(number));
  }
  if (opcode == Opcode::kInfeed || opcode == Opcode::kRecv) {
    if (shapes[shape].is_tuple() && !shapes[shape].elements.empty()) return absl::OkStatus();
    return invalid_argument("the shape of a " + std::string(to_string(opcode)) + " must be a tuple");
  }
  return absl::OkStatus();
}

// Checks that all get-tuple-element users of `id` remain valid when its shape becomes `shape`.
absl::Status Editor::check_elements_used(InstructionId id, ShapeId shape) const {
  const Shape& tuple = module_.shapes()[shape];
  for (InstructionId user : users(id)) {
    const InstructionData& row = row_of(module_, user);
    if (row.opcode != Opcode::kGetTupleElement) continue;
    if (tuple.is_tuple() && row.number < tuple.elements.size()) continue;
    return invalid_argument("the new shape has no element " + std::to_string(row.number) + ", which " +
                            std::string(module_.instruction(user).name()) + " uses");
  }
  return absl::OkStatus();
}

absl::Status Editor::check_required(const NewInstruction& made) {
  KeySet missing = opcode_attributes(made.opcode).required;
  KeySet present;
  for (const NewAttribute& attribute : made.attributes) present.insert(attribute.key);
  if (made.opcode == Opcode::kGetTupleElement) present.insert(AttributeKey::kIndex);
  for (int i = 0; i < 2; ++i) missing.bits[i] &= ~present.bits[i];
  const std::string names = to_string(missing);
  return names.empty() ? absl::OkStatus()
                       : invalid_argument(std::string(to_string(made.opcode)) + " requires the attribute " + names);
}

}  // namespace hloroof::internal::inline edit
