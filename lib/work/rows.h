// Rows that gathers and scatters find by their numbers. A TPU reads each number into a scalar unit and then loads and
// stores the row, one row after another, if the array lies in VMEM.
#ifndef HLOROOF_LIB_WORK_ROWS_H_
#define HLOROOF_LIB_WORK_ROWS_H_

#include "absl/types/span.h"
#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/work/inside.h"
#include "lib/work/size_cache.h"

namespace hloroof::internal::inline work {

// Adds the rows of a gather or scatter in a tiled array, as if it lay in VMEM.
void add_rows(InstructionView instruction, double share, SizeCache& sizes, Work& work);

// Whether the array that has the rows lies in VMEM while `instruction` runs: an operand or a result in VMEM has its
// size, or the text says that the compiler gave the instruction as much VMEM for a copy. A scatter that `leaves` says
// to write all of its results holds their windows in VMEM, one after another.
bool are_rows_in_vmem(InstructionView instruction, const RowWork& rows, absl::Span<const LeafWrite> leaves,
                      absl::Span<const ShapeId> results, SizeCache& sizes);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_ROWS_H_
