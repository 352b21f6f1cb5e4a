// Fast passes over bytes: hashing a token, the end of a word, the first of a few characters, the end of raw JSON.
//
// Sixteen bytes at a time where the processor is known to have SSE2, else byte by byte. None reads at or beyond `end`.
#ifndef HLOROOF_LIB_TEXT_SCAN_H_
#define HLOROOF_LIB_TEXT_SCAN_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hloroof::inline v0 {

// One bit for each thing a byte can be, so that a scan is a table lookup and a test.
enum CharClass : std::uint8_t {
  kSpaceChar = 1,      // blank, TAB, LF, CR
  kWordStartChar = 2,  // letters and _
  kWordChar = 4,       // letters, digits, _ . -
  kDigitChar = 8,
};
inline constexpr std::array<std::uint8_t, 256> kCharClass = [] {
  std::array<std::uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = kWordStartChar | kWordChar;
  for (int c = '0'; c <= '9'; ++c) table[c] = kWordChar | kDigitChar;
  table['_'] = kWordStartChar | kWordChar;
  table['.'] = table['-'] = kWordChar;
  table[' '] = table['\t'] = table['\n'] = table['\r'] = kSpaceChar;
  return table;
}();
inline bool is_space(char c) { return (kCharClass[static_cast<std::uint8_t>(c)] & kSpaceChar) != 0; }
inline bool is_word_start(char c) { return (kCharClass[static_cast<std::uint8_t>(c)] & kWordStartChar) != 0; }
inline bool is_word(char c) { return (kCharClass[static_cast<std::uint8_t>(c)] & kWordChar) != 0; }
inline bool is_digit(char c) { return (kCharClass[static_cast<std::uint8_t>(c)] & kDigitChar) != 0; }

#if defined(__SSE2__)
inline __m128i load16(const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
inline unsigned mask_equal(__m128i bytes, char c) {
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))));
}
// Bit i is set where byte i is a word character.
inline unsigned mask_word(__m128i bytes) {
  const auto in_range = [](__m128i b, char low, char size) {
    const __m128i from_low = _mm_sub_epi8(b, _mm_set1_epi8(low));
    return _mm_cmpeq_epi8(_mm_min_epu8(from_low, _mm_set1_epi8(static_cast<char>(size - 1))), from_low);
  };
  const __m128i letter = in_range(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 26);
  const __m128i digit = in_range(bytes, '0', 10);
  const __m128i dash_or_point = in_range(bytes, '-', 2);
  const __m128i underscore = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_'));
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(letter, digit), _mm_or_si128(dash_or_point, underscore))));
}
#endif

// The end of the word characters at `p`. Text ends in a byte that is none.
inline const char* skip_word(const char* p, const char* end) {
#if defined(__SSE2__)
  for (; end - p >= 16; p += 16) {
    const unsigned other = ~mask_word(load16(p)) & 0xffff;
    if (other != 0) return p + std::countr_zero(other);
  }
#endif
  while (p < end && is_word(*p)) ++p;
  return p;
}

// The first of the characters `kChars` in [p, end), or end.
template <char... kChars>
const char* find_first_of(const char* p, const char* end) {
#if defined(__SSE2__)
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = load16(p);
    const unsigned found = (mask_equal(bytes, kChars) | ...);
    if (found != 0) return p + std::countr_zero(found);
  }
#endif
  while (p < end && ((*p != kChars) && ...)) ++p;
  return p;
}

// The end of the balanced {...} that begins at `p`, braces in double-quoted strings not counted; null if it is not
// closed.
inline const char* json_end(const char* p, const char* end) {
  std::size_t depth = 0;  // a count, so that no input can nest too deeply for it
  bool in_string = false;
  while (p < end) {
#if defined(__SSE2__)
    // Blocks without an escape: bytes in strings are those after an odd number of quotes.
    while (end - p >= 16) {
      const __m128i bytes = load16(p);
      if (mask_equal(bytes, '\\') != 0) break;
      unsigned inside = mask_equal(bytes, '"');
      for (int shift = 1; shift < 16; shift *= 2) inside ^= inside << shift;
      if (in_string) inside = ~inside;
      inside &= 0xffff;
      const unsigned opening = mask_equal(bytes, '{');
      unsigned braces = (opening | mask_equal(bytes, '}')) & ~inside;
      for (; braces != 0; braces &= braces - 1) {
        const unsigned brace = braces & (~braces + 1);
        if ((opening & brace) != 0) {
          ++depth;
        } else if (--depth == 0) {
          return p + std::countr_zero(brace) + 1;
        }
      }
      in_string = (inside & 0x8000) != 0;
      p += 16;
    }
    const char* stop = end - p >= 16 ? p + 16 : end;
#else
    const char* stop = end;
#endif
    while (p < stop) {
      const char c = *p++;
      if (in_string) {
        if (c == '\\') {
          if (p == end) return nullptr;
          ++p;
        } else if (c == '"') {
          in_string = false;
        }
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && --depth == 0) {
        return p;
      }
    }
  }
  return nullptr;
}

// A hash of `size` bytes, eight at a time: names and shape texts are 5 to 60 bytes, where a byte-wise hash would be the
// largest part of looking one up.
inline std::uint64_t hash_bytes(const char* p, std::size_t size) {
  constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15u;
  std::uint64_t hash = size * kMultiplier;
  std::uint64_t word = 0;
  const auto mix = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * kMultiplier;
    hash ^= hash >> 32;
  };
  if (size >= 8) {
    const char* last = p + size - 8;
    for (; p < last; p += 8) {
      std::memcpy(&word, p, 8);
      mix(word);
    }
    std::memcpy(&word, last, 8);  // overlaps the one before
    mix(word);
  } else if (size >= 4) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, p, 4);
    std::memcpy(&high, p + size - 4, 4);
    mix((std::uint64_t{high} << 32) | low);
  } else if (size > 0) {
    const auto byte = [p](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])); };
    mix(byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16);
  }
  return hash;
}

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_SCAN_H_
