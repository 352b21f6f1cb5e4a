#include "lib/schedule/crowd.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace hloroof::internal::inline schedule {
namespace {

constexpr double kLoadUnit = 0x1p-36;

// Differences on a clock below this are rounding errors. Waiting for such a moment could take forever, because the
// clock would not advance.
double rounding(double clock) { return 4 * std::numeric_limits<double>::epsilon() * clock; }

}  // namespace

void Crowd::count(const Member& member, int sign) {
  for_each_unit(member.flight.units_now(),
                [&](int r) { load_[r] += sign * std::llround(member.flight.share[r] / kLoadUnit); });
}

void Crowd::join(std::size_t index, double remaining) {
  Member& member = members_[index];
  member.group = member.flight.felt_now();
  Group& group = groups_[member.group];
  member.ends = group.clock + remaining;
  group.ends.emplace(member.ends, index);
  count(member, 1);
}

double Crowd::remaining(const Member& member) const {
  const double in_phase = std::max(0.0, member.ends - groups_.at(member.group).clock);
  return member.is_moving ? std::min(in_phase, member.flight.moving) : in_phase + member.flight.moving;
}

void Crowd::add(const Flight& flight) {
  ++size_;
  ++looked_at_;
  members_.push_back({.flight = flight, .is_moving = flight.is_moving()});
  by_start_.emplace(flight.start.index, members_.size() - 1);
  join(members_.size() - 1, flight.is_moving() ? flight.remaining : flight.remaining - flight.moving);
}

SharedSeconds Crowd::load() const {
  SharedSeconds load = {};
  for (int r = 0; r < kSharedCount; ++r) load[r] = static_cast<double>(load_[r]) * kLoadUnit;
  return load;
}

double Crowd::next_event(const SharedSeconds& load, InstructionId awaited, double left) const {
  double step = std::numeric_limits<double>::infinity();
  for (const auto& [units, group] : groups_) {
    ++looked_at_;
    step = std::min(step, std::max(0.0, group.ends.top().first - group.clock) * crowd_on(units, load));
  }
  if (!awaited.valid() || left <= 0) return step;
  const auto [first, last] = by_start_.equal_range(awaited.index);
  for (auto found = first; found != last; ++found) {
    const Member& member = members_[found->second];
    const double rest = remaining(member) - left;
    if (rest > rounding(groups_.at(member.group).clock)) step = std::min(step, rest * crowd_on(member.group, load));
  }
  return step;
}

void Crowd::advance(const SharedSeconds& load, double step, std::vector<Flight>& ended) {
  for (auto& [units, group] : groups_) group.clock += step / crowd_on(units, load);
  const double crumb = 1e-9 * step;  // see Machine::advance
  std::vector<std::size_t> done;
  std::vector<std::size_t> begun;
  for (auto at = groups_.begin(); at != groups_.end();) {
    Group& group = at->second;
    ++looked_at_;
    while (!group.ends.empty() && group.ends.top().first - group.clock <= std::max(crumb, rounding(group.clock))) {
      ++looked_at_;
      const std::size_t index = group.ends.top().second;
      group.ends.pop();
      const Member& member = members_[index];
      (member.is_moving || member.flight.moving <= crumb ? done : begun).push_back(index);
    }
    at = group.ends.empty() ? groups_.erase(at) : std::next(at);
  }
  for (const std::size_t index : begun) {
    count(members_[index], -1);
    members_[index].is_moving = true;
    members_[index].flight.remaining = members_[index].flight.moving;
    join(index, members_[index].flight.moving);
  }
  std::sort(done.begin(), done.end());
  for (const std::size_t index : done) {
    Member& member = members_[index];
    count(member, -1);
    member.has_ended = true;
    --size_;
    auto found = by_start_.find(member.flight.start.index);
    while (found->second != index) ++found;
    by_start_.erase(found);
    ended.push_back(member.flight);
  }
}

bool Crowd::has_more(InstructionId start, double left) const {
  const auto [first, last] = by_start_.equal_range(start.index);
  return std::any_of(first, last, [&](const auto& at) {
    const Member& member = members_[at.second];
    return remaining(member) > left * (1 + 1e-9) + rounding(groups_.at(member.group).clock);
  });
}

std::vector<Flight> Crowd::take() {
  std::vector<Flight> flights;
  flights.reserve(size_);
  for (const Member& member : members_) {
    ++looked_at_;
    if (member.has_ended) continue;
    flights.push_back(member.flight);
    flights.back().remaining = remaining(member);
  }
  const std::uint64_t looked_at = looked_at_;
  *this = Crowd();
  looked_at_ = looked_at;
  return flights;
}

}  // namespace hloroof::internal::inline schedule
