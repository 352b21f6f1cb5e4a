// The prediction as one self-contained page: roofline, timeline, memory, treemap, table of ops, diagnoses.
#ifndef HLOROOF_LIB_REPORT_HTML_REPORT_H_
#define HLOROOF_LIB_REPORT_HTML_REPORT_H_

#include <span>
#include <string>

#include "hloroof/module.h"
#include "hloroof/predict.h"
#include "lib/hardware/registry.h"

namespace hloroof::inline v0 {

// The files of lib/report/html, compiled in.
std::span<const EmbeddedFile> embedded_report_files();

// `module` is the one predicted: the operands of each op are read from it. The page needs no network.
std::string html_report(const Module& module, const StepPrediction& prediction);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_HTML_REPORT_H_
