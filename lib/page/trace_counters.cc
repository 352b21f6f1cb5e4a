#include "lib/page/trace_counters.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "lib/analysis/calls.h"
#include "lib/hardware/device_facts.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/page/memory_over_time.h"
#include "lib/schedule/memory.h"

namespace hloroof::internal::inline page {
namespace {

constexpr double kGiga = 1e9;
// Sums of many rates differ in their last digits. A smaller share of the largest rate counts as zero.
constexpr double kRateRounding = 1e-9;
// Times that differ less are one time.
constexpr double kTimeRounding = 1e-12;

bool is_same_time(double a, double b) { return b - a <= kTimeRounding * b; }

// What moves bytes: HBM, host, network, and the links of Demand.
enum TrafficPath { kHbmPath, kHostPath, kDcnPath, kFirstLinkPath, kPathCount = kFirstLinkPath + kMostLinks };
using PathBytes = std::array<double, kPathCount>;

void add_bytes(PathBytes& sum, const PathBytes& more, double times) {
  for (int p = 0; p < kPathCount; ++p) sum[p] += times * more[p];
}

// The bytes that one execution of each instruction and of each computation moves.
class Traffic {
 public:
  explicit Traffic(const StepFacts& facts) : facts_(facts), inside_(facts.module->computation_limit()) {
    const std::vector<ComputationId>& scheduled = CallFacts::scheduled(facts.calls);
    for (auto id = scheduled.rbegin(); id != scheduled.rend(); ++id) {  // callees first
      for (InstructionView instruction : facts.module->computation(*id).instructions()) {
        add_bytes(inside_[id->index], of(instruction.id()), 1);
      }
    }
  }

  PathBytes of(InstructionId id) const {
    PathBytes bytes = {};
    const InstructionView instruction = facts_.module->instruction(id);
    if (calls_schedules(instruction.opcode())) {
      for (ComputationId callee : instruction.called_computations()) {
        if (CallFacts::is_scheduled(facts_.calls, callee)) add_bytes(bytes, inside_[callee.index], runs(callee));
      }
      return bytes;
    }
    const Work& work = facts_.costs.work[id.index];
    bytes[kHbmPath] = work.read.hbm + work.written.hbm;
    bytes[kHostPath] = work.read.host + work.written.host;
    double busiest_link = 0;
    const auto [first, last] = facts_.collectives.by_carrier.equal_range(id.index);
    for (auto c = first; c != last; ++c) {
      const CollectiveCost& cost = facts_.collectives.costs[c->second];
      if (cost.resource == Resource::kIci) busiest_link += cost.busiest_link_bytes;
      const bool only_receives =
          instruction.opcode() == Opcode::kRecv && facts_.collectives.collectives[c->second].slices == 0;
      if (cost.resource == Resource::kDcn && !only_receives) bytes[kDcnPath] += cost.wire_bytes;
    }
    const SharedSeconds& busy = facts_.costs.demand[id.index].busy;
    const double most = *std::max_element(busy.begin() + kResourceCount, busy.begin() + kFirstSparseCore);
    for (int link = 0; link < kMostLinks && most > 0; ++link) {
      bytes[kFirstLinkPath + link] = busiest_link * busy[kResourceCount + link] / most;
    }
    return bytes;
  }

  const PathBytes& of(ComputationId id) const { return inside_[id.index]; }

 private:
  // How often a call runs its callee. Callers of the same computation run it equally often.
  double runs(ComputationId callee) const {
    double outer = 0;
    for (InstructionId caller : CallFacts::callers(facts_.calls, callee)) {
      outer += facts_.executions(row_of(*facts_.module, caller).computation);
    }
    return outer > 0 ? facts_.executions(callee) / outer : 0;
  }

  const StepFacts& facts_;
  std::vector<PathBytes> inside_;  // by ComputationId
};

// Adds up the rates of intervals that overlap.
class RateTracks {
 public:
  void add_interval(double begin, double end, const PathBytes& bytes) {
    if (end <= begin) return;
    for (int p = 0; p < kPathCount; ++p) {
      if (bytes[p] <= 0) continue;
      changes_[p].push_back({begin, bytes[p] / (end - begin)});
      changes_[p].push_back({end, -bytes[p] / (end - begin)});
    }
  }

  std::vector<CounterSample> take(int path) {
    std::vector<CounterSample>& changes = changes_[path];
    std::stable_sort(changes.begin(), changes.end(),
                     [](const CounterSample& a, const CounterSample& b) { return a.seconds < b.seconds; });
    double largest = 0;
    for (const CounterSample& change : changes) largest = std::max(largest, change.value);
    std::vector<CounterSample> samples;
    double rate = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      rate += changes[i].value;
      if (i + 1 < changes.size() && is_same_time(changes[i].seconds, changes[i + 1].seconds)) continue;
      if (rate < kRateRounding * largest) rate = 0;
      samples.push_back({changes[i].seconds, rate});
    }
    return samples;
  }

 private:
  std::array<std::vector<CounterSample>, kPathCount> changes_;
};

bool is_shown_inside(const StepFacts& facts, InstructionId caller) {
  for (ComputationId callee : facts.module->instruction(caller).called_computations()) {
    if (facts.timeline.callers[callee.index] == caller && facts.executions(callee) > 0) return true;
  }
  return false;
}

RateTracks bandwidths(const StepFacts& facts) {
  const Traffic traffic(facts);
  RateTracks tracks;
  const auto add_event = [&](const TimelineEvent& event, bool is_first) {
    if (event.awaited.valid()) return;
    const bool is_caller = calls_schedules(row_of(*facts.module, event.id).opcode);
    if (is_caller && is_first && is_shown_inside(facts, event.id)) return;
    // The compute stream only issues a transfer. Its bytes move while it is in flight.
    if (event.lane == Lane::kCompute && facts.costs.demand[event.id.index].step == Step::kStart) return;
    tracks.add_interval(event.begin, event.end, traffic.of(event.id));
  };
  for (const TimelineEvent& event : facts.timeline.events) add_event(event, true);
  for (const LoopRest& loop : facts.timeline.loops) {
    for (const std::vector<TimelineEvent>& iteration : loop.iterations) {
      for (const TimelineEvent& event : iteration) add_event(event, false);
    }
    PathBytes rest = {};
    const InstructionView instruction = facts.module->instruction(loop.loop);
    for (ComputationView body : instruction.computations(AttributeKey::kBody)) {
      add_bytes(rest, traffic.of(body.id()), loop.rest);
    }
    for (ComputationView condition : instruction.computations(AttributeKey::kCondition)) {
      add_bytes(rest, traffic.of(condition.id()), loop.rest + 1);
    }
    tracks.add_interval(loop.rest_begin, loop.rest_end, rest);
  }
  return tracks;
}

// The levels of the memory analysis on the timeline.
class LevelTrack {
 public:
  explicit LevelTrack(const StepFacts& facts) : facts_(facts), highest_(facts.module->computation_limit(), 0) {
    const Module& module = *facts.module;
    const MemoryAnalysis memory = analyze_memory(module, facts.calls, facts.target.device, facts.schedule);
    if (memory.levels.empty()) return;
    for (const MemoryLevel& level : memory.levels) level_[level.instruction.index] = level.bytes;
    find_highest();
    place_first(memory.levels);
    for (const LoopRest& loop : facts.timeline.loops) {
      for (const std::vector<TimelineEvent>& iteration : loop.iterations) {
        for (const TimelineEvent& event : iteration) {
          if (event.lane == Lane::kCompute) samples_.push_back({event.begin, highest_of(event.id)});
        }
      }
      if (loop.rest > 0) {
        double highest = 0;
        for (ComputationView body : module.instruction(loop.loop).computations(AttributeKey::kBody)) {
          highest = std::max(highest, highest_[body.id().index]);
        }
        samples_.push_back({loop.rest_begin, highest});
      }
    }
  }

  std::vector<CounterSample> take() {
    std::stable_sort(samples_.begin(), samples_.end(),
                     [](const CounterSample& a, const CounterSample& b) { return a.seconds < b.seconds; });
    std::vector<CounterSample> kept;
    for (const CounterSample& sample : samples_) {
      if (!kept.empty() && is_same_time(kept.back().seconds, sample.seconds)) {
        kept.back().value = std::max(kept.back().value, sample.value);
      } else {
        kept.push_back(sample);
      }
    }
    return kept;
  }

 private:
  double level_of(InstructionId id) const {
    const auto found = level_.find(id.index);
    return found != level_.end() ? found->second : 0;
  }

  // The highest level while an instruction and what it calls run.
  double highest_of(InstructionId id) const {
    double highest = level_of(id);
    if (!calls_schedules(row_of(*facts_.module, id).opcode)) return highest;
    for (ComputationId callee : facts_.module->instruction(id).called_computations()) {
      highest = std::max(highest, highest_[callee.index]);
    }
    return highest;
  }

  void find_highest() {
    const std::vector<ComputationId>& scheduled = CallFacts::scheduled(facts_.calls);
    for (auto id = scheduled.rbegin(); id != scheduled.rend(); ++id) {  // callees first
      for (InstructionView instruction : facts_.module->computation(*id).instructions()) {
        highest_[id->index] = std::max(highest_[id->index], highest_of(instruction.id()));
      }
    }
  }

  // Places the levels at the first execution of each instruction. One without time runs where the previous one ends.
  void place_first(const std::vector<MemoryLevel>& levels) {
    const auto times = times_on_compute(facts_.timeline.events);
    double now = 0;
    for (const MemoryLevel& level : levels) {
      const auto found = times.find(level.instruction.index);
      if (found == times.end()) {
        samples_.push_back({now, level.bytes});
        continue;
      }
      const bool is_caller = calls_schedules(row_of(*facts_.module, level.instruction).opcode);
      const double end = std::max(now, found->second.end);
      samples_.push_back({is_caller ? end : std::max(now, found->second.begin), level.bytes});
      now = end;
    }
  }

  const StepFacts& facts_;
  std::unordered_map<std::uint32_t, double> level_;  // by InstructionId
  std::vector<double> highest_;                      // by ComputationId
  std::vector<CounterSample> samples_;
};

// Returns "ici x", "nvlink". Empty if the machine has no such link: a transfer whose links are unknown loads all of
// Demand.
std::string counter_link_name(const StepFacts& facts, int link) {
  const DeviceFamily family = facts.target.device.family();
  const std::string name(to_string(Resource::kIci, family));
  const std::vector<PhysicalAxis>& axes = facts.collectives.mapping.physical;
  if (family != DeviceFamily::kTpu || axes.empty()) return link == 0 ? name : "";
  const auto axis = static_cast<std::size_t>(link);
  if (axis >= axes.size() || axes[axis].link == LinkKind::kDcn || axes[axis].link == LinkKind::kNetwork) return "";
  return name + " " + axes[axis].name;
}

}  // namespace

std::vector<CounterTrack> counter_tracks(const StepFacts& facts) {
  const DeviceFamily family = facts.target.device.family();
  std::vector<CounterTrack> tracks;
  const auto add_track = [&](const std::string& name, const char* unit, std::vector<CounterSample> samples) {
    std::vector<CounterSample> changes;
    for (const CounterSample& sample : samples) {
      const double value = sample.value / kGiga;
      if (changes.empty() || changes.back().value != value) changes.push_back({sample.seconds, value});
    }
    if (!changes.empty()) tracks.push_back({name, unit, std::move(changes)});
  };
  add_track("HBM in use", "GB", LevelTrack(facts).take());
  RateTracks rates = bandwidths(facts);
  add_track("HBM bandwidth", "GB/s", rates.take(kHbmPath));
  for (int link = 0; link < kMostLinks; ++link) {
    const std::string name = counter_link_name(facts, link);
    if (!name.empty()) add_track(name + " bandwidth", "GB/s", rates.take(kFirstLinkPath + link));
  }
  add_track(std::string(to_string(Resource::kDcn, family)) + " bandwidth", "GB/s", rates.take(kDcnPath));
  add_track(std::string(to_string(Resource::kHost, family)) + " bandwidth", "GB/s", rates.take(kHostPath));
  return tracks;
}

}  // namespace hloroof::internal::inline page
