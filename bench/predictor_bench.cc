// Times predicting a module after an edit of one instruction, and compares with predicting it from scratch.
//
//   predictor_bench [--edits N] [--kind KIND] [--runs N] FILE DEVICE [FILE DEVICE ...]
//
// Prints one table per file: the median and the longest CPU time of summary() over N edits (default 200) of every kind.
// With several runs the same edits are made again, and the time of each is the least of all runs, so that what else the
// machine does lengthens fewer of them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/reference.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "tests/predict/random_edits.h"

namespace {

double now_microseconds() { return 1e6 * bench::cpu_seconds(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename Run>
double best_of(int repeats, Run&& run) {
  double best = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const double begin = now_microseconds();
    run();
    best = std::min(best, now_microseconds() - begin);
  }
  return best;
}

void row(const std::string& what, std::size_t count, double middle, double longest) {
  std::printf("%-24s %6zu %12.0f %12.0f\n", what.c_str(), count, middle, longest);
}

// The CPU time of summary() after each of `edits` edits of one kind, in microseconds.
absl::StatusOr<std::vector<double>> time_edits(hloroof::Predictor& predictor, int edits, std::string_view kind) {
  hloroof::internal::RandomEdits random(predictor.edit(), 1);
  std::vector<double> times;
  for (int tried = 0; static_cast<int>(times.size()) < edits && tried < 100 * edits; ++tried) {
    if (random.next(kind).empty()) continue;
    const double begin = now_microseconds();
    const absl::StatusOr<hloroof::StepSummary> summary = predictor.summary();
    const double time = now_microseconds() - begin;
    if (!summary.ok()) return summary.status();
    times.push_back(time);
  }
  return times;
}

int measure(const std::string& file, const std::string& name, int edits, int runs, const std::string& only) {
  absl::StatusOr<hloroof::Module> module = hloroof::load_module(file);
  const absl::StatusOr<hloroof::Target> target = hloroof::find_target(name);
  if (!module.ok() || !target.ok()) {
    const absl::Status& status = module.ok() ? target.status() : module.status();
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    return 1;
  }
  std::printf("%s on %s: %zu instructions\n", file.substr(file.rfind('/') + 1).c_str(), name.c_str(),
              module->instruction_count());
  std::printf("%-24s %6s %12s %12s\n", "", "edits", "median us", "longest us");
  const double scratch = best_of(5, [&] { (void)hloroof::predict_step_time(*module, *target); });
  row("predict from scratch", 0, scratch, scratch);
  const double create = best_of(5, [&] { (void)hloroof::Predictor::create(*module, *target); });
  row("Predictor::create", 0, create, create);
  const double verify = best_of(5, [&] { (void)hloroof::verify(*module); });
  row("verify()", 0, verify, verify);
  for (const std::string_view kind : {"shape", "layout", "memory space", "operand", "replica groups", "erase", "insert",
                                      "replace uses", "fuse", "unfuse", "loop", "move"}) {
    if (!only.empty() && kind != only) continue;
    std::optional<hloroof::Predictor> predictor;
    std::vector<double> times;
    for (int run = 0; run < runs; ++run) {
      absl::StatusOr<hloroof::Predictor> created = hloroof::Predictor::create(*module, *target);
      if (!created.ok()) return 1;
      predictor = *std::move(created);
      const absl::StatusOr<std::vector<double>> again = time_edits(*predictor, edits, kind);
      if (!again.ok()) {
        std::fprintf(stderr, "%s\n", std::string(again.status().message()).c_str());
        return 1;
      }
      if (times.empty()) times = *again;
      for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::min(times[i], (*again)[i]);
    }
    if (times.empty()) continue;  // the module has nothing to edit in this way
    row(std::string(kind), times.size(), median(times), *std::max_element(times.begin(), times.end()));
    if (kind != "shape") continue;
    const double memory = best_of(3, [&] { (void)predictor->memory(); });
    row("  memory()", 0, memory, memory);
    const double all = best_of(3, [&] { (void)predictor->predict(); });
    row("  predict()", 0, all, all);
  }
  std::printf("\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int edits = 200;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::string only;
  int runs = 1;
  while (arguments.size() > 2 && (arguments[0] == "--edits" || arguments[0] == "--kind" || arguments[0] == "--runs")) {
    if (arguments[0] == "--kind") {
      only = arguments[1];
    } else {
      (arguments[0] == "--edits" ? edits : runs) = std::max(1, std::atoi(arguments[1].c_str()));
    }
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  if (arguments.empty() || arguments.size() % 2 != 0) {
    std::fprintf(stderr, "usage: predictor_bench [--edits N] [--kind KIND] [--runs N] FILE DEVICE [FILE DEVICE ...]\n");
    return 1;
  }
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    if (const int rc = measure(arguments[i], arguments[i + 1], edits, runs, only); rc != 0) return rc;
  }
  return 0;
}
