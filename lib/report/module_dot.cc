#include "lib/report/module_views.h"

namespace hloroof::inline v0 {
namespace {

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

}  // namespace

std::string module_dot(const Module& module) {
  std::string out = "digraph ";
  append_quoted(out, module.name());
  out += " {\n  node [shape=box, fontsize=10];\n";
  for (ComputationView computation : module.computations()) {
    out += "  subgraph cluster_" + std::to_string(computation.id().index) + " {\n    label=";
    append_quoted(out, computation.name());
    out += ";\n";
    for (InstructionView instruction : computation.instructions()) {
      std::string text = std::string(instruction.name()) + '\n';
      text += instruction.opcode_text();
      text += ' ';
      append_to(text, module.shapes(), instruction.shape_id());
      out += "    i" + std::to_string(instruction.id().index) + " [label=";
      append_quoted(out, text);
      if (instruction.is_root()) out += ", penwidth=2";
      out += "];\n";
    }
    out += "  }\n";
  }
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      const std::string to = "i" + std::to_string(instruction.id().index);
      for (InstructionId operand : instruction.operand_ids()) {
        out += "  i" + std::to_string(operand.index) + " -> " + to + ";\n";
      }
      for (ComputationId callee : instruction.called_computations()) {
        const InstructionId root = module.data(callee).root;
        if (root.valid()) out += "  i" + std::to_string(root.index) + " -> " + to + " [style=dashed];\n";
      }
    }
  }
  out += "}\n";
  return out;
}

}  // namespace hloroof::inline v0
