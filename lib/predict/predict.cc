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
#include "lib/predict/costs.h"
#include "lib/predict/diagnostics.h"
#include "lib/predict/facts.h"
#include "lib/predict/resource_names.h"
#include "lib/predict/summary.h"
#include "lib/schedule/memory.h"
#include "lib/schedule/timeline.h"

namespace hloroof::inline v0 {
namespace {

class Prediction {
 public:
  Prediction(const Module& module, StepFacts& facts, const PredictOptions& options)
      : module_(module),
        options_(options),
        names_(facts.device.family),
        device_(facts.device),
        calls_(facts.calls),
        collectives_(facts.collectives),
        costs_(facts.costs),
        pairs_(facts.pairs),
        facts_(facts) {}

  absl::StatusOr<StepPrediction> run() {
    probabilities_ = branch_probabilities(module_, calls_, options_);
    timeline_ = replay(module_, facts_.calls, pairs_, costs_.demand, probabilities_, facts_.schedule);
    if (!(timeline_.seconds < kForever)) return out_of_range(module_.path() + ": error: the step time overflows");
    estimate_with_compiler();

    result_.timeline = std::move(timeline_.events);
    summary_.fill(module_, facts_);
    describe_module();
    list_mesh();
    list_ops();
    list_collectives();
    summarise();
    list_critical_path();
    const MemoryAnalysis memory = analyze_memory(module_, calls_, device_, facts_.schedule);
    result_.memory = memory.prediction;
    diagnose(module_, calls_, device_, collectives_, memory.complete, result_);
    if (options_.strict) {
      if (absl::Status status = check_complete(); !status.ok()) return status;
    }
    return std::move(result_);
  }

 private:
  // The step with the dump's own estimates in place of the model's.
  void estimate_with_compiler() {
    if (!device_.clock) return;
    std::vector<std::pair<std::uint32_t, double>> estimates;  // by InstructionId
    for (ComputationId id : calls_.scheduled()) {
      for (InstructionView instruction : module_.computation(id).instructions()) {
        const std::uint32_t i = instruction.id().index;
        const std::optional<double> seconds = compiler_seconds(instruction, costs_.demand[i], device_);
        if (seconds) estimates.emplace_back(i, *seconds);
      }
    }
    if (estimates.empty()) return;
    // They take the model's place for one replay: the table is megabytes, too much to copy for a few numbers in it.
    std::vector<Demand>& demand = facts_.costs.demand;
    for (auto& [i, seconds] : estimates) std::swap(demand[i].seconds, seconds);
    result_.compiler_estimate_seconds =
        replayed_seconds(module_, calls_, pairs_, demand, probabilities_, facts_.schedule);
    for (auto& [i, seconds] : estimates) std::swap(demand[i].seconds, seconds);
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
    std::size_t count = 0;
    for (ComputationId id : calls_.scheduled()) count += module_.computation(id).instruction_count();
    result_.ops.reserve(count);
    for (ComputationId id : calls_.scheduled()) {
      const double executions = calls_.executions(id);
      const ComputationView computation = module_.computation(id);
      for (InstructionView instruction : computation.instructions()) {
        const std::uint32_t i = instruction.id().index;
        OpPrediction& op = result_.ops.emplace_back();
        op.id = instruction.id();
        op.name = instruction.name();
        op.computation = computation.name();
        op.opcode = instruction.opcode_text();
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
        if (demand.step != Step::kFree) op.bound = names_.name(op.time.bound);
        op.efficiency = op.time.efficiency;
        op.source = summary_.source(module_, op.id);
        op.op_name = op_name(instruction);
        SourceLocation source = source_location(instruction, frames);
        op.source_file = std::move(source.file);
        op.source_line = source.line;
      }
    }
  }

  void list_collectives() {
    const std::vector<double> exposed = summary_.add_up_exposed(module_, facts_, timeline_, result_);
    std::vector<std::size_t> listed;
    for (const auto& [carrier, c] : collectives_.by_carrier) listed.push_back(c);
    std::sort(listed.begin(), listed.end());
    for (const std::size_t c : listed) {
      const Collective& collective = collectives_.collectives[c];
      const CollectiveCost& cost = collectives_.costs[c];
      CollectivePrediction entry;
      entry.id = collective.carrier;
      entry.name = std::string(module_.instruction(collective.carrier).name());
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
      if (const InstructionId send = costs_.demand[entry.id.index].carried_by; send.valid()) {
        entry.seconds = 0;
        entry.algorithm = absl::StrCat("what ", to_absl(module_.instruction(send).name()), " sends");
      }
      entry.exposed_seconds = exposed[c];
      result_.collectives.push_back(std::move(entry));
    }
  }

  void summarise() {
    summary_.add_up(module_, facts_, timeline_, result_);
    list_roofs();
    if (!options_.resource_what_ifs) return;
    const double step = result_.step_seconds;
    for (int r = 0; r < kResourceCount; ++r) {
      const auto resource = static_cast<Resource>(r);
      for (ResourceUse& use : result_.resources) {
        if (use.name != names_.name(resource) || use.busy_seconds <= 0) continue;
        // What shares differently may come out longer by a little, as list schedules do; free time is never worse.
        use.step_if_free_seconds = std::min(step, step_without(resource));
      }
    }
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
    return replayed_seconds(module_, calls_, pairs_, demands, probabilities_, facts_.schedule);
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
  const PredictOptions& options_;
  ResourceNames names_;
  const Device& device_;
  const CallGraph& calls_;
  const CollectiveCosts& collectives_;
  const Costs& costs_;
  const AsyncPairs& pairs_;
  StepFacts& facts_;
  std::map<std::uint32_t, std::vector<double>> probabilities_;  // of branches, by index of the conditional
  Summary summary_;
  Timeline timeline_;
  StepPrediction result_;
};

}  // namespace

absl::StatusOr<StepPrediction> predict_from_facts(const Module& module, StepFacts& facts,
                                                  const PredictOptions& options) {
  return Prediction(module, facts, options).run();
}

absl::StatusOr<StepPrediction> predict_step_time(const Module& module, const Device& device,
                                                 const PredictOptions& options) {
  absl::StatusOr<StepFacts> facts = find_facts(module, device, options);
  if (!facts.ok()) return facts.status();
  return predict_from_facts(module, *facts, options);
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
