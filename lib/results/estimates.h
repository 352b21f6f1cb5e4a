// Compares model times with the compiler's own estimates (estimated_cycles) and says which to trust.
//
// The compiler's estimates have premises that differ from the machine: they are made before arrays are placed in VMEM,
// take 16-bit elements for 32-bit ones, and have no links. Which premise matters for an op follows from its work.
#ifndef HLOROOF_LIB_RESULTS_ESTIMATES_H_
#define HLOROOF_LIB_RESULTS_ESTIMATES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/predict.h"

namespace hloroof::internal::inline results {

enum class Believe : std::uint8_t { kModel, kCompiler, kEither, kMeasure };
inline constexpr std::string_view kBelieveNames[] = {"model", "compiler", "either", "measure"};
inline std::string_view believe_name(Believe believe) { return kBelieveNames[static_cast<int>(believe)]; }

enum class EstimateReason : std::uint8_t {
#define HLOROOF_ESTIMATE_REASON(enumerator, believe, text) enumerator,
#include "lib/results/estimate_reason.def"
#undef HLOROOF_ESTIMATE_REASON
};

struct EstimatedOp {
  InstructionId id;
  std::string name;
  double executions = 1;
  double model_seconds = 0;     // of one execution
  double compiler_seconds = 0;  // of one execution
  Resource bound = Resource::kLatency;
  EstimateReason reason = EstimateReason::kSamePremises;

  double ratio() const { return model_seconds / compiler_seconds; }
  Believe believe() const;
  std::string_view why() const;
};

// Two times that differ by a larger factor are far apart: tests/accuracy counts 85 to 97 of 100 estimates within it,
// on equal premises.
inline constexpr double kNearRatio = 1.6;

// Returns the executed ops for which the dump states an estimate, those with the most time in the step first. Reads
// prediction.facts; empty without them.
std::vector<EstimatedOp> estimated_ops(const StepPrediction& prediction);

}  // namespace hloroof::internal::inline results

#endif  // HLOROOF_LIB_RESULTS_ESTIMATES_H_
