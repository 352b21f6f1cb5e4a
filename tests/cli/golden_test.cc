// The text of each subcommand on the shipped dumps, word for word. HLOROOF_UPDATE_GOLDEN=1 rewrites the files; whoever
// changes a number or a word reads the change in the diff.
#include "tests/golden.h"

#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/run.h"

namespace hloroof {
namespace {

struct Case {
  const char* name;
  std::vector<std::string> arguments;
  int code = kExitOk;
};

TEST_CASE("subcommands on the shipped dumps") {
  const std::string ffn = "examples/ffn_block.v5e_2x4.hlo";
  const std::string decode = "examples/decode_step.v5e.hlo";
  const std::string heads = "examples/narrow_heads.v5e.hlo";
  const std::string all_views = "summary,ops,roofline,memory,padding,collectives,timeline,critical,diagnostics";
  const std::vector<Case> cases = {
      {"predict_ffn", {"predict", ffn, "--device", "tpu_v5e"}},
      {"predict_decode", {"predict", decode, "--device", "tpu_v5e"}},
      {"predict_heads", {"predict", heads, "--device", "tpu_v5e"}},
      {"predict_ffn_views", {"predict", ffn, "--device", "tpu_v5e", "--view", all_views, "-n", "5"}},
      {"predict_decode_layers", {"predict", decode, "--device", "tpu_v5e", "--group-by", "layer"}},
      {"predict_devices", {"predict", ffn, "--device", "tpu_v5e,tpu_v5p,tpu_v6e,h100"}},
      {"predict_files", {"predict", ffn, decode, heads, "--device", "tpu_v5e"}},
      {"explain_heads", {"explain", heads, "fusion.5", "--device", "tpu_v5e"}},
      {"memory_decode", {"memory", decode, "--device", "tpu_v5e", "-n", "8"}},
      {"lint_heads", {"lint", heads, "--device", "tpu_v5e"}, kExitGateFailed},
      {"diff_devices", {"diff", ffn, ffn, "--device", "tpu_v5e"}},
      {"compare_ffn",
       {"compare", ffn, "--device", "tpu_v5e", "--profile", "tests/cli/profiles/ffn_block.v5e_2x4.trace.json.gz"}},
      {"compare_ffn_stats",
       {"compare", ffn, "--device", "tpu_v5e", "--profile", "tests/cli/profiles/ffn_block.v5e_2x4.hlo_stats.csv", "-n",
        "5"}},
      {"sweep", {"sweep", decode, heads, "--device", "tpu_v5e,tpu_v6e", "--set", "hbm.bandwidth=0.5x,1x,2x"}},
      {"sweep_two",
       {"sweep", ffn, "--device", "tpu_v5e,tpu_v6e", "--set", "hbm.bandwidth=1x,2x", "--set",
        "ici.link_bandwidth=1x,2x"}},
      {"explain_gather", {"explain", ffn, "all-gather.24", "--device", "tpu_v5e"}},
      {"explain_partial_sums", {"explain", decode, "fusion.155", "--device", "tpu_v6e"}},
      {"explain_on_chip", {"explain", decode, "copy.34", "--device", "tpu_v6e"}},
      {"explain_relayout", {"explain", heads, "copy.2", "--device", "tpu_v5e"}},
      {"counts_ffn", {"counts", ffn, "--convention", "xla"}},
  };
  for (const Case& c : cases) {
    const CliResult result = run_hloroof(c.arguments);
    CAPTURE(c.name, result.err);
    CHECK(result.code == c.code);
    CHECK(widest_line(result.out) <= 80);
    check_golden("tests/cli/golden/" + std::string(c.name) + ".txt", result.out);
  }
}

}  // namespace
}  // namespace hloroof
