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
  // One addition moves a range to the top of the signed bytes, where one comparison finds it.
  const auto in_range = [](__m128i b, int low, int high) {
    return _mm_cmpgt_epi8(_mm_add_epi8(b, _mm_set1_epi8(static_cast<char>(127 - high))),
                          _mm_set1_epi8(static_cast<char>(126 - high + low)));
  };
  const __m128i letter = in_range(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z');
  const __m128i dash_to_digit = in_range(bytes, '-', '9');  // - . / and the digits
  const __m128i underscore = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_'));
  const __m128i slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/'));
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_andnot_si128(slash, _mm_or_si128(_mm_or_si128(letter, dash_to_digit), underscore))));
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
    while (end - p >= 64) {
      const __m128i a = load16(p);
      const __m128i b = load16(p + 16);
      const __m128i c = load16(p + 32);
      const __m128i d = load16(p + 48);
      const auto equal = [](__m128i bytes, char wanted) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted)); };
      const auto join = [](__m128i e, __m128i f, __m128i g, __m128i h) {
        const auto mask = [](__m128i bytes) { return static_cast<unsigned>(_mm_movemask_epi8(bytes)); };
        return std::uint64_t{mask(e) | mask(f) << 16} | std::uint64_t{mask(g) | mask(h) << 16} << 32;
      };
      const __m128i escapes =
          _mm_or_si128(_mm_or_si128(equal(a, '\\'), equal(b, '\\')), _mm_or_si128(equal(c, '\\'), equal(d, '\\')));
      if (_mm_movemask_epi8(escapes) != 0) break;
      std::uint64_t inside = join(equal(a, '"'), equal(b, '"'), equal(c, '"'), equal(d, '"'));
      for (int shift = 1; shift < 64; shift *= 2) inside ^= inside << shift;
      if (in_string) inside = ~inside;
      // Few other bytes are above z: the braces are told apart one by one.
      const auto above_z = [](__m128i bytes) { return _mm_cmpgt_epi8(bytes, _mm_set1_epi8('z')); };
      std::uint64_t braces = join(above_z(a), above_z(b), above_z(c), above_z(d)) & ~inside;
      for (; braces != 0; braces &= braces - 1) {
        const char* at = p + std::countr_zero(braces);
        depth += static_cast<std::size_t>(*at == '{') - static_cast<std::size_t>(*at == '}');
        if (depth == 0) return at + 1;
      }
      in_string = (inside >> 63) != 0;
      p += 64;
    }
    const char* stop = end - p >= 64 ? p + 64 : end;
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

// The hash of a piece of text, 32 bytes at a time, the last block filled up with zeros. That it is the same whether the
// bytes come from memory or from a block that a scan holds lets accept_name hash a name while it looks for its end. Two
// halves at a time, so that names of 15 and of 17 bytes, of which dumps are full, take the same way.
class TextHash {
 public:
  static constexpr std::size_t kBlock = 32;

  void add(const std::uint64_t (&words)[4]) { add(words[0] + (words[2] << 5), words[1] + (words[3] << 5)); }
#if defined(__SSE2__)
  void add(__m128i first, __m128i second) {
    const __m128i sum = _mm_add_epi64(first, _mm_slli_epi64(second, 5));
    std::uint64_t words[2];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(words), sum);
    add(words[0], words[1]);
  }
#endif
  std::uint32_t value() const { return static_cast<std::uint32_t>((state_ ^ (state_ >> 17)) >> 32); }

 private:
  void add(std::uint64_t low, std::uint64_t high) {
    state_ = ((state_ ^ (state_ >> 32)) + low) * 0x9e3779b97f4a7c15u + high * 0xc2b2ae3d27d4eb4fu;
  }

  std::uint64_t state_ = 0;
};

#if defined(__SSE2__)
// 32 bytes in two blocks.
struct Block32 {
  __m128i first;
  __m128i second;

  explicit Block32(const char* p) : first(load16(p)), second(load16(p + 16)) {}
  // The first n bytes kept, the others 0.
  void keep_first(std::size_t n) {
    alignas(16) static constexpr std::int8_t kMasks[64] = {
        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
        0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0};
    const char* mask = reinterpret_cast<const char*>(kMasks) + 32 - n;
    first = _mm_and_si128(first, load16(mask));
    second = _mm_and_si128(second, load16(mask + 16));
  }
};

// The end of what begins with the block at `p` and goes on to the first byte whose bit in `ends` is set, in *hash what
// hash_bytes gives for it; null where no bit is.
inline const char* end_in_block(Block32 block, const char* p, unsigned ends, std::uint32_t* hash) {
  if (ends == 0) return nullptr;
  const auto n = static_cast<std::size_t>(std::countr_zero(ends));
  block.keep_first(n);
  TextHash sum;
  sum.add(block.first, block.second);
  *hash = sum.value();
  return p + n;
}
#endif

inline std::uint32_t hash_bytes(const char* p, std::size_t size) {
  TextHash hash;
  std::uint64_t words[4];
  for (; size >= TextHash::kBlock; p += TextHash::kBlock, size -= TextHash::kBlock) {
    std::memcpy(words, p, TextHash::kBlock);
    hash.add(words);
  }
  words[0] = words[1] = words[2] = words[3] = 0;
  std::memcpy(words, p, size);
  hash.add(words);
  return hash.value();
}

// As hash_bytes; `end` is where the text that the bytes lie in ends, so that whole blocks can be read.
inline std::uint32_t hash_bytes(const char* p, std::size_t size, const char* end) {
#if defined(__SSE2__)
  if (end - p >= static_cast<std::ptrdiff_t>(size | 31) + 1) {
    TextHash hash;
    for (; size >= TextHash::kBlock; p += TextHash::kBlock, size -= TextHash::kBlock) {
      hash.add(load16(p), load16(p + 16));
    }
    Block32 last(p);
    last.keep_first(size);
    hash.add(last.first, last.second);
    return hash.value();
  }
#else
  (void)end;
#endif
  return hash_bytes(p, size);
}

// Where a name that was read before may end: at the first byte below '-', as blanks, commas and parentheses are. Null
// beyond 31 bytes. In *hash, what hash_bytes gives for it. Whether all of it is word characters is not looked at: it is
// if it equals a name, and reading it so takes half as long.
inline const char* known_name_end(const char* p, const char* end, std::uint32_t* hash) {
#if defined(__SSE2__)
  if (end - p < 33) return nullptr;
  const Block32 block(p);
  const auto mask = [](__m128i b) {
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmplt_epi8(b, _mm_set1_epi8('-'))));
  };
  return end_in_block(block, p, mask(block.first) | mask(block.second) << 16, hash);
#else
  (void)p, (void)end, (void)hash;
  return nullptr;
#endif
}

// skip_word, and in *hash what hash_bytes gives for the word.
inline const char* skip_word(const char* p, const char* end, std::uint32_t* hash) {
#if defined(__SSE2__)
  if (end - p >= 32) {
    const Block32 block(p);
    const unsigned other = ~(mask_word(block.first) | mask_word(block.second) << 16);
    if (const char* word_end = end_in_block(block, p, other, hash)) return word_end;
  }
#endif
  const char* done = skip_word(p, end);
  *hash = hash_bytes(p, static_cast<std::size_t>(done - p), end);
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

// As equal_bytes, of at most 32 bytes with 32 readable ones at both places: no branch on the size.
inline bool equal_short(const char* a, const char* b, std::size_t size) {
#if defined(__SSE2__)
  const std::uint64_t differs = mask_differs(load16(a), load16(b)) | mask_differs(load16(a + 16), load16(b + 16)) << 16;
  return (differs & ((std::uint64_t{1} << size) - 1)) == 0;
#else
  return equal_bytes(a, b, size);
#endif
}

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_SCAN_H_
