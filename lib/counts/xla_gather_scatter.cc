// Counts for gather and scatter: only the selected rows move.
#include "lib/counts/xla_counts.h"

namespace hloroof::internal::inline counts {
namespace {

// Bytes: 2 * result + indices.
void count_gather(InstructionView gather, const XlaContext& context, XlaRow& row) {
  const double output = context.bytes(gather);
  const double indices = context.bytes(gather.operand(1));
  row.output_bytes = output;
  row.set_operand(0, output);
  row.set_operand(1, indices);
  row.bytes = context.add(context.multiply(2, output), indices);
}

// Bytes: 3 * updates + indices. Each update is read, the element it combines with is read, and the result is written.
// The combiner runs once for each element of the first update.
void count_scatter(InstructionView scatter, const XlaContext& context, XlaRow& row) {
  const std::size_t arrays = scatter.operand_count() / 2;  // n operands, the indices, n updates
  double updates = 0;
  for (std::size_t i = 0; i < arrays; ++i) {
    const double update = context.bytes(scatter.operand(arrays + 1 + i));
    row.set_operand(i, update);
    row.set_operand(arrays + 1 + i, update);
    updates = context.add(updates, update);
  }
  const double indices = context.bytes(scatter.operand(arrays));
  row.set_operand(arrays, indices);
  row.output_bytes = updates;
  row.bytes = context.add(context.multiply(3, updates), indices);
  count_applied(scatter, AttributeKey::kToApply, context.elements(scatter.operand(arrays + 1)), context, row);
}

}  // namespace

void count_gather_scatter(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  const bool gather = instruction.opcode() == Opcode::kGather;
  if (instruction.operand_count() < (gather ? 2u : 3u)) {
    row.known = false;
    return;
  }
  gather ? count_gather(instruction, context, row) : count_scatter(instruction, context, row);
}

}  // namespace hloroof::internal::inline counts
