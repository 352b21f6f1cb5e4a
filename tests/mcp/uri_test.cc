#include "lib/fronts/mcp/uri.h"

#include <optional>
#include <string>
#include <string_view>

#include "lib/fronts/rpc/percent.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

std::optional<std::string> decoded(std::string_view text) {
  std::string path;
  return percent_decode(text, &path) ? std::optional(path) : std::nullopt;
}

TEST_CASE("paths come back from their percent escapes") {
  for (const std::string path : {"a/b.hlo", "a b%20c.hlo", "x?y#z", "\xc3\xa4", "\xff", ""}) {
    CAPTURE(path);
    const std::string encoded = percent_encode(path);
    CHECK(encoded.find_first_of(" ?#\xff") == std::string::npos);
    CHECK(decoded(encoded) == path);
  }
  for (const char* text : {"%", "%a", "%zz", "%-1", "x%4", "%+1"}) CHECK_FALSE(decoded(text).has_value());
}

TEST_CASE("URIs of resources") {
  const auto uri = parse_uri("hloroof:///dumps/a%20b.hlo?first_line=7&max_chars=300", {});
  REQUIRE(uri.has_value());
  CHECK(uri->kind == kDumpUri);
  CHECK(uri->path == "a b.hlo");
  CHECK(uri->part.first_line == 7);
  CHECK(uri->part.max_bytes == 300);
  CHECK(parse_uri("hloroof:///schemas/lint", {})->path == "lint");
  for (const char* text : {"", "hloroof:", "file:///etc/passwd", "hloroof:///dumps/%",
                           "hloroof:///dumps/a?first_line=x", "hloroof:///dumps/a?other=1",
                           "hloroof:///dumps/a?first_line=99999999999999999999", "hloroof:///dumps/a?first_line=-1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_uri(text, {}).has_value());
  }
}

}  // namespace
}  // namespace hloroof::internal
