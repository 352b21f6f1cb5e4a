#include "lib/kernel/gpu/gpu_tiles.h"

#include <algorithm>
#include <string_view>

#include "lib/ir/element_type.h"
#include "lib/kernel/common/body_facts.h"

namespace hloroof::internal::inline kernel {
namespace {

constexpr std::uint32_t kAllDimensions = ~0U;
constexpr std::uint32_t kFirstCarried = 3;  // operand of scf.for
constexpr int kMostPasses = 8;              // over the body, until what loops carry is settled

double known_bits(const TileType& type) {
  if (type.is_pointer) return 64;
  return type.element == ElementType::kInvalid ? 0 : bits(type.element);
}

// `dimensions` after a dimension is inserted at, or removed from, position `axis`.
std::uint32_t with_dimension(std::uint32_t dimensions, std::uint32_t axis) {
  const std::uint32_t low = (1U << axis) - 1;
  return (dimensions & low) | ((dimensions & ~low) << 1U);
}
std::uint32_t without_dimension(std::uint32_t dimensions, std::uint32_t axis) {
  const std::uint32_t low = (1U << axis) - 1;
  return (dimensions & low) | ((dimensions >> 1U) & ~low);
}

}  // namespace

GpuTiles::GpuTiles(const mlir::Module& kernel, const std::vector<GpuOpFacts>& facts)
    : kernel_(kernel), facts_(facts), types_(gpu_tile_types(kernel)) {
  names_.reserve(kernel.op_names.size());
  for (std::uint32_t i = 0; i < kernel.op_names.size(); ++i) {
    names_.push_back(body_op_name(kernel, mlir::OpNameId{i}));
  }
  uses_.assign(kernel.values.size(), 0);
  last_user_.assign(kernel.values.size(), {});
  last_of_block_.assign(kernel.blocks.size(), {});
  for (std::uint32_t i = 0; i < kernel.ops.size(); ++i) {
    last_of_block_[kernel.ops[i].block.index] = mlir::OpId{i};
    for (std::uint32_t o = 0; o < kernel.ops[i].operand_count; ++o) {
      const mlir::ValueId used = kernel.operand(mlir::OpId{i}, o);
      ++uses_[used.index];
      last_user_[used.index] = mlir::OpId{i};
    }
  }
  find_varying();
  find_data();
}

bool GpuTiles::is(mlir::OpId op, std::string_view name) const { return names_[kernel_[op].name.index] == name; }

mlir::OpId GpuTiles::terminator(mlir::RegionId region) const {
  return kernel_[region].block_count == 0 ? mlir::OpId{} : last_of_block_[kernel_[region].first_block.index];
}

// ---- Dimensions along which values vary -----------------------------------------------------------------------------

bool GpuTiles::add_dimensions(mlir::ValueId value, std::uint32_t dimensions) {
  const std::uint32_t before = varying_[value.index];
  varying_[value.index] |= dimensions;
  return varying_[value.index] != before;
}

void GpuTiles::find_varying() {
  varying_.assign(kernel_.values.size(), 0);
  bool has_changed = true;
  for (int pass = 0; pass < kMostPasses && has_changed; ++pass) {
    has_changed = false;
    for (std::uint32_t i = 0; i < kernel_.ops.size(); ++i) has_changed = vary(mlir::OpId{i}) || has_changed;
  }
}

// Adds the dimensions along which the results of `op` vary. Returns whether there are new ones.
bool GpuTiles::vary(mlir::OpId op) {
  const mlir::Op& o = kernel_[op];
  std::uint32_t of_operands = 0;
  for (std::uint32_t i = 0; i < o.operand_count; ++i) of_operands |= varying_[kernel_.operand(op, i).index];
  const std::uint32_t of_first = o.operand_count > 0 ? varying_[kernel_.operand(op, 0).index] : 0;
  const auto axis = [&] {
    const std::int64_t at = mlir::integer(kernel_, gpu_attribute(kernel_, op, "axis", "r", 0)).value_or(-1);
    return at >= 0 && at < 31 ? static_cast<std::uint32_t>(at) : 31U;
  };
  bool has_changed = false;
  if (cost(op) == OpCost::kControl) {
    for (const mlir::RegionId region : kernel_.regions_of(op)) {
      const mlir::OpId last = terminator(region);
      if (!last.valid()) continue;
      const mlir::BlockId block = kernel_[region].first_block;
      for (std::uint32_t r = 0; r < kernel_[last].operand_count; ++r) {
        const std::uint32_t yielded = varying_[kernel_.operand(last, r).index];
        if (r < o.result_count) {
          has_changed = add_dimensions(mlir::ValueId{o.first_result.index + r}, yielded) || has_changed;
        }
        if (is(op, "scf.for") && r + 1 < kernel_[block].argument_count) {
          const std::uint32_t number = kFirstCarried + r;
          const std::uint32_t initial =
              number < o.operand_count ? varying_[kernel_.operand(op, number).index] : kAllDimensions;
          has_changed = add_dimensions(kernel_.arguments_of(block)[r + 1], yielded | initial) || has_changed;
          if (r < o.result_count) {
            has_changed = add_dimensions(mlir::ValueId{o.first_result.index + r}, initial) || has_changed;
          }
        } else if (!is(op, "scf.if") && r < kernel_[block].argument_count) {
          has_changed = add_dimensions(kernel_.arguments_of(block)[r], kAllDimensions) || has_changed;
        }
      }
    }
    return has_changed;
  }
  std::uint32_t dimensions = of_operands;
  if (is(op, "tt.splat")) {
    dimensions = 0;
  } else if (is(op, "tt.make_range")) {
    dimensions = 1;
  } else if (is(op, "tt.expand_dims")) {
    dimensions = with_dimension(of_first, axis());
  } else if (is(op, "tt.reduce")) {
    dimensions = without_dimension(of_operands, axis());
  } else if (is(op, "tt.trans")) {
    const auto order = mlir::integers(kernel_, gpu_attribute(kernel_, op, "order", "r", 0));
    dimensions = order ? 0 : kAllDimensions;
    for (std::size_t d = 0; order && d < order->size() && d < 32; ++d) {
      const std::int64_t from = (*order)[d];
      if (from >= 0 && from < 32 && ((of_first >> static_cast<std::uint32_t>(from)) & 1U) != 0) dimensions |= 1U << d;
    }
  } else if (cost(op) == OpCost::kDot || cost(op) == OpCost::kUnknown || cost(op) == OpCost::kInlineAssembly) {
    dimensions = kAllDimensions;
  } else if (is(op, "tt.reshape") || is(op, "tt.join") || is(op, "tt.split") || is(op, "tt.cat") ||
             is(op, "tt.descriptor_load") || is(op, "tt.scan")) {
    dimensions = of_operands != 0 || is(op, "tt.descriptor_load") ? kAllDimensions : 0;
  }
  for (const mlir::ValueId r : kernel_.results_of(op)) has_changed = add_dimensions(r, dimensions) || has_changed;
  return has_changed;
}

double GpuTiles::distinct(mlir::ValueId value) const {
  double product = 1;
  const std::vector<std::int64_t>& shape = type(value).shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool varies = d >= 32 || ((varying_[value.index] >> d) & 1U) != 0;
    if (varies) product *= static_cast<double>(std::max<std::int64_t>(shape[d], 0));
  }
  return product;
}

bool GpuTiles::has_open_size(mlir::OpId op) const {
  for (const mlir::ValueId result : kernel_.results_of(op)) {
    if (type(result).is_open()) return true;
  }
  for (std::uint32_t i = 0; i < kernel_[op].operand_count; ++i) {
    if (type(kernel_.operand(op, i)).is_open()) return true;
  }
  return false;
}

double GpuTiles::bytes(mlir::ValueId value) const { return type(value).elements() * known_bits(type(value)) / 8; }

double GpuTiles::distinct_bytes(mlir::ValueId value) const { return distinct(value) * known_bits(type(value)) / 8; }

// ---- Data and addresses ---------------------------------------------------------------------------------------------

void GpuTiles::mark(mlir::ValueId value) {
  if (is_data_[value.index] || type(value).is_pointer) return;
  is_data_[value.index] = true;
  pending_.push_back(value);
}

void GpuTiles::find_data() {
  is_data_.assign(kernel_.values.size(), false);
  for (std::uint32_t i = 0; i < kernel_.ops.size(); ++i) {
    const mlir::OpId op{i};
    const std::uint32_t count = kernel_[op].operand_count;
    switch (cost(op)) {
      case OpCost::kDot:
      case OpCost::kReduce:
      case OpCost::kUnknown:
      case OpCost::kInlineAssembly:
        for (std::uint32_t o = 0; o < count; ++o) mark(kernel_.operand(op, o));
        break;
      case OpCost::kStore:
      case OpCost::kAtomic:
        // Pointer, value, mask; or descriptor, indices, value.
        if (is(op, "tt.descriptor_store")) {
          if (count > 0) mark(kernel_.operand(op, count - 1));
        } else if (count > 1) {
          mark(kernel_.operand(op, 1));
        }
        break;
      default: break;
    }
  }
  while (!pending_.empty()) {
    const mlir::ValueId value = pending_.back();
    pending_.pop_back();
    mark_sources(value);
  }
}

// Marks the values from which `value` is computed.
void GpuTiles::mark_sources(mlir::ValueId value) {
  const mlir::Value& v = kernel_[value];
  if (!v.op.valid()) {
    const mlir::RegionId region = kernel_[v.block].region;
    if (!region.valid() || !kernel_[region].op.valid()) return;
    const mlir::OpId loop = kernel_[region].op;
    const mlir::OpId last = terminator(region);
    if (!is(loop, "scf.for") || v.index == 0 || !last.valid()) return;
    if (kFirstCarried + v.index - 1 < kernel_[loop].operand_count) {
      mark(kernel_.operand(loop, kFirstCarried + v.index - 1));
    }
    if (v.index - 1 < kernel_[last].operand_count) mark(kernel_.operand(last, v.index - 1));
    return;
  }
  const mlir::OpId op = v.op;
  if (cost(op) == OpCost::kControl) {
    for (const mlir::RegionId region : kernel_.regions_of(op)) {
      const mlir::OpId last = terminator(region);
      const std::uint32_t number = is(op, "scf.while") ? v.index + 1 : v.index;
      if (last.valid() && number < kernel_[last].operand_count) mark(kernel_.operand(last, number));
    }
    if (is(op, "scf.for") && kFirstCarried + v.index < kernel_[op].operand_count) {
      mark(kernel_.operand(op, kFirstCarried + v.index));
    }
    return;
  }
  if (cost(op) == OpCost::kLoad || cost(op) == OpCost::kAtomic) return;
  for (std::uint32_t o = 0; o < kernel_[op].operand_count; ++o) mark(kernel_.operand(op, o));
}

// ---- Work that another operation does -------------------------------------------------------------------------------

// Whether all elements of a floating-point value are the constant 1.
bool GpuTiles::is_one(mlir::ValueId value) const {
  mlir::OpId op = kernel_[value].op;
  if (op.valid() && is(op, "tt.splat") && kernel_[op].operand_count == 1) op = kernel_[kernel_.operand(op, 0)].op;
  if (!op.valid() || !is(op, "arith.constant")) return false;
  const absl::StatusOr<mlir::Attribute> constant = mlir::decode(kernel_, gpu_attribute(kernel_, op, "value", "r", 0));
  if (!constant.ok() || constant->kind != mlir::AttributeKind::kFloat || constant->words.empty()) return false;
  switch (type(value).element) {
    case ElementType::kBf16: return constant->words[0] == 0x3F80;
    case ElementType::kF16: return constant->words[0] == 0x3C00;
    case ElementType::kF32: return constant->words[0] == 0x3F800000;
    default: return false;
  }
}

bool GpuTiles::is_absorbed(mlir::OpId op) const {
  const mlir::Op& o = kernel_[op];
  if (o.result_count != 1 || o.operand_count != 2) return false;
  if (is(op, "arith.mulf")) {
    if (is_one(kernel_.operand(op, 0)) || is_one(kernel_.operand(op, 1))) return true;
    const mlir::OpId user = last_user_[o.first_result.index];
    return uses_[o.first_result.index] == 1 && kernel_[user].block == o.block &&
           (is(user, "arith.addf") || is(user, "arith.subf"));
  }
  if (!is(op, "arith.addf") && !is(op, "arith.addi")) return false;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const mlir::ValueId operand = kernel_.operand(op, i);
    const mlir::OpId source = kernel_[operand].op;
    if (source.valid() && is(source, "tt.dot") && uses_[operand.index] == 1) return true;
  }
  return false;
}

}  // namespace hloroof::internal::inline kernel
