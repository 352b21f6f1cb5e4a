// A module that Python edits, and the handles of its parts.
//
// A handle keeps the module alive. It may outlive what it names, by an erasure or a rollback, whose ids later edits use
// again: it then raises InvalidInputError instead of naming something else.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_EDITED_MODULE_H_
#define HLOROOF_LIB_FRONTS_PYTHON_EDITED_MODULE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/edit.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"

namespace hloroof::internal::inline python {

class EditedModule {
 public:
  // The module is a copy: what Python parsed stays as it is.
  explicit EditedModule(const Module& module);
  // With a predictor, which follows the edits.
  explicit EditedModule(Predictor predictor) : predictor_(std::move(predictor)) {}

  const Module& module() const { return predictor_ ? predictor_->module() : *module_; }
  ModuleEditor& edit() { return predictor_ ? predictor_->edit() : *editor_; }
  // Errors: InvalidArgument if there is no device to predict for.
  absl::StatusOr<Predictor*> predictor();

  // Those of the predictor, or of the editor if there is none.
  Checkpoint checkpoint();
  absl::Status rollback(const Checkpoint& checkpoint);
  absl::Status release(const Checkpoint& checkpoint);

  // How often a rollback has freed the id.
  std::uint32_t age(InstructionId id) const { return age_of(instruction_ages_, id.index); }
  std::uint32_t age(ComputationId id) const { return age_of(computation_ages_, id.index); }

 private:
  static std::uint32_t age_of(const std::vector<std::uint32_t>& ages, std::size_t index) {
    return index < ages.size() ? ages[index] : 0;
  }

  std::unique_ptr<Module> module_;  // these two: without a predictor
  std::unique_ptr<ModuleEditor> editor_;
  std::optional<Predictor> predictor_;
  std::vector<std::uint32_t> instruction_ages_;  // by id; 0 beyond the end
  std::vector<std::uint32_t> computation_ages_;
};

using SharedModule = std::shared_ptr<EditedModule>;

struct InstructionHandle {
  SharedModule owner;
  InstructionId id;
  std::uint32_t age = 0;

  InstructionHandle() = default;
  InstructionHandle(SharedModule module, InstructionId of);
  bool is_alive() const;
  // Throws InvalidInputError if it is not alive.
  InstructionView view() const;

  friend bool operator==(const InstructionHandle&, const InstructionHandle&) = default;
};

struct ComputationHandle {
  SharedModule owner;
  ComputationId id;
  std::uint32_t age = 0;

  ComputationHandle() = default;
  ComputationHandle(SharedModule module, ComputationId of);
  bool is_alive() const;
  ComputationView view() const;

  friend bool operator==(const ComputationHandle&, const ComputationHandle&) = default;
};

// A shape of the module. Shapes stay as long as it.
struct ShapeHandle {
  SharedModule owner;
  ShapeId id;

  const Shape& shape() const { return owner->module().shape(id); }
};

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_EDITED_MODULE_H_
