// Seconds on the vector units.
#ifndef HLOROOF_LIB_COST_VECTOR_TIME_H_
#define HLOROOF_LIB_COST_VECTOR_TIME_H_

#include "hloroof/cost.h"
#include "hloroof/device.h"

namespace hloroof::inline v0 {

// The slowest of the ALUs, the transcendental unit and the cross-lane unit, which run side by side.
double vector_seconds(const Work& work, const Device& device);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_VECTOR_TIME_H_
