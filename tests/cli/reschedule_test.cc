// The command `reschedule`: what it writes, and what it refuses.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

const std::string kScheduled =
    "HloModule m, is_scheduled=true, num_partitions=8\n\nENTRY %main {\n"
    "  %p = bf16[1024,1024]{1,0} parameter(0)\n  %w = bf16[4096,4096]{1,0} parameter(1)\n"
    "  %gather = (bf16[1024,1024]{1,0}, bf16[8192,1024]{1,0}) all-gather-start(%p), channel_id=1, "
    "replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true\n"
    "  %gathered = bf16[8192,1024]{1,0} all-gather-done(%gather)\n"
    "  %dot = bf16[4096,4096]{1,0} dot(%w, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  ROOT %r = (bf16[8192,1024]{1,0}, bf16[4096,4096]{1,0}) tuple(%gathered, %dot)\n}\n";

std::string contents_of(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

double step_of(const std::string& file) {
  return json_of({"predict", file, "--device", "tpu_v5e", "--format", "json"}).at("step_seconds").get<double>();
}

TEST_CASE("the module that is written has the step of the report") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.hlo", kScheduled);
  const std::string out = folder.path() + "/out.hlo";
  const OrderedJson report =
      json_of({"reschedule", file, "--device", "tpu_v5e", "--seconds", "1e5", "-o", out, "--format", "json"});
  CHECK(report.at("schema").get<std::string>() == "hloroof.reschedule/1");
  CHECK(report.at("end").get<std::string>() == "nothing_better");
  CHECK(report.at("before").at("step_seconds").get<double>() == step_of(file));
  CHECK(report.at("after").at("step_seconds").get<double>() == step_of(out));
  CHECK(step_of(out) < step_of(file));
  REQUIRE(report.at("moves").size() == 1);
  CHECK(report.at("moves")[0].at("op").get<std::string>() == "gathered");
  CHECK(contents_of(file) == kScheduled);
  // The result is the best order found, so another run keeps it.
  const std::string again = folder.path() + "/again.hlo";
  const CliResult second = run_hloroof({"reschedule", out, "--device", "tpu_v5e", "--seconds", "1e5", "-o", again});
  CHECK_THAT(second.out, ContainsSubstring("The order that came in is the best one found."));
  CHECK(contents_of(again) == contents_of(out));
}

TEST_CASE("what reschedule refuses") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.hlo", kScheduled);
  std::string unscheduled = kScheduled;
  unscheduled.erase(unscheduled.find(", is_scheduled=true"), std::string(", is_scheduled=true").size());
  const std::string other = folder.write("unscheduled.hlo", unscheduled);
  const std::string out = folder.path() + "/out.hlo";
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  const Case cases[] = {
      {{"reschedule", other, "--device", "tpu_v5e", "-o", out}, "no schedule (is_scheduled=true)"},
      {{"reschedule", file, "--device", "tpu_v5e", "-o", "-"}, "give the name of a file"},
      {{"reschedule", file, "--device", "tpu_v5e", "--seconds", "-1", "-o", out}, "--seconds must be"},
      {{"reschedule", file, "--device", "tpu_v5e", "--seconds", "nan", "-o", out}, "--seconds"},
      {{"reschedule", file, "--device", "tpu_v5e", "--trials", "0", "-o", out}, "--trials"},
      {{"reschedule", file, "--device", "tpu_v5e", "--seed", "-1", "-o", out}, "--seed"},
      {{"reschedule", file, "--device", "tpu_v5e", "--memory-limit", "1", "-o", out}, "raise the limit"},
      {{"reschedule", file, "--device", "tpu_v99", "-o", out}, "tpu_v99"},
      {{"reschedule", file, "-o", out}, "--device"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.arguments);
    const CliResult refused = run_hloroof(c.arguments);
    CHECK(refused.code == kExitBadInput);
    CHECK_THAT(refused.err, ContainsSubstring(c.message));
    CHECK(refused.out.empty());
    CHECK(!std::ifstream(out).good());
  }
}

// A transfer that nothing can hide whole.
TEST_CASE("--trials and --seed determine the search, and the report says so") {
  std::string text = kScheduled;
  const std::string product =
      "%dot = bf16[4096,4096]{1,0} dot(%w, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  text.replace(text.find(product), product.size(), "%dot = bf16[4096,4096]{1,0} copy(%w)");
  const TemporaryFolder folder;
  const std::string file = folder.write("m.hlo", text);
  const std::vector<std::string> command = {"reschedule", file,       "--device", "tpu_v5e", "--seconds",
                                            "1e5",        "--trials", "50",       "--seed",  "7"};
  const CliResult result = run_hloroof(command);
  CHECK_THAT(result.out, ContainsSubstring("50 orders predicted, seed 7: --trials ended the search"));
  CHECK(run_hloroof(command).out == result.out);
  std::vector<std::string> as_json = command;
  as_json.insert(as_json.end(), {"--format", "json"});
  const OrderedJson report = json_of(as_json);
  CHECK(report.at("trials").get<int>() == 50);
  CHECK(report.at("seed").get<int>() == 7);
  CHECK(report.at("end").get<std::string>() == "trials");
}

TEST_CASE("--seconds may end the search, and the report says so") {
  const TemporaryFolder folder;
  const CliResult result =
      run_hloroof({"reschedule", folder.write("m.hlo", kScheduled), "--device", "tpu_v5e", "--seconds", "0"});
  CHECK(result.code == kExitOk);
  CHECK_THAT(result.out, ContainsSubstring("--seconds ended the search"));
}

TEST_CASE("the constants of a proto are written whole") {
  const TemporaryFolder folder;
  std::string values;
  for (int i = 0; i < 5000; ++i) values += (i == 0 ? "" : ", ") + std::to_string(i);
  const std::string text = "HloModule m, is_scheduled=true\n\nENTRY %main {\n  %c = s32[5000]{0} constant({" + values +
                           "})\n  %p = s32[5000]{0} parameter(0)\n  ROOT %r = s32[5000]{0} add(%c, %p)\n}\n";
  const std::string proto = folder.path() + "/m.hlo.pb";
  const std::string file = folder.write("m.hlo", text);
  REQUIRE(run_hloroof({"print", file, "--format", "proto", "-o", proto}).code == kExitOk);
  const std::string out = folder.path() + "/out.hlo";
  const CliResult result = run_hloroof({"reschedule", proto, "--device", "tpu_v5e", "--trials", "20", "-o", out});
  INFO(result.err);
  REQUIRE(result.code == kExitOk);
  CHECK_THAT(contents_of(out), ContainsSubstring("4998, 4999}"));
}

}  // namespace
}  // namespace hloroof::internal
