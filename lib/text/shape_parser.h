// Shapes and layouts from text: `bf16[8,1024]{1,0:T(8,128)(2,1)S(1)}`, tuples of them, buffers.
#ifndef HLOROOF_LIB_TEXT_SHAPE_PARSER_H_
#define HLOROOF_LIB_TEXT_SHAPE_PARSER_H_

#include <cstdint>
#include <vector>

#include "hloroof/shape.h"
#include "lib/text/array_texts.h"
#include "lib/text/cursor.h"

namespace hloroof::inline v0 {

// Whether the next token begins a shape: a type name, `(`, or the word b before `(`.
bool at_shape(Cursor& cursor);

// The type named by the next token, kInvalid without moving if it is none.
ElementType accept_element_type(Cursor& cursor);

// How many arrays and levels of tuples the shapes of a text of so many bytes may have, tuples inside each other counted
// again at each level. Written out a part takes six bytes, so only tuples nested some hundred deep, or inferred ones
// that double from line to line, come near.
inline std::size_t max_shape_parts(std::size_t bytes) { return 4096 + 16 * bytes; }

// Reads shapes into a table. A dump repeats few shapes many times, so the text of each is remembered: a shape that was
// seen before costs one scan and one comparison. Keeps its memory from one text to the next.
class ShapeParser {
 public:
  // Forgets the texts seen so far; to be called when another text, of so many bytes and with about so many different
  // arrays, is parsed or another table is written.
  void start(ShapeTable* table, std::size_t bytes = std::size_t{1} << 20, std::size_t arrays = 32);

  // Reads one shape. Where `id` is null it is checked and not put into the table: a dump repeats the shapes of all
  // parameters without their layouts in its signatures, which would double the table.
  bool read(Cursor& cursor, ShapeId* id);

  // Whether the last failure was that tuples of tuples have too many parts: nested d deep, a text of n bytes has d * n.
  bool exceeded_limit() const { return exceeded_limit_; }

 private:
  struct Cached {
    const char* text = nullptr;
    std::uint32_t size = 0;
    std::uint32_t hash = 0;
    std::uint32_t generation = 0;
    ShapeId id;
  };
  // A tuple being read: its elements are those of elements_ from `first` on.
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
  void insert(const Cached& entry);
  void grow();

  ShapeTable* table_ = nullptr;
  std::size_t max_leaves_ = 0;
  std::size_t listed_leaves_ = 0;  // of the tuples that were read and not found
  bool exceeded_limit_ = false;
  Shape array_;  // the one being read; kept for its memory
  Shape tuple_;
  std::vector<std::vector<std::int64_t>> spare_;  // memory of tiles and splits read before
  std::vector<Open> open_;
  std::vector<ShapeId> elements_;
#if defined(__SSE2__)
  ArrayTexts arrays_;
#endif
  std::vector<Cached> cache_;  // of tuples and of long arrays
  std::uint32_t generation_ = 0;
  std::uint32_t cached_ = 0;
};

// Reads one shape into `table` without a memory of earlier ones.
bool read_shape(Cursor& cursor, ShapeTable* table, ShapeId* id);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_SHAPE_PARSER_H_
