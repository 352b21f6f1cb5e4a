// A row of the sensitivity of a step is what a prediction with that number says, to the last bit, and a number without
// a row changes nothing. The row of an op is what the step is if the user says that the op takes no time.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/hardware/better_number.h"
#include "lib/schedule/timeline.h"
#include "lib/step/facts.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"
#include "tests/predict/corpus.h"
#include "tests/predict/device_programs.h"

namespace hloroof::internal {
namespace {

StepPrediction with_sensitivity(const Module& module, const std::string& device, PredictOptions options = {}) {
  options.allow_other_backend = true;
  options.sensitivity = true;
  absl::StatusOr<StepPrediction> p = predict_step_time(module, find_target(device).value(), options);
  INFO((p.ok() ? "" : std::string(p.status().message())));
  REQUIRE(p.ok());
  REQUIRE(p->sensitivity.has_value());
  return *std::move(p);
}

const NumberSensitivity* row_of_number(const Sensitivity& sensitivity, std::string_view path) {
  for (const NumberSensitivity& row : sensitivity.numbers) {
    if (row.path == path) return &row;
  }
  return nullptr;
}

const OpSensitivity* row_of_op(const Sensitivity& sensitivity, std::string_view name) {
  for (const OpSensitivity& row : sensitivity.free_ops) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// Compares all numbers with predictions from scratch. Returns the number of rows.
std::size_t check_numbers(const Module& module, const std::string& device, const PredictOptions& options = {}) {
  const StepPrediction p = with_sensitivity(module, device, options);
  std::size_t rows = 0;
  for (const Parameter& parameter : parameters(p.facts->target.device)) {
    CAPTURE(parameter.path);
    const NumberSensitivity* row = row_of_number(*p.sensitivity, parameter.path);
    const std::optional<double> better = better_number(parameter, 1.1);
    if (!better || *better == *parameter.value) {
      CHECK(row == nullptr);
      continue;
    }
    PredictOptions changed = options;
    changed.allow_other_backend = true;
    changed.set.emplace_back(parameter.path, *better);
    const auto summary = predict_summary(module, find_target(device).value(), changed);
    if (!summary.ok()) {
      CHECK(row == nullptr);
      continue;
    }
    if (row == nullptr) {
      CHECK(summary->step_seconds == p.step_seconds);
      continue;
    }
    ++rows;
    CHECK(row->step_seconds == summary->step_seconds);
    CHECK(row->value == *parameter.value);
    CHECK(row->better_value == *better);
    CHECK(row->saved_seconds == p.step_seconds - summary->step_seconds);
    CHECK(std::pow(*better / *parameter.value, row->elasticity) ==
          Approx(summary->step_seconds / p.step_seconds).epsilon(1e-9));
  }
  CHECK(rows == p.sensitivity->numbers.size());
  return rows;
}

TEST_CASE("sensitivity: the step of a row is that of a prediction with the better number, to the last bit") {
  for (const char* device : {"tpu_v4", "tpu_v5e", "tpu_v7x", "h100_sxm", "b200_sxm", "mi300x", "trainium2", "cpu"}) {
    CAPTURE(device);
    const Device found = find_device(device).value();
    std::size_t rows = 0;
    std::vector<Case> cases = cases_for(found);
    cases.push_back(elementwise_case(found));
    for (const Case& c : cases) rows += check_numbers(c.module, device, c.options);
    CHECK(rows > 15);
  }
}

TEST_CASE("sensitivity: the rows of compiled programs are those of predictions from scratch") {
  for (const auto& [file, device] : std::vector<std::pair<std::string, std::string>>{
           {"gather_then_reduce.v5e_2x4.hlo", "tpu_v5e"},
           {"slices_train.v5e_2x2.hlo", "tpu_v5e"},
           {"one_slice_train.v5e_2x2.hlo", "tpu_v5e*2"},  // copies that exchange gradients
           {"pipeline.v5e_2x2.hlo", "tpu_v5e"},
           {"experts.h100_sxm_8.hlo", "h100_sxm"},
           {"ffn_fsdp.h100_sxm_8.hlo", "h100_sxm"},
           {"data_parallel.h100_sxm_8.hlo", "h100_sxm"}}) {
    CAPTURE(file);
    const absl::StatusOr<Module> module = load_module(source_path("tests/predict/dumps/" + file));
    REQUIRE(module.ok());
    CHECK(check_numbers(*module, device) > 3);
    PredictOptions options;
    options.estimates = EstimateSource::kCompiler;
    options.set = {{"hbm.bandwidth", 5e11}};
    check_numbers(*module, device, options);
  }
}

// Long products alone, so that only their rate matters.
constexpr std::string_view kProducts = R"(HloModule products, is_scheduled=true

ENTRY main {
  a = bf16[8192,8192]{1,0:T(8,128)(2,1)} parameter(0)
  b = bf16[8192,8192]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT c = bf16[8192,8192]{1,0:T(8,128)(2,1)} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

TEST_CASE("sensitivity: a step that is bound by one rate is inversely proportional to it") {
  const Module module = parse_module(kProducts).value();
  const StepPrediction p = with_sensitivity(module, "tpu_v5e");
  const NumberSensitivity* peak = row_of_number(*p.sensitivity, "matrix.peak.bf16");
  REQUIRE(peak != nullptr);
  CHECK(peak->better_value == Approx(1.1 * peak->value));
  CHECK(peak->elasticity == Approx(-1).margin(0.05));
  CHECK(peak->saved_seconds == Approx(p.step_seconds * (1 - 1 / 1.1)).epsilon(0.05));
  CHECK(p.sensitivity->numbers.front().saved_seconds >= peak->saved_seconds);
  CHECK(row_of_number(*p.sensitivity, "ici.link_bandwidth") == nullptr);
  const OpSensitivity* product = row_of_op(*p.sensitivity, "c");
  REQUIRE(product != nullptr);
  CHECK(product->step_seconds == 0);
  CHECK(product->saved_seconds == p.step_seconds);
}

// A gather of weights that the product beside it hides, and a second one that nothing hides.
constexpr std::string_view kTransfers = R"(HloModule transfers, is_scheduled=true, num_partitions=8

ENTRY main {
  a = bf16[8192,8192]{1,0:T(8,128)(2,1)} parameter(0)
  w = bf16[128,1024]{1,0:T(8,128)(2,1)} parameter(1)
  hidden = (bf16[128,1024]{1,0:T(8,128)(2,1)}, bf16[1024,1024]{1,0:T(8,128)(2,1)}) all-gather-start(w), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true
  c = bf16[8192,8192]{1,0:T(8,128)(2,1)} dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  v = bf16[1024,1024]{1,0:T(8,128)(2,1)} all-gather-done(hidden)
  exposed = (bf16[1024,1024]{1,0:T(8,128)(2,1)}, bf16[8192,1024]{1,0:T(8,128)(2,1)}) all-gather-start(v), channel_id=2, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true
  u = bf16[8192,1024]{1,0:T(8,128)(2,1)} all-gather-done(exposed)
  k = bf16[8192,1024]{1,0:T(8,128)(2,1)} custom-call(c, u), custom_call_target="mine"
  ROOT t = (bf16[8192,8192]{1,0:T(8,128)(2,1)}, bf16[8192,1024]{1,0:T(8,128)(2,1)}) tuple(c, k)
}
)";

TEST_CASE("sensitivity: a hidden transfer saves nothing, an exposed one its wait") {
  const Module module = parse_module(kTransfers).value();
  const StepPrediction p = with_sensitivity(module, "tpu_v5e");
  const OpSensitivity* hidden = row_of_op(*p.sensitivity, "hidden");
  REQUIRE(hidden != nullptr);
  CHECK(hidden->total_seconds > 0);
  CHECK(hidden->saved_seconds == 0);
  const OpSensitivity* exposed = row_of_op(*p.sensitivity, "exposed");
  REQUIRE(exposed != nullptr);
  CHECK(exposed->saved_seconds == Approx(exposed->total_seconds).epsilon(1e-9));
  // The product hides the first gather, so the step still waits for that if the product takes no time.
  const OpSensitivity* product = row_of_op(*p.sensitivity, "c");
  REQUIRE(product != nullptr);
  CHECK(product->saved_seconds < product->total_seconds);
  CHECK(product->saved_seconds > 0.9 * (product->total_seconds - hidden->total_seconds));
}

TEST_CASE("sensitivity: an op saves what the step saves if the user says that it takes no time") {
  const Module module = parse_module(kTransfers).value();
  PredictOptions options;
  options.custom_calls = {{"mine", {}, {}, {}, 1e-3}};
  const StepPrediction p = with_sensitivity(module, "tpu_v5e", options);
  options.custom_calls = {{"mine", {}, {}, {}, 0.0}};
  const StepPrediction without = predict_step_time(module, find_target("tpu_v5e").value(), options).value();
  const OpSensitivity* call = row_of_op(*p.sensitivity, "k");
  REQUIRE(call != nullptr);
  CHECK(call->step_seconds == without.step_seconds);
  CHECK(call->saved_seconds == p.step_seconds - without.step_seconds);
}

TEST_CASE("sensitivity: the ops are those with the most time in the step, what saves the most first") {
  const absl::StatusOr<Module> module = load_module(source_path("tests/predict/dumps/pipeline.v5e_2x2.hlo"));
  REQUIRE(module.ok());
  const StepPrediction p = with_sensitivity(*module, "tpu_v5e");
  const std::vector<OpSensitivity>& ops = p.sensitivity->free_ops;
  REQUIRE_FALSE(ops.empty());
  CHECK(ops.size() <= 40);
  CHECK(std::is_sorted(ops.begin(), ops.end(), [](const OpSensitivity& a, const OpSensitivity& b) {
    return a.saved_seconds > b.saved_seconds;
  }));
  PagedTable<Demand> demands = p.facts->costs.demand;
  for (const OpSensitivity& row : ops) {
    CAPTURE(row.name);
    const Demand before = demands[row.id.index];
    demands.at(row.id.index) = scaled(before, 0);
    CHECK(row.step_seconds ==
          replayed_seconds(*p.facts->module, p.facts->calls, p.facts->pairs, demands, p.facts->schedule));
    demands.at(row.id.index) = before;
  }
}

TEST_CASE("sensitivity: it is predicted only if it is requested") {
  const Module module = parse_module(kProducts).value();
  CHECK_FALSE(predict_step_time(module, find_target("tpu_v5e").value()).value().sensitivity);
}

}  // namespace
}  // namespace hloroof::internal
