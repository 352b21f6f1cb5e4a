#include "lib/kernel/kernel_type.h"

#include <algorithm>
#include <string_view>

#include "lib/mlir/dense.h"

namespace hloroof::internal {
namespace {

constexpr int kLaneBits32 = 32;

ElementType integer_element(const mlir::Type& type) {
  const bool is_unsigned = type.signedness == mlir::Signedness::kUnsigned;
  switch (type.width) {
    case 1: return ElementType::kPred;
    case 2: return is_unsigned ? ElementType::kU2 : ElementType::kS2;
    case 4: return is_unsigned ? ElementType::kU4 : ElementType::kS4;
    case 8: return is_unsigned ? ElementType::kU8 : ElementType::kS8;
    case 16: return is_unsigned ? ElementType::kU16 : ElementType::kS16;
    case 32: return is_unsigned ? ElementType::kU32 : ElementType::kS32;
    case 64: return is_unsigned ? ElementType::kU64 : ElementType::kS64;
    default: return ElementType::kInvalid;
  }
}

ElementType element_of(const mlir::Type& type) {
  switch (type.kind) {
    case mlir::TypeKind::kInteger: return integer_element(type);
    case mlir::TypeKind::kIndex: return ElementType::kS32;
    case mlir::TypeKind::kBF16: return ElementType::kBf16;
    case mlir::TypeKind::kF16: return ElementType::kF16;
    case mlir::TypeKind::kF32:
    case mlir::TypeKind::kTF32: return ElementType::kF32;
    case mlir::TypeKind::kF64: return ElementType::kF64;
    case mlir::TypeKind::kF8E5M2: return ElementType::kF8e5m2;
    case mlir::TypeKind::kF8E4M3: return ElementType::kF8e4m3;
    case mlir::TypeKind::kF8E4M3FN: return ElementType::kF8e4m3fn;
    case mlir::TypeKind::kF8E5M2FNUZ: return ElementType::kF8e5m2fnuz;
    case mlir::TypeKind::kF8E4M3FNUZ: return ElementType::kF8e4m3fnuz;
    case mlir::TypeKind::kF8E4M3B11FNUZ: return ElementType::kF8e4m3b11fnuz;
    case mlir::TypeKind::kF8E3M4: return ElementType::kF8e3m4;
    case mlir::TypeKind::kF4E2M1FN: return ElementType::kF4e2m1fn;
    case mlir::TypeKind::kF8E8M0FNU: return ElementType::kF8e8m0fnu;
    default: return ElementType::kInvalid;
  }
}

// The text of the attribute, "#tpu.memory_space<vmem>", or its symbol.
KernelSpace space_of(const mlir::Module& module, mlir::AttributeId id) {
  if (!id.valid()) return KernelSpace::kVmem;
  const absl::StatusOr<mlir::Attribute> attribute = mlir::decode(module, id);
  if (!attribute.ok()) return KernelSpace::kNone;
  const auto has = [&](std::string_view part) { return attribute->text.find(part) != std::string_view::npos; };
  if (has("semaphore")) return KernelSpace::kSemaphore;
  if (has("smem")) return KernelSpace::kSmem;
  if (has("vmem") || has("cmem")) return KernelSpace::kVmem;
  if (has("hbm") || has("any") || has("host")) return KernelSpace::kHbm;
  return KernelSpace::kNone;
}

KernelType decode_kernel_type(const mlir::Module& module, mlir::TypeId id) {
  KernelType result;
  const absl::StatusOr<mlir::Type> type = mlir::decode(module, id);
  if (!type.ok()) return result;
  const mlir::Type* element = &*type;
  absl::StatusOr<mlir::Type> inner = *type;
  switch (type->kind) {
    case mlir::TypeKind::kVector: result.kind = KernelType::Kind::kVector; break;
    case mlir::TypeKind::kMemRef:
    case mlir::TypeKind::kMemRefInSpace: result.kind = KernelType::Kind::kMemory; break;
    default: break;
  }
  if (result.kind != KernelType::Kind::kOther) {
    result.shape = type->shape;
    inner = mlir::decode(module, type->element);
    if (!inner.ok()) return result;
    element = &*inner;
  }
  if (result.kind == KernelType::Kind::kMemory) result.space = space_of(module, type->space_or_encoding);
  result.element = element_of(*element);
  result.is_index = element->kind == mlir::TypeKind::kIndex;
  result.bits = result.is_index ? kLaneBits32 : static_cast<int>(mlir::bit_width(*element));
  if (result.kind == KernelType::Kind::kOther && result.bits > 0) result.kind = KernelType::Kind::kScalar;
  return result;
}

double round_up(double extent, double multiple) { return std::max(1.0, (extent + multiple - 1) / multiple); }

double whole(double extent, std::int64_t tile) {
  const auto size = static_cast<double>(tile);
  return static_cast<double>(static_cast<std::int64_t>(round_up(extent, size))) * size;
}

}  // namespace

KernelTypes::KernelTypes(const mlir::Module& module) {
  types_.reserve(module.types.size());
  for (std::uint32_t i = 0; i < module.types.size(); ++i) {
    types_.push_back(decode_kernel_type(module, mlir::TypeId{i}));
  }
}

double element_count(const KernelType& type) {
  double count = 1;
  for (const std::int64_t extent : type.shape) {
    if (extent < 0) return 0;
    count *= static_cast<double>(extent);
  }
  return count;
}

double padded_elements(const KernelType& type) {
  if (type.kind != KernelType::Kind::kVector) return 0;
  const std::size_t rank = type.shape.size();
  if (rank == 0) return static_cast<double>(kRegisterLanes * kRegisterSublanes);
  double count = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto extent = static_cast<double>(std::max<std::int64_t>(type.shape[i], 1));
    if (i + 1 == rank) {
      count *= whole(extent, kRegisterLanes);
    } else if (i + 2 == rank) {
      // Narrow types pack several rows into a sublane.
      const std::int64_t packing = std::max(1, kLaneBits32 / std::clamp(type.bits, 8, kLaneBits32));
      count *= whole(extent, kRegisterSublanes * packing);
    } else {
      count *= extent;
    }
  }
  return rank == 1 ? count * static_cast<double>(kRegisterSublanes) : count;
}

double padded_bytes(const std::vector<std::int64_t>& shape, int bits) {
  double count = 1;
  const std::size_t rank = shape.size();
  for (std::size_t i = 0; i < rank; ++i) {
    const auto extent = static_cast<double>(std::max<std::int64_t>(shape[i], 1));
    if (rank >= 2 && i + 1 == rank) {
      count *= whole(extent, kRegisterLanes);
    } else if (rank >= 2 && i + 2 == rank) {
      count *= whole(extent, kRegisterSublanes);
    } else {
      count *= extent;
    }
  }
  return count * bits / 8;
}

}  // namespace hloroof::internal
