// The rate of products at the power cap: when it applies, to which products, and what the terms say about it.
#include "lib/time/sustained_rate.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/time/op_time.h"
#include "tests/catch.h"
#include "tests/time/notes.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

Work dot(const std::string& type, int size) {
  const std::string shape = type + "[" + std::to_string(size) + "," + std::to_string(size) + "]";
  const std::string out = (type == "bf16" || type == "f16" ? type : "f32") + shape.substr(type.size());
  return root_work("  a = " + shape + " parameter(0)\n  b = " + shape + " parameter(1)\n",
                   "r = " + out + " dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
}

double seconds(const MatrixWork& product, const Device& d, double busy) {
  return matrix_time(product, Numbers<double>(d), busy).seconds;
}

TEST_CASE("the sustained rate comes with the time that products keep the unit busy") {
  struct Case {
    const char* device;
    double busy;
    double share;
  };
  for (const Case& c : {Case{"h100_sxm", 0, 0}, Case{"h100_sxm", 0.02, 0}, Case{"h100_sxm", 0.06, 0.5},
                        Case{"h100_sxm", 0.1, 1}, Case{"h100_sxm", 10, 1}, Case{"b200_sxm", 0.04, 0.25},
                        Case{"a100_sxm_80", 10, 0}, Case{"tpu_v5p", 10, 0}, Case{"tpu_v6e", 0.06, 0.5}}) {
    CAPTURE(c.device, c.busy);
    CHECK(sustained_share(c.busy, device(c.device)) == Approx(c.share));
  }
}

TEST_CASE("the step at which it holds can be set, so that one step stands for a loop of them") {
  Device d = device("h100_sxm");
  REQUIRE(set_parameter(d, "matrix.sustained.holds_after", 0).ok());
  CHECK(sustained_share(1e-3, d) == 1);
  REQUIRE(set_parameter(d, "matrix.sustained.holds_after", 1e9).ok());
  REQUIRE(set_parameter(d, "matrix.sustained.starts_after", 1e9).ok());
  CHECK(sustained_share(1e3, d) == 0);
}

TEST_CASE("large products of bf16, f16 and f8 run at the sustained rate, others as before") {
  struct Case {
    const char* device;
    const char* type;
    int size;
    double rate;  // flop/s; 0: the time is that of a kernel alone
  };
  const Case cases[] = {
      {"h100_sxm", "bf16", 8192, 6.95e14},
      {"h100_sxm", "f32", 8192, 0},  // the burst rate, of another cuBLAS, is
                                     // lower still
      {"h200_sxm", "f16", 8192, 6.84e14},
      {"b200_sxm", "bf16", 8192, 1.279e15},
      {"gb200", "bf16", 8192, 1.342e15},
      {"gb200", "f8e4m3fn", 16384, 2.8e15},
      {"h100_sxm", "bf16", 256, 0},  // waits for its start, and draws less power
      {"a100_sxm_80", "bf16", 8192, 0},
      {"a100_sxm_80", "f8e4m3fn", 8192, 0},
      {"tpu_v5p", "bf16", 8192, 0},
      {"tpu_v6e", "bf16", 8192, 7.42e14},
  };
  for (const Case& c : cases) {
    CAPTURE(c.device, c.type, c.size);
    const Device d = device(c.device);
    const MatrixWork product = dot(c.type, c.size).matrix.at(0);
    const double burst = seconds(product, d, 0);
    const double sustained = seconds(product, d, 1);
    CHECK(seconds(product, d, 0.01) == burst);
    if (c.rate > 0) {
      CHECK(sustained > burst);
      CHECK(sustained == Approx(product.flops / c.rate));
      CHECK(seconds(product, d, 0.06) == Approx((burst + sustained) / 2));
    } else {
      CHECK(sustained == burst);
      CHECK(seconds(product, d, 0.06) == burst);
    }
  }
}

TEST_CASE("attention and bodies that were read do not reach the power cap") {
  const Device d = device("h100_sxm");
  MatrixWork product = dot("bf16", 8192).matrix.at(0);
  const double burst = seconds(product, d, 0);
  product.is_attention = true;
  CHECK(seconds(product, d, 1) == burst);
  product.is_attention = false;
  product.programs = 4096;
  CHECK(seconds(product, d, 1) == seconds(product, d, 0));
}

TEST_CASE("the terms say which rate applies and why, and take as long as the prediction") {
  struct Case {
    double busy;
    const char* says;
    bool names_rate;
  };
  const Device d = device("h100_sxm");
  const Work work = dot("bf16", 8192);
  for (const Case& c : {Case{0.01,
                             "burst rate: the products of the step take 10.0 ms at the burst rate, and the power "
                             "cap lowers it from 20.0 ms on",
                             false},
                        Case{0.06,
                             "sustained rate: the products of the step take 60.0 ms at the burst rate, 50 % of "
                             "the way to where the power cap holds",
                             true},
                        Case{0.5,
                             "sustained rate: the products of the step take 500 ms at the burst rate, long enough "
                             "for the power cap to hold",
                             true}}) {
    CAPTURE(c.busy);
    const RunAs as{LaunchedBy::kHost, c.busy};
    const Term term = op_terms(work, d, as);
    CHECK(term.seconds == op_time(work, d, as).seconds);
    CHECK(evaluate(term) == Approx(term.seconds).epsilon(1e-12));
    std::vector<std::string_view> paths;
    add_parameters(term, paths);
    CHECK((std::find(paths.begin(), paths.end(), "matrix.sustained.bf16") != paths.end()) == c.names_rate);
    const std::string notes = notes_of(term);
    CAPTURE(notes);
    CHECK(notes.find(c.says) != std::string::npos);
  }
}

TEST_CASE("a sustained rate that nobody measured makes long steps an assumption, and no others") {
  Device d = device("h100_sxm");
  const Work work = dot("bf16", 8192);
  const double burst = op_time(work, d).seconds;
  d.matrix.sustained.bf16 = Fact<double>();
  CHECK(op_time(work, d, {LaunchedBy::kHost, 0.01}).source == CostSource::kModel);
  const OpTime time = op_time(work, d, {LaunchedBy::kHost, 1});
  CHECK(time.source == CostSource::kAssumed);
  CHECK(time.seconds == burst);
  CHECK(missing_numbers(work, d, {LaunchedBy::kHost, 1}).slots().size() == 1);
}

}  // namespace
}  // namespace hloroof::internal
