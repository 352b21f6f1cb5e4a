#include "lib/page/passes_page.h"

#include "lib/page/page.h"

namespace hloroof::internal::inline page {

// The data of the page is what --format json writes; its member "schema" says which of the two it is.
std::string passes_html(const PassReport& report) { return make_page("passes.html", passes_json(report)); }

std::string pass_comparison_html(const PassComparison& comparison) {
  return make_page("passes.html", pass_comparison_json(comparison));
}

}  // namespace hloroof::internal::inline page
