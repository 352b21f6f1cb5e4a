// Writes the attributes of an instruction: a walk over the rows of instruction_fields.h, and the attributes that every
// opcode may have.
#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"
#include "lib/base/strings.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/proto/encode.h"
#include "lib/proto/fields.h"
#include "lib/proto/instruction_fields.h"
#include "lib/values/decode.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline proto {
namespace {

namespace f = fields::instruction;

// The position of a word in the order of an enum of the proto, in any case of letters; -1 if it is none of them.
std::int64_t number_of_word(std::string_view word, absl::Span<const std::string_view> words) {
  const std::string lower = absl::AsciiStrToLower(to_absl(word));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (absl::AsciiStrToLower(to_absl(words[i])) == lower) return static_cast<std::int64_t>(i);
  }
  return -1;
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

// An operation that needs a window has one without dimensions if the text has none.
void append_window(InstructionView i, WireWriter& out) {
  const std::optional<Window> w = window(i);
  if (w || i.opcode() != Opcode::kCustomCall) out.bytes(f::kWindow, window_proto(w.value_or(Window())));
}

// XLA writes the precision of every operand, also if it is the default.
void append_precision(InstructionView i, std::uint32_t number, WireWriter& out) {
  std::vector<std::int64_t> precisions;
  for (Precision p : operand_precision(i)) precisions.push_back(static_cast<std::int64_t>(p));
  const bool is_dot = i.opcode() != Opcode::kConvolution && i.opcode() != Opcode::kCustomCall;
  if (precisions.empty()) precisions.assign(is_dot ? 2 : i.operand_count(), 0);
  out.packed(number, precisions);
}

// The type that the operands imply, unless the text has it or the order.
void append_comparison_type(InstructionView i, std::uint32_t number, WireWriter& out) {
  if (i.has(AttributeKey::kType)) return out.text(number, word(i, AttributeKey::kType));
  if (i.has(AttributeKey::kOrder) || i.operand_count() == 0) return;
  out.text(number, usual_comparison(i.operand(0).shape().element_type));
}

// Whether the proto has the field without an attribute too.
bool is_implied(const AttributeField& field) {
  switch (field.form) {
    case FieldForm::kCount:
    case FieldForm::kTruth:
    case FieldForm::kTupleIndex:
    case FieldForm::kComparisonType:
    case FieldForm::kWindow:
    case FieldForm::kReplicaGroups: return true;
    default: return field.message != 0 || field.missing != 0;
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

// Writes the field of one row. Without an attribute, it writes what the proto has then.
bool InstructionEncoder::append_field(InstructionView i, const AttributeField& field, WireWriter& out) {
  const AttributeKey key = field.key;
  const bool is_given = i.has(key);
  switch (field.form) {
    case FieldForm::kInteger:
    case FieldForm::kPositive:
    case FieldForm::kPresent:
    case FieldForm::kCount: {
      const std::optional<std::int64_t> value = integer(i, key);
      if (is_given && !value) return false;
      // In a proto, a channel below 1 is no channel.
      if (field.form == FieldForm::kPositive && is_given && *value < 1) return false;
      if (field.form == FieldForm::kPresent && is_given) out.present(field.number, *value);
      if (field.form != FieldForm::kPresent) out.integer(field.number, value.value_or(field.form == FieldForm::kCount));
      return true;
    }
    case FieldForm::kList:
    case FieldForm::kListUnlessEmpty: out.packed(field.number, integers(i, key)); return true;
    case FieldForm::kFirst: {
      const std::optional<std::int64_t> value = integer(i, key);
      if (value) out.packed(field.number, {*value});
      return value.has_value();
    }
    case FieldForm::kTruth:
    case FieldForm::kFlag: {
      const bool value = flag(i, key, field.form == FieldForm::kTruth);
      out.integer(field.number, value ? 1 : 0);
      // Global ids are valid only with a channel.
      return key != AttributeKey::kUseGlobalDeviceIds || !value || integer_or(i, AttributeKey::kChannelId, 0) > 0;
    }
    case FieldForm::kComparisonOrder:
    case FieldForm::kWord: out.text(field.number, word(i, key)); return true;
    case FieldForm::kDistribution:
    case FieldForm::kNumber: {
      const std::int64_t number = is_given ? number_of_word(word(i, key), field.words) : field.missing;
      if (number >= 0) out.integer(field.number, number);
      return number >= 0;
    }
    case FieldForm::kThread:
    case FieldForm::kStringUnlessEmpty:
    case FieldForm::kString: out.text(field.number, string_value(i, key)); return true;
    case FieldForm::kTupleIndex: out.integer(field.number, i.tuple_index()); return true;
    case FieldForm::kFloat: return append_epsilon(i, out);
    case FieldForm::kComparisonType: append_comparison_type(i, field.number, out); return true;
    case FieldForm::kWindow: append_window(i, out); return true;
    case FieldForm::kDimLabels:
      if (const auto numbers = convolution_dimension_numbers(i))
        out.bytes(f::kConvolution, convolution_proto(*numbers));
      return true;
    case FieldForm::kPrecision: append_precision(i, field.number, out); return true;
    case FieldForm::kReplicaGroups:
      append_replica_groups(replica_groups(i).value_or(ReplicaGroups()), out);
      return true;
    case FieldForm::kPairs: append_pairs(i, out); return true;
    case FieldForm::kPadding: append_padding(i, out); return true;
    case FieldForm::kSlices: append_slices(i, out); return true;
    case FieldForm::kAliasing: append_aliasing(i, out); return true;
    case FieldForm::kReplication: append_replication(i, out); return true;
    case FieldForm::kShape:
    case FieldForm::kLayoutConstraints: return append_shapes(i, key, out);
    case FieldForm::kLiteral: return append_literals(i, out);
    case FieldForm::kDomain: return append_domain(i, out);
  }
  return false;
}

// Appends the fields of `message`, or of `inner` in it, that have this number.
bool InstructionEncoder::append_numbered(InstructionView i, std::uint32_t message, std::uint32_t inner,
                                         std::uint32_t number, WireWriter& out) {
  for (const AttributeField& field : attribute_fields(i.opcode())) {
    if (field.message != message || field.inner != inner || field.number != number) continue;
    if (!append_field(i, field, out)) return fail(field.key);
  }
  return true;
}

// Appends `message` with its fields in the order of their numbers, also if it is empty.
bool InstructionEncoder::append_message(InstructionView i, std::uint32_t message, WireWriter& out) {
  constexpr std::uint32_t kLast = 8;  // no message has a larger number
  WireWriter written;
  const absl::Span<const AttributeField> fields = attribute_fields(i.opcode());
  for (std::uint32_t number = 1; number <= kLast; ++number) {
    const bool is_message = std::any_of(fields.begin(), fields.end(), [&](const AttributeField& field) {
      return field.message == message && field.inner == number;
    });
    if (!is_message && !append_numbered(i, message, 0, number, written)) return false;
    if (!is_message) continue;
    WireWriter nested;
    for (std::uint32_t n = 1; n <= kLast; ++n) {
      if (!append_numbered(i, message, number, n, nested)) return false;
    }
    written.bytes(number, nested.view());
  }
  out.bytes(message, written.view());
  return true;
}

// Appends what the rows of the opcode say.
bool InstructionEncoder::append_fields(InstructionView i, WireWriter& out) {
  std::uint32_t message = 0;
  for (const AttributeField& field : attribute_fields(i.opcode())) {
    if (field.message == 0) {
      const bool is_written = is_implied(field) || i.has(field.key);
      if (is_written && !append_field(i, field, out)) return fail(field.key);
    } else if (field.message != message) {
      message = field.message;
      if (!append_message(i, message, out)) return false;
    }
  }
  return true;
}

bool InstructionEncoder::fail(AttributeKey key) {
  fault = to_string(key);
  return false;
}

// Appends an attribute that has no row.
bool InstructionEncoder::append_other(InstructionView i, AttributeKey key, WireWriter& out) {
  using enum AttributeKey;
  switch (key) {
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
    case kResultAccuracy: {
      const std::optional<ResultAccuracy> value = result_accuracy(i);
      if (value) out.bytes(f::kResultAccuracy, result_accuracy_proto(*value));
      return value.has_value();
    }
    case kConstantLiteral: return append_literals(i, out);
    // The control predecessors are references, which the module has. XLA's protos drop the mode of the groups.
    case kControlPredecessors:
    case kMode: return true;
    default: return names_computations(key);
  }
}

bool InstructionEncoder::append(InstructionView i, WireWriter& out) {
  using enum AttributeKey;
  // X-start( has the attributes of X, which are in the computation that it wraps, and its own.
  const bool is_short_start =
      i.opcode() == Opcode::kAsyncStart && (row_of(i).flags & InstructionData::kSugaredAsync) != 0;
  const bool is_wrapped = (row_of(i.computation()).flags & ComputationData::kSynthesized) != 0;
  if (i.opcode() == Opcode::kParameter) out.integer(f::kParameter, i.parameter_number());
  if (is_short_start) {
    out.text(f::kExecutionThread, string_value(i, kAsyncExecutionThread));
  } else if (!append_fields(i, out)) {
    return false;
  }
  const absl::Span<const AttributeField> fields = attribute_fields(i.opcode());
  for (const AttributeData& a : i.attributes()) {
    const bool is_common = a.key == kSharding || a.key == kFrontendAttributes || a.key == kStatistics ||
                           a.key == kParameterReplication || a.key == kOrigin || a.key == kMetadata ||
                           a.key == kBackendConfig;
    if (is_common ? is_wrapped : is_short_start) continue;
    const auto has_key = [&](const AttributeField& field) { return field.key == a.key; };
    if (std::any_of(fields.begin(), fields.end(), has_key) || append_other(i, a.key, out)) continue;
    const std::string_view name = to_string(a.key);
    const std::string_view text = i.module().text(a.value);
    fault = std::string(a.key == kConstantLiteral ? "values" : name.empty() ? text.substr(0, a.name_size) : name);
    return false;
  }
  return true;
}

}  // namespace hloroof::internal::inline proto
