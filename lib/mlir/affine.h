// Affine maps and integer sets: lists of expressions over dimensions and symbols.
#ifndef HLOROOF_LIB_MLIR_AFFINE_H_
#define HLOROOF_LIB_MLIR_AFFINE_H_

#include <cstdint>
#include <vector>

#include "lib/mlir/bytes.h"

namespace hloroof::internal::mlir {

struct AffineTerm {
  enum class Kind : std::uint8_t {
    kDimension = 0,
    kSymbol = 1,
    kConstant = 2,
    kAdd = 3,
    kMultiply = 4,
    kModulo = 5,
    kFloorDivide = 6,
    kCeilDivide = 7,
  };

  Kind kind = Kind::kConstant;
  std::int64_t value = 0;  // the number of a dimension or symbol, or the constant
};

struct AffineMap {
  std::uint32_t dimensions = 0;
  std::uint32_t symbols = 0;
  std::uint32_t results = 0;
  std::vector<AffineTerm> terms;  // all results one after the other, operators before their two operands
  std::vector<bool> is_equality;  // of an integer set: whether a result must be 0 or at least 0
};

AffineMap read_affine_map(ByteCursor& cursor);
AffineMap read_integer_set(ByteCursor& cursor);

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_LIB_MLIR_AFFINE_H_
