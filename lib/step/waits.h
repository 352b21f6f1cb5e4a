// Work, wait and overhead: what the compute stream does in each part of the step.
#ifndef HLOROOF_LIB_STEP_WAITS_H_
#define HLOROOF_LIB_STEP_WAITS_H_

namespace hloroof {
inline namespace v0 {
struct StepPrediction;
}  // namespace v0
}  // namespace hloroof

namespace hloroof::internal::inline step {

struct StepFacts;

// Fills in the waits, the overhead and the limit of each op in prediction.ops.
void list_waits(const StepFacts& facts, StepPrediction& prediction);

// Fills in prediction.breakdown, after list_waits(). A wait counts for the link of the transfer that causes it, which
// may be one that the awaited transfer queues behind.
void list_breakdown(const StepFacts& facts, StepPrediction& prediction);

// The seconds of the breakdown in which ops run, without waits and without collectives that are ops. They run one after
// another, so that nothing can hide more than they take.
double op_seconds(const StepPrediction& prediction);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_WAITS_H_
