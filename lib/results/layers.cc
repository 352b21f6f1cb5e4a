#include "lib/results/layers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "lib/results/combined.h"
#include "lib/step/facts.h"
#include "lib/work/kernel_shapes.h"

namespace hloroof::internal::inline results {
namespace {

// Deeper scopes belong to the one at this depth, which bounds the total length of the paths.
constexpr std::size_t kMaxLayerDepth = 64;

// The ops with the same op_name and opcode.
struct SameName {
  double seconds = 0;
  double wait_seconds = 0;
  double executions = 0;  // the sum
  double most_executions = 0;
  double count_with_most = 0;
  std::vector<std::size_t> ops;  // indices in StepPrediction::ops

  // How often one of the ops runs. An iteration that the compiler moved out of the loop has its own op of this name,
  // which counts as one more run.
  double runs() const { return std::round(executions / count_with_most); }
};

// The body of the loop that most of the ops of a computation name, by computation. XLA leaves out the beginning of the
// op_name of some ops, which this completes.
std::map<std::string_view, std::string_view> bodies_of_loops(const StepPrediction& prediction) {
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> votes;
  for (const OpPrediction& op : prediction.ops) {
    if (op.executions <= 1) continue;  // ENTRY has iterations that the compiler moved out of loops
    const OpPath path = parse_op_name(op.op_name, prediction.module_name);
    if (!path.is_complete || path.loops == 0) continue;
    ++votes[{op.computation, std::string_view(op.op_name).substr(0, path.body_length)}];
  }
  std::map<std::string_view, std::string_view> bodies;
  std::map<std::string_view, std::size_t> most;
  for (const auto& [body, count] : votes) {
    if (count <= most[body.first]) continue;
    most[body.first] = count;
    bodies[body.first] = body.second;
  }
  return bodies;
}

// The op_name, or what a combined collective is of.
struct SharedName {
  std::string text;
  std::string_view opcode;
  bool is_combined = false;

  // Written out: string_view has no <=> in the C++ library of Debian's emscripten.
  friend bool operator<(const SharedName& a, const SharedName& b) {
    return std::tie(a.text, a.opcode, a.is_combined) < std::tie(b.text, b.opcode, b.is_combined);
  }
};

std::map<SharedName, SameName> group_by_name(const StepPrediction& prediction) {
  const auto bodies = bodies_of_loops(prediction);
  const std::map<std::uint32_t, std::string> combined = combined_collectives(prediction);
  std::map<SharedName, SameName> groups;
  for (const OpPrediction& op : prediction.ops) {
    if (op.exposed_seconds == 0) continue;
    std::string name = op.op_name;
    const auto body = bodies.find(op.computation);
    if (!name.empty() && body != bodies.end() && !parse_op_name(name, prediction.module_name).is_complete) {
      name.insert(0, std::string(body->second) + "/");
    }
    const auto of_several = combined.find(op.id.index);
    if (of_several != combined.end()) name = of_several->second;
    SameName& group = groups[{std::move(name), op.opcode, of_several != combined.end()}];
    group.seconds += op.exposed_seconds;
    group.wait_seconds += op.wait_seconds;
    group.executions += op.executions;
    group.ops.push_back(static_cast<std::size_t>(&op - prediction.ops.data()));
    if (op.executions > group.most_executions) {
      group.most_executions = op.executions;
      group.count_with_most = 0;
    }
    if (op.executions == group.most_executions) ++group.count_with_most;
  }
  return groups;
}

// The name of a leaf, without the number that XLA appends: "broadcast.178". In the name of an argument, indices are
// folded: p['layers'][*]['wq'].
std::string leaf_name(std::string_view op) {
  if (op.find('[') != std::string_view::npos) return fold_numbers(op);
  const std::size_t end = op.find_last_not_of("0123456789");
  if (end != std::string_view::npos && end > 0 && end + 1 < op.size() && op[end] == '.') op = op.substr(0, end);
  return std::string(op);
}

struct Node {
  std::string name;
  std::size_t parent = Layer::kNoParent;
  std::size_t depth = 0;
  bool is_op = false;
  std::size_t scopes = 0;         // directly in it
  double copies = 1;              // numbered scopes that are folded into this one
  std::map<double, double> runs;  // seconds of the ops by how often they run, for the body of a loop
  LayerTimes times;
  std::vector<std::size_t> ops;  // of a leaf

  void add(const LayerTimes& more, const std::vector<std::size_t>& more_ops) {
    times.add(more);
    ops.insert(ops.end(), more_ops.begin(), more_ops.end());
  }
};

// Nodes are made on demand. Parents precede their children.
class Tree {
 public:
  std::size_t child(std::size_t parent, std::string name, bool is_op) {
    const auto [found, is_new] = index_.try_emplace({parent, name, is_op}, nodes.size());
    if (!is_new) return found->second;
    Node node;
    node.name = std::move(name);
    node.parent = parent;
    node.is_op = is_op;
    if (parent != Layer::kNoParent) {
      node.depth = nodes[parent].depth + 1;
      if (!is_op) ++nodes[parent].scopes;
    }
    nodes.push_back(std::move(node));
    return found->second;
  }

  std::vector<Node> nodes;

 private:
  std::map<std::tuple<std::size_t, std::string, bool>, std::size_t> index_;
};

Tree tree_of(const StepPrediction& prediction) {
  Tree tree;
  for (const auto& [name, group] : group_by_name(prediction)) {
    const auto& [op_name, opcode, is_combined] = name;
    LayerTimes times;
    times.seconds = group.seconds;
    times.wait_seconds = group.wait_seconds;
    if (is_combined) {
      times.of_phase[static_cast<std::size_t>(Phase::kOther)] = group.seconds;
      const std::size_t all = tree.child(Layer::kNoParent, op_name, false);
      tree.nodes[tree.child(all, std::string(opcode), true)].add(times, group.ops);
      continue;
    }
    const OpPath path = parse_op_name(op_name, prediction.module_name);
    times.of_phase[static_cast<std::size_t>(phase_of(path, prediction, prediction.ops[group.ops.front()]))] =
        group.seconds;
    if (op_name.empty()) {
      tree.nodes[tree.child(Layer::kNoParent, std::string(kNoOpName), true)].add(times, group.ops);
      continue;
    }
    std::size_t at = Layer::kNoParent;
    for (std::size_t i = 0; i < std::min(path.scopes.size(), kMaxLayerDepth); ++i) {
      at = tree.child(at, std::string(path.scopes[i]), false);
      if (i < path.outer_looped_scope) tree.nodes[at].runs[1] += group.seconds;
      if (i == path.looped_scope) tree.nodes[at].runs[group.runs()] += group.seconds;
    }
    if (path.scopes.empty()) at = tree.child(at, std::string(kNoLayer), false);
    // A path that ends in a scope is that of a whole function, whose op has no other name than its opcode.
    at = tree.child(at, path.op.empty() ? std::string(opcode) : leaf_name(path.op), true);
    tree.nodes[at].add(times, group.ops);
  }
  return tree;
}

// Scopes in the same scope whose names differ only in numbers.
struct Numbered {
  std::set<std::string_view> names;
  std::size_t most_scopes = 0;

  void add(const Node& node) {
    names.insert(node.name);
    most_scopes = std::max(most_scopes, node.scopes);
  }
  // Two that contain one scope each, such as wi_0 and wi_1 with an einsum in them, are parts of one layer.
  bool are_layers() const { return names.size() > 2 || (names.size() == 2 && most_scopes > 1); }
};

// Returns the tree in which numbered scopes with the same parent are one, level by level.
Tree fold_numbered(const Tree& tree) {
  std::vector<std::size_t> by_depth(tree.nodes.size());
  std::iota(by_depth.begin(), by_depth.end(), std::size_t{0});
  std::stable_sort(by_depth.begin(), by_depth.end(),
                   [&](std::size_t a, std::size_t b) { return tree.nodes[a].depth < tree.nodes[b].depth; });
  Tree folded;
  std::vector<std::size_t> to(tree.nodes.size());
  using FoldedName = std::pair<std::size_t, std::string>;  // with its parent in `folded`
  for (std::size_t begin = 0; begin < by_depth.size();) {
    std::size_t end = begin;
    std::map<FoldedName, Numbered> names;
    const auto parent_of = [&](const Node& node) {
      return node.parent == Layer::kNoParent ? Layer::kNoParent : to[node.parent];
    };
    for (; end < by_depth.size() && tree.nodes[by_depth[end]].depth == tree.nodes[by_depth[begin]].depth; ++end) {
      const Node& node = tree.nodes[by_depth[end]];
      if (node.scopes > 0) names[{parent_of(node), fold_numbers(node.name)}].add(node);
    }
    for (; begin < end; ++begin) {
      const Node& node = tree.nodes[by_depth[begin]];
      std::string name = node.name;
      double copies = 1;
      if (node.scopes > 0) {
        std::string with_star = fold_numbers(node.name);
        const Numbered& same = names[{parent_of(node), with_star}];
        if (same.are_layers()) {
          name = std::move(with_star);
          copies = static_cast<double>(same.names.size());
        }
      }
      const std::size_t at = folded.child(parent_of(node), std::move(name), node.is_op);
      to[by_depth[begin]] = at;
      Node& into = folded.nodes[at];
      into.copies = copies;
      into.add(node.times, node.ops);
      for (const auto& [runs, seconds] : node.runs) into.runs[runs] += seconds;
    }
  }
  return folded;
}

// The number of runs that most of the time has.
double likeliest_runs(const Node& node) {
  double best = 1;
  double most = 0;
  for (const auto& [runs, seconds] : node.runs) {
    if (seconds <= most) continue;
    best = runs;
    most = seconds;
  }
  return best;
}

std::vector<Layer> in_preorder(const Tree& tree, double step_seconds) {
  const std::vector<Node>& nodes = tree.nodes;
  const std::size_t top = nodes.size();
  std::vector<std::vector<std::size_t>> children(nodes.size() + 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    children[nodes[i].parent == Layer::kNoParent ? top : nodes[i].parent].push_back(i);
  }
  for (std::vector<std::size_t>& siblings : children) {  // the least time first, because the stack reverses the order
    std::stable_sort(siblings.begin(), siblings.end(),
                     [&](std::size_t a, std::size_t b) { return nodes[a].times.seconds < nodes[b].times.seconds; });
  }
  std::vector<Layer> layers;
  layers.reserve(nodes.size());
  std::vector<std::pair<std::size_t, std::size_t>> open;  // node, and its parent in `layers`
  for (std::size_t child : children[top]) open.emplace_back(child, Layer::kNoParent);
  while (!open.empty()) {
    const auto [at, parent] = open.back();
    open.pop_back();
    Layer layer;
    layer.name = nodes[at].name;
    layer.path = parent == Layer::kNoParent ? layer.name : layers[parent].path + "/" + layer.name;
    layer.depth = static_cast<std::int64_t>(nodes[at].depth);
    layer.is_op = nodes[at].is_op;
    layer.repeats = nodes[at].copies * likeliest_runs(nodes[at]);
    layer.times = nodes[at].times;
    layer.share = step_seconds > 0 ? layer.times.seconds / step_seconds : 0;
    layer.parent = parent;
    layer.ops = nodes[at].ops;
    for (std::size_t child : children[at]) open.emplace_back(child, layers.size());
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace

void LayerTimes::add(const LayerTimes& more) {
  seconds += more.seconds;
  wait_seconds += more.wait_seconds;
  for (std::size_t i = 0; i < kPhaseCount; ++i) of_phase[i] += more.of_phase[i];
}

Phase phase_of(const OpPath& path, const StepPrediction& prediction, const OpPrediction& op) {
  if (path.phase != Phase::kRemat || prediction.facts == nullptr) return path.phase;
  return is_backward_kernel(prediction.facts->module->instruction(op.id)) ? Phase::kBackward : path.phase;
}

std::vector<Layer> make_layers(const StepPrediction& prediction) {
  Tree tree = fold_numbered(tree_of(prediction));
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const Node& node = tree.nodes[i];
    if (node.parent != Layer::kNoParent) tree.nodes[node.parent].times.add(node.times);
  }
  return in_preorder(tree, prediction.step_seconds);
}

}  // namespace hloroof::internal::inline results
