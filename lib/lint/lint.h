// The diagnostics of one or several predictions as the result of `lint`: with their places in the HLO text and in the
// source, with the waivers that apply, and with fingerprints that stay the same when the program is compiled again.
#ifndef HLOROOF_LIB_LINT_LINT_H_
#define HLOROOF_LIB_LINT_LINT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "lib/describe/schema.h"
#include "lib/lint/waivers.h"
#include "lib/report/views.h"

namespace hloroof::internal::inline lint {

struct LintFinding {
  Diagnostic diagnostic;
  // The instruction `op` in the HLO text. 0: the finding is about the whole module, or the text does not have it.
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string op_name;
  std::string source_file;  // the place in the user's program; empty if the text does not state it
  std::int64_t source_line = 0;
  // SHA-256 of the code and of the cause, or of the op_name without numbers if no cause is named. Names of instructions
  // are not part of it.
  std::string fingerprint;
  bool is_waived = false;
  std::string waiver;  // the rule that waives it
  std::string reason;  // of the waiver
};

struct LintedFile {
  std::string file;
  std::string module_name;
  std::string device;
  std::string topology;
  double step_seconds = 0;
  std::vector<LintFinding> findings;
};

// A rule of the waiver file that waived nothing.
struct UnusedWaiver {
  std::string path;
  std::int64_t line = 1;
  std::string rule;
  std::string why;  // "nothing matches", "expired on 2026-01-31"
};

struct LintReport {
  std::vector<LintedFile> files;
  std::vector<UnusedWaiver> unused_waivers;
  std::int64_t waived = 0;  // diagnostics
  bool has_waivers = false;
  bool failed = false;  // a diagnostic that is not waived is as severe as the limit
};

class Linter {
 public:
  // `waivers` may be null. `ignored` are codes to leave out, and `fail_on` the least severity that fails.
  Linter(const Waivers* waivers, std::vector<std::string> ignored, Severity fail_on, std::string today);

  // Adds the findings of one prediction. Reads the module, to which prediction.facts must still point.
  void add(const std::string& file, const StepPrediction& prediction);

  // Returns the report. Also lists the waivers that were not used.
  LintReport take();

 private:
  const Waivers* waivers_;
  std::vector<std::string> ignored_;
  Severity fail_on_;
  std::string today_;
  std::vector<bool> is_used_;  // by rule
  LintReport report_;
};

std::string lint_text(const LintReport& report, const ViewOptions& options);

// A table for a pull request.
std::string lint_markdown(const LintReport& report);

// Schema "hloroof.lint/1"; SI units.
std::string lint_json(const LintReport& report);

// SARIF 2.1.0 (OASIS), with one run.
std::string lint_sarif(const LintReport& report);

// The fields of a report and of all records in it.
ResultTable lint_table();

}  // namespace hloroof::internal::inline lint

#endif  // HLOROOF_LIB_LINT_LINT_H_
