// The contents of backend_config as plain structs.
//
//   if (std::optional<WindowConfig> w = window_config(fusion)) use(w->output_window_bounds);
//   if (std::optional<std::int64_t> n = known_trip_count(loop)) use(*n);
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

// How often the body of a while runs, according to the compiler.
std::optional<std::int64_t> known_trip_count(InstructionView instruction);

// The initial value and step of a while's counter.
struct KnownInitStep {
  std::int64_t init = 0;
  std::int64_t step = 0;
};
std::optional<KnownInitStep> known_init_step(InstructionView instruction);

// The tuple element that holds the counter of a while.
std::optional<std::int64_t> known_induction_variable(InstructionView instruction);

// How the compiler tiles an operation: the bounds of one iteration of its loop over VMEM.
struct WindowConfig {
  std::vector<std::int64_t> kernel_window_bounds;
  std::vector<std::int64_t> output_window_bounds;
  std::vector<std::int64_t> input_window_bounds;
  std::vector<std::int64_t> iteration_bounds;
  // The compiler's estimate in cycles of the device's clock. nullopt if it wrote INT64_MAX, which means "unknown".
  std::optional<std::int64_t> estimated_cycles;
  std::int64_t estimated_vmem_bytes = 0;
  std::int64_t estimated_scoped_vmem_bytes = 0;
  std::int64_t scratchpad_allocation_size = 0;
  std::string cost_model_type;
};
std::optional<WindowConfig> window_config(InstructionView instruction);

// The estimated_cycles of window_config. Cheaper than decoding all of it.
std::optional<std::int64_t> estimated_cycles(InstructionView instruction);

// The algorithm that the compiler chose for a collective.
struct CollectiveAlgorithmConfig {
  std::string emitter;   // SinglePhaseRingSumEmitter
  std::string strategy;  // UniDirection1DRingStrategy
  std::string debug;     // lines of `name = value`
};
std::optional<CollectiveAlgorithmConfig> collective_algorithm_config(InstructionView instruction);

// The emitter of a convolution or matmul.
std::optional<std::string> convolution_emitter(InstructionView instruction);

// Memory that an instruction uses in addition to its operands and result, by memory space (1 is VMEM).
struct ScopedMemory {
  std::int64_t memory_space = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;  // bytes
};
std::vector<ScopedMemory> used_scoped_memory(InstructionView instruction);

// aliasing_operands: sets of operand numbers that share memory with the result.
std::vector<std::vector<std::int64_t>> aliasing_operands(InstructionView instruction);

// barrier_config of a collective.
struct BarrierConfig {
  std::string type;  // CUSTOM, GLOBAL
  std::int64_t id = 0;
};
std::optional<BarrierConfig> barrier_config(InstructionView instruction);

// The dimension that is split between the two cores of a megacore chip.
std::optional<std::int64_t> megacore_split_dimension(InstructionView instruction);

// Whether device_type is DEVICE_TYPE_SPARSECORE.
bool runs_on_sparse_core(InstructionView instruction);

// The numbers of the SparseCores that the program of an async-start runs on; empty if the text does not state them.
std::vector<std::int64_t> sparse_cores(InstructionView instruction);

// The cost that the author of a tpu_custom_call stated.
struct CostEstimate {
  std::optional<double> flops;
  std::optional<double> transcendentals;
  std::optional<double> bytes_accessed;
  std::optional<double> remote_bytes_transferred;
};
std::optional<CostEstimate> cost_estimate(InstructionView instruction);

// The program of a tpu_custom_call, decoded from base64: MLIR bytecode, or MLIR text if XLA wrote the kernel. Empty if
// there is none.
std::string kernel_body(InstructionView instruction);

// The memory spaces that a tpu_custom_call requires for operands and results.
struct MemorySpaceColors {
  std::vector<std::pair<std::int64_t, std::int64_t>> operands;  // operand number, memory space
  std::vector<std::pair<ShapeIndex, std::int64_t>> results;
};
std::optional<MemorySpaceColors> memory_space_colors(InstructionView instruction);

// The config of a cuBLAS call.
struct GemmBackendConfig {
  DotDimensions dimensions;
  double alpha_real = 1;
  double alpha_imag = 0;
  double beta = 0;
  std::string epilogue;  // DEFAULT, BIAS, RELU, ...
  std::vector<std::string> operand_precision;
  std::string algorithm;  // ALG_UNSET, ALG_DOT_TF32_TF32_F32, ...
  std::optional<std::int64_t> selected_algorithm;
  std::optional<std::int64_t> lhs_stride;  // elements from one matrix of a batch to the next
  std::optional<std::int64_t> rhs_stride;
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
  std::int64_t num_ctas = 0;
  std::int64_t num_stages = 0;
};

// The tiling of a Triton matmul.
struct TritonGemmConfig {
  std::int64_t block_m = 0;
  std::int64_t block_n = 0;
  std::int64_t block_k = 0;
  std::int64_t split_k = 0;
  std::int64_t num_stages = 0;
  std::int64_t num_warps = 0;
  std::int64_t num_ctas = 0;
};

struct FusionBackendConfig {
  std::string kind;  // __triton_nested_gemm_fusion, __custom_fusion
  std::optional<BlockLevelFusionConfig> block_level;
  std::optional<TritonGemmConfig> triton_gemm;
  std::string custom_name;  // for a __custom_fusion: dynamic_slice_fusion
};

std::optional<FusionBackendConfig> fusion_backend_config(InstructionView instruction);

// The backend that executes a collective, and whether the program waits for it.
struct CollectiveBackendConfig {
  std::string backend;
  bool is_sync = false;
  bool is_pipelined = false;
};
std::optional<CollectiveBackendConfig> collective_backend_config(InstructionView instruction);

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_BACKEND_CONFIG_H_
