// Inserts, erases and moves instructions and computations.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/types/span.h"
#include "lib/base/strings.h"
#include "lib/edit/editor.h"
#include "lib/infer/infer_shape.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/text/legal_name.h"
#include "lib/values/cursor.h"
#include "lib/values/scan.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline edit {

absl::StatusOr<InstructionId> Editor::insert_before(InstructionId before, const NewInstruction& made) {
  if (absl::Status status = check_alive(before); !status.ok()) return status;
  return add(row_of(module_, before).computation, before, made);
}

absl::StatusOr<InstructionId> Editor::append(ComputationId computation, const NewInstruction& made) {
  if (const auto place = place_of(computation); !place.ok()) return place.status();
  if (absl::Status status = check_in_text(computation); !status.ok()) return status;
  return add(computation, InstructionId(), made);
}

// Whether `made` can be put there. Returns its shape, none if it is to be inferred.
absl::StatusOr<ShapeId> Editor::check_new(ComputationId computation, InstructionId before, const NewInstruction& made) {
  if (made.opcode == Opcode::kUnknown) return invalid_argument("the opcode of a new instruction must be known");
  const bool may_be_named = made.name.empty() || (is_name(made.name) && legal_name(made.name) == made.name);
  if (!may_be_named) return invalid_argument("'" + made.name + "' is not a legal name of an instruction");
  for (InstructionId operand : made.operands) {
    if (absl::Status status = check_alive(operand); !status.ok()) return status;
    const std::string name(module_.instruction(operand).name());
    if (row_of(module_, operand).computation != computation)
      return invalid_argument(name + " is in another computation");
    if (before.valid() && !is_before(operand, before)) {
      return invalid_argument(name + " does not precede " + std::string(module_.instruction(before).name()));
    }
  }
  if (absl::Status status = check_operand_count(made.opcode, made.operands.size()); !status.ok()) return status;
  if (absl::Status status = check_required(made); !status.ok()) return status;
  const std::size_t here = *place_of(computation);
  for (const NewAttribute& attribute : made.attributes) {
    if (absl::Status status = check_attribute(made.opcode, attribute); !status.ok()) return status;
    for (ComputationId callee : attribute.computations) {
      if (*place_of(callee) >= here) {
        return invalid_argument(std::string(module_.computation(callee).name()) + " does not precede its caller");
      }
    }
  }
  ShapeId result = made.shape_id;
  if (result.valid() && result.index >= module_.shapes().size()) {
    return invalid_argument("the shape id is not of this module");
  }
  if (!made.shape.empty()) {
    const absl::StatusOr<ShapeId> read = shape(std::string_view(made.shape));
    if (!read.ok()) return read.status();
    result = *read;
  }
  if (made.opcode == Opcode::kConstant) {
    if (!result.valid()) return invalid_argument("a constant needs a shape");
    Cursor cursor(made.literal);
    if (!read_literal(cursor, module_.shapes(), result, nullptr) || !cursor.at_end()) {
      return invalid_argument("'" + made.literal + "' is not a literal of shape " +
                              to_string(module_.shapes(), result));
    }
  } else if (!result.valid() && !shape_inferable(made.opcode)) {
    return absl::UnimplementedError("the result shape of " + std::string(to_string(made.opcode)) +
                                    " does not follow from its operands; set NewInstruction::shape");
  }
  if (result.valid() || made.opcode == Opcode::kGetTupleElement) {
    const absl::Status status = check_tuples(made.opcode, made.operands, result, made.number);
    if (!status.ok()) return status;
  }
  return result;
}

// Attribute values are kept without the space around them, as the parser does.
std::string_view Editor::trimmed(std::string_view value) {
  while (!value.empty() && is_space(value.front())) value.remove_prefix(1);
  while (!value.empty() && is_space(value.back())) value.remove_suffix(1);
  return value;
}

// A new instruction that is in no order yet.
InstructionId Editor::write_new(ComputationId computation, const NewInstruction& made, ShapeId result) {
  ModuleBuilder builder(module_);
  InstructionData row;
  row.opcode = made.opcode;
  row.shape = result;
  row.number = made.number;
  row.name = unique_name(computation, made.name.empty() ? to_string(made.opcode) : made.name);
  row.computation = computation;
  const InstructionId id = new_row(row);
  std::vector<AttributeData> attributes;
  const auto write = [&](AttributeKey key, std::string_view value) {
    attributes.push_back(AttributeData());
    attributes.back().key = key;
    attributes.back().value = text(trimmed(value));
  };
  if (made.opcode == Opcode::kConstant) write(AttributeKey::kConstantLiteral, made.literal);
  if (made.opcode == Opcode::kGetTupleElement) write(AttributeKey::kIndex, std::to_string(made.number));
  for (const NewAttribute& attribute : made.attributes) {
    if (attribute.key == AttributeKey::kIndex && made.opcode == Opcode::kGetTupleElement) continue;
    write(attribute.key, attribute.computations.empty() ? std::string_view(attribute.value)
                                                        : module_.computation(attribute.computations[0]).name());
    attributes.back().reference_begin = static_cast<std::uint32_t>(builder.references().size());
    attributes.back().reference_count = static_cast<std::uint16_t>(attribute.computations.size());
    for (ComputationId callee : attribute.computations) builder.references().push_back(callee.index);
  }
  write_attributes(id, std::move(attributes));
  write_operands(id, made.operands);
  return id;
}

void Editor::link_new(InstructionId id, ComputationId computation, InstructionId before) {
  link(id, computation, before);
  if (!row_of(module_, computation).root.valid()) write(computation).root = id;
  forget_entry_layout(id);
  note(id, Edit::Kind::kInserted);
}

// Puts in what check_new() would accept. Cannot fail.
InstructionId Editor::insert_checked(ComputationId computation, InstructionId before, const NewInstruction& made,
                                     ShapeId result) {
  const InstructionId id = write_new(computation, made, result);
  link_new(id, computation, before);
  return id;
}

absl::StatusOr<InstructionId> Editor::add(ComputationId computation, InstructionId before, const NewInstruction& made) {
  const absl::StatusOr<ShapeId> result = check_new(computation, before, made);
  if (!result.ok()) return result.status();
  if (result->valid()) return insert_checked(computation, before, made, *result);
  const InstructionId id = write_new(computation, made, *result);
  ModuleBuilder builder(module_);
  const absl::StatusOr<ShapeId> inferred = internal::infer_shape(module_.instruction(id), builder.shapes());
  if (!inferred.ok()) {
    for (InstructionId operand : made.operands) remove_use(operand, id);
    write(id).flags |= InstructionData::kErased;
    free_name(computation, std::string(module_.instruction(id).name()));
    return inferred.status();
  }
  write(id).shape = *inferred;
  link_new(id, computation, before);
  return id;
}

absl::StatusOr<InstructionId> Editor::clone(InstructionId id) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  if (row_of(module_, id).opcode == Opcode::kParameter) {
    return invalid_argument("cannot clone the parameter " + std::string(module_.instruction(id).name()));
  }
  InstructionData row = row_of(module_, id);
  row.name = unique_name(row.computation, spelled_name(module_.instruction(id).name()));
  const std::vector<InstructionId> operands(ModuleRows::operands(module_, row).begin(),
                                            ModuleRows::operands(module_, row).end());
  const std::vector<AttributeData> attributes = spelled_attributes(row);
  row.flags &= static_cast<std::uint8_t>(~InstructionData::kCompactTupleAccess);
  const InstructionId copy = add_row(row, operands, attributes, row.next);
  copy_wrapped(copy);
  for (InstructionView predecessor : module_.instruction(copy).control_predecessors()) {
    write_control_users(predecessor.id()).push_back(copy);
  }
  return copy;
}

absl::Status Editor::erase(InstructionId id) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  const InstructionView instruction = module_.instruction(id);
  const std::string name(instruction.name());
  if (!users(id).empty()) {
    return absl::FailedPreconditionError(name + " is used by " + std::string(module_.instruction(users(id)[0]).name()));
  }
  if (instruction.is_root()) return absl::FailedPreconditionError(name + " is the root of its computation");
  if (instruction.opcode() == Opcode::kParameter) return absl::FailedPreconditionError(name + " is a parameter");
  take_out(id);
  return absl::OkStatus();
}

// Takes out an instruction that nothing uses and that is not the root.
void Editor::take_out(InstructionId id) {
  const InstructionView instruction = module_.instruction(id);
  spell_out(row_of(instruction).computation);
  erase_wrapped(id);
  const std::string name(instruction.name());
  drop_control_edges(id);
  const std::vector<InstructionId> operands(instruction.operand_ids().begin(), instruction.operand_ids().end());
  for (InstructionId operand : operands) remove_use(operand, id);
  free_name(row_of(instruction).computation, name);
  unlink(id);
  write(id).flags |= InstructionData::kErased;
  note(id, Edit::Kind::kErased);
}

absl::Status Editor::replace_all_uses(InstructionId old, InstructionId by) {
  if (absl::Status status = check_alive(old); !status.ok()) return status;
  if (absl::Status status = check_alive(by); !status.ok()) return status;
  if (old == by) return absl::OkStatus();
  const InstructionView from = module_.instruction(old);
  const InstructionView to = module_.instruction(by);
  if (row_of(from).computation != row_of(to).computation) {
    return invalid_argument(std::string(to.name()) + " is not in the computation of " + std::string(from.name()));
  }
  if (!compatible(module_.shapes(), from.shape_id(), module_.shapes(), to.shape_id())) {
    return invalid_argument(std::string(to.name()) + " is " + to_string(module_.shapes(), to.shape_id()) + ", not " +
                            to_string(module_.shapes(), from.shape_id()) + " as " + std::string(from.name()));
  }
  std::vector<InstructionId> changed;
  for (InstructionId user : users(old)) {
    if (user != by) changed.push_back(user);
  }
  for (InstructionId user : changed) {
    if (absl::Status status = check_operand(user, by); !status.ok()) return status;
  }
  write_uses(old, by, changed);
  return module_.instruction(old).is_root() ? set_root(row_of(module_, old).computation, by) : absl::OkStatus();
}

// Replaces `old` by `by` in `users`.
void Editor::write_uses(InstructionId old, InstructionId by, const std::vector<InstructionId>& users) {
  for (InstructionId user : users) {
    const absl::Span<const InstructionId> span = module_.instruction(user).operand_ids();
    std::vector<InstructionId> operands(span.begin(), span.end());
    std::replace(operands.begin(), operands.end(), old, by);
    spell_out(user);
    write_operands(user, operands);
    note({user, Edit::Kind::kOperands, ShapeId(), AttributeKey::kUnknown, old, by});
  }
}

absl::Status Editor::move_before(InstructionId id, InstructionId before) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  if (absl::Status status = check_alive(before); !status.ok()) return status;
  const InstructionView instruction = module_.instruction(id);
  const std::string name(instruction.name());
  if (row_of(instruction).computation != row_of(module_, before).computation) {
    return invalid_argument(std::string(module_.instruction(before).name()) + " is not in the computation of " + name);
  }
  if (id == before || row_of(instruction).next == before) return absl::OkStatus();
  // Operands and control predecessors must remain before it, users and control successors after it.
  std::vector<InstructionId> earlier(instruction.operand_ids().begin(), instruction.operand_ids().end());
  for (InstructionView predecessor : instruction.control_predecessors()) earlier.push_back(predecessor.id());
  for (InstructionId other : earlier) {
    if (is_before(other, before)) continue;
    return invalid_argument(name + " depends on " + std::string(module_.instruction(other).name()) +
                            ", which must precede it");
  }
  std::vector<InstructionId> later(users(id).begin(), users(id).end());
  const auto control = control_users_.find(id.index);
  if (control != control_users_.end()) later.insert(later.end(), control->second.begin(), control->second.end());
  for (InstructionId other : later) {
    if (other == before || is_before(before, other)) continue;
    return invalid_argument(std::string(module_.instruction(other).name()) + " depends on " + name +
                            ", which must precede it");
  }
  const ComputationId computation = row_of(instruction).computation;
  unlink(id);
  link(id, computation, before);
  note(id, Edit::Kind::kMoved);
  return absl::OkStatus();
}

absl::Status Editor::set_root(ComputationId computation, InstructionId root) {
  if (const auto place = place_of(computation); !place.ok()) return place.status();
  if (absl::Status status = check_alive(root); !status.ok()) return status;
  if (row_of(module_, root).computation != computation) {
    return invalid_argument(std::string(module_.instruction(root).name()) + " is in another computation");
  }
  write_root(computation, root);
  return absl::OkStatus();
}

void Editor::write_root(ComputationId computation, InstructionId root) {
  const InstructionId before = row_of(module_, computation).root;
  if (before == root) return;
  spell_out(computation);
  spell_out_element(root);
  if (before.valid()) {
    forget_entry_layout(before);
    note(before, Edit::Kind::kRoot);
  }
  write(computation).root = root;
  note(root, Edit::Kind::kRoot);
}

ComputationId Editor::add_computation(std::string_view name, bool entry, ComputationId before) {
  std::string unique(name);
  while (computation_names_.count(unique) != 0) unique = std::string(name) + "." + std::to_string(++next_number_);
  take_name(ComputationId(), unique);
  ModuleBuilder builder(module_);
  const bool is_entry = entry && !module_.has_entry();
  const ComputationId id = builder.add_computation(text(unique), is_entry ? ComputationData::kEntry : 0);
  std::vector<ComputationId>& order = write_order();
  order.insert(std::find(order.begin(), order.end(), before), id);
  if (is_entry) builder.set_entry(id);
  return id;
}

absl::Status Editor::check_in_text(ComputationId computation) const {
  if (!module_.computation(computation).is_missing()) return absl::OkStatus();
  return invalid_argument(std::string(module_.computation(computation).name()) + " is not in the text");
}

absl::StatusOr<ComputationId> Editor::clone_computation(ComputationId id) {
  if (const auto place = place_of(id); !place.ok()) return place.status();
  if (absl::Status status = check_in_text(id); !status.ok()) return status;
  if (!row_of(module_, id).root.valid()) {
    return invalid_argument(std::string(module_.computation(id).name()) + " has no instructions");
  }
  const ComputationId copy = copy_computation(id);
  std::vector<InstructionId> copies;
  for (InstructionView instruction : module_.computation(copy).instructions()) copies.push_back(instruction.id());
  for (InstructionId instruction : copies) copy_wrapped(instruction);
  return copy;
}

// Both call the same computations, including those that X-start implies.
ComputationId Editor::copy_computation(ComputationId id) {
  const std::string name(module_.computation(id).name());
  const ComputationId copy = add_computation(name, false, id);
  ModuleBuilder builder(module_);
  builder.computations()[copy.index].execution_thread = row_of(module_, id).execution_thread;
  std::unordered_map<std::uint32_t, InstructionId> made;
  for (InstructionId at = row_of(module_, id).first; at.valid(); at = row_of(module_, at).next) {
    InstructionData row = row_of(module_, at);
    row.computation = copy;
    std::vector<InstructionId> operands(ModuleRows::operands(module_, row).begin(),
                                        ModuleRows::operands(module_, row).end());
    for (InstructionId& operand : operands) operand = made[operand.index];
    std::vector<AttributeData> attributes(ModuleRows::attributes(module_, row).begin(),
                                          ModuleRows::attributes(module_, row).end());
    const InstructionId to(builder.instructions().size());
    for (AttributeData& attribute : attributes) {
      if (attribute.key != AttributeKey::kControlPredecessors) continue;
      const absl::Span<const std::uint32_t> span = ModuleRows::references(module_, attribute);
      const std::vector<std::uint32_t> old(span.begin(), span.end());
      attribute.reference_begin = static_cast<std::uint32_t>(builder.references().size());
      for (std::uint32_t reference : old) {
        builder.references().push_back(made[reference].index);
        write_control_users(made[reference]).push_back(to);
      }
    }
    made[at.index] = to;
    add_row(row, operands, std::move(attributes), InstructionId());
  }
  write(copy).root = made[row_of(module_, id).root.index];
  return copy;
}

std::size_t Editor::erase_unused_computations() {
  ModuleBuilder builder(module_);
  std::vector<bool> used(module_.computation_limit(), false);
  if (module_.has_entry()) {
    used[module_.entry().id().index] = true;
    for (ComputationId called : called_by(module_.entry())) used[called.index] = true;
  }
  const std::vector<ComputationId> order = ModuleRows::computation_order(module_);
  std::vector<ComputationId> kept;
  for (std::size_t i = order.size(); i-- > 0;) {
    const ComputationView computation = module_.computation(order[i]);
    if (!used[order[i].index]) {
      free_name(ComputationId(), std::string(computation.name()));
      for (InstructionView instruction : computation.instructions()) {
        write(instruction.id()).flags |= InstructionData::kErased;
        note(instruction.id(), Edit::Kind::kErased);
      }
      continue;
    }
    kept.push_back(order[i]);
  }
  std::reverse(kept.begin(), kept.end());
  const std::size_t erased = order.size() - kept.size();
  if (erased > 0) write_order() = std::move(kept);
  return erased;
}

}  // namespace hloroof::internal::inline edit
