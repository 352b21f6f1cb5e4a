#include "hloroof/predictor.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "lib/analysis/collectives.h"
#include "lib/base/strings.h"
#include "lib/predict/changes.h"
#include "lib/predict/facts.h"
#include "lib/predict/messages.h"
#include "lib/predict/summary.h"
#include "lib/schedule/memory.h"
#include "lib/schedule/replayer.h"

namespace hloroof::inline v0 {
namespace {

bool same_demand(const Demand& a, const Demand& b) {
  return a.step == b.step && a.lane == b.lane && a.issue == b.issue && a.seconds == b.seconds && a.busy == b.busy &&
         a.carried_by == b.carried_by && a.is_issued_ahead == b.is_issued_ahead;
}

// Whether two call graphs have the same schedules and loops.
bool same_schedules(const CallGraph& a, const CallGraph& b) {
  return a.scheduled() == b.scheduled() &&
         std::equal(a.loops().begin(), a.loops().end(), b.loops().begin(), b.loops().end(),
                    [](const CallGraph::Loop& x, const CallGraph::Loop& y) { return x.instruction == y.instruction; });
}

// Marks the computations in which the replay meets loops of another length. The graphs have the same loops.
void mark_other_trips(const Module& module, const CallGraph& a, const CallGraph& b, std::vector<bool>& stale) {
  for (std::size_t i = 0; i < a.loops().size(); ++i) {
    if (a.loops()[i].trips.value == b.loops()[i].trips.value) continue;
    const InstructionView loop = module.instruction(a.loops()[i].instruction);
    stale[loop.computation().id().index] = true;
    for (ComputationId called : loop.called_computations()) {
      if (called.valid()) stale[called.index] = true;
    }
  }
}

bool same_axes(const LogicalMesh& a, const LogicalMesh& b) {
  if (a.device_count != b.device_count || a.axes.size() != b.axes.size() || a.unaligned != b.unaligned) return false;
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const MeshAxis& x = a.axes[i];
    const MeshAxis& y = b.axes[i];
    if (x.size != y.size || x.stride != y.stride || x.name != y.name || x.named_in_text != y.named_in_text)
      return false;
  }
  return true;
}

}  // namespace

struct Predictor::State {
  State(Module m, const Device& d, const PredictOptions& o)
      : module(std::move(m)), editor(module), device(d), options(o) {}

  // Everything from scratch.
  absl::Status rebuild() {
    facts.reset();
    is_behind = false;
    absl::StatusOr<StepFacts> found = find_facts(module, device, options);
    if (!found.ok()) return found.status();
    facts.emplace(*std::move(found));
    replayer.emplace(module, branch_probabilities(module, facts->calls, options), /*record=*/false);
    replayer->replay(facts->calls, facts->pairs, facts->costs.demand, facts->schedule, {});
    table.fill(module, *facts);
    return absl::OkStatus();
  }

  // Brings facts, replay and table up to date with the module.
  absl::Status refresh() {
    const std::vector<Edit> edits = editor.take_edits();
    if (!facts) return rebuild();
    if (edits.empty()) return absl::OkStatus();
    sums.reset();
    Changes changes = find_changes(editor, edits, *facts, options);
    const bool shares_out = options.slices || device.slices;
    if (changes.everything || (shares_out && (changes.collectives || !changes.reread.empty()))) {
      return rebuild();
    }
    for (const auto& [computation, caller] : changes.callers) facts->callers_since.emplace(computation.index, caller);
    bool other_callers = false;
    if (changes.calls) {
      const CallGraph before = std::move(facts->calls);
      if (absl::Status status = find_calls_again(); !status.ok()) return fail(status);
      if (!same_schedules(before, facts->calls)) return rebuild();
      mark_other_trips(module, before, facts->calls, changes.order);
      for (ComputationId id : before.scheduled()) {
        other_callers = other_callers || before.callers(id) != facts->calls.callers(id);
      }
    }
    std::vector<InstructionId> carriers;
    if (absl::Status status = place_collectives(changes, carriers); !status.ok()) return fail(status);
    if (changes.collectives || !changes.reread.empty()) add_receives(carriers);

    std::vector<bool> stale = std::move(changes.order);
    stale.resize(module.computation_limit(), false);
    cost(changes.costs, carriers, stale);
    if (other_callers) {
      pair(stale);
    } else {
      facts->pairs.update(module, facts->calls, changes.pairs, stale);
    }
    if (needs_schedule(module)) {  // any change may move any instruction
      schedule_instructions(module, *facts);
      stale.assign(module.computation_limit(), true);
    }
    changes.costs.insert(changes.costs.end(), carriers.begin(), carriers.end());
    std::vector<bool> listed = stale;
    for (InstructionId id : changes.costs) listed[module.data(id).computation.index] = true;
    table.update(module, *facts, changes.costs, listed);
    if (changes.calls) table.update_calls(module, *facts);
    is_behind = is_behind || !changes.callers.empty() || facts->computation_limit != module.computation_limit();
    replayer->replay(facts->calls, facts->pairs, facts->costs.demand, facts->schedule, std::move(stale));
    return absl::OkStatus();
  }

  absl::Status find_calls_again() {
    absl::StatusOr<CallGraph> calls = find_calls(module, options);
    if (!calls.ok()) return calls.status();
    facts->calls = *std::move(calls);
    facts->computation_limit = module.computation_limit();
    facts->callers_since.clear();
    replayer->forget_told();
    is_behind = false;
    return absl::OkStatus();
  }

  // Up to date, and with a call graph that knows all computations.
  absl::Status refresh_all() {
    if (absl::Status status = refresh(); !status.ok() || !is_behind) return status;
    if (absl::Status status = find_calls_again(); !status.ok()) return fail(status);
    replayer->replay(facts->calls, facts->pairs, facts->costs.demand, facts->schedule, {});
    return absl::OkStatus();
  }

  // What is half up to date is of no use: the next call begins from scratch.
  absl::Status fail(absl::Status status) {
    facts.reset();
    return status;
  }

  // Collectives that came, went or changed. Adds the instructions that carry what costs something else to `carriers`.
  absl::Status place_collectives(const Changes& changes, std::vector<InstructionId>& carriers) {
    CollectiveCosts& all = facts->collectives;
    if (!changes.collectives && changes.reread.empty()) return absl::OkStatus();
    std::vector<InstructionId> carriers_before;
    for (const Collective& collective : all.collectives) carriers_before.push_back(collective.carrier);
    CollectivesAgain again =
        find_collectives_again(module, facts->calls, std::move(all.collectives), changes.reread, changes.collectives);
    all.collectives = std::move(again.collectives);
    if (!options.mesh.axes.empty() || !same_axes(infer_axes(module, all.collectives), all.mesh)) {
      add_carriers(all, carriers);
      if (absl::Status status = lay_out_collectives(module, facts->device, options.mesh, options.collectives,
                                                    /*calls=*/nullptr, all);
          !status.ok()) {
        return status;
      }
      index_carriers(module, facts->calls, all);
      add_carriers(all, carriers);
      return absl::OkStatus();
    }
    // On the same mesh all but a few cost what they did.
    std::vector<CollectiveCost> costs;
    costs.reserve(all.collectives.size());
    for (std::size_t c = 0; c < all.collectives.size(); ++c) {
      const std::size_t before = again.before[c];
      if (before != CollectivesAgain::kNew) {
        costs.push_back(std::move(all.costs[before]));
        carriers_before[before] = InstructionId();
        continue;
      }
      costs.push_back(collective_cost(all.collectives[c], all.mesh, all.mapping, facts->device, options.collectives));
      carriers.push_back(all.collectives[c].carrier);
    }
    all.costs = std::move(costs);
    for (InstructionId carrier : carriers_before) {
      if (carrier.valid() && editor.is_alive(carrier)) carriers.push_back(carrier);
    }
    if (changes.collectives) index_carriers(module, facts->calls, all);
    return absl::OkStatus();
  }

  void add_carriers(const CollectiveCosts& all, std::vector<InstructionId>& ids) const {
    for (const auto& [carrier, c] : all.by_carrier) {
      if (editor.is_alive(InstructionId(carrier))) ids.push_back(InstructionId(carrier));
    }
  }

  // Which send carries the transfer of a receive may be another one now.
  void add_receives(std::vector<InstructionId>& ids) const {
    for (const Collective& collective : facts->collectives.collectives) {
      if (collective.kind == CollectiveKind::kRecv &&
          facts->collectives.by_carrier.count(collective.carrier.index) != 0)
        ids.push_back(collective.carrier);
    }
  }

  // Costs instructions again and marks the computations in which the replay meets something else. Of `carriers` only
  // the collectives in them changed.
  void cost(const std::vector<InstructionId>& ids, const std::vector<InstructionId>& carriers,
            std::vector<bool>& stale) {
    grow();
    std::vector<Demand>& demand = facts->costs.demand;
    std::vector<InstructionId> all = ids;
    all.insert(all.end(), carriers.begin(), carriers.end());
    std::vector<Demand> before;
    before.reserve(all.size());
    for (InstructionId id : all) before.push_back(demand[id.index]);
    if (!ids.empty())
      cost_again(module, facts->calls, facts->device, facts->collectives, options.custom_calls, ids, facts->costs);
    time_again(module, facts->calls, facts->device, facts->collectives, carriers, facts->costs);
    if (options.estimates == EstimateSource::kCompiler) {
      for (InstructionId id : all) use_compiler_estimate(module.instruction(id), facts->device, facts->costs);
    }
    join_messages(module, facts->collectives, facts->costs);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!same_demand(before[i], demand[all[i].index])) stale[module.data(all[i]).computation.index] = true;
    }
  }

  void grow() {
    facts->costs.work.resize(module.instruction_limit());
    facts->costs.time.resize(module.instruction_limit());
    facts->costs.demand.resize(module.instruction_limit());
  }

  // Pairs starts and dones again and marks the computations where a done waits for something else.
  void pair(std::vector<bool>& stale) {
    AsyncPairs pairs = pair_async(module, facts->calls);
    for (ComputationId id : facts->calls.scheduled()) {
      for (InstructionView instruction : module.computation(id).instructions()) {
        if (stale[id.index]) break;
        if (facts->costs.demand[instruction.id().index].step != Step::kDone) continue;
        if (!(facts->pairs.starts_of(instruction.id()) == pairs.starts_of(instruction.id()))) stale[id.index] = true;
      }
    }
    facts->pairs = std::move(pairs);
  }

  Module module;
  ModuleEditor editor;
  const Device device;
  const PredictOptions options;
  std::optional<StepFacts> facts;  // nothing after an error
  std::optional<Replayer> replayer;
  Summary table;
  std::optional<ReplaySums> sums;
  bool is_behind = false;  // the call graph does not know of all fused computations and their callers
};

Predictor::Predictor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

absl::StatusOr<Predictor> Predictor::create(Module module, const Device& device, const PredictOptions& options) {
  auto state = std::make_unique<State>(std::move(module), device, options);
  if (absl::Status status = state->rebuild(); !status.ok()) return status;
  return Predictor(std::move(state));
}

const Module& Predictor::module() const { return state_->module; }

ModuleEditor& Predictor::edit() { return state_->editor; }

absl::StatusOr<StepSummary> Predictor::summary() {
  State& state = *state_;
  if (absl::Status status = state.refresh(); !status.ok()) return status;
  const StepFacts& facts = *state.facts;
  if (!state.sums) state.replayer->add_up(facts.calls, facts.costs.demand, state.sums.emplace());
  if (!(state.sums->seconds < kForever)) {
    return out_of_range(state.module.path() + ": error: the step time overflows");
  }
  StepSummary result;
  state.table.add_up_exposed(state.module, facts, *state.sums, result);
  state.table.add_up(state.module, facts, *state.sums, result);
  return result;
}

absl::StatusOr<MemoryPrediction> Predictor::memory() {
  State& state = *state_;
  if (absl::Status status = state.refresh_all(); !status.ok()) return status;
  return analyze_memory(state.module, state.facts->calls, state.facts->device, state.facts->schedule).prediction;
}

absl::StatusOr<StepPrediction> Predictor::predict() {
  State& state = *state_;
  if (absl::Status status = state.refresh_all(); !status.ok()) return status;
  StepFacts& facts = *state.facts;
  // With what the axes are for, which only the report says. It is read off a call graph that has not been told which
  // branches are the slowest, as it is from scratch.
  absl::StatusOr<CallGraph> calls = find_calls(state.module, state.options);
  if (!calls.ok()) return state.fail(calls.status());
  if (absl::Status status = lay_out_collectives(state.module, facts.device, state.options.mesh,
                                                state.options.collectives, &*calls, facts.collectives);
      !status.ok()) {
    return state.fail(status);
  }
  return predict_from_facts(state.module, facts, state.options);
}

}  // namespace hloroof::inline v0
