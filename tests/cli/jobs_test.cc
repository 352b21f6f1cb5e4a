// Predicting on several threads: the output, the messages and the exit code are those of one thread.
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/run.h"

namespace hloroof::internal {
namespace {

constexpr char kFfn[] = "examples/ffn_block.v5e_2x4.hlo";
constexpr char kDecode[] = "examples/decode_step.v5e.hlo";

TEST_CASE("the output does not depend on the number of threads") {
  const TemporaryFolder folder;
  const std::string broken = folder.write("broken.hlo", "HloModule m\n\nENTRY e {\n  ROOT p = f32[] parametre(0\n}\n");
  const std::string log =
      folder.write("step.log", "12:00 compiling\nHloModule m\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n");
  const TemporaryFolder dumps;
  for (int i = 0; i < 8; ++i) {
    const std::string elements = std::to_string(1 << (20 - i));
    dumps.write("module_0001.m.000" + std::to_string(i) + ".main.after_pass" + std::to_string(i) + ".before_next.txt",
                i == 5 ? "HloModule m" : "HloModule m\nENTRY e {\n  ROOT p = f32[" + elements + "] parameter(0)\n}\n");
  }
  const std::string missing = folder.path() + "/missing.hlo";
  const std::vector<std::vector<std::string>> commands = {
      {"predict", kFfn, kDecode, "--device", "tpu_v5e"},
      {"predict", kFfn, broken, kDecode, missing, log, "--device", "tpu_v5e,tpu_v6e", "--format", "json"},
      {"predict", kFfn, kDecode, "--device", "tpu_v5e", "--view", "ops,critical"},
      {"predict", kFfn, kDecode, "--device", "tpu_v5e,h100_sxm", "--topology", "2x4,4x4,zebra"},
      {"sweep", kFfn, kDecode, "--device", "tpu_v5e,tpu_v6e", "--set", "hbm.bandwidth=0.5x,1x,2x", "--set",
       "clock=1x,2x"},
      {"sweep", kFfn, broken, kDecode, "--device", "tpu_v5e", "--set", "hbm.bandwidth=-1,1e11,2e11", "--format", "csv"},
      {"lint", kFfn, kDecode, "--device", "tpu_v5e"},
      {"memory", kFfn, kDecode, "--device", "tpu_v5e"},
      {"kernel", kFfn, kDecode, "--device", "tpu_v5e"},
      {"predict", missing, broken, "--device", "tpu_v5e"},
      {"passes", dumps.path(), "--device", "tpu_v5e", "--all"},
      {"passes", dumps.path(), dumps.path(), "--device", "tpu_v5e", "--format", "json"},
  };
  for (const std::vector<std::string>& command : commands) {
    const auto with_jobs = [&](const char* jobs) {
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {"-j", jobs});
      return run_hloroof(arguments);
    };
    const CliResult one = with_jobs("1");
    CHECK(one.out.size() + one.err.size() > 100);
    for (const char* jobs : {"2", "5", "0"}) {
      CAPTURE(command, jobs);
      const CliResult several = with_jobs(jobs);
      CHECK(several.code == one.code);
      CHECK(several.out == one.out);
      CHECK(several.err == one.err);
    }
  }
}

TEST_CASE("a number of threads is a whole number") {
  CHECK(run_hloroof({"predict", kFfn, "--device", "tpu_v5e", "-j", "-1"}).code != kExitOk);
  CHECK(run_hloroof({"predict", kFfn, "--device", "tpu_v5e", "--jobs", "two"}).code != kExitOk);
}

}  // namespace
}  // namespace hloroof::internal
