// Conversions between std::string_view, which the public API uses, and absl::string_view.
//
// Debian builds abseil with a separate absl::string_view that does not convert to or from std::string_view. In newer
// releases it is an alias. Code that uses these two functions compiles with both.
#ifndef HLOROOF_LIB_BASE_STRINGS_H_
#define HLOROOF_LIB_BASE_STRINGS_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace hloroof::internal::inline base {

inline absl::string_view to_absl(std::string_view text) { return absl::string_view(text.data(), text.size()); }

inline std::string_view from_absl(absl::string_view text) { return std::string_view(text.data(), text.size()); }

// Statuses from a std::string_view.
absl::Status invalid_argument(std::string_view message);
absl::Status not_found(std::string_view message);
absl::Status out_of_range(std::string_view message);
absl::Status resource_exhausted(std::string_view message);

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_STRINGS_H_
