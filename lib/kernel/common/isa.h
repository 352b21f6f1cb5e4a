// Numbers that an instruction set defines. A program is compiled for them, so they belong to its work, and all devices
// that run it have them. Numbers in which devices differ are in data/hardware.
#ifndef HLOROOF_LIB_KERNEL_COMMON_ISA_H_
#define HLOROOF_LIB_KERNEL_COMMON_ISA_H_

#include <cstdint>

namespace hloroof::internal::inline kernel {

// The shape of a register of a TPU, and the bits of each of its elements; narrower types are packed into them. Source:
// Pallas TPU, "Array layouts" (docs.jax.dev/en/latest/pallas/tpu/details.html). A test compares the shape with the
// device files (vector.lanes and vector.sublanes, from JAX's table of TPUs).
inline constexpr std::int64_t kRegisterLanes = 128;
inline constexpr std::int64_t kRegisterSublanes = 8;
inline constexpr double kRegisterElements = kRegisterLanes * kRegisterSublanes;
inline constexpr int kLaneBits = 32;

// The banks of VMEM, each of which gives a row of a register at a time. Derived: the final code of libtpu 0.0.52
// gathers rows that are 8 apart with two loads of four rows, and rows that are 32 apart with eight loads.
inline constexpr std::int64_t kVmemBanks = 32;

// The threads of a warp, and of the warpgroup of four warps that executes a wgmma. Source: PTX ISA, "WARP_SZ" and
// "wgmma.mma_async" (docs.nvidia.com/cuda/parallel-thread-execution).
inline constexpr std::int64_t kWarpThreads = 32;
inline constexpr std::int64_t kWarpGroupThreads = 4 * kWarpThreads;

// The most threads of a block, on every compute capability. Source: CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability".
inline constexpr std::int64_t kMostBlockThreads = 1024;

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_COMMON_ISA_H_
