// The work of a region of a Pallas kernel, in the terms of other operations.
#ifndef HLOROOF_LIB_WORK_REGION_PRODUCTS_H_
#define HLOROOF_LIB_WORK_REGION_PRODUCTS_H_

#include <vector>

#include "hloroof/cost.h"
#include "lib/kernel/tpu/kernel_run.h"

namespace hloroof::internal::inline work {

// The matrix products and the vector operations of `runs` runs of a region.
std::vector<MatrixWork> products_of(const RegionWork& work, double runs = 1);
std::vector<VectorWork> vector_work_of(const RegionWork& work, double runs = 1);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_REGION_PRODUCTS_H_
