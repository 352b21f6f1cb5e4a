// Counts for collectives and transfers to the host. XLA counts the bytes at their boundary and none of the bytes on the
// wire.
#include "lib/counts/xla_counts.h"

namespace hloroof::internal::inline counts {

// An all-reduce counts one addition for each element, as between two replicas, for any number of replicas and any
// reducer. No other collective counts flops, not even reduce-scatter.
void count_collective(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  if (instruction.opcode() != Opcode::kAllReduce && instruction.opcode() != Opcode::kAllReduceStart) return;
  row.flops = context.number(context.sizes.leaf_elements(instruction.shape_id()));
}

// An infeed counts the arrays of its result, and an outfeed those of its first operand. send and recv keep the default.
void count_host_transfer(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  if (instruction.opcode() == Opcode::kInfeed) {
    const double output = context.leaf_bytes(instruction);
    row.clear_bytes();
    row.output_bytes = output;
    row.bytes = output;
  } else if (instruction.opcode() == Opcode::kOutfeed && instruction.operand_count() > 0) {
    const double input = context.leaf_bytes(instruction.operand(0));
    row.clear_bytes();
    row.set_operand(0, input);
    row.bytes = input;
  }
}

}  // namespace hloroof::internal::inline counts
