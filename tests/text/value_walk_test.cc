// How values pass through each kind of instruction.
#include "lib/ir/value_walk.h"

#include <algorithm>
#include <string>
#include <vector>

#include "hloroof/module.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

const char* const kModule = R"(HloModule m
sum {
  sa = f32[] parameter(0)
  sb = f32[] parameter(1)
  ROOT s = f32[] add(sa, sb)
}
fused {
  fp = f32[8] parameter(0)
  fq = f32[8] parameter(1)
  fn = f32[8] negate(fp)
  ROOT ft = (f32[8], f32[8]) tuple(fn, fq)
}
wrapped {
  wp = f32[8] parameter(0)
  ROOT wn = f32[8] negate(wp)
}
called {
  cp = f32[8] parameter(0)
  ROOT cc = f32[8] copy(cp)
}
condition {
  lp = (f32[8], f32[8]) parameter(0)
  ROOT lt = pred[] constant(true)
}
body {
  bp = (f32[8], f32[8]) parameter(0)
  b0 = f32[8] get-tuple-element(bp), index=0
  b1 = f32[8] get-tuple-element(bp), index=1
  ROOT bt = (f32[8], f32[8]) tuple(b1, b0)
}
yes {
  yp = f32[8] parameter(0)
  ROOT yn = f32[8] negate(yp)
}
no {
  ROOT np = f32[8] parameter(0)
}
ENTRY e {
  p = f32[8] parameter(0)
  q = f32[8] parameter(1)
  i = s32[] parameter(2)
  c = pred[] parameter(3)
  k = token[] after-all()
  bitcast = f32[2,4] bitcast(p)
  barrier = f32[8] opt-barrier(p)
  dependency = f32[8] add-dependency(p, k)
  copy = f32[8] copy(p)
  reshape = f32[4,2] reshape(p)
  convert = bf16[8] convert(p)
  transpose = f32[8] transpose(p), dimensions={0}
  broadcast = f32[3,8] broadcast(p), dimensions={1}
  slice = f32[2] slice(p), slice={[0:2]}
  two = f32[2] constant({1, 2})
  update = f32[8] dynamic-update-slice(p, two, i)
  negate = f32[8] negate(p)
  tuple = (f32[8], f32[8]) tuple(p, q)
  first = f32[8] get-tuple-element(tuple), index=0
  fusion = (f32[8], f32[8]) fusion(p, q), kind=kLoop, calls=fused
  call = f32[8] call(q), to_apply=called
  loop = (f32[8], f32[8]) while(tuple), condition=condition, body=body
  conditional = f32[8] conditional(c, p, q), true_computation=yes, false_computation=no
  copied = (f32[8], f32[8], u32[]) copy-start(p)
  copy_done = f32[8] copy-done(copied)
  gathered = (f32[8], f32[16]) all-gather-start(p), dimensions={0}, replica_groups={{0,1}}
  gather_done = f32[16] all-gather-done(gathered)
  reduced = f32[8] all-reduce-start(p), to_apply=sum, replica_groups={{0,1}}
  reduce_done = f32[8] all-reduce-done(reduced)
  started = ((f32[8]), f32[8], u32[]) async-start(q), calls=wrapped
  updated = ((f32[8]), f32[8], u32[]) async-update(started)
  async_done = f32[8] async-done(updated)
  ROOT result = (f32[8], f32[8]) tuple(async_done, first)
}
)";

std::string described(const Module& module, InstructionId id, const Path& path) {
  std::string text(module.instruction(id).name());
  for (const std::int64_t element : path) text += "." + std::to_string(element);
  return text;
}

TEST_CASE("one step back goes to the value that an instruction hands on") {
  struct Row {
    std::string name;
    Path path;
    std::string to;  // empty: nowhere, or to several places
  };
  const Row rows[] = {
      {"bitcast", {}, "p"},
      {"barrier", {}, "p"},
      {"dependency", {}, "p"},
      {"copy", {}, "p"},
      {"reshape", {}, "p"},
      {"convert", {}, "p"},
      {"transpose", {}, "p"},
      {"broadcast", {}, "p"},
      {"slice", {}, "p"},
      {"update", {}, "p"},
      {"negate", {}, ""},
      {"p", {}, ""},
      {"two", {}, ""},
      {"tuple", {}, ""},
      {"tuple", {1}, "q"},
      {"tuple", {2}, ""},
      {"first", {}, "tuple.0"},
      {"first", {3}, "tuple.0.3"},
      {"fusion", {0}, "ft.0"},
      {"call", {}, "cc"},
      {"loop", {0}, ""},
      {"conditional", {}, ""},
      {"copy_done", {}, "copied.0"},
      {"copied", {}, ""},
      {"copied", {0}, "p"},
      {"copied", {1}, "p"},
      {"copied", {2}, ""},
      {"gather_done", {}, "gathered.1"},
      {"gathered", {0}, "p"},
      {"gathered", {1}, ""},
      {"reduce_done", {}, "reduced"},
      {"reduced", {}, ""},
      {"async_done", {}, "updated.1"},
      {"updated", {1}, "started.1"},
      {"started", {0, 0}, "q"},
      {"started", {0, 1}, ""},
      {"started", {1}, "wn"},
      {"started", {2}, ""},
  };
  const Module module = parsed(kModule);
  for (const Row& row : rows) {
    InstructionId id = named(module, row.name);
    Path path = row.path;
    INFO(described(module, id, path));
    const bool stepped = step_back(module, id, path);
    CHECK(stepped == !row.to.empty());
    CHECK(described(module, id, path) == (stepped ? row.to : described(module, named(module, row.name), row.path)));
  }
}

TEST_CASE("a parameter is what the caller passes") {
  struct Row {
    std::string caller;
    std::string computation;
    std::int64_t number;
    std::string operand;  // empty: none
  };
  const Row rows[] = {{"fusion", "fused", 1, "q"},   {"fusion", "fused", 2, ""},        {"call", "called", 0, "q"},
                      {"loop", "body", 0, "tuple"},  {"loop", "condition", 0, "tuple"}, {"conditional", "yes", 0, "p"},
                      {"conditional", "no", 0, "q"}, {"started", "wrapped", 0, "q"},    {"reduced", "sum", 0, ""}};
  const Module module = parsed(kModule);
  for (const Row& row : rows) {
    INFO(row.caller << " " << row.computation);
    ComputationId called;
    for (ComputationView c : module.computations()) {
      if (c.name() == row.computation) called = c.id();
    }
    const InstructionId id = argument(module.instruction(named(module, row.caller)), called, row.number);
    CHECK((id.valid() ? std::string(module.instruction(id).name()) : "") == row.operand);
  }
}

// What a walk back from part `path` of `name` comes to and cannot go beyond, in alphabetical order.
std::vector<std::string> sources(const Module& module, std::string_view name, Path path) {
  std::vector<std::vector<InstructionId>> callers(module.computation_limit());
  walk(module, [&](InstructionView i) {
    for (ComputationId called : i.called_computations()) callers[called.index].push_back(i.id());
  });
  std::vector<std::string> result;
  ValueWalk values(module);
  values.begin();
  values.add(named(module, name), std::move(path));
  const auto callers_of = [&](ComputationId id) -> const std::vector<InstructionId>& { return callers[id.index]; };
  values.back(1000, callers_of, [&](InstructionView at) {
    const bool is_source =
        flow(at.opcode()) == Flow::kElementwise || (at.opcode() == Opcode::kParameter && at.computation().is_entry());
    if (is_source) result.emplace_back(at.name());
    return is_source ? Go::kStop : Go::kOn;
  });
  std::sort(result.begin(), result.end());
  return result;
}

TEST_CASE("a walk back finds every value that a value may be") {
  using Names = std::vector<std::string>;
  const Module module = parsed(kModule);
  CHECK(sources(module, "loop", {0}) == Names{"p", "q"});  // the body swaps the two
  CHECK(sources(module, "b0", {}) == Names{"p", "q"});
  CHECK(sources(module, "conditional", {}) == Names{"q", "yn"});
  CHECK(sources(module, "cc", {}) == Names{"q"});
  CHECK(sources(module, "fusion", {0}) == Names{"fn"});
  CHECK(sources(module, "fusion", {1}) == Names{"q"});
  CHECK(sources(module, "tuple", {}) == Names{"p", "q"});
  CHECK(sources(module, "result", {0}) == Names{"wn"});
  CHECK(sources(module, "result", {1}) == Names{"p"});
}

TEST_CASE("a walk forward goes into fusions and ends where it is told to") {
  const Module module = parsed(kModule);
  const Users users(module);
  const auto users_of = [&](InstructionId id) { return users.of(id); };
  std::vector<std::string> seen;
  const bool finished = walk_uses(module, named(module, "q"), 64, users_of, [&](InstructionView user, InstructionId) {
    seen.emplace_back(user.name());
    return user.opcode() == Opcode::kFusion ? Go::kOn : Go::kStop;
  });
  CHECK(finished);
  CHECK(seen == std::vector<std::string>{"tuple", "fusion", "call", "conditional", "started", "ft"});
  CHECK_FALSE(
      walk_uses(module, named(module, "q"), 64, users_of, [](InstructionView, InstructionId) { return Go::kEnd; }));
  CHECK_FALSE(
      walk_uses(module, named(module, "p"), 3, users_of, [](InstructionView, InstructionId) { return Go::kOn; }));
}

TEST_CASE("long chains are walked without recursion, and within the limit") {
  constexpr int kLength = 100000;
  std::string text = "HloModule m\n\nENTRY e {\n  x0 = f32[8] parameter(0)\n";
  for (int i = 1; i <= kLength; ++i) {
    text += "  " + std::string(i == kLength ? "ROOT " : "") + "x" + std::to_string(i) + " = f32[8] bitcast(x" +
            std::to_string(i - 1) + ")\n";
  }
  const Module module = parsed(text + "}\n");
  const InstructionView last = module.entry().root();
  CHECK(origin(last, [](InstructionView i) { return is_alias(i.opcode()); }).name() == "x0");
  ValueWalk values(module);
  values.begin();
  values.add(last.id(), {});
  int visits = 0;
  values.back(
      1000, [](ComputationId) { return std::vector<InstructionId>(); },
      [&](InstructionView) {
        ++visits;
        return Go::kOn;
      });
  CHECK(visits == 1000);
}

}  // namespace
}  // namespace hloroof::internal
