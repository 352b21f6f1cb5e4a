// How the states of a compile appear in text, for one compile and for two.
#ifndef HLOROOF_LIB_VERSIONS_PASS_TEXT_H_
#define HLOROOF_LIB_VERSIONS_PASS_TEXT_H_

#include <string>
#include <string_view>

#include "lib/describe/table.h"
#include "lib/versions/passes.h"

namespace hloroof::internal::inline versions {

// The pass alone, or the pipeline whose start the state is.
std::string pass_label(std::string_view pipeline, std::string_view pass);

// What stands for PassRow::state in a table: "P", "L", "F" or nothing. Its last word begins with it.
std::string state_letter(std::string_view state);

// `text` in brackets, unless it is empty or the module might run.
std::string bracket_unless_runs(const std::string& text, bool runs);

// "+1.2 ms", "-3"
std::string signed_text(double value, std::string (*format)(double));

// Says what the brackets and the letters mean.
std::string bracket_note(const TextLayout& layout);

// The states without a prediction, one line for each reason: the first of them, how many more, and why. `where` follows
// the number, such as " in after". Empty if there are none.
std::string failures_text(const PassReport& report, std::string_view where, const TextLayout& layout);

}  // namespace hloroof::internal::inline versions

#endif  // HLOROOF_LIB_VERSIONS_PASS_TEXT_H_
