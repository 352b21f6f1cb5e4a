// The functions of hloroof/attributes.h and attribute_values.h that decode a single attribute.
#include "lib/values/decode.h"

#include <string>
#include <utility>

#include "hloroof/attributes.h"
#include "lib/values/attribute_values.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline values {

std::optional<std::int64_t> integer(InstructionView instruction, AttributeKey key) {
  return decode<std::int64_t>(instruction, key, read_integer);
}

std::int64_t integer_or(InstructionView instruction, AttributeKey key, std::int64_t fallback) {
  return integer(instruction, key).value_or(fallback);
}

bool flag(InstructionView instruction, AttributeKey key, bool fallback) {
  const auto read = [](Cursor& cursor, bool* out) { return cursor.read_bool(out); };
  return decode<bool>(instruction, key, read).value_or(fallback);
}

std::optional<double> number(InstructionView instruction, AttributeKey key) {
  return decode<double>(instruction, key, read_double);
}

std::vector<std::int64_t> integers(InstructionView instruction, AttributeKey key) {
  auto flat = decode<std::vector<std::int64_t>>(instruction, key, read_integer_list);
  if (flat.has_value()) return *std::move(flat);
  std::vector<std::int64_t> all;
  for (const std::vector<std::int64_t>& list : integer_lists(instruction, key)) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

std::vector<std::vector<std::int64_t>> integer_lists(InstructionView instruction, AttributeKey key) {
  return decode<std::vector<std::vector<std::int64_t>>>(instruction, key, read_integer_list_list)
      .value_or(std::vector<std::vector<std::int64_t>>());
}

std::vector<bool> flags(InstructionView instruction, AttributeKey key) {
  return decode<std::vector<bool>>(instruction, key, read_bool_or_list).value_or(std::vector<bool>());
}

std::string_view word(InstructionView instruction, AttributeKey key) {
  const auto read = [](Cursor& cursor, std::string_view* out) {
    *out = cursor.accept_word();
    return !out->empty();
  };
  return decode<std::string_view>(instruction, key, read).value_or(std::string_view());
}

std::string string_value(InstructionView instruction, AttributeKey key) {
  const auto read = [](Cursor& cursor, std::string_view* out) { return cursor.read_string(out); };
  const auto raw = decode<std::string_view>(instruction, key, read);
  return raw.has_value() ? unescape(*raw) : std::string();
}

std::vector<Precision> operand_precision(InstructionView instruction) {
  return decode<std::vector<Precision>>(instruction, AttributeKey::kOperandPrecision, read_precision_list)
      .value_or(std::vector<Precision>());
}

std::vector<PaddingDimension> padding(InstructionView instruction) {
  return decode<std::vector<PaddingDimension>>(instruction, AttributeKey::kPadding, read_padding_dimensions)
      .value_or(std::vector<PaddingDimension>());
}

std::vector<SliceRange> slice_ranges(InstructionView instruction) {
  return decode<std::vector<SliceRange>>(instruction, AttributeKey::kSlice, read_slice_ranges)
      .value_or(std::vector<SliceRange>());
}

GatherDimensions gather_dimensions(InstructionView instruction) {
  GatherDimensions d;
  d.offset_dims = integers(instruction, AttributeKey::kOffsetDims);
  d.collapsed_slice_dims = integers(instruction, AttributeKey::kCollapsedSliceDims);
  d.start_index_map = integers(instruction, AttributeKey::kStartIndexMap);
  d.operand_batching_dims = integers(instruction, AttributeKey::kOperandBatchingDims);
  d.start_indices_batching_dims = integers(instruction, AttributeKey::kStartIndicesBatchingDims);
  d.index_vector_dim = integer_or(instruction, AttributeKey::kIndexVectorDim, 0);
  d.slice_sizes = integers(instruction, AttributeKey::kSliceSizes);
  return d;
}

ScatterDimensions scatter_dimensions(InstructionView instruction) {
  ScatterDimensions d;
  d.update_window_dims = integers(instruction, AttributeKey::kUpdateWindowDims);
  d.inserted_window_dims = integers(instruction, AttributeKey::kInsertedWindowDims);
  d.scatter_dims_to_operand_dims = integers(instruction, AttributeKey::kScatterDimsToOperandDims);
  d.input_batching_dims = integers(instruction, AttributeKey::kInputBatchingDims);
  d.scatter_indices_batching_dims = integers(instruction, AttributeKey::kScatterIndicesBatchingDims);
  d.index_vector_dim = integer_or(instruction, AttributeKey::kIndexVectorDim, 0);
  return d;
}
absl::StatusOr<ReplicaGroups> parse_replica_groups(std::string_view text) {
  return parse_text<ReplicaGroups>(text, read_replica_groups);
}

}  // namespace hloroof::internal::inline values

namespace hloroof::inline v0 {
using namespace internal;

std::optional<Window> window(InstructionView instruction) {
  return decode<Window>(instruction, AttributeKey::kWindow, read_window);
}

std::optional<ConvolutionDimensionNumbers> convolution_dimension_numbers(InstructionView instruction) {
  return decode<ConvolutionDimensionNumbers>(instruction, AttributeKey::kDimLabels, read_dim_label_numbers);
}

DotDimensions dot_dimensions(InstructionView instruction) {
  DotDimensions d;
  d.lhs_contracting = integers(instruction, AttributeKey::kLhsContractingDims);
  d.rhs_contracting = integers(instruction, AttributeKey::kRhsContractingDims);
  d.lhs_batch = integers(instruction, AttributeKey::kLhsBatchDims);
  d.rhs_batch = integers(instruction, AttributeKey::kRhsBatchDims);
  d.lhs_ragged = integers(instruction, AttributeKey::kLhsRaggedDims);
  d.rhs_group = integers(instruction, AttributeKey::kRhsGroupDims);
  return d;
}

std::optional<ReplicaGroups> replica_groups(InstructionView instruction) {
  return decode<ReplicaGroups>(instruction, AttributeKey::kReplicaGroups, read_replica_groups);
}

std::vector<std::pair<std::int64_t, std::int64_t>> source_target_pairs(InstructionView instruction) {
  using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
  if (instruction.opcode() != Opcode::kSend && instruction.opcode() != Opcode::kRecv) {
    return decode<Pairs>(instruction, AttributeKey::kSourceTargetPairs, read_source_target_pairs).value_or(Pairs());
  }
  for (const auto& [key, value] : frontend_attributes(instruction)) {
    if (key != "_xla_send_recv_source_target_pairs") continue;
    return decode_text<Pairs>(value, read_source_target_pairs).value_or(Pairs());
  }
  return {};
}

}  // namespace hloroof::inline v0
