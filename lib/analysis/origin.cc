#include "lib/analysis/origin.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "hloroof/attributes.h"
#include "lib/analysis/generation.h"
#include "lib/analysis/saturating.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline analysis {
namespace {

struct Sign {
  Backend backend;
  std::string_view name;
};

constexpr Sign kCallSigns[] = {
#define HLOROOF_BACKEND_CALL(backend, prefix) {Backend::backend, prefix},
#define HLOROOF_BACKEND_CONFIG(backend, name)
#define HLOROOF_BACKEND_ATTRIBUTE(backend, name)
#include "lib/analysis/origin.def"
#undef HLOROOF_BACKEND_CALL
#undef HLOROOF_BACKEND_CONFIG
#undef HLOROOF_BACKEND_ATTRIBUTE
};

constexpr Sign kConfigs[] = {
#define HLOROOF_BACKEND_CALL(backend, prefix)
#define HLOROOF_BACKEND_CONFIG(backend, name) {Backend::backend, name},
#define HLOROOF_BACKEND_ATTRIBUTE(backend, name)
#include "lib/analysis/origin.def"
#undef HLOROOF_BACKEND_CALL
#undef HLOROOF_BACKEND_CONFIG
#undef HLOROOF_BACKEND_ATTRIBUTE
};

constexpr Sign kAttributes[] = {
#define HLOROOF_BACKEND_CALL(backend, prefix)
#define HLOROOF_BACKEND_CONFIG(backend, name)
#define HLOROOF_BACKEND_ATTRIBUTE(backend, name) {Backend::backend, name},
#include "lib/analysis/origin.def"
#undef HLOROOF_BACKEND_CALL
#undef HLOROOF_BACKEND_CONFIG
#undef HLOROOF_BACKEND_ATTRIBUTE
};

// The custom calls with which frontends mark shardings. The SPMD partitioner replaces them.
bool is_sharding_call(std::string_view target) {
  return target == "Sharding" || target == "SPMDFullToShardShape" || target == "SPMDShardToFullShape" ||
         target.starts_with("xla.sdy.");
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Returns whether `text` has `name` as a whole word.
bool has_word(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word_character(text[at - 1])) && (end == text.size() || !is_word_character(text[end])))
      return true;
  }
  return false;
}

// Removes the quotes of a string attribute.
std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

std::string of_instruction(InstructionView instruction, std::string_view what, std::string_view found) {
  return std::string(what) + " of " + std::string(instruction.name()) + " " + std::string(found);
}

// Fills in the backend if one instruction shows it.
bool shows_backend(InstructionView instruction, ModuleOrigin& origin) {
  if (has_tiled_layout(instruction.shape())) {
    origin.backend = Backend::kTpu;
    origin.backend_evidence = of_instruction(instruction, "the layout", "has tiles");
    return true;
  }
  if (instruction.opcode() == Opcode::kCustomCall) {
    const std::string_view target = unquoted(instruction.text(AttributeKey::kCustomCallTarget));
    for (const Sign& sign : kCallSigns) {
      if (!target.starts_with(sign.name)) continue;
      origin.backend = sign.backend;
      origin.backend_evidence =
          "custom call " + std::string(instruction.name()) + " calls " + std::string(target.substr(0, 60));
      return true;
    }
  }
  const std::string_view config = instruction.text(AttributeKey::kBackendConfig);
  for (const Sign& sign : kConfigs) {
    if (config.empty() || !has_word(config, sign.name)) continue;
    origin.backend = sign.backend;
    origin.backend_evidence = of_instruction(instruction, "the backend_config", "has ") + std::string(sign.name);
    return true;
  }
  const std::string_view attributes = instruction.text(AttributeKey::kFrontendAttributes);
  for (const Sign& sign : kAttributes) {
    if (attributes.empty() || !has_word(attributes, sign.name)) continue;
    origin.backend = sign.backend;
    origin.backend_evidence = of_instruction(instruction, "frontend_attributes", "has ") + std::string(sign.name);
    return true;
  }
  return false;
}

// Returns the number of devices in `xla.sdy.meshes={mesh = #sdy.mesh<["x"=4, "y"=2]>}` of the header; 1 if it has none.
std::int64_t mesh_devices(std::string_view attributes) {
  constexpr std::string_view kMesh = "#sdy.mesh<[";
  std::int64_t most = 1;
  for (std::size_t at = attributes.find(kMesh); at != std::string_view::npos; at = attributes.find(kMesh, at + 1)) {
    const std::string_view axes = attributes.substr(at, attributes.find(']', at) - at);
    std::int64_t devices = 1;
    for (std::size_t sign = axes.find('='); sign != std::string_view::npos; sign = axes.find('=', sign + 1)) {
      std::int64_t size = 1;
      std::from_chars(axes.data() + sign + 1, axes.data() + axes.size(), size);
      devices = saturating_multiply(devices, std::max<std::int64_t>(size, 1));
    }
    most = std::max(most, devices);
  }
  return most;
}

// The shardings of a module from before optimization.
struct Shardings {
  std::int64_t devices = 1;  // the most that any of them names
  std::string unapplied;     // evidence that the partitioner has not run; empty if there is none
  std::string of_parameter;  // the parameter with the sharding over the most devices
  std::int64_t parameter_devices = 1;
};

void add_shardings(InstructionView instruction, Shardings& found) {
  const bool is_call = instruction.opcode() == Opcode::kCustomCall;
  if (is_call && found.unapplied.empty()) {
    const std::string_view target = unquoted(instruction.text(AttributeKey::kCustomCallTarget));
    if (is_sharding_call(target)) {
      found.unapplied = "custom call " + std::string(instruction.name()) + " calls " + std::string(target);
    }
  }
  const std::string_view attributes = instruction.text(AttributeKey::kFrontendAttributes);
  if (found.unapplied.empty() && has_word(attributes, "sdy") &&
      attributes.find("xla.sdy.sharding") < attributes.size()) {
    found.unapplied = of_instruction(instruction, "frontend_attributes", "has xla.sdy.sharding");
  }
  if (!instruction.has(AttributeKey::kSharding)) return;
  const std::optional<ShardingAttribute> attribute = sharding(instruction);
  if (!attribute) return;
  std::int64_t devices = 1;
  for (const Sharding& element : attribute->elements) devices = std::max(devices, element.device_count());
  found.devices = std::max(found.devices, devices);
  if (devices <= 1 || is_call) return;
  if (instruction.opcode() == Opcode::kParameter) {  // a partitioned module keeps these
    if (devices > found.parameter_devices) {
      found.parameter_devices = devices;
      found.of_parameter = instruction.name();
    }
  } else if (found.unapplied.empty()) {
    found.unapplied = std::string(instruction.name()) +
                      " has sharding=" + std::string(instruction.text(AttributeKey::kSharding).substr(0, 60));
  }
}

}  // namespace

bool has_tiled_layout(const Shape& shape) { return shape.is_array() && !shape.layout.tiles.empty(); }

bool lacks_tiles(const Module& module, const ModuleOrigin& origin) {
  if (origin.backend != Backend::kUnknown || !module.is_scheduled()) return false;
  // XLA prints the layout of the entry of every module; texts written by hand have none. A text without any layouts has
  // arrays without braces.
  const std::string_view entry = ModuleRows::header_text(module, AttributeKey::kEntryComputationLayout);
  return entry.find("]{") != std::string_view::npos && entry.find("T(") == std::string_view::npos;
}

void find_backend(const Module& module, ModuleOrigin& origin) {
  origin.backend = Backend::kUnknown;
  origin.backend_evidence.clear();
  const std::string_view attributes = ModuleRows::header_text(module, AttributeKey::kFrontendAttributes);
  for (const Sign& sign : kAttributes) {
    if (attributes.empty() || !has_word(attributes, sign.name)) continue;
    origin.backend = sign.backend;
    origin.backend_evidence = "frontend_attributes of the module has " + std::string(sign.name);
    return;
  }
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (shows_backend(instruction, origin)) return;
    }
  }
}

void find_stage(const Module& module, ModuleOrigin& origin) {
  const auto set = [&](CompileStage stage, std::string evidence) {
    origin.stage = stage;
    origin.stage_evidence = std::move(evidence);
  };
  if (module.is_scheduled()) return set(CompileStage::kOptimized, "is_scheduled=true");
  Shardings shardings;
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.opcode() == Opcode::kFusion) {
        return set(CompileStage::kOptimized, std::string(instruction.name()) + " is a fusion");
      }
      if (has_tiled_layout(instruction.shape())) {
        return set(CompileStage::kOptimized, of_instruction(instruction, "the layout", "has tiles"));
      }
      add_shardings(instruction, shardings);
    }
  }
  const std::int64_t partitions = module.num_partitions();
  if (shardings.unapplied.empty() && shardings.parameter_devices > std::max<std::int64_t>(partitions, 1)) {
    shardings.unapplied = "parameter " + shardings.of_parameter + " is sharded over " +
                          std::to_string(shardings.parameter_devices) + " devices, and num_partitions is " +
                          std::to_string(partitions);
  }
  if (!shardings.unapplied.empty()) {
    const std::int64_t devices =
        std::max({shardings.devices, partitions,
                  mesh_devices(ModuleRows::header_text(module, AttributeKey::kFrontendAttributes))});
    if (devices > 1) {
      origin.sharded_over = devices;
      return set(CompileStage::kUnpartitioned, std::move(shardings.unapplied));
    }
  }
  // XLA prints the layout of the entry of every module. Short texts written by hand have none.
  if (!ModuleRows::header_text(module, AttributeKey::kEntryComputationLayout).empty()) {
    set(CompileStage::kUnoptimized, "no schedule and no fusions");
  }
}

ModuleOrigin find_origin(const Module& module) {
  ModuleOrigin origin;
  find_backend(module, origin);
  find_stage(module, origin);
  if (origin.backend == Backend::kTpu) find_generations(module, origin);
  return origin;
}

}  // namespace hloroof::internal::inline analysis
