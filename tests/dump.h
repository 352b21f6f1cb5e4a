// Modules written in tests and in files next to them.
#ifndef HLOROOF_TESTS_DUMP_H_
#define HLOROOF_TESTS_DUMP_H_

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "hloroof/parse.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {

// The text of a file of this repository, given relative to its top folder.
inline std::string source_text(std::string_view relative) {
  std::ifstream file(source_path(relative), std::ios::binary);
  INFO(relative);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

inline Module parsed(std::string_view text) {
  absl::StatusOr<Module> module = parse_module(text);
  INFO(text);
  INFO(module.status().message());
  REQUIRE(module.ok());
  return *std::move(module);
}

// The instruction `name` in any computation.
inline InstructionId named(const Module& module, std::string_view name) {
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.name() == name) return instruction.id();
    }
  }
  FAIL("no instruction " << name);
  return {};
}

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_DUMP_H_
