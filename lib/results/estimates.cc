#include "lib/results/estimates.h"

#include <algorithm>

#include "lib/hardware/device_facts.h"
#include "lib/ir/element_type.h"
#include "lib/step/facts.h"
#include "lib/time/op_time.h"
#include "lib/values/backend_config.h"
#include "lib/work/work.h"

namespace hloroof::internal::inline results {
namespace {

// Whether the estimate is 100 cycles for every window, whatever is in it.
bool is_placeholder_estimate(InstructionView op) {
  constexpr double kCyclesOfPlaceholder = 100;
  const std::optional<std::int64_t> cycles = estimated_cycles(op);
  if (!cycles || *cycles % 100 != 0) return false;  // without reading the whole config
  const auto config = window_config(op);
  if (!config || !config->estimated_cycles) return false;
  return static_cast<double>(*config->estimated_cycles) == kCyclesOfPlaceholder * loop_steps(*config);
}

// Whether an op does nothing but change a layout.
bool only_changes_layout(const Work& work) {
  return work.matrix.empty() && !work.vector.empty() &&
         std::all_of(work.vector.begin(), work.vector.end(),
                     [](const VectorWork& v) { return v.opcode == Opcode::kTranspose; });
}

bool has_narrow_arrays(InstructionView op) {
  const Module& module = op.module();
  const auto is_narrow = [&](ShapeId id) {
    const Shape& shape = module.shape(id);
    return shape.is_array() && bits(shape.element_type) == 16;
  };
  if (is_narrow(op.shape_id())) return true;
  return std::any_of(op.operand_ids().begin(), op.operand_ids().end(),
                     [&](InstructionId id) { return is_narrow(module.instruction(id).shape_id()); });
}

EstimateReason reason_of(InstructionView op, const StepFacts& facts, CostSource source, double ratio) {
  using enum EstimateReason;
  const Work& work = facts.costs.work[op.id().index];
  const Device& device = facts.target.device;
  if (source == CostSource::kUnknown) return kUnknownWork;
  if (is_placeholder_estimate(op)) return kPlaceholder;
  if (facts.collectives.by_carrier.contains(op.id().index)) return kOnTheWire;
  if (source == CostSource::kAssumed) return kAssumedWork;
  const bool is_near = ratio <= kNearRatio && ratio >= 1 / kNearRatio;
  if (only_changes_layout(work)) {
    if (core_count(device) > 1) return kRelayoutOnCores;
    return is_near ? kRelayout : kFarApart;
  }
  if (work.read.vmem + work.written.vmem > 0) return kOnChip;
  if (!work.matrix.empty()) return is_near ? kProduct : kFarApart;
  if (has_narrow_arrays(op) && !op.shape().is_tuple()) return kNarrow;
  return is_near ? kSamePremises : kFarApart;
}

// The time of one execution by the model, also if the prediction takes the compiler's.
double model_seconds_of(const OpPrediction& op, const StepFacts& facts, OpTime& time) {
  if (facts.options.estimates == EstimateSource::kModel) return op.seconds;
  time = op_time(op.work, facts.target.device, {.products_busy = facts.costs.products_busy});
  double wire = 0;
  const auto [first, last] = facts.collectives.by_carrier.equal_range(op.id.index);
  for (auto c = first; c != last; ++c) wire += facts.collectives.costs[c->second].seconds;
  return std::max(time.seconds, wire);
}

struct ReasonRow {
  Believe believe;
  std::string_view text;
};
constexpr ReasonRow kReasons[] = {
#define HLOROOF_ESTIMATE_REASON(enumerator, believe, text) {Believe::believe, text},
#include "lib/results/estimate_reason.def"
#undef HLOROOF_ESTIMATE_REASON
};

}  // namespace

Believe EstimatedOp::believe() const { return kReasons[static_cast<std::size_t>(reason)].believe; }
std::string_view EstimatedOp::why() const { return kReasons[static_cast<std::size_t>(reason)].text; }

std::vector<EstimatedOp> estimated_ops(const StepPrediction& prediction) {
  std::vector<EstimatedOp> ops;
  if (prediction.facts == nullptr) return ops;
  const StepFacts& facts = *prediction.facts;
  for (const OpPrediction& op : prediction.ops) {
    const InstructionView instruction = facts.module->instruction(op.id);
    const Demand& demand = facts.costs.demand[op.id.index];
    const std::optional<double> seconds = compiler_seconds(instruction, demand, facts.target.device);
    if (!seconds || op.executions <= 0) continue;
    OpTime time = op.time;
    EstimatedOp row;
    row.id = op.id;
    row.name = op.name;
    row.executions = op.executions;
    row.model_seconds = model_seconds_of(op, facts, time);
    row.compiler_seconds = *seconds;
    row.bound = time.bound;
    const CostSource source = time.source;
    row.reason = reason_of(instruction, facts, worse(source, op.work->source), row.ratio());
    ops.push_back(std::move(row));
  }
  std::stable_sort(ops.begin(), ops.end(), [](const EstimatedOp& a, const EstimatedOp& b) {
    return a.executions * std::max(a.model_seconds, a.compiler_seconds) >
           b.executions * std::max(b.model_seconds, b.compiler_seconds);
  });
  return ops;
}

}  // namespace hloroof::internal::inline results
