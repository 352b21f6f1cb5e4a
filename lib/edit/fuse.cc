// Moves instructions into a new computation, and back.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lib/base/strings.h"
#include "lib/edit/editor.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/text/legal_name.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline edit {

namespace {

// Returns true if the text has the computation of a fusion or call.
bool has_body(InstructionView instruction) {
  const AttributeKey key = instruction.opcode() == Opcode::kCall ? AttributeKey::kToApply : AttributeKey::kCalls;
  if (instruction.opcode() != Opcode::kFusion && instruction.opcode() != Opcode::kCall) return false;
  const auto called = instruction.computations(key);
  return called.size() == 1 && !called[0].is_missing() && row_of(called[0]).root.valid();
}

ComputationView body_of(InstructionView instruction) {
  return instruction.computations(instruction.opcode() == Opcode::kCall ? AttributeKey::kToApply
                                                                        : AttributeKey::kCalls)[0];
}

}  // namespace

// Copies an instruction into `computation`, before `before` or at the end.
InstructionId Editor::copy(InstructionId from, ComputationId computation, InstructionId before,
                           const std::vector<InstructionId>& operands) {
  InstructionData row = row_of(module_, from);
  std::vector<AttributeData> attributes = spelled_attributes(row);
  // Control edges connect instructions of one computation, so the copy drops them.
  attributes.erase(std::remove_if(attributes.begin(), attributes.end(),
                                  [](const AttributeData& a) { return a.key == AttributeKey::kControlPredecessors; }),
                   attributes.end());
  row.name = unique_name(computation, spelled_name(module_.text(row.name)));
  row.flags &= static_cast<std::uint8_t>(~InstructionData::kCompactTupleAccess);
  row.computation = computation;
  const InstructionId made = add_row(row, operands, std::move(attributes), before);
  copy_wrapped(made);
  return made;
}

// Copies the instructions of a computation except its parameters, which `arguments` replace. Returns the copies by the
// index of the original, including the arguments.
std::unordered_map<std::uint32_t, InstructionId> Editor::copy_body(ComputationId from, ComputationId to,
                                                                   InstructionId before,
                                                                   const std::vector<InstructionId>& arguments) {
  std::unordered_map<std::uint32_t, InstructionId> made;
  for (InstructionId at = row_of(module_, from).first; at.valid(); at = row_of(module_, at).next) {
    const InstructionData& row = row_of(module_, at);
    if (row.opcode == Opcode::kParameter) {
      made[at.index] = arguments[row.number];
      continue;
    }
    std::vector<InstructionId> operands(ModuleRows::operands(module_, row).begin(),
                                        ModuleRows::operands(module_, row).end());
    for (InstructionId& operand : operands) operand = made[operand.index];
    made[at.index] = copy(at, to, before, operands);
  }
  return made;
}

absl::StatusOr<InstructionId> Editor::fuse(const std::vector<InstructionId>& instructions, std::string_view kind) {
  NewAttribute of_kind;
  of_kind.key = AttributeKey::kKind;
  of_kind.value = std::string(kind);
  if (absl::Status status = check_attribute(Opcode::kFusion, of_kind); !status.ok()) return status;
  return move_out(instructions, Opcode::kFusion, "fused_computation", {of_kind});
}

absl::StatusOr<InstructionId> Editor::outline(const std::vector<InstructionId>& instructions, std::string_view name) {
  if (!is_name(name)) return invalid_argument("'" + std::string(name) + "' is not a legal name of a computation");
  return move_out(instructions, Opcode::kCall, name, {});
}

// Checks that the computation that `id` calls can replace `id`. It must be in the text, have a parameter of the right
// shape for each operand, and have a root of the shape of `id`.
absl::Status Editor::check_inlinable(InstructionId id) const {
  const InstructionView instruction = module_.instruction(id);
  const std::string name(instruction.name());
  if (!has_body(instruction)) {
    return invalid_argument(name + " is not a fusion or call of a computation that is in the text");
  }
  const ComputationView body = body_of(instruction);
  const std::string called(body.name());
  if (body.id() == row_of(instruction).computation) return invalid_argument(name + " calls its own computation");
  std::vector<bool> is_taken(instruction.operand_count(), false);
  std::size_t parameters = 0;
  for (InstructionView parameter : body.instructions()) {
    if (parameter.opcode() != Opcode::kParameter) continue;
    ++parameters;
    const std::size_t number = row_of(parameter).number;
    if (number >= is_taken.size() || is_taken[number]) continue;
    is_taken[number] = true;
    const ShapeId operand = row_of(module_, instruction.operand_ids()[number]).shape;
    if (!compatible(module_.shapes(), parameter.shape_id(), module_.shapes(), operand)) {
      return invalid_argument("operand " + std::to_string(number) + " of " + name + " has another shape than " +
                              std::string(parameter.name()) + " of " + called);
    }
  }
  const bool all_taken = std::find(is_taken.begin(), is_taken.end(), false) == is_taken.end();
  if (parameters != is_taken.size() || !all_taken) {
    return invalid_argument(name + " has " + std::to_string(is_taken.size()) + " operands, but " + called + " takes " +
                            std::to_string(parameters) + " parameters, or not one for each of them");
  }
  if (!compatible(module_.shapes(), shape_inlined(id, row_of(body).root), module_.shapes(), instruction.shape_id())) {
    return invalid_argument(name + " has another shape than the root of " + called);
  }
  return absl::OkStatus();
}

// Returns the shape of the instruction that replaces `inner`, an instruction of the computation that `id` calls.
ShapeId Editor::shape_inlined(InstructionId id, InstructionId inner) const {
  const InstructionData& row = row_of(module_, inner);
  if (row.opcode != Opcode::kParameter) return row.shape;
  return row_of(module_, module_.instruction(id).operand_ids()[row.number]).shape;
}

// The plan for moving instructions into a new computation.
struct Editor::MovePlan {
  std::vector<InstructionId> members;  // in program order
  std::unordered_set<std::uint32_t> inside;
  std::vector<InstructionId> later;      // between the members and dependent on one; to move after them
  std::vector<InstructionId> arguments;  // operands of members from outside
  std::vector<InstructionId> results;    // members with users outside
};

absl::StatusOr<InstructionId> Editor::move_out(const std::vector<InstructionId>& instructions, Opcode opcode,
                                               std::string_view stem, std::vector<NewAttribute> attributes) {
  const absl::StatusOr<MovePlan> plan = plan_move(instructions, opcode);
  if (!plan.ok()) return plan.status();
  return commit_move(*plan, opcode, stem, std::move(attributes));
}

absl::StatusOr<Editor::MovePlan> Editor::plan_move(const std::vector<InstructionId>& instructions,
                                                   Opcode opcode) const {
  if (instructions.empty()) return invalid_argument("there is nothing to fuse or outline");
  for (InstructionId id : instructions) {
    if (absl::Status status = check_alive(id); !status.ok()) return status;
    const InstructionView instruction = module_.instruction(id);
    const std::string name(instruction.name());
    if (instruction.opcode() == Opcode::kParameter) return invalid_argument(name + " is a parameter");
    if (row_of(instruction).computation != row_of(module_, instructions[0]).computation) {
      return invalid_argument(name + " is of another computation");
    }
    if (opcode != Opcode::kFusion || instruction.opcode() != Opcode::kFusion) continue;
    if (absl::Status status = check_inlinable(id); !status.ok()) return status;
  }
  MovePlan plan;
  plan.members = instructions;
  std::sort(plan.members.begin(), plan.members.end(),
            [&](InstructionId a, InstructionId b) { return is_before(a, b); });
  plan.members.erase(std::unique(plan.members.begin(), plan.members.end()), plan.members.end());
  for (InstructionId id : plan.members) plan.inside.insert(id.index);
  if (absl::Status status = find_later(plan); !status.ok()) return status;
  for (InstructionId id : plan.members) {
    for (InstructionId operand : module_.instruction(id).operand_ids()) {
      if (plan.inside.count(operand.index) != 0) continue;
      const bool is_new = std::find(plan.arguments.begin(), plan.arguments.end(), operand) == plan.arguments.end();
      if (is_new) plan.arguments.push_back(operand);
    }
    const std::vector<InstructionId>& uses = users_[id.index];
    const bool used =
        std::any_of(uses.begin(), uses.end(), [&](InstructionId user) { return plan.inside.count(user.index) == 0; });
    if (used || module_.instruction(id).is_root()) plan.results.push_back(id);
  }
  if (plan.results.empty()) plan.results.push_back(plan.members.back());
  return plan;
}

// Fills in plan.later. Errors: InvalidArgument if a member depends on an instruction in it.
absl::Status Editor::find_later(MovePlan& plan) const {
  std::unordered_set<std::uint32_t> depends;
  for (InstructionId at = plan.members.front(); at != plan.members.back(); at = row_of(module_, at).next) {
    const InstructionId next = row_of(module_, at).next;
    const InstructionView instruction = module_.instruction(next);
    std::vector<InstructionId> needs(instruction.operand_ids().begin(), instruction.operand_ids().end());
    for (InstructionView predecessor : instruction.control_predecessors()) needs.push_back(predecessor.id());
    const auto on_way =
        std::find_if(needs.begin(), needs.end(), [&](InstructionId n) { return depends.count(n.index); });
    if (plan.inside.count(next.index) != 0) {
      if (on_way == needs.end()) continue;
      return invalid_argument(std::string(instruction.name()) + " needs the others by way of " +
                              std::string(module_.instruction(*on_way).name()));
    }
    const bool needs_member =
        std::any_of(needs.begin(), needs.end(), [&](InstructionId n) { return plan.inside.count(n.index) != 0; });
    if (on_way == needs.end() && !needs_member) continue;
    depends.insert(next.index);
    plan.later.push_back(next);
  }
  return absl::OkStatus();
}

// Nothing from here on can fail.
InstructionId Editor::commit_move(const MovePlan& plan, Opcode opcode, std::string_view stem,
                                  std::vector<NewAttribute> attributes) {
  const InstructionId last = plan.members.back();
  const ComputationId computation = row_of(module_, last).computation;
  const ComputationId body = move_into_body(plan, opcode, stem);
  NewInstruction caller;
  caller.opcode = opcode;
  caller.operands = plan.arguments;
  caller.attributes = std::move(attributes);
  NewAttribute calls;
  calls.key = opcode == Opcode::kCall ? AttributeKey::kToApply : AttributeKey::kCalls;
  calls.computations = {body};
  caller.attributes.push_back(calls);
  const std::string metadata(module_.instruction(plan.results.back()).text(AttributeKey::kMetadata));
  if (!metadata.empty()) caller.attributes.push_back({AttributeKey::kMetadata, metadata, {}});
  const InstructionId result =
      insert_checked(computation, last, caller, row_of(module_, row_of(module_, body).root).shape);
  // Moves the later instructions after the fusion, in their original order.
  const InstructionId behind = row_of(module_, last).next;
  for (InstructionId id : plan.later) {
    unlink(id);
    link(id, computation, behind);
    note(id, Edit::Kind::kMoved);
  }
  for (std::size_t i = 0; i < plan.results.size(); ++i) {
    InstructionId by = result;
    if (plan.results.size() > 1) {
      NewInstruction element;
      element.opcode = Opcode::kGetTupleElement;
      element.operands = {result};
      element.number = static_cast<std::uint32_t>(i);
      by = insert_checked(computation, last, element,
                          module_.shapes()[row_of(module_, result).shape].elements[element.number]);
    }
    // Excludes the members, which use one another until they are erased.
    std::vector<InstructionId> outside;
    for (InstructionId user : users_[plan.results[i].index]) {
      if (plan.inside.count(user.index) == 0) outside.push_back(user);
    }
    write_uses(plan.results[i], by, outside);
    if (module_.instruction(plan.results[i]).is_root()) write_root(computation, by);
  }
  for (std::size_t i = plan.members.size(); i-- > 0;) take_out(plan.members[i]);
  return result;
}

// Creates a computation before the computation of the members. It has copies of the members and of the computations of
// the fusions among them.
ComputationId Editor::move_into_body(const MovePlan& plan, Opcode opcode, std::string_view stem) {
  const ComputationId body = add_computation(stem, false, row_of(module_, plan.members.back()).computation);
  std::unordered_map<std::uint32_t, InstructionId> made;
  for (InstructionId argument : plan.arguments) {
    NewInstruction parameter;
    parameter.opcode = Opcode::kParameter;
    parameter.number = static_cast<std::uint32_t>(made.size());
    parameter.name = "param_" + std::to_string(made.size());
    made[argument.index] = insert_checked(body, InstructionId(), parameter, row_of(module_, argument).shape);
  }
  for (InstructionId id : plan.members) {
    std::vector<InstructionId> operands;
    for (InstructionId operand : module_.instruction(id).operand_ids()) operands.push_back(made[operand.index]);
    const InstructionView instruction = module_.instruction(id);
    if (opcode == Opcode::kFusion && instruction.opcode() == Opcode::kFusion) {
      const ComputationView inner = body_of(instruction);
      const InstructionId root = row_of(inner).root;
      made[id.index] = copy_body(inner.id(), body, InstructionId(), operands)[root.index];
    } else {
      made[id.index] = copy(id, body, InstructionId(), operands);
    }
  }
  InstructionId root = made[plan.results[0].index];
  if (plan.results.size() > 1) {
    NewInstruction tuple;
    tuple.opcode = Opcode::kTuple;
    Shape of_tuple;
    of_tuple.element_type = ElementType::kTuple;
    for (InstructionId id : plan.results) {
      tuple.operands.push_back(made[id.index]);
      of_tuple.elements.push_back(row_of(module_, made[id.index]).shape);
    }
    root = insert_checked(body, InstructionId(), tuple, shape(of_tuple));
  }
  write(body).root = root;
  return body;
}

// Checks that the body of `id` can replace it for all get-tuple-element users of its result.
absl::Status Editor::plan_unfuse(InstructionId id) const {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  if (absl::Status status = check_inlinable(id); !status.ok()) return status;
  const ComputationView body = body_of(module_.instruction(id));
  if (body.root().opcode() != Opcode::kTuple) return absl::OkStatus();
  for (InstructionId user : users_[id.index]) {
    const InstructionData& row = row_of(module_, user);
    if (row.opcode != Opcode::kGetTupleElement) continue;
    const ShapeId element = shape_inlined(id, body.root().operand_ids()[row.number]);
    if (compatible(module_.shapes(), element, module_.shapes(), row.shape)) continue;
    return invalid_argument(std::string(module_.instruction(user).name()) + " has another shape than element " +
                            std::to_string(row.number) + " of " + std::string(body.name()));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<InstructionId>> Editor::unfuse(InstructionId id) {
  if (absl::Status status = plan_unfuse(id); !status.ok()) return status;
  // Nothing from here on can fail.
  const InstructionView instruction = module_.instruction(id);
  const ComputationId computation = row_of(instruction).computation;
  const std::vector<InstructionId> operands(instruction.operand_ids().begin(), instruction.operand_ids().end());
  const InstructionId body_root = row_of(body_of(instruction)).root;
  const ComputationId body = body_of(instruction).id();
  std::unordered_map<std::uint32_t, InstructionId> made = copy_body(body, computation, id, operands);
  const InstructionId root = made[body_root.index];
  std::vector<InstructionId> result;
  for (InstructionId at = row_of(module_, body).first; at.valid(); at = row_of(module_, at).next) {
    if (row_of(module_, at).opcode != Opcode::kParameter) result.push_back(made[at.index]);
  }
  const auto replace = [&](InstructionId old, InstructionId by) {
    const std::vector<InstructionId> users = users_[old.index];
    write_uses(old, by, users);
    if (module_.instruction(old).is_root()) write_root(computation, by);
    take_out(old);
  };
  // Replaces each get-tuple-element by the instruction that computes the element.
  if (row_of(module_, body_root).opcode == Opcode::kTuple) {
    const std::vector<InstructionId> users = users_[id.index];
    for (InstructionId user : users) {
      const InstructionData& row = row_of(module_, user);
      if (row.opcode == Opcode::kGetTupleElement)
        replace(user, ModuleRows::operands(module_, row_of(module_, root))[row.number]);
    }
  }
  replace(id, root);
  const bool is_left_over = row_of(module_, root).opcode == Opcode::kTuple && users_[root.index].empty() &&
                            !module_.instruction(root).is_root() && !result.empty() && result.back() == root;
  if (is_left_over) {
    take_out(root);
    result.pop_back();
  }
  return result;
}

}  // namespace hloroof::internal::inline edit
