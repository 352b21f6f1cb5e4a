// The rate of a library's attention kernels on a GPU: by head, by keys kept, in each direction, and where it is not
// known.
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

struct Call {
  std::string type = "bf16";
  int batch = 4;
  int heads = 64;
  int queries = 8192;
  int keys = 8192;
  int head = 128;
  std::string mask = "CAUSAL";
  bool is_gradient = false;
  std::string more;
};

Work attention(const Call& c) {
  const auto array = [&](int rows) {
    return c.type + "[" + std::to_string(c.batch) + "," + std::to_string(c.heads) + "," + std::to_string(rows) + "," +
           std::to_string(c.head) + "]";
  };
  const auto quoted = [](int number) { return "\"" + std::to_string(number) + "\""; };
  return root_work("  q = " + array(c.queries) + " parameter(0)\n  k = " + array(c.keys) + " parameter(1)\n",
                   "r = " + array(c.queries) + " custom-call(q, k, k), custom_call_target=\"__cudnn$fmhaSoftmax" +
                       (c.is_gradient ? "Backward" : "") +
                       "\", backend_config={\"cudnn_fmha_backend_config\":{\"intermediate_tensor_shape\":{"
                       "\"dimensions\":[" +
                       quoted(c.batch) + "," + quoted(c.heads) + "," + quoted(c.queries) + "," + quoted(c.keys) +
                       "]},\"mask_type\":\"" + c.mask + "\"" + c.more + "}}");
}

// A device with round numbers.
Device round_device() {
  Device d = device("h100_sxm");
  for (const auto& [path, number] : std::vector<std::pair<const char*, double>>{{"attention.forward.head_64", 4e14},
                                                                                {"attention.forward.head_128", 6e14},
                                                                                {"attention.forward.head_256", 7e14},
                                                                                {"attention.backward", 4.5e14},
                                                                                {"attention.keys_half", 400},
                                                                                {"attention.f8_gain", 1.2}}) {
    REQUIRE(set_parameter(d, path, number).ok());
  }
  return d;
}

TEST_CASE("attention of a library runs at the rate of its head, its keys and its direction") {
  struct Case {
    const char* what;
    Call call;
    double kept;  // keys per query
    double rate;  // with many keys
  };
  const Case cases[] = {
      {"causal", {}, 8193 / 2.0, 6e14},
      {"no mask", {.mask = "NO_MASK"}, 8192, 6e14},
      {"padded: the lengths are not known", {.mask = "PADDING"}, 8192, 6e14},
      {"short", {.batch = 64, .queries = 512, .keys = 512}, 513 / 2.0, 6e14},
      {"gradient", {.is_gradient = true}, 8193 / 2.0, 4.5e14},
      {"small heads", {.head = 64}, 8193 / 2.0, 4e14},
      {"smaller heads", {.head = 32}, 8193 / 2.0, 2e14},
      {"heads in between", {.head = 96}, 8193 / 2.0, 5e14},
      {"heads in between", {.head = 192}, 8193 / 2.0, 6.5e14},
      {"large heads", {.head = 256}, 8193 / 2.0, 7e14},
      {"larger heads", {.head = 512}, 8193 / 2.0, 7e14},
      {"gradient of small heads", {.head = 64, .is_gradient = true}, 8193 / 2.0, 3e14},
      {"f8", {.type = "f8e4m3fn"}, 8193 / 2.0, 7.2e14},
      {"f16", {.type = "f16"}, 8193 / 2.0, 6e14},
      {"a window of 1024 keys, less for the first 1023 queries",
       {.more = ",\"sliding_window_length\":1024"},
       1024 - 1023 / 16.0,
       6e14},
      {"fewer keys than queries: the later queries keep all", {.keys = 4096}, (4097 / 2.0 + 4096) / 2, 6e14},
      {"fewer queries than keys: none keeps the later keys", {.queries = 4096}, 4097 / 2.0, 6e14},
  };
  const Device d = round_device();
  for (const Case& c : cases) {
    CAPTURE(c.what, c.call.type, c.call.head);
    const Work work = attention(c.call);
    REQUIRE(work.matrix.size() == 1);
    const MatrixWork& product = work.matrix[0];
    const double queries = static_cast<double>(c.call.batch) * c.call.heads * c.call.queries;
    CHECK(product.kept_keys == Approx(c.kept));
    CHECK(product.flops == Approx((c.call.is_gradient ? 10 : 4) * queries * c.kept * c.call.head));
    const double blocks = queries / 128;
    CHECK(matrix_time(product, d).seconds ==
          Approx(product.flops / (c.rate * c.kept / (c.kept + 400)) * (1 + 132 / blocks)));
  }
}

TEST_CASE("attention with few queries takes as long as reading the keys and values") {
  Call decode{.batch = 8, .heads = 8, .queries = 1, .keys = 65536, .mask = "NO_MASK"};
  const Device d = device("h100_sxm");
  const Work work = attention(decode);
  const OpTime time = op_time(work, d);
  CHECK(time.bound == Resource::kHbm);
  CHECK(time.resources[Resource::kMatrix] < 0.2 * time.resources[Resource::kHbm]);
  decode.queries = 128;  // the keys are split over the multiprocessors that have no queries
  CHECK(op_time(attention(decode), d).resources[Resource::kMatrix] < 2.1 * attention(decode).matrix[0].flops / 6.2e14);
}

TEST_CASE("the rate of attention has its exponentials in it, and the power cap") {
  const Device d = device("b200_sxm");
  const Work work = attention({.head = 64});
  const OpTime time = op_time(work, d);
  CHECK(time.bound == Resource::kMatrix);
  CHECK(time.resources[Resource::kVector] == 0);
  CHECK(op_time(work, d, {LaunchedBy::kHost, 10}).seconds == time.seconds);
}

TEST_CASE("the terms of attention say which rate applies and why, and take as long as the prediction") {
  struct Case {
    Call call;
    const char* says;
    std::vector<const char*> reads;
  };
  const Case cases[] = {
      {{},
       "rate of library attention, forward: heads of 128, 4096.5 keys kept per query, 16384 blocks on 132 "
       "multiprocessors",
       {"attention.forward.head_128", "attention.keys_half"}},
      {{.head = 96, .is_gradient = true},
       "rate of library attention, gradient: heads of 96",
       {"attention.forward.head_64", "attention.forward.head_128", "attention.backward", "attention.keys_half"}},
      {{.type = "f8e4m3fn"}, "rate of library attention, forward", {"attention.f8_gain"}},
  };
  const Device d = device("h100_sxm");
  for (const Case& c : cases) {
    const Work work = attention(c.call);
    const Term term = op_terms(work, d);
    CHECK(term.seconds == op_time(work, d).seconds);
    CHECK(evaluate(term) == Approx(term.seconds).epsilon(1e-12));
    std::vector<std::string_view> paths;
    add_parameters(term, paths);
    for (const char* path : c.reads) {
      CAPTURE(path);
      CHECK(std::find(paths.begin(), paths.end(), path) != paths.end());
    }
    CHECK(std::find(paths.begin(), paths.end(), "matrix.efficiency") == paths.end());
    const std::string notes = notes_of(term);
    CAPTURE(notes);
    CHECK(notes.find(c.says) != std::string::npos);
  }
}

TEST_CASE("attention runs as other products where its rate is not known, and counts as assumed") {
  Device d = device("h100_sxm");
  const Work forward = attention({});
  const Work backward = attention({.is_gradient = true});
  const double known = op_time(forward, d).seconds;
  CHECK(op_time(forward, d).source == CostSource::kModel);
  GpuCore& core = std::get<GpuCore>(d.core);
  core.attention.backward = Fact<double>();
  CHECK(op_time(forward, d).seconds == known);
  CHECK(op_time(backward, d).source == CostSource::kAssumed);
  core.attention.forward.head_64 = Fact<double>();
  CHECK(op_time(forward, d).source == CostSource::kModel);
  CHECK(op_time(attention({.head = 64}), d).source == CostSource::kAssumed);
  core.attention.forward.head_128 = Fact<double>();
  const OpTime time = op_time(forward, d);
  CHECK(time.source == CostSource::kAssumed);
  CHECK(time.seconds < known);
  CHECK(missing_numbers(forward, d, {}).slots().size() == 1);
  // Nothing else asks for the rate.
  const Work product = root_work("  a = bf16[4096,4096] parameter(0)\n",
                                 "r = bf16[4096,4096] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  CHECK(op_time(product, d).source == CostSource::kModel);
  CHECK(op_time(forward, device("tpu_v5p")).source == CostSource::kModel);
}

}  // namespace
}  // namespace hloroof::internal
