// Permutes that a compiler waits for where they are.
#ifndef HLOROOF_LIB_SCALE_PERMUTES_H_
#define HLOROOF_LIB_SCALE_PERMUTES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline scale {

// Replaces the start and the done of each permute by one that has neither, at the place of the done, and returns their
// number. See Ici::async_permute_devices.
absl::StatusOr<std::int64_t> wait_for_permutes(Module& module);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_PERMUTES_H_
