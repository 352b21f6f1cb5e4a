// The view skips what its reader does not want in blocks. A plain reader, byte by byte, must find the same values.
#include "lib/values/json_view.h"

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// Text in a block of exactly its size, so that AddressSanitizer finds a read beyond it.
class ExactText {
 public:
  explicit ExactText(std::string_view text) : size_(text.size()), bytes_(new char[text.size()]) {
    text.copy(bytes_.get(), size_);
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

// The end of the value at the front of `text`, which is a string, an object or a list.
std::size_t plain_end(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
        if (depth == 0) return i + 1;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

std::string random_string(std::mt19937& random) {
  static constexpr std::string_view kParts[] = {"a", "{", "}", "[", "]", ",", ":", "\\\"", "\\\\", " ", "bounds", "z~"};
  std::string text = "\"";
  for (std::uint32_t i = random() % 24; i > 0; --i) text += kParts[random() % std::size(kParts)];
  return text + "\"";
}

std::string random_value(std::mt19937& random, int depth) {  // NOLINT(misc-no-recursion)
  const std::uint32_t kind = depth == 0 ? random() % 2 : random() % 4;
  if (kind == 0) return std::to_string(random() % 100000);
  if (kind == 1) return random_string(random);
  std::string text(1, kind == 2 ? '{' : '[');
  for (std::uint32_t i = random() % 6; i > 0; --i) {
    if (text.size() > 1) text += random() % 2 == 0 ? "," : ", ";
    if (kind == 2) text += random_string(random) + (random() % 2 == 0 ? ":" : " : ");
    text += random_value(random, depth - 1);
  }
  return text + (kind == 2 ? "}" : "]");
}

TEST_CASE("members are found behind values of every kind") {
  const std::string long_text(100, 'x');
  const std::string values[] = {"1",
                                "-1.5e3",
                                "true",
                                "\"\"",
                                "\"" + long_text + "\"",
                                R"("a\"}b\\")",
                                "{}",
                                "[]",
                                R"({"a":{"b":"}"},"c":["]","{"]})",
                                "[[1,2],[\"3\"],{\"x\":[4]}]",
                                "{\"" + long_text + "\":[\"" + long_text + "\"]}"};
  for (const std::string& value : values) {
    CAPTURE(value);
    const ExactText text("{\"first\":" + value + ",\"wanted\" : " + value + " , \"last\":7}");
    const JsonView view(text.view());
    CHECK(view["first"].text() == value);
    CHECK(view["wanted"].text() == value);
    CHECK(view["last"].integer() == 7);
    CHECK(!view["missing"]);
  }
}

TEST_CASE("blocks and bytes find the same ends") {
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string value = random_value(random, 3);
    if (value.front() != '{' && value.front() != '[' && value.front() != '"') continue;
    const std::string rest = random() % 2 == 0 ? "" : ",\"after\":[1]}";
    const ExactText text("{\"v\":" + value + rest);
    CAPTURE(std::string(text.view()));
    CHECK(JsonView(text.view())["v"].text() == text.view().substr(5, plain_end(text.view().substr(5))));
  }
}

TEST_CASE("no text makes the view read beyond it") {
  std::mt19937 random(11);
  const auto read_all = [](std::string_view bytes) {
    const ExactText text(bytes);
    const JsonView view(text.view());
    std::size_t total = 0;
    view.for_each_member([&](std::string_view name, JsonView value) {
      total += name.size() + value.string().size() + value.integers().size();
      return true;
    });
    view.for_each_element([&](JsonView element) { total += element["a"].text().size(); });
    return total;
  };
  for (int i = 0; i < 300; ++i) {
    std::string value = random_value(random, 4);
    for (std::size_t size = 0; size < value.size(); ++size) {
      CHECK(read_all(std::string_view(value).substr(0, size)) <= 4 * value.size());
    }
    for (int flips = 0; flips < 50 && !value.empty(); ++flips) {
      value[random() % value.size()] ^= static_cast<char>(1 << random() % 8);
      CHECK(read_all(value) <= 4 * value.size());
    }
  }
}

}  // namespace
}  // namespace hloroof::internal
