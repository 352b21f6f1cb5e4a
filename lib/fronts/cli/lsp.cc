#include <unistd.h>

#include <memory>

#include "lib/fronts/cli/context.h"
#include "lib/fronts/lsp/server.h"
#include "lib/fronts/rpc/descriptor_buffer.h"

namespace hloroof::internal::inline cli {

Command lsp_command(Context& context) {
  auto settings = std::make_shared<EditorSettings>();
  Command command{.name = "lsp",
                  .text =
                      "Serves editors on standard input and output (Language Server Protocol): hovers, hints, "
                      "diagnostics, definitions; examples/editor has the settings of editors"};
  command.options = {{.names = {"--device"},
                      .argument = "DEVICE",
                      .text = "Device to predict, such as tpu_v5e or h100_sxm:16, until the editor sets another",
                      .target = &settings->device},
                     {.names = {"--topology"},
                      .argument = "TOPOLOGY",
                      .text = "Topology of the device, such as 4x4; default: the smallest that fits",
                      .target = &settings->topology}};
  command.run = [settings, &context] {
    DescriptorBuffer in(STDIN_FILENO);
    LanguageServer server(in, context.out, *settings, [&in](std::chrono::milliseconds time) { return in.wait(time); });
    if (!server.run()) context.exit_code = kExitBadInput;
  };
  return command;
}

}  // namespace hloroof::internal::inline cli
