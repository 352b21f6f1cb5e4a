#include "lib/page/html_report.h"

#include "lib/page/html_data.h"
#include "lib/page/page.h"

namespace hloroof::internal::inline page {
PageWriter::PageWriter() {
  out_.begin_object();
  write_page_members(out_);
  out_.key("steps");
  out_.begin_array();
}

void PageWriter::add(std::string_view file, const StepPrediction& prediction, std::span<const MeasuredEvent> measured) {
  write_page_step(file, prediction, out_, measured);
}

std::string PageWriter::take() {
  out_.end_array();
  out_.end_object();
  return make_page("report.html", out_.take());
}

std::string html_report(const StepPrediction& prediction, std::span<const MeasuredEvent> measured) {
  PageWriter page;
  page.add("", prediction, measured);
  return page.take();
}

}  // namespace hloroof::internal::inline page
