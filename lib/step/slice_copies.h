// Copies of the program of one slice, which run on several slices with data parallelism between them.
#ifndef HLOROOF_LIB_STEP_SLICE_COPIES_H_
#define HLOROOF_LIB_STEP_SLICE_COPIES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/module.h"
#include "lib/step/costs.h"

namespace hloroof::internal::inline step {

// Returns on how many slices a target runs copies of the program of one slice: 1 unless it requests several. A TPU
// compiler compiles a program for one slice. If the module has more devices than a slice, or is not compiled yet, the
// slices share its devices instead.
std::int64_t copies_of(const Module& module, const Target& target, const LogicalMesh& mesh);

// Lists what the copies of a training program exchange: each gradient, after its reduction inside the slice. A device
// then has its part of the sum, or, where the reduction leaves the whole sum everywhere, sends a part of it. Errors:
// InvalidArgument if the text does not show what the gradients are.
absl::Status exchange_gradients(const Module& module, const CallGraph& calls, const Device& device,
                                const CollectiveOptions& options, CollectiveCosts& result);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_SLICE_COPIES_H_
