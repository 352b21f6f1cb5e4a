// The anatomy of an op reads the facts of the prediction and computes no others.
#include "lib/explain/explain.h"

#include <string>

#include "hloroof/parse.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

std::string ring() { return source_text("tests/predict/dumps/ring_in_loop.v5e_2x2.hlo"); }

std::string explained(const PredictOptions& options) {
  const absl::StatusOr<StepPrediction> step = predict_step_time(ring(), "tpu_v5e", options);
  INFO(step.status());
  REQUIRE(step.ok());
  const absl::StatusOr<std::string> text = explanation_text(*step, "%passed", 0);
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

TEST_CASE("An op may be named as the tables name the row of those alike") {
  const absl::StatusOr<StepPrediction> step = predict_step_time(ring(), "tpu_v5e", {});
  REQUIRE(step.ok());
  const absl::StatusOr<std::string> plain = explanation_text(*step, "passed");
  REQUIRE(plain.ok());
  for (const char* name : {"passed ×3", "%passed ×40"}) {
    CAPTURE(name);
    const absl::StatusOr<std::string> text = explanation_text(*step, name);
    REQUIRE(text.ok());
    CHECK(*text == *plain);
  }
  for (const char* name : {"passed ×", "passed ×three", "passed x3"}) {
    CAPTURE(name);
    CHECK_FALSE(explanation_text(*step, name).ok());
  }
}

TEST_CASE("Facts that a prediction from text points to own the module") {
  PredictOptions options;
  options.trip_counts["loop"] = 4;
  StepPrediction copy;
  {
    const absl::StatusOr<StepPrediction> step = predict_step_time(ring(), "tpu_v5e", options);
    REQUIRE(step.ok());
    copy = *step;
  }
  CHECK(explanation_text(copy, "passed").ok());
  CHECK(explanation_text(copy, "pased").status().code() == absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hloroof::internal
