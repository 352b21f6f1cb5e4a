#include "lib/explain/module_dot.h"

#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "hloroof/module.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/explain/find_instruction.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal::inline explain {
namespace {

// The colours of nodes by their share of the step, from little to much.
struct ShareColour {
  double least = 0;  // share of the step
  const char* colour = "";
};
constexpr ShareColour kShareColours[] = {
    {0, "#f7f7f7"}, {0.001, "#fee8c8"}, {0.01, "#fdbb84"}, {0.03, "#fc8d59"}, {0.1, "#e34a33"}};

// In the label of a node. A longer one would make the node, and thus the whole graph, too wide.
constexpr std::size_t kLongestShape = 80;

const char* colour_of(double share) {
  const char* colour = kShareColours[0].colour;
  for (const ShareColour& step : kShareColours) {
    if (share >= step.least) colour = step.colour;
  }
  return colour;
}

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

// "bf16[32,4096]"; "(3 arrays)" for a tuple.
std::string edge_label(const Module& module, ShapeId id) {
  const Shape& shape = module.shape(id);
  if (!shape.is_array()) {
    return shape.is_tuple() ? absl::StrFormat("(%d arrays)", module.shapes().leaves(id).size())
                            : std::string(to_string(shape.element_type));
  }
  std::string text = std::string(to_string(shape.element_type)) + "[";
  for (std::size_t i = 0; i < shape.dimensions.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(shape.dimensions[i]);
  }
  return text + "]";
}

struct DotEdge {
  InstructionId from;
  ShapeId shape;            // of the first array that it carries
  std::int64_t arrays = 0;  // that it carries
};

// The instructions that compute something, and the arrays that go from one to the other. Tuples, their elements and
// bitcasts are parts of the edges.
class DotGraph {
 public:
  // Does not fold `center`, if that is valid.
  DotGraph(const Module& module, InstructionId center) : module_(module), center_(center) {
    edges_.resize(module.instruction_limit());
    is_result_.resize(module.instruction_limit(), false);
    for (ComputationView computation : module.computations()) {
      for (InstructionView instruction : computation.instructions()) {
        if (!is_node(instruction.id())) continue;
        edge_from_.clear();
        for (InstructionId operand : instruction.operand_ids()) add_sources(operand, edges_[instruction.id().index]);
      }
      if (!row_of(computation).root.valid()) continue;
      std::vector<DotEdge> results;
      edge_from_.clear();
      add_sources(row_of(computation).root, results);
      for (const DotEdge& result : results) is_result_[result.from.index] = true;
    }
  }

  bool is_node(InstructionId id) const { return id == center_ || !is_alias(row_of(module_, id).opcode); }
  const std::vector<DotEdge>& into(InstructionId id) const { return edges_[id.index]; }
  // Whether it makes a result of its computation.
  bool is_result(InstructionId id) const { return is_result_[id.index]; }

 private:
  struct Open {
    InstructionId id;
    std::vector<std::int64_t> path;  // the element of its result that is wanted, innermost index first
    ShapeId shape;
  };

  // Adds the nodes that make the arrays of `operand`.
  void add_sources(InstructionId operand, std::vector<DotEdge>& edges) {
    std::vector<Open> open = {{operand, {}, row_of(module_, operand).shape}};
    std::set<std::uint32_t> unpacked;  // whole tuples: each once
    while (!open.empty()) {
      Open at = std::move(open.back());
      open.pop_back();
      const InstructionView instruction = module_.instruction(at.id);
      const Flow way = flow(instruction.opcode());
      if (is_node(at.id) || instruction.operand_count() == 0) {
        if (is_node(at.id)) add_edge(at, edges);
      } else if (way == Flow::kPicks) {
        at.path.push_back(instruction.tuple_index());
        open.push_back({instruction.operand_ids()[0], std::move(at.path), at.shape});
      } else if (way == Flow::kPacks && at.path.empty()) {
        if (!unpacked.insert(at.id.index).second) continue;
        for (std::size_t i = instruction.operand_count(); i-- > 0;) {
          const InstructionId element = instruction.operand_ids()[i];
          open.push_back({element, {}, row_of(module_, element).shape});
        }
      } else if (way == Flow::kPacks) {
        const auto element = static_cast<std::size_t>(at.path.back());
        if (element >= instruction.operand_count()) continue;
        at.path.pop_back();
        open.push_back({instruction.operand_ids()[element], std::move(at.path), at.shape});
      } else {
        open.push_back({instruction.operand_ids()[0], std::move(at.path), at.shape});
      }
    }
  }

  void add_edge(const Open& source, std::vector<DotEdge>& edges) {
    const auto [found, is_new] = edge_from_.try_emplace(source.id.index, edges.size());
    if (is_new) edges.push_back({source.id, source.shape, 0});
    ++edges[found->second].arrays;
  }

  const Module& module_;
  const InstructionId center_;
  std::vector<std::vector<DotEdge>> edges_;  // by InstructionId
  // While the edges into one instruction are made: their indices, by InstructionId of the other end.
  std::unordered_map<std::uint32_t, std::size_t> edge_from_;
  std::vector<bool> is_result_;  // by InstructionId
};

class DotWriter {
 public:
  DotWriter(const Module& module, const StepPrediction* prediction, InstructionId center)
      : module_(module), graph_(module, center), prediction_(prediction), center_(center) {
    if (prediction == nullptr) return;
    for (const OpPrediction& op : prediction->ops) ops_[op.id.index] = &op;
  }

  const DotGraph& graph() const { return graph_; }

  // Writes the nodes that `keep` selects by InstructionId.
  std::string run(const std::vector<bool>& keep) {
    out_ = "digraph ";
    append_quoted(out_, module_.name());
    out_ += " {\n  node [shape=box, fontsize=10];\n  edge [fontsize=8];\n";
    if (prediction_ != nullptr) legend();
    clusters(keep);
    for (ComputationView computation : module_.computations()) {
      for (InstructionView instruction : computation.instructions()) {
        if (keep[instruction.id().index]) edges(instruction, keep);
      }
    }
    return out_ + "}\n";
  }

 private:
  bool is_shown(InstructionId id, const std::vector<bool>& keep) const { return keep[id.index] && graph_.is_node(id); }

  void legend() {
    out_ += "  legend [shape=plain, label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\"><tr><td>share of " +
            format_seconds(prediction_->step_seconds) + "</td>";
    for (const ShareColour& step : kShareColours) {
      out_ += absl::StrFormat("<td bgcolor=\"%s\">%s</td>", step.colour,
                              step.least > 0 ? absl::StrFormat("from %g %%", 100 * step.least) : "less");
    }
    out_ += "</tr></table>>];\n";
  }

  void node(InstructionView instruction, const std::string& indent) {
    std::string text = std::string(instruction.name()) + '\n';
    text += instruction.opcode_text();
    text += ' ';
    std::string shape;
    append_to(shape, module_.shapes(), instruction.shape_id());
    text += shape.size() <= kLongestShape ? shape : edge_label(module_, instruction.shape_id());
    const auto op = ops_.find(instruction.id().index);
    double share = 0;
    if (op != ops_.end() && op->second->exposed_seconds > 0 && prediction_->step_seconds > 0) {
      share = op->second->exposed_seconds / prediction_->step_seconds;
      text += "\n" + format_seconds(op->second->exposed_seconds) + ", " + format_percent(share) + " of the step";
      if (op->second->wait_seconds > 0) text += "; waits " + format_seconds(op->second->wait_seconds);
    }
    out_ += indent + "i" + std::to_string(instruction.id().index) + " [label=";
    append_quoted(out_, text);
    if (graph_.is_result(instruction.id())) out_ += ", penwidth=2";
    if (instruction.id() == center_) {
      out_ += prediction_ == nullptr ? ", style=filled, fillcolor=lightgrey" : ", peripheries=2";
    }
    if (prediction_ != nullptr) out_ += absl::StrFormat(", style=filled, fillcolor=\"%s\"", colour_of(share));
    out_ += "];\n";
  }

  // Writes the nodes of each computation as a cluster, inside that of its first caller.
  void clusters(const std::vector<bool>& keep) {
    std::vector<InstructionId> caller(module_.computation_limit());
    std::vector<std::vector<ComputationId>> inside(module_.computation_limit());
    for (ComputationView computation : module_.computations()) {
      for (InstructionView instruction : computation.instructions()) {
        for (ComputationId callee : instruction.called_computations()) {
          if (caller[callee.index].valid() || callee == computation.id()) continue;
          caller[callee.index] = instruction.id();
          inside[computation.id().index].push_back(callee);
        }
      }
    }
    std::vector<bool> is_written(module_.computation_limit(), false);
    for (ComputationView computation : module_.computations()) {
      if (!caller[computation.id().index].valid()) cluster(computation.id(), caller, inside, keep, is_written);
    }
    for (ComputationView computation : module_.computations()) {  // those that call one another
      cluster(computation.id(), caller, inside, keep, is_written);
    }
  }

  void cluster(ComputationId outermost, const std::vector<InstructionId>& caller,
               const std::vector<std::vector<ComputationId>>& inside, const std::vector<bool>& keep,
               std::vector<bool>& is_written) {
    struct OpenCluster {
      ComputationId id;
      std::size_t next = 0;  // of the clusters in it
    };
    std::vector<OpenCluster> open;
    const auto begin = [&](ComputationId id) {
      if (is_written[id.index]) return;
      is_written[id.index] = true;
      const std::string indent(2 * open.size() + 2, ' ');
      out_ += indent + "subgraph cluster_" + std::to_string(id.index) + " {\n" + indent + "  label=";
      std::string label(module_.computation(id).name());
      if (caller[id.index].valid()) {
        const InstructionView by = module_.instruction(caller[id.index]);
        label = std::string(by.opcode_text()) + " " + std::string(by.name()) + ": " + label;
      }
      append_quoted(out_, label);
      out_ += ";\n";
      for (InstructionView instruction : module_.computation(id).instructions()) {
        if (is_shown(instruction.id(), keep)) node(instruction, indent + "  ");
      }
      open.push_back({id, 0});
    };
    begin(outermost);
    while (!open.empty()) {
      OpenCluster& at = open.back();
      const std::vector<ComputationId>& callees = inside[at.id.index];
      if (at.next < callees.size()) {
        begin(callees[at.next++]);  // invalidates `at`
        continue;
      }
      out_ += std::string(2 * open.size(), ' ') + "}\n";
      open.pop_back();
    }
  }

  void edges(InstructionView instruction, const std::vector<bool>& keep) {
    if (!graph_.is_node(instruction.id())) return;
    const std::string to = "i" + std::to_string(instruction.id().index);
    for (const DotEdge& edge : graph_.into(instruction.id())) {
      if (!is_shown(edge.from, keep)) continue;
      std::string label = edge_label(module_, edge.shape);
      if (edge.arrays > 1) label += absl::StrFormat(" and %d more", edge.arrays - 1);
      out_ += "  i" + std::to_string(edge.from.index) + " -> " + to + " [label=";
      append_quoted(out_, label);
      out_ += "];\n";
    }
    std::set<std::uint32_t> roots;
    for (ComputationId callee : instruction.called_computations()) {
      for (InstructionView made : module_.computation(callee).instructions()) {
        if (!graph_.is_result(made.id()) || !is_shown(made.id(), keep)) continue;
        if (!roots.insert(made.id().index).second) continue;
        out_ += "  i" + std::to_string(made.id().index) + " -> " + to + " [style=dashed];\n";
      }
    }
  }

  const Module& module_;
  const DotGraph graph_;
  const StepPrediction* prediction_;
  const InstructionId center_;
  std::unordered_map<std::uint32_t, const OpPrediction*> ops_;
  std::string out_;
};

}  // namespace

std::string module_dot(const Module& module, const StepPrediction* prediction) {
  return DotWriter(module, prediction, InstructionId()).run(std::vector<bool>(module.instruction_limit(), true));
}

absl::StatusOr<std::string> neighbourhood_dot(const Module& module, std::string_view name, std::size_t radius,
                                              const StepPrediction* prediction) {
  const absl::StatusOr<InstructionView> center = find_instruction(module, name);
  if (!center.ok()) return center.status();
  DotWriter writer(module, prediction, center->id());
  const DotGraph& graph = writer.graph();
  std::vector<std::vector<InstructionId>> users(module.instruction_limit());
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      for (const DotEdge& edge : graph.into(instruction.id())) users[edge.from.index].push_back(instruction.id());
    }
  }
  std::vector<bool> keep(module.instruction_limit(), false);
  std::vector<InstructionId> edge = {center->id()};
  keep[center->id().index] = true;
  for (std::size_t step = 0; step < radius && !edge.empty(); ++step) {
    std::vector<InstructionId> next;
    const auto visit = [&](InstructionId id) {
      if (keep[id.index]) return;
      keep[id.index] = true;
      next.push_back(id);
    };
    for (InstructionId id : edge) {
      for (const DotEdge& into : graph.into(id)) visit(into.from);
      for (InstructionId user : users[id.index]) visit(user);
    }
    edge = std::move(next);
  }
  return writer.run(keep);
}

}  // namespace hloroof::internal::inline explain
