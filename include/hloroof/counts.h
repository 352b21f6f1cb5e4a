// FLOPs, transcendentals and bytes as XLA's HloCostAnalysis counts them. Use this `xla` convention to compare with
// `compiled.cost_analysis()`. It ignores tiles and trip counts (a while loop counts as one iteration) and counts every
// custom call as -1. For the work that the hardware does, use the physical convention (Work in cost.h).
//
//   absl::StatusOr<hloroof::ModuleCounts> counts = hloroof::count_xla(module);
//   counts->total.flops;                                  // cost_analysis()["flops"]
//   counts->of(instruction.id()).bytes_accessed;
//
// lib/cost/README.md lists the rule of every opcode.
//
// Lifetime: ModuleCounts owns its data and is indexed by the ids of the module; an edit makes it stale.
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
  double flops = 0;            // a multiplication or an addition counts as one, a fused multiply-add as two
  double transcendentals = 0;  // not part of flops
  double bytes_accessed = 0;   // read and written
  double output_bytes = 0;     // the bytes of the result, included in bytes_accessed
};

// Counts of one execution of the module. They are per device if the module is partitioned.
struct ModuleCounts {
  XlaCounts total;  // ENTRY, with everything it calls

  // By id: an instruction including everything it calls, and the sum over a computation.
  std::vector<XlaCounts> instructions;
  std::vector<XlaCounts> computations;

  // Instructions whose counts are incomplete: unknown opcodes (which count only their operands and result), calls of
  // computations that are not in the text, and attributes that cannot be read.
  std::vector<InstructionId> unknown;

  // Bytes read from each operand, indexed from InstructionData::operand_begin. 0 for call, while, conditional and
  // async-start, which count the instructions inside; their output_bytes are 0 as well.
  std::vector<double> operand_bytes;

  const XlaCounts& of(InstructionId id) const { return instructions[id.index]; }
  const XlaCounts& of(ComputationId id) const { return computations[id.index]; }
  Span<double> operand_bytes_of(InstructionView instruction) const {
    return {operand_bytes.data() + instruction.data().operand_begin, instruction.operand_count()};
  }
};

struct XlaCountOptions {
  // Add in float32 and in XLA's visiting order, so that totals equal XLA's to the last bit. The default adds in double;
  // the totals of a large module then differ by the rounding of XLA's running sum, about 1e-6 of the total.
  bool float32 = false;
};

// Counts the module, in time linear in its size. Errors: InvalidArgument if the module has no ENTRY computation.
absl::StatusOr<ModuleCounts> count_xla(const Module& module, const XlaCountOptions& options = {});

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_COUNTS_H_
