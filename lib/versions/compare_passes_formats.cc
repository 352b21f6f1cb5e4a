// Writes a comparison of two compiles as text, JSON and CSV.
#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/describe/record_csv.h"
#include "lib/describe/record_json.h"
#include "lib/versions/compare_passes.h"
#include "lib/versions/pass_text.h"

namespace hloroof::internal::inline versions {
namespace {

constexpr std::string_view kPassComparisonSchema[] = {"hloroof.pass_comparison/1"};

// A row with the two states that it refers to.
struct PassPairRecord {
  const PassPair* pair = nullptr;
  const PassRow* before = nullptr;  // nullptr before the first state
  const PassRow* after = nullptr;
};

struct PassComparisonDocument {
  const PassComparison* comparison = nullptr;
  std::vector<PassPairRecord> rows;
};

std::vector<PassPairRecord> records_of(const PassComparison& comparison) {
  std::vector<PassPairRecord> records;
  records.reserve(comparison.rows.size());
  for (const PassPair& pair : comparison.rows) {
    records.push_back({&pair, pair.before.row ? &comparison.before.rows[*pair.before.row] : nullptr,
                       pair.after.row ? &comparison.after.rows[*pair.after.row] : nullptr});
  }
  return records;
}

bool runs(const PassRow* row) { return row == nullptr || row->state.empty(); }

// The step of the state that this pass made; "?" if it is not predicted.
std::string step_cell(const PassSide& side, const PassRow* row) {
  if (!side.is_own) return "";
  return row->error.empty() ? bracket_unless_runs(format_seconds(row->step.value), runs(row)) : "?";
}

std::string change_cell(const std::optional<double>& seconds, bool both_run) {
  if (!seconds || *seconds == 0) return "";
  return bracket_unless_runs(signed_text(*seconds, format_seconds), both_run);
}

std::string letters(const PassPairRecord& record) {
  const std::string before = record.before == nullptr ? "" : state_letter(record.before->state);
  const std::string after = record.after == nullptr ? "" : state_letter(record.after->state);
  return before == after ? before : (before.empty() ? "-" : before) + "/" + (after.empty() ? "-" : after);
}

template <const PassRow* PassPairRecord::*kSide, const PassSide PassPair::*kOwn>
std::optional<std::string_view> own_file(const PassPairRecord& record) {
  return (record.pair->*kOwn).is_own ? std::optional<std::string_view>((record.*kSide)->file) : std::nullopt;
}

template <const PassRow* PassPairRecord::*kSide, PassCount PassRow::*kCount>
std::optional<double> count_of(const PassPairRecord& record) {
  const PassRow* row = record.*kSide;
  return row != nullptr && row->error.empty() ? std::optional<double>((row->*kCount).value) : std::nullopt;
}

template <const PassRow* PassPairRecord::*kSide, std::string PassRow::*kText>
std::optional<std::string_view> text_of(const PassPairRecord& record) {
  return record.*kSide != nullptr ? text_or_null((record.*kSide)->*kText) : std::nullopt;
}

std::optional<std::int64_t> index_or_null(const std::optional<std::size_t>& index) {
  return index ? std::optional<std::int64_t>(static_cast<std::int64_t>(*index)) : std::nullopt;
}

}  // namespace

}  // namespace hloroof::internal::inline versions

namespace hloroof::internal {

template <>
struct Described<PassPairRecord> {
  using Row = PassPairRecord;
  static constexpr RecordInfo kInfo = {"pass_pair", "PassPair", "Two compiles after one pass."};
  static constexpr auto kFields = fields(
      field("pipeline", "Pipeline of the pass; empty before and after all.",
            [](const Row& row) -> const std::string& { return row.pair->pipeline; }),
      field("pass", "The pass; start at the start of a pipeline.",
            [](const Row& row) -> const std::string& { return row.pair->pass; }),
      field("before_file", "Dump of the first compile after this pass; null if it has none.",
            own_file<&Row::before, &PassPair::before>),
      field("after_file", "Dump of the second compile after this pass; null if it has none.",
            own_file<&Row::after, &PassPair::after>),
      field("before_state",
            "Why nothing would run the latest state of the first compile as it is; null if it might run.",
            text_of<&Row::before, &PassRow::state>),
      field("after_state", "The same of the second compile.", text_of<&Row::after, &PassRow::state>),
      field("same_program", "Whether the latest states of both compiles are the same program.",
            [](const Row& row) { return row.pair->is_same_program; }),
      field("before_step_seconds", Unit::kSeconds, "Predicted step of the latest state of the first compile.",
            count_of<&Row::before, &PassRow::step>),
      field("after_step_seconds", Unit::kSeconds, "The same of the second compile.",
            count_of<&Row::after, &PassRow::step>),
      field("difference_seconds", Unit::kSeconds, "Their difference, the second less the first.",
            [](const Row& row) { return row.pair->difference; })
          .may_be_negative(),
      field("growth_seconds", Unit::kSeconds, "By how much the difference grew at this pass.",
            [](const Row& row) { return row.pair->growth; })
          .may_be_negative(),
      field("lasting_seconds", Unit::kSeconds,
            "The part of the difference at the end that no later state lacks and no earlier one has; null if the two "
            "states cannot be compared.",
            [](const Row& row) { return row.pair->lasting; })
          .may_be_negative(),
      field("before_peak_bytes", Unit::kBytes, "Peak memory of the latest state of the first compile.",
            count_of<&Row::before, &PassRow::peak>),
      field("after_peak_bytes", Unit::kBytes, "The same of the second compile.", count_of<&Row::after, &PassRow::peak>),
      field("before_error", "Why the numbers of the first compile are missing; null if they are not.",
            text_of<&Row::before, &PassRow::error>),
      field("after_error", "The same of the second compile.", text_of<&Row::after, &PassRow::error>));
};

template <>
struct Described<PassComparisonDocument> {
  using Document = PassComparisonDocument;
  static constexpr RecordInfo kInfo = {"pass_comparison", "PassComparison", "Two compiles of one module."};
  static constexpr auto kFields = fields(
      schema_field<kPassComparisonSchema>(),
      field("before", "Folder of the first compile.",
            [](const Document& d) -> const std::string& { return d.comparison->before.folder; }),
      field("after", "Folder of the second compile.",
            [](const Document& d) -> const std::string& { return d.comparison->after.folder; }),
      field("module", "Name of the module.",
            [](const Document& d) -> const std::string& { return d.comparison->after.program; }),
      field("device", "Device.", [](const Document& d) -> const std::string& { return d.comparison->after.device; }),
      field("topology", "Topology.",
            [](const Document& d) -> const std::string& { return d.comparison->after.topology; }),
      field("summary", "Where the compiles part, and the passes that made the difference of the steps.",
            [](const Document& d) { return pass_summary(*d.comparison); }),
      field("part", "Index in passes of the first state whose programs differ; null if none do.",
            [](const Document& d) { return index_or_null(d.comparison->part); }),
      field("part_for_good", "Index of the state from which on the programs differ; null if they end as the same.",
            [](const Document& d) { return index_or_null(d.comparison->part_for_good); }),
      field(
          "last",
          "Index of the last state that can be compared; the lasting parts add up to its difference. null if none can.",
          [](const Document& d) { return index_or_null(d.comparison->last); }),
      field("passes", "The passes, aligned, in the order of the compiles.",
            [](const Document& d) -> const std::vector<PassPairRecord>& { return d.rows; }));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline versions {

std::string pass_comparison_view(const PassComparison& comparison, bool all, const TextLayout& layout) {
  std::vector<Column> columns = {
      {"before", Align::kRight}, {"after", Align::kRight},   {"difference", Align::kRight},
      {"growth", Align::kRight}, {"lasting", Align::kRight}, {.title = "lacks", .is_whole = true},
      {.title = "pass"}};
  Table table(columns);
  std::size_t hidden = 0;
  bool has_brackets = false;
  std::optional<bool> was_same = true;
  for (const PassPairRecord& record : records_of(comparison)) {
    const PassPair& pair = *record.pair;
    const bool is_turn = pair.difference && was_same != pair.is_same_program;
    if (pair.difference) was_same = pair.is_same_program;
    if (!all && !is_turn && pair.growth.value_or(0) == 0 && pair.lasting.value_or(0) == 0) {
      ++hidden;
      continue;
    }
    const bool both_run = runs(record.before) && runs(record.after);
    has_brackets |= !both_run;
    table.add({step_cell(pair.before, record.before), step_cell(pair.after, record.after),
               pair.is_same_program ? "same" : change_cell(pair.difference, both_run),
               change_cell(pair.growth, both_run), change_cell(pair.lasting, both_run), letters(record),
               pass_label(pair.pipeline, pair.pass)});
  }
  const PassReport& before = comparison.before;
  const PassReport& after = comparison.after;
  const std::string topologies =
      before.topology == after.topology ? after.topology : before.topology + " and " + after.topology;
  std::string out =
      wrap(absl::StrFormat("Passes of %s on %s %s: before %s, %d states; after %s, %d states", after.program,
                           after.device, topologies, before.folder, static_cast<int>(before.rows.size()), after.folder,
                           static_cast<int>(after.rows.size())),
           layout.width, 2) +
      "\n" + wrap("  " + pass_summary(comparison), layout.width, 2) + "\n";
  out += table.to_string(layout);
  out += failures_text(before, " in " + before.folder, layout);
  out += failures_text(after, " in " + after.folder, layout);
  if (hidden > 0) {
    out += wrap(absl::StrFormat("  %d more passes did not change the difference; --all lists them.",
                                static_cast<int>(hidden)),
                layout.width, 2) +
           "\n";
  }
  out +=
      wrap(
          "  A compile without a time in a row has no such pass; its last state is compared. Lasting parts are still "
          "there at the end, and add up to the last difference.",
          layout.width, 2) +
      "\n";
  if (has_brackets) out += bracket_note(layout);
  return out;
}

std::string pass_comparison_csv(const PassComparison& comparison) { return records_csv(records_of(comparison)); }

std::string pass_comparison_json(const PassComparison& comparison) {
  return records_json<PassComparisonDocument>({{&comparison, records_of(comparison)}});
}

ResultTable pass_comparison_table() {
  return describe_result<PassComparisonDocument>(kPassComparisonSchema[0],
                                                 "Two compiles, pass by pass: passes BEFORE AFTER --format json");
}

}  // namespace hloroof::internal::inline versions
