#include "lib/schedule/pass.h"

#include <algorithm>
#include <utility>

namespace hloroof::internal::inline schedule {
namespace {

template <typename T>
auto at(std::vector<T>& list, std::size_t i) {
  return list.begin() + static_cast<std::ptrdiff_t>(i);
}

}  // namespace

void Pass::begin_as(Pass& before, std::size_t mark) {
  const Mark& there = before.marks[mark];
  exposed.assign(before.exposed.begin(), at(before.exposed, there.step));
  waits.assign(before.waits.begin(), at(before.waits, there.waits));
  last_start = there.last_start;
  marks.assign(std::move_iterator(before.marks.begin()), std::move_iterator(at(before.marks, mark)));
  marks.push_back(there);
}

void Pass::end_as(Pass& before, std::size_t mark, Clock clock) {
  const Mark there = before.marks[mark];
  const std::size_t step = exposed.size();
  const std::size_t noted = waits.size();
  const InstructionId started = last_start;
  exposed.insert(exposed.end(), at(before.exposed, there.step), before.exposed.end());
  waits.insert(waits.end(), at(before.waits, there.waits), before.waits.end());
  for (auto later = at(before.marks, mark); later != before.marks.end(); ++later) {
    later->step = step + (later->step - there.step);
    later->clock = clock + (later->clock - there.clock);
    later->waits = noted + (later->waits - there.waits);
    if (later->last_start == there.last_start) later->last_start = started;  // none had begun since
  }
  marks.insert(marks.end(), std::move_iterator(at(before.marks, mark)), std::move_iterator(before.marks.end()));
  left = std::move(before.left);
  took = clock + (before.took - there.clock);
  if (before.last_start != there.last_start) last_start = before.last_start;
}

std::size_t Pass::first_mark_behind(std::size_t step) const {
  const auto after =
      std::upper_bound(marks.begin(), marks.end(), step, [](std::size_t s, const Mark& mark) { return s < mark.step; });
  return static_cast<std::size_t>(after - marks.begin());
}

bool are_same(const std::vector<Flight>& a, const std::vector<Flight>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Flight& x, const Flight& y) {
    return x.start == y.start && x.lane == y.lane && x.remaining == y.remaining && x.moving == y.moving &&
           x.share == y.share && x.units == y.units && x.felt == y.felt;
  });
}

}  // namespace hloroof::internal::inline schedule
