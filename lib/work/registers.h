// The registers of a TPU that the elements of an array fill, from the tiles of its layout.
#ifndef HLOROOF_LIB_WORK_REGISTERS_H_
#define HLOROOF_LIB_WORK_REGISTERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hloroof/shape.h"
#include "lib/ir/memory_spaces.h"
#include "lib/work/size_cache.h"

namespace hloroof::internal::inline work {

// The logical numbers of the two most minor dimensions; -1 if the array has fewer.
struct MinorDimensions {
  std::int64_t lane = -1;
  std::int64_t sublane = -1;
};
MinorDimensions minor_dimensions(const Shape& shape);

inline bool is_tiled(const Shape& shape) { return !shape.layout.tiles.empty(); }

// Whether loads reach the array where it lies. Windows of arrays in HBM, and in the CMEM of v4, are copied to VMEM.
inline bool is_in_vmem(const Shape& shape) { return shape.layout.memory_space == kVmemSpace; }

// The extent of the tile along dimension `d` of a shape; 1 if tiles do not include the dimension.
std::int64_t tile_extent(const Shape& shape, std::int64_t d);

// The elements of a type that share a sublane of a lane; one of types of 32 bits and more.
std::int64_t elements_of_word(ElementType type);

// Whether the tiles of an array have one row each, or the rows that share a sublane.
bool lies_by_rows(const Shape& shape);

// The tiles along dimension `d` of a shape, at least one.
std::int64_t tiles_along(const Shape& shape, std::int64_t d);

// The tiles of a window along the `i`-th dimension of a shape from the minor end. `bounds` has as many numbers as the
// layout, from the major end.
std::int64_t tiles_of_window(const Shape& shape, std::size_t i, const std::vector<std::int64_t>& bounds);

// The elements of the registers that remain for the cross-lane unit after a reduction over the lanes has added up all
// registers of a row.
double lane_reduction_elements(const Shape& operand, const ArraySize& size);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_REGISTERS_H_
