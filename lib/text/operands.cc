// Parses operands: references, tuple paths, and nested instructions.
#include <charconv>
#include <string>

#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/text/module_parser.h"

namespace hloroof::internal::inline text {

// operands := '(' list(operand) ')'
// operand  := shape? name ('#' INT)* | shape? opcode operands | shape
//
// The opening parenthesis has been read. Also called after each nested instruction, with the cursor before ',' or ')'.
ModuleParser::Step ModuleParser::parse_operands() {
  InstructionFrame& frame = instructions_.back();
  if (operands_.size() > frame.operand_begin) {
    if (cursor_.accept(')')) return end_operands(frame);
    if (!cursor_.expect(',')) return Step::kFailed;
  } else if (cursor_.accept(')')) {
    return end_operands(frame);
  }
  while (true) {
    frame.declared = ShapeId();
    cursor_.skip_space();
    const char* begin = cursor_.at();
    const char* at = begin;
    if (*at != '%' && at_shape(cursor_)) {
      if (!shapes_.read(cursor_, &frame.declared)) return Step::kFailed;
      cursor_.skip_space();
      at = cursor_.at();
    }
    std::uint32_t hash = 0;
    const std::uint32_t known = accept_known_operand(at);
    const std::string_view name = known != NameTable::kNone ? std::string_view() : cursor_.accept_name(&hash);
    if (known != NameTable::kNone) {
      if (!add_operand(frame, begin, InstructionId(known))) return Step::kFailed;
    } else if (name.empty()) {
      const bool is_bare_shape = frame.declared.valid() && single_ && computations_.size() == 1;
      if (!is_bare_shape) {
        cursor_.fail_expects("an operand");
        return Step::kFailed;
      }
      InstructionId id;
      if (!add_implicit_parameter(frame, {}, &id) || !add_operand(frame, begin, id)) return Step::kFailed;
    } else {
      const char next = cursor_.peek();
      if (next == ',' || next == ')') {
        if (!resolve_operand(frame, begin, at, name, hash)) return Step::kFailed;
      } else if (next == '#') {
        InstructionId id;
        if (!parse_tuple_path(at, name, &id) || !add_operand(frame, begin, id)) return Step::kFailed;
      } else {
        cursor_.move_to(at);
        return parse_nested_operand(frame);
      }
    }
    // XLA accepts a comma before the parenthesis.
    if (cursor_.accept(',') && cursor_.peek() != ')') continue;
    if (!cursor_.expect(')')) return Step::kFailed;
    return end_operands(frame);
  }
}

// Fast path for nearly all operands: accepts the %name of a known instruction that is followed by ',' or ')', and
// returns its index. Otherwise returns kNone without moving.
std::uint32_t ModuleParser::accept_known_operand(const char* at) {
  if (*at != '%') return NameTable::kNone;
  std::uint32_t hash = 0;
  const char* end = known_name_end(at + 1, cursor_.end(), &hash);
  if (end == nullptr || (*end != ',' && *end != ')')) return NameTable::kNone;
  const TextRange name = range_of(std::string_view(at + 1, static_cast<std::size_t>(end - at - 1)));
  const std::uint32_t found = instruction_names_.find(scope(), name, hash);
  if (found != NameTable::kNone) cursor_.move_to(end);
  return found;
}

// If the number of operands depends only on the opcode, a wrong number is reported before errors in the attributes.
ModuleParser::Step ModuleParser::end_operands(InstructionFrame& frame) {
  const bool count_is_fixed = opcode_attributes(frame.row.opcode).operands >= 0 && !has_rules(frame.row.opcode);
  if (count_is_fixed && !check_operand_count(frame, frame.row.opcode)) return Step::kFailed;
  return frame.is_anonymous ? finish_instruction() : parse_attributes();
}

bool ModuleParser::add_operand(InstructionFrame& frame, const char* at, InstructionId id) {
  if (frame.declared.valid() && frame.declared != row_of(*module_, id).shape) {
    const ShapeTable& shapes = module_->shapes();
    if (!compatible(shapes, frame.declared, shapes, row_of(*module_, id).shape)) {
      return cursor_.fail(at, "The declared operand shape " +
                                  to_string(shapes, frame.declared, ShapeText::kWithoutLayout) +
                                  " is not compatible with the shape of the operand instruction " +
                                  to_string(shapes, row_of(*module_, id).shape, ShapeText::kWithoutLayout) + ".");
    }
  }
  operands_.push_back(id);
  return true;
}

bool ModuleParser::resolve_operand(InstructionFrame& frame, const char* begin, const char* at, std::string_view name,
                                   std::uint32_t hash) {
  const std::uint32_t found = instruction_names_.find(scope(), range_of(name), hash);
  if (found != NameTable::kNone) return add_operand(frame, begin, InstructionId(found));
  if (single_ && computations_.size() == 1) {
    InstructionId id;
    return add_implicit_parameter(frame, name, &id) && add_operand(frame, begin, id);
  }
  return cursor_.fail(at, "instruction does not exist: " + std::string(name));
}

// path := name ('#' INT)+
//
// %t#1#0 is element 0 of element 1 of %t. Creates the get-tuple-elements once per path and names them after it.
bool ModuleParser::parse_tuple_path(const char* at, std::string_view name, InstructionId* id) {
  ModuleBuilder builder(*module_);
  const std::uint32_t found = instruction_names_.find(scope(), name, NameTable::hash(name));
  // The instruction must be in the text; a path into an undefined operand of a pasted instruction is an error.
  const bool exists =
      found != NameTable::kNone && (row_of(*module_, InstructionId(found)).flags & InstructionData::kImplicit) == 0;
  if (!exists) return cursor_.fail(at, "instruction does not exist: " + std::string(name));
  *id = InstructionId(found);
  name_.assign(name);
  while (cursor_.accept('#')) {
    cursor_.skip_space();
    const char* index_at = cursor_.at();
    std::int64_t index = 0;
    if (!cursor_.read_integer(&index)) return false;
    const Shape& shape = module_->shape(row_of(*module_, *id).shape);
    if (!shape.is_tuple()) {
      return cursor_.fail(at, "'" + name_ + "' is not a tuple and has no element " + std::to_string(index));
    }
    if (index < 0 || static_cast<std::size_t>(index) >= shape.elements.size()) {
      return cursor_.fail(index_at, "tuple index " + std::to_string(index) + " is out of range, '" + name_ + "' has " +
                                        std::to_string(shape.elements.size()) + " elements");
    }
    name_ += '#';
    char digits[24];
    name_.append(digits, std::to_chars(digits, digits + sizeof(digits), index).ptr);
    const std::uint32_t hash = NameTable::hash(name_);
    if (const std::uint32_t known = instruction_names_.find(scope(), name_, hash); known != NameTable::kNone) {
      *id = InstructionId(known);
      continue;
    }
    InstructionData row;
    const std::string_view written = cursor_.since(name.data());
    row.name = written == name_ ? range_of(written) : builder.add_text(name_);
    row.shape = shape.elements[static_cast<std::size_t>(index)];
    row.computation = computations_.back().id;
    row.opcode = Opcode::kGetTupleElement;
    row.flags = InstructionData::kCompactTupleAccess;
    elides_tuple_access_ = true;
    row.number = static_cast<std::uint32_t>(index);
    row.operand_begin = static_cast<std::uint32_t>(builder.operands().size());
    row.operand_count = 1;
    builder.operands().push_back(*id);
    row.attribute_begin = static_cast<std::uint32_t>(builder.attributes().size());
    *id = builder.append_instruction(row);
    instruction_names_.insert(scope(), row.name, hash, id->index);
  }
  return true;
}

// Starts an operand that is a nested instruction.
ModuleParser::Step ModuleParser::parse_nested_operand(InstructionFrame& outer) {
  if (!cursor_.enter()) return Step::kFailed;
  const ShapeId declared = outer.declared;
  const char* begin = cursor_.at();
  // Without a known opcode, the error is more likely in the operand list than in a nested instruction.
  const std::string_view word = cursor_.accept_word();
  const char next = cursor_.peek();
  const bool is_instruction = !word.empty() && next == '(';
  if (!is_instruction) {
    cursor_.fail_expects("',' or ')' in operands");
    return Step::kFailed;
  }
  cursor_.move_to(begin);
  InstructionFrame& frame = push_instruction(begin);
  frame.is_anonymous = true;
  frame.row.shape = declared;
  if (!declared.valid()) frame.row.flags |= InstructionData::kShapeInferred;
  if (!parse_opcode(frame)) return Step::kFailed;

  if (!cursor_.expect('(')) return Step::kFailed;
  frame.operands_at = cursor_.at() - 1;
  switch (frame.row.opcode) {
    case Opcode::kParameter: return parse_parameter_number(frame) ? finish_instruction() : Step::kFailed;
    case Opcode::kConstant: return parse_constant(frame) ? finish_instruction() : Step::kFailed;
    default: return Step::kOperands;
  }
}

// Names a nested instruction <opcode>.anon, <opcode>.anon.1, ... This happens when it ends, so that inner instructions
// get their numbers first, as in XLA.
void ModuleParser::name_anonymous(InstructionFrame& frame) {
  std::uint32_t& next = next_anonymous_[static_cast<std::size_t>(frame.row.opcode)];
  const char* end = frame.opcode_at;
  while (is_word(*end)) ++end;
  do {
    name_.assign(frame.opcode_at, end);
    name_ += ".anon";
    if (next > 0) name_ += '.' + std::to_string(next);
    ++next;
    frame.name_hash = NameTable::hash(name_);
  } while (instruction_names_.find(scope(), name_, frame.name_hash) != NameTable::kNone);
  frame.row.name = ModuleBuilder(*module_).add_text(name_);
}

// Adds a placeholder for an undefined operand of a pasted instruction.
bool ModuleParser::add_implicit_parameter(InstructionFrame& frame, std::string_view name, InstructionId* id) {
  ModuleBuilder builder(*module_);
  if (!frame.declared.valid()) {
    return cursor_.fail("the operand '" + std::string(name) + "' of a single instruction needs a shape");
  }
  InstructionData row;
  if (name.empty()) {
    name_ = "_" + std::to_string(implicit_parameters_);
    row.name = builder.add_text(name_);
  } else {
    row.name = range_of(name);
  }
  row.shape = frame.declared;
  row.computation = computations_.back().id;
  row.opcode = Opcode::kParameter;
  row.flags = InstructionData::kImplicit;
  row.number = implicit_parameters_++;
  row.operand_begin = static_cast<std::uint32_t>(builder.operands().size());
  row.attribute_begin = static_cast<std::uint32_t>(builder.attributes().size());
  *id = builder.append_instruction(row);
  parameters_.push_back(*id);
  instruction_names_.insert(scope(), row.name, NameTable::hash(module_->text(row.name)), id->index);
  ++builder.unknowns().missing_operands;
  return true;
}

}  // namespace hloroof::internal::inline text
