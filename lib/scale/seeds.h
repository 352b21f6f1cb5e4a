// Where growth begins: in the inputs of the program, or in the loops over its layers.
#ifndef HLOROOF_LIB_SCALE_SEEDS_H_
#define HLOROOF_LIB_SCALE_SEEDS_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
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

// A dimension of a parameter of the entry, of which each device along the axis has a part.
struct SharedDimension {
  std::string parameter;  // its number or its name
  std::size_t dimension = 0;
};

// The numbers of the parameters that are state.
std::set<std::int64_t> state_parameters(const Module& module);

// Adds the dimensions of the parameters, which grow as the seeds of one of the next three say.
void add_inputs(const Module& module, const Dimensions& dimensions, Constraints& out);

// A parameter whose memory results reuse is state, such as weights: its size over all devices stays, so its shards
// along the axis shrink. Any other parameter is a batch, of which each device keeps as much. If no result reuses memory
// and the axis is one of data, parameters of integers and those that products show to be of the batch are that, and any
// other is state of which the text does not say whether it is sharded. Errors: InvalidArgument if that is not known.
absl::Status seed_axis(const Module& module, const Dimensions& dimensions, const ScaledAxis& axis, const Rounds& rounds,
                       Constraints& out);

// The parameters have these dimensions of wholes that stay, and no other. Errors: InvalidArgument if a parameter has no
// such dimension.
absl::Status seed_shards(const Module& module, const Dimensions& dimensions, const std::vector<SharedDimension>& shards,
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

// Whether an element of what a loop of the entry carries is made of state alone.
bool begins_as_state(InstructionView loop, std::size_t element);

// Whether a loop of the entry takes, in each of so many trips, one slice of an array that is made of state alone: the
// weights of one layer.
bool takes_layers_of_state(const Module& module, InstructionView loop, std::int64_t trips);

// What `value` is before it was moved to another place or got another name a few times, or was converted.
InstructionView before_moves(InstructionView value, bool through_converts);

// The instructions in the body of a loop, at any depth.
std::vector<InstructionId> inside(const Module& module, InstructionView loop);

// The sizes of dimensions of which an instruction takes or updates one element, and these dimensions of its operand 0.
std::vector<std::pair<std::int64_t, std::size_t>> picked(InstructionView i);

// Finds them: loops that take or update one slice of arrays with as many slices as trips, or one more. Errors:
// InvalidArgument if there is none, if they have several numbers of layers, or if it is not known what ends one.
absl::StatusOr<LayerLoops> find_layer_loops(const Module& module);

// Seeds the stacked arrays in these loops.
void seed_layers(const Module& module, const Dimensions& dimensions, const LayerLoops& loops, Constraints& out);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_SEEDS_H_
