// A module as HLO text with its predicted times in comments.
//
//   // ENTRY main: 1 run, 11.8 ms, 100.0 % of the step
//   /*  share     time     wait  runs  bound   bytes  padding  source      */ ...
//   /* 21.9 %  2.58 ms              1  mxu    170 MiB   0 B    model.py:49 */   %fusion.2 = bf16[8,512,4096] fusion(...
#ifndef HLOROOF_LIB_REPORT_ANNOTATED_TEXT_H_
#define HLOROOF_LIB_REPORT_ANNOTATED_TEXT_H_

#include <string>

#include "hloroof/predict.h"
#include "hloroof/print.h"

namespace hloroof::internal::inline report {

// Prints `module`, whose prediction is `prediction`, as print_module() does, with comments: what the prediction is
// of at the top, a line with the sum above each computation that runs, and at the beginning of the line of an op what
// `ops` shows of it. Only ops with at least `least_share` of the step have one; the lines of the others are indented as
// far. The text parses to the same module.
//
// Reads prediction.facts.
std::string annotated_text(const Module& module, const StepPrediction& prediction, const PrintOptions& options,
                           double least_share);

}  // namespace hloroof::internal::inline report

#endif  // HLOROOF_LIB_REPORT_ANNOTATED_TEXT_H_
