#include "tests/mlir/float_text.h"

#include <cstdint>
#include <string>

#include "tests/catch.h"

namespace hloroof::internal::mlir {
namespace {

struct Case {
  TypeKind kind;
  std::uint64_t bits;
  const char* text;
};

// As jaxlib's MLIR prints them.
constexpr Case kCases[] = {
    {TypeKind::kF32, 0x00000000, "0.000000e+00"},
    {TypeKind::kF32, 0x80000000, "-0.000000e+00"},
    {TypeKind::kF32, 0x3f800000, "1.000000e+00"},
    {TypeKind::kF32, 0x3dcccccd, "1.000000e-01"},
    {TypeKind::kF32, 0x7f7fffff, "3.40282347E+38"},
    {TypeKind::kF32, 0x3f3504f3, "0.707106769"},
    {TypeKind::kF32, 0x3fb8aa3b, "1.44269502"},
    {TypeKind::kF32, 0x00800000, "1.17549435E-38"},
    {TypeKind::kF32, 0x00000001, "1.401300e-45"},
    {TypeKind::kF32, 0x7f800000, "0x7F800000"},
    {TypeKind::kF32, 0x7fc00000, "0x7FC00000"},
    {TypeKind::kF64, 0x3fb999999999999a, "1.000000e-01"},
    {TypeKind::kF64, 0x3fd5555555555555, "0.33333333333333331"},
    {TypeKind::kBF16, 0x3dcd, "1.000980e-01"},
    {TypeKind::kBF16, 0x3b00, "1.953130e-03"},
    {TypeKind::kBF16, 0xff80, "0xFF80"},
    {TypeKind::kF16, 0x7bff, "6.550400e+04"},
    {TypeKind::kF8E4M3FN, 0x7e, "4.480000e+02"},
    {TypeKind::kF8E4M3FN, 0x7f, "0x7F"},
    {TypeKind::kF8E5M2, 0x7b, "5.734400e+04"},
    {TypeKind::kF8E4M3FNUZ, 0x80, "0x80"},
    {TypeKind::kF8E4M3FNUZ, 0x7f, "2.400000e+02"},
    {TypeKind::kF4E2M1FN, 0x7, "6.000000e+00"},
    {TypeKind::kF6E2M3FN, 0x1f, "7.500000e+00"},
    {TypeKind::kF6E3M2FN, 0x1f, "2.800000e+01"},
    {TypeKind::kF8E8M0FNU, 125, "2.500000e-01"},
    {TypeKind::kF8E3M4, 0x6f, "1.550000e+01"},
};

TEST_CASE("floats are printed as MLIR prints them") {
  for (const Case& c : kCases) {
    INFO(c.text);
    CHECK(float_text(c.kind, c.bits) == c.text);
  }
}

TEST_CASE("the value of a float") {
  CHECK(float_value(TypeKind::kBF16, 0xc000) == -2.0);
  CHECK(float_value(TypeKind::kF8E5M2, 0x01) == 0x1p-16);
  CHECK(float_value(TypeKind::kF8E8M0FNU, 0) == 0x1p-127);
  CHECK_FALSE(float_value(TypeKind::kF32, 0x7f800001).has_value());
  CHECK_FALSE(float_value(TypeKind::kIndex, 0).has_value());
}

}  // namespace
}  // namespace hloroof::internal::mlir
