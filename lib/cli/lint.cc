#include <CLI/CLI.hpp>
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

namespace hloroof::inline v0 {
namespace {

struct Flags {
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

// The codes with what each means.
void list_codes(Context& context) {
  for (const DiagnosisKind& kind : diagnosis_kinds()) {
    context.out << kind.code << "\n    " << wrap(kind.meaning, 80, 4) << '\n';
  }
}

absl::Status check_codes(const std::vector<std::string>& given) {
  const std::vector<std::string> known = argument_values("CODE");
  for (const std::string& code : given) {
    if (std::find(known.begin(), known.end(), code) != known.end()) continue;
    return invalid_argument("--ignore: no diagnosis has the code '" + code + "'; the nearest are " +
                            absl::StrJoin(nearest_names(code, known, 3), ", ") + ". `hloroof lint --codes` lists them");
  }
  return absl::OkStatus();
}

void run(const Flags& flags, Context& context) {
  if (flags.list_codes) return list_codes(context);
  if (flags.files.empty()) return context.fail(invalid_argument("FILE is required. `hloroof lint --help` has more"));
  if (absl::Status status = check_codes(flags.ignore); !status.ok()) return context.fail(status);
  const Severity gate = severity_of(flags.fail_on);
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  ViewOptions view;
  view.width = flags.wide ? 0 : 80;
  view.color = context.terminal.color;
  bool failed = false;
  const bool done =
      predict_all(*subjects, context, [&](const std::string& file, const Module&, StepPrediction prediction) {
        std::erase_if(prediction.diagnostics, [&](const Diagnostic& d) {
          return std::find(flags.ignore.begin(), flags.ignore.end(), d.code) != flags.ignore.end();
        });
        if (subjects->files.size() > 1) context.out << file << '\n';
        context.out << diagnostics_view(prediction, view);
        for (const Diagnostic& diagnostic : prediction.diagnostics) failed = failed || diagnostic.severity >= gate;
      });
  if (done && failed) context.exit_code = kExitGateFailed;
}

}  // namespace

void add_lint(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("lint", "The diagnostics alone; exits with 3 if there is one to act on");
  auto flags = std::make_shared<Flags>();
  add_files(*command, flags->files)->required(false);
  add_predict_flags(*command, flags->predict);
  add_choice(*command, "--fail-on", flags->fail_on, "error|warning|info", "Exit with 3 at this severity");
  add_list(*command, "--ignore", flags->ignore, "CODE,...", "Codes that do not count, e.g. unscheduled");
  command->add_flag("--codes", flags->list_codes, "List the codes with what each means, and do no more");
  add_wide(*command, flags->wide);
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
