// Counts work by the physical convention: the work of the hardware, not the numbers that XLA's analysis prints
// (hloroof/cost.h).
//
// Bytes are padded and split by memory space. Only the parts that an instruction touches count: slices, gathers and
// in-place updates are followed through bitcasts, reshapes, converts, copies and nested fusions. A fusion reads each
// parameter once, however many users the parameter has, and data passed between its instructions is free. An
// asynchronous pair is counted at its start. Work is that of ONE execution; CallGraph gives the number of executions.
#ifndef HLOROOF_LIB_WORK_WORK_H_
#define HLOROOF_LIB_WORK_WORK_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/base/paged_table.h"
#include "lib/values/backend_config.h"

namespace hloroof::internal::inline work {

class KernelRuns;

// A sector of a GPU's level-2 cache: what the shortest access reads, and what one atomic operation updates.
constexpr double kSectorBytes = 32;

struct WorkOptions {
  std::vector<CustomCallCost> custom_calls;  // matched by target; the first match applies
  std::vector<KernelList> kernel_lists;
  std::shared_ptr<KernelRuns> kernels;  // kept between calls; null: those of one call
};

// The number of steps of the compiler's loop over windows along its bounds from `first` on; 1 if there are no such
// bounds.
double loop_steps(const WindowConfig& config, std::size_t first = 0);

// The work of one execution of `instruction`. Instructions that run another schedule (while, conditional, call) have
// none: their work is that of the instructions inside. A collective's `wire_bytes` remains 0, because it depends on the
// groups; collective_cost() computes it.
Work compute_work(InstructionView instruction, const WorkOptions& options = {});

// The work of every instruction in a scheduled computation of `calls`, indexed by InstructionId. Other entries are
// empty. Instructions with the same work share it.
PagedTable<Shared<Work>> compute_work(const Module& module, const CallGraph& calls, const WorkOptions& options = {});

// The work of the given instructions, in the same order.
std::vector<Work> compute_work(const Module& module, absl::Span<const InstructionId> instructions,
                               const WorkOptions& options = {});

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_WORK_H_
