#include "lib/base/strings.h"

#include "absl/status/status.h"

namespace hloroof::internal::inline base {

absl::Status invalid_argument(std::string_view message) { return absl::InvalidArgumentError(to_absl(message)); }
absl::Status not_found(std::string_view message) { return absl::NotFoundError(to_absl(message)); }
absl::Status out_of_range(std::string_view message) { return absl::OutOfRangeError(to_absl(message)); }
absl::Status resource_exhausted(std::string_view message) { return absl::ResourceExhaustedError(to_absl(message)); }

}  // namespace hloroof::internal::inline base
