#include "lib/schedule/list_schedule.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>

#include "lib/ir/rows.h"
#include "tests/catch.h"
#include "tests/schedule/program.h"

namespace hloroof::internal {
namespace {

struct ScheduledProgram : Program {
  using Program::Program;

  void scheduled() {
    for (InstructionId id : calls.scheduled_instructions()) {
      demands.at(id.index) = split_collective(module.instruction(id), demands[id.index]);
    }
    schedule = list_schedule(module, calls, demands, rules);
  }

  std::string order() const {
    std::string names;
    for (InstructionId id : schedule.order[module.entry().id().index]) {
      names += std::string(module.instruction(id).name()) + " ";
    }
    return names;
  }

  Scheduling rules{.transfers_ahead = 2};
  ListSchedule schedule;
};

const std::string kAdd = "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n";

// a reduces its gradient, then uses it, then computes b. The transfer overlaps b.
TEST_CASE("what waits for a transfer lets others go first") {
  ScheduledProgram program("HloModule m\n" + kAdd + R"(ENTRY main {
  p = f32[8] parameter(0)
  a = f32[8] exponential(p)
  sum = f32[8] all-reduce(a), replica_groups={}, to_apply=add
  renamed = f32[8] bitcast(sum)
  used = f32[8] negate(renamed)
  b = f32[8] tanh(p)
  ROOT r = f32[8] add(used, b)
}
)");
  program.runs("a", 1);
  program.runs("sum", 10);
  program.runs("used", 2);
  program.runs("b", 6);
  program.runs("r", 1);
  program.scheduled();
  CHECK(program.order() == "p a sum b renamed used r ");
  const Timeline timeline = replay(program.module, program.calls, program.pairs, program.demands, program.schedule);
  // a, then 10 of the transfer of which b hides 6, then used and r.
  CHECK(timeline.seconds == 1 + 10 + 2 + 1);
  CHECK(timeline.exposed[program.find("sum").index] == 4);
  CHECK(timeline.exposed[program.find("used").index] == 2);
}

TEST_CASE("a transfer that only the result needs ends with the program, and with each iteration of a loop") {
  ScheduledProgram program("HloModule m\n" + kAdd + R"(body {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[8] get-tuple-element(s), index=1
  one = s32[] constant(1)
  n = s32[] add(i, one)
  sum = f32[8] all-reduce(v), replica_groups={}, to_apply=add
  ROOT t = (s32[], f32[8]) tuple(n, sum)
}
condition {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  five = s32[] constant(5)
  ROOT c = pred[] compare(i, five), direction=LT
}
ENTRY main {
  z = s32[] constant(0)
  p = f32[8] parameter(0)
  init = (s32[], f32[8]) tuple(z, p)
  w = (s32[], f32[8]) while(init), condition=condition, body=body
  v = f32[8] get-tuple-element(w), index=1
  ROOT last = f32[8] all-reduce(v), replica_groups={}, to_apply=add
}
)");
  program.runs("sum", 3);
  program.runs("last", 7);
  program.demands.at(program.find("w").index).step = Step::kLoop;
  program.scheduled();
  const Timeline timeline = replay(program.module, program.calls, program.pairs, program.demands, program.schedule);
  CHECK(timeline.seconds == 5 * 3 + 7);
  CHECK(timeline.exposed[program.find("sum").index] == 15);
}

// All-gathers of weights are ready from the beginning: gathering them all at once would need memory for all.
TEST_CASE("few results of transfers lie about unused") {
  std::string text = "HloModule m\nENTRY main {\n  x0 = f32[8] parameter(0)\n";
  constexpr int kLayers = 12;
  for (int i = 0; i < kLayers; ++i) {
    text += "  w" + std::to_string(i) + " = f32[1] parameter(" + std::to_string(i + 1) + ")\n";
  }
  for (int i = 0; i < kLayers; ++i) {
    const std::string n = std::to_string(i);
    text += "  g" + n + " = f32[8] all-gather(w" + n + "), replica_groups={}, dimensions={0}\n";
    text += std::string(i == kLayers - 1 ? "  ROOT" : " ") + " x" + std::to_string(i + 1) + " = f32[8] add(x" + n +
            ", g" + n + ")\n";
  }
  ScheduledProgram program(text + "}\n");
  for (int i = 0; i < kLayers; ++i) {
    program.runs("g" + std::to_string(i), 1);
    program.runs("x" + std::to_string(i + 1), 4);
  }
  const auto most_unused = [&](std::int64_t ahead) {
    program.rules.transfers_ahead = ahead;
    program.scheduled();
    int unused = 0;
    int most = 0;
    for (InstructionId id : program.schedule.order[program.module.entry().id().index]) {
      const Opcode opcode = row_of(program.module, id).opcode;
      unused += opcode == Opcode::kAllGather ? 1 : opcode == Opcode::kAdd ? -1 : 0;
      most = std::max(most, unused);
    }
    return most;
  };
  CHECK(most_unused(1) <= 2);
  CHECK(most_unused(4) <= 5);
  CHECK(most_unused(4) > most_unused(1));
  CHECK(most_unused(2) <= 3);
  const Timeline timeline = replay(program.module, program.calls, program.pairs, program.demands, program.schedule);
  CHECK(timeline.seconds == Approx(1 + 4 * kLayers));  // all but the first gather hidden
}

TEST_CASE("a transfer does not share its lane with the one that is waited for") {
  ScheduledProgram program(R"(HloModule m
ENTRY main {
  x = f32[8] parameter(0)
  w0 = f32[1] parameter(1)
  w1 = f32[1] parameter(2)
  g0 = f32[8] all-gather(w0), replica_groups={}, dimensions={0}
  g1 = f32[8] all-gather(w1), replica_groups={}, dimensions={0}
  y = f32[8] add(x, g0)
  ROOT z = f32[8] add(y, g1)
}
)");
  for (const char* gather : {"g0", "g1"}) {
    program.runs(gather, 3);
    program.demands.at(program.find(gather).index).busy[static_cast<int>(Resource::kIci)] = 3;
  }
  program.runs("y", 5);
  program.runs("z", 5);
  program.scheduled();
  const Timeline timeline = replay(program.module, program.calls, program.pairs, program.demands, program.schedule);
  CHECK(timeline.seconds == Approx(3 + 5 + 5));
}

TEST_CASE("any schedule has every instruction once, after what it depends on") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    std::string text = "HloModule m\n" + kAdd + "ENTRY main {\n  v0 = f32[8] parameter(0)\n";
    const int count = 60;
    for (int i = 1; i < count; ++i) {
      const std::string name = (i == count - 1 ? "  ROOT v" : "  v") + std::to_string(i) + " = f32[8] ";
      const std::string a = "v" + std::to_string(random() % static_cast<unsigned>(i));
      const std::string b = "v" + std::to_string(random() % static_cast<unsigned>(i));
      const std::string before = random() % 4 == 0 ? ", control-predecessors={" + b + "}" : "";
      switch (random() % 4) {
        case 0: text += name + "all-reduce(" + a + "), replica_groups={}, to_apply=add" + before + "\n"; break;
        case 1: text += name + "bitcast(" + a + ")" + before + "\n"; break;
        default: text += name + "add(" + a + ", " + b + ")" + before + "\n"; break;
      }
    }
    ScheduledProgram program(text + "}\n");
    for (InstructionView instruction : program.module.entry().instructions()) {
      const Opcode opcode = instruction.opcode();
      if (opcode == Opcode::kAdd || opcode == Opcode::kAllReduce) {
        program.runs(instruction.name(), static_cast<double>(1 + random() % 9));
      }
    }
    program.scheduled();
    std::set<std::uint32_t> done;
    double serial = 0;
    for (InstructionId id : program.schedule.order[program.module.entry().id().index]) {
      const InstructionView instruction = program.module.instruction(id);
      for (InstructionId operand : instruction.operand_ids()) CHECK(done.count(operand.index) == 1);
      for (InstructionView before : instruction.control_predecessors()) CHECK(done.count(before.id().index) == 1);
      CHECK(done.insert(id.index).second);
      serial += program.demands[id.index].seconds;
    }
    CHECK(done.size() == static_cast<std::size_t>(count));
    const Timeline timeline = replay(program.module, program.calls, program.pairs, program.demands, program.schedule);
    double compute = 0;
    program.demands.for_each_written(
        [&](const Demand& demand) { compute += demand.step == Step::kRun ? demand.seconds : 0; });
    CHECK(timeline.seconds >= compute * (1 - 1e-12));
    CHECK(timeline.seconds <= serial * (1 + 1e-12));
  }
}

}  // namespace
}  // namespace hloroof::internal
