// Selects one of several modules by the part after the # in FILE#NAME.
#ifndef HLOROOF_LIB_INPUT_MODULE_CHOICE_H_
#define HLOROOF_LIB_INPUT_MODULE_CHOICE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline input {

// How messages name standard input.
inline constexpr std::string_view kStandardInput = "<stdin>";

// Splits FILE#NAME and FILE#NUMBER into file and choice. The choice is empty if there is none, or if a file of the
// whole name exists.
std::pair<std::string, std::string> split_module_path(const std::string& path);

// The index of the module with the name `choice`, or with the number `choice` counted from 1, or of the only module if
// `choice` is empty. Errors: InvalidArgument with the list of names if several modules match; NotFound if none does.
absl::StatusOr<std::size_t> choose_module(const std::vector<std::string_view>& names, std::string_view choice,
                                          const std::string& path);

}  // namespace hloroof::internal::inline input

#endif  // HLOROOF_LIB_INPUT_MODULE_CHOICE_H_
