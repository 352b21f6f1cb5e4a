// Modules written in tests.
#ifndef HLOROOF_TESTS_DUMP_H_
#define HLOROOF_TESTS_DUMP_H_

#include <string>
#include <string_view>
#include <utility>

#include "hloroof/parse.h"
#include "tests/catch.h"

namespace hloroof::internal {

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
