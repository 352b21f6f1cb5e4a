// Which collectives each instruction carries.
#ifndef HLOROOF_LIB_STEP_CARRIER_INDEX_H_
#define HLOROOF_LIB_STEP_CARRIER_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace hloroof::internal::inline step {

// Pairs of the index of an instruction and that of a collective, sorted. In one list, because an edit that adds or
// removes a collective makes it again, and a tree allocates each pair.
class CarrierIndex {
 public:
  using Entry = std::pair<std::uint32_t, std::size_t>;
  using Iterator = std::vector<Entry>::const_iterator;

  CarrierIndex() = default;
  explicit CarrierIndex(std::vector<Entry> entries) : entries_(std::move(entries)) {
    std::sort(entries_.begin(), entries_.end());
  }

  Iterator begin() const { return entries_.begin(); }
  Iterator end() const { return entries_.end(); }

  // The collectives that an instruction carries, in their order.
  std::pair<Iterator, Iterator> equal_range(std::uint32_t carrier) const {
    const auto first = std::lower_bound(entries_.begin(), entries_.end(), Entry(carrier, 0));
    auto last = first;
    while (last != entries_.end() && last->first == carrier) ++last;
    return {first, last};
  }
  bool contains(std::uint32_t carrier) const { return first_of(carrier).has_value(); }
  std::optional<std::size_t> first_of(std::uint32_t carrier) const {
    const auto [first, last] = equal_range(carrier);
    return first == last ? std::nullopt : std::optional(first->second);
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_CARRIER_INDEX_H_
