#include "lib/analysis/product_sides.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "hloroof/attributes.h"
#include "lib/ir/opcode_facts.h"
#include "lib/values/attribute_values.h"
#include "lib/values/backend_config.h"

namespace hloroof::internal::inline analysis {
namespace {

Sides dot_sides(const DotDimensions& numbers, const Shape& lhs, const Shape& rhs, const Shape& out) {
  Sides sides;
  const Shape* shapes[2] = {&lhs, &rhs};
  const std::vector<std::int64_t>* contracting[2] = {&numbers.lhs_contracting, &numbers.rhs_contracting};
  const std::vector<std::int64_t>* batch[2] = {&numbers.lhs_batch, &numbers.rhs_batch};
  std::size_t next = batch[0]->size();
  for (int side = 0; side < 2; ++side) {
    sides.dimension[side].assign(out.dimensions.size(), -1);
    for (const std::int64_t d : *contracting[side]) sides.contracted[side] |= dimension_bit(d);
    for (std::size_t i = 0; i < batch[side]->size() && i < out.dimensions.size(); ++i) {
      sides.dimension[side][i] = (*batch[side])[i];
      sides.batched |= out.dimensions[i] > 1;
    }
    for (int d = 0; d < shapes[side]->rank(); ++d) {
      const auto is_in = [d](const std::vector<std::int64_t>& list) {
        return std::find(list.begin(), list.end(), d) != list.end();
      };
      if (is_in(*contracting[side]) || is_in(*batch[side])) continue;
      if (next < out.dimensions.size()) {
        sides.dimension[side][next] = d;
        sides.kept[side] |= dimension_bit(static_cast<std::int64_t>(next));
      }
      ++next;
    }
  }
  return sides;
}

// A dimension of a convolution to which the TPU compiler turned a product is contracted, one side's, or both sides'.
Sides convolution_sides(InstructionView at, const ConvolutionDimensionNumbers& numbers) {
  const Shape& lhs = at.operand(0).shape();
  const Shape& rhs = at.operand(1).shape();
  const Shape& out = at.shape();
  Sides sides;
  for (auto& dimension : sides.dimension) dimension.assign(out.dimensions.size(), -1);
  const auto keep = [&](int side, std::int64_t of_out, std::int64_t of_side) {
    if (of_out < 0 || of_out >= out.rank()) return;
    sides.dimension[side][static_cast<std::size_t>(of_out)] = of_side;
    sides.kept[side] |= dimension_bit(of_out);
  };
  keep(0, numbers.output_batch, numbers.lhs_batch);
  keep(1, numbers.output_feature, numbers.rhs_output_feature);
  sides.contracted[0] |= dimension_bit(numbers.lhs_feature);
  sides.contracted[1] |= dimension_bit(numbers.rhs_input_feature);
  const auto size = [](const Shape& shape, std::int64_t d) {
    return d >= 0 && d < shape.rank() ? shape.dimensions[static_cast<std::size_t>(d)] : 1;
  };
  for (std::size_t i = 0; i < numbers.output_spatial.size(); ++i) {
    if (i >= numbers.lhs_spatial.size() || i >= numbers.rhs_spatial.size()) break;
    const std::int64_t of_lhs = size(lhs, numbers.lhs_spatial[i]);
    const std::int64_t of_rhs = size(rhs, numbers.rhs_spatial[i]);
    const std::int64_t of_out = size(out, numbers.output_spatial[i]);
    if (of_rhs == 1) {
      keep(0, numbers.output_spatial[i], numbers.lhs_spatial[i]);
    } else if (of_lhs == 1) {
      keep(1, numbers.output_spatial[i], numbers.rhs_spatial[i]);
    } else if (of_out == 1) {
      sides.contracted[0] |= dimension_bit(numbers.lhs_spatial[i]);
      sides.contracted[1] |= dimension_bit(numbers.rhs_spatial[i]);
    } else if (of_lhs == of_rhs && of_out == of_rhs) {
      sides.batched = true;
      keep(0, numbers.output_spatial[i], numbers.lhs_spatial[i]);
      keep(1, numbers.output_spatial[i], numbers.rhs_spatial[i]);
    } else {
      keep(0, numbers.output_spatial[i], numbers.lhs_spatial[i]);  // a window that slides
    }
  }
  return sides;
}

// ---- Dimensions through a reshape ----

// The sizes in the order in which a bitcast or a reshape reads the elements, with the dimension of each.
std::vector<std::pair<std::int64_t, std::int64_t>> in_order(const Shape& shape, bool physical) {
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
  const std::size_t rank = shape.dimensions.size();
  const bool has_layout = physical && shape.layout.present && shape.layout.minor_to_major.size() == rank;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t d = has_layout ? shape.layout.minor_to_major[rank - 1 - i] : static_cast<std::int64_t>(i);
    if (d < 0 || d >= static_cast<std::int64_t>(rank)) return {};
    if (shape.dimensions[static_cast<std::size_t>(d)] != 1) {
      sizes.emplace_back(shape.dimensions[static_cast<std::size_t>(d)], d);
    }
  }
  return sizes;
}

// The dimensions of `from` that the dimensions `mask` of `to` are made of, if both have the same elements in one order.
DimensionMask through_reshape(const Shape& to, const Shape& from, DimensionMask mask, bool physical) {
  const auto outer = in_order(to, physical);
  const auto inner = in_order(from, physical);
  DimensionMask result = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < outer.size() && j < inner.size()) {
    DimensionMask of_to = dimension_bit(outer[i].second);
    DimensionMask of_from = dimension_bit(inner[j].second);
    double product_to = static_cast<double>(outer[i++].first);
    double product_from = static_cast<double>(inner[j++].first);
    while (product_to != product_from) {
      if (product_to < product_from && i < outer.size()) {
        of_to |= dimension_bit(outer[i].second);
        product_to *= static_cast<double>(outer[i++].first);
      } else if (product_from < product_to && j < inner.size()) {
        of_from |= dimension_bit(inner[j].second);
        product_from *= static_cast<double>(inner[j++].first);
      } else {
        return result;
      }
    }
    if ((of_to & mask) != 0) result |= of_from;
  }
  return result;
}

}  // namespace

bool is_product(InstructionView at) {
  if (at.operand_count() < 2) return false;
  return work_class(at.opcode()) == WorkClass::kContraction ||
         (at.opcode() == Opcode::kCustomCall && gemm_backend_config(at).has_value());
}

Sides sides_of(InstructionView product) {
  if (product.opcode() == Opcode::kConvolution) {
    const auto numbers = convolution_dimension_numbers(product);
    return numbers ? convolution_sides(product, *numbers) : Sides{};
  }
  const Shape& lhs = product.operand(0).shape();
  const Shape& rhs = product.operand(1).shape();
  if (product.opcode() == Opcode::kCustomCall) {
    const auto config = gemm_backend_config(product);
    if (!config) return {};
    const Shape& whole = product.shape();
    const Shape& out = whole.is_tuple() && !whole.elements.empty() ? product.module().shape(whole.elements[0]) : whole;
    return dot_sides(config->dimensions, lhs, rhs, out);
  }
  return dot_sides(dot_dimensions(product), lhs, rhs, product.shape());
}

DimensionMask dimensions_through(InstructionView at, InstructionView operand, DimensionMask mask) {
  const Shape& to = at.shape();
  const Shape& from = operand.shape();
  if (!to.is_array() || !from.is_array()) return mask;  // of a part of a tuple
  switch (at.opcode()) {
    case Opcode::kBitcast:
      if (to.dimensions == from.dimensions && to.layout == from.layout) return mask;
      return through_reshape(to, from, mask, true);
    case Opcode::kReshape: return through_reshape(to, from, mask, false);
    case Opcode::kTranspose:
    case Opcode::kBroadcast: {  // dimension i of the result, or of the operand of a broadcast, is dimensions[i] there
      const std::vector<std::int64_t> dimensions = integers(at, AttributeKey::kDimensions);
      DimensionMask result = 0;
      for (std::size_t i = 0; i < dimensions.size(); ++i) {
        std::int64_t of_result = static_cast<std::int64_t>(i);
        std::int64_t of_operand = dimensions[i];
        if (at.opcode() == Opcode::kBroadcast) std::swap(of_result, of_operand);
        if ((mask & dimension_bit(of_result)) != 0) result |= dimension_bit(of_operand);
      }
      return result;
    }
    case Opcode::kReduce: {
      DimensionMask reduced = 0;
      for (const std::int64_t d : integers(at, AttributeKey::kDimensions)) reduced |= dimension_bit(d);
      DimensionMask result = 0;
      std::int64_t of_result = 0;
      for (int d = 0; d < from.rank(); ++d) {
        if ((reduced & dimension_bit(d)) != 0) continue;
        if ((mask & dimension_bit(of_result++)) != 0) result |= dimension_bit(d);
      }
      return result;
    }
    default: return to.rank() == from.rank() ? mask : 0;
  }
}

}  // namespace hloroof::internal::inline analysis
