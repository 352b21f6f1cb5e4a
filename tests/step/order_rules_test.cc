// Pairs of instructions that every legal order keeps, and pairs that it need not keep.
#include "lib/step/order_rules.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/print.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// A scheduled program of eight devices with the instructions of its entry, one a line.
std::string scheduled(std::string_view instructions) {
  return "HloModule m, is_scheduled=true, num_partitions=8\n\nENTRY %main {\n" + std::string(instructions) + "}\n";
}

// The attributes of collectives between all devices.
std::string over_all(int channel) {
  return ", channel_id=" + std::to_string(channel) +
         ", replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true\n";
}

Module parsed(std::string_view text) {
  absl::StatusOr<Module> module = parse_module(text);
  INFO(module.status().message());
  REQUIRE(module.ok());
  return *std::move(module);
}

Device test_device() {
  const absl::StatusOr<Device> device = find_device("tpu_v5e");
  REQUIRE(device.ok());
  return *device;
}

InstructionId find_one(const Module& module, std::string_view name) {
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.name() == name) return instruction.id();
    }
  }
  INFO(name);
  REQUIRE(false);
  return InstructionId();
}

struct Pair {
  const char* first;
  const char* second;
  bool is_kept;
};

void check_pairs(const std::string& text, const std::vector<Pair>& pairs) {
  const Module module = parsed(text);
  const absl::StatusOr<StepPrediction> step = predict_step_time(module, test_device());
  INFO(step.status().message());
  REQUIRE(step.ok());
  const absl::StatusOr<OrderRules> rules = find_order_rules(*step->facts);
  REQUIRE(rules.ok());
  const absl::StatusOr<OrderRules> of_module = hloroof::find_order_rules(module);
  REQUIRE(of_module.ok());
  CHECK(of_module->before == rules->before);
  CHECK(of_module->after == rules->after);
  CHECK(of_module->is_fixed == rules->is_fixed);
  CHECK(of_module->starts == rules->starts);
  for (const Pair& pair : pairs) {
    CAPTURE(pair.first, pair.second);
    const InstructionId first = find_one(module, pair.first);
    const InstructionId second = find_one(module, pair.second);
    CHECK(rules->must_precede(first, second) == pair.is_kept);
    CHECK_FALSE(rules->must_precede(second, first));
    const bool is_fixed = rules->is_fixed[first.index] || rules->is_fixed[second.index];
    CHECK(rules->may_pass(first, second) == (!pair.is_kept && !is_fixed));
    CHECK(rules->may_pass(second, first) == rules->may_pass(first, second));
  }
}

TEST_CASE("buffers that are written in place") {
  check_pairs(scheduled("  %p = f32[1024]{0} parameter(0)\n  %u = f32[8]{0} parameter(1)\n"
                        "  %i = s32[] parameter(2)\n"
                        "  %cache = f32[1024]{0} copy(%p)\n"
                        "  %old = f32[1024]{0} negate(%cache)\n"
                        "  %other = f32[1024]{0} exponential(%p)\n"
                        "  %new = f32[1024]{0} dynamic-update-slice(%cache, %u, %i)\n"
                        "  %after = f32[1024]{0} tanh(%new)\n"
                        "  ROOT %r = (f32[1024]{0}, f32[1024]{0}, f32[1024]{0}) tuple(%old, %other, %after)\n"),
              {{"cache", "old", true},
               {"old", "new", true},  // reads what %new overwrites
               {"other", "new", false},
               {"old", "after", true},
               {"other", "after", false}});
}

TEST_CASE("a transfer that reads a buffer ends before it is overwritten") {
  check_pairs(scheduled("  %p = bf16[1024,1024]{1,0} parameter(0)\n  %u = bf16[8,1024]{1,0} parameter(1)\n"
                        "  %i = s32[] parameter(2)\n  %cache = bf16[1024,1024]{1,0} copy(%p)\n"
                        "  %one = (bf16[1024,1024]{1,0}, bf16[8192,1024]{1,0}) all-gather-start(%cache)" +
                        over_all(1) +
                        "  %read = bf16[1024,1024]{1,0} negate(%cache)\n"
                        "  %done = bf16[8192,1024]{1,0} all-gather-done(%one)\n"
                        "  %new = bf16[1024,1024]{1,0} dynamic-update-slice(%cache, %u, %i, %i)\n"
                        "  ROOT %r = (bf16[1024,1024]{1,0}, bf16[8192,1024]{1,0}, bf16[1024,1024]{1,0}) "
                        "tuple(%read, %done, %new)\n"),
              {{"one", "new", true},
               {"done", "new", true},
               {"read", "new", true},
               {"one", "read", false},
               {"read", "done", false}});
}

TEST_CASE("a transfer of several arrays reads all of them until its done") {
  const std::string three = "(f32[1024]{0}, f32[1024]{0}, f32[1024]{0})";
  check_pairs(scheduled("  %p = f32[1024]{0} parameter(0)\n  %u = f32[8]{0} parameter(1)\n"
                        "  %i = s32[] parameter(2)\n  %a = f32[1024]{0} copy(%p)\n"
                        "  %b = f32[1024]{0} copy(%p)\n  %c = f32[1024]{0} copy(%p)\n"
                        "  %start = (" +
                        three + ", " + three +
                        ") collective-permute-start(%a, %b, %c), channel_id=1, source_target_pairs={{0,1},{1,0}}\n"
                        "  %done = " +
                        three +
                        " collective-permute-done(%start)\n"
                        "  %one = f32[1024]{0} dynamic-update-slice(%a, %u, %i)\n"
                        "  %two = f32[1024]{0} dynamic-update-slice(%b, %u, %i)\n"
                        "  %three = f32[1024]{0} dynamic-update-slice(%c, %u, %i)\n"
                        "  ROOT %r = (f32[1024]{0}, f32[1024]{0}, f32[1024]{0}, " +
                        three + ") tuple(%one, %two, %three, %done)\n"),
              {{"done", "one", true}, {"done", "two", true}, {"done", "three", true}, {"one", "two", false}});
}

TEST_CASE("collectives, side effects and control edges") {
  check_pairs(scheduled("  %p = bf16[1024,1024]{1,0} parameter(0)\n"
                        "  %one = (bf16[1024,1024]{1,0}, bf16[8192,1024]{1,0}) all-gather-start(%p)" +
                        over_all(1) +
                        "  %print = () custom-call(%p), custom_call_target=\"P\", custom_call_has_side_effect=true\n"
                        "  %two = (bf16[1024,1024]{1,0}, bf16[8192,1024]{1,0}) all-gather-start(%p)" +
                        over_all(2) +
                        "  %first = bf16[8192,1024]{1,0} all-gather-done(%one)\n"
                        "  %second = bf16[8192,1024]{1,0} all-gather-done(%two)\n"
                        "  %again = () custom-call(%p), custom_call_target=\"P\", custom_call_has_side_effect=true\n"
                        "  %plain = bf16[1024,1024]{1,0} negate(%p), control-predecessors={%again}\n"
                        "  ROOT %r = (bf16[8192,1024]{1,0}, bf16[8192,1024]{1,0}, bf16[1024,1024]{1,0}) "
                        "tuple(%first, %second, %plain)\n"),
              {{"one", "two", true},
               {"print", "again", true},
               {"again", "plain", true},
               {"one", "print", false},
               {"first", "second", false},
               {"two", "first", false}});
}

// The state of a loop is overwritten by the next iteration's.
TEST_CASE("loop state") {
  const std::string text =
      "HloModule m, is_scheduled=true\n\n"
      "%body {\n  %state = (s32[], f32[1024]{0}) parameter(0)\n"
      "  %n = s32[] get-tuple-element(%state), index=0\n  %v = f32[1024]{0} get-tuple-element(%state), index=1\n"
      "  %one = s32[] constant(1)\n  %read = f32[1024]{0} negate(%v)\n  %next = s32[] add(%n, %one)\n"
      "  %new = f32[1024]{0} exponential(%v)\n  %mixed = f32[1024]{0} add(%new, %read)\n"
      "  ROOT %out = (s32[], f32[1024]{0}) tuple(%next, %mixed)\n}\n\n"
      "%condition {\n  %s = (s32[], f32[1024]{0}) parameter(0)\n  %c = s32[] get-tuple-element(%s), index=0\n"
      "  %k = s32[] constant(4)\n  ROOT %less = pred[] compare(%c, %k), direction=LT\n}\n\n"
      "ENTRY %main {\n  %z = s32[] constant(0)\n  %p = f32[1024]{0} parameter(0)\n"
      "  %init = (s32[], f32[1024]{0}) tuple(%z, %p)\n"
      "  ROOT %loop = (s32[], f32[1024]{0}) while(%init), condition=%condition, body=%body\n}\n";
  check_pairs(text, {{"read", "mixed", true}, {"new", "mixed", true}, {"read", "new", false}, {"next", "new", false}});
}

// ---- Edits of the order
// ----------------------------------------------------------------------------------------------

const std::string kTwoTransfers =
    "  %p = bf16[1024,1024]{1,0} parameter(0)\n"
    "  %one = (bf16[1024,1024]{1,0}, bf16[8192,1024]{1,0}) all-gather-start(%p)" +
    over_all(1) + "  %first = bf16[8192,1024]{1,0} all-gather-done(%one)\n" +
    "  %a = bf16[8192,1024]{1,0} negate(%first)\n  %b = bf16[1024,1024]{1,0} tanh(%p)\n"
    "  %c = bf16[8192,1024]{1,0} exponential(%a)\n"
    "  %two = (bf16[1024,1024]{1,0}, bf16[8192,1024]{1,0}) all-gather-start(%b)" +
    over_all(2) +
    "  %second = bf16[8192,1024]{1,0} all-gather-done(%two)\n"
    "  ROOT %r = (bf16[8192,1024]{1,0}, bf16[8192,1024]{1,0}) tuple(%c, %second)\n";

// The names of the entry's instructions in order: "p one first".
std::string order_of(const Module& module) {
  std::string names;
  for (InstructionView instruction : module.entry().instructions()) {
    names += (names.empty() ? "" : " ") + std::string(instruction.name());
  }
  return names;
}

TEST_CASE("an instruction moves with what must go along") {
  struct Case {
    const char* id;
    const char* before;
    const char* moved;  // names, or the error
    const char* order;
  };
  const std::string as_it_was = "p one first a b c two second r";
  const Case cases[] = {
      {"two", "first", "b two", "p one b two first a c second r"},
      {"first", "two", "first a c", "p one b first a c two second r"},
      {"second", "b", "b would have to move along with second", ""},
      {"b", "r", "b two second", "p one first a c b two second r"},
      {"a", "b", "a", as_it_was.c_str()},
      {"b", "b", "", as_it_was.c_str()},
      {"two", "p", "p neither moves nor lets others pass", ""},
      {"r", "one", "r neither moves nor lets others pass", ""},
      {"two", "one", "one would have to move along with two", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.id, c.before);
    Module module = parsed(scheduled(kTwoTransfers));
    const absl::StatusOr<OrderRules> rules = hloroof::find_order_rules(module);
    REQUIRE(rules.ok());
    const InstructionId id = find_one(module, c.id);
    const InstructionId before = find_one(module, c.before);
    const absl::StatusOr<std::vector<InstructionId>> moved = moved_along(module, *rules, id, before);
    ModuleEditor edit(module);
    const absl::Status status = move_before(edit, *rules, id, before);
    CHECK(status == moved.status());
    if (*c.order == 0) {
      CHECK(status.code() == absl::StatusCode::kInvalidArgument);
      CHECK(order_of(module) == as_it_was);
      CHECK(status.message().find(c.moved) != std::string::npos);
      continue;
    }
    INFO(status.message());
    REQUIRE(status.ok());
    std::string names;
    for (InstructionId at : *moved) names += (names.empty() ? "" : " ") + std::string(module.instruction(at).name());
    CHECK(names == c.moved);
    CHECK(order_of(module) == c.order);
    CHECK(verify(module).ok());
  }
}

TEST_CASE("an order is set whole, or not at all") {
  struct Case {
    const char* order;
    const char* error;
  };
  const std::string as_it_was = "p one first a b c two second r";
  const Case cases[] = {
      {"p one first a b c two second r", ""},
      {"p b one two first second a c r", ""},
      {"p one b two second first a c r", ""},
      {"p b two one first a c second r", "two must stay behind one"},  // devices agree on the order of collectives
      {"p one a first b c two second r", "a must stay behind first"},
      {"one p first a b c two second r", "one must stay behind p"},
      {"p one first a b c two r second", "r must stay behind second"},
      {"p one first a b c two second", "r is not in the order"},
      {"p one first a b c two second a r", "a is twice in the order"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.order);
    Module module = parsed(scheduled(kTwoTransfers));
    const absl::StatusOr<OrderRules> rules = hloroof::find_order_rules(module);
    REQUIRE(rules.ok());
    std::vector<InstructionId> order;
    for (std::string_view left = c.order; !left.empty();) {
      const std::size_t end = std::min(left.find(' '), left.size());
      order.push_back(find_one(module, left.substr(0, end)));
      left.remove_prefix(std::min(end + 1, left.size()));
    }
    ModuleEditor edit(module);
    const absl::Status status = set_order(edit, *rules, module.entry().id(), order);
    CHECK(std::string(status.message()) == c.error);
    CHECK(order_of(module) == (status.ok() ? c.order : as_it_was));
    if (!status.ok()) CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    CHECK(verify(module).ok());
  }
}

TEST_CASE("what is newer than the rules stays where it is") {
  Module module = parsed(scheduled(kTwoTransfers));
  const absl::StatusOr<OrderRules> rules = hloroof::find_order_rules(module);
  REQUIRE(rules.ok());
  const InstructionId second = find_one(module, "second");
  CHECK(rules->starts[second.index] == std::vector<InstructionId>{find_one(module, "two")});
  CHECK(rules->starts[find_one(module, "two").index].empty());
  ModuleEditor edit(module);
  const absl::StatusOr<InstructionId> copy = edit.clone(find_one(module, "b"));
  REQUIRE(copy.ok());
  CHECK_FALSE(rules->may_pass(*copy, second));
  CHECK_FALSE(rules->must_precede(second, *copy));
  CHECK(move_before(edit, *rules, *copy, second).message().find("was made after the rules") != std::string::npos);
  CHECK(move_before(edit, *rules, second, find_one(module, "a")).code() == absl::StatusCode::kInvalidArgument);

  std::string text = scheduled(kTwoTransfers);
  text.erase(text.find(", is_scheduled=true"), std::string_view(", is_scheduled=true").size());
  CHECK(hloroof::find_order_rules(parsed(text)).status().code() == absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hloroof::internal
