// Checks the cost_estimate of a kernel without a body. It is a claim of the kernel's author: it may be a hint to the
// scheduler, count what a mask drops, or be absurd.
#ifndef HLOROOF_LIB_WORK_STATED_COST_H_
#define HLOROOF_LIB_WORK_STATED_COST_H_

#include <optional>
#include <string>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/values/backend_config.h"

namespace hloroof::internal::inline work {

// The numbers of a cost_estimate that the shapes of a call allow.
struct StatedCost {
  std::optional<double> flops;
  std::optional<double> transcendentals;
  std::optional<double> bytes;
  std::vector<std::string> remarks;  // sentences: which number is refused, and why
};

// The bounds that the shapes of a call set to its work.
struct WorkBounds {
  double most_flops = 0;
  double least_bytes = 0;  // of results that do not share the memory of an operand
  double most_bytes = 0;
};

// Each pair of arrays may be multiplied once, and each element may take a few hundred other operations. Each array may
// be read once for every 8 rows of the largest one.
WorkBounds work_bounds(InstructionView call);

StatedCost check_stated_cost(InstructionView call, const CostEstimate& estimate);

// Replaces the work that was counted from shapes, between `least_share` of it and all of it, by what the author states
// if that lies between. The author may know a mask that the text does not have. Returns a sentence that says which is
// used, and why; empty if the author states no operations.
std::string reconcile(const CostEstimate& estimate, double least_share, Work& work);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_STATED_COST_H_
