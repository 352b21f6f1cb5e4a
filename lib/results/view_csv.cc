#include "lib/results/view_csv.h"

#include <set>
#include <string>

#include "lib/describe/csv.h"
#include "lib/describe/record_csv.h"
#include "lib/results/prediction_fields.h"

namespace hloroof::internal::inline results {
namespace {

void add_prediction_titles(const StepPrediction& prediction, CsvLine& line) {
  for (const char* title : {"file", "device", "topology"}) line.add(title);
  for (const auto& [parameter, value] : prediction.set) line.add(parameter);
}

void add_prediction_cells(const NamedStep& named, CsvLine& line) {
  line.add(named.file);
  line.add(named.prediction.device);
  line.add(named.prediction.topology);
  for (const auto& [parameter, value] : named.prediction.set) line.add(value);
}

void add_row_cells(const Row& row, CsvLine& line) {
  line.add(row.label);
  line.add(row.bound);
  for (double number : {row.count, row.seconds, row.wait_seconds, row.busy_seconds, row.efficiency, row.flops,
                        row.hbm_bytes, row.moved_bytes, row.padding_bytes}) {
    line.add(number);
  }
}

std::string ops_titles(const StepPrediction& prediction, bool is_grouped) {
  CsvLine line;
  add_prediction_titles(prediction, line);
  if (!is_grouped) {
    add_csv_titles(OpPrediction(), line);
    return line.take();
  }
  for (const char* title : {"group", "bound", "executions", "exposed_seconds", "wait_seconds", "total_seconds",
                            "efficiency", "flops", "hbm_bytes", "moved_bytes", "padding_bytes"}) {
    line.add(title);
  }
  return line.take();
}

// The lines of described records, all fields of each, behind the columns of the prediction.
template <DescribedRecord T>
std::string view_records_csv(const NamedStep& named, const std::vector<T>& records, bool with_titles) {
  CsvLine line;
  std::string out;
  if (with_titles) {
    add_prediction_titles(named.prediction, line);
    add_csv_titles(T(), line);
    out = line.take();
  }
  for (const T& record : records) {
    add_prediction_cells(named, line);
    add_csv_cells(record, line, named.prediction.family);
    out += line.take();
  }
  return out;
}

}  // namespace

absl::StatusOr<std::string> ops_view_csv(const NamedStep& named, const RowOptions& options, bool with_titles) {
  const StepPrediction& prediction = named.prediction;
  const bool is_grouped = options.group != GroupBy::kNone || !options.rewrites.empty();
  RowOptions all = options;
  all.limit = 0;
  const absl::StatusOr<Rows> rows = make_rows(prediction, all);
  if (!rows.ok()) return rows.status();
  std::string out = with_titles ? ops_titles(prediction, is_grouped) : "";
  CsvLine line;
  if (is_grouped) {
    for (const Row& row : rows->rows) {
      add_prediction_cells(named, line);
      add_row_cells(row, line);
      out += line.take();
    }
    return out;
  }
  std::set<std::string> kept;
  for (const Row& row : rows->rows) kept.insert(row.label);
  for (const OpPrediction& op : prediction.ops) {
    if (!options.filter.empty() && kept.count(op.name) == 0) continue;
    add_prediction_cells(named, line);
    add_csv_cells(op, line, prediction.family);
    out += line.take();
  }
  return out;
}

std::string layers_view_csv(const NamedStep& named, bool with_titles) {
  return view_records_csv(named, make_layers(named.prediction), with_titles);
}

std::string collectives_view_csv(const NamedStep& named, bool with_titles) {
  return view_records_csv(named, named.prediction.collectives, with_titles);
}

std::string breakdown_view_csv(const NamedStep& named, bool with_titles) {
  return view_records_csv(named, named.prediction.breakdown, with_titles);
}

std::string roofline_view_csv(const NamedStep& named, bool with_titles) {
  return view_records_csv(named, named.prediction.resources, with_titles);
}

std::string critical_view_csv(const NamedStep& named, bool with_titles) {
  return view_records_csv(named, named.prediction.critical_path, with_titles);
}

std::string memory_view_csv(const NamedStep& named, bool with_titles) {
  return view_records_csv(named, named.prediction.memory.live_at_peak, with_titles);
}

std::string sensitivity_view_csv(const NamedStep& named, bool with_titles) {
  const std::optional<Sensitivity>& sensitivity = named.prediction.sensitivity;
  return view_records_csv(named, sensitivity ? sensitivity->numbers : std::vector<NumberSensitivity>(), with_titles);
}

std::string estimates_view_csv(const NamedStep& named, bool with_titles) {
  return view_records_csv(named, estimated_ops(named.prediction), with_titles);
}

std::string diagnostics_view_csv(const NamedStep& named, bool with_titles) {
  return view_records_csv(named, named.prediction.diagnostics, with_titles);
}

}  // namespace hloroof::internal::inline results
