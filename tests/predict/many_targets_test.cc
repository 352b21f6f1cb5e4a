// A prediction that reuses what does not depend on the target equals one from scratch, to the last bit, and so do the
// numbers of a summary.
#include "lib/predict/many_targets.h"

#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hloroof/parse.h"
#include "lib/diagnose/diagnostics.h"
#include "tests/catch.h"
#include "tests/paths.h"
#include "tests/predict/compare.h"
#include "tests/predict/corpus.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

struct Variant {
  std::string target;
  PredictOptions options;
};

// The device's own numbers, other numbers of every kind, other topologies, other slices and other families. Some of
// them are errors.
std::vector<Variant> variants_on(const std::string& device) {
  const std::vector<std::pair<std::string, double>> numbers = {
      {"hbm.bandwidth", 4e11},     {"hbm.capacity", 1e9},         {"clock", 5e8},
      {"ici.link_bandwidth", 1e9}, {"overhead.op", 1e-4},         {"vector.f32_rate", 1e11},
      {"matrix.peak.bf16", 1e13},  {"hbm.allocation_bytes", 4e6}, {"network.bandwidth", 1e8},
      {"no.such_number", 1}};
  std::vector<Variant> variants = {{device, {}}};
  for (const auto& number : numbers) {
    variants.push_back({device, {}});
    variants.back().options.set = {number};
  }
  for (const char* topology : {"2x4", "4x4", "1x1", "2x2x2", "zebra"}) {
    variants.push_back({device, {}});
    variants.back().options.topology = topology;
  }
  variants.push_back({device, {}});
  variants.back().options.slices = 2;
  variants.push_back({device, {}});
  variants.back().options.strict = true;
  variants.push_back({device, {}});
  variants.back().options.estimates = EstimateSource::kCompiler;
  for (const char* other : {"tpu_v6e", "h100_sxm", "tpu_v5p"}) variants.push_back({other, {}});
  variants.push_back({device, {}});  // the first once more
  const std::size_t count = variants.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!variants[i].options.topology && variants[i].target == device) continue;
    variants.push_back(variants[i]);  // refused if the text is of another backend
    variants[i].options.allow_other_backend = true;
  }
  return variants;
}

// What a row of a sweep keeps of a prediction, and all numbers of its summary.
std::string headline_difference(const StepPrediction& a, const StepPrediction& b) {
  std::string first = difference(static_cast<const StepSummary&>(a), static_cast<const StepSummary&>(b));
  if (!first.empty()) return first;
  if (a.device != b.device || a.topology != b.topology || a.slices != b.slices || a.set != b.set) return "place";
  if (a.num_partitions != b.num_partitions || a.replica_count != b.replica_count) return "devices";
  const MemoryPrediction& x = a.memory;
  const MemoryPrediction& y = b.memory;
  const bool same_memory = same(x.peak_bytes, y.peak_bytes) && same(x.hbm_peak_bytes, y.hbm_peak_bytes) &&
                           same(x.arguments_bytes, y.arguments_bytes) && same(x.outputs_bytes, y.outputs_bytes) &&
                           same(x.temporaries_bytes, y.temporaries_bytes) && same(x.padding_bytes, y.padding_bytes) &&
                           same(x.capacity_bytes, y.capacity_bytes) && x.fits == y.fits;
  return same_memory ? "" : "memory";
}

// The warnings about the origin.
std::string warnings(const StepPrediction& prediction) {
  std::string text;
  for (const Diagnostic& diagnostic : prediction.diagnostics) {
    if (is_about_origin(diagnostic)) text += std::string(to_string(diagnostic.severity)) + diagnostic.message + "\n";
  }
  return text;
}

void check_dump(const fs::path& path) {
  const absl::StatusOr<Module> module = load_module(path.string());
  if (!module.ok()) return;
  auto step = ManyTargets::create(*module, {});
  for (const auto& [name, options] : variants_on(device_of(path))) {
    CAPTURE(path.string(), name, options.set.empty() ? "" : options.set[0].first, options.topology.value_or(""));
    const Target target = *find_target(name);
    const absl::StatusOr<StepPrediction> scratch = predict_step_time(*module, target, options);
    if (!step.ok()) {
      CHECK(step.status() == scratch.status());
      continue;
    }
    const absl::StatusOr<StepPrediction> whole = (*step)->predict(target, options);
    const absl::StatusOr<StepPrediction> headline = (*step)->headline(target, options);
    CHECK(whole.status() == scratch.status());
    CHECK(headline.status() == scratch.status());
    const absl::StatusOr<StepSummary> summary = predict_summary(*module, target, options);
    CHECK(summary.status() == scratch.status());
    if (scratch.ok() && summary.ok()) CHECK(difference(*summary, static_cast<const StepSummary&>(*scratch)) == "");
    if (!scratch.ok() || !whole.ok() || !headline.ok()) continue;
    CHECK(difference(*whole, *scratch) == "");
    CHECK(headline_difference(*headline, *scratch) == "");
    CHECK(warnings(*headline) == warnings(*scratch));
  }
}

TEST_CASE("predictions on many targets equal those from scratch") {
  for (const char* folder : {"examples", "tests/predict/dumps", "tests/corpus"}) {
    for (const fs::path& dump : dumps_in(source_path(folder))) check_dump(dump);
  }
}

TEST_CASE("predictions on many targets equal those from scratch, over real dumps") {
  constexpr std::uintmax_t kMost = 60'000;
  for (const char* folder : {"tpu", "gpu", "pallas", "cpu", "unoptimized"}) {
    int number = 0;
    for (const fs::path& dump : dumps_in(shared_path("corpus") + "/" + folder)) {
      if (fs::file_size(dump) < kMost && number++ % 24 == 0) check_dump(dump);
    }
  }
}

TEST_CASE("threads predict one module on many targets") {
  const absl::StatusOr<Module> module = load_module(source_path("examples/ffn_block.v5e_2x4.hlo"));
  REQUIRE(module.ok());
  auto step = ManyTargets::create(*module, {});
  REQUIRE(step.ok());
  const Target target = *find_target("tpu_v5e");
  constexpr int kThreads = 4;
  constexpr int kPoints = 20;
  std::vector<std::vector<double>> seconds(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int point = 1; point <= kPoints; ++point) {
        PredictOptions options;
        options.set = {{"hbm.bandwidth", 1e11 * point}};
        const auto step_time = point % 5 == t ? (*step)->predict(target, options) : (*step)->headline(target, options);
        seconds[static_cast<std::size_t>(t)].push_back(step_time.ok() ? step_time->step_seconds : -1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int point = 1; point <= kPoints; ++point) {
    PredictOptions options;
    options.set = {{"hbm.bandwidth", 1e11 * point}};
    const double scratch = predict_step_time(*module, target, options)->step_seconds;
    for (const std::vector<double>& of_thread : seconds) {
      CHECK(same(of_thread[static_cast<std::size_t>(point - 1)], scratch));
    }
  }
}

}  // namespace
}  // namespace hloroof::internal
