// Work, time and demand of every executed instruction on one device: where the layers below come together.
#ifndef HLOROOF_LIB_PREDICT_COSTS_H_
#define HLOROOF_LIB_PREDICT_COSTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/analysis.h"
#include "hloroof/mesh.h"
#include "hloroof/predict.h"
#include "lib/schedule/demand.h"

namespace hloroof::inline v0 {

// The collectives of a module on a machine.
struct CollectiveCosts {
  std::vector<Collective> collectives;
  std::vector<CollectiveCost> costs;  // of each
  std::vector<AxisRole> roles;        // what each is for
  LogicalMesh mesh;
  PhysicalMapping mapping;
  // The collectives, as indices, of each executed instruction that performs some, by its index; in order.
  std::multimap<std::uint32_t, std::size_t> by_carrier;
};

// The topology is `device`'s where it was asked for, else the smallest standard one that holds the module's devices.
// Errors: InvalidArgument if the topology holds fewer devices than the module needs, with both numbers; those of
// override_mesh and map_mesh.
absl::StatusOr<CollectiveCosts> cost_collectives(const Module& module, const CallGraph& calls, const Device& device,
                                                 const MeshOptions& mesh_options = {},
                                                 const CollectiveOptions& collective_options = {});

// From result.collectives to all the rest but the carriers; without `calls`, what axes and collectives are for is left
// out. Errors: as above.
absl::Status lay_out_collectives(const Module& module, const Device& device, const MeshOptions& mesh_options,
                                 const CollectiveOptions& collective_options, const CallGraph* calls,
                                 CollectiveCosts& result);

// Fills in by_carrier.
void index_carriers(const Module& module, const CallGraph& calls, CollectiveCosts& collectives);

// Tables indexed by InstructionId; entries of instructions that are not executed on their own are empty.
struct Costs {
  std::vector<Work> work;
  std::vector<OpTime> time;
  std::vector<Demand> demand;
};

Costs cost_instructions(const Module& module, const CallGraph& calls, const Device& device,
                        const CollectiveCosts& collectives, const std::vector<CustomCallCost>& custom_calls);

// Costs some instructions of scheduled computations again; the tables grow to the module's size.
void cost_again(const Module& module, const CallGraph& calls, const Device& device, const CollectiveCosts& collectives,
                const std::vector<CustomCallCost>& custom_calls, Span<InstructionId> changed, Costs& costs);

// The same where only the collectives that an instruction carries cost something else.
void time_again(const Module& module, const CallGraph& calls, const Device& device, const CollectiveCosts& collectives,
                Span<InstructionId> changed, Costs& costs);

// The dump's own estimate (estimated_cycles at the device's clock) of an instruction that asks for `demand`, if there
// is any and the clock is known.
std::optional<double> compiler_seconds(InstructionView instruction, const Demand& demand, const Device& device);

// Replaces the model's seconds by those.
void use_compiler_estimates(const Module& module, const CallGraph& calls, const Device& device, Costs& costs);
void use_compiler_estimate(InstructionView instruction, const Device& device, Costs& costs);

// The worse of two: unknown, then assumed, then user, compiler, model.
CostSource worse(CostSource a, CostSource b);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_PREDICT_COSTS_H_
