// The values of --kernel: the contents of the scalar operands of Pallas kernels.
#ifndef HLOROOF_LIB_FRONTS_CLI_KERNEL_LISTS_H_
#define HLOROOF_LIB_FRONTS_CLI_KERNEL_LISTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "hloroof/cost.h"

namespace hloroof::internal {

// `text` is NAME.OPERAND=VALUES. VALUES is a list such as [1,2,3], 4x128 for four times 128, or the name of a file with
// a JSON list. Errors: InvalidArgument with the form that is expected; those of SourceText::read and parse_json.
absl::StatusOr<KernelList> parse_kernel_list(const std::string& text);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_FRONTS_CLI_KERNEL_LISTS_H_
