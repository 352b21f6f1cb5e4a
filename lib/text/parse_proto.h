// Reads protos for load_module.
#ifndef HLOROOF_LIB_TEXT_PARSE_PROTO_H_
#define HLOROOF_LIB_TEXT_PARSE_PROTO_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/parse.h"

namespace hloroof::internal {

// Whether the values of large constants, which no prediction needs, are part of the text of a proto.
enum class LargeConstants : bool { kElide, kKeep };

// Whether `bytes` is a proto of the kinds that parse_proto reads.
bool holds_modules(std::string_view bytes);

// Like proto_to_text, but selects the module `choice`, which is a name, a number from 1, or empty.
absl::StatusOr<std::string> chosen_proto_text(std::string_view bytes, std::string_view choice,
                                              const ParseOptions& options, LargeConstants constants);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_TEXT_PARSE_PROTO_H_
