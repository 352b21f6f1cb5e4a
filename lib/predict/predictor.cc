// The Predictor caches the results of the stages of facts.h. For each stage, a function update_...() below updates its
// part of the facts. The comment above each function lists the inputs of the part and says when it is stale. changes.h
// determines which parts an edit makes stale.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/predict.h"
#include "lib/analysis/call_record.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/collectives.h"
#include "lib/base/strings.h"
#include "lib/edit/edit_log.h"
#include "lib/ir/rows.h"
#include "lib/predict/from_facts.h"
#include "lib/schedule/memory.h"
#include "lib/schedule/replayer.h"
#include "lib/step/changes.h"
#include "lib/step/device_count.h"
#include "lib/step/facts.h"
#include "lib/step/summary.h"
#include "lib/time/collective.h"
#include "lib/work/inside.h"

namespace hloroof::inline v0 {
using namespace internal;

namespace {

// Returns true if two call graphs have the same scheduled computations and loops.
bool same_schedules(const CallGraph& a, const CallGraph& b) {
  return CallFacts::scheduled(a) == CallFacts::scheduled(b) &&
         std::equal(a.loops().begin(), a.loops().end(), b.loops().begin(), b.loops().end(),
                    [](const CallGraph::Loop& x, const CallGraph::Loop& y) { return x.instruction == y.instruction; });
}

// Marks what depends on the trip count of a loop.
void mark_loop(const Module& module, InstructionId id, ReplayChanges& stale) {
  stale.steps.push_back(id);
  for (ComputationId called : module.instruction(id).called_computations()) {
    if (called.valid()) stale.replay_all(called);
  }
}

// Marks what depends on a trip count that differs. The graphs must have the same loops.
void mark_other_trips(const Module& module, const CallGraph& a, const CallGraph& b, ReplayChanges& stale) {
  for (std::size_t i = 0; i < a.loops().size(); ++i) {
    if (a.loops()[i].trips.value != b.loops()[i].trips.value) mark_loop(module, a.loops()[i].instruction, stale);
  }
}

// Whether the step of another instruction depends on more of a demand than its seconds and what it keeps busy.
bool concerns_others(const Demand& a, const Demand& b) {
  return a.carried_by != b.carried_by || a.also_starts != b.also_starts || a.is_issued_ahead != b.is_issued_ahead ||
         a.is_begun_by_other || b.is_begun_by_other;
}

bool same_axes(const LogicalMesh& a, const LogicalMesh& b) {
  if (a.device_count != b.device_count || a.slices != b.slices || a.axes.size() != b.axes.size()) return false;
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
  State(Module m, Target t, const PredictOptions& o)
      : module(std::move(m)), editor(module), target(std::move(t)), options(o) {}

  // Computes all parts from scratch.
  absl::Status start_over() {
    facts.reset();
    records = {};
    absl::StatusOr<ModuleFacts> of_module = find_module_facts(borrow(module), options, records);
    if (!of_module.ok()) return of_module.status();
    absl::StatusOr<StepFacts> found = find_facts(*std::move(of_module), target, options);
    if (!found.ok()) return found.status();
    facts = std::make_shared<StepFacts>(*std::move(found));
    has_tiles = uses_tiles(module);
    roles_are_stale = sums_are_stale = timeline_is_stale = true;
    calls_are_new();
    replayer.emplace(module, /*record=*/false);
    replayer->replay(facts->calls, facts->pairs, facts->costs.demand, facts->schedule, {});
    count_executions();
    summary.fill(*facts);
    (void)add_up();  // what an edit changes in the sums is added up again, so all of it must be there
    return absl::OkStatus();
  }

  StepSummary add_up() {
    update_sums();
    StepSummary result;
    summary.add_up(*facts, result);
    return result;
  }

  // Updates all parts that summary() reads. After an error there are no facts, and the next call starts over.
  absl::Status refresh() {
    const std::vector<Edit> edits = EditLog::take(editor);
    const bool is_rolled_back =
        std::any_of(edits.begin(), edits.end(), [](const Edit& edit) { return edit.kind == Edit::Kind::kEverything; });
    if (!facts || is_rolled_back) {
      const absl::StatusOr<bool> counted = count_devices();
      return counted.ok() ? start_over() : counted.status();
    }
    if (edits.empty()) return absl::OkStatus();
    own_facts();
    Stale stale = find_stale(editor, edits, *facts, records, since);
    // The work inside every fusion depends on it.
    stale.everything |= stale.tiles && uses_tiles(module) != has_tiles;
    stale.everything |= stale.fused_before && !has_tiles;
    if (stale.device_count) {
      const absl::StatusOr<bool> counted = count_devices();
      if (!counted.ok()) facts.reset();
      if (!counted.ok()) return counted.status();
      stale.everything |= *counted;
    }
    // What the copies exchange follows from the uses of values, which any edit may change.
    stale.everything = stale.everything || !facts->collectives.exchanges.empty();
    absl::Status status = update(stale);
    if (!status.ok()) {
      facts.reset();
      return status;
    }
    return stale.everything ? start_over() : absl::OkStatus();
  }

  // Sets the number of devices that the program implies if it states none; see device_count.h. Returns whether the
  // number changed.
  absl::StatusOr<bool> count_devices() {
    const DeviceCount before = device_count(module);
    const absl::StatusOr<std::optional<DeviceCount>> now = find_device_count(module, options);
    if (!now.ok()) return now.status();
    if (!*now || **now == before) return false;
    set_device_count(**now, module);
    return true;
  }

  // Runs the stages. Returns early if a stage finds that everything is stale.
  absl::Status update(Stale& stale) {
    if (stale.everything) return absl::OkStatus();
    roles_are_stale = sums_are_stale = timeline_is_stale = true;
    if (absl::Status status = update_calls(stale); !status.ok() || stale.everything) return status;
    if (absl::Status status = update_collectives(stale); !status.ok()) return status;
    update_costs(stale);
    update_pairs(stale);
    update_schedule(stale);
    update_summary(stale);
    update_replay(stale);
    return absl::OkStatus();
  }

  // Like refresh(), but also updates the callers of all computations, which only memory() and predict() read.
  absl::Status refresh_all() {
    if (absl::Status status = refresh(); !status.ok()) return status;
    const bool has_other_callers = !since.callers.empty() || since.lost_callers;
    if (!has_other_callers && since.computation_limit == module.computation_limit()) return absl::OkStatus();
    own_facts();
    if (absl::Status status = find_calls_again(); !status.ok()) {
      facts.reset();
      return status;
    }
    count_executions();
    return absl::OkStatus();
  }

  // ---- Checkpoints -------------------------------------------------------------------------------------------------

  absl::Status rollback(const Checkpoint& checkpoint) {
    const absl::StatusOr<std::size_t> level = EditLog::level_of(editor, checkpoint);
    if (!level.ok()) return level.status();
    const bool calls_are_older = EditLog::number(checkpoint) > calls_found_at;
    const bool some_vanish = module.instruction_limit() > EditLog::instructions_at(editor, *level) ||
                             module.computation_limit() > EditLog::computations_at(editor, *level);
    const bool was_read = EditLog::restore(editor, *level);
    if (!some_vanish || !was_read || !facts) {
      EditLog::cut_tables(editor, *level);
      records.cut(module.computation_limit());
      return absl::OkStatus();
    }
    // The instructions that vanish are marked as erased, so the update removes them from the facts. If it fails, the
    // next summary() starts over.
    const std::uint64_t found = calls_found;
    (void)refresh();
    forget_callers(EditLog::instructions_at(editor, *level), EditLog::computations_at(editor, *level));
    EditLog::cut_tables(editor, *level);
    records.cut(module.computation_limit());
    if (!facts) return absl::OkStatus();
    cut_tables();
    // A call graph that is newer than the checkpoint names instructions that have vanished.
    if (calls_are_older || calls_found != found) return absl::OkStatus();
    if (find_calls_again().ok()) {
      count_executions();
    } else {
      facts.reset();
    }
    return absl::OkStatus();
  }

  // Forgets the callers and computations from these indices on.
  void forget_callers(std::size_t instructions, std::size_t computations) {
    for (std::size_t i = instructions; i < module.instruction_limit(); ++i) {
      for (ComputationId called : module.instruction(InstructionId(i)).called_computations()) {
        auto [at, end] = since.callers.equal_range(called.index);
        while (at != end) at = at->second.index == i ? since.callers.erase(at) : std::next(at);
      }
    }
    since.computation_limit = std::min(since.computation_limit, computations);
    since.callers.erase(since.callers.lower_bound(static_cast<std::uint32_t>(computations)), since.callers.end());
  }

  // Cuts all tables to the size of the module. Later edits use the ids again, and expect empty entries.
  void cut_tables() {
    cut_costs(module, facts->costs);
    facts->pairs.cut(module);
    replayer->cut();
    summary.cut(module);
  }

  void calls_are_new() {
    since = {module.computation_limit(), {}};
    calls_found_at = EditLog::checkpoints();
    ++calls_found;
  }

  // ---- Stages ------------------------------------------------------------------------------------------------------

  // The call graph. Input: the module. Stale after an edit of a call or of an instruction that determines a trip count.
  // New fused or applied computations do not make it stale, because `since` keeps their callers.
  absl::Status update_calls(Stale& stale) {
    for (const auto& [computation, caller] : stale.callers) since.callers.emplace(computation.index, caller);
    since.lost_callers |= stale.lost_callers;
    for (ComputationId id : stale.calls_changed) records.calls.calls_changed(id);
    for (InstructionId id : stale.values_changed) records.calls.value_changed(id);
    if (!stale.calls) return absl::OkStatus();
    const CallGraph before = std::move(facts->calls);
    const std::size_t known = std::min(since.computation_limit, module.computation_limit());
    if (absl::Status status = find_calls_again(); !status.ok()) return status;
    if (same_schedules(before, facts->calls)) {
      mark_other_trips(module, before, facts->calls, stale.replay);
    } else {
      change_schedules(before, known, stale);
    }
    follow_callers(before, known, stale);
    return absl::OkStatus();
  }

  // Loops or calls were added or removed. Marks the instructions of computations that are now scheduled, or no longer,
  // and for replay the computations that are called in another way, with their callers.
  void change_schedules(const CallGraph& before, std::size_t known, Stale& stale) {
    cut_costs(module, facts->costs);
    for (ComputationView computation : module.computations()) {
      const ComputationId id = computation.id();
      const bool is_known = id.index < known;
      const bool was = is_known && CallFacts::is_scheduled(before, id);
      const bool is = CallFacts::is_scheduled(facts->calls, id);
      const absl::Span<const InstructionId> callers = CallFacts::callers(facts->calls, id);
      if (was != is || (is && CallFacts::callers(before, id) != callers)) {
        stale.replay.replay_all(id);
        stale.replay.steps.insert(stale.replay.steps.end(), callers.begin(), callers.end());
      }
      if (was == is) continue;
      for (InstructionView instruction : computation.instructions()) {
        if (is) {
          stale.costs.push_back(instruction.id());
        } else {
          forget_costs(instruction.id());
        }
      }
    }
    mark_other_loops(before, stale.replay);
    std::erase_if(stale.costs, [&](InstructionId id) { return !is_scheduled(id); });
    std::sort(stale.costs.begin(), stale.costs.end());
    stale.costs.erase(std::unique(stale.costs.begin(), stale.costs.end()), stale.costs.end());
    stale.collectives = true;
    stale.schedules = true;
  }

  // Marks what mark_other_trips() marks, if the graphs do not have the same loops. A loop that was added or removed
  // changes how often its body is replayed for the other callers of the body.
  void mark_other_loops(const CallGraph& before, ReplayChanges& stale) const {
    std::map<std::uint32_t, std::int64_t> trips;
    for (const CallGraph::Loop& loop : before.loops()) trips[loop.instruction.index] = loop.trips.value;
    for (const CallGraph::Loop& loop : facts->calls.loops()) {
      const auto found = trips.find(loop.instruction.index);
      if (found == trips.end() || found->second != loop.trips.value) mark_loop(module, loop.instruction, stale);
      if (found != trips.end()) trips.erase(found);
    }
    for (const auto& [loop, value] : trips) {
      if (loop < module.instruction_limit()) mark_loop(module, InstructionId(loop), stale);
    }
  }

  bool is_scheduled(InstructionId id) const {
    const ComputationId computation = row_of(module, id).computation;
    return computation.index < since.computation_limit && CallFacts::is_scheduled(facts->calls, computation);
  }

  void forget_costs(InstructionId id) {
    facts->costs.work.clear(id.index);
    facts->costs.time.clear(id.index);
    facts->costs.demand.clear(id.index);
    if (!facts->costs.products.empty()) facts->costs.products[id.index] = 0;
  }

  // The starts of a done depend on the callers of a computation if they were traced through one of its parameters. The
  // role of a computation decides whether it has dones, and who launches its instructions. `known` is the number of
  // computations in `before`.
  void follow_callers(const CallGraph& before, std::size_t known, Stale& stale) const {
    for (ComputationView computation : module.computations()) {
      const ComputationId id = computation.id();
      const bool is_new = id.index >= known;
      const bool has_other_role = is_new || CallFacts::role(before, id) != CallFacts::role(facts->calls, id);
      if (!has_other_role && CallFacts::callers(before, id) == CallFacts::callers(facts->calls, id)) continue;
      for (InstructionView instruction : computation.instructions()) {
        if (has_other_role || instruction.opcode() == Opcode::kParameter) stale.pairs.push_back(instruction.id());
        if (has_other_role && is_scheduled(instruction.id())) stale.carriers.push_back(instruction.id());
      }
    }
  }

  absl::Status find_calls_again() {
    absl::StatusOr<CallGraph> calls = find_calls(module, options, records.calls);
    if (!calls.ok()) return calls.status();
    facts->calls = *std::move(calls);
    calls_are_new();
    return absl::OkStatus();
  }

  // The collectives, their mesh and their costs. Inputs: the module and the call graph. Stale if collectives were added
  // or removed or the description of one changed. Adds to stale.carriers the carriers of collectives
  // whose cost changed. The roles are not updated until predict().
  absl::Status update_collectives(Stale& stale) {
    for (ComputationId id : stale.collectives_in) records.collectives.meaning.forget(id);
    for (ComputationId id : stale.edited_in) records.collectives.edited_in(id);
    if (!stale.collectives && stale.descriptions.empty()) return absl::OkStatus();
    CollectiveCosts& all = facts->collectives;
    add_slice_halves(stale.carriers);
    std::vector<InstructionId> carriers_before;
    for (const Collective& collective : all.collectives) carriers_before.push_back(collective.carrier);
    CollectivesAgain again = find_collectives_again(module, facts->calls, std::move(all.collectives),
                                                    stale.descriptions, stale.collectives, records.collectives);
    all.collectives = std::move(again.collectives);
    bool is_other_mesh = !options.mesh.axes.empty();
    if (!is_other_mesh && !again.are_all(carriers_before.size())) {
      LogicalMesh mesh = infer_axes(module, all.collectives);
      is_other_mesh = !same_axes(mesh, all.mesh);
      // Which collectives are between other devices than the axes connect concerns no cost but theirs.
      all.mesh.unaligned = std::move(mesh.unaligned);
      all.mesh.notes = std::move(mesh.notes);
    }
    if (is_other_mesh) {
      add_carriers(stale.carriers);
      if (absl::Status status =
              lay_out_collectives(module, facts->calls, facts->target, options.mesh, options.collectives, all);
          !status.ok()) {
        return status;
      }
      index_carriers(module, facts->calls, all);
      add_carriers(stale.carriers);
    } else {
      keep_costs(again.before, std::move(carriers_before), stale.carriers);
      if (stale.collectives) index_carriers_again(module, facts->calls, again, all);
    }
    add_receives(stale.carriers);
    add_slice_halves(stale.carriers);
    return absl::OkStatus();
  }

  // On the same mesh, only the costs of new collectives are computed; the others keep their costs. `before` maps each
  // collective to its previous index.
  void keep_costs(const std::vector<std::size_t>& before, std::vector<InstructionId> carriers_before,
                  std::vector<InstructionId>& carriers) {
    CollectiveCosts& all = facts->collectives;
    std::vector<CollectiveCost> costs;
    costs.reserve(all.collectives.size());
    for (std::size_t c = 0; c < all.collectives.size(); ++c) {
      if (before[c] != CollectivesAgain::kNew) {
        costs.push_back(std::move(all.costs[before[c]]));
        carriers_before[before[c]] = InstructionId();
        continue;
      }
      costs.push_back(cost_on_mesh(module, all.collectives[c], all, facts->target.device, options.collectives));
      carriers.push_back(all.collectives[c].carrier);
    }
    all.costs = std::move(costs);
    for (InstructionId carrier : carriers_before) {
      if (carrier.valid() && editor.is_alive(carrier)) carriers.push_back(carrier);
    }
  }

  void add_carriers(std::vector<InstructionId>& ids) const {
    for (const auto& [carrier, c] : facts->collectives.by_carrier) {
      if (editor.is_alive(InstructionId(carrier))) ids.push_back(InstructionId(carrier));
    }
  }

  // Adds all receives, because a different send may now carry the transfer of a receive.
  void add_receives(std::vector<InstructionId>& ids) const {
    for (const Collective& collective : facts->collectives.collectives) {
      if (collective.kind == CollectiveKind::kRecv && facts->collectives.by_carrier.contains(collective.carrier.index))
        ids.push_back(collective.carrier);
    }
  }

  // Adds both halves of all transfers between slices, because an edit may separate or join them.
  void add_slice_halves(std::vector<InstructionId>& ids) const {
    for (const auto& [half, other] : facts->collectives.slice_halves) {
      if (editor.is_alive(InstructionId(half))) ids.push_back(InstructionId(half));
    }
  }

  // Work, time and demand. Inputs: the instructions, the collectives, the call graph and the device. Marks in
  // stale.replay the steps whose demand changed. On a GPU, how long all products of the step take decides
  // at which rate they run, and the number of kernels of a computation how they are launched, so that an edit of one
  // may change the times of all.
  void update_costs(Stale& stale) {
    if (stale.schedules) std::erase_if(stale.carriers, [&](InstructionId id) { return !is_scheduled(id); });
    PagedTable<Demand>& demand = facts->costs.demand;
    demand.resize(module.instruction_limit());
    std::vector<Demand> before;
    before.reserve(stale.costs.size() + stale.carriers.size());
    for (InstructionId id : stale.costs) before.push_back(demand[id.index]);
    for (InstructionId id : stale.carriers) before.push_back(demand[id.index]);
    if (!stale.costs.empty()) cost_again(cost_inputs(*facts), stale.costs, facts->costs);
    time_again(cost_inputs(*facts), stale.carriers, facts->costs);
    stale.costs.insert(stale.costs.end(), stale.carriers.begin(), stale.carriers.end());
    std::vector<InstructionId> others = add_up_products(cost_inputs(*facts), facts->costs);
    const std::vector<InstructionId> launched = find_graphs(cost_inputs(*facts), facts->costs);
    others.insert(others.end(), launched.begin(), launched.end());
    for (InstructionId id : others) before.push_back(demand[id.index]);
    time_again(cost_inputs(*facts), others, facts->costs);
    stale.costs.insert(stale.costs.end(), others.begin(), others.end());
    for (std::size_t i = 0; i < before.size(); ++i) {
      const InstructionId id = stale.costs[i];
      const Demand& now = demand[id.index];
      if (before[i] == now) continue;
      const ComputationId computation = row_of(module, id).computation;
      stale.replay.steps.push_back(id);
      if ((before[i].step == Step::kFree) != (now.step == Step::kFree)) stale.replay.order_changed(computation);
      if (concerns_others(before[i], now)) stale.replay.replay_all(computation);
    }
  }

  // The pairs of starts and dones. Inputs: the module and the callers of computations. Marks in stale.replay the
  // dones whose starts changed.
  void update_pairs(Stale& stale) { facts->pairs.update(module, facts->calls, stale.pairs, stale.replay.steps); }

  // The order for a module without a schedule. Input: the demands. Always stale, since any edit may move any
  // instruction.
  void update_schedule(Stale& stale) {
    if (!needs_schedule(module)) return;
    facts->schedule = find_schedule(*facts);
    stale.replay.whole.assign(module.computation_limit(), true);
  }

  // The tables that the summary adds up. Inputs: the costs, the order of the instructions, the loops and the branches.
  void update_summary(const Stale& stale) {
    std::vector<bool> listed(module.computation_limit(), false);
    for (ComputationId id : CallFacts::scheduled(facts->calls)) {
      listed[id.index] = stale.replay.is_whole(id) || stale.replay.has_other_order(id);
    }
    for (InstructionId id : stale.replay.steps) listed[row_of(module, id).computation.index] = true;
    for (InstructionId id : stale.costs) listed[row_of(module, id).computation.index] = true;
    summary.update(*facts, stale.costs, listed);
    // The costs decide whether the choice of a branch matters.
    if (stale.calls || !stale.costs.empty()) summary.update_calls(*facts);
  }

  // The replay. Inputs: the call graph, the demands, the pairs and the schedule. Replays the marked computations and
  // their callers.
  void update_replay(Stale& stale) {
    replayer->replay(facts->calls, facts->pairs, facts->costs.demand, facts->schedule, stale.replay);
    if (stale.calls || replayer->branches() != branches) count_executions();
  }

  // The number of executions of each computation. Inputs: the call graph and the branches that the replay took.
  void count_executions() {
    branches = replayer->branches();
    facts->timeline.executions = CallFacts::executions_with(facts->calls, branches);
  }

  // The sums of the replay. Only summary() reads them.
  void update_sums() {
    if (!sums_are_stale) return;
    own_facts();
    summary.update_sums(replayer->add_up(facts->calls, facts->costs.demand, facts->timeline));
    sums_are_stale = false;
  }

  // The roles of the mesh axes and of the collectives, and the events and the critical path of the replay. Only
  // predict() reads them.
  absl::Status update_timeline() {
    if (roles_are_stale) {
      own_facts();
      read_roles(module, facts->calls, facts->collectives);
      roles_are_stale = false;
    }
    if (!timeline_is_stale) return absl::OkStatus();
    own_facts();
    replayer->forget_sums();
    if (absl::Status status = replay_facts(*facts); !status.ok()) return status;
    summary.update_all_sums();
    sums_are_stale = timeline_is_stale = false;
    return absl::OkStatus();
  }

  // Facts that a prediction points to are const. If a prediction still points to them, later edits use a copy.
  void own_facts() {
    if (facts.use_count() > 1) {
      facts = std::make_shared<StepFacts>(*facts);
    } else {
      std::atomic_thread_fence(std::memory_order_acquire);  // another thread may have been reading them
    }
  }

  Module module;
  ModuleEditor editor;
  const Target target;
  const PredictOptions options;

  std::shared_ptr<StepFacts> facts;  // null after an error
  SearchRecords records;             // of the searches that found facts->calls and facts->collectives
  SinceCallGraph since;
  std::uint64_t calls_found_at = 0;  // EditLog::checkpoints() when facts->calls was found
  std::uint64_t calls_found = 0;     // how often it was found
  std::optional<Replayer> replayer;
  BranchProbabilities branches;  // the branches used for facts->timeline.executions
  Summary summary;
  bool has_tiles = false;  // uses_tiles() when facts->costs were found
  bool roles_are_stale = false;
  bool sums_are_stale = false;
  bool timeline_is_stale = false;
};

Predictor::Predictor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

absl::StatusOr<Predictor> Predictor::create(Module module, Target target, const PredictOptions& options) {
  auto state = std::make_unique<State>(std::move(module), std::move(target), options);
  if (const absl::StatusOr<bool> counted = state->count_devices(); !counted.ok()) return counted.status();
  if (absl::Status status = state->start_over(); !status.ok()) return status;
  return Predictor(std::move(state));
}

const Module& Predictor::module() const { return state_->module; }

ModuleEditor& Predictor::edit() { return state_->editor; }

Checkpoint Predictor::checkpoint() { return state_->editor.checkpoint(); }

absl::Status Predictor::rollback(const Checkpoint& checkpoint) { return state_->rollback(checkpoint); }

absl::Status Predictor::release(const Checkpoint& checkpoint) { return state_->editor.release(checkpoint); }

absl::StatusOr<StepSummary> Predictor::summary() {
  if (absl::Status status = state_->refresh(); !status.ok()) return status;
  const StepSummary result = state_->add_up();
  if (!(result.step_seconds < kForever)) {
    return out_of_range(ModuleRows::path(state_->module) + ": error: the step time overflows");
  }
  return result;
}

absl::StatusOr<std::vector<OpWait>> Predictor::waits() {
  if (absl::Status status = state_->refresh(); !status.ok()) return status;
  state_->update_sums();
  std::vector<OpWait> result;
  for (const Wait& wait : all_waits(state_->facts->timeline)) {  // sorted by op, then by awaited
    if (result.empty() || result.back().op != wait.op || result.back().transfer != wait.awaited) {
      result.push_back({wait.op, wait.awaited, 0});
    }
    result.back().seconds += wait.seconds;
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const OpWait& a, const OpWait& b) { return a.seconds > b.seconds; });
  return result;
}

absl::StatusOr<MemoryPrediction> Predictor::memory() {
  if (absl::Status status = state_->refresh_all(); !status.ok()) return status;
  const StepFacts& facts = *state_->facts;
  return analyze_memory(*facts.module, facts.calls, facts.target.device, facts.schedule).prediction;
}

absl::StatusOr<StepPrediction> Predictor::predict() {
  if (absl::Status status = state_->refresh_all(); !status.ok()) return status;
  if (absl::Status status = state_->update_timeline(); !status.ok()) return status;
  return predict_from_facts(state_->facts);
}

}  // namespace hloroof::inline v0
