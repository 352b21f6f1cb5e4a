// Writes the attributes of an instruction: what the CreateFromProto functions of openxla/xla
// xla/hlo/ir/hlo_instruction.cc read, 2026-08.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "absl/strings/ascii.h"
#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/proto/fields.h"
#include "lib/proto/precision_words.h"
#include "lib/text/decode.h"
#include "lib/text/encode.h"
#include "lib/text/values.h"

namespace hloroof::internal {
namespace {

namespace f = proto::instruction;

using Words = absl::Span<const std::string_view>;

// The position of a word in the order of an enum of the proto, in any case of letters; -1 if it is none of them.
std::int64_t number_of_word(std::string_view word, Words words) {
  const std::string lower = absl::AsciiStrToLower(to_absl(word));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (absl::AsciiStrToLower(to_absl(words[i])) == lower) return static_cast<std::int64_t>(i);
  }
  return -1;
}

constexpr std::string_view kFftTypeWords[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kPaddingTypeWords[] = {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"};
constexpr std::string_view kTransposeWords[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr std::string_view kConvolutionKindWords[] = {"unset", "fprop", "dgrad", "wgrad"};
constexpr std::string_view kDistributionWords[] = {"rng_invalid", "rng_uniform", "rng_normal"};
constexpr std::string_view kScheduleWords[] = {"schedule_none", "schedule_latest", "schedule_earliest"};
constexpr std::string_view kApiVersionWords[] = {"api_version_unspecified", "api_version_original",
                                                 "api_version_status_returning", "api_version_status_returning_unified",
                                                 "api_version_typed_ffi"};
constexpr std::string_view kRandomWords[] = {"rng_default", "rng_three_fry", "rng_philox"};

struct SimpleField {
  enum Form : std::uint8_t { kNone, kInteger, kIntegers, kFlag, kWord, kNumberedWord, kString };
  Form form = kNone;
  std::uint32_t number = 0;
  Words words = {};
};

// The attributes that are one field of the instruction.
SimpleField simple_field(AttributeKey key) {
  using enum AttributeKey;
  using Form = SimpleField::Form;
  switch (key) {
    case kDimensions: return {Form::kIntegers, f::kDimensions};
    case kIotaDimension:
    case kInferredDimension: return {Form::kIntegers, f::kDimensions};
    case kDirection: return {Form::kWord, f::kDirection};
    case kType: return {Form::kWord, f::kComparisonType};
    case kExponentBits: return {Form::kInteger, f::kExponentBits};
    case kMantissaBits: return {Form::kInteger, f::kMantissaBits};
    case kDynamicSliceSizes: return {Form::kIntegers, f::kDynamicSliceSizes};
    case kIsStable: return {Form::kFlag, f::kIsStable};
    case kK: return {Form::kInteger, f::kK};
    case kLargest: return {Form::kFlag, f::kLargest};
    case kNumCarries: return {Form::kInteger, f::kCarries};
    case kIsReverse: return {Form::kFlag, f::kIsReverse};
    case kIndicesAreSorted: return {Form::kFlag, f::kIndicesSorted};
    case kUniqueIndices: return {Form::kFlag, f::kUniqueIndices};
    case kConvolutionKind: return {Form::kNumberedWord, f::kConvolutionKind, kConvolutionKindWords};
    case kFftType: return {Form::kNumberedWord, f::kFftType, kFftTypeWords};
    case kFftLength: return {Form::kIntegers, f::kFftLength};
    case kFeatureIndex: return {Form::kInteger, f::kFeatureIndex};
    case kDistribution: return {Form::kNumberedWord, f::kDistribution, kDistributionWords};
    case kDelta: return {Form::kInteger, f::kDelta};
    case kIsComposite: return {Form::kFlag, f::kIsComposite};
    case kKind: return {Form::kWord, f::kFusionKind};
    case kCustomCallTarget: return {Form::kString, f::kTarget};
    case kPaddingType: return {Form::kNumberedWord, f::kPaddingType, kPaddingTypeWords};
    case kCustomCallHasSideEffect: return {Form::kFlag, f::kHasSideEffect};
    case kSchedule: return {Form::kNumberedWord, f::kSchedule, kScheduleWords};
    case kInfeedConfig: return {Form::kString, f::kInfeedConfig};
    case kOutfeedConfig: return {Form::kString, f::kOutfeedConfig};
    case kChannelId: return {Form::kInteger, f::kChannel};
    case kConstrainLayout: return {Form::kFlag, f::kConstrainLayout};
    case kUseGlobalDeviceIds: return {Form::kFlag, f::kGlobalIds};
    case kIsHostTransfer: return {Form::kFlag, f::kIsHostTransfer};
    case kAsyncExecutionThread: return {Form::kString, f::kExecutionThread};
    case kHasDynamicRoot: return {Form::kFlag, f::kHasDynamicRoot};
    default: return {};
  }
}

bool append_simple(InstructionView i, AttributeKey key, const SimpleField& field, WireWriter& out) {
  switch (field.form) {
    case SimpleField::kNone: return false;
    case SimpleField::kInteger: {
      const std::optional<std::int64_t> value = integer(i, key);
      if (value) out.integer(field.number, *value);
      return value.has_value();
    }
    case SimpleField::kIntegers: {
      const std::optional<std::int64_t> single = integer(i, key);
      out.packed(field.number, single ? std::vector<std::int64_t>{*single} : integers(i, key));
      return true;
    }
    case SimpleField::kFlag: out.integer(field.number, flag(i, key) ? 1 : 0); return true;
    case SimpleField::kWord: out.text(field.number, word(i, key)); return true;
    case SimpleField::kNumberedWord: {
      const std::int64_t number = number_of_word(word(i, key), field.words);
      if (number >= 0) out.integer(field.number, number);
      return number >= 0;
    }
    case SimpleField::kString: out.text(field.number, string_value(i, key)); return true;
  }
  return false;
}

std::string dot_proto(const DotDimensions& dot) {
  WireWriter out;
  out.packed(proto::dot::kLhsContracting, dot.lhs_contracting);
  out.packed(proto::dot::kRhsContracting, dot.rhs_contracting);
  out.packed(proto::dot::kLhsBatch, dot.lhs_batch);
  out.packed(proto::dot::kRhsBatch, dot.rhs_batch);
  return out.take();
}

void append_dot(InstructionView i, WireWriter& out) {
  const DotDimensions dot = dot_dimensions(i);
  if (i.opcode() != Opcode::kRaggedDot) return out.bytes(f::kDot, dot_proto(dot));
  WireWriter ragged;
  ragged.bytes(proto::ragged_dot::kDot, dot_proto(dot));
  ragged.packed(proto::ragged_dot::kLhsRagged, dot.lhs_ragged);
  ragged.packed(proto::ragged_dot::kRhsGroup, dot.rhs_group);
  out.bytes(f::kRaggedDot, ragged.view());
}

void append_gather(InstructionView i, WireWriter& out) {
  namespace g = proto::gather;
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
  namespace g = proto::gather;  // the same field numbers
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
  namespace t = proto::triangular;
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
  config.packed(proto::precision::kOperands, precisions);
  const std::string_view algorithm = word(i, AttributeKey::kAlgorithm);
  if (!algorithm.empty()) {
    config.integer(proto::precision::kAlgorithm,
                   std::max<std::int64_t>(number_of_word(algorithm, dot_algorithm_words()), 0));
  }
  out.bytes(f::kPrecision, config.view());
}

void append_window_and_labels(InstructionView i, bool needs_window, WireWriter& out) {
  const std::optional<Window> w = window(i);
  if (w || needs_window) out.bytes(f::kWindow, window_proto(w.value_or(Window())));
  if (const auto numbers = convolution_dimension_numbers(i)) out.bytes(f::kConvolution, convolution_proto(*numbers));
}

// What XLA writes for an opcode whether or not the text has it.
void append_of_opcode(InstructionView i, WireWriter& out) {
  switch (i.opcode()) {
    case Opcode::kParameter: return out.integer(f::kParameter, i.parameter_number());
    case Opcode::kGetTupleElement: return out.integer(f::kTupleIndex, i.tuple_index());
    case Opcode::kCompare: {
      if (i.has(AttributeKey::kType) || i.operand_count() == 0) return;
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

void append_padding(InstructionView i, WireWriter& out) {
  WireWriter config;
  for (const PaddingDimension& d : padding(i)) {
    WireWriter dimension;
    dimension.integer(proto::padding::kLow, d.low);
    dimension.integer(proto::padding::kHigh, d.high);
    dimension.integer(proto::padding::kInterior, d.interior);
    config.bytes(proto::padding::kDimensions, dimension.view());
  }
  out.bytes(f::kPadding, config.view());
}

void append_slices(InstructionView i, WireWriter& out) {
  for (const SliceRange& range : slice_ranges(i)) {
    WireWriter slice;
    slice.integer(proto::slice::kStart, range.start);
    slice.integer(proto::slice::kLimit, range.limit);
    slice.integer(proto::slice::kStride, range.stride);
    out.bytes(f::kSlices, slice.view());
  }
}

void append_aliasing(InstructionView i, WireWriter& out) {
  for (const OperandAlias& alias : output_to_operand_aliasing(i)) {
    WireWriter entry;
    entry.packed(proto::output_aliasing::kOutputIndex, alias.output);
    entry.integer(proto::output_aliasing::kOperand, alias.operand);
    entry.packed(proto::output_aliasing::kOperandIndex, alias.operand_index);
    out.bytes(f::kOutputAliasing, entry.view());
  }
}

void append_pairs(InstructionView i, WireWriter& out) {
  for (const auto& [source, target] : source_target_pairs(i)) {
    WireWriter pair;
    pair.integer(proto::pair::kSource, source);
    pair.integer(proto::pair::kTarget, target);
    out.bytes(f::kSourceTargets, pair.view());
  }
}

bool append_domain(InstructionView i, WireWriter& out) {
  ShardingAttribute entry;
  ShardingAttribute exit;
  Cursor cursor(i.text(AttributeKey::kDomain));
  const bool ok = read_fields(cursor, [&](std::string_view name, const char*) {
    std::string_view raw;
    if (name == "kind") return cursor.read_string(&raw);
    return read_sharding(cursor, name == "entry" ? &entry : &exit);
  });
  if (!ok) return false;
  out.bytes(f::kDomainEntry, sharding_proto(entry));
  out.bytes(f::kDomainExit, sharding_proto(exit));
  return true;
}

bool append_epsilon(InstructionView i, WireWriter& out) {
  const std::optional<double> value = number(i, AttributeKey::kEpsilon);
  if (!value) return false;
  const auto epsilon = static_cast<float>(*value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &epsilon, sizeof bits);
  if (bits != 0) out.fixed32(f::kEpsilon, bits);
  return true;
}

// A string without quotes and escapes, or JSON as it is.
bool append_backend_config(InstructionView i, WireWriter& out) {
  const std::string_view text = i.text(AttributeKey::kBackendConfig);
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  out.text(f::kBackendConfig, is_quoted ? unescape(text.substr(1, text.size() - 2)) : std::string(text));
  return true;
}

void append_replication(InstructionView i, WireWriter& out) {
  WireWriter replication;
  std::vector<std::int64_t> leaves;
  const std::vector<bool> given = flags(i, AttributeKey::kParameterReplication);
  leaves.reserve(given.size());
  for (bool replicated : given) leaves.push_back(replicated ? 1 : 0);
  replication.packed(1, leaves);
  out.bytes(f::kParameterReplication, replication.view());
}

// Whether an attribute is written with the opcode or with the references, or has no field: XLA's protos drop the mode
// of the groups too.
bool is_written_elsewhere(AttributeKey key, Opcode opcode) {
  using enum AttributeKey;
  switch (key) {
    case kIndex:
    case kWindow:
    case kDimLabels:
    case kFeatureGroupCount:
    case kBatchGroupCount:
    case kOperandPrecision:
    case kApiVersion:
    case kOffsetDims:
    case kCollapsedSliceDims:
    case kStartIndexMap:
    case kIndexVectorDim:
    case kOperandBatchingDims:
    case kStartIndicesBatchingDims:
    case kUpdateWindowDims:
    case kInsertedWindowDims:
    case kScatterDimsToOperandDims:
    case kInputBatchingDims:
    case kScatterIndicesBatchingDims:
    case kLhsContractingDims:
    case kRhsContractingDims:
    case kLhsBatchDims:
    case kRhsBatchDims:
    case kLhsRaggedDims:
    case kRhsGroupDims:
    case kLower:
    case kLeftSide:
    case kUnitDiagonal:
    case kTransposeA:
    case kReplicaGroups:
    case kToApply:
    case kSelect:
    case kScatter:
    case kCalls:
    case kCondition:
    case kBody:
    case kTrueComputation:
    case kFalseComputation:
    case kBranchComputations:
    case kCalledComputations:
    case kControlPredecessors:
    case kMode: return true;
    case kSliceSizes: return opcode == Opcode::kGather;
    case kAlgorithm: return opcode != Opcode::kRngBitGenerator;
    default: return false;
  }
}

}  // namespace

std::string window_proto(const Window& window) {
  namespace w = proto::window;
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
  namespace c = proto::convolution;
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

// The literal of a constant, or of a custom call, whose text includes its shape.
bool InstructionEncoder::append_literals(InstructionView i, WireWriter& out) {
  ShapeId id = i.shape_id();
  std::vector<Literal> leaves;
  if (i.opcode() == Opcode::kConstant) {
    if (!i.shape().is_array() && !i.shape().is_tuple()) {  // a token has no values
      out.bytes(f::kLiteral, literal_proto(shapes, id, {}, &elided));
      return true;
    }
    absl::StatusOr<std::vector<Literal>> values = literal_leaves(i);
    if (!values.ok()) return false;
    leaves = *std::move(values);
  } else {
    Cursor cursor(i.text(AttributeKey::kLiteral));
    const bool ok = read_shape(cursor, &shapes.table(), &id) && read_literal(cursor, shapes.table(), id, &leaves);
    if (!ok || !cursor.at_end()) return false;
  }
  out.bytes(f::kLiteral, literal_proto(shapes, id, leaves, &elided));
  return true;
}

bool InstructionEncoder::append_shapes(InstructionView i, AttributeKey key, WireWriter& out) {
  Cursor cursor(i.text(key));
  if (key == AttributeKey::kOutfeedShape) {
    ShapeId id;
    if (!read_shape(cursor, &shapes.table(), &id)) return false;
    out.bytes(f::kOutfeedShape, shapes.of(id));
    return true;
  }
  ShapeParser parser;
  parser.start(&shapes.table(), i.text(key).size());
  std::vector<ShapeId> ids;
  if (!read_shape_list(cursor, parser, &ids)) return false;
  out.integer(f::kConstrainLayout, 1);
  for (ShapeId id : ids) out.bytes(f::kOperandShapes, shapes.of(id));
  return true;
}

bool InstructionEncoder::append_attribute(InstructionView i, const AttributeData& a, WireWriter& out) {
  using enum AttributeKey;
  const SimpleField simple = simple_field(a.key);
  if (simple.form != SimpleField::kNone) return append_simple(i, a.key, simple, out);
  if (is_written_elsewhere(a.key, i.opcode())) return true;
  switch (a.key) {
    case kSharding: {
      const std::optional<ShardingAttribute> value = sharding(i);
      if (value) out.bytes(f::kSharding, sharding_proto(*value));
      return value.has_value();
    }
    case kFrontendAttributes:
      out.bytes(f::kFrontendAttributes, frontend_attributes_proto(frontend_attributes(i)));
      return true;
    case kStatistics: {
      const std::optional<Statistics> value = statistics(i);
      if (value) out.bytes(f::kStatistics, statistics_proto(*value));
      return value.has_value();
    }
    case kParameterReplication: append_replication(i, out); return true;
    case kOrigin: {
      const std::optional<std::string> value = original_value_proto(i.text(kOrigin));
      if (value) out.bytes(f::kOriginalValue, *value);
      return value.has_value();
    }
    case kMetadata: {
      const std::optional<Metadata> value = metadata(i);
      if (value) out.bytes(f::kMetadata, metadata_proto(*value, payloads));
      return value.has_value();
    }
    case kBackendConfig: return append_backend_config(i, out);
    case kPadding: append_padding(i, out); return true;
    case kSlice: append_slices(i, out); return true;
    case kSliceSizes: out.packed(f::kDynamicSliceSizes, integers(i, kSliceSizes)); return true;
    case kAlgorithm: {
      const std::int64_t algorithm = number_of_word(word(i, kAlgorithm), kRandomWords);
      out.integer(f::kRngAlgorithm, std::max<std::int64_t>(algorithm, 0));
      return algorithm >= 0;
    }
    case kIsAssociative: out.integer(f::kIsAssociative, flag(i, kIsAssociative) ? 1 : 2); return true;
    case kEpsilon: return append_epsilon(i, out);
    case kOutputToOperandAliasing: append_aliasing(i, out); return true;
    case kOperandLayoutConstraints:
    case kOutfeedShape: return append_shapes(i, a.key, out);
    case kConstantLiteral:
    case kLiteral: return append_literals(i, out);
    case kDomain: return append_domain(i, out);
    case kSourceTargetPairs: append_pairs(i, out); return true;
    case kCrossProgramPrefetchIndex: {
      const std::optional<std::int64_t> value = integer(i, a.key);
      if (value) out.present(f::kPrefetchIndex, *value);
      return value.has_value();
    }
    case kResultAccuracy: {
      const std::optional<ResultAccuracy> value = result_accuracy(i);
      if (value) out.bytes(f::kResultAccuracy, result_accuracy_proto(*value));
      return value.has_value();
    }
    default: return false;
  }
}

bool InstructionEncoder::append(InstructionView i, WireWriter& out) {
  using enum AttributeKey;
  // X-start( has the attributes of X, which are in the computation that it wraps, and its own.
  const bool is_short_start =
      i.opcode() == Opcode::kAsyncStart && (row_of(i).flags & InstructionData::kSugaredAsync) != 0;
  const bool is_wrapped = (row_of(i.computation()).flags & ComputationData::kSynthesized) != 0;
  append_of_opcode(i, out);
  for (const AttributeData& a : i.attributes()) {
    const bool is_common = a.key == kSharding || a.key == kFrontendAttributes || a.key == kStatistics ||
                           a.key == kParameterReplication || a.key == kOrigin || a.key == kMetadata ||
                           a.key == kBackendConfig;
    const bool is_of_start = is_common || a.key == kAsyncExecutionThread;
    if ((is_short_start && !is_of_start) || (is_wrapped && is_common)) continue;
    if (append_attribute(i, a, out)) continue;
    const std::string_view name = to_string(a.key);
    const std::string_view text = i.module().text(a.value);
    fault = std::string(a.key == kConstantLiteral ? "values" : name.empty() ? text.substr(0, a.name_size) : name);
    return false;
  }
  return true;
}

}  // namespace hloroof::internal
