#include <algorithm>
#include <array>
#include <utility>

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

constexpr std::size_t kNumbers = 5;  // of a token: the first is the number of lines from the token before it

using Tokens = std::vector<std::uint32_t>;

void add_computation(const EditorView& view, std::size_t index, std::size_t begin, std::size_t end,
                     TokenWriter& writer) {
  const Outline& outline = view.document.outline();
  const std::string_view text = view.document.text();
  const OutlineComputation& computation = outline.computations()[index];
  writer.add(computation_tokens(text, computation.begin, computation.head_end));
  for (std::size_t i = computation.first; i < computation.last; ++i) {
    const OutlineInstruction& instruction = outline.instructions()[i];
    if (instruction.end < begin) continue;
    if (instruction.begin >= end) break;
    writer.add(instruction_tokens(text, instruction.begin, instruction.end));
  }
}

// The lines from the beginning of the text, or from the first token, to the last token of a part.
std::uint32_t lines_in(const Tokens& part, std::size_t from = 0) {
  std::uint32_t lines = 0;
  for (std::size_t i = from; i < part.size(); i += kNumbers) lines += part[i];
  return lines;
}

// The tokens of one computation, counted from the beginning of the text.
Tokens tokens_of(const EditorView& view, std::size_t computation) {
  const std::size_t size = view.document.text().size();
  TokenWriter writer(view, 0, size);
  add_computation(view, computation, 0, size, writer);
  return writer.take();
}

std::vector<Tokens> all_parts(const EditorView& view) {
  const Outline& outline = view.document.outline();
  const std::string_view text = view.document.text();
  TokenWriter header(view, 0, text.size());
  if (const auto [begin, end] = outline.header(); begin < end) header.add(header_tokens(text, begin, end));
  std::vector<Tokens> parts = {header.take()};
  std::uint32_t line = lines_in(parts[0]);
  for (std::size_t i = 0; i < outline.computations().size(); ++i) {
    Tokens part = tokens_of(view, i);
    if (!part.empty()) {
      part[0] -= line;
      line += lines_in(part);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

Tokens joined(const std::vector<Tokens>& parts, std::size_t from = 0, std::size_t to = ~std::size_t{0}) {
  Tokens all;
  for (std::size_t i = from; i < std::min(to, parts.size()); ++i) {
    all.insert(all.end(), parts[i].begin(), parts[i].end());
  }
  return all;
}

// The one edit that makes `after` of `before`, which begin at `offset` of all tokens.
Json edits_between(const Tokens& before, const Tokens& after, std::size_t offset) {
  const std::size_t most = std::min(before.size(), after.size());
  const auto first = std::mismatch(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(most), after.begin());
  const auto same = static_cast<std::size_t>(first.first - before.begin());
  if (same == before.size() && same == after.size()) return Json::array();
  std::size_t tail = 0;
  while (tail < most - same && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  Json data = Json::array();
  for (std::size_t i = same; i < after.size() - tail; ++i) data.push_back(after[i]);
  return Json::array(
      {{{"start", offset + same}, {"deleteCount", before.size() - tail - same}, {"data", std::move(data)}}});
}

// Makes the part of one computation anew. What precedes it is the same, and what follows has moved by whole lines.
Json change_part(const EditorView& view, SentTokens& sent, std::size_t computation) {
  const std::size_t index = computation + 1;
  const std::size_t end = std::min(index + 2, sent.parts.size());
  const Tokens before = joined(sent.parts, index, end);
  Tokens part = tokens_of(view, computation);
  part[0] = sent.parts[index][0];
  if (index + 1 < sent.parts.size()) {
    const std::size_t moved = view.document.lines().count() - sent.lines;  // modulo 2^64, and then 2^32
    sent.parts[index + 1][0] +=
        static_cast<std::uint32_t>(moved) + lines_in(sent.parts[index], kNumbers) - lines_in(part, kNumbers);
  }
  sent.parts[index] = std::move(part);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < index; ++i) offset += sent.parts[i].size();
  return edits_between(before, joined(sent.parts, index, end), offset);
}

}  // namespace

Json semantic_tokens_legend() {
  return Json{{"tokenTypes", kTokenTypes}, {"tokenModifiers", Json::array({"declaration"})}};
}

std::vector<std::uint32_t> semantic_tokens(const EditorView& view, std::size_t begin, std::size_t end) {
  const Outline& outline = view.document.outline();
  TokenWriter writer(view, begin, end);
  if (const auto [head, head_end] = outline.header(); head < end && head_end > begin) {
    writer.add(header_tokens(view.document.text(), head, head_end));
  }
  for (std::size_t i = 0; i < outline.computations().size(); ++i) {
    const OutlineComputation& computation = outline.computations()[i];
    if (computation.end >= begin && computation.begin < end) add_computation(view, i, begin, end, writer);
  }
  return writer.take();
}

std::vector<std::uint32_t> all_semantic_tokens(const EditorView& view) {
  SentTokens& sent = view.document.sent_tokens;
  sent.parts = all_parts(view);
  sent.lines = view.document.lines().count();
  sent.changed.what = ChangedPart::What::kNothing;
  return joined(sent.parts);
}

Json changed_semantic_tokens(const EditorView& view) {
  using What = ChangedPart::What;
  SentTokens& sent = view.document.sent_tokens;
  const What what = std::exchange(sent.changed.what, What::kNothing);
  if (what == What::kNothing) return Json::array();
  const bool has_tokens = what == What::kComputation && std::all_of(sent.parts.begin() + 1, sent.parts.end(),
                                                                    [](const Tokens& part) { return !part.empty(); });
  Json edits;
  if (has_tokens) {
    edits = change_part(view, sent, sent.changed.computation);
  } else {
    const Tokens before = joined(sent.parts);
    sent.parts = all_parts(view);
    edits = edits_between(before, joined(sent.parts), 0);
  }
  sent.lines = view.document.lines().count();
  return edits;
}

}  // namespace hloroof::internal::inline lsp
