// Shapes and layouts: what `bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}` says.
//
//   const Shape& s = instruction.shape();
//   s.element_type;                 // kBf16
//   s.dimensions;                   // 32, 32, 4096
//   s.layout.minor_to_major;        // 2, 1, 0
//   s.layout.tiles[0].dimensions;   // 8, 128
//   s.layout.memory_space;          // 1: VMEM on TPU
//
// Shapes are deduplicated: within one ShapeTable two shapes are equal exactly if their ids are.
#ifndef HLOROOF_SHAPE_H_
#define HLOROOF_SHAPE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "hloroof/element_type.h"
#include "hloroof/ids.h"
#include "hloroof/span.h"

namespace hloroof {
inline namespace v0 {

// One parenthesised group of T(8,128)(2,1), outermost group first. An entry kCombine, `*` in the text, merges its
// dimension with the next more minor one.
struct Tile {
  static constexpr std::int64_t kCombine = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int64_t> dimensions;

  friend bool operator==(const Tile& a, const Tile& b) { return a.dimensions == b.dimensions; }
};

// SC(0:10): physical dimension `dimension` (0 is the most major) is split at `indices` between memories.
struct SplitConfig {
  std::int64_t dimension = 0;
  std::vector<std::int64_t> indices;

  friend bool operator==(const SplitConfig& a, const SplitConfig& b) {
    return a.dimension == b.dimension && a.indices == b.indices;
  }
};

// How an array lies in memory. `present` is false where the text gives none: then the dimensions are row-major and
// untiled.
struct Layout {
  bool present = false;
  std::vector<std::int64_t> minor_to_major;              // [0] varies fastest; a permutation of 0 .. rank-1
  std::vector<Tile> tiles;                               // outermost first
  std::int64_t tail_padding_alignment = 1;               // L(n), in elements
  ElementType index_type = ElementType::kInvalid;        // #(type), sparse only
  ElementType pointer_type = ElementType::kInvalid;      // *(type), sparse only
  std::int64_t element_size_in_bits = 0;                 // E(n); 0 means the type's own size
  std::int64_t memory_space = 0;                         // S(n); 0 is HBM, 1 VMEM on TPU, 5 host
  std::vector<SplitConfig> split_configs;                // SC(d:i,...)
  std::int64_t dynamic_shape_metadata_prefix_bytes = 0;  // M(n)

  friend bool operator==(const Layout& a, const Layout& b);
  friend bool operator!=(const Layout& a, const Layout& b) { return !(a == b); }
};

// An array, token, opaque, tuple or buffer shape.
struct Shape {
  static constexpr std::int64_t kUnboundedSize = -1;  // dimension `?`

  ElementType element_type = ElementType::kInvalid;
  std::vector<std::int64_t> dimensions;          // of a dynamic dimension <=N the bound N
  std::vector<std::uint8_t> dynamic_dimensions;  // 1 where dimension i is dynamic; empty if none is
  Layout layout;                                 // of arrays
  std::vector<ShapeId> elements;                 // of a tuple; of a buffer the one array

  bool is_array() const { return is_array_type(element_type); }
  bool is_tuple() const { return element_type == ElementType::kTuple; }
  bool is_token() const { return element_type == ElementType::kToken; }
  bool is_opaque() const { return element_type == ElementType::kOpaque; }
  bool is_buffer() const { return element_type == ElementType::kBuffer; }
  int rank() const { return static_cast<int>(dimensions.size()); }
  bool is_dynamic(int dimension) const { return !dynamic_dimensions.empty() && dynamic_dimensions[dimension] != 0; }

  friend bool operator==(const Shape& a, const Shape& b);
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }
};

// The distinct shapes of a module. References and ids stay valid as the table grows.
class ShapeTable {
 public:
  // Forgets all shapes, keeping the memory.
  void clear();

  // The id of `shape`, adding it if it is new. The ids in shape.elements must be of this table.
  ShapeId intern(const Shape& shape);

  const Shape& operator[](ShapeId id) const { return blocks_[id.index / kBlock][id.index % kBlock]; }
  std::size_t size() const { return size_; }

  // The array, token and opaque shapes inside `id` in depth-first order; a buffer counts as its array. One entry, `id`
  // itself, for what is no tuple. Computed once per shape. At most 2^20 leaves are listed. The view is valid until
  // another shape is added.
  Span<ShapeId> leaves(ShapeId id) const {
    const Parts& parts = parts_[id.index];
    return {leaves_.data() + parts.leaf_begin, parts.leaf_count};
  }

  // How deeply tuples nest: 0 for an array.
  int depth(ShapeId id) const { return parts_[id.index].depth; }

 private:
  // A place of the hash table; empty if `id` is invalid.
  struct Slot {
    std::uint32_t hash = 0;
    ShapeId id;
  };

  // What was computed of a shape when it was added.
  struct Parts {
    std::size_t leaf_begin = 0;  // in leaves_
    std::uint32_t leaf_count = 0;
    int depth = 0;
  };

  static constexpr std::size_t kBlock = 16;

  void grow();
  Shape& new_shape();

  // Blocks keep references valid. Shapes from size_ on are left from before clear(), for their memory.
  std::size_t size_ = 0;
  std::deque<std::array<Shape, kBlock>> blocks_;
  std::vector<Parts> parts_;
  std::vector<ShapeId> leaves_;  // of all shapes, in one piece
  std::vector<Slot> slots_;      // open addressing, at most half full
};

// Same element types, dimensions and tuple structure: layouts and dynamic flags are not looked at, and a dimension `?`
// goes with any. XLA's "compatible".
bool compatible(const ShapeTable& a_table, ShapeId a, const ShapeTable& b_table, ShapeId b);

enum class ShapeText { kWithLayout, kWithoutLayout };

// The shape as XLA prints it, with /*index=5*/ marks in tuples of more than five elements.
std::string to_string(const ShapeTable& table, ShapeId id, ShapeText form = ShapeText::kWithLayout);
void append_to(std::string& out, const ShapeTable& table, ShapeId id, ShapeText form = ShapeText::kWithLayout);

// Product of the dimensions of an array: 1 for a scalar. A product beyond int64 gives INT64_MAX, and an unbounded
// dimension counts as 1.
std::int64_t element_count(const Shape& shape);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_SHAPE_H_
