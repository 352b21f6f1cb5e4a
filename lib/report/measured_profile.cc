#include "lib/report/measured_profile.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "lib/base/json.h"
#include "lib/base/strings.h"

namespace hloroof::inline v0 {
namespace {

constexpr double kMicrosecond = 1e-6;
// A page of a trace viewer nests deeper than a device file.
constexpr int kMaxDepth = 128;

// Sums up by name. A leading % belongs to the printed form; XProf may give "%fusion.3 = ..." where a name is asked for.
class Collector {
 public:
  void add(std::string_view name, double occurrences, double seconds) {
    if (!name.empty() && name[0] == '%') name.remove_prefix(1);
    name = name.substr(0, name.find(' '));
    if (name.empty() || !std::isfinite(seconds) || !std::isfinite(occurrences) || seconds < 0 || occurrences < 0)
      return;
    const auto [found, is_new] = index_.try_emplace(std::string(name), profile_.ops.size());
    if (is_new) profile_.ops.push_back({std::string(name), 0, 0});
    MeasuredOp& op = profile_.ops[found->second];
    op.occurrences += occurrences;
    op.seconds += seconds;
  }

  absl::StatusOr<MeasuredProfile> take(std::string format, std::string_view path) {
    if (profile_.ops.empty()) return invalid_argument(std::string(path) + ": no op with a time in this " + format);
    profile_.format = std::move(format);
    return std::move(profile_);
  }

 private:
  MeasuredProfile profile_;
  std::unordered_map<std::string, std::size_t> index_;
};

// Letters and digits alone, in lower case: "Total self time (us)" and "total_self_time" meet.
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
  return columns;
}

absl::Status missing_columns(std::string_view path) {
  return invalid_argument(
      std::string(path) +
      ": no hlo_stats table: expected columns called \"HLO op name\", \"#Occurrences\" and \"Total self time (us)\"");
}

double number_of(const std::string& cell) {
  double value = 0;
  const char* begin = cell.data();
  const char* end = begin + cell.size();
  while (begin < end && *begin == ' ') ++begin;
  const auto [rest, error] = std::from_chars(begin, end, value);
  return error == std::errc() ? value : NAN;
}

// csv = record *(newline record); record = field *("," field); a field in quotes may hold commas, newlines and "" for
// ".
std::vector<std::vector<std::string>> parse_csv(std::string_view text) {
  std::vector<std::vector<std::string>> records(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::string& field = records.back().back();
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      records.back().emplace_back();
    } else if (c == '\n') {
      records.emplace_back(1);
    } else if (c != '\r') {
      field += c;
    }
  }
  return records;
}

absl::StatusOr<MeasuredProfile> read_csv(std::string_view text, std::string_view path) {
  const std::vector<std::vector<std::string>> records = parse_csv(text);
  const StatsColumns columns = find_columns(records.front());
  if (!columns.name || !columns.seconds) return missing_columns(path);
  Collector collector;
  for (std::size_t i = 1; i < records.size(); ++i) {
    const std::vector<std::string>& record = records[i];
    if (*columns.name >= record.size() || *columns.seconds >= record.size()) continue;
    double occurrences = 1;
    if (columns.occurrences && *columns.occurrences < record.size())
      occurrences = number_of(record[*columns.occurrences]);
    collector.add(record[*columns.name], occurrences, number_of(record[*columns.seconds]) * kMicrosecond);
  }
  return collector.take("hlo_stats CSV", path);
}

const std::string& string_in(const JsonValue* value) {
  static const std::string* const kNone = new std::string;
  return value != nullptr && value->is(JsonValue::Kind::kString) ? value->string : *kNone;
}

double number_in(const JsonValue* value) {
  if (value == nullptr) return NAN;
  if (value->is(JsonValue::Kind::kString)) return number_of(value->string);
  return value->is(JsonValue::Kind::kNumber) ? value->number : NAN;
}

// The table as the charts take it: {"cols": [{"id", "label"}], "rows": [{"c": [{"v": value}]}]}.
absl::StatusOr<MeasuredProfile> read_table(const JsonValue& table, std::string_view path) {
  const JsonValue* cols = table.find("cols");
  const JsonValue* rows = table.find("rows");
  if (cols == nullptr || rows == nullptr) return missing_columns(path);
  std::vector<std::string> ids;
  std::vector<std::string> labels;
  for (const JsonValue& column : cols->elements) {
    ids.push_back(string_in(column.find("id")));
    labels.push_back(string_in(column.find("label")));
  }
  StatsColumns columns = find_columns(ids);
  if (!columns.name || !columns.seconds) columns = find_columns(labels);
  if (!columns.name || !columns.seconds) return missing_columns(path);
  Collector collector;
  for (const JsonValue& row : rows->elements) {
    const JsonValue* cells = row.find("c");
    if (cells == nullptr) continue;
    const auto cell = [&](std::size_t i) {
      return i < cells->elements.size() ? cells->elements[i].find("v") : nullptr;
    };
    const double occurrences = columns.occurrences ? number_in(cell(*columns.occurrences)) : 1;
    collector.add(string_in(cell(*columns.name)), occurrences, number_in(cell(*columns.seconds)) * kMicrosecond);
  }
  return collector.take("hlo_stats JSON", path);
}

// The table as records: [{"hlo_op_name": ..., "total_self_time": ...}, ...].
absl::StatusOr<MeasuredProfile> read_records(const JsonValue& records, std::string_view path) {
  Collector collector;
  for (const JsonValue& record : records.elements) {
    std::vector<std::string> titles;
    for (const JsonMember& member : record.members) titles.push_back(member.name);
    const StatsColumns columns = find_columns(titles);
    if (!columns.name || !columns.seconds) return missing_columns(path);
    const double occurrences = columns.occurrences ? number_in(&record.members[*columns.occurrences].value) : 1;
    collector.add(string_in(&record.members[*columns.name].value), occurrences,
                  number_in(&record.members[*columns.seconds].value) * kMicrosecond);
  }
  return collector.take("hlo_stats JSON", path);
}

struct TraceEvent {
  std::string_view name;
  double begin = 0;  // us
  double end = 0;
  double inside = 0;  // us, of the events nested in it
};

// Self times of the events of one thread: an event's own time without those that lie inside it.
void add_thread(std::vector<TraceEvent>& events, Collector& collector) {
  std::stable_sort(events.begin(), events.end(), [](const TraceEvent& a, const TraceEvent& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<TraceEvent*> open;
  for (TraceEvent& event : events) {
    while (!open.empty() && open.back()->end <= event.begin) open.pop_back();
    if (!open.empty() && event.end <= open.back()->end) open.back()->inside += event.end - event.begin;
    open.push_back(&event);
  }
  for (const TraceEvent& event : events) {
    collector.add(event.name, 1, std::max(0.0, event.end - event.begin - event.inside) * kMicrosecond);
  }
}

absl::StatusOr<MeasuredProfile> read_trace(const JsonValue& events, std::string_view path) {
  using Thread = std::pair<double, double>;  // pid and tid
  const auto thread_of = [](const JsonValue& event) {
    return Thread(number_in(event.find("pid")), number_in(event.find("tid")));
  };
  std::set<Thread> op_threads;
  for (const JsonValue& event : events.elements) {
    if (string_in(event.find("ph")) != "M" || string_in(event.find("name")) != "thread_name") continue;
    const JsonValue* arguments = event.find("args");
    if (arguments == nullptr || string_in(arguments->find("name")).rfind("XLA Ops", 0) != 0) continue;
    // One device speaks for all: the first.
    const Thread thread = thread_of(event);
    if (!op_threads.empty() && thread.first > op_threads.begin()->first) continue;
    if (!op_threads.empty() && thread.first < op_threads.begin()->first) op_threads.clear();
    op_threads.insert(thread);
  }
  std::map<Thread, std::vector<TraceEvent>> threads;
  for (const JsonValue& event : events.elements) {
    if (string_in(event.find("ph")) != "X") continue;
    const Thread thread = thread_of(event);
    if (!op_threads.empty() && op_threads.count(thread) == 0) continue;
    const double begin = number_in(event.find("ts"));
    const double duration = number_in(event.find("dur"));
    if (!std::isfinite(begin) || !std::isfinite(duration) || duration < 0) continue;
    const JsonValue* arguments = event.find("args");
    const std::string& op = string_in(arguments != nullptr ? arguments->find("hlo_op") : nullptr);
    threads[thread].push_back({op.empty() ? string_in(event.find("name")) : op, begin, begin + duration, 0});
  }
  Collector collector;
  for (auto& [thread, list] : threads) add_thread(list, collector);
  return collector.take("Chrome trace", path);
}

}  // namespace

absl::StatusOr<MeasuredProfile> read_profile(std::string_view text, std::string_view path) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // a byte order mark, as spreadsheets write
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return invalid_argument(std::string(path) + ": the profile is empty");
  if (text[first] != '{' && text[first] != '[') return read_csv(text, path);
  JsonOptions options;
  options.max_depth = kMaxDepth;
  const absl::StatusOr<JsonValue> json = parse_json(text, path, options);
  if (!json.ok()) return json.status();
  if (const JsonValue* events = json->find("traceEvents")) return read_trace(*events, path);
  if (json->is(JsonValue::Kind::kObject)) return read_table(*json, path);
  if (json->elements.empty()) return invalid_argument(std::string(path) + ": the profile is empty");
  const JsonValue& element = json->elements.front();
  if (element.find("ph") != nullptr) return read_trace(*json, path);
  if (element.find("cols") != nullptr) return read_table(element, path);
  return read_records(*json, path);
}

}  // namespace hloroof::inline v0
