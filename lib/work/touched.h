// Determines the parts of arrays that one instruction reads and writes: slices, gathers, in-place updates, whole tiles.
#ifndef HLOROOF_LIB_WORK_TOUCHED_H_
#define HLOROOF_LIB_WORK_TOUCHED_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hloroof/module.h"
#include "lib/work/size_cache.h"

namespace hloroof::internal::inline work {

// The read fraction of an array: of its bytes with padding, where whole tiles count, and of its bytes without. A
// fraction exceeds 1 only for blocks that a gather fetches repeatedly from tiled memory, where no cache keeps them in
// between.
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

// The way one result leaf of a computation is written.
struct LeafWrite {
  bool in_place = false;  // only `written_*` bytes, in the memory of parameter `parameter`; 0 if passed through
  int parameter = -1;
  double written_padded = 0;  // bytes, if in place
  double written_logical = 0;
  double read_back = 0;              // padded bytes of the partially covered tiles, which are read first
  double partial_tile_elements = 0;  // padded elements of those tiles
};

// The share of operand `i` that an instruction reads if the share `wanted` of its result is needed. Does not account
// for in-place updates.
Share operand_share(InstructionView instruction, int i, Share wanted, SizeCache& cache);

// The write of a dynamic-update-slice of `update` into `array`, which is parameter `parameter`. Partially covered tiles
// are read first.
LeafWrite update_slice(const Shape& array, const Shape& update, int parameter);

// The write of operand `operand` of a scatter, which has shape `array` and is in the memory of parameter `parameter`.
// The elements that the updates combine with are read first.
LeafWrite update_scatter(InstructionView scatter, int operand, const Shape& array, int parameter);

inline int scatter_operands(InstructionView scatter) { return static_cast<int>((scatter.operand_count() - 1) / 2); }

// The instruction behind those that only rename, copy, reshape or convert its result. An in-place update of that result
// can be made through them.
InstructionView updated_through(InstructionView at);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_TOUCHED_H_
