// What the command says about files that are not HLO text.
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/golden.h"

namespace hloroof::internal {
namespace {

using namespace std::string_literals;

const std::string kModule =
    "HloModule jit_f, is_scheduled=true\n\nENTRY %main (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n"
    "  ROOT %r = f32[8]{0} negate(%p)\n}\n";

// Makes a file standard input while it lives.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : saved_(dup(STDIN_FILENO)) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    dup2(file, STDIN_FILENO);
    close(file);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

// Removes the folder from the paths in a text.
std::string without(std::string text, const std::string& folder) {
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
    text.erase(at, folder.size());
  }
  return text;
}

TEST_CASE("each kind of file is read or refused with a remedy") {
  const TemporaryFolder folder;
  const std::string second = "HloModule jit_g" + kModule.substr(kModule.find(','));
  std::string wide = "\xff\xfe";
  for (char c : kModule) wide += std::string({c, '\0'});
  const struct {
    const char* name;
    std::string bytes;
    const char* choice = "";
  } files[] = {
      {"step.mlir", "module @jit_f {\n  func.func public @main(%arg0: tensor<4xf32>) {\n"},
      {"step.mlirbc", "ML\xefR\x0d"s},
      {"noise.bin", "\x00\x01\x1b[31mred\x9b\x07"s},
      {"cut.pb", "\x0a\x05jit_f\x12\x04main\x1a\xff\xff\x7f"s},
      {"utf16.hlo", wide},
      {"utf16_cut.hlo", wide + "x"},
      {"utf8_mark.hlo", "\xef\xbb\xbf" + kModule},
      {"step.hlo.zst", "\x28\xb5\x2f\xfd\x04"s},
      {"step.hlo.xz", "\xfd\x37zXZ\0\0"s},
      {"step.hlo.bz2", "BZh91AY"},
      {"step.hlo.lz4", "\x04\x22\x4d\x18@"s},
      {"step.zip", "PK\x03\x04\x14"s},
      {"test.log", "12:00 compiling\n>>> print(c.as_text())\n\n" + kModule + ">>> exit()\n"},
      {"wrong.log", "12:00 compiling\n" + kModule.substr(0, kModule.size() - 5) + "q)\n}\ndone\n"},
      {"colour.hlo", "HloModule m\n\nENTRY e {\n  \x1b[31m%p = f32[] parameter(0)\n}\n"},
      {"several.txt", kModule + "log\n" + second + kModule},
      {"several.txt", kModule + "log\n" + second + kModule, "#jit_g"},
      {"several.txt", kModule + "log\n" + second + kModule, "#3"},
      {"several.txt", kModule + "log\n" + second + kModule, "#jit_f"},
      {"several.txt", kModule + "log\n" + second + kModule, "#jit_h"},
      {"empty.hlo", ""},
      {"profile.json", "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}"},
      {"hlo_stats.csv", "Rank,Program id,HLO op category,HLO op name\n"},
      {"data.json", "{\"a\": 1}"},
      {"prediction.json", "{\"schema\": \"hloroof.prediction/1\"}"},
      {"my_chip.json", "{\"schema\": \"hloroof.device/1\"}"},
      {"report.html", "<!DOCTYPE html>\n<html><title>hloroof</title>"},
      {"page.html", "<!DOCTYPE html>\n<html><title>x</title>"},
      {"graph.dot", "digraph G {\n}\n"},
      {"module.textproto", "hlo_module {\n  name: \"jit_f\"\n}\n"},
      {"buffers.txt", "BufferAssignment:\nallocation 0: size 4\n"},
      {"notes.md", "# Notes\n\nwords only\n"},
  };
  std::string all;
  const auto add = [&](const std::string& name, const CliResult& result) {
    CAPTURE(name);
    CHECK((result.code == kExitOk || result.out.empty()));
    CHECK(result.err.find('\x1b') == std::string::npos);
    all += "# " + name + "\n" + without(result.err, folder.path() + "/");
    if (result.code == kExitOk) all += result.out.substr(0, result.out.find('\n') + 1);
    all += '\n';
  };
  for (const auto& file : files) {
    const std::string path = folder.write(file.name, file.bytes);
    add(std::string(file.name) + file.choice, run_hloroof({"print", path + file.choice, "--format", "hlo"}));
  }
  add("(a folder without modules)", run_hloroof({"print", "tests/cli/golden"}));
  add("missing.hlo", run_hloroof({"print", folder.path() + "/missing.hlo"}));
  add("missing.hlo#jit_f", run_hloroof({"print", folder.path() + "/missing.hlo#jit_f"}));
  check_golden("tests/cli/golden/inputs.txt", all);
}

TEST_CASE("every command that takes a module takes standard input") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.hlo", "log\n" + kModule);
  const std::vector<std::vector<std::string>> commands = {
      {"predict", "-", "--device", "v5e-8"},
      {"predict", "-#jit_f", "--device", "v5e-8"},
      {"explain", "-", "r", "--device", "v5e"},
      {"lint", "-", "--device", "v5e"},
      {"diff", "-", file, "--device", "v5e"},
      {"diff", file, "-#1", "--device", "v5e"},
      {"sweep", "-", "--device", "v5e,v6e", "--set", "hbm.bandwidth=1x,2x"},
      {"memory", "-", "--device", "v5e"},
      {"kernel", "-", "--device", "v5e"},
      {"counts", "-"},
      {"print", "-"},
  };
  for (const std::vector<std::string>& command : commands) {
    const StandardInput input(file);
    const CliResult result = run_hloroof(command);
    CAPTURE(command, result.err);
    CHECK(result.code == kExitOk);
    CHECK_FALSE(result.out.empty());
  }
  const std::vector<std::vector<std::string>> twice_read = {{"diff", "-", "-", "--device", "v5e"},
                                                            {"diff", "-@v5e", "-#1@v6e"},
                                                            {"counts", "-", "-"},
                                                            {"print", "-", "-"},
                                                            {"compare", "-", "--profile", "-", "--device", "v5e"}};
  for (const std::vector<std::string>& command : twice_read) {
    const StandardInput input(file);
    CAPTURE(command);
    CHECK_THAT(run_hloroof(command).err, ContainsSubstring("can be read once"));
  }
  const StandardInput twice(folder.write("twice.hlo", kModule + kModule));
  CHECK_THAT(run_hloroof({"counts", "-"}).err, ContainsSubstring("such as -#1"));
}

TEST_CASE("commands warn first and once that the device would run another module") {
  constexpr char kFfnBlock[] = "examples/ffn_block.v5e_2x4.hlo";
  const std::string profile = "tests/cli/profiles/ffn_block.v5e_2x4.trace.json.gz";
  const std::vector<std::string> kCommands[] = {
      {"explain", kFfnBlock, "fusion.2"},           {"diff", kFfnBlock, kFfnBlock},
      {"compare", kFfnBlock, "--profile", profile}, {"sweep", kFfnBlock, "--set", "hbm.bandwidth=1e12,2e12"},
      {"sweep", kFfnBlock, "--format", "csv"},
  };
  for (std::vector<std::string> command : kCommands) {
    CAPTURE(command);
    const std::size_t size = command.size();
    command.insert(command.end(), {"--device", "h100_sxm"});
    const CliResult other = run_hloroof(command);
    CHECK(other.code == kExitOk);
    CHECK(other.err.find("hloroof: warning: " + std::string(kFfnBlock) + ": the module was compiled for a TPU") == 0);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = other.err.find("[wrong-backend]", at)) != std::string::npos; ++at) ++count;
    CHECK(count == 1);
    command.resize(size);
    command.insert(command.end(), {"--device", "tpu_v5e"});
    CHECK(run_hloroof(command).err.empty());
  }
}

TEST_CASE("print writes the constants of a module, or elides the large ones") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("m.hlo", "ENTRY e {\n  ROOT c = s32[12] constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})\n}\n");
  CHECK_THAT(run_hloroof({"print", file}).out, ContainsSubstring("10, 11}"));
  CHECK_THAT(run_hloroof({"print", file, "--elide-constants"}).out, ContainsSubstring("constant({...})"));
}

TEST_CASE("print writes a proto, which reads back as the same module") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.hlo", kModule);
  const std::string proto = folder.path() + "/m.pb";
  REQUIRE(run_hloroof({"print", file, "--format", "proto", "--output", proto}).code == 0);
  const std::string text = run_hloroof({"print", proto}).out;
  CHECK(text.substr(text.find('\n')) == run_hloroof({"print", file}).out.substr(kModule.find('\n')));
  const auto again = run_hloroof({"print", proto, "--format", "proto"});
  CHECK(again.code == 0);
  std::ifstream in(proto, std::ios::binary);
  CHECK((again.out == std::string{std::istreambuf_iterator<char>(in), {}}));

  const std::string elided = folder.write("c.hlo", "ENTRY e {\n  ROOT c = s32[12] constant({...})\n}\n");
  CHECK_THAT(run_hloroof({"print", elided, "--format", "proto"}).err, ContainsSubstring("c in e: the text has {...}"));
  CHECK_THAT(run_hloroof({"print", file, proto, "--format", "proto"}).err, ContainsSubstring("give one file"));
  CHECK_THAT(run_hloroof({"print", file, "--format", "proto", "--elide-constants"}).err,
             ContainsSubstring("has the values of all constants"));
}

}  // namespace
}  // namespace hloroof::internal
