// Fast passes over bytes: hashing a token.
#ifndef HLOROOF_LIB_TEXT_SCAN_H_
#define HLOROOF_LIB_TEXT_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hloroof::inline v0 {

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
