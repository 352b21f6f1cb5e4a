// Shapes and layouts such as `bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}`, element types, and the ids of a module's
// tables.
//
//   const Shape& s = instruction.shape();
//   s.element_type;                 // kBf16
//   s.dimensions;                   // 32, 32, 4096
//   s.layout.minor_to_major;        // 2, 1, 0
//   s.layout.tiles[0].dimensions;   // 8, 128
//   s.layout.memory_space;          // 1: VMEM on TPU
//
// A ShapeTable deduplicates shapes: two shapes of one table are equal if and only if their ids are equal.
//
// Lifetime: ids and references into a ShapeTable remain valid as long as the table. A view from leaves() is valid until
// the next intern().
//
// Threads: any number of threads may read one table. intern() needs exclusive access.
#ifndef HLOROOF_SHAPE_H_
#define HLOROOF_SHAPE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"

namespace hloroof {
namespace internal {
inline namespace ir {
class ModuleBuilder;
struct ModuleRows;
}  // namespace ir
}  // namespace internal
inline namespace v0 {

enum class ElementType : std::uint8_t {
#define HLOROOF_ELEMENT_TYPE(enumerator, text, number, bits, bytes, kind) enumerator,
#include "hloroof/element_type.def"
  kTuple,    // a tuple of shapes
  kBuffer,   // b(array): mutable memory that holds an array
  kInvalid,  // not a shape
};

// The spelling in HLO text ("bf16"); "tuple", "buffer" and "invalid" for kTuple, kBuffer and kInvalid.
std::string_view to_string(ElementType type);

// A typed index: an InstructionId cannot be used as a ComputationId. A default-constructed id is invalid.
template <typename Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}
  constexpr bool valid() const { return index != kNone; }

  friend constexpr bool operator==(Id a, Id b) { return a.index == b.index; }
  friend constexpr bool operator!=(Id a, Id b) { return a.index != b.index; }
  friend constexpr bool operator<(Id a, Id b) { return a.index < b.index; }
};
using InstructionId = Id<struct InstructionTag>;
using ComputationId = Id<struct ComputationTag>;
using ShapeId = Id<struct ShapeTag>;

// One parenthesised group of T(8,128)(2,1). An entry kCombine, `*` in the text, merges its dimension with the next more
// minor one.
struct Tile {
  static constexpr std::int64_t kCombine = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int64_t> dimensions;

  friend bool operator==(const Tile& a, const Tile& b) { return a.dimensions == b.dimensions; }
};

// SC(0:10): physical dimension `dimension`, where 0 is the most major, is split between memories at `indices`.
struct SplitConfig {
  std::int64_t dimension = 0;
  std::vector<std::int64_t> indices;

  friend bool operator==(const SplitConfig& a, const SplitConfig& b) {
    return a.dimension == b.dimension && a.indices == b.indices;
  }
};

// The layout of an array in memory. If the text has none, `present` is false and the array is row-major and untiled.
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
  std::vector<std::int64_t> dimensions;          // for a dynamic dimension <=N the bound N
  std::vector<std::uint8_t> dynamic_dimensions;  // 1 if dimension i is dynamic; empty if no dimension is
  Layout layout;                                 // arrays only
  std::vector<ShapeId> elements;                 // the elements of a tuple, or the array of a buffer

  bool is_array() const { return element_type < ElementType::kToken; }
  bool is_tuple() const { return element_type == ElementType::kTuple; }
  int rank() const { return static_cast<int>(dimensions.size()); }

  friend bool operator==(const Shape& a, const Shape& b);
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }
};

// The distinct shapes of a module.
class ShapeTable {
 public:
  // Returns the id of `shape` and adds it if it is new. The ids in shape.elements must belong to this table.
  ShapeId intern(const Shape& shape);

  const Shape& operator[](ShapeId id) const { return blocks_[id.index / kBlock][id.index % kBlock]; }
  std::size_t size() const { return size_; }

  // The array, token and opaque shapes inside `id` in depth-first order. A buffer counts as its array. A shape that is
  // not a tuple has one leaf, itself. Lists at most 2^20 leaves. Computed once per shape, when it is added.
  absl::Span<const ShapeId> leaves(ShapeId id) const {
    const Parts& parts = parts_[id.index];
    return {leaves_.data() + parts.leaf_begin, parts.leaf_count};
  }

 private:
  friend internal::ModuleBuilder;  // clears a table and keeps its memory
  friend internal::ModuleRows;

  // A slot of the hash table; empty if `id` is invalid.
  struct Slot {
    std::uint32_t hash = 0;
    ShapeId id;
  };

  // Facts about a shape, computed when it is added.
  struct Parts {
    std::size_t leaf_begin = 0;  // in leaves_
    std::uint32_t leaf_count = 0;
    int depth = 0;  // of nested tuples; 0 for an array
  };

  static constexpr std::size_t kBlock = 16;

  Shape& new_shape();
  void clear();

  // Blocks keep references valid as the table grows. clear() keeps the shapes beyond size_ in order to reuse their
  // memory.
  std::size_t size_ = 0;
  std::deque<std::array<Shape, kBlock>> blocks_;
  std::vector<Parts> parts_;
  std::vector<ShapeId> leaves_;  // of all shapes
  std::vector<Slot> slots_;      // open addressing, at most half full
};

enum class ShapeText { kWithLayout, kWithoutLayout };

// The shape as XLA prints it, with /*index=5*/ comments in tuples of more than five elements.
std::string to_string(const ShapeTable& table, ShapeId id, ShapeText form = ShapeText::kWithLayout);

}  // namespace v0
}  // namespace hloroof

template <typename Tag>
struct std::hash<hloroof::Id<Tag>> {
  std::size_t operator()(hloroof::Id<Tag> id) const noexcept { return id.index; }
};

#endif  // HLOROOF_SHAPE_H_
