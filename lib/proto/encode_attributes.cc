// Writes the attributes of an instruction: what the CreateFromProto functions of openxla/xla
// xla/hlo/ir/hlo_instruction.cc read, 2026-08.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/proto/encode.h"
#include "lib/proto/fields.h"
#include "lib/proto/proto_words.h"
#include "lib/values/decode.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline proto {
namespace {

namespace f = fields::instruction;

struct SimpleField {
  enum Form : std::uint8_t { kNone, kInteger, kIntegers, kFlag, kWord, kNumberedWord, kString };
  Form form = kNone;
  std::uint32_t number = 0;
  ProtoWords words = {};
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
    case kOrder: return {Form::kWord, f::kComparisonOrder};
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

void append_padding(InstructionView i, WireWriter& out) {
  WireWriter config;
  for (const PaddingDimension& d : padding(i)) {
    WireWriter dimension;
    dimension.integer(fields::padding::kLow, d.low);
    dimension.integer(fields::padding::kHigh, d.high);
    dimension.integer(fields::padding::kInterior, d.interior);
    config.bytes(fields::padding::kDimensions, dimension.view());
  }
  out.bytes(f::kPadding, config.view());
}

void append_slices(InstructionView i, WireWriter& out) {
  for (const SliceRange& range : slice_ranges(i)) {
    WireWriter slice;
    slice.integer(fields::slice::kStart, range.start);
    slice.integer(fields::slice::kLimit, range.limit);
    slice.integer(fields::slice::kStride, range.stride);
    out.bytes(f::kSlices, slice.view());
  }
}

void append_aliasing(InstructionView i, WireWriter& out) {
  for (const OperandAlias& alias : output_to_operand_aliasing(i)) {
    WireWriter entry;
    entry.packed(fields::output_aliasing::kOutputIndex, alias.output);
    entry.integer(fields::output_aliasing::kOperand, alias.operand);
    entry.packed(fields::output_aliasing::kOperandIndex, alias.operand_index);
    out.bytes(f::kOutputAliasing, entry.view());
  }
}

void append_pairs(InstructionView i, WireWriter& out) {
  for (const auto& [source, target] : source_target_pairs(i)) {
    WireWriter pair;
    pair.integer(fields::pair::kSource, source);
    pair.integer(fields::pair::kTarget, target);
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
  // In a proto, a channel below 1 is no channel, and global ids are valid only with a channel.
  const bool has_channel = integer(i, kChannelId).value_or(0) > 0;
  if (a.key == kChannelId && !has_channel) return false;
  if (a.key == kUseGlobalDeviceIds && flag(i, kUseGlobalDeviceIds) && !has_channel) return false;
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

}  // namespace hloroof::internal::inline proto
