// Result shapes of dots and convolutions.
#include <string>

#include "lib/infer/infer_shape.h"

namespace hloroof::internal::inline infer {
namespace {

// The dimensions that a dot names, checked against its two operands.
struct Contraction {
  DotDimensions dimensions;
  std::vector<Extent> lhs;
  std::vector<Extent> rhs;

  bool lhs_free(std::int64_t d) const {
    return !contains(dimensions.lhs_batch, d) && !contains(dimensions.lhs_contracting, d);
  }
  bool rhs_free(std::int64_t d) const {
    return !contains(dimensions.rhs_batch, d) && !contains(dimensions.rhs_contracting, d) &&
           !contains(dimensions.rhs_group, d);
  }
};

absl::StatusOr<Contraction> contraction(const ShapeInference& in) {
  if (absl::Status status = in.expect_two_arrays(); !status.ok()) return status;
  Contraction c;
  c.dimensions.lhs_contracting = in.list(AttributeKey::kLhsContractingDims);
  c.dimensions.rhs_contracting = in.list(AttributeKey::kRhsContractingDims);
  c.dimensions.lhs_batch = in.list(AttributeKey::kLhsBatchDims);
  c.dimensions.rhs_batch = in.list(AttributeKey::kRhsBatchDims);
  c.dimensions.lhs_ragged = in.list(AttributeKey::kLhsRaggedDims);
  c.dimensions.rhs_group = in.list(AttributeKey::kRhsGroupDims);
  c.lhs = extents(in.shape(0));
  c.rhs = extents(in.shape(1));
  const std::string operands = in.text(0) + " and " + in.text(1);
  const auto check_side = [](const std::vector<std::int64_t>& contracting, const std::vector<std::int64_t>& batch,
                             std::size_t rank) {
    std::vector<std::int64_t> all = contracting;
    all.insert(all.end(), batch.begin(), batch.end());
    return distinct_dimensions(all, rank);
  };
  if (!check_side(c.dimensions.lhs_contracting, c.dimensions.lhs_batch, c.lhs.size()) ||
      !check_side(c.dimensions.rhs_contracting, c.dimensions.rhs_batch, c.rhs.size())) {
    return in.refuse("contracting and batch dimensions must be distinct ones of the operands, " + operands);
  }
  const auto check_pairs = [&](const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right) {
    bool fits = left.size() == right.size();
    for (std::size_t i = 0; fits && i < left.size(); ++i) {
      fits = may_equal(c.lhs[static_cast<std::size_t>(left[i])], c.rhs[static_cast<std::size_t>(right[i])]);
    }
    return fits;
  };
  if (!check_pairs(c.dimensions.lhs_contracting, c.dimensions.rhs_contracting)) {
    return in.refuse("contracting dimensions of different number or size: " + operands);
  }
  if (!check_pairs(c.dimensions.lhs_batch, c.dimensions.rhs_batch)) {
    return in.refuse("batch dimensions of different number or size: " + operands);
  }
  return c;
}

// Appends the batch dimensions, the remaining dimensions of the left operand, and those of the right operand.
void append_result(const Contraction& c, std::vector<Extent>& result) {
  for (const std::int64_t d : c.dimensions.lhs_batch) result.push_back(c.lhs[static_cast<std::size_t>(d)]);
  for (std::size_t d = 0; d < c.lhs.size(); ++d) {
    if (c.lhs_free(static_cast<std::int64_t>(d))) result.push_back(c.lhs[d]);
  }
  for (std::size_t d = 0; d < c.rhs.size(); ++d) {
    if (c.rhs_free(static_cast<std::int64_t>(d))) result.push_back(c.rhs[d]);
  }
}

ElementType result_type(const ShapeInference& in) {
  return higher_precision(in.shape(0).element_type, in.shape(1).element_type);
}

}  // namespace

// A scaled-dot multiplies operands 0 and 1. The scales, operands 2 and 3, do not affect the shape. This differs from
// XLA, which infers from operands 0 and 2.
InferredShape infer_dot(const ShapeInference& in) {
  const absl::StatusOr<Contraction> c = contraction(in);
  if (!c.ok()) return c.status();
  std::vector<Extent> result;
  append_result(*c, result);
  return in.array(result_type(in), result);
}

// The groups partition one dimension of the left operand. If the result keeps that dimension, the right operand has a
// group dimension. If it is contracted, the result has one. If it is a batch dimension, there is none.
InferredShape infer_ragged_dot(const ShapeInference& in) {
  const absl::StatusOr<Contraction> c = contraction(in);
  if (!c.ok()) return c.status();
  const Shape& group_sizes = in.shape(2);
  if (!group_sizes.is_array() || group_sizes.rank() == 0)
    return in.refuse("the group sizes must be an array, not " + in.text(2));
  const Extent groups = extents(group_sizes).back();
  const std::vector<std::int64_t>& ragged = c->dimensions.lhs_ragged;
  if (ragged.size() != 1 || !distinct_dimensions(ragged, c->lhs.size())) {
    return in.refuse("lhs_ragged_dims must be one dimension of the left operand, " + in.text(0));
  }
  const std::vector<std::int64_t>& group = c->dimensions.rhs_group;
  if (c->lhs_free(ragged[0])) {
    if (group.size() != 1 || !distinct_dimensions(group, c->rhs.size()) ||
        contains(c->dimensions.rhs_batch, group[0]) || contains(c->dimensions.rhs_contracting, group[0])) {
      return in.refuse(
          "rhs_group_dims must be one dimension of the right operand that is neither batch nor contracted");
    }
    if (!may_equal(c->rhs[static_cast<std::size_t>(group[0])], groups)) {
      return in.refuse("the number of groups of the right operand, " + in.text(1) + ", differs from the group sizes, " +
                       in.text(2));
    }
  } else if (!group.empty()) {
    return in.refuse("rhs_group_dims must be empty where the ragged dimension is a batch or contracted one");
  }
  std::vector<Extent> result;
  if (contains(c->dimensions.lhs_contracting, ragged[0])) result.push_back(groups);
  append_result(*c, result);
  return in.array(result_type(in), result);
}

InferredShape infer_convolution(const ShapeInference& in) {
  if (absl::Status status = in.expect_two_arrays(); !status.ok()) return status;
  const std::string operands = in.text(0) + " and " + in.text(1);
  const auto labels = in.value<ConvolutionDimensionNumbers>(AttributeKey::kDimLabels, read_dim_label_numbers)
                          .value_or(ConvolutionDimensionNumbers());
  const Window window = in.window();
  const std::vector<Extent> lhs = extents(in.shape(0));
  const std::vector<Extent> rhs = extents(in.shape(1));
  const std::size_t spatial = labels.lhs_spatial.size();
  if (window.dimensions.size() != spatial) {
    return in.refuse("window has " + std::to_string(window.dimensions.size()) + " dimensions and dim_labels " +
                     std::to_string(spatial));
  }
  const auto all_named = [&](const std::vector<std::int64_t>& spatials, std::int64_t first, std::int64_t second) {
    std::vector<std::int64_t> all = spatials;
    all.push_back(first);
    all.push_back(second);
    return all.size() == spatial + 2 && distinct_dimensions(all, spatial + 2);
  };
  if (lhs.size() != spatial + 2 || rhs.size() != spatial + 2 ||
      !all_named(labels.lhs_spatial, labels.lhs_batch, labels.lhs_feature) ||
      !all_named(labels.rhs_spatial, labels.rhs_input_feature, labels.rhs_output_feature) ||
      !all_named(labels.output_spatial, labels.output_batch, labels.output_feature)) {
    return in.refuse("dim_labels do not name each dimension of the operands once: " + operands);
  }
  const auto at = [](const std::vector<Extent>& all, std::int64_t d) { return all[static_cast<std::size_t>(d)]; };
  const Extent batch = at(lhs, labels.lhs_batch);
  const Extent input_features = at(lhs, labels.lhs_feature);
  const Extent kernel_features = at(rhs, labels.rhs_input_feature);
  const Extent output_features = at(rhs, labels.rhs_output_feature);
  const std::int64_t feature_groups = in.integer(AttributeKey::kFeatureGroupCount, 1);
  const std::int64_t batch_groups = in.integer(AttributeKey::kBatchGroupCount, 1);
  if (feature_groups <= 0 || batch_groups <= 0 || (feature_groups > 1 && batch_groups > 1)) {
    return in.refuse("feature_group_count and batch_group_count must be positive and one of them 1");
  }
  if (input_features.size % feature_groups != 0 || input_features.size / feature_groups != kernel_features.size) {
    return in.refuse("the features of the left operand are not those of the right one in " +
                     std::to_string(feature_groups) + " groups: " + operands);
  }
  const std::int64_t groups = feature_groups * batch_groups;  // one of the two is 1
  if (groups > 1 && (output_features.unbounded() || output_features.size % groups != 0)) {
    return in.refuse("the output features do not divide into " + std::to_string(groups) + " groups: " + operands);
  }
  if (batch_groups > 1 && (batch.unbounded() || batch.size % batch_groups != 0)) {
    return in.refuse("the batch does not divide into " + std::to_string(batch_groups) + " groups: " + operands);
  }
  if (output_features.dynamic && !output_features.unbounded()) {
    return in.refuse("the output features of the right operand must not be dynamic: " + operands);
  }
  std::vector<Extent> base;
  for (std::size_t i = 0; i < spatial; ++i) {
    base.push_back(at(lhs, labels.lhs_spatial[i]));
    const Extent kernel = at(rhs, labels.rhs_spatial[i]);
    if (!kernel.unbounded() && kernel.size != window.dimensions[i].size) {
      return in.refuse("the window is not of the right operand's size: " + operands);
    }
  }
  const absl::StatusOr<std::vector<Extent>> slid = window_extents(in, base, window);
  if (!slid.ok()) return slid.status();
  std::vector<Extent> result(spatial + 2);
  result[static_cast<std::size_t>(labels.output_batch)] =
      batch.unbounded() ? batch : Extent{batch.size / batch_groups, batch.dynamic};
  result[static_cast<std::size_t>(labels.output_feature)] = output_features;
  for (std::size_t i = 0; i < spatial; ++i) result[static_cast<std::size_t>(labels.output_spatial[i])] = (*slid)[i];
  return in.array(result_type(in), result);
}

}  // namespace hloroof::internal::inline infer
