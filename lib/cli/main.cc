#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "lib/cli/cli.h"

namespace {

// https://no-color.org: any value but an empty one.
bool wants_color() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  hloroof::internal::Terminal terminal;
  terminal.color = isatty(STDOUT_FILENO) != 0 && wants_color();
  terminal.err_is_terminal = isatty(STDERR_FILENO) != 0;
  return hloroof::internal::run_cli(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr, terminal);
}
