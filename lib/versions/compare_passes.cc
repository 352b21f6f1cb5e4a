#include "lib/versions/compare_passes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/versions/align_passes.h"

namespace hloroof::internal::inline versions {
namespace {

// Another order of the same sums differs by less, relative to the step.
constexpr double kSameStep = 1e-8;

// The summary names this many passes and counts the others.
constexpr std::size_t kMostNamed = 3;
constexpr double kLeastShare = 0.05;  // of the difference, for a second pass to be named

constexpr const char* kBackends[] = {"", "TPU", "GPU", "CPU"};  // by Backend
std::size_t index_of(Backend backend) { return static_cast<std::size_t>(backend); }

const PassRow* state_of(const PassReport& report, const PassSide& side) {
  return side.row ? &report.rows[*side.row] : nullptr;
}

bool is_outer(const PassRow& row) { return row.pipeline.empty(); }  // before or after all passes

absl::Status check_comparable(const PassReport& before, const PassReport& after,
                              const std::vector<AlignedPass>& passes) {
  if (before.program != after.program) {
    return invalid_argument(absl::StrCat(before.folder, " has the compile of module ", before.program, ", and ",
                                         after.folder, " that of ", after.program,
                                         "; --module NAME chooses among several modules of a folder"));
  }
  const bool is_known = before.backend != Backend::kUnknown && after.backend != Backend::kUnknown;
  if (is_known && before.backend != after.backend) {
    return invalid_argument(absl::StrCat(before.folder, " has a compile for a ", kBackends[index_of(before.backend)],
                                         ", and ", after.folder, " one for a ", kBackends[index_of(after.backend)],
                                         "; compare two compiles for one kind of device"));
  }
  const bool meet = std::any_of(passes.begin(), passes.end(), [&](const AlignedPass& pass) {
    return pass.before && pass.after && !is_outer(before.rows[*pass.before]);
  });
  if (meet) return absl::OkStatus();
  const auto first_pass = [](const PassReport& report) {
    for (const PassRow& row : report.rows) {
      if (!is_outer(row)) return row.pipeline + ": " + row.pass;
    }
    return std::string("none");
  };
  return invalid_argument(absl::StrCat("the compiles have no pass in common: the first of ", before.folder, " is ",
                                       first_pass(before), ", that of ", after.folder, " is ", first_pass(after),
                                       "; compare two compiles for one kind of device"));
}

// Fills in the rows but for what lasts.
void add_rows(const std::vector<AlignedPass>& passes, PassComparison& comparison) {
  PassSide before;
  PassSide after;
  double difference = 0;
  comparison.rows.reserve(passes.size());
  for (const AlignedPass& pass : passes) {
    before.is_own = pass.before.has_value();
    after.is_own = pass.after.has_value();
    if (pass.before) before.row = pass.before;
    if (pass.after) after.row = pass.after;
    const PassRow* a = state_of(comparison.before, before);
    const PassRow* b = state_of(comparison.after, after);
    const PassRow& own = pass.before ? comparison.before.rows[*pass.before] : comparison.after.rows[*pass.after];
    PassPair& pair = comparison.rows.emplace_back();
    pair.pipeline = own.pipeline;
    pair.pass = own.pass;
    pair.before = before;
    pair.after = after;
    const bool are_predicted = a != nullptr && b != nullptr && a->error.empty() && b->error.empty();
    if (!are_predicted) continue;
    pair.is_same_program = a->program == b->program;
    const double now = b->step.value - a->step.value;
    pair.difference = std::abs(now) <= kSameStep * b->step.value ? 0 : now;
    const double growth = *pair.difference - difference;
    pair.growth = std::abs(growth) <= kSameStep * b->step.value ? 0 : growth;
    difference = *pair.difference;
    if (a->state == b->state) comparison.last = comparison.rows.size() - 1;
  }
}

// A state that has no prediction says nothing about where the compiles part.
void find_parts(PassComparison& comparison) {
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    if (!comparison.rows[i].difference) continue;
    if (comparison.rows[i].is_same_program) {
      comparison.part_for_good.reset();
      continue;
    }
    if (!comparison.part) comparison.part = i;
    if (!comparison.part_for_good) comparison.part_for_good = i;
  }
}

// Splits the last difference: what remains of it in all later rows is there already.
void find_lasting(PassComparison& comparison) {
  if (!comparison.last) return;
  const double total = *comparison.rows[*comparison.last].difference;
  const double sign = total < 0 ? -1 : 1;
  std::vector<double> remaining(*comparison.last + 1);
  double least = sign * total;
  for (std::size_t i = *comparison.last + 1; i-- > 0;) {
    const PassPair& pair = comparison.rows[i];
    const PassRow* a = state_of(comparison.before, pair.before);
    const PassRow* b = state_of(comparison.after, pair.after);
    const bool is_comparable = pair.difference && a->state == b->state;
    if (is_comparable) least = std::max(0.0, std::min(least, sign * *pair.difference));
    remaining[i] = is_comparable ? least : -1;
  }
  double there = 0;
  for (std::size_t i = 0; i < remaining.size(); ++i) {
    if (remaining[i] < 0) continue;
    const double part = remaining[i] - there;
    comparison.rows[i].lasting = part <= kSameStep * std::abs(total) ? 0 : sign * part;
    there = remaining[i];
  }
}

// "tpu_fusion of pipeline Main_fusion", "the start of pipeline Main_fusion"
std::string full_name(const PassPair& pair) {
  if (pair.pipeline.empty()) return pair.pass == "input" ? "the input" : "the result";
  if (pair.pass == "start") return "the start of pipeline " + pair.pipeline;
  return pair.pass + " of pipeline " + pair.pipeline;
}

std::string only_one(const PassComparison& comparison, const PassPair& pair) {
  if (pair.before.is_own && pair.after.is_own) return "";
  return ", which only " + (pair.before.is_own ? comparison.before.folder : comparison.after.folder) + " has";
}

std::string parting(const PassComparison& comparison) {
  if (!comparison.part) return "The compiles have the same program after each pass.";
  const PassPair& first = comparison.rows[*comparison.part];
  std::string out = first.pass == "input"
                        ? std::string("The programs differ before the first pass.")
                        : absl::StrCat("They part at ", full_name(first), only_one(comparison, first), ".");
  if (!comparison.part_for_good) return out + " They end with the same program.";
  if (*comparison.part_for_good != *comparison.part) {
    const PassPair& last = comparison.rows[*comparison.part_for_good];
    absl::StrAppend(&out, " Later they have the same program again, and part for good at ", full_name(last),
                    only_one(comparison, last), ".");
  }
  return out;
}

// Indices of the rows with a lasting part, largest first.
std::vector<std::size_t> rows_that_last(const PassComparison& comparison) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    if (comparison.rows[i].lasting.value_or(0) != 0) rows.push_back(i);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(*comparison.rows[a].lasting) > std::abs(*comparison.rows[b].lasting);
  });
  return rows;
}

std::string origin_of_time(const PassComparison& comparison) {
  if (!comparison.last) return "No state of both compiles can be compared.";
  const PassPair& last = comparison.rows[*comparison.last];
  const double before = comparison.before.rows[*last.before.row].step.value;
  const double after = comparison.after.rows[*last.after.row].step.value;
  const std::string at = *comparison.last + 1 == comparison.rows.size() ? "" : " after " + full_name(last);
  if (*last.difference == 0) return absl::StrCat("Both steps take ", format_seconds(after), at, ".");
  std::string out =
      absl::StrCat("The step goes from ", format_seconds(before), " to ", format_seconds(after), at, "; ");
  const std::vector<std::size_t> rows = rows_that_last(comparison);
  if (rows.size() > 1) absl::StrAppend(&out, "of the ", format_seconds_change(*last.difference), ", ");
  std::vector<std::string> parts;
  double others = *last.difference;
  for (std::size_t i = 0; i < std::min(rows.size(), kMostNamed); ++i) {
    const PassPair& pair = comparison.rows[rows[i]];
    if (i > 0 && std::abs(*pair.lasting) < kLeastShare * std::abs(*last.difference)) break;
    const bool runs = state_of(comparison.after, pair.after)->state.empty();
    const std::string time = format_seconds_change(*pair.lasting);
    parts.push_back(absl::StrCat(runs ? time : "[" + time + "]",
                                 i == 0 ? (rows.size() > 1 ? " come at " : " come all at ") : " at ", full_name(pair),
                                 only_one(comparison, pair)));
    others -= *pair.lasting;
  }
  out += absl::StrJoin(parts, "; ");
  const std::size_t rest = rows.size() - parts.size();
  if (rest > 0)
    absl::StrAppend(&out, "; ", format_seconds_change(others), " at ", rest, rest == 1 ? " other" : " others");
  return out + ".";
}

}  // namespace

absl::StatusOr<PassComparison> compare_passes(PassReport before, PassReport after) {
  const absl::StatusOr<std::vector<AlignedPass>> passes = align_passes(before.rows, after.rows);
  if (!passes.ok()) return passes.status();
  if (absl::Status status = check_comparable(before, after, *passes); !status.ok()) return status;
  PassComparison comparison;
  comparison.before = std::move(before);
  comparison.after = std::move(after);
  add_rows(*passes, comparison);
  find_parts(comparison);
  find_lasting(comparison);
  return comparison;
}

std::string pass_summary(const PassComparison& comparison) {
  return parting(comparison) + " " + origin_of_time(comparison);
}

absl::StatusOr<std::size_t> find_pass_pair(const PassComparison& comparison, std::string_view name) {
  std::int64_t number = PassDump::kBefore;
  const char* end = name.data() + name.size();
  const bool is_number = !name.empty() && std::from_chars(name.data(), end, number).ptr == end;
  std::optional<std::size_t> first;
  std::set<std::string> names;
  for (std::size_t i = 1; i < comparison.rows.size(); ++i) {
    const PassPair& pair = comparison.rows[i];
    if (!pair.before.row || !pair.after.row) continue;
    names.insert(pair.pass);
    if (is_number && pair.before.is_own && comparison.before.rows[*pair.before.row].number == number) return i;
    if (pair.pass != name && pair.pipeline != name && pair.pipeline + ": " + pair.pass != name) continue;
    if (pair.growth.value_or(0) != 0) return i;
    if (!first) first = i;
  }
  if (first) return *first;
  const std::vector<std::string> nearest = nearest_names(name, {names.begin(), names.end()}, 1);
  return absl::NotFoundError(absl::StrCat("no pass \"", to_absl(name), "\" changed the module in either compile",
                                          nearest.empty() ? "" : "; the closest name is " + nearest[0]));
}

}  // namespace hloroof::internal::inline versions
