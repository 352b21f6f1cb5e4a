// What a collective that the compiler combined from several is of. Its op_name is that of one of them, so that it would
// count for one layer.
#ifndef HLOROOF_LIB_RESULTS_COMBINED_H_
#define HLOROOF_LIB_RESULTS_COMBINED_H_

#include <cstdint>
#include <map>
#include <string>

#include "hloroof/predict.h"

namespace hloroof::internal::inline results {

// "gradients (99 arrays)", "weights (4 arrays)" or, if the roles do not say what it moves, "all-reduce (3 arrays)", by
// the InstructionId of the ops that perform collectives of several arrays and of those that wait for them. Empty if the
// prediction has no facts.
std::map<std::uint32_t, std::string> combined_collectives(const StepPrediction& prediction);

}  // namespace hloroof::internal::inline results

#endif  // HLOROOF_LIB_RESULTS_COMBINED_H_
