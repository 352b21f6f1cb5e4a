// Tables with a line of titles, as spreadsheets and data frames read them (RFC 4180, lines ended by LF). SI units,
// absent values empty.
#ifndef HLOROOF_LIB_REPORT_CSV_H_
#define HLOROOF_LIB_REPORT_CSV_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloroof/predict.h"
#include "lib/report/views.h"

namespace hloroof::inline v0 {

// A line, field by field. Text with a comma, a quote or a line end in it is quoted; numbers are the shortest text that
// reads back as the same value.
class CsvLine {
 public:
  void add(std::string_view text);
  void add(const char* text) { add(std::string_view(text)); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(double number);
  void add(std::int64_t number);
  template <typename T>
  void add(const std::optional<T>& value) {
    if (value) return add(*value);
    begin_field();
  }
  // The line with its end; the next begins.
  std::string take();

 private:
  void begin_field() {
    if (!is_first_) line_ += ',';
    is_first_ = false;
  }
  std::string line_;
  bool is_first_ = true;
};

using Settings = std::vector<std::pair<std::string, double>>;

// One line for each op of each prediction: file, device, topology, the parameters that were set, and the fields of the
// op as the JSON has them.
std::string predictions_csv(const std::vector<NamedPrediction>& predictions);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_CSV_H_
