// Counts what the windows of vector operations cost a TPU: how often they start, what they compute beyond the ends of
// an array, and which of their loads find the banks of VMEM in use.
#ifndef HLOROOF_LIB_WORK_VECTOR_WINDOWS_H_
#define HLOROOF_LIB_WORK_VECTOR_WINDOWS_H_

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/values/backend_config.h"
#include "lib/work/inside.h"
#include "lib/work/size_cache.h"

namespace hloroof::internal::inline work {

// Adds the windows of `instruction` to its `work`, whose operations are known. `called` is the computation of a fusion;
// invalid for any other instruction.
void add_vector_windows(InstructionView instruction, ComputationId called, const WindowConfig& config,
                        const Inside& inside, SizeCache& sizes, Work& work);

// Multiplies what `work` reduces over lanes by the windows along the lanes of `computed`, which `config` divides: each
// makes values of its own rows.
void reduce_in_windows(const Shape& computed, const WindowConfig& config, Work& work);

// Counts the values that a fusion, which calls `called`, spreads over the lanes of `computed`: each window spreads
// those of its rows, and once those that several of its rows share.
void spread_in_windows(InstructionView fusion, ComputationId called, const Shape& computed, const WindowConfig& config,
                       SizeCache& sizes, Work& work);

// Adds the loads of a reduction that no fusion contains, whose windows are known, to its `work`. Sums go down the
// columns of a window; those of rows along the lanes meet no bank twice.
void add_reduction_loads(InstructionView reduce, const WindowConfig& config, SizeCache& sizes, Work& work);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_VECTOR_WINDOWS_H_
