// Small modules of which the best order is known.
#include "lib/reschedule/search.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "hloroof/print.h"
#include "tests/reschedule/run.h"

namespace hloroof::internal {
namespace {

// An all-gather of 16 MiB takes a fraction of the product's time.
const std::string kParameters =
    "  %p = bf16[1024,1024]{1,0} parameter(0)\n  %w = bf16[4096,4096]{1,0} parameter(1)\n"
    "  %x = bf16[4096,4096]{1,0} parameter(2)\n";
const std::string kGather =
    "  %gather = (bf16[1024,1024]{1,0}, bf16[8192,1024]{1,0}) all-gather-start(%p)" + over_all(1);
const std::string kGathered = "  %gathered = bf16[8192,1024]{1,0} all-gather-done(%gather)\n";
const std::string kDot =
    "  %dot = bf16[4096,4096]{1,0} dot(%w, %x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
const std::string kUse = "  %use = bf16[8192,1024]{1,0} negate(%gathered)\n";
const std::string kRoot = "  ROOT %r = (bf16[8192,1024]{1,0}, bf16[4096,4096]{1,0}) tuple(%use, %dot)\n";

struct Case {
  const char* name;
  std::string instructions;
  const char* best;  // order
  bool waits;        // whether a wait is left
};

TEST_CASE("transfers end up where the product hides them") {
  const Case cases[] = {
      {"the done moves down", kGather + kGathered + kDot + kUse + kRoot, "gather dot gathered use r", false},
      {"its user goes along", kGather + kGathered + kUse + kDot + kRoot, "gather dot gathered use r", false},
      {"the start moves up", kDot + kGather + kGathered + kUse + kRoot, "gather dot gathered use r", false},
      {"hidden already", kGather + kDot + kGathered + kUse + kRoot, "gather dot gathered use r", false},
      {"nothing to hide behind", kGather + kGathered + "  %dot = bf16[4096,4096]{1,0} copy(%w)\n" + kUse + kRoot,
       "gather dot gathered use r", true},
      {"a control edge keeps the start back",
       kDot + kGather.substr(0, kGather.size() - 1) + ", control-predecessors={%dot}\n" + kGathered + kUse + kRoot,
       "dot gather gathered use r", true},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    Module module = parsed(scheduled(kParameters + c.instructions));
    const Rescheduling result = rescheduled(module);
    CHECK(order_of_entry(module) == c.best);
    CHECK((result.after.wait_seconds > 0) == c.waits);
    if (!c.waits) CHECK(result.end == SearchEnd::kNothingBetter);
    CHECK(result.moves.empty() == (result.after.step_seconds == result.before.step_seconds));
    CHECK(!result.bounds.empty());
  }
}

// So many ops depend on the done that they cannot move behind the product together. The product can move before it, and
// the ops one by one.
TEST_CASE("a product hides a transfer whose done cannot move with its users") {
  std::string instructions = kParameters + kGather + kGathered;
  std::string last = "gathered";
  for (int i = 0; i < 70; ++i) {
    const std::string next = "use." + std::to_string(i);
    instructions += "  %" + next + " = bf16[8192,1024]{1,0} negate(%" + last + ")\n";
    last = next;
  }
  Module module = parsed(scheduled(
      instructions + kDot + "  ROOT %r = (bf16[8192,1024]{1,0}, bf16[4096,4096]{1,0}) tuple(%" + last + ", %dot)\n"));
  const Rescheduling result = rescheduled(module);
  CHECK(order_of_entry(module).substr(0, 19) == "gather dot gathered");
  CHECK(result.after.wait_seconds == 0);
  CHECK(result.end == SearchEnd::kNothingBetter);
}

TEST_CASE("it does so in the body of a loop") {
  std::string body =
      "  %in = (s32[], bf16[1024,1024]{1,0}, bf16[4096,4096]{1,0}) parameter(0)\n"
      "  %i = s32[] get-tuple-element(%in), index=0\n  %one = s32[] constant(1)\n"
      "  %p = bf16[1024,1024]{1,0} get-tuple-element(%in), index=1\n"
      "  %w = bf16[4096,4096]{1,0} get-tuple-element(%in), index=2\n" +
      kGather + kGathered;
  std::string last = "gathered";
  for (int i = 0; i < 70; ++i) {
    const std::string next = "use." + std::to_string(i);
    body += "  %" + next + " = bf16[8192,1024]{1,0} negate(%" + last + ")\n";
    last = next;
  }
  body +=
      "  %dot = bf16[4096,4096]{1,0} dot(%w, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  %next = bf16[1024,1024]{1,0} slice(%" +
      last +
      "), slice={[0:1024], [0:1024]}\n"
      "  %more = s32[] add(%i, %one)\n"
      "  ROOT %out = (s32[], bf16[1024,1024]{1,0}, bf16[4096,4096]{1,0}) tuple(%more, %next, %dot)\n";
  const std::string state = "(s32[], bf16[1024,1024]{1,0}, bf16[4096,4096]{1,0})";
  Module module = parsed("HloModule m, is_scheduled=true, num_partitions=8\n\n%body {\n" + body +
                         "}\n\n%condition {\n  %in = " + state +
                         " parameter(0)\n  %i = s32[] get-tuple-element(%in), index=0\n  %n = s32[] constant(6)\n"
                         "  ROOT %less = pred[] compare(%i, %n), direction=LT\n}\n\nENTRY %main {\n"
                         "  %zero = s32[] constant(0)\n  %p = bf16[1024,1024]{1,0} parameter(0)\n"
                         "  %w = bf16[4096,4096]{1,0} parameter(1)\n  %begin = " +
                         state + " tuple(%zero, %p, %w)\n  ROOT %loop = " + state +
                         " while(%begin), condition=%condition, body=%body\n}\n");
  const Rescheduling result = rescheduled(module);
  CHECK(result.after.step_seconds < result.before.step_seconds);
  CHECK(result.after.wait_seconds < 0.01 * result.before.wait_seconds);
  REQUIRE(!result.moves.empty());
  CHECK(result.moves[0].computation == "body");
}

TEST_CASE("the seed and the number of trials determine the order") {
  const std::string text = scheduled("  %p = bf16[1024,1024]{1,0} parameter(0)\n" + kGather + kGathered +
                                     "  ROOT %r = bf16[8192,1024]{1,0} negate(%gathered)\n");
  Module module = parsed(text);
  RescheduleOptions options = without_clock(7);
  options.seed = 3;
  const Rescheduling result = rescheduled(module, options);
  CHECK(result.seed == 3);
  CHECK(result.end == SearchEnd::kNothingBetter);  // nothing may move
  CHECK(result.trials == 0);

  const Case& hidden = {"", kDot + kGather + kGathered + kUse + kRoot, "", false};
  Module first = parsed(scheduled(kParameters + hidden.instructions));
  RescheduleOptions few = without_clock(1);
  const Rescheduling ended = rescheduled(first, few);
  CHECK(ended.trials == 1);
  CHECK(ended.end == SearchEnd::kTrials);
}

TEST_CASE("a move says what it gains and why") {
  Module module = parsed(scheduled(kParameters + kGather + kGathered + kUse + kDot + kRoot));
  const Rescheduling result = rescheduled(module);
  REQUIRE(result.moves.size() == 1);
  const KeptMove& move = result.moves[0];
  CHECK(move.name == "gathered");
  CHECK(move.computation == "main");
  CHECK(move.direction == Direction::kLater);
  CHECK(move.from_before == "use");
  CHECK(move.to_before == "r");
  CHECK(move.along == 1);
  CHECK(move.waiting == "gathered");
  CHECK(move.transfer == "gather");
  CHECK(move.wait_seconds > 0);
  CHECK_THAT(move.gain_seconds, Catch::Matchers::WithinRel(result.before.step_seconds - result.after.step_seconds));
  CHECK(result.before.wait_seconds > 0);
  CHECK(result.bounds[0].name == "no waits");
}

TEST_CASE("a wait that is left says why") {
  Module module = parsed(scheduled("  %p = bf16[1024,1024]{1,0} parameter(0)\n" + kGather + kGathered +
                                   "  ROOT %r = bf16[8192,1024]{1,0} negate(%gathered)\n"));
  const Rescheduling result = rescheduled(module);
  CHECK(result.moves.empty());
  REQUIRE(!result.bounds.empty());
  CHECK(result.bounds[0].name == "wait (ici, 8-way)");
  CHECK(result.bounds[0].seconds == result.after.wait_seconds);
  CHECK(result.bounds[0].text.find("where dependencies leave no other place") != std::string::npos);
}

// The product computes the operand of a blocking collective, which the start must not pass.
TEST_CASE("collectives keep their order") {
  Module module =
      parsed(scheduled(kParameters + kDot +
                       "  %reduced = bf16[4096,4096]{1,0} all-reduce(%dot), channel_id=2, replica_groups=[1,8]<=[8], "
                       "use_global_device_ids=true, to_apply=%add\n" +
                       kGather + kGathered + kUse +
                       "  ROOT %r = (bf16[8192,1024]{1,0}, bf16[4096,4096]{1,0}) tuple(%use, %reduced)\n")
                 .insert(std::string("HloModule m, is_scheduled=true, num_partitions=8\n").size(),
                         "\n%add {\n  %a = bf16[] parameter(0)\n  %b = bf16[] parameter(1)\n"
                         "  ROOT %sum = bf16[] add(%a, %b)\n}\n"));
  const std::string before = print_module(module);
  const Rescheduling result = rescheduled(module);
  CHECK(result.moves.empty());
  CHECK(print_module(module) == before);
  bool names_blocking = false;
  for (const OrderBound& bound : result.bounds) names_blocking |= bound.name == "blocking collectives";
  CHECK(names_blocking);
}

// A large array is live where the transfer would have to start.
TEST_CASE("the memory limit keeps transfers from starting early") {
  const std::string big =
      "  %p = bf16[1024,1024]{1,0} parameter(0)\n  %w = bf16[] parameter(1)\n"
      "  %big = bf16[16384,16384]{1,0} broadcast(%w), dimensions={}\n"
      "  %dot = bf16[128,128]{1,0} slice(%big), slice={[0:128], [0:128]}\n";
  const std::string text =
      scheduled(big + kGather + kGathered + "  %use = bf16[128,128]{1,0} slice(%gathered), slice={[0:128], [0:128]}\n" +
                "  ROOT %r = (bf16[128,128]{1,0}, bf16[128,128]{1,0}) tuple(%use, %dot)\n");
  Module module = parsed(text);
  const Rescheduling kept = rescheduled(module);
  CHECK(kept.moves.empty());
  CHECK(kept.memory_limit_bytes == kept.before.peak_bytes);
  bool names_memory = false;
  for (const OrderBound& bound : kept.bounds) names_memory |= bound.name == "memory";
  CHECK(names_memory);

  RescheduleOptions more = without_clock();
  more.memory_limit = kept.before.peak_bytes + 64e6;
  const Rescheduling moved = rescheduled(module, more);
  CHECK(moved.after.step_seconds < moved.before.step_seconds);
  CHECK(moved.after.peak_bytes > moved.before.peak_bytes);
  CHECK(moved.after.peak_bytes <= *more.memory_limit);
  CHECK(order_of_entry(module).substr(0, 10) == "gather big");
}

// What is live at the peak for no reason moves behind it.
TEST_CASE("memory falls where the step stays as it is") {
  Module module =
      parsed(scheduled("  %p = f32[4096,4096]{1,0} parameter(0)\n  %early = f32[4096,4096]{1,0} negate(%p)\n"
                       "  %big = f32[16384,16384]{1,0} broadcast(%p.0), dimensions={}\n"
                       "  %small = f32[128,128]{1,0} slice(%big), slice={[0:128], [0:128]}\n"
                       "  %late = f32[128,128]{1,0} slice(%early), slice={[0:128], [0:128]}\n"
                       "  ROOT %r = (f32[128,128]{1,0}, f32[128,128]{1,0}) tuple(%late, %small)\n")
                 .insert(scheduled("").find("ENTRY %main {\n") + std::string("ENTRY %main {\n").size(),
                         "  %p.0 = f32[] parameter(1)\n"));
  const Rescheduling result = rescheduled(module);
  CHECK(result.after.step_seconds <= result.before.step_seconds);
  CHECK(result.after.peak_bytes < result.before.peak_bytes);
  CHECK(order_of_entry(module) == "big small early late r");
  REQUIRE(result.moves.size() == 1);
  CHECK(result.moves[0].waiting.empty());
  CHECK(result.moves[0].gain_bytes == result.before.peak_bytes - result.after.peak_bytes);
}

// Four transfers one after another: more than the device has ahead may not fly at once.
TEST_CASE("no more transfers are in flight than allowed") {
  std::string instructions = kParameters + kDot;
  std::string results;
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    instructions += "  %gather." + n + " = (bf16[1024,1024]{1,0}, bf16[8192,1024]{1,0}) all-gather-start(%p)" +
                    over_all(i + 1) + "  %gathered." + n + " = bf16[8192,1024]{1,0} all-gather-done(%gather." + n +
                    ")\n";
    results += "%gathered." + n + ", ";
  }
  const std::string g = "bf16[8192,1024]{1,0}, ";
  instructions += "  ROOT %r = (" + g + g + g + g + "bf16[4096,4096]{1,0}) tuple(" + results + "%dot)\n";
  Module module = parsed(scheduled(instructions));
  const Rescheduling result = rescheduled(module);
  CHECK(result.after.step_seconds < result.before.step_seconds);
  std::int64_t open = 0;
  std::int64_t most = 0;
  for (InstructionView instruction : module.entry().instructions()) {
    if (instruction.opcode() == Opcode::kAllGatherStart) most = std::max(most, ++open);
    if (instruction.opcode() == Opcode::kAllGatherDone) --open;
  }
  CHECK(most > 1);
  CHECK(most <= test_device().schedule.transfers_ahead);
}

// Four transfers that wait at once, each before the product that hides it.
TEST_CASE("orders on the way to the best one are returned as well") {
  std::string instructions = kParameters;
  std::string results;
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    instructions += "  %gather." + n + " = (bf16[1024,1024]{1,0}, bf16[8192,1024]{1,0}) all-gather-start(%p)" +
                    over_all(i + 1) + "  %gathered." + n + " = bf16[8192,1024]{1,0} all-gather-done(%gather." + n +
                    ")\n  %dot." + n +
                    " = bf16[4096,4096]{1,0} dot(%w, %x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
    results += (i == 0 ? "" : ", ") + ("%gathered." + n + ", %dot.") + n;
  }
  const std::string g = "bf16[8192,1024]{1,0}, bf16[4096,4096]{1,0}";
  const std::string text =
      scheduled(instructions + "  ROOT %r = (" + g + ", " + g + ", " + g + ", " + g + ") tuple(" + results + ")\n");
  Module best = parsed(text);
  CHECK(rescheduled(best).others.empty());
  for (std::size_t most : {std::size_t{1}, std::size_t{2}, std::size_t{100}}) {
    INFO(most);
    Module module = parsed(text);
    RescheduleOptions options = without_clock();
    options.others = most;
    const Rescheduling result = rescheduled(module, options);
    CHECK(order_of_entry(module) == order_of_entry(best));
    CHECK(result.others.size() <= most);
    CHECK(result.others.size() >= std::min<std::size_t>(most, 2));
    std::set<std::string> seen = {order_of_entry(parsed(text)), order_of_entry(module)};
    double shorter = result.after.step_seconds;
    for (const OtherOrder& other : result.others) {
      CHECK(seen.insert(order_of_entry(other.module)).second);
      CHECK(other.cost.step_seconds > shorter);
      CHECK(other.cost.step_seconds < result.before.step_seconds);
      CHECK(other.cost.peak_bytes <= result.memory_limit_bytes);
      shorter = other.cost.step_seconds;
      const absl::StatusOr<StepPrediction> step = predict_step_time(other.module, test_device());
      REQUIRE(step.ok());
      CHECK(step->step_seconds == other.cost.step_seconds);
    }
  }
}

TEST_CASE("errors") {
  std::string text = scheduled(kParameters + kGather + kGathered + kUse + kDot + kRoot);
  Module module = parsed(text);
  RescheduleOptions options = without_clock();
  options.memory_limit = 1;
  const absl::StatusOr<Rescheduling> too_small = search_order(module, test_device(), options);
  CHECK(too_small.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(too_small.status().message().find("raise the limit") != std::string::npos);
  CHECK(order_of_entry(module) == "gather gathered use dot r");

  const std::string_view scheduled_word = ", is_scheduled=true";
  text.erase(text.find(scheduled_word), scheduled_word.size());
  Module unscheduled = parsed(text);
  const absl::StatusOr<Rescheduling> none = search_order(unscheduled, test_device(), without_clock());
  CHECK(none.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(none.status().message().find("is_scheduled=true") != std::string::npos);
}

TEST_CASE("without time the order stays") {
  Module module = parsed(scheduled(kParameters + kGather + kGathered + kUse + kDot + kRoot));
  RescheduleOptions options;
  options.seconds = 0;
  const Rescheduling result = rescheduled(module, options);
  CHECK(result.end == SearchEnd::kSeconds);
  CHECK(result.trials == 0);
  CHECK(order_of_entry(module) == "gather gathered use dot r");
}

}  // namespace
}  // namespace hloroof::internal
