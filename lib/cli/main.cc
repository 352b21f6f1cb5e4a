#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
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

// The width of the terminal that standard output is: COLUMNS if the user has set it, otherwise what the terminal says.
// Narrow terminals wrap the lines, because tables of numbers have no use for less room.
std::size_t terminal_width() {
  constexpr std::size_t kLeast = 60;
  constexpr std::size_t kMost = 1000;
  std::size_t width = 0;
  if (const char* text = std::getenv("COLUMNS"); text != nullptr) {
    const std::string_view columns(text);
    std::from_chars(columns.data(), columns.data() + columns.size(), width);
  }
  winsize size{};
  if (width == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  if (width == 0) return hloroof::internal::Terminal().width;
  return std::clamp(width, kLeast, kMost);
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  hloroof::internal::Terminal terminal;
  terminal.color = isatty(STDOUT_FILENO) != 0 && wants_color();
  if (isatty(STDOUT_FILENO) != 0) terminal.width = terminal_width();
  terminal.err_is_terminal = isatty(STDERR_FILENO) != 0;
  return hloroof::internal::run_cli(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr, terminal);
}
