// CSV (RFC 4180, with LF line ends). The first line has the column titles, and each further line has one record.
// Numbers are in SI units. The cell of an unknown value is empty.
#ifndef HLOROOF_LIB_REPORT_CSV_H_
#define HLOROOF_LIB_REPORT_CSV_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"
#include "lib/report/rows.h"
#include "lib/report/views.h"

namespace hloroof::internal {

// Builds a line cell by cell. Quotes text that contains a comma, a quote or a line end. Writes the shortest decimal
// that reads back as the same number.
class CsvLine {
 public:
  void add(std::string_view text);
  void add(const char* text) { add(std::string_view(text)); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(double number);
  void add(std::int64_t number);
  void add_empty() { begin_field(); }
  // Returns the line with its line end and begins the next line.
  std::string take();

 private:
  void begin_field() {
    if (!is_first_) line_ += ',';
    is_first_ = false;
  }
  std::string line_;
  bool is_first_ = true;
};

// The names of the views that view_csv() writes.
const std::vector<std::string>& csv_view_names();

// Writes one line for each record of a view: for each op, layer, collective, part of the breakdown, resource
// (roofline), category of the critical path, buffer live at the peak (memory), estimated op or diagnostic. The columns
// are the file, the device, the topology, the device parameters that were set, and the fields of the record under their
// JSON names. The titles precede them if `with_titles`. `rows` selects ops by its filter. If it groups or rewrites, a
// line is one row of make_rows(); its limit does not apply. Errors: those of make_rows(); InvalidArgument for other
// views.
absl::StatusOr<std::string> view_csv(std::string_view view, const NamedPrediction& prediction, const RowOptions& rows,
                                     bool with_titles = true);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_REPORT_CSV_H_
