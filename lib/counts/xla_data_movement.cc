// Counts for copies, slices and in-place updates. A slice counts the elements it extracts and not its whole operand.
// Any opcode that is not named here, such as reshape, counts its operands and its result.
#include <vector>

#include "lib/counts/xla_counts.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline counts {
namespace {

// Entry `i` of a layout's minor-to-major order. The order is descending if the text states no layout.
std::int64_t minor_to_major(const Shape& shape, std::size_t i) {
  if (shape.layout.present && shape.layout.minor_to_major.size() == shape.dimensions.size()) {
    return shape.layout.minor_to_major[i];
  }
  return static_cast<std::int64_t>(shape.dimensions.size() - 1 - i);
}

// Whether a transpose only renames dimensions, because the layouts differ by the same permutation as the dimensions.
// Tiles are ignored.
bool transpose_is_bitcast(InstructionView transpose) {
  if (transpose.operand_count() != 1) return false;
  const Shape& input = transpose.operand(0).shape();
  const Shape& output = transpose.shape();
  const std::vector<std::int64_t> permutation = integers(transpose, AttributeKey::kDimensions);
  if (!input.is_array() || !output.is_array() || input.element_type != output.element_type) return false;
  if (permutation.size() != input.dimensions.size() || permutation.size() != output.dimensions.size()) return false;
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    const std::int64_t from = minor_to_major(output, i);
    if (from < 0 || from >= static_cast<std::int64_t>(permutation.size())) return false;
    if (permutation[static_cast<std::size_t>(from)] != minor_to_major(input, i)) return false;
  }
  return true;
}

}  // namespace

void count_data_movement(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  switch (instruction.opcode()) {
    case Opcode::kTranspose:
      if (transpose_is_bitcast(instruction)) row.clear_bytes();
      return;
    case Opcode::kSlice:
      row.set_operand(0, row.output_bytes);
      row.bytes = context.multiply(2, row.output_bytes);
      return;
    case Opcode::kDynamicSlice:
      // Only the first of the start indices is counted.
      row.set_operand(0, row.output_bytes);
      row.bytes = context.multiply(2, row.output_bytes);
      if (instruction.operand_count() > 1) row.bytes = context.add(row.bytes, context.bytes(instruction.operand(1)));
      return;
    case Opcode::kDynamicUpdateSlice: {
      // In place: the update is read and written, and the rest of the array is not touched.
      if (instruction.operand_count() < 2) return;
      const double update = context.bytes(instruction.operand(1));
      row.set_operand(0, 0);
      row.output_bytes = update;
      row.bytes = context.multiply(2, update);
      if (instruction.operand_count() > 2) row.bytes = context.add(row.bytes, context.bytes(instruction.operand(2)));
      return;
    }
    default: return;
  }
}

}  // namespace hloroof::internal::inline counts
