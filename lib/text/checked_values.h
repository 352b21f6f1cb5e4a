// Remembers attribute values that were read before.
#ifndef HLOROOF_LIB_TEXT_CHECKED_VALUES_H_
#define HLOROOF_LIB_TEXT_CHECKED_VALUES_H_

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "hloroof/attribute.h"
#include "lib/text/scan.h"

namespace hloroof::inline v0 {

// A dump repeats few windows, shardings, replica groups and aliases many times. Where the bytes are those of a value
// found right before, under the same name, they are right again: the reading of them did not depend on what follows.
// Keeps its own copy of the texts, so that it serves the next text too, up to a limit.
class CheckedValues {
 public:
  static bool applies_to(AttributeKey key) {
    switch (form(key)) {
      case AttributeForm::kWindow:
      case AttributeForm::kSharding:
      case AttributeForm::kReplicaGroups:
      case AttributeForm::kAlias:
      case AttributeForm::kFrontendAttributes:
      case AttributeForm::kHeaderAlias:
      case AttributeForm::kHeaderDonor: return true;
      default: return false;
    }
  }

  // To be called when another text is parsed: forgets all if it holds as much as it may.
  void start() {
    if (texts_.size() < kLargestSize / 2) return;
    texts_.clear();
    entries_.assign(entries_.size(), Entry());
    size_ = 0;
  }

  // The end of the value at `begin` if it is one that was remembered, else null.
  const char* find(AttributeKey key, const char* begin, const char* end) const {
    if (size_ == 0) return nullptr;
    const char* done = value_end(begin, end);
    if (done == nullptr) return nullptr;
    const std::size_t size = static_cast<std::size_t>(done - begin);
    const std::uint32_t hash = hash_of(key, begin, size);
    for (std::size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
      const Entry& entry = entries_[slot];
      if (entry.size == 0) return nullptr;
      if (entry.hash == hash && entry.size == size && entry.key == key &&
          equal_bytes(texts_.data() + entry.begin, begin, size)) {
        return done;
      }
    }
  }

  void remember(AttributeKey key, std::string_view value, const char* end) {
    if (value.size() + texts_.size() > kLargestSize) return;
    // What find() would take for another value is of no use.
    if (value_end(value.data(), end) != value.data() + value.size()) return;
    if (2 * (size_ + 1) > entries_.size()) grow();
    Entry entry;
    entry.begin = static_cast<std::uint32_t>(texts_.size());
    entry.size = static_cast<std::uint32_t>(value.size());
    entry.hash = hash_of(key, value.data(), value.size());
    entry.key = key;
    texts_.insert(texts_.end(), value.begin(), value.end());
    insert(entry);
    ++size_;
  }

 private:
  static constexpr std::size_t kLargestSize = std::size_t{1} << 18;

  struct Entry {
    std::uint32_t begin = 0;  // in texts_
    std::uint32_t size = 0;   // 0: no entry
    std::uint32_t hash = 0;
    AttributeKey key = AttributeKey::kUnknown;
  };

  // Behind the braces of {...} or mesh[...] {...}, behind [2,4]<=[4,2]T(1,0); null for anything else. No more than a
  // guess, which takes an equal text to be right.
  static const char* value_end(const char* p, const char* end) {
    switch (*p) {
      case '{': return json_end(p, end);
      case 'm': p = find_first_of<'{'>(p, end); return p == end ? nullptr : json_end(p, end);
      case '[':
        p = find_first_of<']'>(p, end);
        if (end - p < 4 || p[1] != '<' || p[2] != '=' || p[3] != '[') return nullptr;
        p = find_first_of<']'>(p + 4, end);
        if (p == end) return nullptr;
        if (*++p == 'T') {
          p = find_first_of<')'>(p, end);
          if (p == end) return nullptr;
          ++p;
        }
        return *p == ',' ? p : nullptr;  // nothing that could belong to it follows
      default: return nullptr;
    }
  }
  static std::uint32_t hash_of(AttributeKey key, const char* p, std::size_t size) {
    return hash_bytes(p, size) + static_cast<std::uint32_t>(key);
  }
  std::size_t mask() const { return entries_.size() - 1; }
  void insert(const Entry& entry) {
    std::size_t slot = entry.hash & mask();
    while (entries_[slot].size != 0) slot = (slot + 1) & mask();
    entries_[slot] = entry;
  }
  void grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.size != 0) insert(entry);
    }
  }

  std::vector<char> texts_;
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_CHECKED_VALUES_H_
