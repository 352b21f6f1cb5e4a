// Source: HloCostAnalysis in openxla/xla xla/service/hlo_cost_analysis.cc, 2026-08-22, for the definition of a FLOP of
// a convolution.
#include "lib/work/contraction.h"

#include <algorithm>

#include "lib/analysis/valid_positions.h"
#include "lib/ir/element_type.h"
#include "lib/values/attribute_values.h"
#include "lib/work/registers.h"

namespace hloroof::internal::inline work {
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

// The number of passes that the name of a dot algorithm states, as in dot_bf16_bf16_f32_x3; 0 if it states none.
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

using Part = ProductPart;

// A spatial dimension of a convolution and its part in the product.
struct SpatialDimension {
  double output = 1;
  double valid = 1;  // pairs of a window and an output position inside the input
  Part part = Part::kM;
};

constexpr double kLargestSize = 0x1p62;

SpatialDimension spatial_dimension(std::size_t i, const Shape& lhs, const Shape& out, const Window& window,
                                   const ConvolutionDimensionNumbers& numbers) {
  // As floating-point number, a size of 2^63 - 1 is one that no integer holds. valid_positions() refuses such sizes.
  const auto whole = [](double size) { return static_cast<std::int64_t>(std::min(size, kLargestSize)); };
  const std::int64_t input = whole(dimension(lhs, numbers.lhs_spatial[i]));
  const std::int64_t output = whole(i < numbers.output_spatial.size() ? dimension(out, numbers.output_spatial[i]) : 1);
  WindowDimension w;
  if (i < window.dimensions.size()) w = window.dimensions[i];
  const auto counted = valid_positions(w.size, output, input, w);
  SpatialDimension result;
  result.output = static_cast<double>(output);
  result.valid = counted ? static_cast<double>(*counted) : result.output;
  if (w.size == 1) {
    result.part = Part::kM;
  } else if (output == 1) {
    result.part = Part::kK;
  } else if (result.valid == result.output && input == 1) {
    result.part = Part::kN;
  } else if (result.valid == result.output && w.size == output) {
    result.part = Part::kBatch;
  } else {
    result.part = Part::kWindow;
  }
  return result;
}

// The part of every dimension of the operands and the result.
struct Parts {
  std::vector<Part> lhs;
  std::vector<Part> rhs;
  std::vector<Part> out;
};

void set_part(std::vector<Part>& parts, std::int64_t dimension, Part part) {
  if (dimension >= 0 && dimension < static_cast<std::int64_t>(parts.size())) parts[dimension] = part;
}

Part part_of(const std::vector<Part>& parts, std::int64_t dimension) {
  return dimension >= 0 && dimension < static_cast<std::int64_t>(parts.size()) ? parts[dimension] : Part::kM;
}

// The result of a dot has its batch dimensions first, then those of the left-hand operand, then those of the right-hand
// operand.
Parts parts_of_dot(const Shape& lhs, const Shape& rhs, const Shape& out, const DotDimensions& d) {
  Parts parts{std::vector<Part>(lhs.rank(), Part::kM), std::vector<Part>(rhs.rank(), Part::kN),
              std::vector<Part>(out.rank(), Part::kN)};
  for (std::int64_t i : d.lhs_contracting) set_part(parts.lhs, i, Part::kK);
  for (std::int64_t i : d.rhs_contracting) set_part(parts.rhs, i, Part::kK);
  for (std::int64_t i : d.lhs_batch) set_part(parts.lhs, i, Part::kBatch);
  for (std::int64_t i : d.rhs_batch) set_part(parts.rhs, i, Part::kBatch);
  const auto batch = static_cast<std::int64_t>(d.lhs_batch.size());
  const auto rows = lhs.rank() - static_cast<std::int64_t>(d.lhs_contracting.size());
  for (std::int64_t i = 0; i < rows; ++i) set_part(parts.out, i, i < batch ? Part::kBatch : Part::kM);
  return parts;
}

Parts parts_of_convolution(const Shape& lhs, const Shape& rhs, const Shape& out, const Window& window,
                           const ConvolutionDimensionNumbers& numbers) {
  Parts parts{std::vector<Part>(lhs.rank(), Part::kM), std::vector<Part>(rhs.rank(), Part::kN),
              std::vector<Part>(out.rank(), Part::kM)};
  set_part(parts.lhs, numbers.lhs_feature, Part::kK);
  set_part(parts.rhs, numbers.rhs_input_feature, Part::kK);
  set_part(parts.out, numbers.output_feature, Part::kN);
  for (std::size_t i = 0; i < numbers.lhs_spatial.size(); ++i) {
    const Part part = spatial_dimension(i, lhs, out, window, numbers).part;
    set_part(parts.lhs, numbers.lhs_spatial[i], part);
    if (i < numbers.output_spatial.size()) {
      set_part(parts.out, numbers.output_spatial[i], part == Part::kWindow ? Part::kM : part);
    }
    if (i < numbers.rhs_spatial.size()) set_part(parts.rhs, numbers.rhs_spatial[i], part);
  }
  return parts;
}

constexpr std::size_t kLanes = 0;  // position in minor_to_major
constexpr std::size_t kSublanes = 1;

// Returns the extent of the dimension of a tiled array that is `minor` in its order, if it belongs to `part` of a
// product and is not all of it. Otherwise returns 0.
double extent_on_tiles(const Shape& shape, const std::vector<Part>& parts, Part part, double total, std::size_t minor) {
  if (!is_tiled(shape) || minor >= shape.layout.minor_to_major.size()) return 0;
  const std::int64_t d = shape.layout.minor_to_major[minor];
  if (d < 0 || d >= static_cast<std::int64_t>(parts.size()) || parts[d] != part) return 0;
  const auto extent = static_cast<double>(shape.dimensions[d]);
  return extent <= 1 || total <= extent ? 0 : extent;
}

// The result is computed tile by tile. Its lanes come from the operand that is resident in the array or from the one
// that streams, and its sublanes are rows of the other. A contracted dimension is padded if it is on lanes; on sublanes
// its values can be packed.
void add_extents_on_tiles(const Shape& lhs, const Shape& rhs, const Shape& out, const Parts& parts, MatrixWork& work) {
  work.m_on_lanes = extent_on_tiles(out, parts.out, Part::kM, work.m, kLanes);
  work.m_on_sublanes = extent_on_tiles(out, parts.out, Part::kM, work.m, kSublanes);
  work.n_on_lanes = extent_on_tiles(out, parts.out, Part::kN, work.n, kLanes);
  work.n_on_sublanes = extent_on_tiles(out, parts.out, Part::kN, work.n, kSublanes);
  work.lhs_k_on_lanes = extent_on_tiles(lhs, parts.lhs, Part::kK, work.k, kLanes);
  work.rhs_k_on_lanes = extent_on_tiles(rhs, parts.rhs, Part::kK, work.k, kLanes);
}

SlidingWindow sliding_window(const Shape& lhs, const Shape& rhs, const Shape& out, const Parts& parts,
                             const Window& window, const ConvolutionDimensionNumbers& numbers) {
  SlidingWindow sliding;
  if (!is_tiled(lhs) || !is_tiled(out)) return sliding;
  sliding.taps = 1;
  sliding.features = dimension(lhs, numbers.lhs_feature);
  sliding.apart = minor_dimensions(rhs).lane == numbers.rhs_input_feature;
  for (std::size_t i = 0; i < numbers.lhs_spatial.size() && i < window.dimensions.size(); ++i) {
    const Part part = part_of(parts.lhs, numbers.lhs_spatial[i]);
    if (part != Part::kWindow && part != Part::kK) continue;
    const WindowDimension& along = window.dimensions[i];
    const auto holes = static_cast<double>(std::max<std::int64_t>(along.base_dilation, 1));
    sliding.taps *= std::max(static_cast<double>(along.size) / holes, 1.0);
    sliding.apart |= holes > 1;
  }
  if (minor_dimensions(lhs).lane == numbers.lhs_batch) sliding.batch_on_lanes = dimension(lhs, numbers.lhs_batch);
  sliding.patch_is_resident = sliding.batch_on_lanes > 0 && minor_dimensions(out).lane == numbers.output_batch;
  return sliding;
}

// Adds how a convolution lies on the tiles of its arrays.
void add_layout(const Shape& lhs, const Shape& rhs, const Shape& out, const Window& window,
                const ConvolutionDimensionNumbers& numbers, MatrixWork& work) {
  const Parts parts = parts_of_convolution(lhs, rhs, out, window, numbers);
  if (std::find(parts.lhs.begin(), parts.lhs.end(), Part::kWindow) != parts.lhs.end()) {
    work.sliding = sliding_window(lhs, rhs, out, parts, window, numbers);
  } else {
    add_extents_on_tiles(lhs, rhs, out, parts, work);
  }
}

// Whether the rows of `shape`, which are contiguous, begin at addresses that are no multiple of 16 bytes.
bool has_unaligned_rows(const Shape& shape) {
  constexpr std::int64_t kAlignment = 16 * 8;  // bits
  std::int64_t row = 0;
  bool has_rows = false;
  for (const std::int64_t d : shape.layout.minor_to_major) {
    if (d < 0 || d >= shape.rank() || shape.dimensions[d] <= 1) continue;
    has_rows = row > 0;
    if (has_rows) break;
    row = shape.dimensions[d];
  }
  return has_rows && row % kAlignment * bits(shape.element_type) % kAlignment != 0;  // the row may be of any size
}

}  // namespace

std::vector<ProductPart> spatial_parts(InstructionView convolution) {
  std::vector<ProductPart> parts;
  const auto numbers = convolution_dimension_numbers(convolution);
  if (!numbers || convolution.operand_count() < 1) return parts;
  const Window sliding = window(convolution).value_or(Window{});
  for (std::size_t i = 0; i < numbers->lhs_spatial.size(); ++i) {
    parts.push_back(spatial_dimension(i, convolution.operand(0).shape(), convolution.shape(), sliding, *numbers).part);
  }
  return parts;
}

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
  if (highest == Precision::kHigh) return complex * (wide == 2 ? kPassesAtHigh : 2);
  return complex * (wide == 2 ? kPassesAtHighest : 3);
}

MatrixWork dot_work(const Shape& lhs, const Shape& rhs, const DotDimensions& d) {
  MatrixWork work;
  work.m = free_product(lhs, d.lhs_contracting, d.lhs_batch);
  // [m,k] x [g,k,n]: the rows are divided among the groups, and each row is multiplied by the weights of one group.
  const double groups = std::max(product_over(rhs, d.rhs_group), 1.0);
  work.n = free_product(rhs, d.rhs_contracting, d.rhs_batch) / groups;
  work.k = product_over(lhs, d.lhs_contracting);
  work.batch = product_over(lhs, d.lhs_batch);
  work.lhs = lhs.element_type;
  work.rhs = rhs.element_type;
  work.is_unaligned = has_unaligned_rows(lhs) || has_unaligned_rows(rhs);
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
    const auto [output, valid, part] = spatial_dimension(i, lhs, out, window, numbers);
    positions *= valid;
    switch (part) {
      case Part::kM: work.m *= valid; break;
      case Part::kN: work.n *= valid; break;
      case Part::kK:
        work.k *= valid;
        work.window_positions *= valid;
        break;
      case Part::kBatch: work.batch *= valid; break;
      case Part::kWindow:
        work.m *= output;
        work.k *= valid / output;
        work.window_positions *= valid / output;
        break;
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
    case Opcode::kRaggedDot: {
      const DotDimensions dimensions = dot_dimensions(contraction);
      work = dot_work(lhs, rhs, dimensions);
      if (contraction.opcode() == Opcode::kDot) {
        add_extents_on_tiles(lhs, rhs, contraction.shape(), parts_of_dot(lhs, rhs, contraction.shape(), dimensions),
                             work);
      }
      break;
    }
    case Opcode::kConvolution: {
      const auto numbers = convolution_dimension_numbers(contraction);
      if (!numbers) return none;
      const Window sliding = window(contraction).value_or(Window{});
      const Shape& out = contraction.shape();
      const std::int64_t features = integer_or(contraction, AttributeKey::kFeatureGroupCount, 1);
      const std::int64_t batches = integer_or(contraction, AttributeKey::kBatchGroupCount, 1);
      work = convolution_work(lhs, rhs, out, sliding, *numbers, features, batches);
      if (features <= 1 && batches <= 1) add_layout(lhs, rhs, out, sliding, *numbers, work);
      break;
    }
    default: return none;
  }
  work.out = contraction.shape().element_type;
  set_passes(word(contraction, AttributeKey::kAlgorithm), operand_precision(contraction), work);
  return work;
}

}  // namespace hloroof::internal::inline work
