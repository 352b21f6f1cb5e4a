// Result shapes of opcodes that apply a computation to elements: reductions, windows, sorts, maps, scans.
#include <algorithm>
#include <string>
#include <utility>

#include "lib/infer/infer_shape.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline infer {
namespace {

absl::Status expect_same_extents(const ShapeInference& in, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (absl::Status status = in.expect_array(i, "operand"); !status.ok()) return status;
    const std::vector<Extent> first = extents(in.shape(0));
    const std::vector<Extent> other = extents(in.shape(i));
    bool fits = first.size() == other.size();
    for (std::size_t d = 0; fits && d < first.size(); ++d) fits = may_equal(first[d], other[d]);
    if (!fits) return in.refuse("operands of different dimensions: " + in.text(0) + " and " + in.text(i));
  }
  return absl::OkStatus();
}

// The element types of the first `count` operands.
std::vector<ElementType> types_of(const ShapeInference& in, std::size_t count) {
  std::vector<ElementType> types;
  for (std::size_t i = 0; i < count; ++i) types.push_back(in.shape(i).element_type);
  return types;
}

bool is_scalar(const Shape& shape) { return shape.is_array() && shape.rank() == 0; }

// One array of these extents per type; a tuple if there are several.
ShapeId arrays(const ShapeInference& in, const std::vector<ElementType>& types, const std::vector<Extent>& extents) {
  std::vector<ShapeId> results;
  results.reserve(types.size());
  for (const ElementType type : types) results.push_back(in.array(type, extents));
  return in.one_or_tuple(std::move(results));
}

}  // namespace

// Checks reducer(accumulator..., value...) -> accumulator... of scalars, with n of each for n arrays.
absl::Status check_reducer(const ShapeInference& in, AttributeKey key, const std::vector<ElementType>& types,
                           const std::vector<ShapeId>& initial, std::vector<ElementType>* results) {
  const std::vector<ComputationView> called = in.computations(key);
  const std::string name(to_string(key));
  if (called.empty() || !row_of(called[0]).root.valid())
    return in.refuse("the computation of " + name + " is not known");
  const std::size_t n = types.size();
  const std::vector<InstructionId> parameters = called[0].parameters();
  if (parameters.size() != 2 * n) {
    return in.refuse(name + " must take " + std::to_string(2 * n) + " parameters, but takes " +
                     std::to_string(parameters.size()));
  }
  const ShapeId root = called[0].root().shape_id();
  std::vector<ShapeId> accumulators;
  if (in.shapes[root].is_tuple()) {
    accumulators = in.shapes[root].elements;
  } else {
    accumulators.push_back(root);
  }
  if (accumulators.size() != n)
    return in.refuse(name + " must return " + std::to_string(n) + " values, but returns " + in.text(root));
  results->clear();
  for (std::size_t i = 0; i < n; ++i) {
    const Shape& accumulator = in.shapes[accumulators[i]];
    const Shape& left = in.shapes[row_of(in.module, parameters[i]).shape];
    const Shape& right = in.shapes[row_of(in.module, parameters[n + i]).shape];
    const Shape& init = in.shapes[initial[i]];
    if (!is_scalar(accumulator) || !is_scalar(left) || !is_scalar(right))
      return in.refuse(name + " must be a function of scalars");
    if (left.element_type != accumulator.element_type) {
      return in.refuse("parameter " + std::to_string(i) + " of " + name + " has a different type from its result");
    }
    if (!is_scalar(init) || !same_type_but_precision(init.element_type, accumulator.element_type)) {
      return in.refuse(name + " accumulates " + in.text(accumulators[i]) + ", but the initial value is " +
                       in.text(initial[i]));
    }
    if (!same_type_but_precision(types[i], right.element_type) ||
        !same_type_but_precision(accumulator.element_type, right.element_type)) {
      return in.refuse("parameter " + std::to_string(n + i) + " of " + name +
                       " has a different type from the values, " + std::string(to_string(types[i])));
    }
    results->push_back(accumulator.element_type);
  }
  return absl::OkStatus();
}

InferredShape infer_reduce(const ShapeInference& in) {
  const std::size_t n = in.count() / 2;
  if (absl::Status status = expect_same_extents(in, n); !status.ok()) return status;
  const std::vector<std::int64_t> dimensions = in.list(AttributeKey::kDimensions);
  const std::vector<Extent> all = extents(in.shape(0));
  if (!distinct_dimensions(dimensions, all.size())) {
    return in.refuse("dimensions must be distinct ones of the operand, " + in.text(0));
  }
  std::vector<ShapeId> initial;
  for (std::size_t i = 0; i < n; ++i) initial.push_back(in.id(n + i));
  std::vector<ElementType> results;
  const absl::Status fits = check_reducer(in, AttributeKey::kToApply, types_of(in, n), initial, &results);
  if (!fits.ok()) return fits;
  std::vector<Extent> kept;
  for (std::size_t d = 0; d < all.size(); ++d) {
    if (!contains(dimensions, static_cast<std::int64_t>(d))) kept.push_back(all[d]);
  }
  return arrays(in, results, kept);
}

// (padded base - dilated window) / stride + 1 in each dimension
absl::StatusOr<std::vector<Extent>> window_extents(const ShapeInference& in, const std::vector<Extent>& base,
                                                   const Window& window) {
  if (window.dimensions.size() != base.size()) {
    return in.refuse("a window of " + std::to_string(window.dimensions.size()) + " dimensions over " +
                     std::to_string(base.size()));
  }
  std::vector<Extent> result = base;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const WindowDimension& w = window.dimensions[i];
    if (w.size <= 0 || w.stride <= 0 || w.base_dilation <= 0 || w.window_dilation <= 0) {
      return in.refuse("size, stride and dilation of a window must be positive");
    }
    if (base[i].unbounded()) continue;
    std::int64_t dilated = 0;
    std::int64_t padded = 0;
    std::int64_t reach = 0;
    const bool overflow =
        __builtin_mul_overflow(base[i].size > 0 ? base[i].size - 1 : 0, w.base_dilation, &dilated) ||
        __builtin_add_overflow(dilated, base[i].size > 0 ? 1 : 0, &dilated) ||
        __builtin_add_overflow(dilated, w.pad_low, &padded) || __builtin_add_overflow(padded, w.pad_high, &padded) ||
        __builtin_mul_overflow(w.size - 1, w.window_dilation, &reach) || __builtin_add_overflow(reach, 1, &reach);
    if (overflow || padded < 0)
      return in.refuse("padding leaves no valid size of window dimension " + std::to_string(i));
    result[i].size = padded < reach ? 0 : (padded - reach) / w.stride + 1;
  }
  return result;
}

// Supports several inputs; XLA infers the shape only for one.
InferredShape infer_reduce_window(const ShapeInference& in) {
  const std::size_t n = in.count() / 2;
  if (absl::Status status = expect_same_extents(in, n); !status.ok()) return status;
  std::vector<ShapeId> initial;
  std::vector<ElementType> initial_types;
  for (std::size_t i = 0; i < n; ++i) {
    initial.push_back(in.id(n + i));
    initial_types.push_back(in.shape(n + i).element_type);
  }
  std::vector<ElementType> results;
  const absl::Status fits = check_reducer(in, AttributeKey::kToApply, types_of(in, n), initial, &results);
  if (!fits.ok()) return fits;
  const absl::StatusOr<std::vector<Extent>> slid = window_extents(in, extents(in.shape(0)), in.window());
  if (!slid.ok()) return slid.status();
  return arrays(in, initial_types, *slid);
}

// The shape of the operand. Each source value is added at the position that `select` chose in its window.
InferredShape infer_select_and_scatter(const ShapeInference& in) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (absl::Status status = in.expect_array(i, i == 0 ? "operand" : "source"); !status.ok()) return status;
  }
  const Shape& operand = in.shape(0);
  const Shape& source = in.shape(1);
  const std::vector<ComputationView> select = in.computations(AttributeKey::kSelect);
  if (select.empty() || !row_of(select[0]).root.valid()) return in.refuse("the computation of select is not known");
  const std::vector<InstructionId> parameters = select[0].parameters();
  const Shape& chosen = select[0].root().shape();
  bool good = parameters.size() == 2 && is_scalar(chosen) && chosen.element_type == ElementType::kPred;
  for (const InstructionId parameter : parameters) {
    const Shape& shape = in.shapes[row_of(in.module, parameter).shape];
    good = good && is_scalar(shape) && same_type_but_precision(shape.element_type, operand.element_type);
  }
  if (!good) return in.refuse("select must be a function of two of the operand's elements to pred[]");
  std::vector<ElementType> results;
  const absl::Status fits = check_reducer(in, AttributeKey::kScatter, {source.element_type}, {in.id(2)}, &results);
  if (!fits.ok()) return fits;
  const absl::StatusOr<std::vector<Extent>> slid = window_extents(in, extents(operand), in.window());
  if (!slid.ok()) return slid.status();
  const std::vector<Extent> given = extents(source);
  good = given.size() == slid->size() && same_type_but_precision(operand.element_type, source.element_type);
  for (std::size_t i = 0; good && i < given.size(); ++i) good = may_equal(given[i], (*slid)[i]);
  if (!good)
    return in.refuse("the source, " + in.text(1) + ", does not have one element per window of the operand, " +
                     in.text(0));
  return in.id(0);
}

InferredShape infer_sort(const ShapeInference& in) {
  if (in.count() == 1) return in.id(0);
  if (absl::Status status = expect_same_extents(in, in.count()); !status.ok()) return status;
  std::vector<ShapeId> results;
  for (std::size_t i = 0; i < in.count(); ++i) results.push_back(in.id(i));
  return in.tuple(std::move(results));
}

// The first k elements of each sorted row, and their indices.
InferredShape infer_top_k(const ShapeInference& in) {
  if (absl::Status status = in.expect_array(0, "operand"); !status.ok()) return status;
  const std::int64_t k = in.integer(AttributeKey::kK, 0);
  std::vector<Extent> result = extents(in.shape(0));
  if (result.empty() || k < 0 || (!result.back().unbounded() && result.back().size < k)) {
    return in.refuse("the last dimension of " + in.text(0) + " has fewer than " + std::to_string(k) + " elements");
  }
  result.back() = {k, false};
  return in.tuple({in.array(in.shape(0).element_type, result), in.array(ElementType::kS32, result)});
}

// `dimensions`, if present, must list all dimensions in order.
InferredShape infer_map(const ShapeInference& in) {
  const std::vector<ComputationView> called = in.computations(AttributeKey::kToApply);
  if (called.empty() || !row_of(called[0]).root.valid()) return in.refuse("the computation of to_apply is not known");
  if (in.count() == 0) return in.refuse("a map needs an operand");
  std::vector<Extent> all;
  for (std::size_t i = 0; i < in.count(); ++i) {
    if (absl::Status status = in.expect_array(i, "operand"); !status.ok()) return status;
    const std::vector<Extent> other = extents(in.shape(i));
    if (other.empty()) continue;  // a scalar matches any shape
    bool fits = all.empty() || all.size() == other.size();
    for (std::size_t d = 0; fits && d < all.size(); ++d) fits = may_equal(all[d], other[d]);
    if (!fits) return in.refuse("operands of different dimensions: " + in.text(0) + " and " + in.text(i));
    if (all.empty()) all = other;
  }
  if (in.find(AttributeKey::kDimensions) != nullptr) {
    const std::vector<std::int64_t> dimensions = in.list(AttributeKey::kDimensions);
    bool fits = dimensions.size() == all.size();
    for (std::size_t d = 0; fits && d < all.size(); ++d) fits = dimensions[d] == static_cast<std::int64_t>(d);
    if (!fits) return in.refuse("dimensions must list all dimensions of the operands in order");
  }
  const std::vector<InstructionId> parameters = called[0].parameters();
  const Shape& root = called[0].root().shape();
  if (parameters.size() != in.count()) {
    return in.refuse("to_apply takes " + std::to_string(parameters.size()) + " parameters, but the map has " +
                     std::to_string(in.count()) + " operands");
  }
  if (!is_scalar(root)) return in.refuse("to_apply must return a scalar");
  for (std::size_t i = 0; i < in.count(); ++i) {
    const Shape& parameter = in.shapes[row_of(in.module, parameters[i]).shape];
    if (!is_scalar(parameter) || !same_type_but_precision(parameter.element_type, in.shape(i).element_type)) {
      return in.refuse("parameter " + std::to_string(i) + " of to_apply does not match the elements of " + in.text(i));
    }
  }
  return in.array(root.element_type, all);
}

// A step returns its outputs, which are stacked into arrays, and then the carries, of which the last are the result.
InferredShape infer_scan(const ShapeInference& in) {
  const std::vector<ComputationView> called = in.computations(AttributeKey::kToApply);
  if (called.empty() || !row_of(called[0]).root.valid()) return in.refuse("the computation of to_apply is not known");
  const std::int64_t carries = in.integer(AttributeKey::kNumCarries, 0);
  if (carries < 0 || static_cast<std::uint64_t>(carries) >= in.count()) {
    return in.refuse("a scan of " + std::to_string(in.count()) + " operands and " + std::to_string(carries) +
                     " carries has no inputs");
  }
  const std::vector<std::int64_t> dimensions = in.list(AttributeKey::kDimensions);
  const std::int64_t along = dimensions.empty() ? 0 : dimensions[0];
  const ShapeId root = called[0].root().shape_id();
  const std::vector<ShapeId> step = in.shapes[root].is_tuple() ? in.shapes[root].elements : std::vector<ShapeId>{root};
  const std::size_t outputs = step.size() - std::min(step.size(), static_cast<std::size_t>(carries));
  std::vector<ShapeId> results;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (i >= outputs) {
      results.push_back(step[i]);
      continue;
    }
    const Shape& input = in.shape(0);
    const Shape& output = in.shapes[step[i]];
    if (!input.is_array() || !output.is_array() || along < 0 || along >= input.rank() || along > output.rank()) {
      return in.refuse("no dimension " + std::to_string(along) + " to scan along");
    }
    std::vector<Extent> stacked = extents(output);
    stacked.insert(stacked.begin() + along, Extent{input.dimensions[static_cast<std::size_t>(along)], false});
    results.push_back(in.array(output.element_type, stacked));
  }
  return in.shapes[root].is_tuple() ? in.tuple(std::move(results)) : results[0];
}

}  // namespace hloroof::internal::inline infer
