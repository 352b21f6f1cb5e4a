#include <algorithm>
#include <array>

#include "lib/fronts/lsp/features.h"

namespace hloroof::internal::inline lsp {
namespace {

// By TokenRole: the names that the protocol and its clients know.
constexpr std::array<const char*, 14> kTokenTypes = {
    "keyword", "variable", "type",     "number",     "decorator", "function", "variable",
    "class",   "property", "property", "enumMember", "number",    "string",   "comment",
};
static_assert(static_cast<std::size_t>(TokenRole::kComment) + 1 == kTokenTypes.size());

constexpr std::uint32_t kDeclaration = 1;  // the bit of the only modifier

class TokenWriter {
 public:
  TokenWriter(const EditorView& view, std::size_t begin, std::size_t end) : view_(view), begin_(begin), end_(end) {}

  void add(const LineTokens& line) {
    for (const Token& token : line.tokens) {
      if (token.end() > begin_ && token.offset < end_) add(token);
    }
  }

  std::vector<std::uint32_t> take() { return std::move(data_); }

 private:
  void add(const Token& token) {
    const Lines& lines = view_.document.lines();
    const std::string_view text = view_.document.text();
    if (token.offset < at_) return;  // the tokens must be in order
    while (line_ + 1 < lines.count() && lines.begin(line_ + 1) <= token.offset) {
      line_ = lines.begin(line_ + 1) + 4096 < token.offset ? lines.line_of(token.offset) : line_ + 1;
      at_ = lines.begin(line_);
      character_ = 0;
    }
    character_ += count_units(text.substr(at_, token.offset - at_), view_.unit);
    at_ = token.offset;
    // A token of several lines is shown up to the end of its first.
    const std::size_t size = std::min(token.end(), lines.end(text, line_)) - token.offset;
    const auto length = static_cast<std::uint32_t>(count_units(text.substr(token.offset, size), view_.unit));
    if (length == 0) return;
    const auto same_line = line_ == last_line_ && any_;
    data_.insert(data_.end(),
                 {static_cast<std::uint32_t>(line_ - (any_ ? last_line_ : 0)),
                  static_cast<std::uint32_t>(character_ - (same_line ? last_character_ : 0)), length,
                  static_cast<std::uint32_t>(token.role), token.role == TokenRole::kName ? kDeclaration : 0});
    any_ = true;
    last_line_ = line_;
    last_character_ = character_;
  }

  const EditorView& view_;
  std::size_t begin_;
  std::size_t end_;
  std::vector<std::uint32_t> data_;
  std::size_t line_ = 0;
  std::size_t at_ = 0;         // where character_ was counted
  std::size_t character_ = 0;  // in line_
  std::size_t last_line_ = 0;
  std::size_t last_character_ = 0;
  bool any_ = false;
};

}  // namespace

Json semantic_tokens_legend() {
  return Json{{"tokenTypes", kTokenTypes}, {"tokenModifiers", Json::array({"declaration"})}};
}

std::vector<std::uint32_t> semantic_tokens(const EditorView& view, std::size_t begin, std::size_t end) {
  const Outline& outline = view.document.outline();
  const std::string_view text = view.document.text();
  TokenWriter writer(view, begin, end);
  if (const auto [head, head_end] = outline.header(); head < end && head_end > begin) {
    writer.add(header_tokens(text, head, head_end));
  }
  for (const OutlineComputation& computation : outline.computations()) {
    if (computation.end < begin || computation.begin >= end) continue;
    writer.add(computation_tokens(text, computation.begin, computation.head_end));
    for (std::size_t i = computation.first; i < computation.last; ++i) {
      const OutlineInstruction& instruction = outline.instructions()[i];
      if (instruction.end < begin) continue;
      if (instruction.begin >= end) break;
      writer.add(instruction_tokens(text, instruction.begin, instruction.end));
    }
  }
  return writer.take();
}

Json semantic_tokens_edits(const std::vector<std::uint32_t>& before, const std::vector<std::uint32_t>& after) {
  const std::size_t most = std::min(before.size(), after.size());
  const auto first = std::mismatch(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(most), after.begin());
  const auto same = static_cast<std::size_t>(first.first - before.begin());
  if (same == before.size() && same == after.size()) return Json::array();
  std::size_t tail = 0;
  while (tail < most - same && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  Json data = Json::array();
  for (std::size_t i = same; i < after.size() - tail; ++i) data.push_back(after[i]);
  return Json::array({{{"start", same}, {"deleteCount", before.size() - tail - same}, {"data", std::move(data)}}});
}

}  // namespace hloroof::internal::inline lsp
