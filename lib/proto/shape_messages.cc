// Shapes and layouts: ShapeProto and LayoutProto.
#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "hloroof/shape.h"
#include "lib/ir/shapes.h"
#include "lib/proto/fields.h"
#include "lib/proto/message_rows.h"

namespace hloroof::internal::inline proto {
template <>
constexpr auto kMembers<Tile> = std::tuple(&Tile::dimensions);  // kCombine is the value that the proto has
template <>
constexpr auto kMembers<SplitConfig> = std::tuple(&SplitConfig::dimension, &SplitConfig::indices);
template <>
constexpr auto kMembers<Layout> = std::tuple(&Layout::minor_to_major, nullptr, nullptr, nullptr, nullptr,
                                             &Layout::tiles, &Layout::element_size_in_bits, &Layout::memory_space,
                                             nullptr, nullptr, &Layout::index_type, &Layout::pointer_type, nullptr,
                                             nullptr, &Layout::dynamic_shape_metadata_prefix_bytes,
                                             &Layout::tail_padding_alignment, &Layout::split_configs);

namespace {

// The size of an unbounded dimension in the proto.
constexpr std::int64_t kNoSize = Tile::kCombine;

// A ShapeProto of neither a tuple nor a buffer.
bool append_array(const WireMessage& message, bool with_layout, std::string& out) {
  namespace f = fields::shape;
  const std::optional<ElementType> type = element_type_of(message.integer(f::kElementType));
  if (!type) return false;
  Shape shape;
  shape.element_type = *type;
  shape.dimensions = message.integers(f::kDimensions);
  const std::vector<std::int64_t> dynamic = message.integers(f::kIsDynamic);
  shape.dynamic_dimensions.resize(shape.dimensions.size());
  for (std::size_t d = 0; d < shape.dimensions.size(); ++d) {
    std::int64_t& dimension = shape.dimensions[d];
    if (d < dynamic.size() && dynamic[d] != 0) shape.dynamic_dimensions[d] = 1;
    if (dimension >= 0) continue;
    if (dimension != kNoSize || shape.dynamic_dimensions[d] == 0) return false;
    dimension = Shape::kUnboundedSize;
  }
  const WireMessage layout = message.message(f::kLayout);
  if (with_layout && message.has(f::kLayout)) {
    shape.layout = read_message<Layout>(layout);
    shape.layout.present = true;
    shape.layout.tail_padding_alignment = std::max<std::int64_t>(shape.layout.tail_padding_alignment, 1);
    for (const ElementType part : {shape.layout.index_type, shape.layout.pointer_type}) {
      if (part == ElementType::kTuple) return false;
    }
  }
  append_leaf(out, shape, with_layout ? ShapeText::kWithLayout : ShapeText::kWithoutLayout);
  return layout.ok() || !with_layout;
}

void append_array(const Shape& shape, WireWriter& out) {
  namespace f = fields::shape;
  std::vector<std::int64_t> dimensions = shape.dimensions;
  std::replace(dimensions.begin(), dimensions.end(), Shape::kUnboundedSize, kNoSize);
  out.packed(f::kDimensions, dimensions);
  // The text of a scalar has no layout, and XLA gives it the only one there is.
  if (shape.layout.present || shape.rank() == 0) out.bytes(f::kLayout, message_proto(shape.layout));
  std::vector<std::int64_t> is_dynamic(shape.dynamic_dimensions.begin(), shape.dynamic_dimensions.end());
  is_dynamic.resize(shape.dimensions.size(), 0);
  out.packed(f::kIsDynamic, is_dynamic);
}

}  // namespace

bool append_shape(std::string_view shape_proto, bool with_layout, std::string& out) {
  // The open tuples. An explicit stack, because the input controls the depth.
  struct Open {
    std::vector<std::string_view> elements;
    std::size_t next = 0;
  };
  std::vector<Open> open;
  std::string_view bytes = shape_proto;
  bool has_shape = true;
  while (true) {
    if (has_shape) {
      const WireMessage shape(bytes);
      if (!shape.ok()) return false;
      switch (shape.integer(fields::shape::kElementType)) {
        case fields::shape::kTuple:
          out += '(';
          open.push_back({shape.all(fields::shape::kTupleShapes), 0});
          break;
        case fields::shape::kBuffer:
          out += "b(";
          open.push_back({shape.all(fields::shape::kTupleShapes), 0});
          break;
        default:
          if (!append_array(shape, with_layout, out)) return false;
      }
    }
    if (open.empty()) return true;
    Open& innermost = open.back();
    if (innermost.next == innermost.elements.size()) {
      out += ')';
      open.pop_back();
      has_shape = false;
      continue;
    }
    if (innermost.next > 0) out += ", ";
    if (innermost.next > 0 && innermost.next % 5 == 0) absl::StrAppend(&out, "/*index=", innermost.next, "*/");
    bytes = innermost.elements[innermost.next++];
    has_shape = true;
  }
}

std::int64_t primitive_type(ElementType type) {
  // In the order of ElementType.
  static constexpr std::int64_t kNumbers[] = {
#define HLOROOF_ELEMENT_TYPE(enumerator, text, number, bits, bytes, kind) number,
#include "hloroof/element_type.def"
      fields::shape::kTuple, fields::shape::kBuffer, 0};
  static_assert(std::size(kNumbers) == static_cast<std::size_t>(ElementType::kInvalid) + 1);
  return kNumbers[static_cast<std::size_t>(type)];
}

std::optional<ElementType> element_type_of(std::int64_t number) {
  for (std::size_t t = 0; t < static_cast<std::size_t>(ElementType::kTuple); ++t) {
    if (primitive_type(static_cast<ElementType>(t)) == number) return static_cast<ElementType>(t);
  }
  return std::nullopt;
}

const std::string& ShapeProtos::of(ShapeId id) {
  static const std::string none;
  if (id.index >= table_.size()) return none;  // an instruction without a shape
  // The elements of a tuple are in the table before it.
  messages_.reserve(table_.size());
  while (messages_.size() <= id.index) {
    const Shape& shape = table_[ShapeId(messages_.size())];
    WireWriter out;
    out.integer(fields::shape::kElementType, primitive_type(shape.element_type));
    for (ShapeId element : shape.elements) out.bytes(fields::shape::kTupleShapes, messages_[element.index]);
    if (shape.is_array()) append_array(shape, out);
    messages_.push_back(out.take());
  }
  return messages_[id.index];
}

}  // namespace hloroof::internal::inline proto
