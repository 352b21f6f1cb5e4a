#include "lib/scale/rounds.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "hloroof/analysis.h"
#include "lib/analysis/calls.h"
#include "lib/base/strings.h"
#include "lib/ir/shapes.h"
#include "lib/scale/permutes.h"
#include "lib/scale/placed_error.h"
#include "lib/scale/seeds.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline scale {
namespace {

struct Policy {
  bool as_given = false;
  std::optional<std::int64_t> most_async;
};

using Shifts = std::map<InstructionId, std::int64_t>;  // permutations along the axis, and by how many places

// Whether it passes the edge of an array to the next device, and nothing from the last to the first. So libtpu evens
// out shards that it rounded up to whole tiles.
absl::StatusOr<bool> passes_edge(InstructionView permute, const ScaledAxis& axis) {
  const InstructionView value = before_moves(permute.operand(0), false);
  if (value.opcode() != Opcode::kSlice || 2 * element_count(value.shape()) > element_count(value.operand(0).shape())) {
    return false;
  }
  const absl::StatusOr<bool> wraps = axis.wraps(permute);
  if (!wraps.ok()) return wraps.status();
  return !*wraps;
}

absl::StatusOr<Shifts> find_shifts(const Module& module, const ScaledAxis& axis) {
  Shifts shifts;
  absl::Status status;
  walk(module, [&](InstructionView i) {
    if (!status.ok() || !is_permute(i)) return;
    const absl::StatusOr<std::int64_t> shift = axis.shift_of(i);
    if (!shift.ok()) {
      status = shift.status();
      return;
    }
    if (*shift == 0) return;
    const absl::StatusOr<bool> is_edge = passes_edge(i, axis);
    if (!is_edge.ok()) {
      status = is_edge.status();
    } else if (!*is_edge) {
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
  if (is_known && layers_of(module, loop, trips->value) > 0) {
    return placed_error(
        permute,
        "each trip of its loop passes a block on and takes one slice of a stack; whether the slices are "
        "layers or parts along the axis, and which dimension shrinks with them, is not known");
  }
  if (left < 0 || left > per_trip) {
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

// tests/accuracy/scale/permutes.py: libtpu 0.0.52 makes rings of products (windowed einsums) for 8, 16 and 32 devices
// of v5e, v6e and v5p, and none for 4 and 64. XLA's partitioner has a greatest number of rounds, which is 32.
constexpr std::int64_t kLeastOfProducts = 8;
constexpr std::int64_t kMostOfProducts = 32;

bool has_rings_of_products(std::int64_t devices) { return devices >= kLeastOfProducts && devices <= kMostOfProducts; }

bool is_of_partitioner(InstructionView i) {
  const FrontendAttributes stated = frontend_attributes(i);
  return std::any_of(stated.begin(), stated.end(),
                     [](const auto& entry) { return entry.first == "is_spmd_generated" && entry.second == "true"; });
}

// An all-gather along the axis that the partitioner made where it would make a ring at the other size.
absl::StatusOr<std::optional<InstructionId>> gather_in_place_of_ring(const Module& module, const ScaledAxis& axis) {
  std::optional<InstructionId> found;
  if (has_rings_of_products(axis.from()) || !has_rings_of_products(axis.to())) return found;
  absl::Status status;
  walk(module, [&](InstructionView i) {
    const bool gathers = i.opcode() == Opcode::kAllGather || i.opcode() == Opcode::kAllGatherStart;
    if (found || !status.ok() || !gathers || !is_of_partitioner(i)) return;
    const absl::StatusOr<bool> spans = axis.is_spanned_by(i);
    if (!spans.ok()) {
      status = spans.status();
    } else if (*spans) {
      found = i.id();
    }
  });
  if (!status.ok()) return status;
  return found;
}

// Why a compiler would make no ring of these permutes at the other size; empty if it would, so far as is known.
std::string why_unlikely(const Module& module, const std::set<InstructionId>& passed_on, const ScaledAxis& axis,
                         std::optional<std::int64_t> most_async) {
  const bool is_of_product = std::any_of(passed_on.begin(), passed_on.end(),
                                         [&](InstructionId id) { return is_of_partitioner(module.instruction(id)); });
  if (is_of_product && !has_rings_of_products(axis.to())) {
    return absl::StrCat("the compiler made its ring of one product, as it does for ", kLeastOfProducts, " to ",
                        kMostOfProducts, " devices; for ", axis.to(),
                        " it gathers or sums all at once, or writes the rounds out");
  }
  const bool is_sync = std::any_of(passed_on.begin(), passed_on.end(), [&](InstructionId id) {
    return module.instruction(id).opcode() == Opcode::kCollectivePermute;
  });
  if (is_sync && most_async && axis.devices() > *most_async && axis.new_devices() <= *most_async) {
    return absl::StrCat("it has no start and no done, as in all programs for more than ", *most_async,
                        " devices; where they would be in a program for ", axis.new_devices(), " is not known");
  }
  return "";
}

// The loop with this body, if it has other trips at the other size. `loop` is null for the entry.
absl::StatusOr<std::optional<LoopTrips>> rounds_of(const Module& module, const CallGraph& calls,
                                                   const InstructionView* loop, Passes& passes, const ScaledAxis& axis,
                                                   const Policy& policy, Rounds& result) {
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
        if (!chain.empty() && !begins_as_state(*loop, e)) result.pass_state = false;
        std::int64_t& most = places > 0 ? forward : backward;
        most = std::max(most, static_cast<std::int64_t>(chain.size()));
      }
    }
  }
  for (InstructionId permute : passes.permutes()) {
    if (passed_on.count(permute) > 0) continue;
    result.pass_state = false;
    for (InstructionId other : passes.permutes()) {
      if (passed_on.count(other) == 0 && passes.needs(permute, other, false)) {
        return placed_error(module.instruction(permute),
                            "it passes blocks along the axis after another one did; the program of another size may "
                            "have another number of rounds");
      }
    }
    // Where each trip is a layer, what a layer passes on is not a round: the layers are as many at the other size.
    const TripCount* const trips = loop == nullptr ? nullptr : CallFacts::trip_count(calls, loop->id());
    const bool is_layer = trips != nullptr && takes_layers_of_state(module, *loop, trips->value);
    if (loop != nullptr && !is_layer && passes.is_recurrent(permute)) {
      return placed_error(module.instruction(permute),
                          "each trip of its loop passes blocks along the axis that were computed from those of the "
                          "trip before; the program of another size may have another number of rounds");
    }
  }
  if (passed_on.empty()) return std::optional<LoopTrips>();
  const InstructionView first = module.instruction(*passed_on.begin());
  const absl::StatusOr<LoopTrips> trips = trips_at(module, calls, *loop, forward + backward, first, axis);
  if (!trips.ok()) return trips.status();
  const std::string unlikely = why_unlikely(module, passed_on, axis, policy.most_async);
  if (!unlikely.empty() && !policy.as_given) {
    return placed_error(first, unlikely + kGoOn);
  }
  if (!unlikely.empty()) result.unlikely.push_back(absl::StrCat(to_absl(first.name()), ": ", unlikely));
  for (InstructionId id : inside(module, *loop)) result.inside.insert(id);
  return std::optional<LoopTrips>(*trips);
}

}  // namespace

absl::StatusOr<Rounds> find_rounds(const Module& module, const ScaledAxis& axis, bool as_given, const Device* device) {
  Rounds result;
  const Policy policy{as_given, most_async_permute_devices(device)};
  if (device != nullptr && device->family() == DeviceFamily::kTpu) {
    const absl::StatusOr<std::optional<InstructionId>> gather = gather_in_place_of_ring(module, axis);
    if (!gather.ok()) return gather.status();
    if (*gather) {
      const std::string why = absl::StrCat(
          "for ", axis.from(), " devices the compiler gathers before products; for ", kLeastOfProducts, " to ",
          kMostOfProducts, " it makes rings of them, unless it was told not to, which the text does not show");
      if (!as_given) return placed_error(module.instruction(**gather), why + kGoOn);
      result.unlikely.push_back(absl::StrCat(to_absl(module.instruction(**gather).name()), ": ", why));
    }
  }
  const absl::StatusOr<Shifts> shifts = find_shifts(module, axis);
  if (!shifts.ok()) return shifts.status();
  if (shifts->empty()) return result;
  const CallGraph calls = analyze_calls(module);
  result.pass_state = true;
  std::set<std::uint32_t> done;
  for (const auto& [permute, shift] : *shifts) {
    const ComputationView computation = module.instruction(permute).computation();
    if (!done.insert(computation.id().index).second) continue;
    const absl::Span<const InstructionId> from = CallFacts::callers(calls, computation.id());
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
        rounds_of(module, calls, loop ? &*loop : nullptr, passes, axis, policy, result);
    if (!trips.ok()) return trips.status();
    if (*trips) result.loops.push_back(**trips);
  }
  return result;
}

}  // namespace hloroof::internal::inline scale
