// Products in f32 of values that were bf16 or f16, and near misses.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/predict.h"
#include "tests/any_backend.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

StepPrediction predicted(const std::string& text, const char* device) {
  const auto prediction = predict_step_time("HloModule m, is_scheduled=true\n\n" + text, device, any_backend());
  INFO(text);
  INFO(std::string(prediction.status().message()));
  REQUIRE(prediction.ok());
  return *prediction;
}

const Diagnostic* finding(const StepPrediction& p, DiagnosticCode code) {
  for (const Diagnostic& diagnostic : p.diagnostics) {
    if (diagnostic.code == code) return &diagnostic;
  }
  return nullptr;
}

// Two arrays that are converted by ops of their own. $up is what happens after the conversion of the second.
constexpr std::string_view kConverted = R"(left {
  p = bf16[4096,4096]{1,0} parameter(0)
  ROOT c = f32[4096,4096]{1,0} convert(p)
}
right {
  p = bf16[4096,4096]{1,0} parameter(0)
  c = f32[4096,4096]{1,0} convert(p)
  ROOT r = f32[4096,4096]{1,0} $up(c)
}
ENTRY main {
  a = bf16[4096,4096]{1,0} parameter(0)
  b = bf16[4096,4096]{1,0} parameter(1)
  f = f32[4096,4096]{1,0} fusion(a), kind=kLoop, calls=left
  g = f32[4096,4096]{1,0} fusion(b), kind=kLoop, calls=right
  ROOT d = f32[4096,4096]{1,0} dot(f, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

constexpr std::string_view kAsTheyAre = R"(ENTRY main {
  a = bf16[4096,4096]{1,0} parameter(0)
  b = bf16[4096,4096]{1,0} parameter(1)
  ROOT d = f32[4096,4096]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

std::string with(std::string_view text, std::string_view word, std::string_view replacement) {
  std::string result(text);
  for (std::size_t at = result.find(word); at != std::string::npos; at = result.find(word, at + replacement.size())) {
    result.replace(at, word.size(), replacement);
  }
  return result;
}

TEST_CASE("needless-f32: what it saves is what the narrow operands save") {
  const StepPrediction p = predicted(with(kConverted, "$up", "bitcast"), "h100_sxm");
  const StepPrediction narrow = predicted(std::string(kAsTheyAre), "h100_sxm");
  double saved = 0;
  std::vector<std::string> ops;
  for (const Diagnostic& diagnostic : p.diagnostics) {
    if (diagnostic.code != DiagnosticCode::kNeedlessF32) continue;
    saved += diagnostic.seconds_at_stake.value_or(0);
    ops.insert(ops.end(), diagnostic.ops.begin(), diagnostic.ops.end());
  }
  std::sort(ops.begin(), ops.end());
  CHECK(ops == std::vector<std::string>{"d", "f", "g"});
  CHECK(saved == Approx(p.step_seconds - narrow.step_seconds).epsilon(0.01));
  CHECK(finding(p, DiagnosticCode::kWideMatrixType) == nullptr);  // the more specific one says it
}

// A product of an array that another op makes and of an argument.
std::string made_and_given(const char* rows, const char* inner, const char* columns, const char* type) {
  const auto shape = [&](const char* m, const char* n) { return std::string(type) + "[" + m + "," + n + "]{1,0}"; };
  return "ENTRY main {\n  a = " + shape(rows, inner) + " parameter(0)\n  b = " + shape(inner, columns) +
         " parameter(1)\n  n = " + shape(rows, inner) + " negate(a)\n  ROOT d = f32[" + rows + "," + columns +
         "]{1,0} dot(n, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
}

double seconds_of(const StepPrediction& p, std::string_view name) {
  for (const OpPrediction& op : p.ops) {
    if (op.name == name) return op.exposed_seconds;
  }
  return 0;
}

TEST_CASE("matrix-in-f32: it promises what the model gives for bf16 operands, and says nothing of little") {
  struct Case {
    const char* what;
    const char* rows;
    const char* inner;
    const char* columns;
    bool is_found;
    const char* condition;  // in the message
  };
  const std::vector<Case> cases = {
      {"bound by the matrix unit", "8192", "8192", "8192", true, ""},
      {"bound by reading the operand that the program makes", "65536", "1024", "16", true, ""},
      {"bound by reading the argument", "16", "1024", "65536", true, " if the arrays that it reads were bf16 too"},
      {"bound by its launch", "128", "64", "128", false, ""},
      {"bound by writing the result", "16384", "16", "16384", false, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const StepPrediction wide = predicted(made_and_given(c.rows, c.inner, c.columns, "f32"), "h100_sxm");
    const StepPrediction narrow = predicted(made_and_given(c.rows, c.inner, c.columns, "bf16"), "h100_sxm");
    const Diagnostic* const found = finding(wide, DiagnosticCode::kWideMatrixType);
    CHECK((found != nullptr) == c.is_found);
    if (found == nullptr) continue;
    CHECK_THAT(found->message, Catch::Matchers::EndsWith(std::string(" % of the time") + c.condition));
    // What the op converts itself takes a little longer.
    CHECK(*found->seconds_at_stake == Approx(seconds_of(wide, "d") - seconds_of(narrow, "d")).epsilon(0.1));
  }
}

TEST_CASE("needless-f32: values of another kind need f32") {
  struct Case {
    const char* what;
    std::string text;
  };
  const std::vector<Case> cases = {
      {"one operand was computed in f32", with(kConverted, "$up", "negate")},
      {"one operand is a parameter in f32", with(with(with(kConverted, "$up", "bitcast"), "dot(f, g)", "dot(f, x)"),
                                                 "  f = ", "  x = f32[4096,4096]{1,0} parameter(2)\n  f = ")},
      {"the operands are of two types", with(with(kConverted, "$up", "bitcast"), "b = bf16", "b = f16")},
      {"8-bit floats", with(with(kConverted, "$up", "bitcast"), "bf16", "f8e4m3fn")},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    std::string text = c.text;
    if (std::string_view(c.what) == "the operands are of two types") {
      const std::size_t at = text.find("right");
      text = text.substr(0, at) + with(text.substr(at, text.find("ENTRY") - at), "bf16", "f16") +
             text.substr(text.find("ENTRY"));
    }
    CHECK(finding(predicted(text, "h100_sxm"), DiagnosticCode::kNeedlessF32) == nullptr);
  }
}

TEST_CASE("needless-f32: the compiler converts what the machine cannot multiply") {
  const std::string text = with(kConverted, "$up", "bitcast");
  for (const char* device : {"cpu", "v100_sxm2", "t4"}) {
    CAPTURE(device);
    CHECK(finding(predicted(text, device), DiagnosticCode::kNeedlessF32) == nullptr);
  }
}

// Conversions inside of the fusion of the product, which the precision makes six products of the parts.
constexpr std::string_view kHighest = R"(fused {
  p = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)
  q = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(1)
  c = f32[4096,4096]{1,0:T(8,128)} convert(p)
  e = f32[4096,4096]{1,0:T(8,128)} convert(q)
  ROOT d = f32[4096,4096]{1,0:T(8,128)} dot(c, e), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,highest}
}
ENTRY main {
  a = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)
  b = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT f = f32[4096,4096]{1,0:T(8,128)} fusion(a, b), kind=kOutput, calls=fused
}
)";

TEST_CASE("needless-f32: passes for bits that the operands do not have") {
  const StepPrediction p = predicted(std::string(kHighest), "tpu_v5e");
  const Diagnostic* found = finding(p, DiagnosticCode::kNeedlessF32);
  REQUIRE(found != nullptr);
  CHECK(found->severity == Severity::kWarning);
  CHECK(*found->seconds_at_stake > 0.7 * p.step_seconds);
  CHECK(*found->seconds_at_stake < 0.9 * p.step_seconds);
}

TEST_CASE("needless-f32: where the converted operands cost nothing, there is nothing to say") {
  // At the default precision the matrix unit multiplies bf16 in any case, and the step waits for it.
  const std::string text = with(kHighest, ", operand_precision={highest,highest}", "");
  const StepPrediction p = predicted(text, "tpu_v5e");
  const Diagnostic* found = finding(p, DiagnosticCode::kNeedlessF32);
  CHECK((found == nullptr || found->severity == Severity::kInfo));
}

}  // namespace
}  // namespace hloroof::internal
