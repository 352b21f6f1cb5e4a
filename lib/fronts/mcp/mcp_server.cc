#include "lib/fronts/mcp/mcp_server.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "hloroof/version.h"
#include "lib/base/strings.h"
#include "lib/fronts/mcp/uri.h"
#include "lib/fronts/rpc/percent.h"
#include "lib/fronts/rpc/server.h"

namespace hloroof::internal::inline mcp {
namespace {

// Newest first. 2025-03-26 is missing because it requires batches of messages, which later versions have removed.
constexpr std::string_view kVersions[] = {"2025-11-25", "2025-06-18", "2024-11-05"};
constexpr std::size_t kPage = 100;  // resources in one answer
constexpr std::int64_t kLeastChars = 200;
constexpr std::int64_t kMostChars = 1'000'000;

RpcError invalid_params(std::string message) { return {RpcCode::kInvalidParams, std::move(message), nullptr}; }

Json text_content(std::string text) { return Json::array({Json{{"type", "text"}, {"text", std::move(text)}}}); }

Json error_result(std::string text) { return Json{{"content", text_content(std::move(text))}, {"isError", true}}; }

// The whole number `name` of the arguments of a tool; nullopt and a message if it is something else.
std::optional<std::int64_t> bounded(const Json& arguments, std::string_view name, std::int64_t least, std::int64_t most,
                                    std::int64_t by_default, std::string* wrong) {
  if (find(arguments, {name}) == nullptr) return by_default;
  const std::optional<std::int64_t> value = integer_at(arguments, {name});
  if (value && *value >= least && *value <= most) return value;
  *wrong = std::string(name) + " takes a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  return std::nullopt;
}

// Adds what every tool has to the schema of its input.
Json with_part(Json schema, const ExcerptOptions& part) {
  Json& properties = schema["properties"];
  properties["first_line"] = Json{{"type", "integer"},
                                  {"minimum", 1},
                                  {"default", 1},
                                  {"description", "First line of the result to return, to read on where it was cut"}};
  properties["max_chars"] = Json{{"type", "integer"},
                                 {"minimum", kLeastChars},
                                 {"maximum", kMostChars},
                                 {"default", part.max_bytes},
                                 {"description", "Bytes of the result to return at most; longer text is cut"}};
  return schema;
}

class Session {
 public:
  Session(std::streambuf& in, std::ostream& out, const Folder& folder, const McpOptions& options)
      : folder_(folder),
        options_(options),
        server_(in, out,
                {.framing = Framing::kLines,
                 .cancel_method = "notifications/cancelled",
                 .cancel_key = "requestId",
                 .answers_cancelled = false}) {}

  void run() {
    server_.on_request("initialize", [this](const Json& params) { return initialize(params); });
    server_.on_request("ping", [](const Json&) -> Reply { return Json::object(); });
    server_.on_request("tools/list", [this](const Json&) { return list_tools(); });
    server_.on_request("tools/call", [this](const Json& params) { return call_tool(params); });
    server_.on_request("resources/list", [this](const Json& params) { return list_resources(params); });
    server_.on_request("resources/templates/list", [](const Json&) { return list_templates(); });
    server_.on_request("resources/read", [this](const Json& params) { return read_resource(params); });
    server_.set_guard([this](const Message& message) { return guard(message); });
    server_.run();
  }

 private:
  std::optional<RpcError> guard(const Message& message) const {
    if (is_initialized_ || message.kind != Message::Kind::kRequest) return std::nullopt;
    if (message.method == "initialize" || message.method == "ping") return std::nullopt;
    return RpcError{RpcCode::kInvalidRequest, "send initialize first", nullptr};
  }

  Reply initialize(const Json& params) {
    const std::optional<std::string> wanted = string_at(params, {"protocolVersion"});
    if (!wanted) return invalid_params("initialize needs protocolVersion");
    const bool is_known = std::find(std::begin(kVersions), std::end(kVersions), *wanted) != std::end(kVersions);
    is_initialized_ = true;
    return Json{{"protocolVersion", is_known ? *wanted : std::string(kVersions[0])},
                {"capabilities", {{"tools", Json::object()}, {"resources", Json::object()}}},
                {"serverInfo", {{"name", "hloroof"}, {"version", HLOROOF_VERSION_STRING}}},
                {"instructions", options_.instructions}};
  }

  Reply list_tools() const {
    Json tools = Json::array();
    for (const McpTool& tool : options_.tools) {
      tools.push_back({{"name", tool.name},
                       {"description", tool.description},
                       {"inputSchema", with_part(tool.input_schema, options_.part)},
                       {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
    }
    return Json{{"tools", std::move(tools)}};
  }

  Reply call_tool(const Json& params) const {
    const std::optional<std::string> name = string_at(params, {"name"});
    if (!name) return invalid_params("tools/call needs the name of a tool");
    const auto tool = std::find_if(options_.tools.begin(), options_.tools.end(),
                                   [&](const McpTool& known) { return known.name == *name; });
    if (tool == options_.tools.end()) return invalid_params("there is no tool '" + *name + "'; tools/list has them");
    const Json* given = find(params, {"arguments"});
    if (given != nullptr && !given->is_object() && !given->is_null()) {
      return invalid_params("the arguments of a tool must be an object");
    }
    Json arguments = given == nullptr || given->is_null() ? Json::object() : *given;
    ExcerptOptions part = options_.part;
    std::string wrong;
    const auto first = bounded(arguments, "first_line", 1, 1'000'000'000, 1, &wrong);
    const auto most =
        bounded(arguments, "max_chars", kLeastChars, kMostChars, static_cast<std::int64_t>(part.max_bytes), &wrong);
    if (!first || !most) return error_result(wrong);
    part.first_line = static_cast<std::size_t>(*first);
    part.max_bytes = static_cast<std::size_t>(*most);
    arguments.erase("first_line");
    arguments.erase("max_chars");
    return tool_result(tool->call(arguments), part);
  }

  Json tool_result(McpResult result, const ExcerptOptions& part) const {
    result.text = folder_.relative(std::move(result.text));
    result.notes = folder_.relative(std::move(result.notes));
    if (result.is_error) return error_result(excerpt(result.text, part));
    if (!result.is_json) return Json{{"content", text_content(excerpt(result.text, part) + result.notes)}};
    if (result.text.size() > part.max_bytes) {
      return error_result(
          "the JSON has " + std::to_string(result.text.size()) + " bytes, and max_chars is " +
          std::to_string(part.max_bytes) +
          ". Ask for less with n, filter or view, leave out format to get a short text, or set max_chars");
    }
    Json answer{{"content", text_content(result.text)}};
    if (!result.notes.empty()) answer["content"].push_back({{"type", "text"}, {"text", result.notes}});
    absl::StatusOr<Json> structured = parse_json<Json>(result.text, "result", kMessageLimits);
    // The protocol wants an object there; commands that read several files print an array.
    if (structured.ok()) {
      answer["structuredContent"] =
          structured->is_object() ? *std::move(structured) : Json{{"results", *std::move(structured)}};
    }
    return answer;
  }

  Reply list_resources(const Json& params) const {
    const Json* cursor = find(params, {"cursor"});
    const bool is_first = cursor == nullptr || cursor->is_null();
    std::string after;
    if (!percent_decode(string_at(params, {"cursor"}).value_or(is_first ? "" : "%"), &after)) {
      return invalid_params("the cursor is not one of this server");
    }
    Json resources = Json::array();
    Json answer = Json::object();
    if (after.empty()) {
      for (const McpDocument& schema : options_.schemas) {
        resources.push_back({{"uri", std::string(kSchemaUri) + schema.name},
                             {"name", schema.name},
                             {"description", schema.description},
                             {"mimeType", "application/schema+json"}});
      }
    }
    const std::vector<Folder::Entry> dumps = folder_.dumps();
    auto dump = std::upper_bound(dumps.begin(), dumps.end(), after,
                                 [](const std::string& path, const Folder::Entry& entry) { return path < entry.path; });
    for (; dump != dumps.end() && resources.size() < kPage; ++dump) {
      resources.push_back({{"uri", std::string(kDumpUri) + percent_encode(dump->path)},
                           {"name", dump->path},
                           {"size", dump->bytes},
                           {"mimeType", "text/plain"}});
    }
    if (dump != dumps.end()) answer["nextCursor"] = percent_encode((dump - 1)->path);
    answer["resources"] = std::move(resources);
    return answer;
  }

  static Reply list_templates() {
    return Json{{"resourceTemplates",
                 Json::array({{{"uriTemplate", std::string(kDumpUri) + "{+path}{?first_line,max_chars}"},
                               {"name", "A dump as text"},
                               {"description", "Lines of a dump from first_line on, max_chars bytes at most"},
                               {"mimeType", "text/plain"}}})}};
  }

  Reply read_resource(const Json& params) const {
    const std::optional<std::string> text = string_at(params, {"uri"});
    if (!text) return invalid_params("resources/read needs a uri");
    ExcerptOptions part = options_.part;
    part.max_bytes = std::max<std::size_t>(part.max_bytes, 20'000);
    std::optional<ResourceUri> uri = parse_uri(*text, part);
    if (!uri) return not_found_error("no resource has this form of URI; resources/list has them", *text);
    uri->part.max_bytes = std::clamp<std::size_t>(uri->part.max_bytes, kLeastChars, kMostChars);
    if (uri->kind == kSchemaUri) return read_schema(*uri, *text);
    const absl::StatusOr<std::string> path = folder_.resolve(uri->path);
    if (!path.ok()) return not_found_error(from_absl(path.status().message()), *text);
    const absl::StatusOr<std::string> content = options_.read_dump(*path);
    if (!content.ok())
      return not_found_error(folder_.relative(std::string(from_absl(content.status().message()))), *text);
    return contents(*text, "text/plain", excerpt(*content, uri->part));
  }

  Reply read_schema(const ResourceUri& uri, const std::string& text) const {
    for (const McpDocument& schema : options_.schemas) {
      if (schema.name == uri.path) return contents(text, "application/schema+json", schema.text());
    }
    return not_found_error("there is no such schema; resources/list has them", text);
  }

  static RpcError not_found_error(std::string_view message, const std::string& uri) {
    return {RpcCode::kResourceNotFound, std::string(message), Json{{"uri", uri}}};
  }

  static Reply contents(const std::string& uri, const char* mime_type, std::string text) {
    return Json{{"contents", Json::array({Json{{"uri", uri}, {"mimeType", mime_type}, {"text", std::move(text)}}})}};
  }

  const Folder& folder_;
  const McpOptions& options_;
  RpcServer server_;
  bool is_initialized_ = false;
};

}  // namespace

void serve_mcp(std::streambuf& in, std::ostream& out, const Folder& folder, const McpOptions& options) {
  Session(in, out, folder, options).run();
}

}  // namespace hloroof::internal::inline mcp
