// Every diagnosis on a program that has it and on one that has not.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "hloroof/predict.h"
#include "tests/any_backend.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

std::vector<std::string> codes_of(const std::string& body, const char* device, std::string_view header) {
  const std::string text = "HloModule m, is_scheduled=true" + std::string(header) + "\n\n" + body;
  const auto prediction = predict_step_time(text, device, any_backend());
  INFO(text);
  INFO(std::string(prediction.status().message()));
  REQUIRE(prediction.ok());
  std::vector<std::string> codes;
  for (const Diagnostic& diagnostic : prediction->diagnostics) {
    codes.emplace_back(to_string(diagnostic.code));
    CHECK_FALSE(diagnostic.message.empty());
    // No finding promises more than the step, but for a loop that may run more often.
    if (diagnostic.seconds_at_stake) CHECK(*diagnostic.seconds_at_stake <= prediction->step_seconds * (1 + 1e-9));
    if (diagnostic.op.empty()) continue;
    const auto is_named = [&](const auto& named) { return named.name == diagnostic.op; };
    const bool is_op = std::any_of(prediction->ops.begin(), prediction->ops.end(), is_named);
    const bool is_buffer =
        std::any_of(prediction->memory.live_at_peak.begin(), prediction->memory.live_at_peak.end(), is_named);
    CHECK((is_op || is_buffer));
  }
  return codes;
}

constexpr char kGatherReduce[] = R"(
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  p = f32[1024,8192]{1,0:T(8,128)} parameter(0)
  z = f32[]{:T(128)} constant(0)
  g = f32[8192,8192]{1,0:T(8,128)} all-gather(p), channel_id=1, dimensions={0}, use_global_device_ids=true, replica_groups={{0,1,2,3,4,5,6,7}}
  ROOT r = f32[8192]{0:T(1024)} reduce(g, z), dimensions={0}, to_apply=add
})";

constexpr char kGatherUse[] = R"(
ENTRY main {
  p = f32[1024,8192]{1,0:T(8,128)} parameter(0)
  g = f32[8192,8192]{1,0:T(8,128)} all-gather(p), channel_id=1, dimensions={0}, use_global_device_ids=true, replica_groups={{0,1,2,3,4,5,6,7}}
  ROOT r = f32[8192,8192]{1,0:T(8,128)} negate(g)
})";

constexpr char kMostlyCompute[] = R"(
add {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}
ENTRY main {
  p = bf16[8192,8192]{1,0:T(8,128)(2,1)} parameter(0)
  d = bf16[8192,8192]{1,0:T(8,128)(2,1)} dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = bf16[256,128]{1,0:T(8,128)(2,1)} slice(d), slice={[0:256], [0:128]}
  ROOT r = bf16[256,128]{1,0:T(8,128)(2,1)} all-reduce(s), channel_id=1, use_global_device_ids=true, replica_groups={{0,1,2,3,4,5,6,7}}, to_apply=add
})";

// A kernel with the body of a sample.
std::string kernel_of(const char* sample) {
  const std::string body = absl::Base64Escape(source_text(std::string("tests/kernel/samples/") + sample + ".mlirbc"));
  return "ENTRY main {\n  x = f32[64,256]{1,0:T(8,128)} parameter(0)\n  ROOT k = f32[64,256]{1,0:T(8,128)} "
         "custom-call(x), "
         "custom_call_target=\"tpu_custom_call\", backend_config={\"custom_call_config\": {\"body\": \"" +
         body + "\"}}\n}\n";
}

std::string loop_of(const char* bound, const char* body) {
  return std::string(R"(
cond {
  s = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)}, s32[]{:T(128)}) parameter(0)
  i = s32[]{:T(128)} get-tuple-element(s), index=0
  n = s32[]{:T(128)} )") +
         bound + R"(
  ROOT lt = pred[]{:T(512)} compare(i, n), direction=LT
}
body {
  s = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)}, s32[]{:T(128)}) parameter(0)
  i = s32[]{:T(128)} get-tuple-element(s), index=0
  x = f32[8,128]{1,0:T(8,128)} get-tuple-element(s), index=1
  n = s32[]{:T(128)} get-tuple-element(s), index=2
  one = s32[]{:T(128)} constant(1)
  next = s32[]{:T(128)} add(i, one)
)" + body +
         R"(
  ROOT t = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)}, s32[]{:T(128)}) tuple(next, y, n)
}
ENTRY main {
  x = f32[8,128]{1,0:T(8,128)} parameter(0)
  n = s32[]{:T(128)} parameter(1)
  zero = s32[]{:T(128)} constant(0)
  t = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)}, s32[]{:T(128)}) tuple(zero, x, n)
  ROOT w = (s32[]{:T(128)}, f32[8,128]{1,0:T(8,128)}, s32[]{:T(128)}) while(t), condition=cond, body=body
})";
}

std::string entry(const char* body) { return std::string("ENTRY main {\n") + body + "\n}\n"; }

std::string conditional_of(const char* heavy) {
  return std::string(R"(
heavy {
  a = f32[4096,4096]{1,0:T(8,128)} parameter(0)
  ROOT r = f32[4096,4096]{1,0:T(8,128)} )") +
         heavy + R"(
}
light {
  b = f32[4096,4096]{1,0:T(8,128)} parameter(0)
  ROOT n = f32[4096,4096]{1,0:T(8,128)} negate(b)
}
ENTRY main {
  p = pred[]{:T(512)} parameter(0)
  x = f32[4096,4096]{1,0:T(8,128)} parameter(1)
  ROOT c = f32[4096,4096]{1,0:T(8,128)} conditional(p, x, x), true_computation=heavy, false_computation=light
})";
}

constexpr char kPadded[] = R"(
  p = f32[4096,4096,2]{2,1,0:T(8,128)} parameter(0)
  ROOT r = f32[4096,4096,2]{2,1,0:T(8,128)} negate(p))";

constexpr char kUnpadded[] = R"(
  p = f32[8192,4096]{1,0:T(8,128)} parameter(0)
  ROOT r = f32[8192,4096]{1,0:T(8,128)} negate(p))";

constexpr char kTransposed[] = R"(
  p = bf16[4096,4096]{0,1:T(8,128)(2,1)} parameter(0)
  c = bf16[4096,4096]{1,0:T(8,128)(2,1)} copy(p)
  ROOT d = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(c, c), lhs_contracting_dims={1}, rhs_contracting_dims={0})";

constexpr char kSameLayout[] = R"(
  p = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)
  c = bf16[4096,4096]{1,0:T(8,128)(2,1)} copy(p)
  ROOT d = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(c, c), lhs_contracting_dims={1}, rhs_contracting_dims={0})";

constexpr char kNarrowHead[] = R"(
  p = bf16[65536,4160]{1,0:T(8,128)(2,1)} parameter(0)
  w = bf16[4160,66]{1,0:T(8,128)(2,1)} parameter(1)
  v = bf16[66,4160]{1,0:T(8,128)(2,1)} parameter(2)
  h = bf16[65536,66]{1,0:T(8,128)(2,1)S(1)} dot(p, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT d = bf16[65536,4160]{1,0:T(8,128)(2,1)S(1)} dot(h, v), lhs_contracting_dims={1}, rhs_contracting_dims={0})";

constexpr char kFullHead[] = R"(
  p = bf16[8192,4096]{1,0:T(8,128)(2,1)} parameter(0)
  w = bf16[4096,8192]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT d = bf16[8192,8192]{1,0:T(8,128)(2,1)} dot(p, w), lhs_contracting_dims={1}, rhs_contracting_dims={0})";

constexpr char kHighest[] = R"(
  p = f32[4096,4096]{1,0:T(8,128)} parameter(0)
  ROOT d = f32[4096,4096]{1,0:T(8,128)} dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,highest})";

constexpr char kRowUpdate[] = R"(
  p = f32[16384,4096]{1,0:T(8,128)} parameter(0)
  u = f32[16384,1]{1,0:T(8,128)} parameter(1)
  i = s32[]{:T(128)} parameter(2)
  z = s32[]{:T(128)} constant(0)
  ROOT d = f32[16384,4096]{1,0:T(8,128)} dynamic-update-slice(p, u, z, i))";

constexpr char kWholeUpdate[] = R"(
  p = f32[64,4096,128]{2,1,0:T(8,128)} parameter(0)
  u = f32[1,4096,128]{2,1,0:T(8,128)} parameter(1)
  i = s32[]{:T(128)} parameter(2)
  z = s32[]{:T(128)} constant(0)
  ROOT d = f32[64,4096,128]{2,1,0:T(8,128)} dynamic-update-slice(p, u, i, z, z))";

constexpr char kPrefetchStalls[] = R"(
  p = f32[4096,2048]{1,0:T(8,128)} parameter(0)
  s = (f32[4096,2048]{1,0:T(8,128)S(1)}, f32[4096,2048]{1,0:T(8,128)}, u32[]{:S(2)}) copy-start(p)
  d = f32[4096,2048]{1,0:T(8,128)S(1)} copy-done(s)
  ROOT r = f32[4096,2048]{1,0:T(8,128)S(1)} negate(d))";

constexpr char kPrefetchHidden[] = R"(
  p = f32[1024,128]{1,0:T(8,128)} parameter(0)
  q = bf16[8192,8192]{1,0:T(8,128)(2,1)} parameter(1)
  s = (f32[1024,128]{1,0:T(8,128)S(1)}, f32[1024,128]{1,0:T(8,128)}, u32[]{:S(2)}) copy-start(p)
  m = bf16[8192,8192]{1,0:T(8,128)(2,1)} dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  d = f32[1024,128]{1,0:T(8,128)S(1)} copy-done(s)
  ROOT r = f32[1024,128]{1,0:T(8,128)S(1)} negate(d))";

// What the done waits for is a collective, which it gets through a tuple.
constexpr char kGatherInTuple[] = R"(
  p = f32[512,2048]{1,0:T(8,128)} parameter(0)
  s = (f32[512,2048]{1,0:T(8,128)}, f32[4096,2048]{1,0:T(8,128)}) all-gather-start(p), channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}, use_global_device_ids=true
  t = ((f32[512,2048]{1,0:T(8,128)}, f32[4096,2048]{1,0:T(8,128)})) tuple(s)
  g = (f32[512,2048]{1,0:T(8,128)}, f32[4096,2048]{1,0:T(8,128)}) get-tuple-element(t), index=0
  d = f32[4096,2048]{1,0:T(8,128)} all-gather-done(g)
  ROOT r = f32[4096,2048]{1,0:T(8,128)} negate(d))";

// What the done waits for is a kernel on another core.
constexpr char kAsyncKernel[] = R"(
%kernel (a: f32[4096,2048]) -> f32[4096,2048] {
  %a = f32[4096,2048]{1,0:T(8,128)} parameter(0)
  ROOT %c = f32[4096,2048]{1,0:T(8,128)} custom-call(%a), custom_call_target="tpu_custom_call"
}

ENTRY %main (p: f32[4096,2048]) -> f32[4096,2048] {
  %p = f32[4096,2048]{1,0:T(8,128)} parameter(0)
  %s = ((f32[4096,2048]{1,0:T(8,128)}), f32[4096,2048]{1,0:T(8,128)}, u32[]{:S(2)}) async-start(%p), calls=%kernel
  ROOT %d = f32[4096,2048]{1,0:T(8,128)} async-done(%s), calls=%kernel
}
)";

// The same on a SparseCore that is started by another thread, whose start has no operands yet.
constexpr char kNestedKernel[] = R"(
%kernel (a: f32[4096,2048]) -> f32[4096,2048] {
  %a = f32[4096,2048]{1,0:T(8,128)} parameter(0)
  ROOT %c = f32[4096,2048]{1,0:T(8,128)} custom-call(%a), custom_call_target="tpu_custom_call"
}, execution_thread="sparsecore"

%thread (b: f32[4096,2048]) -> f32[4096,2048] {
  %b = f32[4096,2048]{1,0:T(8,128)} parameter(0)
  %i = ((f32[4096,2048]{1,0:T(8,128)}), f32[4096,2048]{1,0:T(8,128)}, u32[]{:S(8)}) call-start(%b), async_execution_thread="sparsecore", to_apply=%kernel
  ROOT %j = f32[4096,2048]{1,0:T(8,128)} call-done(%i)
}, execution_thread="sparsecore"

ENTRY %main (p: f32[4096,2048]) -> f32[4096,2048] {
  %p = f32[4096,2048]{1,0:T(8,128)} parameter(0)
  %s = ((), (), s32[]{:S(2)}) call-start(), async_execution_thread="sparsecore", to_apply=%thread
  %u = ((f32[4096,2048]{1,0:T(8,128)}), f32[4096,2048]{1,0:T(8,128)}) call-update(%s, %p)
  ROOT %d = f32[4096,2048]{1,0:T(8,128)} call-done(%u)
}
)";

constexpr char kFromHost[] = R"(
  p = f32[4096,2048]{1,0:T(8,128)S(5)} parameter(0)
  s = (f32[4096,2048]{1,0:T(8,128)}, f32[4096,2048]{1,0:T(8,128)S(5)}, u32[]{:S(2)}) copy-start(p)
  d = f32[4096,2048]{1,0:T(8,128)} copy-done(s)
  ROOT r = f32[4096,2048]{1,0:T(8,128)} negate(d))";

// 14.7 GiB of the 15.75 that a program may use, and a quarter of it.
constexpr char kReplicated[] = R"(
  p = f32[65536,60032]{1,0:T(8,128)} parameter(0), sharding={replicated}
  ROOT r = f32[8,128]{1,0:T(8,128)} slice(p), slice={[0:8], [0:128]})";

constexpr char kReplicatedWithRoom[] = R"(
  p = f32[16384,60032]{1,0:T(8,128)} parameter(0), sharding={replicated}
  ROOT r = f32[8,128]{1,0:T(8,128)} slice(p), slice={[0:8], [0:128]})";

constexpr char kSharded[] = R"(
  p = f32[65536,60032]{1,0:T(8,128)} parameter(0), sharding={devices=[8,1]<=[8]}
  ROOT r = f32[8,128]{1,0:T(8,128)} slice(p), slice={[0:8], [0:128]})";

constexpr char kCustomCall[] = R"(
  p = f32[4096,4096]{1,0:T(8,128)} parameter(0)
  ROOT c = f32[4096,4096]{1,0:T(8,128)} custom-call(p), custom_call_target="Mystery")";

constexpr char kUnknownOpcode[] = R"(
  p = f32[4096,4096]{1,0:T(8,128)} parameter(0)
  ROOT c = f32[4096,4096]{1,0:T(8,128)} frobnicate(p))";

constexpr char kTooLarge[] = R"(
  p = f32[65536,65536]{1,0:T(8,128)} parameter(0)
  ROOT r = f32[65536,65536]{1,0:T(8,128)} negate(p))";

constexpr char kLarge[] = R"(
  p = f32[16384,16384]{1,0:T(8,128)} parameter(0)
  ROOT r = f32[16384,16384]{1,0:T(8,128)} negate(p))";

std::string triton(const std::string& block) {
  return R"(
product {
  p = bf16[4096,4096]{1,0} parameter(0)
  ROOT d = bf16[4096,4096]{1,0} dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
ENTRY main {
  p = bf16[4096,4096]{1,0} parameter(0)
  ROOT r = bf16[4096,4096]{1,0} fusion(p), kind=kCustom, calls=product, backend_config={"fusion_backend_config":)"
         R"({"kind":"__triton_nested_gemm_fusion","block_level_fusion_config":{"output_tiles":[{"sizes":)" +
         block + "}}}\n}";
}

constexpr char kEight[] = ", num_partitions=8";
constexpr char kDonated[] = ", input_output_alias={ {}: (0, {}, must-alias) }";

// A program that has the diagnosis and one that has not.
struct Row {
  const char* code;
  std::string has;
  std::string has_not;
  const char* header = "";
  const char* other_header = nullptr;  // of the program that has not, if it is another
};

std::vector<Row> diagnoses() {
  const std::string tiny_ops =
      "  a = f32[8,128]{1,0:T(8,128)} negate(x)\n  y = f32[8,128]{1,0:T(8,128)} exponential(a)";
  const std::string known = loop_of("constant(100)", tiny_ops.c_str());
  const std::string unknown = loop_of("get-tuple-element(s), index=2", tiny_ops.c_str());
  const std::string unequal = conditional_of("dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  const std::string equal = conditional_of("exponential(a)");
  return {
      {"padding-waste", entry(kPadded), entry(kUnpadded)},
      {"layout-change", entry(kTransposed), entry(kSameLayout)},
      {"matrix-underfilled", entry(kNarrowHead), entry(kFullHead)},
      {"matrix-in-f32", entry(kHighest), entry(kFullHead)},
      {"narrow-update", entry(kRowUpdate), entry(kWholeUpdate)},
      {"exposed-communication", kGatherReduce, kMostlyCompute, kEight},
      {"crossover-not-reached", kGatherReduce, kMostlyCompute, kEight},
      {"gather-then-cut", kGatherReduce, kGatherUse, kEight},
      {"replicated-parameter", entry(kReplicated), entry(kSharded), kEight},
      {"replicated-parameter", entry(kReplicated), entry(kReplicatedWithRoom), kEight},
      {"latency-bound-loop", known, entry(kFullHead)},
      {"unknown-trip-count", unknown, known},
      {"unknown-custom-call", entry(kCustomCall), entry(kUnpadded)},
      {"unknown-opcode", entry(kUnknownOpcode), entry(kUnpadded)},
      {"prefetch-stall", entry(kPrefetchStalls), entry(kPrefetchHidden)},
      {"prefetch-stall", entry(kPrefetchStalls), entry(kGatherInTuple), "", kEight},
      {"unknown-custom-call", kAsyncKernel, entry(kPrefetchStalls)},
      {"prefetch-stall", entry(kPrefetchStalls), kAsyncKernel},
      {"unknown-custom-call", kNestedKernel, entry(kPrefetchStalls)},
      {"unknown-custom-call", kernel_of("calls_missing"), kernel_of("calls_helper")},
      {"unknown-custom-call", kernel_of("calls_empty"), kernel_of("calls_helper")},
      {"host-transfer-exposed", entry(kFromHost), entry(kPrefetchStalls)},
      {"memory-over-capacity", entry(kTooLarge), entry(kLarge)},
      {"donation-missed", entry(kLarge), entry(kLarge), "", kDonated},
      {"branch-imbalance", unequal, equal},
      {"untuned-blocks", triton(R"(["16","8"]}],"num_stages":1)"), triton(R"(["128","64"]}],"num_stages":3)")},
  };
}

TEST_CASE("diagnoses: each where it is, and not where it is not") {
  for (const Row& row : diagnoses()) {
    CAPTURE(row.code);
    const auto found = [&](const std::string& program, const char* header) {
      const std::vector<std::string> codes = codes_of(program, "tpu_v5e", header);
      return std::find(codes.begin(), codes.end(), row.code) != codes.end();
    };
    CHECK(found(row.has, row.header));
    CHECK_FALSE(found(row.has_not, row.other_header != nullptr ? row.other_header : row.header));
  }
}

TEST_CASE("the time of a branch is assumed if another one may run that takes less") {
  const std::string unequal = conditional_of("dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  const auto assumed_share = [](const std::string& body, const PredictOptions& options) {
    const auto p = predict_step_time("HloModule m, is_scheduled=true\n\n" + body, "tpu_v5e", options);
    REQUIRE(p.ok());
    return p->assumed_share;
  };
  PredictOptions stated;
  stated.branch_probabilities["c"] = {0.5, 0.5};
  CHECK(assumed_share(unequal, {}) > 0.9);
  CHECK(assumed_share(unequal, stated) == 0);
  CHECK(assumed_share(conditional_of("negate(a)"), {}) == 0);
}

TEST_CASE("layout-change: its advice can be followed") {
  struct Case {
    const char* what;
    std::string body;
    const char* says;  // of the diagnosis; null for none
    const char* does_not_say;
  };
  const std::vector<Case> cases = {
      {"a transpose of an argument, whose shape is renamed before", R"(
  p = bf16[64,64,4096]{2,1,0} parameter(0)
  b = bf16[4096,4096]{1,0} bitcast(p)
  c = bf16[4096,4096]{1,0} transpose(b), dimensions={1,0}
  ROOT n = bf16[4096,4096]{1,0} negate(c))",
       "let XLA choose its layout", "none of its layouts"},
      {"pieces of a dimension of an argument change places", R"(
  p = bf16[64,224,224,4]{3,2,1,0} parameter(0)
  b = bf16[64,14,16,14,16,4]{5,4,3,2,1,0} bitcast(p)
  c = bf16[64,14,14,16,16,4]{5,4,3,2,1,0} transpose(b), dimensions={0,1,3,2,4,5}
  ROOT n = bf16[64,14,14,16,16,4]{5,4,3,2,1,0} negate(c))",
       "none of its layouts has this order", "Layout.AUTO"},
      {"a reverse", R"(
  p = bf16[4096,4096]{1,0} parameter(0)
  c = bf16[4096,4096]{1,0} reverse(p), dimensions={0}
  ROOT n = bf16[4096,4096]{1,0} negate(c))",
       nullptr, nullptr},
      {"before a product", R"(
  p = bf16[4096,4096]{1,0} parameter(0)
  n = bf16[4096,4096]{1,0} negate(p)
  c = bf16[4096,4096]{1,0} transpose(n), dimensions={1,0}
  ROOT d = bf16[4096,4096]{1,0} dot(c, p), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
       "contract over the other dimension", "transform"},
      {"before no product", R"(
  p = bf16[4096,4096]{1,0} parameter(0)
  n = bf16[4096,4096]{1,0} negate(p)
  c = bf16[4096,4096]{1,0} transpose(n), dimensions={1,0}
  ROOT d = bf16[4096,4096]{1,0} negate(c))",
       "the layout its user wants", "contract"},
      {"between transforms", R"(
  p = c64[64,1024,512]{2,1,0} parameter(0)
  f = c64[64,1024,512]{2,1,0} fft(p), fft_type=FFT, fft_length={512}
  c = c64[64,512,1024]{2,1,0} transpose(f), dimensions={0,2,1}
  ROOT d = c64[64,512,1024]{2,1,0} fft(c), fft_type=FFT, fft_length={1024})",
       "one transform along several dimensions", "contract"},
      {"a result", R"(
  p = bf16[4096,4096]{1,0} parameter(0)
  n = bf16[4096,4096]{1,0} negate(p)
  ROOT c = bf16[4096,4096]{1,0} transpose(n), dimensions={1,0})",
       "the result of the program has this layout", "contract"},
      {"a result whose dimensions mix those of what is copied", R"(
  p = bf16[4096,4096]{1,0} parameter(0)
  n = bf16[4096,4096]{1,0} negate(p)
  c = bf16[4096,4096]{1,0} fusion(n), kind=kLoop, calls=mix
  ROOT b = bf16[4096,4096]{1,0} bitcast(c))",
       "the layout its user wants", "Layout.AUTO"},
  };
  const std::string mix = R"(mix {
  p = bf16[4096,4096]{1,0} parameter(0)
  b = bf16[64,64,64,64]{3,2,1,0} bitcast(p)
  t = bf16[64,64,64,64]{3,2,1,0} transpose(b), dimensions={0,2,1,3}
  ROOT r = bf16[4096,4096]{1,0} bitcast(t)
}
)";
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const auto p = predict_step_time("HloModule m, is_scheduled=true\n\n" + mix + entry(c.body.c_str()), "h100_sxm",
                                     any_backend());
    REQUIRE(p.ok());
    const auto found = std::find_if(p->diagnostics.begin(), p->diagnostics.end(),
                                    [](const Diagnostic& d) { return d.code == DiagnosticCode::kLayoutChange; });
    REQUIRE((found != p->diagnostics.end()) == (c.says != nullptr));
    if (c.says == nullptr) continue;
    CHECK_THAT(found->message, ContainsSubstring(c.says));
    CHECK_THAT(found->message, !ContainsSubstring(c.does_not_say));
  }
}

// Sums of the arrays `first` and `second` of 8-bit floats, each converted to bf16 by the fusion that adds it up.
std::string sums(const std::string& first, const std::string& second, const std::string& type = "f8e4m3fn") {
  const std::string array = type + "[4096,8192]{1,0:T(32,128)(4,1)}";
  const std::string near = type + "[4096,8192]{1,0:T(32,128)(4,1)S(1)}";
  std::string text = "add {\n  a = bf16[] parameter(0)\n  b = bf16[] parameter(1)\n  ROOT s = bf16[] add(a, b)\n}\n";
  for (const auto& [name, of] : {std::pair("far_sum", array), std::pair("near_sum", near)}) {
    text += std::string(name) + " {\n  w = " + of + " parameter(0)\n  z = bf16[]{:T(256)} constant(0)\n" +
            "  c = bf16[4096,8192]{1,0:T(8,128)(2,1)} convert(w)\n" +
            "  ROOT r = bf16[4096]{0:T(1024)(128)(2,1)} reduce(c, z), dimensions={1}, to_apply=add\n}\n";
  }
  return text + "ENTRY main {\n  a = " + array + " parameter(0)\n  b = " + array + " parameter(1)\n  start = (" + near +
         ", " + array + ", u32[]{:S(2)}) copy-start(a)\n  n = " + near + " copy-done(start)\n" +
         "  f = bf16[4096]{0:T(1024)(128)(2,1)} fusion(" + first +
         "), kind=kLoop, calls=" + (first == "n" ? "near_sum" : "far_sum") +
         "\n  g = bf16[4096]{0:T(1024)(128)(2,1)} fusion(" + second +
         "), kind=kLoop, calls=" + (second == "n" ? "near_sum" : "far_sum") +
         "\n  ROOT r = bf16[4096]{0:T(1024)(128)(2,1)} add(f, g)\n}\n";
}

TEST_CASE("repeated-upcast: the same array of 8-bit floats is converted again, also from a copy of it") {
  const auto has = [](const std::string& program, const char* device) {
    const std::vector<std::string> codes = codes_of(program, device, "");
    return std::find(codes.begin(), codes.end(), "repeated-upcast") != codes.end();
  };
  CHECK(has(sums("a", "a"), "tpu_v4"));
  CHECK(has(sums("a", "n"), "tpu_v4"));
  CHECK_FALSE(has(sums("a", "b"), "tpu_v4"));
  CHECK(has(sums("a", "a"), "tpu_v6e"));
  CHECK(has(sums("a", "a"), "tpu_v7x"));
  CHECK_FALSE(has(sums("a", "a", "s8"), "tpu_v7x"));      // no float
  CHECK_FALSE(has(sums("a", "a", "f8e5m2"), "tpu_v5e"));  // reading bf16 from its HBM takes as long as converting
}

TEST_CASE("repeated-upcast: the trips of a loop convert an array that the loop does not change") {
  const std::string narrow = "f8e4m3fn[4096,8192]{1,0:T(32,128)(4,1)}";
  const std::string wide = "bf16[4096,8192]{1,0:T(8,128)(2,1)}";
  const std::string sum = "bf16[4096,8192]{1,0:T(8,128)(2,1)}";
  const std::string state = "(s32[], " + narrow + ", " + sum + ")";
  // `next` is what the next trip gets as the array.
  const auto program = [&](const std::string& next) {
    return "body {\n  p = " + state + " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n" +
           "  one = s32[] constant(1)\n  n = s32[] add(i, one)\n  a = " + narrow +
           " get-tuple-element(p), index=1\n  other = " + narrow + " negate(a)\n  x = " + sum +
           " get-tuple-element(p), index=2\n  wide = " + wide + " convert(a)\n  y = " + sum +
           " add(x, wide)\n  ROOT t = " + state + " tuple(n, " + next + ", y)\n}\ncond {\n  p = " + state +
           " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  k = s32[] constant(64)\n" +
           "  ROOT l = pred[] compare(i, k), direction=LT\n}\nENTRY main {\n  a = " + narrow +
           " parameter(0)\n  x = " + sum + " parameter(1)\n  zero = s32[] constant(0)\n  init = " + state +
           " tuple(zero, a, x)\n  ROOT loop = " + state + " while(init), condition=cond, body=body\n}\n";
  };
  const auto found = [](const StepPrediction& p) {
    return std::find_if(p.diagnostics.begin(), p.diagnostics.end(),
                        [](const Diagnostic& d) { return d.code == DiagnosticCode::kRepeatedUpcast; });
  };
  const auto p = predict_step_time("HloModule m, is_scheduled=true\n" + program("a"), "tpu_v5e");
  REQUIRE(p.ok());
  REQUIRE(found(*p) != p->diagnostics.end());
  CHECK(found(*p)->op == "wide");
  CHECK_THAT(found(*p)->message, ContainsSubstring("in each of the 64 trips of loop, which does not change it"));
  const auto op =
      std::find_if(p->ops.begin(), p->ops.end(), [](const OpPrediction& one) { return one.name == "wide"; });
  CHECK(*found(*p)->seconds_at_stake == Approx(op->exposed_seconds * 63 / 64));
  const auto changed = predict_step_time("HloModule m, is_scheduled=true\n" + program("other"), "tpu_v5e");
  REQUIRE(changed.ok());
  CHECK(found(*changed) == changed->diagnostics.end());
}

TEST_CASE("repeated-upcast: an op that does nothing but convert is not needed again") {
  const std::string narrow = "f8e4m3fn[4096,8192]{1,0:T(32,128)(4,1)}";
  const std::string wide = "bf16[4096,8192]{1,0:T(8,128)(2,1)}";
  const auto program = [&](const std::string& first, const std::string& second) {
    return "widen {\n  w = " + narrow + " parameter(0)\n  ROOT c = " + wide +
           " convert(w)\n}\nENTRY main {\n  a = " + narrow + " parameter(0)\n  f = " + wide + " " + first +
           "\n  g = " + wide + " " + second + "\n  ROOT t = (" + wide + ", " + wide + ") tuple(f, g)\n}\n";
  };
  const std::string fused = "fusion(a), kind=kLoop, calls=widen";
  for (const auto& [first, second] :
       {std::pair<std::string, std::string>("convert(a)", "convert(a)"), {fused, fused}, {"convert(a)", fused}}) {
    CAPTURE(first, second);
    const auto p = predict_step_time("HloModule m, is_scheduled=true\n" + program(first, second), "tpu_v5e");
    REQUIRE(p.ok());
    const auto found = std::find_if(p->diagnostics.begin(), p->diagnostics.end(),
                                    [](const Diagnostic& d) { return d.code == DiagnosticCode::kRepeatedUpcast; });
    REQUIRE(found != p->diagnostics.end());
    CHECK(found->op == "g");
    const auto again =
        std::find_if(p->ops.begin(), p->ops.end(), [](const OpPrediction& op) { return op.name == "g"; });
    CHECK(*found->seconds_at_stake == Approx(again->exposed_seconds));
    CHECK_THAT(found->message, ContainsSubstring("it would not be needed"));
  }
}

TEST_CASE("a kernel on a SparseCore takes time, and is known to be unknown") {
  const auto predicted = [](std::vector<CustomCallCost> costs) {
    PredictOptions options;
    options.custom_calls = std::move(costs);
    const auto prediction =
        predict_step_time(std::string("HloModule m, is_scheduled=true\n") + kNestedKernel, "tpu_v5p", options);
    REQUIRE(prediction.ok());
    return *prediction;
  };
  const StepPrediction unknown = predicted({});
  CHECK(unknown.unknown_share > 0.9);
  CHECK(unknown.step_seconds > 2 * 4096 * 2048 * 4 / 2.8e12);  // its boundary bytes
  CustomCallCost cost;
  cost.target = "tpu_custom_call";
  cost.seconds = 1;
  const StepPrediction stated = predicted({cost});
  CHECK(stated.unknown_share == 0);
  CHECK(stated.step_seconds >= 1);
}

TEST_CASE("libtpu's call that only returns a token is free and known") {
  const std::vector<std::string> codes = codes_of(R"(ENTRY main {
  p = f32[4096,4096]{1,0:T(8,128)} parameter(0)
  t = token[] custom-call(p), custom_call_target="NopReturnToken", custom_call_has_side_effect=true
  ROOT r = f32[4096,4096]{1,0:T(8,128)} negate(p)
})",
                                                  "tpu_v5e", "");
  CHECK(std::find(codes.begin(), codes.end(), "unknown-custom-call") == codes.end());
}

TEST_CASE("a text without its entry says first of all that it looks cut") {
  constexpr char kLayout[] =
      "HloModule m, is_scheduled=true, "
      "entry_computation_layout={(f32[8,128]{1,0:T(8,128)})->f32[8,128]{1,0:T(8,128)}}\n\n";
  constexpr char kOne[] =
      "a {\n  p = f32[4096,4096]{1,0:T(8,128)} parameter(0)\n"
      "  ROOT r = f32[4096,4096]{1,0:T(8,128)} negate(p)\n}\n\n";
  constexpr char kFitting[] =
      "b {\n  q = f32[8,128]{1,0:T(8,128)} parameter(0)\n"
      "  ROOT s = f32[8,128]{1,0:T(8,128)} negate(q)\n}\n";
  const struct {
    const char* what;
    std::string text;
    const char* message;
  } cases[] = {
      {"one computation that is not the one of the header", std::string(kLayout) + kOne, "the text looks cut"},
      {"the last of several is not the one of the header", std::string(kLayout) + kFitting + "\n" + kOne,
       "the text looks cut"},
      {"the last may be the entry", std::string(kLayout) + kOne + kFitting, "Write ENTRY before the name"},
      {"a header without a layout", "HloModule m, is_scheduled=true\n\n" + std::string(kOne) + kFitting,
       "if the text is cut, save the whole module again"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const auto prediction = predict_step_time(c.text, "tpu_v5e", any_backend());
    REQUIRE(prediction.ok());
    REQUIRE_FALSE(prediction->diagnostics.empty());
    const Diagnostic& first = prediction->diagnostics.front();
    CHECK(first.code == DiagnosticCode::kNoEntry);
    CHECK(first.severity == Severity::kWarning);
    CHECK_THAT(first.message, ContainsSubstring(c.message));
  }
  for (const std::string& text : {std::string(kOne), std::string(kLayout) + kOne + "ENTRY " + kFitting}) {
    CAPTURE(text);
    const auto prediction = predict_step_time(text, "tpu_v5e", any_backend());
    REQUIRE(prediction.ok());
    for (const Diagnostic& diagnostic : prediction->diagnostics) CHECK(diagnostic.code != DiagnosticCode::kNoEntry);
  }
}

TEST_CASE("what does not fit says by how much, what is largest and what would help") {
  const auto prediction = predict_step_time(R"(HloModule m, is_scheduled=true
ENTRY main {
  p = f32[65536,65536]{1,0:T(8,128)} parameter(0)
  ROOT r = f32[65536,65536]{1,0:T(8,128)} negate(p)
})",
                                            "tpu_v5e");
  REQUIRE(prediction.ok());
  REQUIRE_FALSE(prediction->diagnostics.empty());
  const Diagnostic& first = prediction->diagnostics.front();
  CHECK(first.code == DiagnosticCode::kMemoryOverCapacity);
  for (const char* part :
       {"does not fit by 16.25 GiB", "largest: p 16.00 GiB", "donating argument 0 would save 16.00 GiB"}) {
    CHECK_THAT(first.message, ContainsSubstring(part));
  }
}

TEST_CASE("a number that the device file lacks is named, and what needs it is assumed") {
  const struct {
    const char* what;
    const char* device;
    std::string header;
    std::string body;
    std::string missing;
  } cases[] = {
      {"no type of the matrix unit", "tpu_v5e", "",
       "  a = f64[512,512]{1,0} parameter(0)\n"
       "  ROOT r = f64[512,512]{1,0} dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
       "matrix.peak.f64"},
      {"between slices", "tpu_v5e:1x1*2", ", num_partitions=2",
       "  a = f32[512]{0} parameter(0)\n"
       "  ROOT r = f32[1024]{0} all-gather(a), dimensions={0}, channel_id=1, use_global_device_ids=true, "
       "replica_groups={{0,1}}\n",
       "network.efficiency"},
      {"nothing", "tpu_v5e", "", "  a = f32[512]{0} parameter(0)\n  ROOT r = f32[512]{0} negate(a)\n", ""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const auto prediction = predict_step_time(
        "HloModule m, is_scheduled=true" + c.header + "\n\nENTRY main {\n" + c.body + "}\n", c.device);
    REQUIRE(prediction.ok());
    std::string found;
    for (const Diagnostic& diagnostic : prediction->diagnostics) {
      if (diagnostic.code == DiagnosticCode::kMissingDeviceNumber) found += diagnostic.message;
    }
    CHECK(found.empty() == c.missing.empty());
    CHECK_THAT(found, ContainsSubstring(c.missing));
    CHECK((prediction->assumed_share > 0) == !c.missing.empty());
  }
}

}  // namespace
}  // namespace hloroof::internal
