// Looks up instructions and computations by name while parsing.
#ifndef HLOROOF_LIB_TEXT_NAME_TABLE_H_
#define HLOROOF_LIB_TEXT_NAME_TABLE_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hloroof/module.h"
#include "lib/base/open_addressing.h"
#include "lib/base/source_text.h"
#include "lib/ir/rows.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline text {

// A hash table from (scope, name) to an index, with open addressing. Names are ranges of the module's text. reset()
// empties the table by incrementing its generation and keeps the memory. The table then uses a small part of that
// memory and grows within it, so that small computations after a large one remain in the cache.
class NameTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  // Empties the table. Further names refer to `module`.
  void reset(const Module* module) {
    module_ = module;
    source_begin_ = ModuleRows::source(*module).begin();
    source_size_ = ModuleRows::source(*module).size();
    if (++generation_ == 0) {  // wrapped around: reset the generation of all entries
      for (Entry& entry : entries_) entry.generation = 0;
      generation_ = 1;
    }
    size_ = 0;
    mask_ = std::clamp<std::size_t>(std::bit_ceil(source_size_ / kBytesPerSlot), kLeastCapacity, kMostCapacity) - 1;
    if (mask_ >= entries_.size()) entries_.resize(mask_ + 1);
  }

  static std::uint32_t hash(std::string_view name) { return hash_bytes(name.data(), name.size()); }

  // The value of (scope, name); kNone if it is not in the table.
  std::uint32_t find(std::uint32_t scope, std::string_view name, std::uint32_t hash) const {
    return find_if(scope, hash, [&](TextRange other) {
      return other.size == name.size() && equal_bytes(module_->text(other).data(), name.data(), name.size());
    });
  }
  // The same for a name in the module's text.
  std::uint32_t find(std::uint32_t scope, TextRange name, std::uint32_t hash) const {
    return find_if(scope, hash, [&](TextRange other) { return equal(other, name); });
  }

  // Inserts the value and returns kNone, or returns the existing value.
  std::uint32_t insert(std::uint32_t scope, TextRange range, std::uint32_t hash, std::uint32_t value) {
    if (2 * (size_ + 1) > mask_) grow();
    Entry& entry = probe(entries_.data(), mask_, mixed(scope, hash), in_use(),
                         [&](const Entry& e) { return e.hash == hash && e.scope == scope && equal(e.name, range); });
    if (entry.generation == generation_) return entry.value;
    entry = {range, hash, generation_, scope, value};
    ++size_;
    return kNone;
  }

 private:
  // The size after reset(). For a large text, most computations and an entry of 1,500 instructions fit without growing;
  // growing from 1024 slots took 3 % of the parse. For a pasted instruction the setup costs nothing.
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

  static std::size_t mixed(std::uint32_t scope, std::uint32_t hash) { return hash + scope * 0x9e3779b1u; }
  struct InUse {
    std::uint32_t generation;
    bool operator()(const Entry& entry) const { return entry.generation == generation; }
  };
  InUse in_use() const { return {generation_}; }
  template <typename Same>
  std::uint32_t find_if(std::uint32_t scope, std::uint32_t hash, Same&& same) const {
    const Entry& entry = probe(entries_.data(), mask_, mixed(scope, hash), in_use(),
                               [&](const Entry& e) { return e.hash == hash && e.scope == scope && same(e.name); });
    return entry.generation == generation_ ? entry.value : kNone;
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
    for (const Entry& moved : moved_) {
      probe(entries_.data(), mask_, mixed(moved.scope, moved.hash), in_use(), [](const Entry&) { return false; }) =
          moved;
    }
  }

  const Module* module_ = nullptr;
  const char* source_begin_ = nullptr;
  std::size_t source_size_ = 0;
  std::vector<Entry> entries_;
  std::vector<Entry> moved_;      // scratch of growing
  std::size_t mask_ = 0;          // the number of slots in use, a power of two, minus 1
  std::uint32_t generation_ = 1;  // new entries have generation 0, which means empty
  std::size_t size_ = 0;
};

}  // namespace hloroof::internal::inline text

#endif  // HLOROOF_LIB_TEXT_NAME_TABLE_H_
