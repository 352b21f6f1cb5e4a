#include "lib/versions/program_hash.h"

#include <functional>
#include <string_view>
#include <vector>

#include "lib/explain/op_graph.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline versions {
namespace {

std::uint64_t text_hash(std::string_view text) { return std::hash<std::string_view>()(text); }

// Where an instruction is from, how it is numbered, and hints that the program does not run.
bool is_content(AttributeKey key) {
  switch (key) {
    case AttributeKey::kMetadata:
    case AttributeKey::kFrontendAttributes:
    case AttributeKey::kStatistics:
    case AttributeKey::kOrigin:
    case AttributeKey::kChannelId: return false;
    default: return true;
  }
}

// The value of an attribute, or nothing for one that another version of XLA leaves out because it is the default.
std::string_view without_default(Opcode opcode, AttributeKey key, std::string_view value) {
  if (opcode == Opcode::kTopk && key == AttributeKey::kIsStable && value == "true") return "";
  // The order of a comparison was part of its type.
  if (opcode == Opcode::kCompare && key == AttributeKey::kType) return value == "TOTALORDER" ? "TOTAL" : "";
  return value;
}

// Whether the operands may change places. Frontends and passes write them in either order.
bool is_commutative(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor: return true;
    default: return false;
  }
}

class ProgramHasher {
 public:
  explicit ProgramHasher(const Module& module)
      : module_(module),
        is_scheduled_(ModuleRows::header_text(module, AttributeKey::kIsScheduled) == "true"),
        shapes_(module.shapes().size()),
        values_(module.instruction_limit()),
        computations_(module.computation_limit()) {
    for (std::size_t i = 0; i < shapes_.size(); ++i) shapes_[i] = text_hash(to_string(module.shapes(), ShapeId(i)));
  }

  // Callees precede their callers, and operands their users.
  std::uint64_t hash() {
    for (const ComputationView computation : module_.computations()) add(computation);
    std::uint64_t result = computations_[module_.entry().id().index];
    for (const AttributeKey key :
         {AttributeKey::kInputOutputAlias, AttributeKey::kBufferDonor, AttributeKey::kEntryComputationLayout,
          AttributeKey::kNumPartitions, AttributeKey::kReplicaCount}) {
      const std::string_view text = ModuleRows::header_text(module_, key);
      result = combine(result, text_hash(text == "1" ? "" : text));  // one partition or replica need not be written
    }
    return combine(result, is_scheduled_ ? 1 : 0);
  }

 private:
  void add(ComputationView computation) {
    std::uint64_t all = text_hash(ModuleRows::execution_thread(computation));
    for (const InstructionView instruction : computation.instructions()) {
      const std::uint64_t value = value_of(instruction);
      values_[instruction.id().index] = value;
      if (instruction.opcode() == Opcode::kGetTupleElement) continue;
      all = is_scheduled_ ? combine(all, value) : all + combine(1, value);
    }
    const InstructionId root = row_of(computation).root;
    computations_[computation.id().index] = combine(all, root.valid() ? values_[root.index] : 0);
  }

  std::uint64_t value_of(InstructionView instruction) const {
    const absl::Span<const InstructionId> operands = instruction.operand_ids();
    if (instruction.opcode() == Opcode::kGetTupleElement) {
      return combine(operands.empty() ? 0 : values_[operands[0].index], row_of(instruction).number);
    }
    std::uint64_t hash = combine(text_hash(instruction.opcode_text()), shapes_[instruction.shape_id().index]);
    if (instruction.opcode() == Opcode::kParameter) hash = combine(hash, row_of(instruction).number);
    if (is_commutative(instruction.opcode())) {
      std::uint64_t sum = 0;
      for (const InstructionId operand : operands) sum += combine(1, values_[operand.index]);
      hash = combine(hash, sum);
    } else {
      for (const InstructionId operand : operands) hash = combine(hash, values_[operand.index]);
    }
    std::uint64_t attributes = 0;  // their order has no meaning
    for (const AttributeData& attribute : instruction.attributes())
      attributes += hash_of(instruction.opcode(), attribute);
    return combine(hash, attributes);
  }

  // 0 for an attribute that does not count.
  std::uint64_t hash_of(Opcode opcode, const AttributeData& attribute) const {
    if (!is_content(attribute.key)) return 0;
    const absl::Span<const std::uint32_t> references = ModuleRows::references(module_, attribute);
    std::uint64_t hash = 0;
    if (attribute.key == AttributeKey::kControlPredecessors) {
      // A predecessor may come later in the text, so only its kind is known. Texts elide get-tuple-elements.
      for (const std::uint32_t id : references) {
        const InstructionData& row = row_of(module_, InstructionId(id));
        if (row.opcode == Opcode::kGetTupleElement) continue;
        hash += combine(static_cast<std::uint64_t>(row.opcode), shapes_[row.shape.index]);
      }
      return hash;
    }
    AttributeKey key = attribute.key;
    if (references.empty()) {
      const std::string_view value = without_default(opcode, key, module_.text(attribute.value));
      if (value.empty()) return 0;
      if (opcode == Opcode::kCompare && key == AttributeKey::kType) key = AttributeKey::kOrder;
      hash = text_hash(value);
    }
    for (const std::uint32_t id : references) hash = combine(hash, computations_[id]);
    return combine(static_cast<std::uint64_t>(key), hash);
  }

  const Module& module_;
  bool is_scheduled_;
  std::vector<std::uint64_t> shapes_;        // by ShapeId
  std::vector<std::uint64_t> values_;        // by InstructionId
  std::vector<std::uint64_t> computations_;  // by ComputationId
};

}  // namespace

std::uint64_t program_hash(const Module& module) { return module.has_entry() ? ProgramHasher(module).hash() : 0; }

}  // namespace hloroof::internal::inline versions
