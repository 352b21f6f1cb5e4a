#include "lib/cli/cli.h"

#include <algorithm>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "hloroof/version.h"
#include "lib/base/sha256.h"
#include "lib/cli/command_help.h"
#include "lib/cli/context.h"

namespace hloroof::internal {
namespace {

// The version of the command and a hash of the device files. Two reports are comparable only if both agree.
std::string version_text() {
  std::string hashes;
  for (const std::string& name : device_names()) {
    const absl::StatusOr<Device> device = find_device(name);
    if (device.ok()) hashes += device->file_sha256;
  }
  return "hloroof " HLOROOF_VERSION_STRING ", device files " + sha256_hex(hashes).substr(0, 12);
}

// `top` is filled in place, because `completion` and `man` refer to it.
void describe_commands(Context& context, Command& top) {
  top.name = "hloroof";
  top.text = "Predicts the step time of an HLO program on a named device from its text.";
  top.options = {{.names = {"-V", "--version"}, .text = "Display program version information and exit"}};
  top.subcommands = {
      predict_command(context),   explain_command(context),         lint_command(context),    compare_command(context),
      diff_command(context),      sweep_command(context),           passes_command(context),  memory_command(context),
      kernel_command(context),    counts_command(context),          print_command(context),   devices_command(context),
      calibrate_command(context), completion_command(top, context), man_command(top, context)};
  complete_command(top);
}

std::string help_of(const Command& command, HelpExtent extent) {
  std::string footer(kExitCodes);
  footer.append("\n").append(kFileForms);
  const bool is_inner = std::count(command.path.begin(), command.path.end(), ' ') > 1;  // "hloroof devices show"
  return help_text(command, is_inner ? "" : footer, extent);
}

}  // namespace

int run_cli(const std::vector<std::string>& given, std::ostream& out, std::ostream& err, const Terminal& terminal) {
  Context context{out, err, terminal};
  Command top;
  describe_commands(context, top);
  std::vector<std::string> arguments = given;
  if (!arguments.empty() && arguments.front() == "help") {  // hloroof help predict
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  const absl::StatusOr<Invocation> invocation = parse_arguments(top, arguments);
  if (!invocation.ok()) {
    context.fail(invocation.status());
    return context.exit_code;
  }
  switch (invocation->kind) {
    case Invocation::Kind::kHelp: out << help_of(*invocation->command, HelpExtent::kCommon); break;
    case Invocation::Kind::kHelpAll: out << help_of(*invocation->command, HelpExtent::kAll); break;
    case Invocation::Kind::kVersion: out << version_text() << '\n'; break;
    case Invocation::Kind::kRun: invocation->command->run(); break;
  }
  return context.exit_code;
}

}  // namespace hloroof::internal
