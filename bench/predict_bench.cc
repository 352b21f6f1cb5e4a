// Times predicting a step on one thread.
//
//   predict_bench [--seconds S] [--device D] [--json OUT] [FILE...]
//
// The default files are the TPU dumps over 1 MB of the shared corpus. Prints one row per file with the best CPU times
// of the stages, of the whole from text to the summary of the step (`step`), and of the whole from text to JSON
// (`all`). `lists` is the part of predict_from_facts without the replay and memory: the records of ops and collectives,
// sums, diagnostics, and the step with the compiler's estimates. If HLOROOF_JAX_PYTHON or python3 has jaxlib, also
// times XLA's parser and cost analysis; a ratio is their time divided by the time before it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "absl/strings/str_format.h"
#include "bench/reference.h"
#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/analysis/collectives.h"
#include "lib/predict/from_facts.h"
#include "lib/results/prediction_json.h"
#include "lib/schedule/async_pairs.h"
#include "lib/schedule/memory.h"
#include "lib/schedule/timeline.h"
#include "lib/step/costs.h"
#include "lib/step/facts.h"
#include "lib/work/work.h"

namespace {

namespace fs = std::filesystem;

struct Times {
  double megabytes = 0;
  std::size_t instructions = 0;
  double parse = 0, calls = 0, costs = 0, schedule = 0, memory = 0, lists = 0, json = 0, step = 0, all = 0;
  double theirs = 0;
};

absl::Status measure(const std::string& file, const hloroof::Target& target, double budget, Times& times) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream stream;
  stream << in.rdbuf();
  const std::string text = stream.str();
  times.megabytes = static_cast<double>(text.size()) / 1e6;
  const absl::StatusOr<hloroof::Module> module = hloroof::parse_module(text);
  if (!module.ok()) return module.status();
  times.instructions = module->instruction_count();
  const absl::StatusOr<hloroof::StepPrediction> prediction = hloroof::predict_step_time(*module, target);
  if (!prediction.ok()) return prediction.status();
  std::size_t sink = 0;  // uses the results of the loops
  times.parse = bench::best_seconds(budget, [&] { sink += hloroof::parse_module(text)->instruction_count(); });
  const hloroof::CallGraph calls = hloroof::analyze_calls(*module);
  times.calls = bench::best_seconds(budget, [&] { sink += hloroof::analyze_calls(*module).loops().size(); });
  const std::shared_ptr<const hloroof::internal::StepFacts> facts = prediction->facts;
  times.costs = bench::best_seconds(budget, [&] {
    const auto collectives = hloroof::internal::cost_collectives(
        *module, calls, hloroof::internal::find_collectives(*module, calls), target);
    hloroof::internal::Costs costs;
    costs.work = hloroof::internal::compute_work(*module, calls);
    hloroof::internal::time_instructions({*module, calls, target.device, *collectives, facts->options}, costs);
    sink += costs.time.size();
  });
  times.schedule = bench::best_seconds(budget, [&] {
    sink += hloroof::internal::pair_async(*module, calls).starts_of(hloroof::InstructionId(0)).size();
  });
  times.schedule += bench::best_seconds(budget, [&] {
    sink += hloroof::internal::replay(*module, facts->calls, facts->pairs, facts->costs.demand, facts->schedule)
                .events.size();
  });
  times.memory = bench::best_seconds(budget, [&] {
    sink += hloroof::internal::analyze_memory(*module, calls, target.device, facts->schedule)
                .prediction.live_at_peak.size();
  });
  std::optional<hloroof::StepPrediction> from_facts;
  times.lists = bench::best_seconds(
      budget, [&] { from_facts = *hloroof::internal::predict_from_facts(facts); }, [&] { from_facts.reset(); });
  times.lists -= times.memory;
  const std::vector<hloroof::StepPrediction> one = {*prediction};
  times.json = bench::best_seconds(budget, [&] { sink += hloroof::internal::predictions_json(one).size(); });
  // Freeing the results is not timed, as for XLA's module.
  absl::StatusOr<hloroof::Module> read = absl::UnknownError("");
  times.step = bench::best_seconds(
      budget,
      [&] {
        read = hloroof::parse_module(text);
        sink += hloroof::predict_summary(*read, target)->step_seconds > 0 ? 1 : 0;
      },
      [&] { read = absl::UnknownError(""); });
  std::vector<hloroof::StepPrediction> result;
  times.all = bench::best_seconds(
      budget,
      [&] {
        read = hloroof::parse_module(text);
        result.push_back(*hloroof::predict_step_time(*read, target));
        sink += hloroof::internal::predictions_json(result).size();
      },
      [&] {
        result.clear();
        read = absl::UnknownError("");
      });
  return sink > 0 ? absl::OkStatus() : absl::InternalError("nothing measured");
}

nlohmann::json as_json(const std::string& file, const Times& t) {
  nlohmann::json row = {{"file", fs::path(file).filename().string()},
                        {"megabytes", t.megabytes},
                        {"instructions", t.instructions},
                        {"parse_seconds", t.parse},
                        {"calls_seconds", t.calls},
                        {"costs_seconds", t.costs},
                        {"schedule_seconds", t.schedule},
                        {"memory_seconds", t.memory},
                        {"lists_seconds", t.lists},
                        {"json_seconds", t.json},
                        {"step_seconds", t.step},
                        {"seconds", t.all}};
  row["jaxlib_seconds"] = t.theirs > 0 ? nlohmann::json(t.theirs) : nlohmann::json();
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  std::string device_name = "tpu_v5e";
  std::string json_path;
  double budget = 0.5;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--seconds" && i + 1 < argc) {
      budget = std::atof(argv[++i]);
    } else if (argument == "--device" && i + 1 < argc) {
      device_name = argv[++i];
    } else if (argument == "--json" && i + 1 < argc) {
      json_path = argv[++i];
    } else {
      files.push_back(argument);
    }
  }
  if (files.empty()) files = bench::large_corpus_files();
  if (files.empty()) {
    std::fprintf(stderr, "predict_bench: no files given and no corpus at %s\n", HLOROOF_SHARED_DIR);
    return 1;
  }
  const absl::StatusOr<hloroof::Target> target = hloroof::find_target(device_name);
  if (!target.ok()) {
    std::fprintf(stderr, "%s\n", std::string(target.status().message()).c_str());
    return 1;
  }
  const std::map<std::string, double> jaxlib = bench::jaxlib_seconds("predict", files);
  std::printf("%-34s %6s %7s %7s %7s %7s %7s %7s %7s %7s %9s %8s %8s %7s %8s %7s\n", "file", "MB", "instr", "parse",
              "calls", "costs", "sched", "memory", "lists", "json", "XLA ms", "step ms", "ratio", "all ms", "ratio",
              "MB/s");
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string& file : files) {
    Times t;
    if (const absl::Status status = measure(file, *target, budget, t); !status.ok()) {
      std::fprintf(stderr, "%s: %s\n", file.c_str(), std::string(status.message()).c_str());
      return 1;
    }
    if (const auto theirs = jaxlib.find(file); theirs != jaxlib.end()) t.theirs = theirs->second;
    const auto ratio = [&t](double ours) { return t.theirs > 0 ? absl::StrFormat("%.1fx", t.theirs / ours) : "-"; };
    std::printf("%-34s %6.2f %7zu %7.2f %7.2f %7.2f %7.2f %7.2f %7.2f %7.2f %9.1f %8.2f %8s %7.2f %8s %7.0f",
                fs::path(file).filename().c_str(), t.megabytes, t.instructions, t.parse * 1e3, t.calls * 1e3,
                t.costs * 1e3, t.schedule * 1e3, t.memory * 1e3, t.lists * 1e3, t.json * 1e3, t.theirs * 1e3,
                t.step * 1e3, ratio(t.step).c_str(), t.all * 1e3, ratio(t.all).c_str(), t.megabytes / t.all);
    std::printf("\n");
    std::fflush(stdout);
    rows.push_back(as_json(file, t));
  }
  if (!json_path.empty()) std::ofstream(json_path) << rows.dump(2) << "\n";
  return 0;
}
