#include "lib/describe/short_names.h"

#include <algorithm>

#include "lib/describe/table.h"

namespace hloroof::internal::inline describe {
namespace {

constexpr std::string_view kGap = "..";
// Columns by which a cut may exceed its width. The work for a name grows with the cube of the widest cut, and names
// have any length.
constexpr std::size_t kMostWider = 64;

bool has_both_ends(std::string_view name, std::string_view head, std::string_view tail) {
  return name.size() > head.size() + tail.size() && name.starts_with(head) && name.ends_with(tail);
}

}  // namespace

bool selects_name(std::string_view text, std::string_view name) {
  if (!text.empty() && name.ends_with(text)) return true;
  // Names may have ".." too.
  for (std::size_t gap = text.find(kGap); gap != std::string_view::npos; gap = text.find(kGap, gap + 1)) {
    if (has_both_ends(name, text.substr(0, gap), text.substr(gap + kGap.size()))) return true;
  }
  return false;
}

void ShortNames::sort() {
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

bool ShortNames::is_unique(std::string_view head, std::string_view cut) const {
  // Without a further ".." in it, `cut` selects only names with this beginning.
  const bool has_one_gap = cut.find(kGap) == head.size() && cut.find(kGap, head.size() + 1) == std::string_view::npos;
  std::size_t count = 0;
  const auto first = has_one_gap ? std::lower_bound(names_.begin(), names_.end(), head) : names_.begin();
  for (auto it = first; it != names_.end(); ++it) {
    if (has_one_gap && !it->starts_with(head)) break;
    if (selects_name(cut, *it) && ++count > 1) return false;
  }
  return true;
}

std::string ShortNames::shorten_name(std::string_view name, std::size_t width) const {
  if (name.size() <= width || width <= kGap.size() + 2) return shorten(name, width);
  // If that width tells it from no other name, the next that does is better than the whole name.
  const std::size_t widest = std::min(name.size(), width + kMostWider);
  for (; width < widest; ++width) {
    const std::size_t room = width - kGap.size();
    // Both ends of equal length read best. A longer end tells more names apart than a longer beginning.
    std::vector<std::size_t> heads;
    for (std::size_t head = room / 2; head > 0; --head) heads.push_back(head);
    for (std::size_t head = room / 2 + 1; head < room; ++head) heads.push_back(head);
    for (const std::size_t head : heads) {
      const std::string_view begin = name.substr(0, head);
      std::string cut(begin);
      cut.append(kGap).append(name.substr(name.size() - (room - head)));
      if (is_unique(begin, cut)) return cut;
    }
  }
  return std::string(name);
}

std::string ShortNames::shorten_cell(const std::string& cell, std::size_t width) const {
  const std::size_t excess = display_width(cell) - std::min(width, display_width(cell));
  if (excess == 0) return cell;
  std::size_t begin = 0;  // of the longest word that is a name
  std::size_t length = 0;
  for (std::size_t at = 0; at < cell.size();) {
    const std::size_t blank = std::min(cell.find(' ', at), cell.size());
    const std::string_view word = std::string_view(cell).substr(at, blank - at);
    if (word.size() > length && std::binary_search(names_.begin(), names_.end(), word)) {
      begin = at;
      length = word.size();
    }
    at = blank + 1;
  }
  if (length <= excess) return shorten(cell, width);
  return cell.substr(0, begin) + shorten_name(std::string_view(cell).substr(begin, length), length - excess) +
         cell.substr(begin + length);
}

}  // namespace hloroof::internal::inline describe
