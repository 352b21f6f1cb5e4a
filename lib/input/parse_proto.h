// Reads protos for load_module.
#ifndef HLOROOF_LIB_INPUT_PARSE_PROTO_H_
#define HLOROOF_LIB_INPUT_PARSE_PROTO_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/parse.h"
#include "lib/base/source_text.h"

namespace hloroof::internal::inline input {

// Which constants have their values in the text of a proto: those of up to ten elements, as XLA prints them; those of
// up to 4,096, which an edit may copy and which cost little; or all. The others are in the proto, which the module
// keeps.
enum class LargeConstants : std::uint8_t { kElide, kModerate, kKeep };

// Whether `bytes` is a proto of the kinds that parse_proto reads.
bool holds_modules(std::string_view bytes);

// Like proto_to_text, but selects the module `choice`, which is a name, a number from 1, or empty.
absl::StatusOr<std::string> chosen_proto_text(std::string_view bytes, std::string_view choice,
                                              const ParseOptions& options, LargeConstants constants);

// The same as a source that keeps the proto of the module.
absl::StatusOr<std::shared_ptr<const SourceText>> chosen_proto_source(std::string_view bytes, std::string_view choice,
                                                                      const ParseOptions& options,
                                                                      LargeConstants constants);

}  // namespace hloroof::internal::inline input

#endif  // HLOROOF_LIB_INPUT_PARSE_PROTO_H_
