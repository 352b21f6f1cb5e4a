#include "lib/values/backend_config.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "lib/ir/element_type.h"
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

}  // namespace

std::string backend_config(InstructionView instruction) {
  const std::string_view text = instruction.text(AttributeKey::kBackendConfig);
  if (text.size() < 2 || text.front() == '{') return std::string(text);
  return unescape(text.substr(1, text.size() - 2));
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
  JsonView output, input, iteration, cycles;
  const std::pair<std::string_view, JsonView*> wanted[] = {{"output_window_bounds", &output},
                                                           {"input_window_bounds", &input},
                                                           {"iteration_bounds", &iteration},
                                                           {"estimated_cycles", &cycles}};
  at.for_each_member([&wanted](std::string_view name, JsonView value) {
    for (const auto& [wanted_name, view] : wanted) {
      if (name == wanted_name && !*view) *view = value;
    }
    return true;
  });
  WindowConfig w;
  w.output_window_bounds = output.integers();
  w.input_window_bounds = input.integers();
  w.iteration_bounds = iteration.integers();
  w.estimated_cycles = known_cycles(cycles);
  return w;
}

std::optional<std::int64_t> megacore_split_dimension(InstructionView instruction) {
  return Config(instruction)["megacore_config"]["megacore_split_dim"].integer();
}

ElementType original_type(InstructionView instruction) {
  const Config config(instruction);
  const std::string name = config["float_type_correction_info"]["original_type"].string();
  return element_type_from_string(absl::AsciiStrToLower(name)).value_or(ElementType::kInvalid);
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
  return estimate;
}

std::string kernel_body(InstructionView instruction) {
  const Config config(instruction);
  std::string body;
  if (!absl::Base64Unescape(config["custom_call_config"]["body"].string(), &body)) return "";
  return body;
}

bool checks_bounds(InstructionView instruction) {
  const Config config(instruction);
  return config["custom_call_config"]["disable_bounds_checks"].text() != "true";
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
  at["precision_config"]["operand_precision"].for_each_element(
      [&gemm](JsonView word) { gemm.operand_precision.push_back(word.string()); });
  gemm.algorithm = at["precision_config"]["algorithm"].string();
  gemm.selected_algorithm = at["selected_algorithm"].integer();
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
  if (const JsonView block = at["block_level_fusion_config"]) {
    BlockLevelFusionConfig& of = fusion.block_level.emplace();
    block["output_tiles"].for_each_element([&](JsonView tile) { of.output_tiles.push_back(tile["sizes"].integers()); });
    of.num_warps = block["num_warps"].integer_or(0);
    of.num_stages = block["num_stages"].integer_or(0);
  }
  if (const JsonView gemm = at["triton_gemm_config"]) {
    fusion.triton_gemm = {gemm["block_m"].integer_or(0), gemm["block_n"].integer_or(0),
                          gemm["num_stages"].integer_or(0)};
  }
  return fusion;
}

}  // namespace hloroof::internal::inline values
