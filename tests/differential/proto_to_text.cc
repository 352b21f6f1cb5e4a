// Converts protos for comparisons with XLA:
//   proto_to_text FOLDER     writes next to each NAME.pb its text as NAME.ours, the proto that comes of reading and
//   writing it
//                            as NAME.again, and next to each NAME.hlo its proto as NAME.written. If the parser refuses
//                            the text, it writes why as NAME.refused.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "hloroof/print.h"
#include "tests/proto/proto_modules.h"

namespace {

// Writes `result` to `path`, or its error to standard error. Returns the number of errors.
int write(const std::filesystem::path& path, const absl::StatusOr<std::string>& result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), std::string(result.status().message()).c_str());
    return 1;
  }
  std::ofstream(path, std::ios::binary) << *result;
  return 0;
}

int write_proto_of(std::filesystem::path path, const char* extension, const absl::StatusOr<hloroof::Module>& module) {
  if (module.ok()) return write(path.replace_extension(extension), hloroof::write_proto(*module));
  std::ofstream(path.replace_extension(".refused")) << module.status().message();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: proto_to_text FOLDER\n");
    return 1;
  }
  int failed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    const std::string kind = entry.path().extension();
    if (kind != ".pb" && kind != ".hlo") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::filesystem::path out = entry.path();
    if (kind == ".hlo") {
      failed += write_proto_of(out, ".written", hloroof::parse_module(bytes));
      continue;
    }
    failed += write(out.replace_extension(".ours"), hloroof::internal::proto_to_text(bytes));
    failed += write_proto_of(out, ".again", hloroof::internal::parse_proto(bytes));
  }
  return failed == 0 ? 0 : 1;
}
