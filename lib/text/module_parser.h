// Parses text into a linked module in one pass.
//
// Computations, instructions and operands nest to any depth, so the parser keeps open ones on explicit stacks of frames
// instead of the call stack. It collects operands, attributes and references of an instruction on scratch stacks, and
// copies them to the module's tables when the instruction ends, so that each list is contiguous.
//
// PERF NOTES. A 1.3 MB dump of an 8B-parameter model went from 640 to 910 MB/s. Shares are of processor instructions
// (callgrind) unless they say "time":
//
// - Short integers are read inline, and keywords are rejected by their first letter: 10 % to 1 %.
// - Elements of a new tuple hit the shape cache, and shapes of signatures are checked but not stored: 28 % to 19 %.
// - Names are hashed while their end is searched, and bytes are compared in place: operands 6.2 % to 3.3 %.
// - Opcodes without special rules leave checks.cc at once: 5.7 % to 2.7 %.
// - Frames are set member by member instead of zeroed first: 3.4 % of the time.
// - The leaves of all tuples are one list, and shapes come in blocks of sixteen: 3,161 to 1,776 allocations for a new
//   module, 3 % of the time.
// - Short arrays are compared and hashed as a whole, and known operands are found by the possible ends of their names:
//   13 % of the time, 790 to 910 MB/s in one run.
// - Link-time optimization of the whole layer gained nothing and is not used.
#ifndef HLOROOF_LIB_TEXT_MODULE_PARSER_H_
#define HLOROOF_LIB_TEXT_MODULE_PARSER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "lib/base/source_text.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/text/checked_values.h"
#include "lib/text/name_table.h"
#include "lib/values/attribute_values.h"
#include "lib/values/cursor.h"
#include "lib/values/opcode_attributes.h"
#include "lib/values/shape_parser.h"

namespace hloroof::internal::inline text {

// One of the independent errors of a text.
struct TextError {
  std::size_t offset = 0;
  std::string message;
  std::vector<ErrorRecord> notes;  // the enclosing constructs, or the conflicting definition
};

class ModuleParser {
 public:
  // Parses `source` into `module` and replaces its contents. Keeps scratch memory for the next call.
  absl::Status parse(std::shared_ptr<const SourceText> source, const ParseOptions& options, Module& module);

  // The same without a formatted message: returns whether there are no errors.
  bool read(std::shared_ptr<const SourceText> source, const ParseOptions& options, Module& module);
  // Parses again the one computation that begins at `begin` of a text whose computations have been parsed before.
  // `precedes` says whether a computation of that name stands before it; what is inside of these is not checked against
  // it. Returns where the next computation begins, as the parser sees it, or the end of the text; none if the parse
  // ended at the maximum number of errors or at another limit. `module` has no more than this computation.
  using Precedes = std::function<bool(std::string_view computation)>;
  std::optional<std::size_t> read_computation(std::shared_ptr<const SourceText> source, std::size_t begin,
                                              const Precedes& precedes, const ParseOptions& options, Module& module);
  // The errors of the last text, in its order.
  std::vector<TextError> errors() const;
  // Where the computations begin that the last parse found in the text, in its order.
  const std::vector<std::size_t>& computation_begins() const { return computation_begins_; }

 private:
  // A computation whose body is being read.
  struct ComputationFrame {
    ComputationId id;
    InstructionId root;  // the instruction marked ROOT
    std::uint32_t name_hash = 0;
    const char* begin = nullptr;
    std::size_t synthesized_begin = 0;  // the first of its async_wrapped computations in synthesized_
    std::size_t parameter_begin = 0;    // the first of its parameters in parameters_
    ShapeId result;                     // the result of its signature
  };

  // An instruction that is being read.
  struct InstructionFrame {
    // This constructor avoids zeroing the frame before its members are set.
    InstructionFrame(const char* where, ComputationId computation) : begin(where) { row.computation = computation; }

    InstructionData row;
    const char* begin;  // the start of its name, or of its first token
    std::uint32_t name_hash = 0;
    bool is_root = false;
    bool is_anonymous = false;  // an operand of the instruction below it on the stack
    bool in_list = false;       // the open inline computation is an element of a {list}
    std::size_t operand_begin = 0;
    std::size_t attribute_begin = 0;
    std::size_t reference_begin = 0;
    ShapeId declared;         // the declared shape of the operand being read
    AttributeData attribute;  // the attribute being read
    const char* value_begin = nullptr;
    // The places of errors about the operands as a whole and about the attributes as a whole, as in XLA: the
    // parenthesis, and the token after the operands.
    const char* opcode_at = nullptr;
    const char* operands_at = nullptr;
    const char* attributes_at = nullptr;
    KeySet seen;
  };

  // What to parse next, or why parsing stopped.
  enum class Step : std::uint8_t { kInstruction, kOperands, kAttributes, kEndOfModulePart, kFailed };

  // module_parser.cc: the module around the computations
  void start(std::shared_ptr<const SourceText> source, const ParseOptions& options, Module& module);
  bool start_and_parse(std::shared_ptr<const SourceText> source, const ParseOptions& options, Module& module);
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
  bool skip_unknown_attribute(const char* begin, std::string_view name);
  bool keep_index(InstructionFrame& frame, const char* value);
  Step parse_computations(InstructionFrame& frame);
  bool parse_predecessors();
  bool read_checked(Opcode opcode, AttributeKey key);
  bool end_attribute(InstructionFrame& frame);

  // checks.cc
  bool check_name(const char* at, std::string_view name);
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
    return module_->shape(row_of(*module_, operands_[frame.operand_begin + i]).shape);
  }

  // recovery.cc
  bool recover_in_body(std::size_t outside);
  bool recover_in_module();
  bool next_error();

  // async.cc
  InstructionId async_producer(InstructionId id) const;
  bool check_async(const InstructionFrame& frame);
  bool binds_later(const InstructionFrame& frame) const;
  void make_unknown(InstructionFrame& frame);
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
  const Precedes* precedes_ = nullptr;  // of read_computation
  Module* module_ = nullptr;
  const char* source_begin_ = nullptr;
  bool single_ = false;  // the text is one instruction, whose operands and computations need not exist
  bool over_limit_ = false;
  bool elides_tuple_access_ = false;  // the text has %t#1 in place of get-tuple-elements
  std::uint32_t implicit_parameters_ = 0;

  Cursor cursor_;
  ShapeParser shapes_;
  CheckedValues checked_;
  ParameterAlias alias_;         // scratch of check_aliases
  NameTable instruction_names_;  // of one top-level computation and its inline ones; scope: the computation
  NameTable computation_names_;
  std::vector<std::size_t> computation_begins_;
  std::vector<ComputationFrame> computations_;
  std::vector<InstructionFrame> instructions_;
  std::vector<InstructionId> operands_;
  std::vector<AttributeData> attributes_;
  std::vector<std::uint32_t> references_;
  std::vector<ComputationId> synthesized_;
  std::vector<InstructionId> parameters_;
  std::vector<bool> numbers_seen_;
  std::vector<std::int64_t> integers_;
  std::vector<std::size_t> errors_begin_;  // the first record of each independent error in the cursor's list
  std::string name_;                       // scratch: a generated name
  std::string stem_;                       // scratch: its stem
  std::uint32_t made_up_names_ = 0;
  std::size_t inferred_parts_ = 0;  // the arrays and tuple levels of all inferred shapes
  // The number of the next anonymous operand of each opcode in one top-level computation.
  std::array<std::uint32_t, kOpcodeCount + 1> next_anonymous_ = {};
};

}  // namespace hloroof::internal::inline text

#endif  // HLOROOF_LIB_TEXT_MODULE_PARSER_H_
