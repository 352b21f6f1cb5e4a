// A step costs what the chips of its topology cost while it runs.
#include "lib/step/step_cost.h"

#include <string>

#include "hloroof/predict.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr double kPrice = 1.8;  // dollars an hour

StepPrediction predicted(const char* target, int partitions) {
  const std::string array = "f32[1024,1024]{1,0:T(8,128)}";
  const std::string text = "HloModule m, is_scheduled=true, num_partitions=" + std::to_string(partitions) +
                           "\n\nENTRY e {\n  p = " + array + " parameter(0)\n  ROOT n = " + array + " negate(p)\n}\n";
  PredictOptions options;
  options.price = kPrice;
  options.allow_other_backend = true;
  absl::StatusOr<StepPrediction> step = predict_step_time(text, target, options);
  INFO(step.status());
  REQUIRE(step.ok());
  return *std::move(step);
}

TEST_CASE("the cost of a step is that of the chips of its topology") {
  const struct {
    const char* target;
    int partitions;
    double chips;
  } cases[] = {
      {"tpu_v5e", 1, 1},         {"tpu_v5e:4x4", 1, 16},  // the rest of the slice is idle, and paid for
      {"tpu_v7x:2x2x1", 8, 4},                            // two devices a chip
      {"tpu_v5e:2x4*3", 24, 24}, {"h100_sxm", 8, 8},     {"mi250x_gcd", 3, 2},  // two dies a card, whole cards
  };
  for (const auto& c : cases) {
    CAPTURE(c.target);
    const StepPrediction step = predicted(c.target, c.partitions);
    CHECK(occupied_chips(*step.facts) == c.chips);
    CHECK(step_dollars(step).value() == Approx(kPrice * c.chips * step.step_seconds / 3600));
  }
}

TEST_CASE("the energy of a step is bounded by the design power of its chips, where it is known") {
  const StepPrediction step = predicted("h100_sxm", 8);
  CHECK(most_joules(step).value() == Approx(700 * 8 * step.step_seconds));
  CHECK_FALSE(most_joules(predicted("tpu_v5e", 1)));
}

TEST_CASE("tokens have a rate, a price and a bound of their energy") {
  PredictOptions options;
  options.tokens = 65536;
  const auto of = [&options] {
    return predict_step_time("n = f32[65536]{0} negate(f32[65536]{0} p)", "h100_sxm", options).value();
  };
  const StepPrediction unpriced = of();
  REQUIRE(unpriced.step_seconds > 0);
  CHECK(tokens_per_second(unpriced).value() == Approx(65536 / unpriced.step_seconds));
  CHECK(most_joules_per_token(unpriced).value() == Approx(most_joules(unpriced).value() / 65536));
  CHECK_FALSE(dollars_per_million_tokens(unpriced));
  options.price = kPrice;
  const StepPrediction priced = of();
  CHECK(dollars_per_million_tokens(priced).value() == Approx(step_dollars(priced).value() / 65536 * 1e6));
  options.tokens.reset();
  CHECK_FALSE(tokens_per_second(of()));
  CHECK_FALSE(dollars_per_million_tokens(of()));
  CHECK_FALSE(most_joules_per_token(of()));
}

TEST_CASE("without a price or without facts a step has no cost") {
  StepPrediction step = predicted("h100_sxm", 1);
  step.facts.reset();
  CHECK_FALSE(step_dollars(step));
  CHECK_FALSE(most_joules(step));
  const auto unpriced = predict_step_time("p = f32[64]{0} parameter(0)", "tpu_v5e");
  REQUIRE(unpriced.ok());
  CHECK_FALSE(step_dollars(*unpriced));
}

}  // namespace
}  // namespace hloroof::internal
