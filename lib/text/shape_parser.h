// Shapes and layouts from text: `bf16[8,1024]{1,0:T(8,128)(2,1)S(1)}`, tuples of them, buffers.
#ifndef HLOROOF_LIB_TEXT_SHAPE_PARSER_H_
#define HLOROOF_LIB_TEXT_SHAPE_PARSER_H_

#include <cstdint>
#include <vector>

#include "hloroof/shape.h"
#include "lib/text/cursor.h"

namespace hloroof::inline v0 {

// Whether the next token begins a shape: a type name, `(`, or the word b before `(`.
bool at_shape(Cursor& cursor);

// The type named by the next token, kInvalid without moving if it is none.
ElementType accept_element_type(Cursor& cursor);

// Reads shapes into a table. A dump repeats few shapes many times, so the text of each is remembered: a shape that was
// seen before costs one scan and one comparison. Keeps its memory from one text to the next.
class ShapeParser {
 public:
  // Forgets the texts seen so far; to be called when another text is parsed or another table is written.
  void start(ShapeTable* table);

  // Reads one shape. `id` may be null.
  bool read(Cursor& cursor, ShapeId* id);

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

  bool read_uncached(Cursor& cursor, ShapeId* id);
  bool read_array(Cursor& cursor);
  bool read_dimensions(Cursor& cursor);
  bool read_layout(Cursor& cursor);
  bool read_layout_items(Cursor& cursor);
  std::vector<std::int64_t> take_spare();
  bool check_layout(Cursor& cursor, const char* begin);
  void remember(const char* text, std::uint32_t size, std::uint32_t hash, ShapeId id);
  void grow();

  ShapeTable* table_ = nullptr;
  Shape array_;  // the one being read; kept for its memory
  Shape tuple_;
  std::vector<std::vector<std::int64_t>> spare_;  // memory of tiles and splits read before
  std::vector<Open> open_;
  std::vector<ShapeId> elements_;
  std::vector<Cached> cache_;
  std::uint32_t generation_ = 0;
  std::uint32_t cached_ = 0;
};

// Reads one shape into `table` without a memory of earlier ones.
bool read_shape(Cursor& cursor, ShapeTable* table, ShapeId* id);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_SHAPE_PARSER_H_
