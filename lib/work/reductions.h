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
void add_reduce_window(InstructionView instruction, double share, Place place, SizeCache& sizes, Work& work);

// Adds the rows of the result of a reduce over the sublanes of its operand. The rows of a register of the result come
// from as many registers of the operand, and each is stored alone.
void add_result_rows(InstructionView reduce, Work& work);

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
