#include "lib/kernel/gpu/gpu_steps.h"

#include <string>
#include <string_view>

#include "lib/ir/element_type.h"
#include "lib/kernel/common/body_facts.h"

namespace hloroof::internal::inline kernel {
namespace {

bool is_position(ScalarOp op) { return op >= ScalarOp::kProgramId && op <= ScalarOp::kClusterSize; }

}  // namespace

GpuSteps::GpuSteps(const mlir::Module& kernel, const std::vector<GpuOpFacts>& facts)
    : kernel_(kernel), facts_(facts), types_(gpu_tile_types(kernel)) {
  find_needed();
  if (is_structured_) list_steps();
}

GpuStructure GpuSteps::find_structure(mlir::OpId op) const {
  const OpCost cost = facts_[kernel_[op].name.index].cost;
  if (cost != OpCost::kControl) return GpuStructure::kNone;
  const std::string name = body_op_name(kernel_, kernel_[op].name);
  if (name == "scf.for" && kernel_[op].region_count == 1 && kernel_[op].operand_count >= kForBounds) {
    return GpuStructure::kFor;
  }
  if (name == "scf.if" && kernel_[op].operand_count == 1) return GpuStructure::kIf;
  if (name == "scf.while" && kernel_[op].region_count == 2) return GpuStructure::kWhile;
  if (name == "scf.index_switch" && kernel_[op].operand_count == 1) return GpuStructure::kSwitch;
  return GpuStructure::kNone;
}

void GpuSteps::need(std::optional<mlir::ValueId> value) {
  if (!value || is_needed_[value->index]) return;
  is_needed_[value->index] = true;
  pending_.push_back(*value);
}

void GpuSteps::find_needed() {
  is_needed_.assign(kernel_.values.size(), false);
  last_of_block_.assign(kernel_.blocks.size(), {});
  for (std::uint32_t i = 0; i < kernel_.ops.size(); ++i) last_of_block_[kernel_.ops[i].block.index] = mlir::OpId{i};
  structures_.assign(kernel_.ops.size(), GpuStructure::kNone);
  for (std::uint32_t i = 0; i < kernel_.ops.size(); ++i) {
    const mlir::OpId op{i};
    structures_[i] = find_structure(op);
    for (const mlir::RegionId r : kernel_.regions_of(op)) {
      if (structures_[i] != GpuStructure::kNone && kernel_[r].block_count > 1) is_structured_ = false;
    }
    switch (structures_[i]) {
      case GpuStructure::kNone: break;
      case GpuStructure::kFor:
        for (std::uint32_t b = 0; b < kForBounds; ++b) need(operand(op, b));
        break;
      case GpuStructure::kIf:
      case GpuStructure::kSwitch: need(operand(op, 0)); break;
      case GpuStructure::kWhile: need(operand(terminator(region(op, 0)), 0)); break;
    }
  }
  while (!pending_.empty()) {
    const mlir::ValueId value = pending_.back();
    pending_.pop_back();
    const mlir::Value& v = kernel_[value];
    v.op.valid() ? need_for_result(v.op, v.index) : need_for_argument(v.block, v.index);
  }
}

void GpuSteps::need_for_result(mlir::OpId op, std::uint32_t index) {
  switch (structures_[op.index]) {
    case GpuStructure::kFor:
      need(operand(terminator(region(op, 0)), index));
      need(operand(op, kForBounds + index));
      return;
    case GpuStructure::kIf:
    case GpuStructure::kSwitch:
      for (const mlir::RegionId r : kernel_.regions_of(op)) need(operand(terminator(r), index));
      return;
    case GpuStructure::kWhile: need(operand(terminator(region(op, 0)), index + 1)); return;
    case GpuStructure::kNone: break;
  }
  if (facts_[kernel_[op].name.index].scalar == ScalarOp::kNone) return;
  for (std::uint32_t i = 0; i < kernel_[op].operand_count; ++i) need(operand(op, i));
}

void GpuSteps::need_for_argument(mlir::BlockId block, std::uint32_t index) {
  const mlir::RegionId owner = kernel_[block].region;
  if (!owner.valid() || !kernel_[owner].op.valid()) return;
  const mlir::OpId op = kernel_[owner].op;
  if (structures_[op.index] == GpuStructure::kFor && index > 0) {
    need(operand(op, kForBounds + index - 1));
    need(operand(terminator(owner), index - 1));
  } else if (structures_[op.index] == GpuStructure::kWhile) {
    if (owner == region(op, 0)) {
      need(operand(op, index));
      need(operand(terminator(region(op, 1)), index));
    } else {
      need(operand(terminator(region(op, 0)), index + 1));
    }
  }
}

bool GpuSteps::any_needed(mlir::IdRange<mlir::ValueId> values) const {
  for (const mlir::ValueId v : values) {
    if (is_needed_[v.index]) return true;
  }
  return false;
}

// Lists, for each block, the operations that count and those that compute what is needed.
void GpuSteps::list_steps() {
  steps_of_block_.assign(kernel_.blocks.size(), {});
  for (std::uint32_t i = 0; i < kernel_.ops.size(); ++i) {
    const mlir::OpId op{i};
    const mlir::Op& o = kernel_[op];
    GpuStep step;
    step.op = op;
    step.structure = structures_[i];
    step.scalar = facts_[o.name.index].scalar;
    if (step.structure == GpuStructure::kFor) {
      const mlir::RegionId body = region(op, 0);
      if (kernel_[body].block_count == 0) continue;
      const mlir::IdRange<mlir::ValueId> arguments = kernel_.arguments_of(kernel_[body].first_block);
      step.carries = any_needed(kernel_.results_of(op));
      for (std::uint32_t a = 1; a < arguments.size(); ++a) {
        step.carries = step.carries || is_needed_[arguments[a].index];
      }
      step.iterates = step.carries || any_needed(arguments);
    } else if (step.structure == GpuStructure::kNone) {
      if (o.result_count != 1 || step.scalar == ScalarOp::kNone || !is_needed_[o.first_result.index]) continue;
      read_immediate(step);
      if (step.scalar == ScalarOp::kConstant) {
        constants_.emplace_back(o.first_result, step.immediate);
        continue;
      }
    }
    steps_of_block_[o.block.index].push_back(step);
  }
}

// A dimension in the attribute "#gpu<dim x>".
void GpuSteps::read_dimension(GpuStep& step) const {
  const absl::StatusOr<mlir::Attribute> dimension =
      mlir::decode(kernel_, gpu_attribute(kernel_, step.op, "dimension", "r", 0));
  if (!dimension.ok() || dimension->text.size() < 2) return;
  const char letter = dimension->text[dimension->text.size() - 2];
  if (letter >= 'x' && letter <= 'z') step.immediate = {letter - 'x', true};
}

void GpuSteps::read_immediate(GpuStep& step) {
  std::string_view name;
  if (step.scalar == ScalarOp::kConstant) name = "value";
  if (step.scalar == ScalarOp::kCompare) name = "predicate";
  if (step.scalar == ScalarOp::kProgramId || step.scalar == ScalarOp::kProgramCount) name = "axis";
  if (!name.empty()) {
    const std::optional<std::int64_t> value = mlir::integer(kernel_, gpu_attribute(kernel_, step.op, name, "r", 0));
    if (value) step.immediate = {*value, true};
  }
  if (is_position(step.scalar) && !step.immediate.is_known) read_dimension(step);
  const bool is_on_grid = step.scalar == ScalarOp::kProgramId || step.scalar == ScalarOp::kBlockId ||
                          step.scalar == ScalarOp::kClusterBlockId;
  if (is_on_grid && is_axis(step.immediate)) {
    depends_on_axis_[static_cast<std::size_t>(step.immediate.value)] = true;
  }
  depends_on_thread_ = depends_on_thread_ || step.scalar == ScalarOp::kThreadId || step.scalar == ScalarOp::kElected;
  step.bits = width_of(kernel_[step.op].first_result);
  if (kernel_[step.op].operand_count > 0) step.operand_bits = width_of(kernel_.operand(step.op, 0));
}

// Bits of an integer; 0 if the value is none.
int GpuSteps::width_of(mlir::ValueId value) const {
  const TileType& type = types_[kernel_[value].type.index];
  if (type.is_pointer || type.element == ElementType::kInvalid) return 0;
  return type.element == ElementType::kPred ? 1 : bits(type.element);
}

}  // namespace hloroof::internal::inline kernel
