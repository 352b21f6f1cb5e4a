// Sources: HloCostAnalysis in openxla/xla xla/service/hlo_cost_analysis.cc, 2026-08-22, for what counts as a FLOP of a
// convolution.
#include "lib/cost/contraction.h"

#include <algorithm>
#include <string>

#include "lib/cost/valid_positions.h"

namespace hloroof::inline v0 {
namespace {

double dimension(const Shape& shape, std::int64_t i) {
  if (i < 0 || i >= shape.rank()) return 1;
  return static_cast<double>(std::max<std::int64_t>(shape.dimensions[i], 0));
}

bool holds(const std::vector<std::int64_t>& list, std::int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

double product_over(const Shape& shape, const std::vector<std::int64_t>& dimensions) {
  double product = 1;
  for (std::int64_t d : dimensions) product *= dimension(shape, d);
  return product;
}

// The product of the dimensions that are neither contracted nor batch.
double free_product(const Shape& shape, const std::vector<std::int64_t>& contracting,
                    const std::vector<std::int64_t>& batch) {
  double product = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    if (!holds(contracting, d) && !holds(batch, d)) product *= dimension(shape, d);
  }
  return product;
}

// Passes of dot algorithms that name theirs: dot_bf16_bf16_f32_x3.
int passes_of_algorithm(std::string_view algorithm) {
  if (algorithm.size() < 3 || algorithm[algorithm.size() - 2] != 'x') return 0;
  const char last = algorithm.back();
  return last == '3' || last == '6' || last == '9' ? last - '0' : 0;
}

MultipliedAs multiplied_as(std::string_view algorithm) {
  const auto starts = [algorithm](std::string_view with) { return algorithm.substr(0, with.size()) == with; };
  if (starts("dot_bf16_bf16")) return MultipliedAs::kBf16;
  if (starts("dot_f16_f16")) return MultipliedAs::kF16;
  if (starts("dot_tf32")) return MultipliedAs::kTf32;
  if (starts("dot_f32_f32")) return MultipliedAs::kF32;
  return MultipliedAs::kUnset;
}

}  // namespace

void set_passes(std::string_view algorithm, const std::vector<Precision>& precision, MatrixWork& product) {
  product.multiplied_as = multiplied_as(algorithm);
  product.passes = passes_of_algorithm(algorithm);
  if (product.passes == 0) product.passes = passes(product.lhs, product.rhs, precision);
}

int passes(ElementType lhs, ElementType rhs, const std::vector<Precision>& precision) {
  Precision highest = Precision::kDefault;
  for (Precision p : precision) highest = std::max(highest, p);
  const auto is_wide = [](ElementType type) { return type == ElementType::kF32 || type == ElementType::kC64; };
  const int wide = (is_wide(lhs) ? 1 : 0) + (is_wide(rhs) ? 1 : 0);
  const int complex = is_complex(lhs) || is_complex(rhs) ? 4 : 1;  // four real products
  if (wide == 0 || highest == Precision::kDefault) return complex;
  if (highest == Precision::kHigh) return complex * (wide == 2 ? 3 : 2);
  return complex * (wide == 2 ? 6 : 3);
}

MatrixWork dot_work(const Shape& lhs, const Shape& rhs, const DotDimensions& d) {
  MatrixWork work;
  work.m = free_product(lhs, d.lhs_contracting, d.lhs_batch);
  // [m,k] x [g,k,n]: the rows are shared out over the groups, each row meets one group's weights.
  const double groups = std::max(product_over(rhs, d.rhs_group), 1.0);
  work.n = free_product(rhs, d.rhs_contracting, d.rhs_batch) / groups;
  work.k = product_over(lhs, d.lhs_contracting);
  work.batch = product_over(lhs, d.lhs_batch);
  work.lhs = lhs.element_type;
  work.rhs = rhs.element_type;
  work.flops = 2 * work.m * work.n * work.k * work.batch;
  return work;
}

MatrixWork convolution_work(const Shape& lhs, const Shape& rhs, const Shape& out, const Window& window,
                            const ConvolutionDimensionNumbers& numbers, std::int64_t feature_groups,
                            std::int64_t batch_groups) {
  MatrixWork work;
  work.lhs = lhs.element_type;
  work.rhs = rhs.element_type;
  work.out = out.element_type;
  const double features = static_cast<double>(std::max<std::int64_t>(feature_groups, 1));
  const double batches = static_cast<double>(std::max<std::int64_t>(batch_groups, 1));
  work.m = dimension(lhs, numbers.lhs_batch) / batches;
  work.k = dimension(lhs, numbers.lhs_feature) / features;
  work.n = dimension(out, numbers.output_feature) / (features * batches);
  work.batch = features * batches;
  double positions = 1;
  for (std::size_t i = 0; i < numbers.lhs_spatial.size(); ++i) {
    const auto input = static_cast<std::int64_t>(dimension(lhs, numbers.lhs_spatial[i]));
    const auto output =
        static_cast<std::int64_t>(i < numbers.output_spatial.size() ? dimension(out, numbers.output_spatial[i]) : 1);
    WindowDimension w;
    if (i < window.dimensions.size()) w = window.dimensions[i];
    const auto counted = valid_positions(w.size, output, input, w);
    const double valid = counted ? static_cast<double>(*counted) : static_cast<double>(output);
    positions *= valid;
    // What the dimension is to the matrix product.
    if (w.size == 1) {
      work.m *= valid;
    } else if (output == 1) {
      work.k *= valid;
      work.window_positions *= valid;
    } else if (valid == static_cast<double>(output) && input == 1) {
      work.n *= valid;
    } else if (valid == static_cast<double>(output) && w.size == output) {
      work.batch *= valid;
    } else {
      work.m *= static_cast<double>(output);
      work.k *= valid / static_cast<double>(output);
      work.window_positions *= valid / static_cast<double>(output);
    }
  }
  work.flops = 2 * (dimension(lhs, numbers.lhs_feature) / features) * dimension(out, numbers.output_feature) *
               (dimension(lhs, numbers.lhs_batch) / batches) * positions;
  return work;
}

MatrixWork matrix_work(InstructionView contraction) {
  MatrixWork none;
  if (contraction.operand_count() < 2) return none;
  const Shape& lhs = contraction.operand(0).shape();
  const Shape& rhs = contraction.operand(1).shape();
  MatrixWork work;
  switch (contraction.opcode()) {
    case Opcode::kDot:
    case Opcode::kScaledDot:
    case Opcode::kRaggedDot: work = dot_work(lhs, rhs, dot_dimensions(contraction)); break;
    case Opcode::kConvolution: {
      const auto numbers = convolution_dimension_numbers(contraction);
      if (!numbers) return none;
      work = convolution_work(lhs, rhs, contraction.shape(), window(contraction).value_or(Window{}), *numbers,
                              integer_or(contraction, AttributeKey::kFeatureGroupCount, 1),
                              integer_or(contraction, AttributeKey::kBatchGroupCount, 1));
      break;
    }
    default: return none;
  }
  work.out = contraction.shape().element_type;
  set_passes(word(contraction, AttributeKey::kAlgorithm), operand_precision(contraction), work);
  return work;
}

}  // namespace hloroof::inline v0
