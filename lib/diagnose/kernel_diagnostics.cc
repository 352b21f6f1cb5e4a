// Findings about Pallas kernels whose bodies were read: what their authors can change, and what is assumed about their
// data. Also about gathers that only feed kernels.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "hloroof/module.h"
#include "lib/base/units.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/diagnose/kernel_findings.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/value_walk.h"
#include "lib/time/kernel_time.h"
#include "lib/values/attribute_values.h"
#include "lib/work/custom_call.h"

namespace hloroof::internal::inline diagnose {
namespace {

constexpr std::size_t kMostUses = 16;   // limit on the values followed from a gather to its users
constexpr int kMostSourceSteps = 32;    // from the result of an op back to its gather
constexpr double kLeastRowBytes = 512;  // of what a kernel can fetch by an index: a row of 128 elements of f32

bool is_kernel(InstructionView at) {
  return at.opcode() == Opcode::kCustomCall &&
         custom_call_behaviour(string_value(at, AttributeKey::kCustomCallTarget)) == CustomCallBehaviour::kKernel;
}

// Whether a transpose leaves all dimensions where they are, as the TPU compiler writes them around gathers.
bool keeps_dimensions(InstructionView at) {
  if (at.opcode() != Opcode::kTranspose) return false;
  const std::vector<std::int64_t> dimensions = integers(at, AttributeKey::kDimensions);
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

// The gather whose elements are the result of an op, with nothing computed from them; nullopt if there is none.
std::optional<InstructionView> gathered_by(InstructionView op) {
  const Module& module = op.module();
  InstructionId id = op.id();
  Path path;
  for (int step = 0; step < kMostSourceSteps; ++step) {
    const InstructionView at = module.instruction(id);
    if (at.opcode() == Opcode::kGather) return at;
    const Flow f = flow(at.opcode());
    const bool is_moved = f == Flow::kRenames || f == Flow::kReshapes || f == Flow::kCopies || f == Flow::kConverts ||
                          f == Flow::kFuses || keeps_dimensions(at);
    if (!is_moved || at.shape().is_tuple() || !step_back(module, id, path)) return std::nullopt;
    // What feeds the op is not part of it.
    if (f != Flow::kFuses && at.id() == op.id()) return std::nullopt;
  }
  return std::nullopt;
}

// The bytes of the piece of the array that one index selects.
double row_bytes(InstructionView gather) {
  if (gather.operand_count() == 0 || !gather.operand(0).shape().is_array()) return 0;
  const std::vector<std::int64_t> sizes = integers(gather, AttributeKey::kSliceSizes);
  const double elements = std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<>());
  return elements * bits(gather.operand(0).shape().element_type) / 8;
}

// Reports a gather whose result only kernels read. XLA fuses nothing into a kernel, so the rows are written and read
// once more than the kernel needs.
void gather_before_kernel(const OpPrediction& op, Diagnosis& diagnosis) {
  const Module& module = diagnosis.module;
  const InstructionView instruction = module.instruction(op.id);
  const std::optional<InstructionView> gather = gathered_by(instruction);
  if (!gather || row_bytes(*gather) < kLeastRowBytes) return;
  std::string kernel;
  const auto users = [&](InstructionId value) { return diagnosis.users_of(value); };
  const bool only_kernels = walk_uses(module, op.id, kMostUses, users, [&](InstructionView user, InstructionId) {
    if (flow(user.opcode()) == Flow::kRenames) return Go::kOn;
    if (!is_kernel(user)) return Go::kEnd;
    if (kernel.empty()) kernel = std::string(user.name());
    return Go::kStop;
  });
  if (!only_kernels || kernel.empty()) return;
  const bool is_tpu = diagnosis.facts.target.device.tpu() != nullptr;
  diagnosis.add_work(
      DiagnosticCode::kGatherBeforeKernel, op, op.exposed_seconds,
      absl::StrFormat("gathers rows of %s into %s for the kernel %s alone, which reads them again: pass the array and "
                      "the indices, and let the kernel read its blocks by them%s",
                      format_bytes(row_bytes(*gather)), to_string(module.shapes(), instruction.shape_id()), kernel,
                      is_tpu ? " (in Pallas, PrefetchScalarGridSpec)" : ""));
}

}  // namespace

void diagnose_kernels(Diagnosis& diagnosis) {
  const Device& device = diagnosis.facts.target.device;
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
    for (const KernelFinding& finding : kernel_findings(run, *op.time->kernel, device)) {
      diagnosis.add_work(finding.code, op, op.exposed_seconds * finding.seconds / op.time->seconds,
                         absl::StrCat(name, ": ", finding.message), finding.severity);
    }
  }
}

}  // namespace hloroof::internal::inline diagnose
