// Fast passes over bytes: hashing a token, the end of a word, the first of a few characters, the end of raw JSON.
//
// Each goes through Bytes16 (lib/base/simd.h), and byte by byte where less than a block is left. None reads at or
// beyond `end`.
#ifndef HLOROOF_LIB_VALUES_SCAN_H_
#define HLOROOF_LIB_VALUES_SCAN_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/base/simd.h"

namespace hloroof::internal::inline values {

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

// 32 bytes in two blocks.
template <typename Bytes>
struct Block32 {
  static constexpr std::size_t kSize = 32;
  Bytes first;
  Bytes second;

  static Block32 load(const char* p) { return {Bytes::load(p), Bytes::load(p + 16)}; }
  // The first n bytes kept, the others 0.
  Block32 keep_first(std::size_t n) const {
    alignas(16) static constexpr auto kMasks = [] {
      std::array<char, 2 * kSize> masks{};
      for (std::size_t i = 0; i < kSize; ++i) masks[i] = static_cast<char>(0xff);
      return masks;
    }();
    const Block32 mask = load(kMasks.data() + kSize - n);
    return {first & mask.first, second & mask.second};
  }
};

// The hash of a piece of text, 32 bytes at a time, the last block filled up with zeros. The result is the same whether
// the bytes come from memory or from a block that a scan holds, so that accept_name hashes a name while it looks for
// its end. Two halves at a time: names of 15 and of 17 bytes, of which dumps are full, take the same way.
class TextHash {
 public:
  template <typename Bytes>
  void add(const Block32<Bytes>& block) {
    const Bytes sum = block.first.add(block.second.template shifted_left<5>());
    state_ = ((state_ ^ (state_ >> 32)) + sum.low()) * 0x9e3779b97f4a7c15u + sum.high() * 0xc2b2ae3d27d4eb4fu;
  }
  std::uint32_t value() const { return static_cast<std::uint32_t>((state_ ^ (state_ >> 17)) >> 32); }

 private:
  std::uint64_t state_ = 0;
};

// The passes over either type of 16 bytes. The functions below are those of Bytes16.
template <typename Bytes>
struct Scan {
  using Block = Block32<Bytes>;

  // Bit i is set where byte i is a word character.
  static unsigned mask_word(Bytes bytes) {
    const Bytes letter = bytes.or_bits(0x20).between('a', 'z');
    const Bytes dash_to_digit = bytes.between('-', '9');  // - . / and the digits
    return (letter | dash_to_digit | bytes.equal('_')).but_not(bytes.equal('/')).mask();
  }

  static const char* skip_word(const char* p, const char* end) {
    for (; end - p >= 16; p += 16) {
      const unsigned other = ~mask_word(Bytes::load(p)) & 0xffff;
      if (other != 0) return p + std::countr_zero(other);
    }
    while (p < end && is_word(*p)) ++p;
    return p;
  }

  template <char... kChars>
  static const char* find_first_of(const char* p, const char* end) {
    for (; end - p >= 16; p += 16) {
      const Bytes bytes = Bytes::load(p);
      const unsigned found = (bytes.equal(kChars) | ...).mask();
      if (found != 0) return p + std::countr_zero(found);
    }
    while (p < end && ((*p != kChars) && ...)) ++p;
    return p;
  }

  static const char* json_end(const char* p, const char* end) {
    std::size_t depth = 0;  // a count, so that no input can nest too deeply for it
    bool in_string = false;
    while (p < end) {
      if (const char* done = skip_json_blocks(p, end, depth, in_string)) return done;
      const char* stop = end - p >= 64 ? p + 64 : end;
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

  static std::uint32_t hash_bytes(const char* p, std::size_t size) {
    TextHash hash;
    for (; size >= Block::kSize; p += Block::kSize, size -= Block::kSize) hash.add(Block::load(p));
    char last[Block::kSize] = {};
    std::memcpy(last, p, size);
    hash.add(Block::load(last));
    return hash.value();
  }

  static std::uint32_t hash_bytes(const char* p, std::size_t size, const char* end) {
    if (end - p < static_cast<std::ptrdiff_t>(size | 31) + 1) return hash_bytes(p, size);
    TextHash hash;
    for (; size >= Block::kSize; p += Block::kSize, size -= Block::kSize) hash.add(Block::load(p));
    hash.add(Block::load(p).keep_first(size));
    return hash.value();
  }

  static const char* known_name_end(const char* p, const char* end, std::uint32_t* hash) {
    if (end - p < 33) return nullptr;
    const Block block = Block::load(p);
    return end_in_block(block, p, block.first.below('-').mask() | block.second.below('-').mask() << 16, hash);
  }

  static const char* skip_word(const char* p, const char* end, std::uint32_t* hash) {
    if (end - p >= 32) {
      const Block block = Block::load(p);
      const unsigned other = ~(mask_word(block.first) | mask_word(block.second) << 16);
      if (const char* word_end = end_in_block(block, p, other, hash)) return word_end;
    }
    const char* done = skip_word(p, end);
    *hash = hash_bytes(p, static_cast<std::size_t>(done - p), end);
    return done;
  }

  static bool equal_bytes(const char* a, const char* b, std::size_t size) {
    if (size >= 16) {
      const char* last = a + size - 16;
      const std::ptrdiff_t shift = b - a;
      for (; a < last; a += 16) {
        if (!equal16(a, a + shift)) return false;
      }
      return equal16(last, last + shift);
    }
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

  static bool equal_short(const char* a, const char* b, std::size_t size) {
    const std::uint64_t same = Bytes::load(a).equal(Bytes::load(b)).mask() |
                               std::uint64_t{Bytes::load(a + 16).equal(Bytes::load(b + 16)).mask()} << 16;
    return (~same & ((std::uint64_t{1} << size) - 1)) == 0;
  }

 private:
  static bool equal16(const char* a, const char* b) { return Bytes::load(a).equal(Bytes::load(b)).mask() == 0xffff; }

  // The end of what begins with the block at `p` and goes on to the first byte whose bit in `ends` is set, in *hash
  // what hash_bytes gives for it; null where no bit is.
  static const char* end_in_block(const Block& block, const char* p, unsigned ends, std::uint32_t* hash) {
    if (ends == 0) return nullptr;
    const auto n = static_cast<std::size_t>(std::countr_zero(ends));
    TextHash sum;
    sum.add(block.keep_first(n));
    *hash = sum.value();
    return p + n;
  }

  // Moves `p` over blocks of 64 bytes without an escape, counting braces outside strings; the end of the JSON if it
  // lies in one of them, else null. Bytes inside strings are those after an odd number of quotes.
  static const char* skip_json_blocks(const char*& p, const char* end, std::size_t& depth, bool& in_string) {
    for (; end - p >= 64; p += 64) {
      const Bytes a = Bytes::load(p);
      const Bytes b = Bytes::load(p + 16);
      const Bytes c = Bytes::load(p + 32);
      const Bytes d = Bytes::load(p + 48);
      const auto join = [](Bytes e, Bytes f, Bytes g, Bytes h) {
        return std::uint64_t{e.mask() | f.mask() << 16} | std::uint64_t{g.mask() | h.mask() << 16} << 32;
      };
      if (((a.equal('\\') | b.equal('\\')) | (c.equal('\\') | d.equal('\\'))).mask() != 0) return nullptr;
      std::uint64_t inside = join(a.equal('"'), b.equal('"'), c.equal('"'), d.equal('"'));
      for (int shift = 1; shift < 64; shift *= 2) inside ^= inside << shift;
      if (in_string) inside = ~inside;
      // Few other bytes are above z: the braces are told apart one by one.
      std::uint64_t braces = join(a.above('z'), b.above('z'), c.above('z'), d.above('z')) & ~inside;
      for (; braces != 0; braces &= braces - 1) {
        const char* at = p + std::countr_zero(braces);
        depth += static_cast<std::size_t>(*at == '{') - static_cast<std::size_t>(*at == '}');
        if (depth == 0) return at + 1;
      }
      in_string = (inside >> 63) != 0;
    }
    return nullptr;
  }
};

// The end of the word characters at `p`. Text ends in a byte that is not a word character.
inline const char* skip_word(const char* p, const char* end) { return Scan<Bytes16>::skip_word(p, end); }

// The same; *hash becomes hash_bytes of the word.
inline const char* skip_word(const char* p, const char* end, std::uint32_t* hash) {
  return Scan<Bytes16>::skip_word(p, end, hash);
}

// The first of the characters `kChars` in [p, end), or end.
template <char... kChars>
const char* find_first_of(const char* p, const char* end) {
  return Scan<Bytes16>::template find_first_of<kChars...>(p, end);
}

// The end of the balanced {...} that begins at `p`, braces in double-quoted strings not counted; null if it is not
// closed.
inline const char* json_end(const char* p, const char* end) { return Scan<Bytes16>::json_end(p, end); }

inline std::uint32_t hash_bytes(const char* p, std::size_t size) { return Scan<Bytes16>::hash_bytes(p, size); }

// The same; `end` is where the text that holds the bytes ends, so that whole blocks can be read.
inline std::uint32_t hash_bytes(const char* p, std::size_t size, const char* end) {
  return Scan<Bytes16>::hash_bytes(p, size, end);
}

// Where a name that was read before may end: at the first byte below '-', as blanks, commas and parentheses are. Null
// beyond 31 bytes. *hash becomes hash_bytes of the name. Does not check that all of it is word characters: it is if it
// equals a known name, and reading it so takes half as long.
inline const char* known_name_end(const char* p, const char* end, std::uint32_t* hash) {
  return Scan<Bytes16>::known_name_end(p, end, hash);
}

// Whether `size` bytes are the same: memcmp without the call, for names and shapes, most of them of 8 to 40 bytes.
inline bool equal_bytes(const char* a, const char* b, std::size_t size) {
  return Scan<Bytes16>::equal_bytes(a, b, size);
}

// As equal_bytes, of at most 32 bytes with 32 readable ones at both places: no branch on the size.
inline bool equal_short(const char* a, const char* b, std::size_t size) {
  return Scan<Bytes16>::equal_short(a, b, size);
}

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_SCAN_H_
