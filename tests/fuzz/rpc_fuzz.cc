// Answers arbitrary bytes as the messages of a session. The first byte chooses the framing. Every answer must be a
// response that is framed as the messages are, and there must not be more answers than messages.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "lib/fronts/rpc/server.h"

using namespace hloroof::internal;

namespace {

std::size_t count_messages(const std::string& bytes, Framing framing, const FramingLimits& limits) {
  std::stringbuf in(bytes);
  MessageReader reader(in, framing, limits);
  std::string text;
  std::size_t count = 0;
  while (reader.read(text) != MessageReader::Result::kEnd) ++count;
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  RpcOptions options;
  options.framing = data[0] % 2 == 0 ? Framing::kHeaders : Framing::kLines;
  options.framing_limits.max_message = 4096;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::stringbuf in(bytes);
  std::ostringstream out;
  RpcServer server(in, out, options);
  server.on_request("echo", [](const Json& params) -> Reply { return params; });
  server.on_notification("note", [](const Json& params) { (void)array_at(params, {"a", "b"}); });
  server.run();

  std::stringbuf answers(out.str());
  MessageReader reader(answers, options.framing);
  std::string text;
  std::size_t count = 0;
  MessageReader::Result result = reader.read(text);
  for (; result == MessageReader::Result::kMessage; result = reader.read(text)) {
    Message message;
    if (parse_message(text, {}, message) || message.kind != Message::Kind::kResponse) std::abort();
    ++count;
  }
  if (result != MessageReader::Result::kEnd) std::abort();
  if (count > count_messages(bytes, options.framing, options.framing_limits)) std::abort();
  return 0;
}
