// Writes what the opcode of an instruction demands: dimension numbers, windows, precision and groups.
#include <algorithm>

#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/proto/encode.h"
#include "lib/proto/fields.h"
#include "lib/proto/precision_words.h"
#include "lib/proto/proto_words.h"

namespace hloroof::internal::inline proto {
namespace {

namespace f = fields::instruction;

std::string dot_proto(const DotDimensions& dot) {
  WireWriter out;
  out.packed(fields::dot::kLhsContracting, dot.lhs_contracting);
  out.packed(fields::dot::kRhsContracting, dot.rhs_contracting);
  out.packed(fields::dot::kLhsBatch, dot.lhs_batch);
  out.packed(fields::dot::kRhsBatch, dot.rhs_batch);
  return out.take();
}

void append_dot(InstructionView i, WireWriter& out) {
  const DotDimensions dot = dot_dimensions(i);
  if (i.opcode() != Opcode::kRaggedDot) return out.bytes(f::kDot, dot_proto(dot));
  WireWriter ragged;
  ragged.bytes(fields::ragged_dot::kDot, dot_proto(dot));
  ragged.packed(fields::ragged_dot::kLhsRagged, dot.lhs_ragged);
  ragged.packed(fields::ragged_dot::kRhsGroup, dot.rhs_group);
  out.bytes(f::kRaggedDot, ragged.view());
}

void append_gather(InstructionView i, WireWriter& out) {
  namespace g = fields::gather;
  const GatherDimensions d = gather_dimensions(i);
  WireWriter numbers;
  numbers.packed(g::kOffsetDims, d.offset_dims);
  numbers.packed(g::kCollapsed, d.collapsed_slice_dims);
  numbers.packed(g::kStartIndexMap, d.start_index_map);
  numbers.integer(g::kIndexVectorDim, d.index_vector_dim);
  numbers.packed(g::kOperandBatching, d.operand_batching_dims);
  numbers.packed(g::kIndicesBatching, d.start_indices_batching_dims);
  out.bytes(f::kGather, numbers.view());
  out.packed(f::kGatherSizes, d.slice_sizes);
}

void append_scatter(InstructionView i, WireWriter& out) {
  namespace g = fields::gather;  // the same field numbers
  const ScatterDimensions d = scatter_dimensions(i);
  WireWriter numbers;
  numbers.packed(g::kOffsetDims, d.update_window_dims);
  numbers.packed(g::kCollapsed, d.inserted_window_dims);
  numbers.packed(g::kStartIndexMap, d.scatter_dims_to_operand_dims);
  numbers.integer(g::kIndexVectorDim, d.index_vector_dim);
  numbers.packed(g::kOperandBatching, d.input_batching_dims);
  numbers.packed(g::kIndicesBatching, d.scatter_indices_batching_dims);
  out.bytes(f::kScatter, numbers.view());
}

void append_triangular(InstructionView i, WireWriter& out) {
  namespace t = fields::triangular;
  WireWriter options;
  options.integer(t::kLeft, flag(i, AttributeKey::kLeftSide) ? 1 : 0);
  options.integer(t::kLower, flag(i, AttributeKey::kLower) ? 1 : 0);
  options.integer(t::kUnit, flag(i, AttributeKey::kUnitDiagonal) ? 1 : 0);
  const std::int64_t transpose = number_of_word(word(i, AttributeKey::kTransposeA), kTransposeWords);
  options.integer(t::kTranspose, std::max<std::int64_t>(transpose, 0));
  out.bytes(f::kTriangularSolve, options.view());
}

// XLA writes the precision of every operand, also if it is the default.
void append_precision(InstructionView i, std::size_t operands, WireWriter& out) {
  WireWriter config;
  std::vector<std::int64_t> precisions;
  const std::vector<Precision> given = operand_precision(i);
  precisions.reserve(given.size());
  for (Precision p : given) precisions.push_back(static_cast<std::int64_t>(p));
  if (precisions.empty()) precisions.assign(operands, 0);
  config.packed(fields::precision::kOperands, precisions);
  const std::string_view algorithm = word(i, AttributeKey::kAlgorithm);
  if (!algorithm.empty()) {
    config.integer(fields::precision::kAlgorithm,
                   std::max<std::int64_t>(number_of_word(algorithm, dot_algorithm_words()), 0));
  }
  out.bytes(f::kPrecision, config.view());
}

void append_window_and_labels(InstructionView i, bool needs_window, WireWriter& out) {
  const std::optional<Window> w = window(i);
  if (w || needs_window) out.bytes(f::kWindow, window_proto(w.value_or(Window())));
  if (const auto numbers = convolution_dimension_numbers(i)) out.bytes(f::kConvolution, convolution_proto(*numbers));
}

}  // namespace

std::string window_proto(const Window& window) {
  namespace w = fields::window;
  WireWriter out;
  for (const WindowDimension& d : window.dimensions) {
    WireWriter dimension;
    dimension.integer(w::kSize, d.size);
    dimension.integer(w::kStride, d.stride);
    dimension.integer(w::kLow, d.pad_low);
    dimension.integer(w::kHigh, d.pad_high);
    dimension.integer(w::kDilation, d.window_dilation);
    dimension.integer(w::kBaseDilation, d.base_dilation);
    dimension.integer(w::kReversal, d.reversal ? 1 : 0);
    out.bytes(w::kDimensions, dimension.view());
  }
  return out.take();
}

std::string convolution_proto(const ConvolutionDimensionNumbers& numbers) {
  namespace c = fields::convolution;
  WireWriter out;
  out.integer(c::kKernelInput, numbers.rhs_input_feature);
  out.integer(c::kKernelOutput, numbers.rhs_output_feature);
  out.packed(c::kKernelSpatial, numbers.rhs_spatial);
  out.integer(c::kInputBatch, numbers.lhs_batch);
  out.integer(c::kInputFeature, numbers.lhs_feature);
  out.integer(c::kOutputBatch, numbers.output_batch);
  out.integer(c::kOutputFeature, numbers.output_feature);
  out.packed(c::kInputSpatial, numbers.lhs_spatial);
  out.packed(c::kOutputSpatial, numbers.output_spatial);
  return out.take();
}

void append_of_opcode(InstructionView i, WireWriter& out) {
  switch (i.opcode()) {
    case Opcode::kParameter: return out.integer(f::kParameter, i.parameter_number());
    case Opcode::kGetTupleElement: return out.integer(f::kTupleIndex, i.tuple_index());
    case Opcode::kCompare: {
      if (i.has(AttributeKey::kType) || i.has(AttributeKey::kOrder) || i.operand_count() == 0) return;
      const ElementKind of = kind(i.operand(0).shape().element_type);
      const bool is_unsigned = of == ElementKind::kUnsigned || of == ElementKind::kPredicate;
      return out.text(f::kComparisonType, of == ElementKind::kSigned ? "SIGNED" : (is_unsigned ? "UNSIGNED" : "FLOAT"));
    }
    case Opcode::kConvolution:
    case Opcode::kCustomCall:
      append_window_and_labels(i, i.opcode() == Opcode::kConvolution, out);
      out.integer(f::kFeatureGroups, integer_or(i, AttributeKey::kFeatureGroupCount, 1));
      out.integer(f::kBatchGroups, integer_or(i, AttributeKey::kBatchGroupCount, 1));
      append_precision(i, i.operand_count(), out);
      if (i.opcode() == Opcode::kConvolution) return;
      return out.integer(f::kApiVersion, i.has(AttributeKey::kApiVersion)
                                             ? number_of_word(word(i, AttributeKey::kApiVersion), kApiVersionWords)
                                             : 1);
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter: return append_window_and_labels(i, true, out);
    case Opcode::kDot:
    case Opcode::kScaledDot:
    case Opcode::kRaggedDot: append_dot(i, out); return append_precision(i, 2, out);
    case Opcode::kGather: return append_gather(i, out);
    case Opcode::kScatter: return append_scatter(i, out);
    case Opcode::kTriangularSolve: return append_triangular(i, out);
    case Opcode::kCholesky: {
      WireWriter options;
      options.integer(1, flag(i, AttributeKey::kLower) ? 1 : 0);
      return out.bytes(f::kCholesky, options.view());
    }
    case Opcode::kTopk: {
      if (!i.has(AttributeKey::kLargest)) out.integer(f::kLargest, 1);
      return;
    }
    default: break;
  }
  const auto communicates = collective_kind(i.opcode());
  const bool has_groups =
      communicates && *communicates != CollectiveKind::kSend && *communicates != CollectiveKind::kRecv &&
      *communicates != CollectiveKind::kCollectivePermute && async_role(i.opcode()) != AsyncRole::kDone;
  if (has_groups) append_replica_groups(replica_groups(i).value_or(ReplicaGroups()), out);
}

}  // namespace hloroof::internal::inline proto
