#include "lib/reschedule/in_flight.h"

#include <algorithm>
#include <cstddef>

#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline reschedule {
namespace {

void add_each(InFlight& sum, const InFlight& more) {
  for (std::size_t lane = 0; lane < sum.size(); ++lane) sum[lane] += more[lane];
}

void keep_largest(InFlight& most, const InFlight& other) {
  for (std::size_t lane = 0; lane < most.size(); ++lane) most[lane] = std::max(most[lane], other[lane]);
}

// Counts in one computation after those that it calls.
class Counter {
 public:
  Counter(const Module& module, const Transfers& transfers)
      : module_(module),
        transfers_(transfers),
        most_(module.computation_limit()),
        is_open_(module.instruction_limit()) {}

  InFlight count() {
    InFlight most = {};
    for (ComputationView computation : module_.computations()) {  // callees first
      if (!CallFacts::is_scheduled(transfers_.calls, computation.id())) continue;
      count(computation);
      keep_largest(most, most_[computation.id().index]);
    }
    return most;
  }

 private:
  void count(ComputationView computation) {
    InFlight open = open_at_begin(computation);
    InFlight& most = most_[computation.id().index];
    most = open;
    for (InstructionView instruction : computation.instructions()) {
      const InstructionId id = instruction.id();
      if (transfers_.step[id.index] == Step::kStart) ++open[static_cast<std::size_t>(transfers_.lane[id.index])];
      InFlight inside = {};
      if (calls_schedules(instruction.opcode())) {
        for (ComputationId called : instruction.called_computations()) {
          if (called.valid()) keep_largest(inside, most_[called.index]);
        }
      }
      add_each(inside, open);
      keep_largest(most, inside);
      for (InstructionId start : transfers_.pairs.starts_of(id)) {
        std::int64_t& of_lane = open[static_cast<std::size_t>(transfers_.lane[start.index])];
        if (transfers_.step[start.index] == Step::kStart && of_lane > 0) --of_lane;
      }
    }
  }

  // Dones whose starts do not precede them in the computation end transfers of the caller or of the previous iteration.
  InFlight open_at_begin(ComputationView computation) {
    InFlight open = {};
    for (InstructionView instruction : computation.instructions()) {
      const InstructionId id = instruction.id();
      if (transfers_.step[id.index] == Step::kStart) is_open_[id.index] = true;
      for (InstructionId start : transfers_.pairs.starts_of(id)) {
        const bool is_here = row_of(module_, start).computation == computation.id() && is_open_[start.index];
        if (!is_here && transfers_.step[start.index] == Step::kStart)
          ++open[static_cast<std::size_t>(transfers_.lane[start.index])];
      }
    }
    return open;
  }

  const Module& module_;
  const Transfers& transfers_;
  std::vector<InFlight> most_;  // by ComputationId
  std::vector<bool> is_open_;   // by InstructionId of a start: precedes the place of open_at_begin()
};

}  // namespace

InFlight most_in_flight(const Module& module, const Transfers& transfers) { return Counter(module, transfers).count(); }

}  // namespace hloroof::internal::inline reschedule
