// What GPU libraries and kernels are counted and timed as: calls by their configs, precision by the rules of tensor
// cores, blocks that a compiler chose, and the least a launch takes.
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/time/op_time.h"
#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

std::string attention_call(const std::string& target, const std::string& results, const std::string& mask,
                           const std::string& more = "") {
  return "r = (" + results + ", u8[4096]) custom-call(q, q, q), custom_call_target=\"" + target +
         R"(", backend_config={"cudnn_fmha_backend_config":{"fmha_scale":0.125,"intermediate_tensor_shape":)"
         R"({"element_type":"BF16","dimensions":["4","16","2048","1024"]},"mask_type":")" +
         mask + "\"" + more + "}}";
}

TEST_CASE("attention by its scores, mask and direction; a workspace moves no bytes") {
  const std::string array = "bf16[4,16,2048,64]";
  const std::string query = "  q = " + array + " parameter(0)\n";
  const double scores = 4.0 * 16 * 2048 * 1024;
  // The first 1024 queries keep one key more each than the one before, the others all 1024.
  const double causal = (1024 * 1025 / 2.0 + 1024 * 1024) / (2048 * 1024.0);
  struct Case {
    const char* target;
    const char* mask;
    const char* more;
    double products;  // of scores by head dimension
    double share;
  };
  const Case cases[] = {
      {"__cudnn$fmhaSoftmax", "NO_MASK", "", 2, 1},
      {"__cudnn$fmhaSoftmax", "CAUSAL", "", 2, causal},
      {"__cudnn$fmhaScaleBiasSoftmaxDropout", "PADDING", "", 2, 1},
      {"__cudnn$fmhaSoftmax", "CAUSAL", R"(,"sliding_window_length":256)", 2, 0.125},
      {"__cudnn$fmhaSoftmaxBackward", "PADDING_CAUSAL", "", 5, causal},
  };
  for (const Case& c : cases) {
    CAPTURE(c.target);
    CAPTURE(c.mask);
    const Work work = root_work(query, attention_call(c.target, array, c.mask, c.more));
    CHECK(work.source == CostSource::kModel);
    CHECK(work.matrix_flops == Approx(2 * c.products * c.share * scores * 64));
    CHECK(work.matrix[0].kept_keys == Approx(c.share * 1024));
    CHECK(work.matrix[0].is_gradient == (c.products == 5));
    CHECK(work.transcendentals == Approx(c.share * scores));
    CHECK(work.written.hbm == 4.0 * 16 * 2048 * 64 * 2);
  }
  CHECK(
      root_work(query, "r = " + array + R"( custom-call(q, q, q), custom_call_target="__cudnn$fmhaSoftmax")").source ==
      CostSource::kUnknown);
}

TEST_CASE("sorts move keys and values once a digit, counting them first") {
  const std::string keys = "  k = f32[1000] parameter(0)\n  v = s64[1000] parameter(1)\n";
  const Work alone =
      root_work(keys, R"(r = (f32[1000], u8[9999]) custom-call(k), custom_call_target="__cub$DeviceRadixSort")");
  CHECK(alone.read.hbm == 5 * 4000);
  CHECK(alone.written.hbm == 4 * 4000);
  const Work pairs = root_work(
      keys, R"(r = (f32[1000], s64[1000], u8[9999]) custom-call(k, v), custom_call_target="__cub$DeviceRadixSort")");
  CHECK(pairs.read.hbm == 4000 + 4 * 12000);
  CHECK(pairs.written.hbm == 4 * 12000);
  CHECK(pairs.padded_bytes == pairs.read.hbm + pairs.written.hbm);
  // The calls of JAX 0.11.
  const Work named = root_work(
      keys,
      R"(r = (f32[1000], s64[1000], u8[9999]) custom-call(k, v), custom_call_target="xla.gpu.ext.cub_sort_pairs")");
  CHECK(named.read.hbm == pairs.read.hbm);
}

TEST_CASE("rows are sorted by a kernel for each digit of six bits, a block of threads to a row") {
  const auto sorted = [](const std::string& shape) {
    return root_work("  k = f32" + shape + " parameter(0)\n  v = s32" + shape + " parameter(1)\n",
                     "r = (f32" + shape + ", s32" + shape +
                         ", u8[9999]) custom-call(k, v), custom_call_target=\"xla.gpu.ext.cub_sort_pairs\"");
  };
  const double keys = 128 * 131072;
  const Work rows = sorted("[128,131072]");
  CHECK(rows.kernels == 6);
  CHECK(rows.read.hbm == 6 * 3 * keys * 4);  // the keys are read once more, to count digits
  CHECK(rows.written.hbm == 6 * 2 * keys * 4);
  CHECK(rows.sort_passes == 0);
  CHECK(sorted("[1,16777216]").kernels == 4 + 2);
  CHECK(sorted("[1,16777216]").sort_passes == 4);
  const Device h100 = device("h100_sxm");
  // 128 rows of 128256 take 1139 us, and 64 take 1023 us: half of the multiprocessors are idle (H100-JAX).
  CHECK(op_time(sorted("[128,128256]"), h100).seconds == Approx(1139e-6).epsilon(0.2));
  CHECK(op_time(sorted("[64,128256]"), h100).seconds == Approx(1023e-6).epsilon(0.2));
  CHECK(op_time(sorted("[1,16777216]"), h100).seconds == Approx(622e-6).epsilon(0.2));
}

TEST_CASE("transforms move their array once a dimension, and inverse ones once more or twice") {
  const std::string real = "f32[16,32,256,256]";
  const std::string half = "c64[16,32,256,129]";
  const double reals = 16.0 * 32 * 256 * 256 * 4;
  const double halves = 16.0 * 32 * 256 * 129 * 8;
  const auto transformed = [](const std::string& from, const std::string& to, const std::string& type,
                              const std::string& length) {
    return root_work("  x = " + from + " parameter(0)\n",
                     "r = " + to + " fft(x), fft_type=" + type + ", fft_length={" + length + "}");
  };
  CHECK(transformed("c64[8192,4096]", "c64[8192,4096]", "FFT", "4096").between_kernels == 0);
  CHECK(transformed("c64[512,65536]", "c64[512,65536]", "FFT", "65536").between_kernels == 2 * 512 * 65536.0 * 8);
  CHECK(transformed("c64[8192,4096]", "c64[8192,4096]", "IFFT", "4096").between_kernels == 2 * 8192 * 4096.0 * 8);
  const Work forward = transformed(real, half, "RFFT", "256,256");
  CHECK(forward.between_kernels == 2 * halves);
  const Work inverse = transformed(half, real, "IRFFT", "256,256");
  CHECK(inverse.between_kernels == 2 * halves + 2 * halves + 2 * reals);
  // The kernels of H100-JAX: 94 and 115 us; a copy of 91, 115, 94 and cuBLAS 122 us.
  const Device h100 = device("h100_sxm");
  CHECK(op_time(forward, h100).seconds == Approx(209e-6).epsilon(0.2));
  CHECK(op_time(inverse, h100).seconds == Approx(422e-6).epsilon(0.2));
  Work once = forward;
  once.between_kernels = 0;
  CHECK(op_time(forward, device("tpu_v5p")).seconds == op_time(once, device("tpu_v5p")).seconds);
}

Work convolution(const std::string& target, const std::string& lhs, const std::string& rhs, const std::string& out,
                 const std::string& attributes) {
  return root_work("  x = " + lhs + " parameter(0)\n  y = " + rhs + " parameter(1)\n",
                   "r = (" + out + ", u8[1024]) custom-call(x, y), " + attributes +
                       ", dim_labels=b01f_o01i->b01f, custom_call_target=\"" + target + "\"");
}

TEST_CASE("a convolution of one channel a group runs on the vector units") {
  const std::string image = "bf16[64,56,56,192]";
  const std::string filter = "bf16[192,7,7,1]";
  const std::string window = "window={size=7x7 pad=3_3x3_3}, feature_group_count=192";
  const Work forward = convolution("__cudnn$convForward", image, filter, image, window);
  const Work gradient = convolution("__cudnn$convBackwardFilter", image, image, filter, window);
  const Device h100 = device("h100_sxm");
  for (const Work* work : {&forward, &gradient}) {
    CHECK(work->matrix.empty());
    CHECK(work->flops > 0);
    CHECK(op_time(*work, h100).bound == Resource::kVector);
  }
  // 272 and 205 us (H100-JAX)
  CHECK(op_time(forward, h100).seconds == Approx(272e-6).epsilon(0.25));
  CHECK(op_time(gradient, h100).seconds == Approx(205e-6).epsilon(0.25));
}

TEST_CASE("channels that fill no word of 16 bytes are padded by a kernel") {
  const std::string image = "bf16[128,229,229,3]";
  const Work few = convolution("__cudnn$convForward", image, "bf16[64,7,7,3]", "bf16[128,112,112,64]",
                               "window={size=7x7 stride=2x2}");
  CHECK(few.matrix[0].k == 7 * 7 * 8);
  CHECK(few.matrix[0].is_unaligned);
  CHECK(few.flops == 2.0 * 128 * 112 * 112 * 64 * 7 * 7 * 3);
  CHECK(few.read.hbm == 128.0 * 229 * 229 * (3 + 8) * 2 + 64 * 7 * 7 * 3 * 2);
  CHECK(op_time(few, device("h100_sxm")).seconds == Approx(834e-6).epsilon(0.3));  // of which 59 to pad (H100-JAX)
  const Work whole = convolution("__cudnn$convForward", "bf16[128,56,56,64]", "bf16[64,3,3,64]", "bf16[128,56,56,64]",
                                 "window={size=3x3 pad=1_1x1_1}");
  CHECK_FALSE(whole.matrix[0].is_unaligned);
  CHECK(whole.matrix[0].k == Approx(whole.matrix[0].window_positions * 64));
  CHECK(whole.kernels == 1);
}

TEST_CASE("small matrices of a batch are factorized and solved a column after the other") {
  const Device h100 = device("h100_sxm");
  const std::string matrices = "  a = f32[4096,32,32] parameter(0)\n";
  const Work factorized = root_work(
      matrices, R"(r = (f32[4096,32,32], s32[4096]) custom-call(a), custom_call_target="cusolver_potrf_ffi")");
  const Work solved = root_work(
      matrices, R"(r = (f32[4096,32,32], s8[65536]) custom-call(a, a), custom_call_target="__cublas$triangularSolve")");
  CHECK(factorized.kernels == 7);
  CHECK(op_time(factorized, h100).seconds == Approx(94e-6).epsilon(0.2));  // H100-JAX
  CHECK(op_time(solved, h100).seconds == Approx(105e-6).epsilon(0.2));     // with the copy
  CHECK(solved.read.hbm > 3 * 4096 * 32 * 32 * 2);
}

TEST_CASE("factorizations by their cubes, in many kernels") {
  struct Case {
    const char* target;
    double flops;  // of 512 x 512
  };
  const double cube = 512.0 * 512 * 512;
  const Case cases[] = {{"__cusolver$cholesky", cube / 3},    {"cusolver_potrf_ffi", cube / 3},
                        {"cusolver_getrf_ffi", 2 * cube / 3}, {"hipsolver_geqrf_ffi", 4 * cube / 3},
                        {"cusolver_syevd_ffi", 9 * cube},     {"cusolver_gesvd_ffi", 22 * cube}};
  for (const Case& c : cases) {
    CAPTURE(c.target);
    const Work work =
        root_work("  a = f32[3,512,512] parameter(0)\n",
                  "r = (f32[3,512,512], s32[3]) custom-call(a), custom_call_target=\"" + std::string(c.target) + "\"");
    CHECK(work.flops == Approx(3 * c.flops));
    CHECK(work.source == CostSource::kAssumed);
    CHECK(op_time(work, device("h100_sxm")).seconds >= work.kernels * 2e-6);
  }
}

TEST_CASE("norms and random bits are known") {
  const std::string x = "  x = f32[64,128] parameter(0)\n";
  const Work norm =
      root_work(x, R"(r = (f32[64,128], f32[64,1], u8[777]) custom-call(x, x, x), custom_call_target="__cudnn$norm")");
  CHECK(norm.source == CostSource::kModel);
  CHECK(norm.flops > 64 * 128);
  CHECK(norm.written.hbm == 64 * 128 * 4 + 64 * 4);
  CHECK(root_work(x, R"(r = (u32[64], u32[64]) custom-call(x), custom_call_target="cu_threefry2x32_ffi")").source ==
        CostSource::kModel);
}

TEST_CASE("a GPU multiplies f32 as TF32, at full precision on its vector units, or as an algorithm says") {
  struct Case {
    const char* attributes;
    MatrixType type;
    double passes;
  };
  const Case cases[] = {
      {"", MatrixType::kF32, 1},
      {", operand_precision={high,high}", MatrixType::kF32, 1},
      {", operand_precision={highest,highest}", MatrixType::kF32Highest, 1},
      {", algorithm=dot_tf32_tf32_f32", MatrixType::kTf32, 1},
      {", algorithm=dot_tf32_tf32_f32_x3", MatrixType::kTf32, 3},
      {", algorithm=dot_bf16_bf16_f32_x6", MatrixType::kBf16, 6},
      {", algorithm=dot_f32_f32_f32", MatrixType::kF32Highest, 1},
  };
  for (const char* name : {"h100_sxm", "a100_sxm_80", "b200_sxm", "mi300x"}) {
    const Device gpu = device(name);
    for (const Case& c : cases) {
      CAPTURE(name);
      CAPTURE(c.attributes);
      const Work work = root_work("  a = f32[4096,4096] parameter(0)\n",
                                  "r = f32[4096,4096] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}" +
                                      std::string(c.attributes));
      CHECK(matrix_peak_seconds(work.matrix[0], gpu) ==
            Approx(work.flops * c.passes / *matrix_rate(gpu.matrix.peak, c.type).rate));
    }
  }
  // The passes of a TPU stay its own.
  const Work tpu = root_work("  a = f32[4096,4096] parameter(0)\n",
                             "r = f32[4096,4096] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
                             "operand_precision={highest,highest}");
  const Device v5e = device("tpu_v5e");
  CHECK(matrix_peak_seconds(tpu.matrix[0], v5e) ==
        Approx(tpu.flops * 6 / *matrix_rate(v5e.matrix.peak, MatrixType::kF32).rate));
}

TEST_CASE("a library call's algorithm and precision count as a dot's") {
  const auto call = [](const std::string& precision_config) {
    return root_work("  a = f32[64,64] parameter(0)\n",
                     R"(r = (f32[64,64], s8[1024]) custom-call(a, a), custom_call_target="__cublas$gemm", )"
                     R"(backend_config={"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":)"
                     R"(["1"],"rhs_contracting_dimensions":["0"]},"precision_config":{)" +
                         precision_config + "}}}");
  };
  CHECK(call(R"("algorithm":"ALG_DOT_BF16_BF16_F32_X3")").matrix[0].multiplied_as == MultipliedAs::kBf16);
  CHECK(call(R"("algorithm":"ALG_DOT_BF16_BF16_F32_X3")").matrix[0].passes == 3);
  CHECK(call(R"("algorithm":"ALG_UNSET","operand_precision":["HIGHEST","HIGHEST"])").matrix[0].passes == 6);
  CHECK(call("").written.hbm == 64 * 64 * 4);
}

TEST_CASE("a grouped product takes each row once") {
  const Work work = root_work(
      "  x = bf16[64,4096] parameter(0)\n  w = bf16[8,4096,1024] parameter(1)\n  g = s32[8] parameter(2)\n",
      R"(r = (bf16[64,1024], s8[1024]) custom-call(x, w, g), custom_call_target="__cublas$lt$groupedMatmul", )"
      R"(backend_config={"grouped_gemm_backend_config":{"gemm_backend_config":{"dot_dimension_numbers":)"
      R"({"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["1"]}},"ragged_dot_dimension_numbers":)"
      R"({"lhs_ragged_dimensions":["0"],"rhs_group_dimensions":["0"]}}})");
  CHECK(work.source == CostSource::kModel);
  CHECK(work.matrix_flops == 2.0 * 64 * 4096 * 1024);
}

// The product of a square matrix by itself.
Work triton_matmul(const std::string& config, int size = 2048) {
  const std::string matrix = "bf16[" + std::to_string(size) + "," + std::to_string(size) + "]";
  return root_work(
      "  a = " + matrix + " parameter(0)\n",
      "r = " + matrix + " fusion(a), kind=kCustom, calls=c, backend_config={\"fusion_backend_config\":" + config + "}",
      "c {\n  p = " + matrix + " parameter(0)\n  ROOT d = " + matrix +
          " dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
}

TEST_CASE("the blocks a compiler chose are those that run, but for its placeholder") {
  const Device h100 = device("h100_sxm");
  const Work tuned = triton_matmul(
      R"({"kind":"__triton_nested_gemm_fusion","block_level_fusion_config":{"num_warps":"4","output_tiles":[{"sizes":)"
      R"(["32","64"]}],"num_stages":3}})");
  const Work older = triton_matmul(
      R"({"kind":"__triton_gemm","triton_gemm_config":{"block_m":"32","block_n":"64","block_k":"64","split_k":"1",)"
      R"("num_stages":"3","num_warps":"4"}})");
  const Work placeholder = triton_matmul(
      R"({"kind":"__triton_nested_gemm_fusion","block_level_fusion_config":{"num_warps":"2","output_tiles":[{"sizes":)"
      R"(["16","8"]}],"num_stages":1}})");
  for (const Work* work : {&tuned, &older}) {
    const MatrixTime<double> terms = matrix_time(work->matrix[0], h100);
    CHECK(terms.tile_m == 32);
    CHECK(terms.tile_n == 64);
    CHECK(terms.blocks == 64 * 32);
  }
  CHECK(matrix_time(placeholder.matrix[0], h100).tile_m >= 64);
  CHECK(placeholder.matrix[0].is_untuned);
  CHECK(placeholder.source == CostSource::kModel);
  CHECK(tuned.source == CostSource::kModel);
  CHECK_FALSE(tuned.matrix[0].is_untuned);
  CHECK(op_time(tuned, h100).seconds > op_time(placeholder, h100).seconds);
  // The first block of Blackwell's list, which tuning may choose for a small result.
  const std::string first =
      R"({"kind":"__triton_nested_gemm_fusion","block_level_fusion_config":{"num_warps":"4","output_tiles":[{"sizes":)"
      R"(["64","64"]}],"num_stages":3}})";
  CHECK_FALSE(triton_matmul(first, 2048).matrix[0].is_untuned);
  const Work large = triton_matmul(first, 8192);
  CHECK(large.matrix[0].is_untuned);
  CHECK(matrix_time(large.matrix[0], device("b200_sxm")).tile_m >= 128);
}

TEST_CASE("a block as large as each product of a batch is no placeholder") {
  const std::string array = "f32[4096,32,32]";
  const Work small = root_work(
      "  a = " + array + " parameter(0)\n",
      "r = " + array +
          R"( fusion(a), kind=kCustom, calls=c, backend_config={"fusion_backend_config":{"kind":)"
          R"("__triton_nested_gemm_fusion","block_level_fusion_config":{"num_warps":"4","output_tiles":[{"sizes":)"
          R"(["1","64","32"]}],"num_stages":1}}})",
      "c {\n  p = " + array + " parameter(0)\n  ROOT d = " + array +
          " dot(p, p), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
          "rhs_contracting_dims={1}\n}\n");
  CHECK_FALSE(small.matrix[0].is_untuned);
  CHECK(small.matrix[0].tile_m == 64);
  CHECK(op_time(small, device("h100_sxm")).seconds == Approx(16.7e-6).epsilon(0.35));  // H100-JAX
}

TEST_CASE("small kernels take a launch, less in a command buffer; large ones hide it") {
  for (const char* name :
       {"v100_sxm2", "t4", "l4", "a100_sxm_80", "h100_sxm", "b200_sxm", "gb300", "mi250x_gcd", "mi300x", "mi355x"}) {
    CAPTURE(name);
    const Device gpu = device(name);
    const Work small = root_work("  a = f32[256] parameter(0)\n", "r = f32[256] add(a, a)");
    const double launched = op_time(small, gpu).seconds;
    CHECK(launched >= 2e-6);
    CHECK(launched <= 6e-6);
    CHECK(op_time(small, gpu, {LaunchedBy::kCommandBuffer}).seconds < launched);
    for (const double elements : {16.0 * 1048576, 256.0 * 1048576}) {
      const std::string array = "f32[" + std::to_string(static_cast<long>(elements)) + "]";
      const Work large = root_work("  a = " + array + " parameter(0)\n", "r = " + array + " add(a, a)");
      const double share = large.padded_bytes / gpu.hbm.bandwidth / op_time(large, gpu).seconds;
      CHECK(share >= 0.80);
      CHECK(share <= 0.935);
    }
  }
}

}  // namespace
}  // namespace hloroof::internal
