// Where growth begins: in the inputs of the program, or in the loops over its layers.
#ifndef HLOROOF_LIB_SCALE_SEEDS_H_
#define HLOROOF_LIB_SCALE_SEEDS_H_

#include <cstdint>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "lib/scale/axis.h"
#include "lib/scale/constraints.h"
#include "lib/scale/dimensions.h"
#include "lib/scale/rounds.h"
#include "lib/scale/trips.h"

namespace hloroof::internal::inline scale {

// The numbers of the parameters that are state.
std::set<std::int64_t> state_parameters(const Module& module);

// Adds the dimensions of the parameters, which grow as the seeds of one of the next three say.
void add_inputs(const Module& module, const Dimensions& dimensions, Constraints& out);

// A parameter whose memory results reuse is state, such as weights: its size over all devices stays, so its shards
// along the axis shrink. Any other parameter is a batch, of which each device keeps as much. Errors: InvalidArgument if
// the text does not state the shardings of the parameters, or if no parameter is state.
absl::Status seed_axis(const Module& module, const Dimensions& dimensions, const ScaledAxis& axis, const Rounds& rounds,
                       Constraints& out);

// The batch is the dimension along which inputs that are not state are sharded. If the text does not state that, it is
// the first one of those that have several dimensions, or integers. Errors: InvalidArgument if there is no such
// dimension.
absl::Status seed_batch(const Module& module, const Dimensions& dimensions, Constraints& out);

// The loops over the layers of the model, whose stacked arrays have a slice for each.
struct LayerLoops {
  std::int64_t layers = 0;
  std::vector<LoopTrips> loops;  // as many trips as there are layers, or fewer where the first or last ones are outside
};

// The layers of which a loop with so many trips takes or updates one slice in each; 0 if it does not.
std::int64_t layers_of(const Module& module, InstructionView loop, std::int64_t trips);

// Finds them: loops that take or update one slice of arrays with as many slices as trips, or one more. Errors:
// InvalidArgument if there is none, if they have several numbers of layers, or if it is not known what ends one.
absl::StatusOr<LayerLoops> find_layer_loops(const Module& module);

// Seeds the stacked arrays in these loops.
void seed_layers(const Module& module, const Dimensions& dimensions, const LayerLoops& loops, Constraints& out);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_SEEDS_H_
