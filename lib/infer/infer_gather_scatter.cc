// Result shapes of gather and scatter.
#include <string>
#include <utility>

#include "lib/infer/infer_shape.h"
#include "lib/ir/element_type.h"

namespace hloroof::internal::inline infer {
namespace {

// The extents of the indices without index_vector_dim. If that is the rank of the indices, each element is an index
// vector of size one.
struct IndexExtents {
  std::vector<Extent> batch;
  Extent vector{1, false};
};

absl::StatusOr<IndexExtents> index_extents(const ShapeInference& in, const Shape& indices, std::int64_t vector_dim) {
  if (!indices.is_array() || !is_integral(indices.element_type)) return in.refuse("the indices must be integers");
  if (vector_dim < 0 || vector_dim > indices.rank())
    return in.refuse("index_vector_dim is not a dimension of the indices");
  IndexExtents result;
  result.batch = extents(indices);
  if (vector_dim < indices.rank()) {
    result.vector = result.batch[static_cast<std::size_t>(vector_dim)];
    result.batch.erase(result.batch.begin() + vector_dim);
  }
  return result;
}

// The dimension lists that gather and scatter have in common, with the names of gather.
struct Dimensions {
  std::vector<std::int64_t> offset;     // dimensions of the result, or of the updates, that hold a slice
  std::vector<std::int64_t> collapsed;  // operand dimensions that a slice does not have
  std::vector<std::int64_t> start_map;  // the operand dimension of each entry of an index vector
  std::vector<std::int64_t> operand_batching;
  std::vector<std::int64_t> indices_batching;
  std::int64_t vector_dim = 0;

  bool sliced(std::size_t d) const {
    return !contains(collapsed, static_cast<std::int64_t>(d)) &&
           !contains(operand_batching, static_cast<std::int64_t>(d));
  }
};

absl::Status check(const ShapeInference& in, const Dimensions& d, const IndexExtents& indices, std::size_t operand_rank,
                   std::size_t indices_rank) {
  if (!ascending(d.offset) || !distinct_dimensions(d.offset, d.offset.size() + indices.batch.size())) {
    return in.refuse("the window dimensions must ascend and be ones of the result");
  }
  if (!ascending(d.collapsed) || !distinct_dimensions(d.collapsed, operand_rank)) {
    return in.refuse("the dimensions left out of a window must ascend and be ones of the operand");
  }
  if (d.offset.size() + d.collapsed.size() + d.operand_batching.size() != operand_rank) {
    return in.refuse("window, left out and batching dimensions are not all dimensions of the operand");
  }
  if (!indices.vector.unbounded() && indices.vector.size != static_cast<std::int64_t>(d.start_map.size())) {
    return in.refuse("index vectors of " + std::to_string(indices.vector.size) + " entries for " +
                     std::to_string(d.start_map.size()) + " dimensions");
  }
  std::vector<std::int64_t> counted = d.start_map;
  counted.insert(counted.end(), d.operand_batching.begin(), d.operand_batching.end());
  std::vector<std::int64_t> left_out = d.collapsed;
  left_out.insert(left_out.end(), d.operand_batching.begin(), d.operand_batching.end());
  if (!distinct_dimensions(counted, operand_rank) || !distinct_dimensions(left_out, operand_rank) ||
      !ascending(d.operand_batching)) {
    return in.refuse("indexed, left out and batching dimensions must be distinct ones of the operand");
  }
  if (d.operand_batching.size() != d.indices_batching.size() ||
      !distinct_dimensions(d.indices_batching, indices_rank) || contains(d.indices_batching, d.vector_dim)) {
    return in.refuse("the batching dimensions of operand and indices do not fit each other");
  }
  return absl::OkStatus();
}

}  // namespace

InferredShape infer_gather(const ShapeInference& in) {
  if (absl::Status status = in.expect_array(0, "operand"); !status.ok()) return status;
  Dimensions d;
  d.offset = in.list(AttributeKey::kOffsetDims);
  d.collapsed = in.list(AttributeKey::kCollapsedSliceDims);
  d.start_map = in.list(AttributeKey::kStartIndexMap);
  d.operand_batching = in.list(AttributeKey::kOperandBatchingDims);
  d.indices_batching = in.list(AttributeKey::kStartIndicesBatchingDims);
  d.vector_dim = in.integer(AttributeKey::kIndexVectorDim, 0);
  const std::vector<std::int64_t> slice_sizes = in.list(AttributeKey::kSliceSizes);
  const absl::StatusOr<IndexExtents> indices = index_extents(in, in.shape(1), d.vector_dim);
  if (!indices.ok()) return indices.status();
  const std::vector<Extent> operand = extents(in.shape(0));
  const absl::Status fits = check(in, d, *indices, operand.size(), in.shape(1).dimensions.size());
  if (!fits.ok()) return fits;
  if (slice_sizes.size() != operand.size())
    return in.refuse("slice_sizes must have an entry for each dimension of " + in.text(0));
  std::vector<Extent> window;
  for (std::size_t i = 0; i < operand.size(); ++i) {
    const bool whole = slice_sizes[i] == operand[i].size;
    if (slice_sizes[i] < 0 || (!operand[i].unbounded() && slice_sizes[i] > operand[i].size)) {
      return in.refuse("slice_sizes exceed the operand, " + in.text(0));
    }
    if (d.sliced(i)) {
      window.push_back({slice_sizes[i], whole && operand[i].dynamic});
    } else if (slice_sizes[i] > 1) {
      return in.refuse("a dimension left out of the result must have a slice size of 1 or 0");
    }
  }
  std::vector<Extent> result;
  std::size_t next_window = 0;
  std::size_t next_batch = 0;
  for (std::size_t i = 0; i < window.size() + indices->batch.size(); ++i) {
    const bool in_window = contains(d.offset, static_cast<std::int64_t>(i));
    result.push_back(in_window ? window[next_window++] : indices->batch[next_batch++]);
  }
  return in.array(in.shape(0).element_type, result);
}

// N operands, the indices, N updates.
InferredShape infer_scatter(const ShapeInference& in) {
  const std::size_t n = in.count() / 2;
  for (std::size_t i = 0; i < in.count(); ++i) {
    if (absl::Status status = in.expect_array(i, "operand"); !status.ok()) return status;
  }
  Dimensions d;
  d.offset = in.list(AttributeKey::kUpdateWindowDims);
  d.collapsed = in.list(AttributeKey::kInsertedWindowDims);
  d.start_map = in.list(AttributeKey::kScatterDimsToOperandDims);
  d.operand_batching = in.list(AttributeKey::kInputBatchingDims);
  d.indices_batching = in.list(AttributeKey::kScatterIndicesBatchingDims);
  d.vector_dim = in.integer(AttributeKey::kIndexVectorDim, 0);
  const absl::StatusOr<IndexExtents> indices = index_extents(in, in.shape(n), d.vector_dim);
  if (!indices.ok()) return indices.status();
  const std::vector<Extent> operand = extents(in.shape(0));
  const std::vector<Extent> updates = extents(in.shape(n + 1));
  if (updates.size() != d.offset.size() + indices->batch.size()) {
    return in.refuse("the updates, " + in.text(n + 1) + ", must have the window's dimensions and those of the indices");
  }
  const absl::Status fits = check(in, d, *indices, operand.size(), in.shape(n).dimensions.size());
  if (!fits.ok()) return fits;
  std::vector<Extent> window;
  for (std::size_t i = 0; i < operand.size(); ++i) {
    if (d.sliced(i)) window.push_back(operand[i]);
  }
  std::size_t next_window = 0;
  std::size_t next_batch = 0;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    if (contains(d.offset, static_cast<std::int64_t>(i))) {
      const Extent bound = window[next_window++];
      if (!updates[i].unbounded() && !bound.unbounded() && updates[i].size > bound.size) {
        return in.refuse("the updates, " + in.text(n + 1) + ", exceed the operand, " + in.text(0));
      }
    } else if (!may_equal(updates[i], indices->batch[next_batch++])) {
      return in.refuse("the updates, " + in.text(n + 1) + ", are not as many as the indices, " + in.text(n));
    }
  }
  std::vector<ElementType> types;
  std::vector<ShapeId> initial;
  std::vector<ShapeId> results;
  for (std::size_t i = 0; i < n; ++i) {
    types.push_back(in.shape(n + 1 + i).element_type);
    initial.push_back(in.scalar(in.shape(i).element_type));
    results.push_back(in.id(i));
  }
  std::vector<ElementType> reduced;
  const absl::Status reducer = check_reducer(in, AttributeKey::kToApply, types, initial, &reduced);
  if (!reducer.ok()) return reducer;
  return in.one_or_tuple(std::move(results));
}

}  // namespace hloroof::internal::inline infer
