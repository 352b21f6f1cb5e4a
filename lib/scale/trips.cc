#include "lib/scale/trips.h"

#include <string>

#include "hloroof/analysis.h"
#include "hloroof/edit.h"
#include "lib/analysis/calls.h"
#include "lib/scale/constants.h"
#include "lib/scale/placed_error.h"
#include "lib/values/literal.h"

namespace hloroof::internal::inline scale {

std::optional<InstructionId> bound_of(const Module& module, InstructionView loop) {
  std::optional<InstructionId> found;
  for (ComputationView condition : loop.computations(AttributeKey::kCondition)) {
    std::vector<ComputationId> all = called_by(condition);
    all.push_back(condition.id());
    for (ComputationId id : all) {
      for (InstructionView i : module.computation(id).instructions()) {
        if (i.opcode() != Opcode::kConstant || !scalar_integer(i)) continue;
        if (found) return std::nullopt;
        found = i.id();
      }
    }
  }
  return found;
}

absl::Status set_trips(Module& module, const std::vector<LoopTrips>& loops) {
  if (loops.empty()) return absl::OkStatus();
  ModuleEditor edit(module);
  for (const LoopTrips& loop : loops) {
    const std::string trips = std::to_string(loop.trips);
    const std::string after = std::to_string(loop.trips + loop.more);
    const std::int64_t bound = scalar_integer(module.instruction(loop.bound)).value_or(0);
    // A loop that was unrolled counts several at once.
    const std::int64_t step = loop.trips > 0 && bound % loop.trips == 0 ? bound / loop.trips : 1;
    std::int64_t other = 0;
    if (__builtin_mul_overflow(loop.more, step, &other) || __builtin_add_overflow(bound, other, &other)) {
      return placed_error(module.instruction(loop.loop), "its bound would be too large");
    }
    absl::Status status = replace_constant(edit, loop.bound, std::to_string(other));
    if (!status.ok()) return status;
    std::string config(module.instruction(loop.loop).text(AttributeKey::kBackendConfig));
    const std::string stated = "\"known_trip_count\":{\"n\":\"";
    const std::size_t place = config.find(stated + trips + "\"");
    if (place == std::string::npos) continue;
    config.replace(place + stated.size(), trips.size(), after);
    status = edit.set_attribute(loop.loop, AttributeKey::kBackendConfig, config);
    if (!status.ok()) return status;
  }
  const CallGraph calls = analyze_calls(module);
  for (const LoopTrips& loop : loops) {
    const TripCount* const found = CallFacts::trip_count(calls, loop.loop);
    if (found != nullptr && found->value != loop.trips + loop.more) {
      return placed_error(module.instruction(loop.loop), "its number of trips does not follow the constant");
    }
  }
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline scale
