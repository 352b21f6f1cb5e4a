// The time of one execution of an instruction, with the collectives that it carries, as a tree of terms.
#ifndef HLOROOF_LIB_STEP_EXECUTION_TERMS_H_
#define HLOROOF_LIB_STEP_EXECUTION_TERMS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/predict.h"
#include "hloroof/shape.h"
#include "lib/time/terms.h"

namespace hloroof::internal::inline step {

struct StepFacts;

// Returns the terms of OpPrediction::seconds of the instruction: on an otherwise idle machine, before the schedule. The
// term of an instruction that takes no time has zero seconds and no children.
Term execution_terms(const StepFacts& facts, InstructionId id);

// For each op, the position of the first op that has the same terms, because it has the same work and carries the same
// collectives.
std::vector<std::uint32_t> first_with_same_terms(const StepFacts& facts, absl::Span<const OpPrediction> ops);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_EXECUTION_TERMS_H_
