// Edits of an instruction's attributes.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "lib/base/error_place.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/edit/editor.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/rows.h"
#include "lib/values/decode.h"
#include "lib/values/opcode_attributes.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline edit {

// Checks that `opcode` supports the attribute and that the value follows its grammar.
absl::Status Editor::check_attribute(Opcode opcode, const NewAttribute& attribute) {
  const AttributeKey key = attribute.key;
  if (key >= AttributeKey::kConstantLiteral) return invalid_argument("the attribute key has no name in HLO text");
  const std::string name(to_string(key));
  if (!opcode_attributes(opcode).allowed.contains(key)) {
    return invalid_argument(std::string(to_string(opcode)) + " has no attribute " + name +
                            "; it has: " + to_string(opcode_attributes(opcode).allowed));
  }
  if (form(key) == AttributeForm::kInstructionList) return invalid_argument(name + " cannot be set as text");
  if (names_computations(key)) {
    if (!attribute.value.empty() || attribute.computations.empty()) {
      return invalid_argument(name + " takes computations, not text");
    }
    if (form(key) == AttributeForm::kComputation && attribute.computations.size() != 1) {
      return invalid_argument(name + " takes exactly one computation");
    }
    for (ComputationId id : attribute.computations) {
      if (const auto place = place_of(id); !place.ok()) return place.status();
      const ComputationView computation = module_.computation(id);
      if (computation.is_missing() || row_of(computation).root.valid()) continue;
      return invalid_argument(std::string(computation.name()) + " has no instructions");
    }
    return absl::OkStatus();
  }
  if (!attribute.computations.empty()) return invalid_argument(name + " takes text, not computations");
  Cursor cursor(attribute.value);
  ShapeParser shapes;
  shapes.start(&ModuleBuilder(module_).shapes());
  if (!read_value(cursor, opcode, key, &shapes)) {
    const ErrorRecord& error = cursor.errors().front();
    return located_error(name, attribute.value, error.offset, error.message);
  }
  if (cursor.at_end()) return absl::OkStatus();
  return located_error(name, attribute.value, cursor.offset(), "expects the end of the value");
}

// The position of a computation in the module's order.
absl::StatusOr<std::size_t> Editor::place_of(ComputationId computation) const {
  const std::vector<ComputationId>& order = ModuleRows::computation_order(module_);
  const auto at = std::find(order.begin(), order.end(), computation);
  if (!computation.valid() || at == order.end()) return invalid_argument("the computation id is not of this module");
  return static_cast<std::size_t>(at - order.begin());
}

// Replaces the attribute list. A longer list is appended to the table.
void Editor::write_attributes(InstructionId id, std::vector<AttributeData> attributes) {
  ModuleBuilder builder(module_);
  InstructionData& row = write(id);
  const bool fits = attributes.size() <= row.attribute_count && may_overwrite_attributes(row.attribute_begin);
  if (!fits && !attributes.empty()) {
    row.attribute_begin = static_cast<std::uint32_t>(builder.attributes().size());
    builder.attributes().resize(builder.attributes().size() + attributes.size());
  }
  row.attribute_count = static_cast<std::uint16_t>(attributes.size());
  if (attributes.empty()) return;
  std::copy(attributes.begin(), attributes.end(), builder.attributes().begin() + row.attribute_begin);
}

// Replaces one attribute or adds it.
void Editor::write_attribute(InstructionId id, const AttributeData& written) {
  const absl::Span<const AttributeData> span = module_.instruction(id).attributes();
  std::vector<AttributeData> attributes(span.begin(), span.end());
  const auto at = std::find_if(attributes.begin(), attributes.end(),
                               [&](const AttributeData& a) { return a.key == written.key && !is_implied_call(a); });
  if (at != attributes.end()) {
    *at = written;
  } else {
    const bool ends_implied = !attributes.empty() && is_implied_call(attributes.back());
    attributes.insert(attributes.end() - (ends_implied ? 1 : 0), written);
  }
  write_attributes(id, std::move(attributes));
  note(id, Edit::Kind::kAttributes, ShapeId(), written.key);
}

void Editor::take_attribute(InstructionId id, AttributeKey key) {
  const absl::Span<const AttributeData> span = module_.instruction(id).attributes();
  std::vector<AttributeData> attributes(span.begin(), span.end());
  const auto at =
      std::find_if(attributes.begin(), attributes.end(), [&](const AttributeData& a) { return a.key == key; });
  if (at == attributes.end()) return;
  attributes.erase(at);
  write_attributes(id, std::move(attributes));
  note(id, Edit::Kind::kAttributes, ShapeId(), key);
}

absl::Status Editor::set_attribute(InstructionId id, AttributeKey key, std::string_view value) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  const InstructionData& row = row_of(module_, id);
  NewAttribute made;
  made.key = key;
  made.value = std::string(value);
  // A sugared start has the attributes of the wrapped instruction.
  const bool wraps = row.opcode == Opcode::kAsyncStart && (row.flags & InstructionData::kSugaredAsync) != 0;
  value = trimmed(value);
  const absl::Status own = check_attribute(row.opcode, made);
  if (!own.ok() && (!wraps || !check_attribute(static_cast<Opcode>(row.number), made).ok())) return own;

  std::int64_t index = 0;
  const bool is_index = key == AttributeKey::kIndex && row.opcode == Opcode::kGetTupleElement;
  if (is_index) {
    index = decode_text<std::int64_t>(made.value, read_integer).value_or(-1);
    if (index < 0 || index >= std::numeric_limits<std::uint32_t>::max()) {
      return invalid_argument("tuple index is out of range: " + made.value);
    }
    const absl::Span<const InstructionId> span = ModuleRows::operands(module_, row);
    const absl::Status status =
        check_tuples(row.opcode, {span.begin(), span.end()}, row.shape, static_cast<std::uint32_t>(index));
    if (!status.ok()) return status;
  }
  const InstructionView instruction = module_.instruction(id);
  if (instruction.has(key) && instruction.text(key) == value) return absl::OkStatus();
  if (row.attribute_count >= std::numeric_limits<std::uint16_t>::max()) {
    return resource_exhausted("an instruction has at most 65535 attributes");
  }
  spell_out(id);
  AttributeData written;
  written.key = key;
  written.value = text(value);
  write_attribute(id, written);
  if (is_index) write(id).number = static_cast<std::uint32_t>(index);
  if (const InstructionId inner = wrapped_root(id); !inner.valid()) {
    // There is no short form to keep.
  } else if (key != AttributeKey::kAsyncExecutionThread) {
    write_attribute(inner, written);
  } else if (written.value.size >= 2) {  // with its quotes
    write(row_of(module_, inner).computation).execution_thread = {written.value.begin + 1, written.value.size - 2};
  }
  return absl::OkStatus();
}

absl::Status Editor::set_computations(InstructionId id, AttributeKey key,
                                      const std::vector<ComputationId>& computations) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  const InstructionData& row = row_of(module_, id);
  if (!names_computations(key)) return invalid_argument(std::string(to_string(key)) + " takes text, not computations");
  if (computations.size() > std::numeric_limits<std::uint16_t>::max()) {
    return resource_exhausted("an attribute names at most 65535 computations");
  }
  NewAttribute made;
  made.key = key;
  made.computations = computations;
  if (absl::Status status = check_attribute(row.opcode, made); !status.ok()) return status;
  const absl::StatusOr<std::size_t> here = place_of(row.computation);
  if (!here.ok()) return here.status();
  for (ComputationId callee : computations) {
    // A callee must precede its caller; otherwise the call might be recursive.
    if (*place_of(callee) >= *here) {
      return invalid_argument(std::string(module_.computation(callee).name()) + " does not precede its caller " +
                              std::string(module_.computation(row.computation).name()));
    }
  }
  spell_out(id);
  spell_out_start(id);
  ModuleBuilder builder(module_);
  AttributeData written;
  written.key = key;
  written.reference_begin = static_cast<std::uint32_t>(builder.references().size());
  written.reference_count = static_cast<std::uint16_t>(computations.size());
  written.value = text(module_.computation(computations[0]).name());
  for (ComputationId callee : computations) builder.references().push_back(callee.index);
  write_attribute(id, written);
  return absl::OkStatus();
}

absl::Status Editor::remove_attribute(InstructionId id, AttributeKey key) {
  if (absl::Status status = check_alive(id); !status.ok()) return status;
  const InstructionView instruction = module_.instruction(id);
  if (key == AttributeKey::kConstantLiteral || !instruction.has(key)) {
    return not_found(std::string(instruction.name()) + " has no attribute " + std::string(to_string(key)));
  }
  if (opcode_attributes(instruction.opcode()).required.contains(key)) {
    return invalid_argument(std::string(instruction.opcode_text()) + " requires the attribute " +
                            std::string(to_string(key)));
  }
  spell_out(id);
  if (key == AttributeKey::kControlPredecessors) {
    for (InstructionView predecessor : instruction.control_predecessors()) {
      std::vector<InstructionId>& users = write_control_users(predecessor.id());
      users.erase(std::remove(users.begin(), users.end(), id), users.end());
    }
  }
  const InstructionId inner = wrapped_root(id);
  take_attribute(id, key);
  if (!inner.valid()) return absl::OkStatus();
  take_attribute(inner, key);
  if (key == AttributeKey::kAsyncExecutionThread) {
    write(row_of(module_, inner).computation).execution_thread = TextRange();
  }
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline edit
