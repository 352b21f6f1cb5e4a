#include <iterator>

#include "lib/proto/encode.h"
#include "lib/proto/fields.h"

namespace hloroof::internal::inline proto {
namespace {

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
