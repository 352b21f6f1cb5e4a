// Findings about Pallas kernels whose bodies were read: what their authors can change, and what is assumed about their
// data. Also about gathers that only feed kernels.
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hloroof/module.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/diagnose/kernel_findings.h"
#include "lib/diagnose/kernel_gathers.h"
#include "lib/time/kernel_time.h"
#include "lib/values/scoped_memory.h"

namespace hloroof::internal::inline diagnose {
namespace {

// Reports a gather that one op runs.
void gather_before_kernel(const OpPrediction& op, Diagnosis& diagnosis) {
  const InstructionView instruction = diagnosis.module.instruction(op.id);
  const std::optional<KernelGather> gather = gather_for_kernels(instruction, instruction, diagnosis);
  if (!gather) return;
  diagnosis.add(gather_finding(*gather, op, {TimePart::Kind::kWork, op.id, {}}, op.exposed_seconds, diagnosis));
}

}  // namespace

void diagnose_kernels(Diagnosis& diagnosis) {
  const Device& device = diagnosis.facts.target.device;
  ScopedVmemLimits limits(*diagnosis.facts.module, diagnosis.facts.options.scoped_vmem_limit_kib);
  for (const OpPrediction& op : diagnosis.prediction.ops) {
    if (diagnosis.may_matter(op.exposed_seconds)) gather_before_kernel(op, diagnosis);
    if (op.work->kernel == nullptr || op.time->seconds <= 0) continue;
    const KernelRun& run = *op.work->kernel;
    const bool is_unknown = op.source == CostSource::kUnknown;
    if (is_unknown && (!run.failure.empty() || !run.unknown_ops.empty())) continue;
    const std::string name = run.name.empty() ? "the kernel" : "kernel " + run.name;
    if (!run.assumptions.empty() && !is_unknown) {
      diagnosis.add({.code = DiagnosticCode::kKernelAssumed,
                     .severity = Severity::kInfo,
                     .message = absl::StrCat(name, " is priced on assumptions: ", absl::StrJoin(run.assumptions, " ")),
                     .cause = run.name,
                     .op = op.name,
                     .parts = {{TimePart::Kind::kWork, op.id, {}}, {TimePart::Kind::kWaitsBy, op.id, {}}}});
    }
    if (op.time->kernel == nullptr || !diagnosis.may_matter(op.exposed_seconds)) continue;
    const std::optional<std::int64_t> limit = limits.of(diagnosis.facts.module->instruction(op.id));
    for (const KernelFinding& finding : kernel_findings(run, *op.time->kernel, device, limit)) {
      diagnosis.add_work(finding.code, op, op.exposed_seconds * finding.seconds / op.time->seconds,
                         absl::StrCat(name, ": ", finding.message), finding.severity);
    }
  }
}

}  // namespace hloroof::internal::inline diagnose
