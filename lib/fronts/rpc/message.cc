#include "lib/fronts/rpc/message.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline rpc {
namespace {

bool is_id(const Json& value) { return value.is_string() || value.is_number_integer(); }

RpcError invalid_request(std::string message) { return {RpcCode::kInvalidRequest, std::move(message), nullptr}; }

RpcError error_of_response(const Json& error) {
  RpcError result;
  const std::int64_t code = integer_at(error, {"code"}).value_or(0);
  constexpr std::int64_t kMost = 1 << 30;
  if (code >= -kMost && code <= kMost) result.code = static_cast<RpcCode>(code);
  result.message = string_at(error, {"message"}).value_or("");
  if (const Json* data = find(error, {"data"}); data != nullptr) result.data = *data;
  return result;
}

Json with_version() { return Json{{"jsonrpc", "2.0"}}; }

// Errors repeat what a client sent, which may have the size of a whole message.
constexpr std::size_t kMostErrorBytes = 4000;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// Replaces the middle of a long text, so that what is wrong and what to do about it remain. Cuts between characters.
std::string cut(std::string text) {
  if (text.size() <= kMostErrorBytes) return text;
  std::size_t head = kMostErrorBytes / 2;
  std::size_t tail = text.size() - kMostErrorBytes / 2;
  while (head > 0 && !begins_character(text[head])) --head;
  while (tail < text.size() && !begins_character(text[tail])) ++tail;
  return absl::StrCat(text.substr(0, head), " [", tail - head, " bytes left out] ", text.substr(tail));
}

// Cuts a text, or the texts of an object.
Json cut_data(Json data) {
  if (data.is_string()) return cut(data.get<std::string>());
  if (!data.is_object()) return data;
  for (Json& member : data) {
    if (member.is_string()) member = cut(member.get<std::string>());
  }
  return data;
}

}  // namespace

std::optional<RpcError> parse_message(std::string_view text, const JsonLimits& limits, Message& message) {
  message = Message();
  absl::StatusOr<Json> parsed = parse_json<Json>(text, "message", limits);
  if (!parsed.ok()) return RpcError{RpcCode::kParseError, std::string(from_absl(parsed.status().message())), nullptr};
  Json& json = *parsed;
  if (json.is_array()) return invalid_request("batches of messages are not supported: send one message at a time");
  if (!json.is_object()) return invalid_request("a message must be a JSON object");
  const Json* id = find(json, {"id"});
  if (id != nullptr && is_id(*id)) message.id = *id;
  if (string_at(json, {"jsonrpc"}) != "2.0") return invalid_request("a message must have \"jsonrpc\": \"2.0\"");
  if (id != nullptr && !is_id(*id) && !id->is_null()) {
    return invalid_request("the id of a message must be a string or a whole number");
  }

  if (const Json* method = find(json, {"method"}); method != nullptr) {
    if (!method->is_string()) return invalid_request("the method of a message must be a string");
    message.method = method->get<std::string>();
    message.kind = message.id.is_null() ? Message::Kind::kNotification : Message::Kind::kRequest;
    if (const auto params = json.find("params"); params != json.end()) {
      if (!params->is_structured() && !params->is_null()) {
        return invalid_request("the params of a message must be an object or an array");
      }
      message.params = std::move(*params);
    }
    return std::nullopt;
  }

  message.kind = Message::Kind::kResponse;
  const auto result = json.find("result");
  const Json* error = find(json, {"error"});
  if (result == json.end() && error == nullptr) return invalid_request("a message must have a method or a result");
  if (error != nullptr) message.error = error_of_response(*error);
  if (result != json.end()) message.result = std::move(*result);
  return std::nullopt;
}

Json request_json(const Json& id, std::string_view method, Json params) {
  Json json = notification_json(method, std::move(params));
  json["id"] = id;
  return json;
}

Json notification_json(std::string_view method, Json params) {
  Json json = with_version();
  json["method"] = std::string(method);
  if (!params.is_null()) json["params"] = std::move(params);
  return json;
}

Json response_json(const Json& id, Reply reply) {
  Json json = with_version();
  json["id"] = id;
  if (Json* result = std::get_if<Json>(&reply); result != nullptr) {
    json["result"] = std::move(*result);
    return json;
  }
  RpcError& error = std::get<RpcError>(reply);
  Json& described = json["error"] = Json::object();
  described["code"] = static_cast<int>(error.code);
  described["message"] = cut(std::move(error.message));
  if (!error.data.is_null()) described["data"] = cut_data(std::move(error.data));
  return json;
}

}  // namespace hloroof::internal::inline rpc
