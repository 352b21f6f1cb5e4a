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
inline unsigned mask_differs(__m128i a, __m128i b) {
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(a, b))) ^ 0xffff;
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

// The hash of a piece of text, 16 bytes at a time, the last block filled up with zeros. That it is the same whether the
// bytes come from memory or from a block that a scan holds lets accept_name hash a name while it looks for its end.
class TextHash {
 public:
  void add(std::uint64_t low, std::uint64_t high) {
    const std::uint64_t a = (state_ ^ low) * 0x9e3779b97f4a7c15u;
    const std::uint64_t b = high * 0xc2b2ae3d27d4eb4fu;
    state_ = a ^ (a >> 32) ^ std::rotl(b, 29);
  }
#if defined(__SSE2__)
  void add(__m128i block) {
    std::uint64_t halves[2];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(halves), block);
    add(halves[0], halves[1]);
  }
#endif
  std::uint32_t value() const {
    const std::uint64_t mixed = (state_ ^ (state_ >> 29)) * 0x9e3779b97f4a7c15u;
    return static_cast<std::uint32_t>(mixed >> 32);
  }

 private:
  std::uint64_t state_ = 0;
};

#if defined(__SSE2__)
// The first n bytes of a block kept, the others 0.
inline __m128i keep_first(__m128i block, unsigned n) {
  alignas(16) static constexpr std::int8_t kMasks[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                                         0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0};
  return _mm_and_si128(block, load16(reinterpret_cast<const char*>(kMasks) + 16 - n));
}
#endif

inline std::uint32_t hash_bytes(const char* p, std::size_t size) {
  TextHash hash;
  std::uint64_t halves[2];
  for (; size >= 16; p += 16, size -= 16) {
    std::memcpy(halves, p, 16);
    hash.add(halves[0], halves[1]);
  }
  halves[0] = halves[1] = 0;
  std::memcpy(halves, p, size);
  hash.add(halves[0], halves[1]);
  return hash.value();
}

// As hash_bytes; `end` is where the text that the bytes lie in ends, so that whole blocks can be read.
inline std::uint32_t hash_bytes(const char* p, std::size_t size, const char* end) {
#if defined(__SSE2__)
  if (end - p >= static_cast<std::ptrdiff_t>(size | 15) + 1) {
    TextHash hash;
    for (; size >= 16; p += 16, size -= 16) hash.add(load16(p));
    hash.add(keep_first(load16(p), static_cast<unsigned>(size)));
    return hash.value();
  }
#else
  (void)end;
#endif
  return hash_bytes(p, size);
}

// skip_word, and in *hash what hash_bytes gives for the word.
inline const char* skip_word(const char* p, const char* end, std::uint32_t* hash) {
#if defined(__SSE2__)
  const char* begin = p;
  TextHash sum;
  for (; end - p >= 16; p += 16) {
    const __m128i block = load16(p);
    const unsigned other = ~mask_word(block) & 0xffff;
    if (other != 0) {
      const int n = std::countr_zero(other);
      sum.add(keep_first(block, static_cast<unsigned>(n)));
      *hash = sum.value();
      return p + n;
    }
    sum.add(block);
  }
  p = begin;
#endif
  const char* done = skip_word(p, end);
  *hash = hash_bytes(p, static_cast<std::size_t>(done - p));
  return done;
}

// Whether `size` bytes are the same: memcmp without the call, for names and shapes, most of them of 8 to 40 bytes.
inline bool equal_bytes(const char* a, const char* b, std::size_t size) {
#if defined(__SSE2__)
  if (size >= 16) {
    const char* last = a + size - 16;
    const std::ptrdiff_t shift = b - a;
    for (; a < last; a += 16) {
      if (mask_differs(load16(a), load16(a + shift)) != 0) return false;
    }
    return mask_differs(load16(last), load16(last + shift)) == 0;
  }
#else
  if (size >= 16) return std::memcmp(a, b, size) == 0;
#endif
  if (size >= 8) {
    std::uint64_t words[4];
    std::memcpy(&words[0], a, 8);
    std::memcpy(&words[1], b, 8);
    std::memcpy(&words[2], a + size - 8, 8);
    std::memcpy(&words[3], b + size - 8, 8);
    return ((words[0] ^ words[1]) | (words[2] ^ words[3])) == 0;
  }
  if (size >= 4) {
    std::uint32_t words[4];
    std::memcpy(&words[0], a, 4);
    std::memcpy(&words[1], b, 4);
    std::memcpy(&words[2], a + size - 4, 4);
    std::memcpy(&words[3], b + size - 4, 4);
    return ((words[0] ^ words[1]) | (words[2] ^ words[3])) == 0;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_SCAN_H_
