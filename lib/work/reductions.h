// Counts what reductions compute: reduce, reduce-window, and whatever else applies a computation to elements.
#ifndef HLOROOF_LIB_WORK_REDUCTIONS_H_
#define HLOROOF_LIB_WORK_REDUCTIONS_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/values/backend_config.h"
#include "lib/work/inside.h"
#include "lib/work/size_cache.h"

namespace hloroof::internal::inline work {

inline double log2_ceil(double n) { return n > 1 ? std::ceil(std::log2(n)) : 0; }

// ---- Registers -----------------------------------------------------------------------------------------------------

// The logical numbers of the two most minor dimensions; -1 if the array has fewer.
struct MinorDimensions {
  std::int64_t lane = -1;
  std::int64_t sublane = -1;
};
MinorDimensions minor_dimensions(const Shape& shape);

inline bool is_tiled(const Shape& shape) { return !shape.layout.tiles.empty(); }

// The extent of the tile along dimension `d` of a shape; 1 if tiles do not include the dimension.
std::int64_t tile_extent(const Shape& shape, std::int64_t d);

// The tiles along dimension `d` of a shape, at least one.
std::int64_t tiles_along(const Shape& shape, std::int64_t d);

// The tiles of a window along the `i`-th dimension of a shape from the minor end. `bounds` has as many numbers as the
// layout, from the major end.
std::int64_t tiles_of_window(const Shape& shape, std::size_t i, const std::vector<std::int64_t>& bounds);

// The elements of the registers that remain for the cross-lane unit after a reduction over the lanes has added up all
// registers of a row.
double lane_reduction_elements(const Shape& operand, const ArraySize& size);

// ---- Computations that are applied ---------------------------------------------------------------------------------

// The operations of a computation that is applied per element: its FLOPs, its transcendentals and its elementwise
// opcodes, without converts.
struct Applied {
  double flops = 0;
  double transcendentals = 0;
  std::vector<Opcode> operations;
};
Applied applied(InstructionView caller, AttributeKey key);

// Whether an opcode of such a computation takes an operation of a vector unit.
bool takes_operation(Opcode opcode);

// Adds `what` for so many elements.
void add_applied(const Applied& what, double logical, double padded, ElementType type, Work& work);

// ---- Reductions ----------------------------------------------------------------------------------------------------

// Add `share` of the arithmetic of one instruction.
void add_reduce(InstructionView reduce, double share, Place place, SizeCache& sizes, Work& work);
void add_reduce_window(InstructionView instruction, double share, SizeCache& sizes, Work& work);

// How a TPU computes a reduction in the windows of its instruction, or of the fusion that it is in. None if `config`
// does not have the dimensions of its operand, or if it applies several operations.
ReductionWindows windows_of(InstructionView reduce, const WindowConfig& config);

// Whether the windows of a reduce-window of a TPU all have the whole dimension along the lanes, so that the elements of
// a row of its result are equal.
bool totals_lanes(InstructionView reduce_window);

// What a reduce-window of a TPU does again because the compiler computes its result window by window.
struct WindowRepeats {
  Work work;         // in addition to that of add_reduce_window()
  double reads = 1;  // how often an element of its operand is fetched
};
// `config` is that of the fusion whose result has the dimensions of `instruction`.
WindowRepeats repeats_of(InstructionView instruction, const WindowConfig& config, SizeCache& sizes);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_REDUCTIONS_H_
