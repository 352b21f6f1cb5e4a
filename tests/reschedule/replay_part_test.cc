// The replay of a part of the entry agrees with the replay of all of it, and so do its waits.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "hloroof/edit.h"
#include "lib/reschedule/orders.h"
#include "lib/schedule/replayer.h"
#include "lib/step/facts.h"
#include "tests/paths.h"
#include "tests/reschedule/run.h"

namespace hloroof::internal {
namespace {

TEST_CASE("the step after a move in the entry") {
  for (const char* file : {"examples/ffn_block.v5e_2x4.hlo", "examples/decode_step.v5e.hlo"}) {
    INFO(file);
    absl::StatusOr<Module> loaded = load_module(source_path(file));
    REQUIRE(loaded.ok());
    Module module = *std::move(loaded);
    const absl::StatusOr<StepPrediction> before = predict_step_time(module, test_device());
    REQUIRE(before.ok());
    const StepFacts& facts = *before->facts;
    Replayer replayer(module, /*record=*/false);
    replayer.replay(facts.calls, facts.pairs, facts.costs.demand, facts.schedule, {});
    CHECK(replayer.seconds() == before->step_seconds);
    std::vector<InstructionId> steps;
    for (InstructionView instruction : module.entry().instructions()) {
      if (facts.costs.demand[instruction.id().index].step != Step::kFree) steps.push_back(instruction.id());
    }
    ModuleEditor edit(module);
    std::size_t moved = 0;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      const Checkpoint checkpoint = edit.checkpoint();
      const bool is_legal = edit.move_before(steps[i + 1], steps[i]).ok();
      if (is_legal) {
        const absl::StatusOr<StepPrediction> after = predict_step_time(module, test_device());
        REQUIRE(after.ok());
        CHECK_THAT(replayer.entry_seconds_if(i, {steps[i + 1], steps[i]}),
                   Catch::Matchers::WithinRel(after->step_seconds, 1e-9));
        ++moved;
      }
      REQUIRE(edit.rollback(checkpoint).ok());
      REQUIRE(edit.release(checkpoint).ok());
    }
    CHECK(moved > 5);
  }
}

TEST_CASE("the waits of an order, asked for twice") {
  const absl::StatusOr<Module> module = load_module(source_path("examples/ffn_block.v5e_2x4.hlo"));
  REQUIRE(module.ok());
  const RescheduleOptions options = without_clock();
  const absl::StatusOr<std::unique_ptr<Orders>> orders = Orders::create(*module, test_device(), options);
  REQUIRE(orders.ok());
  const std::vector<Reason> first = (*orders)->waits();
  const std::vector<Reason> second = (*orders)->waits();
  REQUIRE_FALSE(first.empty());
  REQUIRE(second.size() == first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(second[i].waiting == first[i].waiting);
    CHECK(second[i].transfer == first[i].transfer);
    CHECK(second[i].seconds == first[i].seconds);
  }
}

}  // namespace
}  // namespace hloroof::internal
