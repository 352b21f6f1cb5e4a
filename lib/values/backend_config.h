// The contents of backend_config as plain structs.
//
//   if (std::optional<WindowConfig> w = window_config(fusion)) use(w->output_window_bounds);
//   if (std::optional<std::int64_t> n = estimated_cycles(copy)) use(*n);
//
// Every function decodes the config of one instruction and returns nullopt, or an empty result, if the config does not
// have that part. The text is searched, not validated: a config need not be JSON. Integers may be written as numbers or
// as strings.
#ifndef HLOROOF_LIB_VALUES_BACKEND_CONFIG_H_
#define HLOROOF_LIB_VALUES_BACKEND_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/shape.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline values {

// The config without quotes and escapes, usually JSON. Empty if there is none.
std::string backend_config(InstructionView instruction);

// How the compiler tiles an operation: the bounds of one iteration of its loop over VMEM.
struct WindowConfig {
  std::vector<std::int64_t> output_window_bounds;
  std::vector<std::int64_t> input_window_bounds;  // of a copy: its operand's, if the text states them
  std::vector<std::int64_t> iteration_bounds;
  // The compiler's estimate in cycles of the device's clock. nullopt if it wrote INT64_MAX, which means "unknown".
  std::optional<std::int64_t> estimated_cycles;
};
std::optional<WindowConfig> window_config(InstructionView instruction);

// The estimated_cycles of window_config. Cheaper than decoding all of it.
std::optional<std::int64_t> estimated_cycles(InstructionView instruction);

// The dimension that is split between the two cores of a megacore chip.
std::optional<std::int64_t> megacore_split_dimension(InstructionView instruction);

// The type in which the program states a floating-point operation that the compiler widened, such as bf16 for a
// division of v5e that the text has in f32; kInvalid if the config does not say.
ElementType original_type(InstructionView instruction);

// The numbers of the SparseCores that the program of an async-start runs on; empty if the text does not state them.
std::vector<std::int64_t> sparse_cores(InstructionView instruction);

// The cost that the author of a tpu_custom_call stated.
struct CostEstimate {
  std::optional<double> flops;
  std::optional<double> transcendentals;
  std::optional<double> bytes_accessed;
};
std::optional<CostEstimate> cost_estimate(InstructionView instruction);

// The program of a tpu_custom_call, decoded from base64: MLIR bytecode, or MLIR text if XLA wrote the kernel. Empty if
// there is none.
std::string kernel_body(InstructionView instruction);

// Whether the kernel of a tpu_custom_call checks the bounds of its transfers: unless its author disabled that.
bool checks_bounds(InstructionView instruction);

// The config of a cuBLAS call.
struct GemmBackendConfig {
  DotDimensions dimensions;
  std::vector<std::string> operand_precision;
  std::string algorithm;  // ALG_UNSET, ALG_DOT_TF32_TF32_F32, ...
  std::optional<std::int64_t> selected_algorithm;
};
std::optional<GemmBackendConfig> gemm_backend_config(InstructionView instruction);

// The config of a cuDNN attention call.
struct AttentionBackendConfig {
  std::vector<std::int64_t> scores;  // dimensions of the scores: batch, heads, queries, keys
  std::string mask;                  // NO_MASK, CAUSAL, PADDING, PADDING_CAUSAL, ...
  std::int64_t sliding_window = 0;   // keys that a query sees; 0 means all of them
};
std::optional<AttentionBackendConfig> attention_backend_config(InstructionView instruction);

// The tiling of a Triton kernel for which the compiler chose the tiles.
struct BlockLevelFusionConfig {
  std::vector<std::vector<std::int64_t>> output_tiles;
  std::int64_t num_warps = 0;
  std::int64_t num_stages = 0;
};

// The tiling of a Triton matmul.
struct TritonGemmConfig {
  std::int64_t block_m = 0;
  std::int64_t block_n = 0;
  std::int64_t num_stages = 0;
};

struct FusionBackendConfig {
  std::optional<BlockLevelFusionConfig> block_level;
  std::optional<TritonGemmConfig> triton_gemm;
};

std::optional<FusionBackendConfig> fusion_backend_config(InstructionView instruction);

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_BACKEND_CONFIG_H_
