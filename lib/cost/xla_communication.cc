// Collectives and transfers to the host. XLA counts the bytes at their boundary and nothing of what is on the wire.
#include "lib/cost/xla_counts.h"

namespace hloroof::inline v0 {

// An all-reduce adds once for every element, as between two replicas, however many there are and whatever the reducer
// does. No other collective counts flops, reduce-scatter included.
void count_collective(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  if (instruction.opcode() != Opcode::kAllReduce && instruction.opcode() != Opcode::kAllReduceStart) return;
  row.flops = context.number(context.sizes.leaf_elements(instruction.shape_id()));
}

// infeed: the arrays of its result. outfeed: those of its first operand. send and recv keep the default.
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

}  // namespace hloroof::inline v0
