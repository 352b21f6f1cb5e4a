// Checks what the vector units do for products and for divisions whose type the compiler widened.
#include "lib/time/vector_time.h"

#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/time/op_time.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

Device device(const std::string& name) { return find_device(name).value(); }

TEST_CASE("an operand that the matrix unit does not multiply is converted for each window that uses it") {
  struct Case {
    const char* device;
    ElementType lhs;
    ElementType rhs;
    double converted;
  };
  constexpr double kElements = 4096.0 * 4096;
  const Case cases[] = {
      {"tpu_v6e", ElementType::kF8e4m3fn, ElementType::kF8e4m3fn, 19 * kElements},
      {"tpu_v6e", ElementType::kBf16, ElementType::kF8e4m3fn, 3 * kElements},
      {"tpu_v6e", ElementType::kS8, ElementType::kS8, 0},
      {"tpu_v6e", ElementType::kBf16, ElementType::kBf16, 0},
      {"tpu_v7x", ElementType::kF8e4m3fn, ElementType::kF8e4m3fn, 0},
      {"tpu_v7x", ElementType::kF8e4m3fn, ElementType::kBf16, 16 * kElements},
      {"tpu_v7x", ElementType::kS8, ElementType::kS8, 19 * kElements},
      {"h100_sxm", ElementType::kBf16, ElementType::kF8e4m3fn, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.device, static_cast<int>(c.lhs), static_cast<int>(c.rhs));
    MatrixWork product;
    product.m = product.n = product.k = 4096;
    product.lhs = c.lhs;
    product.rhs = c.rhs;
    product.lhs_uses = 16;
    product.rhs_uses = 3;
    std::vector<VectorWork> conversions;
    add_conversions(product, device(c.device), conversions);
    double elements = 0;
    for (const VectorWork& part : conversions) elements += part.elements;
    CHECK(elements == c.converted);
    Work work;
    work.matrix = {product};
    CHECK((vector_time(work, device(c.device)).operation_seconds > 0) == (c.converted > 0));
  }
}

TEST_CASE("a division that the program states in bf16 takes no steps of Newton") {
  const VectorWork plain = {Opcode::kDivide, ElementType::kF32, 1e6, false, ElementType::kInvalid};
  VectorWork narrow = plain;
  narrow.to = ElementType::kBf16;
  for (const char* name : {"tpu_v3", "tpu_v5e", "tpu_v5p"}) {
    CAPTURE(name);
    const VectorTime<double> with = vector_time(std::vector<VectorWork>{plain}, device(name));
    const VectorTime<double> without = vector_time(std::vector<VectorWork>{narrow}, device(name));
    CHECK(without.operation_seconds * 10 < with.operation_seconds);
    CHECK(without.result_seconds == with.result_seconds);
  }
  // A GPU has no such cost of its own.
  const VectorTime<double> gpu = vector_time(std::vector<VectorWork>{plain}, device("h100_sxm"));
  CHECK(vector_time(std::vector<VectorWork>{narrow}, device("h100_sxm")).operation_seconds == gpu.operation_seconds);
}

TEST_CASE("additions to one sum wait for one another") {
  const auto seconds = [](const char* name, const ReductionWindows& windows) {
    Work work;
    work.vector = {{Opcode::kAdd, ElementType::kF32, windows.windows * windows.registers * 1024},
                   {Opcode::kReduce, ElementType::kF32, windows.windows * windows.registers * 1024}};
    work.reduction = windows;
    return vector_time(work, device(name)).seconds();
  };
  const auto cycles = [&](const char* name, const ReductionWindows& windows) {
    return seconds(name, windows) * *device(name).clock / windows.windows;
  };
  // The bundles of a window of 128 registers, as reductions.py prints them for a register, to a fifth.
  CHECK(cycles("tpu_v5e", {64, 128, 1, false, 0, 0}) == Approx(128 * 2.25).epsilon(0.2));
  CHECK(cycles("tpu_v5e", {64, 128, 2, false, 0, 0}) == Approx(128 * 1.27).epsilon(0.2));
  CHECK(cycles("tpu_v5e", {64, 128, 4, false, 0, 0}) == Approx(128 * 0.9).epsilon(0.2));
  CHECK(cycles("tpu_v5e", {64, 128, 16, true, 64, 0}) == Approx(128 * 2.64).epsilon(0.2));
  CHECK(cycles("tpu_v6e", {64, 128, 16, true, 64, 0}) == Approx(128 * 1.84).epsilon(0.2));
  CHECK(cycles("tpu_v7x", {8, 1024, 1, false, 0, 0}) == Approx(1024 * 2.07).epsilon(0.2));
  // Without a fusion around it, 7x adds a register with little more than the addition.
  CHECK(cycles("tpu_v7x", {8, 1024, 16, false, 0, 0, true}) == Approx(1024 * 0.31).epsilon(0.2));
  CHECK(cycles("tpu_v7x", {8, 1024, 16, false, 0, 0}) == Approx(1024 * 0.46).epsilon(0.2));
  // More sums are never slower.
  double before = 1;
  for (const double sums : {1, 2, 4, 8, 16, 64}) {
    const double now = seconds("tpu_v6e", {64, 128, sums, false, 0, 0});
    CHECK(now <= before);
    before = now;
  }
}

}  // namespace
}  // namespace hloroof::internal
