#include "lib/fronts/rpc/server.h"

#include <fcntl.h>
#include <unistd.h>

#include <sstream>
#include <stdexcept>
#include <vector>

#include "lib/fronts/rpc/descriptor_buffer.h"
#include "tests/catch.h"

using namespace hloroof::internal;

namespace {

struct Session {
  std::stringbuf in;
  std::ostringstream out;
  RpcServer server;
  std::vector<std::string> log;

  explicit Session(const std::string& lines, RpcOptions options = {})
      : in(lines), server(in, out, (options.framing = Framing::kLines, options)) {
    server.on_request("echo", [this](const Json& params) -> Reply {
      log.push_back("echo");
      return params;
    });
    server.on_request("fail", [](const Json&) -> Reply { return RpcError{RpcCode::kRequestFailed, "no", nullptr}; });
    server.on_request("throw", [](const Json&) -> Reply { throw std::runtime_error("lost"); });
    server.on_notification("note", [this](const Json&) { log.push_back("note"); });
    server.on_notification("bad", [](const Json&) { throw std::runtime_error("lost"); });
    server.on_notification("exit", [this](const Json&) { server.stop(); });
  }

  // The code of each error and the result of each success, by line of the output.
  std::vector<std::string> replies() {
    server.run();
    std::vector<std::string> replies;
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) {
      const Json json = *parse_json<Json>(line, "message");
      const Json* error = find(json, {"error", "code"});
      const Json* result = find(json, {"result"});
      replies.insert(replies.end(), json_text(json["id"]) + " " +
                                        json_text(error != nullptr    ? *error
                                                  : result != nullptr ? *result
                                                                      : json));
    }
    return replies;
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("Each request gets one response, and nothing ends the session") {
  Session session(R"({"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}
not json
{"jsonrpc":"2.0","id":2,"method":"unknown"}
{"jsonrpc":"2.0","method":"unknown"}
{"jsonrpc":"2.0","id":3,"method":"fail"}
{"jsonrpc":"2.0","id":"four","method":"throw"}
{"jsonrpc":"2.0","method":"bad"}
{"jsonrpc":"2.0","id":5,"method":7}
{"jsonrpc":"2.0","id":77,"result":1}
{"jsonrpc":"2.0","id":"x","result":1}
{"jsonrpc":"2.0","method":"note"}
{"jsonrpc":"2.0","id":6,"method":"echo","params":[2]}
)");
  CHECK(session.replies() ==
        Lines{"1 {\"a\":1}", "null -32700", "2 -32601", "3 -32803", "\"four\" -32603", "5 -32600", "6 [2]"});
  CHECK(session.log == Lines{"echo", "note", "echo"});
}

TEST_CASE("A request that is cancelled while it waits is not computed") {
  const std::string lines = R"({"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}
{"jsonrpc":"2.0","id":2,"method":"echo","params":[2]}
{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}
{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":99}}
{"jsonrpc":"2.0","method":"$/cancelRequest","params":[]}
)";
  Session answering(lines);
  CHECK(answering.replies() == Lines{"1 [1]", "2 -32800"});
  CHECK(answering.log == Lines{"echo"});
  RpcOptions silent;
  silent.answers_cancelled = false;
  CHECK(Session(lines, silent).replies() == Lines{"1 [1]"});
}

TEST_CASE("A guard refuses messages, and stop() ends the loop") {
  Session session(R"({"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}
{"jsonrpc":"2.0","method":"note"}
{"jsonrpc":"2.0","method":"exit"}
{"jsonrpc":"2.0","id":2,"method":"echo"}
)");
  session.server.set_guard([](const Message& message) -> std::optional<RpcError> {
    if (message.method == "exit") return std::nullopt;
    return RpcError{RpcCode::kServerNotInitialized, "first initialize", nullptr};
  });
  CHECK(session.replies() == Lines{"1 -32002"});
  CHECK(session.log.empty());
}

TEST_CASE("The client's answers reach the handlers of requests to it") {
  Session session(R"({"jsonrpc":"2.0","method":"ask"}
{"jsonrpc":"2.0","id":1,"result":"yes"}
{"jsonrpc":"2.0","id":1,"result":"twice"}
)");
  session.server.on_notification("ask", [&](const Json&) {
    session.server.request("question", Json::object(),
                           [&](const Message& response) { session.log.push_back(json_text(response.result)); });
  });
  session.server.run();
  CHECK(session.log == Lines{"\"yes\""});
}

TEST_CASE("Idle work runs in pieces between messages") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const std::string first = "{\"jsonrpc\":\"2.0\",\"method\":\"note\"}\n";
  REQUIRE(write(ends[1], first.data(), first.size()) == static_cast<ssize_t>(first.size()));
  DescriptorBuffer in(ends[0]);
  std::ostringstream out;
  RpcServer server(in, out, {.framing = Framing::kLines});
  int notes = 0;
  int pieces = 0;
  server.on_notification("note", [&](const Json&) { ++notes; });
  server.on_idle([&] {
    CHECK_FALSE(server.is_busy());
    if (++pieces < 3) return true;
    if (notes == 1) {
      CHECK(write(ends[1], first.data(), first.size()) == static_cast<ssize_t>(first.size()));
      CHECK(server.is_busy());
    } else {
      close(ends[1]);
    }
    return false;
  });
  server.run();
  close(ends[0]);
  CHECK(notes == 2);
  CHECK(pieces == 4);
}

TEST_CASE("No damage to a session breaks the framing of the answers") {
  const std::string good =
      "Content-Length: 44\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"      }"
      "Content-Length: 44\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"fail\"      }";
  const auto check = [](const std::string& bytes) {
    std::stringbuf in(bytes);
    std::ostringstream out;
    RpcServer server(in, out);
    server.on_request("echo", [](const Json& params) -> Reply { return params; });
    server.run();
    std::stringbuf answers(out.str());
    MessageReader reader(answers, Framing::kHeaders);
    std::string text;
    MessageReader::Result result = reader.read(text);
    for (; result == MessageReader::Result::kMessage; result = reader.read(text)) {
      Message message;
      if (parse_message(text, {}, message) || message.kind != Message::Kind::kResponse) return false;
    }
    return result == MessageReader::Result::kEnd;
  };
  for (std::size_t size = 0; size <= good.size(); ++size) {
    CAPTURE(size);
    CHECK(check(good.substr(0, size)));
  }
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    CAPTURE(bit);
    std::string damaged = good;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    CHECK(check(damaged));
  }
}
