// Parses a text that is a single instruction, as pasted from a profile.

#include "lib/ir/rows.h"
#include "lib/text/legal_name.h"
#include "lib/text/module_parser.h"

namespace hloroof::internal::inline text {

// Whether a text without a HloModule line is an instruction instead of a computation: it begins with a shape, or with a
// name and an `=`.
bool ModuleParser::looks_like_single_instruction() {
  const char* begin = cursor_.at();
  bool is_instruction = false;
  cursor_.accept_keyword("ROOT");
  if (at_shape(cursor_)) {
    // `b (p: f32[]) -> ...` is a computation called b, because a name and not a type follows the parenthesis.
    if (cursor_.accept_keyword("b")) {
      cursor_.accept('(');
      is_instruction = accept_element_type(cursor_) != ElementType::kInvalid;
    } else {
      is_instruction = true;
    }
  } else if (!cursor_.accept_keyword("ENTRY")) {
    const std::string_view name = cursor_.accept_name();
    const char next = cursor_.peek();
    is_instruction = !name.empty() && next != '{' && next != '(';
  }
  cursor_.move_to(begin);
  return is_instruction;
}

// instruction := ('ROOT'? name '=')? rhs EOF
bool ModuleParser::parse_single_instruction() {
  ModuleBuilder builder(*module_);
  single_ = true;
  builder.set_is_single_instruction(true);
  const char* begin = cursor_.at();
  cursor_.accept_keyword("ROOT");
  if (!open_computation({}, 0, begin, ComputationData::kEntry | ComputationData::kNoSignature)) return false;
  const ComputationId entry = computations_.back().id;

  InstructionFrame& frame = push_instruction(cursor_.at());
  frame.is_root = true;
  Step step = Step::kFailed;
  if (at_shape(cursor_)) {
    step = parse_right_side(frame);
    if (step != Step::kFailed) {
      // An instruction without a name is named after its opcode.
      const std::string_view opcode = frame.row.opcode == Opcode::kUnknown
                                          ? ModuleRows::unknown_opcode(*module_, frame.row)
                                          : to_string(frame.row.opcode);
      frame.row.name = builder.add_text(legal_name(opcode));
    }
  } else {
    const char* name_at = cursor_.at();
    std::string_view name;
    if (!cursor_.read_name(&name)) return false;
    if (!cursor_.accept('=')) return cursor_.fail_expects("'=' in instruction");
    if (!check_name(name_at, name)) return false;
    frame.row.name = range_of(name);
    step = parse_right_side(frame);
  }
  instructions_.back().name_hash = NameTable::hash(module_->text(instructions_.back().row.name));
  builder.computations()[entry.index].name = instructions_.back().row.name;
  while (step != Step::kEndOfModulePart) {
    switch (step) {
      case Step::kOperands: step = parse_operands(); break;
      case Step::kAttributes: step = parse_attributes(); break;
      case Step::kInstruction:
        if (computations_.size() == 1) return cursor_.fail_expects("the end of the text");
        if (!parse_body()) return false;
        step = Step::kAttributes;
        break;
      default: return false;
    }
  }
  if (!cursor_.at_end()) return cursor_.fail_expects("the end of the text");
  if (!close_computation()) return false;
  builder.set_entry(entry);
  return true;
}

}  // namespace hloroof::internal::inline text
