#include "lib/report/html_report.h"

#include "lib/report/html_data.h"

namespace hloroof::internal {
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

PageWriter::PageWriter() {
  out_.begin_object();
  write_page_members(out_);
  out_.key("steps");
  out_.begin_array();
}

void PageWriter::add(std::string_view file, const StepPrediction& prediction) {
  write_page_step(file, prediction, out_);
}

std::string PageWriter::take() {
  out_.end_array();
  out_.end_object();
  std::string page(file_text("report.html"));
  for (const EmbeddedFile& file : embedded_report_files()) {
    if (file.name != "report.html") fill_in(page, file.name, file.text);
  }
  fill_in(page, "data", escape_for_script(out_.take()));
  return page;
}

std::string html_report(const StepPrediction& prediction) {
  PageWriter page;
  page.add("", prediction);
  return page.take();
}

}  // namespace hloroof::internal
