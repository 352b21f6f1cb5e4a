#include "lib/lint/lint.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "lib/base/nearest.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/describe/table.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/fronts/cli/answer_command.h"
#include "lib/fronts/cli/command_help.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/lint/waivers.h"

namespace hloroof::internal::inline cli {
namespace {

struct LintFlags {
  std::vector<std::string> files;
  Request predict;
  std::string fail_on = "warning";
  std::vector<std::string> ignore;
  AnswerFlags answer;
  std::string waivers;
  bool list_codes = false;
};

Severity severity_of(const std::string& name) {
  if (name == "info") return Severity::kInfo;
  return name == "warning" ? Severity::kWarning : Severity::kError;
}

// Prints each code with its meaning.
void list_codes(Context& context) {
  for (const DiagnosisKind& kind : diagnosis_kinds()) {
    std::string text(kind.meaning);
    if (!kind.remedy.empty()) text += " " + std::string(kind.remedy);
    context.out << kind.name << "\n    " << wrap(text, 80, 4) << '\n';
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

// Reads the file of --waivers; nullopt without it.
absl::StatusOr<std::optional<Waivers>> read_waivers(const std::string& path, Context& context) {
  constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;
  if (path.empty()) return std::nullopt;
  if (absl::Status status = context.take_input(path); !status.ok()) return status;
  const auto source = SourceText::read(path, kMostBytes);
  if (!source.ok()) return source.status();
  absl::StatusOr<Waivers> waivers = parse_waivers((*source)->view(), path);
  if (!waivers.ok()) return waivers.status();
  return *std::move(waivers);
}

void run_lint(const LintFlags& flags, Context& context) {
  if (flags.list_codes) return list_codes(context);
  if (flags.files.empty())
    return context.fail(invalid_argument("FILE is required. `hloroof lint --help` lists the options"));
  if (absl::Status status = check_codes(flags.ignore); !status.ok()) return context.fail(status);
  const absl::StatusOr<std::optional<Waivers>> waivers = read_waivers(flags.waivers, context);
  if (!waivers.ok()) return context.fail(waivers.status());
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  Linter linter(*waivers ? &**waivers : nullptr, flags.ignore, severity_of(flags.fail_on), today_utc());
  const bool done =
      predict_all(*subjects, Detail::kAll, context,
                  [&](const std::string& file, const StepPrediction& prediction) { linter.add(file, prediction); });
  if (!done) return;
  const LintReport report = linter.take();
  if (!write_answer(LintedSteps{&report}, flags.answer, context)) return;
  if (report.failed && context.exit_code == kExitOk) context.exit_code = kExitGateFailed;
}

}  // namespace

Command lint_command(Context& context) {
  auto flags = std::make_shared<LintFlags>();
  Command command{.name = "lint",
                  .text = "Prints the diagnostics by cause; exits with 3 if one is as severe as --fail-on"};
  command.positionals = {files_argument(flags->files)};
  command.positionals.front().required = false;  // --codes needs none
  command.options = prediction_options(flags->predict);
  append(
      command.options,
      {answer_format_option(flags->answer, "lint", "sarif is for code hosts, markdown for pull requests"),
       output_option(flags->answer.output),
       {.names = {"--fail-on"},
        .argument = "error|warning|info",
        .text = "Exit with 3 if a diagnostic is at least this severe. Advice that can save less than 5 % of the step "
                "is info",
        .target = &flags->fail_on},
       {.names = {"--ignore"},
        .argument = "CODE,...",
        .text = "Codes to ignore, such as unscheduled",
        .target = &flags->ignore},
       {.names = {"--waivers"},
        .argument = "RULES",
        .text = "File of accepted diagnostics, one rule a line: CODE, a regular expression (RE2) that the op_name or "
                "source of every op must match, and after # the last day (until 2027-03-31) and a reason. Code alone "
                "is enough. Waived diagnostics are counted, but do not fail; unused rules are reported",
        .target = &flags->waivers,
        .reads = Reads::kFile},
       {.names = {"--codes"}, .text = "List the codes with their meaning and exit", .target = &flags->list_codes},
       jobs_option(flags->predict),
       wide_option(flags->answer.wide)});
  command.run = [flags, &context] { run_lint(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli
