#include "hloroof/print.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/module.h"
#include "lib/base/huge_pages.h"
#include "lib/base/source_text.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/element_type.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/text/print_comments.h"
#include "lib/values/cursor.h"

namespace hloroof::inline v0 {
using namespace internal;

namespace {

// Whether a name without % would be parsed as something else. Few modules have such names, and XLA prints them in a
// form that it cannot read.
bool is_reserved(std::string_view name) {
  constexpr std::string_view kKeywords[] = {
      "ENTRY",      "FileLocations", "FileNames", "FunctionNames", "HloModule",
      "ROOT",       "StackFrames",   "false",     "inf",           "last_tile_dim_replicate",
      "manual",     "maximal",       "nan",       "replicated",    "shard_as",
      "shard_like", "true",          "unknown",   "unreduced"};
  if (name.size() > 23) return false;
  return std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords) ||
         element_type_from_string(name).has_value();
}

// Appends a module or a part of it to a string. Inline bodies nest as deeply as in the parsed text, so the printer uses
// an explicit stack.
class Printer {
 public:
  Printer(const Module& module, const PrintOptions& options, std::string& out, const PrintComments* comments = nullptr)
      : module_(module), options_(options), comments_(comments), out_(out) {}

  void module() {
    if (ModuleRows::is_single_instruction(module_)) {
      comment_above(module_.entry());
      comment_leading(module_.entry().root());
      instruction(module_.entry().root());
      out_ += '\n';
      return;
    }
    header();
    for (ComputationView c : module_.computations()) {
      const bool implied = (row_of(c).flags & ComputationData::kSynthesized) != 0 && options_.async_sugar;
      if (implied || c.is_missing()) continue;
      comment_above(c);
      computation(c);
      out_ += "\n\n";
    }
  }

  void computation(ComputationView c) {
    if (c.is_entry()) out_ += "ENTRY ";
    name(c.name());
    out_ += ' ';
    if (options_.program_shape) {
      signature(c);
      out_ += ' ';
    }
    begin_body(c.id());
    finish();
    if (ModuleRows::execution_thread(c) != "main") {
      out_ += ", execution_thread=\"";
      out_ += ModuleRows::execution_thread(c);
      out_ += '"';
    }
  }

  // A single instruction: ROOT and the line, without indentation. The undefined operands of a pasted instruction are
  // printed with their shapes, without which they cannot be parsed.
  void instruction(InstructionView i) {
    const bool pasted = ModuleRows::is_single_instruction(module_) && i.computation().is_entry();
    operand_shapes_ = options_.operand_shapes || pasted;
    inline_bodies_ = options_.full_computations || pasted;  // a pasted instruction has no other place for them
    number(i.computation().id());
    if (i.is_root() && !pasted) out_ += "ROOT ";
    pasted_ = pasted ? i.id() : InstructionId();
    open_.push_back({i.computation().id(), i.id(), InstructionId(), 0, 0, false});
    begin_instruction(i);
    finish();
  }

 private:
  // A computation being printed, and its position: an attribute of one of its instructions.
  struct Open {
    ComputationId computation;
    InstructionId at;
    InstructionId next;
    std::uint32_t attribute;  // the next attribute
    std::uint32_t reference;  // the next reference of that attribute
    bool is_body;             // false for a single instruction
  };

  void begin_body(ComputationId id) {
    operand_shapes_ = options_.operand_shapes;
    inline_bodies_ = options_.full_computations || pasted_.valid();
    number(id);
    out_ += "{\n";
    open_.push_back({id, InstructionId(), row_of(module_, id).first, 0, 0, true});
  }

  // Prints until the stack is empty.
  void finish() {
    while (!open_.empty()) {
      Open& top = open_.back();
      if (top.at.valid()) {
        if (!attributes(top)) continue;  // an inline body was opened
        open_.back().at = InstructionId();
        if (!open_.back().is_body) {
          open_.pop_back();
          continue;
        }
        out_ += '\n';
      }
      while (top.next.valid() && is_compact(module_.instruction(top.next))) top.next = row_of(module_, top.next).next;
      if (top.next.valid() && open_.size() == 1) comment_leading(module_.instruction(top.next));
      indent(open_.size() - (top.next.valid() ? 0 : 1));
      if (!top.next.valid()) {
        out_ += '}';
        open_.pop_back();
        continue;
      }
      const InstructionView i = module_.instruction(top.next);
      top.at = top.next;
      top.next = row_of(i).next;
      top.attribute = top.reference = 0;
      if (i.is_root()) out_ += "ROOT ";
      begin_instruction(i);
    }
  }

  void comment_above(ComputationView c) {
    if (comments_ != nullptr) out_ += comments_->above(c);
  }

  void comment_leading(InstructionView i) {
    if (comments_ != nullptr) out_ += comments_->leading(i);
  }

  void indent(std::size_t levels) { out_.append(2 * levels, ' '); }

  void header() {
    if (!ModuleRows::has_header(module_)) return;
    out_ += "HloModule ";
    out_ += module_.name();
    for (const AttributeData& a : ModuleRows::header_attributes(module_)) {
      out_ += ", ";
      if (a.key != AttributeKey::kUnknown) {
        out_ += to_string(a.key);
        out_ += '=';
      }
      out_ += module_.text(a.value);
    }
    out_ += "\n\n";
    if (options_.metadata && !ModuleRows::stack_frame_tables(module_).empty()) {
      out_ += ModuleRows::stack_frame_tables(module_);
      out_ += "\n\n\n";
    }
  }

  void name(std::string_view text) {
    if (options_.percent || is_reserved(text)) out_ += '%';
    out_ += text;
  }

  // A name in which illegal characters, such as the # of an expanded tuple path, are replaced.
  void instruction_name(InstructionView i) {
    if (options_.canonical_names) {
      name("tmp_");
      append_number(numbers_[i.id().index]);
      return;
    }
    name(i.name());
    if ((row_of(i).flags & InstructionData::kCompactTupleAccess) == 0) return;
    for (std::size_t k = out_.size() - i.name().size(); k < out_.size(); ++k) {
      if (!is_word(out_[k])) out_[k] = '_';
    }
  }

  void append_number(std::uint64_t value) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
  }

  // Assigns the numbers of canonical names to the instructions of a computation.
  void number(ComputationId id) {
    if (!options_.canonical_names) return;
    numbers_.resize(module_.instruction_limit());
    std::uint32_t next = 0;
    for (InstructionView i : module_.computation(id).instructions()) {
      if (!is_compact(i)) numbers_[i.id().index] = next++;
    }
  }

  void signature(ComputationView c) {
    out_ += '(';
    bool first = true;
    for (InstructionId id : c.parameters()) {
      if (!id.valid()) continue;
      if (!first) out_ += ", ";
      first = false;
      const InstructionView p = module_.instruction(id);
      out_ += p.name();
      out_ += ": ";
      append_to(out_, module_.shapes(), p.shape_id(), ShapeText::kWithoutLayout);
    }
    out_ += ')';
    if (!row_of(c).root.valid()) return;  // an edit has not finished the computation
    out_ += " -> ";
    append_to(out_, module_.shapes(), c.root().shape_id(), ShapeText::kWithoutLayout);
  }

  bool is_compact(InstructionView i) const {
    return options_.compact_tuple_access && (row_of(i).flags & InstructionData::kCompactTupleAccess) != 0 &&
           !i.is_root();
  }

  // name = shape opcode(operands)
  void begin_instruction(InstructionView i) {
    const InstructionData& row = row_of(i);
    instruction_name(i);
    out_ += " = ";
    append_to(out_, module_.shapes(), row.shape);
    out_ += ' ';
    opcode(i);
    out_ += '(';
    if (!number_or_literal(i)) {
      if (i.id() == pasted_) {
        pasted_operands(i);
      } else {
        operands(i);
      }
    }
    out_ += ')';
    if (row.opcode == Opcode::kGetTupleElement && row.attribute_count == 0) {
      out_ += ", index=";
      append_number(row.number);
    }
  }

  void opcode(InstructionView i) {
    const InstructionData& row = row_of(i);
    if ((row.flags & InstructionData::kSugaredAsync) != 0 && options_.async_sugar) {
      out_ += to_string(static_cast<Opcode>(row.number));
      out_ += to_string(row.opcode).substr(5);  // -start of async-start
    } else {
      out_ += i.opcode_text();
    }
  }

  // Prints the number of a parameter or the literal of a constant. Returns false for other instructions.
  bool number_or_literal(InstructionView i) {
    if (i.opcode() == Opcode::kParameter) {
      append_number(row_of(i).number);
    } else if (i.opcode() == Opcode::kConstant) {
      literal(i);
    } else {
      return false;
    }
    return true;
  }

  // Prints a literal, or {...} if large constants are elided and it is a tuple or has more than ten elements, as in
  // XLA.
  void literal(InstructionView i) {
    constexpr std::int64_t kShown = 10;
    const bool is_large = i.shape().is_tuple() || element_count(i.shape()) > kShown;
    if (!options_.large_constants && is_large) {
      out_ += "{...}";
    } else {
      out_ += i.text(AttributeKey::kConstantLiteral);
    }
  }

  void operand_separator(std::size_t k) {
    if (k > 0) out_ += ", ";
    if (k > 0 && k % 5 == 0 && options_.index_comments) {
      out_ += "/*index=";
      append_number(k);
      out_ += "*/";
    }
  }

  // Prints the operands of a pasted instruction. Nested instructions have one user and no other definition, so they are
  // printed inline.
  void pasted_operands(InstructionView root) {
    struct Level {
      InstructionView of;
      std::size_t next;
    };
    std::vector<Level> levels = {{root, 0}};
    while (true) {
      Level& top = levels.back();
      if (top.next == top.of.operand_count()) {
        levels.pop_back();
        if (levels.empty()) return;
        out_ += ')';
        continue;
      }
      const InstructionView operand = top.of.operand(top.next);
      operand_separator(top.next++);
      append_to(out_, module_.shapes(), operand.shape_id());
      out_ += ' ';
      if ((row_of(operand).flags & InstructionData::kImplicit) != 0 || is_compact(operand)) {
        operand_name(operand);
        continue;
      }
      opcode(operand);
      out_ += '(';
      if (number_or_literal(operand)) {
        out_ += ')';
      } else {
        levels.push_back({operand, 0});
      }
    }
  }

  void operands(InstructionView i) {
    for (std::size_t k = 0; k < i.operand_count(); ++k) {
      operand_separator(k);
      const InstructionView operand = i.operand(k);
      if (operand_shapes_) {
        append_to(out_, module_.shapes(), operand.shape_id());
        if (options_.operand_names) out_ += ' ';
      }
      if (options_.operand_names) operand_name(operand);
    }
  }

  void operand_name(InstructionView operand) {
    if (!is_compact(operand)) {
      instruction_name(operand);
      return;
    }
    // The path from the printed tuple down to this element.
    path_.clear();
    while (is_compact(operand)) {
      path_.push_back(row_of(operand).number);
      operand = operand.operand(0);
    }
    instruction_name(operand);
    for (std::size_t k = path_.size(); k-- > 0;) {
      out_ += '#';
      append_number(path_[k]);
    }
  }

  bool is_left_out(InstructionView i, const AttributeData& a) const {
    switch (a.key) {
      case AttributeKey::kConstantLiteral: return true;
      case AttributeKey::kMetadata: return !options_.metadata;
      case AttributeKey::kBackendConfig: return !options_.backend_config;
      case AttributeKey::kControlPredecessors: return !options_.control_predecessors;
      default: break;
    }
    const bool wraps = i.opcode() == Opcode::kAsyncStart && (row_of(i).flags & InstructionData::kSugaredAsync) != 0;
    if (!wraps) return false;
    // In sugared form the start has the attributes of the wrapped instruction and implies calls=. In expanded form it
    // keeps the common attributes, and the wrapped instruction has the others.
    if (options_.async_sugar) return is_implied_call(a);
    return !is_implied_call(a) && a.key > AttributeKey::kBackendConfig && a.key != AttributeKey::kAsyncExecutionThread;
  }

  // Prints further attributes of the current instruction of `top`. Returns false after opening an inline body; call it
  // again after the body.
  bool attributes(Open& top) {
    const InstructionView i = module_.instruction(top.at);
    const absl::Span<const AttributeData> all = i.attributes();
    for (; top.attribute < all.size(); ++top.attribute, top.reference = 0) {
      const AttributeData& a = all[top.attribute];
      if (top.reference == 0) {
        if (is_left_out(i, a)) continue;
        out_ += ", ";
        if (a.key == AttributeKey::kUnknown) {
          out_ += module_.text(a.value);
          continue;
        }
        out_ += to_string(a.key);
        out_ += '=';
        if (a.reference_count == 0) {
          out_ += module_.text(a.value);
          continue;
        }
        if (form(a.key) != AttributeForm::kComputation) out_ += '{';
      }
      while (top.reference < a.reference_count) {
        const std::uint32_t index = ModuleRows::references(module_, a)[top.reference];
        const bool is_first = top.reference++ == 0;
        if (a.key == AttributeKey::kControlPredecessors) {
          if (!is_first) out_ += ", ";
          instruction_name(module_.instruction(InstructionId(index)));
          continue;
        }
        if (inline_bodies_ && !module_.computation(ComputationId(index)).is_missing()) {
          out_ += is_first ? "\n" : ",\n";
          indent(open_.size() - (top.is_body ? 0 : 1));
          begin_body(ComputationId(index));
          return false;
        }
        if (!is_first) out_ += ", ";
        name(module_.computation(ComputationId(index)).name());
      }
      if (form(a.key) != AttributeForm::kComputation) {
        if (inline_bodies_ && a.key != AttributeKey::kControlPredecessors) {
          out_ += '\n';
          indent(open_.size() - (top.is_body ? 0 : 1));
        }
        out_ += '}';
      }
    }
    return true;
  }

  const Module& module_;
  const PrintOptions& options_;
  const PrintComments* comments_;
  std::string& out_;
  InstructionId pasted_;  // the pasted instruction, while it is printed
  bool operand_shapes_ = false;
  bool inline_bodies_ = false;
  std::vector<Open> open_;
  std::vector<std::uint32_t> path_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace

PrintOptions PrintOptions::short_parsable() {
  PrintOptions options;
  options.percent = false;
  options.index_comments = false;
  options.program_shape = false;
  options.metadata = false;
  options.control_predecessors = false;
  return options;
}

PrintOptions PrintOptions::canonical() {
  PrintOptions options = short_parsable();
  options.operand_shapes = true;
  options.backend_config = false;
  options.full_computations = true;
  options.canonical_names = true;
  return options;
}

std::string print_module(const Module& module, const PrintOptions& options) {
  std::string out;
  out.reserve(ModuleRows::source(module).size());
  prefer_huge_pages(out.data(), out.capacity());
  Printer(module, options, out).module();
  return out;
}

std::string print_instruction(InstructionView instruction, const PrintOptions& options) {
  std::string out;
  Printer(instruction.module(), options, out).instruction(instruction);
  return out;
}

}  // namespace hloroof::inline v0

namespace hloroof::internal::inline text {

std::string print_with_comments(const Module& module, const PrintOptions& options, const PrintComments& comments) {
  std::string out;
  out.reserve(2 * ModuleRows::source(module).size());
  Printer(module, options, out, &comments).module();
  return out;
}

std::string comment_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    const bool ends_comment = c == '/' && !safe.empty() && safe.back() == '*';
    safe += ends_comment ? '|' : c < ' ' || c > '~' ? '?' : c;
  }
  return safe;
}

}  // namespace hloroof::internal::inline text
