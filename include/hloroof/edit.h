// Changing a module in memory, as a compiler pass does.
//
//   ModuleEditor edit(module);
//   NewInstruction copy;
//   copy.opcode = Opcode::kCopy;
//   copy.operands = {dot};
//   copy.shape = "bf16[256,256]{0,1}";
//   absl::StatusOr<InstructionId> made = edit.insert_before(user, copy);
//   if (made.ok()) status = edit.replace_all_uses(dot, *made);
//   status = verify(module);
//   std::string text = print_module(module);                         // XLA reads it
//
// Ids stay what they are: an instruction keeps its id through every edit, and the id of one that was erased is never
// given out again. Passing the id of an erased instruction, or of none, is an InvalidArgument, as is everything else
// that would break the module's order (operands before users, computations before their callers); an edit that fails
// changes nothing. What an edit does not check is whether the instructions around it still fit: verify() does.
//
// Views and spans into the module (names, texts, operand lists) end with the next edit; ids and ShapeIds do not.
// Thread safety: a module that is edited must not be read by other threads.
#ifndef HLOROOF_EDIT_H_
#define HLOROOF_EDIT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/attribute.h"
#include "hloroof/ids.h"
#include "hloroof/module.h"
#include "hloroof/opcode.h"
#include "hloroof/shape.h"
#include "hloroof/span.h"

namespace hloroof {
inline namespace v0 {

// An attribute to be: its value as text, or the computations that it names.
struct NewAttribute {
  AttributeKey key = AttributeKey::kUnknown;
  std::string value;                        // "{1}" of lhs_contracting_dims={1}
  std::vector<ComputationId> computations;  // of calls, to_apply, condition, body, branch_computations, ...
};

// An instruction to be.
struct NewInstruction {
  Opcode opcode = Opcode::kUnknown;  // not kUnknown
  std::vector<InstructionId> operands;
  std::string shape;  // as HLO text writes it; empty: that of shape_id, else inferred from the operands
  ShapeId shape_id;   // of the module's own table
  std::vector<NewAttribute> attributes;
  std::string name;          // without %; empty: made of the opcode. A name that is taken gets a number
  std::uint32_t number = 0;  // of a parameter its number, of a get-tuple-element its index
  std::string literal;       // of a constant: "{1, 2, 3}"
};

// What one edit did to one instruction.
struct Edit {
  enum class Kind : std::uint8_t { kShape, kOperands, kAttributes, kInserted, kErased, kMoved, kName };
  InstructionId instruction;
  Kind kind = Kind::kShape;
  ShapeId old_shape;                          // of kShape
  AttributeKey key = AttributeKey::kUnknown;  // of kAttributes
};

// Not copyable: it knows who uses what in this one module. Whatever else changes the module makes it stale.
class ModuleEditor {
 public:
  // `module` must outlive the editor. Takes time in proportion to the module.
  explicit ModuleEditor(Module& module);
  ModuleEditor(const ModuleEditor&) = delete;
  ModuleEditor& operator=(const ModuleEditor&) = delete;

  const Module& module() const { return module_; }

  // ---- Reading -----------------------------------------------------------------------------------------------------

  // True for an instruction of the module that was not erased.
  bool is_alive(InstructionId id) const;

  // The instructions that have `id` as an operand, each once, in the order in which they came to.
  Span<InstructionId> users(InstructionId id) const { return users_[id.index]; }

  // True if `a` stands before `b`, both of one computation.
  bool is_before(InstructionId a, InstructionId b) const { return position_[a.index] < position_[b.index]; }

  // The module's id of a shape written as text, `bf16[32,128]{1,0:T(8,128)(2,1)}`. Errors: InvalidArgument with what is
  // wrong and a caret.
  absl::StatusOr<ShapeId> shape(std::string_view text);
  // The module's id of a shape whose elements, if any, are of the module.
  ShapeId shape(const Shape& shape);

  // ---- One instruction ---------------------------------------------------------------------------------------------

  // Errors: InvalidArgument also if what takes the result apart could no longer.
  absl::Status set_shape(InstructionId id, ShapeId shape);
  absl::Status set_shape(InstructionId id, std::string_view text);
  // The layout of an array result. Errors: InvalidArgument if the result is no array or minor_to_major is no
  // permutation of its dimensions.
  absl::Status set_layout(InstructionId id, const Layout& layout);
  // S(n) of an array result: 0 HBM, 1 VMEM, 5 host. One without a layout gets the row-major one.
  absl::Status set_memory_space(InstructionId id, std::int64_t space);
  // The shape that follows from operands and attributes, for opcodes that have one (infer_shape.h).
  absl::Status infer_shape(InstructionId id);

  // Errors: InvalidArgument if there is no such operand, the opcode takes another number of them, or `value` is of
  // another computation or not before `id`.
  absl::Status set_operand(InstructionId id, std::size_t index, InstructionId value);
  absl::Status set_operands(InstructionId id, const std::vector<InstructionId>& operands);

  // Sets an attribute, in place of one that is there. Errors: InvalidArgument if the opcode has no such attribute or
  // the value does not follow its grammar, or if it names computations, for which there is set_computations.
  absl::Status set_attribute(InstructionId id, AttributeKey key, std::string_view value);
  // Errors: InvalidArgument if the opcode has no such attribute, or one of them calls (directly or not) where `id`
  // stands.
  absl::Status set_computations(InstructionId id, AttributeKey key, const std::vector<ComputationId>& computations);
  // Errors: NotFound if there is none; InvalidArgument if the opcode cannot do without it.
  absl::Status remove_attribute(InstructionId id, AttributeKey key);
  // "{devices=[8,1]<=[8]}", "{replicated}"; and "{{0,1},{2,3}}", "[2,4]<=[8]".
  absl::Status set_sharding(InstructionId id, std::string_view sharding);
  absl::Status set_replica_groups(InstructionId id, std::string_view groups);

  // Errors: InvalidArgument if the name is taken in its computation or no name.
  absl::Status set_name(InstructionId id, std::string_view name);

  // ---- The order ---------------------------------------------------------------------------------------------------

  // A new instruction before another, or as the last of its computation, where it is not the root unless it is also the
  // first. Errors: those of the functions above;
  // Unimplemented if no shape is given and none follows from the operands.
  absl::StatusOr<InstructionId> insert_before(InstructionId before, const NewInstruction& made);
  absl::StatusOr<InstructionId> append(ComputationId computation, const NewInstruction& made);
  // A copy right behind the original, with its operands and attributes.
  absl::StatusOr<InstructionId> clone(InstructionId id);

  // Errors: FailedPrecondition if it has users, is the root or a parameter, or is the last of its computation.
  absl::Status erase(InstructionId id);
  // Whatever used `old` uses `by` instead, `by` itself excepted; if `old` is the root, `by` becomes it. Errors:
  // InvalidArgument if their shapes differ in more than layout, or `by` is not before all those users.
  absl::Status replace_all_uses(InstructionId old, InstructionId by);
  // Errors: InvalidArgument if an operand or a user is in the way.
  absl::Status move_before(InstructionId id, InstructionId before);
  absl::Status set_root(ComputationId computation, InstructionId root);

  // ---- Computations ------------------------------------------------------------------------------------------------

  // A new, empty computation; a name that is taken gets a number. It comes last in the module's order, or before
  // `before` if that is given. The first one that is marked as entry becomes the entry.
  ComputationId add_computation(std::string_view name, bool entry = false, ComputationId before = ComputationId());
  // A copy of a computation before the original, which calls the same computations.
  absl::StatusOr<ComputationId> clone_computation(ComputationId id);
  // Takes computations that nothing calls, and that are not the entry, out of the module; returns how many.
  std::size_t erase_unused_computations();

  // Moves instructions of one computation into a fused computation and puts a fusion of `kind` ("kLoop", "kInput",
  // "kOutput", "kCustom") in the place of the last of them; what stands between them and uses one comes behind it.
  // Fusions among them are fused as what is in them. Results that others use become results of the fusion, as elements
  // of a tuple if there are several. Returns the fusion. Errors: InvalidArgument if they are not of one computation or
  // hold a parameter, or if a path from one to another leads through something else.
  absl::StatusOr<InstructionId> fuse(const std::vector<InstructionId>& instructions, std::string_view kind = "kLoop");
  // The same with a call.
  absl::StatusOr<InstructionId> outline(const std::vector<InstructionId>& instructions, std::string_view name);
  // Puts what a fusion or a call computes in its place; returns the instructions that came of it. Errors:
  // InvalidArgument if it is neither or its computation is not in the text.
  absl::StatusOr<std::vector<InstructionId>> unfuse(InstructionId id);

  // ---- What happened -----------------------------------------------------------------------------------------------

  // The edits since the last call, in order.
  std::vector<Edit> take_edits();

 private:
  absl::Status check_alive(InstructionId id) const;
  absl::Status check_operand(InstructionId user, InstructionId value) const;
  static absl::Status check_operand_count(Opcode opcode, std::size_t count);
  static absl::Status check_required(const NewInstruction& made);
  absl::Status check_tuples(Opcode opcode, const std::vector<InstructionId>& operands, ShapeId shape,
                            std::uint32_t number) const;
  absl::Status check_elements_used(InstructionId id, ShapeId shape) const;
  absl::Status check_attribute(Opcode opcode, const NewAttribute& attribute);
  absl::StatusOr<InstructionId> add(ComputationId computation, InstructionId before, const NewInstruction& made);
  absl::StatusOr<InstructionId> move_out(const std::vector<InstructionId>& instructions, Opcode opcode,
                                         std::string_view stem, std::vector<NewAttribute> attributes);
  InstructionId new_row(InstructionData row);
  InstructionId add_row(const InstructionData& row, const std::vector<InstructionId>& operands,
                        std::vector<AttributeData> attributes, InstructionId before);
  InstructionId copy(InstructionId from, ComputationId computation, InstructionId before,
                     const std::vector<InstructionId>& operands);
  std::unordered_map<std::uint32_t, InstructionId> copy_body(ComputationId from, ComputationId to, InstructionId before,
                                                             const std::vector<InstructionId>& arguments);
  absl::StatusOr<std::size_t> place_of(ComputationId computation) const;
  absl::Status replace_uses(InstructionId old, InstructionId by, const std::vector<InstructionId>& users);
  TextRange text(std::string_view text);
  TextRange unique_name(ComputationId computation, std::string_view stem);
  void write_operands(InstructionId id, const std::vector<InstructionId>& operands);
  void write_attributes(InstructionId id, std::vector<AttributeData> attributes);
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

  Module& module_;
  std::vector<std::vector<InstructionId>> users_;  // by InstructionId
  std::vector<std::uint64_t> position_;            // by InstructionId: rises along a computation, with gaps
  std::unordered_map<std::uint32_t, std::vector<InstructionId>> control_users_;  // who names it as a predecessor
  std::unordered_map<std::string, TextRange> texts_;                             // that edits added
  std::unordered_map<std::uint32_t, std::unordered_set<std::string>> names_;     // by computation, of those asked for
  std::unordered_set<std::string> computation_names_;
  std::uint32_t next_number_ = 0;  // for names
  std::vector<Edit> edits_;
};

// What a compiler would refuse, the first thing found: instructions with another number of operands than their opcode
// takes, shapes other than those that follow from the operands, attributes that are missing or that the opcode does not
// have, operands that come after their users or belong elsewhere, calls with other arguments than the called
// computation's parameters, calls in a circle. Errors: InvalidArgument: "computation.instruction: what is wrong".
absl::Status verify(const Module& module);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_EDIT_H_
