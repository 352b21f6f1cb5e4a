#include "lib/fronts/lsp/outline.h"

#include <algorithm>

#include "lib/values/scan.h"

namespace hloroof::internal::inline lsp {
namespace {

// A name in a line: `offset` is that of its first letter.
struct FoundName {
  std::size_t offset = 0;
  std::size_t size = 0;
};

// Reads `keyword`? %?name.
FoundName name_after(std::string_view text, std::size_t begin, std::size_t end, std::string_view keyword) {
  std::size_t at = begin;
  const auto blanks = [&] {
    while (at < end && (text[at] == ' ' || text[at] == '\t')) ++at;
  };
  blanks();
  if (text.substr(at, keyword.size()) == keyword && at + keyword.size() < end && is_space(text[at + keyword.size()])) {
    at += keyword.size();
    blanks();
  }
  if (at < end && text[at] == '%') ++at;
  FoundName name{at, 0};
  if (at >= end || !is_word_start(text[at])) return name;
  while (at < end && is_word(text[at])) ++at;
  name.size = at - name.offset;
  return name;
}

bool follows_equals(std::string_view text, const FoundName& name, std::size_t end) {
  std::size_t at = name.offset + name.size;
  while (at < end && text[at] == ' ') ++at;
  return at > name.offset + name.size && at < end && text[at] == '=';
}

}  // namespace

Outline::Outline(std::string_view text, const Lines& lines) : text_(text) {
  instructions_.reserve(lines.count());
  bool is_open = false;
  std::size_t indent = 0;  // of the line that began the computation
  const auto close = [&](std::size_t end) {
    if (!is_open) return;
    computations_.back().end = end;
    computations_.back().last = instructions_.size();
    is_open = false;
  };
  for (std::size_t line = 0; line < lines.count(); ++line) {
    const std::size_t begin = lines.begin(line);
    const std::size_t end = lines.end(text, line);
    std::size_t first = begin;
    while (first < end && (text[first] == ' ' || text[first] == '\t')) ++first;
    if (first == end) continue;
    if (text.substr(first, 10) == "HloModule " && computations_.empty()) {
      header_ = {first, end};
      continue;
    }
    if (is_open && text[first] == '}' && first - begin == indent) {
      close(first + 1);
      continue;
    }
    const FoundName name = name_after(text, first, end, "ROOT");
    if (is_open && name.size > 0 && follows_equals(text, name, end)) {
      instructions_.push_back({name.offset, name.size, first, end, computations_.size() - 1});
      continue;
    }
    const FoundName head = name_after(text, first, end, "ENTRY");
    const bool is_entry = text.substr(first, 6) == "ENTRY ";
    const bool is_head = (text[end - 1] == '{' || is_entry) && head.size > 0;
    if (is_head && (!is_open || first - begin == indent)) {
      close(begin);
      computations_.insert(computations_.end(),
                           {head.offset, head.size, begin, end, text.size(), instructions_.size(), 0, is_entry});
      is_open = true;
      indent = first - begin;
      continue;
    }
    // A further line of an instruction.
    if (is_open && !instructions_.empty() && instructions_.back().computation == computations_.size() - 1) {
      instructions_.back().end = end;
    }
  }
  close(text.size());
  computation_names_.reserve(computations_.size());
  for (std::size_t i = 0; i < computations_.size(); ++i) computation_names_.emplace(name(computations_[i]), i);
  instruction_names_.reserve(instructions_.size());
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    instruction_names_.emplace(std::pair(instructions_[i].computation, name(instructions_[i])), i);
  }
}

std::size_t Outline::instruction_at(std::size_t offset) const {
  const auto after = std::upper_bound(instructions_.begin(), instructions_.end(), offset,
                                      [](std::size_t at, const OutlineInstruction& i) { return at < i.begin; });
  if (after == instructions_.begin() || (after - 1)->end < offset) return kNone;
  return static_cast<std::size_t>(after - instructions_.begin()) - 1;
}

std::size_t Outline::computation_at(std::size_t offset) const {
  const auto after = std::upper_bound(computations_.begin(), computations_.end(), offset,
                                      [](std::size_t at, const OutlineComputation& c) { return at < c.begin; });
  if (after == computations_.begin() || (after - 1)->end < offset) return kNone;
  return static_cast<std::size_t>(after - computations_.begin()) - 1;
}

std::size_t Outline::find_computation(std::string_view name) const {
  const auto found = computation_names_.find(name);
  return found == computation_names_.end() ? kNone : found->second;
}

std::size_t Outline::find_instruction(std::size_t computation, std::string_view name) const {
  const auto found = instruction_names_.find(std::pair(computation, name));
  return found == instruction_names_.end() ? kNone : found->second;
}

}  // namespace hloroof::internal::inline lsp
