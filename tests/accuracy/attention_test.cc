// Attention of libraries on GPUs, predicted and measured (measured/gpu_aiconfigurator of the open data). The kernels
// are those of inference frameworks and not cuDNN's, which differ among themselves by up to 2.7 times at equal shapes:
// the bounds are what one rate for all of them leaves. Skipped without the open data.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "hloroof/device.h"
#include "lib/time/op_time.h"
#include "tests/accuracy/figures.h"
#include "tests/catch.h"
#include "tests/paths.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

using Row = std::map<std::string, std::string>;

// The attention of `row` as XLA calls cuDNN.
Work attention(const Row& row) {
  const std::string type = row.at("dtype") == "fp8" ? "f8e4m3fn" : "bf16";
  const auto array = [&](const char* heads, const char* rows) {
    return type + "[" + row.at("batch") + "," + row.at(heads) + "," + row.at(rows) + "," + row.at("head_size") + "]";
  };
  const std::string queries = array("heads", "q_len");
  return root_work(
      "  q = " + queries + " parameter(0)\n  k = " + array("kv_heads", "kv_len") +
          " parameter(1)\n  v = " + array("kv_heads", "kv_len") + " parameter(2)\n",
      "r = " + queries +
          " custom-call(q, k, v), custom_call_target=\"__cudnn$fmhaSoftmax\", "
          "backend_config={\"cudnn_fmha_backend_config\":{\"intermediate_tensor_shape\":{\"dimensions\":[\"" +
          row.at("batch") + "\",\"" + row.at("heads") + "\",\"" + row.at("q_len") + "\",\"" + row.at("kv_len") +
          "\"]},\"mask_type\":\"" + (row.at("phase") == "context" ? "CAUSAL" : "NO_MASK") + "\"}}");
}

// The kernels that attention.forward is fitted to.
bool is_fitted(const std::string& kernel) {
  const std::set<std::string> fitted = {"fa3",
                                        "flash_attention",
                                        "vllm_flash_attn",
                                        "flashinfer",
                                        "vllm_flash_attn_fa3",
                                        "vllm_flash_attn_fa2",
                                        "trtllm_mha",
                                        "vllm_flashinfer_trtllmprefill"};
  return fitted.contains(kernel);
}

// The kernels of a phase that do not belong to a library, or whose figures the source's README doubts.
bool is_left_out(const std::string& kernel) { return kernel == "triton" || kernel == "vllm_flashinfer"; }

Device without_rates(Device device) {
  std::get<GpuCore>(device.core).attention = {};
  return device;
}

TEST_CASE("Measured attention on GPUs") {
  const std::string path = shared_path("measured/gpu_aiconfigurator/attention.csv");
  if (!std::ifstream(path)) HLOROOF_SKIP("no measured attention at " + path);
  // Of each device: heads of 128 of the kernels fitted to; all kernels and heads; the same as other products run;
  // decode of caches too large for L2.
  std::map<std::string, std::map<std::string, std::vector<Sample>>> samples;
  for (const Row& row : read_csv(path)) {
    const absl::StatusOr<Device> device = find_device(row.at("device"));
    if (!device.ok() || is_left_out(row.at("kernel_source"))) continue;
    const double measured = std::stod(row.at("time_us")) * 1e-6;
    const Work work = attention(row);
    const std::string what = row.at("kernel_source") + " " + row.at("batch") + "x" + row.at("heads") + "x" +
                             row.at("q_len") + "x" + row.at("kv_len") + "x" + row.at("head_size");
    const auto add = [&](const std::string& group, double predicted) {
      samples[device->name][group].push_back({what, predicted, measured, 1, ""});
    };
    const double predicted = op_time(work, *device).seconds;
    if (row.at("phase") == "decode") {
      if (work.read.hbm > 2.5e8) add("decode", predicted);
      continue;
    }
    if (measured < 1e-4) continue;  // what frameworks launch besides counts
    const double before = op_time(work, without_rates(*device)).seconds;
    const bool is_main = row.at("phase") == "context" && row.at("head_size") == "128" && row.at("dtype") == "bf16" &&
                         is_fitted(row.at("kernel_source"));
    if (is_main) {
      add("heads of 128", predicted);
      add("heads of 128, as products", before);
    }
    add("all", predicted);
    add("all, as products", before);
  }
  REQUIRE(samples.size() >= 8);
  for (const auto& [device, samples_of_device] : samples) {
    const std::map<std::string, std::vector<Sample>>& groups = samples_of_device;
    for (const auto& [group, list] : groups) {
      const Figures f = figures(list);
      std::printf("%-12s %-26s %4zu rows  bias %7s  median %7s  p90 %7s\n", device.c_str(), group.c_str(), f.count,
                  percent(f.bias).c_str(), percent(f.median).c_str(), percent(f.p90).c_str());
    }
    CAPTURE(device);
    const auto of = [&](const char* group) { return figures(groups.at(group)); };
    CHECK(std::abs(of("heads of 128").bias) < 0.1);  // the rates are those of these kernels
    CHECK(of("heads of 128").median < 0.13);
    CHECK(of("heads of 128").p90 < 0.6);
    CHECK(of("heads of 128").median < of("heads of 128, as products").median);
    CHECK(of("all").median < 0.25);
    CHECK(of("all").median < of("all, as products").median);
    CHECK(of("decode").median < (groups.at("decode").size() < 10 ? 0.4 : 0.1));  // A100 has six rows
  }
}

}  // namespace
}  // namespace hloroof::internal
