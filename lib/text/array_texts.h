// Finding the shape of an array by its text, for the short texts that nearly all arrays have.
#ifndef HLOROOF_LIB_TEXT_ARRAY_TEXTS_H_
#define HLOROOF_LIB_TEXT_ARRAY_TEXTS_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hloroof/ids.h"
#include "lib/text/scan.h"

#if defined(__SSE2__)
namespace hloroof::inline v0 {

// The text of an array in 48 bytes, filled up with zeros: 99 % of the arrays of the large dumps fit. It is compared and
// hashed as a whole, so that nothing branches on its length, which no predictor guesses.
struct ArrayText {
  static constexpr int kSize = 48;
  __m128i blocks[3] = {};

  bool operator==(const ArrayText& other) const {
    const auto same = [&](int i) { return _mm_cmpeq_epi8(blocks[i], other.blocks[i]); };
    return _mm_movemask_epi8(_mm_and_si128(_mm_and_si128(same(0), same(1)), same(2))) == 0xffff;
  }
  std::uint32_t hash() const {
    const __m128i sum =
        _mm_add_epi64(blocks[0], _mm_add_epi64(_mm_slli_epi64(blocks[1], 5), _mm_slli_epi64(blocks[2], 11)));
    const auto low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(sum));
    const auto high = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(sum, sum)));
    return static_cast<std::uint32_t>((low * 0x9e3779b97f4a7c15u + high * 0xc2b2ae3d27d4eb4fu) >> 32);
  }
};

// The end of the array that begins at `p`, and its text; null where it is longer, near the text's end, or where
// something unusual follows. As shape_end, a guess that is right where the text is one that was read before.
inline const char* array_end(const char* p, const char* end, ArrayText* text) {
  if (end - p < 64) return nullptr;
  const __m128i a = load16(p);
  const __m128i b = load16(p + 16);
  const __m128i c = load16(p + 32);
  const auto find = [&](char wanted) {
    return std::uint64_t{mask_equal(a, wanted) | mask_equal(b, wanted) << 16} | std::uint64_t{mask_equal(c, wanted)}
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
    // A layout may stand apart, behind comments too.
    if (next != ' ' || is_space(after) || after == '{' || after == '/') return nullptr;
  }
  alignas(16) static constexpr auto kMasks = [] {
    std::array<std::int8_t, 2 * ArrayText::kSize> masks{};
    for (std::size_t i = 0; i < ArrayText::kSize; ++i) masks[i] = -1;
    return masks;
  }();
  const char* mask = reinterpret_cast<const char*>(kMasks.data()) + ArrayText::kSize - size;
  text->blocks[0] = _mm_and_si128(a, load16(mask));
  text->blocks[1] = _mm_and_si128(b, load16(mask + 16));
  text->blocks[2] = _mm_and_si128(c, load16(mask + 32));
  return p + size;
}

// From the texts of arrays to their ids, by open addressing. The texts lie in the table, each with its id in one cache
// line, as what takes time is fetching them: kept as pointers into the source they took a fifth of reading shapes.
class ArrayTexts {
 public:
  struct alignas(64) Entry {
    ArrayText text;
    std::uint32_t generation = 0;
    ShapeId id;  // invalid of one that was only checked
  };

  // Forgets all texts, keeping the memory, and makes room for about `count`.
  void start(std::size_t count) {
    const std::size_t slots = std::clamp<std::size_t>(2 * std::bit_ceil(count), 64, 2048);
    if (entries_.size() < slots) entries_.assign(slots, Entry());
    if (++generation_ == 0) {  // none left: the entries' are taken back
      for (Entry& entry : entries_) entry.generation = 0;
      generation_ = 1;
    }
    size_ = 0;
  }

  bool holds(const Entry& entry) const { return entry.generation == generation_; }

  // The entry of `text`, or the free one where it belongs.
  Entry& at(const ArrayText& text) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t slot = text.hash() & mask;
    while (holds(entries_[slot]) && !(entries_[slot].text == text)) slot = (slot + 1) & mask;
    return entries_[slot];
  }

  // Fills in what at() gave. Entries move.
  void set(Entry& entry, const ArrayText& text, ShapeId id) {
    if (!holds(entry)) ++size_;
    entry = {text, generation_, id};
    if (2 * size_ > entries_.size()) grow();
  }

 private:
  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (holds(entry)) at(entry.text) = entry;
    }
  }

  std::vector<Entry> entries_;
  std::uint32_t generation_ = 0;
  std::size_t size_ = 0;
};

}  // namespace hloroof::inline v0
#endif  // __SSE2__

#endif  // HLOROOF_LIB_TEXT_ARRAY_TEXTS_H_
