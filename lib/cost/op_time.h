// Seconds from work: every resource of the device is a roof, and an operation takes as long as its slowest resource
// plus a floor. All rates are the device's; nothing here knows an operation or a program by its name.
#ifndef HLOROOF_LIB_COST_OP_TIME_H_
#define HLOROOF_LIB_COST_OP_TIME_H_

#include "hloroof/cost.h"
#include "hloroof/device.h"

namespace hloroof::inline v0 {

// Seconds the matrix unit takes for one product, padding to its dimensions, passes and loading of weights included; the
// better of the two ways to lay the product on the unit.
double matrix_seconds(const MatrixWork& product, const Device& device);

// The same at the unit's peak rate, without padding or any loss.
double matrix_peak_seconds(const MatrixWork& product, const Device& device);

// What the kernel of a product costs beside it and Device::overhead.op; 0 where nothing is known of it.
double matrix_launch_seconds(const MatrixWork& product, const Device& device);

// The time of `work` on `device` without what happens on wires: the caller of a collective adds that. Zero throughout
// for work that is free.
OpTime op_time(const Work& work, const Device& device);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_OP_TIME_H_
