// Runs other programs.
#ifndef HLOROOF_TESTS_SHELL_H_
#define HLOROOF_TESTS_SHELL_H_

#include <array>
#include <cstdio>
#include <string>

#include "tests/catch.h"

namespace hloroof::internal {

// The standard output of a shell command.
inline std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  std::array<char, 4096> part;
  for (std::size_t n; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) output.append(part.data(), n);
  pclose(pipe);
  return output;
}

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_SHELL_H_
