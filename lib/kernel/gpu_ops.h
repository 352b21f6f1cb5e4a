// Facts about the operations of GPU kernels, and about the types of their values.
#ifndef HLOROOF_LIB_KERNEL_GPU_OPS_H_
#define HLOROOF_LIB_KERNEL_GPU_OPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/shape.h"
#include "lib/mlir/attributes.h"
#include "lib/mlir/module.h"

namespace hloroof::internal {

// How an operation computes an integer from integers.
enum class ScalarRule : std::uint8_t {
  kNone,  // the result is not known without running the kernel
  kConstant,
  kAdd,
  kSubtract,
  kMultiply,
  kDivideSigned,
  kDivideUnsigned,
  kFloorDivide,
  kCeilDivideSigned,
  kCeilDivideUnsigned,
  kRemainderSigned,
  kRemainderUnsigned,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRightSigned,
  kShiftRightUnsigned,
  kMinimumSigned,
  kMaximumSigned,
  kMinimumUnsigned,
  kMaximumUnsigned,
  kCompare,
  kSelect,
  kCast,            // the value of the operand, wrapped to the type of the result
  kExtendUnsigned,  // likewise, without its sign
  kSecond,          // the value of the second operand: threads of a warp have the same
  kProgramId,
  kProgramCount,
  kBlockId,
  kThreadId,
  kBlockSize,
  kGridSize,
  kClusterBlockId,  // within the cluster
  kClusterSize,
  kElected,  // whether the thread is the one that acts for its warp
};

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
  ScalarRule scalar = ScalarRule::kNone;
  OpCost cost = OpCost::kUnknown;
  Opcode opcode = Opcode::kAdd;
};

// The name of an operation without the prefix that a stable form of its dialect has: "arith.addi" for
// "stable_mosaic_gpu.arith.addi".
std::string gpu_op_name(const mlir::Module& kernel, mlir::OpNameId name);

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
  ElementType element = ElementType::kInvalid;  // kS32 for integers without a sign and kPred for i1
  std::vector<std::int64_t> shape;              // empty for a scalar

  double elements() const;
};

// The types of the kernel, by TypeId. `element` is kInvalid for a type that is neither a number nor a pointer to one.
std::vector<TileType> gpu_tile_types(const mlir::Module& kernel);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_KERNEL_GPU_OPS_H_
