// How often each block of a GPU kernel runs, over all program instances of its grid.
//
// Of the threads of a warp, two run: the elected one, and another in place of the rest.
//
// Bounds and predicates are computed from constants and from the position in the grid. Only the positions along axes
// that they depend on are distinguished. A causal loop therefore counts the blocks of keys that each block of queries
// sees, and costs no more than that to count.
#ifndef HLOROOF_LIB_KERNEL_GPU_GPU_EVALUATE_H_
#define HLOROOF_LIB_KERNEL_GPU_GPU_EVALUATE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/kernel/gpu/gpu_ops.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

using GpuGrid = std::array<std::int64_t, 3>;

// How a kernel is launched.
struct GpuLaunch {
  GpuGrid grid = {1, 1, 1};
  // Of a program for single threads, which runs once for each of them; 0 for a program on tiles.
  std::int64_t threads = 0;
  GpuGrid cluster = {1, 1, 1};
};

struct BlockRuns {
  std::vector<double> runs;  // of each block over the whole grid and all threads, by BlockId
  double programs = 0;       // program instances
  bool is_sampled = false;   // the grid is too large: evenly spaced positions stand for all
  // Bounds and predicates that depend on data. A loop with such a bound counts no trips, and the branches of such a
  // predicate count as equally likely.
  std::vector<mlir::OpId> data_dependent;
};

// Errors: InvalidArgument if the region has no block, ResourceExhausted if too many operations would be evaluated.
absl::StatusOr<BlockRuns> count_block_runs(const mlir::Module& kernel, const std::vector<GpuOpFacts>& facts,
                                           mlir::RegionId body, const GpuLaunch& launch);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_GPU_GPU_EVALUATE_H_
