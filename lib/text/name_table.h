// Finding an instruction or a computation by its name while parsing.
#ifndef HLOROOF_LIB_TEXT_NAME_TABLE_H_
#define HLOROOF_LIB_TEXT_NAME_TABLE_H_

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "hloroof/module.h"
#include "lib/text/scan.h"

namespace hloroof::inline v0 {

// From (scope, name) to an index, by open addressing. Names are kept as ranges of the module's text. reset() empties
// the table by raising its generation, without touching it, and keeps the memory. What is in use after it is small
// again and grows inside that memory: small computations behind a large one stay in the cache.
class NameTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  NameTable() : entries_(kFirstCapacity) {}

  // Empties the table; names are those of `module` from here on.
  void reset(const Module* module) {
    module_ = module;
    if (++generation_ == 0) {  // none left: the entries' are taken back
      for (Entry& entry : entries_) entry.generation = 0;
      generation_ = 1;
    }
    size_ = 0;
    mask_ = kFirstCapacity - 1;
  }

  static std::uint32_t hash(std::string_view name) { return hash_bytes(name.data(), name.size()); }

  // What (scope, name) was inserted with, kNone if it was not.
  std::uint32_t find(std::uint32_t scope, std::string_view name, std::uint32_t hash) const {
    for (std::size_t slot = first_slot(scope, hash);; slot = (slot + 1) & mask_) {
      const Entry& entry = entries_[slot];
      if (entry.generation != generation_) return kNone;
      if (matches(entry, scope, name, hash)) return entry.value;
    }
  }

  // Inserts, or returns the value already there; kNone if it was inserted.
  std::uint32_t insert(std::uint32_t scope, TextRange range, std::uint32_t hash, std::uint32_t value) {
    const std::string_view name = module_->text(range);
    if (2 * (size_ + 1) > mask_) grow();
    std::size_t slot = first_slot(scope, hash);
    for (; entries_[slot].generation == generation_; slot = (slot + 1) & mask_) {
      if (matches(entries_[slot], scope, name, hash)) return entries_[slot].value;
    }
    entries_[slot] = {range, hash, generation_, scope, value};
    ++size_;
    return kNone;
  }

 private:
  static constexpr std::size_t kFirstCapacity = 1024;

  struct Entry {
    TextRange name;
    std::uint32_t hash = 0;
    std::uint32_t generation = 0;
    std::uint32_t scope = 0;
    std::uint32_t value = 0;
  };

  std::size_t first_slot(std::uint32_t scope, std::uint32_t hash) const { return (hash + scope * 0x9e3779b1u) & mask_; }
  bool matches(const Entry& entry, std::uint32_t scope, std::string_view name, std::uint32_t hash) const {
    return entry.hash == hash && entry.scope == scope && entry.name.size == name.size() &&
           equal_bytes(module_->text(entry.name).data(), name.data(), name.size());
  }
  void grow() {
    moved_.clear();
    for (std::size_t slot = 0; slot <= mask_; ++slot) {
      if (entries_[slot].generation == generation_) moved_.push_back(entries_[slot]);
      entries_[slot].generation = 0;
    }
    mask_ = 2 * mask_ + 1;
    if (mask_ >= entries_.size()) entries_.resize(mask_ + 1);
    for (const Entry& e : moved_) {
      std::size_t slot = first_slot(e.scope, e.hash);
      while (entries_[slot].generation == generation_) slot = (slot + 1) & mask_;
      entries_[slot] = e;
    }
  }

  const Module* module_ = nullptr;
  std::vector<Entry> entries_;
  std::vector<Entry> moved_;  // while growing
  std::size_t mask_ = kFirstCapacity - 1;
  std::uint32_t generation_ = 1;  // entries start at 0: not there
  std::size_t size_ = 0;
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_NAME_TABLE_H_
