// Computes work, time and demand of every executed instruction on one device. This combines the layers below.
#ifndef HLOROOF_LIB_STEP_COSTS_H_
#define HLOROOF_LIB_STEP_COSTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "hloroof/predict.h"
#include "lib/analysis/collectives.h"
#include "lib/analysis/mesh.h"
#include "lib/base/paged_table.h"
#include "lib/schedule/demand.h"
#include "lib/step/carrier_index.h"
#include "lib/step/program_code.h"
#include "lib/time/collective.h"
#include "lib/time/numbers.h"
#include "lib/work/work.h"

namespace hloroof::internal::inline step {

// What copies of a program on several slices exchange of one gradient: an all-reduce between slices that is not in the
// text. It begins when `after` ends, which is the collective that reduces the gradient inside a slice, or its done.
struct GradientExchange {
  std::size_t collective = 0;  // index of that collective
  InstructionId after;
  Collective between;
  CollectiveCost cost;
};

// The collectives of a module on a machine.
struct CollectiveCosts {
  std::vector<Collective> collectives;
  std::vector<CollectiveCost> costs;  // by index of the collective
  std::vector<AxisRole> roles;        // purpose, by index of the collective
  LogicalMesh mesh;
  PhysicalMapping mapping;
  std::vector<GradientExchange> exchanges;  // if the program of one slice is copied to several
  CarrierIndex by_carrier;                  // the executed instructions that perform collectives
  std::vector<bool> is_carried;             // by index of the collective: whether by_carrier has it
  // Maps the index of a receive to the send that carries its transfer; see messages.h.
  std::map<std::uint32_t, InstructionId> sends;
  // Maps the index of each half of a transfer between slices to the other half; see messages.h.
  std::map<std::uint32_t, InstructionId> slice_halves;
};

// Runs the stages below on the collectives of the module, except read_roles().
//
// The topology is that of topology_for().
//
// Errors: those of topology_for, override_mesh and map_mesh.
absl::StatusOr<CollectiveCosts> cost_collectives(const Module& module, const CallGraph& calls,
                                                 std::vector<Collective> collectives, const Target& target,
                                                 const MeshOptions& mesh_options = {},
                                                 const CollectiveOptions& collective_options = {});

// The cost of one collective on the mesh of `all`. Unknown if the number of devices is.
CollectiveCost cost_on_mesh(const Module& module, const Collective& collective, const CollectiveCosts& all,
                            const Device& device, const CollectiveOptions& options);

// "the program needs 8 of the 256 devices of 16x16: a part of 2x4 is assumed to run it" if the target requests more
// devices than the program uses, otherwise empty.
std::string part_of_machine(const Target& target, const Topology& used);

// Computes from the collectives: the mesh without its roles, its mapping to the machine, and the costs. If the target
// requests several slices and the module is the program of one, each slice runs a copy of it, and `exchanges` lists
// what they exchange. Errors: as above; InvalidArgument if the text does not show what copies exchange.
absl::Status lay_out_collectives(const Module& module, const CallGraph& calls, const Target& target,
                                 const MeshOptions& mesh_options, const CollectiveOptions& collective_options,
                                 CollectiveCosts& result);

// Computes from the collectives and the mesh: the roles of the axes and of each collective. Only reports use the roles.
void read_roles(const Module& module, const CallGraph& calls, CollectiveCosts& result);

// Computes from the collectives: the instructions that carry them, and the sends that carry the transfers of receives.
void index_carriers(const Module& module, const CallGraph& calls, CollectiveCosts& result);
// The same after a search that left `again`, for `result` with the index from before it.
void index_carriers_again(const Module& module, const CallGraph& calls, const CollectivesAgain& again,
                          CollectiveCosts& result);

// Tables indexed by InstructionId. Entries of instructions that are not executed individually are empty.
struct Costs {
  PagedTable<Shared<Work>> work;
  PagedTable<Shared<OpTime>> time;
  PagedTable<Demand> demand;
  // Only on devices with sustained rates (lib/time/sustained_rate.h): the seconds of each instruction's products at the
  // burst rates, and those of all executions together.
  std::vector<double> products;
  double products_busy = 0;
  // Only on GPUs, by ComputationId: whether the host launches the kernels of the computation as a command buffer.
  std::vector<bool> in_graphs;
  // The kernels that were followed, for those that an edit makes again; null: nothing will.
  std::shared_ptr<KernelRuns> kernels;
};

// The inputs that determine the costs of an instruction, apart from its text.
struct CostInputs {
  const Module& module;
  const CallGraph& calls;
  const Device& device;
  const CollectiveCosts& collectives;
  const PredictOptions& options;      // custom_calls and estimates
  const ProgramCode* code = nullptr;  // null: no code was given
};

// Returns the options of compute_work().
WorkOptions work_options(const PredictOptions& options, std::shared_ptr<KernelRuns> kernels);

// Computes time and demand of all executed instructions. costs.work must have their work.
void time_instructions(const CostInputs& inputs, Costs& costs);

// Recomputes the costs of some instructions of scheduled computations. Resizes the tables to the size of the module.
void cost_again(const CostInputs& inputs, absl::Span<const InstructionId> changed, Costs& costs);

// Adds up Costs::products in program order, so that the sum after an edit is bit-identical to one from scratch. Returns
// the instructions with products if the sum changes the rate at which these run, so that their times are stale.
std::vector<InstructionId> add_up_products(const CostInputs& inputs, Costs& costs);

// Computes Costs::in_graphs from the work. Returns the instructions whose times are stale because their computation is
// now launched in another way.
std::vector<InstructionId> find_graphs(const CostInputs& inputs, Costs& costs);

// Recomputes only time and demand, for instructions for which only the cost of the carried collectives, the launch or
// the rate of products changed.
void time_again(const CostInputs& inputs, absl::Span<const InstructionId> changed, Costs& costs);

// Resizes the tables to the size of the module.
void cut_costs(const Module& module, Costs& costs);

// Returns true if the module has no compiler schedule, so that a list schedule replaces it.
bool needs_schedule(const Module& module);

// Returns the estimate in the dump (estimated_cycles at the device's clock) for an instruction with `demand`, or
// nullopt if there is no estimate or the clock is unknown.
template <class Num>
std::optional<Num> compiler_seconds(InstructionView instruction, const Demand& demand, const Numbers<Num>& numbers);
inline std::optional<double> compiler_seconds(InstructionView instruction, const Demand& demand, const Device& device) {
  return compiler_seconds(instruction, demand, Numbers<double>(device));
}

// Returns the less reliable of two sources. From least to most reliable: unknown, assumed, user, compiler, model.
CostSource worse(CostSource a, CostSource b);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_COSTS_H_
