// Reads protos for load_module.
#ifndef HLOROOF_LIB_INPUT_PARSE_PROTO_H_
#define HLOROOF_LIB_INPUT_PARSE_PROTO_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/parse.h"
#include "lib/base/source_text.h"

namespace hloroof::internal::inline input {

// Which constants have their values in the text of a proto: those of up to ten elements, as XLA prints them; those of
// up to 4,096, which an edit may copy and which cost little; or all. The others are in the proto, which the module
// keeps.
enum class LargeConstants : std::uint8_t { kElide, kModerate, kKeep };

// Whether `bytes` is a proto of the kinds that chosen_proto_source reads.
bool holds_modules(std::string_view bytes);

// The HLO text of the module `choice` of `bytes`, as XLA's HloModule::ToString() prints it, which keeps the proto for
// write_proto. `choice` is a name, a number from 1, or empty if there is a single module. Tuple constants are elided.
// XLA's proto has num_partitions and replica_count only as part of a device assignment; without one the text lacks
// them. Sparsity and the table of recovered original values are not printed. Errors: InvalidArgument if `bytes` is not
// a proto of these kinds, is truncated, or holds several modules, which the message lists; ResourceExhausted, which
// names the limit that the module's text exceeded.
absl::StatusOr<std::shared_ptr<const SourceText>> chosen_proto_source(std::string_view bytes, std::string_view choice,
                                                                      const ParseOptions& options,
                                                                      LargeConstants constants);

}  // namespace hloroof::internal::inline input

#endif  // HLOROOF_LIB_INPUT_PARSE_PROTO_H_
