// A text that the device would not run: the warning, its place among the diagnostics, and the coverage.
#include <algorithm>
#include <string>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/predict/many_targets.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

using Catch::Matchers::ContainsSubstring;
using enum DiagnosticCode;

StepPrediction predicted(const std::string& text, const std::string& device) {
  CAPTURE(text, device);
  PredictOptions options;
  options.allow_other_backend = true;
  auto prediction = predict_step_time(text, device, options);
  INFO(std::string(prediction.status().message()));
  REQUIRE(prediction.ok());
  return *std::move(prediction);
}

std::vector<const Diagnostic*> of_code(const StepPrediction& p, DiagnosticCode code) {
  std::vector<const Diagnostic*> found;
  for (const Diagnostic& d : p.diagnostics) {
    if (d.code == code) found.push_back(&d);
  }
  return found;
}

std::string entry(const std::string& header, const std::string& line) {
  return "HloModule m" + header + "\nENTRY e {\n  p = f32[1024,1024]{1,0} parameter(0)\n  ROOT r = " + line + "\n}\n";
}

constexpr char kScheduled[] = ", is_scheduled=true";
constexpr char kPrinted[] = ", entry_computation_layout={(f32[1024,1024]{1,0})->f32[1024,1024]{1,0}}";

TEST_CASE("a text of another backend, or from before optimization, is warned of first and is assumed") {
  const std::string negate = "f32[1024,1024]{1,0} negate(p)";
  const std::string tpu = entry(kScheduled, "f32[1024,1024]{1,0:T(8,128)} negate(p)");
  const std::string gpu = entry(kScheduled, negate + R"(, backend_config={"operation_queue_id":"0"})");
  const std::string cpu = entry(kScheduled, negate + R"(, backend_config={"outer_dimension_partitions":["8"]})");
  const std::string plain = entry(kScheduled, negate);
  const std::string early = entry(kPrinted, negate);
  const std::string sharded = entry(kPrinted, negate + ", sharding={devices=[8,1]<=[8]}");
  const struct {
    const char* name;
    std::string text;
    const char* device;
    std::optional<DiagnosticCode> code;
  } cases[] = {
      {"TPU on TPU", tpu, "tpu_v5e", std::nullopt},
      {"TPU on GPU", tpu, "h100_sxm", kWrongBackend},
      {"TPU on another accelerator", tpu, "trainium2", kWrongBackend},
      {"GPU on GPU", gpu, "a100_sxm_40", std::nullopt},
      {"GPU on TPU", gpu, "tpu_v6e", kWrongBackend},
      {"CPU on TPU", cpu, "tpu_v5e", kWrongBackend},
      {"CPU on GPU", cpu, "h100_sxm", kWrongBackend},
      {"no evidence on TPU", plain, "tpu_v5e", std::nullopt},
      {"no evidence on GPU", plain, "a100_sxm_40", std::nullopt},
      {"not optimized", early, "tpu_v5e", kNotOptimized},
      {"not partitioned", sharded, "tpu_v5e", kNotPartitioned},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const StepPrediction p = predicted(c.text, c.device);
    for (const DiagnosticCode code : {kWrongBackend, kNotOptimized, kNotPartitioned}) {
      CHECK(of_code(p, code).size() == (c.code == code ? 1 : 0));
    }
    const absl::StatusOr<StepPrediction> number = predict_step_time(c.text, c.device);
    CHECK(number.ok() == (c.code != kWrongBackend));
    CHECK(predict_summary(c.text, c.device).status() == number.status());
    if (c.code) {
      CHECK(p.diagnostics.front().code == *c.code);
      CHECK(p.diagnostics.front().severity == Severity::kWarning);
      CHECK(p.modelled_share == 0);
      CHECK(p.ops.back().source == CostSource::kAssumed);
    } else {
      CHECK(p.modelled_share == 1);
    }
  }
  CHECK_THAT(predicted(cpu, "tpu_v5e").diagnostics.front().message, ContainsSubstring("outer_dimension_partitions"));
  CHECK_THAT(predicted(sharded, "tpu_v5e").diagnostics.front().message, ContainsSubstring("8 devices"));
}

TEST_CASE("a program for another backend is refused with the evidence and the remedy, unless that is allowed") {
  const Module tpu = *parse_module(entry(kScheduled, "f32[1024,1024]{1,0:T(8,128)} negate(p)"));
  const Module gpu =
      *parse_module(entry(kScheduled, R"(f32[1024,1024]{1,0} negate(p), backend_config={"operation_queue_id":"0"})"));
  const struct {
    const Module& module;
    const char* target;
    const char* message;
  } rows[] = {
      {tpu, "h100_sxm", "m was compiled for a TPU ("},
      {tpu, "h100_sxm",
       "), and h100_sxm would run another program: other fusions, layouts and kernels.\nCompile it on a "},
      {gpu, "tpu_v5e:2x4", "m was compiled for a GPU ("},
      {gpu, "tpu_v5e:2x4", "hloroof.jax.compile_for(function, arguments, \"tpu_v5e:2x4\")"},
      {gpu, "tpu_v5e:2x4", "\nThe option allow_other_backend predicts the module as it is"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.message);
    const Target target = *find_target(row.target);
    PredictOptions options;
    const auto many = ManyTargets::create(row.module, options);
    REQUIRE(many.ok());
    const absl::Status refused = predict_step_time(row.module, target).status();
    CHECK(refused.code() == absl::StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(refused.message()), ContainsSubstring(row.message));
    CHECK(predict_summary(row.module, target).status() == refused);
    CHECK((*many)->predict(target, options).status() == refused);
    CHECK((*many)->headline(target, options).status() == refused);
    options.allow_other_backend = true;
    CHECK(predict_summary(row.module, target, options).ok());
    CHECK((*many)->headline(target, options).ok());
  }
}

TEST_CASE("a scheduled module that XLA printed without tiles is no TPU's, and the report says so") {
  const std::string negate = "f32[1024,1024]{1,0} negate(p)";
  const std::string printed = std::string(kScheduled) + kPrinted;
  const std::string tiled = "f32[1024,1024]{1,0:T(8,128)} negate(p)";
  const struct {
    const char* name;
    std::string text;
    const char* device;
    bool is_warned;
  } rows[] = {
      {"on a TPU", entry(printed, negate), "tpu_v5e", true},
      {"on a GPU", entry(printed, negate), "a100_sxm_40", false},
      {"tiles", entry(printed, tiled), "tpu_v5e", false},
      {"written by hand", entry(kScheduled, negate), "tpu_v5e", false},
      {"no layouts",
       entry(", is_scheduled=true, entry_computation_layout={(f32[1024,1024])->f32[1024,1024]}",
             "f32[1024,1024] negate(p)"),
       "tpu_v5e", false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const absl::StatusOr<StepPrediction> p = predict_step_time(row.text, row.device);  // a warning, not refused
    REQUIRE(p.ok());
    REQUIRE(of_code(*p, kWrongBackend).size() == (row.is_warned ? 1 : 0));
    CHECK(p->modelled_share == (row.is_warned ? 0 : 1));
    CHECK(predict_summary(row.text, row.device)->modelled_share == p->modelled_share);
    if (!row.is_warned) continue;
    CHECK(p->diagnostics.front().code == kWrongBackend);
    CHECK_THAT(p->diagnostics.front().message, ContainsSubstring("none of its layouts has tiles"));
  }
}

TEST_CASE("a text without its HloModule line is not modelled because of that") {
  const std::string negate = "f32[1024,1024]{1,0} negate(p)";
  const auto without_line = [](const std::string& text) { return text.substr(text.find('\n') + 1); };
  const struct {
    const char* name;
    std::string text;
    double modelled;
  } rows[] = {
      {"from before optimization", without_line(entry(kPrinted, negate)), 0},
      {"the same with the line", entry(kPrinted, negate), 0},
      {"a short text by hand", entry("", negate), 1},
      {"tiles", without_line(entry("", "f32[1024,1024]{1,0:T(8,128)} negate(p)")), 1},
      {"one instruction", "f32[1024,1024]{1,0} negate(f32[1024,1024]{1,0} p)", 1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CHECK(predicted(row.text, "tpu_v5e").modelled_share == row.modelled);
  }
  const StepPrediction p = predicted(rows[0].text, "tpu_v5e");
  REQUIRE(of_code(p, kUnscheduled).size() == 1);
  CHECK_THAT(of_code(p, kUnscheduled)[0]->message, ContainsSubstring("no HloModule line"));
}

TEST_CASE("the warning precedes errors") {
  const std::string text =
      "HloModule m, is_scheduled=true\nENTRY e {\n  p = f32[262144,262144]{1,0:T(8,128)} parameter(0)\n"
      "  ROOT r = f32[262144,262144]{1,0:T(8,128)} negate(p)\n}\n";
  const StepPrediction p = predicted(text, "h100_sxm");
  CHECK(p.diagnostics.front().code == kWrongBackend);
  CHECK(of_code(p, kMemoryOverCapacity).size() == 1);
}

TEST_CASE("another generation is noted where the text shows it") {
  const std::string text = entry(kScheduled, "f32[1024,1024]{1,0:T(8,128)S(3)} copy(p)");
  CHECK(of_code(predicted(text, "tpu_v4"), kWrongGeneration).empty());
  const StepPrediction p = predicted(text, "tpu_v5e");
  REQUIRE(of_code(p, kWrongGeneration).size() == 1);
  CHECK(of_code(p, kWrongGeneration)[0]->severity == Severity::kInfo);
  CHECK_THAT(of_code(p, kWrongGeneration)[0]->message, ContainsSubstring("tpu_v4"));
  CHECK(p.modelled_share == 1);
}

TEST_CASE("after an edit that gives the text a backend, a predictor agrees with a new prediction") {
  const std::string text = entry(kScheduled, "f32[1024,1024]{1,0} negate(p)");
  auto predictor = Predictor::create(*parse_module(text), *find_target("a100_sxm_40"));
  REQUIRE(predictor.ok());
  CHECK(predictor->summary()->modelled_share == 1);
  const InstructionId root = predictor->module().entry().root().id();
  Layout layout = predictor->module().instruction(root).shape().layout;
  layout.tiles.push_back({{8, 128}});
  REQUIRE(predictor->edit().set_layout(root, layout).ok());
  CHECK(predictor->summary()->modelled_share == 0);
  PredictOptions options;
  options.allow_other_backend = true;
  CHECK(predict_step_time(predictor->module(), *find_target("a100_sxm_40"), options)->modelled_share == 0);
}

TEST_CASE("an unknown opcode is named with its place and the nearest known one, also inside a fusion") {
  const StepPrediction p = predicted(
      "HloModule m, is_scheduled=true\n"
      "f {\n  q = f32[8]{0} parameter(0)\n  ROOT n = f32[8]{0} tanhh(q)\n}\n"
      "ENTRY e {\n  p = f32[8]{0} parameter(0)\n  x = f32[8]{0} fusion(p), kind=kLoop, calls=f\n"
      "  ROOT r = f32[8]{0} negatee(x)\n}\n",
      "tpu_v5e");
  const auto found = of_code(p, kUnknownOpcode);
  REQUIRE(found.size() == 2);
  const auto says = [&](const std::string& part) {
    return std::any_of(found.begin(), found.end(),
                       [&](const Diagnostic* d) { return d->message.find(part) != std::string::npos; });
  };
  CHECK(
      says("negatee at line 9, column 22 is not known: it is misspelt, or newer than this version (the nearest known "
           "opcode is negate)"));
  CHECK(
      says("tanhh at line 4, column 22 is not known: it is misspelt, or newer than this version (the nearest known "
           "opcode is tanh)"));
}

TEST_CASE("an rng without a distribution is read with a warning, and is an error under strict") {
  const auto rng = [](const std::string& distribution) {
    return "HloModule m, is_scheduled=true\nENTRY e {\n  a = f32[] constant(0)\n  b = f32[] constant(1)\n"
           "  ROOT r = f32[1024,1024]{1,0} rng(a, b)" +
           distribution + "\n}\n";
  };
  const StepPrediction stated = predicted(rng(", distribution=rng_uniform"), "tpu_v4");
  CHECK(of_code(stated, kMissingAttribute).empty());
  const StepPrediction p = predicted(rng(""), "tpu_v4");
  CHECK(p.step_seconds == stated.step_seconds);
  REQUIRE(of_code(p, kMissingAttribute).size() == 1);
  CHECK_THAT(of_code(p, kMissingAttribute)[0]->message, ContainsSubstring("line 5, column 8"));
  PredictOptions strict;
  strict.strict = true;
  CHECK(predict_step_time(rng(""), "tpu_v4", strict).status().code() == absl::StatusCode::kFailedPrecondition);
}

TEST_CASE("operands of a product that do not fit together are a warning, and an error under strict") {
  const auto dot = [](const std::string& rhs) {
    return "HloModule m, is_scheduled=true\nENTRY e {\n  p = f32[8,16]{1,0} parameter(0)\n  q = " + rhs +
           " parameter(1)\n  ROOT d = f32[8,32]{1,0} dot(p, q), lhs_contracting_dims={1}, "
           "rhs_contracting_dims={0}\n}\n";
  };
  CHECK(of_code(predicted(dot("f32[16,32]{1,0}"), "tpu_v5e"), kOperandMismatch).empty());
  const StepPrediction p = predicted(dot("f32[4,32]{1,0}"), "tpu_v5e");
  REQUIRE(of_code(p, kOperandMismatch).size() == 1);
  CHECK_THAT(of_code(p, kOperandMismatch)[0]->message, ContainsSubstring("line 5"));
  CHECK_THAT(of_code(p, kOperandMismatch)[0]->message, ContainsSubstring("f32[4,32]"));
  PredictOptions strict;
  strict.strict = true;
  CHECK_FALSE(predict_step_time(dot("f32[4,32]{1,0}"), "tpu_v5e", strict).ok());
}

TEST_CASE("several computations without an ENTRY are warned of, a single one is not") {
  const std::string one =
      "HloModule m, is_scheduled=true\n\ne {\n  p = f32[8]{0} parameter(0)\n  ROOT r = f32[8]{0} negate(p)\n}\n";
  CHECK(of_code(predicted(one, "tpu_v5e"), kNoEntry).empty());
  const std::string two = one + "\nmain {\n  x = f32[8]{0} parameter(0)\n  ROOT y = f32[8]{0} tanh(x)\n}\n";
  const StepPrediction p = predicted(two, "tpu_v5e");
  REQUIRE(of_code(p, kNoEntry).size() == 1);
  CHECK_THAT(of_code(p, kNoEntry)[0]->message, ContainsSubstring("main"));
}

}  // namespace
}  // namespace hloroof::internal
