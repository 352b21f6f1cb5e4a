// Where growth begins: in the inputs of the program, or in the loops over its layers.
#ifndef HLOROOF_LIB_SCALE_SEEDS_H_
#define HLOROOF_LIB_SCALE_SEEDS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "hloroof/module.h"
#include "lib/scale/axis.h"
#include "lib/scale/constraints.h"
#include "lib/scale/dimensions.h"

namespace hloroof::internal::inline scale {

// A parameter whose memory results reuse is state, such as weights: its size over all devices stays, so its shards
// along the axis shrink. Any other parameter is a batch, of which each device keeps as much. Errors: InvalidArgument if
// the text does not state the shardings of the parameters, or if no parameter is state.
absl::Status seed_axis(const Module& module, const Dimensions& dimensions, const ScaledAxis& axis, Constraints& out);

// The batch is the dimension of inputs that are not state along which they are sharded, or the first one of inputs of
// integers. Errors: InvalidArgument if there is no such dimension.
absl::Status seed_batch(const Module& module, const Dimensions& dimensions, Constraints& out);

// The stacked arrays of which the loops with `layers` trips take one slice in each. Errors: InvalidArgument if there is
// no such loop.
absl::Status seed_layers(const Module& module, const Dimensions& dimensions, std::int64_t layers, Constraints& out);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_SEEDS_H_
