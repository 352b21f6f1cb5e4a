// Products that are computed in parts.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "hloroof/attributes.h"
#include "hloroof/edit.h"
#include "lib/base/strings.h"
#include "lib/edit/all_or_nothing.h"

namespace hloroof::inline v0 {
namespace {

using internal::invalid_argument;

constexpr std::int64_t kNone = -1;  // the product does not have it there
constexpr std::int64_t kBad = -2;   // its attributes do not say where

// Where a dimension of one operand of a product occurs. The result does not have a contracted one.
struct SlicedDimension {
  std::array<std::int64_t, 2> of_operand = {kNone, kNone};
  std::int64_t of_result = kNone;
};

std::int64_t entry(const std::vector<std::int64_t>& list, std::size_t i) { return i < list.size() ? list[i] : kBad; }

std::int64_t label(std::int64_t dimension) { return dimension >= 0 ? dimension : kBad; }

std::size_t place_in(const std::vector<std::int64_t>& list, std::int64_t value) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), value) - list.begin());
}

SlicedDimension of_dot(InstructionView dot, std::size_t operand, std::int64_t dimension) {
  const DotDimensions all = dot_dimensions(dot);
  const std::vector<std::int64_t>* batch[2] = {&all.lhs_batch, &all.rhs_batch};
  const std::vector<std::int64_t>* contracting[2] = {&all.lhs_contracting, &all.rhs_contracting};
  SlicedDimension sliced;
  sliced.of_operand[operand] = dimension;
  if (const std::size_t i = place_in(*batch[operand], dimension); i < batch[operand]->size()) {
    sliced.of_operand[1 - operand] = entry(*batch[1 - operand], i);
    sliced.of_result = static_cast<std::int64_t>(i);
    return sliced;
  }
  if (const std::size_t i = place_in(*contracting[operand], dimension); i < contracting[operand]->size()) {
    sliced.of_operand[1 - operand] = entry(*contracting[1 - operand], i);
    return sliced;
  }
  // The result has the batch dimensions, those that only the first operand has, and those that only the second has.
  const auto is_free = [&](std::size_t of, std::int64_t d) {
    return place_in(*batch[of], d) == batch[of]->size() && place_in(*contracting[of], d) == contracting[of]->size();
  };
  sliced.of_result = static_cast<std::int64_t>(all.lhs_batch.size());
  if (operand == 1) {
    for (std::int64_t d = 0; d < dot.operand(0).shape().rank(); ++d) sliced.of_result += is_free(0, d) ? 1 : 0;
  }
  for (std::int64_t d = 0; d < dimension; ++d) sliced.of_result += is_free(operand, d) ? 1 : 0;
  return sliced;
}

SlicedDimension of_convolution(const ConvolutionDimensionNumbers& numbers, std::size_t operand,
                               std::int64_t dimension) {
  SlicedDimension sliced;
  sliced.of_operand[operand] = dimension;
  const std::int64_t contracted[2] = {numbers.lhs_feature, numbers.rhs_input_feature};
  if (dimension == contracted[operand]) {
    sliced.of_operand[1 - operand] = label(contracted[1 - operand]);
  } else {
    sliced.of_result = label(operand == 0 ? numbers.output_batch : numbers.output_feature);
  }
  return sliced;
}

bool has_groups(InstructionView convolution) {
  for (const AttributeKey key : {AttributeKey::kFeatureGroupCount, AttributeKey::kBatchGroupCount}) {
    if (convolution.has(key) && convolution.text(key) != "1") return true;
  }
  return false;
}

absl::StatusOr<SlicedDimension> find_dimension(InstructionView product, std::size_t operand, std::int64_t dimension) {
  const std::string name(product.name());
  const std::optional<ConvolutionDimensionNumbers> numbers = product.opcode() == Opcode::kConvolution
                                                                 ? convolution_dimension_numbers(product)
                                                                 : std::optional<ConvolutionDimensionNumbers>();
  const bool is_plain = numbers && numbers->lhs_spatial.empty() && !has_groups(product);
  if (product.opcode() != Opcode::kDot && !is_plain) {
    return invalid_argument(name + " is " + std::string(product.opcode_text()) +
                            "; only a dot, and a convolution without window and groups, can be sliced");
  }
  if (product.operand_count() != 2) return absl::UnimplementedError(name + " has other operands than two factors");
  const bool is_there = operand < 2 && dimension >= 0 && dimension < product.operand(operand).shape().rank();
  if (!is_there) {
    return invalid_argument("there is no dimension " + std::to_string(dimension) + " of operand " +
                            std::to_string(operand) + " of " + name);
  }
  return numbers ? of_convolution(*numbers, operand, dimension) : of_dot(product, operand, dimension);
}

// Whether a shape has the dimension with that size.
bool has_size(const Shape& shape, std::int64_t dimension, std::int64_t size) {
  if (dimension == kNone) return true;
  return dimension >= 0 && dimension < shape.rank() && shape.dimensions[static_cast<std::size_t>(dimension)] == size;
}

// Whether the shapes have the dimension as the attributes say. An edit need not have left them so.
bool is_consistent(InstructionView product, const SlicedDimension& sliced, std::int64_t size) {
  return has_size(product.operand(0).shape(), sliced.of_operand[0], size) &&
         has_size(product.operand(1).shape(), sliced.of_operand[1], size) &&
         has_size(product.shape(), sliced.of_result, size);
}

bool is_dynamic(InstructionView product) {
  return !product.shape().dynamic_dimensions.empty() || !product.operand(0).shape().dynamic_dimensions.empty() ||
         !product.operand(1).shape().dynamic_dimensions.empty();
}

// The shape with another size of a dimension.
ShapeId with_size(ModuleEditor& edit, ShapeId id, std::int64_t dimension, std::int64_t size) {
  Shape shape = edit.module().shape(id);
  shape.dimensions[static_cast<std::size_t>(dimension)] = size;
  return edit.shape(shape);
}

absl::StatusOr<InstructionId> insert_slice(ModuleEditor& edit, InstructionId before, InstructionId of,
                                           std::int64_t dimension, std::int64_t begin, std::int64_t size) {
  const InstructionView from = edit.module().instruction(of);
  std::vector<std::string> ranges;
  for (std::int64_t d = 0; d < from.shape().rank(); ++d) {
    const std::int64_t first = d == dimension ? begin : 0;
    const std::int64_t end = d == dimension ? begin + size : from.shape().dimensions[static_cast<std::size_t>(d)];
    ranges.push_back("[" + std::to_string(first) + ":" + std::to_string(end) + "]");
  }
  NewInstruction slice;
  slice.opcode = Opcode::kSlice;
  slice.operands = {of};
  slice.shape_id = with_size(edit, from.shape_id(), dimension, size);
  slice.attributes = {{AttributeKey::kSlice, "{" + absl::StrJoin(ranges, ", ") + "}", {}}};
  return edit.insert_before(before, slice);
}

// One of `parts` equal parts of a product, before it.
absl::StatusOr<InstructionId> insert_part(ModuleEditor& edit, InstructionId product, const SlicedDimension& sliced,
                                          std::int64_t part, std::int64_t size) {
  const InstructionView whole = edit.module().instruction(product);
  CloneChanges changes;
  changes.before = product;
  changes.operands = {whole.operand_ids()[0], whole.operand_ids()[1]};
  changes.shape_id =
      sliced.of_result == kNone ? whole.shape_id() : with_size(edit, whole.shape_id(), sliced.of_result, size);
  for (std::size_t i = 0; i < 2; ++i) {
    if (sliced.of_operand[i] == kNone) continue;
    const absl::StatusOr<InstructionId> slice =
        insert_slice(edit, product, changes.operands[i], sliced.of_operand[i], part * size, size);
    if (!slice.ok()) return slice.status();
    changes.operands[i] = *slice;
  }
  absl::StatusOr<InstructionId> made = edit.clone(product, changes);
  // What the backend decided, such as the tiles and how long they take, is of the whole product.
  if (made.ok() && edit.module().instruction(*made).has(AttributeKey::kBackendConfig)) {
    const absl::Status status = edit.remove_attribute(*made, AttributeKey::kBackendConfig);
    if (!status.ok()) return status;
  }
  return made;
}

absl::StatusOr<InstructionId> insert_whole(ModuleEditor& edit, InstructionId product, const SlicedDimension& sliced,
                                           const std::vector<InstructionId>& parts) {
  NewInstruction whole;
  whole.shape_id = edit.module().instruction(product).shape_id();
  if (sliced.of_result != kNone) {
    whole.opcode = Opcode::kConcatenate;
    whole.operands = parts;
    whole.attributes = {{AttributeKey::kDimensions, "{" + std::to_string(sliced.of_result) + "}", {}}};
    return edit.insert_before(product, whole);
  }
  whole.opcode = Opcode::kAdd;
  InstructionId sum = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    whole.operands = {sum, parts[i]};
    const absl::StatusOr<InstructionId> next = edit.insert_before(product, whole);
    if (!next.ok()) return next.status();
    sum = *next;
  }
  return sum;
}

}  // namespace

absl::StatusOr<SlicedDot> slice_dot(ModuleEditor& edit, InstructionId id, std::size_t operand, std::int64_t dimension,
                                    std::int64_t parts) {
  if (!edit.is_alive(id)) return invalid_argument("there is no such instruction");
  const InstructionView product = edit.module().instruction(id);
  const std::string name(product.name());
  const absl::StatusOr<SlicedDimension> sliced = find_dimension(product, operand, dimension);
  if (!sliced.ok()) return sliced.status();
  const Shape& shape = product.operand(operand).shape();
  const std::int64_t size = shape.dimensions[static_cast<std::size_t>(dimension)];
  if (parts < 2 || size <= 0 || size % parts != 0) {
    return invalid_argument("dimension " + std::to_string(dimension) + " of operand " + std::to_string(operand) +
                            " of " + name + " has the size " + std::to_string(size) + ", which is not " +
                            std::to_string(parts) + " equal parts");
  }
  if (!is_consistent(product, *sliced, size)) {
    return invalid_argument("the shapes of " + name + " and of its operands do not fit its dimensions");
  }
  if (is_dynamic(product)) return absl::UnimplementedError(name + " has a dynamic dimension");
  if (internal::has_control_edges(product)) {
    return absl::UnimplementedError(name + " has control edges, which would be lost");
  }
  SlicedDot made;
  const absl::Status status = internal::all_or_nothing(edit, [&]() -> absl::Status {
    for (std::int64_t part = 0; part < parts; ++part) {
      const absl::StatusOr<InstructionId> one = insert_part(edit, id, *sliced, part, size / parts);
      if (!one.ok()) return one.status();
      made.parts.push_back(*one);
    }
    const absl::StatusOr<InstructionId> whole = insert_whole(edit, id, *sliced, made.parts);
    if (!whole.ok()) return whole.status();
    made.result = *whole;
    if (absl::Status replaced = edit.replace_all_uses(id, *whole); !replaced.ok()) return replaced;
    return edit.erase(id);
  });
  if (!status.ok()) return status;
  return made;
}

}  // namespace hloroof::inline v0
