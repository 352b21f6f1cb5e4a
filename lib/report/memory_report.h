// The memory of one or several programs as JSON and CSV; views.h has the text.
#ifndef HLOROOF_LIB_REPORT_MEMORY_REPORT_H_
#define HLOROOF_LIB_REPORT_MEMORY_REPORT_H_

#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "lib/describe/schema.h"
#include "lib/results/view_csv.h"

namespace hloroof::internal::inline report {

// Writes one object if there is exactly one prediction, otherwise an array. Schema "hloroof.memory/1".
std::string memory_json(const std::vector<NamedPrediction>& predictions);

// Writes one line for each buffer that is live at the peak of a program.
std::string memory_csv(const std::vector<NamedPrediction>& predictions);

// The fields of a memory report and of all records in it.
ResultTable memory_table();

}  // namespace hloroof::internal::inline report

#endif  // HLOROOF_LIB_REPORT_MEMORY_REPORT_H_
