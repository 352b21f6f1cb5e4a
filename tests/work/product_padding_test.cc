// What the tiles of arrays add to the products that the matrix unit makes of them.
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "hloroof/device.h"
#include "lib/time/op_time.h"
#include "tests/catch.h"
#include "tests/time/notes.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

TEST_CASE("a dimension on lanes or sublanes fills tiles of its own for each value of those beside it") {
  struct Case {
    const char* what;
    const char* lhs;
    const char* rhs;
    const char* root;
    double m;
    double n;
    double k;
  };
  const char* image = "bf16[32,196,768]{2,1,0:T(8,128)(2,1)}";
  const char* weights = "bf16[768,512]{1,0:T(8,128)(2,1)}";
  const Case cases[] = {
      {"rows on sublanes", image, weights,
       "bf16[32,196,512]{2,1,0:T(8,128)(2,1)} dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}",
       200.0 / 196, 1, 1},
      {"rows on lanes", image, weights,
       "bf16[32,196,512]{1,2,0:T(8,128)(2,1)} dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}",
       256.0 / 196, 1, 1},
      {"contracted on lanes", image, "bf16[32,196,64]{1,2,0:T(8,128)(2,1)}",
       "bf16[768,64]{1,0:T(8,128)(2,1)} dot(a, b), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}", 1, 1,
       256.0 / 196},
      {"contracted on sublanes", image, "bf16[32,196,64]{2,1,0:T(8,128)(2,1)}",
       "bf16[768,64]{1,0:T(8,128)(2,1)} dot(a, b), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}", 1, 1, 1},
      {"beside batch dimensions alone", image, "bf16[32,196,768]{2,1,0:T(8,128)(2,1)}",
       "bf16[32,196,196]{2,1,0:T(8,128)(2,1)} dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, "
       "lhs_contracting_dims={2}, rhs_contracting_dims={2}",
       1, 1, 1},
      {"whole tiles", "bf16[32,256,768]{2,1,0:T(8,128)(2,1)}", weights,
       "bf16[32,256,512]{1,2,0:T(8,128)(2,1)} dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}", 1, 1, 1},
      {"no tiles", "bf16[32,196,768]", "bf16[768,512]",
       "bf16[32,196,512] dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}", 1, 1, 1},
      {"a dot written as a convolution", "bf16[32,196,768,1]{2,1,3,0:T(8,128)(2,1)}",
       "bf16[12,64,768,1]{2,1,0,3:T(8,128)(2,1)}",
       "bf16[32,196,12,64]{1,3,2,0:T(8,128)(2,1)} convolution(a, b), window={size=1x12 pad=0_0x11_11 "
       "rhs_reversal=0x1}, dim_labels=0bf1_1oi0->0b1f",
       256.0 / 196, 1, 1},
      {"the same, contracted on lanes", "bf16[32,196,768,1,1]{2,1,4,0,3:T(8,128)(2,1)}",
       "bf16[3,12,64,32,196]{4,2,1,3,0:T(8,128)(2,1)}",
       "bf16[768,3,12,64,1]{0,3,2,4,1:T(8,128)(2,1)} convolution(a, b), window={size=3x12x32 pad=2_2x11_11x0_0 "
       "rhs_reversal=1x1x0}, dim_labels=2fb01_01o2i->b01f2",
       1, 1, 256.0 / 196},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work(std::string("  a = ") + c.lhs + " parameter(0)\n  b = " + c.rhs + " parameter(1)\n",
                                std::string("r = ") + c.root);
    REQUIRE(work.matrix.size() == 1);
    const MatrixWork& product = work.matrix[0];
    const ProductSize padded = padded_size(product, device("tpu_v5e").tpu()->vector);
    CHECK(padded.m / product.m == Approx(c.m));
    CHECK(padded.n / product.n == Approx(c.n));
    CHECK(padded.k / product.k == Approx(c.k));
  }
}

TEST_CASE("what a sliding window covers fills registers, and narrow positions share one") {
  struct Case {
    const char* what;
    const char* input;
    const char* filters;
    const char* output;
    const char* window;
    double m;
    double k;
  };
  // k as the final code of libtpu 0.0.52 has it for v5e.
  const char* same = "size=3x3 pad=1_1x1_1";
  const Case cases[] = {
      {"two positions", "[32,32,32,64]{3,0,2,1", "[3,3,64,128]{3,2,1,0", "[32,32,32,128]{3,0,2,1", same, 32768,
       5 * 128},
      {"four positions", "[32,32,32,32]{3,0,2,1", "[3,3,32,128]{3,2,1,0", "[32,32,32,128]{3,0,2,1", same, 32768,
       3 * 128},
      {"at multiples of 64 lanes", "[32,32,32,48]{3,0,2,1", "[3,3,48,128]{3,2,1,0", "[32,32,32,128]{3,0,2,1", same,
       32768, 5 * 128},
      {"across registers", "[32,32,32,96]{3,0,2,1", "[3,3,96,128]{3,2,1,0", "[32,32,32,128]{3,0,2,1", same, 32768,
       7 * 128},
      {"whole registers", "[32,32,32,256]{3,0,2,1", "[3,3,256,128]{3,2,1,0", "[32,32,32,128]{3,0,2,1", same, 32768,
       18 * 128},
      {"a rest", "[32,32,32,192]{3,0,2,1", "[3,3,192,128]{3,2,1,0", "[32,32,32,128]{3,0,2,1", same, 32768, 14 * 128},
      {"filters with their features on lanes", "[32,32,32,64]{3,0,2,1", "[3,3,64,32]{2,3,1,0", "[32,32,32,32]{3,0,2,1",
       same, 32768, 9 * 128},
      {"features on sublanes", "[32,32,32,16]{0,3,2,1", "[3,3,16,128]{3,2,1,0", "[32,32,32,128]{3,0,2,1", same, 32768,
       2 * 128},
      {"an input with holes", "[32,16,16,64]{3,0,2,1", "[3,3,64,128]{3,2,1,0", "[32,32,32,128]{3,0,2,1",
       "size=3x3 pad=1_2x1_2 lhs_dilate=2x2", 32768, 2.25 * 128},
      {"the batch on lanes, in and out", "[32,32,32,3]{0,3,2,1", "[3,3,3,64]{3,2,1,0", "[32,32,32,64]{0,3,2,1", same,
       4 * 32768, 27},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string tiles = ":T(8,128)(2,1)}";
    const Work work = root_work(
        "  a = bf16" + (c.input + tiles) + " parameter(0)\n  b = bf16" + (c.filters + tiles) + " parameter(1)\n",
        "r = bf16" + (c.output + tiles) + " convolution(a, b), window={" + c.window + "}, dim_labels=b01f_01io->b01f");
    REQUIRE(work.matrix.size() == 1);
    const ProductSize padded = padded_size(work.matrix[0], device("tpu_v5e").tpu()->vector);
    CHECK(padded.m == Approx(c.m));
    CHECK(padded.k == Approx(c.k));
  }
}

TEST_CASE("filters stay in the array, unless the batch is on the lanes of the result") {
  const char* const format =
      "r = bf16[32,32,32,64]%s convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
  const auto laid = [&](const std::string& order) {
    std::string root = format;
    root.replace(root.find("%s"), 2, "{" + order + ":T(8,128)(2,1)}");
    const Work work = root_work(
        "  a = bf16[32,32,32,3]{0,3,2,1:T(8,128)(2,1)} parameter(0)\n"
        "  b = bf16[3,3,3,64]{3,2,1,0:T(8,128)(2,1)} parameter(1)\n",
        root);
    return std::make_pair(matrix_time(work.matrix.at(0), device("tpu_v5e")).is_swapped, work);
  };
  const auto [swapped, resident] = laid("0,3,2,1");
  CHECK(swapped);
  constexpr double kPositions = 32 * 32;
  CHECK(vector_elements(resident, Opcode::kConvolution) == kPositions * 9 * 1024);  // a register for each of 9
  // With the features on the lanes of the result, 27 rows of 32 images are turned: two registers of 16 rows.
  const auto [straight, turned] = laid("3,0,2,1");
  CHECK_FALSE(straight);
  CHECK(vector_elements(turned, Opcode::kConvolution) == kPositions * (9 + 2) * 1024);
}

TEST_CASE("tiles are told as they are, halves among them") {
  const Device v6e = device("tpu_v6e");
  const auto told = [&v6e](const std::string& lhs, const std::string& rhs, const std::string& root) {
    return notes_of(
        op_terms(root_work("  a = bf16" + lhs + " parameter(0)\n  b = bf16" + rhs + " parameter(1)\n", root), v6e));
  };
  CHECK(absl::StrContains(
      told("[32,32,32,64]{3,0,2,1:T(8,128)(2,1)}", "[3,3,64,128]{3,2,1,0:T(8,128)(2,1)}",
           "r = bf16[32,32,32,128]{3,0,2,1:T(8,128)(2,1)} convolution(a, b), window={size=3x3 pad=1_1x1_1}, "
           "dim_labels=b01f_01io->b01f"),
      "2.5 x 1 tiles of 256 x 256"));
  CHECK(absl::StrContains(
      told("[1024,1048576]{1,0:T(8,128)(2,1)}", "[1048576,1024]{1,0:T(8,128)(2,1)}",
           "r = bf16[1024,1024]{1,0:T(8,128)(2,1)} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
      "4096 x 4 tiles of 256 x 256"));
}

TEST_CASE("how much a product is padded follows from the registers of the device") {
  const Work work = root_work(
      "  a = bf16[32,196,768]{2,1,0:T(8,128)(2,1)} parameter(0)\n"
      "  b = bf16[768,512]{1,0:T(8,128)(2,1)} parameter(1)\n",
      "r = bf16[32,196,512]{2,1,0:T(8,128)(2,1)} dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}");
  REQUIRE(work.matrix.size() == 1);
  CHECK(work.matrix[0].m_on_sublanes == 196);
  CHECK(work.matrix[0].m_on_lanes == 0);
  TpuCore::Vector registers;
  registers.lanes = 128;
  registers.sublanes = 16;
  CHECK(padded_size(work.matrix[0], registers).m == Approx(32 * 208));
}

TEST_CASE("padding takes the matrix unit's time and adds no FLOPs") {
  const Device v2 = device("tpu_v2");
  const auto work = [](const char* order) {
    return root_work(
        "  a = bf16[32,196,768]{2,1,0:T(8,128)(2,1)} parameter(0)\n"
        "  b = bf16[768,512]{1,0:T(8,128)(2,1)} parameter(1)\n",
        std::string("r = bf16[32,196,512]{") + order +
            ":T(8,128)(2,1)} dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}");
  };
  const Work rows = work("2,1,0");
  const Work lanes = work("1,2,0");
  CHECK(rows.flops == lanes.flops);
  CHECK(matrix_peak_seconds(rows.matrix[0], v2) == matrix_peak_seconds(lanes.matrix[0], v2));
  CHECK(matrix_time(lanes.matrix[0], v2).seconds / matrix_time(rows.matrix[0], v2).seconds == Approx(256.0 / 200));
}

TEST_CASE("a tile that is not full takes no more registers than there is to load") {
  const Device v6e = device("tpu_v6e");  // tiles of 256 x 256, 16 rows of 16 bits a register
  const auto registers = [&](double m, double n, double k, double batch) {
    MatrixWork product;
    product.m = m;
    product.n = n;
    product.k = k;
    product.batch = batch;
    product.flops = 2 * m * n * k * batch;
    return matrix_time(product, v6e).registers;
  };
  CHECK(registers(8, 512, 512, 1) == 4 * 16);
  CHECK(registers(8, 256, 260, 1) == 17);
  CHECK(registers(8, 8, 64, 4096) == 4096);  // transposed: 8 rows of 64, not 64 of 8
  CHECK(registers(64, 64, 8, 2048) == 2048);
  CHECK(registers(64, 64, 64, 1024) == 4 * 1024);
}

}  // namespace
}  // namespace hloroof::internal
