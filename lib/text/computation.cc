// Parses the bodies of computations. Contains the main loop for everything inside `{ }`.
#include <string>

#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/text/module_parser.h"

namespace hloroof::internal::inline text {

// body := '{' instruction+ '}'       The opening brace has been read. Closes the computation on top of the stack.
bool ModuleParser::parse_body() {
  const std::size_t outside = computations_.size() - 1;
  Step step = Step::kInstruction;
  while (true) {
    switch (step) {
      case Step::kInstruction:
        if (cursor_.peek() != '}') {
          step = parse_instruction();
          break;
        }
        cursor_.move_to(cursor_.at() + 1);
        if (!close_computation()) return false;
        if (computations_.size() == outside) return true;
        step = Step::kAttributes;  // an inline body, inside an attribute
        break;
      case Step::kOperands: step = parse_operands(); break;
      case Step::kAttributes: step = parse_attributes(); break;
      case Step::kEndOfModulePart: return true;
      case Step::kFailed:
        if (!recover_in_body(outside)) return false;
        step = Step::kInstruction;
        break;
    }
  }
}

bool ModuleParser::open_computation(TextRange name, std::uint32_t name_hash, const char* begin, std::uint8_t flags) {
  if (!cursor_.enter()) return false;
  ComputationFrame frame;
  frame.id = ModuleBuilder(*module_).add_computation(name, flags);
  frame.name_hash = name_hash;
  frame.begin = begin;
  frame.synthesized_begin = synthesized_.size();
  frame.parameter_begin = parameters_.size();
  computations_.push_back(frame);
  return true;
}

bool ModuleParser::close_computation() {
  ModuleBuilder builder(*module_);
  const ComputationFrame frame = computations_.back();
  ComputationData& row = builder.computations()[frame.id.index];
  if (row.instruction_count == 0) return cursor_.fail(cursor_.at() - 1, "a computation needs at least one instruction");
  if (!check_parameters(frame)) return false;
  parameters_.resize(frame.parameter_begin);
  row.root = frame.root.valid() ? frame.root : row.last;
  if (frame.result.valid() &&
      !compatible(module_->shapes(), frame.result, module_->shapes(), row_of(*module_, row.root).shape)) {
    return cursor_.fail(frame.begin,
                        "Shape of computation " + std::string(module_->text(row.name)) + ", " +
                            to_string(module_->shapes(), frame.result, ShapeText::kWithoutLayout) +
                            ", is not compatible with that of its root instruction " +
                            std::string(module_->text(row_of(*module_, row.root).name)) + ", " +
                            to_string(module_->shapes(), row_of(*module_, row.root).shape, ShapeText::kWithoutLayout));
  }
  // Wrapped computations precede their caller and follow its inline computations, so that printing and reparsing keeps
  // the order.
  for (std::size_t i = frame.synthesized_begin; i < synthesized_.size(); ++i) {
    const TextRange name = unique_computation_name("async_wrapped");
    builder.computations()[synthesized_[i].index].name = name;
    computation_names_.insert(0, name, NameTable::hash(module_->text(name)), synthesized_[i].index);
    builder.finish_computation(synthesized_[i]);
  }
  synthesized_.resize(frame.synthesized_begin);
  builder.finish_computation(frame.id);
  const TextRange name = builder.computations()[frame.id.index].name;
  computation_names_.insert(0, name, frame.name_hash, frame.id.index);
  computations_.pop_back();
  cursor_.leave();
  return true;
}

// Opens an inline body, which is named after its instruction.
ModuleParser::Step ModuleParser::open_inline_computation() {
  const InstructionFrame& frame = instructions_.back();
  const char* begin = cursor_.at();
  cursor_.move_to(begin + 1);
  stem_ = module_->text(frame.row.name);
  stem_ += '.';
  stem_ += to_string(frame.attribute.key);
  const TextRange name = unique_computation_name(stem_);
  const std::uint32_t hash = NameTable::hash(module_->text(name));
  const std::uint8_t flags = ComputationData::kInline | ComputationData::kNoSignature;
  if (!open_computation(name, hash, begin, flags)) return Step::kFailed;
  // Reserve the name now, because nested bodies need names too.
  computation_names_.insert(0, name, hash, computations_.back().id.index);
  return Step::kInstruction;
}

bool ModuleParser::add_missing_computation(TextRange name, std::uint32_t name_hash, ComputationId* id) {
  ModuleBuilder builder(*module_);
  *id = builder.add_computation(name, ComputationData::kMissing);
  builder.finish_computation(*id);
  computation_names_.insert(0, name, name_hash, id->index);
  ++builder.unknowns().missing_computations;
  return true;
}

// Returns `stem`, or stem.N if `stem` is taken. N never decreases, so that many computations with one stem need no
// search.
TextRange ModuleParser::unique_computation_name(std::string_view stem) {
  name_.assign(stem);
  while (computation_names_.find(0, name_, NameTable::hash(name_)) != NameTable::kNone) {
    name_.assign(stem);
    name_ += '.';
    name_ += std::to_string(++made_up_names_);
  }
  return ModuleBuilder(*module_).add_text(name_);
}

}  // namespace hloroof::internal::inline text
