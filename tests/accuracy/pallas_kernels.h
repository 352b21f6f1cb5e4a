// The Pallas kernels of the shared corpus, with the times that were measured.
#ifndef HLOROOF_TESTS_ACCURACY_PALLAS_KERNELS_H_
#define HLOROOF_TESTS_ACCURACY_PALLAS_KERNELS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/cost.h"
#include "hloroof/device.h"

namespace hloroof::internal {

struct MeasuredPallasKernel {
  std::string file;
  std::string device;
  std::string family;      // flash_attention, ragged_dot, ...
  double measured = 0;     // seconds, of the kernel and the operations around it
  double rest = 0;         // predicted seconds of the operations around it
  std::vector<Work> work;  // of the kernels
};

// The rows of `folder`/index.csv. Errors: NotFound if there is no such file; those of the prediction.
absl::StatusOr<std::vector<MeasuredPallasKernel>> measured_pallas_kernels(const std::string& folder);

// The predicted seconds of the kernel and the operations around it. `device` may have other numbers for kernels than
// the one that `rest` was predicted with.
double predicted_seconds(const MeasuredPallasKernel& kernel, const Device& device);

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_ACCURACY_PALLAS_KERNELS_H_
