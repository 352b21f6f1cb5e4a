// Parts of the analysis of calls that other passes use.
#ifndef HLOROOF_LIB_ANALYSIS_CALLS_H_
#define HLOROOF_LIB_ANALYSIS_CALLS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "hloroof/analysis.h"
#include "hloroof/module.h"
#include "lib/analysis/callers.h"

namespace hloroof::internal::inline analysis {

// Errors: InvalidArgument if a name is not the name of a while loop or conditional of the module (the message suggests
// the nearest ones), if a count is negative, or if a probability is outside 0 .. 1. analyze_calls() ignores such
// entries.
absl::Status check_call_options(const Module& module, const CallOptions& options);

// The probabilities of each conditional's branches, by the index of the conditional.
using BranchProbabilities = std::map<std::uint32_t, std::vector<double>>;

struct CallRecord;

// How a computation is called. This decides whether its instructions are separate operations or part of their caller.
enum class ComputationRole : std::uint8_t {
  kUnused,  // not called
  kEntry,
  kBody,       // of a while loop
  kCondition,  // of a while loop
  kBranch,     // of a conditional
  kCalled,     // by call
  kAsync,      // wrapped by async-start; its work belongs to the start
  kFused,      // the body of a fusion; its work belongs to the fusion
  kApplied,    // applied per element by reduce, map, sort, scatter, a collective or a custom call, which own its work
};

// The parts of a CallGraph that the public interface hides. The incremental prediction and the replay determine from
// them what an edit invalidates.
struct CallFacts {
  // Like analyze_calls(), and leaves a record for the next search of the same module with the same options.
  static CallGraph find(const Module& module, const CallOptions& options, CallRecord& record);

  static ComputationRole role(const CallGraph& calls, ComputationId id) { return calls.roles_[id.index]; }
  // True for computations whose instructions are executed as separate operations: entry, bodies, conditions, branches
  // and called computations.
  static bool is_scheduled(const CallGraph& calls, ComputationId id);

  // None for ids created after this graph.
  static absl::Span<const InstructionId> callers(const CallGraph& calls, ComputationId id) {
    return calls.callers_->of(id.index);
  }

  // The scheduled computations, callers before callees, starting with ENTRY.
  static const std::vector<ComputationId>& scheduled(const CallGraph& calls) { return calls.scheduled_; }

  // Null unless `id` is a scheduled while instruction.
  static const TripCount* trip_count(const CallGraph& calls, InstructionId id);

  // Whether some trip count depends on this instruction, or on the callers of this computation. Editing any other
  // instruction or call keeps all trip counts valid. False for ids created after this graph.
  static bool trips_read_off(const CallGraph& calls, InstructionId id);
  static bool trips_follow_callers(const CallGraph& calls, ComputationId id);

  // The probabilities that the options give for a conditional's branches; null if they give none.
  static const std::vector<double>* branch_probabilities(const CallGraph& calls, InstructionId conditional);

  // Executions of each computation, by ComputationId, if the conditionals without probabilities of their own take their
  // branches with those in `assumed`. The branches of a conditional that is in neither are equally likely.
  static std::vector<double> executions_with(const CallGraph& calls, const BranchProbabilities& assumed);
};

// Whether a computation is a command buffer of a GPU: a graph of kernels that the host launches at once. XLA's pass
// (xla/service/gpu/transforms/command_buffer_scheduling.cc) moves the kernels to a computation of this name, and
// nothing else in the text marks it. Later versions of XLA leave the text as it is (find_graphs() in lib/step/costs.h).
bool is_command_buffer(ComputationView computation);

// The trip count of one while instruction, from the module alone.
TripCount infer_trip_count(InstructionView while_instruction);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_CALLS_H_
