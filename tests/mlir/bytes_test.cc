#include "lib/mlir/bytes.h"

#include <cstdint>
#include <string>

#include "tests/catch.h"
#include "tests/mlir/encode.h"

namespace hloroof::internal::mlir {
namespace {

TEST_CASE("a varint has one to nine bytes") {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{127}, std::uint64_t{128}, (std::uint64_t{1} << 14U) - 1,
        std::uint64_t{1} << 14U, std::uint64_t{1} << 21U, std::uint64_t{1} << 28U, std::uint64_t{1} << 35U,
        std::uint64_t{1} << 42U, (std::uint64_t{1} << 49U) - 1, std::uint64_t{1} << 49U, (std::uint64_t{1} << 56U) - 1,
        std::uint64_t{1} << 56U, ~std::uint64_t{0}}) {
    const std::string bytes = varint(value);
    ByteCursor cursor(bytes, 0, bytes.size());
    CHECK(cursor.varint() == value);
    CHECK(cursor.ok());
    CHECK(cursor.remaining() == 0);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ByteCursor cut(bytes, 0, size);
      CHECK(cut.varint() == 0);
      CHECK_FALSE(cut.ok());
    }
  }
  // From mlir/docs/BytecodeFormat.md: xxxxxxx1, xxxxxx10 xxxxxxxx.
  ByteCursor known(std::string_view("\x07\x0a\x01", 3), 0, 3);
  CHECK(known.varint() == 3);
  CHECK(known.varint() == 66);
}

TEST_CASE("a signed varint is in zigzag") {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, std::int64_t{-64}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    const std::string bytes = varint(zigzag(value));
    ByteCursor cursor(bytes, 0, bytes.size());
    CHECK(cursor.signed_varint() == value);
  }
}

TEST_CASE("the first fault is kept with its offset") {
  const std::string bytes = varints({3, 200, 7});
  ByteCursor cursor(bytes, 0, bytes.size());
  CHECK(cursor.varint() == 3);
  CHECK(cursor.index(100, "too large") == 0);
  CHECK(cursor.varint() == 0);
  CHECK(cursor.count() == 0);
  CHECK(cursor.status().message() == "MLIR bytecode: too large at byte 1");
}

TEST_CASE("a count is at most the number of remaining bytes") {
  const std::string bytes = varints({2, 0, 0});
  ByteCursor fits(bytes, 0, bytes.size());
  CHECK(fits.count() == 2);
  ByteCursor exceeds(bytes, 0, 2);
  CHECK(exceeds.count() == 0);
  CHECK_FALSE(exceeds.ok());
}

TEST_CASE("alignment skips padding") {
  const std::string bytes("\x01\xcb\xcb\xcb\x02", 5);
  ByteCursor cursor(bytes, 1, bytes.size());
  cursor.align(4);
  CHECK(cursor.byte() == 2);
  ByteCursor other(std::string_view("\x01\x02\x03\x04\x05"), 1, 5);
  other.align(4);
  CHECK_THAT(std::string(other.status().message()), ContainsSubstring("0xCB at byte 1"));
  ByteCursor odd(bytes, 1, bytes.size());
  odd.align(3);
  CHECK_FALSE(odd.ok());
}

}  // namespace
}  // namespace hloroof::internal::mlir
