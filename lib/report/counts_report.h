// FLOPs, transcendentals and bytes of a module without a device: the rows behind `hloroof counts`, and as text, JSON
// ("hloroof.counts/1") and CSV.
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
#include "hloroof/counts.h"
#include "hloroof/module.h"
#include "lib/report/rows.h"

namespace hloroof::inline v0 {

struct CountsRow {
  std::string name;
  std::string computation;
  std::string opcode;
  std::string category;
  std::string op_name;
  std::string source_file;
  std::int64_t source_line = 0;  // 0: not in the text
  std::string layer;             // op_name with the indices of layers folded
  double executions = 1;         // of a group those of all its ops, and the numbers below their average
  double flops = 0;              // of one execution, as the numbers below
  double transcendentals = 0;
  double bytes_accessed = 0;
  double logical_bytes = 0;  // bytes_accessed without padding; physical convention only
};

// Products of one pair of types in the whole step, without the passes; physical convention only.
struct MatrixTotal {
  ElementType lhs = ElementType::kInvalid;
  ElementType rhs = ElementType::kInvalid;
  int passes = 1;
  double flops = 0;
};

// The totals are the sums of executions times each row.
struct CountsReport {
  std::string module;
  std::string convention;  // "xla" or "physical"
  double flops = 0;
  double transcendentals = 0;
  double bytes_accessed = 0;
  double logical_bytes = 0;         // physical convention only, as the two below
  MemoryBytes spaces;               // bytes_accessed by memory space
  std::vector<MatrixTotal> matrix;  // most FLOPs first
  std::vector<VectorWork> vector;   // padded elements, most first
  std::vector<CallGraph::Loop> loops;
  std::vector<std::string> loop_names;  // of each of `loops`
  std::vector<CountsRow> rows;          // ENTRY first, each computation in program order
  std::vector<std::string> unknown;     // instructions whose work is not in the numbers, or not whole
};

enum class CountsOrder { kBytes, kFlops, kTranscendentals, kProgram };

// "bytes", "flops", "transcendentals" or "program".
std::optional<CountsOrder> counts_order_from_string(std::string_view text);

struct CountsTextOptions {
  std::size_t limit = 10;                   // rows, 0 for all
  std::size_t width = 80;                   // of a line, where names allow it; 0 for any
  CountsOrder order = CountsOrder::kBytes;  // largest first
};

// A while or call counts nothing in its own row: the instructions it runs have rows, with one execution for each pass
// that XLA counts. A conditional stands for its branches, since XLA takes the larger of each number; an async-start for
// what it wraps.
CountsReport counts_report(const Module& module, const ModuleCounts& counts);

// The physical convention; bytes are padded, in any memory space. `work` is what compute_work gives for `calls`.
CountsReport counts_report(const Module& module, const CallGraph& calls, const std::vector<Work>& work);

// The rows of each group as one: of a computation, category, op_name, source line or layer.
void group_rows(CountsReport& report, GroupBy group);

// The totals and the first rows in the order asked for.
std::string counts_text(const CountsReport& report, const CountsTextOptions& options = {});

// One line a report, for several files; `names` are what they are called.
std::string counts_table(const std::vector<std::string>& names, const std::vector<CountsReport>& reports,
                         std::size_t width = 80);

// One object, or an array of them unless there is exactly one.
std::string counts_json(const std::vector<CountsReport>& reports);
std::string counts_csv(const std::vector<CountsReport>& reports);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_COUNTS_REPORT_H_
