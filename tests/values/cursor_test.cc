// Tests the ends of tokens, and rejected tokens.
#include "lib/values/cursor.h"

#include <string>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("ends of integers") {
  struct Case {
    const char* text;
    bool ok;
    std::int64_t value;
    const char* rest;
  };
  for (const Case& c : {
           Case{"4,", true, 4, ","},
           Case{" /* five */ -5}", true, -5, "}"},
           Case{"18446744073709551615", true, -1, ""},
           Case{"-9223372036854775808", true, INT64_MIN, ""},
           Case{"18446744073709551616", false, 0, ""},
           Case{"1.5", false, 0, ""},
           Case{"1e5", false, 0, ""},
           Case{"1x2", false, 0, ""},
           Case{"1_2", false, 0, ""},
           Case{"x", false, 0, ""},
           Case{"", false, 0, ""},
           Case{"-", false, 0, ""},
       }) {
    INFO(c.text);
    const std::string text = c.text;
    Cursor cursor(text);
    std::int64_t value = 0;
    REQUIRE(cursor.read_integer(&value) == c.ok);
    CHECK(cursor.errors().size() == (c.ok ? 0 : 1));
    if (!c.ok) continue;
    CHECK(value == c.value);
    CHECK(std::string(cursor.at()) == c.rest);
  }
}

TEST_CASE("numbers of every kind") {
  struct Case {
    const char* text;
    bool ok;
    Number::Kind kind;
    double value;
  };
  for (const Case& c : {
           Case{"1.", true, Number::kDecimal, 1},
           Case{"-.5", true, Number::kDecimal, -0.5},
           Case{"3.e2", true, Number::kDecimal, 300},
           Case{"1e5", true, Number::kDecimal, 1e5},
           Case{"7", true, Number::kInteger, 7},
           Case{"inf", true, Number::kInfinity, 0},
           Case{"-inf", true, Number::kInfinity, 0},
           Case{"nan(0x1)", true, Number::kNan, 0},
           Case{"-nan", true, Number::kNan, 0},
           Case{"nan(0x0)", false, Number::kNan, 0},
           Case{"nan(0x10000000000000)", false, Number::kNan, 0},
           Case{"nan(7)", false, Number::kNan, 0},
           Case{".5", false, Number::kDecimal, 0},
           Case{"infinity", false, Number::kInfinity, 0},
       }) {
    INFO(c.text);
    const std::string text = c.text;
    Cursor cursor(text);
    Number number;
    REQUIRE(cursor.read_number(&number) == c.ok);
    if (!c.ok) continue;
    CHECK(number.kind == c.kind);
    CHECK((number.kind == Number::kInteger ? static_cast<double>(number.integer) : number.decimal) == c.value);
    CHECK(cursor.at_end());
  }
}

TEST_CASE("strings are taken whole and their escapes checked") {
  struct Case {
    const char* text;
    bool ok;
    const char* inside;
    const char* unescaped;
  };
  for (const Case& c : {
           Case{R"("a\"b}" ,)", true, R"(a\"b})", "a\"b}"},
           Case{R"('it\'s')", true, R"(it\'s)", "it's"},
           Case{"\"two\nlines // here\"", true, "two\nlines // here", "two\nlines // here"},
           Case{R"("\303\251")", true, R"(\303\251)", "\303\251"},
           Case{R"("\u00e9\x41")", true, R"(\u00e9\x41)", "\303\251A"},
           Case{R"("\400")", false, "", ""},
           Case{R"("\q")", false, "", ""},
           Case{R"("open)", false, "", ""},
           Case{R"("open\")", false, "", ""},
       }) {
    INFO(c.text);
    const std::string text = c.text;
    Cursor cursor(text);
    std::string_view raw;
    REQUIRE(cursor.read_string(&raw) == c.ok);
    if (!c.ok) continue;
    CHECK(raw == c.inside);
    CHECK(unescape(raw) == c.unescaped);
  }
}

TEST_CASE("raw dictionaries are balanced braces outside strings") {
  for (const char* good : {"{}", "{abc: 123}", "{{abc: 123}, {{{d}}}}", R"({"}"})", R"({"\"}"})", R"({"\"{"})"}) {
    INFO(good);
    const std::string text = std::string(good) + " tail";
    Cursor cursor(text);
    std::string_view raw;
    REQUIRE(cursor.read_json(&raw));
    CHECK(raw == good);
  }
  for (const char* bad : {"", "{", "}", "{{}", "a{}", "{{{{}}}", "{\"}", "{\"\\"}) {
    INFO(bad);
    const std::string text = bad;
    Cursor cursor(text);
    std::string_view raw;
    CHECK_FALSE(cursor.read_json(&raw));
    CHECK(cursor.failed());
  }
}

TEST_CASE("names, keywords and attribute names depend on the next character") {
  const std::string text = "%ROOT manual: true true= 'x' a.b-c=1 /";
  Cursor cursor(text);
  CHECK(cursor.accept_name() == "ROOT");
  CHECK(cursor.accept_name() == "manual");
  CHECK(cursor.accept_keyword("true"));
  CHECK_FALSE(cursor.accept_keyword("true"));
  CHECK(cursor.accept_name().empty());
  CHECK(cursor.accept_attribute_name() == "true");
  std::string_view raw;
  CHECK(cursor.read_string(&raw));
  CHECK(cursor.accept_attribute_name() == "a.b-c");
  std::int64_t one = 0;
  CHECK(cursor.read_integer(&one));
  CHECK_FALSE(cursor.at_end());
}

TEST_CASE("labels, padding and dimensions by x") {
  const std::string text = "b01f_01io->b01f ?01b_0i1o?->01bf 0_1x-1_2_3 3x3x10 5";
  Cursor cursor(text);
  std::string_view labels;
  CHECK(cursor.read_dim_labels(&labels));
  CHECK(labels == "b01f_01io->b01f");
  CHECK(cursor.read_dim_labels(&labels));
  std::vector<std::int64_t> values;
  std::vector<std::uint8_t> fields;
  CHECK(cursor.read_padding(&values, &fields));
  CHECK(values == std::vector<std::int64_t>{0, 1, -1, 2, 3});
  CHECK(fields == std::vector<std::uint8_t>{2, 3});
  values.clear();
  CHECK(cursor.read_dims_by_x(&values));
  CHECK(values == std::vector<std::int64_t>{3, 3, 10});
  CHECK(cursor.read_dims_by_x(&values));
  CHECK(cursor.at_end());
}

TEST_CASE("comments are white space unless they are unterminated") {
  const std::string text = "// line\r/* a\n * b */ x /* open";
  Cursor cursor(text);
  CHECK(cursor.accept_word() == "x");
  CHECK_FALSE(cursor.at_end());
  CHECK(cursor.peek() == '/');
}

}  // namespace
}  // namespace hloroof::internal
