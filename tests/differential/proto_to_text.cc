// Converts protos to text to compare with XLA's:  proto_to_text FOLDER   writes NAME.ours next to each NAME.pb.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lib/text/proto.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: proto_to_text FOLDER\n");
    return 1;
  }
  int failed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.path().extension() != ".pb") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const auto text = hloroof::internal::proto_to_text(bytes);
    std::filesystem::path out = entry.path();
    out.replace_extension(".ours");
    if (!text.ok()) {
      std::fprintf(stderr, "%s: %s\n", entry.path().c_str(), std::string(text.status().message()).c_str());
      ++failed;
      continue;
    }
    std::ofstream(out, std::ios::binary) << *text;
  }
  return failed == 0 ? 0 : 1;
}
