// Files of the tests of MLIR bytecode.
#ifndef HLOROOF_TESTS_MLIR_READ_FILE_H_
#define HLOROOF_TESTS_MLIR_READ_FILE_H_

#include <fstream>
#include <iterator>
#include <string>

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

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_TESTS_MLIR_READ_FILE_H_
