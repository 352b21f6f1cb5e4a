// What edits have overwritten since the checkpoints of a ModuleEditor.
//
// A rollback restores the overwritten entries of each table, the last one first, and then cuts the tables to their
// lengths at the checkpoint. Its cost is therefore proportional to the edits. Entries that are newer than the last
// checkpoint are not logged. Texts and shapes that edits added remain, because equal ones are stored once.
#ifndef HLOROOF_LIB_EDIT_UNDO_LOG_H_
#define HLOROOF_LIB_EDIT_UNDO_LOG_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/module.h"
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

}  // namespace hloroof::internal::inline edit

#endif  // HLOROOF_LIB_EDIT_UNDO_LOG_H_
