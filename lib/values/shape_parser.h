// Parses shapes and layouts: `bf16[8,1024]{1,0:T(8,128)(2,1)S(1)}`, tuples and buffers.
#ifndef HLOROOF_LIB_VALUES_SHAPE_PARSER_H_
#define HLOROOF_LIB_VALUES_SHAPE_PARSER_H_

#include <cstdint>
#include <vector>

#include "hloroof/shape.h"
#include "lib/values/array_texts.h"
#include "lib/values/cursor.h"

namespace hloroof::internal::inline values {

// Whether the next token begins a shape: a type name, `(`, or the word b before `(`.
bool at_shape(Cursor& cursor);

// Accepts an element type. Returns kInvalid without moving if the next token is not one.
ElementType accept_element_type(Cursor& cursor);

// The maximum number of arrays and tuple levels in the shapes of a text of `bytes`, counting a nested tuple once per
// level. A part takes at least six bytes of text, so only tuples nested about a hundred deep, or inferred tuples that
// double from line to line, reach the limit.
inline std::size_t max_shape_parts(std::size_t bytes) { return 4096 + 16 * bytes; }

// Parses shapes into a table. A dump repeats few shapes many times, so the parser caches their texts: a repeated shape
// costs one scan and one comparison. Reuses its memory for the next text.
class ShapeParser {
 public:
  // Clears the cache. Call this before parsing another text or using another table. `bytes` is the size of the text and
  // `arrays` the approximate number of distinct arrays.
  void start(ShapeTable* table, std::size_t bytes = std::size_t{1} << 20, std::size_t arrays = 32);

  // Parses one shape. If `id` is null, checks it without adding it to the table. Signatures repeat the shapes of all
  // parameters without layouts, which would double the table.
  bool read(Cursor& cursor, ShapeId* id);

  // Whether the last failure was that nested tuples have too many parts; n bytes of text nested d deep have up to d *
  // n.
  bool exceeded_limit() const { return exceeded_limit_; }

 private:
  struct Cached {
    const char* text = nullptr;
    std::uint32_t size = 0;
    std::uint32_t hash = 0;
    std::uint32_t generation = 0;
    ShapeId id;
  };
  // An open tuple. Its elements are those of elements_ from `first` on.
  struct Open {
    std::size_t first;
    const char* begin;
  };

  bool read_tuple(Cursor& cursor, ShapeId* id);
  bool read_array_or_buffer(Cursor& cursor, ShapeId* id);
  bool read_long_array(Cursor& cursor, ShapeId* id);
  bool read_new_array(Cursor& cursor, ShapeId* id);
  const Cached* find(const char* text, std::uint32_t size, std::uint32_t hash, bool with_id) const;
  bool read_array(Cursor& cursor);
  bool read_dimensions(Cursor& cursor);
  bool read_layout(Cursor& cursor);
  bool read_layout_items(Cursor& cursor);
  std::vector<std::int64_t> take_spare();
  bool check_layout(Cursor& cursor, const char* begin);
  void remember(const char* text, std::uint32_t size, std::uint32_t hash, ShapeId id);

  ShapeTable* table_ = nullptr;
  std::size_t max_leaves_ = 0;
  std::size_t listed_leaves_ = 0;  // the leaves of tuples that were not in the cache
  bool exceeded_limit_ = false;
  Shape array_;  // scratch: the array being read
  Shape tuple_;
  std::vector<std::vector<std::int64_t>> spare_;  // memory of earlier tiles and splits
  std::vector<Open> open_;
  std::vector<ShapeId> elements_;
  ArrayTexts arrays_;
  std::vector<Cached> cache_;  // tuples and long arrays
  std::uint32_t generation_ = 0;
  std::uint32_t cached_ = 0;
};

// Parses one shape into `table` without a cache.
bool read_shape(Cursor& cursor, ShapeTable* table, ShapeId* id);

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_SHAPE_PARSER_H_
