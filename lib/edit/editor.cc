// The side tables of the editor: users, positions, names and added texts.
#include "lib/edit/editor.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "lib/base/strings.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline edit {

namespace {

// The initial gap between the positions of neighbours. Every insertion at the same place halves it.
constexpr std::uint64_t kGap = std::uint64_t{1} << 24;

bool is_control(const AttributeData& attribute) { return attribute.key == AttributeKey::kControlPredecessors; }

}  // namespace

Editor::Editor(Module& module)
    : module_(module), users_(module.instruction_limit()), position_(module.instruction_limit(), 0) {
  for (ComputationView computation : module.computations()) {
    computation_names_.emplace(computation.name());
    renumber(computation.id());
    for (InstructionView instruction : computation.instructions()) {
      for (InstructionId operand : instruction.operand_ids()) add_use(operand, instruction.id());
      for (InstructionView predecessor : instruction.control_predecessors()) {
        control_users_[predecessor.id().index].push_back(instruction.id());
      }
    }
  }
}

bool Editor::is_alive(InstructionId id) const {
  return id.valid() && id.index < module_.instruction_limit() &&
         (row_of(module_, id).flags & InstructionData::kErased) == 0;
}

InstructionId Editor::next(InstructionId id) const { return is_alive(id) ? row_of(module_, id).next : InstructionId(); }

InstructionId Editor::previous(InstructionId id) const {
  return is_alive(id) ? row_of(module_, id).previous : InstructionId();
}

absl::Status Editor::check_alive(InstructionId id) const {
  if (is_alive(id)) return absl::OkStatus();
  if (!id.valid() || id.index >= module_.instruction_limit()) {
    return invalid_argument("the instruction id is not of this module");
  }
  return invalid_argument(std::string(module_.instruction(id).name()) + " was erased");
}

// Stores equal texts once, because a search over variants sets the same few values many times.
TextRange Editor::text(std::string_view text) {
  const auto [at, is_new] = texts_.try_emplace(std::string(text));
  if (is_new) at->second = ModuleBuilder(module_).add_text(text);
  return at->second;
}

void Editor::renumber(ComputationId computation) {
  std::uint64_t next = kGap;
  for (InstructionView instruction : module_.computation(computation).instructions()) {
    write_position(instruction.id()) = next;
    next += kGap;
  }
}

// Sets the position of a linked instruction between those of its neighbours.
void Editor::place(InstructionId id) {
  const InstructionData& row = row_of(module_, id);
  const std::uint64_t low = row.previous.valid() ? position_[row.previous.index] : 0;
  const std::uint64_t high = row.next.valid() ? position_[row.next.index] : low + 2 * kGap;
  write_position(id) = low + (high - low) / 2;
  if (position_[id.index] == low || high < low) renumber(row.computation);
}

// Adds an unlinked row without operands and attributes.
InstructionId Editor::new_row(InstructionData row) {
  ModuleBuilder builder(module_);
  const InstructionId id(builder.instructions().size());
  row.operand_count = 0;
  row.attribute_count = 0;
  builder.instructions().push_back(row);
  users_.emplace_back();
  position_.push_back(0);
  return id;
}

// Adds an instruction like `row` to its computation, before `before` or at the end.
InstructionId Editor::add_row(const InstructionData& row, const std::vector<InstructionId>& operands,
                              std::vector<AttributeData> attributes, InstructionId before) {
  const InstructionId id = new_row(row);
  write_operands(id, operands);
  write_attributes(id, std::move(attributes));
  link(id, row.computation, before);
  note(id, Edit::Kind::kInserted);
  return id;
}

// Inserts an unlinked instruction into `computation`, before `before` or at the end.
void Editor::link(InstructionId id, ComputationId computation, InstructionId before) {
  spell_out(computation);
  InstructionData& row = write(id);
  ComputationData& owner = write(computation);
  row.computation = computation;
  row.next = before;
  row.previous = before.valid() ? row_of(module_, before).previous : owner.last;
  (row.previous.valid() ? write(row.previous).next : owner.first) = id;
  (before.valid() ? write(before).previous : owner.last) = id;
  ++owner.instruction_count;
  if (row.opcode == Opcode::kParameter) ++owner.parameter_count;
  place(id);
}

void Editor::unlink(InstructionId id) {
  spell_out(row_of(module_, id).computation);
  InstructionData& row = write(id);
  ComputationData& owner = write(row.computation);
  (row.previous.valid() ? write(row.previous).next : owner.first) = row.next;
  (row.next.valid() ? write(row.next).previous : owner.last) = row.previous;
  --owner.instruction_count;
  if (row.opcode == Opcode::kParameter) --owner.parameter_count;
  row.next = row.previous = InstructionId();
}

void Editor::index_names(ComputationId computation) {
  const auto [at, is_new] = names_.try_emplace(computation.index);
  if (!is_new) return;
  for (InstructionView instruction : module_.computation(computation).instructions()) {
    at->second.emplace(instruction.name());
  }
}

// Returns `stem`, or stem.N if `stem` is taken.
TextRange Editor::unique_name(ComputationId computation, std::string_view stem) {
  index_names(computation);
  const std::unordered_set<std::string>& names = names_[computation.index];
  std::string name(stem);
  while (names.count(name) != 0) name = std::string(stem) + "." + std::to_string(++next_number_);
  take_name(computation, name);
  return text(name);
}

// Removes the entry layout from the header if `id` is a parameter or the root of the entry. Readers then use the
// layouts of the instructions, which the edit has changed.
void Editor::forget_entry_layout(InstructionId id) {
  const InstructionData& row = row_of(module_, id);
  if (!module_.has_entry() || row.computation != module_.entry().id()) return;
  if (row.opcode != Opcode::kParameter && row_of(module_.entry()).root != id) return;
  if (ModuleRows::find_header(module_, AttributeKey::kEntryComputationLayout) == nullptr) return;
  std::vector<AttributeData>& header = write_header();
  header.erase(std::remove_if(header.begin(), header.end(),
                              [](const AttributeData& a) { return a.key == AttributeKey::kEntryComputationLayout; }),
               header.end());
}

// Removes `id` from the control predecessors of other instructions and from the control users of its own predecessors.
void Editor::drop_control_edges(InstructionId id) {
  for (InstructionView predecessor : module_.instruction(id).control_predecessors()) {
    std::vector<InstructionId>& users = write_control_users(predecessor.id());
    users.erase(std::remove(users.begin(), users.end(), id), users.end());
  }
  const auto found = control_users_.find(id.index);
  if (found == control_users_.end()) return;
  ModuleBuilder builder(module_);
  const std::vector<InstructionId> users = found->second;
  for (InstructionId user : users) {
    const InstructionData& row = row_of(module_, user);
    std::vector<AttributeData> attributes(ModuleRows::attributes(module_, row).begin(),
                                          ModuleRows::attributes(module_, row).end());
    for (AttributeData& attribute : attributes) {
      if (!is_control(attribute)) continue;
      // Copy the references, because a clone shares them.
      const absl::Span<const std::uint32_t> span = ModuleRows::references(module_, attribute);
      std::vector<std::uint32_t> kept(span.begin(), span.end());
      kept.erase(std::remove(kept.begin(), kept.end(), id.index), kept.end());
      attribute.reference_begin = static_cast<std::uint32_t>(builder.references().size());
      attribute.reference_count = static_cast<std::uint16_t>(kept.size());
      builder.references().insert(builder.references().end(), kept.begin(), kept.end());
    }
    attributes.erase(std::remove_if(attributes.begin(), attributes.end(),
                                    [](const AttributeData& a) { return is_control(a) && a.reference_count == 0; }),
                     attributes.end());
    write_attributes(user, std::move(attributes));
    note(user, Edit::Kind::kAttributes, ShapeId(), AttributeKey::kControlPredecessors);
  }
  write_control_users(id).clear();
}

}  // namespace hloroof::internal::inline edit
