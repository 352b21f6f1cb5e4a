// Prints the attributes of each opcode: a walk over the rows of instruction_fields.h.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hloroof/module.h"
#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/proto/fields.h"
#include "lib/proto/instruction_fields.h"
#include "lib/proto/message_text.h"

namespace hloroof::internal::inline proto {
namespace {

namespace f = fields::instruction;

// XLA's default comparison type for the first operand; empty if it is missing or has no elements.
std::string_view comparison_of(const WireMessage* operand) {
  if (operand == nullptr) return {};
  const auto type = element_type_of(operand->message(f::kShape).integer(fields::shape::kElementType));
  return type ? usual_comparison(*type) : std::string_view();
}

void append_name(std::string_view name, std::string& out) { absl::StrAppend(&out, ", ", to_absl(name), "="); }

// window={size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=… rhs_dilate=… rhs_reversal=…}
void append_window_text(const WireMessage& i, std::string& out) {
  std::vector<WireMessage> dimensions;
  for (std::string_view bytes : i.message(f::kWindow).all(fields::window::kDimensions)) dimensions.emplace_back(bytes);
  if (dimensions.empty()) return;
  const auto of_each = [&](const char* text, auto value) {
    absl::StrAppend(&out, text, "=");
    for (std::size_t d = 0; d < dimensions.size(); ++d) absl::StrAppend(&out, d > 0 ? "x" : "", value(dimensions[d]));
  };
  const auto differs = [&](std::uint32_t field, std::int64_t usual) {
    for (const WireMessage& d : dimensions) {
      if (d.integer(field) != usual) return true;
    }
    return false;
  };
  const auto integer = [](std::uint32_t field) { return [field](const WireMessage& d) { return d.integer(field); }; };
  out += ", window={";
  of_each("size", integer(fields::window::kSize));
  if (differs(fields::window::kStride, 1)) of_each(" stride", integer(fields::window::kStride));
  if (differs(fields::window::kLow, 0) || differs(fields::window::kHigh, 0)) {
    of_each(" pad", [](const WireMessage& d) {
      return absl::StrCat(d.integer(fields::window::kLow), "_", d.integer(fields::window::kHigh));
    });
  }
  if (differs(fields::window::kBaseDilation, 1)) of_each(" lhs_dilate", integer(fields::window::kBaseDilation));
  if (differs(fields::window::kDilation, 1)) of_each(" rhs_dilate", integer(fields::window::kDilation));
  if (differs(fields::window::kReversal, 0)) of_each(" rhs_reversal", integer(fields::window::kReversal));
  out += '}';
}

// dim_labels=b01f_01io->b01f: the positions of the batch, feature and spatial dimensions in input, kernel and output.
void append_dim_labels_text(const WireMessage& i, std::string& out) {
  if (!i.has(f::kConvolution)) return;
  namespace c = fields::convolution;
  const WireMessage numbers = i.message(f::kConvolution);
  const auto labels = [&](std::uint32_t first, char first_label, std::uint32_t second, char second_label,
                          std::uint32_t spatial) {
    const std::vector<std::int64_t> positions = numbers.integers(spatial);
    std::string text(positions.size() + 2, '?');
    const auto put = [&](std::int64_t at, char label) {
      if (at >= 0 && at < static_cast<std::int64_t>(text.size())) text[static_cast<std::size_t>(at)] = label;
    };
    put(numbers.integer(first), first_label);
    put(numbers.integer(second), second_label);
    for (std::size_t d = 0; d < positions.size(); ++d) put(positions[d], static_cast<char>('0' + d));
    return text;
  };
  absl::StrAppend(&out, ", dim_labels=", labels(c::kInputBatch, 'b', c::kInputFeature, 'f', c::kInputSpatial), "_",
                  labels(c::kKernelInput, 'i', c::kKernelOutput, 'o', c::kKernelSpatial), "->",
                  labels(c::kOutputBatch, 'b', c::kOutputFeature, 'f', c::kOutputSpatial));
}

// [groups,size]<=[r0,r1]T(p0,p1)
void append_grid(const WireMessage& iota, std::string& out) {
  const std::vector<std::int64_t> reshape = iota.integers(fields::replica_groups::kReshape);
  absl::StrAppend(&out, "[", iota.integer(fields::replica_groups::kGroupCount), ",",
                  iota.integer(fields::replica_groups::kGroupSize), "]<=[");
  append_list(reshape, out);
  out += ']';
  if (reshape.size() > 1) {
    out += "T(";
    append_list(iota.integers(fields::replica_groups::kPermutation), out);
    out += ')';
  }
}

bool append_groups_text(const WireMessage& i, std::string& out) {
  append_name("replica_groups", out);
  const WireMessage list = i.message(f::kDeviceList);
  if (i.has(f::kMeshGroups)) return append_mesh_groups(i.message(f::kMeshGroups), out);
  if (i.has(f::kIotaGroups)) {
    append_grid(i.message(f::kIotaGroups), out);
    return true;
  }
  if (list.has(fields::replica_groups::kOldIota)) {
    append_grid(list.message(fields::replica_groups::kOldIota), out);
    return true;
  }
  std::vector<std::string_view> groups = list.all(fields::replica_groups::kGroups);
  if (groups.empty()) groups = i.all(f::kReplicaGroups);
  out += '{';
  for (std::size_t g = 0; g < groups.size(); ++g) {
    absl::StrAppend(&out, g > 0 ? ",{" : "{");
    append_list(WireMessage(groups[g]).integers(fields::replica_groups::kIds), out);
    out += '}';
  }
  out += '}';
  return true;
}

// source_target_pairs={{0,1},{1,0}}
void append_pairs_text(const WireMessage& i, std::string& out) {
  append_name("source_target_pairs", out);
  const std::vector<std::string_view> pairs = i.all(f::kSourceTargets);
  out += '{';
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const WireMessage pair(pairs[p]);
    absl::StrAppend(&out, p > 0 ? ",{" : "{", pair.integer(fields::pair::kSource), ",",
                    pair.integer(fields::pair::kTarget), "}");
  }
  out += '}';
}

// padding=1_2x0_0_1: low_high, and _interior unless it is 0
void append_padding_text(const WireMessage& i, std::string& out) {
  const std::vector<std::string_view> dimensions = i.message(f::kPadding).all(fields::padding::kDimensions);
  bool has_interior = false;
  for (std::string_view bytes : dimensions) {
    has_interior = has_interior || WireMessage(bytes).integer(fields::padding::kInterior) != 0;
  }
  append_name("padding", out);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const WireMessage dimension(dimensions[d]);
    absl::StrAppend(&out, d > 0 ? "x" : "", dimension.integer(fields::padding::kLow), "_",
                    dimension.integer(fields::padding::kHigh));
    if (has_interior) absl::StrAppend(&out, "_", dimension.integer(fields::padding::kInterior));
  }
}

// slice={[0:4], [0:8:2]}
void append_slices_text(const WireMessage& i, std::string& out) {
  std::vector<WireMessage> dimensions;
  bool has_stride = false;
  for (std::string_view bytes : i.all(f::kSlices)) {
    dimensions.emplace_back(bytes);
    has_stride = has_stride || dimensions.back().integer(fields::slice::kStride) != 1;
  }
  append_name("slice", out);
  out += '{';
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    absl::StrAppend(&out, d > 0 ? ", [" : "[", dimensions[d].integer(fields::slice::kStart), ":",
                    dimensions[d].integer(fields::slice::kLimit));
    if (has_stride) absl::StrAppend(&out, ":", dimensions[d].integer(fields::slice::kStride));
    out += ']';
  }
  out += '}';
}

// output_to_operand_aliasing={{0}: (1, {}), {1}: (2, {})}
void append_aliasing_text(const WireMessage& i, std::string& out) {
  const std::vector<std::string_view> entries = i.all(f::kOutputAliasing);
  if (entries.empty()) return;
  const char* separator = ", output_to_operand_aliasing={";
  for (std::string_view bytes : entries) {
    const WireMessage entry(bytes);
    absl::StrAppend(&out, separator, "{");
    append_list(entry.integers(fields::output_aliasing::kOutputIndex), out, ", ");
    absl::StrAppend(&out, "}: (", entry.integer(fields::output_aliasing::kOperand), ", {");
    append_list(entry.integers(fields::output_aliasing::kOperandIndex), out, ", ");
    out += "})";
    separator = ", ";
  }
  out += '}';
}

// parameter_replication={true,false}: one value for each leaf
void append_replication_text(const WireMessage& i, std::string& out) {
  const std::vector<std::int64_t> replicated = i.message(f::kParameterReplication).integers(1);
  if (replicated.empty()) return;
  const char* separator = ", parameter_replication={";
  for (std::int64_t leaf : replicated) {
    absl::StrAppend(&out, separator, leaf != 0 ? "true" : "false");
    separator = ",";
  }
  out += '}';
}

// operand_layout_constraints={f32[8]{0}, ...}. Returns false if a shape is malformed.
bool append_layout_constraints_text(const WireMessage& i, std::string& out) {
  const std::vector<std::string_view> shapes = i.all(f::kOperandShapes);
  append_name("operand_layout_constraints", out);
  out += '{';
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    if (s > 0) out += ", ";
    if (!append_shape(shapes[s], true, out)) return false;
  }
  out += '}';
  return true;
}

bool append_literal_text(const WireMessage& i, std::string& out) {
  append_name("literal", out);
  const WireMessage value = i.message(f::kLiteral);
  if (!append_shape(value.bytes(fields::literal::kShape), true, out)) return false;
  out += ' ';
  return append_literal(i.bytes(f::kLiteral), std::numeric_limits<std::int64_t>::max(), out);
}

bool append_domain_text(const WireMessage& i, std::string& out) {
  out += ", domain={kind=\"sharding\", entry=";
  if (!append_sharding(i.bytes(f::kDomainEntry), out)) return false;
  out += ", exit=";
  if (!append_sharding(i.bytes(f::kDomainExit), out)) return false;
  out += '}';
  return true;
}

// operand_precision={highest,default}, unless all are the default
void append_precision_text(const std::vector<std::int64_t>& operands, std::string& out) {
  constexpr const char* kWords[] = {"default", "high", "highest"};
  const auto is_known = [](std::int64_t p) { return p > 0 && p <= 2; };
  if (std::none_of(operands.begin(), operands.end(), is_known)) return;
  const char* separator = ", operand_precision={";
  for (std::int64_t p : operands) {
    absl::StrAppend(&out, separator, kWords[is_known(p) ? p : 0]);
    separator = ",";
  }
  out += '}';
}

// What prints the attributes of one instruction.
class AttributesText {
 public:
  // `first_operand` is null if it is missing.
  AttributesText(const WireMessage& instruction, const WireMessage* first_operand, std::string& out)
      : i_(instruction), first_operand_(first_operand), out_(out) {}

  // Returns false if the attribute is malformed.
  bool append(const AttributeField& field) {
    const WireMessage& in = message_of(field);
    switch (field.form) {
      case FieldForm::kInteger:
      case FieldForm::kTupleIndex: return integer(field, in.integer(field.number));
      case FieldForm::kPositive: return in.integer(field.number) < 1 || integer(field, in.integer(field.number));
      case FieldForm::kPresent: return !in.has(field.number) || integer(field, in.integer(field.number));
      case FieldForm::kCount: return in.integer(field.number) < 2 || integer(field, in.integer(field.number));
      case FieldForm::kListUnlessEmpty:
      case FieldForm::kList: {
        const std::vector<std::int64_t> values = in.integers(field.number);
        if (values.empty() && field.form == FieldForm::kListUnlessEmpty) return true;
        append_name(to_string(field.key), out_);
        out_ += '{';
        append_list(values, out_);
        out_ += '}';
        return true;
      }
      case FieldForm::kFirst: {
        const std::vector<std::int64_t> values = in.integers(field.number);
        return integer(field, values.empty() ? 0 : values[0]);
      }
      case FieldForm::kFlag: return !in.flag(field.number) || word(field, "true");
      case FieldForm::kTruth: return word(field, in.flag(field.number) ? "true" : "false");
      case FieldForm::kWord: return word(field, in.bytes(field.number));
      case FieldForm::kNumber: {
        const std::int64_t number = in.integer(field.number);
        if (number < field.lowest || number >= static_cast<std::int64_t>(field.words.size())) return field.lowest > 0;
        return word(field, field.words[static_cast<std::size_t>(number)]);
      }
      case FieldForm::kStringUnlessEmpty:
        return in.bytes(field.number).empty() || quoted(field, in.bytes(field.number));
      case FieldForm::kString: return quoted(field, in.bytes(field.number));
      case FieldForm::kThread: {
        const std::string_view thread = in.bytes(field.number);
        return thread.empty() || thread == "main" || quoted(field, thread);
      }
      case FieldForm::kFloat: {
        const auto bits = static_cast<std::uint32_t>(in.integer(field.number));
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return word(field, absl::StrFormat("%.6g", value));
      }
      case FieldForm::kDistribution: return word(field, field.words[in.integer(field.number) == 2 ? 2 : 1]);
      case FieldForm::kComparisonType: {
        const std::string_view type = in.bytes(field.number);
        return type.empty() || type == comparison_of(first_operand_) || word(field, type);
      }
      // Newer XLA writes the order in place of the type. Only floating-point comparisons are partial by default.
      case FieldForm::kComparisonOrder: {
        const std::string_view order = in.bytes(field.number);
        if (order.empty() || !in.bytes(f::kComparisonType).empty()) return true;
        return order == (comparison_of(first_operand_) == "FLOAT" ? "PARTIAL" : "TOTAL") || word(field, order);
      }
      case FieldForm::kWindow: append_window_text(i_, out_); return true;
      case FieldForm::kDimLabels: append_dim_labels_text(i_, out_); return true;
      case FieldForm::kPrecision: append_precision_text(in.integers(field.number), out_); return true;
      case FieldForm::kReplicaGroups: return append_groups_text(i_, out_);
      case FieldForm::kPairs: append_pairs_text(i_, out_); return true;
      case FieldForm::kPadding: append_padding_text(i_, out_); return true;
      case FieldForm::kSlices: append_slices_text(i_, out_); return true;
      case FieldForm::kAliasing: append_aliasing_text(i_, out_); return true;
      case FieldForm::kReplication: append_replication_text(i_, out_); return true;
      case FieldForm::kShape:
        append_name(to_string(field.key), out_);
        return append_shape(in.bytes(field.number), true, out_);
      case FieldForm::kLayoutConstraints:
        return !i_.flag(f::kConstrainLayout) || append_layout_constraints_text(i_, out_);
      case FieldForm::kLiteral: return !i_.has(f::kLiteral) || append_literal_text(i_, out_);
      case FieldForm::kDomain: return append_domain_text(i_, out_);
    }
    return false;
  }

 private:
  // These return true for the sake of append().
  bool word(const AttributeField& field, std::string_view text) {
    append_name(to_string(field.key), out_);
    out_ += text;
    return true;
  }
  bool quoted(const AttributeField& field, std::string_view text) {
    append_name(to_string(field.key), out_);
    append_quoted(text, out_);
    return true;
  }
  bool integer(const AttributeField& field, std::int64_t value) {
    append_name(to_string(field.key), out_);
    absl::StrAppend(&out_, value);
    return true;
  }

  // The message that has the field. It is kept, because the fields of one message follow one another.
  const WireMessage& message_of(const AttributeField& field) {
    if (field.message == 0) return i_;
    if (field.message != message_ || field.inner != inner_) {
      nested_ = i_.message(field.message);
      if (field.inner != 0) nested_ = WireMessage(nested_.bytes(field.inner));
      message_ = field.message;
      inner_ = field.inner;
    }
    return nested_;
  }

  const WireMessage& i_;
  const WireMessage* first_operand_;
  std::string& out_;
  WireMessage nested_;
  std::uint32_t message_ = 0;
  std::uint32_t inner_ = 0;
};

}  // namespace

bool append_opcode_attributes(const WireMessage& i, std::string_view opcode,
                              const std::unordered_map<std::int64_t, const WireMessage*>& by_id, std::string& out) {
  const std::optional<Opcode> known = opcode_from_string(opcode);
  if (!known) return true;
  const WireMessage* first_operand = nullptr;
  if (*known == Opcode::kCompare) {
    const std::vector<std::int64_t> operands = i.integers(f::kOperands);
    const auto operand = operands.empty() ? by_id.end() : by_id.find(operands[0]);
    if (operand != by_id.end()) first_operand = operand->second;
  }
  AttributesText text(i, first_operand, out);
  for (const AttributeField& field : attribute_fields(*known)) {
    if (field.is_in_text && !text.append(field)) return false;
  }
  return true;
}

}  // namespace hloroof::internal::inline proto
