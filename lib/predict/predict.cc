#include "hloroof/predict.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "hloroof/analysis.h"
#include "hloroof/attributes.h"
#include "hloroof/parse.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/mesh.h"
#include "lib/analysis/names.h"
#include "lib/analysis/origin.h"
#include "lib/base/strings.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/ir/rows.h"
#include "lib/predict/from_facts.h"
#include "lib/schedule/memory.h"
#include "lib/step/costs.h"
#include "lib/step/device_count.h"
#include "lib/step/facts.h"
#include "lib/step/hideable.h"
#include "lib/step/model_flops.h"
#include "lib/step/other_program.h"
#include "lib/step/sensitivity.h"
#include "lib/step/summary.h"
#include "lib/step/waits.h"
#include "lib/time/collective.h"

namespace hloroof::internal::inline predict {

namespace {

class Prediction {
 public:
  explicit Prediction(const StepFacts& facts, Detail detail = Detail::kAll)
      : facts_(facts),
        is_whole_(detail == Detail::kAll || facts.options.strict),
        module_(*facts.module),
        options_(facts.options),
        device_(facts.target.device),
        calls_(facts.calls),
        collectives_(facts.collectives),
        costs_(facts.costs) {}

  absl::StatusOr<StepPrediction> run() {
    summary_.fill(facts_);
    describe_module();
    list_mesh();
    list_ops();
    list_collectives();
    list_exchanges();
    summarise();
    find_model_flops(facts_, result_);
    list_waits(facts_, result_);
    list_breakdown(facts_, result_);
    if (is_whole_) {
      list_roofs();
      list_critical_path();
      result_.timeline = facts_.timeline.events;
    }
    result_.compiler_estimate_seconds = compiler_step_seconds(facts_);
    const MemoryAnalysis memory = analyze_memory(module_, calls_, device_, facts_.schedule);
    result_.memory = memory.prediction;
    if (is_whole_) {
      add_diagnostics(facts_, memory.complete, result_);
    } else {
      add_diagnostics_of_summary(facts_, result_);
    }
    if (options_.sensitivity) result_.sensitivity = find_sensitivity(facts_, result_.ops);
    if (options_.strict) {
      if (absl::Status status = check_complete(); !status.ok()) return status;
    }
    return std::move(result_);
  }

  StepPrediction run_headline() {
    add_up();
    describe_module();
    diagnose_origin_alone(facts_, result_);
    return std::move(result_);
  }

  StepSummary run_summary() {
    add_up();
    return std::move(result_);
  }

 private:
  void add_up() {
    summary_.fill(facts_);
    summary_.add_up(facts_, result_);
  }

  void describe_module() {
    result_.module_name = std::string(module_.name());
    result_.instructions = static_cast<std::int64_t>(module_.instruction_count());
    result_.num_partitions = module_.num_partitions();
    result_.replica_count = module_.replica_count();
    result_.is_scheduled = module_.is_scheduled();
    result_.origin = find_origin(module_);
    result_.device = device_.name;
    Topology one_slice = collectives_.mapping.topology;
    result_.slices = one_slice.slices;
    result_.text_slices = collectives_.exchanges.empty() ? collectives_.mesh.slices : 1;
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
    for (ComputationId id : CallFacts::scheduled(calls_)) count += module_.computation(id).instruction_count();
    result_.ops.reserve(count);
    for (ComputationId id : CallFacts::scheduled(calls_)) {
      const double executions = facts_.executions(id);
      const ComputationView computation = module_.computation(id);
      for (InstructionView instruction : computation.instructions()) {
        const std::uint32_t i = instruction.id().index;
        OpPrediction& op = result_.ops.emplace_back();
        op.id = instruction.id();
        op.name = instruction.name();
        op.opcode = instruction.opcode_text();
        op.category = op_category(instruction);
        op.executions = executions;
        op.work = costs_.work[i];
        op.time = costs_.time[i];
        const Demand& demand = costs_.demand[i];
        op.seconds = demand.seconds;
        if (demand.step == Step::kLoop) {
          const TripCount* trips = CallFacts::trip_count(calls_, op.id);
          op.seconds = demand.issue * static_cast<double>(trips != nullptr ? trips->value : 1);
        }
        op.total_seconds = op.seconds * executions;
        op.exposed_seconds = facts_.timeline.exposed[i];
        op.critical_seconds = facts_.timeline.critical[i];
        if (demand.step != Step::kFree) op.bound = op.time->bound;
        op.efficiency = op.time->efficiency;
        op.source = summary_.source(module_, op.id);
        op.op_name = op_name(instruction);
        if (!is_whole_) continue;
        op.computation = computation.name();
        SourceLocation source = source_location(instruction, frames);
        op.source_file = std::move(source.file);
        op.source_line = source.line;
      }
    }
  }

  // What the cost of the collective of an instruction says.
  CollectivePrediction entry_of(InstructionId id, const CollectiveCost& cost) const {
    CollectivePrediction entry;
    entry.id = id;
    entry.name = std::string(module_.instruction(id).name());
    entry.kind = std::string(to_string(cost.kind));
    entry.bytes = cost.bytes;
    entry.group_size = cost.group_size;
    entry.group_count = cost.group_count;
    entry.axes = cost.axes;
    entry.wire_bytes = cost.wire_bytes;
    entry.busiest_link_bytes = cost.busiest_link_bytes;
    entry.link_bandwidth = cost.link_bandwidth;
    entry.link_utilization = cost.utilization;
    entry.crossover_bytes = cost.crossover_bytes;
    entry.algorithm = cost.algorithm;
    entry.seconds = cost.seconds;
    return entry;
  }

  void list_collectives() {
    const std::vector<double> exposed = exposed_of_collectives(facts_);
    const std::vector<std::optional<double>> hideable = hideable_of_collectives(facts_, exposed);
    std::vector<std::size_t> listed;
    for (const auto& [carrier, c] : collectives_.by_carrier) listed.push_back(c);
    std::sort(listed.begin(), listed.end());
    for (const std::size_t c : listed) {
      const Collective& collective = collectives_.collectives[c];
      const CollectiveCost& cost = collectives_.costs[c];
      CollectivePrediction entry = entry_of(collective.carrier, cost);
      for (const int axis : spanned_axes(collectives_.mesh, collective.groups)) {
        entry.axis_names.push_back(collectives_.mesh.axes[axis].name);
      }
      entry.role = collectives_.roles[c];
      entry.crossover_tokens = crossover_tokens(collective, collectives_.roles[c], cost, device_);
      if (const InstructionId send = costs_.demand[entry.id.index].carried_by; send.valid()) {
        entry.seconds = 0;
        entry.algorithm = absl::StrCat("what ", to_absl(module_.instruction(send).name()), " sends");
      }
      entry.exposed_seconds = exposed[c];
      entry.hideable_seconds = hideable[c];
      result_.collectives.push_back(std::move(entry));
    }
  }

  // Lists the exchanges between copies of the program, which have no instruction of their own.
  void list_exchanges() {
    std::map<std::uint32_t, double> exposed;
    for (const Wait& wait : facts_.timeline.waits) exposed[wait.cause.index] += wait.seconds;
    for (const GradientExchange& exchange : collectives_.exchanges) {
      const CollectiveCost& cost = exchange.cost;
      CollectivePrediction entry = entry_of(exchange.after, cost);
      entry.axis_names = {collectives_.mesh.axes[0].name};
      entry.algorithm += "; not in the text, begins when the op ends";
      // The exchanges after one op run one after another.
      const double all = costs_.demand[exchange.after.index].between_seconds;
      entry.exposed_seconds = all > 0 ? exposed[exchange.after.index] * cost.seconds / all : 0;
      result_.collectives.push_back(std::move(entry));
    }
  }

  void summarise() {
    summary_.add_up(facts_, result_);
    if (!options_.resource_what_ifs) return;
    const double step = result_.step_seconds;
    for (int r = 0; r < kResourceCount; ++r) {
      const auto resource = static_cast<Resource>(r);
      for (ResourceUse& use : result_.resources) {
        if (use.resource != resource || use.busy_seconds <= 0) continue;
        // The replay without the resource may be slightly longer, because the other resources are shared differently.
        // The same happens with list schedules. Clamp it, since a free resource never makes the step slower.
        use.step_if_free_seconds = std::min(step, step_seconds_without(facts_, resource));
      }
    }
  }

  void list_roofs() {
    const auto add = [&](std::string name, bool is_compute, std::optional<double> rate) {
      if (rate && *rate > 0) result_.roofs.push_back({std::move(name), is_compute, *rate});
    };
    const DeviceFamily family = device_.family();
    const std::string matrix(to_string(Resource::kMatrix, family));
    add(matrix + " bf16", true, matrix_rate(device_.matrix.peak, MatrixType::kBf16).rate);
    add(matrix + " s8", true, matrix_rate(device_.matrix.peak, MatrixType::kS8).rate);
    add(matrix + " f8", true, matrix_rate(device_.matrix.peak, MatrixType::kF8).rate);
    add(matrix + " f32", true, matrix_rate(device_.matrix.peak, MatrixType::kF32).rate);
    add(std::string(to_string(Resource::kVector, family)) + " f32", true, device_.vector.f32_rate);
    add(std::string(to_string(Resource::kHbm, family)), false, device_.hbm.bandwidth);
    const std::string on_chip(to_string(Resource::kVmem, family));
    if (device_.tpu() != nullptr) add(on_chip, false, device_.tpu()->on_chip.vmem_read_bandwidth);
    if (device_.gpu() != nullptr) add(on_chip, false, device_.gpu()->on_chip.l2_bandwidth);
    add("ici link", false, nominal_ici_bandwidth(device_));
    add(std::string(to_string(Resource::kIci, family)), false, to_optional(device_.scale_up.bandwidth));
    if (result_.slices > 1) {
      add(std::string(to_string(Resource::kDcn, family)), false, network_bandwidth(device_));
    }
    add("host", false, to_optional(device_.host.bandwidth));
  }

  // Lists the categories by their seconds on the critical path. The wait of a done counts as the transfer of its start.
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
    using enum DiagnosticCode;
    for (const Diagnostic& diagnostic : result_.diagnostics) {
      if (diagnostic.code == kUnknownOpcode || diagnostic.code == kUnknownAttribute ||
          diagnostic.code == kUnreadableSliceTransfer || diagnostic.code == kUnknownCustomCall ||
          diagnostic.code == kUnknownTripCount || diagnostic.code == kMissingAttribute ||
          diagnostic.code == kMissingOperand || diagnostic.code == kOperandMismatch ||
          diagnostic.code == kMissingComputation || diagnostic.code == kImpossibleNumber ||
          (diagnostic.code == kUnknownDeviceCount && diagnostic.severity != Severity::kInfo)) {
        return absl::FailedPreconditionError(absl::StrCat(
            ModuleRows::path(module_), ": error: incomplete: ", diagnostic.op.empty() ? "" : diagnostic.op + ": ",
            diagnostic.message));
      }
    }
    return absl::OkStatus();
  }

  const StepFacts& facts_;
  const bool is_whole_;
  const Module& module_;
  const PredictOptions& options_;
  const Device& device_;
  const CallGraph& calls_;
  const CollectiveCosts& collectives_;
  const Costs& costs_;
  Summary summary_;
  StepPrediction result_;
};

absl::StatusOr<StepSummary> summarise(std::shared_ptr<const Module> module, Target target,
                                      const PredictOptions& options) {
  if (options.strict || options.resource_what_ifs) return predict_module(std::move(module), std::move(target), options);
  absl::StatusOr<ModuleFacts> of_module = find_counted_facts(std::move(module), options);
  if (!of_module.ok()) return of_module.status();
  absl::StatusOr<StepFacts> facts = find_facts(*std::move(of_module), std::move(target), options);
  if (!facts.ok()) return facts.status();
  if (!options.allow_other_backend) {
    ModuleOrigin origin;
    find_backend(*facts->module, origin);
    absl::Status status = refuse_other_backend(origin, facts->module->name(), facts->target);
    if (!status.ok()) return status;
  }
  if (absl::Status status = replay_sums(*facts); !status.ok()) return status;
  return Prediction(*facts).run_summary();
}

// What the two functions for a text and the name of a target have in common.
struct Named {
  std::shared_ptr<const Module> module;
  Target target;
};

absl::StatusOr<Named> read_named(std::string_view hlo, std::string_view target, const PredictOptions& options) {
  absl::StatusOr<Target> found = find_target(target);
  if (!found.ok()) return found.status();
  ParseOptions parse_options;
  parse_options.strict = options.strict;
  absl::StatusOr<Module> module = parse_module(hlo, parse_options);
  if (!module.ok()) return module.status();
  return Named{std::make_shared<const Module>(*std::move(module)), *std::move(found)};
}

}  // namespace

absl::StatusOr<StepPrediction> predict_from_facts(std::shared_ptr<const StepFacts> facts, Detail detail) {
  absl::StatusOr<StepPrediction> result = Prediction(*facts, detail).run();
  if (result.ok()) result->facts = std::move(facts);
  return result;
}

StepPrediction headline_from_facts(const StepFacts& facts) { return Prediction(facts).run_headline(); }

absl::StatusOr<ModuleFacts> find_counted_facts(std::shared_ptr<const Module> module, const PredictOptions& options) {
  absl::StatusOr<std::optional<DeviceCount>> count = find_device_count(*module, options);
  if (!count.ok()) return count.status();
  if (*count && **count != device_count(*module)) {
    auto counted = std::make_shared<Module>(*module);
    set_device_count(**count, *counted);
    module = std::move(counted);
  }
  return find_module_facts(std::move(module), options);
}

absl::StatusOr<StepPrediction> predict_on(ModuleFacts of_module, Target target, const PredictOptions& options,
                                          Detail detail) {
  absl::StatusOr<StepFacts> facts = find_facts(std::move(of_module), std::move(target), options);
  if (!facts.ok()) return facts.status();
  facts->costs.kernels.reset();  // no edit follows
  read_roles(*facts->module, facts->calls, facts->collectives);
  if (absl::Status status = replay_facts(*facts); !status.ok()) return status;
  absl::StatusOr<StepPrediction> result =
      predict_from_facts(std::make_shared<const StepFacts>(*std::move(facts)), detail);
  if (result.ok() && !options.allow_other_backend) {
    const StepFacts& of = *result->facts;
    absl::Status status = refuse_other_backend(result->origin, of.module->name(), of.target);
    if (!status.ok()) return status;
  }
  return result;
}

absl::StatusOr<StepPrediction> predict_module(std::shared_ptr<const Module> module, Target target,
                                              const PredictOptions& options, Detail detail) {
  absl::StatusOr<ModuleFacts> facts = find_counted_facts(std::move(module), options);
  if (!facts.ok()) return facts.status();
  return predict_on(*std::move(facts), std::move(target), options, detail);
}

}  // namespace hloroof::internal::inline predict

namespace hloroof::inline v0 {
using namespace internal;

absl::StatusOr<StepPrediction> predict_step_time(const Module& module, Target target, const PredictOptions& options) {
  return predict_module(borrow(module), std::move(target), options);
}

absl::StatusOr<StepPrediction> predict_step_time(std::string_view hlo, std::string_view target,
                                                 const PredictOptions& options) {
  absl::StatusOr<Named> named = read_named(hlo, target, options);
  if (!named.ok()) return named.status();
  return predict_module(std::move(named->module), std::move(named->target), options);
}

absl::StatusOr<StepSummary> predict_summary(const Module& module, Target target, const PredictOptions& options) {
  return summarise(borrow(module), std::move(target), options);
}

absl::StatusOr<StepSummary> predict_summary(std::string_view hlo, std::string_view target,
                                            const PredictOptions& options) {
  absl::StatusOr<Named> named = read_named(hlo, target, options);
  if (!named.ok()) return named.status();
  return summarise(std::move(named->module), std::move(named->target), options);
}

}  // namespace hloroof::inline v0
