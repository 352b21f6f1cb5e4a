// Work of single instructions, for tests.
#ifndef HLOROOF_TESTS_WORK_ROOT_WORK_H_
#define HLOROOF_TESTS_WORK_ROOT_WORK_H_

#include <string>

#include "hloroof/device.h"
#include "lib/work/work.h"
#include "tests/dump.h"

namespace hloroof::internal {

// Of the root of a module whose entry is `parameters`, lines, and then `root`.
inline Work root_work(const std::string& parameters, const std::string& root, const std::string& computations = "",
                      const WorkOptions& options = {}) {
  const Module module =
      parsed("HloModule m\n" + computations + "ENTRY main {\n" + parameters + "  ROOT " + root + "\n}\n");
  return compute_work(module.entry().root(), options);
}

inline double vector_elements(const Work& work, Opcode opcode) {
  double sum = 0;
  for (const VectorWork& v : work.vector) sum += v.opcode == opcode ? v.elements : 0;
  return sum;
}

inline Device device(const char* name) {
  absl::StatusOr<Device> found = find_device(name);
  REQUIRE(found.ok());
  return *std::move(found);
}

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_WORK_ROOT_WORK_H_
