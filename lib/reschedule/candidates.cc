#include "lib/reschedule/candidates.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace hloroof::internal {
namespace {

// The places to try, as multiples of the time to hide.
constexpr double kShares[] = {0.5, 1, 1.5, 2.5, 5};

}  // namespace

std::vector<Move> Moves::find(const std::vector<InstructionId>& order, std::size_t at, Direction direction,
                              std::size_t most_moved) const {
  std::vector<Move> found;
  const bool is_up = direction == Direction::kEarlier;
  std::unordered_set<std::uint32_t> bound;  // instructions that those that move must not pass
  std::vector<InstructionId> moved;         // the farthest in the direction last
  const auto take = [&](InstructionId id) {
    moved.push_back(id);
    for (InstructionId other : is_up ? constraints.before[id.index] : constraints.after[id.index]) {
      bound.insert(other.index);
    }
  };
  if (constraints.is_fixed[order[at].index]) return found;
  take(order[at]);
  double passed = 0;
  while (is_up ? at > 0 : at + 2 < order.size()) {
    at = is_up ? at - 1 : at + 1;
    const InstructionId id = order[at];
    if (constraints.is_fixed[id.index]) break;
    if (bound.count(id.index) != 0) {
      if (moved.size() == most_moved) break;
      take(id);
      continue;
    }
    if (seconds[id.index] <= 0) continue;
    passed += seconds[id.index];
    found.push_back({direction, {moved.rbegin(), moved.rend()}, is_up ? id : order[at + 1], passed});
  }
  return found;
}

std::vector<Move> promising(std::vector<Move> moves, double wanted) {
  std::vector<std::size_t> chosen;
  if (moves.empty()) return moves;
  chosen.push_back(0);
  for (double share : kShares) {
    const auto enough = std::find_if(moves.begin(), moves.end(),
                                     [&](const Move& move) { return move.passed_seconds >= share * wanted; });
    if (enough != moves.end()) chosen.push_back(static_cast<std::size_t>(enough - moves.begin()));
  }
  chosen.push_back(moves.size() - 1);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::vector<Move> result;
  result.reserve(chosen.size());
  for (std::size_t i : chosen) result.push_back(std::move(moves[i]));
  return result;
}

}  // namespace hloroof::internal
