#include "lib/explain/op_graph.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "absl/base/casts.h"
#include "hloroof/attributes.h"
#include "lib/analysis/op_name.h"
#include "lib/ir/rows.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline explain {
namespace {

std::uint64_t hash_of_text(std::string_view text) { return std::hash<std::string_view>()(text); }

// Hashes an op_name without the name of the module, which another version of the program may have changed. The compiler
// names ops that it adds after instructions, such as "broadcast.48", whose number means nothing.
std::uint64_t op_name_hash(std::string_view name, std::string_view module_name) {
  name = without_program(name, module_name);
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end != std::string_view::npos && name[end] == '.') name = name.substr(0, end);
  return hash_of_text(name);
}

// Attributes that say where an instruction is from, how it is numbered or how the compiler chose to run it. References
// to computations are compared by their content instead.
bool is_compared(const AttributeData& attribute) {
  switch (attribute.key) {
    case AttributeKey::kMetadata:
    case AttributeKey::kBackendConfig:
    case AttributeKey::kFrontendAttributes:
    case AttributeKey::kStatistics:
    case AttributeKey::kOrigin:
    case AttributeKey::kChannelId:
    case AttributeKey::kControlPredecessors: return false;
    default: return attribute.reference_count == 0;
  }
}

std::uint64_t attributes_hash(InstructionView instruction) {
  std::uint64_t sum = 0;  // the order of attributes has no meaning
  for (const AttributeData& attribute : instruction.attributes()) {
    if (!is_compared(attribute)) continue;
    sum += combine(static_cast<std::uint64_t>(attribute.key), hash_of_text(instruction.module().text(attribute.value)));
  }
  if (instruction.opcode() == Opcode::kGetTupleElement) sum += combine(1, row_of(instruction).number);
  return sum;
}

std::uint64_t opcode_hash(InstructionView instruction) {
  return combine(hash_of_text(instruction.opcode_text()),
                 hash_of_text(instruction.text(AttributeKey::kCustomCallTarget)));
}

// The computations that run as part of the step appear as nodes. All others (fused, applied) are part of their caller.
struct Computations {
  std::vector<bool> runs;             // by ComputationId
  std::vector<std::uint64_t> inside;  // of those that do not run
  std::vector<std::uint64_t> scope;   // of those that run
};

struct ShapeHashes {
  std::vector<std::uint64_t> form;  // by ShapeId
  std::vector<std::uint64_t> plain;
  std::vector<std::uint64_t> with_layout;
};

ShapeHashes hash_shapes(const Module& module) {
  ShapeHashes hashes;
  const ShapeTable& table = module.shapes();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const ShapeId id(i);
    std::uint64_t form = 0;
    for (const ShapeId leaf : table.leaves(id)) {
      form =
          combine(form, combine(static_cast<std::uint64_t>(table[leaf].element_type), table[leaf].dimensions.size()));
    }
    hashes.form.push_back(form);
    hashes.plain.push_back(hash_of_text(to_string(table, id, ShapeText::kWithoutLayout)));
    hashes.with_layout.push_back(hash_of_text(to_string(table, id)));
  }
  return hashes;
}

class GraphBuilder {
 public:
  GraphBuilder(const StepPrediction& prediction, const Module& module)
      : prediction_(prediction), module_(module), shapes_(hash_shapes(module)) {}

  OpGraph build() {
    find_running();
    find_collectives();
    hash_insides();
    find_scopes();
    add_nodes();
    add_edges();
    return std::move(graph_);
  }

 private:
  void find_running() {
    op_of_.assign(module_.instruction_limit(), OpNode::kNone);
    computations_.runs.assign(module_.computation_limit(), false);
    for (std::uint32_t i = 0; i < prediction_.ops.size(); ++i) {
      const InstructionId id = prediction_.ops[i].id;
      op_of_[id.index] = i;
      computations_.runs[row_of(module_, id).computation.index] = true;
    }
  }

  void find_collectives() {
    collective_of_.assign(module_.instruction_limit(), 0);
    for (const Collective& collective : prediction_.facts->collectives.collectives) {
      const InstructionId end = collective.done.valid() ? collective.done : collective.carrier;
      if (end.valid()) collective_of_[end.index] = static_cast<std::uint64_t>(collective.kind) + 1;
    }
  }

  // Computes a hash of the expression that each computation returns. Callees and operands come first.
  void hash_insides() {
    computations_.inside.assign(module_.computation_limit(), 0);
    std::vector<std::uint64_t> value(module_.instruction_limit());
    for (const ComputationView computation : module_.computations()) {
      if (computations_.runs[computation.id().index]) continue;
      std::uint64_t count = 0;
      for (const InstructionView instruction : computation.instructions()) {
        std::uint64_t hash = combine(opcode_hash(instruction), shapes_.plain[instruction.shape_id().index]);
        hash = combine(hash, combine(attributes_hash(instruction), inside(instruction)));
        if (instruction.opcode() == Opcode::kParameter) hash = combine(hash, row_of(instruction).number);
        for (const InstructionId operand : instruction.operand_ids()) hash = combine(hash, value[operand.index]);
        value[instruction.id().index] = hash;
        ++count;
      }
      if (count == 0) continue;
      computations_.inside[computation.id().index] = combine(value[computation.root().id().index], count);
    }
  }

  std::uint64_t inside(InstructionView instruction) const {
    std::uint64_t hash = 0;
    for (const AttributeData& attribute : instruction.attributes()) {
      if (attribute.reference_count == 0 || attribute.key == AttributeKey::kControlPredecessors) continue;
      for (const std::uint32_t called : ModuleRows::references(module_, attribute)) {
        if (!computations_.runs[called]) hash = combine(hash, computations_.inside[called]);
      }
    }
    return hash;
  }

  // Callers come after their callees in the list of computations, so the outermost scope is found first from its end.
  void find_scopes() {
    computations_.scope.assign(module_.computation_limit(), 0);
    const auto all = module_.computations();
    for (std::size_t i = all.size(); i-- > 0;) {
      if (!computations_.runs[all[i].id().index]) continue;
      const std::uint64_t around = computations_.scope[all[i].id().index];
      for (const InstructionView instruction : all[i].instructions()) {
        std::uint64_t place = 0;
        for (const AttributeData& attribute : instruction.attributes()) {
          if (attribute.reference_count == 0 || attribute.key == AttributeKey::kControlPredecessors) continue;
          for (const std::uint32_t called : ModuleRows::references(module_, attribute)) {
            ++place;
            if (!computations_.runs[called] || computations_.scope[called] != 0) continue;
            computations_.scope[called] = combine(combine(around, opcode_hash(instruction)),
                                                  combine(static_cast<std::uint64_t>(attribute.key), place));
          }
        }
      }
    }
  }

  void add_nodes() {
    node_of_.assign(module_.instruction_limit(), OpNode::kNone);
    for (const ComputationView computation : module_.computations()) {
      if (!computations_.runs[computation.id().index]) continue;
      for (const InstructionView instruction : computation.instructions()) {
        node_of_[instruction.id().index] = static_cast<std::uint32_t>(graph_.nodes.size());
        graph_.nodes.push_back(node(instruction));
      }
    }
  }

  OpNode node(InstructionView instruction) const {
    OpNode node;
    node.id = instruction.id();
    node.op = op_of_[instruction.id().index];
    const std::string name = node.op != OpNode::kNone ? prediction_.ops[node.op].op_name : op_name(instruction);
    node.has_op_name = !name.empty();
    node.op_name = op_name_hash(name, prediction_.module_name);
    node.opcode = opcode_hash(instruction);
    node.collective = collective_of_[instruction.id().index];
    node.category = node.op != OpNode::kNone ? hash_of_text(prediction_.ops[node.op].category) : 0;
    node.scope = computations_.scope[instruction.computation().id().index];
    const std::uint32_t shape = instruction.shape_id().index;
    node.form = shapes_.form[shape];
    node.shapes = shapes_.plain[shape];
    node.layouts = shapes_.with_layout[shape];
    for (const InstructionView operand : instruction.operands()) {
      node.shapes = combine(node.shapes, shapes_.plain[operand.shape_id().index]);
      node.layouts = combine(node.layouts, shapes_.with_layout[operand.shape_id().index]);
    }
    node.attributes = attributes_hash(instruction);
    node.inside = inside(instruction);
    return node;
  }

  void add_edges() {
    OpGraph::Edges& operands = graph_.operands;
    operands.begin.push_back(0);
    for (const OpNode& node : graph_.nodes) {
      const InstructionView instruction = module_.instruction(node.id);
      for (const InstructionId operand : instruction.operand_ids()) add_operand(operand);
      for (const AttributeData& attribute : instruction.attributes()) {
        if (attribute.reference_count == 0 || attribute.key == AttributeKey::kControlPredecessors) continue;
        for (const std::uint32_t called : ModuleRows::references(module_, attribute)) {
          if (!computations_.runs[called]) continue;
          const ComputationView computation = module_.computation(ComputationId(called));
          add_operand(row_of(computation).root);
          for (const InstructionId parameter : computation.parameters()) add_operand(parameter);
        }
      }
      operands.begin.push_back(static_cast<std::uint32_t>(operands.edges.size()));
    }
    OpGraph::Edges& users = graph_.users;
    users.begin.assign(graph_.nodes.size() + 1, 0);
    for (const std::uint32_t operand : operands.edges) ++users.begin[operand + 1];
    for (std::size_t i = 1; i < users.begin.size(); ++i) users.begin[i] += users.begin[i - 1];
    users.edges.resize(operands.edges.size());
    std::vector<std::uint32_t> at(users.begin.begin(), users.begin.end() - 1);
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const std::uint32_t operand : operands.of(i)) users.edges[at[operand]++] = i;
    }
  }

  void add_operand(InstructionId id) {
    if (id.valid() && node_of_[id.index] != OpNode::kNone) graph_.operands.edges.push_back(node_of_[id.index]);
  }

  const StepPrediction& prediction_;
  const Module& module_;
  ShapeHashes shapes_;
  Computations computations_;
  std::vector<std::uint64_t> collective_of_;  // by InstructionId
  std::vector<std::uint32_t> op_of_;          // by InstructionId
  std::vector<std::uint32_t> node_of_;        // by InstructionId
  OpGraph graph_;
};

OpGraph graph_of_fields(const StepPrediction& prediction) {
  OpGraph graph;
  for (const OpPrediction& op : prediction.ops) {
    OpNode node;
    node.op = static_cast<std::uint32_t>(graph.nodes.size());
    node.has_op_name = !op.op_name.empty();
    node.opcode = hash_of_text(op.opcode);
    node.category = hash_of_text(op.category);
    node.op_name = op_name_hash(op.op_name, prediction.module_name);
    node.shapes =
        combine(absl::bit_cast<std::uint64_t>(op.work->flops), absl::bit_cast<std::uint64_t>(op.work->logical_bytes));
    node.layouts = combine(node.shapes, absl::bit_cast<std::uint64_t>(op.work->padded_bytes));
    graph.nodes.push_back(node);
  }
  graph.operands.begin.assign(graph.nodes.size() + 1, 0);
  graph.users.begin = graph.operands.begin;
  return graph;
}

}  // namespace

OpGraph make_op_graph(const StepPrediction& prediction, bool read_module) {
  if (!read_module || prediction.facts == nullptr) return graph_of_fields(prediction);
  return GraphBuilder(prediction, *prediction.facts->module).build();
}

std::vector<std::string> changed_attributes(InstructionView a, InstructionView b) {
  std::vector<std::string> names;
  const auto add_missing = [&names](InstructionView from, InstructionView other) {
    for (const AttributeData& attribute : from.attributes()) {
      if (!is_compared(attribute)) continue;
      std::string_view name = to_string(attribute.key);
      if (attribute.key == AttributeKey::kConstantLiteral) name = "value";
      if (name.empty()) name = "attributes";
      bool same = false;
      for (const AttributeData& candidate : other.attributes()) {
        same = same || (candidate.key == attribute.key &&
                        other.module().text(candidate.value) == from.module().text(attribute.value));
      }
      if (!same && std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
    }
  };
  add_missing(a, b);
  add_missing(b, a);
  return names;
}

}  // namespace hloroof::internal::inline explain
