#include "lib/base/utf.h"

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

using namespace std::string_literals;

TEST_CASE("UTF-16 of both orders becomes UTF-8") {
  const struct {
    std::string bytes;
    std::string text;
  } cases[] = {
      {"\xff\xfe"s, ""},
      {"\xff\xfeH\0i\0"s, "Hi"},
      {"\xfe\xff\0H\0i"s, "Hi"},
      {"\xff\xfe\xe9\0\xac\x20"s, "\xc3\xa9\xe2\x82\xac"},
      {"\xff\xfe\x3d\xd8\x00\xde"s, "\xf0\x9f\x98\x80"},  // a pair of surrogates
      {"\xff\xfe\x3d\xd8"s, "\xef\xbf\xbd"},              // a lone one
      {"\xff\xfe\x00\xde"
       "a\0"s,
       "\xef\xbf\xbd"
       "a"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(utf16_to_utf8(c.bytes) == c.text);
  }
  for (const std::string& bytes : {""s, "\xff"s, "Hi"s, "\xff\xfeH"s}) CHECK_FALSE(utf16_to_utf8(bytes).has_value());
}

TEST_CASE("the length of a UTF-8 character") {
  CHECK(utf8_length("a", 0) == 1);
  CHECK(utf8_length("\xc3\xa9", 0) == 2);
  CHECK(utf8_length("\xe2\x82\xac", 0) == 3);
  CHECK(utf8_length("\xf0\x9f\x98\x80", 0) == 4);
  CHECK(utf8_length("\xc3", 0) == 0);
  CHECK(utf8_length("\xa9", 0) == 0);
}

}  // namespace
}  // namespace hloroof::internal
