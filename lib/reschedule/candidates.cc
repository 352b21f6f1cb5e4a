#include <algorithm>
#include <iterator>

#include "lib/reschedule/moves.h"

namespace hloroof::internal::inline reschedule {
namespace {

// The places to try, as multiples of the time to hide.
constexpr double kShares[] = {0.5, 1, 1.5, 2.5, 5};

// The indices of the places to try.
std::vector<std::size_t> promising(const std::vector<Places::Place>& places, double wanted) {
  std::vector<std::size_t> chosen;
  if (places.empty()) return chosen;
  chosen.reserve(std::size(kShares) + 2);
  chosen.push_back(0);
  for (double share : kShares) {
    const auto enough = std::find_if(places.begin(), places.end(), [&](const Places::Place& place) {
      return place.passed_seconds >= share * wanted;
    });
    if (enough != places.end()) chosen.push_back(static_cast<std::size_t>(enough - places.begin()));
  }
  chosen.push_back(places.size() - 1);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace

Move Places::move_to(std::size_t place) const {
  const auto end = moved.begin() + static_cast<std::ptrdiff_t>(places[place].moved);
  return {direction,
          {std::make_reverse_iterator(end), std::make_reverse_iterator(moved.begin())},
          places[place].before,
          places[place].passed_seconds};
}

Places Moves::places(const std::vector<InstructionId>& order, std::size_t at, const Reach& reach) {
  Places found;
  found.direction = reach.direction;
  // Nothing can be put back behind the last instruction.
  if (rules_.is_fixed[order[at].index] || at + 1 == order.size()) return found;
  const bool is_up = reach.direction == Direction::kEarlier;
  ++look_;
  const auto take = [&](InstructionId id) {
    found.moved.push_back(id);
    for (InstructionId other : is_up ? rules_.before[id.index] : rules_.after[id.index]) {
      bound_[other.index] = look_;
    }
  };
  take(order[at]);
  double passed = 0;
  while (is_up ? at > 0 : at + 2 < order.size()) {
    at = is_up ? at - 1 : at + 1;
    const InstructionId id = order[at];
    if (rules_.is_fixed[id.index]) break;
    if (bound_[id.index] == look_) {
      if (found.moved.size() == reach.most_moved || id == reach.until) break;
      take(id);
      continue;
    }
    passed += seconds_[id.index];
    const bool matters = reach.counts_free ? matters_[id.index] : seconds_[id.index] > 0;
    if (matters) found.places.push_back({found.moved.size(), is_up ? id : order[at + 1], passed});
    if (id == reach.until || found.places.size() == reach.most_places || passed >= reach.enough_seconds) break;
  }
  return found;
}

std::vector<Move> Moves::find(const std::vector<InstructionId>& order, std::size_t at, Direction direction,
                              std::size_t most_moved, double wanted) {
  Reach reach;
  reach.direction = direction;
  reach.most_moved = most_moved;
  const Places found = places(order, at, reach);
  std::vector<Move> moves;
  for (std::size_t i : promising(found.places, wanted)) moves.push_back(found.move_to(i));
  return moves;
}

}  // namespace hloroof::internal::inline reschedule
