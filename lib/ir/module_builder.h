// Write access to a Module's tables, for the parser and the editor. A ModuleBuilder is stateless and checks nothing;
// the caller must maintain the invariants of module.h.
#ifndef HLOROOF_LIB_IR_MODULE_BUILDER_H_
#define HLOROOF_LIB_IR_MODULE_BUILDER_H_

#include <memory>
#include <string_view>
#include <vector>

#include "hloroof/module.h"
#include "lib/base/huge_pages.h"
#include "lib/base/source_text.h"

namespace hloroof::internal::inline ir {

class ModuleBuilder {
 public:
  explicit ModuleBuilder(Module& module) : m_(module) {}

  // Empties the module but keeps the memory of its tables.
  void clear();

  // Reserves space for a typical text of `bytes`, so that the tables do not reallocate. Untouched pages cost no memory.
  // Real texts have 90 to 260 bytes per instruction.
  void reserve(std::size_t bytes) {
    reserve(m_.instructions_, bytes / 96);
    reserve(m_.operands_, bytes / 64);
    reserve(m_.attributes_, bytes / 64);
  }

  void set_source(std::shared_ptr<const SourceText> source);
  bool has_source(const SourceText* source) const { return m_.source_.get() == source; }

  // Stores a name or an attribute value that is not in the source.
  TextRange add_text(std::string_view text);

  // Starts a computation. finish_computation appends it to the module's order, after the computations that it calls.
  ComputationId add_computation(TextRange name, std::uint8_t flags);
  void finish_computation(ComputationId id) { m_.computation_order_.push_back(id); }

  // Appends `data` to the order of its computation. Its ranges index the tables below.
  InstructionId append_instruction(const InstructionData& data) {
    const InstructionId id(m_.instructions_.size());
    m_.instructions_.push_back(data);
    InstructionData& row = m_.instructions_.back();
    ComputationData& computation = m_.computations_[data.computation.index];
    row.previous = computation.last;
    row.next = InstructionId();
    if (computation.last.valid()) {
      m_.instructions_[computation.last.index].next = id;
    } else {
      computation.first = id;
    }
    computation.last = id;
    ++computation.instruction_count;
    if (data.opcode == Opcode::kParameter) ++computation.parameter_count;
    return id;
  }

  Module& module() { return m_; }
  ShapeTable& shapes() { return m_.shapes_; }
  std::vector<InstructionData>& instructions() { return m_.instructions_; }
  std::vector<ComputationData>& computations() { return m_.computations_; }
  std::vector<ComputationId>& computation_order() { return m_.computation_order_; }
  std::vector<InstructionId>& operands() { return m_.operands_; }
  std::vector<AttributeData>& attributes() { return m_.attributes_; }
  std::vector<AttributeData>& header_attributes() { return m_.header_attributes_; }
  std::vector<std::uint32_t>& references() { return m_.references_; }
  std::vector<TextRange>& unknown_opcodes() { return m_.unknown_opcodes_; }
  Module::Unknowns& unknowns() { return m_.unknowns_; }

  void set_name(TextRange name) { m_.name_ = name; }
  void set_tables(TextRange tables) { m_.tables_ = tables; }
  void set_entry(ComputationId entry) { m_.entry_ = entry; }
  void set_has_header(bool value) { m_.has_header_ = value; }
  void set_is_scheduled(bool value) { m_.is_scheduled_ = value; }
  void set_replica_count(std::int64_t value) { m_.replica_count_ = value; }
  void set_num_partitions(std::int64_t value) { m_.num_partitions_ = value; }
  void set_counts_are_implied(bool value) { m_.counts_are_implied_ = value; }
  void set_scoped_vmem_limit_kib(std::int64_t value) { m_.scoped_vmem_limit_kib_ = value; }
  void set_is_single_instruction(bool value) { m_.is_single_instruction_ = value; }

 private:
  template <typename T>
  static void reserve(std::vector<T>& table, std::size_t count) {
    if (count <= table.capacity()) return;
    table.reserve(count);
    prefer_huge_pages(table.data(), count * sizeof(T));
  }

  Module& m_;
};

}  // namespace hloroof::internal::inline ir

#endif  // HLOROOF_LIB_IR_MODULE_BUILDER_H_
