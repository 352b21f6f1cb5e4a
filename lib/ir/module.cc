#include "hloroof/module.h"

#include <utility>

#include "absl/types/span.h"
#include "lib/base/source_text.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline ir {

namespace {

const AttributeData* find_in(absl::Span<const AttributeData> attributes, AttributeKey key) {
  for (const AttributeData& a : attributes) {
    if (a.key == key) return &a;
  }
  return nullptr;
}

// References are stored as plain indices, which are layout-compatible with an Id.
static_assert(sizeof(ComputationId) == sizeof(std::uint32_t) && sizeof(InstructionId) == sizeof(std::uint32_t));

template <typename IdType>
absl::Span<const IdType> as_ids(absl::Span<const std::uint32_t> references) {
  return {reinterpret_cast<const IdType*>(references.data()), references.size()};
}

}  // namespace

void ModuleBuilder::clear() {
  m_.added_text_.clear();
  m_.name_ = {};
  m_.tables_ = {};
  m_.shapes_.clear();
  m_.instructions_.clear();
  m_.computations_.clear();
  m_.computation_order_.clear();
  m_.operands_.clear();
  m_.attributes_.clear();
  m_.header_attributes_.clear();
  m_.references_.clear();
  m_.unknown_opcodes_.clear();
  m_.entry_ = ComputationId();
  m_.replica_count_ = 1;
  m_.num_partitions_ = 1;
  m_.counts_are_implied_ = false;
  m_.scoped_vmem_limit_kib_ = 0;
  m_.is_scheduled_ = false;
  m_.has_header_ = false;
  m_.is_single_instruction_ = false;
  m_.unknowns_ = {};
}

void ModuleBuilder::set_source(std::shared_ptr<const SourceText> source) {
  m_.source_ = std::move(source);
  m_.source_begin_ = m_.source_->begin();
  m_.source_size_ = static_cast<std::uint32_t>(m_.source_->size());
}

TextRange ModuleBuilder::add_text(std::string_view text) {
  TextRange range;
  range.begin = m_.source_size_ + static_cast<std::uint32_t>(m_.added_text_.size());
  range.size = static_cast<std::uint32_t>(text.size());
  m_.added_text_.append(text);
  m_.added_text_ += '\0';  // terminates the last token for lexers
  return range;
}

const AttributeData* ModuleRows::find_header(const Module& m, AttributeKey key) {
  return find_in(m.header_attributes_, key);
}

ComputationId ModuleBuilder::add_computation(TextRange name, std::uint8_t flags) {
  const ComputationId id(m_.computations_.size());
  ComputationData row;
  row.name = name;
  row.flags = flags;
  m_.computations_.push_back(row);
  return id;
}

}  // namespace hloroof::internal::inline ir

namespace hloroof::inline v0 {
using namespace internal;

Module::Module() { ModuleBuilder(*this).set_source(SourceText::copy("", "<text>")); }
Module::~Module() = default;
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::Module(const Module&) = default;
Module& Module::operator=(const Module&) = default;

std::size_t Module::instruction_count() const {
  std::size_t count = 0;
  for (ComputationView c : computations()) {
    if ((row_of(c).flags & ComputationData::kSynthesized) == 0) count += c.instruction_count();
  }
  return count;
}

std::string_view InstructionView::opcode_text() const {
  const InstructionData& row = data();
  return row.opcode == Opcode::kUnknown ? ModuleRows::unknown_opcode(*module_, row) : to_string(row.opcode);
}

const AttributeData* InstructionView::find(AttributeKey key) const { return find_in(attributes(), key); }

std::string_view InstructionView::text(AttributeKey key) const {
  const AttributeData* a = find(key);
  return a == nullptr ? std::string_view() : module_->text(a->value);
}

ViewRange<ComputationView, ComputationId> InstructionView::computations(AttributeKey key) const {
  const AttributeData* a = find(key);
  return {module_, a == nullptr ? absl::Span<const ComputationId>()
                                : as_ids<ComputationId>(ModuleRows::references(*module_, *a))};
}

std::vector<ComputationId> InstructionView::called_computations() const {
  std::vector<ComputationId> called;
  for (const AttributeData& a : attributes()) {
    if (a.reference_count == 0 || a.key == AttributeKey::kControlPredecessors) continue;
    const absl::Span<const ComputationId> ids = as_ids<ComputationId>(ModuleRows::references(*module_, a));
    called.insert(called.end(), ids.begin(), ids.end());
  }
  return called;
}

ViewRange<InstructionView, InstructionId> InstructionView::control_predecessors() const {
  const AttributeData* a = find(AttributeKey::kControlPredecessors);
  return {module_, a == nullptr ? absl::Span<const InstructionId>()
                                : as_ids<InstructionId>(ModuleRows::references(*module_, *a))};
}

std::vector<InstructionId> ComputationView::parameters() const {
  std::vector<InstructionId> parameters;
  for (InstructionView i : instructions()) {
    if (i.opcode() != Opcode::kParameter) continue;
    const std::size_t number = static_cast<std::size_t>(i.parameter_number());
    // A number far beyond the parameter count is an error in the text; do not allocate for it.
    if (number >= data().parameter_count + std::size_t{1024}) continue;
    if (number >= parameters.size()) parameters.resize(number + 1);
    parameters[number] = i.id();
  }
  return parameters;
}

}  // namespace hloroof::inline v0
