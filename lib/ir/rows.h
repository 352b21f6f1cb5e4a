// Read access to the rows of a module's tables. The public views hide them, because a row is only an index away from
// every other row and changes with the layout of the tables.
#ifndef HLOROOF_LIB_IR_ROWS_H_
#define HLOROOF_LIB_IR_ROWS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/module.h"
#include "lib/base/source_text.h"

namespace hloroof::internal::inline ir {

// A friend of Module, without state.
struct ModuleRows {
  static const InstructionData& row(const Module& m, InstructionId id) { return m.instructions_[id.index]; }
  static const ComputationData& row(const Module& m, ComputationId id) { return m.computations_[id.index]; }
  static absl::Span<const InstructionId> operands(const Module& m, const InstructionData& i) {
    return {m.operands_.data() + i.operand_begin, i.operand_count};
  }
  static absl::Span<const AttributeData> attributes(const Module& m, const InstructionData& i) {
    return {m.attributes_.data() + i.attribute_begin, i.attribute_count};
  }
  // The indices of the computations, or for control-predecessors of the instructions, that an attribute names.
  static absl::Span<const std::uint32_t> references(const Module& m, const AttributeData& a) {
    return {m.references_.data() + a.reference_begin, a.reference_count};
  }
  // The opcode as written, of an instruction whose opcode is kUnknown.
  static std::string_view unknown_opcode(const Module& m, const InstructionData& i) {
    return m.text(m.unknown_opcodes_[i.number]);
  }

  static const SourceText& source(const Module& m) { return *m.source_; }
  static const std::shared_ptr<const SourceText>& shared_source(const Module& m) { return m.source_; }
  // The path of the file, or "<text>" for text from memory.
  static const std::string& path(const Module& m) { return m.source_->path(); }
  // Callers come after their callees.
  static const std::vector<ComputationId>& computation_order(const Module& m) { return m.computation_order_; }
  static std::string_view execution_thread(ComputationView c) {  // "main" by default
    const std::string_view thread = c.module().text(row(c.module(), c.id()).execution_thread);
    return thread.empty() ? std::string_view("main") : thread;
  }
  // The nesting depth of tuples; 0 for an array.
  static int depth(const ShapeTable& table, ShapeId id) { return table.parts_[id.index].depth; }
  // Whether the text has an HloModule line, and its attributes.
  static bool has_header(const Module& m) { return m.has_header_; }
  static absl::Span<const AttributeData> header_attributes(const Module& m) { return m.header_attributes_; }
  // An attribute of that line; null if the line does not have it.
  static const AttributeData* find_header(const Module& m, AttributeKey key);
  static std::string_view header_text(const Module& m, AttributeKey key) {  // empty if the line does not have it
    const AttributeData* a = find_header(m, key);
    return a == nullptr ? std::string_view() : m.text(a->value);
  }
  // The FileNames, FunctionNames, FileLocations and StackFrames tables as written, or empty.
  static std::string_view stack_frame_tables(const Module& m) { return m.text(m.tables_); }
  // What a file beside the dump says of the VMEM that the compiler allows each op, in KiB; 0: nothing.
  static std::int64_t scoped_vmem_limit_kib(const Module& m) { return m.scoped_vmem_limit_kib_; }
  // Whether the text was a single pasted instruction.
  static bool counts_are_implied(const Module& m) { return m.counts_are_implied_; }
  static bool is_single_instruction(const Module& m) { return m.is_single_instruction_; }
};

// Whether `a` is the `calls` of an async-start in the short form X-start, which its text does not have. It stands
// before the `calls` of a wrapped fusion, and is the last attribute otherwise.
inline bool is_implied_call(const AttributeData& a) { return a.key == AttributeKey::kCalls && a.value.size == 0; }

inline const InstructionData& row_of(const Module& m, InstructionId id) { return ModuleRows::row(m, id); }
inline const ComputationData& row_of(const Module& m, ComputationId id) { return ModuleRows::row(m, id); }
inline const InstructionData& row_of(InstructionView i) { return row_of(i.module(), i.id()); }
inline const ComputationData& row_of(ComputationView c) { return row_of(c.module(), c.id()); }

}  // namespace hloroof::internal::inline ir

#endif  // HLOROOF_LIB_IR_ROWS_H_
