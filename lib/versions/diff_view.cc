// Formats a difference as text and as Markdown.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"
#include "lib/analysis/op_name.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/results/fold.h"
#include "lib/versions/diff.h"

namespace hloroof::internal::inline versions {
namespace {

constexpr double kManyTimes = 10;  // from here on, a ratio is easier to read than a percentage

std::string relative(double before, double after) {
  if (before == after) return "[ = ]";
  if (before == 0) return "[NEW]";
  if (after == 0) return "-100.0 %";
  if (after / before >= kManyTimes) return absl::StrFormat("%.1fx", after / before);
  return absl::StrFormat("%+.1f %%", 100 * (after - before) / before);
}

// A cell of each column: change, relative, before, after, what changed, name.
struct ChangeRow {
  std::string change;
  std::string relative;
  std::string before;
  std::string after;
  std::string what;
  std::string name;
};

ChangeRow change_row_of(double before, double after, std::string state, std::string what, std::string name) {
  return {format_seconds_change(after - before),
          std::move(state),
          format_seconds(before),
          format_seconds(after),
          std::move(what),
          std::move(name)};
}

// "fusion.12 -> .45" if only the number differs.
std::string name_of(const OpChange& change) {
  if (change.before == nullptr || change.after == nullptr) return change.op().name;
  const std::string& a = change.before->name;
  const std::string& b = change.after->name;
  if (a == b) return a;
  const std::size_t dot = a.rfind('.');
  if (dot != std::string::npos && b.compare(0, dot + 1, a, 0, dot + 1) == 0) return a + " -> " + b.substr(dot);
  return a + " -> " + b;
}

std::string state_of(bool was_there, bool is_there, double before, double after) {
  return !was_there ? "[NEW]" : !is_there ? "[GONE]" : relative(before, after);
}

std::string first_of(const std::vector<std::string>& what) {
  if (what.size() < 2) return what.empty() ? "" : what.front();
  return what.front() + " ...";
}

// Ops of one kind and layer, except for its number, that changed in the same way.
struct AlikeChanges {
  const OpChange* largest = nullptr;
  std::size_t count = 0;
  double before_seconds = 0;
  double after_seconds = 0;
  double change() const { return after_seconds - before_seconds; }
};

// Ops without an op_name are alike to none. An op that has kept its time is alike to none that has not: the rows of the
// changes leave it out.
std::vector<AlikeChanges> fold_changes(const Difference& difference) {
  using Key = std::tuple<std::string_view, std::string, std::vector<std::string>, bool, bool, bool>;
  std::map<Key, std::size_t> index;
  std::vector<AlikeChanges> folded;
  for (const OpChange& change : difference.ops) {
    const OpPrediction& op = change.op();
    const bool changed = is_change(difference, change.change());
    const std::string layer = changed && !op.op_name.empty() ? fold_numbers(op.op_name) : "%" + op.name;
    const auto [found, is_new] = index.try_emplace(
        {op.opcode, layer, change.what, change.before != nullptr, change.after != nullptr, changed}, folded.size());
    if (is_new) folded.emplace_back();
    AlikeChanges& alike = folded[found->second];
    if (alike.largest == nullptr || std::abs(change.change()) > std::abs(alike.largest->change())) {
      alike.largest = &change;
    }
    ++alike.count;
    alike.before_seconds += change.before_seconds();
    alike.after_seconds += change.after_seconds();
  }
  std::stable_sort(folded.begin(), folded.end(), [](const AlikeChanges& a, const AlikeChanges& b) {
    return std::abs(a.change()) > std::abs(b.change());
  });
  return folded;
}

ChangeRow change_row_of(const AlikeChanges& c) {
  const OpChange& op = *c.largest;
  return change_row_of(c.before_seconds, c.after_seconds,
                       state_of(op.before != nullptr, op.after != nullptr, c.before_seconds, c.after_seconds),
                       first_of(op.what), folded_label(name_of(op), c.count));
}
ChangeRow change_row_of(const GroupChange& c) {
  return change_row_of(c.before_seconds, c.after_seconds,
                       state_of(c.was_there, c.is_there, c.before_seconds, c.after_seconds), "", c.name);
}

std::size_t ops_of(const AlikeChanges& c) { return c.count; }
std::size_t ops_of(const GroupChange&) { return 1; }

// Returns the first `limit` changes and rows that sum the others, so that all rows add up to the last one.
template <typename Change>
std::vector<ChangeRow> change_rows(const Difference& difference, const std::vector<Change>& all, std::size_t limit) {
  struct Sum {
    std::size_t count = 0;
    double before = 0;
    double after = 0;
    void add(const Change& change) {
      count += ops_of(change);
      before += change.before_seconds;
      after += change.after_seconds;
    }
  };
  std::vector<ChangeRow> rows;
  Sum total;
  Sum others;
  Sum unchanged;
  for (const Change& change : all) {
    total.add(change);
    if (!is_change(difference, change.change())) {
      unchanged.add(change);
    } else if (limit > 0 && rows.size() >= limit) {
      others.add(change);
    } else {
      rows.push_back(change_row_of(change));
    }
  }
  const auto add = [&rows](const Sum& sum, std::string state, std::string name) {
    rows.push_back(change_row_of(sum.before, sum.after, std::move(state), "", std::move(name)));
  };
  if (others.count > 0) {
    add(others, relative(others.before, others.after), format_others(others.count));
  }
  if (unchanged.count > 0) {
    unchanged.after = unchanged.before;  // without the rounding
    add(unchanged, "[ = ]", absl::StrFormat("[%d with the same time]", unchanged.count));
  }
  const double before = difference.before->step_seconds;
  const double after = difference.after->step_seconds;
  if (is_change(difference, after - before)) {
    rows.push_back(change_row_of(before, after, relative(before, after), "", "TOTAL"));
  } else {
    rows.push_back(change_row_of(before, before, "[ = ]", "", "TOTAL"));
  }
  return rows;
}

// `names` is null if the rows are groups.
std::string change_table(std::string title, const std::vector<ChangeRow>& rows, const ShortNames* names,
                         const TextLayout& layout) {
  bool has_what = false;
  for (const ChangeRow& row : rows) has_what = has_what || !row.what.empty();
  std::vector<Column> columns = {
      {"change", Align::kRight}, {"relative", Align::kRight}, {"before", Align::kRight}, {"after", Align::kRight}};
  if (has_what) columns.push_back({"changed", Align::kLeft, 14});
  columns.push_back({.title = std::move(title), .is_code = true, .names = names});
  Table table(std::move(columns));
  for (const ChangeRow& row : rows) {
    std::vector<std::string> cells = {row.change, row.relative, row.before, row.after};
    if (has_what) cells.push_back(row.what);
    cells.push_back(row.name);
    table.add(std::move(cells));
  }
  return table.to_string(layout);
}

// The ops or groups that changed most.
std::string largest_changes(const Difference& difference, const DiffOptions& options) {
  if (!difference.group_by.empty()) {
    return change_table(difference.group_by, change_rows(difference, difference.groups, options.limit), nullptr,
                        options);
  }
  const ShortNames names(*difference.before, *difference.after);
  return change_table("op ×alike", change_rows(difference, fold_changes(difference), options.limit), &names, options);
}

struct TotalRow {
  std::string name;
  std::string before;
  std::string after;
  std::string relative;
};

std::vector<TotalRow> total_rows(const Difference& difference) {
  const StepPrediction& a = *difference.before;
  const StepPrediction& b = *difference.after;
  std::vector<TotalRow> rows;
  const auto add = [&rows](const char* name, double before, double after, std::string (*format)(double)) {
    rows.push_back({name, format(before), format(after), relative(before, after)});
  };
  add("step time", a.step_seconds, b.step_seconds, format_seconds);
  add("exposed comm.", a.exposed_communication_seconds, b.exposed_communication_seconds, format_seconds);
  add("peak memory", a.memory.hbm_peak_bytes, b.memory.hbm_peak_bytes, format_bytes);
  add("flops", a.flops, b.flops, [](double flops) { return format_flops(flops); });
  add("HBM bytes", a.hbm_bytes, b.hbm_bytes, format_bytes);
  add("wire bytes", a.wire_bytes, b.wire_bytes, format_bytes);
  const MatchedShare& old_share = difference.before_share;
  const MatchedShare& new_share = difference.after_share;
  rows.push_back({"matched ops", format_percent(old_share.of_ops()), format_percent(new_share.of_ops()), ""});
  rows.push_back({"matched time", format_percent(old_share.of_seconds()), format_percent(new_share.of_seconds()), ""});
  return rows;
}

// "412 ops matched, 12 of them changed (10 shape, 3 layout); 4 gone, 7 new"
std::string matched_text(const Difference& difference) {
  std::size_t matched = 0;
  std::size_t changed = 0;
  std::size_t gone = 0;
  std::size_t added = 0;
  std::map<std::string, std::size_t> kinds;
  for (const OpChange& change : difference.ops) {
    if (change.after == nullptr) ++gone;
    if (change.before == nullptr) ++added;
    if (change.after == nullptr || change.before == nullptr) continue;
    ++matched;
    if (!change.what.empty()) ++changed;
    for (const std::string& what : change.what) ++kinds[what];
  }
  std::string text = absl::StrFormat("%d op%s matched", matched, matched == 1 ? "" : "s");
  if (changed > 0) {
    std::vector<std::pair<std::size_t, std::string>> counts;
    counts.reserve(kinds.size());
    for (const auto& [what, number] : kinds) counts.emplace_back(number, what);
    std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    text += absl::StrFormat(", %d of them changed", changed);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      text += absl::StrFormat("%s%d %s", i == 0 ? " (" : ", ", counts[i].first, counts[i].second);
    }
    text += ")";
  }
  if (gone > 0 || added > 0) text += absl::StrFormat("; %d gone, %d new", gone, added);
  return text;
}

std::string place_of(const StepPrediction& prediction) {
  return prediction.device + (prediction.topology.empty() ? "" : " " + prediction.topology);
}

// "old.hlo: jit_step on tpu_v5e 2x4"
std::string side_of(const std::string& file, const StepPrediction& prediction) {
  return (file.empty() ? "" : file + ": ") + prediction.module_name + " on " + place_of(prediction);
}

// Text as code in Markdown.
std::string markdown_code(const std::string& text) {
  std::string out = "`";
  for (const char c : text) out += c == '`' ? '\'' : c;
  return out + "`";
}

std::string totals_table(const Difference& difference, const TextLayout& layout) {
  Table totals({{"", Align::kLeft}, {"before", Align::kRight}, {"after", Align::kRight}, {"relative", Align::kRight}});
  for (TotalRow& row : total_rows(difference)) {
    totals.add({std::move(row.name), std::move(row.before), std::move(row.after), std::move(row.relative)});
  }
  return totals.to_string(layout);
}

}  // namespace

std::string diff_view(const Difference& difference, const DiffOptions& options) {
  std::string out = "before  " + side_of(difference.before_file, *difference.before) + "\nafter   " +
                    side_of(difference.after_file, *difference.after) + "\n\n";
  out += totals_table(difference, options) + "  " + wrap(matched_text(difference), options.width, 2) + "\n";
  out +=
      "\nBy category\n" + change_table("category", change_rows(difference, difference.categories, 0), nullptr, options);
  return out + "\nBy " + (difference.group_by.empty() ? "op" : difference.group_by) + "\n" +
         largest_changes(difference, options);
}

std::string diff_markdown(const Difference& difference, DiffOptions options) {
  options.markdown = true;
  const StepPrediction& a = *difference.before;
  const StepPrediction& b = *difference.after;
  std::string out =
      "### Step " + format_seconds(a.step_seconds) + " -> " + format_seconds(b.step_seconds) +
      (is_change(difference, b.step_seconds - a.step_seconds) ? " (" + relative(a.step_seconds, b.step_seconds) + ")"
                                                              : ", unchanged") +
      "\n\n";
  for (const GateResult& gate : difference.gates) {
    out += (gate.failed ? "- **failed** " : "- passed ") + markdown_code(gate.condition) + ": " + gate.finding + "\n";
  }
  if (!difference.gates.empty()) out += "\n";
  const std::string place = place_of(a) == place_of(b) ? place_of(a) : place_of(a) + " -> " + place_of(b);
  out += wrap(markdown_code(b.module_name) + " on " + place + "; " + matched_text(difference), options.width, 0) + "\n";
  return out + totals_table(difference, options) + largest_changes(difference, options);
}

}  // namespace hloroof::internal::inline versions
