// Sizes of shapes as XLA's cost analysis measures them: logical sizes, without tiles.
#ifndef HLOROOF_LIB_COUNTS_XLA_SIZES_H_
#define HLOROOF_LIB_COUNTS_XLA_SIZES_H_

#include <cstdint>
#include <vector>

#include "hloroof/shape.h"
#include "lib/ir/element_type.h"

namespace hloroof::internal::inline counts {

// Holds the sizes of all shapes of a table, computed once.
class XlaSizes {
 public:
  explicit XlaSizes(const ShapeTable& table);

  // ShapeUtil::ByteSizeOf with 8-byte pointers. A tuple has the size of its table of pointers, and a token has size 0.
  // An array has its elements at their E(bits), or else at whole bytes, plus 4 bytes a dimension if any dimension is
  // dynamic.
  std::int64_t bytes(ShapeId id) const { return rows_[id.index].bytes; }
  // The same summed over the leaves of a tuple: the bytes written to produce it.
  std::int64_t leaf_bytes(ShapeId id) const { return rows_[id.index].leaf_bytes; }
  // Elements of an array; 0 for any other shape.
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

}  // namespace hloroof::internal::inline counts

#endif  // HLOROOF_LIB_COUNTS_XLA_SIZES_H_
