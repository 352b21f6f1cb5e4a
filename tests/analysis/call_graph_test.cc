// Trip counts and executions: forms of counted loops, and every loop of the corpus.
#include <filesystem>
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/trip_count.h"
#include "lib/analysis/value_trace.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

TripCount trips_of(const Module& module) {
  const CallGraph calls = analyze_calls(module);
  REQUIRE(calls.loops().size() == 1);
  return calls.loops()[0].trips;
}

// A loop over (counter, bound, data). The counter has `type` and starts at `first`. `update` defines %next from %i, and
// `condition` defines %go from %i and %bound.
std::string loop(const std::string& type, const std::string& first, const std::string& bound, const std::string& update,
                 const std::string& condition) {
  const std::string state = "(" + type + "[], " + type + "[], f32[8])";
  return "HloModule m\n"
         "%body (p: " +
         state + ") -> " + state +
         " {\n"
         "  %p = " +
         state +
         " parameter(0)\n"
         "  %i = " +
         type +
         "[] get-tuple-element(%p), index=0\n"
         "  %bound = " +
         type +
         "[] get-tuple-element(%p), index=1\n"
         "  %x = f32[8] get-tuple-element(%p), index=2\n" +
         update +
         "  %y = f32[8] add(%x, %x)\n"
         "  ROOT %t = " +
         state +
         " tuple(%next, %bound, %y)\n"
         "}\n"
         "%condition (q: " +
         state +
         ") -> pred[] {\n"
         "  %q = " +
         state +
         " parameter(0)\n"
         "  %i = " +
         type +
         "[] get-tuple-element(%q), index=0\n"
         "  %bound = " +
         type + "[] get-tuple-element(%q), index=1\n" + condition +
         "}\n"
         "ENTRY %main (x: f32[8]) -> f32[8] {\n"
         "  %x = f32[8] parameter(0)\n"
         "  %first = " +
         type + "[] constant(" + first +
         ")\n"
         "  %limit = " +
         type + "[] constant(" + bound +
         ")\n"
         "  %init = " +
         state +
         " tuple(%first, %limit, %x)\n"
         "  %w = " +
         state +
         " while(%init), condition=%condition, body=%body\n"
         "  ROOT %r = f32[8] get-tuple-element(%w), index=2\n"
         "}\n";
}

std::string step(const std::string& type, const std::string& k, const std::string& opcode = "add") {
  return "  %k = " + type + "[] constant(" + k + ")\n  %next = " + type + "[] " + opcode + "(%i, %k)\n";
}

std::string compare(const std::string& direction, const std::string& operands = "%i, %bound") {
  return "  ROOT %go = pred[] compare(" + operands + "), direction=" + direction + "\n";
}

TEST_CASE("counted loops are counted in every form") {
  struct Case {
    const char* what;
    std::string text;
    std::int64_t trips;
  };
  const Case cases[] = {
      {"0 to 31", loop("s32", "0", "31", step("s32", "1"), compare("LT")), 31},
      {"a step that does not divide: ceil", loop("s32", "0", "10", step("s32", "3"), compare("LT")), 4},
      {"the step is beyond the bound", loop("s32", "0", "1", step("s32", "2"), compare("LT")), 1},
      {"LE: floor + 1", loop("s32", "0", "10", step("s32", "3"), compare("LE")), 4},
      {"LE below the start by less than a step", loop("s32", "5", "4", step("s32", "3"), compare("LE")), 0},
      {"nothing to do", loop("s32", "7", "7", step("s32", "1"), compare("LT")), 0},
      {"descending with GT", loop("s32", "10", "0", step("s32", "-1"), compare("GT")), 10},
      {"descending with GE and subtract", loop("s32", "10", "0", step("s32", "2", "subtract"), compare("GE")), 6},
      {"NE", loop("s32", "0", "12", step("s32", "4"), compare("NE")), 3},
      {"EQ runs once", loop("s32", "3", "3", step("s32", "1"), compare("EQ")), 1},
      {"bound on the left", loop("s32", "0", "9", step("s32", "1"), compare("GT", "%bound, %i")), 9},
      {"negative numbers", loop("s32", "-8", "-3", step("s32", "2"), compare("LT")), 3},
      {"unsigned", loop("u32", "0", "4", step("u32", "1"), compare("LT")), 4},
      {"unsigned, counting down by adding 2^32 - 1", loop("u32", "6", "0", step("u32", "4294967295"), compare("GT")),
       6},
      {"64 bits", loop("s64", "0", "1099511627776", step("s64", "4294967296"), compare("LT")), 256},
      {"an unrolled loop adds twice",
       loop("s32", "0", "8", "  %k = s32[] constant(1)\n  %half = s32[] add(%i, %k)\n  %next = s32[] add(%half, %k)\n",
            compare("LT")),
       4},
      {"the condition shifts the counter",
       loop("s32", "0", "9", step("s32", "1"),
            "  %one = s32[] constant(1)\n  %j = s32[] add(%i, %one)\n" + compare("LT", "%j, %bound")),
       8},
      {"the condition is negated",
       loop("s32", "0", "9", step("s32", "1"),
            "  %stop = pred[] compare(%i, %bound), direction=GE\n  ROOT %go = pred[] not(%stop)\n"),
       9},
      {"no linear counter: doubled each time", loop("s32", "1", "1000", step("s32", "2", "multiply"), compare("LT")),
       10},
      {"u8 that wraps", loop("u8", "250", "3", step("u8", "1"), compare("NE")), 9},
      {"converted before the comparison",
       loop("s32", "0", "5", step("s32", "1"),
            "  %wide = s64[] convert(%i)\n  %wide_bound = s64[] convert(%bound)\n" +
                compare("LT", "%wide, %wide_bound")),
       5},
  };
  for (const Case& c : cases) {
    INFO(c.what);
    const TripCount trips = trips_of(parsed(c.text));
    INFO(trips.why);
    CHECK(trips.source == TripCount::Source::kInferred);
    CHECK(trips.value == c.trips);
  }
}

TEST_CASE("a counter is found anywhere in the loop's state") {
  const Module nested = parsed(R"(HloModule m
body {
  p = ((s32[], u32[]), f32[8]) parameter(0)
  q = (s32[], u32[]) get-tuple-element(p), index=0
  bound = s32[] get-tuple-element(q), index=0
  i = u32[] get-tuple-element(q), index=1
  x = f32[8] get-tuple-element(p), index=1
  one = u32[] constant(1)
  next = u32[] add(i, one)
  inner = (s32[], u32[]) tuple(bound, next)
  ROOT t = ((s32[], u32[]), f32[8]) tuple(inner, x)
}
condition {
  p = ((s32[], u32[]), f32[8]) parameter(0)
  q = (s32[], u32[]) get-tuple-element(p), index=0
  bound = s32[] get-tuple-element(q), index=0
  i = u32[] get-tuple-element(q), index=1
  j = s32[] convert(i)
  ROOT go = pred[] compare(j, bound), direction=LT
}
ENTRY main {
  x = f32[8] parameter(0)
  bound = s32[] constant(9)
  first = u32[] constant(2)
  inner = (s32[], u32[]) tuple(bound, first)
  t = ((s32[], u32[]), f32[8]) tuple(inner, x)
  ROOT w = ((s32[], u32[]), f32[8]) while(t), condition=condition, body=body
}
)");
  CHECK(trips_of(nested).value == 7);
  const Module scalar = parsed(
      "HloModule m\nbody {\n  i = s32[] parameter(0)\n  five = s32[] constant(5)\n  ROOT n = s32[] add(i, five)\n}\n"
      "condition {\n  i = s32[] parameter(0)\n  n = s32[] constant(50)\n  ROOT c = pred[] compare(i, n), "
      "direction=LT\n}\n"
      "ENTRY main {\n  z = s32[] constant(0)\n  ROOT w = s32[] while(z), condition=condition, body=body\n}\n");
  CHECK(trips_of(scalar).value == 10);
}

TEST_CASE("endless and data-dependent loops have no inferred count") {
  const std::string cases[] = {
      loop("s32", "0", "10", step("s32", "0"), compare("LT")),
      loop("s32", "10", "0", step("s32", "1"), compare("GE")),
      loop("s32", "0", "10",
           "  %c = s32[8] convert(%x)\n  %z = s32[] constant(0)\n  %next = s32[] reduce(%c, %z), "
           "dimensions={0}, to_apply=%add\n",
           compare("LT")),
  };
  const std::string add =
      "%add (a: s32[], b: s32[]) -> s32[] {\n  %a = s32[] parameter(0)\n  %b = s32[] parameter(1)\n"
      "  ROOT %s = s32[] add(%a, %b)\n}\n";
  for (const std::string& text : cases) {
    const TripCount trips = trips_of(parsed("HloModule m\n" + add + text.substr(text.find('\n') + 1)));
    CHECK(trips.source == TripCount::Source::kAssumed);
    CHECK(trips.value == 1);
    CHECK_FALSE(trips.why.empty());
  }
}

TEST_CASE("the reason for an unknown trip count is reported") {
  const auto replaced = [](std::string text, const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
    return text;
  };
  const std::string counted = loop("s32", "0", "10", step("s32", "1"), compare("LT"));
  const std::string first = "%first = s32[] constant(0)";
  const std::string limit = "%limit = s32[] constant(10)";
  // The condition also depends on a number that the body computes from data.
  const std::string of_data = loop("s32", "0", "10",
                                   step("s32", "1") +
                                       "  %zero = s32[] constant(0)\n  %whole = s32[8] convert(%x)\n"
                                       "  %part = s32[1] slice(%whole), slice={[0:1]}\n"
                                       "  %read = s32[] reshape(%part)\n",
                                   compare("LT"));
  struct Case {
    std::string text;
    std::string why;
  };
  const Case cases[] = {
      {replaced(counted, limit, "%limit = s32[] parameter(1)"), "element 1 of the loop's state, whose value is not"},
      {replaced(counted, first, "%first = s32[] parameter(1)"),
       "element 0 of the loop's state, whose initial value is not in the text"},
      {replaced(of_data, "tuple(%next, %bound", "tuple(%next, %read"),
       "element 1 of the loop's state, which the body computes from data"},
      {loop("f32", "0", "10", step("f32", "1"), compare("LT")), "of the loop's state, which is not an integer"},
      {loop("s32", "0", "10", step("s32", "1"),
            "  %id = u32[] partition-id()\n  %own = s32[] convert(%id)\n" + compare("LT", "%i, %own")),
       "the condition depends on values that are not integer constants of the text"},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    const TripCount trips = trips_of(parsed(c.text));
    CHECK(trips.source == TripCount::Source::kAssumed);
    CHECK_THAT(trips.why, ContainsSubstring(c.why));
  }
}

TEST_CASE("the counter of a loop that may end early is an upper bound") {
  const std::string early =
      "  %limit.2 = s32[] constant(30)\n  %c = s32[8] convert(%y)\n  %part = s32[1] slice(%c), slice={[0:1]}\n"
      "  %first = s32[] reshape(%part)\n  %small = pred[] compare(%first, %limit.2), direction=GT\n"
      "  %counted = pred[] compare(%i, %bound), direction=LT\n";
  const std::string take = "  %y = f32[8] get-tuple-element(%q), index=2\n";
  const Module both =
      parsed(loop("s32", "0", "10", step("s32", "3"), take + early + "  ROOT %go = pred[] and(%small, %counted)\n"));
  const TripCount trips = trips_of(both);
  CHECK(trips.source == TripCount::Source::kAssumed);
  CHECK(trips.value == 4);
  CHECK_THAT(trips.why,
             ContainsSubstring(
                 "at most 4, from 0 by 3 while < 10; the condition depends on values that are not integer constants"));
  // A disjunction has no such bound.
  const Module either =
      parsed(loop("s32", "0", "10", step("s32", "3"), take + early + "  ROOT %go = pred[] or(%small, %counted)\n"));
  CHECK(trips_of(either).value == 1);
}

TEST_CASE("a conditional runs one of its branches") {
  const Module module = parsed(R"(HloModule m
a { ROOT pa = f32[] parameter(0) }
b { ROOT pb = f32[] parameter(0) }
ENTRY main {
  p = f32[] parameter(0)
  k = s32[] parameter(1)
  ROOT c = f32[] conditional(k, p, p), branch_computations={a, b}
})");
  const auto said = [&](std::vector<double> probabilities) {
    CallOptions options;
    options.branch_probabilities["c"] = std::move(probabilities);
    return std::string(check_call_options(module, options).message());
  };
  CHECK(said({0.25, 0.75}).empty());
  CHECK(said({0.331, 0.66}).empty());
  CHECK_THAT(said({1}), ContainsSubstring("c has 2 branches, but 1 probabilities"));
  CHECK_THAT(said({0.5, 0.7}), ContainsSubstring("must add up to 1, but the sum is 1.2"));
  CHECK_THAT(said({1.5, 0}), ContainsSubstring("not in 0 .. 1"));
}

TEST_CASE("an annotation overrides inference, and the user overrides both") {
  std::string text = loop("s32", "0", "10", step("s32", "1"), compare("LT"));
  const std::string at = "condition=%condition, body=%body";
  text.insert(text.find(at) + at.size(), ", backend_config={\"known_trip_count\":{\"n\":\"12\"}}");
  const Module module = parsed(text);
  CHECK(trips_of(module).source == TripCount::Source::kAnnotated);
  CHECK(trips_of(module).value == 12);
  CallOptions options;
  options.trip_counts["w"] = 3;
  const CallGraph calls = analyze_calls(module, options);
  CHECK(calls.loops()[0].trips.source == TripCount::Source::kUser);
  for (ComputationView computation : module.computations()) {
    if (computation.name() == "body") CHECK(calls.executions(computation.id()) == 3);
    if (computation.name() == "condition") CHECK(calls.executions(computation.id()) == 4);
    if (computation.name() == "body") CHECK(CallFacts::role(calls, computation.id()) == ComputationRole::kBody);
  }
}

// The bound of the inner loop is set outside the outer loop, which passes it on. Its counter starts at the final
// counter of another loop.
// Each loop of a deep nest asks for a value from outside. Following it to the outermost loop would be quadratic.
TEST_CASE("a value is followed through a bounded number of nested loops") {
  const auto nest = [](int depth) {
    const std::string state = "(s32[], f32[8])";
    std::string text = "HloModule m\n\n";
    for (int i = 0; i < depth; ++i) {
      const std::string n = std::to_string(i);
      const std::string inner = std::to_string(i - 1);
      text += "c" + n + " {\n  p = " + state + " parameter(0)\n  ROOT r = pred[] constant(false)\n}\n\nb" + n +
              " {\n  p = " + state + " parameter(0)\n";
      text += i == 0 ? "  i = s32[] get-tuple-element(p), index=0\n  x = f32[8] get-tuple-element(p), index=1\n"
                       "  ROOT t = " +
                           state + " tuple(i, x)\n}\n\n"
                     : "  ROOT w = " + state + " while(p), condition=c" + inner + ", body=b" + inner + "\n}\n\n";
    }
    const std::string last = std::to_string(depth - 1);
    return text + "ENTRY e {\n  n = s32[] constant(7)\n  x = f32[8] parameter(0)\n  t = " + state +
           " tuple(n, x)\n  ROOT w = " + state + " while(t), condition=c" + last + ", body=b" + last + "\n}\n";
  };
  const auto steps_to_source = [&](int depth, Scalar& value) {
    const Module module = parsed(nest(depth));
    ListsByComputation<CallSite> sites(list_call_sites);
    TraceContext context = make_trace_context(module, sites);
    find_trip_counts(context, {}, {});
    const InstructionView element = module.instruction(named(module, "i"));
    ValueTracer tracer(context, element.computation().id(), nullptr);
    value = tracer.evaluate(element.id());
    return tracer.steps();
  };
  Scalar value = Scalar::unknown();
  CHECK(steps_to_source(3, value) > 3);
  CHECK(value.is_integer());
  const std::int64_t steps = steps_to_source(300, value);
  CHECK_FALSE(value.is_integer());
  CHECK(steps_to_source(600, value) == steps);
}

TEST_CASE("values are followed through tuples, fusions and enclosing loops") {
  const Module module = parsed(R"(HloModule m
%inc (p0: s32[]) -> s32[] {
  %p0 = s32[] parameter(0)
  %one = s32[] constant(1)
  ROOT %s = s32[] add(%p0, %one)
}
%less (p1: s32[], p2: s32[]) -> pred[] {
  %p1 = s32[] parameter(0)
  %p2 = s32[] parameter(1)
  ROOT %c = pred[] compare(%p1, %p2), direction=LT
}
%inner_body (p: (s32[], s32[])) -> (s32[], s32[]) {
  %p = (s32[], s32[]) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %n = s32[] get-tuple-element(%p), index=1
  %copy = s32[] copy(%n)
  %next = s32[] fusion(%i), kind=kLoop, calls=%inc
  ROOT %t = (s32[], s32[]) tuple(%next, %copy)
}
%inner_condition (q: (s32[], s32[])) -> pred[] {
  %q = (s32[], s32[]) parameter(0)
  %i = s32[] get-tuple-element(%q), index=0
  %n = s32[] get-tuple-element(%q), index=1
  ROOT %go = pred[] fusion(%i, %n), kind=kLoop, calls=%less
}
%outer_body (p: (s32[], s32[])) -> (s32[], s32[]) {
  %p = (s32[], s32[]) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %n = s32[] get-tuple-element(%p), index=1
  %two = s32[] constant(2)
  %init = (s32[], s32[]) tuple(%two, %n)
  %inner = (s32[], s32[]) while(%init), condition=%inner_condition, body=%inner_body
  %same = s32[] get-tuple-element(%inner), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  ROOT %t = (s32[], s32[]) tuple(%next, %same)
}
%outer_condition (q: (s32[], s32[])) -> pred[] {
  %q = (s32[], s32[]) parameter(0)
  %i = s32[] get-tuple-element(%q), index=0
  %five = s32[] constant(5)
  ROOT %go = pred[] compare(%i, %five), direction=LT
}
ENTRY %main () -> s32[] {
  %zero = s32[] constant(0)
  %seven = s32[] constant(7)
  %init = (s32[], s32[]) tuple(%zero, %seven)
  %outer = (s32[], s32[]) while(%init), condition=%outer_condition, body=%outer_body
  %end = s32[] get-tuple-element(%outer), index=0
  %init2 = (s32[], s32[]) tuple(%end, %seven)
  %last = (s32[], s32[]) while(%init2), condition=%inner_condition, body=%inner_body
  ROOT %r = s32[] get-tuple-element(%last), index=0
}
)");
  const CallGraph calls = analyze_calls(module);
  REQUIRE(calls.loops().size() == 3);
  for (const auto& loop : calls.loops()) {
    const std::string name(module.instruction(loop.instruction).name());
    INFO(name << ": " << loop.trips.why);
    CHECK(loop.trips.source == TripCount::Source::kInferred);
    CHECK(loop.trips.value == (name == "outer" ? 5 : name == "inner" ? 5 : 2));
  }
  for (ComputationView computation : module.computations()) {
    if (computation.name() == "inner_body") CHECK(calls.executions(computation.id()) == 5 * 5 + 2);
    if (computation.name() == "inc") CHECK(CallFacts::role(calls, computation.id()) == ComputationRole::kFused);
  }
}

TEST_CASE("branch executions are weighted by probability") {
  const Module module = parsed(R"(HloModule m
%a (x: f32[]) -> f32[] {
  ROOT %x = f32[] parameter(0)
}
%b (y: f32[]) -> f32[] {
  ROOT %y = f32[] parameter(0)
}
ENTRY %main (p: pred[], v: f32[]) -> f32[] {
  %p = pred[] parameter(0)
  %v = f32[] parameter(1)
  ROOT %c = f32[] conditional(%p, %v, %v), true_computation=%a, false_computation=%b
}
)");
  const CallGraph calls = analyze_calls(module);
  const ComputationId a = module.computations()[0].id();
  const InstructionId conditional = module.entry().root().id();
  CHECK(calls.executions(a) == 0.5);
  CHECK(CallFacts::branch_probabilities(calls, conditional) == nullptr);
  CHECK(CallFacts::executions_with(calls, {}) == std::vector<double>{0.5, 0.5, 1});
  CHECK(CallFacts::executions_with(calls, {{conditional.index, {0, 1}}}) == std::vector<double>{0, 1, 1});
  // Probabilities from the user override the assumed ones.
  CallOptions options;
  options.branch_probabilities["c"] = {0.25, 0.75};
  const CallGraph given = analyze_calls(module, options);
  CHECK(given.executions(a) == 0.25);
  CHECK(*CallFacts::branch_probabilities(given, conditional) == std::vector<double>{0.25, 0.75});
  CHECK(CallFacts::executions_with(given, {{conditional.index, {0, 1}}}) == std::vector<double>{0.25, 0.75, 1});
}

TEST_CASE("every loop of the corpus has a trip count if the text determines it") {
  const std::filesystem::path root = shared_path("corpus");
  if (!std::filesystem::exists(root)) HLOROOF_SKIP("no corpus at " + root.string());
  int loops = 0;
  int tpu_loops = 0;
  std::vector<std::string> not_inferred;
  for (const char* folder : {"tpu", "step"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      if (entry.path().extension() != ".hlo") continue;
      const auto module = load_module(entry.path().string());
      if (!module.ok()) FAIL(std::string(module.status().message()));
      const CallGraph calls = analyze_calls(*module);
      for (const auto& loop : calls.loops()) {
        ++loops;
        if (std::string(folder) == "tpu") ++tpu_loops;
        if (loop.trips.source == TripCount::Source::kAssumed) {
          not_inferred.push_back(entry.path().stem().string() + " " +
                                 std::string(module->instruction(loop.instruction).name()) + ": " + loop.trips.why);
        }
      }
    }
  }
  CHECK(tpu_loops == 96);
  CHECK(loops > tpu_loops);
  // The only loop whose bound is an argument of the program.
  std::string all;
  for (const std::string& loop : not_inferred) all += loop + "\n";
  INFO(all);
  REQUIRE(not_inferred.size() == 1);
  CHECK_THAT(not_inferred[0], ContainsSubstring("while_dynamic"));
}

}  // namespace
}  // namespace hloroof::internal
