// Converts an HloModuleProto to HLO text in the form of HloModule::ToString().
#ifndef HLOROOF_LIB_PROTO_MODULE_TEXT_H_
#define HLOROOF_LIB_PROTO_MODULE_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline proto {

constexpr std::int64_t kUsualElements = 10;

struct ModuleTextOptions {
  std::int64_t max_text = 0;  // maximum size of the text
  // Arrays of more elements become {...}. XLA's limit is ten, up to which tuples become {...} too.
  std::int64_t most_elements = kUsualElements;
};

// The text of a module. Errors: InvalidArgument, which names the instruction if there is one; ResourceExhausted if the
// text would exceed max_text.
absl::StatusOr<std::string> module_text(std::string_view module_proto, const ModuleTextOptions& options);

}  // namespace hloroof::internal::inline proto

#endif  // HLOROOF_LIB_PROTO_MODULE_TEXT_H_
