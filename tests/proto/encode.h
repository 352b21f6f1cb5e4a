// A minimal encoder of the wire format, which makes messages for tests.
#ifndef HLOROOF_TESTS_PROTO_ENCODE_H_
#define HLOROOF_TESTS_PROTO_ENCODE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace hloroof::internal {

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
inline std::string field(std::uint32_t number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
inline std::string field(std::uint32_t number, std::uint64_t value) { return varint(number << 3) + varint(value); }

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_PROTO_ENCODE_H_
