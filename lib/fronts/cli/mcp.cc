#include <unistd.h>

#include <memory>

#include "lib/fronts/cli/context.h"
#include "lib/fronts/cli/mcp_tools.h"
#include "lib/fronts/rpc/descriptor_buffer.h"

namespace hloroof::internal::inline cli {
namespace {

struct McpFlags {
  std::string folder;
  std::size_t max_chars = ExcerptOptions().max_bytes;
};

void run_mcp(const McpFlags& flags, Context& context) {
  const absl::StatusOr<Folder> folder = Folder::open(flags.folder);
  if (!folder.ok()) return context.fail(folder.status());
  McpOptions options = mcp_options(*folder, context.max_bytes);
  options.part.max_bytes = flags.max_chars;
  DescriptorBuffer in(STDIN_FILENO);
  serve_mcp(in, context.out, *folder, options);
}

}  // namespace

Command mcp_command(Context& context) {
  auto flags = std::make_shared<McpFlags>();
  Command command{.name = "mcp",
                  .text = "Serves the other commands to agents on standard input: the Model Context Protocol"};
  command.positionals = {{.names = {"FOLDER"},
                          .text = "The folder with the dumps; agents can read nothing outside of it",
                          .target = &flags->folder,
                          .required = true}};
  command.options = {{.names = {"--max-chars"},
                      .argument = "N",
                      .text = "Bytes of an answer, unless the agent asks for more",
                      .target = &flags->max_chars,
                      .least = 200}};
  command.run = [flags, &context] { run_mcp(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli
