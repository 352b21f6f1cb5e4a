#include "lib/fronts/python/edited_module.h"

#include <utility>

#include "lib/base/strings.h"
#include "lib/fronts/python/errors.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline python {
namespace {

// Notes that a rollback has freed the ids from `left` to `before`.
void count_freed(std::vector<std::uint32_t>& ages, std::size_t left, std::size_t before) {
  if (left >= before) return;
  if (ages.size() < before) ages.resize(before, 0);
  for (std::size_t i = left; i < before; ++i) ++ages[i];
}

}  // namespace

EditedModule::EditedModule(const Module& module)
    : module_(std::make_unique<Module>(module)), editor_(std::make_unique<ModuleEditor>(*module_)) {}

absl::StatusOr<Predictor*> EditedModule::predictor() {
  if (predictor_) return &*predictor_;
  return invalid_argument("this editor has no device; give one, as in hloroof.Editor(module, \"tpu_v5e\")");
}

Checkpoint EditedModule::checkpoint() { return predictor_ ? predictor_->checkpoint() : editor_->checkpoint(); }

absl::Status EditedModule::release(const Checkpoint& checkpoint) {
  return predictor_ ? predictor_->release(checkpoint) : editor_->release(checkpoint);
}

absl::Status EditedModule::rollback(const Checkpoint& checkpoint) {
  const std::size_t instructions = module().instruction_limit();
  const std::size_t computations = module().computation_limit();
  absl::Status status = predictor_ ? predictor_->rollback(checkpoint) : editor_->rollback(checkpoint);
  count_freed(instruction_ages_, module().instruction_limit(), instructions);
  count_freed(computation_ages_, module().computation_limit(), computations);
  return status;
}

InstructionHandle::InstructionHandle(SharedModule module, InstructionId of)
    : owner(std::move(module)), id(of), age(owner->age(of)) {}

bool InstructionHandle::is_alive() const { return owner->age(id) == age && owner->edit().is_alive(id); }

InstructionView InstructionHandle::view() const {
  if (is_alive()) return owner->module().instruction(id);
  raise(invalid_argument("this instruction has been erased, or taken back by a rollback"));
}

ComputationHandle::ComputationHandle(SharedModule module, ComputationId of)
    : owner(std::move(module)), id(of), age(owner->age(of)) {}

bool ComputationHandle::is_alive() const {
  const Module& module = owner->module();
  if (!id.valid() || id.index >= module.computation_limit() || owner->age(id) != age) return false;
  // An erased computation keeps its instructions, which are erased.
  const InstructionId first = row_of(module, id).first;
  return !first.valid() || owner->edit().is_alive(first);
}

ComputationView ComputationHandle::view() const {
  if (is_alive()) return owner->module().computation(id);
  raise(invalid_argument("this computation has been erased, or taken back by a rollback"));
}

}  // namespace hloroof::internal::inline python
