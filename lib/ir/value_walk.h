// Walks over values: from a value to its sources, or to its uses. This file alone defines how a value passes through
// tuples, calls, loops and asynchronous pairs. Each pass supplies a predicate that selects the instructions to walk
// through.
//
//   // The instruction that computes what `i` only renames.
//   origin(i, [](InstructionView at) { return flow(at.opcode()) == Flow::kRenames; });
//
//   // Every start that `done` may be waiting for, also through loops and calls.
//   ValueWalk walk(module);
//   walk.begin();
//   walk.add(done.operand(0).id(), {});
//   walk.back(kMost, callers, [&](InstructionView at) {
//     if (async_role(at.opcode()) != AsyncRole::kStart) return Go::kOn;
//     starts.push_back(at.id());
//     return Go::kStop;
//   });
//
// No walk recurses, and each is bounded, because the input text determines the length of chains.
#ifndef HLOROOF_LIB_IR_VALUE_WALK_H_
#define HLOROOF_LIB_IR_VALUE_WALK_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "hloroof/module.h"
#include "lib/ir/opcode_facts.h"

namespace hloroof::internal::inline ir {

// A part of a value: the tuple index at each level. Empty for the whole value. Few values nest deeper than two levels.
using Path = absl::InlinedVector<std::int64_t, 2>;

// The answer of a predicate for an instruction that a walk has reached.
enum class Go : std::uint8_t {
  kStop,      // do not walk beyond it
  kOn,        // walk through it, according to its flow
  kOperands,  // walk to all of its operands, regardless of its flow
  kEnd,       // end the whole walk
};

// Follows operand 0 as long as `passes(instruction)` holds. If all values are arrays, this is a walk back without
// paths.
template <typename Passes>
InstructionView origin(InstructionView at, Passes passes) {
  while (at.operand_count() > 0 && passes(at)) at = at.operand(0);
  return at;
}

// Goes one step back from part `path` of the result of `id` to its source, according to the flow of the opcode: to the
// operand or to the root of the called computation. Returns false and changes nothing unless there is exactly one
// source. It returns false at an opaque instruction, a parameter, a loop, a conditional, and a whole tuple.
bool step_back(const Module& module, InstructionId& id, Path& path);

// Returns the operand that `caller` passes to parameter `number` of `called`; invalid if it passes none.
InstructionId argument(InstructionView caller, ComputationId called, std::int64_t number);

// A walk back to all possible sources of a value. If an instruction has several sources, the walk visits each: the
// initial state and the body result of a loop, every branch of a conditional, every caller of a parameter.
class ValueWalk {
 public:
  explicit ValueWalk(const Module& module) : module_(module), seen_(module.instruction_limit(), 0) {}

  // Starts a new walk and clears the values of the previous one.
  void begin() {
    pending_.clear();
    seen_parts_.clear();
    ++walk_;
  }

  // Schedules a visit of part `path` of the result of `id`, unless it was already visited.
  void add(InstructionId id, Path path);

  // Visits the added values and their sources, at most `most` values. `callers(computation)` returns the instructions
  // that call it; `visit(instruction)` returns a Go.
  template <typename Callers, typename Visit>
  void back(int most, Callers callers, Visit visit) {
    for (int visits = 0; !pending_.empty() && visits < most; ++visits) {
      const Place place = std::move(pending_.back());
      pending_.pop_back();
      const InstructionView instruction = module_.instruction(place.id);
      switch (visit(instruction)) {
        case Go::kStop: break;
        case Go::kEnd: return;
        case Go::kOperands:
          for (InstructionId operand : instruction.operand_ids()) add(operand, {});
          break;
        case Go::kOn:
          if (flow(instruction.opcode()) == Flow::kParameter) {
            for (InstructionId caller : callers(instruction.computation().id())) {
              add_argument(instruction, module_.instruction(caller), place.path);
            }
          } else {
            add_sources(instruction, place.path);
          }
      }
    }
  }

  // Calls `take(id, path)` for each value that is scheduled and not yet visited, and unschedules all. After back(1,
  // ...) on one value, these are its sources.
  template <typename Take>
  void take_pending(Take take) {
    const std::vector<Place> places = std::exchange(pending_, {});
    for (const Place& place : places) take(place.id, place.path);
  }

 private:
  struct Place {
    InstructionId id;
    Path path;
  };

  void add_sources(InstructionView instruction, const Path& path);
  void add_argument(InstructionView parameter, InstructionView caller, const Path& path);
  void add_roots(InstructionView caller, const Path& path);

  const Module& module_;
  std::vector<Place> pending_;
  std::vector<std::uint32_t> seen_;  // by InstructionId: the last walk that visited the whole value
  std::uint32_t walk_ = 1;
  absl::flat_hash_set<std::pair<std::uint32_t, Path>> seen_parts_;
};

// Returns the parameters that receive `operand` in the computation that `user` wraps. Empty if it wraps none.
std::vector<InstructionId> parameters_taking(InstructionView user, InstructionId operand);

// Walks forward from the result of `from`. `users(id)` returns the instructions that have an operand `id`. `visit(user,
// operand)` returns a Go: kOn continues with the result of the user, or for a fusion with the parameters inside it.
// Returns false if a visit ended the walk or if there are more than `most` values.
template <typename Users, typename Visit>
bool walk_uses(const Module& module, InstructionId from, std::size_t most, Users users, Visit visit) {
  std::vector<InstructionId> values = {from};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values.size() > most) return false;
    const InstructionId value = values[i];
    for (InstructionId id : users(value)) {
      const InstructionView user = module.instruction(id);
      const Go go = visit(user, value);
      if (go == Go::kEnd) return false;
      if (go == Go::kStop) continue;
      if (flow(user.opcode()) == Flow::kFuses) {
        for (InstructionId parameter : parameters_taking(user, value)) values.push_back(parameter);
      } else {
        values.push_back(id);
      }
    }
  }
  return true;
}

}  // namespace hloroof::internal::inline ir

#endif  // HLOROOF_LIB_IR_VALUE_WALK_H_
