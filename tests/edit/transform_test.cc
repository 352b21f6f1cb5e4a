// Fusing, outlining and taking apart; building; verifying; walking.
#include <filesystem>
#include <string>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/edit/edit_log.h"
#include "lib/ir/rows.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

constexpr std::string_view kChain = R"(HloModule m

ENTRY %main (a: f32[8,128], b: f32[8,128]) -> (f32[8,128], f32[8,128]) {
  %a = f32[8,128]{1,0} parameter(0)
  %b = f32[8,128]{1,0} parameter(1)
  %sum = f32[8,128]{1,0} add(%a, %b)
  %between = f32[8,128]{1,0} negate(%sum)
  %tanh = f32[8,128]{1,0} tanh(%sum)
  %product = f32[8,128]{1,0} multiply(%tanh, %b)
  ROOT %out = (f32[8,128]{1,0}, f32[8,128]{1,0}) tuple(%between, %product)
}

)";

void check_sound(const Module& module) {
  const std::string text = print_module(module);
  INFO(text);
  CHECK(verify(module) == absl::OkStatus());
  const absl::StatusOr<Module> again = parse_module(text);
  INFO((again.ok() ? "" : std::string(again.status().message())));
  REQUIRE(again.ok());
  CHECK(print_module(*again) == text);
}

TEST_CASE("fusing makes parameters of what comes in and a tuple of what goes out") {
  Module module = parsed(kChain);
  ModuleEditor edit(module);
  const absl::StatusOr<InstructionId> fusion =
      edit.fuse({named(module, "product"), named(module, "sum"), named(module, "tanh")});
  REQUIRE(fusion.ok());
  check_sound(module);
  CHECK(print_module(module) == R"(HloModule m

%fused_computation (param_0: f32[8,128], param_1: f32[8,128]) -> (f32[8,128], f32[8,128]) {
  %param_0 = f32[8,128]{1,0} parameter(0)
  %param_1 = f32[8,128]{1,0} parameter(1)
  %sum = f32[8,128]{1,0} add(%param_0, %param_1)
  %tanh = f32[8,128]{1,0} tanh(%sum)
  %product = f32[8,128]{1,0} multiply(%tanh, %param_1)
  ROOT %tuple = (f32[8,128]{1,0}, f32[8,128]{1,0}) tuple(%sum, %product)
}

ENTRY %main (a: f32[8,128], b: f32[8,128]) -> (f32[8,128], f32[8,128]) {
  %a = f32[8,128]{1,0} parameter(0)
  %b = f32[8,128]{1,0} parameter(1)
  %fusion = (f32[8,128]{1,0}, f32[8,128]{1,0}) fusion(%a, %b), kind=kLoop, calls=%fused_computation
  %get-tuple-element = f32[8,128]{1,0} get-tuple-element(%fusion), index=0
  %get-tuple-element.1 = f32[8,128]{1,0} get-tuple-element(%fusion), index=1
  %between = f32[8,128]{1,0} negate(%get-tuple-element)
  ROOT %out = (f32[8,128]{1,0}, f32[8,128]{1,0}) tuple(%between, %get-tuple-element.1)
}

)");
  // And back.
  const absl::StatusOr<std::vector<InstructionId>> parts = edit.unfuse(*fusion);
  REQUIRE(parts.ok());
  CHECK(parts->size() == 3);
  CHECK(edit.erase_unused_computations() == 1);
  check_sound(module);
  CHECK(module.computations().size() == 1);
  CHECK(module.entry().instruction_count() == 7);
}

TEST_CASE("fusing across what is left out is refused") {
  Module module = parsed(kChain);
  ModuleEditor edit(module);
  NewInstruction made;
  made.opcode = Opcode::kAdd;
  made.operands = {named(module, "between"), named(module, "product")};
  const absl::StatusOr<InstructionId> last = edit.insert_before(named(module, "out"), made);
  REQUIRE(last.ok());
  const absl::StatusOr<InstructionId> fusion = edit.fuse({named(module, "sum"), *last});
  CHECK(fusion.status().message() == "add needs the others by way of between");
  CHECK_FALSE(edit.fuse({named(module, "a"), named(module, "sum")}).ok());
  CHECK_FALSE(edit.fuse({}).ok());
  CHECK_FALSE(edit.fuse({named(module, "sum")}, "kNothing").ok());
  check_sound(module);
}

// Each fusion disagrees with what it calls, which the parser lets pass and verify() finds.
constexpr std::string_view kDisagreeing = R"(HloModule m

f {
  a = f32[64,128] parameter(0)
  b = f32[64,128] parameter(1)
  c = f32[64,128] parameter(2)
  ROOT r = f32[64,128] add(a, c)
}

pair {
  a.1 = f32[64,128] parameter(0)
  n.1 = f32[64,128] negate(a.1)
  ROOT t.1 = (f32[64,128], f32[64,128]) tuple(a.1, n.1)
}

ENTRY e {
  p = f32[64,128] parameter(0)
  q = f32[64,64] parameter(1)
  few = f32[64,128] fusion(p), kind=kLoop, calls=f
  many = f32[64,128] fusion(p, p, p, p), kind=kLoop, calls=f
  other_operand = f32[64,128] fusion(p, p, q), kind=kLoop, calls=f
  other_result = f32[64,64] fusion(p, p, p), kind=kLoop, calls=f
  good = (f32[64,128], f32[64,128]) fusion(p), kind=kLoop, calls=pair
  other_element = f32[64,64] get-tuple-element(good), index=1
  y = f32[64,128] negate(few)
  z = f32[64,64] negate(other_element)
  ROOT out = (f32[64,128], f32[64,64], f32[64,128], f32[64,128], f32[64,64]) tuple(y, z, many, other_operand, other_result)
}
)";

TEST_CASE("fusing and taking apart that fail change nothing") {
  const struct {
    std::vector<std::string> instructions;  // to fuse; one alone is also taken apart
    std::string message;
  } cases[] = {
      {{"few", "y"}, "few has 1 operands, but f takes 3 parameters, or not one for each of them"},
      {{"few"}, "few has 1 operands, but f takes 3 parameters, or not one for each of them"},
      {{"many"}, "many has 4 operands, but f takes 3 parameters, or not one for each of them"},
      {{"other_operand"}, "operand 2 of other_operand has another shape than c of f"},
      {{"other_result"}, "other_result has another shape than the root of f"},
      {{"p", "y"}, "p is a parameter"},
      {{"good", "z"}, "z needs the others by way of other_element"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.instructions);
    Module module = parsed(kDisagreeing);
    const std::string before = print_module(module);
    ModuleEditor edit(module);
    std::vector<InstructionId> instructions;
    for (const std::string& name : c.instructions) instructions.push_back(named(module, name));
    CHECK(edit.fuse(instructions).status().message() == c.message);
    if (instructions.size() == 1) CHECK(edit.unfuse(instructions[0]).status().message() == c.message);
    CHECK(print_module(module) == before);
    CHECK(EditLog::take(edit).empty());
  }
  Module module = parsed(kDisagreeing);
  const std::string before = print_module(module);
  ModuleEditor edit(module);
  CHECK(edit.unfuse(named(module, "good")).status().message() ==
        "other_element has another shape than element 1 of pair");
  CHECK(edit.unfuse(named(module, "y")).status().message() ==
        "y is not a fusion or call of a computation that is in the text");
  CHECK(edit.fuse({named(module, "y")}, "kNothing").status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(print_module(module) == before);
  CHECK(EditLog::take(edit).empty());
}

TEST_CASE("a fusion that is fused gives what is in it") {
  Module module = parsed(kChain);
  ModuleEditor edit(module);
  const absl::StatusOr<InstructionId> first = edit.fuse({named(module, "sum"), named(module, "tanh")});
  REQUIRE(first.ok());
  check_sound(module);
  std::vector<InstructionId> all;
  for (InstructionView i : module.entry().instructions()) {
    if (i.opcode() != Opcode::kParameter && !i.is_root()) all.push_back(i.id());
  }
  const absl::StatusOr<InstructionId> second = edit.fuse(all);
  REQUIRE(second.ok());
  edit.erase_unused_computations();
  check_sound(module);
  CHECK(module.computations().size() == 2);
  CHECK(module.entry().instruction_count() == 6);  // two parameters, the fusion, two elements, the tuple
}

TEST_CASE("outlining makes a call") {
  Module module = parsed(kChain);
  ModuleEditor edit(module);
  const absl::StatusOr<InstructionId> call =
      edit.outline({named(module, "tanh"), named(module, "product")}, "activate");
  REQUIRE(call.ok());
  check_sound(module);
  CHECK(print_instruction(module.instruction(*call)) == "%call = f32[8,128]{1,0} call(%sum, %b), to_apply=%activate");
  REQUIRE(edit.unfuse(*call).ok());
  edit.erase_unused_computations();
  check_sound(module);
}

TEST_CASE("computations are copied with what they call") {
  Module module = parsed(kChain);
  ModuleEditor edit(module);
  const absl::StatusOr<InstructionId> fusion = edit.fuse({named(module, "tanh"), named(module, "product")});
  REQUIRE(fusion.ok());
  const ComputationId body = module.instruction(*fusion).computations(AttributeKey::kCalls)[0].id();
  const absl::StatusOr<ComputationId> copy = edit.clone_computation(body);
  REQUIRE(copy.ok());
  REQUIRE(edit.set_computations(*fusion, AttributeKey::kCalls, {*copy}).ok());
  CHECK_FALSE(edit.set_computations(*fusion, AttributeKey::kCalls, {module.entry().id()}).ok());
  CHECK(edit.erase_unused_computations() == 1);
  check_sound(module);
}

TEST_CASE("a new computation can be called by what is there") {
  Module module = parsed(R"(HloModule m
f { p = f32[8] parameter(0) ROOT n = f32[8] negate(p) }
ENTRY e { x = f32[8] parameter(0) ROOT y = f32[8] fusion(x), kind=kLoop, calls=f }
)");
  ModuleEditor edit(module);
  const ComputationId first = module.computations()[0].id();
  const auto build = [&](std::string_view name, ComputationId before) {
    ComputationBuilder builder(edit, name, false, before);
    builder.op(Opcode::kAbs, {builder.parameter("f32[8]")});
    return builder.finish();
  };
  const absl::StatusOr<ComputationId> absolute = build("absolute", ComputationId());
  const absl::StatusOr<ComputationId> inner = build("inner", first);
  REQUIRE(absolute.ok());
  REQUIRE(inner.ok());
  CHECK(module.computations()[0].id() == *inner);
  CHECK(edit.set_computations(named(module, "y"), AttributeKey::kCalls, {*absolute}).ok());
  NewInstruction call;
  call.opcode = Opcode::kCall;
  call.operands = {module.computation(first).parameters()[0]};
  call.attributes = {{AttributeKey::kToApply, "", {*inner}}};
  call.shape = "f32[8]";
  CHECK(edit.append(first, call).ok());
  check_sound(module);
}

TEST_CASE("a module is built with the shapes that follow") {
  ModuleHeader header;
  header.num_partitions = 8;
  Module module = new_module("mlp", header);
  ModuleEditor edit(module);

  ComputationBuilder add(edit, "add");
  const absl::StatusOr<ComputationId> sum =
      add.finish(add.op(Opcode::kAdd, {add.parameter("f32[]", "x"), add.parameter("f32[]", "y")}));
  REQUIRE(sum.ok());

  ComputationBuilder condition(edit, "goes_on");
  const InstructionId counted = condition.element(condition.parameter("(s32[], f32[256,512]{1,0})", "state"), 0);
  const absl::StatusOr<ComputationId> goes_on = condition.finish(condition.op(
      Opcode::kCompare, {counted, condition.constant("s32[]", "12")}, {{AttributeKey::kDirection, "LT", {}}}));
  REQUIRE(goes_on.ok());

  ComputationBuilder step(edit, "layer");
  const InstructionId state = step.parameter("(s32[], f32[256,512]{1,0})", "state");
  const InstructionId next = step.op(Opcode::kAdd, {step.element(state, 0), step.constant("s32[]", "1")});
  const InstructionId x = step.op(Opcode::kTanh, {step.element(state, 1)});
  const absl::StatusOr<ComputationId> layer = step.finish(step.op(Opcode::kTuple, {next, x}));
  REQUIRE(layer.ok());

  ComputationBuilder b(edit, "main", /*entry=*/true);
  const InstructionId a = b.parameter("bf16[256,1024]{1,0}", "a");
  const InstructionId w = b.parameter("bf16[1024,512]{1,0}", "w");
  const InstructionId dot =
      b.op(Opcode::kDot, {a, w},
           {{AttributeKey::kLhsContractingDims, "{1}", {}}, {AttributeKey::kRhsContractingDims, "{0}", {}}},
           "f32[256,512]{1,0}");
  const InstructionId reduced = b.op(Opcode::kAllReduce, {dot},
                                     {{AttributeKey::kChannelId, "1", {}},
                                      {AttributeKey::kReplicaGroups, "[1,8]<=[8]", {}},
                                      {AttributeKey::kUseGlobalDeviceIds, "true", {}},
                                      {AttributeKey::kToApply, "", {*sum}}},
                                     "f32[256,512]{1,0}");
  const InstructionId looped = b.op(Opcode::kWhile, {b.op(Opcode::kTuple, {b.constant("s32[]", "0"), reduced})},
                                    {{AttributeKey::kCondition, "", {*goes_on}}, {AttributeKey::kBody, "", {*layer}}});
  const absl::StatusOr<ComputationId> main = b.finish(b.element(looped, 1));
  REQUIRE(main.ok());
  check_sound(module);
  CHECK(module.instruction(looped).shape().is_tuple());
  CHECK(module.num_partitions() == 8);
  CHECK(print_module(module).substr(0, 33) == "HloModule mlp, num_partitions=8\n\n");

  // What is wrong is said once, at the end.
  ComputationBuilder wrong(edit, "wrong");
  const InstructionId p = wrong.parameter("f32[8,128]");
  const InstructionId q = wrong.op(Opcode::kAdd, {p, wrong.parameter("f32[9,128]")});
  CHECK_FALSE(q.valid());
  CHECK_FALSE(wrong.op(Opcode::kTanh, {q}).valid());
  const absl::Status status = wrong.finish().status();
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("verify says what no longer fits") {
  const auto after = [](const auto& change) {
    Module module = parsed(kChain);
    ModuleEditor edit(module);
    REQUIRE(verify(module) == absl::OkStatus());
    change(edit, module);
    return std::string(verify(module).message());
  };
  CHECK(after([](ModuleEditor& edit, Module& m) { REQUIRE(edit.set_shape(named(m, "tanh"), "f32[8,129]").ok()); }) ==
        "main.tanh: its shape is f32[8,129], but f32[8,128] follows from its operands");
  CHECK(after([](ModuleEditor& edit, Module& m) {
          REQUIRE(edit.set_shape(named(m, "a"), "f32[4,128]{1,0}").ok());
        }).substr(0, 10) == "main.sum: ");
  CHECK(after([](ModuleEditor& edit, Module& m) {
          const absl::StatusOr<InstructionId> fusion = edit.fuse({named(m, "tanh"), named(m, "product")});
          REQUIRE(fusion.ok());
          REQUIRE(edit.set_operands(*fusion, {named(m, "sum")}).ok());
        }) == "main.fusion: fused_computation takes 2 arguments, not 1");
}

TEST_CASE("what readers rely on cannot be taken away") {
  Module module = parsed(kChain);
  ModuleEditor edit(module);
  const InstructionId tanh = named(module, "tanh");
  CHECK(edit.set_operands(tanh, {named(module, "a"), named(module, "b")}).message() == "tanh takes 1 operands, not 2");
  CHECK_FALSE(edit.set_operands(named(module, "out"), {tanh}).ok());
  CHECK_FALSE(edit.set_shape(named(module, "out"), "f32[8,128]{1,0}").ok());
  const absl::StatusOr<InstructionId> fusion = edit.fuse({named(module, "sum"), tanh, named(module, "product")});
  REQUIRE(fusion.ok());
  CHECK(edit.remove_attribute(*fusion, AttributeKey::kKind).message() == "fusion requires the attribute kind");
  CHECK(edit.set_shape(*fusion, "f32[8,128]{1,0}").message() ==
        "the new shape has no element 0, which get-tuple-element uses");
  NewInstruction element;
  element.opcode = Opcode::kGetTupleElement;
  element.operands = {*fusion};
  element.number = 2;
  CHECK(edit.append(module.entry().id(), element).status().message() == "fusion has no element 2");
  NewInstruction compare;
  compare.opcode = Opcode::kCompare;
  compare.operands = {named(module, "a"), named(module, "b")};
  CHECK(edit.append(module.entry().id(), compare).status().message() == "compare requires the attribute direction");
  check_sound(module);
}

// What libtpu makes of an argmax over bf16, and of arithmetic that it fuses: the result is rounded where it is
// computed.
constexpr std::string_view kRounded = R"(HloModule rounded, is_scheduled=true

larger {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  is_larger = pred[] compare(a, b), direction=GT
  value = f32[] select(is_larger, a, b)
  index = s32[] select(is_larger, i, j)
  ROOT both = (f32[], s32[]) tuple(value, index)
}

ENTRY main {
  x = f32[8,128] parameter(0)
  y = bf16[8,128] parameter(1)
  i = s32[8,128] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  argmax = (bf16[8], s32[8]) reduce(x, i, low, zero), dimensions={1}, to_apply=larger
  difference = bf16[8,128] subtract(x, x)
  mixed = bf16[8,128] multiply(x, y)
  exponential = bf16[8,128] exponential(x)
  sliced = bf16[4,128] slice(x), slice={[0:4], [0:128]}
  ROOT out = (bf16[8], s32[8], bf16[8,128]) custom-call(argmax, difference, mixed), custom_call_target="f"
}
)";

TEST_CASE("verify accepts a result that is rounded where it is computed") {
  Module module = parsed(kRounded);
  CHECK(verify(module) == absl::OkStatus());
  ModuleEditor edit(module);
  for (const auto& [name, shape] : {std::pair{"argmax", "(bf16[8], s16[8])"},
                                    {"argmax", "(bf16[4], s32[8])"},
                                    {"argmax", "(bf16[8], f32[8])"},
                                    {"difference", "bf16[8,127]"},
                                    {"exponential", "s32[8,128]"}}) {
    INFO(name << " " << shape);
    const Checkpoint before = edit.checkpoint();
    REQUIRE(edit.set_shape(named(module, name), shape).ok());
    CHECK(verify(module).code() == absl::StatusCode::kInvalidArgument);
    REQUIRE(edit.rollback(before).ok());
  }
}

TEST_CASE("a fault that came with the module is not the edit's") {
  constexpr std::string_view kFaults = R"(HloModule faults, is_scheduled=true

ENTRY main {
  x = f32[8,128] parameter(0)
  first = f32[8,64] negate(x)
  second = f32[8,128] add(x, x)
  third = f32[4,128] negate(second)
  ROOT out = f32[8,128] exponential(second)
}
)";
  const Module original = parsed(kFaults);
  Module module = original;
  ModuleEditor edit(module);
  CHECK(verify(module).code() == absl::StatusCode::kInvalidArgument);
  CHECK(verify(module, original).ok());
  REQUIRE(edit.move_before(named(module, "second"), named(module, "first")).ok());
  CHECK(verify(module, original).ok());
  REQUIRE(edit.erase(named(module, "third")).ok());
  CHECK(verify(module, original).ok());
  REQUIRE(edit.set_shape(named(module, "out"), "f32[8,127]").ok());
  CHECK(verify(module, original).message() ==
        "main.out: its shape is f32[8,127], but f32[8,128] follows from its operands");
  CHECK(verify(original, original).ok());
}

TEST_CASE("verify accepts what compilers print") {
  const std::filesystem::path shared = shared_path("corpus");
  std::vector<std::filesystem::path> files;
  for (const auto& folder : {shared / "tpu", shared / "cpu", shared / "gpu", shared / "forms", shared / "step",
                             std::filesystem::path(source_path("examples"))}) {
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (entry.path().extension() == ".hlo" && name.find("xla-rejects") == std::string::npos)
        files.push_back(entry.path());
    }
  }
  for (const std::filesystem::path& file : files) {
    const absl::StatusOr<Module> module = load_module(file.string());
    if (!module.ok() || !module->has_entry() || ModuleRows::is_single_instruction(*module)) continue;
    INFO(file.string());
    CHECK(verify(*module) == absl::OkStatus());
  }
}

TEST_CASE("walking") {
  Module module = parsed(kChain);
  const Users users(module);
  const InstructionView sum = module.instruction(named(module, "sum"));
  std::string names;
  for (InstructionView user : users.of(sum)) names += std::string(user.name()) + " ";
  CHECK(names == "between tanh ");
  names.clear();
  for (InstructionId id : post_order(module.instruction(named(module, "product"))))
    names += std::string(module.instruction(id).name()) + " ";
  CHECK(names == "a b sum tanh product ");
  CHECK(post_order(module.instruction(named(module, "a"))) == std::vector<InstructionId>{named(module, "a")});
  CHECK(called_by(module.entry()).empty());

  ModuleEditor edit(module);
  const absl::StatusOr<InstructionId> fusion = edit.fuse({named(module, "tanh"), named(module, "product")});
  REQUIRE(fusion.ok());
  REQUIRE(edit.outline({*fusion}, "outer").ok());
  names.clear();
  for (ComputationId id : called_by(module.entry())) names += std::string(module.computation(id).name()) + " ";
  CHECK(names == "fused_computation outer ");
  std::size_t count = 0;
  std::vector<bool> seen(module.instruction_limit(), false);
  walk(module, [&](InstructionView i) {
    ++count;
    for (InstructionId operand : i.operand_ids()) CHECK(seen[operand.index]);
    for (ComputationId called : i.called_computations()) CHECK(seen[module.computation(called).root().id().index]);
    seen[i.id().index] = true;
  });
  CHECK(count == module.instruction_count());
}

}  // namespace
}  // namespace hloroof::internal
