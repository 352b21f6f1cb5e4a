#include "lib/analysis/wrapped.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "lib/analysis/calls.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline analysis {
namespace {

constexpr double kMostRuns = 9007199254740992;  // 2^53, as for CallGraph::executions

// How often one execution of `caller` runs each computation that it calls.
double runs_of_each(InstructionView caller) {
  switch (flow(caller.opcode())) {
    case Flow::kLoops: return static_cast<double>(infer_trip_count(caller).value);
    case Flow::kBranches: return 1 / static_cast<double>(std::max<std::size_t>(caller.called_computations().size(), 1));
    default: return 1;
  }
}

// Visits the calls of a computation: visit(called, runs).
template <typename Visit>
void for_each_call(InstructionView caller, const Visit& visit) {
  if (!runs_computations(caller.opcode()) && !program_of_sparse_core(caller).valid()) return;
  const double runs = runs_of_each(caller);
  for (const ComputationId called : caller.called_computations()) {
    if (called.valid() && !caller.module().computation(called).is_missing()) visit(called, runs);
  }
}

}  // namespace

ComputationId program_of_sparse_core(InstructionView instruction) {
  if (instruction.opcode() != Opcode::kCustomCall) return {};
  const std::vector<ComputationId> called = instruction.called_computations();
  if (called.size() != 1 || !called[0].valid()) return {};
  const ComputationView program = instruction.module().computation(called[0]);
  return !program.is_missing() && ModuleRows::execution_thread(program) == "sparsecore" ? called[0] : ComputationId();
}

std::vector<WrappedComputation> wrapped_computations(InstructionView carrier) {
  const Module& module = carrier.module();
  // Depth first with an explicit stack. A computation is listed after its callees, and the list is then reversed.
  std::vector<WrappedComputation> result;
  std::unordered_map<std::uint32_t, double> runs;  // also marks what was visited
  std::vector<std::pair<ComputationId, bool>> open;
  for_each_call(carrier, [&](ComputationId called, double) { open.emplace_back(called, false); });
  while (!open.empty()) {
    const auto [at, is_done] = open.back();
    open.pop_back();
    if (is_done) {
      result.push_back({at, 0});
      continue;
    }
    if (!runs.emplace(at.index, 0).second) continue;
    open.emplace_back(at, true);
    for (InstructionView instruction : module.computation(at).instructions()) {
      for_each_call(instruction, [&](ComputationId called, double) {
        if (runs.count(called.index) == 0) open.emplace_back(called, false);
      });
    }
  }
  std::reverse(result.begin(), result.end());
  for_each_call(carrier, [&](ComputationId called, double each) { runs[called.index] += each; });
  for (WrappedComputation& wrapped : result) {
    wrapped.runs = runs[wrapped.id.index];
    for (InstructionView instruction : module.computation(wrapped.id).instructions()) {
      for_each_call(instruction, [&](ComputationId called, double each) {
        double& total = runs[called.index];
        total = std::min(total + wrapped.runs * each, kMostRuns);
      });
    }
  }
  return result;
}

}  // namespace hloroof::internal::inline analysis
