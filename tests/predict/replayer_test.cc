// A replay after an edit is that of the whole module, and looks at a part of it.
#include "lib/schedule/replayer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "lib/analysis/calls.h"
#include "lib/ir/rows.h"
#include "lib/schedule/clock.h"
#include "lib/step/facts.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

TEST_CASE("a clock does not depend on the order of additions") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-12, 3);
  std::vector<double> seconds(1000);
  for (double& s : seconds) s = std::pow(10.0, exponent(random));
  Clock forward;
  Clock backward;
  double sum = 0;
  for (double s : seconds) forward.add(s);
  for (auto s = seconds.rbegin(); s != seconds.rend(); ++s) backward.add(*s);
  for (double s : seconds) sum += s;
  CHECK(forward.seconds() == backward.seconds());
  CHECK(forward.seconds() == Approx(sum).epsilon(1e-12));
  CHECK((forward - backward).seconds() == 0);
}

TEST_CASE("a clock shows what was added, to the last bit") {
  for (double seconds : {0.0, 1e-12, 4.3272727272725565e-07, 0.1, 1.0, 3.141592653589793, 1e9 + 0.25, 3e14}) {
    Clock clock;
    clock.add(seconds);
    CHECK(clock.seconds() == seconds);
    Clock other = clock;
    other.add(0.75);
    CHECK((other - clock).seconds() == 0.75);
    CHECK((other - clock + clock).seconds() == other.seconds());
  }
}

TEST_CASE("a clock saturates beyond any step") {
  Clock clock;
  for (int i = 0; i < 100; ++i) clock.add(2 * kForever);
  CHECK(clock.is_saturated());
  CHECK(clock.seconds() == kForever);
  CHECK((clock + clock).seconds() == clock.seconds());
}

struct Program {
  Module module;
  StepFacts facts;
};

Program program_of(const char* file) {
  absl::StatusOr<Module> module = load_module(source_path(file));
  REQUIRE(module.ok());
  Program program = {*std::move(module), {}};
  absl::StatusOr<StepFacts> facts = find_facts(borrow(program.module), find_target("tpu_v5e:2x4").value(), {});
  INFO(facts.status().message());
  REQUIRE(facts.ok());
  program.facts = *std::move(facts);
  return program;
}

// The sums of `replayer` from scratch.
ReplaySums sums_of(Replayer replayer, const StepFacts& facts) {
  ReplaySums sums;
  sums.executions = CallFacts::executions_with(facts.calls, replayer.branches());
  replayer.forget_sums();
  (void)replayer.add_up(facts.calls, facts.costs.demand, sums);
  return sums;
}

void require_same(const ReplaySums& x, const ReplaySums& y) {
  REQUIRE(x.seconds == y.seconds);
  REQUIRE(x.serial_seconds == y.serial_seconds);
  REQUIRE(x.exposed == y.exposed);
  REQUIRE(x.waited == y.waited);
  REQUIRE(all_waits(x) == all_waits(y));
  REQUIRE(x.busy == y.busy);
  REQUIRE(x.executed == y.executed);
}

TEST_CASE("one step that takes longer or less") {
  for (const char* file : {"examples/decode_step.v5e.hlo", "examples/ffn_block.v5e_2x4.hlo"}) {
    INFO(file);
    const Program program = program_of(file);
    StepFacts facts = program.facts;
    Replayer kept(program.module, /*record=*/false);
    kept.replay(facts.calls, facts.pairs, facts.costs.demand, facts.schedule, {});
    const std::uint64_t all = kept.steps_replayed();
    std::vector<InstructionId> steps;
    for (ComputationId id : CallFacts::scheduled(facts.calls)) {
      for (InstructionView instruction : program.module.computation(id).instructions()) {
        if (facts.costs.demand[instruction.id().index].step != Step::kFree) steps.push_back(instruction.id());
      }
    }
    std::mt19937 random(7);
    ReplaySums sums = sums_of(kept, facts);
    kept.add_up(facts.calls, facts.costs.demand, sums);
    std::uint64_t looked_at = 0;
    std::uint64_t edits = 0;
    for (; edits < 100; ++edits) {
      const InstructionId id = steps[random() % steps.size()];
      Demand& demand = facts.costs.demand.at(id.index);
      demand.seconds *= edits % 2 == 0 ? 1.5 : 0.25;
      const std::uint64_t before = kept.steps_replayed();
      ReplayChanges changes;
      changes.steps = {id};
      kept.replay(facts.calls, facts.pairs, facts.costs.demand, facts.schedule, changes);
      looked_at += kept.steps_replayed() - before;
      Replayer whole(program.module, /*record=*/false);
      whole.replay(facts.calls, facts.pairs, facts.costs.demand, facts.schedule, {});
      require_same(sums_of(kept, facts), sums_of(whole, facts));
      // A step that takes longer changes the sums of the computation that has it, and perhaps those of others.
      const std::vector<ComputationId> added = kept.add_up(facts.calls, facts.costs.demand, sums);
      CHECK(std::find(added.begin(), added.end(), row_of(program.module, id).computation) != added.end());
      require_same(sums, sums_of(whole, facts));
    }
    CHECK(looked_at < edits * all / 2);
  }
}

}  // namespace
}  // namespace hloroof::internal
