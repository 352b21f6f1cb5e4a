// Edits of modules that the parser reads and no compiler would accept. They may fail, but never reach outside a table.

#include <string>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/ir/rows.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

// The body of `x` would be named x.calls.
constexpr std::string_view kRecursive[] = {
    R"(HloModule m

ENTRY e {
  p = f32[8] parameter(0)
  ROOT x = f32[8] fusion(p), kind=kLoop, calls={
    q = f32[8] parameter(0)
    ROOT y = f32[8] fusion(q), kind=kLoop, calls=x.calls
  }
})",
    R"(HloModule m

ENTRY e {
  p = f32[8] parameter(0)
  ROOT x = f32[8] fusion(p), kind=kLoop, calls={
    q = f32[8] parameter(0)
    ROOT y = f32[8] fusion(q), kind=kLoop, calls={
      r = f32[8] parameter(0)
      ROOT z = f32[8] fusion(r), kind=kLoop, calls=x.calls
    }
  }
})",
};

TEST_CASE("a computation cannot call itself") {
  for (const std::string_view text : kRecursive) {
    INFO(text);
    const absl::StatusOr<Module> module = parse_module(text);
    REQUIRE_FALSE(module.ok());
    CHECK(module.status().message().find("computation does not exist: x.calls") != std::string_view::npos);
  }
}

TEST_CASE("a computation that is not in the text can be called and not copied") {
  Module module = parsed("f32[8]{0} fusion(f32[8]{0} %p), kind=kLoop, calls=%absent");
  ModuleEditor edit(module);
  const InstructionId x = module.entry().root().id();
  const ComputationId absent = module.instruction(x).computations(AttributeKey::kCalls)[0].id();
  CHECK(edit.clone_computation(absent).status().message() == "absent is not in the text");
  NewInstruction made;
  made.opcode = Opcode::kConstant;
  made.shape = "f32[]";
  made.literal = "1";
  CHECK(edit.append(absent, made).status().message() == "absent is not in the text");
  CHECK_FALSE(edit.set_root(absent, x).ok());
  CHECK_FALSE(edit.unfuse(x).ok());
  CHECK_FALSE(edit.fuse({x}).ok());
}

TEST_CASE("a computation that is not finished is printed, and neither copied nor called") {
  Module module = new_module("m");
  ModuleEditor edit(module);
  ComputationBuilder main(edit, "main", true);
  CHECK(print_module(module) == "HloModule m\n\nENTRY %main () {\n}\n\n");
  CHECK(verify(module).message() == "main: the computation has no root");
  CHECK(edit.clone_computation(module.entry().id()).status().message() == "main has no instructions");
  CHECK_FALSE(main.finish().ok());
  ComputationBuilder other(edit, "other");
  const InstructionId p = other.parameter("f32[8]");
  CHECK_FALSE(other.op(Opcode::kCall, {p}, {{AttributeKey::kToApply, "", {module.entry().id()}}}).valid());
  CHECK(other.finish().status().message() == "main has no instructions");
}

// Each call differs from what it calls in the number or the shapes of its arguments.
constexpr std::string_view kDisagreeing = R"(HloModule m

pair {
  a = f32[8] parameter(0)
  b = f32[4] parameter(1)
  ROOT t = (f32[8], f32[4]) tuple(a, b)
}

one {
  c = f32[8] parameter(0)
  ROOT n = f32[8] negate(c)
}

ENTRY e {
  p = f32[8] parameter(0)
  q = pred[] parameter(1)
  few = (f32[8], f32[4]) call(p), to_apply=pair
  few_0 = f32[8] get-tuple-element(few), index=0
  many = f32[8] call(p, p, p), to_apply=one
  mapped = f32[8] map(p, p), dimensions={0}, to_apply=one
  reduced = f32[] reduce(p, p), dimensions={0}, to_apply=one
  chosen = f32[8] conditional(q, p, p), true_computation=one, false_computation=pair
  looped = f32[8] while(p), condition=one, body=pair
  none = f32[8] fusion(), kind=kLoop, calls=one
  sum = f32[8] add(few_0, many)
  ROOT out = (f32[8], f32[8], f32[], f32[8], f32[8], f32[8]) tuple(sum, mapped, reduced, chosen, looped, none)
}
)";

TEST_CASE("every pair of instructions of a module that does not fit is fused, outlined or refused") {
  const Module original = parsed(kDisagreeing);
  for (InstructionView a : original.entry().instructions()) {
    for (InstructionView b : original.entry().instructions()) {
      CAPTURE(a.name(), b.name());
      Module module = original;
      ModuleEditor edit(module);
      const std::string before = print_module(module);
      if (!edit.fuse({a.id(), b.id()}).ok()) CHECK(print_module(module) == before);
      if (edit.is_alive(a.id()) && edit.is_alive(b.id())) (void)edit.outline({a.id(), b.id()}, "part");
      for (ComputationView computation : original.computations()) (void)edit.clone_computation(computation.id());
      for (std::size_t i = 0; i < original.instruction_limit(); ++i) {
        const InstructionId id(i);
        if (edit.is_alive(id)) (void)edit.infer_shape(id);
        if (edit.is_alive(id)) (void)edit.unfuse(id);
      }
      edit.erase_unused_computations();
      CHECK(verify(module).code() == absl::StatusCode::kInvalidArgument);
      CHECK(parse_module(print_module(module)).ok());
    }
  }
}

}  // namespace
}  // namespace hloroof::internal
