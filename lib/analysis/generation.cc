#include "lib/analysis/generation.h"

#include <string_view>
#include <vector>

#include "lib/hardware/device_facts.h"
#include "lib/ir/memory_spaces.h"
#include "lib/values/backend_config.h"

namespace hloroof::internal::inline analysis {
namespace {

// The built-in TPUs. Loaded at the first use and never destroyed.
const std::vector<Device>& built_in_tpus() {
  static const auto* const kTpus = [] {
    auto* tpus = new std::vector<Device>;
    for (const std::string& name : device_names()) {
      absl::StatusOr<Device> device = find_device(name);
      if (device.ok() && device->tpu() != nullptr) tpus->push_back(*std::move(device));
    }
    return tpus;
  }();
  return *kTpus;
}

}  // namespace

UsedHardware find_used_hardware(const Module& module) {
  UsedHardware used;
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      const Shape& shape = instruction.shape();
      if (used.in_cmem.empty() && shape.is_array() && shape.layout.memory_space == kCmemSpace) {
        used.in_cmem = instruction.name();
      }
      const std::string_view config = instruction.text(AttributeKey::kBackendConfig);
      if (used.on_both_cores.empty() && config.find("megacore_config") != std::string_view::npos &&
          megacore_split_dimension(instruction)) {
        used.on_both_cores = instruction.name();
      }
    }
  }
  return used;
}

std::string missing_hardware(const UsedHardware& used, const Device& device) {
  const TpuCore* const tpu = device.tpu();
  if (tpu == nullptr) return "";
  if (!used.in_cmem.empty() && tpu->on_chip.cmem_read_bandwidth.is_none()) return used.in_cmem + " is in CMEM";
  if (!used.on_both_cores.empty() && core_count(device) < 2) {
    return used.on_both_cores + " is split between the two cores of a device";
  }
  return "";
}

void find_generations(const Module& module, ModuleOrigin& origin) {
  origin.generations.clear();
  origin.generation_evidence.clear();
  const UsedHardware used = find_used_hardware(module);
  if (used.in_cmem.empty() && used.on_both_cores.empty()) return;  // without loading the devices
  for (const Device& device : built_in_tpus()) {
    const std::string missing = missing_hardware(used, device);
    if (missing.empty()) {
      origin.generations.push_back(device.name);
    } else if (origin.generation_evidence.empty()) {
      origin.generation_evidence = missing;
    }
  }
  if (origin.generation_evidence.empty()) origin.generations.clear();
}

}  // namespace hloroof::internal::inline analysis
