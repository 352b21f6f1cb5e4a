// Searches thousands of variants of a program and prints the rate. Each variant is one edit of the best program so far.
//
//   search_variants examples/decode_step.v5e.hlo tpu_v5e 10000
//
// A variant changes the layout or the memory (HBM or VMEM) of one array. The search keeps it if the step is shorter.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"

namespace {

int fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: search_variants FILE DEVICE COUNT\n"), 1;
  absl::StatusOr<hloroof::Module> module = hloroof::load_module(argv[1]);
  if (!module.ok()) return fail(module.status());
  const absl::StatusOr<hloroof::Target> target = hloroof::find_target(argv[2]);
  if (!target.ok()) return fail(target.status());
  const int count = std::max(1, std::atoi(argv[3]));
  std::vector<hloroof::InstructionId> arrays;
  for (const hloroof::InstructionId id : hloroof::analyze_calls(*module).scheduled_instructions()) {
    const hloroof::Shape& shape = module->instruction(id).shape();
    if (shape.is_array() && shape.rank() >= 1 && shape.layout.present) arrays.push_back(id);
  }
  if (arrays.empty()) return std::fprintf(stderr, "no arrays with a layout\n"), 1;
  absl::StatusOr<hloroof::Predictor> predictor = hloroof::Predictor::create(*std::move(module), *target);
  if (!predictor.ok()) return fail(predictor.status());

  const absl::StatusOr<hloroof::StepSummary> original = predictor->summary();
  if (!original.ok()) return fail(original.status());
  double best = original->step_seconds;
  std::printf("%zu instructions, step %.3f us\n", predictor->module().instruction_count(), best * 1e6);
  std::mt19937 random(1);
  int kept = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    const hloroof::InstructionId id = arrays[random() % arrays.size()];
    hloroof::Layout layout = predictor->module().instruction(id).shape().layout;
    const hloroof::Checkpoint before = predictor->checkpoint();
    if (random() % 2 == 0) {
      layout.memory_space = layout.memory_space == 0 ? 1 : 0;
    } else {
      std::swap(layout.minor_to_major.front(), layout.minor_to_major[random() % layout.minor_to_major.size()]);
    }
    if (const absl::Status status = predictor->edit().set_layout(id, layout); !status.ok()) return fail(status);
    const absl::StatusOr<hloroof::StepSummary> summary = predictor->summary();
    if (!summary.ok()) return fail(summary.status());
    if (summary->step_seconds < best) {
      best = summary->step_seconds;
      ++kept;
    } else if (const absl::Status status = predictor->rollback(before); !status.ok()) {
      return fail(status);
    }
    if (const absl::Status status = predictor->release(before); !status.ok()) return fail(status);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%d variants, %d kept, step %.3f us\n", count, kept, best * 1e6);
  std::printf("%.0f variants per second\n", count / took.count());
  return 0;
}
