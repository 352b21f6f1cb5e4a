// What the tiles of arrays add to the products that the matrix unit makes of them.
#include <string>

#include "hloroof/device.h"
#include "lib/time/op_time.h"
#include "tests/catch.h"
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
      {"a window that slides", "bf16[64,56,56,64]{3,0,2,1:T(8,128)(2,1)}", "bf16[3,3,64,128]{3,2,1,0:T(8,128)(2,1)}",
       "bf16[64,56,56,128]{3,0,2,1:T(8,128)(2,1)} convolution(a, b), window={size=3x3 pad=1_1x1_1}, "
       "dim_labels=b01f_01io->b01f",
       1, 1, 1},
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
