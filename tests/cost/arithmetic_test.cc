// What is computed, by kind: matrix products with their shapes and passes, vector work, custom calls.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "hloroof/device.h"
#include "lib/cost/op_time.h"
#include "tests/catch.h"
#include "tests/cost/root_work.h"
#include "tests/dump.h"

namespace {

using namespace hloroof;
using namespace hloroof::internal;

double vector_elements(const Work& work, Opcode opcode) {
  double sum = 0;
  for (const VectorWork& v : work.vector) sum += v.opcode == opcode ? v.elements : 0;
  return sum;
}

std::string two(const std::string& a, const std::string& b) {
  return "  a = " + a + " parameter(0)\n  b = " + b + " parameter(1)\n";
}

TEST_CASE("dots by shape, type and precision") {
  struct Case {
    const char* what;
    std::string a, b, root;
    double m, n, k, batch;
    int passes;
  };
  const std::string dims = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const Case cases[] = {
      {"bf16", "bf16[10,20]", "bf16[20,30]", "r = bf16[10,30] dot(a, b)" + dims, 10, 30, 20, 1, 1},
      {"int8", "s8[10,20]", "s8[20,30]", "r = s32[10,30] dot(a, b)" + dims, 10, 30, 20, 1, 1},
      {"f32, default precision", "f32[10,20]", "f32[20,30]", "r = f32[10,30] dot(a, b)" + dims, 10, 30, 20, 1, 1},
      {"f32, high", "f32[10,20]", "f32[20,30]", "r = f32[10,30] dot(a, b)" + dims + ", operand_precision={high,high}",
       10, 30, 20, 1, 3},
      {"f32, highest", "f32[10,20]", "f32[20,30]",
       "r = f32[10,30] dot(a, b)" + dims + ", operand_precision={highest,highest}", 10, 30, 20, 1, 6},
      {"f32 by bf16, highest", "f32[10,20]", "bf16[20,30]",
       "r = f32[10,30] dot(a, b)" + dims + ", operand_precision={highest,highest}", 10, 30, 20, 1, 3},
      {"bf16 has no parts", "bf16[10,20]", "bf16[20,30]",
       "r = f32[10,30] dot(a, b)" + dims + ", operand_precision={highest,highest}", 10, 30, 20, 1, 1},
      {"an algorithm that names its passes", "f32[10,20]", "f32[20,30]",
       "r = f32[10,30] dot(a, b)" + dims + ", algorithm=dot_bf16_bf16_f32_x3", 10, 30, 20, 1, 3},
      {"batched, two contracting dimensions", "bf16[4,10,5,6]", "bf16[5,6,30,4]",
       "r = bf16[4,10,30] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={3}, lhs_contracting_dims={2,3}, "
       "rhs_contracting_dims={0,1}",
       10, 30, 30, 4, 1},
      {"a vector", "bf16[20]", "bf16[20,30]",
       "r = bf16[30] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}", 1, 30, 20, 1, 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work(two(c.a, c.b), c.root);
    REQUIRE(work.matrix.size() == 1);
    const MatrixWork& product = work.matrix[0];
    CHECK(product.m == c.m);
    CHECK(product.n == c.n);
    CHECK(product.k == c.k);
    CHECK(product.batch == c.batch);
    CHECK(product.passes == c.passes);
    CHECK(work.flops == 2 * c.m * c.n * c.k * c.batch);
    CHECK(work.matrix_flops == work.flops);
  }
}

TEST_CASE("a ragged dot does each row once") {
  const Work work =
      root_work("  a = bf16[64,32] parameter(0)\n  b = bf16[8,32,16] parameter(1)\n  g = s32[8] parameter(2)\n",
                "r = bf16[64,16] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
                "lhs_ragged_dims={0}, rhs_group_dims={0}");
  CHECK(work.flops == 2.0 * 64 * 32 * 16);
}

TEST_CASE("convolutions, also those that stand for dots") {
  struct Case {
    const char* what;
    std::string a, b, root;
    double flops;
    double m, n, k, batch;  // of the product; m 0: not looked at
  };
  const Case cases[] = {
      {"a dot", "bf16[128,256]", "bf16[256,512]", "r = bf16[128,512] convolution(a, b), dim_labels=bf_io->bf",
       2.0 * 128 * 256 * 512, 128, 512, 256, 1},
      {"a dot, right side transposed", "bf16[128,256]", "bf16[512,256]",
       "r = bf16[128,512] convolution(a, b), dim_labels=bf_oi->bf", 2.0 * 128 * 256 * 512, 128, 512, 256, 1},
      {"a batched dot, batch as a spatial dimension", "bf16[8,128,64]", "bf16[8,64,32]",
       "r = bf16[8,128,32] convolution(a, b), window={size=8 stride=7 lhs_dilate=8}, dim_labels=0bf_0io->0bf",
       2.0 * 8 * 128 * 64 * 32, 128, 32, 64, 8},
      {"a spatial dimension contracted", "bf16[8,128,64]", "bf16[8,64,32]",
       "r = bf16[1,128,32] convolution(a, b), window={size=8}, dim_labels=0bf_0io->0bf", 2.0 * 8 * 128 * 64 * 32, 128,
       32, 512, 1},
      {"3x3 valid", "f32[1,1,10,20]", "f32[1,1,3,3]",
       "r = f32[1,1,8,18] convolution(a, b), window={size=3x3}, dim_labels=bf01_oi01->bf01", 2592, 0, 0, 0, 0},
      {"3x3 same: padding is not counted", "f32[1,1,3,3]", "f32[1,1,3,3]",
       "r = f32[1,1,3,3] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01", 98, 0, 0, 0, 0},
      {"dilated base and window", "f32[1,1,10,20]", "f32[1,1,3,3]",
       "r = f32[1,1,16,76] convolution(a, b), window={size=3x3 pad=1_1x1_1 lhs_dilate=3x5 rhs_dilate=7x11}, "
       "dim_labels=bf01_oi01->bf01",
       1472, 0, 0, 0, 0},
      {"grouped", "f32[2,16,32]", "f32[1,8,32]",
       "r = f32[2,16,32] convolution(a, b), window={size=1}, feature_group_count=4, dim_labels=b0f_0io->b0f",
       2.0 * 2 * 16 * 8 * 32, 32, 8, 8, 4},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work(two(c.a, c.b), c.root);
    CHECK(work.flops == c.flops);
    if (c.m == 0) continue;
    REQUIRE(work.matrix.size() == 1);
    CHECK(work.matrix[0].m == c.m);
    CHECK(work.matrix[0].n == c.n);
    CHECK(work.matrix[0].k == c.k);
    CHECK(work.matrix[0].batch == c.batch);
  }
}

TEST_CASE("a depthwise convolution shares no weights and runs on the vector units") {
  const Work work = root_work(
      two("f32[2,120,10,20]", "f32[120,1,3,3]"),
      "r = f32[2,120,8,18] convolution(a, b), window={size=3x3}, feature_group_count=120, dim_labels=bf01_oi01->bf01");
  CHECK(work.flops == 2.0 * 2 * 120 * 8 * 18 * 9);
  CHECK(work.matrix.empty());
  CHECK(vector_elements(work, Opcode::kMultiply) == work.flops / 2);
}

TEST_CASE("elementwise work by kind, on padded elements") {
  const std::string a = "  a = f32[1000,100]{1,0:T(8,128)} parameter(0)\n";
  const Work negate = root_work(a, "r = f32[1000,100]{1,0:T(8,128)} negate(a)");
  CHECK(negate.flops == 100000);
  CHECK(negate.transcendentals == 0);
  CHECK(vector_elements(negate, Opcode::kNegate) == 128000);
  const Work exp = root_work(a, "r = f32[1000,100]{1,0:T(8,128)} exponential(a)");
  CHECK(exp.flops == 0);
  CHECK(exp.transcendentals == 100000);
  CHECK(vector_elements(exp, Opcode::kExponential) == 128000);
}

TEST_CASE("only what is wanted of a producer inside a fusion is computed") {
  const std::string fused =
      "fused {\n  p = f32[16,1024] parameter(0)\n  e = f32[16,1024] exponential(p)\n"
      "  ROOT r = f32[1,1024] slice(e), slice={[2:3], [0:1024]}\n}\n";
  const Work work =
      root_work("  a = f32[16,1024] parameter(0)\n", "r = f32[1,1024] fusion(a), kind=kLoop, calls=fused", fused);
  CHECK(work.transcendentals == 1024);
  CHECK(work.read.hbm == 4096);
}

// XLA's loop and reduction emitters on CPUs and GPUs, where no layout has tiles.
TEST_CASE("what a fusion computes element by element it computes again for each place that asks") {
  struct Case {
    const char* what;
    std::string body;
    std::string result;
    double transcendentals;
  };
  const std::string p = "  p = f32[64,32] parameter(0)\n  e = f32[64,32] exponential(p)\n";
  const Case cases[] = {
      {"once for all that ask at the same place",
       p + "  n = f32[64,32] negate(e)\n  m = f32[64,32] multiply(e, e)\n  ROOT r = f32[64,32] add(n, m)\n",
       "f32[64,32]", 64 * 32},
      {"for each element of a broadcast", p + "  ROOT r = f32[10,64,32] broadcast(e), dimensions={1,2}\n",
       "f32[10,64,32]", 10 * 64 * 32},
      {"again for a transpose beside a plain use",
       "  p = f32[32,32] parameter(0)\n  e = f32[32,32] exponential(p)\n  t = f32[32,32] transpose(e), "
       "dimensions={1,0}\n  ROOT r = f32[32,32] add(e, t)\n",
       "f32[32,32]", 2 * 32 * 32},
      {"for every window it is in",
       p + "  z = f32[] constant(0)\n  ROOT r = f32[61,32] reduce-window(e, z), window={size=4x1}, to_apply=add\n",
       "f32[61,32]", 4 * 61 * 32},
      {"once for a reduction",
       p + "  z = f32[] constant(0)\n  ROOT r = f32[64] reduce(e, z), dimensions={1}, "
           "to_apply=add\n",
       "f32[64]", 64 * 32},
      {"for results of their own",
       p + "  b = f32[2,64,32] broadcast(e), dimensions={1,2}\n  ROOT r = (f32[64,32], f32[2,64,32]) tuple(e, b)\n",
       "(f32[64,32], f32[2,64,32])", 3 * 64 * 32},
  };
  const std::string add = "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n";
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string argument =
        "  a = " + std::string(c.body.find("p = f32[32,32]") != std::string::npos ? "f32[32,32]" : "f32[64,32]") +
        " parameter(0)\n";
    const std::string computations = add + "fused {\n" + c.body + "}\n";
    const Work work = root_work(argument, "r = " + c.result + " fusion(a), kind=kLoop, calls=fused", computations);
    CHECK(work.transcendentals == Approx(c.transcendentals));
    // Caches see to it that the parameter comes from memory once.
    CHECK(work.read.hbm <= 64 * 32 * 4 + 4);
    const Work in_tiles =
        root_work(argument, "r = " + c.result + " fusion(a), kind=kCustom, calls=fused", computations);
    CHECK(in_tiles.transcendentals <= 64 * 32);
  }
}

TEST_CASE("reductions, prefix sums and sorts") {
  const std::string add = "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n";
  const std::string less =
      "less {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = pred[] compare(x, y), direction=LT\n}\n";
  const std::string a = "  a = f32[64,1024] parameter(0)\n  z = f32[] constant(0)\n";
  CHECK(root_work(a, "r = f32[64] reduce(a, z), dimensions={1}, to_apply=add", add).flops == 64 * 1023);
  // A window over all that came before: a tree of log2(n) + 1 levels, not n additions an element.
  CHECK(root_work(a, "r = f32[64,1024] reduce-window(a, z), window={size=1x1024 pad=0_0x1023_0}, to_apply=add", add)
            .flops == 64 * 1024 * 10);
  // A window from every element over the whole row: one addition an element.
  CHECK(root_work(a, "r = f32[64,1024] reduce-window(a, z), window={size=1x2047 pad=0_0x1023_1023}, to_apply=add", add)
            .flops == 64 * 1024);
  // Row by row: n log2 n comparisons, and the stages of a bitonic network for the vector units.
  const Work sort = root_work(a, "r = f32[64,1024] sort(a), dimensions={1}, to_apply=less", less);
  CHECK(sort.flops == 64.0 * 1024 * 10);
  CHECK(vector_elements(sort, Opcode::kSort) == 64.0 * 1024 * 55);
}

TEST_CASE("FFT, Cholesky, triangular solve and random bits") {
  CHECK(root_work("  a = c64[4,256] parameter(0)\n", "r = c64[4,256] fft(a), fft_type=FFT, fft_length={256}").flops ==
        5.0 * 8 * 1024);
  CHECK(root_work("  a = f32[3,64,64] parameter(0)\n", "r = f32[3,64,64] cholesky(a), lower=true").flops ==
        64.0 * 3 * 64 * 64 / 3);
  CHECK(root_work(two("f32[64,64]", "f32[64,32]"),
                  "r = f32[64,32] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=false, "
                  "transpose_a=NO_TRANSPOSE")
            .flops == 64.0 * 64 * 32);
  const Work bits =
      root_work("  a = u64[2] parameter(0)\n", "r = (u64[2], u32[1024]) rng-bit-generator(a), algorithm=rng_three_fry");
  CHECK(vector_elements(bits, Opcode::kRngBitGenerator) == 1026);
}

// ---- Custom calls -------------------------------------------------------------------------------------------------

std::string call(const std::string& shape, const std::string& operands, const std::string& target,
                 const std::string& more = "", const std::string& name = "r") {
  return name + " = " + shape + " custom-call(" + operands + "), custom_call_target=\"" + target + "\"" + more;
}

TEST_CASE("custom calls as what they are") {
  const std::string a = "  a = f32[64,64] parameter(0)\n";
  struct Case {
    const char* target;
    bool is_free;
    double flops;
    CostSource source;
  };
  const Case cases[] = {
      {"ConcatBitcast", true, 0, CostSource::kModel},
      {"AllocateBuffer", true, 0, CostSource::kModel},
      {"AsyncCollectiveStart", true, 0, CostSource::kModel},
      {"AsyncCollectiveDone", true, 0, CostSource::kModel},
      {"PrepareAsyncCallStart", true, 0, CostSource::kModel},
      {"PrepareAsyncCallDone", true, 0, CostSource::kModel},
      {"AssumeGatherIndicesInBound", true, 0, CostSource::kModel},
      {"Sharding", true, 0, CostSource::kModel},
      {"X64SplitLow", false, 0, CostSource::kModel},
      {"X64Combine", false, 0, CostSource::kModel},
      {"MoveToHost", false, 0, CostSource::kModel},
      {"Cholesky", false, 64.0 * 64 * 64 / 3, CostSource::kModel},
      {"TopK", false, 64 * 64 * 6, CostSource::kModel},  // the best 64, in a heap
      {"somebody's", false, 0, CostSource::kUnknown},
      {"tpu_custom_call", false, 0, CostSource::kUnknown},
  };
  for (const Case& c : cases) {
    CAPTURE(c.target);
    const Work work = root_work(a, call("f32[64,64]", "a", c.target));
    CHECK(work.is_free == c.is_free);
    CHECK(work.flops == Approx(c.flops));
    CHECK(work.source == c.source);
    CHECK(work.padded_bytes == (c.is_free ? 0 : 2 * 64 * 64 * 4));  // the boundary
  }
}

TEST_CASE("library products and convolutions by their configuration") {
  const Work gemm = root_work(
      two("f32[4,10,20]", "f32[4,20,30]"),
      call("(f32[4,10,30], s8[1024])", "a, b", "__cublas$lt$matmul",
           R"(, backend_config={"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["2"],)"
           R"("rhs_contracting_dimensions":["1"],"lhs_batch_dimensions":["0"],"rhs_batch_dimensions":["0"]},)"
           R"("precision_config":{"operand_precision":["HIGHEST","HIGHEST"]}}})"));
  CHECK(gemm.flops == 2.0 * 4 * 10 * 20 * 30);
  REQUIRE(gemm.matrix.size() == 1);
  CHECK(gemm.matrix[0].passes == 6);
  const Work convolution = root_work(
      two("f32[1,1,10,20]", "f32[1,1,3,3]"),
      call("(f32[1,1,8,18], u8[0])", "a, b", "__cudnn$convForward", ", window={size=3x3}, dim_labels=bf01_oi01->bf01"));
  CHECK(convolution.flops == 2592);
  CHECK(root_work(two("f32[8]", "f32[8]"), call("f32[8]", "a, b", "__cublas$gemm")).source == CostSource::kUnknown);
}

TEST_CASE("a kernel's own estimate counts, and a user's before it") {
  const std::string a = "  a = bf16[1024] parameter(0)\n";
  const std::string config =
      R"(, backend_config={"custom_call_config":{"body":"","cost_estimate":{"flops":"5000","transcendentals":"70","bytes_accessed":"9000"}}})";
  const Work stated = root_work(a, call("bf16[1024]", "a", "tpu_custom_call", config));
  CHECK(stated.flops == 5000);
  CHECK(stated.transcendentals == 70);
  CHECK(stated.padded_bytes == 9000);
  CHECK(stated.source == CostSource::kModel);
  for (const char* target : {"tpu_custom_call", "/tpu_.*/", "r", "/[qr]/"}) {
    WorkOptions options;
    CustomCallCost cost;
    cost.target = target;
    cost.flops = 1;
    cost.bytes = 2;
    cost.seconds = 3;
    options.custom_calls = {cost};
    const Work given = root_work(a, call("bf16[1024]", "a", "tpu_custom_call", config), "", options);
    CHECK(given.flops == 1);
    CHECK(given.padded_bytes == 2);
    CHECK(given.seconds == 3.0);
    CHECK(given.source == CostSource::kUser);
  }
}

// As SparseCore kernels are started.
TEST_CASE("a kernel behind an async-start counts as it would alone") {
  const std::string wrapped =
      "wrapped {\n  p = bf16[1024] parameter(0)\n  ROOT k = bf16[1024] custom-call(p), "
      "custom_call_target=\"tpu_custom_call\", backend_config={\"custom_call_config\":{\"cost_estimate\":"
      "{\"flops\":\"5000\",\"bytes_accessed\":\"9000\"}}}\n}\n";
  const std::string a = "  a = bf16[1024] parameter(0)\n";
  const std::string start = "r = ((bf16[1024]), bf16[1024]) async-start(a), calls=wrapped";
  const Work work = root_work(a, start, wrapped);
  CHECK(work.flops == 5000);
  CHECK(work.padded_bytes == 9000);
  CHECK(work.source == CostSource::kModel);
  WorkOptions options;
  options.custom_calls.push_back({"k", 7.0, 8.0, {}, {}});
  const Work given = root_work(a, start, wrapped, options);
  CHECK(given.flops == 7);
  CHECK(given.padded_bytes == 8);
  CHECK(given.source == CostSource::kUser);
}

TEST_CASE("well-known Pallas kernels that state nothing") {
  const std::string qkv =
      "  q = bf16[8,2048,128] parameter(0)\n  k = bf16[8,2048,128] parameter(1)\n  v = bf16[8,2048,128] parameter(2)\n";
  const std::string mask = "  n = s8[1,16,16] parameter(3)\n";
  const double one = 2.0 * 8 * 2048 * 2048 * 128;  // one product of all queries and keys
  const double causal = 17.0 / 32;                 // of 16 x 16 blocks
  const std::string out = "bf16[8,2048,128]";
  struct Case {
    const char* what;
    std::string parameters, root;
    double flops;
  };
  const Case cases[] = {
      {"flash, forward", qkv, call(out, "q, k, v", "tpu_custom_call", "", "flash_attention.1"), 2 * one},
      {"flash, keys and values", qkv,
       call("(" + out + ", " + out + ")", "q, k, v", "tpu_custom_call", "", "flash_mha_bwd_dkv_block_q_512.1"),
       4 * one},
      {"flash, queries", qkv, call(out, "q, k, v", "tpu_custom_call", "", "flash_mha_bwd_dq_block_q_512.1"), 3 * one},
      {"splash, forward", mask + qkv, call(out, "n, q, k, v", "tpu_custom_call", "", "splash_mha_fwd_residuals.3"),
       2 * one * causal},
      {"splash, keys and values", mask + qkv,
       call("(" + out + ", " + out + ")", "n, q, k, v", "tpu_custom_call", "", "splash_mha_dkv_no_residuals.3"),
       4 * one * causal},
      {"splash, all three gradients", mask + qkv,
       call("(bf16[4,8,2048,128], " + out + ", " + out + ")", "n, q, k, v", "tpu_custom_call", "",
            "splash_mha_dkv_segmented.3"),
       5 * one * causal},
      {"splash, more blocks than s8 counts", "  n = s16[1,512,512] parameter(3)\n" + qkv,
       call(out, "n, q, k, v", "tpu_custom_call", "", "splash_mha_fwd_residuals.3"), 2 * one * 513 / 1024},
      {"splash, queries", mask + qkv, call(out, "n, q, k, v", "tpu_custom_call", "", "splash_mha_dq_no_residuals.3"),
       3 * one * causal},
      {"grouped matmul",
       "  s = s32[9] parameter(0)\n  a = bf16[4096,2048] parameter(1)\n  b = bf16[8,2048,1024] parameter(2)\n",
       call("f32[4096,1024]", "s, a, b", "tpu_custom_call", "", "gmm.1"), 2.0 * 4096 * 2048 * 1024},
      {"grouped matmul, weights transposed",
       "  s = s32[9] parameter(0)\n  a = bf16[4096,2048] parameter(1)\n  b = bf16[8,1024,2048] parameter(2)\n",
       call("f32[4096,1024]", "s, a, b", "tpu_custom_call", "", "gmm.1"), 2.0 * 4096 * 2048 * 1024},
      {"grouped matmul's gradient",
       "  s = s32[9] parameter(0)\n  a = bf16[2048,4096] parameter(1)\n  b = bf16[4096,1024] parameter(2)\n",
       call("f32[8,2048,1024]", "s, a, b", "tpu_custom_call", "", "tgmm.1"), 2.0 * 4096 * 2048 * 1024},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work(c.parameters, c.root);
    CHECK(work.flops == Approx(c.flops));
    CHECK(work.source == CostSource::kAssumed);
  }
  CHECK(root_work(qkv, call(out, "q, k, v", "tpu_custom_call", "", "my_own_kernel.1")).source == CostSource::kUnknown);
}

// The vector operations of a call per score, without its exponentials.
double score_operations(const Work& work) {
  double operations = 0;
  for (const VectorWork& part : work.vector) {
    if (part.opcode != Opcode::kExponential) operations += part.elements;
  }
  return operations / work.transcendentals;
}

TEST_CASE("attention masks every score and gathers its results block by block") {
  const std::string qkv =
      "  q = bf16[8,2048,128] parameter(0)\n  k = bf16[8,2048,128] parameter(1)\n  v = bf16[8,2048,128] parameter(2)\n";
  const std::string segments = "  i = s32[2048,128] parameter(3)\n  j = s32[8,2048] parameter(4)\n";
  const std::string positions = "  p = s32[2048,128] parameter(3)\n";
  const std::string all = "  p = s32[2048,128] parameter(5)\n";
  const std::string out = "bf16[8,2048,128]";
  struct Case {
    const char* what;
    std::string parameters, operands, name;
    double operations;
  };
  const Case cases[] = {
      {"no mask, one block of keys", qkv, "q, k, v", "flash_attention.1", 5 + 2 * 128 / 2048.0},
      {"blocks of 512 keys", qkv, "q, k, v", "flash_attention_block_kv_512.1", 5 + 2 * 128 / 512.0},
      {"keys computed on in pieces of a block", qkv, "q, k, v", "splash_mha_fwd_block_kv_1024_block_kv_compute_256.1",
       5 + 2 * 128 / 256.0},
      {"a mask that is a function", qkv + positions, "q, k, v, p", "flash_attention.1", 5 + 2 + 2 * 128 / 2048.0},
      {"segments", qkv + segments, "q, k, v, i, j", "flash_attention.1", 5 + 2 + 2 * 128 / 2048.0},
      {"both", qkv + segments + all, "q, k, v, i, j, p", "flash_attention.1", 5 + 4 + 2 * 128 / 2048.0},
      {"queries' gradient", qkv, "q, k, v", "flash_mha_bwd_dq_block_kv_dq_512.1", 6 + 128 / 512.0},
      {"keys' and values'", qkv, "q, k, v", "flash_mha_bwd_dkv_block_q_dkv_256.1", 7 + 2 * 128 / 256.0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work(c.parameters, call(out, c.operands, "tpu_custom_call", "", c.name));
    CHECK(work.is_chained);
    CHECK(score_operations(work) == Approx(c.operations));
  }
  // Neither the products nor what is done to the scores hides behind the other.
  const auto device = find_device("tpu_v6e");
  REQUIRE(device.ok());
  const OpTime time =
      op_time(root_work(qkv, call(out, "q, k, v", "tpu_custom_call", "", "flash_attention.1")), *device);
  const double matrix = time.resources[Resource::kMatrix];
  const double vector = time.resources[Resource::kVector];
  CHECK(time.seconds > 1.05 * std::max(matrix, vector));
  CHECK(time.seconds < matrix + vector);
}

TEST_CASE("the body of a kernel says what it is, whatever its call is named") {
  const auto work = [](const std::string& sample, const std::string& name) {
    const std::string body = absl::Base64Escape(source_text("tests/mlir/samples/" + sample + ".mlirbc"));
    return root_work(
        "  q = bf16[8,2048,128] parameter(0)\n  k = bf16[8,2048,128] parameter(1)\n  v = bf16[8,2048,128] "
        "parameter(2)\n",
        call("bf16[8,2048,128]", "q, k, v", "tpu_custom_call",
             ", backend_config={\"custom_call_config\":{\"body\":\"" + body + "\"}}", name));
  };
  const Work named = work("splash_attention.mlir21", "splash_mha_fwd.1");
  const Work renamed = work("splash_attention.mlir21", "k.1");
  CHECK(renamed.flops > 0);
  CHECK(renamed.flops == named.flops);
  CHECK(renamed.read.hbm == named.read.hbm);
  CHECK(renamed.source == CostSource::kAssumed);
  CHECK(work("gmm.mlir23", "splash_mha_fwd.1").flops != named.flops);
}

TEST_CASE("attention fetches keys and values for every block of queries") {
  const std::string qkv =
      "  q = bf16[8,2048,128] parameter(0)\n  k = bf16[2,2048,128] parameter(1)\n  v = bf16[2,2048,128] parameter(2)\n";
  const double query_bytes = 8 * 2048 * 128 * 2;
  const double key_bytes = 2 * 2048 * 128 * 2;
  const auto attributes = [](int block_q, int block_kv) {
    return ", frontend_attributes={kernel_metadata={\n\"xprof_metadata\":\"{\\\"block_q\\\": " +
           std::to_string(block_q) + ", \\\"block_kv\\\": " + std::to_string(block_kv) + "}\"}}";
  };
  const auto read = [&](int block_q, int block_kv) {
    return root_work(qkv, call("bf16[8,2048,128]", "q, k, v", "tpu_custom_call", attributes(block_q, block_kv),
                               "flash_attention.1"))
        .read.hbm;
  };
  // Four heads of queries for one of keys, each in 4 blocks of queries.
  CHECK(read(512, 512) == query_bytes + 2 * key_bytes * 4 * 4);
  // One block of keys stays for all blocks of queries.
  CHECK(read(512, 2048) == query_bytes + 2 * key_bytes * 4);
  // A causal mask of 4 x 2 blocks keeps 1 + 1 + 2 + 2 of 8.
  const Work masked = root_work("  n = s8[1,4,2] parameter(3)\n" + qkv,
                                call("bf16[8,2048,128]", "n, q, k, v", "tpu_custom_call", "", "splash_mha_fwd.1"));
  CHECK(masked.flops == 2 * 2.0 * 8 * 2048 * 2048 * 128 * 6 / 8);
  CHECK(masked.read.hbm == 8 + query_bytes + 2 * key_bytes * 4 * 3);
}

TEST_CASE("paged attention reads the pages of its sequences, not the whole cache") {
  // 32 sequences of at most 16 pages of 16 keys each, 8 query heads for each of 4 key heads; a cache of 4096 pages.
  const std::string parameters =
      "  n = s32[32] parameter(0)\n  t = s32[512] parameter(1)\n  x = s32[1] parameter(2)\n  y = s32[1] parameter(3)\n"
      "  q = bf16[32,4,8,128] parameter(4)\n  k = bf16[4,4096,16,128] parameter(5)\n  v = bf16[4,4096,16,128] "
      "parameter(6)\n";
  const Work work = root_work(
      parameters, call("bf16[32,4,8,128]", "n, t, x, y, q, k, v", "tpu_custom_call", "", "paged_attention.1"));
  CHECK(work.flops == 2.0 * 2 * 32 * 32 * 256 * 128);
  const double cache = 2.0 * 4 * 4096 * 16 * 128 * 2;
  const double queries = 32.0 * 32 * 128 * 2;
  CHECK(work.padded_bytes == cache * 512 / 4096 + 2 * queries + 4 * (32 + 512 + 2));
  const Work ragged = root_work(
      "  n = s32[32] parameter(0)\n  t = s32[32,16] parameter(1)\n  q = bf16[32,32,128] parameter(2)\n"
      "  k = bf16[4096,16,8,128] parameter(3)\n",
      call("bf16[32,32,128]", "n, t, q, k", "tpu_custom_call", "", "ragged_paged_attention_kernel.1"));
  CHECK(ragged.flops == work.flops);
  CHECK(ragged.read.hbm == cache * 512 / 4096 + queries + 4 * (32 + 512));
}

}  // namespace
