// Copies to memory on the chip: within a step, and of a parameter by the step before.
#include <string>

#include "hloroof/predict.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// A copy of 4 MiB is begun, `between` is done, and the copy is used.
std::string program(const std::string& attributes, const std::string& between = "") {
  return "HloModule m, is_scheduled=true\nENTRY main {\n  p = f32[1024,1024]{1,0:T(8,128)} parameter(0)\n"
         "  q = f32[1024,1024]{1,0:T(8,128)} parameter(1)\n"
         "  s = (f32[1024,1024]{1,0:T(8,128)S(1)}, f32[1024,1024]{1,0:T(8,128)}, u32[]{:S(2)}) copy-start(p)" +
         attributes + "\n" + between +
         "  d = f32[1024,1024]{1,0:T(8,128)S(1)} copy-done(s)\n"
         "  ROOT r = f32[1024,1024]{1,0:T(8,128)S(1)} negate(d)\n}\n";
}
constexpr char kAhead[] = ", cross_program_prefetch_index=0";

StepPrediction predicted(const std::string& text) {
  auto prediction = predict_step_time(text, "tpu_v6e");
  INFO((prediction.ok() ? "" : std::string(prediction.status().message())));
  REQUIRE(prediction.ok());
  return *std::move(prediction);
}

double seconds_of(const StepPrediction& prediction, const std::string& name) {
  for (const OpPrediction& op : prediction.ops) {
    if (op.name == name) return op.exposed_seconds;
  }
  return -1;
}

double hbm_busy(const StepPrediction& prediction) {
  for (const ResourceUse& resource : prediction.resources) {
    if (resource.resource == Resource::kHbm) return resource.busy_seconds;
  }
  return -1;
}

TEST_CASE("A parameter that the step before fetched is not waited for") {
  const StepPrediction within = predicted(program(""));
  const StepPrediction ahead = predicted(program(kAhead));
  REQUIRE(seconds_of(within, "d") > 2e-6);
  CHECK(seconds_of(ahead, "d") == 0);
  CHECK(ahead.step_seconds < within.step_seconds);
  CHECK(ahead.hbm_bytes == within.hbm_bytes);
}

TEST_CASE("It keeps HBM as busy as any other copy") {
  const StepPrediction ahead = predicted(program(kAhead));
  CHECK(hbm_busy(ahead) > 0);
  CHECK(hbm_busy(ahead) == Approx(hbm_busy(predicted(program("")))));
  CHECK(ahead.step_seconds >= ahead.lower_bound_seconds);
  // An op that reads HBM at the same time takes longer.
  const char* negated = "  n = f32[1024,1024]{1,0:T(8,128)} negate(q)\n";
  const StepPrediction beside = predicted(program(kAhead, negated));
  CHECK(beside.step_seconds >= beside.lower_bound_seconds);
  CHECK(beside.step_seconds <= predicted(program("", negated)).step_seconds);
}

}  // namespace
}  // namespace hloroof::internal
