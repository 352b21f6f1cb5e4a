// The computations that run as part of one instruction: what a fusion or an async-start wraps, at any depth.
#ifndef HLOROOF_LIB_ANALYSIS_WRAPPED_H_
#define HLOROOF_LIB_ANALYSIS_WRAPPED_H_

#include <string_view>
#include <vector>

#include "hloroof/module.h"
#include "lib/ir/opcode_facts.h"

namespace hloroof::internal::inline analysis {

// The targets, as the text writes them, of the custom calls at the roots of the fusions that start and end a collective
// which several fusions share.
inline constexpr std::string_view kAsyncCollectiveStart = "\"AsyncCollectiveStart\"";
inline constexpr std::string_view kAsyncCollectiveDone = "\"AsyncCollectiveDone\"";

struct WrappedComputation {
  ComputationId id;
  double runs = 1;  // expected number of executions for each execution of the instruction that wraps it
};

// Returns true if the instruction runs its called computations, unlike a reduce, which applies one to each element.
constexpr bool runs_computations(Opcode opcode) { return wraps_computation(opcode) || calls_schedules(opcode); }

// The program that a custom call starts on a SparseCore. libtpu 0.0.52 of JAX 0.12 puts the name of a binary in the
// place of the call of a program, and leaves the program in the text as the computation that the custom call calls.
// Invalid if the instruction is no such call.
ComputationId program_of_sparse_core(InstructionView instruction);

// Lists the computations that `carrier` runs, directly or through calls, loops, conditionals, fusions, async-starts and
// the custom calls of programs on SparseCores.
// Callers come before callees. A loop runs its body as often as infer_trip_count() says, and a conditional takes its
// branches equally often. Computations that are not in the text are left out.
std::vector<WrappedComputation> wrapped_computations(InstructionView carrier);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_WRAPPED_H_
