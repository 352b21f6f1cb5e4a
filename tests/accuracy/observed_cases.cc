#include "tests/accuracy/observed_cases.h"

#include <string>

#include "hloroof/predict.h"

namespace hloroof::internal {
namespace {

constexpr double k5Percent = 0.05;

ObservedCase one(const char* what, const char* device, const char* hlo, double seconds, const char* source) {
  return {what, device, hlo, seconds * (1 - k5Percent), seconds * (1 + k5Percent), source};
}

// A case that `parameter` is fitted to: so that it takes `seconds`, or the middle of its range.
ObservedCase fitted(ObservedCase observed, const char* parameter, double seconds = 0) {
  observed.standing = Standing::kFitted;
  observed.parameter = parameter;
  observed.fitted_seconds = seconds > 0 ? seconds : (observed.low + observed.high) / 2;
  return observed;
}

// A case whose time a note in data/hardware gives as a reason for a constant.
ObservedCase seen(ObservedCase observed) {
  observed.standing = Standing::kSeen;
  return observed;
}

// A case that observes the time of one op in the step.
ObservedCase of_op(ObservedCase observed, const char* op) {
  observed.op = op;
  return observed;
}

// A case that goes into a fit of CMake target fit_devices.
ObservedCase fitted_elsewhere(ObservedCase observed) {
  observed.standing = Standing::kFitted;
  return observed;
}

constexpr char kMatmul17Tf[] = R"(HloModule m, is_scheduled=true
ENTRY e {
  a = bf16[32768,8192]{1,0:T(8,128)(2,1)} parameter(0)
  b = bf16[8192,32768]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT c = bf16[32768,32768]{1,0:T(8,128)(2,1)} convolution(a, b), dim_labels=bf_io->bf
})";

constexpr char kMatmul17TfShard[] = R"(HloModule m, is_scheduled=true
ENTRY e {
  a = bf16[8192,8192]{1,0:T(8,128)(2,1)} parameter(0)
  b = bf16[8192,16384]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT c = bf16[8192,16384]{1,0:T(8,128)(2,1)} convolution(a, b), dim_labels=bf_io->bf
})";

constexpr char kMatmul8192[] = R"(HloModule m, is_scheduled=true
ENTRY e {
  a = bf16[8192,8192]{1,0:T(8,128)(2,1)} parameter(0)
  b = bf16[8192,8192]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT c = bf16[8192,8192]{1,0:T(8,128)(2,1)} convolution(a, b), dim_labels=bf_io->bf
})";

constexpr char kCopy[] = R"(HloModule m, is_scheduled=true
ENTRY e {
  a = bf16[16777216]{0:T(1024)(128)(2,1)} parameter(0)
  ROOT c = bf16[16777216]{0:T(1024)(128)(2,1)} copy(a)
})";

constexpr char kMatmul7168[] = R"(HloModule m, is_scheduled=true
ENTRY e {
  a = bf16[2048,7168]{1,0:T(8,128)(2,1)} parameter(0)
  b = bf16[7168,2048]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT c = bf16[2048,2048]{1,0:T(8,128)(2,1)} convolution(a, b), dim_labels=bf_io->bf
})";

constexpr char kMatmul2048[] = R"(HloModule m, is_scheduled=true
ENTRY e {
  a = bf16[2048,2048]{1,0:T(8,128)(2,1)} parameter(0)
  b = bf16[2048,2048]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT c = bf16[2048,2048]{1,0:T(8,128)(2,1)} convolution(a, b), dim_labels=bf_io->bf
})";

constexpr char kTiny[] = R"(HloModule m, is_scheduled=true
f {
  p = f32[128]{0:T(128)} parameter(0)
  q = f32[128]{0:T(128)} parameter(1)
  ROOT s = f32[128]{0:T(128)} add(p, q)
}
ENTRY e {
  a = f32[128]{0:T(128)} parameter(0)
  b = f32[128]{0:T(128)} parameter(1)
  ROOT c = f32[128]{0:T(128)} fusion(a, b), kind=kLoop, calls=f
})";

// Momentum and parameter of an optimizer: 5 arrays of 256 MiB, 1.342e9 bytes.
constexpr char kUpdate[] = R"(HloModule m, is_scheduled=true
f {
  p = f32[8192,8192]{1,0:T(8,128)} parameter(0)
  v = f32[8192,8192]{1,0:T(8,128)} parameter(1)
  g = f32[8192,8192]{1,0:T(8,128)} parameter(2)
  s = f32[] constant(0.9)
  t = f32[8192,8192]{1,0:T(8,128)} broadcast(s), dimensions={}
  decayed = f32[8192,8192]{1,0:T(8,128)} multiply(v, t)
  moment = f32[8192,8192]{1,0:T(8,128)} add(decayed, g)
  next = f32[8192,8192]{1,0:T(8,128)} subtract(p, moment)
  ROOT r = (f32[8192,8192]{1,0:T(8,128)}, f32[8192,8192]{1,0:T(8,128)}) tuple(next, moment)
}
ENTRY e {
  a = f32[8192,8192]{1,0:T(8,128)} parameter(0)
  b = f32[8192,8192]{1,0:T(8,128)} parameter(1)
  c = f32[8192,8192]{1,0:T(8,128)} parameter(2)
  ROOT d = (f32[8192,8192]{1,0:T(8,128)}, f32[8192,8192]{1,0:T(8,128)}) fusion(a, b, c), kind=kLoop, calls=f
})";
constexpr double kUpdateBytes = 5 * 4.0 * 8192 * 8192;

constexpr char kNarrowUpdate[] = R"(HloModule m, is_scheduled=true
f {
  p = f32[16,7168,512]{2,0,1:T(8,128)} parameter(0)
  u = f32[1,7168,512]{2,1,0:T(8,128)} parameter(1)
  i = s32[] parameter(2)
  z = s32[] constant(0)
  ROOT r = f32[16,7168,512]{2,0,1:T(8,128)} dynamic-update-slice(p, u, i, z, z)
}
ENTRY e {
  a = f32[16,7168,512]{2,0,1:T(8,128)} parameter(0)
  b = f32[1,7168,512]{2,1,0:T(8,128)} parameter(1)
  j = s32[]{:T(128)} parameter(2)
  ROOT c = f32[16,7168,512]{2,0,1:T(8,128)} fusion(a, b, j), kind=kLoop, calls=f
})";

constexpr char kGatherLine[] = R"(HloModule m, is_scheduled=true, num_partitions=16
ENTRY e {
  a = bf16[512,8192]{1,0:T(8,128)(2,1)} parameter(0)
  ROOT c = bf16[2048,8192]{1,0:T(8,128)(2,1)} all-gather(a), dimensions={0}, channel_id=1,
    replica_groups={{0,1,2,3},{4,5,6,7},{8,9,10,11},{12,13,14,15}}, use_global_device_ids=true
})";

constexpr char kGather8M[] = R"(HloModule m, is_scheduled=true, num_partitions=4
ENTRY e {
  a = bf16[1048576]{0:T(1024)(128)(2,1)} parameter(0)
  ROOT c = bf16[4194304]{0:T(1024)(128)(2,1)} all-gather(a), dimensions={0}, channel_id=1,
    replica_groups={{0,1,2,3}}, use_global_device_ids=true
})";

constexpr char kGather131M[] = R"(HloModule m, is_scheduled=true, num_partitions=4
ENTRY e {
  a = bf16[16384000]{0:T(1024)(128)(2,1)} parameter(0)
  ROOT c = bf16[65536000]{0:T(1024)(128)(2,1)} all-gather(a), dimensions={0}, channel_id=1,
    replica_groups={{0,1,2,3}}, use_global_device_ids=true
})";

constexpr char kScatter29M[] = R"(HloModule m, is_scheduled=true, num_partitions=4
sum {
  x = bf16[] parameter(0)
  y = bf16[] parameter(1)
  ROOT s = bf16[] add(x, y)
}
ENTRY e {
  a = bf16[14680064]{0:T(1024)(128)(2,1)} parameter(0)
  ROOT c = bf16[3670016]{0:T(1024)(128)(2,1)} reduce-scatter(a), dimensions={0}, channel_id=1,
    replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=sum
})";

// A fusion starts the gather, another ends it, and work between them hides the rest.
std::string started_gather(int columns) {
  const std::string layout = std::to_string(columns) + "]{1,0:T(8,128)(2,1)}";
  const std::string part = "bf16[512," + layout;
  const std::string whole = "bf16[2048," + layout;
  const std::string gather = "  g = " + whole + " all-gather(p), dimensions={0}, channel_id=1, " +
                             "replica_groups={{0,1,2,3}}, use_global_device_ids=true\n";
  return "HloModule m, is_scheduled=true, num_partitions=4\nfirst {\n  p = " + part + " parameter(0)\n" + gather +
         "  ROOT s = (" + part + ", " + whole + ") custom-call(g), custom_call_target=\"AsyncCollectiveStart\"\n}\n" +
         "last {\n  p = " + part + " parameter(0)\n  o = " + whole + " parameter(1)\n" + gather +
         "  ROOT d = " + whole +
         " custom-call(p, o, g), custom_call_target=\"AsyncCollectiveDone\"\n}\nENTRY e {\n  a = " + part +
         " parameter(0)\n  b = bf16[8192,8192]{1,0:T(8,128)(2,1)} parameter(1)\n" + "  start = (" + part + ", " +
         whole + ") fusion(a), kind=kCustom, calls=first\n  p = " + part +
         " get-tuple-element(start), index=0\n  o = " + whole +
         " get-tuple-element(start), index=1\n  c = bf16[8192,8192]{1,0:T(8,128)(2,1)} convolution(b, b), " +
         "dim_labels=bf_io->bf\n  ROOT d = " + whole +
         " fusion(p, o), kind=kCustom, output_to_operand_aliasing={{}: (1, {})}, calls=last\n}\n";
}

constexpr char kReduceScalar[] = R"(HloModule m, is_scheduled=true, num_partitions=4
sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}
ENTRY e {
  a = f32[]{:T(128)} parameter(0)
  ROOT c = f32[]{:T(128)} all-reduce(a), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true,
    to_apply=sum
})";

constexpr char kGpuAdd[] = R"(HloModule m, is_scheduled=true
f {
  p = f32[1073741824]{0} parameter(0)
  q = f32[1073741824]{0} parameter(1)
  ROOT s = f32[1073741824]{0} add(p, q)
}
ENTRY e {
  a = f32[1073741824]{0} parameter(0)
  b = f32[1073741824]{0} parameter(1)
  ROOT c = f32[1073741824]{0} fusion(a, b), kind=kLoop, calls=f
})";
constexpr double kGpuAddBytes = 3 * 4.0 * 1073741824;

constexpr double kV5pHbm = 2.765e12;
constexpr double kB200Hbm = 7.7e12;
constexpr double kH200Hbm = 4.8e12;

}  // namespace

const std::vector<ObservedCase>& observed_cases() {
  static const char* const kProfile = "MaxText step, openxla/xprof golden profile";
  static const char* const kSharding = "scaling book, sharding";
  static const std::string kStart8M = started_gather(2048);
  static const std::string kStart29M = started_gather(7168);
  static const std::vector<ObservedCase> cases = {
      one("bf16 matmul of 1.76e13 flop", "tpu_v5e", kMatmul17Tf, 94.1e-3, "scaling book, profiling exercise"),
      fitted(one("the same on 8 cores, 4-way data, 2-way model", "tpu_v2", kMatmul17TfShard, 96e-3,
                 "scaling book, profiling"),
             "matrix.efficiency"),
      // matrix.efficiency, tests/calibrate/v6e_recipes.csv.
      fitted_elsewhere(one("bf16 matmul, 8192 cubed", "tpu_v6e", kMatmul8192, 1.329e-3, "tpu-recipes microbenchmarks")),
      seen(one("bf16 copy, 67.1 MB in all", "tpu_v6e", kCopy, 49.359e-6, "tpu-recipes microbenchmarks")),
      // To the fastest seen, as the gated linear units of kernels/ ask for less still.
      fitted({"bf16 matmul, 2048x2048x7168, 82 to 92 % of peak", "tpu_v5p", kMatmul7168, 142.6e-6, 160.6e-6, kProfile},
             "overhead.pipeline_fill", 142.6e-6),
      {"bf16 matmul, 2048 cubed", "tpu_v5p", kMatmul2048, 41e-6, 52e-6, kProfile},
      fitted({"tiny fusion", "tpu_v5p", kTiny, 1.1e-6, 1.3e-6, kProfile}, "overhead.op"),
      fitted({"fused optimizer update, 82 to 91 % of HBM peak", "tpu_v5p", kUpdate, kUpdateBytes / kV5pHbm / 0.91,
              kUpdateBytes / kV5pHbm / 0.82, kProfile},
             "hbm.efficiency"),
      fitted(
          one("update of one sublane of every register, f32[1,7168,512]", "tpu_v5p", kNarrowUpdate, 391e-6, kProfile),
          "vector.partial_update_cycles"),
      fitted(one("all-gather of 8.4 MB on 2x2x1", "tpu_v5p", kGather8M, 69.2e-6, kProfile), "ici.link_bandwidth"),
      fitted(one("all-gather of 131 MB on 2x2x1", "tpu_v5p", kGather131M, 983e-6, kProfile), "ici.link_bandwidth"),
      fitted(one("reduce-scatter of 29 MB on 2x2x1", "tpu_v5p", kScatter29M, 219e-6, kProfile), "ici.link_bandwidth"),
      // hold_start in lib/step/costs.cc names both.
      seen(of_op({"start of an all-gather of 8.4 MB in a fusion", "tpu_v5p", kStart8M.c_str(), 32e-6, 36e-6, kProfile},
                 "start")),
      // Observed at 104 us; 10 % to either side, because it is a part of a transfer that has an error of its own.
      seen(of_op({"start of an all-gather of 29 MB in a fusion", "tpu_v5p", kStart29M.c_str(), 0.9 * 104e-6,
                  1.1 * 104e-6, kProfile},
                 "start")),
      fitted({"all-reduce of a scalar on 2x2x1", "tpu_v5p", kReduceScalar, 6.6e-6, 9e-6, kProfile},
             "overhead.collective", 7e-6),
      fitted(one("all-gather of 33.6 MB over a line of 4", "tpu_v5e:4x4", kGatherLine, 680e-6, kSharding),
             "ici.message_bytes"),
      // The notes of hbm.efficiency name all three.
      seen(one("f32 add of 2^30 elements", "h100_sxm", kGpuAdd, 4.1e-3, "scaling book, GPUs")),
      seen({"the same, 80 to 93 % of HBM peak", "b200_sxm", kGpuAdd, kGpuAddBytes / kB200Hbm / 0.93,
            kGpuAddBytes / kB200Hbm / 0.80, "published microbenchmarks"}),
      seen({"the same, 80 to 93 % of HBM peak", "h200_sxm", kGpuAdd, kGpuAddBytes / kH200Hbm / 0.93,
            kGpuAddBytes / kH200Hbm / 0.80, "published microbenchmarks"}),
  };
  return cases;
}

double predict_observed(const ObservedCase& observed) {
  const auto prediction = predict_step_time(observed.hlo, observed.device);
  if (!prediction.ok()) return -1;
  if (*observed.op == '\0') return prediction->step_seconds;
  for (const OpPrediction& op : prediction->ops) {
    if (op.name == observed.op) return op.exposed_seconds;
  }
  return -1;
}

}  // namespace hloroof::internal
