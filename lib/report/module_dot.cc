#include <vector>

#include "hloroof/module.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/report/find_instruction.h"
#include "lib/report/module_views.h"

namespace hloroof::internal {
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

// Writes the nodes that `keep` selects by InstructionId and the edges between them. Fills the node `center`.
std::string dot_of(const Module& module, const std::vector<bool>& keep, InstructionId center) {
  std::string out = "digraph ";
  append_quoted(out, module.name());
  out += " {\n  node [shape=box, fontsize=10];\n";
  for (ComputationView computation : module.computations()) {
    std::string nodes;
    for (InstructionView instruction : computation.instructions()) {
      if (!keep[instruction.id().index]) continue;
      std::string text = std::string(instruction.name()) + '\n';
      text += instruction.opcode_text();
      text += ' ';
      append_to(text, module.shapes(), instruction.shape_id());
      nodes += "    i" + std::to_string(instruction.id().index) + " [label=";
      append_quoted(nodes, text);
      if (instruction.is_root()) nodes += ", penwidth=2";
      if (center.valid() && instruction.id().index == center.index) nodes += ", style=filled, fillcolor=lightgrey";
      nodes += "];\n";
    }
    if (nodes.empty()) continue;
    out += "  subgraph cluster_" + std::to_string(computation.id().index) + " {\n    label=";
    append_quoted(out, computation.name());
    out += ";\n" + nodes + "  }\n";
  }
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (!keep[instruction.id().index]) continue;
      const std::string to = "i" + std::to_string(instruction.id().index);
      for (InstructionId operand : instruction.operand_ids()) {
        if (keep[operand.index]) out += "  i" + std::to_string(operand.index) + " -> " + to + ";\n";
      }
      for (ComputationId callee : instruction.called_computations()) {
        const InstructionId root = row_of(module, callee).root;
        if (root.valid() && keep[root.index]) {
          out += "  i" + std::to_string(root.index) + " -> " + to + " [style=dashed];\n";
        }
      }
    }
  }
  out += "}\n";
  return out;
}

}  // namespace

std::string module_dot(const Module& module) {
  return dot_of(module, std::vector<bool>(module.instruction_limit(), true), InstructionId());
}

absl::StatusOr<std::string> neighbourhood_dot(const Module& module, std::string_view name, std::size_t radius) {
  const absl::StatusOr<InstructionView> center = find_instruction(module, name);
  if (!center.ok()) return center.status();
  const Users users(module);
  std::vector<bool> keep(module.instruction_limit(), false);
  std::vector<InstructionId> edge = {center->id()};
  keep[center->id().index] = true;
  for (std::size_t step = 0; step < radius && !edge.empty(); ++step) {
    std::vector<InstructionId> next;
    const auto visit = [&](InstructionId id) {
      if (!id.valid() || keep[id.index]) return;
      keep[id.index] = true;
      next.push_back(id);
    };
    for (InstructionId id : edge) {
      for (InstructionId operand : module.instruction(id).operand_ids()) visit(operand);
      for (InstructionId user : users.of(id)) visit(user);
    }
    edge = std::move(next);
  }
  return dot_of(module, keep, center->id());
}

}  // namespace hloroof::internal
