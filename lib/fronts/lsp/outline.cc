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
  read_lines(lines, 0, lines.count());
}

// Appends what is in the lines [first, last).
void Outline::read_lines(const Lines& lines, std::size_t first_line, std::size_t last_line) {
  const std::string_view text = text_;
  bool is_open = false;
  std::size_t indent = 0;  // of the line that began the computation
  const auto close = [&](std::size_t end) {
    if (!is_open) return;
    computations_.back().end = end;
    computations_.back().last = instructions_.size();
    is_open = false;
  };
  for (std::size_t line = first_line; line < last_line; ++line) {
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
}

std::size_t Outline::replace(std::string_view text, const Lines& lines, std::size_t offset, std::size_t removed,
                             std::size_t added) {
  const std::size_t index = computation_at(offset);
  const std::size_t grown = added - removed;  // modulo 2^64, as all sums below
  text_ = text;
  computation_names_.clear();
  instruction_names_.clear();
  if (index == kNone) return kNone;
  const OutlineComputation old = computations_[index];
  // The end of the first line and the line of the closing brace are part of the structure.
  if (offset <= old.head_end || offset + removed >= old.end || old.end == old.begin) return kNone;
  const std::size_t end = old.end + grown;
  const std::size_t last_line = lines.line_of(end - 1);
  if (text[end - 1] != '}' || lines.begin(last_line) <= offset + added) return kNone;

  Outline part;
  part.text_ = text;
  part.read_lines(lines, lines.line_of(old.begin), last_line + 1);
  if (part.computations_.size() != 1 || part.computations_[0].begin != old.begin || part.computations_[0].end != end ||
      part.computations_[0].head_end != old.head_end || part.computations_[0].name_size != old.name_size) {
    return kNone;
  }
  for (OutlineInstruction& instruction : part.instructions_) instruction.computation = index;
  const std::size_t more = part.instructions_.size() - (old.last - old.first);
  for (std::size_t i = old.last; i < instructions_.size(); ++i) {
    OutlineInstruction& instruction = instructions_[i];
    instruction.name += grown;
    instruction.begin += grown;
    instruction.end += grown;
  }
  const auto begin = instructions_.begin();
  const auto same = std::min(part.instructions_.size(), old.last - old.first);
  const auto copied = part.instructions_.begin() + static_cast<std::ptrdiff_t>(same);
  const auto at = std::copy(part.instructions_.begin(), copied, begin + static_cast<std::ptrdiff_t>(old.first));
  if (copied != part.instructions_.end()) {
    instructions_.insert(at, copied, part.instructions_.end());
  } else {
    instructions_.erase(at, begin + static_cast<std::ptrdiff_t>(old.last));
  }
  computations_[index].end = end;
  computations_[index].last += more;
  for (std::size_t i = index + 1; i < computations_.size(); ++i) {
    OutlineComputation& computation = computations_[i];
    for (std::size_t* place : {&computation.name, &computation.begin, &computation.head_end, &computation.end}) {
      *place += grown;
    }
    computation.first += more;
    computation.last += more;
  }
  return index;
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
  if (computation_names_.empty()) {
    computation_names_.reserve(computations_.size());
    for (std::size_t i = 0; i < computations_.size(); ++i) computation_names_.emplace(this->name(computations_[i]), i);
  }
  const auto found = computation_names_.find(name);
  return found == computation_names_.end() ? kNone : found->second;
}

std::size_t Outline::find_instruction(std::size_t computation, std::string_view name) const {
  if (computation >= computations_.size()) return kNone;
  Names& names = instruction_names_[computation];
  if (names.empty()) {
    const OutlineComputation& within = computations_[computation];
    names.reserve(within.last - within.first);
    for (std::size_t i = within.first; i < within.last; ++i) names.emplace(this->name(instructions_[i]), i);
  }
  const auto found = names.find(name);
  return found == names.end() ? kNone : found->second;
}

}  // namespace hloroof::internal::inline lsp
