#include "lib/cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/str_join.h"
#include "hloroof/version.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"
#include "lib/cli/context.h"

namespace hloroof::inline v0 {

int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  Context context{out, err};
  CLI::App app("Predicts the step time of an HLO program on a named device from its text.", "hloroof");
  app.set_version_flag("--version", "hloroof " HLOROOF_VERSION_STRING);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 ok, 1 bad input, 2 incomplete under --strict, 3 a gate (--fail-if, lint) failed.\n"
      "FILE may be - (standard input), end in .gz, or be a dump folder.");
  add_predict(app, context);
  add_explain(app, context);
  add_lint(app, context);
  add_compare(app, context);
  add_diff(app, context);
  add_memory(app, context);
  add_counts(app, context);
  add_print(app, context);
  add_devices(app, context);
  add_calibrate(app, context);
  // CLI11 takes a misspelt subcommand for a missing one.
  if (!arguments.empty() && !arguments.front().empty() && arguments.front()[0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), arguments.front()) == names.end()) {
      context.fail(invalid_argument("no subcommand is called '" + arguments.front() + "'; the nearest are " +
                                    absl::StrJoin(nearest_names(arguments.front(), names, 3), ", ")));
      return context.exit_code;
    }
  }
  try {
    // CLI11 takes the arguments last first.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error, out, err);
    return code == 0 ? kExitOk : kExitBadInput;
  }
  return context.exit_code;
}

}  // namespace hloroof::inline v0
