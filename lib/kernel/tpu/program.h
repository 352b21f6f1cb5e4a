// The frame of a Pallas kernel: its grid, the windows that its pipeline moves between HBM and VMEM, and its memory.
#ifndef HLOROOF_LIB_KERNEL_TPU_PROGRAM_H_
#define HLOROOF_LIB_KERNEL_TPU_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "lib/kernel/tpu/kernel_code.h"
#include "lib/mlir/affine.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

enum class GridSemantics : std::uint8_t { kArbitrary, kParallel, kCoreParallel, kSubcoreParallel };

// An operand or result of the call, as the kernel's main function sees it.
struct KernelArray {
  std::vector<std::int64_t> shape;  // in HBM
  int bits = 0;
  bool is_output = false;
  bool is_on_chip = false;                          // it lies in VMEM before and after the kernel
  std::optional<std::vector<std::int64_t>> values;  // of an integer constant
};

struct KernelWindow {
  std::uint32_t array = 0;          // in KernelProgram::arrays
  std::vector<std::int64_t> block;  // empty: the whole array, or none
  bool has_index = false;           // the kernel's pipeline moves it
  bool is_synchronous = false;      // fetched when it is needed, not ahead
  mlir::OpId function;              // computes its index from that of the grid, or
  std::optional<mlir::AffineMap> map;
  double bytes = 0;  // of one block, padded to tiles
};

struct KernelProgram {
  mlir::OpId function;
  std::string name;
  bool runs_on_sparse_core = false;
  std::vector<std::int64_t> grid;  // mlir::kDynamic where it depends on data
  std::vector<GridSemantics> semantics;
  std::uint32_t dynamic_bounds = 0;  // dimensions of the grid that are operands of the call, its first
  std::uint32_t prefetched = 0;      // arguments in SMEM after the indices of the grid
  std::vector<KernelArray> arrays;   // operands after the dynamic bounds, then results; in the order of the arguments
  std::vector<std::optional<std::int64_t>> bounds;  // of the dynamic dimensions, if constant
  std::vector<KernelWindow> windows;
  std::uint32_t first_array_argument = 0;  // of the main function
  double window_vmem_bytes = 0;            // of all windows, with two buffers where blocks change
  double scratch_vmem_bytes = 0;
};

// Appends what read_program() and instruction_limit() read of a call, apart from its body: the arrays, and the values
// of constants.
void append_arguments(InstructionView call, std::string& out);

// `call` is the custom call whose body `code` is. Errors: InvalidArgument if there is no main function, or its
// arguments do not fit the call.
absl::StatusOr<KernelProgram> read_program(InstructionView call, const KernelCode& code);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_PROGRAM_H_
