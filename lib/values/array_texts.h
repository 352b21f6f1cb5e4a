// A cache from the text of an array shape to its id, for texts of at most 48 bytes.
#ifndef HLOROOF_LIB_VALUES_ARRAY_TEXTS_H_
#define HLOROOF_LIB_VALUES_ARRAY_TEXTS_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hloroof/shape.h"
#include "lib/base/open_addressing.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline values {

// The text of an array, padded with zeros to 48 bytes. 99 % of the arrays of the large dumps fit. Comparison and hash
// use all 48 bytes, which avoids branches on the length; those are hard to predict.
template <typename Bytes>
struct BasicArrayText {
  static constexpr int kSize = 48;
  Bytes blocks[3] = {};

  bool operator==(const BasicArrayText& other) const {
    const auto same = [&](int i) { return blocks[i].equal(other.blocks[i]); };
    return (same(0) & same(1) & same(2)).mask() == 0xffff;
  }
  std::uint32_t hash() const {
    const Bytes sum = blocks[0].add(blocks[1].template shifted_left<5>().add(blocks[2].template shifted_left<11>()));
    return static_cast<std::uint32_t>((sum.low() * 0x9e3779b97f4a7c15u + sum.high() * 0xc2b2ae3d27d4eb4fu) >> 32);
  }
};
using ArrayText = BasicArrayText<Bytes16>;

// The end of the array that begins at `p`, and its text. Null if the text is longer, is near the end of the input, or
// is followed by something unusual. Like shape_end, this is a guess, which a cache hit confirms.
template <typename Bytes>
const char* array_end(const char* p, const char* end, BasicArrayText<Bytes>* text) {
  if (end - p < 64) return nullptr;
  const Bytes a = Bytes::load(p);
  const Bytes b = Bytes::load(p + 16);
  const Bytes c = Bytes::load(p + 32);
  const auto find = [&](char wanted) {
    return std::uint64_t{a.equal(wanted).mask() | b.equal(wanted).mask() << 16} | std::uint64_t{c.equal(wanted).mask()}
                                                                                      << 32;
  };
  const std::uint64_t brackets = find(']');
  if (brackets == 0) return nullptr;
  std::ptrdiff_t size = std::countr_zero(brackets) + 1;
  const char next = p[size];
  const char after = p[size + 1];
  if (next == '{') {
    const std::uint64_t braces = find('}') >> size;
    if (braces == 0 || (!is_digit(after) && after != ':')) return nullptr;
    size += std::countr_zero(braces) + 1;
  } else if (is_space(next) || next == '/') {
    // White space and comments may precede the layout.
    if (next != ' ' || is_space(after) || after == '{' || after == '/') return nullptr;
  }
  alignas(16) static constexpr auto kMasks = [] {
    std::array<char, 2 * ArrayText::kSize> masks{};
    for (std::size_t i = 0; i < ArrayText::kSize; ++i) masks[i] = static_cast<char>(0xff);
    return masks;
  }();
  const char* mask = kMasks.data() + ArrayText::kSize - size;
  text->blocks[0] = a & Bytes::load(mask);
  text->blocks[1] = b & Bytes::load(mask + 16);
  text->blocks[2] = c & Bytes::load(mask + 32);
  return p + size;
}

// A hash table from the texts of arrays to their ids, with open addressing. Each entry holds the text and the id in one
// cache line, because cache misses dominate: with pointers into the source, lookups took a fifth of the time of reading
// shapes.
class ArrayTexts {
 public:
  struct alignas(64) Entry {
    ArrayText text;
    std::uint32_t generation = 0;
    ShapeId id;  // invalid if the shape was only checked
  };

  // Removes all texts but keeps the memory, and reserves space for about `count`.
  void start(std::size_t count) {
    const std::size_t slots = std::clamp<std::size_t>(2 * std::bit_ceil(count), 64, 2048);
    if (entries_.size() < slots) entries_.assign(slots, Entry());
    if (++generation_ == 0) {  // wrapped around: reset the generation of all entries
      for (Entry& entry : entries_) entry.generation = 0;
      generation_ = 1;
    }
    size_ = 0;
  }

  bool holds(const Entry& entry) const { return entry.generation == generation_; }

  // The entry of `text`, or the free entry for it.
  Entry& at(const ArrayText& text) {
    return probe(
        entries_.data(), entries_.size() - 1, text.hash(), [this](const Entry& e) { return holds(e); },
        [&](const Entry& e) { return e.text == text; });
  }

  // Fills in an entry from at(). May move entries.
  void set(Entry& entry, const ArrayText& text, ShapeId id) {
    if (!holds(entry)) ++size_;
    entry = {text, generation_, id};
    if (2 * size_ <= entries_.size()) return;
    grow_slots(
        entries_, 0, [this](const Entry& e) { return holds(e); }, [](const Entry& e) { return e.text.hash(); });
  }

 private:
  std::vector<Entry> entries_;
  std::uint32_t generation_ = 0;
  std::size_t size_ = 0;
};

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_ARRAY_TEXTS_H_
