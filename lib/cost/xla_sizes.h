// Sizes of shapes as XLA's cost analysis measures them: logical, without tiles.
#ifndef HLOROOF_LIB_COST_XLA_SIZES_H_
#define HLOROOF_LIB_COST_XLA_SIZES_H_

#include <cstdint>
#include <vector>

#include "hloroof/shape.h"

namespace hloroof::inline v0 {

// The sizes of all shapes of a table, computed once.
class XlaSizes {
 public:
  explicit XlaSizes(const ShapeTable& table);

  // ShapeUtil::ByteSizeOf with 8-byte pointers: of a tuple its table of pointers, of a token nothing, of an array the
  // elements at their E(bits) or else their whole bytes, and 4 bytes a dimension more if any dimension is dynamic.
  std::int64_t bytes(ShapeId id) const { return rows_[id.index].bytes; }
  // The same over the leaves of a tuple: what producing it writes.
  std::int64_t leaf_bytes(ShapeId id) const { return rows_[id.index].leaf_bytes; }
  // Elements of an array, 0 of anything else.
  std::int64_t elements(ShapeId id) const { return rows_[id.index].elements; }
  // Elements of all arrays in a tuple.
  std::int64_t leaf_elements(ShapeId id) const { return rows_[id.index].leaf_elements; }

 private:
  struct Row {
    std::int64_t bytes = 0;
    std::int64_t leaf_bytes = 0;
    std::int64_t elements = 0;
    std::int64_t leaf_elements = 0;
  };
  std::vector<Row> rows_;
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_XLA_SIZES_H_
