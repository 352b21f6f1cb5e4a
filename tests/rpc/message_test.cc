#include "lib/fronts/rpc/message.h"

#include "tests/catch.h"

using namespace hloroof::internal;

TEST_CASE("Messages are recognized") {
  struct Case {
    std::string_view text;
    int code;  // 0: accepted
    Message::Kind kind;
    std::string_view id;
  };
  using enum Message::Kind;
  const Case cases[] = {
      {R"({"jsonrpc":"2.0","id":1,"method":"m"})", 0, kRequest, "1"},
      {R"({"jsonrpc":"2.0","id":"a","method":"m","params":[1]})", 0, kRequest, "\"a\""},
      {R"({"jsonrpc":"2.0","method":"m","params":{}})", 0, kNotification, "null"},
      {R"({"jsonrpc":"2.0","id":null,"method":"m","params":null})", 0, kNotification, "null"},
      {R"({"jsonrpc":"2.0","id":3,"result":null})", 0, kResponse, "3"},
      {R"({"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"x"}})", 0, kResponse, "3"},
      {R"({"jsonrpc":"2.0","id":3,"error":7})", 0, kResponse, "3"},
      {"x", -32700, kNotification, "null"},
      {"", -32700, kNotification, "null"},
      {"[]", -32600, kNotification, "null"},
      {"7", -32600, kNotification, "null"},
      {R"({"id":1,"method":"m"})", -32600, kNotification, "1"},
      {R"({"jsonrpc":"1.0","id":1,"method":"m"})", -32600, kNotification, "1"},
      {R"({"jsonrpc":"2.0","id":1})", -32600, kResponse, "1"},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"m"})", -32600, kNotification, "null"},
      {R"({"jsonrpc":"2.0","id":{},"method":"m"})", -32600, kNotification, "null"},
      {R"({"jsonrpc":"2.0","id":1,"method":5})", -32600, kNotification, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"m","params":5})", -32600, kRequest, "1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    Message message;
    const std::optional<RpcError> error = parse_message(c.text, {}, message);
    CHECK((error ? static_cast<int>(error->code) : 0) == c.code);
    CHECK(message.kind == c.kind);
    CHECK(json_text(message.id) == c.id);
  }
}

TEST_CASE("Messages are written") {
  CHECK(json_text(request_json(4, "m", Json{{"a", 1}})) == R"({"id":4,"jsonrpc":"2.0","method":"m","params":{"a":1}})");
  CHECK(json_text(notification_json("m", nullptr)) == R"({"jsonrpc":"2.0","method":"m"})");
  CHECK(json_text(response_json("a", Json(nullptr))) == R"({"id":"a","jsonrpc":"2.0","result":null})");
  CHECK(json_text(response_json(nullptr, RpcError{RpcCode::kParseError, "bad", "more"})) ==
        R"({"error":{"code":-32700,"data":"more","message":"bad"},"id":null,"jsonrpc":"2.0"})");
}

TEST_CASE("An error repeats only a part of a long text") {
  std::string sent;
  while (sent.size() < 3'000'000) sent += "\u00e4";
  const Json error = response_json(1, RpcError{RpcCode::kInvalidParams, "no tool 'x" + sent + "'; tools/list has them",
                                               Json{{"uri", sent}}})["error"];
  const auto message = error["message"].get<std::string>();
  CHECK(message.size() < 5000);
  CHECK(message.substr(0, 12) == "no tool 'x\u00e4");
  CHECK(message.find(" bytes left out] ") != std::string::npos);
  CHECK(message.substr(message.size() - 22) == "'; tools/list has them");
  CHECK(error["data"]["uri"].get<std::string>().size() < 5000);
  CHECK(json_text(error).find("\ufffd") == std::string::npos);
}
