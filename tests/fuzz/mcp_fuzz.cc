// Answers arbitrary lines as the messages of a session of `hloroof mcp` on an empty folder. The session must answer a
// ping after them, and no answer may name a file outside of the folder.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "lib/fronts/cli/mcp_tools.h"

using namespace hloroof::internal;

namespace {

// The folder of all sessions; empty, so that no input costs a prediction.
const Folder& session_folder() {
  static const auto* const kFolder = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "hloroof_fuzz_mcp_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    return new Folder(*Folder::open(pattern));
  }();
  return *kFolder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const kOptions = new McpOptions(mcp_options(session_folder(), 1 << 16));
  const std::string begin =
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})"
      "\n";
  const std::string end =
      "\n"
      R"({"jsonrpc":"2.0","id":"the last one","method":"ping"})"
      "\n";
  const std::string input(reinterpret_cast<const char*>(data), size);
  std::stringbuf in(begin + input + end);
  std::ostringstream out;
  serve_mcp(in, out, session_folder(), *kOptions);
  const std::string answers = out.str();
  if (answers.find(R"("id":"the last one")") == std::string::npos) std::abort();
  // Ids and messages repeat what the input says, with its escapes replaced.
  const bool may_repeat = input.find("root") != std::string::npos || input.find_first_of("\\%") != std::string::npos;
  if (!may_repeat && answers.find("root:x:0:0") != std::string::npos) std::abort();  // of /etc/passwd
  return 0;
}
