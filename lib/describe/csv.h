// CSV (RFC 4180, with LF line ends). The first line has the column titles, and each further line has one record.
// Numbers are in SI units. The cell of an unknown value is empty.
#ifndef HLOROOF_LIB_DESCRIBE_CSV_H_
#define HLOROOF_LIB_DESCRIBE_CSV_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace hloroof::internal::inline describe {

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

}  // namespace hloroof::internal::inline describe

#endif  // HLOROOF_LIB_DESCRIBE_CSV_H_
