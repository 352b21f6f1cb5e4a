// Permutes, and whether a compiler waits for them where they are.
#ifndef HLOROOF_LIB_SCALE_PERMUTES_H_
#define HLOROOF_LIB_SCALE_PERMUTES_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline scale {

inline bool is_permute(InstructionView i) {
  return i.opcode() == Opcode::kCollectivePermute || i.opcode() == Opcode::kCollectivePermuteStart;
}

// Ici::async_permute_devices; nullopt if there is no such limit, or if `device` is null.
std::optional<std::int64_t> most_async_permute_devices(const Device* device);

// Replaces the start and the done of each permute by one that has neither, at the place of the done, and returns their
// number. See Ici::async_permute_devices.
absl::StatusOr<std::int64_t> wait_for_permutes(Module& module);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_PERMUTES_H_
