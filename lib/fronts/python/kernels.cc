#include "lib/fronts/python/kernels.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/describe/json_writer.h"
#include "lib/hardware/device_facts.h"
#include "lib/kernel/tpu/kernel_name.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "lib/step/facts.h"
#include "lib/time/kernel_range.h"
#include "lib/values/attribute_values.h"
#include "lib/work/custom_call.h"

namespace hloroof::internal::inline python {
namespace {

void write_kernel(InstructionView call, const KernelRun* run, const StepFacts& facts, JsonWriter& out) {
  const bool is_read = run != nullptr && run->failure.empty();
  out.begin_object();
  out.member("op", call.name());
  out.member("computation", call.computation().name());
  out.member("name", kernel_name(call));
  out.key("grid");
  out.begin_array();
  if (is_read) {
    for (const std::int64_t size : run->grid) out.value(size);
  }
  out.end_array();
  std::optional<double> vmem;
  if (is_read) vmem = run->window_vmem_bytes + run->scratch_vmem_bytes;
  out.member("vmem_bytes", vmem);
  std::optional<std::string> unread;
  if (run == nullptr || !run->has_body) {
    unread = "the text does not have the body of the kernel";
  } else if (!is_read) {
    unread = run->failure;
  }
  out.member("unread", unread);
  std::optional<double> least;
  std::optional<double> most;
  if (is_read) {
    if (const auto range = kernel_range(call, *run, facts.options.kernel_lists, facts.target.device)) {
      least = range->least;
      most = range->most;
    }
  }
  out.member("least_seconds", least);
  out.member("most_seconds", most);
  out.key("assumptions");
  out.begin_array();
  if (run != nullptr) {
    for (const std::string& assumption : run->assumptions) out.value(assumption);
  }
  out.end_array();
  out.end_object();
}

}  // namespace

std::string kernels_json(const StepPrediction& prediction) {
  const Module& module = *prediction.facts->module;
  const Device& device = prediction.facts->target.device;
  JsonWriter out(JsonLayout::kCompact);
  out.begin_object();
  std::optional<double> capacity;
  if (const TpuCore* tpu = device.tpu(); tpu != nullptr && tpu->on_chip.vmem_capacity) {
    capacity = *tpu->on_chip.vmem_capacity / static_cast<double>(core_count(device));
  }
  out.member("vmem_capacity_bytes", capacity);
  out.key("calls");
  out.begin_array();
  for (const OpPrediction& op : prediction.ops) {
    const InstructionView call = module.instruction(op.id);
    if (call.opcode() != Opcode::kCustomCall) continue;
    if (custom_call_behaviour(string_value(call, AttributeKey::kCustomCallTarget)) != CustomCallBehaviour::kKernel)
      continue;
    write_kernel(call, op.work.kernel.get(), *prediction.facts, out);
  }
  out.end_array();
  out.end_object();
  return out.take();
}

}  // namespace hloroof::internal::inline python
