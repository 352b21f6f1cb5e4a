// A scripted client: messages that the server receives one after the other, with time to work between them.
#ifndef HLOROOF_TESTS_LSP_SESSION_H_
#define HLOROOF_TESTS_LSP_SESSION_H_

#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/fronts/lsp/server.h"
#include "tests/catch.h"

namespace hloroof::internal {

// Gives one chunk after the other. Between them it has nothing pending.
class ChunkBuffer : public std::streambuf {
 public:
  std::vector<std::string> chunks;

 protected:
  int_type underflow() override {
    if (next_ == chunks.size()) return traits_type::eof();
    std::string& chunk = chunks[next_++];
    setg(chunk.data(), chunk.data(), chunk.data() + chunk.size());
    return chunk.empty() ? underflow_again() : traits_type::to_int_type(*gptr());
  }
  std::streamsize showmanyc() override { return 0; }

 private:
  int_type underflow_again() {
    while (next_ < chunks.size() && chunks[next_].empty()) ++next_;
    if (next_ == chunks.size()) return traits_type::eof();
    std::string& chunk = chunks[next_++];
    setg(chunk.data(), chunk.data(), chunk.data() + chunk.size());
    return traits_type::to_int_type(*gptr());
  }

  std::size_t next_ = 0;
};

inline std::string framed(const Json& message) {
  const std::string text = json_text(message);
  return "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
}

class Session {
 public:
  static constexpr const char* kUri = "file:///nowhere/program.hlo";

  int request(std::string_view method, Json params) {
    buffer_.chunks.push_back(framed(request_json(++last_id_, method, std::move(params))));
    return last_id_;
  }
  void notify(std::string_view method, Json params) {
    buffer_.chunks.push_back(framed(notification_json(method, std::move(params))));
  }
  void bytes(std::string text) { buffer_.chunks.push_back(std::move(text)); }
  void answer(int id, Json result) {
    buffer_.chunks.push_back(framed(Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}));
  }

  int initialize(Json options = {{"device", "tpu_v5e"}}, Json capabilities = Json::object(),
                 const std::string& folder = "") {
    Json folders = Json::array();
    if (!folder.empty()) folders.push_back({{"uri", uri_of_path(folder)}, {"name", "top"}});
    const int id = request("initialize", {{"capabilities", std::move(capabilities)},
                                          {"workspaceFolders", std::move(folders)},
                                          {"initializationOptions", std::move(options)}});
    notify("initialized", Json::object());
    return id;
  }
  void open(const std::string& text) {
    notify("textDocument/didOpen",
           {{"textDocument", {{"uri", kUri}, {"languageId", "hlo"}, {"version", 1}, {"text", text}}}});
  }
  void change(const Json& range, const std::string& text, int version) {
    notify("textDocument/didChange", {{"textDocument", {{"uri", kUri}, {"version", version}}},
                                      {"contentChanges", Json::array({{{"range", range}, {"text", text}}})}});
  }
  // A request about a position in the document.
  int at(std::string_view method, std::size_t line, std::size_t character, Json more = Json::object()) {
    more["textDocument"] = {{"uri", kUri}};
    more["position"] = {{"line", line}, {"character", character}};
    return request(method, std::move(more));
  }
  int about(std::string_view method, Json more = Json::object()) {
    more["textDocument"] = {{"uri", kUri}};
    return request(method, std::move(more));
  }

  // Runs the server over all messages. Returns whether it ended as the protocol demands.
  bool run() {
    std::ostringstream out;
    LanguageServer server(buffer_, out, EditorSettings());
    const bool is_clean = server.run();
    std::stringbuf answers(out.str());
    MessageReader reader(answers, Framing::kHeaders);
    std::string text;
    while (reader.read(text) == MessageReader::Result::kMessage) received.push_back(*parse_json<Json>(text, "message"));
    return is_clean;
  }

  // The result of a request; its error if it has one.
  Json result(int id) const {
    for (const Json& message : received) {
      const Json* found = find(message, {"id"});
      if (found == nullptr || *found != id || find(message, {"method"}) != nullptr) continue;
      const Json* error = find(message, {"error"});
      return error != nullptr ? *error : message.at("result");
    }
    FAIL("no answer to request " << id);
    return nullptr;
  }
  // The parameters of the messages with `method`.
  std::vector<Json> sent(std::string_view method) const {
    std::vector<Json> all;
    for (const Json& message : received) {
      const Json* params = find(message, {"params"});
      if (string_at(message, {"method"}) == method) all.insert(all.end(), params != nullptr ? *params : Json());
    }
    return all;
  }

  std::vector<Json> received;

 private:
  ChunkBuffer buffer_;
  int last_id_ = 0;
};

// A small program. Line numbers start at 0.
inline constexpr std::string_view kProgram = R"(HloModule jit_f, is_scheduled=true

%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[]{:T(128)} parameter(0)
  %y = f32[]{:T(128)} parameter(1)
  ROOT %add = f32[]{:T(128)} add(%x, %y)
}

ENTRY %main (a: bf16[2048,2048], b: bf16[2048,2048]) -> f32[2048] {
  %a = bf16[2048,2048]{1,0:T(8,128)(2,1)} parameter(0)
  %b = bf16[2048,2048]{1,0:T(8,128)(2,1)} parameter(1)
  %copy-start = (bf16[2048,2048]{1,0:T(8,128)(2,1)S(1)}, bf16[2048,2048]{1,0:T(8,128)(2,1)}, u32[]{:S(2)}) copy-start(%b)
  %dot.1 = f32[2048,2048]{1,0:T(8,128)} dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/é😀/dot" source_file="tests/lsp/session.h" source_line=3}
  %copy-done = bf16[2048,2048]{1,0:T(8,128)(2,1)S(1)} copy-done(%copy-start)
  %zero = f32[]{:T(128)} constant(0)
  ROOT %reduce = f32[2048]{0:T(1024)} reduce(%dot.1, %zero), dimensions={1}, to_apply=%sum
}
)";

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_LSP_SESSION_H_
