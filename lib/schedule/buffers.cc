#include "lib/schedule/buffers.h"

#include <algorithm>
#include <optional>

#include "lib/analysis/calls.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/value_walk.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline schedule {
namespace {

InstructionView behind_names(InstructionView instruction) {
  return origin(instruction, [](InstructionView i) { return flow(i.opcode()) == Flow::kRenames; });
}

// Returns the number of the parameter that `instruction`, inside a fused or wrapped computation, updates in place or
// forwards, or nullopt if it does neither. Consecutive updates of one array are all in place.
std::optional<std::int64_t> updated_parameter(InstructionView instruction) {
  const InstructionView at = origin(instruction, [](InstructionView i) {
    return flow(i.opcode()) == Flow::kRenames || flow(i.opcode()) == Flow::kUpdates;
  });
  if (flow(at.opcode()) != Flow::kParameter) return std::nullopt;
  return at.parameter_number();
}

}  // namespace

Buffers::Buffers(const Module& module, const CallGraph& calls, std::size_t max_values) : module_(module) {
  base_.assign(module.instruction_limit(), 0);
  count_.assign(module.instruction_limit(), 0);
  std::size_t total = 0;
  for (ComputationId id : CallFacts::scheduled(calls)) {
    for (InstructionView instruction : module.computation(id).instructions()) {
      const std::size_t leaves = module.shapes().leaves(instruction.shape_id()).size();
      base_[instruction.id().index] = static_cast<ValueId>(total);
      count_[instruction.id().index] = static_cast<std::uint32_t>(leaves);
      total += leaves;
      if (total > max_values) {
        complete_ = false;
        return;
      }
    }
  }
  parent_.resize(total);
  for (std::size_t i = 0; i < total; ++i) parent_[i] = static_cast<ValueId>(i);
  for (ComputationId id : CallFacts::scheduled(calls)) {
    for (InstructionView instruction : module.computation(id).instructions()) visit(instruction);
  }
  visit_donations();
}

BufferId Buffers::buffer_of(ValueId value) const {
  while (parent_[value] != value) {
    parent_[value] = parent_[parent_[value]];
    value = parent_[value];
  }
  return value;
}

void Buffers::share(ValueId a, ValueId b) {
  a = buffer_of(a);
  b = buffer_of(b);
  if (a != b) parent_[std::max(a, b)] = std::min(a, b);
}

void Buffers::share(InstructionId a, std::uint32_t a_leaf, InstructionId b, std::uint32_t b_leaf, std::uint32_t count) {
  if (!a.valid() || !b.valid()) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (a_leaf + i >= count_[a.index] || b_leaf + i >= count_[b.index]) return;  // mismatched shapes
    share(base_[a.index] + a_leaf + i, base_[b.index] + b_leaf + i);
  }
}

void Buffers::share_all(InstructionId a, InstructionId b) {
  if (!a.valid() || !b.valid()) return;
  share(a, 0, b, 0, std::min(count_[a.index], count_[b.index]));
}

std::uint32_t Buffers::element_offset(ShapeId tuple, std::size_t element) const {
  auto [it, is_new] = offsets_.try_emplace(tuple.index);
  if (is_new) {
    std::uint32_t at = 0;
    for (ShapeId e : module_.shape(tuple).elements) {
      it->second.push_back(at);
      at += static_cast<std::uint32_t>(module_.shapes().leaves(e).size());
    }
  }
  return element < it->second.size() ? it->second[element] : 0;
}

std::optional<std::uint32_t> Buffers::leaf_at(ShapeId shape, const ShapeIndex& path) const {
  std::uint32_t leaf = 0;
  for (std::int64_t element : path) {
    const Shape& tuple = module_.shape(shape);
    if (!tuple.is_tuple() || element < 0 || static_cast<std::size_t>(element) >= tuple.elements.size())
      return std::nullopt;
    leaf += element_offset(shape, static_cast<std::size_t>(element));
    shape = tuple.elements[static_cast<std::size_t>(element)];
  }
  return leaf;
}

void Buffers::visit(InstructionView instruction) {
  const InstructionId id = instruction.id();
  const std::size_t operands = instruction.operand_count();
  const auto operand = [&](std::size_t i) { return i < operands ? instruction.operand_ids()[i] : InstructionId(); };
  switch (flow(instruction.opcode())) {
    case Flow::kPicks:
      if (operands == 1) {
        const ShapeId tuple = instruction.operand(0).shape_id();
        const auto element = static_cast<std::size_t>(instruction.tuple_index());
        if (module_.shape(tuple).is_tuple() && element < module_.shape(tuple).elements.size()) {
          share(id, 0, operand(0), element_offset(tuple, element), count_[id.index]);
        }
      }
      break;
    case Flow::kPacks:
      for (std::size_t i = 0; i < operands; ++i) {
        share(id, element_offset(instruction.shape_id(), i), operand(i), 0, count_[operand(i).index]);
      }
      break;
    case Flow::kRenames:
      if (instruction.opcode() == Opcode::kAsyncUpdate && operands > 0) {
        visit_update(instruction);
      } else {
        share_all(id, operand(0));
      }
      break;
    case Flow::kUpdates:  // the result is a tuple if several arrays are updated
      for (std::uint32_t i = 0; i < count_[id.index]; ++i) share(id, i, operand(i), 0, 1);
      break;
    case Flow::kLoops:
    case Flow::kBranches:
    case Flow::kCalls: visit_caller(instruction); break;
    case Flow::kFuses:
      visit_stated_aliases(instruction);
      for (ComputationView callee : instruction.computations(AttributeKey::kCalls))
        visit_in_place_root(instruction, callee, 0);
      break;
    case Flow::kAsyncWhole: share_all(id, operand(0)); break;
    case Flow::kAsyncFirst:
    case Flow::kAsyncSecond:
      if (ir::async_role(instruction.opcode()) == AsyncRole::kStart) {
        visit_start(instruction);
      } else if (operands > 0) {
        visit_done(instruction);
      }
      break;
    default:
      if (instruction.opcode() == Opcode::kSend) share(id, 0, operand(0), 0, 1);  // (data, context, token)
      if (instruction.opcode() == Opcode::kCustomCall) visit_stated_aliases(instruction);
  }
}

// The parameters of a called computation share the memory of the arguments, and its root that of the caller's result.
// The state of a loop is parameter, root and result at once.
void Buffers::visit_caller(InstructionView caller) {
  const InstructionId id = caller.id();
  const auto operand = [&](std::size_t i) {
    return i < caller.operand_count() ? caller.operand_ids()[i] : InstructionId();
  };
  const auto bind = [&](ComputationView callee, std::size_t number, InstructionId argument) {
    const std::vector<InstructionId> parameters = callee.parameters();
    if (number < parameters.size()) share_all(parameters[number], argument);
  };
  switch (flow(caller.opcode())) {
    case Flow::kLoops:
      share_all(id, operand(0));
      for (ComputationView body : caller.computations(AttributeKey::kBody)) {
        bind(body, 0, id);
        share_all(row_of(body).root, id);
      }
      for (ComputationView condition : caller.computations(AttributeKey::kCondition)) bind(condition, 0, id);
      break;
    case Flow::kBranches: {
      const std::vector<ComputationId> branches = caller.called_computations();
      for (std::size_t i = 0; i < branches.size(); ++i) {
        const ComputationView branch = module_.computation(branches[i]);
        bind(branch, 0, operand(i + 1));
        share_all(row_of(branch).root, id);
      }
      break;
    }
    default:
      for (ComputationView callee : caller.computations(AttributeKey::kToApply)) {
        const std::vector<InstructionId> parameters = callee.parameters();
        for (std::size_t i = 0; i < parameters.size(); ++i) share_all(parameters[i], operand(i));
        share_all(row_of(callee).root, id);
      }
  }
}

// The result of a start is (operands, result, contexts...). With several operands, the first two elements are tuples. A
// copy-start has its operand as the second element, and a recv has no operand in its result.
void Buffers::visit_start(InstructionView start) {
  const InstructionId id = start.id();
  if (flow(start.opcode()) == Flow::kAsyncFirst) {
    if (start.opcode() == Opcode::kCopyStart) share(id, 1, start.operand_ids()[0], 0, 1);
    return;
  }
  std::uint32_t leaf = 0;
  for (InstructionId operand : start.operand_ids()) {
    const bool in_place_destination = start.opcode() == Opcode::kCollectivePermuteStart && leaf > 0;
    if (in_place_destination) break;
    share(id, leaf, operand, 0, count_[operand.index]);
    leaf += count_[operand.index];
  }
  const auto result = leaf_at(start.shape_id(), {1});
  if (!result) return;
  if (start.opcode() == Opcode::kCollectivePermuteStart && start.operand_count() >= 2) {
    share(id, *result, start.operand_ids()[1], 0, 1);
  }
  for (ComputationId callee : start.called_computations()) {
    if (start.opcode() == Opcode::kAsyncStart) visit_in_place_root(start, module_.computation(callee), *result);
  }
}

// An update returns what the start did. If that has no operands, as of a program on a SparseCore, the update adds them
// as the first element of its result, and states which memory of the start it keeps.
void Buffers::visit_update(InstructionView update) {
  const Shape& start = update.operand(0).shape();
  if (!start.is_tuple() || start.elements.empty() || !module_.shapes().leaves(start.elements[0]).empty()) {
    share_all(update.id(), update.operand_ids()[0]);
    return;
  }
  std::uint32_t leaf = 0;
  for (std::size_t i = 1; i < update.operand_count(); ++i) {
    const InstructionId operand = update.operand_ids()[i];
    share(update.id(), leaf, operand, 0, count_[operand.index]);
    leaf += count_[operand.index];
  }
  visit_stated_aliases(update);
}

// A done returns one element of the result of the start; result_element() says which.
void Buffers::visit_done(InstructionView done) {
  const InstructionView start = done.operand(0);
  const auto element = *result_element(done.opcode());
  const auto leaf = leaf_at(start.shape_id(), {static_cast<std::int64_t>(element)});
  if (!leaf) return;
  const std::size_t leaves = module_.shapes().leaves(start.shape().elements[element]).size();
  const std::uint32_t count = std::min(count_[done.id().index], static_cast<std::uint32_t>(leaves));
  share(done.id(), 0, start.id(), *leaf, count);
}

void Buffers::visit_stated_aliases(InstructionView instruction) {
  if (!instruction.has(AttributeKey::kOutputToOperandAliasing)) return;
  for (const OperandAlias& alias : output_to_operand_aliasing(instruction)) {
    if (alias.operand < 0 || static_cast<std::size_t>(alias.operand) >= instruction.operand_count()) continue;
    const InstructionView operand = instruction.operand(static_cast<std::size_t>(alias.operand));
    const auto output = leaf_at(instruction.shape_id(), alias.output);
    const auto input = leaf_at(operand.shape_id(), alias.operand_index);
    if (output && input) share(instruction.id(), *output, operand.id(), *input, 1);
  }
}

// If the result of a fusion or wrapped computation is an update of one of its parameters, it shares the memory of the
// corresponding operand.
void Buffers::visit_in_place_root(InstructionView caller, ComputationView callee, std::uint32_t first_leaf) {
  if (!row_of(callee).root.valid()) return;
  const InstructionView root = behind_names(callee.root());
  const bool is_tuple = root.opcode() == Opcode::kTuple;
  const std::size_t results = is_tuple ? root.operand_count() : 1;
  for (std::size_t i = 0; i < results; ++i) {
    const auto parameter = updated_parameter(is_tuple ? root.operand(i) : root);
    if (!parameter || static_cast<std::size_t>(*parameter) >= caller.operand_count()) continue;
    const InstructionId operand = caller.operand_ids()[static_cast<std::size_t>(*parameter)];
    if (count_[operand.index] != 1) continue;
    const std::uint32_t leaf = first_leaf + (is_tuple ? element_offset(root.shape_id(), i) : 0);
    if (leaf >= count_[caller.id().index]) continue;
    const ShapeTable& shapes = module_.shapes();
    const ShapeId from = shapes.leaves(caller.operand(static_cast<std::size_t>(*parameter)).shape_id())[0];
    const ShapeId to = shapes.leaves(caller.shape_id())[leaf];
    if (from != to && (memory_space(shapes[from]) != memory_space(shapes[to]) ||
                       padded_bytes(shapes[from]) != padded_bytes(shapes[to]))) {
      continue;
    }
    share(caller.id(), leaf, operand, 0, 1);
  }
}

void Buffers::visit_donations() {
  if (!module_.has_entry() || !row_of(module_.entry()).root.valid()) return;
  const InstructionView root = module_.entry().root();
  const std::vector<InstructionId> parameters = module_.entry().parameters();
  for (const ParameterAlias& alias : input_output_alias(module_)) {
    if (alias.parameter < 0 || static_cast<std::size_t>(alias.parameter) >= parameters.size()) continue;
    const InstructionId parameter = parameters[static_cast<std::size_t>(alias.parameter)];
    if (!parameter.valid()) continue;
    const auto output = leaf_at(root.shape_id(), alias.output);
    const auto input = leaf_at(module_.instruction(parameter).shape_id(), alias.parameter_index);
    if (!output || !input || *output >= count_[root.id().index] || *input >= count_[parameter.index]) continue;
    donated_.emplace_back(base_[root.id().index] + *output, base_[parameter.index] + *input);
    share(donated_.back().first, donated_.back().second);
  }
}

}  // namespace hloroof::internal::inline schedule
