// The FLOPs of a step that its model does not ask for: products that the backward pass computes again, and products
// that several devices compute with the same operands. Model FLOP utilization counts neither, hardware FLOP utilization
// counts both. Source of the two terms: PaLM (arXiv:2204.02311), appendix B.
#ifndef HLOROOF_LIB_STEP_MODEL_FLOPS_H_
#define HLOROOF_LIB_STEP_MODEL_FLOPS_H_

#include "hloroof/predict.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline step {

// Fills in OpPrediction::is_recomputed and OpPrediction::copies_on_devices of the ops with products, and
// recomputed_flops, redundant_flops and mfu of `result`. Its ops, totals and hfu must be filled in.
void find_model_flops(const StepFacts& facts, StepPrediction& result);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_MODEL_FLOPS_H_
