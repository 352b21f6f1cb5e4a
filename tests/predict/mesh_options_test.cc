// Where collectives run and what ifs about them, through the whole prediction.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/analysis/mesh.h"
#include "tests/any_backend.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

// An all-reduce over the inner axis of 4 of a 4 x 4 mesh.
constexpr char kReduction[] = R"(HloModule m, is_scheduled=true, num_partitions=16

sum {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}

ENTRY e {
  p = bf16[8192,8192]{1,0:T(8,128)(2,1)} parameter(0)
  ROOT r = bf16[8192,8192]{1,0:T(8,128)(2,1)} all-reduce(p), channel_id=1, replica_groups=[4,4]<=[16], use_global_device_ids=true, to_apply=sum
}
)";

StepPrediction predicted(const std::string& text, const std::string& device, const PredictOptions& options = {}) {
  absl::StatusOr<StepPrediction> p = predict_step_time(text, device, any_backend(options));
  INFO(p.status());
  REQUIRE(p.ok());
  return *std::move(p);
}

TEST_CASE("Reductions of int8 halve the bytes of bf16") {
  PredictOptions options;
  options.collectives.reduce_element_bytes = 1;
  const StepPrediction plain = predicted(kReduction, "tpu_v5e:4x4");
  const StepPrediction quantized = predicted(kReduction, "tpu_v5e:4x4", options);
  CHECK(quantized.wire_bytes == Approx(plain.wire_bytes / 2));
  const double faster = plain.collectives[0].seconds / quantized.collectives[0].seconds;
  CHECK(faster > 1.8);  // EQuARX reports 1.8 over bf16, quantizing included
  CHECK(faster <= 2);
  CHECK_THAT(quantized.collectives[0].algorithm, ContainsSubstring("elements of 1 B on the wire"));
  options.collectives.reduce_element_bytes = 4;  // bf16 stays as it is
  CHECK(predicted(kReduction, "tpu_v5e:4x4", options).step_seconds == plain.step_seconds);
}

TEST_CASE("What if elements were smaller counts the elements of all operands") {
  std::string text = kReduction;
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("  ROOT r = bf16[8192,8192]{1,0:T(8,128)(2,1)} all-reduce(p)",
          "  q = f32[8192,8192]{1,0:T(8,128)} parameter(1)\n"
          "  ROOT r = (bf16[8192,8192]{1,0:T(8,128)(2,1)}, f32[8192,8192]{1,0:T(8,128)}) all-reduce(p, q)");
  replace("to_apply=sum", "to_apply=pair");
  replace("ENTRY",
          "pair {\n  a = bf16[] parameter(0)\n  b = f32[] parameter(1)\n  c = bf16[] parameter(2)\n"
          "  d = f32[] parameter(3)\n  s = bf16[] add(a, c)\n  t = f32[] add(b, d)\n"
          "  ROOT r = (bf16[], f32[]) tuple(s, t)\n}\n\nENTRY");
  PredictOptions options;
  options.collectives.reduce_element_bytes = 1;
  const double plain = predicted(text, "tpu_v5e:4x4").wire_bytes;
  CHECK(predicted(text, "tpu_v5e:4x4", options).wire_bytes == Approx(plain / 3));  // 2 and 4 bytes become 1 and 1
}

TEST_CASE("Closing the axis makes a ring of a line") {
  PredictOptions options;
  const double open = predicted(kReduction, "tpu_v5e:4x4").collectives[0].seconds;
  options.mesh.wrap = true;
  const StepPrediction closed = predicted(kReduction, "tpu_v5e:4x4", options);
  CHECK(open / closed.collectives[0].seconds == Approx(2).epsilon(0.05));
  CHECK(closed.mesh.back().placement == "x (ring)");
}

TEST_CASE("Twice the link bandwidth halves the bandwidth term") {
  PredictOptions options;
  options.set = {{"ici.message_bytes", 1e15}};
  const double before = predicted(kReduction, "tpu_v5e:4x4", options).collectives[0].seconds;
  options.set.emplace_back("ici.link_bandwidth", 9e10);
  CHECK(before / predicted(kReduction, "tpu_v5e:4x4", options).collectives[0].seconds == Approx(2).epsilon(0.05));
}

TEST_CASE("No link carries more than it can") {
  PredictOptions options;
  options.set = {{"ici.link_bandwidth", 9e10}};
  CHECK(predicted(kReduction, "tpu_v5e:4x4", options).collectives[0].link_utilization <= 1);
  // The two levels of a cluster carry different parts: those of the NICs are not those of NVLink.
  std::string all_devices = kReduction;
  all_devices.replace(all_devices.find("[4,4]"), 5, "[1,16]");
  const StepPrediction on_gpus = predicted(all_devices, "h100_sxm:16");
  CHECK(on_gpus.collectives[0].link_bandwidth == 5e10);
  CHECK(on_gpus.collectives[0].link_utilization <= 1);
}

TEST_CASE("Groups in no line are no faster than groups on one") {
  std::string scattered = kReduction;
  scattered.replace(scattered.find("[4,4]<=[16]"), 11, "{{0,5,10,15},{1,4,11,14},{2,7,8,13},{3,6,9,12}}");
  const double straight = predicted(kReduction, "tpu_v5e:4x4").collectives[0].seconds;
  CHECK(predicted(scattered, "tpu_v5e:4x4").collectives[0].seconds >= straight);
}

TEST_CASE("The roles of axes that the user gives follow the trip counts that the user gives") {
  const std::string ring = source_text("tests/predict/dumps/ring_in_loop.v5e_2x2.hlo");
  for (const auto& [trips, role] : {std::pair<std::int64_t, std::string>{4, "sequence"}, {100, "pipeline"}}) {
    PredictOptions options;
    options.trip_counts["loop"] = trips;
    StepPrediction p = predicted(ring, "tpu_v5e", options);
    REQUIRE(p.mesh.size() == 1);
    CHECK(p.mesh[0].roles == std::vector<std::string>{role});
    options.mesh.axes = {{"ring", 4}};
    p = predicted(ring, "tpu_v5e", options);
    REQUIRE(p.mesh.size() == 1);
    CHECK(p.mesh[0].roles == std::vector<std::string>{role});
  }
}

TEST_CASE("Axes, their order and the devices' as the user says") {
  PredictOptions options;
  options.mesh.axes = {{"data", 4}, {"model", 4}};
  StepPrediction p = predicted(kReduction, "tpu_v5p:2x2x4", options);
  REQUIRE(p.mesh.size() == 2);
  CHECK(p.mesh[1].name == "model");
  CHECK(p.mesh[1].placement == "x and y");
  CHECK(p.collectives[0].axis_names == std::vector<std::string>{"model"});
  options.mesh.order = {"data"};
  p = predicted(kReduction, "tpu_v5p:2x2x4", options);
  CHECK(p.mesh[0].placement == "x and y");
  CHECK(p.mesh[1].placement == "z");
  options.mesh.order.clear();
  options.mesh.device_order = *parse_device_order("[1,16]<=[4,4]T(1,0)");
  p = predicted(kReduction, "tpu_v5p:2x2x4", options);
  CHECK(p.mesh[0].placement == "z");
  CHECK(p.mesh[1].placement == "x and y");

  absl::StatusOr<Module> module = parse_module(kReduction);
  REQUIRE(module.ok());
  absl::StatusOr<Device> device = find_device("tpu_v5e");
  REQUIRE(device.ok());
  options.mesh.axes = {{"data", 4}, {"model", 8}};
  CHECK_FALSE(predict_step_time(*module, *device, options).ok());
}

// The groups of the scaling book's profile, 128 devices: {0,16,32,...,112} and so on.
TEST_CASE("An axis of stride 16 in the prediction") {
  std::string text = kReduction;
  text.replace(text.find("num_partitions=16"), 17, "num_partitions=128");
  std::string groups = "{";
  for (int g = 0; g < 16; ++g) {
    groups += g == 0 ? "{" : ",{";
    for (int i = 0; i < 8; ++i) groups += (i == 0 ? "" : ",") + std::to_string(g + 16 * i);
    groups += "}";
  }
  text.replace(text.find("[4,4]<=[16]"), 11, groups + "}");
  const StepPrediction p = predicted(text, "tpu_v5p");
  REQUIRE(p.mesh.size() == 2);
  CHECK(p.mesh[0].size == 8);
  CHECK(p.mesh[0].stride == 16);
  CHECK(p.mesh[1].size == 16);
  CHECK(p.topology == "4x4x8");
  CHECK(p.collectives[0].axes == std::vector<std::string>{"8-way stride-16 axis"});
}

// Between two slices each chip's share of the array crosses the network; the rest of the reduction stays inside.
TEST_CASE("An all-reduce over two slices") {
  std::string text = kReduction;
  text.replace(text.find("[4,4]<=[16]"), 11, "[1,16]<=[16]");
  PredictOptions options;
  options.topology = "2x4";  // half of the module's devices
  options.slices = 2;
  const StepPrediction p = predicted(text, "tpu_v5e", options);
  CHECK(p.slices == 2);
  CHECK(p.topology == "2x4");
  REQUIRE(p.collectives.size() == 1);
  CHECK_THAT(p.collectives[0].algorithm, ContainsSubstring("between slices over the network"));
  absl::StatusOr<Device> device = find_device("tpu_v5e");
  REQUIRE(device.ok());
  CHECK(predicted(text, "tpu_v5e:2x4*2").step_seconds == p.step_seconds);
  // cost-model 6.3: 2 V / N_slice (S - 1) / S / W_dcn, and the ICI part on top
  const double dcn = 2 * (2.0 * 8192 * 8192 / 8) * 0.5 / *device->network.bandwidth;
  CHECK(p.collectives[0].seconds > dcn);
  CHECK(p.collectives[0].seconds < dcn + 2.0 * 2 * 8192 * 8192 / 4e10);
}

// jax-ml/scaling-book, profiling: bf16[8,1024,8192] over the two cores of a v2 chip, 1.1 ms at 1.2e11 B/s; 1.13 ms
// measured.
TEST_CASE("A reduce-scatter fusion between the cores of a chip") {
  const StepPrediction p = predicted(R"(HloModule m, is_scheduled=true, num_partitions=8

sum {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}

all-reduce-scatter {
  x = bf16[8,1024,8192]{2,1,0:T(8,128)(2,1)} parameter(0)
  reduced = bf16[8,1024,8192]{2,1,0:T(8,128)(2,1)} all-reduce(x), channel_id=1, replica_groups=[4,2]<=[8], use_global_device_ids=true, to_apply=sum
  zero = s32[] constant(0)
  id = u32[] partition-id()
  part = s32[] convert(id)
  ROOT slice = bf16[8,1024,4096]{2,1,0:T(8,128)(2,1)} dynamic-slice(reduced, zero, zero, part), dynamic_slice_sizes={8,1024,4096}
}

ENTRY e {
  p = bf16[8,1024,8192]{2,1,0:T(8,128)(2,1)} parameter(0)
  ROOT fusion.1 = bf16[8,1024,4096]{2,1,0:T(8,128)(2,1)} fusion(p), kind=kCustom, calls=all-reduce-scatter
}
)",
                                     "tpu_v2:2x2");
  REQUIRE(p.collectives.size() == 1);
  CHECK(p.collectives[0].kind == "reduce-scatter");
  CHECK(p.collectives[0].bytes == 134217728);
  CHECK(p.collectives[0].seconds == Approx(1.13e-3).epsilon(0.1));
  CHECK(p.step_seconds == Approx(1.13e-3).epsilon(0.15));
}

}  // namespace
}  // namespace hloroof::internal
