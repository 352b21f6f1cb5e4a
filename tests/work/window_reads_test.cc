// Checks how often the windows of a product's operands are fetched. The final code of the TPU compiler for the first
// two products moves these bytes.
#include <string>

#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

std::string config(const std::string& kernel, const std::string& output, const std::string& input,
                   const std::string& iterations) {
  return ", backend_config={\"window_config\":{\"kernel_window_bounds\":[" + kernel + "],\"output_window_bounds\":[" +
         output + "],\"input_window_bounds\":[" + input + "],\"iteration_bounds\":[" + iterations + "]}}";
}

constexpr double kLhs = 2.0 * 8192 * 8192;
constexpr double kRhs = 2.0 * 8192 * 28672;

Work product(const std::string& windows, const std::string& rhs_space = "") {
  const std::string lhs = "bf16[8192,8192]{1,0:T(8,128)(2,1)}";
  const std::string rhs = "bf16[8192,28672]{1,0:T(8,128)(2,1)" + rhs_space + "}";
  const std::string out = "bf16[8192,28672]{1,0:T(8,128)(2,1)}";
  return root_work("  a = " + lhs + " parameter(0)\n  b = " + rhs + " parameter(1)\n",
                   "f = " + out + " fusion(a, b), kind=kOutput, calls=c" + windows,
                   "c {\n  p = " + lhs + " parameter(0)\n  q = " + rhs + " parameter(1)\n  ROOT r = " + out +
                       " convolution(p, q), dim_labels=bf_io->bf\n}\n");
}

TEST_CASE("An operand is fetched once for each iteration of an outer loop that does not move its windows") {
  const Work cut = product(config(R"("64","16")", R"("171","16")", R"("171","4")", R"("14","6","16")"));
  CHECK(cut.read.hbm == kLhs + kRhs);
  CHECK(cut.read_again == 13 * kLhs + 5 * kRhs);
  // A window of the left-hand side is used for each window along N, one of the right-hand side for each along M.
  REQUIRE(cut.matrix.size() == 1);
  CHECK(cut.matrix[0].lhs_uses == 14);
  CHECK(cut.matrix[0].rhs_uses == 6);
  // K is not cut: the left-hand side is fetched for each window along N, and the right-hand side once.
  const Work whole = product(config(R"("1024","16")", R"("171","16")", R"("171","64")", R"("14","6","1")"));
  CHECK(whole.read_again == 13 * kLhs);
}

TEST_CASE("What is in VMEM is not fetched, and loops that do not fit the windows say nothing") {
  const std::string windows = config(R"("64","16")", R"("171","16")", R"("171","4")", R"("14","6","16")");
  CHECK(product(windows, "S(1)").read_again == 13 * kLhs);
  CHECK(product("").read_again == 0);
  CHECK(product(config(R"("64","16")", R"("171","16")", R"("171","4")", R"("7","6","16")")).read_again == 0);
  CHECK(product(config("", "", "", "")).read_again == 0);
}

TEST_CASE("An operand that is needed again after the product is fetched again in its windows alone") {
  const std::string square = "bf16[8192,8192]{1,0:T(8,128)(2,1)}";
  const auto work = [&square](const std::string& last) {
    return root_work("  a = " + square + " parameter(0)\n  b = " + square + " parameter(1)\n",
                     "f = " + square + " fusion(a, b), kind=kOutput, calls=c" +
                         config(R"("64","16")", R"("171","16")", R"("171","4")", R"("4","6","16")"),
                     "n {\n  p = " + square + " parameter(0)\n  ROOT r = " + square + " negate(p)\n}\n" +
                         "c {\n  p = " + square + " parameter(0)\n  q = " + square + " parameter(1)\n  m = " + square +
                         " fusion(p), kind=kLoop, calls=n\n  o = " + square +
                         " convolution(m, q), dim_labels=bf_io->bf\n  ROOT r = " + square + last + "\n}\n");
  };
  const Work alone = work(" negate(o)");
  CHECK(alone.read.hbm == 2 * kLhs);
  CHECK(alone.read_again == 3 * kLhs + 5 * kLhs);
  const Work added = work(" add(o, p)");
  CHECK(added.read.hbm == 3 * kLhs);
  CHECK(added.read_again == alone.read_again);
}

TEST_CASE("An element of a tuple is not taken for the parameter with its number") {
  const std::string square = "bf16[8192,8192]{1,0:T(8,128)(2,1)}";
  const std::string both = "(" + square + ", " + square + ")";
  const Work work = root_work(
      "  a = " + both + " parameter(0)\n  b = " + square + " parameter(1)\n",
      "f = " + square + " fusion(a, b), kind=kOutput, calls=c" +
          config(R"("64","16")", R"("171","16")", R"("171","4")", R"("4","6","16")"),
      "n {\n  p = " + square + " parameter(0)\n  ROOT r = " + square + " negate(p)\n}\n" + "c {\n  p = " + both +
          " parameter(0)\n  q = " + square + " parameter(1)\n  g = " + square +
          " get-tuple-element(p), index=1\n  m = " + square + " fusion(g), kind=kLoop, calls=n\n  k = " + square +
          " fusion(q), kind=kLoop, calls=n\n  ROOT o = " + square + " convolution(m, k), dim_labels=bf_io->bf\n}\n");
  CHECK(work.read_again == 5 * kLhs);  // of b: the right-hand side, for each of 6 windows along M
}

TEST_CASE("An operand of an operation after the product that a batch shares is fetched for each of its windows") {
  const std::string q = "bf16[4,16,4096,256]{3,2,1,0:T(8,128)(2,1)}";
  const std::string scores = "f32[4,16,4096,4096]{2,3,1,0:T(8,128)}";
  const std::string decay = "f32[16,4096,4096]{1,2,0:T(8,128)}";
  const Work work = root_work(
      "  q = " + q + " parameter(0)\n  k = " + q + " parameter(1)\n  d = " + decay + " parameter(2)\n",
      "f = " + scores + " fusion(q, k, d), kind=kOutput, calls=c" +
          config(R"("2","1","14","2")", R"("2","1","14","32")", R"("2","1","512","2")",
                 R"("2","16","37","1","1","1","1")"),
      "n {\n  ROOT p = " + q + " parameter(0)\n}\n" + "c {\n  p = " + q + " parameter(0)\n  r = " + q +
          " parameter(1)\n  s = " + decay + " parameter(2)\n  t = " + q +
          " fusion(p), kind=kLoop, calls=n\n  conv = " + scores +
          " convolution(t, r), window={size=4x16 stride=3x15 lhs_dilate=4x16}, dim_labels=01bf_01oi->01bf\n  e = " +
          scores + " broadcast(s), dimensions={1,2,3}\n  ROOT m = " + scores + " multiply(conv, e)\n}\n");
  CHECK(work.read_again == 4.0 * 16 * 4096 * 4096);
}

}  // namespace
}  // namespace hloroof::internal
