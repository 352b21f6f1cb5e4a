// Self-contained HTML pages, which need no network access.
#ifndef HLOROOF_LIB_PAGE_PAGE_H_
#define HLOROOF_LIB_PAGE_PAGE_H_

#include <string>
#include <string_view>

namespace hloroof::internal::inline page {

// The page `name` of lib/page/html, such as "report.html", with the style and the scripts that it names and with
// `json` as its data.
std::string make_page(std::string_view name, std::string_view json);

}  // namespace hloroof::internal::inline page

#endif  // HLOROOF_LIB_PAGE_PAGE_H_
