// What has to be worked out again after edits.
#ifndef HLOROOF_LIB_PREDICT_CHANGES_H_
#define HLOROOF_LIB_PREDICT_CHANGES_H_

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/predict.h"
#include "lib/predict/facts.h"

namespace hloroof::inline v0 {

struct Changes {
  bool everything = false;                                       // what the options name may have come or gone
  bool calls = false;                                            // who calls whom, or how often a loop runs
  std::vector<std::pair<ComputationId, InstructionId>> callers;  // new ones, of fused and applied computations
  bool collectives = false;          // which collectives there are, what carries them, what waits for them
  std::set<std::uint32_t> reread;    // the instructions, by index, of collectives that may say something else
  std::vector<InstructionId> pairs;  // instructions that pairs of starts and dones may depend on
  std::vector<InstructionId> costs;  // instructions of scheduled computations that may cost something else
  std::vector<bool> order;           // by ComputationId: the instructions are others or stand in another order
};

// `facts` are those from before the edits. Says too much rather than too little.
Changes find_changes(const ModuleEditor& editor, const std::vector<Edit>& edits, const StepFacts& facts,
                     const PredictOptions& options);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_PREDICT_CHANGES_H_
