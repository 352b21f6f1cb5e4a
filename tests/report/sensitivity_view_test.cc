// The sensitivity of a step as text: what saves the most comes first, and what is not shown is counted.
#include <string>

#include "hloroof/predict.h"
#include "lib/report/views.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

StepPrediction sensitive_step() {
  StepPrediction p;
  p.step_seconds = 1e-3;
  p.sensitivity = Sensitivity{
      {{"hbm.bandwidth", "B/s", "bandwidth of main memory", 8e11, 8.8e11, 9.5e-4, 5e-5, -0.538},
       {"ici.hop_latency", "s", "latency of one hop", 1e-6, 9.09e-7, 1.01e-3, -1e-5, -0.104}},
      {{InstructionId(0), "fusion.1", 4e-4, 7e-4, 3e-4}, {InstructionId(1), "copy-start.2", 2e-4, 1e-3, 0}}};
  return p;
}

TEST_CASE("sensitivity view: numbers and ops with what they save") {
  CHECK(sensitivity_view(sensitive_step(), ViewOptions()) ==
        R"(Numbers of the device: what the step saves if one of them were 10 % better
(efficiencies: at most 1), and its percent for a percent of the number
     saves  of the step  elasticity     value    better  number
   50.0 us        5.0 %      -0.538  800 GB/s  880 GB/s  hbm.bandwidth
  -10.0 us       -1.0 %      -0.104   1.00 us    909 ns  ici.hop_latency

Ops: what the step saves if one of them took no time
   saves  of the step  its time  op
  300 us       30.0 %    400 us  fusion.1
     0 s          0 %    200 us  copy-start.2
)");
}

TEST_CASE("sensitivity view: rows beyond the limit are counted") {
  ViewOptions options;
  options.rows.limit = 1;
  const std::string text = sensitivity_view(sensitive_step(), options);
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("[1 other]"));
  CHECK_THAT(text, !Catch::Matchers::ContainsSubstring("copy-start.2"));
}

TEST_CASE("sensitivity view: without the request it says what requests it") {
  CHECK_THAT(sensitivity_view(StepPrediction(), ViewOptions()),
             Catch::Matchers::ContainsSubstring("PredictOptions::sensitivity"));
}

}  // namespace
}  // namespace hloroof::internal
