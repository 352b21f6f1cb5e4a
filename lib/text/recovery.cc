// Error recovery, so that one parse reports several errors.
#include <algorithm>

#include "lib/ir/rows.h"
#include "lib/text/module_parser.h"

namespace hloroof::internal::inline text {
namespace {

const char* next_line(const char* p, const char* end) {
  while (p < end && *p != '\n' && *p != '\r') ++p;
  return p < end ? p + 1 : end;
}

// Whether a line begins an instruction: %name, ROOT, or name =. `p` is its first nonblank character.
bool begins_instruction(const char* p) {
  if (*p == '%') return is_word_start(p[1]);
  if (!is_word_start(*p)) return false;
  const char* word = p;
  while (is_word(*p)) ++p;
  if (std::string_view(word, static_cast<std::size_t>(p - word)) == "ROOT") return true;
  return p[0] == ' ' && p[1] == '=' && p[2] == ' ';
}

// Whether an unindented line begins a computation: it starts with ENTRY, or it ends in { and has no definition.
bool begins_computation(const char* p, const char* end) {
  const char* last = next_line(p, end);
  while (last > p && is_space(last[-1])) --last;
  const std::string_view line(p, static_cast<std::size_t>(last - p));
  if (line.substr(0, 6) == "ENTRY ") return true;
  return !line.empty() && (line[0] == '%' || is_word_start(line[0])) && line.back() == '{' &&
         line.find(" = ") == std::string_view::npos;
}

}  // namespace

// Ends the current error. Returns false if the maximum number of errors is reached.
bool ModuleParser::next_error() {
  if (over_limit_ || cursor_.exceeded_limit() || shapes_.exceeded_limit()) return false;
  errors_begin_.push_back(cursor_.errors().size());
  return static_cast<int>(errors_begin_.size()) < options_->max_errors;
}

// Moves to the next line that looks like an instruction of the outermost open computation, or to the end of its body.
// Keeps the name and shape of the failed instruction, so that its users do not cause further errors.
bool ModuleParser::recover_in_body(std::size_t outside) {
  if (single_ || computations_.size() <= outside) return false;
  const std::size_t failed_at = cursor_.errors().empty() ? 0 : cursor_.errors().back().offset;
  if (!next_error()) return false;

  computations_.resize(outside + 1);
  cursor_.set_depth(static_cast<int>(computations_.size()));
  ComputationFrame& computation = computations_.back();
  synthesized_.resize(std::min(synthesized_.size(), computation.synthesized_begin));
  ModuleBuilder builder(*module_);
  if (!instructions_.empty()) {
    const InstructionFrame& frame = instructions_.front();
    operands_.resize(frame.operand_begin);
    attributes_.resize(frame.attribute_begin);
    references_.resize(frame.reference_begin);
    const bool known =
        frame.row.name.size > 0 && frame.row.shape.valid() &&
        instruction_names_.find(scope(), module_->text(frame.row.name), frame.name_hash) == NameTable::kNone;
    if (known) {
      InstructionData row;
      row.name = frame.row.name;
      row.shape = frame.row.shape;
      row.computation = computation.id;
      row.opcode = Opcode::kAfterAll;  // exempt from all checks
      const InstructionId id = builder.append_instruction(row);
      instruction_names_.insert(scope(), row.name, frame.name_hash, id.index);
      if (frame.is_root) computation.root = id;
    }
    instructions_.clear();
  }
  const char* end = cursor_.end();
  // The cursor may have skipped white space after the error.
  const char* p = std::max(cursor_.at(), source_begin_ + std::min(failed_at, ModuleRows::source(*module_).size()));
  while (p > source_begin_ && is_space(p[-1])) --p;
  p = next_line(p, end);
  while (p < end) {
    const char* line = p;
    while (*line == ' ' || *line == '\t') ++line;
    // The failed line also closed its body.
    if (line == p && begins_computation(p, end)) return false;
    const bool closes = line == p && *line == '}' && (line + 1 == end || is_space(line[1]) || line[1] == ',');
    if (closes || begins_instruction(line)) {
      cursor_.move_to(line);
      return true;
    }
    p = next_line(p, end);
  }
  return false;
}

// Moves to the next line that looks like the head of a computation. Keeps the name of the failed computation.
bool ModuleParser::recover_in_module() {
  if (static_cast<int>(errors_begin_.size()) >= options_->max_errors) return false;
  if (errors_begin_.empty() || errors_begin_.back() != cursor_.errors().size()) {
    if (!next_error()) return false;
  }
  if (!computations_.empty()) {
    const ComputationFrame& frame = computations_.front();
    const TextRange name = row_of(*module_, frame.id).name;
    if (name.size > 0) computation_names_.insert(0, name, frame.name_hash, frame.id.index);
  }
  computations_.clear();
  instructions_.clear();
  operands_.clear();
  attributes_.clear();
  references_.clear();
  synthesized_.clear();
  parameters_.clear();
  cursor_.set_depth(0);
  const char* end = cursor_.end();
  for (const char* p = next_line(cursor_.at(), end); p < end; p = next_line(p, end)) {
    const bool named = *p == '%' || is_word_start(*p);
    const char* last = next_line(p, end);
    while (last > p && is_space(last[-1])) --last;
    if (named && last > p && last[-1] == '{') {
      cursor_.move_to(p);
      return true;
    }
  }
  return false;
}

}  // namespace hloroof::internal::inline text
