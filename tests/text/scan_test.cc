// Each pass over bytes, with every type of block, against the plainest code that does the same.
#include "lib/values/scan.h"

#include <random>
#include <string>
#include <vector>

#include "lib/values/array_texts.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// What dumps are made of, and bytes that are signed, zero, or next to those that are looked for.
constexpr std::string_view kAlphabet = "aZ09_.-/,()[]{}\"\\ %:=@`^\x7f\x80\xff";

std::vector<std::string> random_texts() {
  std::mt19937 random(1);
  std::vector<std::string> texts;
  for (std::size_t size = 0; size < 200; ++size) {
    for (const double share_of_words : {0.0, 0.9, 0.99}) {
      std::string text;
      for (std::size_t i = 0; i < size; ++i) {
        const bool is_word = std::uniform_real_distribution<>(0, 1)(random) < share_of_words;
        text += is_word ? kAlphabet[random() % 6] : kAlphabet[random() % kAlphabet.size()];
      }
      texts.push_back(text);
      if (size > 0) text[random() % size] = '\0';
      texts.push_back("{" + text + "}");
    }
  }
  return texts;
}

const char* plain_json_end(const char* p, const char* end) {
  int depth = 0;
  bool in_string = false;
  for (; p < end; ++p) {
    if (in_string && *p == '\\') {
      if (++p == end) return nullptr;
    } else if (*p == '"') {
      in_string = !in_string;
    } else if (!in_string && *p == '{') {
      ++depth;
    } else if (!in_string && *p == '}' && --depth == 0) {
      return p + 1;
    }
  }
  return nullptr;
}

// The text is at the end of its memory, so that AddressSanitizer sees what reads beyond it.
template <typename Bytes>
void check_scans(const std::string& text) {
  using Passes = Scan<Bytes>;
  std::vector<char> exact(text.begin(), text.end());
  if (exact.empty()) exact.reserve(1);  // the passes take pointers that are not null
  const char* begin = exact.data();
  const char* end = begin + exact.size();

  const char* word_end = begin;
  while (word_end < end && is_word(*word_end)) ++word_end;
  const auto word_size = static_cast<std::size_t>(word_end - begin);
  const std::uint32_t word_hash = Passes::hash_bytes(begin, word_size);
  CHECK(Passes::skip_word(begin, end) == word_end);
  std::uint32_t hash = 0;
  CHECK(Passes::skip_word(begin, end, &hash) == word_end);
  CHECK(hash == word_hash);
  CHECK(Passes::hash_bytes(begin, word_size, end) == word_hash);

  const char* name_end = begin;
  while (name_end < end && static_cast<signed char>(*name_end) >= '-') ++name_end;
  if (const char* known = Passes::known_name_end(begin, end, &hash)) {
    CHECK(known == name_end);
    CHECK(hash == Passes::hash_bytes(begin, static_cast<std::size_t>(known - begin)));
  } else {
    CHECK((end - begin < 33 || name_end - begin > 31));
  }

  CHECK(Passes::template find_first_of<'"', '\\'>(begin, end) - begin ==
        static_cast<std::ptrdiff_t>(std::min(text.find_first_of("\"\\"), text.size())));
  if (text.substr(0, 1) == "{") CHECK(Passes::json_end(begin, end) == plain_json_end(begin, end));

  std::vector<char> other = exact;
  CHECK(Passes::equal_bytes(begin, other.data(), text.size()));
  for (std::size_t i = 0; i < text.size(); i += 7) {
    other[i] = static_cast<char>(other[i] + 1);
    CHECK_FALSE(Passes::equal_bytes(begin, other.data(), text.size()));
    CHECK(Passes::equal_bytes(begin, other.data(), i));
    if (text.size() >= 32 && i < 32) {
      CHECK(Passes::equal_short(begin, other.data(), i));
      CHECK_FALSE(Passes::equal_short(begin, other.data(), i + 1));
    }
    other[i] = exact[i];
  }
}

TEST_CASE("scans agree with plain loops, whatever the blocks are made of") {
  for (const std::string& text : random_texts()) {
    CAPTURE(text);
    check_scans<PortableBytes>(text);
    check_scans<Bytes16>(text);
    CHECK(Scan<PortableBytes>::hash_bytes(text.data(), text.size()) ==
          Scan<Bytes16>::hash_bytes(text.data(), text.size()));
  }
}

TEST_CASE("each byte is compared as the signed number it is") {
  for (int value = 0; value < 256; ++value) {
    const char c = static_cast<char>(value);
    const auto number = static_cast<signed char>(c);
    const std::string text(16, c);
    const auto check = [&](auto bytes) {
      CAPTURE(value);
      CHECK(bytes.equal(c).mask() == 0xffff);
      CHECK(bytes.equal(static_cast<char>(value + 1)).mask() == 0);
      for (const char limit : {'\x01', '-', 'A', 'z', '\x7f'}) {
        CHECK(bytes.above(limit).mask() == (number > limit ? 0xffffu : 0));
        CHECK(bytes.below(limit).mask() == (number < limit ? 0xffffu : 0));
        CHECK(bytes.between('\x01', limit).mask() == (number >= 1 && number <= limit ? 0xffffu : 0));
      }
      CHECK(Scan<decltype(bytes)>::mask_word(bytes) == (is_word(c) ? 0xffffu : 0));
    };
    check(PortableBytes::load(text.data()));
    check(Bytes16::load(text.data()));
  }
}

TEST_CASE("the ends of arrays, and their texts") {
  const struct {
    std::string text;
    int size;  // 0: not told
  } cases[] = {
      {"f32[]", 5},          {"bf16[8,128]{1,0:T(8,128)(2,1)S(1)}", 34},
      {"f32[8]{0}", 9},      {"f32[8] add", 6},
      {"f32[8]  add", 0},    {"f32[8] {0}", 0},
      {"f32[8]/*c*/", 0},    {"f32[8]{ 0}", 0},
      {"f32[8]{:T(8)}", 13}, {"f32[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]", 0},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const std::string padded = c.text + "," + std::string(64, ' ');
    const char* begin = padded.data();
    BasicArrayText<PortableBytes> portable;
    BasicArrayText<Bytes16> text;
    const char* expected = c.size == 0 ? nullptr : begin + c.size;
    CHECK(array_end(begin, begin + padded.size(), &portable) == expected);
    CHECK(array_end(begin, begin + padded.size(), &text) == expected);
    CHECK(array_end(begin, begin + 63, &text) == nullptr);
    if (expected == nullptr) continue;
    CHECK(portable.hash() == text.hash());
    const std::string others = c.text + ";" + std::string(64, '1');
    BasicArrayText<Bytes16> other;
    REQUIRE(array_end(others.data(), others.data() + others.size(), &other) != nullptr);
    CHECK(other == text);
  }
}

}  // namespace
}  // namespace hloroof::internal
