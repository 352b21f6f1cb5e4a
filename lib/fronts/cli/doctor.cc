// `doctor` looks at a Python environment, so only the command of the Python package has it. The C++ command describes
// it, which makes --help, the manual page and the completions those of both.
#include <memory>
#include <string>

#include "lib/base/strings.h"
#include "lib/fronts/cli/common_options.h"
#include "lib/fronts/cli/context.h"

namespace hloroof::internal::inline cli {

Command doctor_command(Context& context) {
  auto format = std::make_shared<std::string>("text");
  Command command{.name = "doctor",
                  .text =
                      "Lists the versions and the Python packages that are here, and what is missing for what; only in "
                      "the command of the Python package"};
  command.options = {format_option(*format, "text|json")};
  command.run = [format, &context] {
    context.fail(invalid_argument(
        "doctor looks at a Python environment: run `python -m hloroof doctor`, which the Python package has"));
  };
  return command;
}

}  // namespace hloroof::internal::inline cli
