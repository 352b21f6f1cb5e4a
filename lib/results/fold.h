// Folds ops that are alike into one row. A program repeats the same op for each layer, and one row of all repetitions
// says more than many small ones.
#ifndef HLOROOF_LIB_RESULTS_FOLD_H_
#define HLOROOF_LIB_RESULTS_FOLD_H_

#include <cstddef>
#include <string>
#include <vector>

#include "hloroof/predict.h"

namespace hloroof::internal::inline results {

// Ops with equal opcode, category, output shape and op_name, except for numbers in the op_name. The names of the
// instructions do not matter.
struct FoldedRow {
  std::string name;                // of the representative, so that `explain` accepts it
  std::size_t representative = 0;  // index in StepPrediction::ops of the op with the most time
  std::vector<std::size_t> ops;    // indices in StepPrediction::ops, in program order
  double executions = 0;           // the sum
  double seconds = 0;              // of the step: the time that the compute stream spends or waits
  double share = 0;                // of the step

  std::size_t count() const { return ops.size(); }
};

// Whether the op belongs into a table of times. Structural ops (tuples, parameters, bitcasts) take no time.
bool takes_time(const OpPrediction& op);

// The rows with the most time first, of all ops for which takes_time(). Their sum is the step. Requires the facts of
// the prediction for the output shapes; without them, shapes do not matter.
std::vector<FoldedRow> fold_rows(const StepPrediction& prediction);

}  // namespace hloroof::internal::inline results

#endif  // HLOROOF_LIB_RESULTS_FOLD_H_
