// What a kernel does with the elements of its scalar operands.
#ifndef HLOROOF_LIB_KERNEL_TPU_LIST_USES_H_
#define HLOROOF_LIB_KERNEL_TPU_LIST_USES_H_

#include <cstdint>
#include <set>
#include <vector>

#include "lib/kernel/tpu/kernel_code.h"
#include "lib/kernel/tpu/program.h"

namespace hloroof::internal::inline kernel {

struct ListUse {
  // The number of blocks of the dimension that an element selects a block of; 0 if elements select none.
  std::int64_t extent = 0;
  bool selects_output = false;         // the dimension is one of a result
  bool bounds_a_loop = false;          // a bound of a loop depends on it
  bool is_packed = false;              // elements are taken apart by their bits, so that none is an index itself
  std::set<std::int64_t> compared_to;  // constants
};

// By KernelProgram::arrays.
std::vector<ListUse> list_uses(const KernelProgram& program, const KernelCode& code);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_LIST_USES_H_
