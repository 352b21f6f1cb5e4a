// Collectives of several operands: made of single ones, and taken apart.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/edit.h"
#include "lib/base/strings.h"
#include "lib/edit/all_or_nothing.h"
#include "lib/ir/attribute_form.h"

namespace hloroof::inline v0 {
namespace {

using internal::all_or_nothing;
using internal::invalid_argument;

bool is_combinable(Opcode opcode) {
  return opcode == Opcode::kAllReduce || opcode == Opcode::kAllGather || opcode == Opcode::kReduceScatter;
}

// Whether two computations without calls, such as the sums that reduce, compute the same.
bool is_same_body(ComputationView a, ComputationView b) {
  if (a == b) return true;
  if (a.instruction_count() != b.instruction_count()) return false;
  std::vector<std::pair<InstructionId, InstructionId>> pairs;
  const auto is_pair = [&](InstructionId one, InstructionId other) {
    return std::find(pairs.begin(), pairs.end(), std::make_pair(one, other)) != pairs.end();
  };
  auto other = b.instructions().begin();
  for (const InstructionView one : a.instructions()) {
    const InstructionView two = *other;
    ++other;
    const bool is_same_op = one.opcode() == two.opcode() && one.shape_id() == two.shape_id() &&
                            one.operand_count() == two.operand_count() && one.called_computations().empty() &&
                            two.called_computations().empty();
    if (!is_same_op) return false;
    if (one.opcode() == Opcode::kParameter && one.parameter_number() != two.parameter_number()) return false;
    for (std::size_t i = 0; i < one.operand_count(); ++i) {
      if (!is_pair(one.operand_ids()[i], two.operand_ids()[i])) return false;
    }
    for (const InstructionView of : {one, two}) {
      const InstructionView from = of == one ? two : one;
      for (const AttributeData& attribute : of.attributes()) {
        if (attribute.key != AttributeKey::kMetadata && of.text(attribute.key) != from.text(attribute.key))
          return false;
      }
    }
    pairs.emplace_back(one.id(), two.id());
  }
  return is_pair(a.root().id(), b.root().id());
}

// The attribute of `a` that `b` does not have alike; empty if there is none.
std::string missing_alike(InstructionView a, InstructionView b) {
  for (const AttributeData& attribute : a.attributes()) {
    const AttributeKey key = attribute.key;
    if (key == AttributeKey::kMetadata || key == AttributeKey::kBackendConfig) continue;
    bool is_alike = b.has(key);
    if (is_alike && internal::names_computations(key)) {
      const auto of_a = a.computations(key);
      const auto of_b = b.computations(key);
      is_alike = of_a.size() == of_b.size();
      for (std::size_t i = 0; is_alike && i < of_a.size(); ++i) is_alike = is_same_body(of_a[i], of_b[i]);
    } else if (is_alike && key != AttributeKey::kChannelId) {
      is_alike = a.text(key) == b.text(key);
    }
    if (!is_alike) return key == AttributeKey::kUnknown ? "an attribute" : std::string(to_string(key));
  }
  return "";
}

absl::Status check_combinable(const ModuleEditor& edit, InstructionId id) {
  if (!edit.is_alive(id)) return invalid_argument("there is no such instruction");
  const InstructionView at = edit.module().instruction(id);
  const std::string name(at.name());
  if (!is_combinable(at.opcode())) {
    return invalid_argument(name + " is " + std::string(at.opcode_text()) +
                            "; only all-reduces, all-gathers and reduce-scatters can be combined");
  }
  if (internal::has_control_edges(at)) {
    return absl::UnimplementedError(name + " has control edges, which would be lost");
  }
  return absl::OkStatus();
}

absl::Status check_alike(InstructionView first, InstructionView other) {
  const std::string pair = std::string(first.name()) + " and " + std::string(other.name());
  if (first.computation() != other.computation()) return invalid_argument(pair + " are in different computations");
  if (first.opcode() != other.opcode()) return invalid_argument(pair + " are different collectives");
  std::string differing = missing_alike(first, other);
  if (differing.empty()) differing = missing_alike(other, first);
  return differing.empty() ? absl::OkStatus() : invalid_argument(pair + " differ in " + differing);
}

// The first of `places` and of the uses of `ids`.
InstructionId first_place(const ModuleEditor& edit, InstructionId place, const std::vector<InstructionId>& ids) {
  for (const InstructionId id : ids) {
    for (const InstructionId user : edit.users(id)) {
      if (edit.position(user) < edit.position(place)) place = user;
    }
  }
  return place;
}

absl::StatusOr<InstructionId> insert_element(ModuleEditor& edit, InstructionId before, InstructionId tuple,
                                             std::size_t index) {
  NewInstruction element;
  element.opcode = Opcode::kGetTupleElement;
  element.operands = {tuple};
  element.number = static_cast<std::uint32_t>(index);
  return edit.insert_before(before, element);
}

absl::Status replace(ModuleEditor& edit, InstructionId old, InstructionId by) {
  if (absl::Status status = edit.replace_all_uses(old, by); !status.ok()) return status;
  return edit.erase(old);
}

}  // namespace

absl::StatusOr<InstructionId> combine_collectives(ModuleEditor& edit, const std::vector<InstructionId>& ids) {
  if (ids.size() < 2) return invalid_argument("only two or more collectives can be combined");
  std::vector<InstructionId> sorted = ids;
  CloneChanges changes;
  Shape tuple;
  tuple.element_type = ElementType::kTuple;
  for (const InstructionId id : ids) {
    if (absl::Status status = check_combinable(edit, id); !status.ok()) return status;
  }
  std::sort(sorted.begin(), sorted.end(),
            [&](InstructionId a, InstructionId b) { return edit.position(a) < edit.position(b); });
  for (const InstructionId id : sorted) {
    const InstructionView at = edit.module().instruction(id);
    if (at.shape().is_tuple() || at.operand_count() != 1) {
      return absl::UnimplementedError(std::string(at.name()) + " has several results; uncombine it first");
    }
    if (!tuple.elements.empty() && id == sorted[tuple.elements.size() - 1]) {
      return invalid_argument(std::string(at.name()) + " is named twice");
    }
    const absl::Status alike = check_alike(edit.module().instruction(sorted.front()), at);
    if (!alike.ok()) return alike;
    tuple.elements.push_back(at.shape_id());
    changes.operands.push_back(at.operand_ids()[0]);
  }
  changes.shape_id = edit.shape(tuple);
  changes.before = first_place(edit, sorted.back(), sorted);
  InstructionId made;
  const absl::Status status = all_or_nothing(edit, [&]() -> absl::Status {
    const absl::StatusOr<InstructionId> combined = edit.clone(sorted.front(), changes);
    if (!combined.ok()) return combined.status();
    made = *combined;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const absl::StatusOr<InstructionId> element = insert_element(edit, changes.before, made, i);
      if (!element.ok()) return element.status();
      // The place may be one of those that are erased, which is the last.
      if (absl::Status replaced = replace(edit, sorted[i], *element); !replaced.ok()) return replaced;
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return made;
}

absl::StatusOr<std::vector<InstructionId>> uncombine_collective(ModuleEditor& edit, InstructionId id) {
  if (absl::Status status = check_combinable(edit, id); !status.ok()) return status;
  const InstructionView whole = edit.module().instruction(id);
  const std::string name(whole.name());
  const std::vector<ShapeId> shapes = whole.shape().elements;
  const std::vector<InstructionId> operands(whole.operand_ids().begin(), whole.operand_ids().end());
  if (!whole.shape().is_tuple() || shapes.size() != operands.size()) {
    return invalid_argument(name + " has a single result");
  }
  const bool has_channel = whole.has(AttributeKey::kChannelId);
  std::vector<InstructionId> elements;
  for (const InstructionId user : edit.users(id)) {
    const InstructionView at = edit.module().instruction(user);
    if (at.opcode() != Opcode::kGetTupleElement) continue;
    if (internal::has_control_edges(at)) {
      return absl::UnimplementedError(std::string(at.name()) + " has control edges, which would be lost");
    }
    elements.push_back(user);
  }
  std::vector<InstructionId> made;
  const absl::Status status = all_or_nothing(edit, [&]() -> absl::Status {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      CloneChanges changes;
      changes.operands = {operands[i]};
      changes.shape_id = shapes[i];
      changes.before = id;
      if (has_channel && i > 0) {
        const absl::StatusOr<std::int64_t> channel = next_channel_id(edit.module());
        if (!channel.ok()) return channel.status();
        changes.attributes.push_back({AttributeKey::kChannelId, std::to_string(*channel), {}});
      }
      const absl::StatusOr<InstructionId> single = edit.clone(id, changes);
      if (!single.ok()) return single.status();
      made.push_back(*single);
    }
    for (const InstructionId element : elements) {
      const auto index = static_cast<std::size_t>(edit.module().instruction(element).tuple_index());
      if (absl::Status replaced = replace(edit, element, made[index]); !replaced.ok()) return replaced;
    }
    if (edit.users(id).empty() && !edit.module().instruction(id).is_root()) return edit.erase(id);
    NewInstruction all;
    all.opcode = Opcode::kTuple;
    all.operands = made;
    const absl::StatusOr<InstructionId> tuple = edit.insert_before(id, all);
    return tuple.ok() ? replace(edit, id, *tuple) : tuple.status();
  });
  if (!status.ok()) return status;
  return made;
}

}  // namespace hloroof::inline v0
