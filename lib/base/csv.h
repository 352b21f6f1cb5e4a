// Reads tables of comma-separated values (RFC 4180).
#ifndef HLOROOF_LIB_BASE_CSV_H_
#define HLOROOF_LIB_BASE_CSV_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline base {

// A table whose first record is its header. Every row has a field for every column.
struct CsvTable {
  struct Row {
    std::size_t line = 0;  // where the record begins, counted from 1
    std::vector<std::string> fields;
  };

  std::vector<std::string> columns;
  std::vector<Row> rows;

  // The index of the first column called `name`, nullopt if there is none.
  std::optional<std::size_t> find_column(std::string_view name) const;
};

// Parses a table. A field in double quotes may contain commas, line ends and doubled quotes (""). A quote inside an
// unquoted field is an ordinary character. Lines end at LF, CR LF or CR; blank lines and a byte order mark are skipped.
// Errors: InvalidArgument with `path:line: ` for a text without a header, a quoted field that is not closed or is
// followed by anything but a comma or a line end, and a row with more or fewer fields than the header.
absl::StatusOr<CsvTable> parse_csv(std::string_view text, std::string_view path);

// Loads the table at `path`. Errors: those of parse_csv and of SourceText::read.
absl::StatusOr<CsvTable> load_csv(const std::string& path);

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_CSV_H_
