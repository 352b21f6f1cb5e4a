// Which parts of arrays one instruction reads and writes: slices, gathers, updates in place, whole tiles.
#ifndef HLOROOF_LIB_COST_TOUCHED_H_
#define HLOROOF_LIB_COST_TOUCHED_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hloroof/module.h"
#include "lib/cost/size_cache.h"

namespace hloroof::inline v0 {

// How much of an array is read, in arrays: of its bytes with padding, where whole tiles count, and without. Above 1
// only for blocks of a gather from tiled memory that are fetched again and again: nothing there keeps them in between.
struct Share {
  double padded = 0;
  double logical = 0;

  void add(Share other) {
    padded = united(padded, other.padded);
    logical = united(logical, other.logical);
  }
  friend Share operator*(Share a, Share b) { return {a.padded * b.padded, a.logical * b.logical}; }

 private:
  static double united(double a, double b) { return std::min(a + b, std::max({a, b, 1.0})); }
};

inline constexpr Share kAll{1, 1};

// How one result leaf of a computation is written.
struct LeafWrite {
  bool in_place = false;  // only `written` of it, in the memory of parameter `parameter`; nothing if handed on
  int parameter = -1;
  double written_padded = 0;  // bytes, if in place
  double written_logical = 0;
  double read_back = 0;              // padded bytes of the tiles that the update covers in part and that are read first
  double partial_tile_elements = 0;  // padded elements of those tiles
};

// What of operand `i` an instruction reads when `wanted` of its result is wanted. Updates in place are not seen here.
Share operand_share(InstructionView instruction, int i, Share wanted, SizeCache& cache);

// A dynamic-update-slice of `update` into `array`, which is parameter `parameter`. Tiles covered in part are read
// first.
LeafWrite update_slice(const Shape& array, const Shape& update, int parameter);

// Operand `operand` of a scatter, which lies as `array` in the memory of parameter `parameter`. What the updates
// combine with is read first.
LeafWrite update_scatter(InstructionView scatter, int operand, const Shape& array, int parameter);

inline int scatter_operands(InstructionView scatter) { return static_cast<int>((scatter.operand_count() - 1) / 2); }

// An instruction whose result is operand 0 with something rearranged but no element added or dropped, so that an update
// in place can be made through it.
bool keeps_place(Opcode opcode);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_TOUCHED_H_
