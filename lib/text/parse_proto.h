// Reads protos for load_module.
#ifndef HLOROOF_LIB_TEXT_PARSE_PROTO_H_
#define HLOROOF_LIB_TEXT_PARSE_PROTO_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "hloroof/parse.h"

namespace hloroof::internal {

// Splits FILE.pb, FILE.pb.gz, FILE.pb#NAME and FILE.pb.gz#NAME into file and module name. The file is empty for other
// paths.
std::pair<std::string, std::string> split_proto_path(const std::string& path);

// Like parse_proto, but selects the module `name` unless that is empty.
absl::StatusOr<Module> parse_named_proto(std::string_view bytes, std::string_view name, const ParseOptions& options);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_TEXT_PARSE_PROTO_H_
