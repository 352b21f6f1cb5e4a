// What readers of a module rely on without looking, since a text without it is not read: numbers of operands, the
// elements of tuples, attributes that an opcode cannot do without. No edit takes it away.
#include <string>

#include "hloroof/edit.h"
#include "lib/base/strings.h"
#include "lib/text/opcode_attributes.h"
#include "lib/text/operand_count.h"

namespace hloroof::inline v0 {

absl::Status ModuleEditor::check_operand_count(Opcode opcode, std::size_t count) {
  // A dot may have the metadata of sparse operands behind the two.
  const bool is_dot = opcode == Opcode::kDot;
  if (is_dot ? count >= 2 : takes_operands(opcode, count)) return absl::OkStatus();
  return invalid_argument(std::string(to_string(opcode)) + " takes " + (is_dot ? "2 or more" : operand_counts(opcode)) +
                          " operands, not " + std::to_string(count));
}

// Of an instruction of `opcode` with `operands` and a result of `shape`; `number` is its index if it takes a tuple
// apart.
absl::Status ModuleEditor::check_tuples(Opcode opcode, const std::vector<InstructionId>& operands, ShapeId shape,
                                        std::uint32_t number) const {
  const ShapeTable& shapes = module_.shapes();
  if (opcode == Opcode::kTuple) {
    const Shape& tuple = shapes[shape];
    if (tuple.is_tuple() && tuple.elements.size() == operands.size()) return absl::OkStatus();
    return invalid_argument("a tuple of " + std::to_string(operands.size()) + " operands cannot have the shape " +
                            to_string(shapes, shape));
  }
  if (opcode == Opcode::kGetTupleElement) {
    const Shape& tuple = shapes[module_.data(operands[0]).shape];
    if (tuple.is_tuple() && number < tuple.elements.size()) return absl::OkStatus();
    return invalid_argument(std::string(module_.instruction(operands[0]).name()) + " has no element " +
                            std::to_string(number));
  }
  if (opcode == Opcode::kInfeed || opcode == Opcode::kRecv) {
    if (shapes[shape].is_tuple() && !shapes[shape].elements.empty()) return absl::OkStatus();
    return invalid_argument(std::string(to_string(opcode)) + " gives a tuple");
  }
  return absl::OkStatus();
}

// That what takes `id` apart still can if its shape is `shape`.
absl::Status ModuleEditor::check_elements_used(InstructionId id, ShapeId shape) const {
  const Shape& tuple = module_.shapes()[shape];
  for (InstructionId user : users(id)) {
    const InstructionData& row = module_.data(user);
    if (row.opcode != Opcode::kGetTupleElement) continue;
    if (tuple.is_tuple() && row.number < tuple.elements.size()) continue;
    return invalid_argument(std::string(module_.instruction(user).name()) + " takes element " +
                            std::to_string(row.number) + " of it");
  }
  return absl::OkStatus();
}

absl::Status ModuleEditor::check_required(const NewInstruction& made) {
  KeySet missing = opcode_attributes(made.opcode).required;
  KeySet given;
  for (const NewAttribute& attribute : made.attributes) given.insert(attribute.key);
  if (made.opcode == Opcode::kGetTupleElement) given.insert(AttributeKey::kIndex);
  for (int i = 0; i < 2; ++i) missing.bits[i] &= ~given.bits[i];
  const std::string names = to_string(missing);
  return names.empty() ? absl::OkStatus()
                       : invalid_argument(std::string(to_string(made.opcode)) + " needs the attribute " + names);
}

}  // namespace hloroof::inline v0
