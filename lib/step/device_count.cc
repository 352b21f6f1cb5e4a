#include "lib/step/device_count.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hloroof/attributes.h"
#include "lib/analysis/call_record.h"
#include "lib/analysis/collectives.h"
#include "lib/base/strings.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline step {
namespace {

// Whether some collective may be between all devices. Most texts without a header have none at all.
bool may_have_global_collective(const Module& module) {
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (!is_collective(instruction.opcode())) continue;
      const std::string_view groups = instruction.text(AttributeKey::kReplicaGroups);
      if (groups.empty() || groups == "{}") return true;
    }
  }
  return false;
}

std::int64_t devices_of_shardings(const Module& module) {
  std::int64_t devices = 1;
  for (const InstructionId id : module.entry().parameters()) {
    if (!id.valid() || !module.instruction(id).has(AttributeKey::kSharding)) continue;
    const std::optional<ShardingAttribute> attribute = sharding(module.instruction(id));
    if (!attribute) continue;
    for (const Sharding& element : attribute->elements) devices = std::max(devices, element.device_count());
  }
  return devices;
}

}  // namespace

bool states_device_count(const Module& module) {
  return !ModuleRows::header_text(module, AttributeKey::kNumPartitions).empty() ||
         !ModuleRows::header_text(module, AttributeKey::kReplicaCount).empty();
}

namespace {

// For a module that states no counts and has none set.
absl::StatusOr<std::optional<DeviceCount>> infer_device_count(const Module& module, const PredictOptions& options) {
  if (!module.has_entry() || !may_have_global_collective(module)) return std::nullopt;
  CallRecord record;
  absl::StatusOr<CallGraph> calls = find_calls(module, options, record);
  if (!calls.ok()) return calls.status();
  const std::vector<Collective> collectives = find_collectives(module, *calls);
  const auto global = std::find_if(collectives.begin(), collectives.end(),
                                   [](const Collective& c) { return c.slices == 0 && c.groups.all_devices; });
  if (global == collectives.end()) return std::nullopt;
  const std::int64_t devices = std::max(infer_axes(module, collectives).device_count, devices_of_shardings(module));
  if (devices <= 1) return std::nullopt;
  return global->groups.mode == GroupMode::kCrossReplica ? DeviceCount{devices, 1, true}
                                                         : DeviceCount{1, devices, true};
}

}  // namespace

absl::StatusOr<std::optional<DeviceCount>> find_device_count(const Module& module, const PredictOptions& options) {
  const bool was_implied = ModuleRows::counts_are_implied(module);
  if (options.partitions) {
    const std::int64_t given = *options.partitions;
    if (given < 1)
      return invalid_argument(absl::StrCat("the number of partitions is ", given, "; expected at least 1"));
    if (!ModuleRows::header_text(module, AttributeKey::kNumPartitions).empty() && module.num_partitions() != given) {
      return invalid_argument(absl::StrCat(ModuleRows::path(module),
                                           ": error: the text states num_partitions=", module.num_partitions(),
                                           ", which ", given, " partitions contradict; leave out --partitions"));
    }
    return DeviceCount{was_implied ? 1 : module.replica_count(), given};
  }
  if (was_implied) {
    if (!module.has_entry() || !may_have_global_collective(module)) return DeviceCount{};
    Module uncounted = module;
    set_device_count({}, uncounted);
    absl::StatusOr<std::optional<DeviceCount>> count = infer_device_count(uncounted, options);
    if (!count.ok()) return count.status();
    return count->value_or(DeviceCount{});
  }
  const bool is_counted = states_device_count(module) || module.num_partitions() != 1 || module.replica_count() != 1;
  if (is_counted) return std::nullopt;
  return infer_device_count(module, options);
}

bool has_unknown_size(const Module& module, const Collective& collective) {
  return collective.slices == 0 && collective.groups.all_devices && module.num_partitions() == 1 &&
         module.replica_count() == 1 && !states_device_count(module);
}

DeviceCount device_count(const Module& module) {
  return {module.replica_count(), module.num_partitions(), ModuleRows::counts_are_implied(module)};
}

void set_device_count(DeviceCount count, Module& module) {
  ModuleBuilder builder(module);
  builder.set_replica_count(count.replicas);
  builder.set_num_partitions(count.partitions);
  builder.set_counts_are_implied(count.is_implied);
}

}  // namespace hloroof::internal::inline step
