// Compares an output with a file in the source tree.
//
//   check_golden("tests/report/golden/summary.txt", text);
//
// With HLOROOF_UPDATE_GOLDEN=1 in the environment, rewrites the file instead; review the diff.
#ifndef HLOROOF_TESTS_GOLDEN_H_
#define HLOROOF_TESTS_GOLDEN_H_

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/catch.h"

namespace hloroof::internal {

// `path` is relative to the top folder, which tests run in.
inline void check_golden(const std::string& path, const std::string& actual) {
  if (std::getenv("HLOROOF_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << actual;
  }
  std::ifstream file(path, std::ios::binary);
  INFO(path << " (HLOROOF_UPDATE_GOLDEN=1 rewrites it)");
  REQUIRE(file.good());
  CHECK(actual == std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_GOLDEN_H_
