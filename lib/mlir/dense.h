// The elements of dense arrays and dense elements attributes, and facts about number types.
#ifndef HLOROOF_LIB_MLIR_DENSE_H_
#define HLOROOF_LIB_MLIR_DENSE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/mlir/attributes.h"

namespace hloroof::internal::mlir {

// The bits of an integer, index or float type; 0 for other types.
std::uint32_t bit_width(const Type& type);
bool is_integer(const Type& type);  // or index
bool is_float(const Type& type);

// The value of an integer whose low bits are `bits`: zero-extended if the type is unsigned or i1, else sign-extended.
// nullopt if the type is wider than 64 bits or not an integer.
std::optional<std::int64_t> extended(const Type& type, std::uint64_t bits);

struct DenseView {
  Type element;        // a number type
  unsigned parts = 1;  // 2 if the elements are complex numbers of type `element`
  std::uint64_t count = 0;
  std::vector<std::int64_t> shape;  // empty for a dense array
  bool is_splat = false;            // one element is stored for all
  bool is_packed = false;           // eight elements of one bit in a byte
  std::uint32_t stride = 0;         // bytes of a part
  std::string_view bytes;

  // The low 64 bits of a part of an element. `index` counts parts.
  std::uint64_t bits(std::uint64_t index) const;
};

// `attribute` must be a dense array or dense elements of numbers whose bytes match its type.
absl::StatusOr<DenseView> dense_view(const Module& module, const Attribute& attribute);

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_LIB_MLIR_DENSE_H_
