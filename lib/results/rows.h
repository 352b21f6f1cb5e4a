// Turns ops into table rows: filters, groups and sorts them and keeps the first n. One more row sums the others, so
// that the rows always add up to the step.
#ifndef HLOROOF_LIB_RESULTS_ROWS_H_
#define HLOROOF_LIB_RESULTS_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"

namespace hloroof::internal::inline results {

enum class GroupBy { kNone, kComputation, kCategory, kOpName, kSource, kLayer, kSimilar };
enum class SortBy { kTime, kWasted, kFlops, kBytes, kPadding };

std::optional<GroupBy> group_by_from_string(std::string_view text);
std::string_view to_string(GroupBy group);
// Returns the key by which ops of a module form a group; empty if the op has none. kSimilar depends on all ops of a
// prediction and has no such key: returns the name of the op.
std::string group_key(const OpPrediction& op, GroupBy group, std::string_view module_name);
std::optional<SortBy> sort_by_from_string(std::string_view text);

struct RowOptions {
  std::size_t limit = 10;  // 0: all
  SortBy sort = SortBy::kTime;
  GroupBy group = GroupBy::kNone;
  std::string filter;  // RE2 that must match in name, op_name, category or source; empty: all
  std::vector<std::pair<std::string, std::string>> rewrites;  // RE2 and replacement, applied to group keys
};

// How many of `count` rows a table shows.
inline std::size_t shown_rows(std::size_t count, const RowOptions& options) {
  return options.limit == 0 ? count : std::min(count, options.limit);
}

struct Row {
  std::string label;
  std::string category;
  std::string source;       // "attention.py:31"
  std::string layer;        // of similar ops: that of the first, "mlp/w1 backward"; empty without op_name
  std::string bound;        // of the op with the most time
  double count = 0;         // executions; in a group, the sum over its ops
  std::size_t ops = 0;      // in a group, the number of its ops
  double seconds = 0;       // of the step: the time that the compute stream works or waits
  double wait_seconds = 0;  // the part of `seconds` that it waits for transfers
  double busy_seconds = 0;  // seconds x executions
  double efficiency = 0;    // weighted by busy_seconds
  double flops = 0;
  double hbm_bytes = 0;
  double moved_bytes = 0;    // in all memories, with padding
  double padding_bytes = 0;  // of moved_bytes
  double largest = 0;        // seconds of the op that set `bound`
  std::string first_op;
};

struct Rows {
  std::vector<Row> rows;  // at most `limit`
  std::optional<Row> others;
  std::size_t others_count = 0;
  Row total;  // of the ops that pass the filter
};

// The part of `seconds` that a resource used at `efficiency` is below its roof: what SortBy::kWasted orders by.
double wasted_seconds(double seconds, double efficiency);

// Errors: InvalidArgument for a filter or rewrite that is not a valid regular expression.
absl::StatusOr<Rows> make_rows(const StepPrediction& prediction, const RowOptions& options);

// Reads sed's s/pattern/replacement/, with any character in place of the slash. Errors: InvalidArgument.
absl::StatusOr<std::pair<std::string, std::string>> parse_rewrite(std::string_view text);

// Returns the name of the resource that limits the op's own work, or empty if it takes no time. OpPrediction::limit
// also has the waits.
std::string bound_text(const OpPrediction& op, DeviceFamily family);

// Returns the last component of the path with the line, such as "file.py:31", or empty if the source is unknown.
std::string short_source(std::string_view file, std::int64_t line);

}  // namespace hloroof::internal::inline results

#endif  // HLOROOF_LIB_RESULTS_ROWS_H_
