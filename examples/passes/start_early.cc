// A pass that starts transfers earlier. A start moves up in a scheduled dump together with what must go along, and
// stays where the step is shortest. What is legal is asked of OrderRules: in a schedule, values share memory, and all
// devices run their collectives in the same order.
//
//   start_early FILE DEVICE
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "hloroof/order.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"

namespace {

using hloroof::InstructionId;

int fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

// The instructions of the entry before `id`, the nearest first.
std::vector<InstructionId> before(const hloroof::Module& module, InstructionId id) {
  std::vector<InstructionId> ids;
  for (const hloroof::InstructionView instruction : module.entry().instructions()) {
    if (instruction.id() == id) break;
    ids.insert(ids.begin(), instruction.id());
  }
  return ids;
}

// Moves a start to the best of the places 1, 2, 4, ... instructions up. Returns the step then, and adds to `along` how
// many instructions had to go along.
absl::StatusOr<double> start_early(hloroof::Predictor& predictor, const hloroof::OrderRules& rules, InstructionId start,
                                   double step, std::size_t& along) {
  hloroof::ModuleEditor& edit = predictor.edit();
  const std::vector<InstructionId> places = before(edit.module(), start);
  std::optional<InstructionId> best;
  for (std::size_t distance = 1; distance <= places.size(); distance *= 2) {
    const hloroof::Checkpoint checkpoint = predictor.checkpoint();
    const InstructionId place = places[distance - 1];
    // A place may be illegal although a farther one is not: the place itself may have to go along.
    if (hloroof::move_before(edit, rules, start, place).ok()) {
      const absl::StatusOr<hloroof::StepSummary> summary = predictor.summary();
      if (!summary.ok()) return summary.status();
      if (summary->step_seconds < step) {
        best = place;
        step = summary->step_seconds;
      }
    }
    if (const absl::Status status = predictor.rollback(checkpoint); !status.ok()) return status;
    if (const absl::Status status = predictor.release(checkpoint); !status.ok()) return status;
  }
  if (best) {
    const absl::StatusOr<std::vector<InstructionId>> moved = hloroof::moved_along(edit.module(), rules, start, *best);
    if (!moved.ok()) return moved.status();
    along += moved->size() - 1;
    if (const absl::Status status = hloroof::move_before(edit, rules, start, *best); !status.ok()) return status;
  }
  return step;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: start_early FILE DEVICE\n"), 1;
  absl::StatusOr<hloroof::Module> module = hloroof::load_module(argv[1]);
  if (!module.ok()) return fail(module.status());
  const absl::StatusOr<hloroof::OrderRules> rules = hloroof::find_order_rules(*module);
  if (!rules.ok()) return fail(rules.status());
  const absl::StatusOr<hloroof::Target> target = hloroof::find_target(argv[2]);
  if (!target.ok()) return fail(target.status());
  absl::StatusOr<hloroof::Predictor> predictor = hloroof::Predictor::create(*module, *target);
  if (!predictor.ok()) return fail(predictor.status());
  const absl::StatusOr<hloroof::StepSummary> first = predictor->summary();
  if (!first.ok()) return fail(first.status());

  std::vector<InstructionId> starts;
  for (const hloroof::InstructionView instruction : module->entry().instructions()) {
    for (const InstructionId start : rules->starts[instruction.id().index]) {
      if (module->instruction(start).computation().id() == module->entry().id()) starts.push_back(start);
    }
  }
  double step = first->step_seconds;
  int moved = 0;
  std::size_t along = 0;
  for (const InstructionId start : starts) {
    const absl::StatusOr<double> then = start_early(*predictor, *rules, start, step, along);
    if (!then.ok()) return fail(then.status());
    moved += *then < step ? 1 : 0;
    step = *then;
  }
  std::printf("%d of %zu starts moved, step %.1f us -> %.1f us\n", moved, starts.size(), first->step_seconds * 1e6,
              step * 1e6);
  std::printf("%zu other instructions went along\n", along);

  // The order is worth as much in the module as it was loaded.
  std::vector<InstructionId> order;
  for (const hloroof::InstructionView instruction : predictor->module().entry().instructions()) {
    order.push_back(instruction.id());
  }
  hloroof::ModuleEditor edit(*module);
  if (const absl::Status status = hloroof::set_order(edit, *rules, module->entry().id(), order); !status.ok()) {
    return fail(status);
  }
  const absl::Status status = hloroof::verify(*module);
  return status.ok() ? 0 : fail(status);
}
