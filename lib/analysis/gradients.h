// Finds the collectives that reduce gradients, for the question what copies of a program exchange that train in
// parallel.
#ifndef HLOROOF_LIB_ANALYSIS_GRADIENTS_H_
#define HLOROOF_LIB_ANALYSIS_GRADIENTS_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/analysis.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline analysis {

// Returns the indices of the all-reduces and reduce-scatters whose results reach an updated array of the state by
// arithmetic on elements alone, in ascending order. The state are the large arrays of floating-point type that the
// entry receives and returns in the same memory (input_output_alias) after such arithmetic, such as weights. A cache
// that is overwritten in part is not state. Errors: FailedPrecondition if there is no state, or if the text does not
// show where the update of a part of it is reduced.
absl::StatusOr<std::vector<std::size_t>> gradient_collectives(const Module& module, const CallGraph& calls,
                                                              const std::vector<Collective>& collectives);

// Whether an instruction only moves the elements of its operands, inside a device or between devices. The TPU
// compiler's ConcatBitcast joins arrays that are next to each other in memory.
bool moves_elements(InstructionView instruction);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_GRADIENTS_H_
