// Finding an instruction or a computation by its name while parsing.
#ifndef HLOROOF_LIB_TEXT_NAME_TABLE_H_
#define HLOROOF_LIB_TEXT_NAME_TABLE_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hloroof/module.h"
#include "lib/base/source_text.h"
#include "lib/text/scan.h"

namespace hloroof::inline v0 {

// From (scope, name) to an index, by open addressing. Names are kept as ranges of the module's text. reset() empties
// the table by raising its generation, without touching it, and keeps the memory. What is in use after it is small
// again and grows inside that memory: small computations behind a large one stay in the cache.
class NameTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  // Empties the table; names are those of `module` from here on.
  void reset(const Module* module) {
    module_ = module;
    source_begin_ = module->source().begin();
    source_size_ = module->source().size();
    if (++generation_ == 0) {  // none left: the entries' are taken back
      for (Entry& entry : entries_) entry.generation = 0;
      generation_ = 1;
    }
    size_ = 0;
    mask_ = std::clamp<std::size_t>(std::bit_ceil(source_size_ / kBytesPerSlot), kLeastCapacity, kMostCapacity) - 1;
    if (mask_ >= entries_.size()) entries_.resize(mask_ + 1);
  }

  static std::uint32_t hash(std::string_view name) { return hash_bytes(name.data(), name.size()); }

  // What (scope, name) was inserted with, kNone if it was not.
  std::uint32_t find(std::uint32_t scope, std::string_view name, std::uint32_t hash) const {
    return find_if(scope, hash, [&](TextRange other) {
      return other.size == name.size() && equal_bytes(module_->text(other).data(), name.data(), name.size());
    });
  }
  // Of a name that lies in the module's text.
  std::uint32_t find(std::uint32_t scope, TextRange name, std::uint32_t hash) const {
    return find_if(scope, hash, [&](TextRange other) { return equal(other, name); });
  }

  // Inserts, or returns the value already there; kNone if it was inserted.
  std::uint32_t insert(std::uint32_t scope, TextRange range, std::uint32_t hash, std::uint32_t value) {
    if (2 * (size_ + 1) > mask_) grow();
    std::size_t slot = first_slot(scope, hash);
    for (; entries_[slot].generation == generation_; slot = (slot + 1) & mask_) {
      const Entry& entry = entries_[slot];
      if (entry.hash == hash && entry.scope == scope && equal(entry.name, range)) return entry.value;
    }
    entries_[slot] = {range, hash, generation_, scope, value};
    ++size_;
    return kNone;
  }

 private:
  // What reset() leaves in use: most computations and one entry of 1,500 instructions fit a large text's without
  // growing, which took 3 % of the reading when it began at 1024; one pasted instruction's costs nothing to set up.
  static constexpr std::size_t kBytesPerSlot = 256;
  static constexpr std::size_t kLeastCapacity = 64;
  static constexpr std::size_t kMostCapacity = 4096;

  struct Entry {
    TextRange name;
    std::uint32_t hash = 0;
    std::uint32_t generation = 0;
    std::uint32_t scope = 0;
    std::uint32_t value = 0;
  };

  std::size_t first_slot(std::uint32_t scope, std::uint32_t hash) const { return (hash + scope * 0x9e3779b1u) & mask_; }
  template <typename Same>
  std::uint32_t find_if(std::uint32_t scope, std::uint32_t hash, Same&& same) const {
    for (std::size_t slot = first_slot(scope, hash);; slot = (slot + 1) & mask_) {
      const Entry& entry = entries_[slot];
      if (entry.generation != generation_) return kNone;
      if (entry.hash == hash && entry.scope == scope && same(entry.name)) return entry.value;
    }
  }
  bool equal(TextRange a, TextRange b) const {
    if (a.size != b.size) return false;
    if (a.size <= 32 && std::size_t{std::max(a.begin, b.begin)} + 32 <= source_size_) {
      return equal_short(source_begin_ + a.begin, source_begin_ + b.begin, a.size);
    }
    return equal_bytes(module_->text(a).data(), module_->text(b).data(), a.size);
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
  const char* source_begin_ = nullptr;
  std::size_t source_size_ = 0;
  std::vector<Entry> entries_;
  std::vector<Entry> moved_;      // while growing
  std::size_t mask_ = 0;          // of the slots in use, a power of two
  std::uint32_t generation_ = 1;  // entries start at 0: not there
  std::size_t size_ = 0;
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_NAME_TABLE_H_
