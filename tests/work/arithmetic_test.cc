// What is computed, by kind: matrix products with their shapes and passes, vector work, custom calls.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "hloroof/device.h"
#include "lib/ir/element_type.h"
#include "lib/time/op_time.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/work/root_work.h"

namespace {

using namespace hloroof;
using namespace hloroof::internal;

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

TEST_CASE("a fusion on a TPU converts a repeated value once, and a narrow integer once on its way to f32") {
  const std::string wide = "{1,0:T(8,128)}", narrow = "{1,0:T(8,128)(2,1)}";
  // The conversions of a fusion that makes a `middle` of `from` and converts that to `to`.
  const auto converted = [](const std::string& from, const std::string& middle, const std::string& to,
                            bool fused = true) {
    const std::string body = middle + "  ROOT r = " + to + " convert(m)\n";
    const std::string line = "  p = " + from + " parameter(0)\n";
    return vector_elements(
        fused ? root_work(line, "f = " + to + " fusion(p), kind=kLoop, calls=c", "c {\n" + line + body + "}\n")
              : root_work(line + middle, "r = " + to + " convert(m)"),
        Opcode::kConvert);
  };
  const std::string column = "  m = bf16[64,512]" + narrow + " broadcast(p), dimensions={1}\n";
  const std::string f32 = "f32[64,512]" + wide;
  CHECK(converted("bf16[512]{0:T(512)(128)(2,1)}", column, f32) == 512);
  CHECK(converted("bf16[]", "  m = bf16[64,512]" + narrow + " broadcast(p), dimensions={}\n", f32) == 1);
  CHECK(converted("bf16[512]{0:T(512)(128)(2,1)}", column, f32, false) == 64 * 512);  // it has been written to memory
  // On a GPU, each thread converts for itself.
  CHECK(converted("bf16[512]", "  m = bf16[64,512]{1,0} broadcast(p), dimensions={1}\n", "f32[64,512]{1,0}") ==
        64 * 512);

  const std::string middle = "  m = bf16[64,512]" + narrow + " convert(p)\n";
  constexpr double kOnce = 64 * 512;
  CHECK(converted("s8[64,512]{1,0:T(32,128)(4,1)}", middle, f32) == kOnce);
  CHECK(converted("u8[64,512]{1,0:T(32,128)(4,1)}", middle, f32) == kOnce);
  CHECK(converted("s8[64,512]{1,0:T(32,128)(4,1)}", middle, "s32[64,512]" + wide) == 2 * kOnce);
  CHECK(converted(f32, middle, f32) == 2 * kOnce);  // it has been rounded
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
  // A window over all that came before: XLA computes it of windows of 16, not with n additions an element.
  CHECK(root_work(a, "r = f32[64,1024] reduce-window(a, z), window={size=1x1024 pad=0_0x1023_0}, to_apply=add", add)
            .flops == 64 * 1024 * 15);
  // A window from every element over the whole row: one addition an element.
  CHECK(root_work(a, "r = f32[64,1024] reduce-window(a, z), window={size=1x2047 pad=0_0x1023_1023}, to_apply=add", add)
            .flops == 64 * 1024);
  // Row by row: n log2 n comparisons, and the stages of a bitonic network for the vector units.
  const Work sort = root_work(a, "r = f32[64,1024] sort(a), dimensions={1}, to_apply=less", less);
  CHECK(sort.flops == 64.0 * 1024 * 10);
  CHECK(vector_elements(sort, Opcode::kSort) == 64.0 * 1024 * 55);
}

TEST_CASE("a sort for a GPU merges tiles in kernels that read and write all operands") {
  const std::string less =
      "less {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  v = s32[] parameter(2)\n  w = s32[] parameter(3)\n"
      "  ROOT s = pred[] compare(x, y), direction=LT\n}\n";
  struct Case {
    const char* rows;     // of two arrays that are sorted together
    const char* payload;  // type of the second
    double kernels;
  };
  // The kernels are those of programs compiled for H100 (sort thunks), but for the last row.
  const Case cases[] = {
      {"[4096,32]", "s32", 1}, {"[64,4096]", "s32", 1},    {"[64,8192]", "s32", 3},  {"[1024,16384]", "s32", 6},
      {"[65536]", "s32", 15},  {"[64,128256]", "s32", 21}, {"[1000000]", "s32", 45}, {"[16777216]", "s32", 91},
      {"[8192]", "c128", 6},  // 20 bytes: 2048 elements are in shared memory
  };
  for (const Case& c : cases) {
    CAPTURE(c.rows, c.payload);
    const std::string keys = std::string("f32") + c.rows;
    const std::string values = std::string(c.payload) + c.rows;
    const std::string dimension = keys.find(',') == std::string::npos ? "0" : "1";
    const std::string result = "(" + keys + ", " + values + ")";
    const std::string parameters = "  k = " + keys + " parameter(0)\n  v = " + values + " parameter(1)\n";
    const std::string sort = "r = " + result + " sort(k, v), dimensions={" + dimension + "}, to_apply=less";
    const std::string fused = "fused {\n" + parameters + "  ROOT " + sort + "\n}\n";
    for (const Work& work :
         {root_work(parameters, sort, less),
          root_work(parameters, "f = " + result + " fusion(k, v), kind=kInput, calls=fused", less + fused)}) {
      CHECK(work.kernels == c.kernels);
      CHECK(work.between_kernels == (c.kernels - 1) * (work.read.hbm + work.written.hbm));
    }
  }
}

TEST_CASE("A TPU that reduces arrays together computes in the widest of their types") {
  const std::string larger =
      "larger {\n  x = bf16[] parameter(0)\n  i = s32[] parameter(1)\n  y = bf16[] parameter(2)\n  j = s32[] "
      "parameter(3)\n"
      "  g = pred[] compare(x, y), direction=GT\n  v = bf16[] select(g, x, y)\n  k = s32[] select(g, i, j)\n"
      "  ROOT t = (bf16[], s32[]) tuple(v, k)\n}\n";
  const std::string in =
      "  a = bf16[64,1024]{1,0:T(8,128)(2,1)} parameter(0)\n  i = s32[64,1024]{1,0:T(8,128)} parameter(1)\n"
      "  z = bf16[] constant(0)\n  o = s32[] constant(0)\n";
  const std::string best =
      "r = (bf16[64]{0:T(512)(128)(2,1)}, s32[64]{0:T(512)}) reduce(a, i, z, o), dimensions={1}, to_apply=larger";
  for (const VectorWork& v : root_work(in, best, larger).vector) {
    CAPTURE(to_string(v.opcode));
    CHECK(bits(v.type) == 32);
  }
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
      {"GatherScatterIndicesBitpacked", true, 0, CostSource::kModel},
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
  CHECK(stated.source == CostSource::kAssumed);
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
  CHECK(work.source == CostSource::kAssumed);
  WorkOptions options;
  options.custom_calls.push_back({"k", 7.0, 8.0, {}, {}});
  const Work given = root_work(a, start, wrapped, options);
  CHECK(given.flops == 7);
  CHECK(given.padded_bytes == 8);
  CHECK(given.source == CostSource::kUser);
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

}  // namespace
