// What a search for the calls of a module leaves for the next one.
//
// After an edit, most computations name the same computations as before, and most loops run as often: the next search
// reads again only the lists of the computations that were edited, and looks again only at the loops whose trip counts
// were read off something that changed. After an edit of the 15385 instructions of llm_unrolled_fsdp.v5e_2x4, a search
// takes 0.6 million machine instructions (callgrind_annotate of the profiles of bench/README.md, "Predicting after an
// edit").
#ifndef HLOROOF_LIB_ANALYSIS_CALL_RECORD_H_
#define HLOROOF_LIB_ANALYSIS_CALL_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "hloroof/module.h"
#include "lib/analysis/call_sites.h"
#include "lib/analysis/lists_by_computation.h"
#include "lib/analysis/value_trace.h"

namespace hloroof::internal::inline analysis {

// An empty record makes CallFacts::find() search everything.
struct CallRecord {
  ListsByComputation<CallSite> sites{list_call_sites};
  LoopRecords loops;
  std::map<std::uint32_t, std::vector<InstructionId>> callers;  // of the computations whose callers `loops` depend on
  TraceReads changed;  // since the search; callers_of and unchanged_of are found by the next one

  // Instructions that name computations were edited, inserted, moved or erased there.
  void calls_changed(ComputationId id) { sites.forget(id); }
  // Trip counts that were read off this instruction may be others.
  void value_changed(InstructionId id) { changed.instructions.insert(id.index); }
  // Computations from this index on are gone.
  void cut(std::size_t computation_limit) { sites.cut(computation_limit); }
};

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_CALL_RECORD_H_
