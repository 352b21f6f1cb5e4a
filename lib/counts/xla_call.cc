// Counts for instructions that run other computations, and for custom calls.
#include <algorithm>

#include "lib/counts/xla_counts.h"

namespace hloroof::internal::inline counts {
namespace {

// Adds the totals of a computation.
void add_computation(ComputationView computation, const XlaContext& context, XlaRow& row) {
  if (computation.is_missing()) {
    row.known = false;
    return;
  }
  const XlaCounts& counts = context.computations()[computation.id().index];
  row.flops = context.add(row.flops, counts.flops);
  row.transcendentals = context.add(row.transcendentals, counts.transcendentals);
  row.bytes = context.add(row.bytes, counts.bytes_accessed);
}

// Takes the larger of each number separately: flops may come from one branch and bytes from another. XLA omits a number
// that is zero, so that the -1 of a custom call in the first branch remains if another branch has zero.
void raise(double& value, double other) {
  if (other != 0) value = std::max(value, other);
}

void count_conditional(InstructionView conditional, const XlaContext& context, XlaRow& row) {
  bool first = true;
  for (AttributeKey key :
       {AttributeKey::kTrueComputation, AttributeKey::kFalseComputation, AttributeKey::kBranchComputations}) {
    for (ComputationView branch : conditional.computations(key)) {
      if (first) {
        add_computation(branch, context, row);
      } else if (branch.is_missing()) {
        row.known = false;
      } else {
        const XlaCounts& counts = context.computations()[branch.id().index];
        raise(row.flops, counts.flops);
        raise(row.transcendentals, counts.transcendentals);
        raise(row.bytes, counts.bytes_accessed);
      }
      first = false;
    }
  }
}

}  // namespace

void count_applied(InstructionView instruction, AttributeKey key, std::int64_t times, const XlaContext& context,
                   XlaRow& row) {
  const ViewRange<ComputationView, ComputationId> called = instruction.computations(key);
  if (called.size() != 1 || called[0].is_missing()) {
    row.known = false;
    return;
  }
  const XlaCounts& counts = context.computations()[called[0].id().index];
  const double n = context.number(times);
  row.flops = context.add(row.flops, context.multiply(counts.flops, n));
  row.transcendentals = context.add(row.transcendentals, context.multiply(counts.transcendentals, n));
}

// A call or async-start counts the called computation. A while counts its body and condition once each. A conditional
// counts the maximum over its branches. The instruction itself moves nothing.
void count_call(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  row.clear_bytes();
  switch (instruction.opcode()) {
    case Opcode::kWhile:
      for (AttributeKey key : {AttributeKey::kBody, AttributeKey::kCondition}) {
        for (ComputationView called : instruction.computations(key)) add_computation(called, context, row);
      }
      return;
    case Opcode::kConditional: return count_conditional(instruction, context, row);
    default: {
      // An async-start printed as reduce-scatter-start(...) also carries the to_apply= of the instruction it wraps.
      const bool call = instruction.opcode() == Opcode::kCall;
      for (ComputationView called : instruction.computations(call ? AttributeKey::kToApply : AttributeKey::kCalls)) {
        add_computation(called, context, row);
      }
    }
  }
}

// Counts "unknown", which XLA writes as -1 and then adds to all other counts.
void count_custom_call(XlaRow& row) {
  row.flops = -1;
  row.bytes = -1;
  row.output_bytes = -1;
  std::fill_n(row.operand_bytes, row.operand_count, -1.0);
}

}  // namespace hloroof::internal::inline counts
