#include "lib/fronts/cli/cli.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloroof/version.h"
#include "lib/base/strings.h"
#include "lib/fronts/cli/command_help.h"
#include "lib/fronts/cli/context.h"
#include "lib/hardware/registry.h"

namespace hloroof::internal::inline cli {

std::string version_text() {
  return "hloroof " HLOROOF_VERSION_STRING ", device files " + std::string(embedded_hardware_sha256().substr(0, 12));
}

namespace {

// What to do first, for somebody who typed the name of the command. The first two need no file.
constexpr std::string_view kFirstSteps =
    "which command? Three to begin with:\n"
    "  hloroof devices list                        the devices\n"
    "  echo 'y = f32[4096,4096] exponential(f32[4096,4096] x)' | hloroof predict - --device tpu_v5e\n"
    "                                              one op: how long it takes, and why\n"
    "  hloroof predict step.hlo --device tpu_v5e   a program: where the step goes, and why\n"
    "step.hlo is the text of a compiled program: jax.jit(f).lower(...).compile().as_text(). `hloroof --help` lists all "
    "commands";

// Whether a command reads modules.
bool limits_modules(std::string_view name) {
  constexpr std::string_view kOthers[] = {"devices", "lsp", "calibrate", "doctor", "radar", "completion", "man"};
  return std::find(std::begin(kOthers), std::end(kOthers), name) == std::end(kOthers);
}

Option max_bytes_option(Context& context) {
  return {.names = {"--max-bytes"},
          .argument = "N",
          .text = "Refuse modules of more than N bytes of text, after decompression; default: 1 GiB, at most 4 GiB",
          .target = &context.max_bytes,
          .least = 1,
          .rare = true};
}

}  // namespace

void describe_commands(Context& context, Command& top) {
  top.name = "hloroof";
  top.text = "Predicts the step time of an HLO program on a named device from its text.";
  top.options = {{.names = {"-V", "--version"}, .text = "Display program version information and exit"}};
  const auto add = [&top](Command command) { top.subcommands.push_back(std::move(command)); };
  add(predict_command(context));
  add(explain_command(context));
  add(lint_command(context));
  add(compare_command(context));
  add(diff_command(context));
  add(sweep_command(context));
  add(passes_command(context));
  add(reschedule_command(context));
  add(scale_command(context));
  add(memory_command(context));
  add(kernel_command(context));
  add(bundles_command(context));
  add(counts_command(context));
  add(print_command(context));
  add(devices_command(context));
  add(calibrate_command(context));
  add(lsp_command(context));
  add(mcp_command(context));
  add(doctor_command(context));
  add(radar_command(context));
  add(completion_command(top, context));
  add(man_command(top, context));
  for (Command& command : top.subcommands) {
    if (limits_modules(command.name)) command.options.push_back(max_bytes_option(context));
  }
  complete_command(top);
}

namespace {

std::string help_of(const Command& command, HelpExtent extent) {
  std::string footer(kExitCodes);
  footer.append("\n").append(kFileForms);
  const bool is_inner = std::count(command.path.begin(), command.path.end(), ' ') > 1;  // "hloroof devices show"
  return help_text(command, is_inner ? "" : footer, extent);
}

}  // namespace

namespace {

void run(const std::vector<std::string>& given, Context& context) {
  if (given.empty()) return context.fail(invalid_argument(kFirstSteps));
  Command top;
  describe_commands(context, top);
  std::vector<std::string> arguments = given;
  if (!arguments.empty() && arguments.front() == "help") {  // hloroof help predict
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  const absl::StatusOr<Invocation> invocation = parse_arguments(top, arguments);
  if (!invocation.ok()) return context.fail(invocation.status());
  switch (invocation->kind) {
    case Invocation::Kind::kHelp: context.out << help_of(*invocation->command, HelpExtent::kCommon); break;
    case Invocation::Kind::kHelpAll: context.out << help_of(*invocation->command, HelpExtent::kAll); break;
    case Invocation::Kind::kVersion: context.out << version_text() << '\n'; break;
    case Invocation::Kind::kRun: invocation->command->run(); break;
  }
}

}  // namespace

int run_cli(const std::vector<std::string>& given, std::ostream& out, std::ostream& err, const Terminal& terminal) {
  Context context{out, err, terminal};
  try {
    run(given, context);
  } catch (const std::bad_alloc&) {
    context.exit_code = kExitOk;
    context.fail(absl::ResourceExhaustedError(
        "out of memory. Read one file at a time, or lower --max-bytes to refuse large ones"));
  }
  // The one place that knows whether all results reached standard output.
  if (out.flush(); !out) {
    context.exit_code = kExitOk;
    context.fail(absl::DataLossError("cannot write the result to standard output; is the disk full?"));
  }
  return context.exit_code;
}

}  // namespace hloroof::internal::inline cli
