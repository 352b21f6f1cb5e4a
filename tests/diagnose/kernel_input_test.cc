// Gathers that only feed a kernel, and near misses; reshapes that move an array.
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "hloroof/predict.h"
#include "tests/any_backend.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

const Diagnostic* finding_in(const StepPrediction& p, DiagnosticCode code) {
  for (const Diagnostic& diagnostic : p.diagnostics) {
    if (diagnostic.code == code) return &diagnostic;
  }
  return nullptr;
}

StepPrediction prediction_of(const std::string& text) {
  const auto prediction = predict_step_time("HloModule m, is_scheduled=true\n\n" + text, "tpu_v5e", any_backend());
  INFO(text);
  INFO(std::string(prediction.status().message()));
  REQUIRE(prediction.ok());
  return *prediction;
}

// The rows of a table in the order of `rows`, for a kernel. `before` stands in the computation of the gather, and
// `result` is what that returns; `more` follows in ENTRY.
std::string gathered(const std::string& before, const std::string& result, const std::string& user,
                     const std::string& more) {
  const std::string body = absl::Base64Escape(source_text("tests/kernel/samples/calls_helper.mlirbc"));
  return R"(pick {
  t = f32[4096,256]{1,0:T(8,128)} parameter(0)
  i = s32[64]{0:T(128)} parameter(1)
  g = f32[64,256]{1,0:T(8,128)} gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,256}
)" + before +
         "  ROOT r = f32[64,256]{1,0:T(8,128)} " + result + R"(
}
ENTRY main {
  table = f32[4096,256]{1,0:T(8,128)} parameter(0)
  rows = s32[64]{0:T(128)} parameter(1)
  picked = f32[64,256]{1,0:T(8,128)} fusion(table, rows), kind=kLoop, calls=pick
)" + more +
         "  ROOT k = f32[64,256]{1,0:T(8,128)} custom-call(" + user +
         R"(), custom_call_target="tpu_custom_call", backend_config={"custom_call_config": {"body": ")" + body +
         "\"}}\n}\n";
}

TEST_CASE("gather-before-kernel: rows that are gathered for a kernel alone") {
  const StepPrediction p = prediction_of(gathered("", "bitcast(g)", "picked", ""));
  const Diagnostic* found = finding_in(p, DiagnosticCode::kGatherBeforeKernel);
  REQUIRE(found != nullptr);
  CHECK(found->op == "picked");
  CHECK_THAT(found->message, Catch::Matchers::ContainsSubstring("rows of 1.00 KiB"));
  double in_step = 0;
  for (const OpPrediction& op : p.ops) in_step += op.name == "picked" ? op.exposed_seconds : 0;
  CHECK(*found->seconds_at_stake == Approx(in_step));
}

// What jnp.take makes of `rows`: a constant where an index is out of bounds.
std::string filled(const std::string& choices) {
  return R"(fill {
  rows = f32[64,256]{1,0:T(8,128)} parameter(0)
  inside = pred[64]{0:T(128)(128)(4,1)} parameter(1)
  is_inside = pred[64,256]{1,0:T(8,128)(4,1)} broadcast(inside), dimensions={0}
  nothing = f32[] constant(nan)
  nothings = f32[64,256]{1,0:T(8,128)} broadcast(nothing), dimensions={}
  twice = f32[64,256]{1,0:T(8,128)} add(rows, rows)
  ROOT s = f32[64,256]{1,0:T(8,128)} select(is_inside, )" +
         choices + ")\n}\n";
}

constexpr char kFill[] =
    "  inside = pred[64]{0:T(128)(128)(4,1)} parameter(2)\n"
    "  filled = f32[64,256]{1,0:T(8,128)} fusion(picked, inside), kind=kLoop, calls=fill\n";

TEST_CASE("gather-before-kernel: rows of indices that are out of bounds may be filled in before the kernel") {
  const StepPrediction p = prediction_of(filled("rows, nothings") + gathered("", "bitcast(g)", "filled", kFill));
  const Diagnostic* found = finding_in(p, DiagnosticCode::kGatherBeforeKernel);
  REQUIRE(found != nullptr);
  CHECK(found->op == "picked");
  CHECK_THAT(found->message, Catch::Matchers::ContainsSubstring("filled puts a constant in place of rows"));
  double in_step = 0;
  for (const OpPrediction& op : p.ops) in_step += op.name == "picked" || op.name == "filled" ? op.exposed_seconds : 0;
  CHECK(*found->seconds_at_stake == Approx(in_step));
  for (const char* computed : {"twice, nothings", "rows, twice"}) {
    CAPTURE(computed);
    const StepPrediction other = prediction_of(filled(computed) + gathered("", "bitcast(g)", "filled", kFill));
    CHECK(finding_in(other, DiagnosticCode::kGatherBeforeKernel) == nullptr);
  }
}

TEST_CASE("gather-before-kernel: the gather may run on a SparseCore, where the step waits for it") {
  std::string text = gathered("", "bitcast(g)", "picked", "");
  const std::string_view fusion = "fusion(table, rows), kind=kLoop, calls=pick";
  text.replace(text.find(fusion), fusion.size(), "async-done(begun)");
  const std::string_view picked = "  picked = ";
  text.insert(text.find(picked),
              "  begun = ((f32[4096,256]{1,0:T(8,128)}, s32[64]{0:T(128)}), f32[64,256]{1,0:T(8,128)}, u32[]) "
              "async-start(table, rows), async_execution_thread=\"sparsecore\", calls=called\n");
  text.insert(text.find("ENTRY"),
              "called {\n  t1 = f32[4096,256]{1,0:T(8,128)} parameter(0)\n  i1 = s32[64]{0:T(128)} parameter(1)\n"
              "  ROOT f = f32[64,256]{1,0:T(8,128)} fusion(t1, i1), kind=kLoop, calls=pick\n}\n");
  const StepPrediction p = prediction_of(text);
  const Diagnostic* found = finding_in(p, DiagnosticCode::kGatherBeforeKernel);
  REQUIRE(found != nullptr);
  CHECK(found->op == "picked");
  CHECK(finding_in(p, DiagnosticCode::kPrefetchStall) == nullptr);
  for (const OpPrediction& op : p.ops) {
    if (op.name == "picked") CHECK(*found->seconds_at_stake == Approx(op.wait_seconds));
  }
}

TEST_CASE("gather-before-kernel: a transpose that leaves the dimensions where they are is none") {
  const auto has = [](const char* dimensions) {
    const StepPrediction p =
        prediction_of(gathered("", std::string("transpose(g), dimensions={") + dimensions + "}", "picked", ""));
    return finding_in(p, DiagnosticCode::kGatherBeforeKernel) != nullptr;
  };
  CHECK(has("0,1"));
  CHECK_FALSE(has("1,0"));
}

TEST_CASE("gather-before-kernel: silent where the rows are needed anyway") {
  struct Case {
    const char* what;
    std::string text;
  } cases[] = {
      {"something is computed from the rows", gathered("", "negate(g)", "picked", "")},
      {"another op reads the rows",
       gathered("", "bitcast(g)", "picked", "  other = f32[64,256]{1,0:T(8,128)} negate(picked)\n")},
      {"the kernel reads what another op makes of them",
       gathered("", "bitcast(g)", "other", "  other = f32[64,256]{1,0:T(8,128)} negate(picked)\n")},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    CHECK(finding_in(prediction_of(c.text), DiagnosticCode::kGatherBeforeKernel) == nullptr);
  }
}

TEST_CASE("layout-change: a reshape that puts an array into other tiles moves it") {
  const auto reshaped = [](const char* from, const char* opcode, const char* more) {
    return std::string("ENTRY main {\n  p = ") + from + " parameter(0)\n  r = f32[4096,128]{1,0:T(8,128)} " + opcode +
           "(p)\n" + more + "  ROOT n = f32[4096,128]{1,0:T(8,128)} negate(r)\n}\n";
  };
  constexpr char kOtherTiles[] = "f32[4096,8,16]{2,1,0:T(8,128)}";
  const auto has = [](const std::string& text) {
    return finding_in(prediction_of(text), DiagnosticCode::kLayoutChange) != nullptr;
  };
  const StepPrediction p = prediction_of(reshaped(kOtherTiles, "reshape", ""));
  const Diagnostic* found = finding_in(p, DiagnosticCode::kLayoutChange);
  REQUIRE(found != nullptr);
  CHECK(found->op == "r");
  CHECK_FALSE(has(reshaped(kOtherTiles, "bitcast", "")));
  CHECK_FALSE(has(reshaped("bf16[4096,8,16]{2,1,0:T(8,128)(2,1)}", "reshape", "")));  // also converts
  CHECK_FALSE(has(reshaped(kOtherTiles, "reshape",
                           "  s = f32[4096,128]{1,0:T(8,128)} all-to-all(r), channel_id=1, "
                           "replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}\n")));
  // No layouts have been chosen.
  CHECK_FALSE(
      has("ENTRY main {\n  p = f32[4096,8,16]{2,1,0} parameter(0)\n  ROOT r = f32[4096,128]{1,0} reshape(p)\n}\n"));
}

}  // namespace
}  // namespace hloroof::internal
