// Kernels that others measured, each with the dump of what was timed.
#ifndef HLOROOF_TESTS_ACCURACY_MEASURED_KERNELS_H_
#define HLOROOF_TESTS_ACCURACY_MEASURED_KERNELS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/accuracy/standing.h"

namespace hloroof::internal {

struct MeasuredKernel {
  std::string device;
  std::string kernel;
  std::string shapes;   // of the operands, "bf16[1024,384] bf16[384,2,1536]"
  std::string path;     // of the dump
  double measured = 0;  // seconds of the device: the median of five runs
  Standing standing = Standing::kHeldBack;
  double predicted = 0;
  std::string longest;  // the operation that takes most of the prediction, its share and its terms
};

// The rows of kernels/measured.csv, not predicted.
std::vector<MeasuredKernel> read_measured_kernels();

// The same, predicted; an error for a row that is not understood.
absl::StatusOr<std::vector<MeasuredKernel>> measured_kernels();

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_ACCURACY_MEASURED_KERNELS_H_
