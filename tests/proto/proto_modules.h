// Reads the single module of a proto, without the file that load_module() reads.
#ifndef HLOROOF_TESTS_PROTO_PROTO_MODULES_H_
#define HLOROOF_TESTS_PROTO_PROTO_MODULES_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/parse.h"
#include "lib/input/parse_proto.h"
#include "lib/text/module_parser.h"

namespace hloroof::internal {

inline absl::StatusOr<std::string> proto_to_text(std::string_view bytes, const ParseOptions& options = {},
                                                 LargeConstants constants = LargeConstants::kElide) {
  const auto source = chosen_proto_source(bytes, {}, options, constants);
  if (!source.ok()) return source.status();
  return std::string((*source)->view());
}

// The module keeps its proto for write_proto().
inline absl::StatusOr<Module> parse_proto(std::string_view bytes, const ParseOptions& options = {}) {
  auto source = chosen_proto_source(bytes, {}, options, LargeConstants::kModerate);
  if (!source.ok()) return source.status();
  Module module;
  ModuleParser parser;
  absl::Status status = parser.parse(*std::move(source), options, module);
  if (!status.ok()) return status;
  return module;
}

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_PROTO_PROTO_MODULES_H_
