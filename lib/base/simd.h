// Sixteen bytes at a time: in SSE2 where the processor is known to have it, else in two 64-bit words.
//
// Both types have the same operations, so that the passes over text (lib/values/scan.h) are written once, as templates.
// The CMake option HLOROOF_SIMD=OFF selects the portable type, and tests compare the two (tests/text/scan_test.cc).
//
// A comparison gives bytes of which the top bit is set where it holds; mask() collects those bits. Characters compare
// as signed numbers, so that bytes from 0x80 on are below all others.
#ifndef HLOROOF_LIB_BASE_SIMD_H_
#define HLOROOF_LIB_BASE_SIMD_H_

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__) && !defined(HLOROOF_NO_SIMD)
#define HLOROOF_HAS_SSE2
#include <emmintrin.h>

#endif

namespace hloroof::internal::inline base {

struct PortableBytes {
  std::uint64_t words[2] = {};

  static PortableBytes load(const char* p) {
    PortableBytes bytes;
    std::memcpy(bytes.words, p, sizeof(bytes.words));
    if constexpr (std::endian::native == std::endian::big) {
      for (std::uint64_t& word : bytes.words) word = __builtin_bswap64(word);
    }
    return bytes;
  }

  // Bit i is the top bit of byte i.
  unsigned mask() const { return top_bits(words[0]) | top_bits(words[1]) << 8; }

  PortableBytes equal(PortableBytes other) const {
    return {{zeros(words[0] ^ other.words[0]), zeros(words[1] ^ other.words[1])}};
  }
  PortableBytes equal(char c) const { return equal(PortableBytes{{all(c), all(c)}}); }
  // `c` is from 0 to 127.
  PortableBytes above(char c) const { return {{above(words[0], c), above(words[1], c)}}; }
  // `c` is from 1 to 127.
  PortableBytes below(char c) const {
    const auto flip = [c](std::uint64_t word) { return ~above(word, static_cast<char>(c - 1)) & kTop; };
    return {{flip(words[0]), flip(words[1])}};
  }
  // Both ends included, from 1 to 127.
  PortableBytes between(char low, char high) const { return above(static_cast<char>(low - 1)).but_not(above(high)); }

  friend PortableBytes operator|(PortableBytes a, PortableBytes b) {
    return {{a.words[0] | b.words[0], a.words[1] | b.words[1]}};
  }
  friend PortableBytes operator&(PortableBytes a, PortableBytes b) {
    return {{a.words[0] & b.words[0], a.words[1] & b.words[1]}};
  }
  PortableBytes or_bits(char c) const { return *this | PortableBytes{{all(c), all(c)}}; }
  PortableBytes but_not(PortableBytes other) const {
    return {{words[0] & ~other.words[0], words[1] & ~other.words[1]}};
  }

  // As two little-endian 64-bit numbers.
  std::uint64_t low() const { return words[0]; }
  std::uint64_t high() const { return words[1]; }
  template <int kBits>
  PortableBytes shifted_left() const {
    return {{words[0] << kBits, words[1] << kBits}};
  }
  PortableBytes add(PortableBytes other) const { return {{words[0] + other.words[0], words[1] + other.words[1]}}; }

 private:
  static constexpr std::uint64_t kOnes = 0x0101010101010101u;
  static constexpr std::uint64_t kTop = 0x80 * kOnes;

  static std::uint64_t all(char c) { return static_cast<std::uint8_t>(c) * kOnes; }
  static std::uint64_t zeros(std::uint64_t word) { return ~(((word & ~kTop) + ~kTop) | word) & kTop; }
  static std::uint64_t above(std::uint64_t word, char c) {
    return ((word & ~kTop) + static_cast<std::uint64_t>(127 - c) * kOnes) & ~word & kTop;
  }
  // The factor moves bit 8 i to bit 56 + i; no two of its other products meet there.
  static unsigned top_bits(std::uint64_t word) {
    return static_cast<unsigned>((((word & kTop) >> 7) * 0x0102040810204080u) >> 56);
  }
};

#if defined(HLOROOF_HAS_SSE2)
struct Sse2Bytes {
  __m128i bytes = {};

  static Sse2Bytes load(const char* p) { return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))}; }

  unsigned mask() const { return static_cast<unsigned>(_mm_movemask_epi8(bytes)); }

  Sse2Bytes equal(Sse2Bytes other) const { return {_mm_cmpeq_epi8(bytes, other.bytes)}; }
  Sse2Bytes equal(char c) const { return {_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))}; }
  Sse2Bytes above(char c) const { return {_mm_cmpgt_epi8(bytes, _mm_set1_epi8(c))}; }
  Sse2Bytes below(char c) const { return {_mm_cmplt_epi8(bytes, _mm_set1_epi8(c))}; }
  // One addition moves the range to the top of the signed bytes, where one comparison finds it.
  Sse2Bytes between(char low, char high) const {
    return {_mm_cmpgt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(127 - high))),
                           _mm_set1_epi8(static_cast<char>(126 - high + low)))};
  }

  friend Sse2Bytes operator|(Sse2Bytes a, Sse2Bytes b) { return {_mm_or_si128(a.bytes, b.bytes)}; }
  friend Sse2Bytes operator&(Sse2Bytes a, Sse2Bytes b) { return {_mm_and_si128(a.bytes, b.bytes)}; }
  Sse2Bytes or_bits(char c) const { return {_mm_or_si128(bytes, _mm_set1_epi8(c))}; }
  Sse2Bytes but_not(Sse2Bytes other) const { return {_mm_andnot_si128(other.bytes, bytes)}; }

  std::uint64_t low() const { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(bytes)); }
  std::uint64_t high() const { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes, bytes))); }
  template <int kBits>
  Sse2Bytes shifted_left() const {
    return {_mm_slli_epi64(bytes, kBits)};
  }
  Sse2Bytes add(Sse2Bytes other) const { return {_mm_add_epi64(bytes, other.bytes)}; }
};
using Bytes16 = Sse2Bytes;
#else
using Bytes16 = PortableBytes;
#endif

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_SIMD_H_
