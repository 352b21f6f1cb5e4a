// Edits of one instruction: its shape, its operands, its name.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/edit/editor.h"
#include "lib/infer/infer_shape.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/values/cursor.h"
#include "lib/values/decode.h"
#include "lib/values/shape_parser.h"

namespace hloroof::internal::inline edit {
namespace {

// Sets old_operand and new_operand if one operand was replaced.
void find_replaced(absl::Span<const InstructionId> before, absl::Span<const InstructionId> after, Edit& edit) {
  if (before.size() != after.size()) return;
  const auto [old, now] = std::mismatch(before.begin(), before.end(), after.begin());
  if (old == before.end() || !std::equal(std::next(old), before.end(), std::next(now))) return;
  edit.old_operand = *old;
  edit.new_operand = *now;
}

}  // namespace

absl::StatusOr<ShapeId> Editor::shape(std::string_view text) {
  ShapeTable& shapes = ModuleBuilder(module_).shapes();
  return parse_text<ShapeId>(text, [&](Cursor& cursor, ShapeId* id) { return read_shape(cursor, &shapes, id); });
}

ShapeId Editor::shape(const Shape& shape) { return ModuleBuilder(module_).shapes().intern(canonical(shape)); }

absl::Status Editor::set_shape(InstructionId id, ShapeId shape) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  if (!shape.valid() || shape.index >= module_.shapes().size()) {
    return invalid_argument("the shape id is not of this module");
  }
  const InstructionData& row = row_of(module_, id);
  if (row.shape == shape) return absl::OkStatus();
  const absl::Span<const InstructionId> span = ModuleRows::operands(module_, row);
  if (absl::Status status = check_tuples(row.opcode, {span.begin(), span.end()}, shape, row.number); !status.ok()) {
    return status;
  }
  if (absl::Status status = check_elements_used(id, shape); !status.ok()) return status;
  spell_out(id);
  spell_out_start(id);
  spell_out_elements_of(id);
  note(id, Edit::Kind::kShape, row.shape);
  write(id).shape = shape;
  forget_entry_layout(id);
  return absl::OkStatus();
}

absl::Status Editor::set_shape(InstructionId id, std::string_view text) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  const absl::StatusOr<ShapeId> read = shape(text);
  return read.ok() ? set_shape(id, *read) : read.status();
}

absl::Status Editor::set_layout(InstructionId id, const Layout& layout) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  Shape changed = module_.instruction(id).shape();
  if (!changed.is_array()) {
    return invalid_argument("the result of " + std::string(module_.instruction(id).name()) + " is not an array");
  }
  changed.layout = layout;
  changed = canonical(std::move(changed));
  std::vector<std::int64_t> sorted = changed.layout.minor_to_major;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> all(changed.dimensions.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  if (changed.layout.present && sorted != all) {
    return invalid_argument("minor_to_major must list each of the " + std::to_string(all.size()) + " dimensions once");
  }
  return set_shape(id, shape(changed));
}

absl::Status Editor::infer_shape(InstructionId id) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  const absl::StatusOr<ShapeId> inferred =
      internal::infer_shape(module_.instruction(id), ModuleBuilder(module_).shapes());
  return inferred.ok() ? set_shape(id, *inferred) : inferred.status();
}

absl::Status Editor::check_operand(InstructionId user, InstructionId value) const {
  if (absl::Status status = check_alive(value); !status.ok()) return status;
  const InstructionView from = module_.instruction(value);
  const InstructionView to = module_.instruction(user);
  if (row_of(from).computation != row_of(to).computation) {
    return invalid_argument(std::string(from.name()) + " is not in the computation of " + std::string(to.name()));
  }
  if (!is_before(value, user)) {
    return invalid_argument(std::string(from.name()) + " does not precede " + std::string(to.name()));
  }
  return absl::OkStatus();
}

// Replaces the operand list. A longer list is appended to the table.
void Editor::write_operands(InstructionId id, const std::vector<InstructionId>& operands) {
  ModuleBuilder builder(module_);
  InstructionData& row = write(id);
  const absl::Span<const InstructionId> span = ModuleRows::operands(module_, row);
  const std::vector<InstructionId> old(span.begin(), span.end());
  const bool fits = operands.size() <= old.size() && may_overwrite_operands(row.operand_begin);
  if (!fits && !operands.empty()) {
    row.operand_begin = static_cast<std::uint32_t>(builder.operands().size());
    builder.operands().resize(builder.operands().size() + operands.size());
  }
  row.operand_count = static_cast<std::uint32_t>(operands.size());
  if (!operands.empty()) {
    std::copy(operands.begin(), operands.end(), builder.operands().begin() + row.operand_begin);
  }
  for (InstructionId operand : old) {
    if (std::find(operands.begin(), operands.end(), operand) == operands.end()) remove_use(operand, id);
  }
  for (InstructionId operand : operands) add_use(operand, id);
}

absl::Status Editor::set_operand(InstructionId id, std::size_t index, InstructionId value) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  const InstructionView instruction = module_.instruction(id);
  if (index >= instruction.operand_count()) {
    return invalid_argument(std::string(instruction.name()) + " has " + std::to_string(instruction.operand_count()) +
                            " operands; there is no operand " + std::to_string(index));
  }
  std::vector<InstructionId> operands(instruction.operand_ids().begin(), instruction.operand_ids().end());
  operands[index] = value;
  return set_operands(id, operands);
}

absl::Status Editor::set_operands(InstructionId id, const std::vector<InstructionId>& operands) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  for (InstructionId operand : operands) {
    if (absl::Status status = check_operand(id, operand); !status.ok()) return status;
  }
  const InstructionData& row = row_of(module_, id);
  if (absl::Status status = check_operand_count(row.opcode, operands.size()); !status.ok()) return status;
  if (absl::Status status = check_tuples(row.opcode, operands, row.shape, row.number); !status.ok()) return status;
  if (module_.instruction(id).operand_ids() == absl::Span<const InstructionId>(operands)) return absl::OkStatus();
  Edit edit = {id, Edit::Kind::kOperands, ShapeId(), AttributeKey::kUnknown, InstructionId(), InstructionId()};
  find_replaced(module_.instruction(id).operand_ids(), operands, edit);
  spell_out(id);
  write_operands(id, operands);
  note(edit);
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline edit
