// Parses `X-start(...)`, which is short for an async-start around a computation that contains only X.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/value_walk.h"
#include "lib/text/module_parser.h"
#include "lib/values/operand_count.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline text {

// Returns true if `text` is X-start, X-update or X-done of an opcode X. If these are opcodes themselves, X has no short
// form, and *opcode is kUnknown.
bool ModuleParser::async_sugar(std::string_view text, Opcode* opcode, Opcode* wrapped) {
  struct Suffix {
    std::string_view text;
    Opcode opcode;
  };
  for (const Suffix& suffix : {Suffix{"-start", Opcode::kAsyncStart}, Suffix{"-update", Opcode::kAsyncUpdate},
                               Suffix{"-done", Opcode::kAsyncDone}}) {
    if (text.size() <= suffix.text.size() || text.substr(text.size() - suffix.text.size()) != suffix.text) continue;
    const std::optional<Opcode> inner = opcode_from_string(text.substr(0, text.size() - suffix.text.size()));
    if (!inner) return false;
    *wrapped = *inner;
    *opcode = has_done(*inner) ? Opcode::kUnknown : suffix.opcode;
    return true;
  }
  return false;
}

// Returns the async-start that is the source of `id` through aliases and copies, or an invalid id if none is found. The
// number of steps is bounded because each op along a chain repeats the search.
InstructionId ModuleParser::async_producer(InstructionId id) const {
  Path path;
  for (int steps = 0; steps < 256; ++steps) {
    const Opcode opcode = row_of(*module_, id).opcode;
    if (opcode == Opcode::kAsyncStart) return path.empty() ? id : InstructionId();
    const bool passes = is_alias(opcode) || flow(opcode) == Flow::kCopies;
    if (!passes || !step_back(*module_, id, path)) break;
  }
  return InstructionId();
}

// async shape := '(' '(' list(operand shape) ')' ',' result shape (',' state)* ')'
//
// An update or a done may repeat or omit the attributes of its start. It must not contradict them.
bool ModuleParser::check_async(const InstructionFrame& frame) {
  const InstructionData& row = frame.row;
  if (row.opcode != Opcode::kAsyncDone) {
    const Shape& shape = module_->shape(row.shape);
    if (!shape.is_tuple() || shape.elements.size() < 2 || !module_->shape(shape.elements[0]).is_tuple()) {
      return cursor_.fail(frame.opcode_at,
                          std::string(to_string(row.opcode)) +
                              " needs a tuple shape of two or more elements whose first is the tuple of its "
                              "operands");
    }
  }
  if (row.opcode == Opcode::kAsyncStart) return true;
  const InstructionId operand = operands_[frame.operand_begin];
  if (row_of(*module_, operand).opcode == Opcode::kAsyncDone) {
    return cursor_.fail(frame.opcode_at, "an async-done ends its operation; nothing async can follow it");
  }
  const InstructionId start = async_producer(operand);
  if (!start.valid()) return true;
  const InstructionView producer = module_->instruction(start);
  const auto called = producer.computations(AttributeKey::kCalls);
  if (called.empty() || called[0].is_missing()) return true;
  const bool sugared = (row.flags & InstructionData::kSugaredAsync) != 0;
  if (sugared && row_of(called[0]).root.valid() && called[0].root().opcode() != static_cast<Opcode>(row.number)) {
    return cursor_.fail(frame.opcode_at, "its async-start wraps a " + std::string(called[0].root().opcode_text()) +
                                             ", not a " + std::string(to_string(static_cast<Opcode>(row.number))));
  }
  const AttributeData* calls = find_attribute(frame, AttributeKey::kCalls);
  if (calls != nullptr && ModuleRows::references(*module_, *calls)[0] != called[0].id().index) {
    return cursor_.fail(source_begin_ + calls->value.begin, "calls another computation than its async-start");
  }
  const AttributeData* thread = find_attribute(frame, AttributeKey::kAsyncExecutionThread);
  if (thread != nullptr) {
    const std::string_view theirs = producer.text(AttributeKey::kAsyncExecutionThread);
    std::string_view ours = module_->text(thread->value);
    const auto inside = [](std::string_view quoted) {
      return quoted.size() < 2 ? "main" : quoted.substr(1, quoted.size() - 2);
    };
    if (inside(ours) != inside(theirs)) {
      return cursor_.fail(source_begin_ + thread->value.begin, "runs on another thread than its async-start");
    }
  }
  return true;
}

// Newer XLA lets a start leave operands to the updates that follow it: dot-start() and then dot-update(start, lhs).
// Returns whether the short form is of such a chain: a start that lacks operands of X and lists those that it has, or
// an update of a start that does, if the update has further operands.
bool ModuleParser::binds_later(const InstructionFrame& frame) const {
  const std::size_t count = operands_.size() - frame.operand_begin;
  if (frame.row.opcode == Opcode::kAsyncUpdate) {
    return count > 1 && row_of(*module_, operands_[frame.operand_begin]).opcode == Opcode::kUnknown;
  }
  if (frame.row.opcode != Opcode::kAsyncStart) return false;
  const Shape& shape = module_->shape(frame.row.shape);
  if (!shape.is_tuple() || shape.elements.size() < 2) return false;
  const Shape& given = module_->shape(shape.elements[0]);
  if (!given.is_tuple() || given.elements.size() != count) return false;
  constexpr std::size_t kMost = 8;
  const auto takes = [&](std::size_t n) {
    const auto wrapped = static_cast<Opcode>(frame.row.number);
    return wrapped == Opcode::kDot ? n == 2 : takes_operands(wrapped, n);
  };
  if (takes(count)) return false;
  for (std::size_t more = count + 1; more <= kMost; ++more) {
    if (takes(more)) return true;
  }
  return false;
}

// Takes the instruction for one whose opcode is not known, as the operation of such a chain is not: its operands come
// later. It is charged at its boundary and reported.
void ModuleParser::make_unknown(InstructionFrame& frame) {
  std::size_t size = 0;
  while (is_word(frame.opcode_at[size])) ++size;
  ModuleBuilder builder(*module_);
  ++builder.unknowns().opcodes;
  frame.row.opcode = Opcode::kUnknown;
  frame.row.flags &= ~InstructionData::kSugaredAsync;
  frame.row.number = static_cast<std::uint32_t>(builder.unknown_opcodes().size());
  builder.unknown_opcodes().push_back(range_of({frame.opcode_at, size}));
}

// Builds the computation of a short-form start whose shape check_async has checked: a parameter for each operand, and X
// with the written attributes. The start gets a `calls` attribute without text that refers to it.
bool ModuleParser::synthesize_wrapped(InstructionFrame& frame) {
  ModuleBuilder builder(*module_);
  const Shape& shape = module_->shape(frame.row.shape);
  const std::size_t operand_count = operands_.size() - frame.operand_begin;
  const std::vector<ShapeId>& operand_shapes = module_->shape(shape.elements[0]).elements;
  if (operand_shapes.size() != operand_count) {
    return cursor_.fail(frame.begin, "an async start has " + std::to_string(operand_count) +
                                         " operands, but its shape lists " + std::to_string(operand_shapes.size()));
  }
  const ComputationId id = builder.add_computation({}, ComputationData::kSynthesized | ComputationData::kNoSignature);
  synthesized_.push_back(id);
  InstructionData wrapped;
  wrapped.computation = id;
  wrapped.operand_begin = static_cast<std::uint32_t>(builder.operands().size());
  wrapped.operand_count = static_cast<std::uint32_t>(operand_count);
  builder.operands().resize(builder.operands().size() + operand_count);
  for (std::size_t i = 0; i < operand_count; ++i) {
    InstructionData parameter;
    parameter.computation = id;
    name_ = "param_";
    name_ += std::to_string(i);
    parameter.name = builder.add_text(name_);
    parameter.shape = operand_shapes[i];
    parameter.opcode = Opcode::kParameter;
    parameter.number = static_cast<std::uint32_t>(i);
    parameter.operand_begin = static_cast<std::uint32_t>(builder.operands().size());
    parameter.attribute_begin = static_cast<std::uint32_t>(builder.attributes().size());
    builder.operands()[wrapped.operand_begin + i] = builder.append_instruction(parameter);
  }
  wrapped.opcode = static_cast<Opcode>(frame.row.number);
  wrapped.shape = shape.elements[1];
  wrapped.name = builder.add_text(to_string(wrapped.opcode));
  wrapped.attribute_begin = static_cast<std::uint32_t>(builder.attributes().size());
  for (std::size_t i = frame.attribute_begin; i < attributes_.size(); ++i) {
    const AttributeData& a = attributes_[i];
    const bool of_the_start =
        a.key == AttributeKey::kAsyncExecutionThread || a.key == AttributeKey::kControlPredecessors;
    if (of_the_start) {
      if (a.key == AttributeKey::kAsyncExecutionThread && a.value.size > 2) {
        builder.computations()[id.index].execution_thread = {a.value.begin + 1, a.value.size - 2};
      }
      continue;
    }
    builder.attributes().push_back(a);
    ++wrapped.attribute_count;
  }
  builder.computations()[id.index].root = builder.append_instruction(wrapped);

  AttributeData calls;
  calls.key = AttributeKey::kCalls;
  calls.reference_begin = static_cast<std::uint32_t>(builder.references().size());
  calls.reference_count = 1;
  builder.references().push_back(id.index);
  // Before the `calls` that a wrapped fusion has of its own, because readers take the first of a key.
  const auto own =
      std::find_if(attributes_.begin() + static_cast<std::ptrdiff_t>(frame.attribute_begin), attributes_.end(),
                   [](const AttributeData& a) { return a.key == AttributeKey::kCalls; });
  attributes_.insert(own, calls);
  return true;
}

}  // namespace hloroof::internal::inline text
