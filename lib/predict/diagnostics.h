// What a reader should know about a prediction before believing it or acting on it.
#ifndef HLOROOF_LIB_PREDICT_DIAGNOSTICS_H_
#define HLOROOF_LIB_PREDICT_DIAGNOSTICS_H_

#include "hloroof/analysis.h"
#include "hloroof/predict.h"
#include "lib/predict/costs.h"

namespace hloroof::inline v0 {

// Codes are stable: scripts match on them.
inline constexpr std::string_view kUnknownOpcode = "unknown-opcode";
inline constexpr std::string_view kUnknownAttribute = "unknown-attribute";
inline constexpr std::string_view kUnknownCustomCall = "unknown-custom-call";
inline constexpr std::string_view kUnknownTripCount = "unknown-trip-count";
inline constexpr std::string_view kMissingOperand = "missing-operand";
inline constexpr std::string_view kMissingComputation = "missing-computation";
inline constexpr std::string_view kUnscheduled = "unscheduled";
inline constexpr std::string_view kMemoryOverCapacity = "memory-over-capacity";
inline constexpr std::string_view kMemoryIncomplete = "memory-incomplete";
inline constexpr std::string_view kPaddingWaste = "padding-waste";
inline constexpr std::string_view kModelDiffers = "model-differs-from-compiler";
inline constexpr std::string_view kUntunedBlocks = "untuned-blocks";
inline constexpr std::string_view kMeshAssumed = "mesh-assumed";
inline constexpr std::string_view kExposedCommunication = "exposed-communication";

inline constexpr std::string_view kLayoutChange = "layout-change";
inline constexpr std::string_view kMatrixUnderfilled = "matrix-underfilled";
inline constexpr std::string_view kWideMatrixType = "matrix-in-f32";
inline constexpr std::string_view kNarrowUpdate = "narrow-update";
inline constexpr std::string_view kPrefetchStall = "prefetch-stall";
inline constexpr std::string_view kHostTransfer = "host-transfer-exposed";
inline constexpr std::string_view kBranchImbalance = "branch-imbalance";
inline constexpr std::string_view kGatherThenCut = "gather-then-cut";
inline constexpr std::string_view kLatencyBoundLoop = "latency-bound-loop";
inline constexpr std::string_view kCrossoverNotReached = "crossover-not-reached";
inline constexpr std::string_view kCollectiveDominates = "communication-dominates";
inline constexpr std::string_view kReplicatedParameter = "replicated-parameter";
inline constexpr std::string_view kDonationMissed = "donation-missed";

// Every code with what it means and what to try, in the order in which they matter.
struct DiagnosisKind {
  std::string_view code;
  std::string_view meaning;
};
const std::vector<DiagnosisKind>& diagnosis_kinds();

// Findings about single ops, appended to prediction.diagnostics.
void diagnose_ops(const Module& module, const CallGraph& calls, const Device& device,
                  const CollectiveCosts& collectives, StepPrediction& prediction);

// Appends to prediction.diagnostics, the most severe first and among those the most costly. The prediction is complete
// but for them.
void diagnose(const Module& module, const CallGraph& calls, const Device& device, const CollectiveCosts& collectives,
              bool memory_complete, StepPrediction& prediction);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_PREDICT_DIAGNOSTICS_H_
