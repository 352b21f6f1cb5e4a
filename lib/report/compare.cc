#include "lib/report/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "absl/strings/str_format.h"
#include "lib/base/strings.h"
#include "lib/report/table.h"
#include "lib/report/units.h"

namespace hloroof::inline v0 {
namespace {

constexpr double kFlagged = 2;  // times the prediction, or the roof

std::string ratio_text(double measured, double predicted) {
  if (predicted <= 0) return "";
  return absl::StrFormat("%.2f", measured / predicted);
}

}  // namespace

absl::StatusOr<Comparison> compare(const StepPrediction& prediction, const MeasuredProfile& profile) {
  std::unordered_map<std::string_view, std::vector<const OpPrediction*>> by_name;
  for (const OpPrediction& op : prediction.ops) by_name[op.name].push_back(&op);

  // The profile may hold several steps: each op says how many, and the middle of what they say counts.
  std::vector<double> steps;
  for (const MeasuredOp& op : profile.ops) {
    const auto found = by_name.find(op.name);
    if (found == by_name.end()) continue;
    double executions = 0;
    for (const OpPrediction* p : found->second) executions += p->executions;
    if (executions > 0 && op.occurrences > 0) steps.push_back(op.occurrences / executions);
  }
  if (steps.empty()) {
    return invalid_argument("no op of the profile is in the module; is it of another program? Its first op is '" +
                            profile.ops.front().name + "'");
  }
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  Comparison result;
  result.steps = std::max(1.0, std::round(steps[steps.size() / 2]));

  std::map<std::string, ComparedOp> categories;
  for (const MeasuredOp& op : profile.ops) {
    const double measured = op.seconds / result.steps;
    result.measured_seconds += measured;
    const auto found = by_name.find(op.name);
    if (found == by_name.end()) {
      result.unmatched.push_back({op.name, op.occurrences / result.steps, measured});
      continue;
    }
    result.explained_seconds += measured;
    ComparedOp compared;
    compared.name = op.name;
    compared.category = found->second.front()->category;
    compared.measured = measured;
    for (const OpPrediction* p : found->second) {
      compared.predicted += p->exposed_seconds;
      compared.roof += p->exposed_seconds * p->efficiency;
    }
    ComparedOp& category = categories[compared.category];
    category.name = compared.category;
    category.measured += compared.measured;
    category.predicted += compared.predicted;
    result.ops.push_back(std::move(compared));
  }
  for (auto& [name, category] : categories) result.categories.push_back(std::move(category));
  const auto longer = [](const ComparedOp& a, const ComparedOp& b) { return a.measured > b.measured; };
  std::stable_sort(result.ops.begin(), result.ops.end(), longer);
  std::stable_sort(result.categories.begin(), result.categories.end(), longer);
  std::stable_sort(result.unmatched.begin(), result.unmatched.end(),
                   [](const MeasuredOp& a, const MeasuredOp& b) { return a.seconds > b.seconds; });
  return result;
}

std::string compare_view(const StepPrediction& prediction, const Comparison& comparison, const MeasuredProfile& profile,
                         const CompareOptions& options) {
  const auto share = [&](double seconds) {
    return comparison.measured_seconds > 0 ? format_percent(seconds / comparison.measured_seconds) : std::string();
  };
  std::string out =
      absl::StrFormat("%s, %.0f step%s\n\n", profile.format, comparison.steps, comparison.steps == 1 ? "" : "s");
  out += absl::StrFormat("  measured    %-10s a step, the ops of the profile together\n",
                         format_seconds(comparison.measured_seconds));
  out += absl::StrFormat("  predicted   %-10s measured / predicted %s\n", format_seconds(prediction.step_seconds),
                         ratio_text(comparison.measured_seconds, prediction.step_seconds));
  out += absl::StrFormat("  explained   %-10s of the measured time is in ops that the module has\n",
                         share(comparison.explained_seconds));

  out += "\nBy category; ratio: measured / predicted\n";
  Table categories({{"share", Align::kRight},
                    {"measured", Align::kRight},
                    {"predicted", Align::kRight},
                    {"ratio", Align::kRight},
                    {"category"}});
  for (const ComparedOp& c : comparison.categories) {
    categories.add({share(c.measured), format_seconds(c.measured), format_seconds(c.predicted),
                    ratio_text(c.measured, c.predicted), c.name});
  }
  out += categories.to_string(options.width);

  out += "\nBy op; x: over twice the prediction, r: over twice the roof\n";
  Table table({{"share", Align::kRight},
               {"measured", Align::kRight},
               {"predicted", Align::kRight},
               {"ratio", Align::kRight},
               {"roof", Align::kRight},
               {""},
               {"op"}});
  double measured = 0;
  double predicted = 0;
  std::size_t rows = 0;
  for (const ComparedOp& op : comparison.ops) {
    if (options.limit > 0 && rows == options.limit) break;
    ++rows;
    measured += op.measured;
    predicted += op.predicted;
    std::string flags;
    if (op.measured > kFlagged * op.predicted) flags += 'x';
    if (op.roof > 0 && op.measured > kFlagged * op.roof) flags += 'r';
    table.add({share(op.measured), format_seconds(op.measured), format_seconds(op.predicted),
               ratio_text(op.measured, op.predicted), op.measured > 0 ? format_percent(op.roof / op.measured) : "",
               flags, op.name});
  }
  double all_predicted = 0;
  for (const ComparedOp& op : comparison.ops) all_predicted += op.predicted;
  const auto line = [&](std::string name, double m, double p) {
    table.add({share(m), format_seconds(m), format_seconds(p), ratio_text(m, p), "", "", std::move(name)});
  };
  if (rows < comparison.ops.size()) {
    line(absl::StrFormat("[%d others]", comparison.ops.size() - rows), comparison.explained_seconds - measured,
         all_predicted - predicted);
  }
  const double outside = comparison.measured_seconds - comparison.explained_seconds;
  if (!comparison.unmatched.empty()) {
    line(absl::StrFormat("[%d not in the module]", comparison.unmatched.size()), outside, 0);
  }
  line("TOTAL", comparison.measured_seconds, all_predicted);
  out += table.to_string(options.width);
  if (!comparison.unmatched.empty()) {
    std::string names = "not in the module:";
    for (std::size_t i = 0; i < std::min<std::size_t>(5, comparison.unmatched.size()); ++i) {
      names += (i == 0 ? " " : ", ") + shorten(comparison.unmatched[i].name, 40) + " " +
               format_seconds(comparison.unmatched[i].seconds);
    }
    out += "  " + wrap(names, options.width, 2) + "\n";
  }
  return out;
}

}  // namespace hloroof::inline v0
