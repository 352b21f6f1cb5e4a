#include "lib/base/csv.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lib/base/source_text.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline base {
namespace {

constexpr std::int64_t kMaxFileBytes = std::int64_t{1} << 30;

bool ends_line(char c) { return c == '\n' || c == '\r'; }

// Reads one record at a time.
class Reader {
 public:
  Reader(std::string_view text, std::string_view path) : text_(text), path_(path) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") text_.remove_prefix(3);
    skip_blank_lines();
  }

  bool at_end() const { return at_ == text_.size(); }
  std::size_t line() const { return line_; }

  // record := field (',' field)* line-end
  absl::Status read(std::vector<std::string>* fields) {
    for (;;) {
      fields->emplace_back();
      if (absl::Status status = read_field(&fields->back()); !status.ok()) return status;
      if (at_end() || text_[at_] != ',') break;
      ++at_;
    }
    skip_blank_lines();
    return absl::OkStatus();
  }

  absl::Status error(std::size_t line, std::string_view message) const {
    return invalid_argument(std::string(path_) + ":" + std::to_string(line) + ": " + std::string(message));
  }

 private:
  // field := '"' (any character but '"' | '""')* '"' | (any character but ',' and line ends)*
  absl::Status read_field(std::string* field) {
    if (at_end() || text_[at_] != '"') {
      const std::size_t begin = at_;
      while (!at_end() && text_[at_] != ',' && !ends_line(text_[at_])) ++at_;
      field->assign(text_.substr(begin, at_ - begin));
      return absl::OkStatus();
    }
    const std::size_t begin_line = line_;
    for (++at_; !at_end(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        if (at_end() || text_[at_] == ',' || ends_line(text_[at_])) return absl::OkStatus();
        if (text_[at_] != '"') return error(line_, "expected a comma or the end of the line after a quoted field");
      } else if (text_[at_] == '\n') {
        ++line_;
      }
      *field += text_[at_];
    }
    return error(begin_line, "the quoted field is not closed");
  }

  void skip_blank_lines() {
    for (; !at_end() && ends_line(text_[at_]); ++at_) {
      const bool is_first_of_two = text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
      if (!is_first_of_two) ++line_;
    }
  }

  std::string_view text_;
  std::string_view path_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::optional<std::size_t> CsvTable::find_column(std::string_view name) const {
  const auto at = std::find(columns.begin(), columns.end(), name);
  if (at == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(at - columns.begin());
}

absl::StatusOr<CsvTable> parse_csv(std::string_view text, std::string_view path) {
  Reader reader(text, path);
  if (reader.at_end()) return reader.error(1, "the table is empty; expected a line with the names of its columns");
  CsvTable table;
  if (absl::Status status = reader.read(&table.columns); !status.ok()) return status;
  while (!reader.at_end()) {
    CsvTable::Row row;
    row.line = reader.line();
    row.fields.reserve(table.columns.size());
    if (absl::Status status = reader.read(&row.fields); !status.ok()) return status;
    if (row.fields.size() != table.columns.size()) {
      return reader.error(row.line, "the row has " + std::to_string(row.fields.size()) + " fields, the header " +
                                        std::to_string(table.columns.size()));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

absl::StatusOr<CsvTable> load_csv(const std::string& path) {
  const auto text = SourceText::read(path, kMaxFileBytes);
  if (!text.ok()) return text.status();
  return parse_csv((*text)->view(), path);
}

}  // namespace hloroof::internal::inline base
