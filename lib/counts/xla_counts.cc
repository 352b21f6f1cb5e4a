#include "lib/counts/xla_counts.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "lib/base/strings.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline counts {

XlaContext::XlaContext(const Module& m, bool as_float32, const std::vector<XlaCounts>& totals)
    : module(m),
      sizes(m.shapes()),
      users(m),
      fusion_reads(m.instruction_limit()),
      fusion_measured(m.computation_limit()),
      fusion_parameters(m.computation_limit()),
      computations_(totals),
      float32_(as_float32) {}

std::int64_t XlaContext::first_elements(InstructionView i) const {
  const Shape& shape = i.shape();
  return shape.is_tuple() && !shape.elements.empty() ? sizes.elements(shape.elements[0]) : elements(i);
}

double XlaContext::leaf_bytes_added(ShapeId id) const {
  double sum = 0;
  for (const ShapeId leaf : module.shapes().leaves(id)) sum = add(sum, number(sizes.bytes(leaf)));
  return sum;
}

void XlaRow::clear_bytes() {
  bytes = 0;
  output_bytes = 0;
  std::fill_n(operand_bytes, operand_count, 0.0);
}

namespace {

// The default for every opcode, which its rule may override. The leaves of the result are written and the operands are
// read. A tuple operand counts as its table of pointers. An operand that appears twice counts twice.
void count_boundary(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  row.output_bytes = context.leaf_bytes(instruction);
  row.bytes = row.output_bytes;
  for (std::size_t i = 0; i < row.operand_count; ++i) {
    row.operand_bytes[i] = context.bytes(instruction.operand(i));
    row.bytes = context.add(row.bytes, row.operand_bytes[i]);
  }
}

void count_structure(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  switch (instruction.opcode()) {
    case Opcode::kOptBarrier:
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId: return;
    case Opcode::kTuple:
      row.clear_bytes();
      row.output_bytes = context.bytes(instruction);  // the table of pointers
      row.bytes = row.output_bytes;
      return;
    default: row.clear_bytes(); return;
  }
}

void count_random(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  if (instruction.opcode() == Opcode::kRng) {
    row.transcendentals = context.number(context.elements(instruction));
  } else if (instruction.opcode() == Opcode::kRngBitGenerator) {
    row.transcendentals = context.number(context.sizes.leaf_elements(instruction.shape_id()));  // with the new state
  }
}

void count_instruction(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  count_boundary(instruction, context, row);
  if (instruction.opcode() == Opcode::kUnknown) {
    row.known = false;
    return;
  }
  switch (work_class(instruction.opcode())) {
    case WorkClass::kFree: return count_structure(instruction, context, row);
    case WorkClass::kElementwise: row.flops = context.number(context.elements(instruction)); return;
    case WorkClass::kTranscendental: row.transcendentals = context.number(context.elements(instruction)); return;
    case WorkClass::kDataMovement: return count_data_movement(instruction, context, row);
    case WorkClass::kContraction: return count_contraction(instruction, context, row);
    case WorkClass::kReduction:
    case WorkClass::kSort: return count_reduction(instruction, context, row);
    case WorkClass::kGatherScatter: return count_gather_scatter(instruction, context, row);
    case WorkClass::kLinearAlgebra: return count_linear_algebra(instruction, context, row);
    case WorkClass::kNormalization: return;  // no flops in XLA's count
    case WorkClass::kRandom: return count_random(instruction, context, row);
    case WorkClass::kCall:
      return instruction.opcode() == Opcode::kFusion ? count_fusion(instruction, context, row)
                                                     : count_call(instruction, context, row);
    case WorkClass::kCustomCall: return count_custom_call(row);
    case WorkClass::kCollective: return count_collective(instruction, context, row);
    case WorkClass::kAsync:
      if (instruction.opcode() == Opcode::kAsyncStart) count_call(instruction, context, row);
      return;
    case WorkClass::kAsyncCopy: return;
    case WorkClass::kHostTransfer: return count_host_transfer(instruction, context, row);
  }
}

// The order in which XLA adds counts: depth-first post-order over operands and control predecessors. It starts from the
// instructions without users, in program order, and then from the root.
class VisitingOrder {
 public:
  explicit VisitingOrder(const Module& module)
      : state_(module.instruction_limit(), kNew), has_successor_(module.instruction_limit()) {}

  const std::vector<InstructionId>& of(ComputationView computation, const XlaContext& context) {
    order_.clear();
    for (InstructionView i : computation.instructions()) {
      if (!i.has(AttributeKey::kControlPredecessors)) continue;
      for (InstructionView before : i.control_predecessors()) has_successor_[before.id().index] = 1;
    }
    const InstructionId root = row_of(computation).root;
    for (InstructionView i : computation.instructions()) {
      if (i.id() == root || !context.users.of(i.id()).empty() || has_successor_[i.id().index] != 0) continue;
      visit_from(i.id(), context.module);
    }
    if (root.valid()) visit_from(root, context.module);
    return order_;
  }

 private:
  enum : std::uint8_t { kNew, kOpen, kDone };

  void visit_from(InstructionId start, const Module& module) {
    stack_.push_back(start);
    while (!stack_.empty()) {
      const InstructionId at = stack_.back();
      std::uint8_t& state = state_[at.index];
      if (state != kNew) {
        stack_.pop_back();
        if (state == kOpen) order_.push_back(at);
        state = kDone;
        continue;
      }
      state = kOpen;
      const std::size_t below = stack_.size();
      const InstructionView view = module.instruction(at);
      for (InstructionId operand : view.operand_ids()) push(operand);
      if (view.has(AttributeKey::kControlPredecessors)) {
        for (InstructionView before : view.control_predecessors()) push(before.id());
      }
      std::reverse(stack_.begin() + static_cast<std::ptrdiff_t>(below), stack_.end());
    }
  }

  void push(InstructionId id) {
    if (state_[id.index] == kNew) stack_.push_back(id);
  }

  std::vector<std::uint8_t> state_;
  std::vector<std::uint8_t> has_successor_;
  std::vector<InstructionId> stack_;
  std::vector<InstructionId> order_;
};

void add_to(XlaCounts& sum, const XlaCounts& counts, const XlaContext& context) {
  sum.flops = context.add(sum.flops, counts.flops);
  sum.transcendentals = context.add(sum.transcendentals, counts.transcendentals);
  sum.bytes_accessed = context.add(sum.bytes_accessed, counts.bytes_accessed);
  sum.output_bytes = context.add(sum.output_bytes, counts.output_bytes);
}

}  // namespace

absl::Span<const double> operand_bytes(const ModuleCounts& counts, InstructionView instruction) {
  return {counts.operand_bytes.data() + row_of(instruction).operand_begin, instruction.operand_count()};
}

}  // namespace hloroof::internal::inline counts

namespace hloroof::inline v0 {
using namespace internal;

// Takes 1.5 ms for the 15385 instructions of llm_unrolled_fsdp.v5e_2x4 (3.2 MB) at -O1 on a shared core. XLA's own
// analysis took 102 ms in the same run. Measured with bench/counts_bench.
absl::StatusOr<ModuleCounts> count_xla(const Module& module, const XlaCountOptions& options) {
  if (!module.has_entry()) return invalid_argument("the module has no ENTRY computation to count");
  ModuleCounts result;
  result.instructions.resize(module.instruction_limit());
  result.computations.resize(module.computation_limit());
  XlaContext context(module, options.float32, result.computations);

  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      const InstructionData& data = row_of(instruction);
      const std::size_t end = std::size_t{data.operand_begin} + data.operand_count;
      if (result.operand_bytes.size() < end) result.operand_bytes.resize(end);
    }
  }
  std::optional<VisitingOrder> visiting;
  if (options.float32) visiting.emplace(module);
  for (ComputationView computation : module.computations()) {
    XlaCounts& sum = result.computations[computation.id().index];
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.opcode() == Opcode::kFusion) {
        for (ComputationView called : instruction.computations(AttributeKey::kCalls)) {
          measure_fusion_reads(called, context);
        }
      }
      XlaRow row;
      row.operand_bytes = result.operand_bytes.data() + row_of(instruction).operand_begin;
      row.operand_count = instruction.operand_count();
      count_instruction(instruction, context, row);
      XlaCounts& counts = result.instructions[instruction.id().index];
      counts = {row.flops, row.transcendentals, row.bytes, row.output_bytes};
      if (!row.known) result.unknown.push_back(instruction.id());
      if (!options.float32) add_to(sum, counts, context);
    }
    if (!visiting) continue;
    for (InstructionId id : visiting->of(computation, context)) add_to(sum, result.of(id), context);
  }
  result.total = result.of(module.entry().id());
  return result;
}

}  // namespace hloroof::inline v0
