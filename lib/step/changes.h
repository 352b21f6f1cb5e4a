// Finds the parts of the facts of a step that edits make stale.
#ifndef HLOROOF_LIB_STEP_CHANGES_H_
#define HLOROOF_LIB_STEP_CHANGES_H_

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "lib/edit/edit_log.h"
#include "lib/schedule/replayer.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline step {

// The stale parts, in the order of the stages. find_stale() derives them from the edits. A stage that runs again also
// marks the later parts that its new result makes stale.
struct Stale {
  bool everything = false;  // start from scratch

  // The number of devices that the collectives or the shardings of the parameters imply, for a module that states none.
  bool device_count = false;

  // Whether any instruction has a tiled layout.
  bool tiles = false;
  // A fusion no longer calls some computation, which the edit does not name.
  bool fused_before = false;

  // The call graph: the callers of each computation, and the trip counts of loops.
  bool calls = false;
  // What CallRecord is to know, whether or not the call graph is stale.
  std::vector<ComputationId> calls_changed;
  std::vector<InstructionId> values_changed;
  // New callers of fused or applied computations. These do not make the call graph stale.
  std::vector<std::pair<ComputationId, InstructionId>> callers;
  // A caller was erased. The call graph names it until it is found again.
  bool lost_callers = false;

  // The collectives: the list of them, and the carrier and the done of each.
  bool collectives = false;
  // Where the lists of what the search for them looks at are others, whether or not it is needed.
  std::vector<ComputationId> collectives_in;
  // Where any instruction is another one; of the collectives that it carries or begins, more may be others.
  std::vector<ComputationId> edited_in;
  // Collectives of which only the description is stale, by the index of their instruction.
  std::set<std::uint32_t> descriptions;

  // Work, time and demand of instructions of scheduled computations.
  std::vector<InstructionId> costs;
  // Instructions of which time and demand are stale, but not the work: the carried collectives cost something else, or
  // the instructions are launched in another way.
  std::vector<InstructionId> carriers;

  // The scheduled computations or the loops are others than before.
  bool schedules = false;

  // The pairs of starts and dones that depend on these instructions.
  std::vector<InstructionId> pairs;

  // The replay.
  ReplayChanges replay;
};

// Callers and computations that edits added after the call graph was built.
struct SinceCallGraph {
  std::size_t computation_limit = 0;                    // computations from this id on are new
  std::multimap<std::uint32_t, InstructionId> callers;  // by index of the computation; may include erased instructions
  bool lost_callers = false;                            // the call graph names erased instructions
};

// `facts` and `records` are those from before the edits. Conservative: may report unchanged parts, never misses a
// changed one.
Stale find_stale(const ModuleEditor& editor, const std::vector<Edit>& edits, const StepFacts& facts,
                 const SearchRecords& records, const SinceCallGraph& since);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_CHANGES_H_
