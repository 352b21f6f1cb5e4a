#include <algorithm>
#include <set>
#include <string_view>

#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/report/views.h"
#include "lib/results/estimates.h"

namespace hloroof::internal::inline report {
namespace {

struct EstimateSums {
  std::size_t ops = 0;
  double model = 0;  // in the whole step
  double compiler = 0;

  void add(const EstimatedOp& op) {
    ++ops;
    model += op.executions * op.model_seconds;
    compiler += op.executions * op.compiler_seconds;
  }
};

std::string estimate_ratio(double ratio) { return absl::StrFormat("%.2f", ratio); }

// The ops of each reason together: the reasons, those with the most time first.
std::string reasons_table(const std::vector<EstimatedOp>& ops, const TextLayout& layout) {
  std::vector<std::pair<const EstimatedOp*, EstimateSums>> sums;  // with one op of the reason
  EstimateSums total;
  for (const EstimatedOp& op : ops) {
    total.add(op);
    auto found = std::find_if(sums.begin(), sums.end(), [&](const auto& s) { return s.first->reason == op.reason; });
    if (found == sums.end()) found = sums.insert(sums.end(), {&op, {}});
    found->second.add(op);
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const auto& a, const auto& b) { return a.second.model > b.second.model; });
  Table table({{"ops", Align::kRight},
               {"model", Align::kRight},
               {"compiler", Align::kRight},
               {"ratio", Align::kRight},
               {"believe"},
               {"because"}});
  const auto add = [&](const EstimateSums& sum, std::string_view believe, std::string_view why) {
    table.add({std::to_string(sum.ops), format_seconds(sum.model), format_seconds(sum.compiler),
               estimate_ratio(sum.model / sum.compiler), std::string(believe), std::string(why)});
  };
  for (const auto& [op, sum] : sums) add(sum, believe_name(op->believe()), op->why());
  add(total, "", "TOTAL");
  return table.to_string(layout);
}

}  // namespace

std::string estimates_view(const StepPrediction& p, const ViewOptions& options) {
  const std::vector<EstimatedOp> ops = estimated_ops(p);
  if (ops.empty()) {
    return "The dump states no estimates of the compiler that apply to " + p.device +
           "; TPU dumps have them as estimated_cycles\n";
  }
  std::set<InstructionId> with_estimate;
  for (const EstimatedOp& op : ops) with_estimate.insert(op.id);
  double without = 0;
  for (const OpPrediction& op : p.ops) {
    if (with_estimate.count(op.id) == 0) without += op.exposed_seconds;
  }
  std::string out = "Model against the compiler's estimates, over the step\n" + format_seconds(without) + " of " +
                    format_seconds(p.step_seconds) + " are in ops without an estimate, or waiting\n";
  out += reasons_table(ops, options);
  const ShortNames short_names(p);
  Table table({{"runs", Align::kRight},
               {"model", Align::kRight},
               {"compiler", Align::kRight},
               {"ratio", Align::kRight},
               {"bound"},
               {"believe"},
               {.title = "op", .names = &short_names}});
  std::size_t shown = 0;
  EstimateSums hidden;
  for (const EstimatedOp& op : ops) {
    if (options.rows.limit > 0 && shown >= options.rows.limit) {
      hidden.add(op);
      continue;
    }
    ++shown;
    table.add({format_count(op.executions), format_seconds(op.model_seconds), format_seconds(op.compiler_seconds),
               estimate_ratio(op.ratio()), std::string(to_string(op.bound, p.family)),
               std::string(believe_name(op.believe())), op.name});
  }
  if (hidden.ops > 0) {
    table.add({"", "", "", estimate_ratio(hidden.model / hidden.compiler), "", "", format_others(hidden.ops)});
  }
  return out + "\nOne execution of each op, those with the most time in the step first\n" + table.to_string(options);
}

}  // namespace hloroof::internal::inline report
