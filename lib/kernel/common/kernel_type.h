// The types of a kernel's values: scalars, vectors in registers, and references to memory.
#ifndef HLOROOF_LIB_KERNEL_COMMON_KERNEL_TYPE_H_
#define HLOROOF_LIB_KERNEL_COMMON_KERNEL_TYPE_H_

#include <cstdint>
#include <vector>

#include "hloroof/shape.h"
#include "lib/mlir/attributes.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

enum class KernelSpace : std::uint8_t { kNone, kVmem, kSmem, kHbm, kSemaphore };

struct KernelType {
  enum class Kind : std::uint8_t { kOther, kScalar, kVector, kMemory };

  Kind kind = Kind::kOther;
  ElementType element = ElementType::kInvalid;  // kInvalid for semaphores and the like
  int bits = 0;                                 // of an element
  bool is_index = false;
  KernelSpace space = KernelSpace::kNone;
  std::vector<std::int64_t> shape;  // mlir::kDynamic if unknown
};

// Decoded once for each type of a module.
class KernelTypes {
 public:
  explicit KernelTypes(const mlir::Module& module);
  const KernelType& of(mlir::TypeId id) const { return types_[id.index]; }
  const KernelType& of(const mlir::Module& module, mlir::ValueId value) const { return of(module[value].type); }

 private:
  std::vector<KernelType> types_;
};

// Whether all dimensions are known.
bool is_static(const KernelType& type);

// The number of elements; 0 if a dimension is unknown.
double element_count(const KernelType& type);

// The number of elements with the last dimension padded to whole registers of `lanes`, and the one before to `sublanes`
// of 32 bits. A vector of one dimension lies along the lanes.
double padded_elements(const KernelType& type);

// The bytes of `shape` in memory, in tiles of `sublanes` x `lanes` elements. Arrays of fewer rows have tiles of 1, 2 or
// 4 rows, as the layouts of the compiler do (f32[64,1,6144]{2,1,0:T(1,128)}), and a transfer moves the rows that it
// names.
double padded_bytes(const std::vector<std::int64_t>& shape, int bits);
// The bytes of its elements alone, which are at most padded_bytes().
double unpadded_bytes(const std::vector<std::int64_t>& shape, int bits);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_COMMON_KERNEL_TYPE_H_
