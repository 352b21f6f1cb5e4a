#include "lib/mlir/dense.h"

#include <algorithm>

namespace hloroof::internal::mlir {

std::uint32_t bit_width(const Type& type) {
  std::uint32_t width = 0;
  if (type.kind == TypeKind::kInteger) width = type.width;
  if (type.kind == TypeKind::kIndex) width = 64;
  switch (type.kind) {
#define HLOROOF_MLIR_FLOAT(enumerator, code, name, exponent, mantissa, bias, sign, special) \
  case TypeKind::enumerator:                                                                \
    width = (exponent) + (mantissa) + (sign);                                               \
    break;
#include "lib/mlir/type_kinds.def"
    default: break;
  }
  return width;
}

bool is_integer(const Type& type) { return type.kind == TypeKind::kInteger || type.kind == TypeKind::kIndex; }

bool is_float(const Type& type) { return !is_integer(type) && bit_width(type) > 0; }

std::optional<std::int64_t> extended(const Type& type, std::uint64_t bits) {
  const std::uint32_t width = bit_width(type);
  if (!is_integer(type) || width > 64) return std::nullopt;
  const unsigned unused = 64 - width;
  if (type.signedness == Signedness::kUnsigned || width == 1)
    return static_cast<std::int64_t>(bits << unused >> unused);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::uint64_t DenseView::bits(std::uint64_t index) const {
  if (is_splat) index %= parts;
  if (is_packed) {
    if (is_splat) return static_cast<std::uint8_t>(bytes[0]) & 1U;
    return static_cast<std::uint8_t>(bytes[index / 8]) >> (index % 8) & 1U;
  }
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(stride, 8); ++i) {
    value |= std::uint64_t{static_cast<std::uint8_t>(bytes[index * stride + i])} << (8 * i);
  }
  return value;
}

absl::StatusOr<DenseView> dense_view(const Module& module, const Attribute& attribute) {
  const absl::Status mismatch =
      absl::InvalidArgumentError("MLIR bytecode: the bytes of a dense attribute do not match its type");
  DenseView view;
  view.bytes = attribute.text;
  TypeId element = attribute.type;
  if (attribute.kind == AttributeKind::kDenseArray) {
    view.count = static_cast<std::uint64_t>(attribute.numbers[0]);
  } else if (attribute.kind == AttributeKind::kDenseElements) {
    absl::StatusOr<Type> shaped = decode(module, attribute.type);
    if (!shaped.ok()) return shaped.status();
    element = shaped->element;
    view.count = 1;
    for (const std::int64_t size : shaped->shape) {
      if (size < 0 || __builtin_mul_overflow(view.count, static_cast<std::uint64_t>(size), &view.count))
        return mismatch;
    }
    view.shape = std::move(shaped->shape);
  } else {
    return absl::InvalidArgumentError("MLIR: the attribute is not dense");
  }
  absl::StatusOr<Type> type = decode(module, element);
  if (type.ok() && type->kind == TypeKind::kComplex) {
    view.parts = 2;
    type = decode(module, type->element);
  }
  if (!type.ok()) return type.status();
  view.element = *std::move(type);
  const std::uint32_t width = bit_width(view.element);
  if (width == 0) return mismatch;
  view.stride = (width + 7) / 8;
  const std::uint64_t size = view.bytes.size();
  if (attribute.kind == AttributeKind::kDenseElements) {
    view.is_packed = width == 1 && view.parts == 1;
    if (view.is_packed) {
      // All bits set means that all elements are true, even if fewer than eight follow from the shape.
      view.is_splat = size == 1 && (view.bytes[0] == '\xff' || view.bytes[0] == '\0' || view.count == 1);
      if (!view.is_splat && size != (view.count / 8) + (view.count % 8 != 0 ? 1 : 0)) return mismatch;
      return view;
    }
    view.is_splat = size == std::uint64_t{view.stride} * view.parts && view.count != 0;
    if (view.is_splat) return view;
  }
  const std::uint64_t part_bytes = std::uint64_t{view.stride} * view.parts;
  if (size % part_bytes != 0 || size / part_bytes != view.count) return mismatch;
  return view;
}

}  // namespace hloroof::internal::mlir
