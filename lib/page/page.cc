#include "lib/page/page.h"

#include "lib/page/html_report.h"

namespace hloroof::internal::inline page {
namespace {

std::string_view file_text(std::string_view name) {
  for (const EmbeddedFile& file : embedded_report_files()) {
    if (file.name == name) return file.text;
  }
  return "";
}

// Inside a script element, "<" could end the element or open a comment. In JSON it occurs only in strings, where the
// escape has the same meaning.
std::string escape_for_script(std::string_view json) {
  std::string data;
  data.reserve(json.size());
  for (char c : json) {
    if (c == '<') {
      data += "\\u003c";
    } else {
      data += c;
    }
  }
  return data;
}

// Replaces the placeholder /*{{name}}*/ by `text`.
void fill_in(std::string& page, std::string_view name, std::string_view text) {
  const std::string mark = "/*{{" + std::string(name) + "}}*/";
  const std::size_t at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), text);
}

}  // namespace

std::string make_page(std::string_view name, std::string_view json) {
  std::string page(file_text(name));
  for (const EmbeddedFile& file : embedded_report_files()) fill_in(page, file.name, file.text);
  fill_in(page, "data", escape_for_script(json));
  return page;
}

}  // namespace hloroof::internal::inline page
