#include <algorithm>
#include <utility>
#include <vector>

#include "lib/cost/op_time.h"
#include "tests/accuracy/sections.h"

namespace hloroof {
namespace {

std::string listed(const ResourceSeconds& seconds) {
  static constexpr const char* kNames[] = {"matrix", "vector", "hbm", "vmem", "ici", "dcn", "host", "floor"};
  std::vector<std::pair<double, const char*>> order;
  for (int r = 0; r < kResourceCount; ++r) {
    if (seconds.seconds[r] > 0) order.emplace_back(seconds.seconds[r], kNames[r]);
  }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < order.size() && i < 2; ++i) {
    text += (i > 0 ? ", " : "") + std::string(order[i].second) + " " + microseconds(order[i].first);
  }
  return text;
}

}  // namespace

std::string terms(const Work& work, const Device& device) { return listed(op_time(work, device).resources); }

std::string terms(const Measurement& measurement, const Device& device) {
  ResourceSeconds sum;
  for (const Work& work : measurement.ops) {
    const OpTime time = op_time(work, device);
    for (int r = 0; r < kResourceCount; ++r) sum.seconds[r] += time.resources.seconds[r];
  }
  return listed(sum);
}

}  // namespace hloroof
