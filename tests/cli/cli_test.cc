#include "lib/fronts/cli/cli.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "tests/catch.h"
#include "tests/cli/run.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;
using Folder = TemporaryFolder;
using Result = CliResult;

Result run(const std::vector<std::string>& arguments) { return run_hloroof(arguments); }

constexpr char kSmall[] = R"(HloModule small, is_scheduled=true

ENTRY main {
  a = bf16[1024,1024]{1,0:T(8,128)(2,1)} parameter(0)
  b = bf16[1024,1024]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT dot = bf16[1024,1024]{1,0:T(8,128)(2,1)} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

// A command line, its exit code and a part of its message. `@x` is file x in the folder of write_bad_files().
struct BadInput {
  const char* what;
  const char* command_line;
  int code;
  const char* message;
};

constexpr BadInput kBadInputs[] = {
    {"empty text", "predict @empty.hlo --device tpu_v5e", kExitBadInput, "empty.hlo"},
    {"truncated", "predict @cut.hlo --device tpu_v5e", kExitBadInput, "cut.hlo:"},
    {"binary junk", "predict @junk.hlo --device tpu_v5e", kExitBadInput,
     "junk.hlo: is neither HLO text nor a complete proto"},
    {"missing file", "predict @none.hlo --device tpu_v5e", kExitBadInput, "none.hlo"},
    {"folder without modules", "predict @empty --device tpu_v5e", kExitBadInput, "after_optimizations"},
    {"misspelt device", "predict @small.hlo --device tpu_v5x", kExitBadInput, "tpu_v5e"},
    {"no device", "predict @small.hlo", kExitBadInput, "tpu_v5e"},
    {"no file", "predict --device tpu_v5e", kExitBadInput, "FILE"},
    {"no subcommand", "", kExitBadInput, "which command?"},
    {"unknown subcommand", "predcit @small.hlo", kExitBadInput, "predcit"},
    {"subcommand of the Python package", "doctor", kExitBadInput, "python -m hloroof doctor"},
    {"another subcommand of the Python package", "radar radar.toml", kExitBadInput, "python -m hloroof radar"},
    {"radar without a config", "radar", kExitBadInput, "CONFIG"},
    {"unknown opcode", "predict @unknown.hlo --device tpu_v5e", kExitOk, ""},
    {"unknown opcode, strict", "predict @unknown.hlo --device tpu_v5e --strict", kExitIncomplete, "frobnicate"},
    {"unknown opcode printed", "print @unknown.hlo", kExitOk, ""},
    {"unknown opcode printed, strict", "print @unknown.hlo --strict", kExitIncomplete, "frobnicate"},
    {"too many devices", "predict @many.hlo --device tpu_v5e:2x2", kExitBadInput, "8"},
    {"too many devices, by option", "predict @many.hlo --device tpu_v5e --topology 2x2", kExitBadInput, "4"},
    {"bad topology", "predict @small.hlo --device tpu_v5e --topology 2y2", kExitBadInput, "2y2"},
    {"bad format", "predict @small.hlo --device tpu_v5e --format xml", kExitBadInput, "xml"},
    {"bad view", "predict @small.hlo --device tpu_v5e --view sumary", kExitBadInput, "summary"},
    {"bad filter", "predict @small.hlo --device tpu_v5e --filter (", kExitBadInput, "filter"},
    {"bad rewrite", "predict @small.hlo --device tpu_v5e --rewrite s/a", kExitBadInput, "s/pattern/"},
    {"bad set", "predict @small.hlo --device tpu_v5e --set hbm.bandwith=1", kExitBadInput, "hbm.bandwidth"},
    {"set to nothing", "predict @small.hlo --device tpu_v5e --set hbm.bandwidth=fast", kExitBadInput,
     "hbm.bandwidth=fast"},
    {"trip count of no loop", "predict @small.hlo --device tpu_v5e --trip-count dot=3", kExitBadInput, "dot"},
    {"bad trip count", "predict @small.hlo --device tpu_v5e --trip-count dot=x", kExitBadInput, "NAME=N"},
    {"bad custom call", "predict @small.hlo --device tpu_v5e --custom-call t=flop:3", kExitBadInput, "flops:N"},
    {"output not writable", "predict @small.hlo --device tpu_v5e -o @none/x", kExitBadInput, "none/x"},
    {"mesh too large", "predict @many.hlo --device tpu_v5e --mesh data=16", kExitBadInput, "8 devices"},
    {"bad mesh", "predict @many.hlo --device tpu_v5e --mesh data:8", kExitBadInput, "data=4,model=2"},
    {"unknown mesh axis", "predict @many.hlo --device tpu_v5e --mesh-order modle", kExitBadInput, "modle"},
    {"bad device order", "predict @many.hlo --device tpu_v5e --device-order 0,x", kExitBadInput, "0,2,1,3"},
    {"short device order", "predict @many.hlo --device tpu_v5e --device-order 0,1", kExitBadInput, "8"},
    {"bad wrap", "predict @many.hlo --device tpu_v5e --wrap yes", kExitBadInput, "on or off"},
    {"bad reduce dtype", "predict @many.hlo --device tpu_v5e --reduce-dtype int8", kExitBadInput, "s8"},
    {"bad imbalance", "predict @many.hlo --device tpu_v5e --imbalance 0.5", kExitBadInput, "from 1"},
    {"mesh given",
     "predict @many.hlo --device tpu_v5e --mesh data=4,model=2 --mesh-order data --wrap on --reduce-dtype s8", kExitOk,
     ""},
    {"no such op", "explain @small.hlo dto --device tpu_v5e", kExitBadInput, "dot"},
    {"bad gate", "diff @small.hlo @small.hlo --device tpu_v5e --fail-if speed>2", kExitBadInput, "step>+2%"},
    {"bad device file", "devices check @d.json", kExitBadInput, "d.json:1:"},
    {"unknown device shown", "devices show tpu_v55e", kExitBadInput, "tpu_v5e"},
};

// Writes the files that the command lines of kBadInputs name.
void write_bad_files(const Folder& folder) {
  const std::string text(kSmall);
  folder.write("small.hlo", text);
  folder.write("empty.hlo", "");
  folder.write("cut.hlo", text.substr(0, text.size() - 60));
  folder.write("junk.hlo", std::string("\x7f"
                                       "ELF\0\x01\xff\xfe",
                                       8));
  folder.write("unknown.hlo", R"(HloModule m, is_scheduled=true
ENTRY main {
  p = f32[8] parameter(0)
  ROOT r = f32[8] frobnicate(p)
}
)");
  folder.write("many.hlo", R"(HloModule m, is_scheduled=true, num_partitions=8
ENTRY main {
  ROOT p = f32[8] parameter(0)
}
)");
  folder.write("d.json", "{");
  fs::create_directory(fs::path(folder.path()) / "empty");
}

TEST_CASE("bad input: a message that says what is wrong, and the documented exit code") {
  const Folder folder;
  write_bad_files(folder);
  for (const BadInput& bad : kBadInputs) {
    std::vector<std::string> arguments;
    std::istringstream words(bad.command_line);
    for (std::string word; words >> word;) {
      arguments.push_back(word[0] == '@' ? folder.path() + "/" + word.substr(1) : word);
    }
    const Result result = run(arguments);
    CAPTURE(bad.what, result.out, result.err);
    CHECK(result.code == bad.code);
    CHECK_THAT(result.err, ContainsSubstring(bad.message));
    if (bad.code == kExitBadInput) CHECK(result.out.empty());
    CHECK((bad.code == kExitOk) == result.err.empty());
  }
}

TEST_CASE("without a command: what it says to begin with works in every folder") {
  const std::string said = run_hloroof({}).err;
  const std::size_t begin = said.find("echo '") + 6;
  const std::string module = said.substr(begin, said.find('\'', begin) - begin);
  CHECK_THAT(said, ContainsSubstring("' | hloroof predict - --device tpu_v5e\n"));
  const TemporaryFolder folder;
  const CliResult predicted = run_hloroof({"predict", folder.write("op.hlo", module), "--device", "tpu_v5e"});
  CAPTURE(module, predicted.err);
  CHECK(predicted.code == kExitOk);
  CHECK_THAT(predicted.out, ContainsSubstring("bound by        hbm"));
  CHECK_THAT(said, ContainsSubstring("  hloroof devices list  "));
  CHECK(run_hloroof({"devices", "list"}).code == kExitOk);
}

TEST_CASE("a program of another machine on the generic CPU: a warning, and what to name instead") {
  const CliResult result = run_hloroof({"predict", "examples/ffn_block.v5e_2x4.hlo", "--device", "cpu"});
  CHECK(result.code == kExitOk);
  CHECK_THAT(result.out, ContainsSubstring("JAX_PLATFORMS=cpu"));
}

TEST_CASE("an unknown opcode is counted and shown") {
  const Folder folder;
  const std::string file = folder.write("m.hlo",
                                        "HloModule m, is_scheduled=true\nENTRY e {\n p = f32[1024,1024] parameter(0)\n "
                                        "ROOT r = f32[1024,1024] frobnicate(p)\n}\n");
  const Result result = run({"predict", file, "--device", "tpu_v5e"});
  CHECK(result.code == kExitOk);
  CHECK_THAT(result.out, ContainsSubstring("unknown-opcode"));
  CHECK_THAT(result.out, ContainsSubstring("100.0 % unknown"));
}

TEST_CASE("a reduce-scatter-start names its addition beside what it wraps, and both are known") {
  const Folder folder;
  const std::string file = folder.write("m.hlo", R"(HloModule m, is_scheduled=true, num_partitions=2
add {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}
ENTRY e {
  p = bf16[1024,1024] parameter(0)
  start = ((bf16[1024,1024]), bf16[512,1024]) reduce-scatter-start(p), channel_id=1, replica_groups=[1,2]<=[2], use_global_device_ids=true, dimensions={0}, to_apply=add
  ROOT done = bf16[512,1024] reduce-scatter-done(start)
}
)");
  const Result result = run({"predict", file, "--device", "h100_sxm"});
  CHECK(result.code == kExitOk);
  CHECK_THAT(result.out, ContainsSubstring("100.0 % modelled"));
}

TEST_CASE("the first screen fits 80 columns and adds up") {
  const Folder folder;
  const Result result = run({"predict", folder.write("small.hlo", kSmall), "--device", "tpu_v5e"});
  REQUIRE(result.code == kExitOk);
  CHECK(widest_line(result.out) <= 80);
  for (const char* part : {"step time", "bound by", "HFU", "peak memory", "coverage", "TOTAL"}) {
    CHECK_THAT(result.out, ContainsSubstring(part));
  }
}

TEST_CASE("formats, files and devices") {
  const Folder folder;
  const std::string small = folder.write("small.hlo", kSmall);
  const auto json_of = [](const Result& result) {
    REQUIRE(result.code == kExitOk);
    auto json = parse_json(result.out, "out");
    REQUIRE(json.ok());
    return *std::move(json);
  };
  CHECK(json_of(run({"predict", small, "--device", "tpu_v5e", "--format", "json"})).is_object());
  const OrderedJson both = json_of(run({"predict", small, "--device", "tpu_v5e,tpu_v6e", "--format", "json"}));
  REQUIRE(both.is_array());
  REQUIRE(both.size() == 2);
  CHECK(both[1].at("device").at("name").get<std::string>() == "tpu_v6e");
  CHECK(json_of(run({"predict", small, "--device", "tpu_v5e", "--format", "trace"})).contains("traceEvents"));
  CHECK(json_of(run({"print", small, "--format", "json"})).contains("computations"));

  const Result csv = run({"predict", small, "--device", "tpu_v5e", "--format", "csv"});
  CHECK(csv.out.rfind("file,device,", 0) == 0);
  CHECK(std::count(csv.out.begin(), csv.out.end(), '\n') == 4);

  const Result comparison = run({"predict", small, "--device", "tpu_v5e,tpu_v5p"});
  CHECK_THAT(comparison.out, ContainsSubstring("relative"));
  CHECK_THAT(run({"print", small, "--format", "dot"}).out, ContainsSubstring("digraph"));
  CHECK(run({"print", small, "--format", "none"}).out.empty());
  CHECK_THAT(run({"print", small}).out, ContainsSubstring("ROOT"));

  const std::string out = folder.path() + "/out.json";
  const Result written = run({"predict", small, "--device", "tpu_v5e", "--format", "json", "-o", out});
  CHECK(written.out.empty());
  CHECK(fs::file_size(out) > 1000);

  // Of a dump folder the modules after optimization, of any other the .hlo files.
  CHECK(json_of(run({"predict", folder.path(), "--device", "tpu_v5e", "--format", "json"}))
            .at("module")
            .at("name")
            .get<std::string>() == "small");
  folder.write("module_0001.jit_f.after_optimizations.txt", kSmall);
  folder.write("module_0001.jit_f.before_optimizations.txt", "junk");
  folder.write("module_0001.jit_f.after_optimizations-buffer-assignment.txt", "junk");
  CHECK(json_of(run({"predict", folder.path(), "--device", "tpu_v5e", "--format", "json"})).is_object());
}

TEST_CASE("results are the same every time") {
  const Folder folder;
  const std::string small = folder.write("small.hlo", kSmall);
  for (const char* format : {"text", "json", "csv", "trace"}) {
    const std::vector<std::string> arguments = {"predict", small, "--device", "tpu_v5e", "--format", format};
    CHECK(run(arguments).out == run(arguments).out);
  }
}

TEST_CASE("timing is one line of JSON on standard error") {
  const Folder folder;
  const Result result =
      run({"print", folder.write("small.hlo", kSmall), "--format", "none", "--repeat", "3", "--timing"});
  CHECK(result.code == kExitOk);
  const auto json = parse_json(result.err, "err");
  REQUIRE(json.ok());
  CHECK(json->at("parse_seconds").get<double>() > 0);
  CHECK(json->at("bytes").get<double>() == std::string(kSmall).size());
  CHECK(json->at("instructions").get<double>() == 3);
}

TEST_CASE("gates") {
  const Folder folder;
  const std::string small = folder.write("small.hlo", kSmall);
  std::string text(kSmall);
  for (std::size_t at = 0; (at = text.find("1024,1024", at)) != std::string::npos;) text.replace(at, 9, "2048,2048");
  const std::string large = folder.write("large.hlo", text);
  const auto code = [&](const std::string& a, const std::string& b, const std::string& gate) {
    return run({"diff", a, b, "--device", "tpu_v5e", "--fail-if", gate}).code;
  };
  CHECK(code(small, small, "step>+2%") == kExitOk);
  CHECK(code(small, large, "step>+2%") == kExitGateFailed);
  CHECK(code(large, small, "step>+2%") == kExitOk);
  CHECK(code(large, small, "step<-50%") == kExitGateFailed);
  CHECK(code(small, large, "memory>1GiB") == kExitOk);
  CHECK(code(small, large, "memory>1MiB") == kExitGateFailed);
  CHECK(code(small, large, "step>+1s") == kExitOk);
  CHECK(code(small, large, "flops>=+1") == kExitGateFailed);
  const Result failed = run({"diff", small, large, "--device", "tpu_v5e", "--fail-if", "memory>1MiB"});
  CHECK_THAT(failed.err, ContainsSubstring("gate failed: memory>1MiB: memory "));
  CHECK_THAT(failed.err, ContainsSubstring(", allowed 1.00 MiB ("));

  CHECK(run({"lint", small, "--device", "tpu_v5e"}).code == kExitOk);
  std::string unscheduled(kSmall);
  unscheduled.replace(unscheduled.find(", is_scheduled=true"), 19, "");
  const std::string file = folder.write("unscheduled.hlo", unscheduled);
  CHECK(run({"lint", file, "--device", "tpu_v5e"}).code == kExitGateFailed);
  CHECK(run({"lint", file, "--device", "tpu_v5e", "--ignore", "unscheduled"}).code == kExitOk);
  CHECK(run({"lint", file, "--device", "tpu_v5e", "--fail-on", "error"}).code == kExitOk);
}

TEST_CASE("diff takes a device for each side") {
  const Folder folder;
  const std::string small = folder.write("small.hlo", kSmall);
  const std::string at = folder.write("small@tpu_v4.hlo", kSmall);  // the name of a file, not of a device
  const Result result = run({"diff", small + "@tpu_v5e", small + "@tpu_v6e"});
  CHECK(result.code == kExitOk);
  CHECK_THAT(result.out, ContainsSubstring("tpu_v5e"));
  CHECK_THAT(result.out, ContainsSubstring("on tpu_v6e"));
  CHECK(run({"diff", small, small + "@tpu_v6e", "--device", "tpu_v5e"}).out == result.out);
  CHECK(run({"diff", at, at, "--device", "tpu_v5e"}).code == kExitOk);
  CHECK_THAT(run({"diff", small, small + "@tpu_v6e"}).err, ContainsSubstring("--device is required"));
  CHECK_THAT(run({"diff", small + "@tpu_v5x", small, "--device", "tpu_v5e"}).err, ContainsSubstring("tpu_v5x"));
}

TEST_CASE("memory says whether it fits, with numbers") {
  // Seven billion parameters at 16 bytes each (weights, gradients and two moments in f32) are 112 GB.
  const Folder folder;
  const std::string file = folder.write("seven_billion.hlo", R"(HloModule m, is_scheduled=true
ENTRY main {
  w = f32[7000000000] parameter(0)
  g = f32[7000000000] parameter(1)
  m = f32[7000000000] parameter(2)
  ROOT v = f32[7000000000] parameter(3)
}
)");
  const Result result = run({"memory", file, "--device", "tpu_v5e"});
  CHECK(result.code == kExitOk);
  CHECK_THAT(result.out, ContainsSubstring("does NOT fit"));
  CHECK_THAT(result.out, ContainsSubstring("112,000,000,000 bytes"));
  CHECK(run({"lint", file, "--device", "tpu_v5e", "--fail-on", "error"}).code == kExitGateFailed);
}

TEST_CASE("explain names what each part of a line says") {
  const Folder folder;
  const std::string file = folder.write(
      "m.hlo", R"(HloModule m, is_scheduled=true, num_partitions=128
ENTRY main {
  p = bf16[32,32,8192]{2,1,0:T(8,128)(2,1)} parameter(0)
  ROOT g = bf16[32,32,65536]{2,1,0:T(8,128)(2,1)} all-gather(p), channel_id=1, dimensions={2}, use_global_device_ids=true, replica_groups={)" +
                   [] {
                     std::string groups;
                     for (int first = 0; first < 16; ++first) {
                       groups += first == 0 ? "{" : ",{";
                       for (int i = 0; i < 8; ++i) {
                         groups += (i == 0 ? "" : ",") + std::to_string(first + 16 * i);
                       }
                       groups += "}";
                     }
                     return groups;
                   }() +
                   "}\n}\n");
  const Result result = run({"explain", file, "g", "--device", "tpu_v5e"});
  CAPTURE(result.err);
  REQUIRE(result.code == kExitOk);
  for (const char* part : {"16 groups of 8", "stride-16", "bf16[32,32,8192] a device", "bf16[32,32,65536]",
                           "share a 32-bit sublane", "HBM"}) {
    CHECK_THAT(result.out, ContainsSubstring(part));
  }
}

TEST_CASE("help, version and devices") {
  CHECK(run({"--help"}).code == kExitOk);
  CHECK_THAT(run({"--version"}).out, ContainsSubstring("hloroof"));
  for (const char* name : {"predict", "explain", "lint", "diff", "memory", "kernel", "print", "devices"}) {
    CHECK(run({name, "--help"}).code == kExitOk);
    CHECK_THAT(run({"--help"}).out, ContainsSubstring(name));
  }
  CHECK_THAT(run({"devices", "list"}).out, ContainsSubstring("tpu_v5e"));
  CHECK_THAT(run({"devices", "show", "tpu_v5e"}).out, ContainsSubstring("hbm.bandwidth"));
}

}  // namespace
}  // namespace hloroof::internal
