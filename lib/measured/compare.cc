#include "lib/measured/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "absl/strings/str_format.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/explain/terms_view.h"
#include "lib/measured/compare_measured.h"
#include "lib/step/execution_terms.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline measured {
namespace {

constexpr double kFlagged = 2;             // multiple of the prediction or of the roof
constexpr std::size_t kMostTermsOfOp = 3;  // of a flagged op
constexpr double kRoundingOfStep = 1e-9;   // relative

using OpsByName = std::unordered_map<std::string_view, std::vector<const OpPrediction*>>;

std::string ratio_text(double measured, double predicted) {
  if (predicted <= 0) return "";
  return absl::StrFormat("%.2f", measured / predicted);
}

// XProf and traces write "jit_step(1234)" for the module jit_step; a Module's name has no number.
std::string_view program_name(std::string_view text) { return text.substr(0, text.find('(')); }

// Returns the program of the profile that corresponds to the module.
const MeasuredProgram& choose_program(const StepPrediction& prediction, const MeasuredProfile& profile,
                                      const OpsByName& by_name) {
  const MeasuredProgram* best = &profile.programs.front();
  double most = -1;
  for (const MeasuredProgram& program : profile.programs) {
    double matched = 0;
    for (const MeasuredOp& op : program.ops) {
      if (by_name.count(op.name) > 0) matched += op.seconds;
    }
    // A program with the name of the module beats any amount of time. If several programs have that name (compiled for
    // several shapes), the one with the most matching time wins.
    const bool same_name = !prediction.module_name.empty() && program_name(program.name) == prediction.module_name;
    if (same_name && matched > 0) matched += 1e9;
    if (matched > most) {
      most = matched;
      best = &program;
    }
  }
  return *best;
}

// Returns the number of steps that the program ran: its executions if the profile records them. Otherwise each op gives
// an estimate from its occurrences, and the median counts.
double count_steps(const MeasuredProgram& program, const OpsByName& by_name) {
  if (program.executions > 0) return program.executions;
  std::vector<double> steps;
  for (const MeasuredOp& op : program.ops) {
    const auto found = by_name.find(op.name);
    if (found == by_name.end()) continue;
    double executions = 0;
    for (const OpPrediction* p : found->second) executions += p->executions;
    if (executions > 0 && op.occurrences > 0) steps.push_back(op.occurrences / executions);
  }
  if (steps.empty()) return 1;
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  return std::max(1.0, std::round(steps[steps.size() / 2]));
}

void add_predicted(const std::vector<const OpPrediction*>& ops, ComparedOp& compared) {
  compared.category = ops.front()->category;
  for (const OpPrediction* p : ops) {
    compared.predicted += p->exposed_seconds;
    compared.roof += p->exposed_seconds * p->efficiency;
  }
}

// Returns the main terms of the seconds of an op, or empty if they are unknown.
std::string terms_of(const StepPrediction& prediction, const OpPrediction& op) {
  if (prediction.facts == nullptr) return "";
  return main_terms(execution_terms(*prediction.facts, op.id), kMostTermsOfOp, op.executions);
}

}  // namespace

bool ComparedOp::is_slow() const { return measured > kFlagged * predicted; }
bool ComparedOp::is_off_roof() const { return roof > 0 && measured > kFlagged * roof; }

absl::StatusOr<ProfileComparison> compare(const StepPrediction& prediction, const MeasuredProfile& profile) {
  OpsByName by_name;
  for (const OpPrediction& op : prediction.ops) by_name[op.name].push_back(&op);
  if (profile.programs.empty()) return invalid_argument("the profile has no ops");
  if (absl::Status status = check_backend(prediction, profile); !status.ok()) return status;
  const MeasuredProgram& program = choose_program(prediction, profile, by_name);
  ProfileComparison result;
  result.format = profile.format;
  result.program = program.name;
  result.steps = count_steps(program, by_name);
  if (program.executions > 0 && program.wall_seconds > 0)
    result.step_seconds = program.wall_seconds / program.executions;
  for (const MeasuredProgram& other : profile.programs) {
    if (&other == &program) continue;
    for (const MeasuredOp& op : other.ops) result.other_seconds += op.seconds;
  }

  std::map<std::string, ComparedOp> categories;
  std::unordered_set<std::string_view> measured_names;
  for (const MeasuredOp& op : program.ops) {
    const double measured = op.seconds / result.steps;
    result.measured_seconds += measured;
    const auto found = by_name.find(op.name);
    if (found == by_name.end()) {
      result.unmatched.push_back({op.name, op.occurrences / result.steps, measured});
      continue;
    }
    measured_names.insert(found->first);
    result.explained_seconds += measured;
    ComparedOp compared;
    compared.name = op.name;
    compared.measured = measured;
    add_predicted(found->second, compared);
    if (compared.is_slow() || compared.is_off_roof()) compared.terms = terms_of(prediction, *found->second.front());
    ComparedOp& category = categories[compared.category];
    category.name = compared.category;
    category.category = compared.category;
    category.measured += compared.measured;
    category.predicted += compared.predicted;
    category.roof += compared.roof;
    result.ops.push_back(std::move(compared));
  }
  if (result.ops.empty()) {
    return invalid_argument("no op of the profile is in the module; is it of another program? Its first op is '" +
                            program.ops.front().name + "'");
  }
  for (const OpPrediction& op : prediction.ops) {
    if (op.exposed_seconds <= 0 || !measured_names.insert(op.name).second) continue;
    ComparedOp compared;
    compared.name = op.name;
    add_predicted(by_name[op.name], compared);
    result.unmeasured.push_back(std::move(compared));
  }
  for (auto& [name, category] : categories) result.categories.push_back(std::move(category));
  const auto longer = [](const ComparedOp& a, const ComparedOp& b) { return a.measured > b.measured; };
  std::stable_sort(result.ops.begin(), result.ops.end(), longer);
  std::stable_sort(result.categories.begin(), result.categories.end(), longer);
  std::stable_sort(result.unmatched.begin(), result.unmatched.end(),
                   [](const MeasuredOp& a, const MeasuredOp& b) { return a.seconds > b.seconds; });
  std::stable_sort(result.unmeasured.begin(), result.unmeasured.end(),
                   [](const ComparedOp& a, const ComparedOp& b) { return a.predicted > b.predicted; });
  if (absl::Status status = add_measured(prediction, profile, program, result); !status.ok()) return status;
  return result;
}

namespace {

// Lists the terms of the ops that the table marks, which are the parts of the model furthest from the measurement.
std::string terms_of_flagged(const ProfileComparison& comparison, const CompareOptions& options) {
  std::string out;
  std::size_t rows = 0;
  for (const ComparedOp& op : comparison.ops) {
    if (options.limit > 0 && rows++ == options.limit) break;
    if (op.terms.empty()) continue;
    if (out.empty()) out = "\nWhat the predictions of the marked ops are made of\n";
    out += "  " + wrap(op.name + ": " + op.terms, options.width, 4) + "\n";
  }
  return out;
}

// The time of a step that the shares refer to: wall time if the profile has it, otherwise the time in ops.
double whole_step(const ProfileComparison& comparison) {
  return comparison.step_seconds.value_or(comparison.measured_seconds);
}

std::string share_of_step(const ProfileComparison& comparison, double seconds) {
  const double whole = whole_step(comparison);
  return whole > 0 ? format_percent(seconds / whole) : std::string();
}

// The predicted time of the ops that the profile lacks.
double unmeasured_seconds(const ProfileComparison& comparison) {
  double sum = 0;
  for (const ComparedOp& op : comparison.unmeasured) sum += op.predicted;
  return sum;
}

// The longest ops, and rows that complete both steps.
std::string op_table(const StepPrediction& prediction, const ProfileComparison& comparison,
                     const CompareOptions& options) {
  const double whole = whole_step(comparison);
  const auto share = [&](double seconds) { return share_of_step(comparison, seconds); };
  const ShortNames names(prediction);
  Table table({{"share", Align::kRight},
               {"measured", Align::kRight},
               {"predicted", Align::kRight},
               {"ratio", Align::kRight},
               {"roof", Align::kRight},
               {""},
               {.title = "op", .names = &names}});
  double measured = 0;
  double predicted = 0;
  std::size_t rows = 0;
  for (const ComparedOp& op : comparison.ops) {
    if (options.limit > 0 && rows == options.limit) break;
    ++rows;
    measured += op.measured;
    predicted += op.predicted;
    std::string flags;
    if (op.is_slow()) flags += 'x';
    if (op.is_off_roof()) flags += 'r';
    table.add({share(op.measured), format_seconds(op.measured), format_seconds(op.predicted),
               ratio_text(op.measured, op.predicted),
               op.measured > 0 && op.roof > 0 ? format_percent(op.roof / op.measured) : "", flags, op.name});
  }
  double matched = 0;  // of the prediction
  for (const ComparedOp& op : comparison.ops) matched += op.predicted;
  const auto line = [&](std::string name, double m, double p) {
    table.add({share(m), format_seconds(m), format_seconds(p), ratio_text(m, p), "", "", std::move(name)});
  };
  if (rows < comparison.ops.size()) {
    line(format_others(comparison.ops.size() - rows), comparison.explained_seconds - measured, matched - predicted);
  }
  const double outside = comparison.measured_seconds - comparison.explained_seconds;
  if (!comparison.unmatched.empty()) {
    line(absl::StrFormat("[%d not in the module]", comparison.unmatched.size()), outside, 0);
  }
  if (!comparison.unmeasured.empty()) {
    line(absl::StrFormat("[%d not in the profile]", comparison.unmeasured.size()), 0, unmeasured_seconds(comparison));
  }
  // Ops of a trace may overlap, and then take more time together than the step.
  const double between = whole - comparison.measured_seconds;
  if (std::abs(between) > kRoundingOfStep * whole) line(between > 0 ? "[between ops]" : "[overlap of ops]", between, 0);
  line("TOTAL", whole, prediction.step_seconds);
  return table.to_string(options);
}

// ", 3 steps", or ", 3 steps on each of 4 devices".
std::string steps_text(const ProfileComparison& comparison) {
  const double devices = std::max(1.0, static_cast<double>(comparison.devices.size()));
  const double steps = comparison.steps / devices;
  return absl::StrFormat(", %.6g step%s%s", steps, steps == 1 ? "" : "s",
                         devices > 1 ? absl::StrFormat(" on each of %.0f devices", devices) : std::string());
}

}  // namespace

std::string compare_view(const StepPrediction& prediction, const ProfileComparison& comparison,
                         const CompareOptions& options) {
  const auto share = [&](double seconds) { return share_of_step(comparison, seconds); };
  std::string out = comparison.format + (comparison.program.empty() ? "" : ", program " + comparison.program) +
                    steps_text(comparison) + "\n\n";
  if (comparison.step_seconds) {
    out += absl::StrFormat("  measured    %-10s a step, of which %s in ops\n", format_seconds(*comparison.step_seconds),
                           format_seconds(comparison.measured_seconds));
  } else {
    out += absl::StrFormat("  measured    %-10s a step, the ops of the profile together\n",
                           format_seconds(comparison.measured_seconds));
  }
  out += absl::StrFormat("  predicted   %-10s measured / predicted %s\n", format_seconds(prediction.step_seconds),
                         ratio_text(whole_step(comparison), prediction.step_seconds));
  out += absl::StrFormat("  explained   %-10s of the measured step is in ops that the module has\n",
                         share(comparison.explained_seconds));
  if (const double missing = unmeasured_seconds(comparison); missing > 0) {
    out += absl::StrFormat("  not seen    %-10s of the prediction is in %d op%s that the profile has not\n",
                           format_percent(missing / prediction.step_seconds), comparison.unmeasured.size(),
                           comparison.unmeasured.size() == 1 ? "" : "s");
  }
  if (comparison.other_seconds > 0) {
    out += absl::StrFormat("  left out    %-10s of other programs in the profile\n",
                           format_seconds(comparison.other_seconds));
  }
  out += measured_lines(prediction, comparison);

  out = preformatted(std::move(out), options);
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
  out += categories.to_string(options);

  out += "\nBy op; x: over twice the prediction, r: over twice the roof\n";
  out += op_table(prediction, comparison, options);
  out += terms_of_flagged(comparison, options);
  out += measured_sections(prediction, comparison, options);
  if (!comparison.unmatched.empty()) {
    std::string names = "not in the module:";
    for (std::size_t i = 0; i < std::min<std::size_t>(5, comparison.unmatched.size()); ++i) {
      names +=
          (i == 0 ? " " : ", ") + comparison.unmatched[i].name + " " + format_seconds(comparison.unmatched[i].seconds);
    }
    out += "  " + wrap(names, options.width, 2) + "\n";
  }
  return out;
}

}  // namespace hloroof::internal::inline measured
