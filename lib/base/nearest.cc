#include "lib/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hloroof::internal::inline base {
namespace {

constexpr size_t kMaxCompared = 200;  // characters; bounds the time, which is the product of the lengths

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);    // row i - 2 of the table of distances between prefixes
  std::vector<size_t> previous(b.size() + 1);  // row i - 1
  std::vector<size_t> current(b.size() + 1);   // row i
  std::iota(previous.begin(), previous.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({replaced, previous[j] + 1, current[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& names, size_t count) {
  wanted = wanted.substr(0, kMaxCompared);
  std::vector<std::pair<size_t, size_t>> ranked;  // distance, index: sorts by distance, then by position in `names`
  for (size_t i = 0; i < names.size(); ++i) {
    ranked.emplace_back(edit_distance(wanted, std::string_view(names[i]).substr(0, kMaxCompared)), i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> nearest;
  for (const auto& [distance, index] : ranked) {
    if (nearest.size() == count) break;
    nearest.push_back(names[index]);
  }
  return nearest;
}

}  // namespace hloroof::internal::inline base
