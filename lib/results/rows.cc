#include "lib/results/rows.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "hloroof/analysis.h"
#include "lib/analysis/op_name.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/results/combined.h"
#include "lib/results/fold.h"
#include "lib/results/layers.h"

namespace hloroof::internal::inline results {
namespace {

struct Rewrite {
  std::unique_ptr<RE2> pattern;
  std::string replacement;
};

// The patterns of the options, compiled.
struct Patterns {
  std::unique_ptr<RE2> filter;
  std::vector<Rewrite> rewrites;
};

std::unique_ptr<RE2> compile(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  return std::make_unique<RE2>(pattern, options);
}

constexpr std::pair<std::string_view, GroupBy> kGroups[] = {
    {"none", GroupBy::kNone},       {"computation", GroupBy::kComputation}, {"category", GroupBy::kCategory},
    {"op_name", GroupBy::kOpName},  {"source", GroupBy::kSource},           {"layer", GroupBy::kLayer},
    {"similar", GroupBy::kSimilar},
};

// What make_rows() needs to group the ops.
struct OpGroups {
  GroupBy by = GroupBy::kNone;
  std::string_view module_name;
  std::vector<FoldedRow> folded;     // for kSimilar
  std::vector<std::size_t> fold_of;  // index in `folded` by op

  OpGroups(const StepPrediction& prediction, GroupBy group) : by(group), module_name(prediction.module_name) {
    if (by != GroupBy::kSimilar) return;
    folded = fold_rows(prediction);
    fold_of.assign(prediction.ops.size(), 0);
    for (std::size_t f = 0; f < folded.size(); ++f) {
      for (std::size_t op : folded[f].ops) fold_of[op] = f;
    }
  }
};

std::string group_label(const OpPrediction& op, std::size_t at, const OpGroups& groups) {
  if (groups.by == GroupBy::kSimilar) return groups.folded[groups.fold_of[at]].name;
  return group_key(op, groups.by, groups.module_name);
}

std::string_view direction(Phase phase) {
  switch (phase) {
    case Phase::kForward: return " forward";
    case Phase::kBackward: return " backward";
    case Phase::kRemat: return " recomputed";
    case Phase::kOther: return "";
  }
  return "";
}

// The last two scopes of the path, or the op if it has none, and the part of a training step: "mlp/w1 backward".
std::string layer_label(const StepPrediction& prediction, const OpPrediction& op) {
  const OpPath path = parse_op_name(op.op_name, prediction.module_name);
  const std::size_t scopes = path.scopes.size();
  std::string label(scopes > 0 ? path.scopes.back() : path.op);
  if (scopes > 1) label = absl::StrCat(to_absl(path.scopes[scopes - 2]), "/", label);
  label = fold_numbers(label);
  return label.empty() ? label : label + std::string(direction(phase_of(path, prediction, op)));
}

absl::StatusOr<Patterns> compile_patterns(const RowOptions& options) {
  Patterns patterns;
  if (!options.filter.empty()) {
    patterns.filter = compile(options.filter);
    if (!patterns.filter->ok()) {
      return invalid_argument("filter '" + options.filter + "': " + patterns.filter->error());
    }
  }
  for (const auto& [pattern, replacement] : options.rewrites) {
    patterns.rewrites.push_back({compile(pattern), replacement});
    const RE2& compiled = *patterns.rewrites.back().pattern;
    if (!compiled.ok()) return invalid_argument("rewrite '" + pattern + "': " + compiled.error());
    std::string error;
    if (!compiled.CheckRewriteString(replacement, &error)) {
      return invalid_argument("rewrite to '" + replacement + "': " + error);
    }
  }
  return patterns;
}

bool matches(const OpPrediction& op, const std::string& source, const RE2& filter) {
  return RE2::PartialMatch(op.name, filter) || RE2::PartialMatch(op.op_name, filter) ||
         RE2::PartialMatch(op.category, filter) || RE2::PartialMatch(source, filter);
}

void add(Row& row, const OpPrediction& op) {
  ++row.ops;
  row.count += op.executions;
  row.seconds += op.exposed_seconds;
  row.wait_seconds += op.wait_seconds;
  row.busy_seconds += op.total_seconds;
  row.efficiency += op.efficiency * op.total_seconds;
  row.flops += op.executions * op.work->flops;
  row.hbm_bytes += op.executions * (op.work->read.hbm + op.work->written.hbm);
  row.moved_bytes += op.executions * op.work->padded_bytes;
  row.padding_bytes += op.executions * (op.work->padded_bytes - op.work->logical_bytes);
  if (!op.limit.empty() && (row.bound.empty() || op.exposed_seconds > row.largest)) {
    row.bound = op.limit;
    row.largest = op.exposed_seconds;
  }
}

void add(Row& row, const Row& more) {
  row.count += more.count;
  row.seconds += more.seconds;
  row.wait_seconds += more.wait_seconds;
  row.busy_seconds += more.busy_seconds;
  row.flops += more.flops;
  row.hbm_bytes += more.hbm_bytes;
  row.moved_bytes += more.moved_bytes;
  row.padding_bytes += more.padding_bytes;
}

double sort_key(const Row& row, SortBy sort) {
  switch (sort) {
    case SortBy::kTime: return row.seconds;
    case SortBy::kWasted: return wasted_seconds(row.seconds, row.efficiency);
    case SortBy::kFlops: return row.flops;
    case SortBy::kBytes: return row.hbm_bytes;
    case SortBy::kPadding: return row.padding_bytes;
  }
  return row.seconds;
}

}  // namespace

std::optional<GroupBy> group_by_from_string(std::string_view text) {
  for (const auto& [name, group] : kGroups) {
    if (name == text) return group;
  }
  return std::nullopt;
}

std::string_view to_string(GroupBy group) {
  for (const auto& [name, known] : kGroups) {
    if (known == group) return name;
  }
  return "";
}

std::string group_key(const OpPrediction& op, GroupBy group, std::string_view module_name) {
  switch (group) {
    case GroupBy::kNone: return op.name;
    case GroupBy::kComputation: return op.computation;
    case GroupBy::kCategory: return op.category;
    case GroupBy::kOpName: return op.op_name;
    case GroupBy::kSource: return short_source(op.source_file, op.source_line);
    case GroupBy::kLayer: return layer_key(op.op_name, module_name);
    case GroupBy::kSimilar: break;
  }
  return op.name;
}

double wasted_seconds(double seconds, double efficiency) { return seconds * (1 - std::min(1.0, efficiency)); }

std::optional<SortBy> sort_by_from_string(std::string_view text) {
  static constexpr std::pair<std::string_view, SortBy> kNames[] = {
      {"time", SortBy::kTime},   {"wasted", SortBy::kWasted},   {"flops", SortBy::kFlops},
      {"bytes", SortBy::kBytes}, {"padding", SortBy::kPadding},
  };
  for (const auto& [name, sort] : kNames) {
    if (name == text) return sort;
  }
  return std::nullopt;
}

std::string bound_text(const OpPrediction& op, DeviceFamily family) {
  return op.bound ? std::string(to_string(*op.bound, family)) : std::string();
}

std::string short_source(std::string_view file, std::int64_t line) {
  if (file.empty()) return "";
  const std::size_t slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  std::string text(file);
  if (line > 0) text += ":" + std::to_string(line);
  return text;
}

absl::StatusOr<std::pair<std::string, std::string>> parse_rewrite(std::string_view text) {
  const absl::Status malformed =
      invalid_argument("'" + std::string(text) + "' is no rewrite: expected s/pattern/replacement/");
  if (text.size() < 4 || text[0] != 's') return malformed;
  const char slash = text[1];
  std::vector<std::string> parts(1);
  for (std::size_t i = 2; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == slash) {
      parts.back() += slash;
      ++i;
    } else if (text[i] == slash) {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  if (parts.size() != 3 || !parts[2].empty() || parts[0].empty()) return malformed;
  return std::make_pair(parts[0], parts[1]);
}

absl::StatusOr<Rows> make_rows(const StepPrediction& prediction, const RowOptions& options) {
  absl::StatusOr<Patterns> patterns = compile_patterns(options);
  if (!patterns.ok()) return patterns.status();
  const OpGroups groups(prediction, options.group);
  const bool has_rewrites = !options.rewrites.empty();
  const bool one_by_one = options.group == GroupBy::kNone && !has_rewrites;
  const bool by_fold = options.group == GroupBy::kSimilar && !has_rewrites;

  std::map<std::uint32_t, std::string> combined;
  if (by_fold) combined = combined_collectives(prediction);
  Rows result;
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < prediction.ops.size(); ++i) {
    const OpPrediction& op = prediction.ops[i];
    if (!takes_time(op)) continue;
    const std::string source = short_source(op.source_file, op.source_line);
    if (patterns->filter != nullptr && !matches(op, source, *patterns->filter)) continue;
    std::string label = group_label(op, i, groups);
    for (const Rewrite& rewrite : patterns->rewrites) RE2::GlobalReplace(&label, *rewrite.pattern, rewrite.replacement);
    if (label.empty()) label = "[none]";
    std::size_t at = result.rows.size();
    // Different rows of similar ops may have the same label.
    if (!one_by_one) at = index.try_emplace(by_fold ? std::to_string(groups.fold_of[i]) : label, at).first->second;
    if (at == result.rows.size()) {
      Row row;
      row.label = std::move(label);
      row.category = op.category;
      row.source = source;
      if (by_fold) {
        const auto of_several = combined.find(op.id.index);
        row.layer = of_several != combined.end() ? of_several->second : layer_label(prediction, op);
      }
      row.first_op = op.name;
      result.rows.push_back(std::move(row));
    }
    add(result.rows[at], op);
  }
  for (Row& row : result.rows) {
    if (row.busy_seconds > 0) row.efficiency /= row.busy_seconds;
    add(result.total, row);
  }
  result.total.label = "TOTAL";
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [&](const Row& a, const Row& b) { return sort_key(a, options.sort) > sort_key(b, options.sort); });
  if (options.limit > 0 && result.rows.size() > options.limit + 1) {
    Row others;
    result.others_count = result.rows.size() - options.limit;
    for (std::size_t i = options.limit; i < result.rows.size(); ++i) add(others, result.rows[i]);
    others.label = format_others(result.others_count);
    result.rows.resize(options.limit);
    result.others = std::move(others);
  }
  return result;
}

}  // namespace hloroof::internal::inline results
