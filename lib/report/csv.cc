#include "lib/report/csv.h"

#include <charconv>
#include <set>
#include <string>
#include <utility>

#include "lib/report/prediction_fields.h"
#include "lib/report/record_csv.h"

namespace hloroof::internal {

void CsvLine::add(std::string_view text) {
  begin_field();
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line_ += text;
    return;
  }
  line_ += '"';
  for (char c : text) {
    if (c == '"') line_ += '"';
    line_ += c;
  }
  line_ += '"';
}

void CsvLine::add(double number) {
  begin_field();
  char buffer[32];
  line_.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), number).ptr);
}

void CsvLine::add(std::int64_t number) {
  begin_field();
  line_ += std::to_string(number);
}

std::string CsvLine::take() {
  line_ += '\n';
  is_first_ = true;
  return std::exchange(line_, {});
}

namespace {

void add_prediction_titles(const std::vector<NamedPrediction>& predictions, CsvLine& line) {
  for (const char* title : {"file", "device", "topology"}) line.add(title);
  if (predictions.empty()) return;
  for (const auto& [parameter, value] : predictions.front().second.set) line.add(parameter);
}

void add_prediction_cells(const NamedPrediction& named, CsvLine& line) {
  const auto& [file, prediction] = named;
  line.add(file);
  line.add(prediction.device);
  line.add(prediction.topology);
  for (const auto& [parameter, value] : prediction.set) line.add(value);
}

void add_row_cells(const Row& row, CsvLine& line) {
  line.add(row.label);
  line.add(row.bound);
  for (double number : {row.count, row.seconds, row.wait_seconds, row.busy_seconds, row.efficiency, row.flops,
                        row.hbm_bytes, row.moved_bytes, row.padding_bytes}) {
    line.add(number);
  }
}

}  // namespace

absl::StatusOr<std::string> ops_csv(const std::vector<NamedPrediction>& predictions, const RowOptions& options) {
  const bool is_grouped = options.group != GroupBy::kNone || !options.rewrites.empty();
  RowOptions all = options;
  all.limit = 0;
  CsvLine line;
  add_prediction_titles(predictions, line);
  if (is_grouped) {
    for (const char* title : {"group", "bound", "executions", "exposed_seconds", "wait_seconds", "total_seconds",
                              "efficiency", "flops", "hbm_bytes", "moved_bytes", "padding_bytes"}) {
      line.add(title);
    }
  } else {
    add_csv_titles(OpPrediction(), line);
  }
  std::string out = line.take();
  for (const NamedPrediction& named : predictions) {
    const StepPrediction& prediction = named.second;
    absl::StatusOr<Rows> rows = make_rows(prediction, all);
    if (!rows.ok()) return rows.status();
    if (is_grouped) {
      for (const Row& row : rows->rows) {
        add_prediction_cells(named, line);
        add_row_cells(row, line);
        out += line.take();
      }
      continue;
    }
    std::set<std::string> kept;
    for (const Row& row : rows->rows) kept.insert(row.label);
    for (const OpPrediction& op : prediction.ops) {
      if (!options.filter.empty() && kept.count(op.name) == 0) continue;
      add_prediction_cells(named, line);
      add_csv_cells(op, line, prediction.family);
      out += line.take();
    }
  }
  return out;
}

std::string collectives_csv(const std::vector<NamedPrediction>& predictions) {
  CsvLine line;
  add_prediction_titles(predictions, line);
  add_csv_titles(CollectivePrediction(), line);
  std::string out = line.take();
  for (const NamedPrediction& named : predictions) {
    for (const CollectivePrediction& collective : named.second.collectives) {
      add_prediction_cells(named, line);
      add_csv_cells(collective, line, named.second.family);
      out += line.take();
    }
  }
  return out;
}

}  // namespace hloroof::internal
