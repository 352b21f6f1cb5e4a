// A cache of attribute values that have been checked.
#ifndef HLOROOF_LIB_TEXT_CHECKED_VALUES_H_
#define HLOROOF_LIB_TEXT_CHECKED_VALUES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "hloroof/module.h"
#include "lib/base/open_addressing.h"
#include "lib/ir/attribute_form.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline text {

// A dump repeats few windows, shardings, replica groups and aliases many times. A value with the same key and bytes as
// a valid one is valid, because its parse does not depend on the following text. The cache copies the texts, up to a
// limit, so that it can also serve the next input.
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

  // Call this before parsing another input. Clears the cache if it is full.
  void start() {
    if (texts_.size() < kLargestSize / 2) return;
    texts_.clear();
    entries_.assign(entries_.size(), Entry());
    size_ = 0;
  }

  // The end of the value at `begin` if it is in the cache, or else null.
  const char* find(AttributeKey key, const char* begin, const char* end) const {
    if (size_ == 0) return nullptr;
    const char* done = value_end(begin, end);
    if (done == nullptr) return nullptr;
    const std::size_t size = static_cast<std::size_t>(done - begin);
    const std::uint32_t hash = hash_of(key, begin, size);
    const Entry& entry = probe(entries_.data(), entries_.size() - 1, hash, is_used, [&](const Entry& e) {
      return e.hash == hash && e.size == size && e.key == key && equal_bytes(texts_.data() + e.begin, begin, size);
    });
    return is_used(entry) ? done : nullptr;
  }

  void remember(AttributeKey key, std::string_view value, const char* end) {
    if (value.size() + texts_.size() > kLargestSize) return;
    // Skip values for which find() would guess a different end.
    if (value_end(value.data(), end) != value.data() + value.size()) return;
    if (2 * (size_ + 1) > entries_.size()) {
      grow_slots(entries_, kFewestSlots, is_used, [](const Entry& e) { return e.hash; });
    }
    Entry entry;
    entry.begin = static_cast<std::uint32_t>(texts_.size());
    entry.size = static_cast<std::uint32_t>(value.size());
    entry.hash = hash_of(key, value.data(), value.size());
    entry.key = key;
    texts_.insert(texts_.end(), value.begin(), value.end());
    probe(entries_.data(), entries_.size() - 1, entry.hash, is_used, [](const Entry&) { return false; }) = entry;
    ++size_;
  }

 private:
  static constexpr std::size_t kLargestSize = std::size_t{1} << 18;
  static constexpr std::size_t kFewestSlots = 64;

  struct Entry {
    std::uint32_t begin = 0;  // in texts_
    std::uint32_t size = 0;   // 0 means that the slot is empty
    std::uint32_t hash = 0;
    AttributeKey key = AttributeKey::kUnknown;
  };
  static bool is_used(const Entry& entry) { return entry.size != 0; }

  // A guess of the end of a value of the form {...}, mesh[...] {...} or [2,4]<=[4,2]T(1,0); null for other forms. An
  // equal text in the cache confirms the guess.
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
        return *p == ',' ? p : nullptr;  // the value cannot continue after a comma
      default: return nullptr;
    }
  }
  static std::uint32_t hash_of(AttributeKey key, const char* p, std::size_t size) {
    return hash_bytes(p, size) + static_cast<std::uint32_t>(key);
  }
  std::vector<char> texts_;
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace hloroof::internal::inline text

#endif  // HLOROOF_LIB_TEXT_CHECKED_VALUES_H_
