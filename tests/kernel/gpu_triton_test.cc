#include "lib/kernel/gpu/gpu_triton.h"

#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/kernel/gpu_sample.h"

namespace hloroof::internal {
namespace {

double elements(const GpuKernelWork& work, Opcode opcode) {
  double total = 0;
  for (const GpuElementwise& e : work.elementwise) {
    if (e.opcode == opcode) total += e.elements;
  }
  return total;
}

struct Expected {
  const char* sample;
  GpuGrid grid;
  Opcode opcode;
  double elements;
  double loaded;
  double stored;
};

TEST_CASE("the work of a program on tiles is counted over the grid", "[gpu_triton]") {
  const Expected expected[] = {
      // Addresses of the second operand are all the same: one element of each.
      {"product", {2, 1, 1}, Opcode::kExponential, 2 * 64 * 32, 2 * 4 * (64 * 2 + 2), 2 * 64 * 32 * 4},
      // 1 + 2 + 3 + 4 + 5 trips for each of the three programs along x; all elements of the tile have one address.
      {"causal", {3, 5, 1}, Opcode::kExponential, 3 * 15, 3 * 15 * 4, 3 * 15 * 128 * 4},
      {"branches", {1, 1, 4}, Opcode::kTanh, 1, 4 * (4 + 4), (1 + 4 * 0.5) * 128 * 4},
      {"branches", {1, 1, 4}, Opcode::kSqrt, 2, 4 * (4 + 4), (1 + 4 * 0.5) * 128 * 4},
      {"doubling", {10, 1, 1}, Opcode::kExponential, 10 * 7, 10 * 4, 10 * 7 * 128 * 4},
      {"rows", {1, 1, 1}, Opcode::kRsqrt, 8, 8 * 128 * 4, 8 * 128 * 4},
      {"rows", {1, 1, 1}, Opcode::kMaximum, 8 * 128, 8 * 128 * 4, 8 * 128 * 4},
      {"rows", {1, 1, 1}, Opcode::kAdd, 8 * 128, 8 * 128 * 4, 8 * 128 * 4},
      {"rows", {1, 1, 1}, Opcode::kMultiply, 0, 8 * 128 * 4, 8 * 128 * 4},
      {"extended_sign", {2, 5, 1}, Opcode::kExponential, 2 * 1, 2 * 5 * 4, 2 * 128 * 4},
      {"unknown_function", {1, 1, 1}, Opcode::kExponential, 1, 4, 2 * 128 * 4},
  };
  for (const Expected& e : expected) {
    INFO(e.sample);
    TritonLaunch launch;
    launch.grid = e.grid;
    const GpuSample sample(e.sample);
    const absl::StatusOr<GpuKernelWork> work = triton_work(sample.kernel, launch);
    REQUIRE(work.ok());
    CHECK(work->programs == static_cast<double>(e.grid[0] * e.grid[1] * e.grid[2]));
    CHECK(elements(*work, e.opcode) == e.elements);
    CHECK(work->loaded_bytes == e.loaded);
    CHECK(work->stored_bytes == e.stored);
  }
}

TEST_CASE("products count with the trips of their loop", "[gpu_triton]") {
  TritonLaunch launch;
  launch.grid = {2, 3, 1};
  const GpuSample sample("product");
  const absl::StatusOr<GpuKernelWork> work = triton_work(sample.kernel, launch);
  REQUIRE(work.ok());
  REQUIRE(work->dots.size() == 1);
  const GpuDotWork& dot = work->dots[0];
  CHECK(dot.m == 64);
  CHECK(dot.n == 32);
  CHECK(dot.k == 16);
  CHECK(dot.runs == 2 * 3 * 4);
  CHECK(dot.lhs == ElementType::kBf16);
  CHECK(dot.flops() == 2.0 * 64 * 32 * 16 * 24);
  // The matrix unit adds to the result of the product.
  CHECK(elements(*work, Opcode::kAdd) == 0);
}

TEST_CASE("what cannot be counted is named", "[gpu_triton]") {
  struct Named {
    const char* sample;
    std::vector<std::string> unread;
    std::vector<std::string> data_dependent;
    bool has_loop;
  };
  const Named expected[] = {
      {"loaded_bound", {}, {"scf.for"}, true},
      {"branches", {}, {"scf.if"}, false},
      {"unknown_function", {"function __nv_j0f"}, {}, false},
      {"causal", {}, {}, false},
      {"open_size", {"tt.load", "tt.dot"}, {}, false},  // "product" with a changed byte, which the fuzzer found
  };
  for (const Named& e : expected) {
    INFO(e.sample);
    const GpuSample sample(e.sample);
    const absl::StatusOr<GpuKernelWork> work = triton_work(sample.kernel, {});
    REQUIRE(work.ok());
    CHECK(work->unread == e.unread);
    CHECK(work->data_dependent == e.data_dependent);
    CHECK(work->has_data_dependent_loop == e.has_loop);
  }
}

TEST_CASE("a large grid is sampled", "[gpu_triton]") {
  TritonLaunch launch;
  launch.grid = {1, 1 << 20, 1};
  const GpuSample sample("causal");
  const absl::StatusOr<GpuKernelWork> work = triton_work(sample.kernel, launch);
  REQUIRE(work.ok());
  CHECK(work->is_sampled);
  const double n = 1 << 20;
  CHECK(elements(*work, Opcode::kExponential) == Approx(n * (n + 1) / 2).epsilon(1e-3));
}

TEST_CASE("truncated and changed bodies give a status or work", "[gpu_triton]") {
  for (const char* name : {"product", "causal", "doubling", "branches", "rows"}) {
    const std::string bytes = gpu_sample_bytes(name);
    for (std::size_t at = 4; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x2A);
      for (const std::string& body : {bytes.substr(0, at), changed}) {
        const absl::StatusOr<mlir::Module> kernel = mlir::read_module(body);
        if (!kernel.ok()) continue;
        const absl::StatusOr<GpuKernelWork> work = triton_work(*kernel, {});
        if (work.ok()) CHECK(work->programs == 1);
      }
    }
  }
}

}  // namespace
}  // namespace hloroof::internal
