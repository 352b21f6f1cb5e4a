// The edits that a ModuleEditor made. Only one reader can use the log, because reading clears it.
#ifndef HLOROOF_LIB_EDIT_EDIT_LOG_H_
#define HLOROOF_LIB_EDIT_EDIT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/edit.h"

namespace hloroof::internal::inline edit {

// A friend of ModuleEditor, without state.
struct EditLog {
  // Returns the edits since the last call, in order, and clears the log.
  static std::vector<Edit> take(ModuleEditor& editor) {
    if (!editor.edits_.empty()) ++editor.times_taken_;
    return std::exchange(editor.edits_, {});
  }

  // The two halves of a rollback. Between them the instructions that vanish are there, but erased, so that the reader
  // can take the edits and forget them. `level` is that of level_of().
  static absl::StatusOr<std::size_t> level_of(const ModuleEditor& editor, const Checkpoint& checkpoint) {
    return editor.level_of(checkpoint);
  }
  static bool restore(ModuleEditor& editor, std::size_t level) { return editor.restore(level); }
  static void cut_tables(ModuleEditor& editor, std::size_t level) { editor.cut_tables(level); }
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
