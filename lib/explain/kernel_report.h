// The Pallas kernels of one or several programs as text, JSON ("hloroof.kernels/1") and CSV.
#ifndef HLOROOF_LIB_EXPLAIN_KERNEL_REPORT_H_
#define HLOROOF_LIB_EXPLAIN_KERNEL_REPORT_H_

#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "lib/describe/schema.h"
#include "lib/explain/kernel_rows.h"
#include "lib/report/views.h"

namespace hloroof::internal::inline explain {

struct KernelReport {
  std::string file;
  StepPrediction step;  // without facts
  std::vector<KernelRow> kernels;
};

inline const StepPrediction& step_of(const KernelReport& report) { return report.step; }

// Takes the kernels out of the facts of `prediction` and drops the facts.
KernelReport kernel_report(const std::string& file, StepPrediction prediction);

// Writes the kernels with the most time in the step, at most options.rows.limit of them, and what is assumed or unknown
// about them.
std::string kernel_view(const KernelReport& report, const ViewOptions& options);

// Writes one object if there is exactly one report, otherwise an array.
std::string kernel_json(const std::vector<KernelReport>& reports);

// Writes one line for each kernel.
std::string kernel_csv(const std::vector<KernelReport>& reports);

// The fields of a report and of all records in it.
ResultTable kernel_table();

}  // namespace hloroof::internal::inline explain

#endif  // HLOROOF_LIB_EXPLAIN_KERNEL_REPORT_H_
