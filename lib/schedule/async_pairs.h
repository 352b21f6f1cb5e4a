// Which instructions start something that goes on beside the compute stream,
// and which wait for it to end.
#ifndef HLOROOF_LIB_SCHEDULE_ASYNC_PAIRS_H_
#define HLOROOF_LIB_SCHEDULE_ASYNC_PAIRS_H_

#include <cstdint>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/module.h"

namespace hloroof::inline v0 {

enum class AsyncRole : std::uint8_t {
  kNone,
  kStart,
  kUpdate,  // stands between the two; waits for nothing
  kDone,
};

// By the opcode; of a fusion by what it holds: TPU compilers wrap a collective
// that they cut into steps in fusions that end in the custom calls
// AsyncCollectiveStart and AsyncCollectiveDone, and put the steps between into
// fusions that hold the same collective beside a matmul (kUpdate here does not
// apply to those: they run like any other fusion).
AsyncRole async_role(InstructionView instruction);

// True for a fusion that carries a step of a collective started elsewhere: the
// collective in it is the start's work.
bool carries_collective_step(InstructionView fusion);

// For every done the starts whose transfer it can be waiting for: usually one;
// two where a loop hands the transfer on to its next iteration.
class AsyncPairs {
 public:
  Span<InstructionId> starts_of(InstructionId done) const {
    if (done.index >= traces_.size() || traces_[done.index] == kNone) return {};
    return dones_[traces_[done.index]].starts;
  }

  // Brings the pairs up to date after edits of `edited`: instructions whose
  // operands, attributes or insides are others, that came, or that went. Marks
  // in `changed` (by ComputationId) where a done waits for something else.
  void update(const Module& module, const CallGraph& calls, Span<InstructionId> edited, std::vector<bool>& changed);

 private:
  friend AsyncPairs pair_async(const Module& module, const CallGraph& calls);
  friend class Tracer;
  static constexpr std::uint32_t kNone = 0xffffffffu;

  struct Done {
    InstructionId id;
    std::vector<InstructionId> starts;
    std::vector<InstructionId> looked_at;  // what the answer depends on, ascending
  };
  // What is known of one instruction; looking into fusions takes time.
  struct Known {
    bool role_known = false;
    bool step_known = false;
    bool is_step = false;  // carries_collective_step
    AsyncRole role = AsyncRole::kNone;
  };

  AsyncRole role(InstructionView instruction);
  bool is_step(InstructionView fusion);

  std::vector<std::uint32_t> traces_;  // by InstructionId of a done: index of dones_
  std::vector<Done> dones_;
  std::vector<Known> known_;  // by InstructionId
};

// Follows the operands of every done back to starts, through tuples, loop
// states and calls.
AsyncPairs pair_async(const Module& module, const CallGraph& calls);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_SCHEDULE_ASYNC_PAIRS_H_
