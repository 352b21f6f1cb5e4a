// Edits a module in memory, as a compiler pass does.
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
// Every edit keeps the module's order: operands before their users, and computations before their callers. An edit that
// would break it, or that names an erased or invalid instruction, returns InvalidArgument. A failing edit changes
// nothing. Edits do not check that the shapes of the surrounding instructions still match; verify() does.
//
// Lifetime: the module must outlive its editor, and only the editor may change it. Ids are stable: an instruction keeps
// its id through every edit, and the id of an erased instruction is not reused. Only a rollback frees ids: those of the
// instructions that it takes back. An edit invalidates views and spans into the module (names, texts, operand lists),
// but not ids and ShapeIds.
//
// Threads: no other thread may use the module or the editor during an edit.
#ifndef HLOROOF_EDIT_H_
#define HLOROOF_EDIT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof {
inline namespace v0 {

// An attribute to set: its value as text, or the computations that it names.
struct NewAttribute {
  AttributeKey key = AttributeKey::kUnknown;
  std::string value;                        // "{1}" for lhs_contracting_dims={1}
  std::vector<ComputationId> computations;  // for calls, to_apply, condition, body, branch_computations, ...
};

// An instruction to insert.
struct NewInstruction {
  Opcode opcode = Opcode::kUnknown;  // not kUnknown
  std::vector<InstructionId> operands;
  std::string shape;  // HLO text; if empty, shape_id is used, or else the shape is inferred from the operands
  ShapeId shape_id;   // in the module's table
  std::vector<NewAttribute> attributes;
  std::string name;          // without %; if empty, derived from the opcode. A number is appended if the name is taken
  std::uint32_t number = 0;  // parameter: its number; get-tuple-element: its index
  std::string literal;       // constant: "{1, 2, 3}"
};

// What differs in a clone. What is empty is as in the original.
struct CloneChanges {
  std::vector<InstructionId> operands;
  std::string shape;  // HLO text; if empty, shape_id is used. No shape is inferred; infer_shape() does that
  ShapeId shape_id;
  std::vector<NewAttribute> attributes;  // set or replaced, by key
  InstructionId before;                  // the place; by default after the original
};

}  // namespace v0

namespace internal {
inline namespace edit {
class Editor;
struct EditLog;
}  // namespace edit
}  // namespace internal

inline namespace v0 {

// A state of a module to return to. Copyable; plain data that only the editor that made it can use.
class Checkpoint {
 private:
  friend internal::Editor;
  friend internal::EditLog;
  std::uint64_t serial_ = 0;
};

// Edits one module. It keeps the users and the order of all instructions, which go stale if anything else changes the
// module.
class ModuleEditor {
 public:
  // Takes time linear in the size of the module.
  explicit ModuleEditor(Module& module);
  ~ModuleEditor();
  ModuleEditor(const ModuleEditor&) = delete;
  ModuleEditor& operator=(const ModuleEditor&) = delete;

  const Module& module() const;

  // ---- Reading -----------------------------------------------------------------------------------------------------

  // True for an instruction of this module that has not been erased.
  bool is_alive(InstructionId id) const;

  // The instructions that use `id` as an operand, each once, in the order in which the uses were added. Empty if `id`
  // is not of this module.
  absl::Span<const InstructionId> users(InstructionId id) const;

  // The instruction that follows or precedes `id` in its computation; invalid at the end, and for an instruction that
  // is not alive. Takes constant time.
  InstructionId next(InstructionId id) const;
  InstructionId previous(InstructionId id) const;
  // A number that increases along a computation, so that two of them say which instruction comes first. Any edit may
  // change it. 0 for an instruction that is not alive. Takes constant time.
  std::uint64_t position(InstructionId id) const;

  // The module's id for a shape in HLO text, `bf16[32,128]{1,0:T(8,128)(2,1)}`. Errors: InvalidArgument with a caret.
  absl::StatusOr<ShapeId> shape(std::string_view text);
  // The module's id for a shape. The elements of a tuple must be ids of this module. A layout that states anything,
  // such as a memory space, is present, and row-major if it gives no order.
  ShapeId shape(const Shape& shape);

  // ---- Undo --------------------------------------------------------------------------------------------------------

  // Marks the current state of the module. A checkpoint is usable until it is released, or until an earlier one is
  // rolled back to or released. Checkpoints nest.
  //
  //   const Checkpoint before = edit.checkpoint();
  //   ...                                                            // edits
  //   if (!is_better) status = edit.rollback(before);
  //   status = edit.release(before);                                 // keeps what is there
  //
  // While there is a checkpoint, edits cost a little more, and memory grows with every edit since the first one.
  Checkpoint checkpoint();
  // Takes back all edits since the checkpoint, which remains usable, and forgets later checkpoints. The module is the
  // same as before, with the same ids, users and names to come. Takes time proportional to the edits. The ids of
  // instructions and computations that the edits made become invalid, and later edits use them again. ShapeIds remain
  // valid. Errors: FailedPrecondition if the checkpoint is not usable; InvalidArgument if checkpoint() did not make it.
  absl::Status rollback(const Checkpoint& checkpoint);
  // Forgets the checkpoint and later ones, and keeps the edits. An earlier checkpoint can still take them back. Errors:
  // as for rollback().
  absl::Status release(const Checkpoint& checkpoint);

  // ---- One instruction ---------------------------------------------------------------------------------------------

  // Errors: InvalidArgument also if a get-tuple-element of the result would become invalid.
  absl::Status set_shape(InstructionId id, ShapeId shape);
  absl::Status set_shape(InstructionId id, std::string_view text);
  // Sets the layout of an array result, including its memory space. A layout is completed as in shape(). Errors:
  // InvalidArgument if the result is not an array, or if minor_to_major is not a permutation of its dimensions.
  absl::Status set_layout(InstructionId id, const Layout& layout);
  // Sets the shape that follows from operands and attributes. Errors: Unimplemented for opcodes whose result shape does
  // not follow from them, such as convert, reshape and custom-call.
  absl::Status infer_shape(InstructionId id);

  // Errors: InvalidArgument if there is no such operand, the opcode takes another number of them, or `value` is of
  // another computation or not before `id`.
  absl::Status set_operand(InstructionId id, std::size_t index, InstructionId value);
  absl::Status set_operands(InstructionId id, const std::vector<InstructionId>& operands);

  // Sets or replaces an attribute by HLO text: "{devices=[8,1]<=[8]}" for kSharding, "{{0,1},{2,3}}" for
  // kReplicaGroups. Errors: InvalidArgument if the opcode does not have the attribute, if the value does
  // not follow its grammar, or if the attribute names computations; use set_computations for those.
  absl::Status set_attribute(InstructionId id, AttributeKey key, std::string_view value);
  // Errors: InvalidArgument if the opcode does not have the attribute, or if one of the computations calls, directly or
  // indirectly, the computation of `id`.
  absl::Status set_computations(InstructionId id, AttributeKey key, const std::vector<ComputationId>& computations);
  // Errors: NotFound if the instruction does not have the attribute; InvalidArgument if the opcode requires it.
  absl::Status remove_attribute(InstructionId id, AttributeKey key);

  // ---- The order ---------------------------------------------------------------------------------------------------

  // Inserts an instruction before another, or at the end of a computation. append() changes the root only if the
  // computation was empty. Errors: as for the functions above; Unimplemented if the shape is empty and cannot be
  // inferred.
  absl::StatusOr<InstructionId> insert_before(InstructionId before, const NewInstruction& made);
  absl::StatusOr<InstructionId> append(ComputationId computation, const NewInstruction& made);
  // Inserts a copy with the same operands and attributes after the original.
  absl::StatusOr<InstructionId> clone(InstructionId id);
  // Inserts a copy with other operands, shape, attributes or place. Errors: as for set_operands(), set_shape(),
  // set_attribute(), set_computations() and move_before().
  absl::StatusOr<InstructionId> clone(InstructionId id, const CloneChanges& changes);

  // Errors: FailedPrecondition if the instruction has users, is the root or a parameter, or is the only instruction of
  // its computation.
  absl::Status erase(InstructionId id);
  // Replaces `old` by `by` in all its users except `by` itself. If `old` is the root, `by` becomes the root. Errors:
  // InvalidArgument if the shapes differ in more than layout, or if `by` does not precede all those users.
  absl::Status replace_all_uses(InstructionId old, InstructionId by);
  // Errors: InvalidArgument if the move would cross an operand or a user.
  absl::Status move_before(InstructionId id, InstructionId before);
  absl::Status set_root(ComputationId computation, InstructionId root);

  // ---- Computations ------------------------------------------------------------------------------------------------

  // Inserts a copy of a computation before the original. Both call the same computations.
  absl::StatusOr<ComputationId> clone_computation(ComputationId id);
  // Removes the computations that are neither called nor the entry; returns how many.
  std::size_t erase_unused_computations();

  // Fuses instructions of one computation. Moves them into a fused computation, replaces the last of them by a fusion
  // of `kind` ("kLoop", "kInput", "kOutput", "kCustom"), and returns the fusion. Instructions between them that use one
  // of them move after the fusion. Fusions among them are inlined. Results that have other users become results of the
  // fusion, as a tuple if there are several. Errors: InvalidArgument if the instructions belong to several
  // computations, include a parameter, or if a path from one to another leaves the set.
  absl::StatusOr<InstructionId> fuse(const std::vector<InstructionId>& instructions, std::string_view kind = "kLoop");
  // Like fuse(), but replaces the instructions by a call.
  absl::StatusOr<InstructionId> outline(const std::vector<InstructionId>& instructions, std::string_view name);
  // Inlines a fusion or a call and returns the instructions that replace it. This does not undo fuse(), which inlines
  // the fusions among its instructions and loses control edges; rollback() does. Errors: InvalidArgument if `id` is
  // neither, or if its computation is not in the text.
  absl::StatusOr<std::vector<InstructionId>> unfuse(InstructionId id);

 private:
  friend class ComputationBuilder;
  friend internal::EditLog;

  std::unique_ptr<internal::Editor> editor_;
};

// Checks that a compiler would accept the module and returns the first error found. Checks the number of operands of
// each opcode, shapes that follow from operands, missing and unsupported attributes, operands that follow their users
// or belong to another computation, arguments that differ from the parameters of the called computation, and recursion.
// Then prints the module and parses the text, which must describe the same module. OK therefore implies that the text
// is complete. Takes about as long as parsing. Errors: InvalidArgument: "computation.instruction: what is wrong".
absl::Status verify(const Module& module);

// Like verify(), but accepts faults that `original`, the module before the edits, has too. Compilers and older dumps
// may contain what this verifier does not know.
absl::Status verify(const Module& module, const Module& original);

struct ModuleHeader {
  bool is_scheduled = false;  // the instructions are in execution order
  std::int64_t replica_count = 1;
  std::int64_t num_partitions = 1;
};

// A module without computations. An invalid name becomes "module".
Module new_module(std::string_view name, const ModuleHeader& header = {});

// Appends instructions to one new computation. A number is appended to a name that is taken. The first computation with
// `entry` set becomes the entry of the module.
class ComputationBuilder {
 public:
  // Finish the computations that this one calls before you construct its builder. Computations that call it must come
  // after it: it is inserted before `before`, by default before the entry, or at the end of a module without one.
  ComputationBuilder(ModuleEditor& edit, std::string_view name, bool entry = false,
                     ComputationId before = ComputationId());

  // Adds the next parameter. `shape` is HLO text.
  InstructionId parameter(std::string_view shape, std::string_view name = "");
  // Adds a constant. `literal` is HLO text: "1.5", "{1, 2}".
  InstructionId constant(std::string_view shape, std::string_view literal);
  // Adds any instruction. `shape` may be empty if it can be inferred from the operands. Attributes name the
  // computations that it calls: op(Opcode::kWhile, {state}, {{AttributeKey::kCondition, "", {condition}}, ...}).
  InstructionId op(Opcode opcode, const std::vector<InstructionId>& operands,
                   const std::vector<NewAttribute>& attributes = {}, std::string_view shape = "",
                   std::string_view name = "");
  // Adds the get-tuple-element of an index.
  InstructionId element(InstructionId tuple, std::uint32_t index);

  // Makes `root` the result; the default is the last instruction. Errors: the first error of any call on this builder;
  // InvalidArgument if the computation is empty.
  absl::StatusOr<ComputationId> finish(InstructionId root = InstructionId());

 private:
  InstructionId add(const NewInstruction& made);

  ModuleEditor& edit_;
  ComputationId id_;
  std::uint32_t parameters_ = 0;
  absl::Status status_;
};

// A channel_id that no instruction of the module has: one more than the largest, at least 1. Takes time linear in the
// size of the module. Errors: OutOfRange if there is none.
absl::StatusOr<std::int64_t> next_channel_id(const Module& module);

struct StartAndDone {
  InstructionId start;
  InstructionId done;
};

// Replaces an all-gather, an all-reduce or a collective-permute by its start and its done, in the same place. The start
// has the attributes, with the same channel, and the done the metadata. The shape of the start has operands and result
// only; set_shape() adds what a compiler wants besides, such as the two u32[]{:S(2)} of a permute, without which libtpu
// aborts. Errors: InvalidArgument if `id` is another instruction; Unimplemented if it has control edges. A failing edit
// changes nothing.
absl::StatusOr<StartAndDone> split_collective(ModuleEditor& edit, InstructionId id);

// Replaces collectives of one computation by one with all their operands, whose result is a tuple, and their uses by
// its elements. They must be all-reduces, all-gathers or reduce-scatters. The result has the attributes of the first of
// them; where they differ in more than channel_id, metadata, backend_config and the name of what reduces, they cannot
// be combined. Its place is that of the last of them, or before the first use if that comes earlier. A failing edit
// changes nothing. Errors: InvalidArgument if there are fewer than two, if they differ, or if an operand of one does
// not precede that place; Unimplemented if one has a tuple as its result, or control edges.
absl::StatusOr<InstructionId> combine_collectives(ModuleEditor& edit, const std::vector<InstructionId>& ids);

// Replaces an all-reduce, an all-gather or a reduce-scatter of several operands by one for each operand, in the same
// place, and returns them. The first keeps the channel; the others have new ones. A use of the whole tuple becomes one
// of a tuple of the results. A failing edit changes nothing. Errors: InvalidArgument if `id` is another instruction, or
// has a single result; Unimplemented if it has control edges.
absl::StatusOr<std::vector<InstructionId>> uncombine_collective(ModuleEditor& edit, InstructionId id);

struct SlicedDot {
  std::vector<InstructionId> parts;  // the products of slices, in the order of the slices
  InstructionId result;              // their concatenation, or the last of the additions
};

// Replaces a product by products of `parts` slices of the same size along dimension `dimension` of operand `operand`,
// which is 0 or 1. The other operand is sliced too if that dimension is contracted or a batch dimension. The products
// are concatenated, or added if it is contracted: in the type of the result, which may round otherwise than the whole
// product. `id` is a dot, or a convolution without window and groups. A failing edit changes nothing. Errors:
// InvalidArgument if `id` is another instruction, if there is no such dimension, or if `parts`, at least 2, does not
// divide it; Unimplemented if the product has other operands or control edges.
absl::StatusOr<SlicedDot> slice_dot(ModuleEditor& edit, InstructionId id, std::size_t operand, std::int64_t dimension,
                                    std::int64_t parts);

// The only instruction of that name, without %. Names may repeat in several computations: that of the entry has
// precedence. Takes time linear in the size of the module. Errors: NotFound; InvalidArgument if several have it.
absl::StatusOr<InstructionId> find_by_name(const Module& module, std::string_view name);

// What an instruction and its operands look like.
struct Pattern {
  Opcode opcode = Opcode::kUnknown;  // kUnknown: any
  std::vector<Pattern> operands;     // all of them, in order; if empty, any
  std::string name;                  // by which match() returns the instruction. The same name is the same instruction
};

// Reads a pattern: `dot(all-gather(%x), %y)`. An opcode without operands in parentheses has any; `%x` is any
// instruction, `*` is one without a name, and `%g = all-gather(%x)`, also as an operand, names the result. Errors:
// InvalidArgument with the place; ResourceExhausted for more than 64 levels.
absl::StatusOr<Pattern> read_pattern(std::string_view text);

// The instructions that the names of the pattern stand for, if `instruction` matches it; nullopt if it does not. An
// operand whose opcode is in `through`, such as kBitcast, kCopy or kConvert, is replaced by its own operand unless it
// matches itself. The order of operands counts for commutative opcodes, too.
std::optional<std::map<std::string, InstructionId>> match(InstructionView instruction, const Pattern& pattern,
                                                          absl::Span<const Opcode> through = {});

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_EDIT_H_
