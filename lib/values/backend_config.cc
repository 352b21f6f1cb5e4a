#include "lib/values/backend_config.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "lib/values/cursor.h"
#include "lib/values/json_view.h"

namespace hloroof::internal::inline values {
namespace {

// Owns the config of an instruction while views into it are used. Newer dumps contain plain JSON, older ones a string
// that must be unescaped first.
class Config {
 public:
  explicit Config(InstructionView instruction) {
    const std::string_view text = instruction.text(AttributeKey::kBackendConfig);
    if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'')) {
      owned_ = unescape(text.substr(1, text.size() - 2));
      json_ = JsonView(owned_);
    } else {
      json_ = JsonView(text);
    }
  }
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  JsonView operator[](std::string_view name) const { return json_[name]; }

 private:
  std::string owned_;
  JsonView json_;
};

// Lists of lists: {"lists":[{"indices":["0"]}]}.
std::vector<std::vector<std::int64_t>> lists_of(JsonView lists, std::string_view member) {
  std::vector<std::vector<std::int64_t>> result;
  lists.for_each_element([&](JsonView element) { result.push_back(element[member].integers()); });
  return result;
}

}  // namespace

std::string backend_config(InstructionView instruction) {
  const std::string_view text = instruction.text(AttributeKey::kBackendConfig);
  if (text.size() < 2 || text.front() == '{') return std::string(text);
  return unescape(text.substr(1, text.size() - 2));
}

// ---- Any backend ------------------------------------------------------------------------------------------------

std::optional<std::int64_t> known_trip_count(InstructionView instruction) {
  return Config(instruction)["known_trip_count"]["n"].integer();
}

std::optional<KnownInitStep> known_init_step(InstructionView instruction) {
  const Config config(instruction);
  const JsonView at = config["known_init_step"];
  if (!at) return std::nullopt;
  return KnownInitStep{at["init"].integer_or(0), at["step"].integer_or(0)};
}

std::optional<std::int64_t> known_induction_variable(InstructionView instruction) {
  return Config(instruction)["known_induction_variable"]["tuple_index"].integer();
}

// ---- TPU --------------------------------------------------------------------------------------------------------

namespace {

std::optional<std::int64_t> known_cycles(JsonView cycles) {
  const std::optional<std::int64_t> value = cycles.integer();
  if (value == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> estimated_cycles(InstructionView instruction) {
  const Config config(instruction);
  return known_cycles(config["window_config"]["estimated_cycles"]);
}

std::optional<WindowConfig> window_config(InstructionView instruction) {
  const Config config(instruction);
  const JsonView at = config["window_config"];
  if (!at) return std::nullopt;
  // One pass finds all members: the config of a product has a kilobyte, and it is read for every fusion with a product.
  JsonView kernel, output, input, iteration, cycles, vmem, scoped_vmem, scratchpad, model;
  const std::pair<std::string_view, JsonView*> wanted[] = {{"kernel_window_bounds", &kernel},
                                                           {"output_window_bounds", &output},
                                                           {"input_window_bounds", &input},
                                                           {"iteration_bounds", &iteration},
                                                           {"estimated_cycles", &cycles},
                                                           {"estimated_vmem_bytes", &vmem},
                                                           {"estimated_scoped_vmem_bytes", &scoped_vmem},
                                                           {"scratchpad_allocation_size", &scratchpad},
                                                           {"cost_model_type", &model}};
  at.for_each_member([&wanted](std::string_view name, JsonView value) {
    for (const auto& [wanted_name, view] : wanted) {
      if (name == wanted_name && !*view) *view = value;
    }
    return true;
  });
  WindowConfig w;
  w.kernel_window_bounds = kernel.integers();
  w.output_window_bounds = output.integers();
  w.input_window_bounds = input.integers();
  w.iteration_bounds = iteration.integers();
  w.estimated_cycles = known_cycles(cycles);
  w.estimated_vmem_bytes = vmem.integer_or(0);
  w.estimated_scoped_vmem_bytes = scoped_vmem.integer_or(0);
  w.scratchpad_allocation_size = scratchpad.integer_or(0);
  w.cost_model_type = model.string();
  return w;
}

std::optional<CollectiveAlgorithmConfig> collective_algorithm_config(InstructionView instruction) {
  const Config config(instruction);
  const JsonView at = config["collective_algorithm_config"];
  if (!at) return std::nullopt;
  return CollectiveAlgorithmConfig{at["emitter"].string(), at["strategy"].string(), at["debug"].string()};
}

std::optional<std::string> convolution_emitter(InstructionView instruction) {
  const Config config(instruction);
  const JsonView at = config["convolution_algorithm_config"]["emitter"];
  if (!at) return std::nullopt;
  return at.string();
}

std::vector<ScopedMemory> used_scoped_memory(InstructionView instruction) {
  const Config config(instruction);
  std::vector<ScopedMemory> result;
  config["used_scoped_memory_configs"].for_each_element([&result](JsonView at) {
    result.push_back({at["memory_space"].integer_or(0), at["offset"].integer_or(0), at["size"].integer_or(0)});
  });
  return result;
}

std::vector<std::vector<std::int64_t>> aliasing_operands(InstructionView instruction) {
  const Config config(instruction);
  return lists_of(config["aliasing_operands"]["lists"], "indices");
}

std::optional<BarrierConfig> barrier_config(InstructionView instruction) {
  const Config config(instruction);
  const JsonView at = config["barrier_config"];
  if (!at) return std::nullopt;
  return BarrierConfig{at["barrier_type"].string(), at["id"].integer_or(0)};
}

std::optional<std::int64_t> megacore_split_dimension(InstructionView instruction) {
  return Config(instruction)["megacore_config"]["megacore_split_dim"].integer();
}

bool runs_on_sparse_core(InstructionView instruction) {
  return Config(instruction)["device_type"].text() == "\"DEVICE_TYPE_SPARSECORE\"";
}

std::vector<std::int64_t> sparse_cores(InstructionView instruction) {
  return Config(instruction)["megachip_parallelism_config"]["cores"].integers();
}

std::optional<CostEstimate> cost_estimate(InstructionView instruction) {
  const Config config(instruction);
  const JsonView at = config["custom_call_config"]["cost_estimate"];
  if (!at) return std::nullopt;
  CostEstimate estimate;
  estimate.flops = at["flops"].number();
  estimate.transcendentals = at["transcendentals"].number();
  estimate.bytes_accessed = at["bytes_accessed"].number();
  estimate.remote_bytes_transferred = at["remote_bytes_transferred"].number();
  return estimate;
}

std::string kernel_body(InstructionView instruction) {
  const Config config(instruction);
  std::string body;
  if (!absl::Base64Unescape(config["custom_call_config"]["body"].string(), &body)) return "";
  return body;
}

std::optional<MemorySpaceColors> memory_space_colors(InstructionView instruction) {
  const Config config(instruction);
  const JsonView at = config["custom_call_config"];
  const JsonView inputs = at["input_memory_space_colors"];
  const JsonView outputs = at["output_memory_space_colors"];
  if (!inputs && !outputs) return std::nullopt;
  MemorySpaceColors colors;
  inputs.for_each_element([&colors](JsonView c) {
    colors.operands.emplace_back(c["operand_index"].integer_or(0), c["color"].integer_or(0));
  });
  outputs.for_each_element(
      [&colors](JsonView c) { colors.results.emplace_back(c["shape_index"].integers(), c["color"].integer_or(0)); });
  return colors;
}

// ---- GPU --------------------------------------------------------------------------------------------------------

std::optional<GemmBackendConfig> gemm_backend_config(InstructionView instruction) {
  const Config config(instruction);
  const JsonView grouped = config["grouped_gemm_backend_config"];
  const JsonView at = grouped ? grouped["gemm_backend_config"] : config["gemm_backend_config"];
  if (!at) return std::nullopt;
  GemmBackendConfig gemm;
  gemm.dimensions.lhs_ragged = grouped["ragged_dot_dimension_numbers"]["lhs_ragged_dimensions"].integers();
  gemm.dimensions.rhs_group = grouped["ragged_dot_dimension_numbers"]["rhs_group_dimensions"].integers();
  const JsonView dims = at["dot_dimension_numbers"];
  gemm.dimensions.lhs_contracting = dims["lhs_contracting_dimensions"].integers();
  gemm.dimensions.rhs_contracting = dims["rhs_contracting_dimensions"].integers();
  gemm.dimensions.lhs_batch = dims["lhs_batch_dimensions"].integers();
  gemm.dimensions.rhs_batch = dims["rhs_batch_dimensions"].integers();
  gemm.alpha_real = at["alpha_real"].number().value_or(gemm.alpha_real);
  gemm.alpha_imag = at["alpha_imag"].number().value_or(gemm.alpha_imag);
  gemm.beta = at["beta"].number().value_or(gemm.beta);
  gemm.epilogue = at["epilogue"].string();
  at["precision_config"]["operand_precision"].for_each_element(
      [&gemm](JsonView word) { gemm.operand_precision.push_back(word.string()); });
  gemm.algorithm = at["precision_config"]["algorithm"].string();
  gemm.selected_algorithm = at["selected_algorithm"].integer();
  gemm.lhs_stride = at["lhs_stride"].integer();
  gemm.rhs_stride = at["rhs_stride"].integer();
  return gemm;
}

std::optional<AttentionBackendConfig> attention_backend_config(InstructionView instruction) {
  const Config config(instruction);
  const JsonView at = config["cudnn_fmha_backend_config"];
  if (!at) return std::nullopt;
  return AttentionBackendConfig{at["intermediate_tensor_shape"]["dimensions"].integers(), at["mask_type"].string(),
                                at["sliding_window_length"].integer_or(0)};
}

std::optional<FusionBackendConfig> fusion_backend_config(InstructionView instruction) {
  const Config config(instruction);
  JsonView at = config["fusion_backend_config"];
  if (!at) {
    at = config["fusion_config"];  // the name in the CPU backend
    if (!at) return std::nullopt;
  }
  FusionBackendConfig fusion;
  fusion.kind = at["kind"].string();
  fusion.custom_name = at["custom_fusion_config"]["name"].string();
  if (const JsonView block = at["block_level_fusion_config"]) {
    fusion.block_level =
        BlockLevelFusionConfig{lists_of(block["output_tiles"], "sizes"), block["num_warps"].integer_or(0),
                               block["num_ctas"].integer_or(0), block["num_stages"].integer_or(0)};
  }
  if (const JsonView gemm = at["triton_gemm_config"]) {
    fusion.triton_gemm = TritonGemmConfig{gemm["block_m"].integer_or(0),    gemm["block_n"].integer_or(0),
                                          gemm["block_k"].integer_or(0),    gemm["split_k"].integer_or(0),
                                          gemm["num_stages"].integer_or(0), gemm["num_warps"].integer_or(0),
                                          gemm["num_ctas"].integer_or(0)};
  }
  return fusion;
}

std::optional<CollectiveBackendConfig> collective_backend_config(InstructionView instruction) {
  const Config config(instruction);
  const JsonView at = config["collective_backend_config"];
  if (!at) return std::nullopt;
  return CollectiveBackendConfig{at["backend"].string(), at["is_sync"].is_true(), at["is_pipelined"].is_true()};
}

}  // namespace hloroof::internal::inline values
