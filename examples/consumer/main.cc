// Predicts how long a TPU v5e takes for one matrix product.
#include <cstdio>
#include <string>

#include "hloroof/predict.h"

constexpr char kHlo[] = R"(
HloModule product, is_scheduled=true

ENTRY main {
  lhs = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)
  rhs = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT product = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(lhs, rhs), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

int main() {
  const auto step = hloroof::predict_step_time(kHlo, "tpu_v5e");
  if (!step.ok()) {
    std::fprintf(stderr, "%s\n", step.status().ToString().c_str());
    return 1;
  }
  std::printf("%.0f flop in %.3f ms, bound by %s\n", step->flops, step->step_seconds * 1e3,
              std::string(to_string(step->bound, step->family)).c_str());
  return step->flops >= 2.0 * 4096 * 4096 * 4096 ? 0 : 1;
}
