#include "hloroof/predict.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hloroof/analysis.h"
#include "hloroof/attribute_values.h"
#include "hloroof/mesh.h"
#include "hloroof/parse.h"
#include "lib/base/strings.h"
#include "lib/cost/custom_call.h"
#include "lib/predict/costs.h"
#include "lib/predict/diagnostics.h"
#include "lib/predict/resource_names.h"
#include "lib/schedule/memory.h"
#include "lib/schedule/timeline.h"

namespace hloroof::inline v0 {
namespace {

absl::StatusOr<Device> configured(const Device& device, const PredictOptions& options) {
  Device result = device;
  if (options.topology) {
    absl::StatusOr<Topology> topology = parse_topology(result, *options.topology);
    if (!topology.ok()) return topology.status();
    result.topology = *std::move(topology);
  }
  for (const auto& [path, value] : options.set) {
    if (absl::Status status = set_parameter(result, path, value); !status.ok()) return status;
  }
  return result;
}

class Prediction {
 public:
  Prediction(const Module& module, const Device& device, const PredictOptions& options)
      : module_(module), device_(device), options_(options), names_(device.family) {}

  absl::StatusOr<StepPrediction> run() {
    if (!module_.has_entry()) return invalid_argument(module_.path() + ": error: the module has no ENTRY computation");
    CallOptions call_options;
    call_options.trip_counts = options_.trip_counts;
    call_options.default_trip_count = options_.default_trip_count;
    call_options.branch_probabilities = options_.branch_probabilities;
    if (absl::Status status = check_call_options(module_, call_options); !status.ok()) return status;
    if (absl::Status status = check_custom_call_costs(options_.custom_calls); !status.ok()) return status;
    calls_ = analyze_calls(module_, call_options);
    absl::StatusOr<Device> device = configured(device_, options_);
    if (!device.ok()) return device.status();
    device_ = *std::move(device);
    absl::StatusOr<CollectiveCosts> collectives = place_collectives();
    if (!collectives.ok()) return collectives.status();
    collectives_ = *std::move(collectives);

    costs_ = cost_instructions(module_, calls_, device_, collectives_, options_.custom_calls);
    pairs_ = pair_async(module_, calls_);
    estimate_with_compiler();
    if (!module_.is_scheduled() && !module_.is_single_instruction()) {
      split_collectives(module_, calls_, costs_.demand);
      schedule_ = list_schedule(module_, calls_, costs_.demand);
    }
    timeline_ = replay(module_, calls_, pairs_, costs_.demand, branch_probabilities(), schedule_);
    if (!(timeline_.seconds < kForever)) return out_of_range(module_.path() + ": error: the step time overflows");

    result_.timeline = timeline_.events;
    describe_module();
    list_mesh();
    list_ops();
    list_collectives();
    summarise();
    list_critical_path();
    const MemoryAnalysis memory = analyze_memory(module_, calls_, device_, schedule_);
    result_.memory = memory.prediction;
    diagnose(module_, calls_, device_, collectives_, memory.complete, result_);
    if (options_.strict) {
      if (absl::Status status = check_complete(); !status.ok()) return status;
    }
    return std::move(result_);
  }

 private:
  absl::StatusOr<CollectiveCosts> place_collectives() {
    if (!options_.slices) return cost_collectives(module_, device_, options_.mesh, options_.collectives);
    if (*options_.slices < 1)
      return invalid_argument(absl::StrFormat("the number of slices must be at least 1, not %d", *options_.slices));
    if (!device_.topology) {
      // The module's devices, shared out over the slices asked for.
      const std::int64_t devices = infer_mesh(module_).device_count;
      absl::StatusOr<Topology> slice = default_topology(device_, (devices + *options_.slices - 1) / *options_.slices);
      if (!slice.ok()) return slice.status();
      device_.topology = *std::move(slice);
    }
    device_.topology->slices = *options_.slices;
    return cost_collectives(module_, device_, options_.mesh, options_.collectives);
  }

  std::map<std::uint32_t, std::vector<double>> branch_probabilities() const {
    std::map<std::uint32_t, std::vector<double>> by_index;
    if (options_.branch_probabilities.empty()) return by_index;
    for (ComputationId id : calls_.scheduled()) {
      for (InstructionView instruction : module_.computation(id).instructions()) {
        if (instruction.opcode() != Opcode::kConditional) continue;
        const auto given = options_.branch_probabilities.find(std::string(instruction.name()));
        if (given != options_.branch_probabilities.end()) by_index[instruction.id().index] = given->second;
      }
    }
    return by_index;
  }

  // The step with the dump's own estimates; under estimates=compiler they replace the model's.
  void estimate_with_compiler() {
    Costs estimates = costs_;
    if (use_compiler_estimates(module_, calls_, device_, estimates) == 0) return;
    CallGraph calls = calls_;
    result_.compiler_estimate_seconds =
        replay(module_, calls, pairs_, estimates.demand, branch_probabilities()).seconds;
    if (options_.estimates == EstimateSource::kCompiler) costs_ = std::move(estimates);
  }

  void describe_module() {
    result_.module_name = std::string(module_.name());
    result_.instructions = static_cast<std::int64_t>(module_.instruction_count());
    result_.num_partitions = module_.num_partitions();
    result_.replica_count = module_.replica_count();
    result_.is_scheduled = module_.is_scheduled();
    result_.device = device_.name;
    Topology one_slice = collectives_.mapping.topology;
    result_.slices = one_slice.slices;
    one_slice.slices = 1;
    result_.topology = one_slice.to_string();
    result_.device_file_sha256 = device_.file_sha256;
    result_.set = options_.set;
  }

  void list_mesh() {
    const LogicalMesh& mesh = collectives_.mesh;
    for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
      const MeshAxis& axis = mesh.axes[i];
      MeshAxisPrediction entry;
      entry.name = axis.name;
      entry.size = axis.size;
      entry.stride = axis.stride;
      for (const AxisRole role : axis.roles) entry.roles.emplace_back(axis_role_name(role));
      entry.why = axis.why;
      entry.placement = collectives_.mapping.placement(i);
      result_.mesh.push_back(std::move(entry));
    }
  }

  void list_ops() {
    const StackFrames frames(module_);
    // Ops inside a loop of unknown length are assumptions, whatever each of them costs.
    std::vector<bool> assumed(module_.computation_limit(), false);
    for (const CallGraph::Loop& loop : calls_.loops()) {
      if (loop.trips.source != TripCount::Source::kAssumed) continue;
      for (ComputationId id : module_.instruction(loop.instruction).called_computations()) assumed[id.index] = true;
    }
    for (ComputationId id : calls_.scheduled()) {
      for (InstructionId caller : calls_.callers(id)) {
        if (assumed[module_.data(caller).computation.index]) assumed[id.index] = true;
      }
      const double executions = calls_.executions(id);
      const ComputationView computation = module_.computation(id);
      for (InstructionView instruction : computation.instructions()) {
        const std::uint32_t i = instruction.id().index;
        OpPrediction op;
        op.id = instruction.id();
        op.name = std::string(instruction.name());
        op.computation = std::string(computation.name());
        op.opcode = std::string(instruction.opcode_text());
        op.category = op_category(instruction);
        op.executions = executions;
        op.work = costs_.work[i];
        op.time = costs_.time[i];
        const Demand& demand = costs_.demand[i];
        op.seconds = demand.seconds;
        if (demand.step == Step::kLoop) {
          const TripCount* trips = calls_.trip_count(op.id);
          op.seconds = demand.issue * static_cast<double>(trips != nullptr ? trips->value : 1);
        }
        op.total_seconds = op.seconds * executions;
        op.exposed_seconds = timeline_.exposed[i];
        op.critical_seconds = timeline_.critical[i];
        op.bound = demand.step == Step::kFree ? "" : std::string(names_.name(op.time.bound));
        op.efficiency = op.time.efficiency;
        op.source = worse(op.time.source, costs_.work[i].source);
        if (costs_.time[i].source == CostSource::kCompiler) op.source = CostSource::kCompiler;
        if (assumed[id.index]) op.source = worse(op.source, CostSource::kAssumed);
        if (instruction.opcode() == Opcode::kUnknown) op.source = CostSource::kUnknown;
        op.op_name = op_name(instruction);
        const SourceLocation source = source_location(instruction, frames);
        op.source_file = source.file;
        op.source_line = source.line;
        result_.ops.push_back(std::move(op));
      }
    }
  }

  void list_collectives() {
    for (std::size_t c = 0; c < collectives_.collectives.size(); ++c) {
      const Collective& collective = collectives_.collectives[c];
      const CollectiveCost& cost = collectives_.costs[c];
      if (!collective.carrier.valid()) continue;
      const InstructionView carrier = module_.instruction(collective.carrier);
      if (!calls_.is_scheduled(carrier.computation().id()) || carries_collective_step(carrier)) continue;
      CollectivePrediction entry;
      entry.id = collective.carrier;
      entry.name = std::string(carrier.name());
      entry.kind = std::string(collective_name(cost.kind));
      entry.bytes = cost.bytes;
      entry.group_size = cost.group_size;
      entry.group_count = cost.group_count;
      entry.axes = cost.axes;
      for (const int axis : spanned_axes(collectives_.mesh, collective.groups)) {
        entry.axis_names.push_back(collectives_.mesh.axes[axis].name);
      }
      entry.wire_bytes = cost.wire_bytes;
      entry.busiest_link_bytes = cost.busiest_link_bytes;
      entry.link_bandwidth = cost.link_bandwidth;
      entry.link_utilization = cost.utilization;
      entry.crossover_bytes = cost.crossover_bytes;
      entry.crossover_tokens = crossover_tokens(collective, collectives_.roles[c], cost, device_);
      entry.algorithm = cost.algorithm;
      entry.seconds = cost.seconds;
      entry.exposed_seconds = timeline_.exposed[collective.carrier.index];
      if (costs_.demand[collective.carrier.index].step == Step::kRun) {
        // What the fusion around it computes would have taken that long without it.
        entry.exposed_seconds = std::min(entry.exposed_seconds, calls_.executions(carrier) * cost.seconds);
      }
      result_.exposed_communication_seconds += entry.exposed_seconds;
      exposed_by_start_[collective.carrier.index] = result_.collectives.size();
      result_.collectives.push_back(std::move(entry));
    }
    // Stalls belong to the transfers waited for.
    for (const OpPrediction& op : result_.ops) {
      if (costs_.demand[op.id.index].step != Step::kDone || op.exposed_seconds <= 0) continue;
      for (InstructionId start : pairs_.starts_of(op.id)) {
        const auto found = exposed_by_start_.find(start.index);
        if (found == exposed_by_start_.end()) continue;
        result_.collectives[found->second].exposed_seconds += op.exposed_seconds;
        result_.exposed_communication_seconds += op.exposed_seconds;
        break;
      }
    }
  }

  void summarise() {
    result_.step_seconds = timeline_.seconds;
    result_.serial_seconds = timeline_.serial_seconds;
    double exposed[kResourceCount] = {};
    double by_source[5] = {};
    for (const OpPrediction& op : result_.ops) {
      const double n = op.executions;
      result_.flops += n * op.work.flops;
      result_.transcendentals += n * op.work.transcendentals;
      result_.hbm_bytes += n * (op.work.read.hbm + op.work.written.hbm);
      result_.logical_bytes += n * op.work.logical_bytes;
      result_.padded_bytes += n * op.work.padded_bytes;
      result_.wire_bytes += n * op.work.wire_bytes;
      OpTime time = op.time;
      CostSource source = op.source;
      if (costs_.demand[op.id.index].step == Step::kDone) {
        for (InstructionId start : pairs_.starts_of(op.id)) {
          time = costs_.time[start.index];
          source = worse(source, worse(time.source, costs_.work[start.index].source));
        }
      }
      exposed[static_cast<int>(time.bound)] += op.exposed_seconds;
      by_source[static_cast<int>(source)] += op.exposed_seconds;
    }
    const double step = result_.step_seconds;
    if (step > 0) {
      result_.assumed_share = by_source[static_cast<int>(CostSource::kAssumed)] / step;
      result_.unknown_share = by_source[static_cast<int>(CostSource::kUnknown)] / step;
      result_.modelled_share = std::max(0.0, 1 - result_.assumed_share - result_.unknown_share);
    }
    int bound = static_cast<int>(Resource::kLatency);
    for (int r = 0; r < kResourceCount; ++r) {
      if (exposed[r] > exposed[bound]) bound = r;
      const auto resource = static_cast<Resource>(r);
      if (resource == Resource::kLatency) continue;
      const double busy = timeline_.busy[r];
      ResourceUse use;
      use.name = std::string(names_.name(resource));
      use.busy_seconds = busy;
      use.utilization = step > 0 ? busy / step : 0;
      use.idle_seconds = std::max(0.0, step - busy);
      if (options_.resource_what_ifs && busy > 0) {
        // What shares differently may come out longer by a little, as list schedules do; free time is never worse.
        use.step_if_free_seconds = std::min(step, step_without(resource));
      }
      result_.resources.push_back(std::move(use));
      result_.lower_bound_seconds = std::max(result_.lower_bound_seconds, busy);
    }
    result_.lower_bound_seconds = std::min(result_.lower_bound_seconds, step);
    result_.bound = std::string(names_.name(static_cast<Resource>(bound)));
    list_roofs();
    const std::optional<double> peak = device_.matrix.rate(MatrixType::kBf16);
    if (peak && *peak > 0 && step > 0) result_.mfu = result_.flops / (step * *peak);
  }

  void list_roofs() {
    const auto add = [&](std::string name, bool is_compute, std::optional<double> rate) {
      if (rate && *rate > 0) result_.roofs.push_back({std::move(name), is_compute, *rate});
    };
    const std::string matrix(names_.name(Resource::kMatrix));
    add(matrix + " bf16", true, device_.matrix.rate(MatrixType::kBf16));
    add(matrix + " s8", true, device_.matrix.rate(MatrixType::kS8));
    add(matrix + " f8", true, device_.matrix.rate(MatrixType::kF8));
    add(matrix + " f32", true, device_.matrix.rate(MatrixType::kF32));
    add(std::string(names_.name(Resource::kVector)) + " f32", true, device_.vector.f32_rate);
    add(std::string(names_.name(Resource::kHbm)), false, device_.hbm.bandwidth);
    add(std::string(names_.name(Resource::kVmem)), false,
        device_.on_chip.vmem_read_bandwidth ? device_.on_chip.vmem_read_bandwidth : device_.on_chip.l2_bandwidth);
    add("ici link", false, device_.ici.link_bandwidth);
    add("nvlink", false, device_.scale_up.bandwidth);
    add("host", false, device_.host.bandwidth);
  }

  // The step if `resource` took no time: what to make faster first.
  double step_without(Resource resource) const {
    std::vector<Demand> demands = costs_.demand;
    for (Demand& demand : demands) demand = without(demand, resource);
    CallGraph calls = calls_;
    return replay(module_, calls, pairs_, demands, branch_probabilities(), schedule_).seconds;
  }

  // Categories by what they have of the critical path. A done's wait is its start's transfer.
  void list_critical_path() {
    std::map<std::string, double> seconds;
    for (const OpPrediction& op : result_.ops) seconds[op.category] += op.critical_seconds;
    for (const auto& [category, sum] : seconds) {
      if (sum > 0) result_.critical_path.push_back({category, sum});
    }
    std::stable_sort(result_.critical_path.begin(), result_.critical_path.end(),
                     [](const CategoryPrediction& a, const CategoryPrediction& b) { return a.seconds > b.seconds; });
  }

  absl::Status check_complete() const {
    for (const Diagnostic& diagnostic : result_.diagnostics) {
      if (diagnostic.code == kUnknownOpcode || diagnostic.code == kUnknownAttribute ||
          diagnostic.code == kUnknownCustomCall || diagnostic.code == kUnknownTripCount ||
          diagnostic.code == kMissingOperand || diagnostic.code == kMissingComputation) {
        return absl::FailedPreconditionError(
            absl::StrCat(module_.path(), ": error: incomplete: ", diagnostic.op.empty() ? "" : diagnostic.op + ": ",
                         diagnostic.message));
      }
    }
    return absl::OkStatus();
  }

  const Module& module_;
  Device device_;
  const PredictOptions& options_;
  ResourceNames names_;
  CallGraph calls_;
  CollectiveCosts collectives_;
  Costs costs_;
  AsyncPairs pairs_;
  ListSchedule schedule_;  // of a module that has none of its own
  Timeline timeline_;
  StepPrediction result_;
  std::map<std::uint32_t, std::size_t> exposed_by_start_;  // index of the start to index of result_.collectives
};

}  // namespace

absl::StatusOr<StepPrediction> predict_step_time(const Module& module, const Device& device,
                                                 const PredictOptions& options) {
  return Prediction(module, device, options).run();
}

absl::StatusOr<StepPrediction> predict_step_time(std::string_view hlo, std::string_view device,
                                                 const PredictOptions& options) {
  absl::StatusOr<Device> found = find_device(device);
  if (!found.ok()) return found.status();
  ParseOptions parse_options;
  parse_options.strict = options.strict;
  absl::StatusOr<Module> module = parse_module(hlo, parse_options);
  if (!module.ok()) return module.status();
  return predict_step_time(*module, *found, options);
}

}  // namespace hloroof::inline v0
