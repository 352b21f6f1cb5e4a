#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "lib/reschedule/search.h"

namespace hloroof::internal::inline reschedule {
namespace {

// The places to try, as multiples of the time to hide.
constexpr double kShares[] = {0.5, 1, 1.5, 2.5, 5};

struct Place {
  std::size_t moved = 0;  // how many instructions move
  InstructionId before;
  double passed_seconds = 0;
};

// The indices of the places to try.
std::vector<std::size_t> promising(const std::vector<Place>& places, double wanted) {
  std::vector<std::size_t> chosen;
  if (places.empty()) return chosen;
  chosen.reserve(std::size(kShares) + 2);
  chosen.push_back(0);
  for (double share : kShares) {
    const auto enough = std::find_if(places.begin(), places.end(),
                                     [&](const Place& place) { return place.passed_seconds >= share * wanted; });
    if (enough != places.end()) chosen.push_back(static_cast<std::size_t>(enough - places.begin()));
  }
  chosen.push_back(places.size() - 1);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace

std::vector<Move> Moves::find(const std::vector<InstructionId>& order, std::size_t at, Direction direction,
                              std::size_t most_moved, double wanted) const {
  if (constraints.is_fixed[order[at].index]) return {};
  const bool is_up = direction == Direction::kEarlier;
  std::vector<Place> places;
  std::unordered_set<std::uint32_t> bound;  // instructions that those that move must not pass
  std::vector<InstructionId> moved;         // the farthest in the direction last
  const auto take = [&](InstructionId id) {
    moved.push_back(id);
    for (InstructionId other : is_up ? constraints.before[id.index] : constraints.after[id.index]) {
      bound.insert(other.index);
    }
  };
  take(order[at]);
  double passed = 0;
  while (is_up ? at > 0 : at + 2 < order.size()) {
    at = is_up ? at - 1 : at + 1;
    const InstructionId id = order[at];
    if (constraints.is_fixed[id.index]) break;
    if (bound.count(id.index) != 0) {
      if (moved.size() == most_moved) break;
      take(id);
    } else if (seconds[id.index] > 0) {
      passed += seconds[id.index];
      places.push_back({moved.size(), is_up ? id : order[at + 1], passed});
    }
  }
  std::vector<Move> moves;
  for (std::size_t i : promising(places, wanted)) {
    const auto end = moved.begin() + static_cast<std::ptrdiff_t>(places[i].moved);
    moves.push_back({direction,
                     {std::make_reverse_iterator(end), std::make_reverse_iterator(moved.begin())},
                     places[i].before,
                     places[i].passed_seconds});
  }
  return moves;
}

}  // namespace hloroof::internal::inline reschedule
