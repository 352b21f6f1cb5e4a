// Files of the tests of MLIR bytecode.
#ifndef HLOROOF_TESTS_MLIR_READ_FILE_H_
#define HLOROOF_TESTS_MLIR_READ_FILE_H_

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "lib/mlir/attributes.h"
#include "lib/mlir/module.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal::mlir {

constexpr const char* kSamples[] = {"flash_attention_backward.mlir24", "forms.version0", "forms.version6", "gmm.mlir23",
                                    "splash_attention.mlir21"};

inline std::string sample(const std::string& name) {
  std::ifstream file(source_path("tests/mlir/samples/" + name + ".mlirbc"), std::ios::binary);
  INFO(name);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

// What jaxlib's MLIR counts in a sample.
struct Counts {
  const char* name;
  std::size_t ops, regions, blocks, values;
};

// Checks that `module` has as much, and that all its attributes and types decode.
inline void check_whole(const Module& module, const Counts& expected) {
  CHECK(module.ops.size() == expected.ops);
  CHECK(module.regions.size() == expected.regions);
  CHECK(module.blocks.size() == expected.blocks + 1);  // and the top-level block
  CHECK(module.values.size() == expected.values);
  for (std::uint32_t i = 0; i < module.attributes.size(); ++i) CHECK(decode(module, AttributeId{i}).ok());
  for (std::uint32_t i = 0; i < module.types.size(); ++i) CHECK(decode(module, TypeId{i}).ok());
}

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_TESTS_MLIR_READ_FILE_H_
