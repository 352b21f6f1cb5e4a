// Edits of collectives.
//
//   absl::StatusOr<StartAndDone> split = split_collective(edit, all_gather);
//   if (split.ok()) status = edit.move_before(split->start, product);         // or that of hloroof/order.h
#ifndef HLOROOF_COLLECTIVE_EDITS_H_
#define HLOROOF_COLLECTIVE_EDITS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "hloroof/edit.h"
#include "hloroof/module.h"

namespace hloroof {
inline namespace v0 {

// A channel_id that no instruction of the module has: one more than the largest, at least 1. Takes time linear in the
// size of the module. Errors: OutOfRange if there is none.
absl::StatusOr<std::int64_t> next_channel_id(const Module& module);

struct StartAndDone {
  InstructionId start;
  InstructionId done;
};

// Replaces an all-gather, an all-reduce or a collective-permute by its start and its done, in the same place. The start
// has the attributes, with the same channel, and the done the metadata. Errors: InvalidArgument if `id` is another
// instruction; Unimplemented if it has control edges. A failing edit changes nothing.
absl::StatusOr<StartAndDone> split_collective(ModuleEditor& edit, InstructionId id);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_COLLECTIVE_EDITS_H_
