// An order for the instructions of a module that no compiler has scheduled yet.
//
// A list schedule on two kinds of resources: one compute stream, and the lanes that carry collectives. The stream takes
// the first instruction in the order of the text whose operands are there, so that buffers live about as long as the
// program has them; where the next one would wait for a transfer, it goes on with the first that need not. A collective
// starts as soon as its operands are there and its lane is free, at most kAhead before their use.
#ifndef HLOROOF_LIB_SCHEDULE_LIST_SCHEDULE_H_
#define HLOROOF_LIB_SCHEDULE_LIST_SCHEDULE_H_

#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/module.h"
#include "lib/schedule/demand.h"

namespace hloroof::inline v0 {

// Tables by ComputationId and InstructionId. Default-constructed: the order of the text.
struct ListSchedule {
  std::vector<std::vector<InstructionId>> order;
  std::vector<std::vector<InstructionId>> waits;  // transfers whose end an instruction needs, beside those of its pair

  bool empty() const { return order.empty(); }
};

// Turns synchronous collectives into transfers, as the compiler's own scheduler would split them.
void split_collectives(const Module& module, const CallGraph& calls, std::vector<Demand>& demands);

// Every instruction of a scheduled computation once, operands and control predecessors first.
ListSchedule list_schedule(const Module& module, const CallGraph& calls, const std::vector<Demand>& demands);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_SCHEDULE_LIST_SCHEDULE_H_
