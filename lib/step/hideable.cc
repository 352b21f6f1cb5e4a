#include "lib/step/hideable.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "lib/analysis/calls.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline step {
namespace {

// Share of the step from which on a collective is looked at.
constexpr double kLeastShare = 0.001;

// A collective whose start and end are in one computation.
struct Transfer {
  std::size_t index;  // of the collective
  InstructionId start;
  InstructionId done;
  double independent = 0;  // seconds of one execution in which ops run that do not depend on it
};

// Collectives of one computation that are looked at together: one bit each.
using Bits = std::uint64_t;
constexpr std::size_t kAtOnce = 64;

class Hideable {
 public:
  explicit Hideable(const StepFacts& facts)
      : facts_(facts),
        module_(*facts.module),
        seconds_(serial_seconds(facts, [this](InstructionView instruction) { return own_seconds(instruction); })),
        before_(module_.instruction_limit(), 0),
        behind_(module_.instruction_limit(), 0) {}

  void find(ComputationView computation, absl::Span<Transfer> transfers) {
    for (std::size_t first = 0; first < transfers.size(); first += kAtOnce) {
      find_at_once(computation, transfers.subspan(first, std::min(kAtOnce, transfers.size() - first)));
    }
  }

 private:
  // Seconds of the compute stream in one execution, without waits, without the collectives that block it, and without
  // what the instruction calls.
  double own_seconds(InstructionView instruction) const {
    const Demand& demand = facts_.costs.demand[instruction.id().index];
    switch (demand.step) {
      case Step::kRun:
      case Step::kDone: {
        const bool is_collective = facts_.collectives.by_carrier.contains(instruction.id().index);
        return is_collective && instruction.opcode() != Opcode::kFusion ? 0 : demand.seconds;
      }
      case Step::kStart: return demand.issue;
      case Step::kLoop: {
        const TripCount* const trips = CallFacts::trip_count(facts_.calls, instruction.id());
        return demand.issue * static_cast<double>(trips != nullptr ? trips->value : 1);
      }
      case Step::kFree:
      case Step::kBranch:
      case Step::kCall: return 0;
    }
    return 0;
  }

  template <typename Visit>
  static void visit_sources(InstructionView instruction, const Visit& visit) {
    for (InstructionId operand : instruction.operand_ids()) visit(operand);
    if (!instruction.has(AttributeKey::kControlPredecessors)) return;
    for (InstructionView predecessor : instruction.control_predecessors()) visit(predecessor.id());
  }

  // Sets the bits of the instructions that each transfer needs, and of those that need it, in one pass in each
  // direction, and adds up the seconds of the others.
  void find_at_once(ComputationView computation, absl::Span<Transfer> transfers) {
    std::vector<InstructionView> order;
    for (InstructionView instruction : computation.instructions()) {
      order.push_back(instruction);
      before_[instruction.id().index] = behind_[instruction.id().index] = 0;
    }
    for (std::size_t t = 0; t < transfers.size(); ++t) {
      before_[transfers[t].start.index] |= Bits{1} << t;
      behind_[transfers[t].done.index] |= Bits{1} << t;
    }
    for (InstructionView instruction : order) {
      Bits& bits = behind_[instruction.id().index];
      visit_sources(instruction, [&](InstructionId source) { bits |= behind_[source.index]; });
    }
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      const Bits bits = before_[at->id().index];
      if (bits != 0) visit_sources(*at, [&](InstructionId source) { before_[source.index] |= bits; });
    }
    const Bits all = transfers.size() == kAtOnce ? ~Bits{0} : (Bits{1} << transfers.size()) - 1;
    for (InstructionView instruction : order) {
      const std::uint32_t i = instruction.id().index;
      Bits independent = all & ~(before_[i] | behind_[i]);
      if (independent == 0) continue;
      const double seconds = serial_seconds_of(facts_, instruction, own_seconds(instruction), seconds_);
      for (std::size_t t = 0; seconds > 0 && independent != 0; ++t, independent >>= 1) {
        if ((independent & 1) != 0) transfers[t].independent += seconds;
      }
    }
  }

  const StepFacts& facts_;
  const Module& module_;
  std::vector<double> seconds_;  // by ComputationId: of one execution
  std::vector<Bits> before_;     // by InstructionId: the transfers that need it to start
  std::vector<Bits> behind_;     // by InstructionId: the transfers that it needs the end of
};

}  // namespace

std::vector<std::optional<double>> hideable_of_collectives(const StepFacts& facts, absl::Span<const double> exposed) {
  const Module& module = *facts.module;
  const std::vector<Collective>& collectives = facts.collectives.collectives;
  std::vector<std::optional<double>> result(collectives.size());
  std::map<std::uint32_t, std::vector<Transfer>> by_computation;
  for (std::size_t c = 0; c < collectives.size(); ++c) {
    if (exposed[c] <= 0 || exposed[c] < kLeastShare * facts.timeline.seconds) continue;
    const Collective& collective = collectives[c];
    const InstructionId done = collective.done.valid() ? collective.done : collective.carrier;
    const ComputationId computation = row_of(module, collective.carrier).computation;
    if (row_of(module, done).computation != computation) continue;
    by_computation[computation.index].push_back({c, collective.carrier, done});
  }
  if (by_computation.empty()) return result;
  Hideable hideable(facts);
  for (auto& [computation, transfers] : by_computation) {
    const ComputationView view = module.computation(ComputationId(computation));
    const double executions = facts.executions(view.id());
    hideable.find(view, absl::MakeSpan(transfers));
    for (const Transfer& transfer : transfers) {
      if (executions <= 0) continue;
      const double seconds = facts.collectives.costs[transfer.index].seconds;
      const double exposed_once = exposed[transfer.index] / executions;
      const double hidden = std::max(seconds - exposed_once, 0.0);
      result[transfer.index] = executions * std::clamp(transfer.independent - hidden, 0.0, exposed_once);
    }
  }
  return result;
}

}  // namespace hloroof::internal::inline step
