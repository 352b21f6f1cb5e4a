// Tests the effect and the errors of each single edit.

#include <string>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/ir/module_builder.h"
#include "lib/ir/rows.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

constexpr std::string_view kText =
    R"(HloModule m, is_scheduled=true, entry_computation_layout={(bf16[8,128]{1,0}, bf16[8,128]{1,0})->bf16[8,128]{1,0}}

ENTRY %main (a: bf16[8,128], b: bf16[8,128]) -> bf16[8,128] {
  %a = bf16[8,128]{1,0} parameter(0)
  %b = bf16[8,128]{1,0} parameter(1)
  %sum = bf16[8,128]{1,0} add(%a, %b)
  %twice = bf16[8,128]{1,0} add(%sum, %sum), control-predecessors={%sum}
  %gathered = bf16[64,128]{1,0} all-gather(%twice), channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}
  ROOT %out = bf16[8,128]{1,0} multiply(%twice, %b)
}

)";

std::string line(const Module& module, InstructionId id) { return print_instruction(module.instruction(id)); }

// The printed module must parse as the same module.
void check_readable(const Module& module) {
  const std::string text = print_module(module);
  absl::StatusOr<Module> again = parse_module(text);
  INFO(text << (again.ok() ? "" : std::string(again.status().message())));
  REQUIRE(again.ok());
  CHECK(print_module(*again) == text);
}

TEST_CASE("users of an instruction are listed once") {
  Module module = parsed(kText);
  ModuleEditor edit(module);
  CHECK(edit.users(named(module, "sum")) == std::vector<InstructionId>{named(module, "twice")});
  CHECK(edit.users(named(module, "twice")).size() == 2);
  CHECK(edit.users(named(module, "out")).empty());
}

TEST_CASE("a shape, a layout, a memory space") {
  Module module = parsed(kText);
  ModuleEditor edit(module);
  const InstructionId sum = named(module, "sum");
  REQUIRE(edit.set_shape(sum, "bf16[8,128]{0,1:T(8,128)(2,1)}").ok());
  CHECK(line(module, sum) == "%sum = bf16[8,128]{0,1:T(8,128)(2,1)} add(%a, %b)");
  Layout in_vmem = module.instruction(sum).shape().layout;
  in_vmem.memory_space = 1;
  REQUIRE(edit.set_layout(sum, in_vmem).ok());
  CHECK(line(module, sum) == "%sum = bf16[8,128]{0,1:T(8,128)(2,1)S(1)} add(%a, %b)");
  Layout wrong;
  wrong.present = true;
  wrong.minor_to_major = {1, 1};
  CHECK(edit.set_layout(sum, wrong).code() == absl::StatusCode::kInvalidArgument);
  CHECK(edit.set_shape(sum, "bf16[8,").code() == absl::StatusCode::kInvalidArgument);
  CHECK_FALSE(ModuleRows::header_text(module, AttributeKey::kEntryComputationLayout).empty());
  // The layout in the header would be stale.
  REQUIRE(edit.set_shape(named(module, "a"), "bf16[8,128]{0,1}").ok());
  CHECK(ModuleRows::header_text(module, AttributeKey::kEntryComputationLayout).empty());
  check_readable(module);
}

// The text of a layout that is absent has nowhere to put a memory space.
TEST_CASE("a layout that states anything is present, whatever the text had") {
  struct Case {
    const char* name;
    std::string shape;  // before
    Layout layout;
    std::string after;
  };
  std::vector<Case> cases;
  const auto add = [&](const char* name, const char* shape, const char* after, auto set) {
    Case made{name, shape, {}, after};
    set(made.layout);
    cases.push_back(made);
  };
  add("memory space", "f32[4,8]", "f32[4,8]{1,0:S(5)}", [](Layout& l) { l.memory_space = 5; });
  add("memory space of a scalar", "f32[]", "f32[]{:S(1)}", [](Layout& l) { l.memory_space = 1; });
  add("rank 3", "f32[4,8,2]", "f32[4,8,2]{2,1,0:S(1)}", [](Layout& l) { l.memory_space = 1; });
  add("order", "f32[4,8]", "f32[4,8]{0,1}", [](Layout& l) { l.minor_to_major = {0, 1}; });
  add("tiles", "f32[4,8]", "f32[4,8]{1,0:T(8,128)}", [](Layout& l) { l.tiles = {{{8, 128}}}; });
  add("bits", "s4[4,8]", "s4[4,8]{1,0:E(4)}", [](Layout& l) { l.element_size_in_bits = 4; });
  add("alignment", "f32[4,8]", "f32[4,8]{1,0:L(16)}", [](Layout& l) { l.tail_padding_alignment = 16; });
  add("split", "f32[4,8]", "f32[4,8]{1,0:SC(0:2)}", [](Layout& l) { l.split_configs = {{0, {2}}}; });
  add("prefix", "f32[4,8]", "f32[4,8]{1,0:M(128)}", [](Layout& l) { l.dynamic_shape_metadata_prefix_bytes = 128; });
  add("index type", "f32[4,8]", "f32[4,8]{1,0:#(u32)}", [](Layout& l) { l.index_type = ElementType::kU32; });
  add("pointer type", "f32[4,8]", "f32[4,8]{1,0:*(u32)}", [](Layout& l) { l.pointer_type = ElementType::kU32; });
  add("nothing", "f32[4,8]{0,1}", "f32[4,8]", [](Layout&) {});
  add("nothing, but present", "f32[]{:S(1)}", "f32[]", [](Layout& l) { l.present = true; });
  for (const Case& one : cases) {
    INFO(one.name);
    for (const bool as_shape : {false, true}) {
      Module module = parsed("HloModule m\n\nENTRY e {\n  p = " + one.shape + " parameter(0)\n  ROOT c = " + one.shape +
                             " custom-call(p), custom_call_target=\"f\"\n}\n");
      ModuleEditor edit(module);
      const InstructionId id = named(module, "c");
      Shape shape = module.instruction(id).shape();
      shape.layout = one.layout;
      REQUIRE((as_shape ? edit.set_shape(id, edit.shape(shape)) : edit.set_layout(id, one.layout)).ok());
      CHECK(to_string(module.shapes(), module.instruction(id).shape_id()) == one.after);
      const absl::StatusOr<Module> again = parse_module(print_module(module));
      REQUIRE(again.ok());
      CHECK(again->instruction(named(*again, "c")).shape() == module.instruction(id).shape());
      CHECK(verify(module).ok());
    }
  }
  Module module = parsed(kText);
  ModuleEditor edit(module);
  Layout wrong;
  wrong.minor_to_major = {1, 1};
  CHECK(edit.set_layout(named(module, "sum"), wrong).code() == absl::StatusCode::kInvalidArgument);
}

// Nothing in the interface makes such a shape; if something does, it must not pass for what its text says.
TEST_CASE("modules that differ in what the text of a shape does not say are not equal") {
  Module module = parsed(kText);
  const Module original = parsed(kText);
  ModuleEditor edit(module);
  const InstructionId sum = named(module, "sum");
  Shape shape = module.instruction(sum).shape();
  shape.layout = {};
  REQUIRE(edit.set_shape(sum, edit.shape(shape)).ok());
  CHECK(verify(module).ok());
  shape.layout.memory_space = 1;
  REQUIRE(edit.set_shape(sum, ModuleBuilder(module).shapes().intern(shape)).ok());
  const absl::StatusOr<Module> again = parse_module(print_module(module));
  REQUIRE(again.ok());
  std::string difference;
  CHECK_FALSE(equal(module, *again, &difference));
  CHECK(difference == "layouts of sum differ: 'bf16[8,128]' and 'bf16[8,128]'");
  CHECK(verify(module).code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("a shape that is not an array has no layout, and a flag for each dimension or none") {
  Module module = parsed(kText);
  ModuleEditor edit(module);
  Shape token;
  token.element_type = ElementType::kToken;
  CHECK(edit.shape(token) == *edit.shape("token[]"));
  token.layout.memory_space = 1;
  CHECK(edit.shape(token) == *edit.shape("token[]"));
  Shape array;
  array.element_type = ElementType::kF32;
  array.dimensions = {4, 8};
  array.dynamic_dimensions = {0, 0};
  CHECK(edit.shape(array) == *edit.shape("f32[4,8]"));
  array.dynamic_dimensions = {1};
  CHECK(edit.shape(array) == *edit.shape("f32[<=4,8]"));
  array.dimensions = {4, Shape::kUnboundedSize};
  array.dynamic_dimensions = {};
  CHECK(edit.shape(array) == *edit.shape("f32[4,?]"));
}

TEST_CASE("operands must precede their users") {
  Module module = parsed(kText);
  ModuleEditor edit(module);
  const InstructionId sum = named(module, "sum");
  REQUIRE(edit.set_operand(named(module, "out"), 1, sum).ok());
  CHECK(line(module, named(module, "out")) == "ROOT %out = bf16[8,128]{1,0} multiply(%twice, %sum)");
  CHECK(edit.users(sum).size() == 2);
  CHECK(edit.set_operand(sum, 0, named(module, "twice")).message() == "twice does not precede sum");
  CHECK(edit.set_operand(sum, 2, named(module, "a")).message() == "sum has 2 operands; there is no operand 2");
  CHECK(edit.set_operand(sum, 0, InstructionId()).message() == "the instruction id is not of this module");
  REQUIRE(edit.set_operands(sum, {named(module, "b"), named(module, "b")}).ok());
  CHECK(edit.users(named(module, "a")).empty());
  check_readable(module);
}

TEST_CASE("attributes follow their grammar") {
  Module module = parsed(kText);
  ModuleEditor edit(module);
  const InstructionId gathered = named(module, "gathered");
  REQUIRE(edit.set_attribute(gathered, AttributeKey::kReplicaGroups, "[2,4]<=[8]").ok());
  CHECK(module.instruction(gathered).text(AttributeKey::kReplicaGroups) == "[2,4]<=[8]");
  REQUIRE(edit.set_attribute(gathered, AttributeKey::kSharding, "{replicated}").ok());
  CHECK_FALSE(edit.set_attribute(gathered, AttributeKey::kReplicaGroups, "[2,3]<=[8]").ok());
  CHECK_FALSE(edit.set_attribute(gathered, AttributeKey::kWindow, "{size=3}").ok());
  CHECK_FALSE(edit.set_attribute(gathered, AttributeKey::kToApply, "f").ok());
  REQUIRE(edit.remove_attribute(gathered, AttributeKey::kSharding).ok());
  CHECK(edit.remove_attribute(gathered, AttributeKey::kSharding).code() == absl::StatusCode::kNotFound);
  check_readable(module);
}

TEST_CASE("inserting, replacing, erasing") {
  Module module = parsed(kText);
  ModuleEditor edit(module);
  const InstructionId sum = named(module, "sum");
  const InstructionId twice = named(module, "twice");
  NewInstruction negate;
  negate.opcode = Opcode::kNegate;
  negate.operands = {sum};
  negate.name = "sum";
  const absl::StatusOr<InstructionId> made = edit.insert_before(twice, negate);
  REQUIRE(made.ok());
  CHECK(line(module, *made) == "%sum.1 = bf16[8,128]{1,0} negate(%sum)");
  REQUIRE(edit.replace_all_uses(sum, *made).ok());
  CHECK(line(module, twice) == "%twice = bf16[8,128]{1,0} add(%sum.1, %sum.1), control-predecessors={%sum}");
  CHECK(edit.users(sum) == std::vector<InstructionId>{*made});
  CHECK(edit.erase(sum).message() == "sum is used by sum.1");
  REQUIRE(edit.set_operand(*made, 0, named(module, "a")).ok());
  REQUIRE(edit.erase(sum).ok());
  CHECK(line(module, twice) == "%twice = bf16[8,128]{1,0} add(%sum.1, %sum.1)");
  CHECK_FALSE(edit.is_alive(sum));
  CHECK(edit.erase(sum).message() == "sum was erased");
  CHECK(edit.erase(named(module, "out")).code() == absl::StatusCode::kFailedPrecondition);
  CHECK(edit.erase(named(module, "a")).code() == absl::StatusCode::kFailedPrecondition);
  CHECK_FALSE(edit.replace_all_uses(twice, named(module, "gathered")).ok());
  // The replacement becomes the root.
  const absl::StatusOr<InstructionId> root = edit.clone(named(module, "out"));
  REQUIRE(root.ok());
  REQUIRE(edit.replace_all_uses(named(module, "out"), *root).ok());
  REQUIRE(edit.erase(named(module, "out")).ok());
  CHECK(module.entry().root().id() == *root);
  check_readable(module);
}

TEST_CASE("moving keeps operands before users") {
  Module module = parsed(kText);
  ModuleEditor edit(module);
  const InstructionId gathered = named(module, "gathered");
  CHECK(edit.move_before(gathered, named(module, "twice")).message() ==
        "gathered depends on twice, which must precede it");
  CHECK(edit.move_before(named(module, "sum"), gathered).message() == "twice depends on sum, which must precede it");
  const InstructionId b = named(module, "b");
  REQUIRE(edit.move_before(b, named(module, "a")).ok());
  CHECK(row_of(module, row_of(module.entry()).first).number == 1);
  check_readable(module);
}

TEST_CASE("a constant needs a literal of its shape") {
  Module module = parsed(kText);
  ModuleEditor edit(module);
  NewInstruction made;
  made.opcode = Opcode::kConstant;
  made.shape = "s32[2]{0}";
  made.literal = "{1, 2, 3}";
  const InstructionId out = named(module, "out");
  CHECK_FALSE(edit.insert_before(out, made).ok());
  made.literal = "{1, 2}";
  const absl::StatusOr<InstructionId> constant = edit.insert_before(out, made);
  REQUIRE(constant.ok());
  CHECK(line(module, *constant) == "%constant = s32[2]{0} constant({1, 2})");
  NewInstruction convert;
  convert.opcode = Opcode::kConvert;
  convert.operands = {*constant};
  CHECK(edit.insert_before(out, convert).status().code() == absl::StatusCode::kUnimplemented);
  check_readable(module);
}

TEST_CASE("many insertions at one place") {
  Module module = parsed(kText);
  ModuleEditor edit(module);
  const InstructionId out = named(module, "out");
  InstructionId last = named(module, "twice");
  for (int i = 0; i < 200; ++i) {
    NewInstruction negate;
    negate.opcode = Opcode::kNegate;
    negate.operands = {last};
    const absl::StatusOr<InstructionId> made = edit.insert_before(out, negate);
    REQUIRE(made.ok());
    CHECK_FALSE(edit.set_operand(last, 0, *made).ok());  // which comes later
    CHECK_FALSE(edit.set_operand(*made, 0, out).ok());
    last = *made;
  }
  CHECK(module.entry().instruction_count() == 206);
  check_readable(module);
}

}  // namespace
}  // namespace hloroof::internal
