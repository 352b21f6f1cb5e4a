// Finds what the collectives of a program send: arrays of the model, their gradients, or values of the batch.
//
// The evidence is where a value comes from and where it goes, never its shape alone:
//   a weight      is contracted with a computed value, is looked up by index, is updated in place, or has a gradient
//   a batch input is contracted with a computed value to the gradient of an array that it is also multiplied with
//   a gradient    reaches an output that updates a weight, or has its shape, by arithmetic on elements alone, and no
//                 product with a weight makes it
// Of two inputs that are multiplied only with each other, the weight is the one whose other dimensions are contracted
// with the next weight; the dimensions of the batch input remain. Without such evidence the answer is kUnknown.
#ifndef HLOROOF_LIB_ANALYSIS_PROVENANCE_H_
#define HLOROOF_LIB_ANALYSIS_PROVENANCE_H_

#include <cstdint>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline analysis {

enum class Sent : std::uint8_t {
  kUnknown,
  kWeight,      // an array of the model, or its update
  kGradient,    // of an array of the model
  kActivation,  // a value of the batch, or a partial sum of one
  kInput,       // an array of the batch as it came in
  kTokens,      // values of the batch in an order that the program computed, as for experts
  kScalar,      // one number
};

// Returns what each collective sends. `operands[i]` is the value that collective i sends; an invalid id is unknown.
std::vector<Sent> find_sent(const Module& module, const CallGraph& calls, const std::vector<Collective>& collectives,
                            const std::vector<InstructionId>& operands);

// Returns the parameters of the entry that are batch inputs by that evidence.
std::vector<InstructionId> batch_inputs(const Module& module, const CallGraph& calls,
                                        const std::vector<Collective>& collectives);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_PROVENANCE_H_
