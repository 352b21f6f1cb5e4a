#include "lib/kernel/common/kernel_type.h"

#include <algorithm>
#include <string_view>

#include "lib/kernel/common/body_facts.h"
#include "lib/kernel/common/isa.h"
#include "lib/mlir/dense.h"

namespace hloroof::internal::inline kernel {
namespace {

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
  result.is_index = element->kind == mlir::TypeKind::kIndex;
  result.element = result.is_index ? ElementType::kS32 : element_of(*element);
  result.bits = result.is_index ? kLaneBits : static_cast<int>(mlir::bit_width(*element));
  if (result.kind == KernelType::Kind::kOther && result.bits > 0) result.kind = KernelType::Kind::kScalar;
  return result;
}

double whole_tiles(std::int64_t extent, std::int64_t tile) {
  const std::int64_t tiles = (std::max<std::int64_t>(extent, 1) - 1) / tile + 1;
  return static_cast<double>(tiles) * static_cast<double>(tile);
}

// The number of elements of `shape` if its last two dimensions are padded to whole tiles of `rows` x `columns`. Arrays
// of fewer dimensions are not padded.
double padded_count(const std::vector<std::int64_t>& shape, std::int64_t rows, std::int64_t columns) {
  double count = 1;
  const std::size_t rank = shape.size();
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t tile = rank < 2 ? 1 : i + 1 == rank ? columns : i + 2 == rank ? rows : 1;
    count *= whole_tiles(shape[i], tile);
  }
  return count;
}

}  // namespace

KernelTypes::KernelTypes(const mlir::Module& module) {
  types_.reserve(module.types.size());
  for (std::uint32_t i = 0; i < module.types.size(); ++i) {
    types_.push_back(decode_kernel_type(module, mlir::TypeId{i}));
  }
}

bool is_static(const KernelType& type) {
  return std::none_of(type.shape.begin(), type.shape.end(), [](std::int64_t extent) { return extent < 0; });
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
  if (type.shape.empty()) return kRegisterElements;
  if (type.shape.size() == 1) {
    return whole_tiles(type.shape[0], kRegisterLanes) * static_cast<double>(kRegisterSublanes);
  }
  // Narrow types pack several rows into a sublane.
  const std::int64_t packing = std::max(1, kLaneBits / std::clamp(type.bits, 8, kLaneBits));
  return padded_count(type.shape, kRegisterSublanes * packing, kRegisterLanes);
}

double padded_bytes(const std::vector<std::int64_t>& shape, int bits) {
  std::int64_t rows = kRegisterSublanes;
  if (shape.size() >= 2) {
    const std::int64_t packing = std::max(1, kLaneBits / std::clamp(bits, 4, kLaneBits));
    const std::int64_t extent = std::max<std::int64_t>(shape[shape.size() - 2], packing);
    while (rows > 1 && rows / 2 >= extent) rows /= 2;
  }
  return padded_count(shape, rows, kRegisterLanes) * bits / 8;
}

double unpadded_bytes(const std::vector<std::int64_t>& shape, int bits) {
  const double padded = padded_bytes(shape, bits);
  if (shape.empty()) return padded;
  double count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<double>(extent);
  return std::clamp(count * bits / 8, 0.0, padded);
}

}  // namespace hloroof::internal::inline kernel
