#include "lib/predict/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_format.h"
#include "lib/ir/rows.h"

namespace hloroof::internal {
namespace {

using enum DiagnosticCode;

// Maximum relative difference between the model and the compiler's own estimate. Larger differences are reported.
constexpr double kModelTolerance = 0.30;

class Diagnoser {
 public:
  Diagnoser(const StepFacts& facts, StepPrediction& prediction)
      : facts_(facts), module_(*facts.module), collectives_(facts.collectives), prediction_(prediction) {}

  void run(bool memory_complete) {
    unknown_costs();
    loops();
    unscheduled();
    memory(memory_complete);
    compiler();
    untuned_blocks();
    communication();
  }

 private:
  void add(DiagnosticCode code, Severity severity, std::string message, std::string op, std::optional<double> stake) {
    prediction_.diagnostics.push_back({code, severity, std::move(message), std::move(op), stake});
  }

  // The findings not-optimized and not-partitioned include what the longer message says.
  void unscheduled() {
    if (prediction_.is_scheduled || ModuleRows::is_single_instruction(module_)) return;
    const CompileStage stage = prediction_.origin.stage;
    if (stage == CompileStage::kUnpartitioned || stage == CompileStage::kUnoptimized) {
      add(kUnscheduled, Severity::kInfo, "the module is not scheduled: a list schedule stands in for the compiler's",
          "", std::nullopt);
      return;
    }
    add(kUnscheduled, Severity::kWarning,
        "the module is not scheduled: fusion and layouts are still to come, so that its bytes and time are upper "
        "bounds; a list schedule stands in for the compiler's",
        "", std::nullopt);
  }

  void unknown_costs() {
    for (const OpPrediction& op : prediction_.ops) {
      if (op.source != CostSource::kUnknown || row_of(module_, op.id).opcode != Opcode::kCustomCall) continue;
      const std::string_view target = module_.instruction(op.id).text(AttributeKey::kCustomCallTarget);
      add(kUnknownCustomCall, Severity::kWarning,
          absl::StrFormat("custom call %s states no cost: only the bytes of its operands and results are charged; "
                          "--custom-call TARGET=flops:...,bytes:... adds what you know",
                          std::string(target)),
          op.name, op.exposed_seconds);
    }
  }

  void loops() {
    for (const CallGraph::Loop& loop : facts_.calls.loops()) {
      if (loop.trips.source != TripCount::Source::kAssumed) continue;
      const InstructionView instruction = module_.instruction(loop.instruction);
      if (facts_.executions(instruction) <= 0) continue;
      double inside = 0;
      for (ComputationView body : instruction.computations(AttributeKey::kBody)) {
        for (const OpPrediction& op : prediction_.ops) {
          if (row_of(module_, op.id).computation == body.id()) inside += op.exposed_seconds;
        }
      }
      add(kUnknownTripCount, Severity::kWarning,
          absl::StrFormat("the loop's trip count is not known (%s): counted as %d; --trip-count %s=N sets it",
                          loop.trips.why, loop.trips.value, std::string(instruction.name())),
          std::string(instruction.name()), inside);
    }
  }

  // Returns the out-of-memory message: the missing bytes, the largest buffers, the share of padding, and how to save
  // memory.
  std::string does_not_fit(const MemoryPrediction& memory) const {
    constexpr double kGib = 1024.0 * 1024 * 1024;
    std::string text = absl::StrFormat("needs %.2f GiB of memory and the device has %.2f GiB: does not fit by %.2f GiB",
                                       memory.hbm_peak_bytes / kGib, memory.capacity_bytes / kGib,
                                       (memory.hbm_peak_bytes - memory.capacity_bytes) / kGib);
    for (std::size_t i = 0; i < std::min<std::size_t>(3, memory.live_at_peak.size()); ++i) {
      const LiveBuffer& live = memory.live_at_peak[i];
      text += absl::StrFormat("%s %s %.2f GiB", i == 0 ? "; largest:" : ",", live.name, live.bytes / kGib);
    }
    text += absl::StrFormat("; padding accounts for %.0f %%", 100 * memory.padding_bytes / memory.hbm_peak_bytes);
    if (!memory.donatable.empty()) {
      text += absl::StrFormat("; donating argument %d would save %.2f GiB", memory.donatable[0].number,
                              memory.donatable[0].bytes / kGib);
    }
    if (memory.temporaries_bytes > memory.hbm_peak_bytes - memory.capacity_bytes) {
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
          "too many buffers to follow: the peak counts arguments and outputs alone", "", std::nullopt);
    }
    if (!memory.fits) {
      add(kMemoryOverCapacity, Severity::kError, does_not_fit(memory),
          memory.live_at_peak.empty() ? "" : memory.live_at_peak.front().name, std::nullopt);
    }
    for (const LiveBuffer& live : memory.live_at_peak) {
      const double logical = live.bytes - live.padding_bytes;
      if (live.padding_bytes < kWorthOfMemory * memory.capacity_bytes || live.bytes < 1.5 * logical) continue;
      add(kPaddingWaste, Severity::kWarning,
          absl::StrFormat(
              "%s: %.2f GiB of which %.2f GiB are padding (%.1fx expansion): a larger dimension last, or two "
              "merged, would fill the tiles",
              live.shape, live.bytes / kGib, live.padding_bytes / kGib, live.bytes / std::max(1.0, logical)),
          live.name, std::nullopt);
    }
    for (const OpPrediction& op : prediction_.ops) {
      if (op.work.padded_bytes < 2 * op.work.logical_bytes || op.work.logical_bytes <= 0) continue;
      if (op.bound != Resource::kHbm) continue;
      const double stake = op.exposed_seconds * (1 - op.work.logical_bytes / op.work.padded_bytes);
      if (stake < kWorthOfStep * prediction_.step_seconds) continue;
      add(kPaddingWaste, Severity::kWarning,
          absl::StrFormat("moves %.1fx the bytes that its shapes hold, the rest is tile padding: a larger dimension "
                          "last, or two merged, would fill the tiles",
                          op.work.padded_bytes / op.work.logical_bytes),
          op.name, stake);
    }
  }

  void compiler() {
    if (!prediction_.compiler_estimate_seconds) return;
    const double estimate = *prediction_.compiler_estimate_seconds;
    if (estimate <= 0 || prediction_.step_seconds <= 0) return;
    const double ratio = prediction_.step_seconds / estimate;
    if (ratio <= 1 + kModelTolerance && ratio >= 1 / (1 + kModelTolerance)) return;
    add(kModelDiffers, Severity::kInfo,
        absl::StrFormat("the compiler's own estimates give %.4g s for the step, the model %.4g s (%.2fx)", estimate,
                        prediction_.step_seconds, ratio),
        "", std::abs(prediction_.step_seconds - estimate));
  }

  // Reports matmul kernels that were compiled ahead of time, without a GPU for autotuning.
  void untuned_blocks() {
    int count = 0;
    double seconds = 0;
    for (const OpPrediction& op : prediction_.ops) {
      const auto& products = op.work.matrix;
      if (std::none_of(products.begin(), products.end(), [](const MatrixWork& p) { return p.is_untuned; })) continue;
      ++count;
      seconds += op.total_seconds;
    }
    if (count == 0) return;
    add(kUntunedBlocks, Severity::kInfo,
        absl::StrFormat(
            "%d matmul kernels have the placeholder blocks of a compiler without a GPU: their time, %.0f %% "
            "of the step, is that of the blocks autotuning is assumed to choose",
            count, prediction_.step_seconds > 0 ? 100 * seconds / prediction_.step_seconds : 0),
        "", std::nullopt);
  }

  void communication() {
    for (const std::string& note : collectives_.mesh.notes) add(kMeshAssumed, Severity::kInfo, note, "", std::nullopt);
    for (const std::string& note : collectives_.mapping.notes)
      add(kMeshAssumed, Severity::kInfo, note, "", std::nullopt);
    for (const CollectivePrediction& collective : prediction_.collectives) {
      if (collective.exposed_seconds < 0.05 * prediction_.step_seconds) continue;
      add(kExposedCommunication, Severity::kWarning,
          absl::StrFormat(
              "%s over %d devices is exposed for %.0f %% of the step: put work that does not need its result "
              "between its start and its end, or exchange less",
              collective.kind, collective.group_size, 100 * collective.exposed_seconds / prediction_.step_seconds),
          collective.name, collective.exposed_seconds);
    }
  }

  const StepFacts& facts_;
  const Module& module_;
  const CollectiveCosts& collectives_;
  StepPrediction& prediction_;
};

}  // namespace

void diagnose(const StepFacts& facts, bool memory_complete, StepPrediction& prediction) {
  diagnose_origin(facts, prediction);
  diagnose_text(facts, prediction);
  Diagnoser(facts, prediction).run(memory_complete);
  diagnose_ops(facts, prediction);
  diagnose_device_numbers(facts.target.device, facts.collectives, prediction);
  std::stable_sort(prediction.diagnostics.begin(), prediction.diagnostics.end(), [](const auto& a, const auto& b) {
    if (is_about_origin(a) != is_about_origin(b)) return is_about_origin(a);
    if (a.severity != b.severity) return a.severity > b.severity;
    return a.seconds_at_stake.value_or(0) > b.seconds_at_stake.value_or(0);
  });
}

}  // namespace hloroof::internal
