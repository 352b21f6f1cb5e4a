// Writes a module, or the part of it around an instruction, as a graph.
#ifndef HLOROOF_LIB_EXPLAIN_MODULE_DOT_H_
#define HLOROOF_LIB_EXPLAIN_MODULE_DOT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"

namespace hloroof::internal::inline explain {

// Writes Graphviz DOT. A node is an instruction and an edge has the shape of the array that goes from one to the other;
// tuples, their elements and bitcasts are parts of the edges. Each computation is a cluster in that of its caller, and
// dashed arrows lead from its results to the caller. With a prediction of the module, nodes have the colour of their
// share of the step, which a legend explains.
std::string module_dot(const Module& module, const StepPrediction* prediction = nullptr);

// Writes the part of that graph around the instruction `name`: its operands and users up to `radius` edges away.
// Errors: NotFound with the nearest names.
absl::StatusOr<std::string> neighbourhood_dot(const Module& module, std::string_view name, std::size_t radius,
                                              const StepPrediction* prediction = nullptr);

}  // namespace hloroof::internal::inline explain

#endif  // HLOROOF_LIB_EXPLAIN_MODULE_DOT_H_
