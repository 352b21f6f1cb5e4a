// Writes the prediction as one self-contained page: roofline, timeline, memory, treemap, table of ops, diagnoses.
#ifndef HLOROOF_LIB_REPORT_HTML_REPORT_H_
#define HLOROOF_LIB_REPORT_HTML_REPORT_H_

#include <span>
#include <string>

#include "hloroof/predict.h"
#include "lib/hardware/registry.h"

namespace hloroof::internal {

// Returns the files of lib/report/html, which are compiled into the library.
std::span<const EmbeddedFile> embedded_report_files();

// Returns a page that needs no network access. Reads the operands of each op from the module through prediction.facts.
std::string html_report(const StepPrediction& prediction);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_REPORT_HTML_REPORT_H_
