// Caches the sizes of a module's shapes, so that each is computed once.
#ifndef HLOROOF_LIB_WORK_SIZE_CACHE_H_
#define HLOROOF_LIB_WORK_SIZE_CACHE_H_

#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/shape.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal::inline work {

// The size of one array leaf. Fields are doubles because sums of them exceed int64 in hostile text.
struct ArraySize {
  double logical_elements = 0;
  double logical_bytes = 0;
  double padded_elements = 0;
  double padded_bytes = 0;
  MemorySpace space = MemorySpace::kHbm;
};

inline ArraySize array_size(const Shape& shape) {
  const PhysicalSize physical = physical_size(shape);
  ArraySize size;
  size.logical_elements = shape.is_array() ? static_cast<double>(element_count(shape)) : 0;
  size.logical_bytes = static_cast<double>(logical_bytes(shape));
  size.padded_elements = static_cast<double>(physical.elements);
  size.padded_bytes = static_cast<double>(physical.bytes);
  size.space = memory_space(shape);
  return size;
}

// Not thread-safe. The table may grow while the cache lives.
class SizeCache {
 public:
  explicit SizeCache(const ShapeTable& table) : table_(&table) {}

  // The size of an array, token or opaque. The size of a tuple is all zeros.
  const ArraySize& operator[](ShapeId id) {
    if (id.index >= known_.size()) {
      known_.resize(table_->size(), 0);
      sizes_.resize(table_->size());
    }
    if (!known_[id.index]) {
      sizes_[id.index] = array_size((*table_)[id]);
      known_[id.index] = 1;
    }
    return sizes_[id.index];
  }

 private:
  const ShapeTable* table_;
  std::vector<char> known_;
  std::vector<ArraySize> sizes_;
};

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_SIZE_CACHE_H_
