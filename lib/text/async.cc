// `X-start(...)`: short for an async-start around a computation that holds nothing but X.
#include <optional>
#include <string>
#include <string_view>

#include "lib/text/module_parser.h"

namespace hloroof::inline v0 {

// Whether `text` is X-start, X-update or X-done of an opcode X. For an X that has such opcodes of its own the sugar does
// not exist: *opcode is kUnknown then.
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
    switch (*inner) {
      case Opcode::kAllGather:
      case Opcode::kAllReduce:
      case Opcode::kCollectivePermute:
      case Opcode::kCopy:
      case Opcode::kRecv:
      case Opcode::kSend: *opcode = Opcode::kUnknown; break;
      default: *opcode = suffix.opcode;
    }
    return true;
  }
  return false;
}

// Makes the computation behind a sugared start: a parameter for each operand, and X with the attributes that were written.
// The start gets a `calls` without text that refers to it.
bool ModuleParser::synthesize_wrapped(InstructionFrame& frame) {
  ModuleBuilder builder(*module_);
  const Shape& shape = module_->shape(frame.row.shape);
  if (!shape.is_tuple() || shape.elements.size() < 2 || !module_->shape(shape.elements[0]).is_tuple()) {
    return cursor_.fail(frame.begin,
                        "an async start needs a tuple shape of two or more elements whose first is the tuple of its operands");
  }
  const std::size_t operand_count = operands_.size() - frame.operand_begin;
  const std::vector<ShapeId>& operand_shapes = module_->shape(shape.elements[0]).elements;
  if (operand_shapes.size() != operand_count) {
    return cursor_.fail(frame.begin, "an async start has " + std::to_string(operand_count) + " operands, but its shape lists " +
                                         std::to_string(operand_shapes.size()));
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
    name_ = "param_" + std::to_string(i);
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
    const bool of_the_start = a.key == AttributeKey::kAsyncExecutionThread || a.key == AttributeKey::kControlPredecessors;
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
  attributes_.push_back(calls);
  return true;
}

}  // namespace hloroof::inline v0
