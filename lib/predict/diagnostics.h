// Diagnostics: limitations of a prediction and advice for the reader who acts on it.
#ifndef HLOROOF_LIB_PREDICT_DIAGNOSTICS_H_
#define HLOROOF_LIB_PREDICT_DIAGNOSTICS_H_

#include "hloroof/predict.h"
#include "lib/predict/facts.h"

namespace hloroof::internal {

// Minimum share of the step or of the capacity. Findings below it are noise.
inline constexpr double kWorthOfStep = 0.01;
inline constexpr double kWorthOfMemory = 0.01;

// Every code with its meaning and the suggested action, most important first.
struct DiagnosisKind {
  DiagnosticCode code;
  std::string_view name;  // "unknown-trip-count"
  std::string_view meaning;
};
Span<DiagnosisKind> diagnosis_kinds();

// Appends findings about the origin of the module: its backend, its generation and its stage.
void diagnose_origin(const StepFacts& facts, StepPrediction& prediction);

// Whether a finding says that the module is not one that the device would run. Such a finding precedes all results.
bool is_about_origin(const Diagnostic& diagnostic);

// Appends findings about what the text has, lacks or contradicts: unknown opcodes, a missing ENTRY, operands that do
// not fit together.
void diagnose_text(const StepFacts& facts, StepPrediction& prediction);

// Appends findings about single ops to prediction.diagnostics.
void diagnose_ops(const StepFacts& facts, StepPrediction& prediction);

// Appends a finding to prediction.diagnostics for each number that the device file lacks and the time of some op needs.
void diagnose_device_numbers(const Device& device, const CollectiveCosts& collectives, StepPrediction& prediction);

// Appends all findings to prediction.diagnostics, ordered by severity and then by cost, highest first.
// Findings about the origin come before all others. All other
// members of the prediction must be filled in.
void diagnose(const StepFacts& facts, bool memory_complete, StepPrediction& prediction);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_PREDICT_DIAGNOSTICS_H_
