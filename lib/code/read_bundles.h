// Reads the text of final code: a file *-packed-bundles-post-ra.txt of libtpu's dump.
#ifndef HLOROOF_LIB_CODE_READ_BUNDLES_H_
#define HLOROOF_LIB_CODE_READ_BUNDLES_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "lib/code/program.h"

namespace hloroof::internal::inline code {

// Reads `text`, which messages call `path`. Errors: InvalidArgument that says where: no bundle, a bundle that is not
// closed or out of order, or a branch out of the code. Instructions that are not understood are no error: their results
// are unknown.
absl::StatusOr<CodeProgram> read_bundles(std::string_view text, const std::string& path);

}  // namespace hloroof::internal::inline code

#endif  // HLOROOF_LIB_CODE_READ_BUNDLES_H_
