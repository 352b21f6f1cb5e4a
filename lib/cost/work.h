// The physical convention of counting work: what the hardware does, as against what XLA's analysis prints (counts.h).
//
// Bytes are padded, split by memory space, and only the parts an instruction touches count: slices, gathers and
// in-place updates are seen through bitcasts, reshapes, converts, copies and nested fusions. A fusion reads each
// parameter once however many users it has, and what passes between its instructions is free. An asynchronous pair is
// counted at its start. Work is of ONE execution; CallGraph says how many there are.
#ifndef HLOROOF_LIB_COST_WORK_H_
#define HLOROOF_LIB_COST_WORK_H_

#include <cstddef>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/backend_config.h"
#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"

namespace hloroof::inline v0 {

struct WorkOptions {
  std::vector<CustomCallCost> custom_calls;  // by target; the first that matches counts
};

// Steps of the compiler's loop over windows along its bounds from `first` on; 1 where it has none there.
double loop_steps(const WindowConfig& config, std::size_t first = 0);

// The work of one execution of `instruction`. Instructions that run a schedule of their own (while, conditional, call)
// have none: theirs is that of the instructions inside. A collective's `wire_bytes` is left at 0 for
// lib/cost/collective.h, which knows the groups.
Work compute_work(InstructionView instruction, const WorkOptions& options = {});

// The work of every instruction in a scheduled computation of `calls`, indexed by InstructionId; empty elsewhere.
std::vector<Work> compute_work(const Module& module, const CallGraph& calls, const WorkOptions& options = {});

// The work of some instructions, in their order.
std::vector<Work> compute_work(const Module& module, Span<InstructionId> instructions, const WorkOptions& options = {});

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_WORK_H_
