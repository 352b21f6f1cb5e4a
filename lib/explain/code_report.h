// The final code of the operations of a dump as text, JSON ("hloroof.bundles/1") and CSV.
#ifndef HLOROOF_LIB_EXPLAIN_CODE_REPORT_H_
#define HLOROOF_LIB_EXPLAIN_CODE_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"
#include "lib/code/code_rows.h"
#include "lib/describe/schema.h"
#include "lib/report/views.h"

namespace hloroof::internal::inline explain {

struct CodeReport {
  std::string folder;
  std::string device;
  double clock = 0;           // Hz
  double read_bandwidth = 0;  // bytes/s at which the transfers of one core read HBM
  double latency = 0;         // s, of a transfer in addition to its bytes
  std::vector<CodeRow> rows;  // those that take longest first, unknown times before all others
};

// A report without rows. Errors: those of code_core().
absl::StatusOr<CodeReport> start_code_report(const std::string& folder, const Device& device);

// Says what `module` says about the rows whose instructions it has and no module before it had.
void add_sources(const Module& module, std::vector<CodeRow>& rows);

// The same for the times of a prediction.
void add_model_times(const StepPrediction& prediction, std::vector<CodeRow>& rows);

// Puts the rows in the order of a report.
void sort_code(std::vector<CodeRow>& rows);

// Writes at most options.rows.limit rows, and what is not known about them.
std::string code_view(const CodeReport& report, const ViewOptions& options);
std::string code_json(const CodeReport& report);
// Writes one line for each row, with two columns for each unit.
std::string code_csv(const CodeReport& report);

// The fields of a report and of all records in it.
ResultTable code_table();

}  // namespace hloroof::internal::inline explain

#endif  // HLOROOF_LIB_EXPLAIN_CODE_REPORT_H_
