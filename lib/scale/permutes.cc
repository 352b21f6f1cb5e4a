#include "lib/scale/permutes.h"

#include <string>
#include <vector>

#include "hloroof/edit.h"

namespace hloroof::internal::inline scale {

std::optional<std::int64_t> most_async_permute_devices(const Device* device) {
  if (device == nullptr || !device->ici.async_permute_devices) return std::nullopt;
  return *device->ici.async_permute_devices;
}

absl::StatusOr<std::int64_t> wait_for_permutes(Module& module) {
  std::vector<InstructionId> dones;
  walk(module, [&](InstructionView i) {
    if (i.opcode() == Opcode::kCollectivePermuteDone && i.operand(0).opcode() == Opcode::kCollectivePermuteStart) {
      dones.push_back(i.id());
    }
  });
  if (dones.empty()) return 0;
  ModuleEditor edit(module);
  for (const InstructionId done : dones) {
    const InstructionId start = module.instruction(done).operand_ids()[0];
    NewInstruction made;
    made.opcode = Opcode::kCollectivePermute;
    made.shape_id = module.instruction(done).shape_id();
    for (const InstructionId operand : module.instruction(start).operand_ids()) made.operands.push_back(operand);
    for (const AttributeKey key :
         {AttributeKey::kChannelId, AttributeKey::kSourceTargetPairs, AttributeKey::kFrontendAttributes,
          AttributeKey::kMetadata, AttributeKey::kBackendConfig}) {
      const InstructionView from = module.instruction(start);
      if (from.has(key)) made.attributes.push_back({key, std::string(from.text(key)), {}});
    }
    const absl::StatusOr<InstructionId> permute = edit.insert_before(done, made);
    if (!permute.ok()) return permute.status();
    if (absl::Status status = edit.replace_all_uses(done, *permute); !status.ok()) return status;
    for (const InstructionId id : {done, start}) {
      if (absl::Status status = edit.erase(id); !status.ok()) return status;
    }
  }
  return static_cast<std::int64_t>(dones.size());
}

}  // namespace hloroof::internal::inline scale
