// The edits that a ModuleEditor made. Only one reader can use the log, because reading clears it.
#ifndef HLOROOF_LIB_EDIT_EDIT_LOG_H_
#define HLOROOF_LIB_EDIT_EDIT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/edit.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof::internal::inline edit {

// One change of one instruction, from which a Predictor determines what is stale.
struct Edit {
  enum class Kind : std::uint8_t {
    kShape,
    kOperands,
    kAttributes,
    kInserted,
    kErased,
    kMoved,
    kRoot,        // became the root of its computation, or ceased to be it
    kEverything,  // no instruction: results about any may be stale
  };
  InstructionId instruction;
  Kind kind = Kind::kShape;
  ShapeId old_shape;                          // for kShape
  AttributeKey key = AttributeKey::kUnknown;  // for kAttributes
  // For kOperands, if all operands that changed were one instruction and are another one now; else invalid.
  InstructionId old_operand;
  InstructionId new_operand;
};

// A friend of the editor, without state.
struct EditLog {
  // Returns the edits since the last call, in order, and clears the log.
  static std::vector<Edit> take(ModuleEditor& editor);

  // The two halves of a rollback. Between them the instructions that vanish are there, but erased, so that the reader
  // can take the edits and forget them. `level` is that of level_of().
  static absl::StatusOr<std::size_t> level_of(const ModuleEditor& editor, const Checkpoint& checkpoint);
  static bool restore(ModuleEditor& editor, std::size_t level);
  static void cut_tables(ModuleEditor& editor, std::size_t level);
  // The lengths of the tables after that.
  static std::size_t instructions_at(const ModuleEditor& editor, std::size_t level);
  static std::size_t computations_at(const ModuleEditor& editor, std::size_t level);

  // Increases with every checkpoint of any editor.
  static std::uint64_t checkpoints();
  static std::uint64_t next_checkpoint();
  static std::uint64_t number(const Checkpoint& checkpoint) { return checkpoint.serial_; }
};

}  // namespace hloroof::internal::inline edit

#endif  // HLOROOF_LIB_EDIT_EDIT_LOG_H_
