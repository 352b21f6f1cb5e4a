// Pairs of instructions that every legal order keeps, and pairs that it need not keep.
#include "lib/reschedule/constraints.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/reschedule/run.h"

namespace hloroof::internal {
namespace {

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

// Whether `first` must precede `second`, directly or through others.
bool precedes(const Constraints& constraints, InstructionId first, InstructionId second) {
  std::vector<InstructionId> open = {second};
  std::vector<bool> seen(constraints.before.size(), false);
  while (!open.empty()) {
    const InstructionId at = open.back();
    open.pop_back();
    if (at == first) return true;
    for (InstructionId id : constraints.before[at.index]) {
      if (seen[id.index]) continue;
      seen[id.index] = true;
      open.push_back(id);
    }
  }
  return false;
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
  const absl::StatusOr<Constraints> constraints = find_constraints(*step->facts);
  REQUIRE(constraints.ok());
  for (const Pair& pair : pairs) {
    CAPTURE(pair.first, pair.second);
    CHECK(precedes(*constraints, find_one(module, pair.first), find_one(module, pair.second)) == pair.is_kept);
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

}  // namespace
}  // namespace hloroof::internal
