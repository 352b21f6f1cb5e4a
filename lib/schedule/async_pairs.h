// Finds the instructions that start asynchronous work, which overlaps the
// compute stream, and the instructions that wait for it to end.
#ifndef HLOROOF_LIB_SCHEDULE_ASYNC_PAIRS_H_
#define HLOROOF_LIB_SCHEDULE_ASYNC_PAIRS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/analysis.h"
#include "hloroof/module.h"
#include "lib/ir/opcode_facts.h"

namespace hloroof::internal::inline schedule {

// The opcode determines the role. For a fusion, its contents do: TPU compilers
// split a collective into steps and wrap the first and last step in fusions
// that end in the custom calls AsyncCollectiveStart and AsyncCollectiveDone.
// They put the steps in between into fusions that contain the same collective
// together with a matmul. Those fusions run like any other, so their role is
// not kUpdate.
AsyncRole async_role(InstructionView instruction);

// Whether a value of this shape is a semaphore: a scalar in memory space 2.
bool is_semaphore(const Shape& shape);

// True for a fusion that carries a step of a collective started elsewhere. The
// cost of that collective belongs to the start.
bool carries_collective_step(InstructionView fusion);

// Maps every done to the starts whose transfer it may wait for. There is
// usually one, and there are two where a loop passes the transfer on to its
// next iteration.
class AsyncPairs {
 public:
  bool empty() const { return dones_.empty(); }
  absl::Span<const InstructionId> starts_of(InstructionId done) const {
    if (done.index >= traces_.size() || traces_[done.index] == kNone) return {};
    return dones_[traces_[done.index]].starts;
  }

  // Updates the pairs after edits. `edited` lists the instructions that were
  // inserted or erased, and those whose operands, attributes or fused contents
  // changed. Adds to `changed` the dones whose starts changed.
  void update(const Module& module, const CallGraph& calls, absl::Span<const InstructionId> edited,
              std::vector<InstructionId>& changed);
  // Forgets the instructions from module.instruction_limit() on, which have been erased.
  void cut(const Module& module);

 private:
  friend AsyncPairs pair_async(const Module& module, const CallGraph& calls);
  friend class Tracer;
  static constexpr std::uint32_t kNone = 0xffffffffu;

  struct Done {
    InstructionId id;
    std::vector<InstructionId> starts;
    std::vector<InstructionId> looked_at;  // instructions that the starts depend on; some more than once
  };
  // Cached facts about one instruction, because scanning fusions is slow.
  struct Known {
    bool role_known = false;
    bool step_known = false;
    bool is_step = false;  // carries_collective_step
    AsyncRole role = AsyncRole::kNone;
  };

  AsyncRole role(InstructionView instruction);
  bool is_step(InstructionView fusion);
  // Whether a walk from a done back to its starts ends at an instruction without finding one, whatever its operands.
  bool ends_walks(InstructionView at);

  std::vector<std::uint32_t> traces_;  // by InstructionId of a done: index of dones_
  std::vector<Done> dones_;
  std::vector<Known> known_;  // by InstructionId
};

// Follows the operands of every done back to its starts, through tuples, loop
// state and calls.
AsyncPairs pair_async(const Module& module, const CallGraph& calls);

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_ASYNC_PAIRS_H_
