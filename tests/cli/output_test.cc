// Output that could not be written is an error of every subcommand.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/run.h"

namespace hloroof::internal {
namespace {

constexpr char kModule[] =
    "HloModule jit_f, is_scheduled=true\n\nENTRY %main (p: f32[8,128]) -> f32[8,128] {\n"
    "  %p = f32[8,128]{1,0} parameter(0)\n  ROOT %r = f32[8,128]{1,0} negate(%p)\n}\n";
constexpr char kProfile[] = "HLO op name,#Occurrences,Total self time (us)\nr,1,1\n";

// The view alone is made from fewer lists than beside another (Detail::kSummary).
TEST_CASE("the view summary is the same alone and beside another view") {
  for (const char* file : {"examples/ffn_block.v5e_2x4.hlo", "examples/decode_step.v5e.hlo",
                           "examples/narrow_heads.v5e.hlo", "tests/corpus/y_default_while.hlo"}) {
    CAPTURE(file);
    const std::vector<std::string> alone = {"predict", file, "--device", "tpu_v5e", "--view", "summary"};
    std::vector<std::string> beside = alone;
    beside.insert(beside.end(), {"--view", "breakdown"});
    const std::string text = run_hloroof(alone).out;
    CHECK(text.size() > 200);
    CHECK(run_hloroof(beside).out.substr(0, text.size()) == text);
  }
}

TEST_CASE("output that could not be written is an error in every subcommand") {
  if (!std::filesystem::exists("/dev/full")) return;  // Linux only
  const TemporaryFolder folder;
  const std::string file = folder.write("step.hlo", kModule);
  folder.write("module_0001.jit_f.before_optimizations.txt", kModule);
  folder.write("module_0001.jit_f.after_optimizations.txt", kModule);
  const std::string tokens = folder.write("tokens.hlo",
                                          "HloModule m\n\nENTRY %main {\n  %p = s32[8,128]{1,0} parameter(0)\n"
                                          "  ROOT %r = s32[8,128]{1,0} negate(%p)\n}\n");
  const std::vector<std::vector<std::string>> commands = {
      {"predict", file, "--device", "tpu_v5e"},
      {"predict", file, "--device", "tpu_v5e", "--format", "json"},
      {"predict", file, "--device", "tpu_v5e", "--format", "html"},
      {"predict", file, "--device", "tpu_v5e", "--format", "trace"},
      {"explain", file, "r", "--device", "tpu_v5e"},
      {"lint", file, "--device", "tpu_v5e"},
      {"lint", "--codes"},
      {"compare", file, "--profile", folder.write("profile.csv", kProfile), "--device", "tpu_v5e"},
      {"diff", file, file, "--device", "tpu_v5e"},
      {"sweep", file, "--device", "tpu_v5e"},
      {"passes", folder.path(), "--device", "tpu_v5e"},
      {"reschedule", file, "--device", "tpu_v5e", "--trials", "20"},
      {"scale", tokens, "--device", "tpu_v5e", "--batch", "2x"},
      {"memory", file, "--device", "tpu_v5e"},
      {"bundles", "tests/code/samples/matmul_v5e", "--device", "tpu_v5e"},
      {"kernel", file, "--device", "tpu_v5e"},
      {"counts", file},
      {"print", file},
      {"devices", "list"},
      {"devices", "show", "tpu_v5e"},
      {"completion", "bash"},
      {"man"},
      {"--help"},
      {"--version"},
      {"predict", "--help-all"},
  };
  std::set<std::string> covered = {"calibrate",        // writes as the others do, and needs a file of measurements
                                   "doctor", "radar",  // the Python package answers them
                                   "lsp", "mcp"};      // answer standard input
  for (const std::vector<std::string>& arguments : commands) covered.insert(arguments.front());
  std::istringstream help(run_hloroof({"--help"}).out);
  std::string line;
  while (std::getline(help, line) && line != "Commands:") {
  }
  while (std::getline(help, line) && line.rfind("  ", 0) == 0) {
    if (line[2] == ' ') continue;  // the text of the command above
    CAPTURE(line);
    CHECK(covered.count(line.substr(2, line.find(' ', 2) - 2)) == 1);
  }
  for (const std::vector<std::string>& arguments : commands) {
    CAPTURE(arguments);
    std::ostringstream taken;
    std::ostringstream err;
    const int code = run_cli(arguments, taken, err);
    CAPTURE(err.str());
    REQUIRE(code == kExitOk);  // so that the error below is that of the full disk
    std::ofstream full("/dev/full");
    CHECK(run_cli(arguments, full, err) == kExitBadInput);
    CHECK_THAT(err.str(), ContainsSubstring("cannot write the result to standard output"));
  }
}

TEST_CASE("a failed gate does not hide that the output could not be written") {
  if (!std::filesystem::exists("/dev/full")) return;
  const TemporaryFolder folder;
  const std::string file = folder.write("step.hlo", kModule);
  std::ofstream full("/dev/full");
  std::ostringstream err;
  CHECK(run_cli({"lint", file, "--device", "gpu_h100_sxm", "--fail-on", "info"}, full, err) == kExitBadInput);
}

}  // namespace
}  // namespace hloroof::internal
