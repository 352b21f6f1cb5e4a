// Facts about the operations of GPU kernels, and about the types of their values.
#ifndef HLOROOF_LIB_KERNEL_GPU_GPU_OPS_H_
#define HLOROOF_LIB_KERNEL_GPU_GPU_OPS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/shape.h"
#include "lib/kernel/common/scalar_value.h"
#include "lib/mlir/attributes.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

// The kind of work of an operation.
enum class OpCost : std::uint8_t {
  kUnknown,  // not in the table
  kFree,
  kElementwise,
  kLibraryFunction,
  kInlineAssembly,
  kControl,  // runs its regions
  kDot,
  kReduce,
  kLoad,
  kStore,
  kAtomic,
  kShuffle,      // between the threads of a warp
  kExpectBytes,  // a barrier that waits for the bytes of a transfer
  kCopyBytes,    // a transfer of one thread
  kThreadLoad,   // of one thread, from memory that the first operand refers to
};

struct GpuOpFacts {
  ScalarOp scalar = ScalarOp::kNone;
  OpCost cost = OpCost::kUnknown;
  Opcode opcode = Opcode::kAdd;
};

// The facts about each op name of the kernel, by OpNameId.
std::vector<GpuOpFacts> gpu_op_facts(const mlir::Module& kernel);

// The opcode of a libdevice function: kExponential for "__nv_expf".
std::optional<Opcode> gpu_function_opcode(std::string_view symbol);

// The attribute `name` of an operation. If the operation was registered when it was written, its properties are bytes
// in alphabetical order: `layout` has one letter for each, 'r' required or 'o' optional, and `position`
// selects the attribute. Invalid if there is none.
mlir::AttributeId gpu_attribute(const mlir::Module& kernel, mlir::OpId op, std::string_view name,
                                std::string_view layout, std::size_t position);

// The type of a value in a kernel: a scalar or a tile of them.
struct TileType {
  bool is_tile = false;
  bool is_pointer = false;                      // `element` is then the type that it points to
  ElementType element = ElementType::kInvalid;  // kS32 for an i32, kPred for an i1, kS64 for an index
  std::vector<std::int64_t> shape;              // empty for a scalar

  // Whether the type leaves a size open, which stands as a negative number. Tiles of kernels that are compiled have
  // none.
  bool is_open() const;
  double elements() const;
};

// The types of the kernel, by TypeId. `element` is kInvalid for a type that is neither a number nor a pointer to one.
std::vector<TileType> gpu_tile_types(const mlir::Module& kernel);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_GPU_GPU_OPS_H_
