#include "lib/schedule/result_space.h"

#include <algorithm>
#include <cstddef>

namespace hloroof::internal::inline schedule {
namespace {

// Limit on the allocations that a temporary is offered, so that the time is linear in the number of temporaries.
constexpr std::size_t kMostOffers = 64;
constexpr std::size_t kMostHeld = 256;  // of temporaries in one allocation

class ResultSpace {
 public:
  explicit ResultSpace(const HeldBuffer& result) : result_(result), held_({result}) {}

  BufferId id() const { return result_.id; }

  // Takes the buffer if the space is free while it is live.
  bool take(const HeldBuffer& buffer) {
    if (buffer.space != result_.space || held_.size() >= kMostHeld) return false;
    for (const HeldBuffer& held : held_) {
      if (buffer.begin <= held.end && held.begin <= buffer.end) return false;
    }
    held_.push_back(buffer);
    return true;
  }

 private:
  HeldBuffer result_;
  std::vector<HeldBuffer> held_;
};

}  // namespace

// The rule of XLA's buffer_assignment.cc (AssignBuffersForComputations, AssignSingleHloBuffer and MaybeAssignBuffer):
// buffers come by falling size, results first among those of one size. A buffer that is no result takes the smallest
// allocation before it that is free. So no buffer is larger than an allocation that it is offered.
std::vector<PlacedInResult> place_in_results(std::vector<HeldBuffer> buffers) {
  std::stable_sort(buffers.begin(), buffers.end(), [](const HeldBuffer& a, const HeldBuffer& b) {
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return a.is_result && !b.is_result;
  });
  std::vector<PlacedInResult> placed;
  std::vector<ResultSpace> spaces;
  for (const HeldBuffer& buffer : buffers) {
    if (buffer.is_result) {
      spaces.emplace_back(buffer);
      continue;
    }
    const auto end = spaces.rbegin() + static_cast<std::ptrdiff_t>(std::min(spaces.size(), kMostOffers));
    const auto space = std::find_if(spaces.rbegin(), end, [&](ResultSpace& offered) { return offered.take(buffer); });
    if (space != end) placed.push_back({buffer.id, space->id()});
  }
  return placed;
}

}  // namespace hloroof::internal::inline schedule
