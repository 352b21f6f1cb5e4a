// Rates of a device that nobody measured on it: guesses, and those of a related device.
#ifndef HLOROOF_LIB_TIME_ASSUMED_RATE_H_
#define HLOROOF_LIB_TIME_ASSUMED_RATE_H_

#include <string>
#include <string_view>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/time/op_time.h"

namespace hloroof::internal::inline time {

// Whether the device file says of the number that it is assumed.
bool is_assumed(const Device& device, std::string_view path);

// The path of the number that decides the time of an op on a GPU, if it is assumed; else empty. It is that of the
// resource that bounds the op (products, vector operations, level-2 cache or HBM), in a step whose products take
// `products_busy` seconds at the burst rates. Links have numbers by kind of collective, and an op that is bound by its
// launch has none.
std::string assumed_rate(const Work& work, const OpTime& time, const Device& device, double products_busy);

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_ASSUMED_RATE_H_
