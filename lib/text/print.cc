#include "hloroof/print.h"

#include <string>
#include <string_view>
#include <vector>

#include "hloroof/module.h"
#include "lib/base/source_text.h"
#include "lib/text/cursor.h"

namespace hloroof::inline v0 {
namespace {

// Writes a module, or a part of it, to the end of a string.
class Printer {
 public:
  Printer(const Module& module, const PrintOptions& options, std::string& out)
      : module_(module), options_(options), out_(out) {}

  void module() {
    if (module_.is_single_instruction()) {
      // Its operands are defined nowhere, so they need their shapes to be read again.
      operand_shapes_ = true;
      instruction(module_.entry().root(), 0);
      out_ += '\n';
      return;
    }
    header();
    for (ComputationView c : module_.computations()) {
      if (is_hidden(c)) continue;
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
    body(c, 0);
  }

  // As part of nothing else: ROOT and the line, without indentation.
  void instruction(InstructionView i, int depth);

 private:
  // Computations that a caller shows in place, or that its short spelling implies.
  bool is_hidden(ComputationView c) const {
    const std::uint8_t flags = c.data().flags;
    if ((flags & ComputationData::kMissing) != 0) return true;
    if ((flags & ComputationData::kSynthesized) != 0 && options_.async_sugar) return true;
    return options_.full_computations && !c.is_entry() && is_called(c.id());
  }

  bool is_called(ComputationId id) const {
    if (called_.empty()) {
      called_.resize(module_.computation_limit(), false);
      for (ComputationView c : module_.computations()) {
        for (InstructionView i : c.instructions()) {
          for (ComputationId callee : i.called_computations()) called_[callee.index] = true;
        }
      }
    }
    return called_[id.index];
  }

  void header() {
    if (!module_.has_header()) return;
    out_ += "HloModule ";
    out_ += module_.name();
    for (const AttributeData& a : module_.header_attributes()) {
      out_ += ", ";
      if (a.key != AttributeKey::kUnknown) {
        out_ += to_string(a.key);
        out_ += '=';
      }
      out_ += module_.text(a.value);
    }
    out_ += "\n\n";
    if (options_.metadata && !module_.stack_frame_tables().empty()) {
      out_ += module_.stack_frame_tables();
      out_ += "\n\n\n";
    }
  }

  void name(std::string_view text) {
    if (options_.percent) out_ += '%';
    out_ += text;
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
    out_ += ") -> ";
    append_to(out_, module_.shapes(), c.root().shape_id(), ShapeText::kWithoutLayout);
  }

  void body(ComputationView c, int depth) {
    out_ += "{\n";
    for (InstructionView i : c.instructions()) {
      if (is_compact(i)) continue;
      out_.append(static_cast<std::size_t>(2 * (depth + 1)), ' ');
      instruction(i, depth + 1);
      out_ += '\n';
    }
    out_.append(static_cast<std::size_t>(2 * depth), ' ');
    out_ += '}';
    if (!c.execution_thread().empty() && c.execution_thread() != "main") {
      out_ += ", execution_thread=\"";
      out_ += c.execution_thread();
      out_ += '"';
    }
  }

  bool is_compact(InstructionView i) const {
    return options_.compact_tuple_access && (i.data().flags & InstructionData::kCompactTupleAccess) != 0;
  }

  void operands(InstructionView i) {
    for (std::size_t k = 0; k < i.operand_count(); ++k) {
      if (k > 0) out_ += ", ";
      if (k > 0 && k % 5 == 0 && options_.index_comments) out_ += "/*index=" + std::to_string(k) + "*/";
      const InstructionView operand = i.operand(k);
      if (options_.operand_shapes || operand_shapes_) {
        append_to(out_, module_.shapes(), operand.shape_id());
        if (options_.operand_names) out_ += ' ';
      }
      if (options_.operand_names) operand_name(operand);
    }
  }

  void operand_name(InstructionView operand) {
    if (!is_compact(operand)) {
      name(printable(operand));
      return;
    }
    // The path from the tuple that is written out down to this element.
    std::vector<std::int64_t> path;
    while (is_compact(operand)) {
      path.push_back(operand.tuple_index());
      operand = operand.operand(0);
    }
    name(printable(operand));
    for (std::size_t k = path.size(); k-- > 0;) out_ += "#" + std::to_string(path[k]);
  }

  // A name with what no name may hold, the # of a tuple path written out, replaced.
  std::string_view printable(InstructionView i) {
    if ((i.data().flags & InstructionData::kCompactTupleAccess) == 0) return i.name();
    scratch_ = i.name();
    for (char& c : scratch_) {
      if (!is_word(c)) c = '_';
    }
    return scratch_;
  }

  void attributes(InstructionView i, int depth);
  void attribute(InstructionView i, const AttributeData& a, int depth);

  const Module& module_;
  const PrintOptions& options_;
  std::string& out_;
  std::string scratch_;
  bool operand_shapes_ = false;
  mutable std::vector<bool> called_;
};

void Printer::instruction(InstructionView i, int depth) {
  const InstructionData& row = i.data();
  if (i.is_root() && !module_.is_single_instruction()) out_ += "ROOT ";
  name(printable(i));
  out_ += " = ";
  append_to(out_, module_.shapes(), row.shape);
  out_ += ' ';
  const bool sugared = (row.flags & InstructionData::kSugaredAsync) != 0 && options_.async_sugar;
  if (sugared) {
    out_ += to_string(static_cast<Opcode>(row.number));
    out_ += to_string(row.opcode).substr(5);  // -start of async-start
  } else {
    out_ += i.opcode_text();
  }
  out_ += '(';
  if (row.opcode == Opcode::kParameter) {
    out_ += std::to_string(row.number);
  } else if (row.opcode == Opcode::kConstant) {
    out_ += i.text(AttributeKey::kConstantLiteral);
  } else {
    operands(i);
  }
  out_ += ')';
  attributes(i, depth);
}

void Printer::attributes(InstructionView i, int depth) {
  const InstructionData& row = i.data();
  if (row.opcode == Opcode::kGetTupleElement && !i.has(AttributeKey::kIndex)) {
    out_ += ", index=" + std::to_string(row.number);
  }
  const bool is_start = row.opcode == Opcode::kAsyncStart && (row.flags & InstructionData::kSugaredAsync) != 0;
  for (const AttributeData& a : i.attributes()) {
    switch (a.key) {
      case AttributeKey::kConstantLiteral: continue;
      case AttributeKey::kMetadata:
        if (!options_.metadata) continue;
        break;
      case AttributeKey::kBackendConfig:
        if (!options_.backend_config) continue;
        break;
      case AttributeKey::kControlPredecessors:
        if (!options_.control_predecessors) continue;
        break;
      default: break;
    }
    if (is_start) {
      // Written out, the start keeps what is common to all opcodes and the wrapped instruction the rest.
      const bool implied = a.key == AttributeKey::kCalls && a.value.size == 0;
      const bool common = implied || a.key <= AttributeKey::kBackendConfig || a.key == AttributeKey::kAsyncExecutionThread;
      if (options_.async_sugar ? implied : !common) continue;
    }
    out_ += ", ";
    attribute(i, a, depth);
  }
}

void Printer::attribute(InstructionView i, const AttributeData& a, int depth) {
  (void)i;
  (void)depth;
  if (a.key == AttributeKey::kUnknown) {
    out_ += module_.text(a.value);
    return;
  }
  out_ += to_string(a.key);
  out_ += '=';
  if (a.reference_count == 0) {
    out_ += module_.text(a.value);
    return;
  }
  const bool is_list = form(a.key) != AttributeForm::kComputation;
  if (is_list) out_ += '{';
  for (std::size_t k = 0; k < a.reference_count; ++k) {
    if (k > 0) out_ += ", ";
    const std::uint32_t index = module_.references(a)[k];
    name(a.key == AttributeKey::kControlPredecessors ? module_.instruction(InstructionId(index)).name()
                                                     : module_.computation(ComputationId(index)).name());
  }
  if (is_list) out_ += '}';
}

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
  options.operand_names = false;
  options.backend_config = false;
  options.full_computations = true;
  options.canonical_names = true;
  return options;
}

std::string print_module(const Module& module, const PrintOptions& options) {
  std::string out;
  out.reserve(module.source().size());
  Printer(module, options, out).module();
  return out;
}

std::string print_computation(ComputationView computation, const PrintOptions& options) {
  std::string out;
  Printer(computation.module(), options, out).computation(computation);
  return out;
}

std::string print_instruction(InstructionView instruction, const PrintOptions& options) {
  std::string out;
  Printer(instruction.module(), options, out).instruction(instruction, 0);
  return out;
}

}  // namespace hloroof::inline v0
