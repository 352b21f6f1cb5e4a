// A check of hloroof/testing.h outside of a test framework: exits with 0 if the step is within its budget.
#include "hloroof/predict.h"
#include "hloroof/testing.h"

constexpr char kHlo[] = R"(
HloModule double, is_scheduled=true

ENTRY main {
  x = f32[1024,1024]{1,0:T(8,128)} parameter(0)
  ROOT sum = f32[1024,1024]{1,0:T(8,128)} add(x, x)
}
)";

int main() {
  const auto step = hloroof::predict_step_time(kHlo, "tpu_v5e");
  return step.ok() && hloroof::step_faster_than(*step, 1e-3) && !hloroof::step_faster_than(*step, 1e-6) ? 0 : 1;
}
