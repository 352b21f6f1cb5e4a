#include "lib/ir/value_walk.h"

#include <algorithm>

#include "lib/ir/rows.h"

namespace hloroof::internal::inline ir {
namespace {

// Limit for the depth of a path, because a loop can wrap its state in one more tuple in each iteration.
constexpr std::size_t kMaxPath = 64;

// Returns the computation whose root is the result; invalid if there is not exactly one.
ComputationId computation_of_result(InstructionView caller) {
  const bool is_call = flow(caller.opcode()) == Flow::kCalls;
  // An async-start that is written as the instruction it wraps also carries that instruction's to_apply.
  const auto called = caller.computations(is_call ? AttributeKey::kToApply : AttributeKey::kCalls);
  return called.size() == 1 ? called[0].id() : ComputationId();
}

bool to_operand(InstructionView instruction, std::int64_t i, InstructionId& id) {
  if (i < 0 || i >= static_cast<std::int64_t>(instruction.operand_count())) return false;
  id = instruction.operand_ids()[static_cast<std::size_t>(i)];
  return true;
}

bool to_root(InstructionView caller, InstructionId& id) {
  const ComputationId called = computation_of_result(caller);
  if (!called.valid()) return false;
  const InstructionId root = row_of(caller.module(), called).root;
  if (!root.valid()) return false;
  id = root;
  return true;
}

bool drop_first(Path& path) {
  path.erase(path.begin());
  return true;
}

bool prepend(Path& path, std::int64_t element) {
  path.insert(path.begin(), element);
  return true;
}

// Steps back from part of the result of a start: to the operand that this part repeats or copies, or to the result of
// the wrapped computation.
bool step_back_from_start(InstructionView start, InstructionId& id, Path& path) {
  if (path.empty()) return false;
  const bool is_copy = start.opcode() == Opcode::kCopyStart;  // (destination, source, context)
  if (is_copy) return path.front() <= 1 && to_operand(start, 0, id) && drop_first(path);
  if (flow(start.opcode()) != Flow::kAsyncSecond) return false;
  if (path.front() == 1) {
    return start.opcode() == Opcode::kAsyncStart && to_root(start, id) && drop_first(path);
  }
  // The result is (operands, ...): a tuple of the operands, or the operand itself for a collective with one operand.
  if (path.front() != 0) return false;
  const bool has_tuple = start.opcode() == Opcode::kAsyncStart || start.operand_count() > 1;
  if (!has_tuple) return to_operand(start, 0, id) && drop_first(path);
  if (path.size() < 2 || !to_operand(start, path[1], id)) return false;
  path.erase(path.begin(), path.begin() + 2);
  return true;
}

}  // namespace

bool step_back(const Module& module, InstructionId& id, Path& path) {
  const InstructionView at = module.instruction(id);
  switch (flow(at.opcode())) {
    case Flow::kRenames:
    case Flow::kCopies:
    case Flow::kReshapes:
    case Flow::kConverts:
    case Flow::kReorders:
    case Flow::kRepeats:
    case Flow::kSelects: return to_operand(at, 0, id);
    case Flow::kUpdates:  // with several operands the result is a tuple
      return path.empty() ? to_operand(at, 0, id) : to_operand(at, path.front(), id) && drop_first(path);
    case Flow::kPicks: return path.size() < kMaxPath && to_operand(at, 0, id) && prepend(path, at.tuple_index());
    case Flow::kPacks: return !path.empty() && to_operand(at, path.front(), id) && drop_first(path);
    case Flow::kFuses:
    case Flow::kCalls: return to_root(at, id);
    case Flow::kAsyncWhole: return async_role(at.opcode()) == AsyncRole::kDone && to_operand(at, 0, id);
    case Flow::kAsyncFirst:
    case Flow::kAsyncSecond:
      if (async_role(at.opcode()) != AsyncRole::kDone) return step_back_from_start(at, id, path);
      return path.size() < kMaxPath && to_operand(at, 0, id) &&
             prepend(path, static_cast<std::int64_t>(*result_element(at.opcode())));
    default: return false;
  }
}

InstructionId argument(InstructionView caller, ComputationId called, std::int64_t number) {
  InstructionId id;
  switch (flow(caller.opcode())) {
    case Flow::kLoops: to_operand(caller, 0, id); break;
    case Flow::kBranches: {
      const std::vector<ComputationId> branches = caller.called_computations();
      const auto branch = std::find(branches.begin(), branches.end(), called) - branches.begin();
      to_operand(caller, branch + 1, id);
      break;
    }
    default:
      if (flow(caller.opcode()) == Flow::kCalls || wraps_computation(caller.opcode())) to_operand(caller, number, id);
  }
  return id;
}

void ValueWalk::add(InstructionId id, Path path) {
  if (!id.valid()) return;
  if (path.empty()) {
    if (seen_[id.index] == walk_) return;
    seen_[id.index] = walk_;
  } else if (!seen_parts_.insert({id.index, path}).second) {
    return;
  }
  pending_.push_back({id, std::move(path)});
}

// Adds the results of the called computations: the body of a loop, the branches of a conditional.
void ValueWalk::add_roots(InstructionView caller, const Path& path) {
  if (flow(caller.opcode()) == Flow::kBranches) {
    for (ComputationId branch : caller.called_computations()) add(row_of(module_, branch).root, path);
  } else {
    for (ComputationView body : caller.computations(AttributeKey::kBody)) add(row_of(body).root, path);
  }
}

void ValueWalk::add_sources(InstructionView instruction, const Path& path) {
  const Flow f = flow(instruction.opcode());
  if (f == Flow::kLoops) {
    if (instruction.operand_count() > 0) add(instruction.operand_ids()[0], path);
    return add_roots(instruction, path);
  }
  if (f == Flow::kBranches) return add_roots(instruction, path);
  if (f == Flow::kPacks && path.empty()) {
    for (InstructionId operand : instruction.operand_ids()) add(operand, {});
    return;
  }
  InstructionId id = instruction.id();
  Path part = path;
  if (step_back(module_, id, part)) add(id, std::move(part));
}

void ValueWalk::add_argument(InstructionView parameter, InstructionView caller, const Path& path) {
  const ComputationId computation = parameter.computation().id();
  add(argument(caller, computation, parameter.parameter_number()), path);
  if (flow(caller.opcode()) == Flow::kLoops) add_roots(caller, path);
}

std::vector<InstructionId> parameters_taking(InstructionView user, InstructionId operand) {
  std::vector<InstructionId> result;
  const ComputationId called = wraps_computation(user.opcode()) ? computation_of_result(user) : ComputationId();
  if (!called.valid()) return result;
  const std::vector<InstructionId> parameters = user.module().computation(called).parameters();
  for (std::size_t i = 0; i < user.operand_count() && i < parameters.size(); ++i) {
    if (user.operand_ids()[i] == operand && parameters[i].valid()) result.push_back(parameters[i]);
  }
  return result;
}

}  // namespace hloroof::internal::inline ir
