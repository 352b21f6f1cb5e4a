#include "lib/proto/literal_layout.h"

namespace hloroof::internal::inline proto {

std::uint32_t literal_field(ElementType type) {
  switch (type) {
    case ElementType::kPred: return 2;
    case ElementType::kU8: return 3;
    case ElementType::kS32: return 4;
    case ElementType::kS64: return 5;
    case ElementType::kU32: return 6;
    case ElementType::kU64: return 7;
    case ElementType::kF32: return 8;
    case ElementType::kF64: return 9;
    case ElementType::kF16: return 11;
    case ElementType::kC64: return 12;
    case ElementType::kBf16: return 13;
    case ElementType::kS8: return 15;
    case ElementType::kU16: return 16;
    case ElementType::kS16: return 17;
    case ElementType::kC128: return 18;
    case ElementType::kF8e5m2: return 19;
    case ElementType::kF8e4m3fn: return 20;
    case ElementType::kS4: return 21;
    case ElementType::kU4: return 22;
    case ElementType::kF8e4m3b11fnuz: return 23;
    case ElementType::kF8e5m2fnuz: return 24;
    case ElementType::kF8e4m3fnuz: return 25;
    case ElementType::kS2: return 26;
    case ElementType::kU2: return 27;
    case ElementType::kF8e4m3: return 28;
    case ElementType::kF8e3m4: return 29;
    case ElementType::kS1: return 30;
    case ElementType::kU1: return 31;
    case ElementType::kF4e2m1fn: return 32;
    case ElementType::kF8e8m0fnu: return 33;
    case ElementType::kF6e3m2fn: return 35;
    case ElementType::kF6e2m3fn: return 36;
    default: return 0;
  }
}

bool is_row_major(absl::Span<const std::int64_t> minor_to_major) {
  for (std::size_t i = 0; i < minor_to_major.size(); ++i) {
    if (minor_to_major[i] != static_cast<std::int64_t>(minor_to_major.size() - 1 - i)) return false;
  }
  return true;
}

std::vector<std::int64_t> elements_in_memory(absl::Span<const std::int64_t> dimensions,
                                             absl::Span<const std::int64_t> minor_to_major, std::int64_t count) {
  const std::size_t rank = dimensions.size();
  if (minor_to_major.size() != rank) return {};
  std::vector<std::int64_t> strides(rank, 0);  // 0 for a dimension that the order does not name yet
  for (std::int64_t dimension : minor_to_major) {
    if (dimension < 0 || dimension >= static_cast<std::int64_t>(rank)) return {};
    std::int64_t& stride = strides[static_cast<std::size_t>(dimension)];
    if (stride != 0) return {};
    stride = 1;
  }
  std::int64_t total = 1;
  for (std::size_t d = rank; d-- > 0;) {
    strides[d] = total;
    if (dimensions[d] <= 0 || __builtin_mul_overflow(total, dimensions[d], &total) || total > count) return {};
  }
  if (total != count) return {};
  std::vector<std::int64_t> order;
  order.reserve(static_cast<std::size_t>(count));
  std::vector<std::int64_t> at(rank, 0);
  std::int64_t position = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    order.push_back(position);
    for (std::int64_t dimension : minor_to_major) {
      const auto d = static_cast<std::size_t>(dimension);
      position += strides[d];
      if (++at[d] < dimensions[d]) break;
      position -= strides[d] * dimensions[d];
      at[d] = 0;
    }
  }
  return order;
}

}  // namespace hloroof::internal::inline proto
