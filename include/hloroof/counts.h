// FLOPs, transcendentals and bytes as XLA's HloCostAnalysis counts them: the `xla` convention, to be compared number
// for number with `compiled.cost_analysis()`. It knows no tiles, no trip counts (a while loop counts one pass) and no
// custom calls (-1 each); what the hardware really does is the physical convention (Work in cost.h).
//
//   absl::StatusOr<hloroof::ModuleCounts> counts = hloroof::count_xla(module);
//   counts->total.flops;                                  // cost_analysis()["flops"]
//   counts->of(instruction.id()).bytes_accessed;
//
// lib/cost/README.md has the rule of every opcode.
#ifndef HLOROOF_COUNTS_H_
#define HLOROOF_COUNTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/ids.h"
#include "hloroof/module.h"
#include "hloroof/span.h"

namespace hloroof {
inline namespace v0 {

struct XlaCounts {
  double flops = 0;            // a multiplication or addition is one, a fused multiply-add two
  double transcendentals = 0;  // not part of flops
  double bytes_accessed = 0;   // read and written
  double output_bytes = 0;     // the part of bytes_accessed that is the result
};

// Counts per device of one pass over the module. The numbers are those of the text: per-device if it is partitioned.
struct ModuleCounts {
  XlaCounts total;  // ENTRY, with everything it calls

  // By id: what an instruction counts with all it calls, and the sum over a computation.
  std::vector<XlaCounts> instructions;
  std::vector<XlaCounts> computations;

  // Instructions of any computation whose work is not in the counts or not whole: opcodes that are not known (counted
  // at their operands and result), called computations that are missing from the text, attributes that can not be read.
  std::vector<InstructionId> unknown;

  // Bytes read of each operand, by InstructionData::operand_begin. For call, while, conditional and async-start, whose
  // numbers are those of the instructions inside, all 0, as is their output_bytes.
  std::vector<double> operand_bytes;

  const XlaCounts& of(InstructionId id) const { return instructions[id.index]; }
  const XlaCounts& of(ComputationId id) const { return computations[id.index]; }
  Span<double> operand_bytes_of(InstructionView instruction) const {
    return {operand_bytes.data() + instruction.data().operand_begin, instruction.operand_count()};
  }
};

struct XlaCountOptions {
  // Add in float32 and in XLA's order of visiting, for totals equal to the last bit. Otherwise in double: sums of a
  // large module then differ from XLA's by the rounding of XLA's own running sum, about 1e-6 of the total.
  bool float32 = false;
};

// Linear in the size of the module. Errors: InvalidArgument if the module has no ENTRY computation.
absl::StatusOr<ModuleCounts> count_xla(const Module& module, const XlaCountOptions& options = {});

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_COUNTS_H_
