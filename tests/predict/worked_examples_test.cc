// Worked examples of the profiling literature: small programs whose numbers are known, read off what the command
// prints.
#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "tests/catch.h"
#include "tests/cli/run.h"

namespace hloroof::internal {
namespace {

// Runs `arguments` on `text` as a file put in place of FILE; each of `parts` must be in the output, which fits 80
// columns.
void check_output(std::string_view text, std::vector<std::string> arguments, const std::vector<std::string>& parts) {
  const TemporaryFolder folder;
  for (std::string& argument : arguments) {
    if (argument == "FILE") argument = folder.write("module.hlo", text);
  }
  const CliResult result = run_hloroof(arguments);
  CAPTURE(result.out, result.err);
  REQUIRE(result.code == kExitOk);
  CHECK(result.err.empty());
  CHECK(widest_line(result.out) <= 80);
  for (const std::string& part : parts) CHECK_THAT(result.out, ContainsSubstring(part));
}

// Tiles: docs of XLA's tiled layout, and the two-row interleaving of bf16.
constexpr char kPadding[] = R"(HloModule padding, is_scheduled=true

ENTRY main {
  p = f32[3,5]{1,0:T(2,2)} parameter(0)
  q = bf16[3,5]{1,0:T(8,128)(2,1)} parameter(1)
  a = f32[3,5]{1,0:T(2,2)} negate(p)
  b = bf16[3,5]{1,0:T(8,128)(2,1)} negate(q)
  ROOT t = (f32[3,5]{1,0:T(2,2)}, bf16[3,5]{1,0:T(8,128)(2,1)}) tuple(a, b)
}
)";

TEST_CASE("tiles pad 15 elements to 24, and to 1,024 of two bytes") {
  check_output(kPadding, {"explain", "FILE", "a", "--device", "tpu_v5e"},
               {"15 elements", "padded  to 24 elements", "60 logical, 96 padded"});
  check_output(kPadding, {"explain", "FILE", "b", "--device", "tpu_v5e"},
               {"15 elements", "padded  to 1,024 elements", "30 logical, 2,048 padded"});
}

// The feed-forward matmul of a transformer block, whole on one v5e.
constexpr char kFeedForward[] = R"(HloModule ffn, is_scheduled=true

ENTRY main {
  x = bf16[32,1024,8192]{2,1,0:T(8,128)(2,1)} parameter(0)
  w = bf16[8192,32768]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT y = bf16[32,1024,32768]{2,1,0:T(8,128)(2,1)} dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
}
)";

TEST_CASE("17.59 Tflop take 89.3 ms at the peak of a v5e; 94.1 ms were observed") {
  check_output(kFeedForward, {"explain", "FILE", "y", "--device", "tpu_v5e"},
               {"17.59 Tflop / 197 Tflop/s bf16 peak = 89.3 ms", "bound by mxu"});
  const auto prediction = predict_step_time(kFeedForward, "tpu_v5e");
  REQUIRE(prediction.ok());
  CHECK(prediction->flops == 2.0 * 32 * 1024 * 8192 * 32768);
  CHECK(prediction->step_seconds > 89.3e-3);
  CHECK(std::abs(prediction->step_seconds / 94.1e-3 - 1) < 0.03);
}

TEST_CASE("a product is held against the peak of its own type") {
  std::string text = kFeedForward;
  for (std::size_t at = text.find("bf16["); at != std::string::npos; at = text.find("bf16["))
    text.replace(at, 5, "s8[");
  check_output(text, {"explain", "FILE", "y", "--device", "tpu_v5e"}, {"17.59 Tflop / 394 Tflop/s s8 peak"});
}

// The same block on eight TPU v2 cores, 4-way data by 2-way model parallel: what one core multiplies, and the
// gradient's reduce-scatter between two cores.
constexpr char kTwoCores[] = R"(HloModule ffn_sharded, is_scheduled=true, num_partitions=8

add {
  l = bf16[] parameter(0)
  r = bf16[] parameter(1)
  ROOT s = bf16[] add(l, r)
}

ENTRY main {
  x = bf16[8,1024,8192]{2,1,0:T(8,128)(2,1)} parameter(0)
  w = bf16[8192,16384]{1,0:T(8,128)(2,1)} parameter(1)
  y = bf16[8,1024,16384]{2,1,0:T(8,128)(2,1)} dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT z = bf16[8,512,8192]{2,1,0:T(8,128)(2,1)} reduce-scatter(x), channel_id=1, dimensions={1}, use_global_device_ids=true, replica_groups={{0,1},{2,3},{4,5},{6,7}}, to_apply=add
}
)";

TEST_CASE("a core of a v2 needs 95.6 ms at 23 Tflop/s; 96 ms were observed") {
  check_output(kTwoCores, {"explain", "FILE", "y", "--device", "tpu_v2", "--set", "matrix.peak.bf16=23e12"},
               {"2.199 Tflop / 23.0 Tflop/s bf16 peak = 95.6 ms"});
  const auto prediction = predict_step_time(kTwoCores, "tpu_v2");
  REQUIRE(prediction.ok());
  for (const OpPrediction& op : prediction->ops) {
    if (op.name == "y") CHECK(std::abs(op.seconds / 96e-3 - 1) < 0.02);
    // 134 MB over two cores, half of them sent; 1.13 ms were observed.
    if (op.name == "z") CHECK(std::abs(op.seconds / 1.13e-3 - 1) < 0.05);
  }
  check_output(kTwoCores, {"explain", "FILE", "z", "--device", "tpu_v2"},
               {"4 groups of 2", "134,217,728 logical", "64.0 MiB sent by each device", "1.09 ms"});
}

// Seven billion parameters with gradients and two moments in f32 are 16 bytes each.
TEST_CASE("7B parameters with their optimizer state are 112 GB, too much for one v5e") {
  constexpr char kText[] = R"(HloModule seven_billion, is_scheduled=true
ENTRY main {
  w = f32[7000000000] parameter(0)
  g = f32[7000000000] parameter(1)
  m = f32[7000000000] parameter(2)
  ROOT v = f32[7000000000] parameter(3)
}
)";
  check_output(kText, {"memory", "FILE", "--device", "tpu_v5e"}, {"does NOT fit by 88.6 GiB", "112,000,000,000 bytes"});
  const auto prediction = predict_step_time(kText, "tpu_v5e");
  REQUIRE(prediction.ok());
  CHECK(prediction->memory.hbm_peak_bytes == 112e9);
  CHECK_FALSE(prediction->memory.fits);
}

// What libtpu refuses: 15.9 GiB on a v5e with 16, of which 15.75 are available. XLA's allocator on GPUs takes 75 %.
TEST_CASE("a program fits if it needs at most what it may use, which is less than the capacity") {
  struct Case {
    const char* device;
    double gib;  // of the argument and the result together
    bool fits;
  };
  const Case cases[] = {
      {"tpu_v5e", 15.6, true},   {"tpu_v5e", 15.9, false},   {"tpu_v5p", 95.5, true}, {"tpu_v5p", 95.9, false},
      {"tpu_v6e", 31.4, false},  {"tpu_v2", 7.4, true},      {"tpu_v2", 7.6, false},  {"tpu_v4_core", 15.4, false},
      {"a100_sxm_80", 58, true}, {"a100_sxm_80", 65, false}, {"tpu_v7x", 94.5, true}, {"tpu_v7x", 95.5, false},
      {"tpu_v3", 15.6, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.device, c.gib);
    const auto elements = static_cast<std::int64_t>(c.gib / 2 * (1 << 28));
    const std::string array = "f32[" + std::to_string(elements) + "]";
    const auto prediction = predict_step_time("HloModule near, is_scheduled=true\nENTRY main {\n  a = " + array +
                                                  " parameter(0)\n  ROOT r = " + array + " negate(a)\n}\n",
                                              c.device);
    REQUIRE(prediction.ok());
    CHECK(prediction->memory.fits == c.fits);
    CHECK(prediction->memory.usable_bytes != prediction->memory.capacity_bytes);
  }
}

// One line as a profile shows it: the operand and the callee are not in the text.
TEST_CASE("an instruction line pasted from a profile predicts and explains, with placeholders counted") {
  constexpr char kLine[] =
      "%fusion.3 = bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)} fusion(bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)} "
      "%fusion.32), "
      "kind=kCustom, calls=%all-reduce-scatter.3";
  check_output(kLine, {"predict", "FILE", "--device", "tpu_v5e"},
               {"fusion.3 on tpu_v5e", "100.0 % unknown", "1 called computation is not in the text"});
  check_output(kLine, {"predict", "FILE", "--device", "tpu_v5e", "--view", "diagnostics"},
               {"1 operand is not defined"});
  check_output(kLine, {"explain", "FILE", "fusion.3", "--device", "tpu_v5e"},
               {"S(1): VMEM, on the chip", "2 bf16 share a 32-bit sublane", "8,388,608 logical", "16,777,216 logical"});
  const TemporaryFolder folder;
  CHECK(run_hloroof({"predict", folder.write("m.hlo", kLine), "--device", "tpu_v5e", "--strict"}).code ==
        kExitIncomplete);
}

}  // namespace
}  // namespace hloroof::internal
