#include <algorithm>
#include <memory>

#include "absl/strings/str_join.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"
#include "lib/cli/command_help.h"
#include "lib/cli/subjects.h"
#include "lib/predict/diagnostics.h"
#include "lib/report/table.h"
#include "lib/report/views.h"

namespace hloroof::internal {
namespace {

struct LintFlags {
  std::vector<std::string> files;
  PredictFlags predict;
  std::string fail_on = "warning";
  std::vector<std::string> ignore;
  bool list_codes = false;
  bool wide = false;
};

Severity severity_of(const std::string& name) {
  if (name == "info") return Severity::kInfo;
  return name == "warning" ? Severity::kWarning : Severity::kError;
}

// Prints each code with its meaning.
void list_codes(Context& context) {
  for (const DiagnosisKind& kind : diagnosis_kinds()) {
    context.out << kind.name << "\n    " << wrap(kind.meaning, 80, 4) << '\n';
  }
}

absl::Status check_codes(const std::vector<std::string>& given) {
  const std::vector<std::string> known = argument_values("CODE");
  for (const std::string& code : given) {
    if (std::find(known.begin(), known.end(), code) != known.end()) continue;
    return invalid_argument("--ignore: unknown code '" + code + "'; the nearest are " +
                            absl::StrJoin(nearest_names(code, known, 3), ", ") + ". `hloroof lint --codes` lists them");
  }
  return absl::OkStatus();
}

void run_lint(const LintFlags& flags, Context& context) {
  if (flags.list_codes) return list_codes(context);
  if (flags.files.empty())
    return context.fail(invalid_argument("FILE is required. `hloroof lint --help` lists the options"));
  if (absl::Status status = check_codes(flags.ignore); !status.ok()) return context.fail(status);
  const Severity gate = severity_of(flags.fail_on);
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  ViewOptions view;
  view.width = flags.wide ? 0 : 80;
  view.color = context.terminal.color;
  bool failed = false;
  const bool done = predict_all(*subjects, context, [&](const std::string& file, StepPrediction prediction) {
    std::erase_if(prediction.diagnostics, [&](const Diagnostic& d) {
      return std::find(flags.ignore.begin(), flags.ignore.end(), to_string(d.code)) != flags.ignore.end();
    });
    if (subjects->files.size() > 1) context.out << file << '\n';
    context.out << diagnostics_view(prediction, view);
    for (const Diagnostic& diagnostic : prediction.diagnostics) failed = failed || diagnostic.severity >= gate;
  });
  if (done && failed) context.exit_code = kExitGateFailed;
}

}  // namespace

Command lint_command(Context& context) {
  auto flags = std::make_shared<LintFlags>();
  Command command{.name = "lint", .text = "Prints the diagnostics; exits with 3 if one is as severe as --fail-on"};
  command.positionals = {files_argument(flags->files)};
  command.positionals.front().required = false;  // --codes needs none
  command.options = prediction_options(flags->predict);
  append(command.options,
         {{.names = {"--fail-on"},
           .argument = "error|warning|info",
           .text = "Exit with 3 if a diagnostic is at least this severe",
           .target = &flags->fail_on},
          {.names = {"--ignore"},
           .argument = "CODE,...",
           .text = "Codes to ignore, such as unscheduled",
           .target = &flags->ignore},
          {.names = {"--codes"}, .text = "List the codes with their meaning and exit", .target = &flags->list_codes},
          wide_option(flags->wide)});
  command.run = [flags, &context] { run_lint(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
