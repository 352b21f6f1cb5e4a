#include "lib/step/model_flops.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "hloroof/analysis.h"
#include "lib/analysis/op_name.h"
#include "lib/analysis/replication.h"
#include "lib/ir/opcode_facts.h"
#include "lib/work/kernel_shapes.h"

namespace hloroof::internal::inline step {
namespace {

// Whether the op_name says that the backward pass computes the op again.
bool is_recomputed(const Module& module, const OpPrediction& op) {
  if (!absl::StrContains(op.op_name, "remat")) return false;
  return parse_op_name(op.op_name).phase == Phase::kRemat && !is_backward_kernel(module.instruction(op.id));
}

// The products that an op runs: itself, or those inside it.
std::vector<InstructionView> products_in(InstructionView op) {
  std::vector<InstructionView> products;
  std::vector<ComputationId> called;
  const auto look_at = [&](InstructionView instruction) {
    if (work_class(instruction.opcode()) == WorkClass::kContraction) products.push_back(instruction);
    if (flow(instruction.opcode()) != Flow::kFuses && flow(instruction.opcode()) != Flow::kCalls) return;
    for (const ComputationId id : instruction.called_computations()) {
      if (std::find(called.begin(), called.end(), id) == called.end()) called.push_back(id);
    }
  };
  look_at(op);
  for (std::size_t i = 0; i < called.size(); ++i) {
    for (InstructionView instruction : op.module().computation(called[i]).instructions()) look_at(instruction);
  }
  if (products.empty()) products.push_back(op);
  return products;
}

// The devices that run the products of an op on the same operands; 1 if all operands differ.
double copies_of(InstructionView op, const std::vector<AxisSet>& differing, const LogicalMesh& mesh) {
  AxisSet axes = 0;
  for (InstructionView product : products_in(op)) {
    for (const InstructionId operand : product.operand_ids()) axes |= differing[operand.index];
  }
  double copies = 1;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
    if ((axes >> i & 1) == 0) copies *= static_cast<double>(mesh.axes[i].size);
  }
  return copies;
}

}  // namespace

void find_model_flops(const StepFacts& facts, StepPrediction& result) {
  const Module& module = *facts.module;
  std::vector<AxisSet> differing;
  if (module.num_partitions() > 1 && result.origin.stage != CompileStage::kUnpartitioned) {
    differing = differing_axes(module, facts.calls, facts.collectives.mesh, facts.collectives.collectives);
  }
  for (OpPrediction& op : result.ops) {
    if (op.work->matrix.empty()) continue;
    op.is_recomputed = is_recomputed(module, op);
    if (!differing.empty()) {
      op.copies_on_devices = copies_of(module.instruction(op.id), differing, facts.collectives.mesh);
    }
    const double flops = op.work->flops * facts.executions(module.instruction(op.id));
    if (op.is_recomputed) {
      result.recomputed_flops += flops;
    } else {
      result.redundant_flops += flops * (1 - 1 / op.copies_on_devices);
    }
  }
  if (!result.hfu) return;
  if (const std::optional<double> model = facts.options.model_flops; model && result.flops > 0) {
    const double of_device =
        *model / static_cast<double>(std::max<std::int64_t>(1, facts.collectives.mesh.device_count));
    result.mfu = *result.hfu * of_device / result.flops;
  } else {
    const double extra = result.recomputed_flops + result.redundant_flops;
    result.mfu = result.flops > 0 ? *result.hfu * std::max(0.0, 1 - extra / result.flops) : 0;
  }
}

}  // namespace hloroof::internal::inline step
