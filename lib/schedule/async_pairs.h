// Which instructions start something that goes on beside the compute stream, and which wait for it to end.
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

// By the opcode; of a fusion by what it holds: TPU compilers wrap a collective that they cut into steps in fusions that
// end in the custom calls AsyncCollectiveStart and AsyncCollectiveDone, and put the steps between into fusions that
// hold the same collective beside a matmul (kUpdate here does not apply to those: they run like any other fusion).
AsyncRole async_role(InstructionView instruction);

// True for a fusion that carries a step of a collective started elsewhere: the collective in it is the start's work.
bool carries_collective_step(InstructionView fusion);

// For every done the starts whose transfer it can be waiting for: usually one; two where a loop hands the transfer on
// to its next iteration.
class AsyncPairs {
 public:
  Span<InstructionId> starts_of(InstructionId done) const {
    const Range range = ranges_[done.index];
    return {starts_.data() + range.begin, range.count};
  }

 private:
  friend AsyncPairs pair_async(const Module& module, const CallGraph& calls);
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
  };
  std::vector<Range> ranges_;  // by InstructionId
  std::vector<InstructionId> starts_;
};

// Follows the operands of every done back to starts, through tuples, loop states and calls.
AsyncPairs pair_async(const Module& module, const CallGraph& calls);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_SCHEDULE_ASYNC_PAIRS_H_
