#include "lib/schedule/result_space.h"

#include <algorithm>

namespace hloroof::internal::inline schedule {
namespace {

class ResultSpace {
 public:
  explicit ResultSpace(const HeldBuffer& result) : result_(result), held_({result}) {}

  BufferId id() const { return result_.id; }

  // Takes the buffer if the space is free while it is live.
  bool take(const HeldBuffer& buffer) {
    if (buffer.space != result_.space) return false;
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
    const auto space =
        std::find_if(spaces.rbegin(), spaces.rend(), [&](ResultSpace& offered) { return offered.take(buffer); });
    if (space != spaces.rend()) placed.push_back({buffer.id, space->id()});
  }
  return placed;
}

}  // namespace hloroof::internal::inline schedule
