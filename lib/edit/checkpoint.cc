// Checkpoints of a module, and the way back to them.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "lib/base/strings.h"
#include "lib/edit/edit_log.h"
#include "lib/edit/editor.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline edit {

namespace {

// Counts the checkpoints of all editors, so that each has another number.
std::atomic<std::uint64_t> last_checkpoint{0};

}  // namespace

std::vector<Edit> EditLog::take(ModuleEditor& editor) {
  if (!editor.editor_->edits_.empty()) ++editor.editor_->times_taken_;
  return std::exchange(editor.editor_->edits_, {});
}

absl::StatusOr<std::size_t> EditLog::level_of(const ModuleEditor& editor, const Checkpoint& checkpoint) {
  return editor.editor_->level_of(checkpoint);
}

bool EditLog::restore(ModuleEditor& editor, std::size_t level) { return editor.editor_->restore(level); }

void EditLog::cut_tables(ModuleEditor& editor, std::size_t level) { editor.editor_->cut_tables(level); }

std::size_t EditLog::instructions_at(const ModuleEditor& editor, std::size_t level) {
  return editor.editor_->undo_->levels[level].instructions;
}

std::size_t EditLog::computations_at(const ModuleEditor& editor, std::size_t level) {
  return editor.editor_->undo_->levels[level].computations;
}

std::uint64_t EditLog::checkpoints() { return last_checkpoint.load(std::memory_order_relaxed); }

std::uint64_t EditLog::next_checkpoint() { return ++last_checkpoint; }

namespace {

// The edit that takes back `edit`.
Edit inverse(const Module& module, const Edit& edit) {
  Edit back = edit;
  switch (edit.kind) {
    case Edit::Kind::kInserted: back.kind = Edit::Kind::kErased; break;
    case Edit::Kind::kErased: back.kind = Edit::Kind::kInserted; break;
    case Edit::Kind::kShape: back.old_shape = row_of(module, edit.instruction).shape; break;
    case Edit::Kind::kOperands: std::swap(back.old_operand, back.new_operand); break;
    default: break;
  }
  return back;
}

}  // namespace

Checkpoint Editor::checkpoint() {
  if (undo_ == nullptr) undo_ = std::make_unique<UndoLog>();
  ModuleBuilder builder(module_);
  UndoLog::Level level;
  level.serial = EditLog::next_checkpoint();
  level.instructions = builder.instructions().size();
  level.computations = builder.computations().size();
  level.operands = builder.operands().size();
  level.attributes = builder.attributes().size();
  level.references = builder.references().size();
  level.next_number = next_number_;
  if (module_.has_entry()) level.entry = module_.entry().id();
  level.is_single_instruction = ModuleRows::is_single_instruction(module_);
  level.old_instructions = undo_->old_instructions.size();
  level.old_computations = undo_->old_computations.size();
  level.old_positions = undo_->old_positions.size();
  level.old_control_users = undo_->old_control_users.size();
  level.uses = undo_->uses.size();
  level.names = undo_->names.size();
  level.old_headers = undo_->old_headers.size();
  level.old_orders = undo_->old_orders.size();
  level.edits = undo_->edits.size();
  level.pending = edits_.size();
  level.taken = times_taken_;
  undo_->levels.push_back(level);
  Checkpoint result;
  result.serial_ = level.serial;
  return result;
}

// Returns the index of the level of a checkpoint.
absl::StatusOr<std::size_t> Editor::level_of(const Checkpoint& checkpoint) const {
  if (checkpoint.serial_ == 0) return invalid_argument("the checkpoint was not made by checkpoint()");
  for (std::size_t i = undo_ == nullptr ? 0 : undo_->levels.size(); i-- > 0;) {
    if (undo_->levels[i].serial == checkpoint.serial_) return i;
  }
  return absl::FailedPreconditionError(
      "the checkpoint is of another editor, was released, or was made after one that was rolled back to or released");
}

absl::Status Editor::rollback(const Checkpoint& checkpoint) {
  const absl::StatusOr<std::size_t> level = level_of(checkpoint);
  if (!level.ok()) return level.status();
  if (restore(*level)) {
    // A reader may have results about instructions that no longer exist.
    edits_.clear();
    note(InstructionId(), Edit::Kind::kEverything);
  }
  cut_tables(*level);
  return absl::OkStatus();
}

absl::Status Editor::release(const Checkpoint& checkpoint) {
  const absl::StatusOr<std::size_t> found = level_of(checkpoint);
  if (!found.ok()) return found.status();
  if (*found == 0) {
    undo_.reset();
    return absl::OkStatus();
  }
  undo_->levels.resize(*found);
  // The copy from the earliest edit is the one that the remaining checkpoint needs.
  const UndoLog::Level& outer = undo_->levels.back();
  if (undo_->old_headers.size() > outer.old_headers) undo_->old_headers.resize(outer.old_headers + 1);
  if (undo_->old_orders.size() > outer.old_orders) undo_->old_orders.resize(outer.old_orders + 1);
  return absl::OkStatus();
}

// Restores everything that is older than the checkpoint and marks the newer instructions as erased. Notes the edits
// that this amounts to. Returns false if no reader has taken an edit since the checkpoint; no edit needs to be noted
// then.
bool Editor::restore(std::size_t index) {
  UndoLog& undo = *undo_;
  undo.levels.resize(index + 1);
  const UndoLog::Level& level = undo.levels.back();
  ModuleBuilder builder(module_);
  const bool was_read = level.taken != times_taken_;
  if (!was_read) edits_.resize(level.pending);
  while (undo.edits.size() > level.edits) {
    if (was_read) edits_.push_back(inverse(module_, undo.edits.back()));
    undo.edits.pop_back();
  }
  for (; undo.old_instructions.size() > level.old_instructions; undo.old_instructions.pop_back()) {
    builder.instructions()[undo.old_instructions.back().first.index] = undo.old_instructions.back().second;
  }
  for (std::size_t i = level.instructions; i < builder.instructions().size(); ++i) {
    builder.instructions()[i].flags |= InstructionData::kErased;
  }
  for (; undo.old_computations.size() > level.old_computations; undo.old_computations.pop_back()) {
    builder.computations()[undo.old_computations.back().first.index] = undo.old_computations.back().second;
  }
  for (; undo.old_positions.size() > level.old_positions; undo.old_positions.pop_back()) {
    position_[undo.old_positions.back().first.index] = undo.old_positions.back().second;
  }
  for (; undo.uses.size() > level.uses; undo.uses.pop_back()) {
    const UseChange& change = undo.uses.back();
    if (change.operand.index >= level.instructions) continue;  // which no longer exists
    std::vector<InstructionId>& users = users_[change.operand.index];
    if (change.is_added) {
      users.pop_back();
    } else {
      users.insert(users.begin() + static_cast<std::ptrdiff_t>(change.index), change.user);
    }
  }
  for (; undo.old_control_users.size() > level.old_control_users; undo.old_control_users.pop_back()) {
    auto& [id, users] = undo.old_control_users.back();
    if (users.empty()) {
      control_users_.erase(id);
    } else {
      control_users_[id] = std::move(users);
    }
  }
  for (; undo.names.size() > level.names; undo.names.pop_back()) {
    const NameChange& change = undo.names.back();
    std::unordered_set<std::string>& names = change.scope.valid() ? names_[change.scope.index] : computation_names_;
    if (change.is_added) {
      names.erase(change.name);
    } else {
      names.insert(change.name);
    }
  }
  if (undo.old_headers.size() > level.old_headers) {
    builder.header_attributes() = std::move(undo.old_headers[level.old_headers]);
    undo.old_headers.resize(level.old_headers);
  }
  if (undo.old_orders.size() > level.old_orders) {
    builder.computation_order() = std::move(undo.old_orders[level.old_orders]);
    undo.old_orders.resize(level.old_orders);
  }
  next_number_ = level.next_number;
  builder.set_entry(level.entry);
  builder.set_is_single_instruction(level.is_single_instruction);
  return was_read;
}

// Removes what is newer than the checkpoint. Its ids are free again.
void Editor::cut_tables(std::size_t index) {
  UndoLog::Level& level = undo_->levels[index];
  level.pending = edits_.size();
  level.taken = times_taken_;
  ModuleBuilder builder(module_);
  for (std::size_t i = level.computations; i < builder.computations().size(); ++i) {
    names_.erase(static_cast<std::uint32_t>(i));
  }
  builder.instructions().resize(level.instructions);
  builder.computations().resize(level.computations);
  builder.operands().resize(level.operands);
  builder.attributes().resize(level.attributes);
  builder.references().resize(level.references);
  users_.resize(level.instructions);
  position_.resize(level.instructions);
}

// ---- What the edits write
// --------------------------------------------------------------------------------------------

InstructionData& Editor::write(InstructionId id) {
  InstructionData& row = ModuleBuilder(module_).instructions()[id.index];
  if (undo_ != nullptr && id.index < undo_->levels.back().instructions) undo_->old_instructions.emplace_back(id, row);
  return row;
}

ComputationData& Editor::write(ComputationId id) {
  ComputationData& row = ModuleBuilder(module_).computations()[id.index];
  if (undo_ != nullptr && id.index < undo_->levels.back().computations) undo_->old_computations.emplace_back(id, row);
  return row;
}

std::uint64_t& Editor::write_position(InstructionId id) {
  std::uint64_t& position = position_[id.index];
  if (undo_ != nullptr && id.index < undo_->levels.back().instructions) undo_->old_positions.emplace_back(id, position);
  return position;
}

std::vector<InstructionId>& Editor::write_control_users(InstructionId id) {
  std::vector<InstructionId>& users = control_users_[id.index];
  if (undo_ != nullptr) undo_->old_control_users.emplace_back(id.index, users);
  return users;
}

std::vector<AttributeData>& Editor::write_header() {
  std::vector<AttributeData>& header = ModuleBuilder(module_).header_attributes();
  if (undo_ != nullptr && undo_->old_headers.size() == undo_->levels.back().old_headers) {
    undo_->old_headers.push_back(header);
  }
  return header;
}

std::vector<ComputationId>& Editor::write_order() {
  std::vector<ComputationId>& order = ModuleBuilder(module_).computation_order();
  if (undo_ != nullptr && undo_->old_orders.size() == undo_->levels.back().old_orders) {
    undo_->old_orders.push_back(order);
  }
  return order;
}

// A list in the tables of operands and attributes may be overwritten only if no checkpoint needs it.
bool Editor::may_overwrite_operands(std::size_t begin) const {
  return undo_ == nullptr || begin >= undo_->levels.back().operands;
}

bool Editor::may_overwrite_attributes(std::size_t begin) const {
  return undo_ == nullptr || begin >= undo_->levels.back().attributes;
}

void Editor::note(InstructionId id, Edit::Kind kind, ShapeId old_shape, AttributeKey key) {
  note({id, kind, old_shape, key, InstructionId(), InstructionId()});
}

void Editor::note(const Edit& edit) {
  edits_.push_back(edit);
  if (undo_ != nullptr) undo_->edits.push_back(edit);
  leave_single_form(edit.instruction, edit.kind, edit.key);
}

void Editor::add_use(InstructionId operand, InstructionId user) {
  std::vector<InstructionId>& users = users_[operand.index];
  // The uses by one instruction are usually consecutive.
  if (!users.empty() && users.back() == user) return;
  if (std::find(users.begin(), users.end(), user) != users.end()) return;
  if (undo_ != nullptr && operand.index < undo_->levels.back().instructions) {
    undo_->uses.push_back({operand, user, users.size(), true});
  }
  users.push_back(user);
}

// Call this when `operand` is no longer an operand of `user`.
void Editor::remove_use(InstructionId operand, InstructionId user) {
  std::vector<InstructionId>& users = users_[operand.index];
  const auto at = std::find(users.begin(), users.end(), user);
  if (at == users.end()) return;
  if (undo_ != nullptr && operand.index < undo_->levels.back().instructions) {
    undo_->uses.push_back({operand, user, static_cast<std::size_t>(at - users.begin()), false});
  }
  users.erase(at);
  // A path that nothing uses is not in the text.
  if (users.empty()) spell_out_element(operand);
}

// `scope` is invalid for the name of a computation.
void Editor::take_name(ComputationId scope, const std::string& name) {
  std::unordered_set<std::string>& names = scope.valid() ? names_[scope.index] : computation_names_;
  if (names.insert(name).second && undo_ != nullptr) undo_->names.push_back({scope, name, true});
}

void Editor::free_name(ComputationId scope, const std::string& name) {
  // A rollback can correct an index that exists, but not one that a later edit makes.
  if (scope.valid() && undo_ != nullptr) index_names(scope);
  if (scope.valid() && names_.count(scope.index) == 0) return;
  std::unordered_set<std::string>& names = scope.valid() ? names_[scope.index] : computation_names_;
  if (names.erase(name) != 0 && undo_ != nullptr) undo_->names.push_back({scope, name, false});
}

}  // namespace hloroof::internal::inline edit
