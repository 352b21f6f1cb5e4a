#include "lib/diagnose/diagnostics.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "lib/analysis/op_name.h"
#include "lib/base/units.h"
#include "lib/ir/rows.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "lib/schedule/alike_buffers.h"
#include "lib/time/kernel_range.h"
#include "lib/work/custom_call.h"
#include "lib/work/gpu_kernel.h"
#include "lib/work/work.h"

namespace hloroof::internal::inline diagnose {
namespace {

using enum DiagnosticCode;

// Maximum relative difference between the model and the compiler's own estimate. Larger differences are reported.
constexpr double kModelTolerance = 0.30;
// Padded over logical bytes from which an op is looked at. How much of the step it costs decides whether it is said.
constexpr double kVisiblePadding = 1.05;
constexpr char kLessPadding[] =
    "a last dimension that is a multiple of the tile, or two dimensions merged into one, would avoid it";

class Diagnoser {
 public:
  explicit Diagnoser(Diagnosis& diagnosis)
      : diagnosis_(diagnosis),
        facts_(diagnosis.facts),
        module_(diagnosis.module),
        collectives_(diagnosis.facts.collectives),
        prediction_(diagnosis.prediction) {}

  void run(bool memory_complete) {
    unknown_costs();
    loops();
    unscheduled();
    memory(memory_complete);
    compiler();
    untuned_blocks();
    mesh();
  }

  // Whether the module is scheduled.
  //
  // The findings not-optimized and not-partitioned include what the longer message says.
  void unscheduled() {
    if (prediction_.is_scheduled || ModuleRows::is_single_instruction(module_)) return;
    const CompileStage stage = prediction_.origin.stage;
    if (stage == CompileStage::kUnpartitioned || stage == CompileStage::kUnoptimized) {
      add(kUnscheduled, Severity::kInfo, "the module is not scheduled: a list schedule replaces the compiler's");
      return;
    }
    add(kUnscheduled, Severity::kWarning,
        ModuleRows::has_header(module_)
            ? "the module is not scheduled: fusion and layouts are still to come, so that its bytes and time are upper "
              "bounds; a list schedule replaces the compiler's"
            : "the text has no HloModule line, which says whether a module is optimized and scheduled: it is taken for "
              "one that is not, so that its bytes and time are upper bounds, and a list schedule replaces the "
              "compiler's");
  }

 private:
  void add(DiagnosticCode code, Severity severity, std::string message) {
    diagnosis_.add({.code = code, .severity = severity, .message = std::move(message)});
  }

  // Returns the custom calls with work of their own that an op runs: the op itself, or those in the computations that
  // it calls, such as the program of an async start, through any number of calls and threads.
  static std::vector<InstructionId> custom_calls_in(InstructionView op) {
    if (op.opcode() == Opcode::kCustomCall) return {op.id()};
    std::vector<InstructionId> found;
    std::set<ComputationId> seen;
    std::vector<InstructionView> open = {op};
    while (!open.empty()) {
      const InstructionView at = open.back();
      open.pop_back();
      for (ComputationId called : at.called_computations()) {
        if (!seen.insert(called).second) continue;
        for (InstructionView inner : op.module().computation(called).instructions()) {
          open.push_back(inner);
          if (inner.opcode() == Opcode::kCustomCall && !is_free_custom_call(inner)) found.push_back(inner.id());
        }
      }
    }
    return found;
  }

  struct UnknownCall {
    InstructionId id;
    std::shared_ptr<const KernelRun> kernel;  // what is known of a Pallas kernel
  };

  // Returns the custom calls that make the cost of an op unknown.
  std::vector<UnknownCall> unknown_calls_in(const OpPrediction& op) const {
    const std::vector<InstructionId> calls = custom_calls_in(module_.instruction(op.id));
    if (calls.size() == 1 && calls.front() == op.id) return {{op.id, op.work->kernel}};
    WorkOptions options;
    options.custom_calls = facts_.options.custom_calls;
    options.kernel_lists = facts_.options.kernel_lists;
    const std::vector<Work> work = compute_work(module_, calls, options);
    std::vector<UnknownCall> unknown;
    std::vector<UnknownCall> all;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      all.push_back({calls[i], work[i].kernel});
      if (work[i].source == CostSource::kUnknown) unknown.push_back(all.back());
    }
    return unknown.empty() ? all : unknown;
  }

  // Why the body of a Pallas kernel does not give its work; empty if there is no body to read.
  std::string fault_of(const KernelRun* kernel) const {
    if (kernel == nullptr) return "";
    if (!kernel->has_body) return absl::StrJoin(kernel->assumptions, " ");
    if (!kernel->failure.empty()) return "the body cannot be followed: " + kernel->failure;
    if (const auto range = kernel_range(*kernel, facts_.target.device);
        kernel->unknown_ops.empty() && range && is_open(*range)) {
      return absl::StrCat("the text leaves its work open: one run takes ",
                          range->most ? absl::StrCat(format_seconds(range->least), " to ", format_seconds(*range->most))
                                      : absl::StrCat("at least ", format_seconds(range->least)),
                          " (", absl::StrJoin(kernel->assumptions, " "), ")");
    }
    if (kernel->unknown_ops.empty()) return "";
    return "the work of these operations of its body is not known: " + absl::StrJoin(kernel->unknown_ops, ", ");
  }

  // Why the program that a call of a GPU kernel carries is not modelled; empty if it carries none.
  std::string gpu_fault_of(InstructionId call) const {
    Work none;
    const absl::Status read = add_gpu_kernel(module_.instruction(call), none);
    return read.ok() || absl::IsNotFound(read) ? "" : std::string(read.message());
  }

  void unknown_costs() {
    for (const OpPrediction& op : prediction_.ops) {
      const bool has_fault =
          op.work->kernel != nullptr && op.work->kernel->has_body && !op.work->kernel->failure.empty();
      if (op.source != CostSource::kUnknown && !has_fault) continue;
      std::set<std::string> causes;
      for (const UnknownCall& call : unknown_calls_in(op)) {
        const std::string target(module_.instruction(call.id).text(AttributeKey::kCustomCallTarget));
        const bool is_read = call.kernel != nullptr && call.kernel->has_body;
        std::string fault = is_read ? "" : gpu_fault_of(call.id);
        if (fault.empty()) fault = fault_of(call.kernel.get());
        const std::string cause = fault.empty() ? target : absl::StrCat(target, ", ", fault);
        if (causes.insert(cause).second) unknown_call(op, target, fault, cause);
      }
    }
  }

  // The cause has the fault, which the message does not repeat.
  void unknown_call(const OpPrediction& op, const std::string& target, const std::string& fault,
                    const std::string& cause) {
    Finding finding = {
        .code = kUnknownCustomCall, .cause = cause, .op = op.name, .parts = {{TimePart::Kind::kWork, op.id, {}}}};
    if (fault.empty()) {
      finding.message = absl::StrFormat(
          "custom call %s states no cost: only the bytes of its operands and results are charged; "
          "--custom-call TARGET=flops:...,bytes:... adds what you know",
          target);
    } else if (op.source != CostSource::kUnknown) {
      finding.severity = Severity::kInfo;
      finding.message =
          absl::StrFormat("custom call %s is priced by its shapes, or by the cost that its author states", target);
    } else {
      finding.message = absl::StrFormat(
          "the work of custom call %s is not known; --custom-call TARGET=flops:...,bytes:... adds what you know",
          target);
    }
    diagnosis_.add(std::move(finding));
  }

  void loops() {
    for (const CallGraph::Loop& loop : facts_.calls.loops()) {
      if (loop.trips.source != TripCount::Source::kAssumed) continue;
      const InstructionView instruction = module_.instruction(loop.instruction);
      if (facts_.executions(instruction) <= 0) continue;
      const std::string name(instruction.name());
      Finding finding = {.code = kUnknownTripCount,
                         .message = absl::StrFormat(
                             "the loop's trip count is not known (%s): counted as %d; --trip-count %s=N sets it",
                             loop.trips.why, loop.trips.value, name),
                         .cause = diagnosis_.place(instruction),
                         .op = name};
      for (ComputationView body : instruction.computations(AttributeKey::kBody)) {
        for (InstructionView inside : body.instructions()) {
          finding.parts.push_back({TimePart::Kind::kWork, inside.id(), {}});
          finding.parts.push_back({TimePart::Kind::kWaitsIn, inside.id(), {}});
        }
      }
      diagnosis_.add(std::move(finding));
    }
  }

  // Returns the out-of-memory message: the missing bytes, the largest buffers, the share of padding, and how to save
  // memory.
  std::string does_not_fit(const MemoryPrediction& memory) const {
    constexpr double kGib = 1024.0 * 1024 * 1024;
    std::string text = absl::StrFormat("needs %.2f GiB of memory, and %.2f GiB are usable: does not fit by %.2f GiB",
                                       memory.hbm_peak_bytes / kGib, memory.usable_bytes / kGib,
                                       (memory.hbm_peak_bytes - memory.usable_bytes) / kGib);
    const std::vector<AlikeBuffers> alike = fold_alike(memory.live_at_peak);
    for (std::size_t i = 0; i < std::min<std::size_t>(3, alike.size()); ++i) {
      text += absl::StrFormat("%s %s %.2f GiB", i == 0 ? "; largest:" : ",", alike_label(alike[i], memory.live_at_peak),
                              alike[i].bytes / kGib);
    }
    if (memory.padding_bytes >= kWorthOfMemory * memory.hbm_peak_bytes) {
      text += absl::StrFormat("; padding accounts for %.0f %%", 100 * memory.padding_bytes / memory.hbm_peak_bytes);
    }
    if (!memory.donatable.empty()) {
      text += absl::StrFormat("; donating argument %d would save %.2f GiB", memory.donatable[0].number,
                              memory.donatable[0].bytes / kGib);
    }
    if (memory.temporaries_bytes > memory.hbm_peak_bytes - memory.usable_bytes) {
      text += absl::StrFormat("; %.2f GiB are temporaries, which recomputing (remat) or a smaller batch would shrink",
                              memory.temporaries_bytes / kGib);
    }
    return text;
  }

  void memory(bool complete) {
    const MemoryPrediction& memory = prediction_.memory;
    constexpr double kGib = 1024.0 * 1024 * 1024;
    if (!complete) {
      add(kMemoryIncomplete, Severity::kWarning,
          "too many buffers to follow: the peak counts arguments and outputs alone");
    }
    if (!memory.fits) {
      diagnosis_.add({.code = kMemoryOverCapacity,
                      .severity = Severity::kError,
                      .message = does_not_fit(memory),
                      .op = memory.live_at_peak.empty() ? "" : memory.live_at_peak.front().name,
                      .bytes = memory.hbm_peak_bytes - memory.usable_bytes});
    }
    for (const LiveBuffer& live : memory.live_at_peak) {
      const double logical = live.bytes - live.padding_bytes;
      if (live.padding_bytes < kWorthOfMemory * memory.capacity_bytes || live.bytes < 1.5 * logical) continue;
      diagnosis_.add({.code = kPaddingWaste,
                      .message = absl::StrFormat("%s: %.2f GiB of which %.2f GiB are padding (%.1fx expansion): %s",
                                                 live.shape, live.bytes / kGib, live.padding_bytes / kGib,
                                                 live.bytes / std::max(1.0, logical), kLessPadding),
                      .cause = "buffers of " + live.shape,
                      .op = live.name,
                      .bytes = live.padding_bytes});
    }
    for (const OpPrediction& op : prediction_.ops) {
      if (op.work->padded_bytes < kVisiblePadding * op.work->logical_bytes || op.work->logical_bytes <= 0) continue;
      if (op.bound != Resource::kHbm) continue;
      diagnosis_.add_work(
          kPaddingWaste, op, op.exposed_seconds * (1 - op.work->logical_bytes / op.work->padded_bytes),
          absl::StrFormat("moves %.2f times the bytes that its shapes hold, the rest is tile padding: %s",
                          op.work->padded_bytes / op.work->logical_bytes, kLessPadding));
    }
  }

  void compiler() {
    if (!prediction_.compiler_estimate_seconds || prediction_.code_share > 0) return;
    const double estimate = *prediction_.compiler_estimate_seconds;
    if (estimate <= 0 || prediction_.step_seconds <= 0) return;
    const double ratio = prediction_.step_seconds / estimate;
    if (ratio <= 1 + kModelTolerance && ratio >= 1 / (1 + kModelTolerance)) return;
    add(kModelDiffers, Severity::kInfo,
        absl::StrFormat("the compiler's own estimates give %s for the step, the model %s (%.2fx)",
                        format_seconds(estimate), format_seconds(prediction_.step_seconds), ratio));
  }

  // Reports matmul kernels that were compiled ahead of time, without a GPU for autotuning.
  void untuned_blocks() {
    int count = 0;
    double seconds = 0;
    for (const OpPrediction& op : prediction_.ops) {
      const auto& products = op.work->matrix;
      if (std::none_of(products.begin(), products.end(), [](const MatrixWork& p) { return p.is_untuned; })) continue;
      ++count;
      seconds += op.total_seconds;
    }
    if (count == 0) return;
    add(kUntunedBlocks, Severity::kInfo,
        absl::StrFormat(
            "%d matmul kernels have the placeholder blocks of a compiler without a GPU: their time, %.0f %% "
            "of the step, is that of the fastest blocks that libraries have",
            count, prediction_.step_seconds > 0 ? 100 * seconds / prediction_.step_seconds : 0));
  }

  void mesh() {
    for (const auto* notes : {&collectives_.mesh.notes, &collectives_.mapping.notes}) {
      for (const std::string& note : *notes) {
        diagnosis_.add({.code = kMeshAssumed, .severity = Severity::kInfo, .message = note, .cause = note});
      }
    }
  }

  Diagnosis& diagnosis_;
  const StepFacts& facts_;
  const Module& module_;
  const CollectiveCosts& collectives_;
  const StepPrediction& prediction_;
};

}  // namespace

Diagnosis::Diagnosis(const StepFacts& f, const StepPrediction& p) : facts(f), module(*f.module), prediction(p) {
  ops_.resize(module.instruction_limit(), nullptr);
  for (const OpPrediction& op : p.ops) ops_[op.id.index] = &op;
}

absl::Span<const InstructionId> Diagnosis::users_of(InstructionId id) {
  if (!users_) users_.emplace(module);
  return users_->of(id);
}

bool Diagnosis::may_matter(double seconds) const {
  constexpr double kMostRepetitions = 1000;
  return prediction.step_seconds > 0 && seconds * kMostRepetitions >= kWorthOfStep * prediction.step_seconds;
}

std::string Diagnosis::place(const OpPrediction& op) const {
  std::string path = layer_key(op.op_name, module.name());
  return !path.empty() ? path : shape_text(module.instruction(op.id));
}

std::string Diagnosis::place(InstructionView instruction) const {
  std::string path = layer_key(op_name(instruction), module.name());
  return !path.empty() ? path : shape_text(instruction);
}

std::string Diagnosis::shape_text(InstructionView instruction) const {
  return instruction.shape().is_tuple() ? std::string(instruction.opcode_text())
                                        : to_string(module.shapes(), instruction.shape_id());
}

void Diagnosis::add_work(DiagnosticCode code, const OpPrediction& op, double most_seconds, std::string message,
                         Severity severity) {
  if (!may_matter(most_seconds)) return;
  add({.code = code,
       .severity = severity,
       .message = std::move(message),
       .cause = place(op),
       .op = op.name,
       .parts = {{TimePart::Kind::kWork, op.id, {}}},
       .most_seconds = most_seconds,
       .least_share = kWorthOfStep});
}

namespace {

bool any_code(DiagnosticCode) { return true; }

void sort_diagnostics(std::vector<Diagnostic>& diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    if (is_about_origin(a) != is_about_origin(b)) return is_about_origin(a);
    if (a.severity != b.severity) return a.severity > b.severity;
    return a.seconds_at_stake.value_or(0) > b.seconds_at_stake.value_or(0);
  });
}

}  // namespace

void diagnose_origin_alone(const StepFacts& facts, StepPrediction& prediction) {
  Diagnosis diagnosis(facts, prediction);
  diagnose_origin(diagnosis);
  std::erase_if(diagnosis.findings, [](const Finding& finding) { return !is_about_origin(finding.code); });
  if (diagnosis.findings.empty()) return;
  group_by_cause(facts, diagnosis.findings, any_code, prediction);
  sort_diagnostics(prediction.diagnostics);
}

bool is_read_by_summary(DiagnosticCode code) {
  return is_about_origin(code) || code == kWrongGeneration || code == kUnscheduled || code == kGatherThenCut ||
         code == kLoopCarryCopy;
}

// Also looks for the findings of the codes before those that are kept, because these take their seconds first.
void add_diagnostics_of_summary(const StepFacts& facts, StepPrediction& prediction) {
  Diagnosis diagnosis(facts, prediction);
  diagnose_origin(diagnosis);
  Diagnoser(diagnosis).unscheduled();
  diagnose_communication(diagnosis);
  diagnose_loop_copies(diagnosis);
  diagnose_ops(diagnosis);
  group_by_cause(facts, diagnosis.findings, is_read_by_summary, prediction);
  sort_diagnostics(prediction.diagnostics);
}

void add_diagnostics(const StepFacts& facts, bool memory_complete, StepPrediction& prediction) {
  Diagnosis diagnosis(facts, prediction);
  diagnose_origin(diagnosis);
  diagnose_text(diagnosis);
  Diagnoser(diagnosis).run(memory_complete);
  diagnose_communication(diagnosis);
  diagnose_loop_copies(diagnosis);
  diagnose_copies(diagnosis);
  diagnose_precision(diagnosis);
  diagnose_ops(diagnosis);
  diagnose_kernels(diagnosis);
  diagnose_donations(diagnosis);
  diagnose_numbers(diagnosis);
  diagnose_device_numbers(diagnosis);
  diagnose_code(diagnosis);
  diagnose_network(diagnosis);
  diagnose_utilization(diagnosis);
  group_by_cause(facts, diagnosis.findings, any_code, prediction);
  sort_diagnostics(prediction.diagnostics);
}

}  // namespace hloroof::internal::inline diagnose
