#include "lib/versions/passes.h"

#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "lib/analysis/origin.h"
#include "lib/base/in_order.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/shapes.h"
#include "lib/versions/program_hash.h"

namespace hloroof::internal::inline versions {
namespace {

// Another order of the same sums differs by less, relative to a number.
constexpr double kRounding = 1e-9;

// What a state shows of how far the compile is.
struct Progressed {
  double argument_elements = 0;  // of one device, once the module is partitioned
  bool has_tiles = false;
  bool has_fusions = false;
  bool has_usual_fusions =
      false;  // not custom: the GPU compiler leaves products to Triton long before it fuses the rest
};

// Fills in the numbers that follow from the module alone.
Progressed count_module(const Module& module, PassRow& row) {
  Progressed progress;
  const ShapeTable& shapes = module.shapes();
  for (InstructionView instruction : module.entry().instructions()) {
    if (instruction.opcode() != Opcode::kParameter) continue;
    for (const ShapeId leaf : shapes.leaves(instruction.shape_id())) {
      progress.argument_elements += static_cast<double>(element_count(shapes[leaf]));
    }
  }
  row.instructions.value = static_cast<double>(module.instruction_count());
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      const Opcode opcode = instruction.opcode();
      progress.has_fusions |= opcode == Opcode::kFusion;
      progress.has_usual_fusions |= opcode == Opcode::kFusion && instruction.text(AttributeKey::kKind) != "kCustom";
      progress.has_tiles |= has_tiled_layout(instruction.shape());
      row.collectives.value += is_collective(opcode) ? 1 : 0;
      row.copies.value += opcode == Opcode::kCopy || opcode == Opcode::kCopyStart ? 1 : 0;
    }
  }
  return progress;
}

// Why nothing would run the module as it is, if the compile ends with `last`.
std::string_view unfinished(const Progressed& now, const Progressed& last) {
  if (now.argument_elements > last.argument_elements) return "not partitioned";
  if (!now.has_tiles && last.has_tiles) return "no layouts";
  if ((!now.has_fusions && last.has_fusions) || (!now.has_usual_fusions && last.has_usual_fusions)) return "not fused";
  return "";
}

constexpr PassCount PassRow::*kCounts[] = {&PassRow::step,        &PassRow::peak,   &PassRow::hbm,
                                           &PassRow::collectives, &PassRow::copies, &PassRow::instructions};

// Sets the changes since `before`.
void compare(const PassRow& before, PassRow& row) {
  for (PassCount PassRow::*count : kCounts) {
    const double change = (row.*count).value - (before.*count).value;
    (row.*count).change = std::abs(change) <= kRounding * (row.*count).value ? 0 : change;
    row.is_changed |= (row.*count).change != 0;
  }
  row.is_changed |= row.state != before.state;
}

// One state, and what the report takes from the last of them.
struct ReadState {
  PassRow row;
  Progressed progress;
  std::string program;
  std::string device;
  std::string topology;
  Backend backend = Backend::kUnknown;
  std::vector<Diagnostic> diagnostics;
  absl::Status status;
};

ReadState read_state(const PassDump& dump, const Target& target, const PredictOptions& options,
                     const ParseOptions& parsing) {
  ReadState state;
  PassRow& row = state.row;
  row.file = dump.path;
  row.pipeline = dump.pipeline;
  row.pass = dump.name();
  row.number = dump.number;
  const absl::StatusOr<Module> module = load_module(dump.path, parsing);
  absl::StatusOr<StepPrediction> step =
      module.ok() ? predict_step_time(*module, target, options) : absl::StatusOr<StepPrediction>(module.status());
  if (!step.ok()) {
    state.status = step.status();
    row.error = std::string(state.status.message().substr(0, state.status.message().find('\n')));
    return state;
  }
  state.progress = count_module(*module, row);
  row.program = program_hash(*module);
  row.step.value = step->step_seconds;
  row.peak.value = step->memory.hbm_peak_bytes;
  row.hbm.value = step->hbm_bytes;
  state.program = std::string(module->name());
  state.device = step->device;
  state.topology = step->topology;
  state.backend = step->origin.backend;
  state.diagnostics = std::move(step->diagnostics);
  return state;
}

}  // namespace

absl::StatusOr<PassReport> pass_report(const std::string& folder, const std::vector<PassDump>& dumps,
                                       const Target& target, const PredictOptions& options, const ParseOptions& parsing,
                                       std::size_t threads) {
  PassReport report;
  report.folder = folder;
  std::vector<Progressed> progress;
  absl::Status failure;
  report.rows.reserve(dumps.size());
  progress.reserve(dumps.size());
  make_in_order(
      dumps.size(), thread_count(threads, dumps.size()),
      [&](std::size_t i) { return read_state(dumps[i], target, options, parsing); },
      [&](std::size_t i, ReadState state) {
        report.module = dumps[i].module;
        report.rows.push_back(std::move(state.row));
        progress.push_back(state.progress);
        if (!state.status.ok()) {
          failure = state.status;
          return;
        }
        report.program = std::move(state.program);
        report.device = std::move(state.device);
        report.topology = std::move(state.topology);
        report.backend = state.backend;
        report.diagnostics = std::move(state.diagnostics);
      });
  std::size_t last = report.rows.size();
  while (last > 0 && !report.rows[last - 1].error.empty()) --last;
  if (last == 0) return failure;
  const PassRow* before = nullptr;
  for (std::size_t i = 0; i < last; ++i) {
    PassRow& row = report.rows[i];
    if (!row.error.empty()) continue;
    row.state = unfinished(progress[i], progress[last - 1]);
    row.is_changed = before == nullptr;
    if (before != nullptr) compare(*before, row);
    before = &row;
  }
  return report;
}

}  // namespace hloroof::internal::inline versions
