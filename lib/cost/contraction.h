// Dots and convolutions: their FLOPs and the matrix product they are.
#ifndef HLOROOF_LIB_COST_CONTRACTION_H_
#define HLOROOF_LIB_COST_CONTRACTION_H_

#include <cstdint>
#include <vector>

#include "hloroof/attribute_values.h"
#include "hloroof/cost.h"
#include "hloroof/module.h"

namespace hloroof::inline v0 {

// The product that a dot, ragged-dot, scaled-dot or convolution is. Anything else, and dimension numbers that do not
// fit the shapes, give a product of no FLOPs.
MatrixWork matrix_work(InstructionView contraction);

// The same for a dot that is not an instruction of its own, such as a library call with dimension numbers in its
// configuration.
MatrixWork dot_work(const Shape& lhs, const Shape& rhs, const DotDimensions& dimensions);

// The same for a convolution; `precision` as operand_precision gives it.
MatrixWork convolution_work(const Shape& lhs, const Shape& rhs, const Shape& out, const Window& window,
                            const ConvolutionDimensionNumbers& numbers, std::int64_t feature_groups,
                            std::int64_t batch_groups);

// Products of operand parts that one product of `lhs` and `rhs` takes: f32 at kHigh is split into two bf16 parts, at
// kHighest into three, and the smallest cross terms are left out.
int passes(ElementType lhs, ElementType rhs, const std::vector<Precision>& precision);

// Sets what `product` is multiplied as, and in how many passes, from a dot's algorithm ("dot_bf16_bf16_f32_x3", empty
// for none) and precision. `product` has its operands' types.
void set_passes(std::string_view algorithm, const std::vector<Precision>& precision, MatrixWork& product);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_CONTRACTION_H_
