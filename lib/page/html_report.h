// Writes predictions as one self-contained page: breakdown, roofline, timeline, memory, treemap, collectives, table of
// ops, diagnoses. Several predictions are compared in a table, and each has its own view.
#ifndef HLOROOF_LIB_PAGE_HTML_REPORT_H_
#define HLOROOF_LIB_PAGE_HTML_REPORT_H_

#include <span>
#include <string>
#include <string_view>

#include "hloroof/predict.h"
#include "lib/describe/json_writer.h"
#include "lib/hardware/registry.h"
#include "lib/profile/measured_profile.h"

namespace hloroof::internal::inline page {

// Returns the files of lib/page/html, which are compiled into the library.
std::span<const EmbeddedFile> embedded_report_files();

// Writes a page that needs no network access from predictions, one by one, each while it still has its facts.
class PageWriter {
 public:
  PageWriter();
  // `file` is the path of the module, or empty. The timeline shows the `measured` run above the prediction.
  void add(std::string_view file, const StepPrediction& prediction, std::span<const MeasuredEvent> measured = {});
  std::string take();

 private:
  JsonWriter out_{JsonLayout::kCompact};
};

// The page of one prediction.
std::string html_report(const StepPrediction& prediction, std::span<const MeasuredEvent> measured = {});

}  // namespace hloroof::internal::inline page

#endif  // HLOROOF_LIB_PAGE_HTML_REPORT_H_
