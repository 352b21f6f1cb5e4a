// A page with a chart of step time and memory over the passes of a compile, or of two.
#ifndef HLOROOF_LIB_PAGE_PASSES_PAGE_H_
#define HLOROOF_LIB_PAGE_PASSES_PAGE_H_

#include <string>

#include "lib/versions/compare_passes.h"
#include "lib/versions/passes.h"

namespace hloroof::internal::inline page {

std::string passes_html(const PassReport& report);
std::string pass_comparison_html(const PassComparison& comparison);

}  // namespace hloroof::internal::inline page

#endif  // HLOROOF_LIB_PAGE_PASSES_PAGE_H_
