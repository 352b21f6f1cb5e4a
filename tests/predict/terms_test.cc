// The terms of an operation come to its seconds: for every operation of every dump, and from the leaves alone.
#include <cmath>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/step/execution_terms.h"
#include "lib/step/facts.h"
#include "lib/time/op_time.h"
#include "tests/catch.h"
#include "tests/paths.h"
#include "tests/predict/corpus.h"

namespace hloroof::internal {
namespace {

constexpr double kTolerance = 1e-12;  // relative

bool same(double a, double b) { return a == b || std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b)); }

// The first term whose seconds are not what its children or its amount come to; null if there is none.
const Term* wrong_term(const Term& term) {
  if (!same(evaluate(term), term.seconds)) {
    for (const Term& child : term.children) {
      if (const Term* wrong = wrong_term(child)) return wrong;
    }
    return &term;
  }
  return nullptr;
}

struct Checked {
  std::size_t dumps = 0;
  std::size_t ops = 0;
  std::size_t terms = 0;
};

std::size_t count_terms(const Term& term) {
  std::size_t count = 1;
  for (const Term& child : term.children) count += count_terms(child);
  return count;
}

void check_dump(const std::string& path, const std::string& device_name, const PredictOptions& options,
                Checked& checked) {
  const auto module = load_module(path);
  if (!module.ok()) return;
  const auto device = find_device(device_name);
  REQUIRE(device.ok());
  const auto prediction = predict_step_time(*module, *device, options);
  if (!prediction.ok()) return;
  ++checked.dumps;
  for (const OpPrediction& op : prediction->ops) {
    const Term term = execution_terms(*prediction->facts, op.id);
    ++checked.ops;
    checked.terms += op.seconds > 0 ? count_terms(term) : 0;
    if (!same(term.seconds, op.seconds)) {
      CAPTURE(path, device_name, op.name, term.name);
      CHECK(term.seconds == op.seconds);
      return;
    }
    if (const Term* wrong = wrong_term(term)) {
      CAPTURE(path, device_name, op.name, wrong->name, wrong->note);
      CHECK(evaluate(*wrong) == wrong->seconds);
      return;
    }
    const Work& work = prediction->facts->costs.work[op.id.index];
    if (const Term own = op_terms(work, *device); own.seconds != op_time(work, *device).seconds) {
      CAPTURE(path, device_name, op.name);
      CHECK(own.seconds == op_time(work, *device).seconds);
      return;
    }
    // What the leaves add is the whole.
    double added = 0;
    for (const Contribution& part : contributions(term)) added += part.seconds;
    if (std::abs(added - op.seconds) > 1e-9 * op.seconds) {
      CAPTURE(path, device_name, op.name);
      CHECK(added == op.seconds);
      return;
    }
  }
}

const char* const kOwn[] = {
    "examples/ffn_block.v5e_2x4.hlo",   "examples/decode_step.v5e.hlo",
    "examples/narrow_heads.v5e.hlo",    "tests/proto/samples/coll_ar_1mb.h100_sxm_1x1x8.hlo",
    "tests/proto/samples/many_ops.hlo", "tests/predict/dumps/gather_then_reduce.v5e_2x4.hlo",
    "tests/corpus/y_default_while.hlo",
};

TEST_CASE("terms come to the seconds of each operation, on every device") {
  Checked checked;
  for (const std::string& device : device_names()) {
    for (const char* path : kOwn) check_dump(path, device, {}, checked);
  }
  CHECK(checked.terms > 10 * device_names().size());
}

TEST_CASE("terms come to the seconds of each operation under options") {
  Checked checked;
  PredictOptions options;
  options.estimates = EstimateSource::kCompiler;
  check_dump("examples/decode_step.v5e.hlo", "tpu_v5e", options, checked);
  options = {};
  options.collectives.reduce_element_bytes = 1;
  options.collectives.imbalance = 1.5;
  options.set = {{"hbm.bandwidth", 1e12}, {"matrix.efficiency", 0.5}};
  check_dump("examples/ffn_block.v5e_2x4.hlo", "tpu_v5e", options, checked);
  options.topology = "2x2";
  options.slices = 2;
  check_dump("examples/ffn_block.v5e_2x4.hlo", "tpu_v5e", options, checked);
  options = {};
  options.custom_calls = {{"/.+/", 1e9, 1e6, 1e6, std::nullopt}};
  check_dump("tests/proto/samples/many_ops.hlo", "tpu_v5p", options, checked);
  CHECK(checked.dumps == 4);
}

TEST_CASE("terms come to the seconds of each operation of the large corpus") {
  const std::filesystem::path corpus = shared_path("corpus");
  if (!std::filesystem::exists(corpus)) HLOROOF_SKIP("the large corpus is not there");
  Checked checked;
  for (const char* folder : {"step", "gpu", "cpu", "pallas", "tpu", "unoptimized", "forms"}) {
    for (const std::filesystem::path& dump : dumps_in(corpus / folder)) {
      check_dump(dump.string(), device_of(dump), {}, checked);
    }
  }
  CHECK(checked.dumps > 300);
  UNSCOPED_INFO(checked.dumps << " dumps, " << checked.ops << " operations, " << checked.terms << " terms");
}

TEST_CASE("a term says which numbers of the device it rests on") {
  const auto prediction = predict_step_time(R"(HloModule m, is_scheduled=true
ENTRY main {
  x = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)
  w = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT y = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                                            "tpu_v5e");
  REQUIRE(prediction.ok());
  std::vector<std::string_view> paths;
  for (const OpPrediction& op : prediction->ops) {
    if (op.name != "y") continue;
    const Term term = execution_terms(*prediction->facts, op.id);
    add_parameters(term, paths);
    CHECK(contributions(term)[0].term->name == "rows streamed");
  }
  for (const char* path : {"hbm.bandwidth", "matrix.efficiency", "matrix.peak.bf16", "overhead.op"}) {
    CAPTURE(path);
    CHECK(std::count(paths.begin(), paths.end(), path) == 1);
  }
}

}  // namespace
}  // namespace hloroof::internal
