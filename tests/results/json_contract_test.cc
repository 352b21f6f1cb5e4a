// The JSON of a prediction against its schema, and the sums that must hold: scripts rely on every key and its type.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/analysis/calls.h"
#include "lib/base/json.h"
#include "lib/describe/record_json.h"
#include "lib/results/prediction_fields.h"
#include "lib/results/prediction_json.h"
#include "tests/any_backend.h"
#include "tests/catch.h"
#include "tests/paths.h"
#include "tests/report/json_schema.h"

namespace hloroof::internal {
namespace {

// 0 for null.
double number(const OrderedJson& object, std::string_view name) {
  const OrderedJson* const value = find(object, {name});
  REQUIRE(value != nullptr);
  return value->is_null() ? 0 : value->get<double>();
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)) + 1e-15; }

// Seconds of a term, worked out from the numbers of the JSON alone.
double evaluated(const OrderedJson& term) {
  const OrderedJson* combine = find(term, {"combine"});
  if (combine == nullptr) return number(term, "amount") / number(term, "rate");
  std::vector<double> seconds;
  for (const OrderedJson& child : term.at("children")) seconds.push_back(evaluated(child));
  const double scale = term.contains("scale") ? number(term, "scale") : 1;
  if (combine->get<std::string>() == "max") return scale * *std::max_element(seconds.begin(), seconds.end());
  if (combine->get<std::string>() == "min") return scale * *std::min_element(seconds.begin(), seconds.end());
  const double exponent = combine->get<std::string>() == "norm" ? number(term, "exponent") : 1;
  double powers = 0;
  for (const double s : seconds) powers += std::pow(s, exponent);
  return scale * std::pow(powers, 1 / exponent);
}

// All paths that the terms name.
void add_paths(const OrderedJson& term, std::set<std::string>& paths) {
  if (const OrderedJson* parameters = find(term, {"parameters"})) {
    for (const OrderedJson& path : *parameters) paths.insert(path.get<std::string>());
  }
  if (const OrderedJson* children = find(term, {"children"})) {
    for (const OrderedJson& child : *children) add_paths(child, paths);
  }
}

// The terms of an op as JSON.
std::string written(const Term& term) {
  JsonWriter out(JsonLayout::kCompact);
  write_json_value(TermRow(term), out);
  return out.take();
}

// Ops refer to the terms of others. They must be those that they have alone, and none may be there in vain.
void check_shared(const StepPrediction& prediction) {
  const SharedTerms shared = share_terms(prediction.facts.get(), prediction.ops);
  REQUIRE(shared.of_ops.size() == prediction.ops.size());
  std::set<std::int64_t> used;
  for (std::size_t i = 0; i < prediction.ops.size(); ++i) {
    const std::optional<Term> alone = terms_of(prediction.facts.get(), prediction.ops[i].id);
    const std::optional<std::int64_t> at = shared.of_ops[i];
    INFO(prediction.ops[i].name);
    REQUIRE(at.has_value() == alone.has_value());
    if (!at) continue;
    used.insert(*at);
    CHECK(written(shared.terms.at(static_cast<std::size_t>(*at))) == written(*alone));
  }
  CHECK(used.size() == shared.terms.size());
}

void check_prediction(const std::string& path, const char* device) {
  CAPTURE(path, device);
  const auto module = load_module(path);
  REQUIRE(module.ok());
  const auto prediction = predict_step_time(*module, find_device(device).value(), any_backend());
  CAPTURE(prediction.status().message());
  REQUIRE(prediction.ok());
  check_shared(*prediction);
  const auto parsed = parse_json(predictions_json({*prediction}), "out");
  REQUIRE(parsed.ok());
  const OrderedJson& json = *parsed;
  CHECK(JsonSchema("prediction").violations(json) == std::vector<std::string>());

  const OrderedJson& coverage = json.at("coverage");
  CHECK(near(number(coverage, "modelled") + number(coverage, "assumed") + number(coverage, "unknown"), 1));

  const double step = number(json, "step_seconds");
  CHECK(number(json, "lower_bound_seconds") <= step * (1 + 1e-9));
  CHECK(step <= number(json, "serial_seconds") * (1 + 1e-9));

  static const std::set<std::string> kTpuBounds = {"mxu", "vpu", "hbm", "vmem", "ici", "dcn", "host", "latency"};
  static const std::set<std::string> kGpuBounds = {"tensor", "cuda",    "hbm",  "l2",
                                                   "nvlink", "network", "host", "latency"};
  const std::set<std::string>& bounds = std::string_view(device).substr(0, 3) == "tpu" ? kTpuBounds : kGpuBounds;
  CHECK(bounds.count(json.at("bound").get<std::string>()) == 1);

  // The ops are all instructions of all computations that are scheduled separately. Their times add up to the step.
  std::multiset<std::string> expected;
  const CallGraph calls = analyze_calls(*module);
  for (ComputationId id : CallFacts::scheduled(calls)) {
    for (InstructionView instruction : module->computation(id).instructions()) expected.emplace(instruction.name());
  }
  std::multiset<std::string> listed;
  double flops = 0;
  double exposed = 0;
  std::set<std::string> paths;  // of the device's numbers in the terms
  for (const OrderedJson& op : json.at("ops")) {
    listed.insert(op.at("name").get<std::string>());
    CHECK(op.at("name").get<std::string>().find('%') == std::string::npos);
    CHECK(near(number(op, "total_seconds"), number(op, "seconds") * number(op, "executions")));
    const std::string bound = op.at("bound").is_null() ? "" : op.at("bound").get<std::string>();
    if (bound.substr(0, 6) == "wait (") {
      CHECK(2 * number(op, "wait_seconds") > number(op, "exposed_seconds"));
      CHECK_FALSE(op.at("waits").empty());
    } else if (!bound.empty()) {
      CHECK(bounds.count(bound) == 1);
    }
    flops += number(op, "flops") * number(op, "executions");
    exposed += number(op, "exposed_seconds");
    CHECK(op.at("terms").is_null() == (number(op, "seconds") == 0));
    if (op.at("terms").is_null()) continue;
    const OrderedJson& terms = json.at("terms").at(op.at("terms").get<std::size_t>());
    CHECK(number(terms, "seconds") == Approx(number(op, "seconds")).epsilon(1e-12));
    CHECK(evaluated(terms) == Approx(number(op, "seconds")).epsilon(1e-9));
    add_paths(terms, paths);
  }
  std::set<std::string> described;
  for (const OrderedJson& parameter : json.at("parameters")) described.insert(parameter.at("path").get<std::string>());
  // Terms refer only to numbers that are listed.
  CHECK(std::includes(described.begin(), described.end(), paths.begin(), paths.end()));
  CHECK(listed == expected);
  CHECK(near(flops, number(json.at("totals"), "flops")));
  CHECK(std::abs(exposed - step) <= 1e-6 * step + 1e-12);

  const OrderedJson& memory = json.at("memory");
  double live = 0;
  for (const OrderedJson& buffer : memory.at("live_at_peak")) live += number(buffer, "bytes");
  CHECK(near(live, number(memory, "hbm_peak_bytes")));
  CHECK(memory.at("fits").get<bool>() == (number(memory, "hbm_peak_bytes") <= number(memory, "capacity_bytes")));
}

TEST_CASE("the checker of schemas finds what is wrong") {
  const JsonSchema schema("prediction");
  const auto violations = [&](const std::string& text) {
    const auto json = parse_json(text, "text");
    REQUIRE(json.ok());
    return schema.violations(*json);
  };
  const auto has = [](const std::vector<std::string>& found, const std::string& line) {
    return std::find(found.begin(), found.end(), line) != found.end();
  };
  CHECK(has(violations("{}"), ": has no step_seconds"));
  CHECK(has(violations("[]"), ": has the type array"));
  CHECK(has(violations(R"({"step_seconds": -1})"), "step_seconds: is below 0.000000"));
  CHECK(has(violations(R"({"bound": "gpu"})"), "bound: 'gpu' is none of the choices"));
  CHECK(has(violations(R"({"nothing": 1})"), "nothing: is not in the schema"));
  CHECK(has(violations(R"({"ops": [{"seconds": "1"}]})"), "ops[0].seconds: has the type string"));
  CHECK(has(violations(R"({"schema": "hloroof.prediction/1"})"), "schema: is not hloroof.prediction/2"));
}

TEST_CASE("every field of the JSON contract is there, of its type, and the sums hold") {
  check_prediction("examples/ffn_block.v5e_2x4.hlo", "tpu_v5e");
  check_prediction("examples/decode_step.v5e.hlo", "tpu_v5e");
  check_prediction("examples/narrow_heads.v5e.hlo", "h100_sxm");
  check_prediction("tests/corpus/y_default_while.hlo", "tpu_v5p");
  check_prediction("tests/corpus/y_single_instruction.hlo", "tpu_v6e");
  check_prediction("tests/corpus/y_default_threads_and_unknown.hlo", "tpu_v6e");
}

TEST_CASE("the JSON contract holds for real dumps") {
  const std::string corpus = shared_path("corpus/");
  if (!std::ifstream(corpus + "index.csv").good()) HLOROOF_SKIP("the large corpus is not there");
  check_prediction(corpus + "step/llama3.1-8b.v6e-32.hlo", "tpu_v6e");
  check_prediction(corpus + "gpu/seed_ffn_block.h100_sxm_1x1x8.hlo", "h100_sxm");
  check_prediction(corpus + "cpu/lstm_scan.cpu_8.hlo", "tpu_v5e");
  check_prediction(corpus + "unoptimized/moe_ep_train.v5e_2x4.hlo", "tpu_v5e");
  check_prediction(corpus + "tpu/llm_decode.v6e_2x4.hlo", "tpu_v5e");
}

}  // namespace
}  // namespace hloroof::internal
