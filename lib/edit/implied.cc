// What the text of a module only implies: an element %t#0 of a tuple, and the computation around X in X-start. An edit
// of such a part, or one after which the short form would mean something else, spells it out.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "lib/edit/editor.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/rows.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline edit {

namespace {

bool has_flag(const InstructionData& row, InstructionData::Flag flag) { return (row.flags & flag) != 0; }

bool is_synthesized(const ComputationData& row) { return (row.flags & ComputationData::kSynthesized) != 0; }

void clear_flag(InstructionData& row, InstructionData::Flag flag) {
  row.flags = static_cast<std::uint8_t>(row.flags & ~flag);
}

}  // namespace

// Returns t_0 for t#0.
std::string Editor::spelled_name(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    if (!is_word(c)) c = '_';
  }
  return result;
}

// The attributes of an instruction that is spelled out. Only a path implies the index of a get-tuple-element.
std::vector<AttributeData> Editor::spelled_attributes(const InstructionData& row) {
  const absl::Span<const AttributeData> span = ModuleRows::attributes(module_, row);
  std::vector<AttributeData> result(span.begin(), span.end());
  if (!has_flag(row, InstructionData::kCompactTupleAccess)) return result;
  AttributeData index;
  index.key = AttributeKey::kIndex;
  index.value = text(std::to_string(row.number));
  result.insert(result.begin(), index);
  return result;
}

// Makes an ordinary get-tuple-element of %t#0, and of the paths through it, whose names begin with its own.
void Editor::spell_out_element(InstructionId id) {
  std::vector<InstructionId> open = {id};
  while (!open.empty()) {
    const InstructionId at = open.back();
    open.pop_back();
    const InstructionData row = row_of(module_, at);
    if (!has_flag(row, InstructionData::kCompactTupleAccess)) continue;
    const std::string name(module_.text(row.name));
    clear_flag(write(at), InstructionData::kCompactTupleAccess);
    index_names(row.computation);
    free_name(row.computation, name);
    write(at).name = unique_name(row.computation, spelled_name(name));
    write_attributes(at, spelled_attributes(row));
    for (InstructionId user : users(at)) open.push_back(user);
  }
}

void Editor::spell_out_elements_of(InstructionId tuple) {
  const std::vector<InstructionId> all(users(tuple).begin(), users(tuple).end());
  for (InstructionId user : all) spell_out_element(user);
}

// Makes an async-start of X-start, and its computation one of the text.
void Editor::spell_out_start(InstructionId start) {
  const InstructionData row = row_of(module_, start);
  const bool is_short = row.opcode == Opcode::kAsyncStart && has_flag(row, InstructionData::kSugaredAsync);
  const auto called = module_.instruction(start).computations(AttributeKey::kCalls);
  if (!is_short || called.empty()) return;
  const ComputationId wrapped = called[0].id();
  ComputationData& computation = write(wrapped);
  computation.flags =
      static_cast<std::uint8_t>(computation.flags & ~(ComputationData::kSynthesized | ComputationData::kNoSignature));
  std::vector<AttributeData> kept;
  for (AttributeData attribute : ModuleRows::attributes(module_, row)) {
    if (is_implied_call(attribute)) {
      attribute.value = row_of(module_, wrapped).name;
    } else if (attribute.key > AttributeKey::kBackendConfig && attribute.key != AttributeKey::kAsyncExecutionThread) {
      continue;  // of X, which has it
    }
    kept.push_back(attribute);
  }
  write_attributes(start, std::move(kept));
  clear_flag(write(start), InstructionData::kSugaredAsync);
  write(start).number = 0;
  note(start, Edit::Kind::kAttributes, ShapeId(), AttributeKey::kCalls);
  // X-update and X-done.
  std::vector<InstructionId> open(users(start).begin(), users(start).end());
  while (!open.empty()) {
    const InstructionId id = open.back();
    open.pop_back();
    const InstructionData& user = row_of(module_, id);
    const bool follows = user.opcode == Opcode::kAsyncUpdate || user.opcode == Opcode::kAsyncDone;
    if (!follows || !has_flag(user, InstructionData::kSugaredAsync)) continue;
    clear_flag(write(id), InstructionData::kSugaredAsync);
    write(id).number = 0;
    for (InstructionId next : users(id)) open.push_back(next);
  }
}

// Call this before an edit inside `computation`.
void Editor::spell_out(ComputationId computation) {
  if (!is_synthesized(row_of(module_, computation))) return;
  for (std::size_t i = 0; i < module_.instruction_limit(); ++i) {
    const InstructionId id(i);
    const InstructionData& row = row_of(module_, id);
    if (row.opcode != Opcode::kAsyncStart || !is_alive(id)) continue;
    const auto called = module_.instruction(id).computations(AttributeKey::kCalls);
    if (!called.empty() && called[0].id() == computation) spell_out_start(id);
  }
  // An implied computation that nothing calls.
  if (is_synthesized(row_of(module_, computation))) {
    ComputationData& row = write(computation);
    row.flags = static_cast<std::uint8_t>(row.flags & ~ComputationData::kSynthesized);
  }
}

// Call this before an edit of the shape, the operands or the attributes of `id`.
void Editor::spell_out(InstructionId id) {
  spell_out(row_of(module_, id).computation);
  spell_out_element(id);
}

// Gives a copy of X-start a computation of its own, which the short form implies.
void Editor::copy_wrapped(InstructionId start) {
  const InstructionData& row = row_of(module_, start);
  if (row.opcode != Opcode::kAsyncStart || !has_flag(row, InstructionData::kSugaredAsync)) return;
  const auto called = module_.instruction(start).computations(AttributeKey::kCalls);
  if (called.empty()) return;
  const ComputationId copy = copy_computation(called[0].id());
  write(copy).flags |= ComputationData::kSynthesized | ComputationData::kNoSignature;
  ModuleBuilder builder(module_);
  const absl::Span<const AttributeData> span = module_.instruction(start).attributes();
  std::vector<AttributeData> attributes(span.begin(), span.end());
  for (AttributeData& attribute : attributes) {
    if (!is_implied_call(attribute)) continue;
    attribute.reference_begin = static_cast<std::uint32_t>(builder.references().size());
    builder.references().push_back(copy.index);
  }
  write_attributes(start, std::move(attributes));
}

// Erases the computation that X-start implies, which has no other caller. Call this before erasing the start.
void Editor::erase_wrapped(InstructionId start) {
  if (row_of(module_, start).opcode != Opcode::kAsyncStart) return;
  const auto called = module_.instruction(start).computations(AttributeKey::kCalls);
  if (called.empty() || !is_synthesized(row_of(called[0]))) return;
  const ComputationId wrapped = called[0].id();
  free_name(ComputationId(), std::string(module_.computation(wrapped).name()));
  for (InstructionView instruction : module_.computation(wrapped).instructions()) {
    write(instruction.id()).flags |= InstructionData::kErased;
    note(instruction.id(), Edit::Kind::kErased);
  }
  std::vector<ComputationId>& order = write_order();
  order.erase(std::remove(order.begin(), order.end(), wrapped), order.end());
}

// The instruction X in X-start, which shares its attributes; invalid if `start` is not in the short form.
InstructionId Editor::wrapped_root(InstructionId start) const {
  const InstructionData& row = row_of(module_, start);
  if (row.opcode != Opcode::kAsyncStart || !has_flag(row, InstructionData::kSugaredAsync)) return {};
  const auto called = module_.instruction(start).computations(AttributeKey::kCalls);
  return called.empty() ? InstructionId() : row_of(called[0]).root;
}

// A pasted instruction is printed as one while nothing but itself and the shapes of its operands changed. `id` is the
// instruction of an edit.
void Editor::leave_single_form(InstructionId id, Edit::Kind kind, AttributeKey key) {
  if (!ModuleRows::is_single_instruction(module_) || !id.valid()) return;
  const bool is_root = module_.has_entry() && row_of(module_.entry()).root == id;
  const bool is_operand = has_flag(row_of(module_, id), InstructionData::kImplicit);
  const bool is_reference = key != AttributeKey::kUnknown && names_computations(key);
  if (kind == Edit::Kind::kShape && (is_root || is_operand)) return;
  if (kind == Edit::Kind::kAttributes && is_root && !is_reference) return;
  ModuleBuilder(module_).set_is_single_instruction(false);
  note(InstructionId(), Edit::Kind::kEverything);
}

}  // namespace hloroof::internal::inline edit
