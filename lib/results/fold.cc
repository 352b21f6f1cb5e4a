#include "lib/results/fold.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "lib/analysis/op_name.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline results {
namespace {

std::string output_shape(const OpPrediction& op, const StepFacts* facts) {
  if (facts == nullptr) return "";
  return to_string(facts->module->shapes(), facts->module->instruction(op.id).shape_id(), ShapeText::kWithoutLayout);
}

}  // namespace

bool takes_time(const OpPrediction& op) { return op.bound || op.exposed_seconds != 0 || op.total_seconds != 0; }

std::vector<FoldedRow> fold_rows(const StepPrediction& prediction) {
  std::vector<FoldedRow> rows;
  using Key = std::tuple<std::string_view, std::string_view, std::string, std::string>;
  std::map<Key, std::size_t> index;
  for (std::size_t i = 0; i < prediction.ops.size(); ++i) {
    const OpPrediction& op = prediction.ops[i];
    if (!takes_time(op)) continue;
    Key key(op.opcode, op.category, output_shape(op, prediction.facts.get()), fold_numbers(op.op_name));
    const auto [found, is_new] = index.try_emplace(std::move(key), rows.size());
    if (is_new) rows.emplace_back().representative = i;
    FoldedRow& row = rows[found->second];
    row.ops.push_back(i);
    row.executions += op.executions;
    row.seconds += op.exposed_seconds;
    if (op.exposed_seconds > prediction.ops[row.representative].exposed_seconds) row.representative = i;
  }
  for (FoldedRow& row : rows) {
    row.name = prediction.ops[row.representative].name;
    if (prediction.step_seconds > 0) row.share = row.seconds / prediction.step_seconds;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const FoldedRow& a, const FoldedRow& b) { return a.seconds > b.seconds; });
  return rows;
}

}  // namespace hloroof::internal::inline results
