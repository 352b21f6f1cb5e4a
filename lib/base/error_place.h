// The place of an error in its input, attached to the error as a payload.
#ifndef HLOROOF_LIB_BASE_ERROR_PLACE_H_
#define HLOROOF_LIB_BASE_ERROR_PLACE_H_

#include <string_view>

#include "absl/status/status.h"
#include "lib/base/source_text.h"

namespace hloroof::internal::inline base {

// The payload's type URL. Its value is JSON: {"path": "step.hlo", "line": 3, "column": 7, "code": "syntax"}.
inline constexpr char kErrorPlaceUrl[] = "hloroof/error_place";

// Returns `status` with a payload that says where in the file `path` the error is. `code` is one of the stable words
// that ErrorPlace (hloroof/parse.h) lists.
absl::Status with_place(absl::Status status, std::string_view path, LineColumn at, std::string_view code);

// InvalidArgument for byte `offset` of a value, with the message and payload that say where it is.
absl::Status located_error(std::string_view path, std::string_view text, std::size_t offset, std::string_view message);

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_ERROR_PLACE_H_
