#include "lib/mlir/bytes.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace hloroof::internal::mlir {

absl::Status error_at(std::size_t offset, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("MLIR bytecode: ", to_absl(what), " at byte ", offset));
}

std::string encode_varint(std::uint64_t value) {
  std::string out;
  for (unsigned size = 1; size <= 8; ++size) {
    if (size < 8 ? value >> (7 * size) != 0 : value >> 56U != 0) continue;
    const std::uint64_t bits = (value << 1U | 1U) << (size - 1);
    for (unsigned i = 0; i < size; ++i) out += static_cast<char>(bits >> (8 * i) & 0xffU);
    return out;
  }
  out += '\0';
  for (unsigned i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i) & 0xffU);
  return out;
}

std::string encode_signed_varint(std::int64_t value) {
  return encode_varint(static_cast<std::uint64_t>(value) << 1U ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

std::uint64_t ByteCursor::long_varint() {
  const std::uint8_t prefix = byte();
  if (!ok()) return 0;
  unsigned further = 0;
  while (further < 8 && (prefix >> further & 1U) == 0) ++further;
  std::uint64_t value = further == 8 ? 0 : prefix >> (further + 1);
  // A prefix of 0 contributes no bits, otherwise its 7 - further high bits are the low bits of the value.
  unsigned shift = further == 8 ? 0 : 7 - further;
  for (unsigned i = 0; i < further; ++i, shift += 8) value |= std::uint64_t{byte()} << shift;
  return ok() ? value : 0;
}

std::string_view ByteCursor::c_string() {
  const std::size_t nul = body_.substr(0, end_).find('\0', at_);
  if (nul == std::string_view::npos) {
    fail("a string has no NUL at its end");
    return {};
  }
  const std::string_view result = body_.substr(at_, nul - at_);
  at_ = nul + 1;
  return result;
}

void ByteCursor::align(std::uint64_t alignment) {
  constexpr std::uint8_t kPadding = 0xCB;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    fail("an alignment is not a power of two");
    return;
  }
  while (ok() && at_ % alignment != 0) {
    if (byte() != kPadding && ok()) {
      --at_;
      fail("the padding before an aligned section is not 0xCB");
    }
  }
}

}  // namespace hloroof::internal::mlir
