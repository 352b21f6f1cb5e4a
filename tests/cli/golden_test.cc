// The text of each subcommand on the shipped dumps, word for word. HLOROOF_UPDATE_GOLDEN=1 rewrites the files; whoever
// changes a number or a word reads the change in the diff.
#include "tests/golden.h"

#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/run.h"

namespace hloroof::internal {
namespace {

// Devices with frozen, round numbers: recalibrating a chip does not rewrite the files.
const std::string kTpuX = "tests/devices/tpu_x.json";
const std::string kTpuY = "tests/devices/tpu_y.json";
const std::string kGpuX = "tests/devices/gpu_x.json";

struct Case {
  const char* name;
  std::vector<std::string> arguments;
  int code = kExitOk;
};

TEST_CASE("subcommands on the shipped dumps") {
  const std::string ffn = "examples/ffn_block.v5e_2x4.hlo";
  const std::string decode = "examples/decode_step.v5e.hlo";
  const std::string free_cache = "examples/decode_step_free_cache.v5e.hlo.gz";
  const std::string heads = "examples/narrow_heads.v5e.hlo";
  const std::string scanned = "tests/report/dumps/scanned_layers.v5e.hlo";
  const std::string attention = "tests/report/dumps/flash_attention.v5e.hlo";
  const std::string causal = "tests/kernel/samples/causal.hlo";
  const std::string all_views = "summary,ops,layers,roofline,memory,padding,collectives,timeline,critical,diagnostics";
  const std::vector<Case> cases = {
      {"predict_ffn", {"predict", ffn, "--device", kTpuX}},
      {"predict_decode", {"predict", decode, "--device", kTpuX}},
      {"predict_heads", {"predict", heads, "--device", kTpuX}},
      {"predict_ffn_views", {"predict", ffn, "--device", kTpuX, "--view", all_views, "-n", "5"}},
      {"predict_decode_layers", {"predict", decode, "--device", kTpuX, "--group-by", "layer"}},
      {"predict_scanned_layers", {"predict", scanned, "--device", kTpuX, "--view", "layers"}},
      {"predict_scanned_similar", {"predict", scanned, "--device", kTpuX, "--view", "ops", "--group-by", "similar"}},
      {"predict_devices", {"predict", ffn, "--device", kTpuX + "," + kTpuY + "," + kGpuX}},
      {"predict_files", {"predict", ffn, decode, heads, "--device", kTpuX}},
      {"explain_heads", {"explain", heads, "fusion.5", "--device", kTpuX}},
      {"memory_decode", {"memory", decode, "--device", kTpuX, "-n", "8"}},
      {"lint_heads", {"lint", heads, "--device", kTpuX}, kExitGateFailed},
      {"diff_same", {"diff", ffn, ffn, "--device", kTpuX}},
      {"diff_devices", {"diff", ffn + "@" + kTpuX, ffn + "@" + kTpuY, "--group-by", "layer"}},
      {"diff_layout", {"diff", decode, free_cache, "--device", kTpuX}},
      {"diff_markdown", {"diff", decode, free_cache, "--device", kTpuX, "--format", "markdown", "-n", "5"}},
      {"compare_ffn",
       {"compare", ffn, "--device", kTpuX, "--profile", "tests/cli/profiles/ffn_block.v5e_2x4.trace.json.gz"}},
      {"compare_folder", {"compare", "tests/profile/samples/tpu"}},
      {"compare_ffn_stats",
       {"compare", ffn, "--device", kTpuX, "--profile", "tests/cli/profiles/ffn_block.v5e_2x4.hlo_stats.csv", "-n",
        "5"}},
      {"reschedule_ffn", {"reschedule", ffn, "--device", kTpuX, "--seconds", "1e5", "--trials", "500"}},
      {"reschedule_scanned", {"reschedule", scanned, "--device", kTpuX, "--seconds", "1e5", "--trials", "500"}},
      {"sweep", {"sweep", decode, heads, "--device", kTpuX + "," + kTpuY, "--set", "hbm.bandwidth=0.5x,1x,2x"}},
      {"sweep_two",
       {"sweep", ffn, "--device", kTpuX + "," + kTpuY, "--set", "hbm.bandwidth=1x,2x", "--set",
        "ici.link_bandwidth=1x,2x"}},
      {"explain_gather", {"explain", ffn, "all-gather.24", "--device", kTpuX}},
      {"explain_partial_sums", {"explain", decode, "fusion.155", "--device", kTpuY}},
      {"explain_on_chip", {"explain", decode, "copy.34", "--device", kTpuY}},
      {"explain_relayout", {"explain", heads, "copy.2", "--device", kTpuX}},
      {"kernel", {"kernel", attention, causal, "--device", kTpuX}},
      {"kernel_none", {"kernel", ffn, "--device", kTpuX}},
      {"explain_kernel", {"explain", attention, "flash_attention.1", "--device", kTpuX}},
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
}  // namespace hloroof::internal
