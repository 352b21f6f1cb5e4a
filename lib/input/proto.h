// Parses protocol buffers, and texts of several modules.
#ifndef HLOROOF_LIB_INPUT_PROTO_H_
#define HLOROOF_LIB_INPUT_PROTO_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/parse.h"

namespace hloroof::internal::inline input {

// Parses a text of several modules that are separated by lines `// -----`.
absl::StatusOr<std::vector<Module>> parse_modules(std::string_view text, const ParseOptions& options = {});

// The HLO text of the single module in `bytes`, as XLA's HloModule::ToString() prints it. Tuple constants and constants
// of more than ten elements are elided. XLA's proto has num_partitions and replica_count only as part of a device
// assignment; without one the text lacks them. Sparsity and the table of recovered original values are not printed.
// Errors: as parse_proto.
absl::StatusOr<std::string> proto_to_text(std::string_view bytes, const ParseOptions& options = {});

// The single module in `bytes`, which keeps its proto for write_proto. Errors: InvalidArgument if `bytes` is not a
// proto of these kinds, is truncated, or holds several modules, which the message lists; ResourceExhausted, which names
// the limit that the module's text exceeded.
absl::StatusOr<Module> parse_proto(std::string_view bytes, const ParseOptions& options = {});

// All modules of a profile in order, or the single module of the other kinds. Errors: as parse_proto.
absl::StatusOr<std::vector<Module>> parse_protos(std::string_view bytes, const ParseOptions& options = {});

}  // namespace hloroof::internal::inline input

#endif  // HLOROOF_LIB_INPUT_PROTO_H_
