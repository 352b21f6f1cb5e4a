// Moving instructions into a computation of their own, and back.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "hloroof/edit.h"
#include "lib/base/strings.h"
#include "lib/ir/module_builder.h"

namespace hloroof::inline v0 {
namespace {

bool is_inlinable(InstructionView instruction) {
  const AttributeKey key = instruction.opcode() == Opcode::kCall ? AttributeKey::kToApply : AttributeKey::kCalls;
  if (instruction.opcode() != Opcode::kFusion && instruction.opcode() != Opcode::kCall) return false;
  const auto called = instruction.computations(key);
  return called.size() == 1 && !called[0].is_missing() && called[0].data().root.valid();
}

ComputationView inlined(InstructionView instruction) {
  return instruction.computations(instruction.opcode() == Opcode::kCall ? AttributeKey::kToApply
                                                                        : AttributeKey::kCalls)[0];
}

}  // namespace

// A copy of an instruction, in `computation` before `before` or at its end.
InstructionId ModuleEditor::copy(InstructionId from, ComputationId computation, InstructionId before,
                                 const std::vector<InstructionId>& operands) {
  InstructionData row = module_.data(from);
  std::vector<AttributeData> attributes(module_.attributes(row).begin(), module_.attributes(row).end());
  // Control edges are within a computation.
  attributes.erase(std::remove_if(attributes.begin(), attributes.end(),
                                  [](const AttributeData& a) { return a.key == AttributeKey::kControlPredecessors; }),
                   attributes.end());
  row.name = unique_name(computation, module_.text(row.name));
  row.flags &= static_cast<std::uint8_t>(~InstructionData::kCompactTupleAccess);
  row.computation = computation;
  return add_row(row, operands, std::move(attributes), before);
}

// Copies what a computation holds, its parameters excepted, which are `arguments`. Returns the copies by the index of
// the original, the arguments included.
std::unordered_map<std::uint32_t, InstructionId> ModuleEditor::copy_body(ComputationId from, ComputationId to,
                                                                         InstructionId before,
                                                                         const std::vector<InstructionId>& arguments) {
  std::unordered_map<std::uint32_t, InstructionId> made;
  for (InstructionId at = module_.data(from).first; at.valid(); at = module_.data(at).next) {
    const InstructionData& row = module_.data(at);
    if (row.opcode == Opcode::kParameter) {
      made[at.index] = arguments[row.number];
      continue;
    }
    std::vector<InstructionId> operands(module_.operands(row).begin(), module_.operands(row).end());
    for (InstructionId& operand : operands) operand = made[operand.index];
    made[at.index] = copy(at, to, before, operands);
  }
  return made;
}

absl::StatusOr<InstructionId> ModuleEditor::fuse(const std::vector<InstructionId>& instructions,
                                                 std::string_view kind) {
  NewAttribute of_kind;
  of_kind.key = AttributeKey::kKind;
  of_kind.value = std::string(kind);
  if (absl::Status status = check_attribute(Opcode::kFusion, of_kind); !status.ok()) return status;
  return move_out(instructions, Opcode::kFusion, "fused_computation", {of_kind});
}

absl::StatusOr<InstructionId> ModuleEditor::outline(const std::vector<InstructionId>& instructions,
                                                    std::string_view name) {
  return move_out(instructions, Opcode::kCall, name, {});
}

absl::StatusOr<InstructionId> ModuleEditor::move_out(const std::vector<InstructionId>& instructions, Opcode opcode,
                                                     std::string_view stem, std::vector<NewAttribute> attributes) {
  if (instructions.empty()) return invalid_argument("there is nothing to fuse or outline");
  for (InstructionId id : instructions) {
    if (absl::Status status = check_alive(id); !status.ok()) return status;
    const InstructionView instruction = module_.instruction(id);
    const std::string name(instruction.name());
    if (instruction.opcode() == Opcode::kParameter) return invalid_argument(name + " is a parameter");
    if (instruction.data().computation != module_.data(instructions[0]).computation) {
      return invalid_argument(name + " is of another computation");
    }
    const bool whole = instruction.opcode() != Opcode::kFusion || is_inlinable(instruction);
    if (opcode == Opcode::kFusion && !whole) return invalid_argument("what " + name + " does is not in the text");
  }
  std::vector<InstructionId> members = instructions;
  std::sort(members.begin(), members.end(), [&](InstructionId a, InstructionId b) { return is_before(a, b); });
  members.erase(std::unique(members.begin(), members.end()), members.end());
  std::unordered_set<std::uint32_t> inside;
  for (InstructionId id : members) inside.insert(id.index);

  // What stands between the members and needs one of them has to come after all of them.
  std::vector<InstructionId> later;
  std::unordered_set<std::uint32_t> depends;
  for (InstructionId at = members.front(); at != members.back(); at = module_.data(at).next) {
    const InstructionId next = module_.data(at).next;
    const InstructionView instruction = module_.instruction(next);
    std::vector<InstructionId> needs(instruction.operand_ids().begin(), instruction.operand_ids().end());
    for (InstructionView predecessor : instruction.control_predecessors()) needs.push_back(predecessor.id());
    const auto on_way =
        std::find_if(needs.begin(), needs.end(), [&](InstructionId n) { return depends.count(n.index); });
    if (inside.count(next.index) != 0) {
      if (on_way == needs.end()) continue;
      return invalid_argument(std::string(instruction.name()) + " needs the others by way of " +
                              std::string(module_.instruction(*on_way).name()));
    }
    const bool needs_member =
        std::any_of(needs.begin(), needs.end(), [&](InstructionId n) { return inside.count(n.index) != 0; });
    if (on_way == needs.end() && !needs_member) continue;
    depends.insert(next.index);
    later.push_back(next);
  }

  std::vector<InstructionId> arguments;
  std::vector<InstructionId> results;
  for (InstructionId id : members) {
    for (InstructionId operand : module_.instruction(id).operand_ids()) {
      if (inside.count(operand.index) != 0) continue;
      if (std::find(arguments.begin(), arguments.end(), operand) == arguments.end()) arguments.push_back(operand);
    }
    const std::vector<InstructionId>& uses = users_[id.index];
    const bool used =
        std::any_of(uses.begin(), uses.end(), [&](InstructionId user) { return inside.count(user.index) == 0; });
    if (used || module_.instruction(id).is_root()) results.push_back(id);
  }
  if (results.empty()) results.push_back(members.back());

  const ComputationId computation = module_.data(members.back()).computation;
  const ComputationId body = add_computation(stem, false, computation);
  std::unordered_map<std::uint32_t, InstructionId> made;
  for (InstructionId argument : arguments) {
    NewInstruction parameter;
    parameter.opcode = Opcode::kParameter;
    parameter.number = static_cast<std::uint32_t>(made.size());
    parameter.shape_id = module_.data(argument).shape;
    parameter.name = "param_" + std::to_string(made.size());
    const absl::StatusOr<InstructionId> id = append(body, parameter);
    if (!id.ok()) return id.status();
    made[argument.index] = *id;
  }
  for (InstructionId id : members) {
    std::vector<InstructionId> operands;
    for (InstructionId operand : module_.instruction(id).operand_ids()) operands.push_back(made[operand.index]);
    const InstructionView instruction = module_.instruction(id);
    if (opcode == Opcode::kFusion && instruction.opcode() == Opcode::kFusion) {
      const ComputationView inner = inlined(instruction);
      const InstructionId root = inner.data().root;
      made[id.index] = copy_body(inner.id(), body, InstructionId(), operands)[root.index];
    } else {
      made[id.index] = copy(id, body, InstructionId(), operands);
    }
  }
  InstructionId root = made[results[0].index];
  if (results.size() > 1) {
    NewInstruction tuple;
    tuple.opcode = Opcode::kTuple;
    for (InstructionId id : results) tuple.operands.push_back(made[id.index]);
    const absl::StatusOr<InstructionId> id = append(body, tuple);
    if (!id.ok()) return id.status();
    root = *id;
  }
  ModuleBuilder(module_).computations()[body.index].root = root;

  NewInstruction caller;
  caller.opcode = opcode;
  caller.operands = arguments;
  caller.shape_id = module_.data(root).shape;
  caller.attributes = std::move(attributes);
  NewAttribute calls;
  calls.key = opcode == Opcode::kCall ? AttributeKey::kToApply : AttributeKey::kCalls;
  calls.computations = {body};
  caller.attributes.push_back(calls);
  const std::string metadata(module_.instruction(results.back()).text(AttributeKey::kMetadata));
  if (!metadata.empty()) caller.attributes.push_back({AttributeKey::kMetadata, metadata, {}});
  const absl::StatusOr<InstructionId> result = insert_before(members.back(), caller);
  if (!result.ok()) return result.status();
  // Behind the fusion, in the order they had.
  const InstructionId behind = module_.data(members.back()).next;
  for (InstructionId id : later) {
    unlink(id);
    link(id, computation, behind);
    note(id, Edit::Kind::kMoved);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    InstructionId by = *result;
    if (results.size() > 1) {
      NewInstruction element;
      element.opcode = Opcode::kGetTupleElement;
      element.operands = {*result};
      element.number = static_cast<std::uint32_t>(i);
      const absl::StatusOr<InstructionId> id = insert_before(members.back(), element);
      if (!id.ok()) return id.status();
      by = *id;
    }
    // The members use one another until they are erased.
    std::vector<InstructionId> outside;
    for (InstructionId user : users_[results[i].index]) {
      if (inside.count(user.index) == 0) outside.push_back(user);
    }
    if (absl::Status status = replace_uses(results[i], by, outside); !status.ok()) return status;
    if (!module_.instruction(results[i]).is_root()) continue;
    if (absl::Status status = set_root(computation, by); !status.ok()) return status;
  }
  for (std::size_t i = members.size(); i-- > 0;) {
    if (absl::Status status = erase(members[i]); !status.ok()) return status;
  }
  return *result;
}

absl::StatusOr<std::vector<InstructionId>> ModuleEditor::unfuse(InstructionId id) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  const InstructionView instruction = module_.instruction(id);
  const std::string name(instruction.name());
  if (!is_inlinable(instruction)) {
    return invalid_argument(name + " is no fusion or call of a computation that is in the text");
  }
  const ComputationView body = inlined(instruction);
  const std::vector<InstructionId> operands(instruction.operand_ids().begin(), instruction.operand_ids().end());
  const std::vector<InstructionId> parameters = body.parameters();
  if (parameters.size() != operands.size()) {
    return invalid_argument(name + " has other arguments than " + std::string(body.name()) + " takes");
  }
  if (!compatible(module_.shapes(), body.root().shape_id(), module_.shapes(), instruction.shape_id())) {
    return invalid_argument(name + " has another shape than the root of " + std::string(body.name()));
  }
  const InstructionId body_root = body.data().root;
  const ComputationId body_id = body.id();
  std::unordered_map<std::uint32_t, InstructionId> made =
      copy_body(body_id, module_.data(id).computation, id, operands);
  const InstructionId root = made[body_root.index];
  std::vector<InstructionId> result;
  for (InstructionId at = module_.data(body_id).first; at.valid(); at = module_.data(at).next) {
    if (module_.data(at).opcode != Opcode::kParameter) result.push_back(made[at.index]);
  }
  // Elements of a tuple are taken straight from what computes them.
  if (module_.data(root).opcode == Opcode::kTuple) {
    const std::vector<InstructionId> users = users_[id.index];
    for (InstructionId user : users) {
      const InstructionData& row = module_.data(user);
      if (row.opcode != Opcode::kGetTupleElement) continue;
      const InstructionId element = module_.operands(module_.data(root))[row.number];
      if (absl::Status status = replace_all_uses(user, element); !status.ok()) return status;
      if (absl::Status status = erase(user); !status.ok()) return status;
    }
  }
  if (absl::Status status = replace_all_uses(id, root); !status.ok()) return status;
  if (absl::Status status = erase(id); !status.ok()) return status;
  const bool is_left_over = module_.data(root).opcode == Opcode::kTuple && users_[root.index].empty() &&
                            !module_.instruction(root).is_root() && !result.empty() && result.back() == root;
  if (is_left_over) {
    if (absl::Status status = erase(root); !status.ok()) return status;
    result.pop_back();
  }
  return result;
}

}  // namespace hloroof::inline v0
