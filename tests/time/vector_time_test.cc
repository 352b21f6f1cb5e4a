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

}  // namespace
}  // namespace hloroof::internal
