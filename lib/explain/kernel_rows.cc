#include "lib/explain/kernel_rows.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "hloroof/attributes.h"
#include "lib/base/units.h"
#include "lib/hardware/device_facts.h"
#include "lib/kernel/tpu/kernel_name.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "lib/results/rows.h"
#include "lib/step/facts.h"
#include "lib/time/kernel_range.h"
#include "lib/time/kernel_time.h"
#include "lib/values/backend_config.h"
#include "lib/values/scoped_memory.h"
#include "lib/work/custom_call.h"
#include "lib/work/kernel_shapes.h"
#include "lib/work/shaped_kernel.h"

namespace hloroof::internal::inline explain {
namespace {

// The custom call that `op` is, or that an async-start wraps.
std::optional<InstructionView> called_kernel(InstructionView op) {
  if (is_kernel_call(op)) return op;
  if (op.opcode() != Opcode::kAsyncStart) return std::nullopt;
  for (const ComputationId id : op.called_computations()) {
    const ComputationView computation = op.module().computation(id);
    if (computation.is_missing()) continue;
    for (InstructionView inner : computation.instructions()) {
      if (is_kernel_call(inner)) return inner;
    }
  }
  return std::nullopt;
}

void add_run(const KernelRun& run, const OpPrediction& op, KernelRow& row) {
  row.grid = run.grid;
  row.steps = run.steps;
  row.window_bytes = run.window_vmem_bytes;
  row.scratch_bytes = run.scratch_vmem_bytes;
  row.assumptions = run.assumptions;
  row.unknown_ops = run.unknown_ops;
  row.windows.reserve(run.windows.size());
  for (const KernelWindowUse& window : run.windows) {
    row.windows.push_back(
        {window.is_output ? "written" : "read", window.block, window.bytes, window.moves, window.blocks});
  }
  if (op.time->kernel == nullptr) return;
  const KernelTime<double>& terms = *op.time->kernel;
  row.times = KernelTimes{op.time->resources[Resource::kMatrix],
                          op.time->resources[Resource::kVector],
                          terms.reading + terms.writing,
                          terms.scalar,
                          terms.steps,
                          terms.waiting};
}

void add_estimate(InstructionView call, const Work& work, KernelRow& row) {
  const std::optional<CostEstimate> estimate = cost_estimate(call);
  if (!estimate) return;
  Work counted = work;
  bool is_counted = row.failure.empty();
  if (!is_counted) {
    // The work may be what the author states.
    if (const std::optional<KernelShapes> shapes = recognize_kernel(call)) {
      counted = {};
      add_shaped_kernel(call, *shapes, counted);
      counted.read = work.read;
      counted.written = work.written;
      is_counted = true;
    }
  }
  const auto add = [&](std::string_view quantity, std::optional<double> stated, double number) {
    if (stated) row.estimate.push_back({quantity, *stated, is_counted ? std::optional(number) : std::nullopt});
  };
  add("flops", estimate->flops, counted.flops);
  add("transcendentals", estimate->transcendentals, counted.transcendentals);
  add("bytes", estimate->bytes_accessed, counted.read.hbm + counted.written.hbm);
}

}  // namespace

std::optional<double> KernelEstimateRow::ratio() const {
  if (!counted || *counted <= 0) return std::nullopt;
  return stated / *counted;
}

std::string sizes_text(const std::vector<std::int64_t>& sizes) { return absl::StrJoin(sizes, "x"); }

std::string KernelRow::range_text() const {
  if (!least_seconds) return "";
  const std::string least =
      "One run takes " + format_seconds(*least_seconds) + " if the code that depends on data does as little as it can";
  if (!most_seconds) return least + "; a loop whose end depends on data sets no upper limit.";
  return least + ", and " + format_seconds(*most_seconds) + " if it does as much as it can.";
}

std::string KernelRow::grid_text() const { return sizes_text(grid); }

std::optional<double> KernelRow::vmem_bytes() const {
  if (!window_bytes || !scratch_bytes) return std::nullopt;
  return *window_bytes + *scratch_bytes;
}

std::optional<bool> KernelRow::fits() const {
  const std::optional<double> bytes = vmem_bytes();
  const std::optional<double> room = vmem_room();
  if (!bytes || !room) return std::nullopt;
  return *bytes <= *room;
}

std::optional<double> KernelRow::vmem_room() const {
  if (!vmem_limit || !vmem_capacity) return vmem_limit ? vmem_limit : vmem_capacity;
  return std::min(*vmem_limit, *vmem_capacity);
}

std::string KernelRow::vmem_room_text() const {
  const std::optional<double> room = vmem_room();
  if (!room) return "";
  return format_bytes(*room) + (room == vmem_limit ? " that the compiler allows it" : " of a core");
}

namespace {

std::optional<KernelRow> row_of_kernel(const StepPrediction& prediction, const OpPrediction& op,
                                       ScopedVmemLimits& limits) {
  const StepFacts& facts = *prediction.facts;
  const Device& device = facts.target.device;
  const std::optional<InstructionView> call = called_kernel(facts.module->instruction(op.id));
  if (!call) return std::nullopt;
  KernelRow row;
  const KernelRun* const run = op.work->kernel.get();
  row.name = run != nullptr && !run->name.empty() ? run->name : kernel_name(*call);
  row.op = op.name;
  row.computation = op.computation;
  row.executions = op.executions;
  row.seconds = op.seconds;
  row.exposed_seconds = op.exposed_seconds;
  row.share = prediction.step_seconds > 0 ? op.exposed_seconds / prediction.step_seconds : 0;
  row.bound = bound_text(op, prediction.family);
  row.source = op.source;
  if (const TpuCore* const core = device.tpu(); core != nullptr && core->on_chip.vmem_capacity) {
    row.vmem_capacity = *core->on_chip.vmem_capacity / core_count(device);
  }
  if (const auto limit = limits.of(*call)) row.vmem_limit = static_cast<double>(*limit);
  if (run == nullptr) {
    row.failure = op.source == CostSource::kUser ? "its cost is given by the user"
                                                 : "the text has no body of this kernel in MLIR";
  } else if (!run->failure.empty()) {
    row.failure = run->failure;
    row.assumptions = run->assumptions;
    if (run->steps > 0) add_run(*run, op, row);
  } else {
    add_run(*run, op, row);
    if (const auto range = kernel_range(*run, device)) {
      row.least_seconds = range->least;
      row.most_seconds = range->most;
    }
  }
  add_estimate(*call, op.work, row);
  return row;
}

}  // namespace

std::optional<KernelRow> kernel_row(const StepPrediction& prediction, const OpPrediction& op) {
  ScopedVmemLimits limits(*prediction.facts->module, prediction.facts->options.scoped_vmem_limit_kib);
  return row_of_kernel(prediction, op, limits);
}

std::vector<KernelRow> kernel_rows(const StepPrediction& prediction) {
  ScopedVmemLimits limits(*prediction.facts->module, prediction.facts->options.scoped_vmem_limit_kib);
  std::vector<KernelRow> rows;
  for (const OpPrediction& op : prediction.ops) {
    if (std::optional<KernelRow> row = row_of_kernel(prediction, op, limits)) rows.push_back(*std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.exposed_seconds > b.exposed_seconds; });
  return rows;
}

}  // namespace hloroof::internal::inline explain
