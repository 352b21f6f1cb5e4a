// Kernels whose grid may get another bound: those that do the same for each element of a batch.
#ifndef HLOROOF_LIB_SCALE_KERNELS_H_
#define HLOROOF_LIB_SCALE_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline scale {

// A dimension of the grid that only chooses the element of a batch. The body does not use its number, and the windows
// use it for nothing but the index of the dimensions in `places`, whose blocks have one element.
struct BatchOfGrid {
  struct Place {
    std::size_t array = 0;  // of the operands, then of the results
    std::size_t dimension = 0;
  };
  std::size_t dimension = 0;
  std::int64_t bound = 1;
  std::vector<Place> places;
};

// Empty if `call` is no kernel with a body in MLIR bytecode that has such dimensions.
std::vector<BatchOfGrid> batches_of_grid(InstructionView call);

// The backend_config of `call` with another bound of one dimension of its grid. Errors: InvalidArgument at the call if
// the bytes of the body do not have the bounds in one place.
absl::StatusOr<std::string> with_bound(InstructionView call, const BatchOfGrid& batch, std::int64_t bound);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_KERNELS_H_
