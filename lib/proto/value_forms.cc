// The attributes whose values are lists of messages, shapes or literals.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/proto/attribute_forms.h"
#include "lib/proto/fields.h"
#include "lib/proto/instruction_fields.h"
#include "lib/proto/message_rows.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline proto {

using Dimension = WindowDimension;
template <>
constexpr auto kMembers<Dimension> = std::tuple(&Dimension::size, &Dimension::stride, &Dimension::pad_low,
                                                &Dimension::pad_high, &Dimension::window_dilation,
                                                &Dimension::base_dilation, &Dimension::reversal);
template <>
constexpr auto kMembers<Window> = std::tuple(&Window::dimensions);

using Labels = ConvolutionDimensionNumbers;
template <>
constexpr auto kMembers<Labels> = std::tuple(nullptr, nullptr, &Labels::rhs_input_feature, &Labels::rhs_output_feature,
                                             nullptr, &Labels::rhs_spatial, &Labels::lhs_batch, &Labels::lhs_feature,
                                             &Labels::output_batch, &Labels::output_feature, &Labels::lhs_spatial,
                                             &Labels::output_spatial);

using IdPair = std::pair<std::int64_t, std::int64_t>;
template <>
constexpr auto kMembers<IdPair> = std::tuple(&IdPair::first, &IdPair::second);

template <>
constexpr auto kMembers<PaddingDimension> = std::tuple(&PaddingDimension::low, &PaddingDimension::high,
                                                       &PaddingDimension::interior);

template <>
constexpr auto kMembers<SliceRange> = std::tuple(&SliceRange::start, &SliceRange::limit, &SliceRange::stride);

template <>
constexpr auto kMembers<OperandAlias> = std::tuple(&OperandAlias::output, &OperandAlias::operand,
                                                   &OperandAlias::operand_index);

namespace forms {
namespace {

// Writes a list as a repeated field.
template <auto Values>
bool write_messages(const ModuleAttribute& a) {
  append_messages(a.field.number, Values(a.i), a.out);
  return true;
}

// {size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=… rhs_dilate=… rhs_reversal=…}
bool print_window(const ProtoAttribute& a) {
  const std::vector<Dimension> dimensions = read_message<Window>(a.message()).dimensions;
  if (dimensions.empty()) return true;
  const auto of_each = [&](const char* text, auto value) {
    absl::StrAppend(&a.out, text, "=");
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      absl::StrAppend(&a.out, d > 0 ? "x" : "", value(dimensions[d]));
    }
  };
  const auto number = [&](const char* text, std::int64_t Dimension::*member, std::int64_t usual) {
    const auto is_usual = [&](const Dimension& d) { return d.*member == usual; };
    if (std::all_of(dimensions.begin(), dimensions.end(), is_usual)) return;
    of_each(text, [&](const Dimension& d) { return d.*member; });
  };
  a.named() += '{';
  of_each("size", [](const Dimension& d) { return d.size; });
  number(" stride", &Dimension::stride, 1);
  const auto is_padded = [](const Dimension& d) { return d.pad_low != 0 || d.pad_high != 0; };
  if (std::any_of(dimensions.begin(), dimensions.end(), is_padded)) {
    of_each(" pad", [](const Dimension& d) { return absl::StrCat(d.pad_low, "_", d.pad_high); });
  }
  number(" lhs_dilate", &Dimension::base_dilation, 1);
  number(" rhs_dilate", &Dimension::window_dilation, 1);
  const auto is_reversed = [](const Dimension& d) { return d.reversal; };
  if (std::any_of(dimensions.begin(), dimensions.end(), is_reversed)) {
    of_each(" rhs_reversal", [](const Dimension& d) { return d.reversal ? 1 : 0; });
  }
  a.out += '}';
  return true;
}

// b01f_01io->b01f: the positions of the batch, feature and spatial dimensions in input, kernel and output.
bool print_dim_labels(const ProtoAttribute& a) {
  if (!a.has()) return true;
  const Labels n = read_message<Labels>(a.message());
  const auto labels = [](std::int64_t first, char first_label, std::int64_t second, char second_label,
                         const std::vector<std::int64_t>& spatial) {
    std::string text(spatial.size() + 2, '?');
    const auto put = [&](std::int64_t at, char label) {
      if (at >= 0 && at < static_cast<std::int64_t>(text.size())) text[static_cast<std::size_t>(at)] = label;
    };
    put(first, first_label);
    put(second, second_label);
    for (std::size_t d = 0; d < spatial.size(); ++d) put(spatial[d], static_cast<char>('0' + d));
    return text;
  };
  return a.print(absl::StrCat(labels(n.lhs_batch, 'b', n.lhs_feature, 'f', n.lhs_spatial), "_",
                              labels(n.rhs_input_feature, 'i', n.rhs_output_feature, 'o', n.rhs_spatial), "->",
                              labels(n.output_batch, 'b', n.output_feature, 'f', n.output_spatial)));
}

// 1_2x0_0_1: low_high, and _interior unless it is 0
bool print_padding(const ProtoAttribute& a) {
  const std::vector<PaddingDimension> dimensions = read_messages<PaddingDimension>(a.message(), 1);
  const bool has_interior =
      std::any_of(dimensions.begin(), dimensions.end(), [](const PaddingDimension& d) { return d.interior != 0; });
  a.named();
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    absl::StrAppend(&a.out, d > 0 ? "x" : "", dimensions[d].low, "_", dimensions[d].high);
    if (has_interior) absl::StrAppend(&a.out, "_", dimensions[d].interior);
  }
  return true;
}

// {[0:4], [0:8:2]}
bool print_slices(const ProtoAttribute& a) {
  const std::vector<SliceRange> ranges = read_messages<SliceRange>(a.in, a.field.number);
  const bool has_stride =
      std::any_of(ranges.begin(), ranges.end(), [](const SliceRange& range) { return range.stride != 1; });
  a.named() += '{';
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    absl::StrAppend(&a.out, d > 0 ? ", [" : "[", ranges[d].start, ":", ranges[d].limit);
    if (has_stride) absl::StrAppend(&a.out, ":", ranges[d].stride);
    a.out += ']';
  }
  a.out += '}';
  return true;
}

// {{0,1},{1,0}}
bool print_pairs(const ProtoAttribute& a) {
  const char* separator = "";
  a.named() += '{';
  for (const auto& [source, target] : read_messages<IdPair>(a.in, a.field.number)) {
    absl::StrAppend(&a.out, separator, "{", source, ",", target, "}");
    separator = ",";
  }
  a.out += '}';
  return true;
}

// {{0}: (1, {}), {1}: (2, {})}
bool print_aliasing(const ProtoAttribute& a) {
  const std::vector<OperandAlias> aliases = read_messages<OperandAlias>(a.in, a.field.number);
  if (aliases.empty()) return true;
  const char* separator = "{{";
  a.named();
  for (const OperandAlias& alias : aliases) {
    a.out += separator;
    append_list(alias.output, a.out, ", ");
    absl::StrAppend(&a.out, "}: (", alias.operand, ", {");
    append_list(alias.operand_index, a.out, ", ");
    a.out += "})";
    separator = ", {";
  }
  a.out += '}';
  return true;
}

// {true,false}: one value for each leaf
bool print_replication(const ProtoAttribute& a) {
  const std::vector<std::int64_t> replicated = a.message().integers(1);
  if (replicated.empty()) return true;
  const char* separator = "{";
  a.named();
  for (std::int64_t leaf : replicated) {
    absl::StrAppend(&a.out, separator, leaf != 0 ? "true" : "false");
    separator = ",";
  }
  a.out += '}';
  return true;
}
bool write_replication(const ModuleAttribute& a) {
  const std::vector<bool> given = flags(a.i, a.field.key);
  WireWriter replication;
  replication.packed(1, std::vector<std::int64_t>(given.begin(), given.end()));
  a.out.bytes(a.field.number, replication.view());
  return true;
}

// {f32[8]{0}, ...}, of a custom call that constrains its layouts
bool print_layout_constraints(const ProtoAttribute& a) {
  if (!a.instruction.flag(fields::instruction::kConstrainLayout)) return true;
  const char* separator = "";
  a.named() += '{';
  for (std::string_view shape : a.in.all(a.field.number)) {
    a.out += separator;
    if (!append_shape(shape, true, a.out)) return false;
    separator = ", ";
  }
  a.out += '}';
  return true;
}
bool write_layout_constraints(const ModuleAttribute& a) {
  Cursor cursor(a.text());
  ShapeParser parser;
  parser.start(&a.shapes.table(), a.text().size());
  std::vector<ShapeId> ids;
  if (!read_shape_list(cursor, parser, &ids)) return false;
  a.out.integer(fields::instruction::kConstrainLayout, 1);
  for (ShapeId id : ids) a.out.bytes(a.field.number, a.shapes.of(id));
  return true;
}

// The literal of a custom call, whose text includes its shape.
bool print_literal(const ProtoAttribute& a) {
  if (!a.has()) return true;
  if (!append_shape(a.message().bytes(fields::literal::kShape), true, a.named())) return false;
  a.out += ' ';
  return append_literal(a.bytes(), std::numeric_limits<std::int64_t>::max(), a.out);
}
// That of a constant too.
bool write_literal(const ModuleAttribute& a) {
  ShapeId id = a.i.shape_id();
  std::vector<Literal> leaves;
  if (a.i.opcode() != Opcode::kConstant) {
    Cursor cursor(a.text());
    const bool ok = read_shape(cursor, &a.shapes.table(), &id) && read_literal(cursor, a.shapes.table(), id, &leaves);
    if (!ok || !cursor.at_end()) return false;
  } else if (a.i.shape().is_array() || a.i.shape().is_tuple()) {  // a token has no values
    absl::StatusOr<std::vector<Literal>> values = literal_leaves(a.i);
    if (!values.ok()) return false;
    leaves = *std::move(values);
  }
  a.out.bytes(a.field.number, literal_proto(a.shapes, id, leaves, &a.elided));
  return true;
}

}  // namespace

// An operation that needs a window has one without dimensions if the text has none.
const ProtoForm kWindow = {
    print_window,
    [](const ModuleAttribute& a) {
      const std::optional<Window> given = window(a.i);
      if (given || a.i.opcode() != Opcode::kCustomCall) {
        a.out.bytes(a.field.number, message_proto(given.value_or(Window())));
      }
      return true;
    },
    true,
};

const ProtoForm kDimLabels = {
    print_dim_labels,
    [](const ModuleAttribute& a) {
      const std::optional<Labels> labels = convolution_dimension_numbers(a.i);
      if (labels) a.out.bytes(a.field.number, message_proto(*labels));
      return true;
    },
};

const ProtoForm kPadding = {
    print_padding,
    [](const ModuleAttribute& a) {
      WireWriter config;
      append_messages(1, padding(a.i), config);
      a.out.bytes(a.field.number, config.view());
      return true;
    },
};

const ProtoForm kSlices = {print_slices, write_messages<slice_ranges>};

const ProtoForm kPairs = {print_pairs, write_messages<source_target_pairs>};

const ProtoForm kAliasing = {print_aliasing, write_messages<output_to_operand_aliasing>};

const ProtoForm kReplication = {print_replication, write_replication};

const ProtoForm kShape = {
    [](const ProtoAttribute& a) { return append_shape(a.bytes(), true, a.named()); },
    [](const ModuleAttribute& a) {
      Cursor cursor(a.text());
      ShapeId id;
      if (!read_shape(cursor, &a.shapes.table(), &id)) return false;
      a.out.bytes(a.field.number, a.shapes.of(id));
      return true;
    },
};

const ProtoForm kLayoutConstraints = {print_layout_constraints, write_layout_constraints};
const ProtoForm kLiteral = {print_literal, write_literal};

}  // namespace forms

}  // namespace hloroof::internal::inline proto
