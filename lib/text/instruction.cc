// Parses an instruction from its name to its opcode, and finishes it after its attributes.
#include <limits>
#include <optional>
#include <string>

#include "lib/infer/infer_shape.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/text/module_parser.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline text {
namespace {

// Moves the entries of `scratch` from `begin` on to the end of `table`. The lists have one to three entries, for which
// a loop is faster than insert.
template <typename T>
void move_tail(std::vector<T>& scratch, std::size_t begin, std::vector<T>& table) {
  for (std::size_t i = begin; i < scratch.size(); ++i) table.push_back(scratch[i]);
  scratch.resize(begin);
}

}  // namespace

ModuleParser::InstructionFrame& ModuleParser::push_instruction(const char* begin) {
  InstructionFrame& frame = instructions_.emplace_back(begin, computations_.back().id);
  frame.operand_begin = operands_.size();
  frame.attribute_begin = attributes_.size();
  frame.reference_begin = references_.size();
  return frame;
}

// instruction := 'ROOT'? name '=' rhs
ModuleParser::Step ModuleParser::parse_instruction() {
  const char* begin = cursor_.at();
  const bool is_root = *begin == 'R' && cursor_.accept_keyword("ROOT");
  if (is_root) {
    if (computations_.back().root.valid()) {
      cursor_.fail(begin, "one computation should have only one ROOT");
      return Step::kFailed;
    }
    cursor_.skip_space();
    begin = cursor_.at();
  }
  std::uint32_t hash = 0;
  const std::string_view name = cursor_.accept_name(&hash);
  if (name.empty()) {
    cursor_.fail_expects("an instruction or '}'");
    return Step::kFailed;
  }
  if (!cursor_.accept('=')) {
    cursor_.fail_expects("'=' in instruction");
    return Step::kFailed;
  }
  if (!check_name(begin, name)) return Step::kFailed;
  InstructionFrame& frame = push_instruction(begin);
  frame.is_root = is_root;
  frame.row.name = range_of(name);
  frame.name_hash = hash;
  switch (const Step step = parse_right_side(frame)) {
    case Step::kOperands: return parse_operands();
    case Step::kAttributes: return parse_attributes();
    default: return step;
  }
}

// rhs := shape? opcode operands attributes        Parses up to the opening parenthesis of the operands.
ModuleParser::Step ModuleParser::parse_right_side(InstructionFrame& frame) {
  if (at_shape(cursor_)) {
    if (!shapes_.read(cursor_, &frame.row.shape)) return Step::kFailed;
  } else {
    frame.row.flags |= InstructionData::kShapeInferred;
  }
  if (!parse_opcode(frame) || !cursor_.expect('(')) return Step::kFailed;
  frame.operands_at = cursor_.at() - 1;
  switch (frame.row.opcode) {
    case Opcode::kParameter: return parse_parameter_number(frame) ? Step::kAttributes : Step::kFailed;
    case Opcode::kConstant: return parse_constant(frame) ? Step::kAttributes : Step::kFailed;
    default: return Step::kOperands;
  }
}

bool ModuleParser::parse_opcode(InstructionFrame& frame) {
  cursor_.skip_space();
  const char* at = cursor_.at();
  frame.opcode_at = at;
  const std::string_view text = cursor_.accept_word();
  if (text.empty()) return cursor_.fail_expects("an opcode");
  InstructionData& row = frame.row;
  if (const std::optional<Opcode> opcode = opcode_from_string(text)) {
    row.opcode = *opcode;
  } else if (Opcode wrapped = Opcode::kUnknown; async_sugar(text, &row.opcode, &wrapped)) {
    if (row.opcode == Opcode::kUnknown) {
      return cursor_.fail(at, "Unknown opcode: " + std::string(text) + ", as " + std::string(to_string(wrapped)) +
                                  " has dedicated start and done opcodes");
    }
    row.flags |= InstructionData::kSugaredAsync;
    row.number = static_cast<std::uint32_t>(wrapped);
  } else {
    if (options_->strict || *cursor_.at() == '=' || *cursor_.at() == ':') {
      return cursor_.fail(at, "Unknown opcode: " + std::string(text));
    }
    ModuleBuilder builder(*module_);
    ++builder.unknowns().opcodes;
    row.opcode = Opcode::kUnknown;
    row.number = static_cast<std::uint32_t>(builder.unknown_opcodes().size());
    builder.unknown_opcodes().push_back(range_of(text));
  }
  if (row.shape.valid() || shape_inferable(row.opcode)) return true;
  cursor_.skip_space();
  return cursor_.fail("cannot infer shape for opcode: " + std::string(text));
}

// parameter := 'parameter' '(' INT ')'
bool ModuleParser::parse_parameter_number(InstructionFrame& frame) {
  cursor_.skip_space();
  const char* at = cursor_.at();
  std::int64_t number = 0;
  if (!cursor_.read_integer(&number)) return false;
  if (number < 0) return cursor_.fail(at, "parameter number must be >= 0");
  if (number >= std::numeric_limits<std::uint32_t>::max()) return cursor_.fail(at, "parameter number is too large");
  frame.row.number = static_cast<std::uint32_t>(number);
  return cursor_.expect(')');
}

// constant := 'constant' '(' literal ')'
//
// Checks the literal against the shape and keeps its text.
bool ModuleParser::parse_constant(InstructionFrame& frame) {
  cursor_.skip_space();
  const char* begin = cursor_.at();
  if (!read_literal(cursor_, module_->shapes(), frame.row.shape, nullptr)) return false;
  AttributeData literal;
  literal.key = AttributeKey::kConstantLiteral;
  literal.value = range_of(cursor_.since(begin));
  attributes_.push_back(literal);
  return cursor_.expect(')');
}

// Infers the shape if the text has none.
bool ModuleParser::infer_result_shape(InstructionFrame& frame) {
  InstructionData& row = frame.row;
  if (!check_operand_count(frame, row.opcode) || !check_attributes(frame, row.opcode)) return false;
  const auto behind = [](const auto& scratch, std::size_t begin) {
    return absl::MakeConstSpan(scratch).subspan(begin);
  };
  const absl::StatusOr<ShapeId> inferred =
      infer_shape(ShapeInference{*module_, ModuleBuilder(*module_).shapes(), row.opcode, row.number,
                                 behind(operands_, frame.operand_begin), behind(attributes_, frame.attribute_begin)});
  if (!inferred.ok()) {
    return cursor_.fail(frame.opcode_at, "failed to infer shape for opcode: " + std::string(to_string(row.opcode)) +
                                             ", error: " + std::string(inferred.status().message()));
  }
  row.shape = *inferred;
  // Inferred tuples of tuples can grow exponentially in the size of the text, and so can the printed module.
  const ShapeTable& shapes = module_->shapes();
  const std::size_t depth = static_cast<std::size_t>(ModuleRows::depth(shapes, row.shape));
  inferred_parts_ += shapes.leaves(row.shape).size() + depth;
  const std::size_t limit = max_shape_parts(ModuleRows::source(*module_).size());
  if (inferred_parts_ <= limit && depth < static_cast<std::size_t>(cursor_.max_depth() - cursor_.depth())) return true;
  over_limit_ = true;
  return cursor_.fail(frame.opcode_at,
                      inferred_parts_ <= limit
                          ? "an inferred tuple nests deeper than the limit of " + std::to_string(cursor_.max_depth())
                          : "inferred shapes have more parts than the limit of " + std::to_string(limit));
}

// Adds the instruction on top of the stack to the module.
ModuleParser::Step ModuleParser::finish_instruction() {
  InstructionFrame& frame = instructions_.back();
  ModuleBuilder builder(*module_);
  if (!frame.row.shape.valid() && !infer_result_shape(frame)) return Step::kFailed;
  if (!check_instruction(frame)) return Step::kFailed;
  if (static_cast<std::int64_t>(builder.instructions().size()) >= options_->max_instructions) {
    over_limit_ = true;
    cursor_.fail(frame.begin, "more instructions than the limit of " + std::to_string(options_->max_instructions));
    return Step::kFailed;
  }
  InstructionData& row = frame.row;
  if (frame.is_anonymous) name_anonymous(frame);
  const bool wraps = row.opcode == Opcode::kAsyncStart && (row.flags & InstructionData::kSugaredAsync) != 0;
  if (wraps && !synthesize_wrapped(frame)) return Step::kFailed;

  row.operand_begin = static_cast<std::uint32_t>(builder.operands().size());
  row.operand_count = static_cast<std::uint32_t>(operands_.size() - frame.operand_begin);
  move_tail(operands_, frame.operand_begin, builder.operands());
  const std::size_t attribute_count = attributes_.size() - frame.attribute_begin;
  if (attribute_count > std::numeric_limits<std::uint16_t>::max()) {
    over_limit_ = true;
    cursor_.fail(frame.begin, "an instruction has more attributes than the limit of 65535");
    return Step::kFailed;
  }
  row.attribute_begin = static_cast<std::uint32_t>(builder.attributes().size());
  row.attribute_count = static_cast<std::uint16_t>(attribute_count);
  move_tail(attributes_, frame.attribute_begin, builder.attributes());

  const InstructionId id = builder.append_instruction(row);
  if (row.opcode == Opcode::kParameter) parameters_.push_back(id);
  const std::uint32_t other = instruction_names_.insert(scope(), row.name, frame.name_hash, id.index);
  if (other != NameTable::kNone) {
    cursor_.fail(frame.begin, "instruction already exists: " + std::string(module_->text(row.name)));
    const std::size_t defined = row_of(*module_, InstructionId(other)).name.begin;
    if (defined < ModuleRows::source(*module_).size()) {
      cursor_.fail(source_begin_ + defined, "instruction previously defined here");
    }
    return Step::kFailed;
  }
  if (frame.is_root) computations_.back().root = id;
  const bool is_anonymous = frame.is_anonymous;
  instructions_.pop_back();
  if (is_anonymous) {
    cursor_.leave();
    operands_.push_back(id);
    return Step::kOperands;
  }
  return instructions_.empty() && single_ && computations_.size() == 1 ? Step::kEndOfModulePart : Step::kInstruction;
}

}  // namespace hloroof::internal::inline text
