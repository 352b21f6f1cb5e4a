#include "lib/schedule/list_schedule.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "lib/analysis/calls.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/value_walk.h"

namespace hloroof::internal::inline schedule {
namespace {

bool is_split(InstructionView instruction) { return work_class(instruction.opcode()) == WorkClass::kCollective; }

class Scheduler {
 public:
  Scheduler(const Module& module, const CallGraph& calls, const PagedTable<Demand>& demands, const Scheduling& rules)
      : module_(module),
        calls_(calls),
        demands_(demands),
        rules_(rules),
        place_(module.instruction_limit(), 0),
        seconds_(module.computation_limit(), 0) {
    schedule_.order.resize(module.computation_limit());
    schedule_.waits.resize(module.instruction_limit());
  }

  ListSchedule run() {
    for (ComputationView computation : module_.computations()) {  // callees first
      if (CallFacts::is_scheduled(calls_, computation.id())) schedule(computation);
    }
    return std::move(schedule_);
  }

 private:
  struct Node {
    InstructionId id;
    std::vector<std::uint32_t> users;
    int missing = 0;   // operands and control predecessors not scheduled yet
    double ready = 0;  // when the last of them is available
    double seconds = 0;
    bool is_transfer = false;
    int unused = 0;  // 1 while no user of the transfer has run; users are found through aliases
  };
  using Waiting = std::pair<double, std::uint32_t>;  // (ready, place)

  // Returns the seconds of an instruction on the compute stream or on its lane.
  double duration(InstructionView instruction) const {
    const Demand& demand = demands_[instruction.id().index];
    if (demand.step == Step::kFree) return 0;
    double sum = demand.seconds;
    if (demand.step == Step::kLoop || demand.step == Step::kBranch || demand.step == Step::kCall) {
      const TripCount* trips = CallFacts::trip_count(calls_, instruction.id());
      const double times = demand.step == Step::kLoop && trips != nullptr ? static_cast<double>(trips->value) : 1;
      sum += times * demand.issue;
      double longest = 0;
      for (ComputationId callee : instruction.called_computations()) {
        longest = std::max(longest, seconds_[callee.index]);
      }
      sum += times * longest;
    }
    return std::min(sum, kForever);
  }

  void schedule(ComputationView computation) {
    nodes_.clear();
    for (InstructionView instruction : computation.instructions()) {
      place_[instruction.id().index] = static_cast<std::uint32_t>(nodes_.size());
      Node node;
      node.id = instruction.id();
      node.seconds = duration(instruction);
      node.is_transfer = demands_[instruction.id().index].step == Step::kStart;
      nodes_.push_back(std::move(node));
    }
    connect(computation);
    std::vector<InstructionId>& order = schedule_.order[computation.id().index];
    order.reserve(nodes_.size());
    simulate(order);
    seconds_[computation.id().index] = std::min(clock_, kForever);
    find_waits(order);
  }

  void connect(ComputationView computation) {
    for (InstructionView instruction : computation.instructions()) {
      const std::uint32_t at = place_[instruction.id().index];
      const auto depend = [&](InstructionId on) {
        if (row_of(module_, on).computation != computation.id()) return;
        const std::uint32_t from = place_[on.index];
        if (from >= at) return;  // no order can satisfy a forward reference
        nodes_[from].users.push_back(at);
        ++nodes_[at].missing;
      };
      for (InstructionId operand : instruction.operand_ids()) depend(operand);
      for (InstructionView before : instruction.control_predecessors()) depend(before.id());
    }
  }

  // Updates the users of `at`, which was scheduled and whose result is available at `when`.
  void release(std::uint32_t at, double when) {
    for (std::uint32_t user : nodes_[at].users) {
      Node& node = nodes_[user];
      node.ready = std::max(node.ready, when);
      if (--node.missing == 0) waiting_.push({node.ready, user});
    }
  }

  void simulate(std::vector<InstructionId>& order) {
    clock_ = 0;
    std::fill(std::begin(lane_free_), std::end(lane_free_), 0.0);
    std::fill(std::begin(ahead_), std::end(ahead_), 0);
    std::fill(std::begin(last_), std::end(last_), InstructionId());
    stalled_ = false;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].missing == 0) waiting_.push({0, i});
    }
    while (order.size() < nodes_.size()) {
      // Move the nodes that are ready by now to their queues.
      while (!waiting_.empty() && waiting_.top().first <= clock_) {
        const std::uint32_t at = waiting_.top().second;
        waiting_.pop();
        (nodes_[at].is_transfer ? transfers_ : stream_).push(at);
      }
      if (start_transfer(order, false)) continue;
      if (!stream_.empty()) {
        const std::uint32_t at = stream_.top();
        stream_.pop();
        order.push_back(nodes_[at].id);
        clock_ = std::min(clock_ + nodes_[at].seconds, kForever);
        if (nodes_[at].seconds > 0) {
          use_transfers(at);
          stalled_ = false;
        }
        release(at, clock_);
        continue;
      }
      // Nothing can run, so wait for a result. If none is pending, start a transfer beyond the limits.
      if (!waiting_.empty()) {
        clock_ = std::max(clock_, waiting_.top().first);
        stalled_ = true;
      } else if (!start_transfer(order, true)) {
        break;
      }
    }
  }

  // Starts the first ready transfer in text order and returns true, or returns false if it may not start yet. `anyway`
  // starts it even if its lane is busy or has too many unused results.
  bool start_transfer(std::vector<InstructionId>& order, bool anyway) {
    if (transfers_.empty()) return false;
    const std::uint32_t at = transfers_.top();
    const int lane = static_cast<int>(demands_[nodes_[at].id.index].lane);
    if (!anyway && (lane_free_[lane] > clock_ || ahead_[lane] >= rules_.transfers_ahead) && has_more_to_do())
      return false;
    transfers_.pop();
    order.push_back(nodes_[at].id);
    // The stream was idle until the lane was free. Without this wait, the two transfers would share the lane.
    if (stalled_ && last_[lane].valid()) schedule_.waits[nodes_[at].id.index].push_back(last_[lane]);
    last_[lane] = nodes_[at].id;
    const double begin = std::max(clock_, lane_free_[lane]);
    lane_free_[lane] = std::min(begin + nodes_[at].seconds, kForever);
    ++ahead_[lane];
    nodes_[at].unused = 1;
    release(at, lane_free_[lane]);
    return true;
  }

  bool has_more_to_do() const { return !stream_.empty() || !waiting_.empty(); }

  // Stops counting the transfers whose results `at` is the first to use, so that other transfers may start.
  void use_transfers(std::uint32_t at) {
    for (InstructionId operand : module_.instruction(nodes_[at].id).operand_ids()) {
      const InstructionView from = origin(module_.instruction(operand), [this](InstructionView i) {
        return demands_[i.id().index].step == Step::kFree && i.operand_count() == 1;
      });
      Node& node = nodes_[place_[from.id().index]];
      if (!node.is_transfer || node.unused == 0) continue;
      node.unused = 0;
      --ahead_[static_cast<int>(demands_[node.id.index].lane)];
    }
  }

  // Finds the transfers that each instruction must wait for. Aliases are followed.
  void find_waits(const std::vector<InstructionId>& order) {
    std::vector<std::vector<InstructionId>> carried(nodes_.size());
    for (InstructionId id : order) {
      const InstructionView instruction = module_.instruction(id);
      std::vector<InstructionId>& own = carried[place_[id.index]];
      if (instruction.opcode() == Opcode::kGetTupleElement && instruction.operand_count() == 1 &&
          instruction.operand(0).opcode() == Opcode::kTuple) {
        const InstructionView tuple = instruction.operand(0);
        const std::int64_t element = instruction.tuple_index();
        if (element >= 0 && element < static_cast<std::int64_t>(tuple.operand_count())) {
          own = carried[place_[tuple.operand_ids()[static_cast<std::size_t>(element)].index]];
        }
      } else {
        for (InstructionId operand : instruction.operand_ids()) {
          const std::vector<InstructionId>& more = carried[place_[operand.index]];
          own.insert(own.end(), more.begin(), more.end());
        }
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
      }
      const Step step = demands_[id.index].step;
      if (step == Step::kFree) continue;
      if (step != Step::kDone) {  // a done waits for its own start
        std::vector<InstructionId>& waits = schedule_.waits[id.index];
        waits.insert(waits.end(), own.begin(), own.end());
      }
      own.clear();
      if (step == Step::kStart && is_split(instruction)) own.push_back(id);
    }
  }

  const Module& module_;
  const CallGraph& calls_;
  const PagedTable<Demand>& demands_;
  const Scheduling& rules_;
  std::vector<std::uint32_t> place_;  // by InstructionId, within its computation
  std::vector<double> seconds_;       // by ComputationId
  ListSchedule schedule_;
  // State of the computation that is being scheduled.
  std::vector<Node> nodes_;
  double clock_ = 0;
  double lane_free_[kLaneCount] = {};
  int ahead_[kLaneCount] = {};
  InstructionId last_[kLaneCount];  // the transfer that began last
  bool stalled_ = false;            // the stream has been idle since it waited
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> stream_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> transfers_;
};

}  // namespace

Demand split_collective(InstructionView instruction, const Demand& demand) {
  Demand split = demand;
  if (demand.step != Step::kRun || !is_split(instruction)) return split;
  split.step = Step::kStart;
  const bool network = demand.busy[static_cast<int>(Resource::kDcn)] > links_busy(demand.busy);
  split.lane = network ? Lane::kDcn : Lane::kIci;
  return split;
}

ListSchedule list_schedule(const Module& module, const CallGraph& calls, const PagedTable<Demand>& demands,
                           const Scheduling& rules) {
  return Scheduler(module, calls, demands, rules).run();
}

}  // namespace hloroof::internal::inline schedule
