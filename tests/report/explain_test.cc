// The anatomy of an op reads the facts of the prediction and computes no others.
#include "lib/report/explain.h"

#include <string>

#include "hloroof/parse.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// A ring of 4 in a loop of a length that the text does not say: in up to 4 rounds a ring of blocks, in more a pipeline.
constexpr char kRing[] = R"(HloModule ring, is_scheduled=true, num_partitions=4
body {
  p = (s32[], f32[1024,1024]{1,0:T(8,128)}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[1024,1024]{1,0:T(8,128)} get-tuple-element(p), index=1
  passed = f32[1024,1024]{1,0:T(8,128)} collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}, metadata={op_name="jit(f)/while/body/ppermute"}
  ROOT t = (s32[], f32[1024,1024]{1,0:T(8,128)}) tuple(next, passed)
}
condition {
  p = (s32[], f32[1024,1024]{1,0:T(8,128)}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[1024,1024]{1,0:T(8,128)} get-tuple-element(p), index=1
  bound = s32[] custom-call(x), custom_call_target="bound"
  ROOT c = pred[] compare(i, bound), direction=LT
}
ENTRY main {
  zero = s32[] constant(0)
  x = f32[1024,1024]{1,0:T(8,128)} parameter(0)
  state = (s32[], f32[1024,1024]{1,0:T(8,128)}) tuple(zero, x)
  loop = (s32[], f32[1024,1024]{1,0:T(8,128)}) while(state), condition=condition, body=body
  ROOT y = f32[1024,1024]{1,0:T(8,128)} get-tuple-element(loop), index=1
}
)";

std::string explained(const PredictOptions& options) {
  const absl::StatusOr<StepPrediction> step = predict_step_time(kRing, "tpu_v5e", options);
  INFO(step.status());
  REQUIRE(step.ok());
  const absl::StatusOr<std::string> text = explain(*step, "%passed", 0);
  REQUIRE(text.ok());
  return *text;
}

TEST_CASE("The mesh is that of the trip counts that the user gives") {
  PredictOptions options;
  options.trip_counts["loop"] = 4;
  CHECK_THAT(explained(options), ContainsSubstring("sequence (blocks passed round a ring)"));
  options.trip_counts["loop"] = 100;
  CHECK_THAT(explained(options), ContainsSubstring("pipeline (passed round for many rounds)"));
  options.mesh.axes = {{"ring", 4}};
  CHECK_THAT(explained(options), ContainsSubstring("ring: 4-way, stride 1, pipeline (passed round for many rounds)"));
}

TEST_CASE("Facts that a prediction from text points to own the module") {
  PredictOptions options;
  options.trip_counts["loop"] = 4;
  StepPrediction copy;
  {
    const absl::StatusOr<StepPrediction> step = predict_step_time(kRing, "tpu_v5e", options);
    REQUIRE(step.ok());
    copy = *step;
  }
  CHECK(explain(copy, "passed").ok());
  CHECK(explain(copy, "pased").status().code() == absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hloroof::internal
