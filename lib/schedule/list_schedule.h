// Orders the instructions of a module that no compiler has scheduled yet.
//
// This is a list schedule on two kinds of resources: one compute stream, and the lanes that carry collectives. The
// stream runs the first instruction in text order whose operands are available. Text order keeps buffer lifetimes close
// to those in the program. If the next instruction would wait for a transfer, the stream skips to the first one that
// need not wait. A collective starts as soon as its operands are available and its lane is free, but a lane has at most
// Scheduling::transfers_ahead transfers whose results are unused.
#ifndef HLOROOF_LIB_SCHEDULE_LIST_SCHEDULE_H_
#define HLOROOF_LIB_SCHEDULE_LIST_SCHEDULE_H_

#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/module.h"
#include "lib/base/paged_table.h"
#include "lib/schedule/demand.h"

namespace hloroof::internal::inline schedule {

// `order` is indexed by ComputationId, `waits` by InstructionId. A default-constructed schedule means text order.
struct ListSchedule {
  std::vector<std::vector<InstructionId>> order;
  std::vector<std::vector<InstructionId>> waits;  // transfers that an instruction waits for, besides those of its pair

  bool empty() const { return order.empty(); }
};

// Returns `demand`, the demand of `instruction`, with a synchronous collective turned into a transfer. The compiler's
// own scheduler would split the collective in the same way.
Demand split_collective(InstructionView instruction, const Demand& demand);

// Orders the instructions of all scheduled computations. Each instruction appears once, after its operands and control
// predecessors.
ListSchedule list_schedule(const Module& module, const CallGraph& calls, const PagedTable<Demand>& demands,
                           const Scheduling& rules);

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_LIST_SCHEDULE_H_
