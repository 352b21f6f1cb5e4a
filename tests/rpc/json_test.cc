#include "lib/fronts/rpc/json.h"

#include "lib/base/strings.h"
#include "tests/catch.h"

using namespace hloroof::internal;

TEST_CASE("JSON beyond the limits is refused before it is parsed") {
  JsonLimits limits;
  limits.max_depth = 3;
  limits.max_values = 6;
  struct Case {
    std::string_view text;
    std::string_view message;  // empty: accepted
  };
  const Case cases[] = {
      {R"({"a": [1, {"b": 2}]})", ""},
      {R"({"a": [1, [[2]]]})", "deeper than 3"},
      {R"(["[[[[[[", "\"[[[[[", 1])", ""},
      {"[1,2,3,4,5,6,7]", "more than 6"},
      {"[[[[[[[[[[", "deeper than 3"},
      {"", "not valid JSON"},
      {"{", "not valid JSON"},
      {"\"abc", "not valid JSON"},
      {"\"abc\\", "not valid JSON"},
      {"[1e999]", "not valid JSON"},
      {"\"\xff\"", "not valid JSON"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const auto json = parse_message_json(c.text, limits);
    CHECK(json.ok() == c.message.empty());
    if (!json.ok())
      CHECK_THAT(std::string(from_absl(json.status().message())), ContainsSubstring(std::string(c.message)));
  }
}

TEST_CASE("A million brackets are refused, not followed") {
  CHECK_FALSE(parse_message_json(std::string(1'000'000, '[')).ok());
  CHECK_FALSE(parse_message_json(std::string(1'000'000, '{')).ok());
}

TEST_CASE("Members of the wrong type are missing") {
  const Json json = *parse_message_json(
      R"({"n": 7, "big": 18446744073709551615, "d": 2.5, "s": "x", "b": true, "a": [1], "o": {"p": {"q": -3}}})");
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

TEST_CASE("Invalid UTF-8 is replaced in what is sent") {
  CHECK(message_text(Json("a\xff\n")) == "\"a\xef\xbf\xbd\\n\"");
}
