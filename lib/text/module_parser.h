// From text to a linked module in one pass.
//
// Computations, instructions and nested operands may stand inside each other to any depth, so what is open is kept on
// explicit stacks (frames) rather than on the call stack. Operands, attributes and references of an instruction are
// gathered on scratch stacks and copied to the module's tables when it ends, so that each lies in one piece there.
//
// What makes it fast, measured on an 8B-parameter model's dump of 1.3 MB whose reading went from 640 to 910 MB/s, in
// instructions of the processor (callgrind) as a share of the whole before: short integers inline and keywords refused
// by their first letter, 10 % to 1 %; the elements of a new tuple looked up as shapes read before, and shapes of
// signatures checked but not kept, 28 % to 19 %; the hash of a name taken while its end is looked for, and bytes
// compared in place, operands 6.2 % to 3.3 %; opcodes without rules of their own leaving checks.cc at once, 5.7 % to
// 2.7 %; frames set member by member instead of zeroed first, 3.4 % of the time; for a new module the leaves of all
// tuples in one list and shapes sixteen to a block, from 3,161 allocations to 1,776, 3 % of the time; short arrays
// compared and hashed as a whole, and known operands found by where their names may end, 13 % of the time, from 790 to
// 910 MB/s in one run. The whole layer as one unit for the linker to optimise bought nothing and is not there.
#ifndef HLOROOF_LIB_TEXT_MODULE_PARSER_H_
#define HLOROOF_LIB_TEXT_MODULE_PARSER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/attribute_values.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "lib/base/source_text.h"
#include "lib/ir/module_builder.h"
#include "lib/text/checked_values.h"
#include "lib/text/cursor.h"
#include "lib/text/name_table.h"
#include "lib/text/opcode_attributes.h"
#include "lib/text/shape_parser.h"

namespace hloroof::inline v0 {

class ModuleParser {
 public:
  // Replaces what `module` holds by what `source` says. Keeps its own memory for the next call. `lines_before` is added
  // to the line numbers of messages, for a text that is part of a larger one.
  absl::Status parse(std::shared_ptr<const SourceText> source, const ParseOptions& options, Module& module,
                     std::size_t lines_before = 0);

 private:
  // A computation whose body is being read.
  struct ComputationFrame {
    ComputationId id;
    InstructionId root;  // marked ROOT
    std::uint32_t name_hash = 0;
    const char* begin = nullptr;
    std::size_t synthesized_begin = 0;  // its async_wrapped computations are synthesized_ from here on
    std::size_t parameter_begin = 0;    // its parameters are parameters_ from here on
    ShapeId result;                     // of its signature
  };

  // An instruction that is being read.
  struct InstructionFrame {
    // Without a constructor of its own all of it would be zeroed before its members are set.
    InstructionFrame(const char* where, ComputationId computation) : begin(where) { row.computation = computation; }

    InstructionData row;
    const char* begin;  // of its name, or of what stands first
    std::uint32_t name_hash = 0;
    bool is_root = false;
    bool is_anonymous = false;  // an operand of the instruction below it
    bool in_list = false;       // an inline computation being read stands in a {list}
    std::size_t operand_begin = 0;
    std::size_t attribute_begin = 0;
    std::size_t reference_begin = 0;
    ShapeId declared;         // of the operand being read
    AttributeData attribute;  // the one being read
    const char* value_begin = nullptr;
    // Where errors about the operands and about the attributes together are shown, as XLA does: the parenthesis, and
    // what follows the operands.
    const char* opcode_at = nullptr;
    const char* operands_at = nullptr;
    const char* attributes_at = nullptr;
    KeySet seen;
  };

  // What stands at the cursor, or why the reading stopped.
  enum class Step : std::uint8_t { kInstruction, kOperands, kAttributes, kEndOfModulePart, kFailed };

  // module_parser.cc: the module around the computations
  bool parse_text();
  bool parse_header();
  bool parse_header_attribute();
  bool parse_tables();
  bool parse_table_entries(bool braces);
  bool parse_computation();
  bool parse_signature(ComputationFrame& frame);
  bool finish_module();
  bool check_aliases();
  absl::Status status() const;

  // computation.cc: bodies
  bool parse_body();
  bool open_computation(TextRange name, std::uint32_t name_hash, const char* begin, std::uint8_t flags);
  Step open_inline_computation();
  bool close_computation();
  bool add_missing_computation(TextRange name, std::uint32_t name_hash, ComputationId* id);
  TextRange unique_computation_name(std::string_view stem);

  // instruction.cc: one instruction up to its operands, and its end
  Step parse_instruction();
  Step parse_right_side(InstructionFrame& frame);
  bool parse_opcode(InstructionFrame& frame);
  bool parse_parameter_number(InstructionFrame& frame);
  bool parse_constant(InstructionFrame& frame);
  bool infer_result_shape(InstructionFrame& frame);
  Step finish_instruction();
  InstructionFrame& push_instruction(const char* begin);

  // operands.cc
  Step parse_operands();
  std::uint32_t accept_known_operand(const char* at);
  Step end_operands(InstructionFrame& frame);
  bool add_operand(InstructionFrame& frame, const char* at, InstructionId id);
  bool resolve_operand(InstructionFrame& frame, const char* begin, const char* at, std::string_view name,
                       std::uint32_t hash);
  bool parse_tuple_path(const char* at, std::string_view name, InstructionId* id);
  Step parse_nested_operand(InstructionFrame& frame);
  void name_anonymous(InstructionFrame& frame);
  bool add_implicit_parameter(InstructionFrame& frame, std::string_view name, InstructionId* id);

  // attributes.cc
  Step parse_attributes();
  Step parse_attribute(InstructionFrame& frame);
  Step parse_computations(InstructionFrame& frame);
  bool parse_predecessors(InstructionFrame& frame);
  bool read_checked(Opcode opcode, AttributeKey key);
  bool end_attribute(InstructionFrame& frame);

  // checks.cc
  static std::string legal_name(std::string_view name);
  bool check_name(const char* at, std::string_view name);
  static bool has_rules(Opcode opcode);
  bool check_instruction(InstructionFrame& frame);
  bool check_attributes(const InstructionFrame& frame, Opcode opcode);
  bool check_operand_count(const InstructionFrame& frame, Opcode opcode);
  bool check_dimensions(const InstructionFrame& frame, Opcode opcode);
  bool check_global_ids(const InstructionFrame& frame, Opcode opcode);
  bool check_shapes(const InstructionFrame& frame);
  bool check_channel(const InstructionFrame& frame);
  bool check_conditional(const InstructionFrame& frame);
  bool check_custom_call(const InstructionFrame& frame);
  bool check_parameters(const ComputationFrame& frame);
  const AttributeData* find_attribute(const InstructionFrame& frame, AttributeKey key) const;
  const Shape& operand_shape(const InstructionFrame& frame, std::size_t i) const {
    return module_->shape(module_->data(operands_[frame.operand_begin + i]).shape);
  }

  // recovery.cc
  bool recover_in_body(std::size_t outside);
  bool recover_in_module();
  bool next_error();

  // async.cc
  InstructionId async_producer(InstructionId id) const;
  bool check_async(const InstructionFrame& frame);
  static bool async_sugar(std::string_view text, Opcode* opcode, Opcode* wrapped);
  bool synthesize_wrapped(InstructionFrame& frame);

  // single_instruction.cc
  bool looks_like_single_instruction();
  bool parse_single_instruction();

  std::uint32_t scope() const { return computations_.back().id.index; }
  TextRange range_of(std::string_view text) const {
    return {static_cast<std::uint32_t>(text.data() - source_begin_), static_cast<std::uint32_t>(text.size())};
  }

  const ParseOptions* options_ = nullptr;
  Module* module_ = nullptr;
  const char* source_begin_ = nullptr;
  std::size_t lines_before_ = 0;
  bool single_ = false;  // the text is one instruction, and what it names need not exist
  bool over_limit_ = false;
  std::uint32_t implicit_parameters_ = 0;

  Cursor cursor_;
  ShapeParser shapes_;
  CheckedValues checked_;
  ParameterAlias alias_;         // scratch of check_aliases
  NameTable instruction_names_;  // of one top-level computation and what is inside it; scope: the computation
  NameTable computation_names_;
  std::vector<ComputationFrame> computations_;
  std::vector<InstructionFrame> instructions_;
  std::vector<InstructionId> operands_;
  std::vector<AttributeData> attributes_;
  std::vector<std::uint32_t> references_;
  std::vector<ComputationId> synthesized_;
  std::vector<InstructionId> parameters_;
  std::vector<bool> numbers_seen_;
  std::vector<std::int64_t> integers_;
  std::vector<std::size_t> errors_begin_;  // where in the cursor's errors each independent one begins
  std::string name_;                       // one being made up
  std::string stem_;                       // what it begins with
  std::uint32_t made_up_names_ = 0;
  std::size_t inferred_parts_ = 0;  // arrays and levels of tuples in all shapes that were inferred
  // What the next anonymous operand of each opcode is numbered, within one top-level computation.
  std::array<std::uint32_t, kOpcodeCount + 1> next_anonymous_ = {};
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_MODULE_PARSER_H_
