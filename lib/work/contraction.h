// Converts dots and convolutions to the equivalent matrix product and counts its FLOPs.
#ifndef HLOROOF_LIB_WORK_CONTRACTION_H_
#define HLOROOF_LIB_WORK_CONTRACTION_H_

#include <cstdint>
#include <vector>

#include "hloroof/attributes.h"
#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline work {

// The part of a product that a dimension of an array belongs to. kWindow: positions that a window slides over.
enum class ProductPart : char { kM, kN, kK, kBatch, kWindow };

// The part of each spatial dimension of a convolution. The compiler writes every dot as a convolution, and the
// dimensions beyond the two that the dimension numbers name become spatial. Empty if the dimension numbers cannot be
// read.
std::vector<ProductPart> spatial_parts(InstructionView convolution);

// The matrix product that is equivalent to a dot, ragged-dot, scaled-dot or convolution. It has zero FLOPs for any
// other opcode, and if the dimension numbers do not fit the shapes.
MatrixWork matrix_work(InstructionView contraction);

// The same for a dot without an instruction, such as a library call whose configuration has the dimension numbers.
MatrixWork dot_work(const Shape& lhs, const Shape& rhs, const DotDimensions& dimensions);

// The same for a convolution.
MatrixWork convolution_work(const Shape& lhs, const Shape& rhs, const Shape& out, const Window& window,
                            const ConvolutionDimensionNumbers& numbers, std::int64_t feature_groups,
                            std::int64_t batch_groups);

// The products of operand parts that a product of two f32 operands takes. Each operand is split into two bf16 parts at
// kHigh and into three at kHighest; the smallest cross terms are omitted. Source: jax.lax.Precision, bfloat16_3x and
// bfloat16_6x.
inline constexpr int kPassesAtHigh = 3;
inline constexpr int kPassesAtHighest = 6;

// The number of products of operand parts that one product of `lhs` and `rhs` takes. `precision` is the result of
// operand_precision().
int passes(ElementType lhs, ElementType rhs, const std::vector<Precision>& precision);

// Sets the type as which `product` is multiplied and the number of passes. Both follow from the algorithm of a dot
// ("dot_bf16_bf16_f32_x3"; empty if it has none) and its precision. The operand types of `product` must already be set.
void set_passes(std::string_view algorithm, const std::vector<Precision>& precision, MatrixWork& product);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_CONTRACTION_H_
