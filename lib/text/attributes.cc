// The `, name=value` tail of an instruction.
#include <algorithm>
#include <limits>
#include <string>

#include "lib/ir/attribute_form.h"
#include "lib/text/module_parser.h"
#include "lib/values/raw_value.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline text {

// attributes := (',' NAME= value)*
//
// Also called after an inline computation, which ends its attribute value or is followed by the rest of a list.
ModuleParser::Step ModuleParser::parse_attributes() {
  InstructionFrame& frame = instructions_.back();
  if (frame.value_begin != nullptr) {
    const Step step = parse_computations(frame);
    if (step != Step::kAttributes) return step;
  }
  if (frame.attributes_at == nullptr) {
    cursor_.skip_space();
    frame.attributes_at = cursor_.at();
  }
  while (cursor_.accept(',')) {
    const Step step = parse_attribute(instructions_.back());
    if (step != Step::kAttributes) return step;
  }
  return finish_instruction();
}

ModuleParser::Step ModuleParser::parse_attribute(InstructionFrame& frame) {
  cursor_.skip_space();
  const char* begin = cursor_.at();
  const std::string_view name = cursor_.accept_attribute_name();
  if (name.empty()) {
    cursor_.fail_expects("an attribute name with '='");
    return Step::kFailed;
  }
  const AttributeKey key = attribute_from_string(name).value_or(AttributeKey::kUnknown);
  if (key == AttributeKey::kUnknown) return skip_unknown_attribute(begin, name) ? Step::kAttributes : Step::kFailed;
  const bool wraps = frame.row.opcode == Opcode::kAsyncStart && (frame.row.flags & InstructionData::kSugaredAsync) != 0;
  if (!opcode_attributes(frame.row.opcode).allowed.contains(key) &&
      !(wraps && opcode_attributes(static_cast<Opcode>(frame.row.number)).allowed.contains(key))) {
    cursor_.fail(begin, "unexpected attribute \"" + std::string(name) +
                            "\". Allowed attributes: " + to_string(opcode_attributes(frame.row.opcode).allowed));
    return Step::kFailed;
  }
  if (frame.seen.contains(key)) {
    cursor_.fail(begin, "attribute " + std::string(name) + " already exists");
    return Step::kFailed;
  }
  const bool is_second_order = (key == AttributeKey::kOrder && frame.seen.contains(AttributeKey::kType)) ||
                               (key == AttributeKey::kType && frame.seen.contains(AttributeKey::kOrder));
  if (is_second_order) {
    cursor_.fail(begin, "a comparison has a type or an order, not both");
    return Step::kFailed;
  }
  frame.seen.insert(key);

  cursor_.skip_space();
  const char* value = cursor_.at();
  const auto start_references = [&] {
    frame.attribute = AttributeData();
    frame.attribute.key = key;
    frame.attribute.reference_begin = static_cast<std::uint32_t>(references_.size());
  };
  switch (form(key)) {
    case AttributeForm::kComputation:
      start_references();
      frame.value_begin = value;
      frame.in_list = false;
      return parse_computations(frame);
    case AttributeForm::kComputationList:
      start_references();
      if (!cursor_.expect('{')) return Step::kFailed;
      frame.value_begin = value;
      frame.in_list = true;
      if (cursor_.accept('}')) return end_attribute(frame) ? Step::kAttributes : Step::kFailed;
      return parse_computations(frame);
    case AttributeForm::kInstructionList:
      start_references();
      frame.value_begin = value;
      return parse_predecessors() && end_attribute(frame) ? Step::kAttributes : Step::kFailed;
    default:
      if (!read_checked(wraps ? static_cast<Opcode>(frame.row.number) : frame.row.opcode, key)) {
        cursor_.fail(begin, "error parsing attribute " + std::string(name));
        return Step::kFailed;
      }
  }
  const TextRange range = range_of(cursor_.since(value));
  const bool is_index = key == AttributeKey::kIndex && frame.row.opcode == Opcode::kGetTupleElement;
  if (is_index && !keep_index(frame, value)) return Step::kFailed;
  attributes_.push_back({key, 0, 0, 0, range});
  return Step::kAttributes;
}

// Keeps an attribute whose name is unknown as text, from `begin`.
bool ModuleParser::skip_unknown_attribute(const char* begin, std::string_view name) {
  if (options_->strict) return cursor_.fail(begin, "unexpected attribute \"" + std::string(name) + "\"");
  if (name.size() > std::numeric_limits<std::uint8_t>::max()) {
    return cursor_.fail(begin, "attribute name is longer than 255 bytes");
  }
  if (!skip_raw_value(cursor_)) return false;
  ++ModuleBuilder(*module_).unknowns().attributes;
  attributes_.push_back(
      {AttributeKey::kUnknown, static_cast<std::uint8_t>(name.size()), 0, 0, range_of(cursor_.since(begin))});
  return true;
}

// The index of a get-tuple-element, which was read from `value` up to the cursor. Whether the tuple has that many
// elements is checked with its operand.
bool ModuleParser::keep_index(InstructionFrame& frame, const char* value) {
  std::int64_t number = 0;
  const char* end = cursor_.at();
  cursor_.move_to(value);
  cursor_.read_integer(&number);
  cursor_.move_to(end);
  if (number < 0 || number >= std::numeric_limits<std::uint32_t>::max()) {
    return cursor_.fail(value, "tuple index is out of range");
  }
  frame.row.number = static_cast<std::uint32_t>(number);
  return true;
}

// Reads a value without references. Shapes in it are added to the module's table.
bool ModuleParser::read_checked(Opcode opcode, AttributeKey key) {
  if (!CheckedValues::applies_to(key)) return read_value(cursor_, opcode, key, &shapes_);
  const char* begin = cursor_.at();
  if (const char* end = checked_.find(key, begin, cursor_.end())) {
    cursor_.move_to(end);
    return true;
  }
  if (!read_value(cursor_, opcode, key, &shapes_)) return false;
  checked_.remember(key, cursor_.since(begin), cursor_.end());
  return true;
}

// computation value := comp | '{' list(comp) '}'        comp := name | body
//
// The main loop parses an inline body. It then returns here; the computation of the body is the last finished one, and
// the cursor is after the body.
ModuleParser::Step ModuleParser::parse_computations(InstructionFrame& frame) {
  bool after_body = references_.size() > frame.attribute.reference_begin;
  while (true) {
    if (after_body) {
      if (!frame.in_list) return end_attribute(frame) ? Step::kAttributes : Step::kFailed;
      if (cursor_.accept('}')) return end_attribute(frame) ? Step::kAttributes : Step::kFailed;
      if (!cursor_.expect(',')) return Step::kFailed;
    }
    cursor_.skip_space();
    const char* at = cursor_.at();
    if (*at == '{') {
      // The id is known after the computation has been opened.
      const Step step = open_inline_computation();
      if (step == Step::kInstruction) references_.push_back(computations_.back().id.index);
      return step;
    }
    std::string_view name;
    std::uint32_t hash = 0;
    if (!cursor_.read_name(&name, &hash)) return Step::kFailed;
    std::uint32_t found = computation_names_.find(0, range_of(name), hash);
    // The names of inline bodies are reserved while they are open, but a body cannot call itself.
    const bool is_open = found != NameTable::kNone && computations_.size() > 1 &&
                         std::any_of(computations_.begin(), computations_.end(),
                                     [&](const ComputationFrame& open) { return open.id.index == found; });
    if (found == NameTable::kNone || is_open) {
      const bool is_elsewhere = precedes_ != nullptr && !is_open && (*precedes_)(name);
      if (!is_elsewhere && (!single_ || computations_.size() > 1)) {
        cursor_.fail(at, "computation does not exist: " + std::string(name));
        return Step::kFailed;
      }
      ComputationId missing;
      if (!add_missing_computation(range_of(name), hash, &missing)) return Step::kFailed;
      found = missing.index;
    }
    references_.push_back(found);
    after_body = true;
  }
}

// predecessors := '{' list1(name) '}'
bool ModuleParser::parse_predecessors() {
  if (!cursor_.expect('{')) return false;
  do {
    cursor_.skip_space();
    const char* at = cursor_.at();
    std::string_view name;
    std::uint32_t hash = 0;
    if (!cursor_.read_name(&name, &hash)) return false;
    const std::uint32_t found = instruction_names_.find(scope(), name, hash);
    if (found != NameTable::kNone) {
      references_.push_back(found);
    } else if (elides_tuple_access_ && !options_->strict) {
      // XLA prints %t#1 in place of a get-tuple-element, but its name where it is a predecessor.
      ++ModuleBuilder(*module_).unknowns().missing_predecessors;
    } else {
      return cursor_.fail(at, "instruction '" + std::string(name) + "' is not defined");
    }
  } while (cursor_.accept(','));
  return cursor_.expect('}');
}

// Pushes an attribute with references onto the scratch stack and adds its references to the module.
bool ModuleParser::end_attribute(InstructionFrame& frame) {
  ModuleBuilder builder(*module_);
  const std::size_t begin = frame.attribute.reference_begin;
  const std::size_t count = references_.size() - begin;
  if (count > std::numeric_limits<std::uint16_t>::max()) {
    over_limit_ = true;
    return cursor_.fail(frame.value_begin,
                        "an attribute names more than the limit of 65535 computations or instructions");
  }
  frame.attribute.value = range_of(cursor_.since(frame.value_begin));
  frame.attribute.reference_begin = static_cast<std::uint32_t>(builder.references().size());
  frame.attribute.reference_count = static_cast<std::uint16_t>(count);
  builder.references().insert(builder.references().end(), references_.begin() + static_cast<std::ptrdiff_t>(begin),
                              references_.end());
  references_.resize(begin);
  frame.value_begin = nullptr;
  attributes_.push_back(frame.attribute);
  return true;
}

}  // namespace hloroof::internal::inline text
