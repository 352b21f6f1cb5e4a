// The blocks of a product on a GPU: which ones are taken, and what the storing of their results adds.
#include <string>

#include "lib/time/op_time.h"
#include "tests/catch.h"
#include "tests/paths.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

// The product of bf16[m,k] by bf16[k,n] with a result of type `out`.
MatrixWork product(int m, int n, int k, const std::string& out = "bf16") {
  const auto shape = [](int rows, int columns) {
    return "[" + std::to_string(rows) + "," + std::to_string(columns) + "]";
  };
  return root_work("  a = bf16" + shape(m, k) + " parameter(0)\n  b = bf16" + shape(k, n) + " parameter(1)\n",
                   "r = " + out + shape(m, n) + " dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}")
      .matrix.at(0);
}

MatrixTime<double> time_of(const MatrixWork& work, const Device& d) { return matrix_time(work, Numbers<double>(d), 0); }

Device gpu_x() {
  absl::StatusOr<Device> loaded = load_device(source_path("tests/devices/gpu_x.json"));
  REQUIRE(loaded.ok());
  return *std::move(loaded);
}

Device with(const char* path, double value) {
  Device d = gpu_x();
  REQUIRE(set_parameter(d, path, value).ok());
  return d;
}

TEST_CASE("blocks have a side of the preferred tile, unless the device has all sizes from the smallest") {
  struct Case {
    int m, n;
    double smallest;  // 0: none
    double tile_m, tile_n;
  };
  // gpu_x has 128 x 128 blocks, half as wide or high ones, and parts of K of 512 and more.
  for (const Case& c : {Case{256, 256, 0, 64, 128}, Case{256, 256, 64, 64, 64}, Case{256, 256, 32, 32, 32},
                        Case{4096, 4096, 0, 128, 128}, Case{4096, 4096, 64, 128, 128},
                        Case{256, 256, 256, 64, 128}}) {  // the last one is larger than the largest
    CAPTURE(c.m, c.n, c.smallest);
    const MatrixTime<double> time =
        time_of(product(c.m, c.n, 256), c.smallest > 0 ? with("matrix.smallest_tile", c.smallest) : gpu_x());
    CHECK(time.tile_m == c.tile_m);
    CHECK(time.tile_n == c.tile_n);
    CHECK(time.seconds > 0);
  }
}

TEST_CASE("more sizes of blocks make no product slower") {
  for (const int m : {64, 256, 1000, 4096}) {
    for (const int n : {64, 512, 3000}) {
      CAPTURE(m, n);
      const MatrixWork work = product(m, n, 1024);
      CHECK(time_of(work, with("matrix.smallest_tile", 64)).seconds <= time_of(work, gpu_x()).seconds);
    }
  }
}

TEST_CASE("results are stored after the product, at the rate that the device states") {
  const Device storing = with("matrix.result_bandwidth", 1e12);
  for (const char* out : {"bf16", "f32"}) {
    CAPTURE(out);
    const MatrixWork work = product(4096, 2048, 1024, out);
    const double bytes = 4096.0 * 2048 * (std::string(out) == "f32" ? 4 : 2);
    CHECK(time_of(work, storing).seconds - time_of(work, gpu_x()).seconds == Approx(bytes / 1e12));
  }
}

}  // namespace
}  // namespace hloroof::internal
