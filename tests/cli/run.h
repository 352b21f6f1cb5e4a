// Running the command in the test's process, and files for it to read.
#ifndef HLOROOF_TESTS_CLI_RUN_H_
#define HLOROOF_TESTS_CLI_RUN_H_

#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/json.h"
#include "lib/describe/table.h"
#include "lib/fronts/cli/cli.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace hloroof::internal {

struct CliResult {
  int code = 0;
  std::string out;
  std::string err;
};

inline CliResult run_hloroof(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  CliResult result;
  result.code = run_cli(arguments, out, err);
  result.out = out.str();
  result.err = err.str();
  return result;
}

// The JSON that a command prints.
inline OrderedJson json_of(const std::vector<std::string>& arguments) {
  const CliResult result = run_hloroof(arguments);
  CAPTURE(arguments, result.err);
  REQUIRE(result.code == kExitOk);
  auto json = parse_json(result.out, "out");
  REQUIRE(json.ok());
  return *std::move(json);
}

// The longest line of `text`, in bytes.
inline std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_CLI_RUN_H_
