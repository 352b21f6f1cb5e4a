#include "lib/base/json.h"

#include <string>
#include <string_view>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("json: values of every kind") {
  const auto root = parse_json(R"({"a": [1, -2.5, 1e3], "b": {"c": null}, "d": true, "e": "\u00e9\n"})", "x.json");
  REQUIRE(root.ok());
  REQUIRE(root->is(JsonValue::Kind::kObject));
  REQUIRE(root->members.size() == 4);
  CHECK(root->members[0].name == "a");
  const JsonValue& a = *root->find("a");
  REQUIRE(a.elements.size() == 3);
  CHECK(a.elements[0].number == 1);
  CHECK(a.elements[1].number == -2.5);
  CHECK(a.elements[2].number == 1000);
  CHECK(root->find("b")->find("c")->is(JsonValue::Kind::kNull));
  CHECK(root->find("d")->boolean);
  CHECK(root->find("e")->string == "\xc3\xa9\n");
  CHECK(root->find("f") == nullptr);
  CHECK(a.find("a") == nullptr);
}

TEST_CASE("json: errors have the place, the line and a caret") {
  const struct {
    std::string text;
    std::string place;
    std::string reason;
  } cases[] = {
      {"", "x.json:1:1: ", "unexpected end of input"},
      {"{", "x.json:1:2: ", "unexpected end of input"},
      {"[1,]", "x.json:1:4: ", "unexpected"},
      {"{\"a\": 1,\n \"a\": 2}", "x.json:2:", "duplicate member \"a\""},
      {"{\n  \"a\": tru\n}", "x.json:2:", "invalid literal"},
      {"[1e999]", "x.json:1:6: ", "number overflow"},
      {"[\"\xff\"]", "x.json:1:3: ", "ill-formed UTF-8"},
      {"{} {}", "x.json:1:4: ", "expected end of input"},
      {"[1, 2", "x.json:1:6: ", "unexpected end of input"},
      {std::string("[\0]", 3), "x.json:1:2: ", "NUL byte"},
      {std::string("{}\0x", 4), "x.json:1:3: ", "NUL byte"},
      {"NaN", "x.json:1:1: ", "invalid literal"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const auto root = parse_json(c.text, "x.json");
    REQUIRE_FALSE(root.ok());
    CHECK(root.status().code() == absl::StatusCode::kInvalidArgument);
    const std::string message(root.status().message());
    CHECK_THAT(message, ContainsSubstring(c.place));
    CHECK_THAT(message, ContainsSubstring(c.reason));
    CHECK(message.back() == '^');
  }
}

TEST_CASE("json: the caret is below its column") {
  const auto root = parse_json("{\n  \"a\": @\n}", "x.json");
  REQUIRE_FALSE(root.ok());
  const std::string message(root.status().message());
  CHECK_THAT(message, ContainsSubstring("\n    \"a\": @\n         ^"));
}

TEST_CASE("json: depth is bounded, and bounded depth is harmless") {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(parse_json(nested(64), "x.json").ok());
  for (const int depth : {65, 1000, 1'000'000}) {
    CAPTURE(depth);
    const auto root = parse_json(nested(depth), "x.json");
    REQUIRE_FALSE(root.ok());
    CHECK_THAT(std::string(root.status().message()), ContainsSubstring("nested deeper than 64 levels"));
  }
  JsonOptions shallow;
  shallow.max_depth = 1;
  CHECK(parse_json("[1]", "x.json", shallow).ok());
  CHECK_FALSE(parse_json("[[1]]", "x.json", shallow).ok());
}

TEST_CASE("json: messages are short for every text") {
  const std::string long_token = "{\"" + std::string(1'000'000, 'a') + "\": 1, \"" + std::string(1'000'000, 'b');
  const auto root = parse_json(long_token, "x.json");
  REQUIRE_FALSE(root.ok());
  CHECK(root.status().message().size() < 1000);
}

}  // namespace
}  // namespace hloroof::internal
