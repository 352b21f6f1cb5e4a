// Sessions of `hloroof mcp`: what each method answers, what the tools may read, and messages of clients that mean harm.
#include "lib/fronts/mcp/mcp_server.h"

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/fronts/cli/mcp_tools.h"
#include "tests/catch.h"
#include "tests/golden.h"
#include "tests/paths.h"
#include "tests/temporary_folder.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

constexpr char kInitialize[] =
    R"({"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}})";

// The answers to the lines of `input`.
std::vector<Json> answers_to(const std::string& folder_path, const std::string& input) {
  const absl::StatusOr<Folder> folder = Folder::open(folder_path);
  REQUIRE(folder.ok());
  const McpOptions options = mcp_options(*folder, 1 << 24);
  std::istringstream in(input);
  std::ostringstream out;
  serve_mcp(*in.rdbuf(), out, *folder, options);
  std::vector<Json> answers;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) {
    const absl::StatusOr<Json> answer = parse_json<Json>(line, "message");
    CAPTURE(line);
    REQUIRE(answer.ok());
    answers.push_back(*answer);
  }
  return answers;
}

Json answer_to(const std::string& folder, const std::string& method, const Json& params) {
  const Json request = {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
  const std::vector<Json> answers = answers_to(folder, std::string(kInitialize) + "\n" + request.dump() + "\n");
  REQUIRE(answers.size() == 2);
  CHECK(answers[1]["id"] == 1);
  return answers[1];
}

Json call(const std::string& folder, const std::string& tool, const Json& arguments) {
  const Json answer = answer_to(folder, "tools/call", {{"name", tool}, {"arguments", arguments}});
  CAPTURE(answer.dump());
  REQUIRE(find(answer, {"result"}) != nullptr);
  return answer["result"];
}

std::string text_of(const Json& result) { return result["content"][0]["text"].get<std::string>(); }

bool is_error(const Json& result) { return bool_at(result, {"isError"}).value_or(false); }

const std::string kExamples = "examples";

TEST_CASE("a session begins with a version that both know") {
  const auto version = [](const std::string& wanted) {
    Json request = Json::parse(kInitialize);
    request["params"]["protocolVersion"] = wanted;
    return answers_to(kExamples, request.dump() + "\n")[0]["result"]["protocolVersion"].get<std::string>();
  };
  CHECK(version("2025-06-18") == "2025-06-18");
  CHECK(version("2024-11-05") == "2024-11-05");
  CHECK(version("2025-03-26") == "2025-11-25");
  CHECK(version("1999-01-01") == "2025-11-25");
  const std::vector<Json> early = answers_to(kExamples, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"
                                                        "\n"
                                                        R"({"jsonrpc":"2.0","id":2,"method":"ping"})"
                                                        "\n");
  REQUIRE(early.size() == 2);
  CHECK(early[0]["error"]["message"] == "send initialize first");
  CHECK(early[1]["result"] == Json::object());
}

TEST_CASE("the description of the tools follows from that of the commands") {
  const Json tools = answer_to(kExamples, "tools/list", Json::object())["result"]["tools"];
  CHECK(tools.size() == 11);
  check_golden("tests/mcp/tools.json", tools.dump(1) + "\n");
  for (const Json& tool : tools) {
    for (const auto& [name, schema] : tool["inputSchema"]["properties"].items()) {
      CAPTURE(tool["name"].get<std::string>(), name);
      CHECK(!string_at(schema, {"description"}).value_or("").empty());
      for (const char* hidden : {"output", "o", "kernel", "wide", "jobs", "profile"}) CHECK(name != hidden);
    }
  }
}

TEST_CASE("the tools answer with what the commands print") {
  const Json files = Json::array({"ffn_block.v5e_2x4.hlo"});
  const Json device = Json::array({"tpu_v5e"});
  const Json predicted = call(kExamples, "predict", {{"file", files}, {"device", device}, {"n", 2}});
  CHECK_FALSE(is_error(predicted));
  CHECK_THAT(text_of(predicted), ContainsSubstring("step time"));
  CHECK_THAT(text_of(call(kExamples, "explain", {{"file", files[0]}, {"op", "fusion.2"}, {"device", "tpu_v5e"}})),
             ContainsSubstring("Work of one execution"));
  CHECK_THAT(text_of(call(kExamples, "memory", {{"file", files}, {"device", device}, {"n", 1}})),
             ContainsSubstring("peak"));
  CHECK_THAT(text_of(call(kExamples, "sweep", {{"file", files}, {"device", {"tpu_v5e", "tpu_v6e"}}})),
             ContainsSubstring("tpu_v6e"));
  Json scale = {{"file", "mlp_step.v5e_8.hlo"}, {"device", "tpu_v5e"}};
  CHECK_THAT(text_of(call("tests/scale", "scale", scale)), ContainsSubstring("what to scale is not given"));
  scale.update({{"axis", {"data=16"}}, {"batch", "2x"}, {"format", "json"}});
  const Json scaled = call("tests/scale", "scale", scale);
  CHECK_FALSE(is_error(scaled));
  CHECK(scaled["structuredContent"]["schema"] == "hloroof.scale/1");
  CHECK(scaled["structuredContent"]["scaled"]["devices"] == 16);
  CHECK_THAT(text_of(call(kExamples, "diff", {{"old", files[0]}, {"new", files[0]}, {"device", device}})),
             ContainsSubstring("step"));
  CHECK_THAT(text_of(call(kExamples, "devices", Json::object())), ContainsSubstring("tpu_v5p"));
  CHECK_THAT(text_of(call(kExamples, "device", {{"device", device}})), ContainsSubstring("TPU v5e, Google"));

  const Json lint =
      call(kExamples, "lint", {{"file", files}, {"device", device}, {"format", "json"}, {"max_chars", 500000}});
  CHECK_FALSE(is_error(lint));  // though the command exits with 3
  CHECK(lint["structuredContent"]["schema"] == "hloroof.lint/1");
  CHECK(parse_json<Json>(text_of(lint), "lint").value() == lint["structuredContent"]);
  const Json too_long = call(kExamples, "predict", {{"file", files}, {"device", device}, {"format", "json"}});
  CHECK(is_error(too_long));
  CHECK_THAT(text_of(too_long), ContainsSubstring("max_chars is 8000"));
}

TEST_CASE("the passes of a compile are a tool") {
  const TemporaryFolder folder;
  const std::string hlo =
      "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[64,128] parameter(0)\n  ROOT r = f32[64,128] ";
  folder.write("module_0001.jit_f.before_optimizations.txt", hlo + "negate(p)\n}\n");
  folder.write("module_0001.jit_f.0001.pipeline.after_dce.before_fusion.txt", hlo + "add(p, p)\n}\n");
  folder.write("module_0001.jit_f.after_optimizations.txt", hlo + "copy(p)\n}\n");
  fs::create_directories(folder.path() + "/root");
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    if (entry.is_regular_file()) fs::copy(entry.path(), folder.path() + "/root");
  }
  const Json result = call(folder.path(), "passes", {{"folder", {"root"}}, {"device", {"tpu_v5e"}}});
  CAPTURE(text_of(result));
  CHECK_FALSE(is_error(result));
  CHECK_THAT(text_of(result), ContainsSubstring("dce"));
}

TEST_CASE("a long answer is cut and says how to read on") {
  const Json arguments = {
      {"file", "ffn_block.v5e_2x4.hlo"}, {"op", "fusion.2"}, {"device", {"tpu_v5e"}}, {"max_chars", 600}};
  const std::string first = text_of(call(kExamples, "explain", arguments));
  CHECK(first.size() < 700);
  const std::size_t next = first.find("first_line=");
  REQUIRE(next != std::string::npos);
  Json more = arguments;
  more["first_line"] = std::stoi(first.substr(next + 11));
  CHECK(text_of(call(kExamples, "explain", more)).size() < 700);
}

TEST_CASE("wrong arguments are errors that a model can mend") {
  struct Case {
    const char* tool;
    Json arguments;
    const char* expected;
  };
  const Json file = {"narrow_heads.v5e.hlo"};
  const Json device = {"tpu_v5e"};
  const Case cases[] = {
      {"predict", Json::object(), "file is required"},
      {"predict", {{"file", file}}, "device is required"},
      {"predict", {{"file", file}, {"device", {"tpu_v5x"}}}, "tpu_v5"},
      {"predict", {{"file", file}, {"device", device}, {"output", "/tmp/x"}}, "no argument 'output'"},
      {"predict", {{"file", file}, {"device", device}, {"n", "many"}}, "takes a whole number"},
      {"predict", {{"file", file}, {"device", device}, {"n", -1}}, "takes a whole number"},
      {"predict", {{"file", file}, {"device", device}, {"n", Json::object()}}, "n takes a number"},
      {"predict", {{"file", file}, {"device", device}, {"format", "html"}}, "text, json, csv, markdown"},
      {"predict", {{"file", file}, {"device", device}, {"max_chars", 3}}, "max_chars takes"},
      {"predict", {{"file", file}, {"device", device}, {"first_line", 1.5}}, "first_line takes"},
      {"predict", {{"file", {1}}, {"device", device}}, "list of strings"},
      {"predict", {{"file", Json::array()}, {"device", device}}, "FILE"},
      {"predict", {{"file", file}, {"device", {""}}}, "must not be empty"},
      {"predict", {{"file", file}, {"device", device}, {"filter", "["}}, "filter"},
      {"explain", {{"file", file[0]}, {"op", "--output=x"}, {"device", device}}, "must not begin with a dash"},
      {"explain", {{"file", file[0]}, {"op", "no_such_op"}, {"device", device}}, "no_such_op"},
      {"passes", {{"folder", {"."}}, {"device", device}, {"all", "yes"}}, "true or false"},
  };
  for (const Case& c : cases) {
    const Json result = call(kExamples, c.tool, c.arguments);
    CAPTURE(c.tool, c.arguments.dump(), text_of(result));
    CHECK(is_error(result));
    CHECK_THAT(text_of(result), ContainsSubstring(c.expected));
  }
  CHECK(answer_to(kExamples, "tools/call", {{"name", "rm"}})["error"]["code"] == -32602);
  CHECK(answer_to(kExamples, "tools/call", {{"name", "predict"}, {"arguments", 1}})["error"]["code"] == -32602);
}

TEST_CASE("no argument of a tool reads a file outside of the folder") {
  const TemporaryFolder outer;
  const std::string root = outer.path() + "/dumps";
  fs::create_directories(root + "/a@/x");
  const std::string hlo = "HloModule m\n\nENTRY e {\n  ROOT p = f32[8] parameter(0)\n}\n";
  const std::string secret =
      outer.write("secret.hlo", "HloModule secret_name\n\nENTRY e {\n  ROOT p = f32[8] parameter(0)\n}\n");
  const std::string device = outer.write("secret.json", R"({"name": "secret_name"})");
  outer.write("dumps/m.hlo", hlo);
  outer.write("dumps/a@/x/m.hlo", hlo);
  outer.write("dumps/a", hlo);
  fs::create_symlink(secret, root + "/link.hlo");
  fs::create_symlink(secret, root + "/x");
  outer.write("dumps/x#y", hlo);
  const Json m = {"m.hlo"};
  const Json v5e = {"tpu_v5e"};
  struct Case {
    const char* tool;
    Json arguments;
  };
  const Case cases[] = {
      {"predict", {{"file", {secret}}, {"device", v5e}}},
      {"predict", {{"file", {"../secret.hlo"}}, {"device", v5e}}},
      {"predict", {{"file", {"link.hlo"}}, {"device", v5e}}},
      {"predict", {{"file", {"link.hlo#secret_name"}}, {"device", v5e}}},
      {"predict", {{"file", {"m.hlo", "../secret.hlo"}}, {"device", v5e}}},
      {"predict", {{"file", {"."}}, {"device", v5e}}},
      {"predict", {{"file", {"x#y"}}, {"device", v5e}}},
      {"predict", {{"file", {"-"}}, {"device", v5e}}},
      {"predict", {{"file", {"-#1"}}, {"device", v5e}}},
      {"predict", {{"file", {"--output=" + root + "/new"}}, {"device", v5e}}},
      {"predict", {{"file", m}, {"device", {device}}}},
      {"predict", {{"file", m}, {"device", {"tpu_v5e," + device}}}},
      {"predict", {{"file", m}, {"device", {"../secret.json"}}}},
      {"device", {{"device", {device}}}},
      {"device", {{"device", {"../secret.json"}}}},
      {"diff", {{"old", "m.hlo"}, {"new", "../secret.hlo"}, {"device", v5e}}},
      {"diff", {{"old", "m.hlo@" + device}, {"new", "m.hlo"}, {"device", v5e}}},
      {"diff", {{"old", "a@/x/m.hlo"}, {"new", "m.hlo"}, {"device", v5e}}},
      {"diff", {{"old", "m.hlo#m@" + device}, {"new", "m.hlo"}, {"device", v5e}}},
      {"lint", {{"file", m}, {"device", v5e}, {"waivers", "../secret.json"}}},
      {"lint", {{"file", m}, {"device", v5e}, {"waivers", "/etc/passwd"}}},
      {"passes", {{"folder", {".."}}, {"device", v5e}}},
      {"passes", {{"folder", {"/etc"}}, {"device", v5e}}},
  };
  for (const Case& c : cases) {
    const Json result = call(root, c.tool, c.arguments);
    CAPTURE(c.tool, c.arguments.dump(), text_of(result));
    CHECK(is_error(result));
    CHECK(text_of(result).find("secret_name") == std::string::npos);
  }
  CHECK_FALSE(fs::exists(root + "/new"));
  for (const std::string path : {"../secret.hlo", "link.hlo", "%2e%2e/secret.hlo", "..%2Fsecret.hlo", "/etc/passwd"}) {
    CAPTURE(path);
    const Json answer = answer_to(root, "resources/read", {{"uri", "hloroof:///dumps/" + path}});
    CHECK(answer["error"]["code"] == -32002);
  }
  CHECK_FALSE(is_error(call(root, "predict", {{"file", m}, {"device", v5e}})));
}

TEST_CASE("dumps and schemas are resources, a page at a time") {
  const TemporaryFolder folder;
  for (int i = 0; i < 250; ++i) folder.write("dump " + std::to_string(i) + ".hlo", "HloModule m\n");
  folder.write("notes.md", "not a dump");
  std::vector<std::string> names;
  Json params = Json::object();
  int pages = 0;
  while (true) {
    const Json result = answer_to(folder.path(), "resources/list", params)["result"];
    for (const Json& resource : result["resources"]) names.push_back(resource["uri"].get<std::string>());
    ++pages;
    if (find(result, {"nextCursor"}) == nullptr) break;
    params["cursor"] = result["nextCursor"];
  }
  CHECK(pages == 3);
  CHECK(names.size() == 250 + 12);
  const Json read = answer_to(folder.path(), "resources/read", {{"uri", names.back()}});
  CHECK(read["result"]["contents"][0]["text"] == "HloModule m\n");
  for (std::size_t i = 0; i < 10; ++i) {
    const Json schema = answer_to(folder.path(), "resources/read", {{"uri", names[i]}});
    CAPTURE(names[i]);
    CHECK(parse_json<Json>(schema["result"]["contents"][0]["text"].get<std::string>(), "schema").ok());
  }
  CHECK(answer_to(folder.path(), "resources/list", {{"cursor", "%"}})["error"]["code"] == -32602);
  CHECK(answer_to(folder.path(), "resources/list", {{"cursor", 1}})["error"]["code"] == -32602);
  CHECK(answer_to(folder.path(), "resources/templates/list", Json::object())["result"]["resourceTemplates"].size() ==
        1);
}

TEST_CASE("a proto is read as text") {
  const Json answer = answer_to("tests/proto/samples", "resources/list", Json::object());
  std::string uri;
  for (const Json& resource : answer["result"]["resources"]) {
    if (resource["uri"].get<std::string>().ends_with(".pb")) uri = resource["uri"].get<std::string>();
  }
  REQUIRE(!uri.empty());
  const Json read = answer_to("tests/proto/samples", "resources/read", {{"uri", uri}});
  CAPTURE(read.dump());
  CHECK_THAT(read["result"]["contents"][0]["text"].get<std::string>(), ContainsSubstring("HloModule"));
}

// A line that every session must still answer after whatever came before.
constexpr char kPing[] = R"({"jsonrpc":"2.0","id":"last","method":"ping"})";

void check_survives(const std::string& hostile) {
  const std::vector<Json> answers =
      answers_to(kExamples, std::string(kInitialize) + "\n" + hostile + "\n" + kPing + "\n");
  REQUIRE(!answers.empty());
  CHECK(answers.back()["id"] == "last");
}

TEST_CASE("no message ends a session") {
  const std::string call_text =
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"device","arguments":{"device":["tpu_v5e"],"max_chars":300}}})";
  for (std::size_t at = 0; at < call_text.size(); ++at) {
    check_survives(call_text.substr(0, at));
    for (int bit = 0; bit < 8; bit += 3) {
      std::string damaged = call_text;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      check_survives(damaged);
    }
  }
  const std::string messages[] = {
      "null",
      "[]",
      "{}",
      "1",
      "\"\"",
      std::string(100000, '['),
      std::string(100000, 'x'),
      std::string("\0\0", 2),
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})",
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]})",
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":null,"arguments":null}})",
      R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":1}})",
      R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"hloroof:///dumps/\u0000"}})",
      R"({"jsonrpc":"2.0","id":1,"method":"initialize"})",
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}})",
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"last2"}})",
      R"({"jsonrpc":"2.0","method":"notifications/unknown"})",
      R"({"jsonrpc":"2.0","id":99,"result":{}})",
      R"({"jsonrpc":"1.0","id":1,"method":"ping"})",
  };
  for (const std::string& message : messages) check_survives(message);
  const std::vector<Json> answers = answers_to(kExamples, std::string(kInitialize) +
                                                              "\n{\n"
                                                              R"({"jsonrpc":"2.0","id":2,"method":"prompts/list"})"
                                                              "\n");
  REQUIRE(answers.size() == 3);
  CHECK(answers[1]["error"]["code"] == -32700);
  CHECK(answers[2]["error"]["code"] == -32601);
}

TEST_CASE("a request that was cancelled while it waited has no answer") {
  const std::vector<Json> answers =
      answers_to(kExamples, std::string(kInitialize) +
                                "\n"
                                R"({"jsonrpc":"2.0","id":5,"method":"tools/list"})"
                                "\n"
                                R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})"
                                "\n" +
                                kPing + "\n");
  REQUIRE(answers.size() == 2);
  CHECK(answers[1]["id"] == "last");
}

TEST_CASE("a dump that vanishes is an error") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.hlo", "HloModule m\n");
  CHECK(answer_to(folder.path(), "resources/list", Json::object())["result"]["resources"].size() == 13);
  fs::remove(file);
  CHECK(answer_to(folder.path(), "resources/read", {{"uri", "hloroof:///dumps/m.hlo"}})["error"]["code"] == -32002);
  CHECK(is_error(call(folder.path(), "predict", {{"file", {"m.hlo"}}, {"device", {"tpu_v5e"}}})));
}

}  // namespace
}  // namespace hloroof::internal
