// Facts about the values of a kernel that works on tiles: which are data and which only form addresses, and along which
// dimensions they vary.
#ifndef HLOROOF_LIB_KERNEL_GPU_GPU_TILES_H_
#define HLOROOF_LIB_KERNEL_GPU_GPU_TILES_H_

#include <cstdint>
#include <vector>

#include "lib/kernel/gpu/gpu_ops.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

class GpuTiles {
 public:
  // Both must outlive this object.
  GpuTiles(const mlir::Module& kernel, const std::vector<GpuOpFacts>& facts);

  const TileType& type(mlir::ValueId value) const { return types_[kernel_[value].type.index]; }

  // Whether a stored value, a product, a reduction or a comparison of values depends on it.
  bool is_data(mlir::ValueId value) const { return is_data_[value.index]; }

  bool is_used(mlir::ValueId value) const { return uses_[value.index] > 0; }

  // The elements of a tile that may differ from one another.
  double distinct(mlir::ValueId value) const;
  double bytes(mlir::ValueId value) const;
  double distinct_bytes(mlir::ValueId value) const;
  // Whether an operand or a result of an operation has an open size, so that what the operation does cannot be counted.
  bool has_open_size(mlir::OpId op) const;

  // Whether another operation does the work: the addition that takes this product along, or the matrix unit that adds
  // to its result. A multiplication by one does nothing.
  bool is_absorbed(mlir::OpId op) const;

 private:
  void find_varying();
  bool vary(mlir::OpId op);
  bool add_dimensions(mlir::ValueId value, std::uint32_t dimensions);
  void find_data();
  void mark(mlir::ValueId value);
  void mark_sources(mlir::ValueId value);
  mlir::OpId terminator(mlir::RegionId region) const;
  bool is_one(mlir::ValueId value) const;
  OpCost cost(mlir::OpId op) const { return facts_[kernel_[op].name.index].cost; }
  bool is(mlir::OpId op, std::string_view name) const;

  const mlir::Module& kernel_;
  const std::vector<GpuOpFacts>& facts_;
  std::vector<TileType> types_;
  std::vector<std::string> names_;         // by OpNameId
  std::vector<std::uint32_t> varying_;     // by ValueId: a bit for each dimension
  std::vector<bool> is_data_;              // by ValueId
  std::vector<std::uint32_t> uses_;        // by ValueId
  std::vector<mlir::OpId> last_user_;      // by ValueId
  std::vector<mlir::OpId> last_of_block_;  // by BlockId
  std::vector<mlir::ValueId> pending_;
};

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_GPU_GPU_TILES_H_
