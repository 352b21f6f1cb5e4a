// The bodies in tests/kernel/samples, which make_gpu.py writes.
#ifndef HLOROOF_TESTS_KERNEL_GPU_SAMPLE_H_
#define HLOROOF_TESTS_KERNEL_GPU_SAMPLE_H_

#include <fstream>
#include <iterator>
#include <string>

#include "lib/mlir/module.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {

inline std::string gpu_sample_bytes(const std::string& name) {
  std::ifstream file(source_path("tests/kernel/samples/gpu_" + name + ".mlirbc"), std::ios::binary);
  INFO(name);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

// A module and the bytes that it refers to.
struct GpuSample {
  explicit GpuSample(const std::string& name) : bytes(gpu_sample_bytes(name)) {
    absl::StatusOr<mlir::Module> module = mlir::read_module(bytes);
    REQUIRE(module.ok());
    kernel = *std::move(module);
  }

  std::string bytes;
  mlir::Module kernel;
};

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_KERNEL_GPU_SAMPLE_H_
