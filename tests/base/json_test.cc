#include "lib/base/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/strings.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("json: values of every kind") {
  const auto root = parse_json(R"({"a": [1, -2.5, 1e3], "b": {"c": null}, "d": true, "e": "\u00e9\n"})", "x.json");
  REQUIRE(root.ok());
  REQUIRE(root->is_object());
  REQUIRE(root->size() == 4);
  CHECK(root->items().begin().key() == "a");
  const OrderedJson& a = root->at("a");
  REQUIRE(a.size() == 3);
  CHECK(a[0].get<double>() == 1);
  CHECK(a[1].get<double>() == -2.5);
  CHECK(a[2].get<double>() == 1000);
  CHECK(root->at("b").at("c").is_null());
  CHECK(root->at("d").get<bool>());
  CHECK(root->at("e").get<std::string>() == "\xc3\xa9\n");
  CHECK(!root->contains("f"));
  CHECK(!a.contains("a"));
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
  const JsonLimits shallow{.max_depth = 1};
  CHECK(parse_json("[1]", "x.json", shallow).ok());
  CHECK_FALSE(parse_json("[[1]]", "x.json", shallow).ok());
}

TEST_CASE("json: messages are short for every text") {
  const std::string long_token = "{\"" + std::string(1'000'000, 'a') + "\": 1, \"" + std::string(1'000'000, 'b');
  const auto root = parse_json(long_token, "x.json");
  REQUIRE_FALSE(root.ok());
  CHECK(root.status().message().size() < 1000);
}

TEST_CASE("json: where duplicate members are allowed, the last counts") {
  const JsonLimits limits{.unique_members = false};
  CHECK(*parse_json<Json>(R"({"a": 1, "b": {"a": 2}, "a": [3]})", "x.json", limits) ==
        Json{{"a", {3}}, {"b", {{"a", 2}}}});
  CHECK(json_text(*parse_json(R"({"b": 1, "a": 2, "b": 3})", "x.json", limits)) == R"({"a":2,"b":3})");
}

TEST_CASE("json: what is beyond the limits is refused") {
  JsonLimits limits;
  limits.max_depth = 3;
  limits.max_values = 6;
  struct Case {
    std::string_view text;
    std::string_view message;  // empty: accepted
  };
  const Case cases[] = {
      {R"({"a": [1, {"b": 2}]})", ""},     {R"({"a": [1, [[2]]]})", "deeper than 3"},
      {R"(["[[[[[[", "\"[[[[[", 1])", ""}, {"[1,2,3,4,5,6,7]", "more than 6"},
      {"[[[[[[[[[[", "deeper than 3"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const auto json = parse_json<Json>(c.text, "x.json", limits);
    CHECK(json.ok() == c.message.empty());
    if (!json.ok())
      CHECK_THAT(std::string(from_absl(json.status().message())), ContainsSubstring(std::string(c.message)));
  }
}

TEST_CASE("json: members of the wrong type are missing") {
  const Json json = *parse_json<Json>(
      R"({"n": 7, "big": 18446744073709551615, "d": 2.5, "s": "x", "b": true, "a": [1], "o": {"p": {"q": -3}}})",
      "x.json");
  CHECK(integer_at(json, {"n"}) == 7);
  CHECK(integer_at(json, {"o", "p", "q"}) == -3);
  CHECK_FALSE(integer_at(json, {"big"}));
  CHECK_FALSE(integer_at(json, {"d"}));
  CHECK_FALSE(integer_at(json, {"s"}));
  CHECK_FALSE(integer_at(json, {"s", "p"}));
  CHECK(number_at(json, {"d"}) == 2.5);
  CHECK(number_at(json, {"n"}) == 7.0);
  CHECK(string_at(json, {"s"}) == "x");
  CHECK_FALSE(string_at(json, {"n"}));
  CHECK(bool_at(json, {"b"}) == true);
  CHECK_FALSE(bool_at(json, {"n"}));
  CHECK(array_at(json, {"a"}).size() == 1);
  CHECK(array_at(json, {"o"}).empty());
  CHECK(find(json, {"a", "p"}) == nullptr);
  CHECK(find(Json(5), {"a"}) == nullptr);
}

TEST_CASE("json: invalid UTF-8 is replaced in what is sent") {
  CHECK(json_text(Json("a\xff\n")) == "\"a\xef\xbf\xbd\\n\"");
}

TEST_CASE("a number without a fraction is whole, however it is written") {
  const struct {
    const char* text;
    std::optional<std::int64_t> value;
  } rows[] = {{"3", 3},
              {"3.0", 3},
              {"1E2", 100},
              {"0.1e1", 1},
              {"-0", 0},
              {"-0.0", 0},
              {"9007199254740992.0", std::int64_t{1} << 53},
              {"2.5", std::nullopt},
              {"1e-320", std::nullopt},
              {"1e16", std::nullopt},  // a double holds no other number near it
              {"18446744073709551616", std::nullopt},
              {"9223372036854775808", std::nullopt},
              {"true", std::nullopt},
              {"null", std::nullopt}};
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(integer_at(Json::parse(row.text), {}) == row.value);
  }
}

}  // namespace
}  // namespace hloroof::internal
