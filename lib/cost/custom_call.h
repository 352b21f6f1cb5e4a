// Custom calls: what well-known targets do, and what the rest says of itself.
#ifndef HLOROOF_LIB_COST_CUSTOM_CALL_H_
#define HLOROOF_LIB_COST_CUSTOM_CALL_H_

#include <optional>
#include <string_view>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"
#include "lib/cost/size_cache.h"

namespace hloroof::inline v0 {

enum class CustomCallBehaviour : std::uint8_t {
  kFree,  // names or allocates a buffer
  kMove,
  kCholesky,
  kTriangularInverse,
  kTriangularSolve,
  kTopK,
  kGemm,
  kConvolution,
  kKernel,  // a kernel of the user's: a stated cost, a known kernel's formula, or not known
};

// Nothing for a target that is not in the table.
std::optional<CustomCallBehaviour> custom_call_behaviour(std::string_view target);

// Whether the call costs nothing at all.
bool is_free_custom_call(InstructionView custom_call);

// Arithmetic of a custom call: flops, transcendentals, matrix and vector work, and how well they are known. `work`
// holds the boundary bytes already; a cost that states its own bytes replaces them.
void add_custom_call(InstructionView custom_call, const std::vector<CustomCallCost>& given, SizeCache& sizes,
                     Work& work);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_CUSTOM_CALL_H_
