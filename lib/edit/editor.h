// The implementation of ModuleEditor. It stores the users, the order and the names of a module, and while there is a
// checkpoint also the values that edits overwrite.
//
// editor.cc has these tables, checkpoint.cc the writes and how they are taken back, attributes.cc, instruction.cc,
// order.cc and clone.cc the edits, fuse.cc those that move instructions between computations, implied.cc what the text
// only implies, and relied_on.cc the checks of what other edits rely on. Edits that are made of these use the public
// editor: collective_edits.cc, combine_collectives.cc and dot_edits.cc.
#ifndef HLOROOF_LIB_EDIT_EDITOR_H_
#define HLOROOF_LIB_EDIT_EDITOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hloroof/edit.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"
#include "lib/edit/edit_log.h"

namespace hloroof::internal::inline edit {

// A user that was added to the end of the users of an operand, or removed from the place `index`.
struct UseChange {
  InstructionId operand;
  InstructionId user;
  std::size_t index = 0;
  bool is_added = false;
};

// A name that became taken or free, in a computation or among the computations.
struct NameChange {
  ComputationId scope;  // invalid for the name of a computation
  std::string name;
  bool is_added = false;
};

// What edits have overwritten since the checkpoints of a ModuleEditor.
//
// A rollback restores the overwritten entries of each table, the last one first, and then cuts the tables to their
// lengths at the checkpoint. Its cost is therefore proportional to the edits. Entries that are newer than the last
// checkpoint are not logged. Texts and shapes that edits added remain, because equal ones are stored once.
struct UndoLog {
  // A checkpoint: the lengths of the module's tables and of the lists below, and what is copied because it is small.
  struct Level {
    std::uint64_t serial = 0;
    std::size_t instructions = 0;
    std::size_t computations = 0;
    std::size_t operands = 0;
    std::size_t attributes = 0;
    std::size_t references = 0;
    std::uint32_t next_number = 0;
    ComputationId entry;
    bool is_single_instruction = false;

    std::size_t old_instructions = 0;
    std::size_t old_computations = 0;
    std::size_t old_positions = 0;
    std::size_t old_control_users = 0;
    std::size_t uses = 0;
    std::size_t names = 0;
    std::size_t old_headers = 0;
    std::size_t old_orders = 0;
    std::size_t edits = 0;
    std::size_t pending = 0;  // edits that no reader had taken
    std::uint64_t taken = 0;  // how often a reader had taken edits
  };

  std::vector<Level> levels;

  std::vector<std::pair<InstructionId, InstructionData>> old_instructions;
  std::vector<std::pair<ComputationId, ComputationData>> old_computations;
  std::vector<std::pair<InstructionId, std::uint64_t>> old_positions;
  std::vector<std::pair<std::uint32_t, std::vector<InstructionId>>> old_control_users;
  std::vector<UseChange> uses;
  std::vector<NameChange> names;
  // Whole copies, at most one for each checkpoint.
  std::vector<std::vector<AttributeData>> old_headers;
  std::vector<std::vector<ComputationId>> old_orders;
  std::vector<Edit> edits;  // since the first checkpoint
};

class Editor {
 public:
  explicit Editor(Module& module);

  // As those of ModuleEditor.
  const Module& module() const { return module_; }
  bool is_alive(InstructionId id) const;
  absl::Span<const InstructionId> users(InstructionId id) const {
    if (id.index >= users_.size()) return {};
    return users_[id.index];
  }
  InstructionId next(InstructionId id) const;
  InstructionId previous(InstructionId id) const;
  std::uint64_t position(InstructionId id) const { return is_alive(id) ? position_[id.index] : 0; }
  absl::StatusOr<ShapeId> shape(std::string_view text);
  ShapeId shape(const Shape& shape);
  Checkpoint checkpoint();
  absl::Status rollback(const Checkpoint& checkpoint);
  absl::Status release(const Checkpoint& checkpoint);
  absl::Status set_shape(InstructionId id, ShapeId shape);
  absl::Status set_shape(InstructionId id, std::string_view text);
  absl::Status set_layout(InstructionId id, const Layout& layout);
  absl::Status infer_shape(InstructionId id);
  absl::Status set_operand(InstructionId id, std::size_t index, InstructionId value);
  absl::Status set_operands(InstructionId id, const std::vector<InstructionId>& operands);
  absl::Status set_attribute(InstructionId id, AttributeKey key, std::string_view value);
  absl::Status set_computations(InstructionId id, AttributeKey key, const std::vector<ComputationId>& computations);
  absl::Status remove_attribute(InstructionId id, AttributeKey key);
  absl::StatusOr<InstructionId> insert_before(InstructionId before, const NewInstruction& made);
  absl::StatusOr<InstructionId> append(ComputationId computation, const NewInstruction& made);
  absl::StatusOr<InstructionId> clone(InstructionId id);
  absl::StatusOr<InstructionId> clone(InstructionId id, const CloneChanges& changes);
  absl::Status erase(InstructionId id);
  absl::Status replace_all_uses(InstructionId old, InstructionId by);
  absl::Status move_before(InstructionId id, InstructionId before);
  absl::Status set_root(ComputationId computation, InstructionId root);
  absl::StatusOr<ComputationId> clone_computation(ComputationId id);
  std::size_t erase_unused_computations();
  absl::StatusOr<InstructionId> fuse(const std::vector<InstructionId>& instructions, std::string_view kind = "kLoop");
  absl::StatusOr<InstructionId> outline(const std::vector<InstructionId>& instructions, std::string_view name);
  absl::StatusOr<std::vector<InstructionId>> unfuse(InstructionId id);

  // Adds an empty computation at the end of the module, or before `before` if that is valid. A number is appended to a
  // name that is taken. The first computation with `entry` set becomes the entry.
  ComputationId add_computation(std::string_view name, bool entry = false, ComputationId before = ComputationId());
  // The place of a computation in the order of the module. Errors: InvalidArgument if it is not there.
  absl::StatusOr<std::size_t> place_of(ComputationId computation) const;

 private:
  friend EditLog;

  // True if `a` precedes `b`. Both must be in the same computation.
  bool is_before(InstructionId a, InstructionId b) const { return position_[a.index] < position_[b.index]; }
  absl::Status check_alive(InstructionId id) const;
  absl::Status check_operand(InstructionId user, InstructionId value) const;
  static absl::Status check_operand_count(Opcode opcode, std::size_t count);
  static absl::Status check_required(const NewInstruction& made);
  absl::Status check_tuples(Opcode opcode, const std::vector<InstructionId>& operands, ShapeId shape,
                            std::uint32_t number) const;
  absl::Status check_elements_used(InstructionId id, ShapeId shape) const;
  absl::Status check_attribute(Opcode opcode, const NewAttribute& attribute);
  // Checks come first and change nothing; what writes cannot fail.
  absl::StatusOr<ShapeId> check_new(ComputationId computation, InstructionId before, const NewInstruction& made);
  InstructionId write_new(ComputationId computation, const NewInstruction& made, ShapeId result);
  void link_new(InstructionId id, ComputationId computation, InstructionId before);
  absl::Status change(InstructionId copy, const CloneChanges& changes);
  InstructionId insert_checked(ComputationId computation, InstructionId before, const NewInstruction& made,
                               ShapeId result);
  absl::StatusOr<InstructionId> add(ComputationId computation, InstructionId before, const NewInstruction& made);
  struct MovePlan;
  absl::Status check_inlinable(InstructionId id) const;
  ShapeId shape_inlined(InstructionId id, InstructionId inner) const;
  absl::StatusOr<MovePlan> plan_move(const std::vector<InstructionId>& instructions, Opcode opcode) const;
  absl::Status find_later(MovePlan& plan) const;
  ComputationId move_into_body(const MovePlan& plan, Opcode opcode, std::string_view stem);
  InstructionId commit_move(const MovePlan& plan, Opcode opcode, std::string_view stem,
                            std::vector<NewAttribute> attributes);
  absl::Status plan_unfuse(InstructionId id) const;
  absl::StatusOr<InstructionId> move_out(const std::vector<InstructionId>& instructions, Opcode opcode,
                                         std::string_view stem, std::vector<NewAttribute> attributes);
  InstructionId new_row(InstructionData row);
  InstructionId add_row(const InstructionData& row, const std::vector<InstructionId>& operands,
                        std::vector<AttributeData> attributes, InstructionId before);
  InstructionId copy(InstructionId from, ComputationId computation, InstructionId before,
                     const std::vector<InstructionId>& operands);
  std::unordered_map<std::uint32_t, InstructionId> copy_body(ComputationId from, ComputationId to, InstructionId before,
                                                             const std::vector<InstructionId>& arguments);
  absl::Status check_in_text(ComputationId computation) const;
  // What the text only implies (implied.cc).
  static std::string_view trimmed(std::string_view value);
  static std::string spelled_name(std::string_view name);
  std::vector<AttributeData> spelled_attributes(const InstructionData& row);
  void spell_out_element(InstructionId id);
  void spell_out_elements_of(InstructionId tuple);
  void spell_out_start(InstructionId start);
  void spell_out(ComputationId computation);
  void spell_out(InstructionId id);
  void copy_wrapped(InstructionId start);
  void erase_wrapped(InstructionId start);
  InstructionId wrapped_root(InstructionId start) const;
  void leave_single_form(InstructionId id, Edit::Kind kind, AttributeKey key);
  ComputationId copy_computation(ComputationId id);
  void write_attribute(InstructionId id, const AttributeData& written);
  void take_attribute(InstructionId id, AttributeKey key);
  void write_uses(InstructionId old, InstructionId by, const std::vector<InstructionId>& users);
  void write_root(ComputationId computation, InstructionId root);
  void take_out(InstructionId id);
  TextRange text(std::string_view text);
  TextRange unique_name(ComputationId computation, std::string_view stem);
  void write_operands(InstructionId id, const std::vector<InstructionId>& operands);
  void write_attributes(InstructionId id, std::vector<AttributeData> attributes);
  absl::StatusOr<std::size_t> level_of(const Checkpoint& checkpoint) const;
  bool restore(std::size_t level);
  void cut_tables(std::size_t level);
  // Everything that existed at a checkpoint is written through these, which keep what it was.
  InstructionData& write(InstructionId id);
  ComputationData& write(ComputationId id);
  std::uint64_t& write_position(InstructionId id);
  std::vector<InstructionId>& write_control_users(InstructionId id);
  std::vector<AttributeData>& write_header();
  std::vector<ComputationId>& write_order();
  bool may_overwrite_operands(std::size_t begin) const;
  bool may_overwrite_attributes(std::size_t begin) const;
  void take_name(ComputationId scope, const std::string& name);
  void free_name(ComputationId scope, const std::string& name);
  void add_use(InstructionId operand, InstructionId user);
  void remove_use(InstructionId operand, InstructionId user);
  void link(InstructionId id, ComputationId computation, InstructionId before);
  void unlink(InstructionId id);
  void place(InstructionId id);
  void renumber(ComputationId computation);
  void index_names(ComputationId computation);
  void forget_entry_layout(InstructionId id);
  void drop_control_edges(InstructionId id);
  void note(InstructionId id, Edit::Kind kind, ShapeId old_shape = ShapeId(),
            AttributeKey key = AttributeKey::kUnknown);
  void note(const Edit& edit);

  Module& module_;
  std::vector<std::vector<InstructionId>> users_;  // by InstructionId
  std::vector<std::uint64_t> position_;            // by InstructionId: increases along a computation, with gaps
  std::unordered_map<std::uint32_t, std::vector<InstructionId>> control_users_;  // users by control-predecessors
  std::unordered_map<std::string, TextRange> texts_;                             // texts that edits added
  std::unordered_map<std::uint32_t, std::unordered_set<std::string>> names_;     // by computation, filled on demand
  std::unordered_set<std::string> computation_names_;
  std::uint32_t next_number_ = 0;  // suffix for generated names
  std::vector<Edit> edits_;        // since the last EditLog::take()
  std::uint64_t times_taken_ = 0;  // by EditLog::take()
  std::unique_ptr<UndoLog> undo_;  // null without checkpoints
};

}  // namespace hloroof::internal::inline edit

#endif  // HLOROOF_LIB_EDIT_EDITOR_H_
