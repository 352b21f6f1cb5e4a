// Predictions by final code: which ops take it, what they take then, and what is refused or said instead.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/step/execution_terms.h"
#include "lib/step/facts.h"
#include "tests/catch.h"
#include "tests/paths.h"
#include "tests/temporary_folder.h"

namespace hloroof::internal {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr char kV5e[] = "tests/code/samples/matmul_v5e";
constexpr char kV6e[] = "tests/code/samples/matmul_v6e";

Module matmul(const std::string& folder) {
  const std::string file = folder == kV5e ? "/1795705433804301779-TLP-hlo.txt" : "/1795705442843260765-TLP-hlo.txt";
  return load_module(source_path(folder) + file).value();
}

PredictOptions by(const std::string& folder) {
  PredictOptions options;
  options.code = folder;
  return options;
}

absl::StatusOr<StepPrediction> predicted(const Module& module, const char* device, const std::string& folder) {
  return predict_step_time(module, *find_target(device), by(folder));
}

const Diagnostic* found(const StepPrediction& p, DiagnosticCode code) {
  for (const Diagnostic& diagnostic : p.diagnostics) {
    if (diagnostic.code == code) return &diagnostic;
  }
  return nullptr;
}

// Two ops in a row. `shape` is that of the second.
std::string two_ops(const std::string& shape) {
  return "HloModule m, is_scheduled=true\n\nENTRY %main (p: f32[8,128]) -> " + shape +
         " {\n  %p = f32[8,128]{1,0:T(8,128)} parameter(0)\n"
         "  %add.1 = f32[8,128]{1,0:T(8,128)} add(%p, %p)\n"
         "  ROOT %last.2 = " +
         shape + "{1,0:T(8,128)} broadcast(%add.1), dimensions={0,1}\n}\n";
}

// Five bundles: the branch runs the four after it.
constexpr char kFiveBundles[] =
    "     0   :  { %v1_v0 = vadd.f32 %v1_v0, %v1_v0 }\n"
    "   0x1   :  {}\n   0x2   :  {}\n   0x3   :  {}\n   0x4   :  { %v1_v0 = vadd.f32 %v1_v0, %v1_v0 }\n";

// How many times `bundle 0` runs depends on data.
constexpr char kDependent[] =
    "     0   :  { %s1_s0 = sld [smem:[#allocation3]] }\n"
    "   0x1   :  { %p1_p0 = scmp.lt.s32.totalorder %s1_s0, 4 }\n"
    "   0x2   :  { %1 = sbr.rel (%p1_p0) target bundleno = 0 (0x0) }\n"
    "   0x3   :  {}\n   0x4   :  {}\n   0x5   :  {}\n   0x6   :  {}\n";

TEST_CASE("an op with code takes its cycles") {
  const Module module = matmul(kV5e);
  const StepPrediction p = predicted(module, "tpu_v5e", source_path(kV5e)).value();
  const StepPrediction model = predict_step_time(module, *find_target("tpu_v5e")).value();
  const OpPrediction& op = p.ops.back();
  REQUIRE(op.name == "matmul.1");
  CHECK(op.source == CostSource::kCode);
  CHECK(p.code_share == Approx(1));
  CHECK(p.modelled_share == Approx(0).margin(1e-9));
  CHECK(model.code_share == 0);
  CHECK(model.modelled_share == 1);
  // The bundles that run at the nominal clock, the transfers beside them, and the launch.
  const double bundles = 1223154 / 1.5e9;
  const double launch = find_device("tpu_v5e")->overhead.op;
  const double joined = std::pow(std::pow(bundles, 4) + std::pow(op.time->resources[Resource::kHbm], 4), 0.25);
  CHECK(op.seconds == Approx(joined + launch));
  CHECK(op.time->resources[Resource::kMatrix] == Approx(bundles));
  CHECK(op.bound == Resource::kMatrix);
  // 512 MiB are read and 32 MiB written, beside the bundles.
  CHECK(op.time->resources[Resource::kHbm] > 570425344 / 819e9);
  CHECK(op.time->resources[Resource::kHbm] < op.seconds);
  CHECK(found(p, DiagnosticCode::kCodeMismatch) == nullptr);
  CHECK(found(p, DiagnosticCode::kCodeIncomplete) == nullptr);
}

TEST_CASE("the terms of an op that is priced by code are its seconds") {
  const Module module = matmul(kV5e);
  const StepPrediction p = predicted(module, "tpu_v5e", source_path(kV5e)).value();
  const OpPrediction& op = p.ops.back();
  const Term term = execution_terms(*p.facts, op.id);
  CHECK(term.seconds == op.seconds);
  CHECK(evaluate(term) == Approx(op.seconds));
  CHECK(term.children.size() == 2);
}

TEST_CASE("code of another TPU is refused, or doubted") {
  CHECK_THAT(std::string(predicted(matmul(kV5e), "tpu_v6e", source_path(kV5e)).status().message()),
             ContainsSubstring("is of another TPU than tpu_v6e: matmul.1 uses matrix unit 3"));
  // The other way round it names no unit that v5e lacks, but multiplies faster than v5e can.
  CHECK_THAT(std::string(predicted(matmul(kV6e), "tpu_v5e", source_path(kV6e)).status().message()),
             ContainsSubstring("is of another TPU than tpu_v5e: the bundles of matmul.1 take"));
  PredictOptions faster = by(source_path(kV6e));
  faster.set.emplace_back("matrix.peak.bf16", 1e15);
  const Module of_v6e = matmul(kV6e);
  const StepPrediction doubted = predict_step_time(of_v6e, *find_target("tpu_v5e"), faster).value();
  REQUIRE(found(doubted, DiagnosticCode::kCodeMismatch) != nullptr);
  CHECK_THAT(found(doubted, DiagnosticCode::kCodeMismatch)->message,
             ContainsSubstring("may be of another TPU: its products use 2 matrix units"));
  CHECK_THAT(std::string(predicted(matmul(kV5e), "h100_sxm", source_path(kV5e)).status().message()),
             ContainsSubstring("is no TPU"));
}

TEST_CASE("code of another program is refused") {
  const Module other = parse_module(two_ops("f32[8,128]")).value();
  const std::string message(predicted(other, "tpu_v5e", source_path(kV5e)).status().message());
  CHECK_THAT(message, ContainsSubstring("is not of the program m: it is of instructions that the program does not"));
  CHECK_THAT(message, ContainsSubstring("matmul.1"));
  CHECK(predicted(other, "tpu_v5e", source_path("tests/code")).status().code() == absl::StatusCode::kNotFound);
}

TEST_CASE("a custom call of the compiler takes its bundles, as other ops do, and is no kernel of a user") {
  const TemporaryFolder folder;
  folder.write("101-last.2-01-packed-bundles-post-ra.txt", kFiveBundles);
  for (const auto& [target, is_kernel] : {std::pair("X64Combine", false), std::pair("tpu_custom_call", true)}) {
    CAPTURE(target);
    std::string text = two_ops("f32[8,128]");
    text.replace(text.find("broadcast(%add.1), dimensions={0,1}"), 35,
                 "custom-call(%add.1), custom_call_target=\"" + std::string(target) + "\"");
    folder.write("100-TLP-hlo.txt", text);
    const StepPrediction p = predicted(parse_module(text).value(), "tpu_v5e", folder.path()).value();
    const Device device = *find_device("tpu_v5e");
    CHECK(p.ops.back().source == CostSource::kCode);
    CHECK(p.ops.back().seconds ==
          Approx(5 / 1.5e9 + (is_kernel ? device.overhead.op : *device.tpu()->overhead.op_on_chip)));
  }
}

TEST_CASE("an instruction of the same name and another shape does not take the code") {
  const TemporaryFolder folder;
  folder.write("100-TLP-hlo.txt", two_ops("f32[8,128]"));
  folder.write("101-add.1-01-packed-bundles-post-ra.txt", kFiveBundles);
  folder.write("102-last.2-01-packed-bundles-post-ra.txt", kFiveBundles);
  const StepPrediction same = predicted(parse_module(two_ops("f32[8,128]")).value(), "tpu_v5e", folder.path()).value();
  CHECK(same.ops[1].source == CostSource::kCode);
  CHECK(same.ops[2].source == CostSource::kCode);
  CHECK(same.ops[2].seconds == Approx(5 / 1.5e9 + *find_device("tpu_v5e")->tpu()->overhead.op_on_chip));

  std::string text = two_ops("f32[8,128]");
  text.replace(text.find("broadcast(%add.1), dimensions={0,1}"), 35, "negate(%add.1)");
  const StepPrediction other = predicted(parse_module(text).value(), "tpu_v5e", folder.path()).value();
  CHECK(other.ops[1].source == CostSource::kCode);
  CHECK(other.ops[2].source == CostSource::kModel);
  const Diagnostic* const mismatch = found(other, DiagnosticCode::kCodeMismatch);
  REQUIRE(mismatch != nullptr);
  CHECK(mismatch->severity == Severity::kWarning);
  CHECK(mismatch->op == "last.2");
  CHECK_THAT(mismatch->message, ContainsSubstring("1 of 2 ops that take time are priced by the code"));
}

TEST_CASE("the code of the program, of several that a folder has") {
  const TemporaryFolder folder;
  std::string text = two_ops("f32[8,128]");
  text.replace(text.find("broadcast(%add.1), dimensions={0,1}"), 35, "negate(%add.1)");
  folder.write("100-TLP-hlo.txt", two_ops("f32[8,128]"));
  folder.write("101-last.2-01-packed-bundles-post-ra.txt", kFiveBundles);
  folder.write("200-TLP-hlo.txt", text);
  folder.write("201-last.2-01-packed-bundles-post-ra.txt", "     0   :  { %v1_v0 = vadd.f32 %v1_v0, %v1_v0 }\n");
  const double launch = *find_device("tpu_v5e")->tpu()->overhead.op_on_chip;
  const StepPrediction first = predicted(parse_module(two_ops("f32[8,128]")).value(), "tpu_v5e", folder.path()).value();
  CHECK(first.ops[2].seconds == Approx(5 / 1.5e9 + launch));
  const StepPrediction second = predicted(parse_module(text).value(), "tpu_v5e", folder.path()).value();
  CHECK(second.ops[2].seconds == Approx(1 / 1.5e9 + launch));
}

TEST_CASE("what is not priced is said, with counts") {
  const TemporaryFolder folder;
  folder.write("101-last.2-01-packed-bundles-post-ra.txt", kDependent);
  folder.write("102-add.1-01-packed-bundles-post-ra.txt", "     0   :  { %v1_v0 = vadd.f32");
  const Module module = parse_module(two_ops("f32[8,128]")).value();
  const StepPrediction p = predicted(module, "tpu_v5e", folder.path()).value();
  CHECK(p.code_share == 0);
  const Diagnostic* const incomplete = found(p, DiagnosticCode::kCodeIncomplete);
  REQUIRE(incomplete != nullptr);
  CHECK(incomplete->ops.size() == 2);
  CHECK_THAT(incomplete->message, ContainsSubstring("0 of 2 ops"));
  // The program of the code is not there.
  REQUIRE(found(p, DiagnosticCode::kCodeMismatch) != nullptr);
  CHECK_THAT(found(p, DiagnosticCode::kCodeMismatch)->message, ContainsSubstring("follows from their names alone"));
}

TEST_CASE("a time of the user precedes code") {
  PredictOptions options = by(source_path(kV5e));
  options.custom_calls.push_back(
      {.target = "matmul.1", .flops = {}, .bytes = {}, .transcendentals = {}, .seconds = 2.0});
  const Module module = matmul(kV5e);
  const StepPrediction p = predict_step_time(module, *find_target("tpu_v5e"), options).value();
  CHECK(p.ops.back().source == CostSource::kUser);
  CHECK(p.ops.back().seconds == 2);
  CHECK(found(p, DiagnosticCode::kCodeIncomplete) == nullptr);
}

TEST_CASE("after an edit an op has the code of its instruction, or none") {
  const TemporaryFolder folder;
  folder.write("100-TLP-hlo.txt", two_ops("f32[8,128]"));
  folder.write("101-add.1-01-packed-bundles-post-ra.txt", kFiveBundles);
  folder.write("102-last.2-01-packed-bundles-post-ra.txt", kFiveBundles);
  absl::StatusOr<Predictor> predictor =
      Predictor::create(parse_module(two_ops("f32[8,128]")).value(), *find_target("tpu_v5e"), by(folder.path()));
  REQUIRE(predictor.ok());
  CHECK(predictor->summary()->code_share == Approx(1));
  const InstructionId last = predictor->module().entry().root().id();
  REQUIRE(predictor->edit().set_layout(last, Layout{.minor_to_major = {0, 1}}).ok());
  const double share = predictor->summary()->code_share;
  CHECK(share > 0);
  CHECK(share < 1);
  const StepPrediction scratch = predicted(predictor->module(), "tpu_v5e", folder.path()).value();
  CHECK(scratch.code_share == share);
  CHECK(scratch.step_seconds == predictor->summary()->step_seconds);
}

}  // namespace
}  // namespace hloroof::internal
