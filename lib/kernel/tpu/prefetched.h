// The contents of a kernel's scalar operands: lists of blocks, sizes of groups, masks of blocks, page tables.
//
// A kernel's conditions and window indices depend on them, and they are data: the text holds them only if they are
// constants, or the user may state them. Otherwise the shape of a list and what its elements are used for give the
// expected case, which is stated as an assumption.
#ifndef HLOROOF_LIB_KERNEL_TPU_PREFETCHED_H_
#define HLOROOF_LIB_KERNEL_TPU_PREFETCHED_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/kernel/tpu/given_lists.h"
#include "lib/kernel/tpu/kernel_code.h"
#include "lib/kernel/tpu/machine.h"
#include "lib/kernel/tpu/program.h"

namespace hloroof::internal::inline kernel {

struct PrefetchedData {
  std::vector<KernelBuffer> arrays;  // by KernelProgram::arrays; empty for an array that is not in SMEM
  std::vector<std::int64_t> grid;    // with the bounds that depend on data
  std::vector<std::string> assumptions;
  // Of a kernel with a loop that data end: the share of the rows of its arrays that it moves before its lists end.
  // nullopt if there is no such loop, or the sizes of its transfers do not depend on data.
  std::optional<double> covered;
  double most_trips = 1;  // how many times as often as assumed that loop runs if it goes on to the end of its lists
};

// What a run of the kernel with these data reaches in each of KernelProgram::arrays; empty if it cannot be followed.
using KernelProbe = std::function<std::vector<BufferReach>(const PrefetchedData&)>;

// `probe` tells how far a loop whose end is not known gets along its lists; it does not run if `is_idle`. Nothing is
// assumed about what `given` states; all of it is about this kernel. Errors: InvalidArgument if `given`
// names something that is no list in SMEM, or states more or fewer numbers than it holds.
absl::StatusOr<PrefetchedData> prefetched_data(const KernelProgram& program, const KernelCode& code,
                                               const std::vector<GivenList>& given = {},
                                               const KernelProbe& probe = nullptr, bool is_idle = false);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_PREFETCHED_H_
