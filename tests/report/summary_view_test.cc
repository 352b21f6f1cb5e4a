// The first screen of a prediction.
#include <string>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/base/units.h"
#include "lib/report/views.h"
#include "tests/any_backend.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("measurements are named where they apply: to a compiled program of this device") {
  const std::string negate = "f32[1024,1024]{1,0:T(8,128)} negate(p)";
  const struct {
    const char* name;
    std::string header, root;
    bool has_trust;
  } cases[] = {
      {"TPU", ", is_scheduled=true", negate, true},
      {"CPU", ", is_scheduled=true",
       R"(f32[1024,1024]{1,0} negate(p), backend_config={"outer_dimension_partitions":["8"]})", false},
      {"not optimized", ", entry_computation_layout={(f32[1024,1024]{1,0})->f32[1024,1024]{1,0}}",
       "f32[1024,1024]{1,0} negate(p)", false},
      {"not modelled", ", is_scheduled=true",
       R"(f32[1024,1024]{1,0:T(8,128)} custom-call(p), custom_call_target="mystery")", false},
  };
  for (const auto& c : cases) {
    const std::string text = "HloModule m" + c.header +
                             "\n\nENTRY e {\n  p = f32[1024,1024]{1,0} parameter(0)\n  ROOT r = " + c.root + "\n}\n";
    const auto prediction = predict_step_time(text, "tpu_v5e", any_backend());
    REQUIRE(prediction.ok());
    const std::string view = summary_view(*prediction, ViewOptions());
    CAPTURE(c.name, view);
    CHECK((view.find("\n  trust ") != std::string::npos) == c.has_trust);
  }
}

TEST_CASE("the measurements named are those of the kind of program") {
  const std::string dot = "f32[1024,1024]{1,0:T(8,128)} dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const struct {
    const char* name;
    std::string root;
    const char* trust;
  } cases[] = {
      {"a product", dot, "54 matmuls measured on tpu_v5e"},
      {"a product of a backward pass", dot + R"(, metadata={op_name="jit(f)/transpose(jvp(f))/dot_general"})",
       "4 steps measured on tpu_v5e"},
      {"no product", "f32[1024,1024]{1,0:T(8,128)} negate(p)", "none like it measured on tpu_v5e; 4 steps"},
  };
  for (const auto& c : cases) {
    const std::string text =
        "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[1024,1024]{1,0:T(8,128)} parameter(0)\n  ROOT r = " +
        c.root + "\n}\n";
    const auto prediction = predict_step_time(text, "tpu_v5e");
    REQUIRE(prediction.ok());
    CAPTURE(c.name);
    CHECK_THAT(summary_view(*prediction, ViewOptions()), Catch::Matchers::ContainsSubstring(c.trust));
  }
}

TEST_CASE("the cost of a step is shown if the price of a chip is given") {
  const char text[] =
      "HloModule m, is_scheduled=true, num_partitions=8\n\nENTRY e {\n  ROOT p = f32[64]{0:T(1024)} parameter(0)\n}\n";
  PredictOptions options;
  const auto cost_of = [&] {
    const auto prediction = predict_step_time(text, "tpu_v5e", options);
    REQUIRE(prediction.ok());
    return summary_view(*prediction, ViewOptions());
  };
  CHECK_THAT(cost_of(), !Catch::Matchers::ContainsSubstring("  cost "));
  options.price = 1.2;
  CHECK_THAT(cost_of(), Catch::Matchers::ContainsSubstring("  cost            $0          8 chips at $1.2 an hour"));
}

TEST_CASE("the rate of tokens is shown if their number is given, and their cost if the price is, too") {
  const char text[] =
      "HloModule m\n\nENTRY e {\n  p = f32[1024,1024]{1,0:T(8,128)} parameter(0)\n"
      "  ROOT n = f32[1024,1024]{1,0:T(8,128)} negate(p)\n}\n";
  PredictOptions options;
  const auto summary = [&] { return summary_view(predict_step_time(text, "tpu_v5e", options).value(), ViewOptions()); };
  CHECK_THAT(summary(), !Catch::Matchers::ContainsSubstring("  tokens "));
  options.tokens = 1000;
  CHECK_THAT(summary(),
             Catch::Matchers::ContainsSubstring("  tokens ") && Catch::Matchers::ContainsSubstring(" M/s\n"));
  options.price = 1.2;
  CHECK_THAT(summary(), Catch::Matchers::ContainsSubstring(" for a million"));
}

TEST_CASE("the energy of a step is shown to those who ask what it costs, with where the power is from") {
  const char text[] =
      "HloModule m, is_scheduled=true, num_partitions=8\n\nENTRY e {\n  ROOT p = f32[64]{0} parameter(0)\n}\n";
  PredictOptions options;
  options.allow_other_backend = true;
  const auto summary = [&](const char* device) {
    const auto prediction = predict_step_time(text, device, options);
    REQUIRE(prediction.ok());
    return summary_view(*prediction, ViewOptions());
  };
  const auto has = [](const char* line) { return Catch::Matchers::ContainsSubstring(line); };
  CHECK_THAT(summary("h100_sxm"), !has("  energy "));
  options.price = 1.2;
  CHECK_THAT(summary("h100_sxm"), has("  energy          0 J         at most: 8 chips at 700 W (published)"));
  CHECK_THAT(summary("tpu_v5e"), !has("  energy "));  // nothing is published
  options.price.reset();
  options.set = {{"power", 250}};
  CHECK_THAT(summary("tpu_v5e"), has("  energy          0 J         8 chips at 250 W\n"));
}

TEST_CASE("the energy of a million tokens stands beside their price") {
  const char text[] =
      "HloModule m\n\nENTRY e {\n  p = f32[65536]{0} parameter(0)\n  ROOT n = f32[65536]{0} negate(p)\n}\n";
  PredictOptions options;
  options.allow_other_backend = true;
  options.tokens = 1000;
  options.set = {{"power", 250}};
  const StepPrediction p = predict_step_time(text, "h100_sxm", options).value();
  const std::string joules = format_rate(250 * p.step_seconds * 1000, "J");
  CHECK_THAT(summary_view(p, ViewOptions()), Catch::Matchers::ContainsSubstring(joules + " for a million\n"));
  options.price = 1.2;
  CHECK_THAT(summary_view(predict_step_time(text, "h100_sxm", options).value(), ViewOptions()),
             Catch::Matchers::ContainsSubstring(" and " + joules + " for a million\n"));
}

}  // namespace
}  // namespace hloroof::internal
