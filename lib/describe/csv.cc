#include "lib/describe/csv.h"

#include <string>
#include <utility>

#include "lib/base/decimal.h"

namespace hloroof::internal::inline describe {

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
  line_ += shortest(number);
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

}  // namespace hloroof::internal::inline describe
