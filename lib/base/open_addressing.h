// Hash tables by open addressing, over slots that the caller owns.
//
// The slots are a vector whose size is a power of two, or the first so many of it. A key belongs in the first slot from
// `hash` on that is free; the search for it ends there too, so at least one slot must be free. How a slot tells that it
// is in use, and what it holds, is the caller's business: a generation, an id that is valid, a size above zero.
#ifndef HLOROOF_LIB_BASE_OPEN_ADDRESSING_H_
#define HLOROOF_LIB_BASE_OPEN_ADDRESSING_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hloroof::internal::inline base {

// The slot in use for which `is_wanted` holds, else the free one where it belongs. `mask` is the number of slots less
// one.
template <typename Slot, typename IsUsed, typename IsWanted>
Slot& probe(Slot* slots, std::size_t mask, std::size_t hash, IsUsed&& is_used, IsWanted&& is_wanted) {
  std::size_t at = hash & mask;
  while (is_used(slots[at]) && !is_wanted(slots[at])) at = (at + 1) & mask;
  return slots[at];
}

// Doubles the number of slots, from `least` on, and puts what is in use where it belongs.
template <typename Slot, typename IsUsed, typename HashOf>
void grow_slots(std::vector<Slot>& slots, std::size_t least, IsUsed&& is_used, HashOf&& hash_of) {
  std::vector<Slot> old(std::max(least, 2 * slots.size()));
  old.swap(slots);
  for (const Slot& slot : old) {
    if (!is_used(slot)) continue;
    probe(slots.data(), slots.size() - 1, hash_of(slot), is_used, [](const Slot&) { return false; }) = slot;
  }
}

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_OPEN_ADDRESSING_H_
