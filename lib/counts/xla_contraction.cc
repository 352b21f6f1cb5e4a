// Counts for dot, ragged-dot, scaled-dot and convolution: two flops for each multiply-add.
#include <algorithm>
#include <optional>
#include <vector>

#include "hloroof/attributes.h"
#include "lib/analysis/saturating.h"
#include "lib/analysis/valid_positions.h"
#include "lib/counts/xla_counts.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline counts {
namespace {

// The size of dimension `i`; nullopt if there is no such dimension.
std::optional<std::int64_t> dimension(const Shape& shape, std::int64_t i) {
  if (i < 0 || i >= shape.rank()) return std::nullopt;
  return shape.dimensions[static_cast<std::size_t>(i)];
}

// The flops of a dot: 2 * elements of the result * the sizes of the left side's contracting dimensions.
std::optional<std::int64_t> dot_flops(InstructionView dot, std::int64_t result_elements) {
  std::int64_t flops = saturating_multiply(kFmaFlops, result_elements);
  if (dot.operand_count() == 0) return std::nullopt;
  const Shape& lhs = dot.operand(0).shape();
  for (std::int64_t i : dot_dimensions(dot).lhs_contracting) {
    const std::optional<std::int64_t> size = dimension(lhs, i);
    if (!size) return std::nullopt;
    flops = saturating_multiply(flops, *size);
  }
  return flops;
}

// The result's elements as XLA's rule for ragged-dot counts them: for the i-th group dimension of the right side,
// dimension i of the result is removed. In [m,k] x [g,k,n] -> [m,n] this removes m. The count is therefore 2*n*k and
// not the 2*m*n*k that the hardware does. This function follows XLA.
std::int64_t ragged_result_elements(InstructionView dot) {
  std::vector<std::int64_t> dimensions = dot.shape().dimensions;
  const std::size_t groups = dot_dimensions(dot).rhs_group.size();
  for (std::size_t i = 0; i < groups && i < dimensions.size(); ++i) {
    dimensions.erase(dimensions.begin() + static_cast<std::ptrdiff_t>(i));
  }
  std::int64_t elements = 1;
  for (std::int64_t d : dimensions) elements = saturating_multiply(elements, std::max<std::int64_t>(d, 0));
  return elements;
}

// The flops of a convolution: 2 * Cin / feature groups * Cout * batch / batch groups * the valid positions of every
// spatial dimension.
std::optional<std::int64_t> convolution_flops(InstructionView convolution) {
  const std::optional<ConvolutionDimensionNumbers> labels = convolution_dimension_numbers(convolution);
  if (!labels || convolution.operand_count() < 2) return std::nullopt;
  const Shape& lhs = convolution.operand(0).shape();
  const Shape& rhs = convolution.operand(1).shape();
  const Shape& result = convolution.shape();
  const std::optional<std::int64_t> input_feature = dimension(lhs, labels->lhs_feature);
  const std::optional<std::int64_t> batch = dimension(lhs, labels->lhs_batch);
  const std::optional<std::int64_t> output_feature = dimension(result, labels->output_feature);
  const std::int64_t feature_groups = integer_or(convolution, AttributeKey::kFeatureGroupCount, 1);
  const std::int64_t batch_groups = integer_or(convolution, AttributeKey::kBatchGroupCount, 1);
  if (!input_feature || !batch || !output_feature || feature_groups < 1 || batch_groups < 1) return std::nullopt;

  std::int64_t flops = saturating_multiply(kFmaFlops, *input_feature / feature_groups);
  flops = saturating_multiply(flops, *output_feature);
  flops = saturating_multiply(flops, *batch / batch_groups);

  const std::optional<Window> spatial = window(convolution);
  if (!spatial) return labels->lhs_spatial.empty() ? std::optional(flops) : std::nullopt;
  const std::size_t rank = spatial->dimensions.size();
  if (labels->lhs_spatial.size() != rank || labels->rhs_spatial.size() != rank ||
      labels->output_spatial.size() != rank) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < rank; ++i) {
    const std::optional<std::int64_t> kernel = dimension(rhs, labels->rhs_spatial[i]);
    const std::optional<std::int64_t> output = dimension(result, labels->output_spatial[i]);
    const std::optional<std::int64_t> input = dimension(lhs, labels->lhs_spatial[i]);
    if (!kernel || !output || !input) return std::nullopt;
    const std::optional<std::int64_t> valid = valid_positions(*kernel, *output, *input, spatial->dimensions[i]);
    if (!valid) return std::nullopt;
    flops = saturating_multiply(flops, *valid);
  }
  return flops;
}

}  // namespace

void count_contraction(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  std::optional<std::int64_t> flops;
  switch (instruction.opcode()) {
    case Opcode::kConvolution: flops = convolution_flops(instruction); break;
    case Opcode::kRaggedDot: flops = dot_flops(instruction, ragged_result_elements(instruction)); break;
    default: flops = dot_flops(instruction, context.elements(instruction)); break;  // dot, scaled-dot
  }
  row.known = flops.has_value();
  row.flops = context.number(flops.value_or(0));
}

}  // namespace hloroof::internal::inline counts
