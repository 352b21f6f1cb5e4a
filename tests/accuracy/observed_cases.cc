#include "tests/accuracy/observed_cases.h"

#include "hloroof/predict.h"

namespace hloroof {
namespace {

constexpr double k5Percent = 0.05;

ObservedCase one(const char* what, const char* device, const char* hlo, double seconds, const char* source) {
  return {what, device, hlo, seconds * (1 - k5Percent), seconds * (1 + k5Percent), source};
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
constexpr double kV5pPeak = 4.59e14;
constexpr double kB200Hbm = 7.7e12;
constexpr double kH200Hbm = 4.8e12;

}  // namespace

const std::vector<ObservedCase>& observed_cases() {
  static const char* const kProfile = "MaxText step, openxla/xprof golden profile";
  static const std::vector<ObservedCase> cases = {
      one("bf16 matmul of 1.76e13 flop", "tpu_v5e", kMatmul17Tf, 94.1e-3, "scaling book, profiling exercise"),
      one("the same on 8 cores, 4-way data, 2-way model", "tpu_v2", kMatmul17TfShard, 96e-3, "scaling book, profiling"),
      one("bf16 matmul, 8192 cubed", "tpu_v6e", kMatmul8192, 1.329e-3, "tpu-recipes microbenchmarks"),
      one("bf16 copy, 67.1 MB in all", "tpu_v6e", kCopy, 49.359e-6, "tpu-recipes microbenchmarks"),
      {"bf16 matmul, 2048x2048x7168, 82 to 92 % of peak", "tpu_v5p", kMatmul7168, 6.0129e10 / kV5pPeak / 0.92,
       6.0129e10 / kV5pPeak / 0.815, kProfile},
      {"bf16 matmul, 2048 cubed", "tpu_v5p", kMatmul2048, 41e-6, 52e-6, kProfile},
      {"tiny fusion", "tpu_v5p", kTiny, 1.1e-6, 1.3e-6, kProfile},
      {"fused optimizer update, 82 to 91 % of HBM peak", "tpu_v5p", kUpdate, kUpdateBytes / kV5pHbm / 0.91,
       kUpdateBytes / kV5pHbm / 0.82, kProfile},
      one("update of one sublane of every register, f32[1,7168,512]", "tpu_v5p", kNarrowUpdate, 391e-6, kProfile),
      one("f32 add of 2^30 elements", "h100_sxm", kGpuAdd, 4.1e-3, "scaling book, GPUs"),
      {"the same, 80 to 93 % of HBM peak", "b200_sxm", kGpuAdd, kGpuAddBytes / kB200Hbm / 0.93,
       kGpuAddBytes / kB200Hbm / 0.80, "published microbenchmarks"},
      {"the same, 80 to 93 % of HBM peak", "h200_sxm", kGpuAdd, kGpuAddBytes / kH200Hbm / 0.93,
       kGpuAddBytes / kH200Hbm / 0.80, "published microbenchmarks"},
  };
  return cases;
}

double predict_observed(const ObservedCase& observed) {
  const auto prediction = predict_step_time(observed.hlo, observed.device);
  return prediction.ok() ? prediction->step_seconds : -1;
}

}  // namespace hloroof
