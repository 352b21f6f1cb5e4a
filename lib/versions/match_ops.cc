// Tests of equality ("levels") run from strict to loose. At each level:
//
//   1. Each node gets a hash of its surroundings up to a radius (Weisfeiler-Lehman), in which a matched neighbour
//   counts
//      as its pair. Nodes match that are the only ones with their hash, then those of which both graphs have the same
//      number. The radius shrinks from several edges to none.
//   2. Matches spread to neighbours: operands at the same position, and users that are equal at the level.
//
// At last, the nodes that remain and are equal at a level match in order.
#include "lib/versions/match_ops.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "absl/types/span.h"

namespace hloroof::internal::inline versions {
namespace {

constexpr int kMatchRadius = 4;  // farther neighbours rarely separate nodes that nearer ones do not

enum class MatchLevel : std::uint8_t {
  kSame,        // the same op with the same shapes
  kShapes,      // the same op_name and shapes
  kForm,        // the same op_name, with other sizes: another sharding
  kCollective,  // the same op_name and kind of collective, synchronous or not, fused or not
  kCategory,    // the same op_name, opcode and category
  kName,        // the same op_name and opcode; only next to a match
  kOpcode,      // the same opcode and shapes; only next to a match
  kOpcodeForm,  // the same opcode, with other sizes; only next to a match
};

std::uint64_t match_label(const OpNode& node, MatchLevel level) {
  const std::uint64_t name = node.has_op_name ? node.op_name : combine(node.shapes, 1);
  switch (level) {
    case MatchLevel::kSame:
      return combine(combine(combine(node.opcode, node.op_name), combine(node.shapes, node.scope)),
                     combine(node.attributes, node.inside));
    case MatchLevel::kShapes: return combine(combine(node.opcode, node.op_name), combine(node.shapes, node.scope));
    case MatchLevel::kForm: return combine(combine(node.opcode, name), combine(node.form, node.category));
    case MatchLevel::kCollective:
      if (node.collective == 0) return match_label(node, MatchLevel::kSame);
      return combine(combine(node.collective, name), 5);
    case MatchLevel::kCategory: return combine(combine(node.opcode, name), combine(node.category, 1));
    case MatchLevel::kName: return combine(combine(node.opcode, name), 2);
    case MatchLevel::kOpcode: return combine(combine(node.opcode, node.shapes), 3);
    case MatchLevel::kOpcodeForm: return combine(combine(node.opcode, node.form), 4);
  }
  return 0;
}

// A node and the hash by which it matches.
struct KeyedNode {
  std::uint64_t key = 0;
  std::uint32_t node = 0;

  friend bool operator<(const KeyedNode& a, const KeyedNode& b) {
    return std::tie(a.key, a.node) < std::tie(b.key, b.node);
  }
};

using NodeHashes = std::vector<std::uint64_t>;

class Matcher {
 public:
  Matcher(const OpGraph& before, const OpGraph& after) : graphs_{&before, &after} {
    for (int side = 0; side < 2; ++side) {
      partner_[side].assign(graphs_[side]->nodes.size(), OpNode::kNone);
      labels_[side].resize(graphs_[side]->nodes.size());
    }
  }

  std::vector<std::uint32_t> match() {
    for (const MatchLevel level : {MatchLevel::kSame, MatchLevel::kShapes, MatchLevel::kForm, MatchLevel::kCollective})
      match_surroundings(level);
    // Neighbours of matches are better evidence than the order in the program.
    for (const MatchLevel level : {MatchLevel::kName, MatchLevel::kOpcode, MatchLevel::kOpcodeForm}) spread(level);
    for (const MatchLevel level :
         {MatchLevel::kSame, MatchLevel::kShapes, MatchLevel::kForm, MatchLevel::kCollective, MatchLevel::kCategory}) {
      match_by_key(level, 0, Take::kInOrder);
      spread(level);
    }
    for (const MatchLevel level : {MatchLevel::kName, MatchLevel::kOpcode, MatchLevel::kOpcodeForm}) spread(level);
    return std::move(partner_[0]);
  }

 private:
  // Which nodes with equal keys match.
  enum class Take : std::uint8_t {
    kUnique,      // one on each side
    kEqualCount,  // the same number on both sides, in order
    kInOrder,     // any number, in order, the nearest to their neighbours
  };

  void match_surroundings(MatchLevel level) {
    for (const Take take : {Take::kUnique, Take::kEqualCount}) {
      for (int radius = kMatchRadius; radius >= 0; --radius) {
        if (radius == 0 && take == Take::kEqualCount) continue;
        match_by_key(level, radius, take);
      }
      spread(level);
    }
  }

  void set_labels(MatchLevel level) {
    for (int side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < labels_[side].size(); ++i)
        labels_[side][i] = match_label(graphs_[side]->nodes[i], level);
    }
  }

  // Returns the hash of the surroundings of each node.
  NodeHashes surroundings(int side, int radius) const {
    const OpGraph& graph = *graphs_[side];
    NodeHashes own = labels_[side];
    for (std::uint32_t i = 0; i < own.size(); ++i) {
      // Both nodes of a pair get the same hash.
      const std::uint32_t partner = partner_[side][i];
      if (partner != OpNode::kNone) own[i] = combine(4, side == 0 ? i : partner);
    }
    NodeHashes hashes = own;
    NodeHashes next(own.size());
    for (; radius > 0; --radius) {
      for (std::uint32_t i = 0; i < own.size(); ++i) {
        if (partner_[side][i] != OpNode::kNone) {
          next[i] = own[i];
          continue;
        }
        std::uint64_t hash = own[i];
        for (const std::uint32_t operand : graph.operands.of(i)) hash = combine(hash, hashes[operand]);
        std::uint64_t users = 0;
        for (const std::uint32_t user : graph.users.of(i)) users += combine(5, hashes[user]);
        next[i] = combine(hash, users);
      }
      std::swap(hashes, next);
    }
    return hashes;
  }

  std::vector<KeyedNode> unmatched(int side, const NodeHashes& hashes) const {
    std::vector<KeyedNode> entries;
    for (std::uint32_t i = 0; i < hashes.size(); ++i) {
      if (partner_[side][i] == OpNode::kNone) entries.push_back({hashes[i], i});
    }
    std::sort(entries.begin(), entries.end());
    return entries;
  }

  void match_by_key(MatchLevel level, int radius, Take take) {
    set_labels(level);
    const std::array<std::vector<KeyedNode>, 2> entries = {unmatched(0, surroundings(0, radius)),
                                                           unmatched(1, surroundings(1, radius))};
    if (take == Take::kInOrder) find_positions();
    match_groups(entries, take);
  }

  // Matches the entries with equal keys. Both lists are sorted.
  void match_groups(const std::array<std::vector<KeyedNode>, 2>& entries, Take take) {
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < entries[0].size() && b < entries[1].size()) {
      const std::uint64_t key = entries[0][a].key;
      if (key != entries[1][b].key) {
        ++(key < entries[1][b].key ? a : b);
        continue;
      }
      const std::size_t a_begin = a;
      const std::size_t b_begin = b;
      while (a < entries[0].size() && entries[0][a].key == key) ++a;
      while (b < entries[1].size() && entries[1][b].key == key) ++b;
      const absl::Span<const KeyedNode> old_nodes(entries[0].data() + a_begin, a - a_begin);
      const absl::Span<const KeyedNode> new_nodes(entries[1].data() + b_begin, b - b_begin);
      match_group(old_nodes, new_nodes, take);
    }
  }

  void match_group(absl::Span<const KeyedNode> old_nodes, absl::Span<const KeyedNode> new_nodes, Take take) {
    if (take == Take::kUnique && (old_nodes.size() != 1 || new_nodes.size() != 1)) return;
    if (old_nodes.size() == new_nodes.size()) {
      for (std::size_t i = 0; i < old_nodes.size(); ++i) pair(old_nodes[i].node, new_nodes[i].node);
    } else if (take == Take::kInOrder) {
      match_nearest(old_nodes, new_nodes);
    }
  }

  // Finds the position of each old node among the new ones: that of the partner of the last matched node before it.
  void find_positions() {
    positions_.resize(partner_[0].size());
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      if (partner_[0][i] != OpNode::kNone) last = partner_[0][i];
      positions_[i] = last;
    }
  }

  // Matches each node of the shorter list with a near one of the longer list and keeps the order.
  void match_nearest(absl::Span<const KeyedNode> old_nodes, absl::Span<const KeyedNode> new_nodes) {
    const bool more_new = new_nodes.size() > old_nodes.size();
    const absl::Span<const KeyedNode> few = more_new ? old_nodes : new_nodes;
    const absl::Span<const KeyedNode> many = more_new ? new_nodes : old_nodes;
    const auto distance = [&](std::size_t f, std::size_t m) {
      const std::int64_t old_position = positions_[more_new ? few[f].node : many[m].node];
      const std::int64_t new_position = more_new ? many[m].node : few[f].node;
      return old_position < new_position ? new_position - old_position : old_position - new_position;
    };
    std::size_t m = 0;
    for (std::size_t f = 0; f < few.size(); ++f, ++m) {
      const std::size_t last = many.size() - (few.size() - f);
      while (m < last && distance(f, m + 1) <= distance(f, m)) ++m;
      pair(more_new ? few[f].node : many[m].node, more_new ? many[m].node : few[f].node);
    }
  }

  void pair(std::uint32_t old_node, std::uint32_t new_node) {
    partner_[0][old_node] = new_node;
    partner_[1][new_node] = old_node;
    pending_.push_back(old_node);
  }

  // Spreads all matches to neighbours with equal labels, until no more match.
  void spread(MatchLevel level) {
    set_labels(level);
    pending_.clear();
    for (std::uint32_t i = 0; i < partner_[0].size(); ++i) {
      if (partner_[0][i] != OpNode::kNone) pending_.push_back(i);
    }
    for (std::size_t next = 0; next < pending_.size(); ++next) {
      const std::uint32_t a = pending_[next];
      const std::uint32_t b = partner_[0][a];
      const absl::Span<const std::uint32_t> old_operands = graphs_[0]->operands.of(a);
      const absl::Span<const std::uint32_t> new_operands = graphs_[1]->operands.of(b);
      if (old_operands.size() == new_operands.size()) {
        for (std::size_t i = 0; i < old_operands.size(); ++i) pair_if_equal(old_operands[i], new_operands[i]);
      }
      match_neighbours(old_operands, new_operands);
      match_neighbours(graphs_[0]->users.of(a), graphs_[1]->users.of(b));
    }
    pending_.clear();
  }

  void pair_if_equal(std::uint32_t a, std::uint32_t b) {
    if (partner_[0][a] == OpNode::kNone && partner_[1][b] == OpNode::kNone && labels_[0][a] == labels_[1][b])
      pair(a, b);
  }

  // Matches unmatched neighbours of which both sides have the same number.
  void match_neighbours(absl::Span<const std::uint32_t> old_nodes, absl::Span<const std::uint32_t> new_nodes) {
    const std::array<std::vector<KeyedNode>, 2> entries = {neighbours(0, old_nodes), neighbours(1, new_nodes)};
    match_groups(entries, Take::kEqualCount);
  }

  std::vector<KeyedNode> neighbours(int side, absl::Span<const std::uint32_t> nodes) const {
    std::vector<KeyedNode> entries;
    for (const std::uint32_t node : nodes) {
      if (partner_[side][node] == OpNode::kNone) entries.push_back({labels_[side][node], node});
    }
    std::sort(entries.begin(), entries.end());
    const auto same = [](const KeyedNode& a, const KeyedNode& b) { return a.node == b.node; };
    entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
    return entries;
  }

  std::array<const OpGraph*, 2> graphs_;  // before, after
  std::array<std::vector<std::uint32_t>, 2> partner_;
  std::array<NodeHashes, 2> labels_;      // at the current level
  std::vector<std::uint32_t> positions_;  // by old node
  std::vector<std::uint32_t> pending_;    // old nodes whose neighbours may match
};

}  // namespace

std::vector<std::uint32_t> match_ops(const OpGraph& before, const OpGraph& after) {
  return Matcher(before, after).match();
}

}  // namespace hloroof::internal::inline versions
