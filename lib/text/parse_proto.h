// What load_module needs to read protos.
#ifndef HLOROOF_LIB_TEXT_PARSE_PROTO_H_
#define HLOROOF_LIB_TEXT_PARSE_PROTO_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "hloroof/parse.h"

namespace hloroof::inline v0 {

// The file and the module asked for of FILE.pb, FILE.pb.gz and either with #NAME behind it; an empty file for other
// paths.
std::pair<std::string, std::string> split_proto_path(const std::string& path);

// As parse_proto, of the module called `name` unless that is empty.
absl::StatusOr<Module> parse_named_proto(std::string_view bytes, std::string_view name, const ParseOptions& options);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_PARSE_PROTO_H_
