// A pass that chooses layouts by predicted time. It tries every dimension order of every array and keeps the fastest.
//
//   choose_layout examples/narrow_heads.v5e.hlo tpu_v5e
//
// The result of a fusion and the root of its computation have the same layout, so the pass changes both. It leaves two
// tasks to the compiler: to propagate the layout further, and to provide a kernel for it.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/print.h"

namespace {

int fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

// The instructions that share a layout with `id`: itself and, for a fusion, the root of the fused computation.
std::vector<hloroof::InstructionId> with_root(const hloroof::Module& module, hloroof::InstructionId id) {
  std::vector<hloroof::InstructionId> all = {id};
  for (const hloroof::ComputationView body : module.instruction(id).computations(hloroof::AttributeKey::kCalls)) {
    if (body.root().shape().is_array()) all.push_back(body.root().id());
  }
  return all;
}

bool set_layout(hloroof::Predictor& predictor, hloroof::InstructionId id, const hloroof::Layout& layout) {
  bool all = true;
  for (const hloroof::InstructionId i : with_root(predictor.module(), id)) {
    all = predictor.edit().set_layout(i, layout).ok() && all;
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: choose_layout FILE DEVICE\n"), 1;
  absl::StatusOr<hloroof::Module> module = hloroof::load_module(argv[1]);
  if (!module.ok()) return fail(module.status());
  const absl::StatusOr<hloroof::Target> target = hloroof::find_target(argv[2]);
  if (!target.ok()) return fail(target.status());
  std::vector<hloroof::InstructionId> arrays;
  for (const hloroof::InstructionId id : hloroof::analyze_calls(*module).scheduled_instructions()) {
    const hloroof::Shape& shape = module->instruction(id).shape();
    if (shape.is_array() && shape.rank() >= 2 && shape.layout.present) arrays.push_back(id);
  }
  absl::StatusOr<hloroof::Predictor> predictor = hloroof::Predictor::create(*std::move(module), *target);
  if (!predictor.ok()) return fail(predictor.status());

  const absl::StatusOr<hloroof::StepSummary> original = predictor->summary();
  if (!original.ok()) return fail(original.status());
  double best = original->step_seconds;
  std::printf("%zu arrays, step %.3f us\n", arrays.size(), best * 1e6);
  int tried = 0;
  for (const hloroof::InstructionId id : arrays) {
    const hloroof::Checkpoint before = predictor->checkpoint();
    hloroof::Layout layout = predictor->module().instruction(id).shape().layout;
    hloroof::Layout chosen;
    bool changed = false;
    std::sort(layout.minor_to_major.begin(), layout.minor_to_major.end());
    do {
      if (!set_layout(*predictor, id, layout)) continue;
      ++tried;
      const absl::StatusOr<hloroof::StepSummary> summary = predictor->summary();
      if (!summary.ok()) return fail(summary.status());
      if (summary->step_seconds >= best * (1 - 1e-9)) continue;
      best = summary->step_seconds;
      chosen = layout;
      changed = true;
    } while (std::next_permutation(layout.minor_to_major.begin(), layout.minor_to_major.end()));
    if (const absl::Status status = predictor->rollback(before); !status.ok()) return fail(status);
    if (const absl::Status status = predictor->release(before); !status.ok()) return fail(status);
    if (!changed) continue;
    set_layout(*predictor, id, chosen);
    const hloroof::InstructionView array = predictor->module().instruction(id);
    hloroof::PrintOptions options = hloroof::PrintOptions::short_parsable();
    options.operand_names = false;
    std::printf("  %s, step %.3f us\n", hloroof::print_instruction(array, options).c_str(), best * 1e6);
  }
  std::printf("%d layouts tried, step %.3f us\n", tried, best * 1e6);
  return 0;
}
