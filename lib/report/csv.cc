#include "lib/report/csv.h"

#include <charconv>

#include "lib/report/op_fields.h"

namespace hloroof::inline v0 {

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
  line.add("file");
  line.add("device");
  line.add("topology");
  std::vector<std::string> changed;  // parameters, each a column of its own where any was changed
  for (const auto& [parameter, value] : predictions.empty() ? Settings() : predictions.front().second.set) {
    changed.push_back(parameter);
    line.add(parameter);
  }
  for_each_op_field(OpPrediction(), [&line](std::string_view name, const auto&) { line.add(name); });
  std::string out = line.take();
  for (const auto& [file, p] : predictions) {
    for (const OpPrediction& op : p.ops) {
      line.add(file);
      line.add(p.device);
      line.add(p.topology);
      for (std::size_t i = 0; i < changed.size(); ++i) line.add(p.set[i].second);
      for_each_op_field(op, [&line](std::string_view, const auto& value) { line.add(value); });
      out += line.take();
    }
  }
  return out;
}

}  // namespace hloroof::inline v0
