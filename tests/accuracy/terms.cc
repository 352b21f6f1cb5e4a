// Which terms make the predicted time of an operation: what a large error would come from.
#include "lib/time/terms.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "lib/time/op_time.h"
#include "tests/accuracy/sections.h"

namespace hloroof::internal {
namespace {

constexpr std::size_t kMost = 2;  // terms that are listed

using SecondsByName = std::map<std::string, double>;

void add_terms(const Work& work, const Device& device, SecondsByName& seconds) {
  const Term term = op_terms(work, device);
  for (const Contribution& part : contributions(term)) seconds[part.term->name] += part.seconds;
}

std::string listed(const SecondsByName& seconds) {
  std::vector<std::pair<std::string, double>> order(seconds.begin(), seconds.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < order.size() && i < kMost; ++i) {
    text += (i > 0 ? ", " : "") + order[i].first + " " + microseconds(order[i].second);
  }
  return text;
}

}  // namespace

std::string terms(const Work& work, const Device& device) {
  SecondsByName seconds;
  add_terms(work, device, seconds);
  return listed(seconds);
}

std::string terms(const Measurement& measurement, const Device& device) {
  SecondsByName seconds;
  for (const Work& work : measurement.ops) add_terms(work, device, seconds);
  return listed(seconds);
}

}  // namespace hloroof::internal
