// The work of a GPU kernel, read from its body. Everything is counted over the whole grid, and follows from the text
// alone.
#ifndef HLOROOF_LIB_KERNEL_GPU_GPU_WORK_H_
#define HLOROOF_LIB_KERNEL_GPU_GPU_WORK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/kernel/gpu/gpu_evaluate.h"

namespace hloroof::internal::inline kernel {

// How f32 operands of a product are multiplied.
enum class GpuPrecision : std::uint8_t { kTf32, kTf32x3, kF32, kBf16x3, kBf16x6 };

// `opcode` applied to `elements` elements, whose type is `type`.
struct GpuElementwise {
  Opcode opcode = Opcode::kAdd;
  ElementType type = ElementType::kF32;
  double elements = 0;
};

// One product of tiles that the kernel's program computes.
struct GpuDotWork {
  double m = 1;  // of one execution
  double n = 1;
  double k = 1;
  double runs = 0;  // executions, with their batch dimensions
  ElementType lhs = ElementType::kBf16;
  ElementType rhs = ElementType::kBf16;
  ElementType out = ElementType::kF32;
  GpuPrecision precision = GpuPrecision::kTf32;  // of f32 operands

  double flops() const { return 2 * m * n * k * runs; }
};

struct GpuKernelWork {
  GpuGrid grid = {1, 1, 1};
  double programs = 0;           // program instances: blocks of threads
  bool is_for_threads = false;   // the author schedules threads and transfers; otherwise a compiler does so for tiles
  std::int64_t warps = 0;        // of one program; 0 if the text does not state it
  std::vector<GpuDotWork> dots;  // one entry for each operation in the body
  std::vector<GpuElementwise> elementwise;  // one entry for each opcode and type
  // Bytes of the tiles that programs load and store, each as often as it is. Most loads come from the level-2 cache.
  double loaded_bytes = 0;
  double stored_bytes = 0;
  bool is_sampled = false;  // see BlockRuns
  // The names of operations whose work is not known, without repetition. Empty if the whole body was read.
  std::vector<std::string> unread;
  // The names of loops and branches that depend on data, without repetition.
  std::vector<std::string> data_dependent;
  bool has_data_dependent_loop = false;

  void add_elementwise(Opcode opcode, ElementType type, double elements);
  void add_unread(std::string name);
  void add_data_dependent(std::string name);
};

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_GPU_GPU_WORK_H_
