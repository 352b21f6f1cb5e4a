#include "lib/report/csv.h"

#include <charconv>
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

std::string predictions_csv(const std::vector<NamedPrediction>& predictions) {
  CsvLine line;
  for (const char* title : {"file", "device", "topology"}) line.add(title);
  if (!predictions.empty()) {
    for (const auto& [parameter, value] : predictions.front().second.set) line.add(parameter);
  }
  add_csv_titles(OpPrediction(), line);
  std::string out = line.take();
  for (const auto& [file, p] : predictions) {
    for (const OpPrediction& op : p.ops) {
      line.add(file);
      line.add(p.device);
      line.add(p.topology);
      for (const auto& [parameter, value] : p.set) line.add(value);
      add_csv_cells(op, line, p.family);
      out += line.take();
    }
  }
  return out;
}

}  // namespace hloroof::internal
