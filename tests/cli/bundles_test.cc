// The command `bundles` on dumps of libtpu: what it writes, and what it refuses.
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/run.h"

namespace hloroof::internal {
namespace {

CliResult bundles(const std::string& path, const std::string& device, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"bundles", path, "--device", device};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_hloroof(arguments);
}

TEST_CASE("a block size that spills on v5e does not on v6e") {
  const CliResult v5e = bundles("tests/code/samples/matmul_v5e", "v5e");
  CHECK(v5e.code == kExitOk);
  CHECK_THAT(v5e.out, ContainsSubstring("257 + 87  matmul.1"));
  const OrderedJson json = json_of({"bundles", "tests/code/samples/matmul_v5e", "--device", "v5e", "--format", "json"});
  CHECK(json.at("ops")[0].at("model_seconds").get<double>() > 0);
  const CliResult v6e = bundles("tests/code/samples/matmul_v6e", "v6e");
  CHECK(v6e.code == kExitOk);
  CHECK_THAT(v6e.out, !ContainsSubstring("spills:"));
}

TEST_CASE("bundles in JSON, CSV and Markdown") {
  const OrderedJson json = json_of({"bundles", "tests/code/samples/ops_v5e", "--device", "v5e", "--format", "json"});
  CHECK(json.at("schema") == "hloroof.bundles/1");
  CHECK(json.at("device") == "tpu_v5e");
  const OrderedJson& ops = json.at("ops");
  REQUIRE(ops.size() == 3);
  CHECK(ops[0].at("op") == "copy.21");  // the longest first
  CHECK(ops[0].at("busy_cycles") == 6);
  CHECK(ops[0].at("hbm_bytes_written") == 2097152);
  CHECK(ops[0].at("units").size() == 9);
  const CliResult csv = bundles("tests/code/samples/ops_v5e", "v5e", {"--format", "csv"});
  CHECK_THAT(csv.out, ContainsSubstring("tpu_v5e,copy.21,"));
  const CliResult markdown = bundles("tests/code/samples/matmul_v5e", "v5e", {"--format", "markdown"});
  CHECK_THAT(markdown.out, ContainsSubstring("- `matmul.1`: The code spills"));
}

TEST_CASE("a prediction by code, and the code of one op") {
  const std::string folder = "tests/code/samples/matmul_v5e";
  const std::string file = folder + "/1795705433804301779-TLP-hlo.txt";
  const CliResult predicted = run_hloroof({"predict", file, "--device", "v5e", "--code", folder});
  CHECK(predicted.code == kExitOk);
  CHECK_THAT(predicted.out, ContainsSubstring("100.0 % by the compiler's code"));
  CHECK_THAT(predicted.out, !ContainsSubstring("  trust"));
  const OrderedJson step = json_of({"predict", file, "--device", "v5e", "--code", folder, "--format", "json"});
  CHECK(step.at("coverage").at("code") == 1);
  CHECK(step.at("ops").back().at("source") == "code");
  const CliResult explained = run_hloroof({"explain", file, "matmul.1", "--device", "v5e", "--code", folder});
  CHECK_THAT(explained.out, ContainsSubstring("257 + 87  matmul.1"));
  CHECK_THAT(explained.out, ContainsSubstring("matmul.py:20"));
  CHECK_THAT(explained.out, ContainsSubstring("bundles of the code"));
  const OrderedJson op =
      json_of({"explain", file, "matmul.1", "--device", "v5e", "--code", folder, "--format", "json"});
  CHECK(op.at("code").at("vector_fills") == 257);
  CHECK(op.at("code").at("model_seconds").get<double>() > 0);
  const CliResult other = run_hloroof({"predict", "examples/decode_step.v5e.hlo", "--device", "v5e", "--code", folder});
  CHECK(other.code == kExitBadInput);
  CHECK_THAT(other.err, ContainsSubstring("is not of the program"));
}

TEST_CASE("one file, and a file that is no code beside others") {
  const TemporaryFolder folder;
  folder.write("1-good-01-packed-bundles-post-ra.txt", "     0   :  { %v1_v0 = vadd.f32 %v1_v0, %v1_v0 }\n");
  const CliResult one = bundles(folder.path() + "/1-good-01-packed-bundles-post-ra.txt", "v5e");
  CHECK(one.code == kExitOk);
  CHECK_THAT(one.out, ContainsSubstring("good"));
  folder.write("2-bad-01-packed-bundles-post-ra.txt", "     0   :  { %v1_v0 = vadd.f32");
  const CliResult both = bundles(folder.path(), "v5e");
  CHECK(both.code != kExitOk);
  CHECK_THAT(both.out, ContainsSubstring("good"));
  CHECK_THAT(both.err, ContainsSubstring("2-bad-01-packed-bundles-post-ra.txt:1:13: error: the bundle does not end"));
}

TEST_CASE("a count that depends on data is unknown, and says on what") {
  const TemporaryFolder folder;
  folder.write("1-loop-01-packed-bundles-post-ra.txt",
               "     0   :  { %s1_s0 = sld [smem:[#allocation3]] }\n"
               "   0x1   :  { %p1_p0 = scmp.lt.s32.totalorder %s1_s0, 4 }\n"
               "   0x2   :  { %1 = sbr.rel (%p1_p0) target bundleno = 0 (0x0) }\n"
               "   0x3   :  {}\n   0x4   :  {}\n   0x5   :  {}\n   0x6   :  {}\n");
  const CliResult result = bundles(folder.path(), "v5e", {"--wide"});
  CHECK(result.code == kExitOk);
  CHECK_THAT(result.out, ContainsSubstring("?"));
  CHECK_THAT(result.out, ContainsSubstring("needs the result of `%s1_s0 = sld [smem:[#allocation3]]` in line 1"));
}

TEST_CASE("what bundles refuses") {
  CHECK_THAT(bundles("tests/code", "v5e").err, ContainsSubstring("--xla_jf_dump_to=FOLDER"));
  CHECK_THAT(bundles("tests/code/samples/ops_v5e", "h100").err, ContainsSubstring("is no TPU"));
  CHECK_THAT(run_hloroof({"bundles", "tests/code/samples/ops_v5e"}).err, ContainsSubstring("--device"));
  CHECK_THAT(bundles("tests/code/samples/ops_v5e", "v5e,v6e").err, ContainsSubstring("one device"));
}

}  // namespace
}  // namespace hloroof::internal
