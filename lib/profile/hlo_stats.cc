// Reads XProf's hlo_stats table, and recognizes which kind of text a profile is.

#include <optional>

#include "lib/base/csv.h"
#include "lib/base/json.h"
#include "lib/base/strings.h"
#include "lib/profile/measured_profile.h"
#include "lib/profile/profile_collector.h"

namespace hloroof::internal::inline profile {
namespace {

// Higher than the limit for device files, because a trace viewer page nests deeper.
constexpr int kMaxDepth = 128;
// Binary files have a NUL within their first bytes.
constexpr std::size_t kHeadOfText = 4096;

// Keeps only letters and digits, in lower case, so that "Total self time (us)" matches "total_self_time".
std::string plain(std::string_view title) {
  std::string result;
  for (char c : title) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) result += c;
  }
  if (result.size() > 2 && result.ends_with("us")) result.resize(result.size() - 2);
  return result;
}

struct StatsColumns {
  std::optional<std::size_t> name;
  std::optional<std::size_t> occurrences;
  std::optional<std::size_t> seconds;
  std::optional<std::size_t> program;
};

StatsColumns find_columns(const std::vector<std::string>& titles) {
  const auto find = [&](std::initializer_list<std::string_view> names) -> std::optional<std::size_t> {
    for (std::string_view name : names) {
      for (std::size_t i = 0; i < titles.size(); ++i) {
        if (plain(titles[i]) == name) return i;
      }
    }
    return std::nullopt;
  };
  StatsColumns columns;
  columns.name = find({"hloopname", "opname", "name"});
  columns.occurrences = find({"occurrences", "numberofoccurrences"});
  columns.seconds = find({"totalselftime", "selftime", "totaltime"});
  columns.program = find({"programid"});
  return columns;
}

absl::Status missing_columns(std::string_view path) {
  return invalid_argument(
      std::string(path) +
      ": no hlo_stats table: expected columns called \"HLO op name\", \"#Occurrences\" and \"Total self time (us)\"");
}

absl::StatusOr<MeasuredProfile> read_csv(std::string_view text, std::string_view path) {
  // Parses the header first: if the file is of another kind, an error about its first row would mislead.
  const absl::StatusOr<CsvTable> header = parse_csv(text.substr(0, text.find_first_of("\r\n")), path);
  if (!header.ok()) return header.status();
  const StatsColumns columns = find_columns(header->columns);
  if (!columns.name || !columns.seconds) return missing_columns(path);
  const absl::StatusOr<CsvTable> table = parse_csv(text, path);
  if (!table.ok()) return table.status();
  ProfileCollector collector;
  for (const CsvTable::Row& row : table->rows) {
    const double occurrences = columns.occurrences ? number_of(row.fields[*columns.occurrences]) : 1;
    const std::string_view program = columns.program ? std::string_view(row.fields[*columns.program]) : "";
    collector.add(program, row.fields[*columns.name], occurrences,
                  number_of(row.fields[*columns.seconds]) * kMicrosecond);
  }
  return collector.take("hlo_stats CSV", path);
}

// Reads the table in the form of the charts: {"cols": [{"id", "label"}], "rows": [{"c": [{"v": value}]}]}.
absl::StatusOr<MeasuredProfile> read_table(const OrderedJson& table, std::string_view path) {
  const OrderedJson* cols = find(table, {"cols"});
  const OrderedJson* rows = find(table, {"rows"});
  if (cols == nullptr || rows == nullptr) return missing_columns(path);
  std::vector<std::string> ids;
  std::vector<std::string> labels;
  for (const OrderedJson& column : *cols) {
    ids.push_back(string_in(find(column, {"id"})));
    labels.push_back(string_in(find(column, {"label"})));
  }
  StatsColumns columns = find_columns(ids);
  if (!columns.name || !columns.seconds) columns = find_columns(labels);
  if (!columns.name || !columns.seconds) return missing_columns(path);
  ProfileCollector collector;
  for (const OrderedJson& row : *rows) {
    const OrderedJson* cells = find(row, {"c"});
    if (cells == nullptr) continue;
    const auto cell = [&](std::size_t i) {
      return cells->is_array() && i < cells->size() ? find((*cells)[i], {"v"}) : nullptr;
    };
    const double occurrences = columns.occurrences ? number_in(cell(*columns.occurrences)) : 1;
    collector.add(columns.program ? text_in(cell(*columns.program)) : "", string_in(cell(*columns.name)), occurrences,
                  number_in(cell(*columns.seconds)) * kMicrosecond);
  }
  return collector.take("hlo_stats JSON", path);
}

// Reads the table as records: [{"hlo_op_name": ..., "total_self_time": ...}, ...].
absl::StatusOr<MeasuredProfile> read_records(const OrderedJson& records, std::string_view path) {
  ProfileCollector collector;
  for (const OrderedJson& record : records) {
    std::vector<std::string> titles;
    std::vector<const OrderedJson*> values;
    for (const auto& member : record.items()) {
      titles.push_back(member.key());
      values.push_back(&member.value());
    }
    const StatsColumns columns = find_columns(titles);
    if (!columns.name || !columns.seconds) return missing_columns(path);
    const double occurrences = columns.occurrences ? number_in(values[*columns.occurrences]) : 1;
    collector.add(columns.program ? text_in(values[*columns.program]) : "", string_in(values[*columns.name]),
                  occurrences, number_in(values[*columns.seconds]) * kMicrosecond);
  }
  return collector.take("hlo_stats JSON", path);
}

}  // namespace

absl::StatusOr<MeasuredProfile> read_profile(std::string_view text, std::string_view path) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // byte order mark, which spreadsheets write
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return invalid_argument(std::string(path) + ": the profile is empty");
  if (text.substr(0, kHeadOfText).find('\0') != std::string_view::npos) {
    return invalid_argument(
        std::string(path) +
        ": is no text; of what the profiler writes, hloroof reads the folder with the .xplane.pb of "
        "each host, the trace (.trace.json.gz), and XProf's hlo_stats as CSV or JSON");
  }
  if (text[first] != '{' && text[first] != '[') return read_csv(text, path);
  const absl::StatusOr<OrderedJson> json = parse_json(text, path, {.max_depth = kMaxDepth});
  if (!json.ok()) return json.status();
  if (const OrderedJson* events = find(*json, {"traceEvents"})) return read_trace_events(*events, path);
  if (json->is_object()) return read_table(*json, path);
  if (json->empty()) return invalid_argument(std::string(path) + ": the profile is empty");
  const OrderedJson& element = json->front();
  if (find(element, {"ph"}) != nullptr) return read_trace_events(*json, path);
  if (find(element, {"cols"}) != nullptr) return read_table(element, path);
  return read_records(*json, path);
}

}  // namespace hloroof::internal::inline profile
