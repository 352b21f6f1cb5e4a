// Which dimensions of its operands a product contracts and keeps, and how other instructions hand on dimensions.
#ifndef HLOROOF_LIB_ANALYSIS_PRODUCT_SIDES_H_
#define HLOROOF_LIB_ANALYSIS_PRODUCT_SIDES_H_

#include <cstdint>
#include <vector>

#include "hloroof/module.h"

namespace hloroof::internal::inline analysis {

using DimensionMask = std::uint64_t;  // bit i stands for dimension i of an array

// The mask of dimension `i`; empty if a mask does not reach that far.
constexpr DimensionMask dimension_bit(std::int64_t i) { return i >= 0 && i < 64 ? DimensionMask{1} << i : 0; }

// Whether an instruction is one product: a dot, a convolution, or a call of a GPU's matmul library.
bool is_product(InstructionView at);

// Where the dimensions of the result of a product come from.
struct Sides {
  DimensionMask kept[2] = {0, 0};          // of the result, from each side
  DimensionMask contracted[2] = {0, 0};    // of each side
  std::vector<std::int64_t> dimension[2];  // by dimension of the result: that of the side; -1 if it has none
  bool batched = false;
};

// The sides of an instruction for which is_product() holds. Empty if its attributes cannot be read.
Sides sides_of(InstructionView product);

// The dimensions of the operand that dimensions `mask` of the result come from, through an instruction that computes
// no product. `operand` has a shape of its own.
DimensionMask dimensions_through(InstructionView at, InstructionView operand, DimensionMask mask);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_PRODUCT_SIDES_H_
