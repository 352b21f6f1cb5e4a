// The public face of the editor.
#include <memory>

#include "hloroof/edit.h"
#include "lib/edit/editor.h"

namespace hloroof::inline v0 {
using namespace internal;

ModuleEditor::ModuleEditor(Module& module) : editor_(std::make_unique<Editor>(module)) {}
ModuleEditor::~ModuleEditor() = default;

const Module& ModuleEditor::module() const { return editor_->module(); }
bool ModuleEditor::is_alive(InstructionId id) const { return editor_->is_alive(id); }
absl::Span<const InstructionId> ModuleEditor::users(InstructionId id) const { return editor_->users(id); }
InstructionId ModuleEditor::next(InstructionId id) const { return editor_->next(id); }
InstructionId ModuleEditor::previous(InstructionId id) const { return editor_->previous(id); }
std::uint64_t ModuleEditor::position(InstructionId id) const { return editor_->position(id); }
absl::StatusOr<ShapeId> ModuleEditor::shape(std::string_view text) { return editor_->shape(text); }
ShapeId ModuleEditor::shape(const Shape& shape) { return editor_->shape(shape); }
Checkpoint ModuleEditor::checkpoint() { return editor_->checkpoint(); }
absl::Status ModuleEditor::rollback(const Checkpoint& checkpoint) { return editor_->rollback(checkpoint); }
absl::Status ModuleEditor::release(const Checkpoint& checkpoint) { return editor_->release(checkpoint); }
absl::Status ModuleEditor::set_shape(InstructionId id, ShapeId shape) { return editor_->set_shape(id, shape); }
absl::Status ModuleEditor::set_shape(InstructionId id, std::string_view text) { return editor_->set_shape(id, text); }
absl::Status ModuleEditor::set_layout(InstructionId id, const Layout& layout) {
  return editor_->set_layout(id, layout);
}
absl::Status ModuleEditor::infer_shape(InstructionId id) { return editor_->infer_shape(id); }
absl::Status ModuleEditor::set_operand(InstructionId id, std::size_t index, InstructionId value) {
  return editor_->set_operand(id, index, value);
}
absl::Status ModuleEditor::set_operands(InstructionId id, const std::vector<InstructionId>& operands) {
  return editor_->set_operands(id, operands);
}
absl::Status ModuleEditor::set_attribute(InstructionId id, AttributeKey key, std::string_view value) {
  return editor_->set_attribute(id, key, value);
}
absl::Status ModuleEditor::set_computations(InstructionId id, AttributeKey key,
                                            const std::vector<ComputationId>& computations) {
  return editor_->set_computations(id, key, computations);
}
absl::Status ModuleEditor::remove_attribute(InstructionId id, AttributeKey key) {
  return editor_->remove_attribute(id, key);
}
absl::StatusOr<InstructionId> ModuleEditor::insert_before(InstructionId before, const NewInstruction& made) {
  return editor_->insert_before(before, made);
}
absl::StatusOr<InstructionId> ModuleEditor::append(ComputationId computation, const NewInstruction& made) {
  return editor_->append(computation, made);
}
absl::StatusOr<InstructionId> ModuleEditor::clone(InstructionId id) { return editor_->clone(id); }
absl::StatusOr<InstructionId> ModuleEditor::clone(InstructionId id, const CloneChanges& changes) {
  return editor_->clone(id, changes);
}
absl::Status ModuleEditor::erase(InstructionId id) { return editor_->erase(id); }
absl::Status ModuleEditor::replace_all_uses(InstructionId old, InstructionId by) {
  return editor_->replace_all_uses(old, by);
}
absl::Status ModuleEditor::move_before(InstructionId id, InstructionId before) {
  return editor_->move_before(id, before);
}
absl::Status ModuleEditor::set_root(ComputationId computation, InstructionId root) {
  return editor_->set_root(computation, root);
}
absl::StatusOr<ComputationId> ModuleEditor::clone_computation(ComputationId id) {
  return editor_->clone_computation(id);
}
std::size_t ModuleEditor::erase_unused_computations() { return editor_->erase_unused_computations(); }
absl::StatusOr<InstructionId> ModuleEditor::fuse(const std::vector<InstructionId>& instructions,
                                                 std::string_view kind) {
  return editor_->fuse(instructions, kind);
}
absl::StatusOr<InstructionId> ModuleEditor::outline(const std::vector<InstructionId>& instructions,
                                                    std::string_view name) {
  return editor_->outline(instructions, name);
}
absl::StatusOr<std::vector<InstructionId>> ModuleEditor::unfuse(InstructionId id) { return editor_->unfuse(id); }

}  // namespace hloroof::inline v0
