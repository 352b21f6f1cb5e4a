// Explains one instruction in words and numbers.
#ifndef HLOROOF_LIB_EXPLAIN_EXPLAIN_H_
#define HLOROOF_LIB_EXPLAIN_EXPLAIN_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/analysis.h"
#include "hloroof/predict.h"
#include "lib/analysis/mesh.h"
#include "lib/describe/schema.h"
#include "lib/time/collective.h"

namespace hloroof::internal::inline explain {

// Explains the instruction `name` (with or without %). The explanation has its line, the meaning of each part of its
// shapes, logical and padded bytes, its work, the time that each resource would need and which of them is the roof, its
// executions and their share of the step, the axes of a collective, and its source location. Errors: NotFound, with
// similar names.
//
// Reads prediction.facts and the module.
absl::StatusOr<std::string> explanation_text(const StepPrediction& prediction, std::string_view name,
                                             std::size_t width = 80);

// The same in about ten lines, for a small window: its result, runs, time, largest terms, waits, padding and source.
std::string explain_shortly(const StepPrediction& prediction, InstructionView instruction, std::size_t width = 80);

// Finds the instruction as find_instruction() does; ops that take time have precedence, then other executed
// instructions, then those inside fusions.
absl::StatusOr<InstructionView> find_op(const StepPrediction& prediction, std::string_view name);

// The numbers of an explanation, schema "hloroof.explanation/1": the op with its terms, the collectives that it is
// part of, its diagnostics, and the device's numbers in the terms. Errors and requirements: those of
// explanation_text().
absl::StatusOr<std::string> explanation_json(const StepPrediction& prediction, std::string_view name);

// One line for each term of one execution of the op; each is below the term that it is a part of.
absl::StatusOr<std::string> explanation_csv(const StepPrediction& prediction, std::string_view name);

// The explanation below a heading.
absl::StatusOr<std::string> explanation_markdown(const StepPrediction& prediction, std::string_view name);

// The fields of an explanation and of all records in it.
ResultTable explanation_table();

// Explains one collective line by line: its groups as axes, the unsharded shape, the links, and the formula with
// numbers.
//   replica_groups: 16 groups of 8 over the 8-way stride-16 axis; the other axis is 16-way
//   unsharded: bf16[32,32,8192] a device, 8-way on dimension 2: bf16[32,32,65536]
std::vector<std::string> explain_collective(const Module& module, const Collective& collective, AxisRole role,
                                            const CollectiveCost& cost, const LogicalMesh& mesh,
                                            const PhysicalMapping& mapping, const Device& device);

// Explains the mesh line by line: its axes, their roles and their place on the machine.
std::vector<std::string> explain_mesh(const LogicalMesh& mesh, const PhysicalMapping& mapping);

// Describes the shape of one array in words, with one line each for element type, dimensions, order in memory, tiles,
// memory space and bytes.
std::string explain_shape(const Shape& shape, DeviceFamily family, std::size_t indent);

// Names the two dimensions that would leave the least padding if they were tiled, and the resulting bytes. Empty if no
// other order is smaller by at least a fifth.
std::string padding_advice(const Shape& shape);

}  // namespace hloroof::internal::inline explain

#endif  // HLOROOF_LIB_EXPLAIN_EXPLAIN_H_
