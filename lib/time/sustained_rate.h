// The rate of products at the power cap of a device. A kernel alone runs at the burst rate: the device has power to
// spare from the time before it. Once a step has kept the matrix unit busy for a while, the power cap lowers its clock.
//
// On TPU v6e, products of random numbers on and on attain 0.81 of the peak, and alone or of zeros 0.90 to 0.93
// (TPU-WIKI, RECIPES in data/hardware/sources.json).
//
// On GPUs, measured loops of products (AICONFIGURATOR there) leave the burst rate between 20 and 100 ms,
// and their rate then hardly depends on the shape: the cap divided by the energy of a flop. A product that is slower
// than that for another reason draws less power and is not slowed down. Fused attention kernels on Hopper draw 575 of
// 700 W, so the cap applies only to products in kernels of their own: matmuls and convolutions.
#ifndef HLOROOF_LIB_TIME_SUSTAINED_RATE_H_
#define HLOROOF_LIB_TIME_SUSTAINED_RATE_H_

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/time/numbers.h"

namespace hloroof::internal::inline time {

// Whether the time of products on the device depends on how long a step keeps the matrix unit busy.
bool has_sustained_rates(const Device& device);

// How far the rate of products has fallen from the burst rate (0) to the sustained rate (1) in a step whose products
// take `products_busy` seconds at the burst rates. In between the share grows linearly, so that a step that becomes
// slightly longer never takes a jump. Notes the numbers that are missing.
double sustained_share(double products_busy, const Device& device, MissingNumbers* missing = nullptr);

// The seconds that the products of `work` take at the burst rates. 0 if `work` is free or its time is given.
double burst_seconds(const Work& work, const Device& device);

// The number of the device that says at which rate the power cap holds the product; null if it does not lower it.
// `slot` is the member of MatrixPeak with the rate of the product.
const Fact<double>* rate_at_cap(const MatrixWork& product, const void* slot, const Device& device);

// Returns the seconds of a product in a step whose products take `products_busy` seconds at the burst rates; `burst` is
// its time at the burst rate. `passes` are those of the product, and `slot` is the member of MatrixPeak with its rate.
template <class Num>
Num capped_seconds(const MatrixWork& product, Num burst, double passes, const void* slot, double products_busy,
                   const Numbers<Num>& numbers);

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_SUSTAINED_RATE_H_
