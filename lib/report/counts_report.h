// FLOPs, transcendentals and bytes of a module without a device: the rows behind `hloroof counts`, and as text, JSON
// ("hloroof.counts/1") and CSV.
#ifndef HLOROOF_LIB_REPORT_COUNTS_REPORT_H_
#define HLOROOF_LIB_REPORT_COUNTS_REPORT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "hloroof/counts.h"
#include "hloroof/module.h"

namespace hloroof::inline v0 {

struct CountsRow {
  std::string name;
  std::string computation;
  std::string opcode;
  double executions = 1;
  double flops = 0;  // of one execution, as the two below
  double transcendentals = 0;
  double bytes_accessed = 0;
};

// The totals are the sums of executions times each row.
struct CountsReport {
  std::string module;
  std::string convention;  // "xla" or "physical"
  double flops = 0;
  double transcendentals = 0;
  double bytes_accessed = 0;
  std::vector<CountsRow> rows;       // ENTRY first, each computation in program order
  std::vector<std::string> unknown;  // instructions whose work is not in the numbers, or not whole
};

// A while or call counts nothing in its own row: the instructions it runs have rows, with one execution for each pass
// that XLA counts. A conditional stands for its branches, since XLA takes the larger of each number; an async-start for
// what it wraps.
CountsReport counts_report(const Module& module, const ModuleCounts& counts);

// The physical convention; bytes are padded, in any memory space. `work` is what compute_work gives for `calls`.
CountsReport counts_report(const Module& module, const CallGraph& calls, const std::vector<Work>& work);

// The totals and the `limit` rows that count the most bytes, 0 for all; lines of at most `width` where names allow it.
std::string counts_text(const CountsReport& report, std::size_t limit = 10, std::size_t width = 80);
std::string counts_json(const CountsReport& report);
std::string counts_csv(const CountsReport& report);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_COUNTS_REPORT_H_
