#include "lib/versions/pass_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline versions {

std::string pass_label(std::string_view pipeline, std::string_view pass) {
  return pass == "start" ? "start of " + std::string(pipeline) : std::string(pass);
}

std::string state_letter(std::string_view state) {
  const std::size_t blank = state.rfind(' ');
  return blank == std::string_view::npos ? "" : std::string(1, static_cast<char>(std::toupper(state[blank + 1])));
}

std::string bracket_unless_runs(const std::string& text, bool runs) {
  return runs || text.empty() ? text : "[" + text + "]";
}

std::string signed_text(double value, std::string (*format)(double)) {
  return (value < 0 ? "-" : "+") + format(std::abs(value));
}

std::string bracket_note(const TextLayout& layout) {
  return wrap(
             "  A time in brackets is that of a module that nothing would run as it is: it is not partitioned (P), "
             "has no layouts (L) or is not fused (F).",
             layout.width, 2) +
         "\n";
}

std::string failures_text(const PassReport& report, std::string_view where, const TextLayout& layout) {
  struct Reason {
    std::string text;
    const PassRow* first;
    std::size_t states;
  };
  std::vector<Reason> reasons;
  for (const PassRow& row : report.rows) {
    if (row.error.empty()) continue;
    // Messages of the parser begin with the file and the place, which differ from state to state.
    const std::size_t place = row.error.starts_with(row.file) ? row.error.find("error: ") : std::string::npos;
    const std::string text = place == std::string::npos ? row.error : row.error.substr(place);
    const auto same = std::find_if(reasons.begin(), reasons.end(), [&](const Reason& r) { return r.text == text; });
    if (same == reasons.end()) {
      reasons.push_back({text, &row, 1});
    } else {
      ++same->states;
    }
  }
  std::string out;
  for (const Reason& reason : reasons) {
    std::string line = absl::StrCat("  ", pass_label(reason.first->pipeline, reason.first->pass));
    if (reason.states > 1) absl::StrAppend(&line, " and ", reason.states - 1, " more");
    absl::StrAppend(&line, to_absl(where), ": not predicted: ", reason.text);
    out += wrap(line, layout.width, 4) + "\n";
  }
  return out;
}

}  // namespace hloroof::internal::inline versions
