#include "lib/schedule/timeline.h"

#include <cmath>
#include <limits>
#include <string>

#include "tests/catch.h"
#include "tests/schedule/program.h"

namespace hloroof::internal {
namespace {

constexpr int kHbm = static_cast<int>(Resource::kHbm);

struct ReplayedProgram : Program {
  using Program::Program;

  void starts(std::string_view name, double seconds, double hbm = 0) {
    runs(name, seconds, hbm);
    demand(name).step = Step::kStart;
    demand(name).lane = Lane::kDma;
  }

  Timeline replayed() { return replay(module, calls, pairs, demands); }
  double exposed(const Timeline& timeline, std::string_view name) const { return timeline.exposed[find(name).index]; }
};

constexpr char kOverlap[] = R"(
HloModule overlap, is_scheduled=true
ENTRY main {
  p = f32[8] parameter(0)
  start = (f32[8]{0:S(1)}, f32[8], u32[]{:S(2)}) copy-start(p)
  work = f32[8] negate(p)
  done = f32[8]{0:S(1)} copy-done(start)
  ROOT r = f32[8] add(work, done)
}
)";

TEST_CASE("a transfer runs beside compute and the done stalls for what is left") {
  ReplayedProgram program(kOverlap);
  program.demand("done").step = Step::kDone;
  program.starts("start", 5);
  program.runs("work", 3);
  program.runs("r", 1);
  const Timeline timeline = program.replayed();
  CHECK(timeline.seconds == Approx(6));
  CHECK(program.exposed(timeline, "start") == 0);
  CHECK(program.exposed(timeline, "work") == Approx(3));
  CHECK(program.exposed(timeline, "done") == Approx(2));
  CHECK(timeline.serial_seconds == Approx(9));
  // The path goes through the transfer, not through the op that overlaps it.
  CHECK(timeline.critical[program.find("start").index] == Approx(5));
  CHECK(timeline.critical[program.find("work").index] == 0);
  CHECK(timeline.critical[program.find("r").index] == Approx(1));
}

TEST_CASE("a start that performs a part of its transfer holds the compute stream for it") {
  ReplayedProgram program(kOverlap);
  program.demand("done").step = Step::kDone;
  program.starts("start", 5);
  program.demand("start").held = 2;
  program.runs("work", 4);
  program.runs("r", 1);
  const Timeline timeline = program.replayed();
  CHECK(timeline.seconds == Approx(7));
  CHECK(program.exposed(timeline, "start") == Approx(2));
  CHECK(program.exposed(timeline, "work") == Approx(4));
  CHECK(program.exposed(timeline, "done") == 0);
  // All of it: nothing is hidden, and the end does not wait.
  program.demand("start").held = 5;
  CHECK(program.replayed().seconds == Approx(10));
  CHECK(program.exposed(program.replayed(), "start") == Approx(5));
}

TEST_CASE("a hidden transfer does not stall") {
  ReplayedProgram program(kOverlap);
  program.demand("done").step = Step::kDone;
  program.starts("start", 2);
  program.runs("work", 3);
  CHECK(program.replayed().seconds == Approx(3));
}

// The seconds that `op` waits for `awaited` because of `cause`.
double waited(const Program& program, const Timeline& timeline, std::string_view op, std::string_view awaited,
              std::string_view cause) {
  double seconds = 0;
  for (const Wait& wait : timeline.waits) {
    if (wait.op == program.find(op) && wait.awaited == program.find(awaited) && wait.cause == program.find(cause)) {
      seconds += wait.seconds;
    }
  }
  return seconds;
}

constexpr char kTwoTransfers[] = R"(
HloModule queue, is_scheduled=true
ENTRY main {
  p = f32[8] parameter(0)
  q = f32[8] parameter(1)
  long = (f32[8]{0:S(1)}, f32[8], u32[]{:S(2)}) copy-start(p)
  short = (f32[8]{0:S(1)}, f32[8], u32[]{:S(2)}) copy-start(q)
  work = f32[8] negate(p)
  short.done = f32[8]{0:S(1)} copy-done(short)
  long.done = f32[8]{0:S(1)} copy-done(long)
  ROOT r = f32[8] add(short.done, long.done)
}
)";

TEST_CASE("a wait is charged to the transfer itself and to those that it queues behind") {
  ReplayedProgram program(kTwoTransfers);
  program.demand("short.done").step = Step::kDone;
  program.demand("long.done").step = Step::kDone;
  program.starts("long", 9, 9);
  program.starts("short", 3, 3);
  program.runs("work", 2);
  const Timeline timeline = program.replayed();
  // Both get half of the memory: after the 2 seconds of work, `short` has 2 left, which take 4. Then `long` has 6 left.
  CHECK(timeline.seconds == Approx(12));
  CHECK(program.exposed(timeline, "short.done") == Approx(4));
  CHECK(waited(program, timeline, "short.done", "short", "short") == Approx(2));
  CHECK(waited(program, timeline, "short.done", "short", "long") == Approx(2));
  CHECK(waited(program, timeline, "long.done", "long", "long") == Approx(6));
  CHECK(timeline.waits.size() == 3);
  CHECK(timeline.waited[program.find("short.done").index] == Approx(4));
  CHECK(timeline.waited[program.find("work").index] == 0);
}

TEST_CASE("a done that works and waits has an event for each") {
  ReplayedProgram program(kOverlap);
  program.runs("done", 1);
  program.demand("done").step = Step::kDone;
  program.starts("start", 5);
  program.runs("work", 3);
  const Timeline timeline = program.replayed();
  CHECK(timeline.waited[program.find("done").index] == Approx(1));
  CHECK(program.exposed(timeline, "done") == Approx(2));
  std::vector<TimelineEvent> events;
  for (const TimelineEvent& event : timeline.events) {
    if (event.id == program.find("done")) events.push_back(event);
  }
  REQUIRE(events.size() == 2);
  CHECK_FALSE(events[0].awaited.valid());
  CHECK(events[0].end == Approx(4));
  CHECK(events[1].awaited == program.find("start"));
  CHECK(events[1].end == Approx(5));
}

TEST_CASE("what shares a resource slows down by the sum of the shares") {
  struct Case {
    double work_hbm;  // of 3 seconds
    double seconds;
  };
  // The transfer keeps the memory busy for all of its 4 seconds. Work that does too gets half of it: 6 seconds for 3,
  // then 1 second for the rest of the transfer. Work that uses a third of it: load 4/3, 4 seconds for 3, then 1.
  for (const Case& c : {Case{0, 4}, Case{3, 7}, Case{1, 5}}) {
    ReplayedProgram program(kOverlap);
    program.demand("done").step = Step::kDone;
    program.starts("start", 4, 4);
    program.runs("work", 3, c.work_hbm);
    CAPTURE(c.work_hbm);
    CHECK(program.replayed().seconds == Approx(c.seconds));
  }
}

// The transfer takes 2 seconds of latency, then 2 seconds of all of the memory. The work uses the memory for 1 second.
// What it does of that in the first 2 seconds costs the transfer nothing.
TEST_CASE("the latency of a transfer comes first, so that faster work never makes the step longer") {
  struct Case {
    double work;
    double seconds;
  };
  for (const Case& c : {Case{4, 4.5}, Case{3, 4 + 1.0 / 3}, Case{2, 4}, Case{1, 4}}) {
    ReplayedProgram program(kOverlap);
    program.demand("done").step = Step::kDone;
    program.starts("start", 4, 2);
    program.runs("work", c.work, 1);
    CAPTURE(c.work);
    CHECK(program.replayed().seconds == Approx(c.seconds));
  }
}

TEST_CASE("transfers on the same links share them, on different axes they do not") {
  constexpr char kTwo[] = R"(
HloModule two, is_scheduled=true
ENTRY main {
  p = f32[8] parameter(0)
  first = (f32[8], f32[8], u32[]) copy-start(p)
  second = (f32[8], f32[8], u32[]) copy-start(p)
  d1 = f32[8] copy-done(first)
  ROOT d2 = f32[8] copy-done(second)
}
)";
  for (const bool same_axis : {true, false}) {
    ReplayedProgram program(kTwo);
    for (const char* done : {"d1", "d2"}) program.demand(done).step = Step::kDone;
    program.starts("first", 4);
    program.starts("second", 4);
    program.demand("first").busy[kResourceCount] = 4;
    program.demand("second").busy[kResourceCount + (same_axis ? 0 : 1)] = 4;
    const Timeline timeline = program.replayed();
    CHECK(timeline.seconds == Approx(same_axis ? 8 : 4));
    CHECK(timeline.busy[static_cast<int>(Resource::kIci)] == Approx(same_axis ? 8 : 4));
  }
}

TEST_CASE("a transfer that nobody awaits is over before the step is") {
  ReplayedProgram program(R"(
HloModule m, is_scheduled=true
ENTRY main {
  p = f32[8] parameter(0)
  start = (f32[8], f32[8], u32[]) copy-start(p)
  ROOT r = f32[8] negate(p)
}
)");
  program.starts("start", 5);
  program.runs("r", 1);
  CHECK(program.replayed().seconds == Approx(5));
}

std::string loop(const std::string& trips, const std::string& body) {
  return R"(
HloModule m, is_scheduled=true
cond {
  c = (s32[], f32[8]) parameter(0)
  ci = s32[] get-tuple-element(c), index=0
  n = s32[] constant()" +
         trips + R"()
  ROOT lt = pred[] compare(ci, n), direction=LT
}
body {
  b = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(b), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[8] get-tuple-element(b), index=1
)" + body +
         R"(
  ROOT t = (s32[], f32[8]) tuple(next, y)
}
ENTRY main {
  zero = s32[] constant(0)
  p = f32[8] parameter(0)
  init = (s32[], f32[8]) tuple(zero, p)
  w = (s32[], f32[8]) while(init), condition=cond, body=body
  ROOT r = f32[8] get-tuple-element(w), index=1
}
)";
}

TEST_CASE("a loop costs its trips, whatever their number") {
  for (const std::int64_t trips : {0L, 1L, 3L, 1000000000L}) {
    ReplayedProgram program(loop(std::to_string(trips), "  y = f32[8] negate(x)"));
    program.runs("y", 2);
    program.runs("lt", 0.25);
    program.demand("w").step = Step::kLoop;
    program.demand("w").issue = 0.5;
    const Timeline timeline = program.replayed();
    const auto n = static_cast<double>(trips);
    CAPTURE(trips);
    CHECK(timeline.seconds == Approx(n * 2.5 + (n + 1) * 0.25));
    CHECK(program.exposed(timeline, "y") == Approx(n * 2));
    CHECK(program.exposed(timeline, "w") == Approx(n * 0.5));
    double sum = 0;
    for (double seconds : timeline.exposed) sum += seconds;
    CHECK(sum == Approx(timeline.seconds));
  }
}

TEST_CASE("a transfer that the loop hands on overlaps with the next iteration") {
  // Each iteration awaits the transfer that the one before it started: the first has none to await.
  ReplayedProgram program(R"(
HloModule m, is_scheduled=true
cond {
  c = (s32[], (f32[8], f32[8], u32[])) parameter(0)
  ci = s32[] get-tuple-element(c), index=0
  n = s32[] constant(10)
  ROOT lt = pred[] compare(ci, n), direction=LT
}
body {
  b = (s32[], (f32[8], f32[8], u32[])) parameter(0)
  i = s32[] get-tuple-element(b), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  flight = (f32[8], f32[8], u32[]) get-tuple-element(b), index=1
  work = f32[8] constant({1,2,3,4,5,6,7,8})
  done = f32[8] copy-done(flight)
  start = (f32[8], f32[8], u32[]) copy-start(done)
  ROOT t = (s32[], (f32[8], f32[8], u32[])) tuple(next, start)
}
ENTRY main {
  zero = s32[] constant(0)
  p = f32[8] parameter(0)
  first = (f32[8], f32[8], u32[]) copy-start(p)
  init = (s32[], (f32[8], f32[8], u32[])) tuple(zero, first)
  w = (s32[], (f32[8], f32[8], u32[])) while(init), condition=cond, body=body
  last = (f32[8], f32[8], u32[]) get-tuple-element(w), index=1
  ROOT r = f32[8] copy-done(last)
}
)");
  CHECK(program.pairs.starts_of(program.find("done")).size() == 2);
  CHECK(program.pairs.starts_of(program.find("r")).size() == 2);
  program.starts("start", 5);
  program.runs("work", 3);
  program.demand("done").step = Step::kDone;
  program.demand("r").step = Step::kDone;
  program.demand("w").step = Step::kLoop;
  // The first iteration takes 3, each of the nine others 5, and the last transfer is awaited after the loop.
  CHECK(program.replayed().seconds == Approx(3 + 9 * 5 + 5));
}

TEST_CASE("a conditional takes its slowest branch unless probabilities are given") {
  const std::string text = R"(
HloModule m, is_scheduled=true
a { pa = f32[8] parameter(0)
  ROOT ra = f32[8] negate(pa) }
b { pb = f32[8] parameter(0)
  ROOT rb = f32[8] negate(pb) }
ENTRY main {
  p = f32[8] parameter(0)
  k = s32[] parameter(1)
  ROOT c = f32[8] conditional(k, p, p), branch_computations={a, b}
}
)";
  ReplayedProgram program(text);
  program.runs("ra", 1);
  program.runs("rb", 3);
  program.demand("c").step = Step::kBranch;
  const Timeline slowest = program.replayed();
  CHECK(slowest.seconds == Approx(3));
  CHECK(program.exposed(slowest, "ra") == 0);
  CHECK(program.exposed(slowest, "rb") == Approx(3));
  // The replay says how often the branches run and leaves the call graph as it is.
  const std::uint32_t b = program.module.instruction(program.find("rb")).computation().id().index;
  CHECK(slowest.executions[b] == 1);
  CHECK(program.calls.executions(ComputationId(b)) == 0.5);

  CallOptions options;
  options.branch_probabilities["c"] = {0.75, 0.25};
  program.calls = analyze_calls(program.module, options);
  const Timeline expected = program.replayed();
  CHECK(expected.seconds == Approx(1.5));
  CHECK(program.exposed(expected, "ra") == Approx(0.75));
}

TEST_CASE("what is left when a resource is free") {
  Demand demand;
  demand.seconds = 10;
  demand.busy[static_cast<int>(Resource::kMatrix)] = 9;
  demand.busy[kHbm] = 4;
  demand.busy[static_cast<int>(Resource::kLatency)] = 1;
  CHECK(without(demand, Resource::kMatrix).seconds == Approx(5));
  CHECK(without(demand, Resource::kHbm).seconds == Approx(10));
  CHECK(without(demand, Resource::kLatency).seconds == Approx(9));
  CHECK(without(demand, Resource::kDcn).seconds == 10);
  Demand transfer;
  transfer.seconds = 3;
  transfer.busy[kResourceCount + 2] = 2;
  transfer.busy[static_cast<int>(Resource::kLatency)] = 1;
  transfer.held = 1.5;
  CHECK(without(transfer, Resource::kIci).seconds == Approx(1));
  CHECK(without(transfer, Resource::kIci).held == Approx(0.5));
}

TEST_CASE("durations beyond any step are cut off rather than made infinite") {
  ReplayedProgram program(kOverlap);
  program.starts("start", std::numeric_limits<double>::infinity());
  program.runs("work", std::numeric_limits<double>::infinity());
  program.demand("done").step = Step::kDone;
  const Timeline timeline = program.replayed();
  CHECK(timeline.seconds >= kForever);
  CHECK(std::isfinite(timeline.seconds));
}

TEST_CASE("events lie within the step and in order") {
  ReplayedProgram program(loop("3", "  y = f32[8] negate(x)"));
  program.runs("y", 2);
  program.demand("w").step = Step::kLoop;
  const Timeline timeline = program.replayed();
  REQUIRE(timeline.events.size() == 2);
  CHECK(timeline.events[0].begin == 0);
  for (const TimelineEvent& event : timeline.events) {
    CHECK(event.end <= timeline.seconds);
    if (event.id == program.find("y")) CHECK(event.executions == 3);
  }
}

TEST_CASE("the body of a loop begins where its condition ends") {
  ReplayedProgram program(loop("3", "  y = f32[8] negate(x)"));
  program.runs("y", 2);
  program.runs("lt", 0.25);
  program.demand("w").step = Step::kLoop;
  double condition = -1;
  double body = -1;
  for (const TimelineEvent& event : program.replayed().events) {
    if (event.id == program.find("lt")) condition = event.end;
    if (event.id == program.find("y")) body = event.begin;
  }
  CHECK(condition == Approx(0.25));
  CHECK(body == Approx(0.25));
}

}  // namespace
}  // namespace hloroof::internal
