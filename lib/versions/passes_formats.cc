// Writes what each pass did as text, JSON and CSV.
#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/describe/record_csv.h"
#include "lib/describe/record_json.h"
#include "lib/versions/pass_text.h"
#include "lib/versions/passes.h"

namespace hloroof::internal::inline versions {
namespace {

constexpr std::string_view kPassesSchema[] = {"hloroof.passes/1"};

// "+1.2 ms", empty for no change or none to compare with.
std::string change_text(const PassCount& count, std::string (*format)(double)) {
  return count.change.value_or(0) == 0 ? "" : signed_text(*count.change, format);
}

}  // namespace

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
      cells = {
          bracket_unless_runs(format_seconds(row.step.value), row.state.empty()),
          change_text(row.step, format_seconds),
          format_bytes(row.peak.value),
          row.collectives.change ? change_text(row.collectives, format_count) : format_count(row.collectives.value),
          row.copies.change ? change_text(row.copies, format_count) : format_count(row.copies.value),
          row.instructions.change ? change_text(row.instructions, format_count) : format_count(row.instructions.value)};
    }
    if (has_states) cells.push_back(row.error.empty() ? state_letter(row.state) : "");
    cells.push_back(pass_label(row.pipeline, row.pass));
    table.add(std::move(cells));
  }
  std::string out = absl::StrFormat("Passes of %s on %s %s: %d states\n", report.module, report.device, report.topology,
                                    static_cast<int>(report.rows.size()));
  out += table.to_string(layout);
  out += failures_text(report, "", layout);
  if (hidden > 0) {
    out += wrap(absl::StrFormat("  %d more states have the same numbers; --all lists them.", static_cast<int>(hidden)),
                layout.width, 2) +
           "\n";
  }
  if (has_states) out += bracket_note(layout);
  return out;
}

}  // namespace hloroof::internal::inline versions

namespace hloroof::internal {

// The value and the change of a number, as two fields.
template <>
struct Described<PassRow> {
  static constexpr RecordInfo kInfo = {"pass", "PassState", "The module after one pass."};
  static constexpr auto kFields = fields(
      field("file", "Path of the dump.", &PassRow::file),
      field("pipeline", "Pipeline of the pass; empty before and after all.", &PassRow::pipeline),
      field("pass", "The pass before this state; start at the start of a pipeline.", &PassRow::pass),
      field("state", "Why nothing would run this module as it is; empty if it might run.", &PassRow::state),
      field("changed", "Whether any number differs from that of the state before.", &PassRow::is_changed),
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
      field("error", "Why the numbers are missing; null if they are not.", or_null(&PassRow::error)));
};

template <>
struct Described<PassReport> {
  static constexpr RecordInfo kInfo = {"passes", "Passes", "The states of one module during its compile."};
  static constexpr auto kFields =
      fields(schema_field<kPassesSchema>(), field("folder", "Folder of the dumps.", &PassReport::folder),
             field("module", "Module, as the names of its dumps have it.", &PassReport::module),
             field("device", "Device.", &PassReport::device), field("topology", "Topology.", &PassReport::topology),
             field("passes", "The states, in the order of the compile.", &PassReport::rows));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline versions {

std::string passes_csv(const PassReport& report) { return records_csv(report.rows); }

std::string passes_json(const PassReport& report) { return records_json<PassReport>({report}); }

ResultTable passes_table() {
  return describe_result<PassReport>(kPassesSchema[0], "What each pass did: passes --format json");
}

}  // namespace hloroof::internal::inline versions
