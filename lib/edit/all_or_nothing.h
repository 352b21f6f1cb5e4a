// What edits that are made of several others share.
#ifndef HLOROOF_LIB_EDIT_ALL_OR_NOTHING_H_
#define HLOROOF_LIB_EDIT_ALL_OR_NOTHING_H_

#include "absl/status/status.h"
#include "hloroof/edit.h"

namespace hloroof::internal::inline edit {

// Makes edits, and takes them back if one fails. `edits` returns the first error.
template <typename Edits>
absl::Status all_or_nothing(ModuleEditor& edit, Edits&& edits) {
  const Checkpoint before = edit.checkpoint();
  const absl::Status status = edits();
  if (!status.ok()) {
    if (absl::Status undone = edit.rollback(before); !undone.ok()) return undone;
  }
  if (absl::Status released = edit.release(before); !released.ok()) return released;
  return status;
}

// Whether a control edge begins or ends at an instruction. Takes time linear in the size of its computation.
bool has_control_edges(InstructionView instruction);

// An attribute of an instruction, as it is set on another.
NewAttribute attribute_of(InstructionView instruction, AttributeKey key);

}  // namespace hloroof::internal::inline edit

#endif  // HLOROOF_LIB_EDIT_ALL_OR_NOTHING_H_
