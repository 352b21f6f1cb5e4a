// The command `scale`: what it writes, and what it refuses.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/run.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

const std::string kProgram =
    "HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, num_partitions=8\n\nENTRY %main "
    "{\n"
    "  %w = bf16[512,4096]{1,0} parameter(0), sharding={devices=[8,1]<=[8]}\n"
    "  %x = bf16[1024,4096]{1,0} parameter(1), sharding={devices=[8,1]<=[8]}\n"
    "  %all = bf16[4096,4096]{1,0} all-gather(%w), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, "
    "use_global_device_ids=true\n"
    "  %y = bf16[1024,4096]{1,0} dot(%x, %all), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  ROOT %r = (bf16[512,4096]{1,0}, bf16[1024,4096]{1,0}) tuple(%w, %y)\n}\n";

double step_of(const std::string& file) {
  return json_of({"predict", file, "--device", "tpu_v5e", "--format", "json"}).at("step_seconds").get<double>();
}

TEST_CASE("the scaled module that is written has the step of the report") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.hlo", kProgram);
  const std::string out = folder.path() + "/out.hlo";
  const OrderedJson report =
      json_of({"scale", file, "--device", "tpu_v5e", "--axis", "0=32", "--batch", "2x", "-o", out, "--format", "json"});
  CHECK(report.at("schema").get<std::string>() == "hloroof.scale/1");
  CHECK(report.at("given").at("devices").get<int>() == 8);
  CHECK(report.at("scaled").at("devices").get<int>() == 32);
  CHECK(report.at("topology").get<std::string>() == "4x8");
  CHECK(report.at("given").at("step_seconds").get<double>() == step_of(file));
  CHECK(report.at("scaled").at("step_seconds").get<double>() == step_of(out));
  REQUIRE(report.at("changes").size() == 2);
  CHECK(report.at("changes")[0].at("from").get<std::string>() == "8");
  CHECK(report.at("changes")[1].at("what").get<std::string>() == "batch per device");
  CHECK(report.at("changes")[1].at("to").get<std::string>() == "2048");
  const CliResult text = run_hloroof({"scale", file, "--device", "tpu_v5e", "--axis", "0=32"});
  CHECK_THAT(text.out, ContainsSubstring("What is assumed"));
  CHECK_THAT(text.out, ContainsSubstring("axis 8-way from 8 to 32. Instructions with other shapes: 2;"));
}

TEST_CASE("the peaks of the report are those of HBM that other commands print, without VMEM") {
  std::string text = kProgram;
  const std::string whole = "%all = bf16[4096,4096]{1,0}";
  text.replace(text.find(whole), whole.size(), "%all = bf16[4096,4096]{1,0:S(1)}");
  const TemporaryFolder folder;
  const std::string file = folder.write("m.hlo", text);
  const OrderedJson report =
      json_of({"scale", file, "--device", "tpu_v5e", "--batch", "2x", "--format", "json"}).at("given");
  const OrderedJson memory = json_of({"memory", file, "--device", "tpu_v5e", "--format", "json"}).at("memory");
  CHECK(memory.at("vmem_peak_bytes").get<double>() > 0);
  CHECK(report.at("peak_bytes").get<double>() == memory.at("hbm_peak_bytes").get<double>());
}

TEST_CASE("the report says that arrays in VMEM would not fit there") {
  std::string text = kProgram;
  const std::string result = "%y = bf16[1024,4096]{1,0}";
  text.replace(text.find(result), result.size(), "%z = bf16[1024,4096]{1,0:S(1)}");
  const std::string root = "  ROOT";
  text.insert(text.find(root), "  %y = bf16[1024,4096]{1,0} copy(%z)\n");
  const TemporaryFolder folder;
  const std::string file = folder.write("m.hlo", text);
  const std::string sentence = "the arrays in VMEM would take 256 MiB of 128 MiB";
  const auto report = [&](const char* batch) {
    std::string out = run_hloroof({"scale", file, "--device", "tpu_v5e", "--batch", batch}).out;
    std::string words;  // without the breaks of lines
    for (const char c : out) {
      if (c != '\n' && c != ' ') words += c;
      if ((c == '\n' || c == ' ') && !words.empty() && words.back() != ' ') words += ' ';
    }
    return words;
  };
  CHECK_THAT(report("32x"), ContainsSubstring(sentence));
  CHECK_THAT(report("8x"), !ContainsSubstring("in VMEM would take"));
}

TEST_CASE("the size that a program has changes nothing, whatever the program does") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.hlo", kProgram);
  const OrderedJson report = json_of({"scale", file, "--device", "tpu_v5e", "--axis", "0=8", "--format", "json"});
  CHECK(report.at("given") == report.at("scaled"));
  CHECK(report.at("changes")[0].at("collectives").get<int>() == 0);
  CHECK(report.at("changes")[0].at("instructions").get<int>() == 0);
  const std::vector<std::string> permutes = {"scale", "examples/ffn_block.v5e_2x4.hlo", "--device", "tpu_v5e",
                                             "--axis"};
  for (const char* size : {"1=2", "1=4"}) {
    std::vector<std::string> arguments = permutes;
    arguments.emplace_back(size);
    CAPTURE(size, run_hloroof(arguments).err);
    CHECK((run_hloroof(arguments).code == kExitOk) == (std::string(size) == "1=2"));
  }
}

TEST_CASE("the report warns of rings, of which a compiler makes other programs at other sizes") {
  const std::string said = "Loops that pass blocks round the axis are kept";
  CHECK_THAT(run_hloroof({"scale", "tests/scale/ring_step.v5e_8.hlo", "--device", "tpu_v5e", "--axis", "0=16"}).out,
             ContainsSubstring(said));
  const TemporaryFolder folder;
  const std::string file = folder.write("m.hlo", kProgram);
  CHECK_THAT(run_hloroof({"scale", file, "--device", "tpu_v5e", "--axis", "0=16"}).out, !ContainsSubstring(said));
}

TEST_CASE("what scale refuses") {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.hlo", kProgram);
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{}, "what to scale is not given"},
      {{"--axis", "data"}, "--axis takes NAME=SIZE, not \"data\""},
      {{"--axis", "data=many"}, "--axis takes NAME=SIZE"},
      {{"--axis", "data=1"}, "must keep at least 2 devices"},
      {{"--axis", "data=2000000000"}, "too many devices"},
      {{"--batch", "2"}, "is no factor such as 2x"},
      {{"--batch", "2x", "-o", "-"}, "give the name of a file"},
      {{"--axis", "0=24"}, "m.hlo:4:4: error: parameter w cannot be scaled"},
      {{"--axis", "0=1024", "--topology", "4x8"}, "32 devices"},
  };
  for (const auto& c : cases) {
    std::vector<std::string> arguments = {"scale", file, "--device", "tpu_v5e"};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    CAPTURE(c.message);
    const CliResult result = run_hloroof(arguments);
    CHECK(result.code == kExitBadInput);
    CHECK_THAT(result.err, ContainsSubstring(c.message));
  }
}

}  // namespace
}  // namespace hloroof::internal
