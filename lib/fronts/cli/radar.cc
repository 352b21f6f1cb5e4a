// `radar` compiles with Python environments, so only the command of the Python package has it, in hloroof/radar. The
// C++ command describes it, which makes --help, the manual page and the completions those of both.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/strings.h"
#include "lib/fronts/cli/common_options.h"
#include "lib/fronts/cli/context.h"

namespace hloroof::internal::inline cli {
namespace {

struct RadarFlags {
  std::string config;
  std::vector<std::string> conditions;
  std::string format = "text";
  std::string output;
  std::string page;
  std::string cache;
  bool reinstall = false;
  std::size_t jobs = 0;
  bool quiet = false;
};

}  // namespace

Command radar_command(Context& context) {
  auto flags = std::make_shared<RadarFlags>();
  Command command{
      .name = "radar",
      .text =
          "Compiles programs with two versions of JAX and the compiler, predicts both, and says what became "
          "slower, needs more memory or gained collectives, and at which pass; only in the command of the "
          "Python package"};
  command.positionals = {{.names = {"CONFIG"},
                          .argument = "CONFIG",
                          .text = "TOML or JSON with programs, devices and environments",
                          .target = &flags->config,
                          .required = true,
                          .reads = Reads::kFile}};
  command.options = {{.names = {"--fail-on"},
                      .argument = "CONDITION",
                      .text = "Exit with 3 if it holds for a program, such as 'step > 5%'; may be repeated",
                      .target = &flags->conditions},
                     format_option(flags->format, "text|json|markdown"),
                     output_option(flags->output),
                     {.names = {"--html"}, .argument = "OUT", .text = "Also write a page", .target = &flags->page},
                     {.names = {"--cache"},
                      .argument = "FOLDER",
                      .text = "Keep environments and compiled programs here; default: radar in ~/.cache/hloroof",
                      .target = &flags->cache},
                     {.names = {"--reinstall"},
                      .text = "Install packages anew, of which the config may not state the versions",
                      .target = &flags->reinstall},
                     {.names = {"-j", "--jobs"},
                      .argument = "N",
                      .text = "Compiles at once; default: half the processors",
                      .target = &flags->jobs,
                      .least = 1},
                     {.names = {"-q", "--quiet"}, .text = "Write no progress to stderr", .target = &flags->quiet}};
  command.run = [flags, &context] {
    context.fail(invalid_argument(
        "radar compiles with Python environments: run `python -m hloroof radar`, which the Python package has"));
  };
  return command;
}

}  // namespace hloroof::internal::inline cli
