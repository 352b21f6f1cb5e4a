#include "tests/fuzz/text_mutator.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace hloroof::internal {
namespace {

using Range = std::pair<std::size_t, std::size_t>;

constexpr std::string_view kOpcodes[] = {
#define HLOROOF_OPCODE(enumerator, text, ...) text,
#include "hloroof/opcode.def"
#undef HLOROOF_OPCODE
};

constexpr std::string_view kTypes[] = {
#define HLOROOF_ELEMENT_TYPE(enumerator, text, proto_number, bits, bytes, kind) text,
#include "hloroof/element_type.def"
#undef HLOROOF_ELEMENT_TYPE
};

constexpr std::string_view kAttributes[] = {
#define HLOROOF_ATTRIBUTE(enumerator, text, value_form) text,
#include "hloroof/attribute.def"
#undef HLOROOF_ATTRIBUTE
};

// Critical values for counts, sizes and indices.
constexpr std::string_view kNumbers[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "-1",
                                         "7",
                                         "128",
                                         "1000000",
                                         "2147483647",
                                         "2147483648",
                                         "4294967295",
                                         "4294967296",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "-9223372036854775808",
                                         "1e400"};

constexpr std::string_view kValues[] = {
    "{}",  "{0}",        "{0,1}",        "{{0,1},{2,3}}",          "true",      "false",          "\"x\"", "{\"a\":{}}",
    "add", "[2,2]<=[4]", "{replicated}", "{size=3x3 pad=0_1x0_1}", "1_2x3_4_5", "b01f_01io->b01f"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.' || c == '-';
}

std::vector<Range> lines_of(const std::string& text) {
  std::vector<Range> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t found = text.find('\n', begin);
    const std::size_t end = found == std::string::npos ? text.size() : found + 1;
    lines.emplace_back(begin, end);
    begin = end;
  }
  return lines;
}

std::vector<Range> words_of(const std::string& text) {
  std::vector<Range> words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_word(text[i])) continue;
    const std::size_t begin = i;
    while (i < text.size() && is_word(text[i])) ++i;
    words.emplace_back(begin, i);
  }
  return words;
}

void replace(std::string* text, Range range, std::string_view with) {
  text->replace(range.first, range.second - range.first, with.data(), with.size());
}

}  // namespace

// xorshift64*
std::uint64_t TextMutator::next() {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return (state_ * 0x2545f4914f6cdd1du) >> 16;
}

void TextMutator::mutate(std::string* text) {
  for (std::size_t left = 1 + below(3); left > 0; --left) mutate_once(text);
}

void TextMutator::mutate_once(std::string* text) {
  switch (below(9)) {
    case 0:
    case 1: change_line(text); break;
    case 2: change_number(text); break;
    case 3:
    case 4: exchange_words(text); break;
    case 5: change_opcode_or_type(text); break;
    case 6: change_attributes(text); break;
    case 7: drop_shape(text); break;
    default: change_brackets(text); break;
  }
}

void TextMutator::change_line(std::string* text) {
  const std::vector<Range> lines = lines_of(*text);
  if (lines.empty()) return;
  const Range line = lines[below(lines.size())];
  const Range other = lines[below(lines.size())];
  const std::string copy = text->substr(line.first, line.second - line.first);
  switch (below(4)) {
    case 0: replace(text, line, ""); break;
    case 1: text->insert(other.first, copy); break;
    case 2: {
      const std::string moved = text->substr(other.first, other.second - other.first);
      const bool first = line.first < other.first;
      replace(text, first ? other : line, first ? copy : moved);
      replace(text, first ? line : other, first ? moved : copy);
      break;
    }
    default: replace(text, {line.first + below(copy.size()), line.second}, "\n"); break;
  }
}

void TextMutator::change_number(std::string* text) {
  std::vector<Range> numbers;
  for (std::size_t i = 0; i < text->size(); ++i) {
    if (!is_digit((*text)[i])) continue;
    const std::size_t begin = i;
    while (i < text->size() && is_digit((*text)[i])) ++i;
    numbers.emplace_back(begin, i);
  }
  if (numbers.empty()) return;
  const Range number = numbers[below(numbers.size())];
  if (below(2) == 0) {
    replace(text, number, kNumbers[below(std::size(kNumbers))]);
  } else {
    (*text)[number.second - 1] = static_cast<char>('0' + below(10));
  }
}

void TextMutator::exchange_words(std::string* text) {
  const std::vector<Range> words = words_of(*text);
  if (words.empty()) return;
  const Range word = words[below(words.size())];
  const Range other = words[below(words.size())];
  const std::string copy = text->substr(other.first, other.second - other.first);
  replace(text, word, copy);
}

void TextMutator::change_opcode_or_type(std::string* text) {
  std::vector<Range> opcodes;
  std::vector<Range> types;
  for (const Range& word : words_of(*text)) {
    if (word.second < text->size() && (*text)[word.second] == '(') opcodes.push_back(word);
    if (word.second < text->size() && (*text)[word.second] == '[') types.push_back(word);
  }
  if (!opcodes.empty() && (types.empty() || below(2) == 0)) {
    replace(text, opcodes[below(opcodes.size())], kOpcodes[below(std::size(kOpcodes))]);
  } else if (!types.empty()) {
    replace(text, types[below(types.size())], kTypes[below(std::size(kTypes))]);
  }
}

// Inserts an attribute after a parenthesis, or replaces the name of one.
void TextMutator::change_attributes(std::string* text) {
  std::vector<Range> names;
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i + 1 < text->size(); ++i) {
    if ((*text)[i] == ')') ends.push_back(i + 1);
  }
  for (const Range& word : words_of(*text)) {
    if (word.second < text->size() && (*text)[word.second] == '=') names.push_back(word);
  }
  const std::string_view name = kAttributes[below(std::size(kAttributes))];
  if (!names.empty() && (ends.empty() || below(2) == 0)) {
    replace(text, names[below(names.size())], name);
  } else if (!ends.empty()) {
    std::string added = ", ";
    added += name;
    added += '=';
    added += kValues[below(std::size(kValues))];
    text->insert(ends[below(ends.size())], added);
  }
}

// Removes the text between `= ` and an opcode, so that the shape must be inferred.
void TextMutator::drop_shape(std::string* text) {
  std::vector<Range> shapes;
  for (const Range& line : lines_of(*text)) {
    const std::size_t equals = text->find(" = ", line.first);
    if (equals == std::string::npos || equals >= line.second) continue;
    const std::size_t begin = equals + 3;
    std::size_t depth = 0;
    for (std::size_t i = begin; i < line.second; ++i) {
      const char c = (*text)[i];
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
      if (c != ' ' || depth > 0) continue;
      shapes.emplace_back(begin, i + 1);
      break;
    }
  }
  if (!shapes.empty()) replace(text, shapes[below(shapes.size())], "");
}

// Deletes, duplicates or replaces one bracket, comma or quote.
void TextMutator::change_brackets(std::string* text) {
  constexpr std::string_view kMarks = "(){}[],=\"'%#:*?<>/\\";
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < text->size(); ++i) {
    if (kMarks.find((*text)[i]) != std::string_view::npos) places.push_back(i);
  }
  if (places.empty()) return;
  const std::size_t at = places[below(places.size())];
  switch (below(4)) {
    case 0: text->erase(at, 1); break;
    case 1: text->insert(at, 1 + below(3), (*text)[at]); break;
    case 2: (*text)[at] = kMarks[below(kMarks.size())]; break;
    default: text->insert(at, below(2) == 0 ? "/*c*/" : " // c\n"); break;
  }
}

std::string TextMutator::cross(const std::string& a, const std::string& b) {
  const std::vector<Range> lines = lines_of(a);
  const std::vector<Range> others = lines_of(b);
  if (lines.empty() || others.empty()) return a + b;
  std::string text = a;
  const std::size_t first = below(others.size());
  const std::size_t last = first + below(std::min<std::size_t>(others.size() - first, 4));
  text.insert(lines[below(lines.size())].first, b, others[first].first, others[last].second - others[first].first);
  return text;
}

}  // namespace hloroof::internal
