// Clones with other operands, shape, attributes or place.
#include <vector>

#include "lib/base/strings.h"
#include "lib/edit/editor.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline edit {

// Changes a copy that nothing uses yet. It precedes or follows its operands, old or new, until all is done, so it moves
// back last and forward first.
absl::Status Editor::change(InstructionId copy, const CloneChanges& changes) {
  const bool moves = changes.before.valid();
  if (moves) {
    if (absl::Status status = check_alive(changes.before); !status.ok()) return status;
  }
  const bool is_forward = moves && is_before(copy, changes.before);
  if (is_forward) {
    if (absl::Status status = move_before(copy, changes.before); !status.ok()) return status;
  }
  ShapeId result = changes.shape_id;
  if (!changes.shape.empty()) {
    const absl::StatusOr<ShapeId> read = shape(std::string_view(changes.shape));
    if (!read.ok()) return read.status();
    result = *read;
  }
  // A tuple has as many operands as its shape has elements, so both change before either is checked.
  const absl::Span<const InstructionId> span = module_.instruction(copy).operand_ids();
  const std::vector<InstructionId> operands =
      changes.operands.empty() ? std::vector<InstructionId>(span.begin(), span.end()) : changes.operands;
  if (result.valid() && result != row_of(module_, copy).shape) {
    if (result.index >= module_.shapes().size()) return invalid_argument("the shape id is not of this module");
    for (InstructionId operand : operands) {
      if (absl::Status status = check_alive(operand); !status.ok()) return status;
    }
    const Opcode opcode = row_of(module_, copy).opcode;
    if (absl::Status status = check_operand_count(opcode, operands.size()); !status.ok()) return status;
    const absl::Status status = check_tuples(opcode, operands, result, row_of(module_, copy).number);
    if (!status.ok()) return status;
    spell_out(copy);
    spell_out_start(copy);
    note(copy, Edit::Kind::kShape, row_of(module_, copy).shape);
    write(copy).shape = result;
  }
  if (absl::Status status = set_operands(copy, operands); !status.ok()) return status;
  for (const NewAttribute& attribute : changes.attributes) {
    const absl::Status status = attribute.computations.empty()
                                    ? set_attribute(copy, attribute.key, attribute.value)
                                    : set_computations(copy, attribute.key, attribute.computations);
    if (!status.ok()) return status;
  }
  return moves && !is_forward ? move_before(copy, changes.before) : absl::OkStatus();
}

absl::StatusOr<InstructionId> Editor::clone(InstructionId id, const CloneChanges& changes) {
  const Checkpoint before = checkpoint();
  absl::StatusOr<InstructionId> copy = clone(id);
  absl::Status status = copy.status();
  if (status.ok()) status = change(*copy, changes);
  if (!status.ok()) {
    if (absl::Status undone = rollback(before); !undone.ok()) return undone;
  }
  if (absl::Status released = release(before); !released.ok()) return released;
  if (!status.ok()) return status;
  return copy;
}

}  // namespace hloroof::internal::inline edit
