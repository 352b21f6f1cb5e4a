// Shapes and layouts: ShapeProto and LayoutProto.
#include <iterator>

#include "absl/strings/str_cat.h"
#include "hloroof/shape.h"
#include "lib/base/strings.h"
#include "lib/proto/fields.h"
#include "lib/proto/messages.h"

namespace hloroof::internal::inline proto {
namespace {

// The HLO text of a PrimitiveType; empty for tuple, buffer and unknown numbers.
std::string_view element_type_word(std::int64_t number) {
  const std::optional<ElementType> type = element_type_of(number);
  return type ? to_string(*type) : std::string_view();
}

// The value of an unbounded dynamic dimension and of `*` in a tile.
constexpr std::int64_t kNoSize = INT64_MIN;

void append_tiles(const WireMessage& layout, std::string& out) {
  const std::vector<std::string_view> tiles = layout.all(fields::layout::kTiles);
  if (tiles.empty()) return;
  out += 'T';
  for (std::string_view bytes : tiles) {
    out += '(';
    const std::vector<std::int64_t> dimensions = WireMessage(bytes).integers(fields::layout::kTileDimensions);
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      if (i > 0) out += ',';
      if (dimensions[i] == kNoSize) {
        out += '*';
      } else {
        absl::StrAppend(&out, dimensions[i]);
      }
    }
    out += ')';
  }
}

// layout := '{' minor_to_major? ( ':' item* )? '}'   with items in the order of the grammar
bool append_layout(const WireMessage& layout, std::string& out) {
  std::string items;
  append_tiles(layout, items);
  const std::int64_t tail = layout.integer(fields::layout::kTailPadding, 1);
  if (tail > 1) absl::StrAppend(&items, "L(", tail, ")");
  const std::int64_t index_type = layout.integer(fields::layout::kIndexType);
  if (index_type != 0) absl::StrAppend(&items, "#(", to_absl(element_type_word(index_type)), ")");
  const std::int64_t pointer_type = layout.integer(fields::layout::kPointerType);
  if (pointer_type != 0) absl::StrAppend(&items, "*(", to_absl(element_type_word(pointer_type)), ")");
  const std::int64_t bits = layout.integer(fields::layout::kElementBits);
  if (bits != 0) absl::StrAppend(&items, "E(", bits, ")");
  const std::int64_t space = layout.integer(fields::layout::kMemorySpace);
  if (space != 0) absl::StrAppend(&items, "S(", space, ")");
  const std::vector<std::string_view> splits = layout.all(fields::layout::kSplits);
  if (!splits.empty()) items += "SC";
  for (std::string_view bytes : splits) {
    const WireMessage split(bytes);
    absl::StrAppend(&items, "(", split.integer(fields::layout::kSplitDimension), ":");
    append_list(split.integers(fields::layout::kSplitIndices), items);
    items += ')';
  }
  const std::int64_t prefix = layout.integer(fields::layout::kDynamicPrefix);
  if (prefix > 0) absl::StrAppend(&items, "M(", prefix, ")");

  const std::vector<std::int64_t> order = layout.integers(fields::layout::kMinorToMajor);
  if (order.empty() && items.empty()) return layout.ok();  // a scalar prints no layout
  out += '{';
  append_list(order, out);
  if (!items.empty()) absl::StrAppend(&out, ":", items);
  out += '}';
  return layout.ok();
}

// array := PRIM '[' list(dim) ']' layout?     dim := INT | '<=' INT | '?'
bool append_array(const WireMessage& shape, bool with_layout, std::string& out) {
  const std::string_view word = element_type_word(shape.integer(fields::shape::kElementType));
  if (word.empty()) return false;
  absl::StrAppend(&out, to_absl(word), "[");
  const std::vector<std::int64_t> dimensions = shape.integers(fields::shape::kDimensions);
  const std::vector<std::int64_t> dynamic = shape.integers(fields::shape::kIsDynamic);
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (i > 0) out += ',';
    const bool is_dynamic = i < dynamic.size() && dynamic[i] != 0;
    if (is_dynamic && dimensions[i] == kNoSize) {
      out += '?';
      continue;
    }
    absl::StrAppend(&out, is_dynamic ? "<=" : "", dimensions[i]);
  }
  out += ']';
  return !with_layout || !shape.has(fields::shape::kLayout) ||
         append_layout(shape.message(fields::shape::kLayout), out);
}

// The size of an unbounded dimension, and `*` in a tile.
constexpr std::int64_t kNoSizeInProto = INT64_MIN;

std::string layout_proto(const Layout& layout) {
  namespace f = fields::layout;
  WireWriter out;
  out.packed(f::kMinorToMajor, layout.minor_to_major);
  for (const Tile& tile : layout.tiles) {
    WireWriter dimensions;
    dimensions.packed(f::kTileDimensions, tile.dimensions);  // kCombine is the value that the proto has
    out.bytes(f::kTiles, dimensions.view());
  }
  static_assert(Tile::kCombine == kNoSizeInProto);
  out.integer(f::kElementBits, layout.element_size_in_bits);
  out.integer(f::kMemorySpace, layout.memory_space);
  out.integer(f::kIndexType, primitive_type(layout.index_type));
  out.integer(f::kPointerType, primitive_type(layout.pointer_type));
  out.integer(f::kDynamicPrefix, layout.dynamic_shape_metadata_prefix_bytes);
  out.integer(f::kTailPadding, layout.tail_padding_alignment);
  for (const SplitConfig& split : layout.split_configs) {
    WireWriter config;
    config.integer(f::kSplitDimension, split.dimension);
    config.packed(f::kSplitIndices, split.indices);
    out.bytes(f::kSplits, config.view());
  }
  return out.take();
}

void append_array_shape(const Shape& shape, WireWriter& out) {
  namespace f = fields::shape;
  std::vector<std::int64_t> dimensions = shape.dimensions;
  for (std::int64_t& dimension : dimensions) {
    if (dimension == Shape::kUnboundedSize) dimension = kNoSizeInProto;
  }
  out.packed(f::kDimensions, dimensions);
  // The text of a scalar has no layout, and XLA gives it the only one there is.
  if (shape.layout.present || shape.rank() == 0) out.bytes(f::kLayout, layout_proto(shape.layout));
  std::vector<std::int64_t> is_dynamic(shape.dimensions.size(), 0);
  for (std::size_t d = 0; d < shape.dynamic_dimensions.size() && d < is_dynamic.size(); ++d) {
    is_dynamic[d] = shape.dynamic_dimensions[d];
  }
  out.packed(f::kIsDynamic, is_dynamic);
}

}  // namespace

std::optional<ElementType> element_type_of(std::int64_t number) {
  struct Row {
    std::int64_t number;
    ElementType type;
  };
  static constexpr Row kRows[] = {
#define HLOROOF_ELEMENT_TYPE(enumerator, text, number, bits, bytes, kind) {number, ElementType::enumerator},
#include "hloroof/element_type.def"
  };
  for (const Row& row : kRows) {
    if (row.number == number) return row.type;
  }
  return std::nullopt;
}

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
    if (shape.is_array()) append_array_shape(shape, out);
    messages_.push_back(out.take());
  }
  return messages_[id.index];
}

}  // namespace hloroof::internal::inline proto
