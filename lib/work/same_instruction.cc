#include "lib/work/same_instruction.h"

#include <string_view>

#include "absl/types/span.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/work/inside.h"

namespace hloroof::internal::inline work {
namespace {

// Whether an attribute says nothing about the work of its instruction. What is not listed here is compared, so that an
// attribute that a later version reads cannot be forgotten.
bool is_beside_work(AttributeKey key) {
  switch (key) {
    case AttributeKey::kChannelId:
    case AttributeKey::kControlPredecessors:
    case AttributeKey::kFrontendAttributes:  // read of transfers to the host and custom calls, which are not local
    case AttributeKey::kMetadata:
    case AttributeKey::kOrigin:
    case AttributeKey::kSharding:
    case AttributeKey::kStatistics: return true;
    default: return false;
  }
}

// Calls visit(attribute) for those that count.
template <typename Visit>
void for_each_attribute(absl::Span<const AttributeData> attributes, Visit visit) {
  for (const AttributeData& attribute : attributes) {
    if (!is_beside_work(attribute.key)) visit(attribute);
  }
}

// One multiplication for each part, because most of the time goes into reading the rows.
std::size_t mix(std::size_t hash, std::size_t part) {
  hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 32);
}

bool is_same_text(const Module& module, TextRange a, TextRange b) {
  return a.size == b.size && (a.begin == b.begin || module.text(a) == module.text(b));
}

}  // namespace

SameInstructions::SameInstructions(const Module& module, const InsideTable& insides)
    : module_(module),
      insides_(insides),
      first_(module.computation_limit()),
      called_(0, Hash{}, Alike{this}),
      works_(0, Hash{}, Alike{this}) {}

bool SameInstructions::is_local(InstructionView instruction) {
  const Opcode opcode = instruction.opcode();
  switch (work_class(opcode)) {
    case WorkClass::kElementwise:
    case WorkClass::kTranscendental:
    case WorkClass::kDataMovement:
    case WorkClass::kCollective:
    case WorkClass::kAsyncCopy: return true;
    default: return opcode == Opcode::kFusion || opcode == Opcode::kAsyncStart;
  }
}

SameInstructions::Key SameInstructions::key_of(InstructionView instruction) {
  find_called(instruction);
  const InstructionData& row = row_of(instruction);
  std::size_t hash = row_hash(row);
  for (const InstructionId operand : ModuleRows::operands(module_, row)) {
    hash = mix(hash, row_of(module_, operand).shape.index);
  }
  return {instruction.id(), hash};
}

void SameInstructions::find_called(InstructionView instruction) {
  for (const AttributeData& attribute : ModuleRows::attributes(module_, row_of(instruction))) {
    if (attribute.reference_count == 0 || is_beside_work(attribute.key)) continue;
    for (const std::uint32_t called : ModuleRows::references(module_, attribute)) find_first(ComputationId(called));
  }
}

// Callees first, with an explicit stack, because the input controls the nesting depth of fusions.
void SameInstructions::find_first(ComputationId id) {
  open_.push_back(id);
  while (!open_.empty()) {
    const ComputationId at = open_.back();
    if (first_[at.index].valid()) {  // several instructions call it
      open_.pop_back();
      continue;
    }
    const std::size_t before = open_.size();
    for (InstructionId i = row_of(module_, at).first; i.valid(); i = row_of(module_, i).next) {
      for (const AttributeData& attribute : ModuleRows::attributes(module_, row_of(module_, i))) {
        if (attribute.reference_count == 0 || is_beside_work(attribute.key)) continue;
        for (const std::uint32_t called : ModuleRows::references(module_, attribute)) {
          if (!first_[called].valid()) open_.push_back(ComputationId(called));
        }
      }
    }
    if (open_.size() > before) continue;
    open_.pop_back();
    first_[at.index] = called_.insert({at, computation_hash(at)}).first->id;
  }
}

// Of everything but the operands, and of the sizes of texts instead of the texts.
std::size_t SameInstructions::row_hash(const InstructionData& row) const {
  std::size_t hash = mix(static_cast<std::size_t>(row.opcode), (std::size_t{row.shape.index} << 32) | row.number);
  for_each_attribute(ModuleRows::attributes(module_, row), [&](const AttributeData& a) {
    hash = mix(hash, (static_cast<std::size_t>(a.key) << 32) | (a.reference_count == 0 ? a.value.size : 0));
    if (a.reference_count == 0) return;
    for (const std::uint32_t called : ModuleRows::references(module_, a)) hash = mix(hash, first_[called].index);
  });
  return hash;
}

std::size_t SameInstructions::computation_hash(ComputationId id) const {
  const ComputationData& computation = row_of(module_, id);
  std::size_t hash = computation.instruction_count;
  for (InstructionId i = computation.first; i.valid(); i = row_of(module_, i).next) {
    const InstructionData& row = row_of(module_, i);
    hash = mix(hash, row_hash(row));
    for (const InstructionId operand : ModuleRows::operands(module_, row)) hash = mix(hash, i.index - operand.index);
  }
  return hash;
}

bool SameInstructions::are_alike(InstructionId a, InstructionId b) const {
  const InstructionData& x = row_of(module_, a);
  const InstructionData& y = row_of(module_, b);
  if (!have_like_rows(x, y)) return false;
  // A SparseCore reads memory in other parts.
  if (!is_same_text(module_, row_of(module_, x.computation).execution_thread,
                    row_of(module_, y.computation).execution_thread)) {
    return false;
  }
  const absl::Span<const InstructionId> of_x = ModuleRows::operands(module_, x);
  const absl::Span<const InstructionId> of_y = ModuleRows::operands(module_, y);
  for (std::size_t i = 0; i < of_x.size(); ++i) {
    if (!have_like_places(of_x[i], of_y[i])) return false;
  }
  return true;
}

// Whether two operands have the same shape, and are scalars in HBM or not. A scalar is in HBM if it renames an array
// that is.
bool SameInstructions::have_like_places(InstructionId a, InstructionId b) const {
  const InstructionData& x = row_of(module_, a);
  const InstructionData& y = row_of(module_, b);
  if (x.shape != y.shape) return false;
  const bool renames = x.opcode == Opcode::kBitcast;
  if (renames != (y.opcode == Opcode::kBitcast)) return false;
  if (!renames) return true;
  if (x.operand_count != y.operand_count) return false;
  const absl::Span<const InstructionId> of_x = ModuleRows::operands(module_, x);
  const absl::Span<const InstructionId> of_y = ModuleRows::operands(module_, y);
  return of_x.empty() || row_of(module_, of_x[0]).shape == row_of(module_, of_y[0]).shape;
}

bool SameInstructions::are_alike(ComputationId a, ComputationId b) const {
  const ComputationData& x = row_of(module_, a);
  const ComputationData& y = row_of(module_, b);
  if (x.instruction_count != y.instruction_count || x.flags != y.flags) return false;
  if (!is_same_text(module_, x.execution_thread, y.execution_thread)) return false;
  if (insides_.is_by_element(a) != insides_.is_by_element(b)) return false;
  // Operands are the same instructions if they stand as far before their users. Edits may tear an order of ids apart,
  // and then the computations count as different.
  const std::uint32_t offset = y.first.index - x.first.index;
  if (y.root.index - x.root.index != offset && (x.root.valid() || y.root.valid())) return false;
  InstructionId j = y.first;
  for (InstructionId i = x.first; i.valid(); i = row_of(module_, i).next) {
    if (j.index - i.index != offset) return false;
    const InstructionData& row = row_of(module_, i);
    const InstructionData& other = row_of(module_, j);
    if (!have_like_rows(row, other)) return false;
    const absl::Span<const InstructionId> of_row = ModuleRows::operands(module_, row);
    const absl::Span<const InstructionId> of_other = ModuleRows::operands(module_, other);
    for (std::size_t o = 0; o < of_row.size(); ++o) {
      if (of_other[o].index - of_row[o].index != offset) return false;
    }
    j = other.next;
  }
  return true;
}

bool SameInstructions::have_like_rows(const InstructionData& a, const InstructionData& b) const {
  if (a.opcode != b.opcode || a.shape != b.shape || a.number != b.number || a.operand_count != b.operand_count) {
    return false;
  }
  const absl::Span<const AttributeData> left = ModuleRows::attributes(module_, a);
  const absl::Span<const AttributeData> right = ModuleRows::attributes(module_, b);
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    while (i < left.size() && is_beside_work(left[i].key)) ++i;
    while (j < right.size() && is_beside_work(right[j].key)) ++j;
    if (i == left.size() || j == right.size()) return i == left.size() && j == right.size();
    if (!have_like_values(left[i++], right[j++])) return false;
  }
}

bool SameInstructions::have_like_values(const AttributeData& a, const AttributeData& b) const {
  if (a.key != b.key || a.name_size != b.name_size || a.reference_count != b.reference_count) return false;
  // The names of called computations may differ.
  if (a.reference_count == 0) return is_same_text(module_, a.value, b.value);
  const absl::Span<const std::uint32_t> left = ModuleRows::references(module_, a);
  const absl::Span<const std::uint32_t> right = ModuleRows::references(module_, b);
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (first_[left[i]] != first_[right[i]]) return false;
  }
  return true;
}

}  // namespace hloroof::internal::inline work
