#include "lib/scale/exponents.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace hloroof::internal::inline scale {

Exponents::Exponents(std::size_t nodes) : parent_(nodes), offset_(nodes, 0), exponent_(nodes) {
  std::iota(parent_.begin(), parent_.end(), Node{0});
}

Exponents::Place Exponents::find(Node node) {
  Place place{node, 0};
  while (parent_[place.root] != place.root) {
    place.offset += offset_[place.root];
    place.root = parent_[place.root];
  }
  // Shortens the path: each node on it points to the root.
  int left = place.offset;
  while (parent_[node] != place.root && node != place.root) {
    const Node next = parent_[node];
    const int step = offset_[node];
    parent_[node] = place.root;
    offset_[node] = left;
    left -= step;
    node = next;
  }
  return place;
}

bool Exponents::link(Node a, Node b, int offset) {
  const Place pa = find(a);
  const Place pb = find(b);
  if (pa.root == pb.root) return pb.offset == pa.offset + offset;
  // root(b) + pb.offset = root(a) + pa.offset + offset
  const int between = pa.offset + offset - pb.offset;
  if (exponent_[pa.root] && exponent_[pb.root] && *exponent_[pb.root] != *exponent_[pa.root] + between) return false;
  if (exponent_[pb.root] && !exponent_[pa.root]) exponent_[pa.root] = *exponent_[pb.root] - between;
  parent_[pb.root] = pa.root;
  offset_[pb.root] = between;
  return true;
}

bool Exponents::fix(Node node, int exponent) {
  const Place place = find(node);
  std::optional<int>& known = exponent_[place.root];
  if (known) return *known + place.offset == exponent;
  known = exponent - place.offset;
  return true;
}

std::optional<int> Exponents::of(Node node) {
  const Place place = find(node);
  if (!exponent_[place.root]) return std::nullopt;
  return *exponent_[place.root] + place.offset;
}

void Exponents::keep_largest(const std::vector<Node>& nodes) {
  std::vector<int> largest(parent_.size(), 0);  // by root, whose own offset is 0
  for (Node node = 0; node < parent_.size(); ++node) {
    const Place place = find(node);
    largest[place.root] = std::max(largest[place.root], place.offset);
  }
  for (Node node : nodes) {
    const Node root = find(node).root;
    if (!exponent_[root]) exponent_[root] = -largest[root];
  }
}

Exponents::Sum Exponents::add_up(const std::vector<Node>& left, const std::vector<Node>& right, bool major_first) {
  int total = 0;             // what the open ones must add up to, with their signs, is -total
  std::map<Node, int> open;  // by root
  const auto add = [&](const std::vector<Node>& nodes, int sign) {
    for (Node node : nodes) {
      const Place place = find(node);
      total += sign * place.offset;
      if (exponent_[place.root]) {
        total += sign * *exponent_[place.root];
      } else {
        open[place.root] += sign;
      }
    }
  };
  add(left, 1);
  add(right, -1);
  std::erase_if(open, [](const auto& entry) { return entry.second == 0; });
  if (open.empty()) return total == 0 ? Sum::kDecided : Sum::kContradiction;
  if (open.size() == 1) {
    const auto [root, count] = *open.begin();
    if (total % count != 0) return Sum::kContradiction;
    exponent_[root] = -total / count;
    return Sum::kDecided;
  }
  if (!major_first) return Sum::kOpen;
  const std::vector<Node>& longer = left.size() >= right.size() ? left : right;
  bool is_first = true;
  for (Node node : longer) {
    const Place place = find(node);
    if (exponent_[place.root]) continue;
    if (!is_first) exponent_[place.root] = -place.offset;
    is_first = false;
  }
  return add_up(left, right, false);
}

}  // namespace hloroof::internal::inline scale
