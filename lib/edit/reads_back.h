// Checks that a module is the one that its text describes.
#ifndef HLOROOF_LIB_EDIT_READS_BACK_H_
#define HLOROOF_LIB_EDIT_READS_BACK_H_

#include "absl/status/status.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline edit {

// Prints the module and parses the text. Errors: InvalidArgument: "computation.instruction: why" if the text cannot be
// parsed, or does not describe the same module.
absl::Status check_reads_back(const Module& module);

}  // namespace hloroof::internal::inline edit

#endif  // HLOROOF_LIB_EDIT_READS_BACK_H_
