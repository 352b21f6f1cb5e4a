// Lists the Pallas kernels of a prediction for the Python package.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_KERNELS_H_
#define HLOROOF_LIB_FRONTS_PYTHON_KERNELS_H_

#include <string>

#include "hloroof/predict.h"

namespace hloroof::internal::inline python {

// Returns a JSON object: vmem_capacity_bytes, of one core, null if unknown; calls, an array with an object for each
// call of a Pallas kernel that the step executes. Their members are op and computation, as in the ops of the
// prediction; name; grid, empty if the body could not be read; vmem_bytes, the bytes of VMEM for windows and scratch,
// null if the body could not be read; unread, why it could not be read, null if it was; assumptions, a list of
// sentences. The facts of `prediction` must still be valid.
std::string kernels_json(const StepPrediction& prediction);

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_KERNELS_H_
