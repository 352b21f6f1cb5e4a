// The final code of an op of a prediction with PredictOptions::code.
#ifndef HLOROOF_LIB_EXPLAIN_OP_CODE_H_
#define HLOROOF_LIB_EXPLAIN_OP_CODE_H_

#include <cstddef>
#include <optional>
#include <string>

#include "hloroof/predict.h"
#include "lib/code/code_rows.h"

namespace hloroof::internal::inline explain {

// With its place in the user's program, and the time of the model beside it. Nullopt if the prediction has no code of
// the op.
std::optional<CodeRow> op_code(const StepPrediction& prediction, const OpPrediction& op);

// What `hloroof bundles` writes about it.
std::string explain_code(const StepPrediction& prediction, const CodeRow& row, std::size_t width);

}  // namespace hloroof::internal::inline explain

#endif  // HLOROOF_LIB_EXPLAIN_OP_CODE_H_
