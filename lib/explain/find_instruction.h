// Finds an instruction by the name that a user types.
#ifndef HLOROOF_LIB_EXPLAIN_FIND_INSTRUCTION_H_
#define HLOROOF_LIB_EXPLAIN_FIND_INSTRUCTION_H_

#include <functional>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline explain {

// Returns the instruction `name`, with or without %. The name may be an end of the whole name (fusion.11 or .11 for
// loop_fusion.11) or the form in which tables shorten it (loop_f..n.11). A whole name has precedence, then the
// instructions with the highest `preference`, then those of the entry: names may repeat inside fused computations.
// Errors: NotFound with the nearest names; InvalidArgument with the candidates if several names match.
absl::StatusOr<InstructionView> find_instruction(
    const Module& module, std::string_view name,
    const std::function<int(InstructionId)>& preference = [](InstructionId) { return 0; });

}  // namespace hloroof::internal::inline explain

#endif  // HLOROOF_LIB_EXPLAIN_FIND_INSTRUCTION_H_
