// The model beside the compiler's own estimates, and whom to believe.
#include "lib/results/estimates.h"

#include <fstream>
#include <string>

#include "hloroof/parse.h"
#include "lib/report/views.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

// An op with an estimate of `cycles` and the loop bounds `bounds`.
std::string with_estimate(const std::string& op, const std::string& cycles, const std::string& bounds = "\"1\",\"1\"") {
  return op + ", backend_config={\"window_config\":{\"estimated_cycles\":\"" + cycles + "\",\"iteration_bounds\":[" +
         bounds + "]}}";
}

StepPrediction predicted_from(const std::string& body, const char* device, EstimateSource source) {
  auto module = parse_module("HloModule m, is_scheduled=true, num_partitions=4\n" + body);
  INFO(body);
  REQUIRE(module.ok());
  PredictOptions options;
  options.estimates = source;
  const std::string text = "HloModule m, is_scheduled=true, num_partitions=4\n" + body;
  auto prediction = predict_step_time(text, device, options);
  REQUIRE(prediction.ok());
  return *std::move(prediction);
}

TEST_CASE("whom to believe follows from the work of the op") {
  const std::string wide = "f32[4096,4096]{1,0:T(8,128)}";
  const std::string narrow = "bf16[4096,4096]{1,0:T(8,128)(2,1)}";
  const std::string on_chip = "f32[1024,1024]{1,0:T(8,128)S(1)}";
  const std::string entry_wide = "ENTRY e {\n  p = " + wide + " parameter(0)\n  ROOT r = ";
  const std::string entry_narrow = "ENTRY e {\n  p = " + narrow + " parameter(0)\n  ROOT r = ";
  struct Case {
    const char* what;
    std::string text;
    EstimateReason reason;
    Believe believe;
    const char* device = "tpu_v5e";
  };
  using enum EstimateReason;
  // 134 MB at 819 GB/s are about 164 us, 246,000 cycles of 1.5 GHz.
  const Case kCases[] = {
      {"equal premises", entry_wide + with_estimate(wide + " exponential(p)", "260000") + "\n}\n", kSamePremises,
       Believe::kEither},
      {"far apart", entry_wide + with_estimate(wide + " exponential(p)", "2600000") + "\n}\n", kFarApart,
       Believe::kMeasure},
      {"narrow elements", entry_narrow + with_estimate(narrow + " exponential(p)", "260000") + "\n}\n", kNarrow,
       Believe::kModel},
      {"a placeholder", entry_wide + with_estimate(wide + " exponential(p)", "600", "\"2\",\"3\"") + "\n}\n",
       kPlaceholder, Believe::kModel},
      {"VMEM",
       "ENTRY e {\n  p = f32[1024,1024]{1,0:T(8,128)} parameter(0)\n  ROOT r = " +
           with_estimate(on_chip + " exponential(p)", "9000") + "\n}\n",
       kOnChip, Believe::kModel},
      {"a product",
       entry_narrow +
           with_estimate(narrow + " dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "1100000") +
           "\n}\n",
       kProduct, Believe::kEither},
      {"a relayout", entry_wide + with_estimate("f32[4096,4096]{0,1:T(8,128)} copy(p)", "450000") + "\n}\n", kRelayout,
       Believe::kEither},
      {"a relayout on two cores",
       entry_wide + with_estimate("f32[4096,4096]{0,1:T(8,128)} copy(p)", "450000") + "\n}\n", kRelayoutOnCores,
       Believe::kModel, "tpu_v5p"},
      {"a collective",
       "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n" + entry_wide +
           with_estimate(wide + " all-reduce(p), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, "
                                "to_apply=add",
                         "260000") +
           "\n}\n",
       kOnTheWire, Believe::kModel},
      {"an unknown kernel",
       entry_wide + with_estimate(wide + " custom-call(p), custom_call_target=\"kernel\"", "260000") + "\n}\n",
       kUnknownWork, Believe::kCompiler},
  };
  for (const Case& c : kCases) {
    CAPTURE(c.what);
    double model_seconds = 0;
    for (const EstimateSource source : {EstimateSource::kModel, EstimateSource::kCompiler}) {
      const StepPrediction prediction = predicted_from(c.text, c.device, source);
      const std::vector<EstimatedOp> ops = estimated_ops(prediction);
      REQUIRE(ops.size() == 1);
      CHECK(ops[0].name == "r");
      CHECK(static_cast<int>(ops[0].reason) == static_cast<int>(c.reason));
      CHECK(static_cast<int>(ops[0].believe()) == static_cast<int>(c.believe));
      CHECK(ops[0].ratio() == Approx(ops[0].model_seconds / ops[0].compiler_seconds));
      // The choice of the prediction does not change the table.
      if (source == EstimateSource::kModel) model_seconds = ops[0].model_seconds;
      CHECK(ops[0].model_seconds == Approx(model_seconds));
    }
  }
}

TEST_CASE("the estimate is the cycles at the clock of the device") {
  const StepPrediction prediction =
      predicted_from("ENTRY e {\n  p = f32[4096,4096]{1,0:T(8,128)} parameter(0)\n  ROOT r = " +
                         with_estimate("f32[4096,4096]{1,0:T(8,128)} exponential(p)", "1500000") + "\n}\n",
                     "tpu_v5e", EstimateSource::kModel);
  const std::vector<EstimatedOp> ops = estimated_ops(prediction);
  REQUIRE(ops.size() == 1);
  CHECK(ops[0].compiler_seconds == Approx(1500000 / *find_device("tpu_v5e")->clock));
  CHECK(ops[0].model_seconds == prediction.ops.back().seconds);
}

TEST_CASE("a dump without estimates says so") {
  const StepPrediction prediction = predicted_from(
      "ENTRY e {\n  p = f32[8,128]{1,0:T(8,128)} parameter(0)\n  ROOT r = f32[8,128]{1,0:T(8,128)} "
      "negate(p)\n}\n",
      "tpu_v5e", EstimateSource::kModel);
  CHECK(estimated_ops(prediction).empty());
  const std::string text = estimates_view(prediction, {});
  CHECK(text.find("states no estimates") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
}

}  // namespace
}  // namespace hloroof::internal
