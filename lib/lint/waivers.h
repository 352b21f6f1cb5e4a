// Waivers: findings of `lint` that a project accepts, in a text file with one rule on each line.
//
//   # Waivers of the training step.
//   layout-change                        # every one
//   padding-waste  decoder/.*attention   # until 2027-03-31 heads of 64 are to be merged
//   exposed-communication  train\.py:88$ # the last all-reduce has nothing to overlap with
//
//   file  = { line }
//   line  = [ code [ regex ] ] [ "#" [ "until" date ] [ reason ] ]
//   code  = a code of diagnostic.def
//   regex = an RE2 regular expression; a "#" in it must follow a character that is no blank
//   date  = YYYY-MM-DD, the last day on which the rule holds
//
// A rule without a regex waives all diagnostics with its code. A regex must match the op_name or the place in the
// source ("model.py:12") of every op of the diagnostic, or the cause if it has no op. A match of a part is enough.
#ifndef HLOROOF_LIB_LINT_WAIVERS_H_
#define HLOROOF_LIB_LINT_WAIVERS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace hloroof::internal::inline lint {

struct Waiver {
  DiagnosticCode code = DiagnosticCode::kUnknownOpcode;
  std::shared_ptr<const re2::RE2> regex;  // null: matches everything
  std::string text;                       // the rule as written, without the comment
  std::string until;                      // "2027-03-31"; empty: holds forever
  std::string reason;                     // may be empty
  std::size_t line = 1;
};

struct Waivers {
  std::string path;
  std::vector<Waiver> rules;

  // Returns the index of the first rule that holds on the day `today` and waives `diagnostic`; rules.size() if there is
  // none. `today` is YYYY-MM-DD.
  std::size_t find(const Diagnostic& diagnostic, const StepPrediction& prediction, std::string_view today) const;
};

// Parses the text of the file `path`. Errors: InvalidArgument with the line, the column, a caret and what was expected.
absl::StatusOr<Waivers> parse_waivers(std::string_view text, const std::string& path);

// The date of today in UTC, as YYYY-MM-DD.
std::string today_utc();

}  // namespace hloroof::internal::inline lint

#endif  // HLOROOF_LIB_LINT_WAIVERS_H_
