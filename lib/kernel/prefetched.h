// The contents of a kernel's scalar operands: lists of blocks, sizes of groups, masks of blocks, page tables.
//
// A kernel's conditions and window indices depend on them, and they are data: the text holds them only if they are
// constants. Otherwise the shape of a list and what its elements are used for give the expected case, which is stated
// as an assumption.
#ifndef HLOROOF_LIB_KERNEL_PREFETCHED_H_
#define HLOROOF_LIB_KERNEL_PREFETCHED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/kernel/kernel_code.h"
#include "lib/kernel/machine.h"
#include "lib/kernel/program.h"

namespace hloroof::internal {

struct PrefetchedData {
  std::vector<KernelBuffer> arrays;  // by KernelProgram::arrays; empty for an array that is not in SMEM
  std::vector<std::int64_t> grid;    // with the bounds that depend on data
  std::vector<std::string> assumptions;
};

PrefetchedData prefetched_data(const KernelProgram& program, const KernelCode& code);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_KERNEL_PREFETCHED_H_
