#include "lib/report/passes.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "lib/analysis/origin.h"
#include "lib/base/units.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/shapes.h"
#include "lib/report/record_csv.h"
#include "lib/report/record_json.h"

namespace hloroof::internal {
namespace {

// Another order of the same sums differs by less, relative to a number.
constexpr double kRounding = 1e-9;

constexpr std::string_view kPassesSchema[] = {"hloroof.passes/1"};

// What a state shows of how far the compile is.
struct Progressed {
  double argument_elements = 0;  // of one device, once the module is partitioned
  bool has_tiles = false;
  bool has_fusions = false;
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
  if (!now.has_fusions && last.has_fusions) return "not fused";
  return "";
}

// What stands for the reason in a table: its last word begins with it.
std::string letter_of(std::string_view state) {
  const std::size_t blank = state.rfind(' ');
  return blank == std::string_view::npos ? "" : std::string(1, static_cast<char>(std::toupper(state[blank + 1])));
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

// The pass alone, or the pipeline whose start the state is.
std::string label(const PassRow& row) { return row.pass == "start" ? "start of " + row.pipeline : row.pass; }

// "+1.2 ms", empty for no change or none to compare with.
std::string change_text(const PassCount& count, std::string (*format)(double)) {
  if (!count.change || *count.change == 0) return "";
  return (*count.change < 0 ? "-" : "+") + format(std::abs(*count.change));
}

}  // namespace

absl::StatusOr<PassReport> pass_report(const std::string& folder, const std::vector<PassDump>& dumps,
                                       const Target& target, const PredictOptions& options,
                                       const ParseOptions& parsing) {
  PassReport report;
  report.folder = folder;
  std::vector<Progressed> progress;
  absl::Status failure;
  for (const PassDump& dump : dumps) {
    PassRow& row = report.rows.emplace_back();
    progress.emplace_back();
    row.file = dump.path;
    row.pipeline = dump.pipeline;
    row.pass = dump.name();
    report.module = dump.module;
    const absl::StatusOr<Module> module = load_module(dump.path, parsing);
    const absl::StatusOr<StepPrediction> step =
        module.ok() ? predict_step_time(*module, target, options) : absl::StatusOr<StepPrediction>(module.status());
    if (!step.ok()) {
      failure = step.status();
      row.error = std::string(failure.message().substr(0, failure.message().find('\n')));
      continue;
    }
    progress.back() = count_module(*module, row);
    row.step.value = step->step_seconds;
    row.peak.value = step->memory.peak_bytes;
    row.hbm.value = step->hbm_bytes;
    report.device = step->device;
    report.topology = step->topology;
    report.diagnostics = step->diagnostics;
  }
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

std::string passes_view(const PassReport& report, bool all, const TextLayout& layout) {
  const bool has_states = std::any_of(report.rows.begin(), report.rows.end(),
                                      [](const PassRow& row) { return !row.state.empty() || !row.error.empty(); });
  std::vector<Column> columns = {{"step", Align::kRight},  {"change", Align::kRight}, {"memory", Align::kRight},
                                 {"coll.", Align::kRight}, {"copies", Align::kRight}, {"instr.", Align::kRight}};
  if (has_states) columns.push_back({.title = "lacks", .is_whole = true});
  columns.push_back({.title = "after"});
  Table table(columns);
  std::size_t hidden = 0;
  for (const PassRow& row : report.rows) {
    if (!all && !row.is_changed && row.error.empty()) {
      ++hidden;
      continue;
    }
    std::vector<std::string> cells(6);
    if (row.error.empty()) {
      const auto bracketed = [&](const std::string& text) {
        return row.state.empty() || text.empty() ? text : "[" + text + "]";
      };
      cells = {
          bracketed(format_seconds(row.step.value)),
          change_text(row.step, format_seconds),
          format_bytes(row.peak.value),
          row.collectives.change ? change_text(row.collectives, format_count) : format_count(row.collectives.value),
          row.copies.change ? change_text(row.copies, format_count) : format_count(row.copies.value),
          row.instructions.change ? change_text(row.instructions, format_count) : format_count(row.instructions.value)};
    }
    if (has_states) cells.push_back(row.error.empty() ? letter_of(row.state) : "");
    cells.push_back(label(row));
    table.add(std::move(cells));
  }
  std::string out = absl::StrFormat("Passes of %s on %s %s: %d states\n", report.module, report.device, report.topology,
                                    static_cast<int>(report.rows.size()));
  out += table.to_string(layout);
  for (const PassRow& row : report.rows) {
    if (!row.error.empty()) out += wrap("  " + label(row) + ": not predicted: " + row.error, layout.width, 4) + "\n";
  }
  if (hidden > 0) {
    out += wrap(absl::StrFormat("  %d more states have the same numbers; --all lists them.", static_cast<int>(hidden)),
                layout.width, 2) +
           "\n";
  }
  if (has_states) {
    out += wrap(
               "  A time in brackets is that of a module that nothing would run as it is: it is not partitioned (P), "
               "has no "
               "layouts (L) or is not fused (F).",
               layout.width, 2) +
           "\n";
  }
  return out;
}

// The value and the change of a number, as two fields.
template <>
struct Described<PassRow> {
  static constexpr RecordInfo kInfo = {"pass", "PassState", "The module after one pass."};
  static constexpr auto kFields = fields(
      field("file", Unit::kNone, "Path of the dump.", &PassRow::file),
      field("pipeline", Unit::kNone, "Pipeline of the pass; empty before and after all.", &PassRow::pipeline),
      field("pass", Unit::kNone, "The pass before this state; start at the start of a pipeline.", &PassRow::pass),
      field("state", Unit::kNone, "Why nothing would run this module as it is; empty if it might run.",
            &PassRow::state),
      field("changed", Unit::kNone, "Whether any number differs from that of the state before.", &PassRow::is_changed),
      field("step_seconds", Unit::kSeconds, "Predicted step time.", [](const PassRow& row) { return row.step.value; }),
      field("step_change_seconds", Unit::kSeconds, "Its change since the state before; null in the first.",
            [](const PassRow& row) { return row.step.change; })
          .may_be_negative(),
      field("peak_bytes", Unit::kBytes, "Peak memory.", [](const PassRow& row) { return row.peak.value; }),
      field("peak_change_bytes", Unit::kBytes, "Its change.", [](const PassRow& row) { return row.peak.change; })
          .may_be_negative(),
      field("hbm_bytes", Unit::kBytes, "Bytes of HBM that a step reads and writes.",
            [](const PassRow& row) { return row.hbm.value; }),
      field("hbm_change_bytes", Unit::kBytes, "Their change.", [](const PassRow& row) { return row.hbm.change; })
          .may_be_negative(),
      field("collectives", Unit::kCount, "Collectives.", [](const PassRow& row) { return row.collectives.value; }),
      field("collectives_change", Unit::kCount, "Their change.",
            [](const PassRow& row) { return row.collectives.change; })
          .may_be_negative(),
      field("copies", Unit::kCount, "Copies.", [](const PassRow& row) { return row.copies.value; }),
      field("copies_change", Unit::kCount, "Their change.", [](const PassRow& row) { return row.copies.change; })
          .may_be_negative(),
      field("instructions", Unit::kCount, "Instructions of all computations.",
            [](const PassRow& row) { return row.instructions.value; }),
      field("instructions_change", Unit::kCount, "Their change.",
            [](const PassRow& row) { return row.instructions.change; })
          .may_be_negative(),
      field("error", Unit::kNone, "Why the numbers are missing; null if they are not.",
            [](const PassRow& row) { return text_or_null(row.error); }));
};

template <>
struct Described<PassReport> {
  static constexpr RecordInfo kInfo = {"passes", "Passes", "The states of one module during its compile."};
  static constexpr auto kFields =
      fields(schema_field<kPassesSchema>(), field("folder", Unit::kNone, "Folder of the dumps.", &PassReport::folder),
             field("module", Unit::kNone, "Module, as the names of its dumps have it.", &PassReport::module),
             field("device", Unit::kNone, "Device.", &PassReport::device),
             field("topology", Unit::kNone, "Topology.", &PassReport::topology),
             field("passes", Unit::kNone, "The states, in the order of the compile.", &PassReport::rows));
};

std::string passes_csv(const PassReport& report) { return records_csv(report.rows); }

std::string passes_json(const PassReport& report) { return records_json<PassReport>({report}); }

ResultTable passes_table() {
  return describe_result<PassReport>(kPassesSchema[0], "What each pass did: passes --format json");
}

}  // namespace hloroof::internal
