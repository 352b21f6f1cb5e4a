#include "lib/scale/rounds.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "hloroof/analysis.h"
#include "lib/analysis/calls.h"
#include "lib/ir/shapes.h"
#include "lib/scale/placed_error.h"
#include "lib/scale/seeds.h"

namespace hloroof::internal::inline scale {
namespace {

using Shifts = std::map<InstructionId, std::int64_t>;  // permutations along the axis, and by how many places

bool is_permute(InstructionView i) {
  return i.opcode() == Opcode::kCollectivePermute || i.opcode() == Opcode::kCollectivePermuteStart;
}

absl::StatusOr<Shifts> find_shifts(const Module& module, const ScaledAxis& axis) {
  Shifts shifts;
  absl::Status status;
  walk(module, [&](InstructionView i) {
    if (!status.ok() || !is_permute(i)) return;
    const absl::StatusOr<std::int64_t> shift = axis.shift_of(i);
    if (!shift.ok()) {
      status = shift.status();
    } else if (*shift != 0) {
      shifts.emplace(i.id(), *shift);
    }
  });
  if (!status.ok()) return status;
  return shifts;
}

// What the permutations of one computation pass on.
class Passes {
 public:
  Passes(ComputationView computation, const Shifts& shifts) : computation_(computation), shifts_(shifts) {
    for (InstructionView i : computation.instructions()) {
      if (shifts.count(i.id()) > 0) permutes_.push_back(i.id());
      if (i.opcode() == Opcode::kGetTupleElement && i.operand(0).opcode() == Opcode::kParameter) {
        carried_[i.tuple_index()].push_back(i.id());
      }
    }
  }

  const std::vector<InstructionId>& permutes() const { return permutes_; }

  // Whether `user` needs the result of `value`, at any distance within the computation, or without a loop between them.
  bool needs(InstructionId user, InstructionId value, bool through_loops = true) {
    const auto [known, is_new] = needed_.try_emplace({user, through_loops});
    std::set<InstructionId>& seen = known->second;
    std::vector<InstructionId> open;
    if (is_new) open.push_back(user);
    while (!open.empty()) {
      const InstructionView at = computation_.module().instruction(open.back());
      open.pop_back();
      if (at.opcode() == Opcode::kWhile && !through_loops) continue;
      for (InstructionId operand : at.operand_ids()) {
        if (seen.insert(operand).second) open.push_back(operand);
      }
    }
    return seen.count(value) > 0;
  }

  // The permutations by so many places by which a loop passes on a block that it carries as this element of a tuple:
  // the path from the element of one trip to that of the next one has arrays of as many elements. Empty if there is
  // none.
  std::vector<InstructionId> passed(std::int64_t element, std::int64_t places) const {
    const InstructionView end = computation_.root().operand(static_cast<std::size_t>(element));
    if (!end.shape().is_array()) return {};
    struct Step {
      InstructionId at;
      std::vector<InstructionId> permutes;
    };
    std::vector<Step> open = {{end.id(), {}}};
    std::set<InstructionId> seen = {end.id()};
    while (!open.empty()) {
      Step step = std::move(open.back());
      open.pop_back();
      const InstructionView at = computation_.module().instruction(step.at);
      if (const auto shift = shifts_.find(at.id()); shift != shifts_.end()) {
        if (shift->second != places) continue;
        step.permutes.push_back(at.id());
      }
      const bool is_element = at.opcode() == Opcode::kGetTupleElement;
      if (is_element && at.operand(0).opcode() == Opcode::kParameter) {
        if (at.tuple_index() == element && !step.permutes.empty()) return step.permutes;
        continue;
      }
      for (InstructionView operand : at.operands()) {
        const bool is_as_large =
            !operand.shape().is_array() || element_count(operand.shape()) == element_count(end.shape());
        if (is_as_large && seen.insert(operand.id()).second) open.push_back({operand.id(), step.permutes});
      }
    }
    return {};
  }

  // Whether a trip of the loop needs what `permute` received in a trip before to give it to the same permutation.
  bool is_recurrent(InstructionId permute) {
    std::vector<std::int64_t> open;
    std::set<std::int64_t> reached;  // elements that depend on what was received
    const InstructionView root = computation_.root();
    const auto reach = [&](InstructionId from) {
      for (std::size_t e = 0; e < root.operand_count(); ++e) {
        const InstructionId value = root.operand_ids()[e];
        const auto element = static_cast<std::int64_t>(e);
        if ((value == from || needs(value, from)) && reached.insert(element).second) open.push_back(element);
      }
    };
    reach(permute);
    while (!open.empty()) {
      const std::int64_t element = open.back();
      open.pop_back();
      for (InstructionId value : carried_[element]) {
        if (needs(permute, value)) return true;
        reach(value);
      }
    }
    return false;
  }

 private:
  ComputationView computation_;
  const Shifts& shifts_;
  std::vector<InstructionId> permutes_;
  std::map<std::int64_t, std::vector<InstructionId>> carried_;
  std::map<std::pair<InstructionId, bool>, std::set<InstructionId>> needed_;
};

// The trips of a loop in which each trip passes `per_trip` blocks on, those of both directions together.
absl::StatusOr<LoopTrips> trips_at(const Module& module, const CallGraph& calls, InstructionView loop,
                                   std::int64_t per_trip, InstructionView permute, const ScaledAxis& axis) {
  const TripCount* const trips = CallFacts::trip_count(calls, loop.id());
  const bool is_known = trips != nullptr && trips->source != TripCount::Source::kAssumed;
  // A ring has passed all blocks when each came by once. Some leave out the last pass, or do one trip outside.
  const std::int64_t left = is_known ? axis.from() - trips->value * per_trip : -1;
  if (left < 0 || left > per_trip || layers_of(module, loop, trips->value) > 0) {
    return placed_error(permute, "its loop passes blocks along the axis, but not as many as the axis has devices");
  }
  const std::int64_t more = axis.to() - axis.from();
  if (more % per_trip != 0 || trips->value + more / per_trip < 1) {
    return placed_error(permute, "the other size has no whole number of trips of its loop");
  }
  const std::optional<InstructionId> bound = bound_of(module, loop);
  if (!bound) return placed_error(loop, "its condition does not compare with a single constant");
  return LoopTrips{loop.id(), *bound, trips->value, more / per_trip};
}

// Whether an element of what a loop of the entry carries is made of state alone.
bool begins_as_state(InstructionView loop, std::size_t element) {
  const Module& module = loop.module();
  const InstructionView tuple = loop.operand(0);
  if (tuple.opcode() != Opcode::kTuple || element >= tuple.operand_count()) return false;
  const std::set<std::int64_t> state = state_parameters(module);
  bool found = false;
  std::set<InstructionId> seen;
  std::vector<InstructionId> open = {tuple.operand_ids()[element]};
  while (!open.empty()) {
    const InstructionView at = module.instruction(open.back());
    open.pop_back();
    if (!seen.insert(at.id()).second) continue;
    if (at.opcode() == Opcode::kParameter) {
      if (at.computation().id() != module.entry().id() || state.count(at.parameter_number()) == 0) return false;
      found = true;
    }
    open.insert(open.end(), at.operand_ids().begin(), at.operand_ids().end());
  }
  return found;
}

// The loop with this body, if it has other trips at the other size. `loop` is null for the entry.
absl::StatusOr<std::optional<LoopTrips>> rounds_of(const Module& module, const CallGraph& calls,
                                                   const InstructionView* loop, Passes& passes, const ScaledAxis& axis,
                                                   bool& pass_state) {
  std::set<InstructionId> passed_on;
  std::int64_t forward = 0;
  std::int64_t backward = 0;
  if (loop != nullptr && loop->shape().is_tuple()) {
    const ComputationView body = module.instruction(passes.permutes().front()).computation();
    const std::size_t elements = body.root().opcode() == Opcode::kTuple ? body.root().operand_count() : 0;
    for (std::size_t e = 0; e < elements; ++e) {
      for (const std::int64_t places : {1, -1}) {
        const std::vector<InstructionId> chain = passes.passed(static_cast<std::int64_t>(e), places);
        passed_on.insert(chain.begin(), chain.end());
        if (!chain.empty() && !begins_as_state(*loop, e)) pass_state = false;
        std::int64_t& most = places > 0 ? forward : backward;
        most = std::max(most, static_cast<std::int64_t>(chain.size()));
      }
    }
  }
  for (InstructionId permute : passes.permutes()) {
    if (passed_on.count(permute) > 0) continue;
    pass_state = false;
    for (InstructionId other : passes.permutes()) {
      if (passed_on.count(other) == 0 && passes.needs(permute, other, false)) {
        return placed_error(module.instruction(permute),
                            "it passes blocks along the axis after another one did; the program of another size may "
                            "have another number of rounds");
      }
    }
    if (loop != nullptr && passes.is_recurrent(permute)) {
      return placed_error(module.instruction(permute),
                          "each trip of its loop passes blocks along the axis that were computed from those of the "
                          "trip before; the program of another size may have another number of rounds");
    }
  }
  if (passed_on.empty()) return std::optional<LoopTrips>();
  const absl::StatusOr<LoopTrips> trips =
      trips_at(module, calls, *loop, forward + backward, module.instruction(*passed_on.begin()), axis);
  if (!trips.ok()) return trips.status();
  return std::optional<LoopTrips>(*trips);
}

}  // namespace

absl::StatusOr<Rounds> find_rounds(const Module& module, const ScaledAxis& axis) {
  Rounds result;
  const absl::StatusOr<Shifts> shifts = find_shifts(module, axis);
  if (!shifts.ok()) return shifts.status();
  if (shifts->empty()) return result;
  const CallGraph calls = analyze_calls(module);
  result.pass_state = true;
  std::set<std::uint32_t> done;
  for (const auto& [permute, shift] : *shifts) {
    const ComputationView computation = module.instruction(permute).computation();
    if (!done.insert(computation.id().index).second) continue;
    const std::vector<InstructionId>& from = CallFacts::callers(calls, computation.id());
    std::optional<InstructionView> loop;
    if (computation.id() != module.entry().id()) {
      if (from.size() != 1 || module.instruction(from[0]).opcode() != Opcode::kWhile) {
        return placed_error(module.instruction(permute),
                            "it passes blocks along the axis, neither in the entry nor in the body of one loop");
      }
      loop = module.instruction(from[0]);
    }
    Passes passes(computation, *shifts);
    const absl::StatusOr<std::optional<LoopTrips>> trips =
        rounds_of(module, calls, loop ? &*loop : nullptr, passes, axis, result.pass_state);
    if (!trips.ok()) return trips.status();
    if (*trips) result.loops.push_back(**trips);
  }
  return result;
}

}  // namespace hloroof::internal::inline scale
