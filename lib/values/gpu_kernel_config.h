// The backend_config of a call of a GPU kernel that JAX writes: a dictionary of MLIR attributes.
//
//   backend_config={debug = false, grid_x = 8 : i32, ir = "ML\EFR\0D...", name = "f", num_stages = 3 : i32, ...}
#ifndef HLOROOF_LIB_VALUES_GPU_KERNEL_CONFIG_H_
#define HLOROOF_LIB_VALUES_GPU_KERNEL_CONFIG_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hloroof/module.h"

namespace hloroof::internal::inline values {

// The value of a member of a dictionary of MLIR attributes, as text; empty if there is none. Nested dictionaries are
// not searched.
std::string_view mlir_dictionary_member(std::string_view dictionary, std::string_view name);

// The characters of an MLIR string with its quotes: \" and \\ and two hexadecimal digits after a backslash stand for
// one byte. Empty if `text` is not a string.
std::string mlir_string_value(std::string_view text);

struct GpuKernelConfig {
  std::string name;
  std::string triton_ir;      // MLIR bytecode or text
  std::string mosaic_module;  // MLIR bytecode
  bool is_compiled = false;   // the call carries compiled code instead, in a compressed message (jax-triton)
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::int64_t warps = 0;  // of one block; 0 if not stated
};

// nullopt if the config has no kernel.
std::optional<GpuKernelConfig> gpu_kernel_config(InstructionView instruction);

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_GPU_KERNEL_CONFIG_H_
