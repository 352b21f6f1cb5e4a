// The values of the option --kernel: the contents of the scalar operands of Pallas kernels.
#ifndef HLOROOF_LIB_REQUEST_KERNEL_LIST_H_
#define HLOROOF_LIB_REQUEST_KERNEL_LIST_H_

#include <string>

#include "absl/status/statusor.h"
#include "hloroof/cost.h"

namespace hloroof::internal::inline request {

// `text` is NAME.OPERAND=VALUES, and `option` is the name of the option in messages. VALUES is a list such as [1,2,3],
// 4x128 for four times 128, or the name of a file with a JSON list. Errors: InvalidArgument with the form that is
// expected; those of SourceText::read and parse_json.
absl::StatusOr<KernelList> parse_kernel_list(const std::string& text, const std::string& option);

}  // namespace hloroof::internal::inline request

#endif  // HLOROOF_LIB_REQUEST_KERNEL_LIST_H_
