// FLOPs, transcendentals and bytes of a module, independent of any device. Builds the rows of `hloroof counts` and
// formats them as text, JSON ("hloroof.counts/1") and CSV.
#ifndef HLOROOF_LIB_REPORT_COUNTS_REPORT_H_
#define HLOROOF_LIB_REPORT_COUNTS_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/base/paged_table.h"
#include "lib/describe/schema.h"
#include "lib/describe/table.h"
#include "lib/results/rows.h"

namespace hloroof::internal::inline report {

struct CountsRow {
  std::string name;
  std::string computation;
  std::string opcode;
  std::string category;
  std::string op_name;
  std::string source_file;
  std::int64_t source_line = 0;  // 0: not in the text
  std::string layer;             // layer_key() of op_name
  double executions = 1;         // in a group: the sum over its ops; the numbers below are then averages
  double flops = 0;              // per execution, like the numbers below
  double transcendentals = 0;
  double bytes_accessed = 0;
  double logical_bytes = 0;  // bytes_accessed without padding; physical convention only
};

// The matrix products with one pair of element types in the whole step. `flops` does not count the passes. Physical
// convention only.
struct MatrixTotal {
  ElementType lhs = ElementType::kInvalid;
  ElementType rhs = ElementType::kInvalid;
  int passes = 1;
  double flops = 0;
};

// A while loop and its trip count. Physical convention only.
struct CountedLoop {
  std::string name;  // of the while instruction
  TripCount trips;
};

// Each total is the sum over the rows of the executions times the number in the row.
struct CountsReport {
  std::string module;
  std::string convention;  // "xla" or "physical"
  double flops = 0;
  double transcendentals = 0;
  double bytes_accessed = 0;
  double logical_bytes = 0;         // physical convention only, like the next two members
  MemoryBytes spaces;               // bytes_accessed by memory space
  std::vector<MatrixTotal> matrix;  // most FLOPs first
  std::vector<VectorWork> vector;   // padded elements, most first
  std::vector<CountedLoop> loops;
  std::vector<CountsRow> rows;       // ENTRY first, each computation in program order
  std::vector<std::string> unknown;  // instructions whose work is missing or incomplete in the numbers
};

enum class CountsOrder { kBytes, kFlops, kTranscendentals, kProgram };

// "bytes", "flops", "transcendentals" or "program".
std::optional<CountsOrder> counts_order_from_string(std::string_view text);

struct CountsTextOptions : TextLayout {
  std::size_t limit = 10;                   // rows, 0 for all
  CountsOrder order = CountsOrder::kBytes;  // largest first
};

// A while or call has no work in its own row: each instruction that it runs has a row, with one execution for each pass
// that XLA counts. A conditional has one row that includes its branches, because XLA takes the larger of each number.
// The row of an async-start includes the computation that it wraps.
CountsReport counts_report(const Module& module, const ModuleCounts& counts);

// Uses the physical convention. Bytes include padding and cover all memory spaces. `work` is the result of
// compute_work() for `calls`.
CountsReport counts_report(const Module& module, const CallGraph& calls, const PagedTable<Shared<Work>>& work);

// Merges the rows of each group into one. A group is a computation, category, op_name, source line or layer.
void group_rows(CountsReport& report, GroupBy group);

// Formats the totals and the first rows in the order of the options.
std::string counts_text(const CountsReport& report, const CountsTextOptions& options = {});

// Formats one line for each report, to compare several files. `names` has the file name of each report.
std::string counts_table(const std::vector<std::string>& names, const std::vector<CountsReport>& reports,
                         const TextLayout& layout = {});

// Writes one object if there is exactly one report, otherwise an array of objects.
std::string counts_json(const std::vector<CountsReport>& reports);
std::string counts_csv(const std::vector<CountsReport>& reports);

// The fields of a report and of all records in it.
ResultTable counts_table();

}  // namespace hloroof::internal::inline report

#endif  // HLOROOF_LIB_REPORT_COUNTS_REPORT_H_
