// The text that JsonWriter writes: numbers, escapes, nesting.
#include "lib/describe/json_writer.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

std::string written(double number) {
  JsonWriter out;
  out.value(number);
  return out.take();
}

std::string written(const std::string& text) {
  JsonWriter out;
  out.value(std::string_view(text));
  return out.take();
}

std::string shortest(double number) {
  char buffer[32];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof(buffer), number).ptr);
}

TEST_CASE("a number is the shortest text that reads back as the same value") {
  CHECK(written(0.0) == "0");
  CHECK(written(-0.0) == "-0");
  CHECK(written(7) == "7");
  CHECK(written(10) == "10");
  CHECK(written(99999) == "99999");
  CHECK(written(100000) == "1e+05");
  CHECK(written(123456) == "123456");
  CHECK(written(-3) == "-3");
  CHECK(written(0.1) == "0.1");
  CHECK(written(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
  CHECK(written(std::numeric_limits<double>::denorm_min()) == "5e-324");
  CHECK(written(INFINITY) == "null");
  CHECK(written(NAN) == "null");
  for (std::int64_t n = 0; n <= 100001; ++n) {
    const auto number = static_cast<double>(n);
    if (written(number) != shortest(number)) FAIL(n);
  }
}

TEST_CASE("whole numbers of every size are written as the shortest text") {
  for (std::uint64_t digits = 1; digits < 1'000'000'000'000'000'000; digits *= 10) {
    for (std::uint64_t first = 1; first < 100; first += 7) {
      for (const std::uint64_t whole : {first * digits, first * digits + 1, first * digits - 1}) {
        const auto number = static_cast<double>(whole);
        if (written(number) != shortest(number)) FAIL(whole);
      }
    }
  }
  for (int power = 0; power < 64; ++power) {
    const double number = std::ldexp(1.0, power);
    for (const double near : {number, std::nextafter(number, 0.0), std::nextafter(number, INFINITY)}) {
      if (written(near) != shortest(near)) FAIL(near);
    }
  }
}

TEST_CASE("numbers that one writer has written before keep their text") {
  JsonWriter out(JsonLayout::kCompact);
  std::string expected = "[";
  std::uint64_t bits = 1;
  out.begin_array();
  for (int i = 0; i < 20'000; ++i) {
    if (i % 3 != 0) bits = bits * 6364136223846793005u + 1442695040888963407u;  // every third number is repeated
    const double number = std::bit_cast<double>(bits);
    out.value(number);
    expected += (i == 0 ? "" : ",") + (std::isfinite(number) ? shortest(number) : "null");
  }
  out.end_array();
  CHECK(out.take() == expected + "]");
}

TEST_CASE("keys and texts of every length are copied whole") {
  for (std::size_t size = 0; size < 80; ++size) {
    std::string text(size, ' ');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 26);
    JsonWriter out(JsonLayout::kCompact);
    out.begin_object();
    out.member(text, std::string_view(text));
    out.end_object();
    CHECK(out.take() == "{\"" + text + "\":\"" + text + "\"}");
  }
}

TEST_CASE("what cannot stand in a string is escaped, wherever in it it is") {
  struct Case {
    std::string text;
    std::string expected;
  };
  const Case cases[] = {{"\"", "\\\""},      {"\\", "\\\\"},   {std::string(1, '\0'), "\\u0000"}, {"\n", "\\u000a"},
                        {"\x1f", "\\u001f"}, {"\x7f", "\x7f"}, {"\xc3\xa9", "\xc3\xa9"},          {"\xff", "\\ufffd"}};
  for (const Case& c : cases) {
    for (std::size_t size = 0; size < 20; ++size) {
      for (std::size_t at = 0; at <= size; ++at) {
        const std::string before(at, 'a');
        const std::string after(size - at, '~');
        const std::string got = written(before + c.text + after);
        if (got != "\"" + before + c.expected + after + "\"") FAIL(got);
      }
    }
  }
}

TEST_CASE("nesting of any depth and texts of any length read back") {
  JsonWriter out;
  constexpr int kDepth = 100;
  std::string text(100000, 'x');
  for (std::size_t i = 0; i < text.size(); i += 7777) text[i] = '"';
  for (int i = 0; i < kDepth; ++i) {
    out.begin_object();
    out.member("text", std::string_view(text).substr(0, static_cast<std::size_t>(i) * 1000));
    out.key("empty");
    out.begin_array();
    out.end_array();
    out.key("inner");
  }
  out.null();
  for (int i = 0; i < kDepth; ++i) out.end_object();
  const std::string document = out.take_document();
  CHECK(document.back() == '\n');
  nlohmann::json at = nlohmann::json::parse(document);
  for (int i = 0; i < kDepth; ++i) {
    CHECK(at["text"].get<std::string>() == text.substr(0, static_cast<std::size_t>(i) * 1000));
    CHECK(at["empty"].empty());
    const nlohmann::json inner = at["inner"];
    at = inner;
  }
  CHECK(at.is_null());
}

TEST_CASE("members stand on lines of their own") {
  JsonWriter out;
  out.begin_object();
  out.member("a", std::int64_t{-12});
  out.key("b");
  out.begin_array();
  out.value(true);
  out.value("x");
  out.end_array();
  out.end_object();
  CHECK(out.take() == "{\n  \"a\": -12,\n  \"b\": [\n    true,\n    \"x\"\n  ]\n}");
}

TEST_CASE("the rows of a document stand on lines of their own") {
  const auto write = [](JsonWriter& out) {
    out.begin_object();
    out.key("rows");
    out.begin_array();
    for (const std::int64_t n : {1, 2}) {
      out.begin_object();
      out.member("n", n);
      out.key("none");
      out.begin_array();
      out.end_array();
      out.key("all");
      out.begin_array();
      out.value(true);
      out.value("x");
      out.end_array();
      out.end_object();
    }
    out.end_array();
    out.end_object();
  };
  JsonWriter one(JsonLayout::kRows);
  write(one);
  CHECK(one.take() ==
        "{\n  \"rows\": [\n    {\"n\":1,\"none\":[],\"all\":[true,\"x\"]},\n    "
        "{\"n\":2,\"none\":[],\"all\":[true,\"x\"]}\n  "
        "]\n}");
  JsonWriter several(JsonLayout::kRowsOfDocuments);
  several.begin_array();
  write(several);
  several.end_array();
  CHECK(several.take() ==
        "[\n  {\n    \"rows\": [\n      {\"n\":1,\"none\":[],\"all\":[true,\"x\"]},\n      "
        "{\"n\":2,\"none\":[],\"all\":[true,\"x\"]}\n    ]\n  }\n]");
}

}  // namespace
}  // namespace hloroof::internal
