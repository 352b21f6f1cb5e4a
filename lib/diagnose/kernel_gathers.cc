#include "lib/diagnose/kernel_gathers.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/analysis/wrapped.h"
#include "lib/base/units.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/shapes.h"
#include "lib/ir/value_walk.h"
#include "lib/values/attribute_values.h"
#include "lib/work/custom_call.h"

namespace hloroof::internal::inline diagnose {
namespace {

constexpr std::size_t kMostUses = 16;   // limit on the values followed from a gather to its users
constexpr int kMostSourceSteps = 32;    // from the result of an op back to its gather
constexpr double kLeastRowBytes = 512;  // of what a kernel can fetch by an index: a row of 128 elements of f32

// Whether a transpose leaves all dimensions where they are, as the TPU compiler writes them around gathers.
bool keeps_dimensions(InstructionView at) {
  if (at.opcode() != Opcode::kTranspose) return false;
  const std::vector<std::int64_t> dimensions = integers(at, AttributeKey::kDimensions);
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

// Whether the result has the elements of operand 0, with nothing computed from them.
bool moves(InstructionView at) {
  const Flow f = flow(at.opcode());
  return f == Flow::kRenames || f == Flow::kReshapes || f == Flow::kCopies || f == Flow::kConverts ||
         keeps_dimensions(at);
}

// The gather whose elements are the result of an op, with nothing computed from them; nullopt if there is none.
std::optional<InstructionView> gathered_by(InstructionView op) {
  const Module& module = op.module();
  InstructionId id = op.id();
  Path path;
  for (int step = 0; step < kMostSourceSteps; ++step) {
    const InstructionView at = module.instruction(id);
    if (at.opcode() == Opcode::kGather) return at;
    const bool fuses = flow(at.opcode()) == Flow::kFuses;
    if (!(fuses || moves(at)) || at.shape().is_tuple() || !step_back(module, id, path)) return std::nullopt;
    // What feeds the op is not part of it.
    if (!fuses && at.id() == op.id()) return std::nullopt;
  }
  return std::nullopt;
}

// The same of an op that may run the gather on another core.
std::optional<InstructionView> gathered_in(InstructionView carrier) {
  if (async_role(carrier.opcode()) != AsyncRole::kStart) return gathered_by(carrier);
  for (const WrappedComputation& wrapped : wrapped_computations(carrier)) {
    const InstructionView root = carrier.module().computation(wrapped.id).root();
    if (const std::optional<InstructionView> gather = gathered_by(root)) return gather;
  }
  return std::nullopt;
}

double row_bytes_of(InstructionView gather) {
  if (gather.operand_count() == 0 || !gather.operand(0).shape().is_array()) return 0;
  const std::vector<std::int64_t> sizes = integers(gather, AttributeKey::kSliceSizes);
  const double elements = std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<>());
  return elements * bits(gather.operand(0).shape().element_type) / 8;
}

// Whether `user` chooses between the elements of `rows` and a constant and does nothing else, as jnp.take does for
// indices that are out of bounds.
bool fills(InstructionView user, InstructionId rows) {
  const Module& module = user.module();
  InstructionView select = user;
  if (flow(user.opcode()) == Flow::kFuses) {
    const std::vector<InstructionId> parameters = parameters_taking(user, rows);
    InstructionId root = user.id();
    Path path;
    if (parameters.size() != 1 || user.shape().is_tuple() || !step_back(module, root, path)) return false;
    rows = parameters.front();
    select = origin(module.instruction(root), moves);
  }
  if (select.opcode() != Opcode::kSelect || select.operand_count() != 3) return false;
  bool has_rows = false;
  bool has_constant = false;
  for (const std::size_t choice : {1, 2}) {
    const InstructionView chosen = select.operand(choice);
    has_rows |= origin(chosen, moves).id() == rows;
    has_constant |= origin(chosen, [](InstructionView at) {
                      return at.opcode() == Opcode::kBroadcast || moves(at);
                    }).opcode() == Opcode::kConstant;
  }
  return has_rows && has_constant;
}

}  // namespace

std::optional<KernelGather> gather_for_kernels(InstructionView result, InstructionView carrier, Diagnosis& diagnosis) {
  const std::optional<InstructionView> gather = gathered_in(carrier);
  if (!gather) return std::nullopt;
  KernelGather found;
  found.row_bytes = row_bytes_of(*gather);
  if (found.row_bytes < kLeastRowBytes) return std::nullopt;
  const auto users = [&](InstructionId value) { return diagnosis.users_of(value); };
  std::vector<InstructionId> rows = {result.id()};
  for (std::size_t i = 0; i < rows.size() && i < kMostUses; ++i) {
    const bool only_kernels =
        walk_uses(diagnosis.module, rows[i], kMostUses, users, [&](InstructionView user, InstructionId value) {
          if (flow(user.opcode()) == Flow::kRenames) return Go::kOn;
          if (fills(user, value)) {
            rows.push_back(user.id());
            if (const OpPrediction* op = diagnosis.op(user.id())) found.fills.push_back(op);
            return Go::kStop;
          }
          if (!is_kernel_call(user)) return Go::kEnd;
          if (found.kernel.empty()) found.kernel = std::string(user.name());
          return Go::kStop;
        });
    if (!only_kernels) return std::nullopt;
  }
  if (found.kernel.empty() || rows.size() > kMostUses) return std::nullopt;
  return found;
}

Finding gather_finding(const KernelGather& gather, const OpPrediction& op, TimePart part, double seconds,
                       const Diagnosis& diagnosis) {
  const bool is_tpu = diagnosis.facts.target.device.tpu() != nullptr;
  Finding finding = {.code = DiagnosticCode::kGatherBeforeKernel,
                     .cause = diagnosis.place(op),
                     .op = op.name,
                     .parts = {part},
                     .most_seconds = seconds,
                     .least_share = kWorthOfStep};
  finding.message = absl::StrFormat(
      "gathers rows of %s into %s for the kernel %s alone, which reads them again: pass the array and the indices, and "
      "let the kernel read its blocks by them%s",
      format_bytes(gather.row_bytes),
      to_string(diagnosis.module.shapes(), diagnosis.module.instruction(op.id).shape_id()), gather.kernel,
      is_tpu ? " (in Pallas, PrefetchScalarGridSpec)" : "");
  for (const OpPrediction* fill : gather.fills) {
    finding.parts.push_back({TimePart::Kind::kWork, fill->id, {}});
    finding.most_seconds += fill->exposed_seconds;
    absl::StrAppend(&finding.message, "; ", fill->name, " puts a constant in place of rows that are out of bounds",
                    fill == gather.fills.front() ? ", which mode=\"clip\" of jnp.take does not" : "");
  }
  return finding;
}

}  // namespace hloroof::internal::inline diagnose
