// Kernels whose body is not in the text: what their shapes show, and what their author states.
#include <algorithm>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "lib/time/op_time.h"
#include "lib/work/kernel_shapes.h"
#include "lib/work/stated_cost.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/work/root_work.h"

namespace {

using namespace hloroof;
using namespace hloroof::internal;

std::string kernel(const std::string& shape, const std::string& operands, const std::string& more = "",
                   const std::string& name = "r") {
  return name + " = " + shape + " custom-call(" + operands + "), custom_call_target=\"tpu_custom_call\"" + more;
}

// The work of `root`. The numbers of the parameters follow from their order.
Work work_of(const std::string& parameters, const std::string& root) {
  constexpr char kKey[] = "parameter(";
  std::string numbered;
  std::size_t from = 0;
  int number = 0;
  for (std::size_t at = parameters.find(kKey); at != std::string::npos; at = parameters.find(kKey, from)) {
    numbered += parameters.substr(from, at - from) + kKey + std::to_string(number++);
    from = parameters.find(')', at);
  }
  return root_work(numbered + parameters.substr(from), root);
}

std::string stating(const std::string& cost_estimate) {
  return ", backend_config={\"custom_call_config\":{\"body\":\"\",\"cost_estimate\":{" + cost_estimate + "}}}";
}

std::string metadata(const std::string& sizes) {
  return ", frontend_attributes={kernel_metadata={\n\"xprof_metadata\":\"{" + sizes + "}\"}}";
}

std::string block_sizes(int block_q, int block_kv) {
  return metadata("\\\"block_q\\\": " + std::to_string(block_q) + ", \\\"block_kv\\\": " + std::to_string(block_kv));
}

constexpr char kQueries[] =
    "  q = bf16[8,2048,128] parameter(0)\n  k = bf16[8,2048,128] parameter(1)\n  v = bf16[8,2048,128] parameter(2)\n";
constexpr char kGradient[] = "  d = bf16[8,2048,128] parameter(7)\n";
constexpr char kOut[] = "bf16[8,2048,128]";
constexpr char kTwoOut[] = "(f32[512,128], bf16[8,2048,128], bf16[8,2048,128])";
constexpr char kThreeOut[] = "(bf16[4,8,2048,128], bf16[8,2048,128], bf16[8,2048,128])";
constexpr double kOne = 2.0 * 8 * 2048 * 2048 * 128;  // one product of all queries and keys

TEST_CASE("kernels that their shapes show") {
  const std::string qkv = kQueries;
  const std::string mask = "  n = s8[1,16,16] parameter(3)\n";
  const double causal = 17.0 / 32;  // of 16 x 16 blocks
  const std::string lists =
      "  n = s32[] parameter(3)\n  x = s8[10] parameter(4)\n  y = s8[10] parameter(5)\n  z = s32[10] parameter(6)\n";
  struct Case {
    const char* what;
    std::string parameters, root;
    double flops;
  };
  const Case cases[] = {
      {"attention", qkv, kernel(kOut, "q, k, v"), 2 * kOne},
      {"attention with residuals", qkv, kernel("(f32[512,128], bf16[8,2048,128], f32[8,2048,128])", "q, k, v"),
       2 * kOne},
      {"gradients of keys and values", qkv + kGradient, kernel(kTwoOut, "q, k, v, d"), 4 * kOne},
      {"gradient of queries", qkv + kGradient, kernel("(f32[512,128], bf16[8,2048,128])", "q, k, v, d"), 3 * kOne},
      {"all gradients", qkv + kGradient, kernel(kThreeOut, "q, k, v, d"), 5 * kOne},
      {"one copy of the gradient of queries for each block of keys, after the batch",
       "  q = bf16[2,4,2048,128] parameter(0)\n  k = bf16[2,4,2048,128] parameter(1)\n"
       "  v = bf16[2,4,2048,128] parameter(2)\n  d = bf16[2,4,2048,128] parameter(3)\n",
       kernel("(bf16[2,3,4,2048,128], bf16[2,4,2048,128], bf16[2,4,2048,128])", "q, k, v, d"), 5 * kOne},
      {"a causal mask", mask + qkv, kernel(kOut, "n, q, k, v"), 2 * kOne * causal},
      {"more blocks than s8 counts", "  n = s16[1,512,512] parameter(3)\n" + qkv, kernel(kOut, "n, q, k, v"),
       2 * kOne * 513 / 1024},
      {"gradients with a causal mask", mask + qkv + kGradient, kernel(kThreeOut, "n, q, k, v, d"), 5 * kOne * causal},
      {"a mask of two columns of blocks of 16", "  n = s8[1,16,2] parameter(3)\n" + qkv,
       kernel(kOut, "n, q, k, v", block_sizes(128, 128)), 2 * kOne * 2 / 16},
      {"the same, with the block sizes of the mask's parts",
       "  n = s8[1,16,2] parameter(3)\n  p = s32[2,128,128] parameter(4)\n" + qkv, kernel(kOut, "n, q, k, v, p"),
       2 * kOne * 2 / 16},
      {"a list of the blocks of a triangle", lists + qkv, kernel(kOut, "n, x, y, z, x, q, k, v"), 2 * kOne * 10 / 16},
      {"a list of blocks of a known size", lists + qkv, kernel(kOut, "n, x, y, z, x, q, k, v", block_sizes(256, 256)),
       2 * kOne * 10 / 64},
      {"a mark for each pair of blocks", "  n = s8[16] parameter(3)\n" + qkv, kernel(kOut, "n, q, k, v"),
       2 * kOne * 10 / 16},
      {"turned queries and keys",
       "  q = bf16[8,128,2048] parameter(0)\n  k = bf16[8,128,2048] parameter(1)\n  v = bf16[8,2048,128] "
       "parameter(2)\n",
       kernel(kOut, "q, k, v"), 2 * kOne},
      {"values with a smaller head",
       "  q = bf16[8,2048,192] parameter(0)\n  k = bf16[8,2048,192] parameter(1)\n  v = bf16[8,2048,128] "
       "parameter(2)\n",
       kernel(kOut, "q, k, v"), kOne * 2.5},
      {"grouped product",
       "  s = s32[9] parameter(0)\n  a = bf16[4096,2048] parameter(1)\n  b = bf16[8,2048,1024] parameter(2)\n",
       kernel("f32[4096,1024]", "s, a, b"), 2.0 * 4096 * 2048 * 1024},
      {"grouped product, weights transposed",
       "  s = s32[9] parameter(0)\n  a = bf16[4096,2048] parameter(1)\n  b = bf16[8,1024,2048] parameter(2)\n",
       kernel("f32[4096,1024]", "s, a, b"), 2.0 * 4096 * 2048 * 1024},
      {"grouped product's gradient",
       "  s = s32[9] parameter(0)\n  a = bf16[2048,4096] parameter(1)\n  b = bf16[4096,1024] parameter(2)\n",
       kernel("f32[8,2048,1024]", "s, a, b"), 2.0 * 4096 * 2048 * 1024},
      {"grouped product's gradient, rows first",
       "  s = s32[9] parameter(0)\n  a = bf16[4096,2048] parameter(1)\n  b = bf16[4096,1024] parameter(2)\n",
       kernel("f32[8,2048,1024]", "s, a, b"), 2.0 * 4096 * 2048 * 1024},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = work_of(c.parameters, c.root);
    CHECK(work.flops == Approx(c.flops));
    CHECK(work.source == CostSource::kAssumed);
    REQUIRE(work.kernel != nullptr);
    CHECK_FALSE(work.kernel->has_body);
    CHECK_FALSE(work.kernel->assumptions.empty());
  }
}

TEST_CASE("kernels that their shapes do not show") {
  const std::string qkv = kQueries;
  const std::string weights = "  a = bf16[4096,2048] parameter(0)\n  b = bf16[8,2048,1024] parameter(1)\n";
  struct Case {
    const char* what;
    std::string parameters, root;
  };
  const Case cases[] = {
      {"two operands", qkv, kernel(kOut, "q, k")},
      {"no result like the queries", qkv, kernel("bf16[8,2048,64]", "q, k, v")},
      {"other heads", "  q = bf16[8,2048,128] parameter(0)\n  k = bf16[3,2048,128] parameter(1)\n",
       kernel(kOut, "q, k, k")},
      {"no groups", weights, kernel("f32[4096,1024]", "a, b")},
      {"a result of another size", weights + "  s = s32[9] parameter(2)\n", kernel("f32[4096,2048]", "s, a, b")},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = work_of(c.parameters, c.root);
    CHECK(work.flops == 0);
    CHECK(work.source == CostSource::kUnknown);
  }
}

TEST_CASE("a kernel without a body costs the same under any name") {
  const std::string parameters = std::string("  n = s8[1,16,16] parameter(3)\n") + kQueries + kGradient;
  for (const char* name : {"splash_mha_dkv_segmented.3", "flash_attention.1", "gmm.1", "paged_attention", "r"}) {
    for (const char* op_name : {"jit(f)/flash_mha_bwd_dq_block_q_512", "jit(f)/tgmm", ""}) {
      const Work work = work_of(
          parameters, kernel(kTwoOut, "n, q, k, v, d", std::string(", metadata={op_name=\"") + op_name + "\"}", name));
      CAPTURE(name, op_name);
      CHECK(work.flops == Approx(4 * kOne * 17 / 32));
    }
  }
}

TEST_CASE("what a kernel's author states is used as far as the shapes allow it") {
  struct Case {
    const char* what;
    const char* estimate;
    double flops, transcendentals, bytes;
    CostSource source;
  };
  // Two arrays of 256 x 1024 and 1024 x 512 and their product: 2 x 256 x 512 x 1024 flops, 1.75 MiB.
  const std::string parameters = "  a = bf16[256,1024] parameter(0)\n  b = bf16[1024,512] parameter(1)\n";
  const double product = 2.0 * 256 * 512 * 1024;
  const double boundary = 2.0 * (256 * 1024 + 1024 * 512 + 256 * 512);
  const Case cases[] = {
      {"plausible", R"("flops":"268435456","transcendentals":"131072","bytes_accessed":"2000000")", product, 131072,
       2e6, CostSource::kAssumed},
      {"only bytes", R"("bytes_accessed":"2000000")", 0, 0, 2e6, CostSource::kAssumed},
      {"only flops", R"("flops":"268435456")", product, 0, boundary, CostSource::kAssumed},
      {"negative flops", R"("flops":"-5","bytes_accessed":"2000000")", 0, 0, 2e6, CostSource::kUnknown},
      {"more flops than any product has", R"("flops":"1e15","bytes_accessed":"2000000")", 0, 0, 2e6,
       CostSource::kUnknown},
      {"negative transcendentals", R"("flops":"268435456","transcendentals":"-1")", product, 0, boundary,
       CostSource::kAssumed},
      {"fewer bytes than the result has", R"("flops":"268435456","bytes_accessed":"1000")", product, 0, boundary,
       CostSource::kAssumed},
      {"more bytes than reading everything for every block", R"("flops":"268435456","bytes_accessed":"1e15")", product,
       0, boundary, CostSource::kAssumed},
      {"only refused bytes", R"("bytes_accessed":"1000")", 0, 0, boundary, CostSource::kUnknown},
      {"nothing", "", 0, 0, boundary, CostSource::kUnknown},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = work_of(parameters, kernel("bf16[256,512]", "a, b", stating(c.estimate)));
    CHECK(work.flops == c.flops);
    CHECK(work.transcendentals == c.transcendentals);
    CHECK(work.padded_bytes == Approx(c.bytes));
    CHECK(work.source == c.source);
  }
  const Work refused = work_of(parameters, kernel("bf16[256,512]", "a, b", stating(R"("flops":"1e15")")));
  REQUIRE(refused.kernel->assumptions.size() == 1);
  CHECK(refused.kernel->assumptions[0].find("is refused") != std::string::npos);
}

TEST_CASE("results that share the memory of an operand need not be written") {
  const std::string parameters = "  c = bf16[1024,1024] parameter(0)\n  a = bf16[8,1024] parameter(1)\n";
  const auto bounds = [&](const std::string& more) {
    const Module module = parsed("HloModule m\nENTRY main {\n" + parameters + "  ROOT " +
                                 kernel("bf16[1024,1024]", "c, a", more) + "\n}\n");
    return work_bounds(module.entry().root());
  };
  CHECK(bounds("").least_bytes == 2 * 1024 * 1024);
  CHECK(bounds(", output_to_operand_aliasing={{}: (0, {})}").least_bytes == 0);
}

TEST_CASE("a statement between the least and the most that the shapes allow is better founded than they are") {
  struct Case {
    const char* what;
    std::string parameters, operands;
    double stated, used;
    CostSource source;
  };
  const std::string qkv = kQueries;
  const std::string mask = "  n = s8[1,16,16] parameter(3)\n" + qkv;
  const Case cases[] = {
      {"half of a kernel that may be causal", qkv, "q, k, v", kOne, kOne, CostSource::kModel},
      {"a dense count", qkv, "q, k, v", 2 * kOne, 2 * kOne, CostSource::kAssumed},
      {"a dense count for a causal mask", mask, "n, q, k, v", 2 * kOne, 2 * kOne * 17 / 32, CostSource::kAssumed},
      {"a hint to the scheduler", qkv, "q, k, v", 1000, 2 * kOne, CostSource::kAssumed},
      {"a hint that is too large", qkv, "q, k, v", 1e18, 2 * kOne, CostSource::kAssumed},
      {"negative", qkv, "q, k, v", -1, 2 * kOne, CostSource::kAssumed},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string estimate = "\"flops\":\"" + std::to_string(c.stated) + "\"";
    const Work work = work_of(c.parameters, kernel(kOut, c.operands, stating(estimate)));
    CHECK(work.flops == Approx(c.used));
    double matrix = 0;
    for (const MatrixWork& product : work.matrix) matrix += 2 * product.m * product.n * product.k * product.batch;
    CHECK(matrix == Approx(c.used));
    CHECK(work.source == c.source);
    CHECK(work.kernel->assumptions.back().find("cost_estimate") != std::string::npos);
  }
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
  const std::string qkv = kQueries;
  const std::string segments = "  i = s32[2048,128] parameter(3)\n  j = s32[8,2048] parameter(4)\n";
  const std::string positions = "  p = s32[2048,128] parameter(3)\n";
  const std::string all = "  p = s32[2048,128] parameter(5)\n";
  struct Case {
    const char* what;
    std::string parameters, operands, result, sizes;
    double operations;
  };
  const Case cases[] = {
      {"no mask, one block of keys", qkv, "q, k, v", kOut, "", 5 + 2 * 128 / 2048.0},
      {"blocks of 512 keys", qkv, "q, k, v", kOut, R"(\"block_kv\": 512)", 5 + 2 * 128 / 512.0},
      {"keys computed on in parts of a block", qkv, "q, k, v", kOut, R"(\"block_kv\": 1024, \"block_kv_compute\": 256)",
       5 + 2 * 128 / 256.0},
      {"a mask that is a function", qkv + positions, "q, k, v, p", kOut, "", 5 + 2 + 2 * 128 / 2048.0},
      {"segments", qkv + segments, "q, k, v, i, j", kOut, "", 5 + 2 + 2 * 128 / 2048.0},
      {"both", qkv + segments + all, "q, k, v, i, j, p", kOut, "", 5 + 4 + 2 * 128 / 2048.0},
      {"gradient of queries", qkv + kGradient, "q, k, v, d", kOut, R"(\"block_kv_dq\": 512)", 6 + 128 / 512.0},
      {"gradients of keys and values", qkv + kGradient, "q, k, v, d", kTwoOut, R"(\"block_q_dkv\": 256)",
       7 + 2 * 128 / 256.0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = work_of(c.parameters, kernel(c.result, c.operands, metadata(c.sizes)));
    CHECK(work.is_chained);
    CHECK(score_operations(work) == Approx(c.operations));
  }
  // Neither the products nor what is done to the scores hides behind the other.
  const OpTime time = op_time(work_of(qkv, kernel(kOut, "q, k, v")), device("tpu_v6e"));
  const double matrix = time.resources[Resource::kMatrix];
  const double vector = time.resources[Resource::kVector];
  CHECK(time.seconds > 1.05 * std::max(matrix, vector));
  CHECK(time.seconds < matrix + vector);
}

TEST_CASE("attention fetches keys and values for every block of queries") {
  const std::string qkv =
      "  q = bf16[8,2048,128] parameter(0)\n  k = bf16[2,2048,128] parameter(1)\n  v = bf16[2,2048,128] parameter(2)\n";
  const double query_bytes = 8 * 2048 * 128 * 2;
  const double key_bytes = 2 * 2048 * 128 * 2;
  const auto read = [&](int block_q, int block_kv) {
    return work_of(qkv, kernel("bf16[8,2048,128]", "q, k, v", block_sizes(block_q, block_kv))).read.hbm;
  };
  // Four heads of queries for one of keys, each in 4 blocks of queries.
  CHECK(read(512, 512) == query_bytes + 2 * key_bytes * 4 * 4);
  // One block of keys stays for all blocks of queries.
  CHECK(read(512, 2048) == query_bytes + 2 * key_bytes * 4);
  // A causal mask of 4 x 2 blocks keeps 1 + 1 + 2 + 2 of 8.
  const Work masked = work_of("  n = s8[1,4,2] parameter(3)\n" + qkv, kernel("bf16[8,2048,128]", "n, q, k, v"));
  CHECK(masked.flops == 2 * 2.0 * 8 * 2048 * 2048 * 128 * 6 / 8);
  CHECK(masked.read.hbm == 8 + query_bytes + 2 * key_bytes * 4 * 3);
}

TEST_CASE("paged attention reads the pages of its sequences, not the whole cache") {
  // 32 sequences of at most 16 pages of 16 keys each, 8 query heads for each of 4 key heads; a cache of 4096 pages.
  const std::string parameters =
      "  n = s32[32] parameter(0)\n  t = s32[512] parameter(1)\n  x = s32[1] parameter(2)\n  y = s32[1] parameter(3)\n"
      "  q = bf16[32,4,8,128] parameter(4)\n  k = bf16[4,4096,16,128] parameter(5)\n  v = bf16[4,4096,16,128] "
      "parameter(6)\n";
  const Work work = work_of(parameters, kernel("bf16[32,4,8,128]", "n, t, x, y, q, k, v"));
  CHECK(work.flops == 2.0 * 2 * 32 * 32 * 256 * 128);
  const double cache = 2.0 * 4 * 4096 * 16 * 128 * 2;
  const double queries = 32.0 * 32 * 128 * 2;
  CHECK(work.padded_bytes == cache * 512 / 4096 + 2 * queries + 4 * (32 + 512 + 2));
  const Work ragged = work_of(
      "  n = s32[32] parameter(0)\n  t = s32[32,16] parameter(1)\n  q = bf16[32,32,128] parameter(2)\n"
      "  k = bf16[4096,16,8,128] parameter(3)\n",
      kernel("bf16[32,32,128]", "n, t, q, k"));
  CHECK(ragged.flops == work.flops);
  CHECK(ragged.read.hbm == cache * 512 / 4096 + queries + 4 * (32 + 512));
}

}  // namespace
