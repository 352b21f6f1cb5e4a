// The law of verify(): if it accepts a module, the printed text describes that module.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"
#include "tests/predict/random_edits.h"

namespace hloroof::internal {
namespace {

// Prints and parses. The result must be the same module.
std::string check_same_again(const Module& module) {
  const std::string text = print_module(module);
  const absl::StatusOr<Module> again = parse_module(text);
  INFO(text << (again.ok() ? "" : std::string(again.status().message())));
  REQUIRE(again.ok());
  CHECK(print_module(*again) == text);
  std::string difference;
  CHECK(equal(module, *again, &difference));
  CHECK(difference == "");
  return text;
}

constexpr std::string_view kPaths = R"(HloModule paths

ENTRY e {
  p0 = f32[10] parameter(0)
  p1 = (f16[10], f32[4]) parameter(1)
  t = (f32[10], (f16[10], f32[4])) tuple(p0, p1)
  t_0 = f32[10] negate(p0)
  n = f32[10] negate(f32[10] %t#0)
  m = f32[4] negate(f32[4] %t#1#1)
  sum = f32[10] add(n, f32[10] %t#0)
  ROOT root = (f32[10], f32[4], f32[10]) tuple(sum, m, t_0)
}
)";

TEST_CASE("an edit spells out an element of a tuple where the path would lose it") {
  using Change = absl::Status (*)(ModuleEditor&, const Module&);
  struct Case {
    const char* name;
    Change change;
    const char* printed;  // a part of the text afterwards
  };
  const Case cases[] = {
      {"clone", [](ModuleEditor& e, const Module& m) { return e.clone(named(m, "t#0")).status(); },
       "%t_0.1 = f32[10] get-tuple-element(%t), index=0"},
      {"shape", [](ModuleEditor& e, const Module& m) { return e.set_shape(named(m, "t#0"), "f32[10]{0:S(1)}"); },
       "%t_0.1 = f32[10]{0:S(1)} get-tuple-element(%t), index=0"},
      {"shape of the tuple",
       [](ModuleEditor& e, const Module& m) {
         return e.set_shape(named(m, "t"), "(f32[10]{0:S(1)}, (f16[10]{0}, f32[4]{0}))");
       },
       "%t_1_1 = f32[4] get-tuple-element(%t_1), index=1"},
      {"attribute",
       [](ModuleEditor& e, const Module& m) {
         return e.set_attribute(named(m, "t#1"), AttributeKey::kSharding, "{replicated}");
       },
       "%t_1 = (f16[10], f32[4]) get-tuple-element(%t), index=1, sharding={replicated}"},
      {"root", [](ModuleEditor& e, const Module& m) { return e.set_root(m.entry().id(), named(m, "t#0")); },
       "ROOT %t_0.1 = f32[10] get-tuple-element(%t), index=0"},
      {"no users",
       [](ModuleEditor& e, const Module& m) {
         const absl::StatusOr<InstructionId> other = e.clone(named(m, "t#1#1"));
         return other.ok() ? e.set_operand(named(m, "m"), 0, *other) : other.status();
       },
       "%t_1_1.1 = f32[4] get-tuple-element(%t#1), index=1"},
      {"replaced in all users",
       [](ModuleEditor& e, const Module& m) { return e.replace_all_uses(named(m, "t#0"), named(m, "p0")); },
       "%t_0.1 = f32[10] get-tuple-element(%t), index=0"},
      {"fused",
       [](ModuleEditor& e, const Module& m) {
         return e.fuse({named(m, "t#0"), named(m, "n")}).status();
       },
       "get-tuple-element(%param_0), index=0"},
      {"another tuple",
       [](ModuleEditor& e, const Module& m) {
         const absl::StatusOr<InstructionId> other = e.clone(named(m, "t"));
         return other.ok() ? e.set_operand(named(m, "t#0"), 0, *other) : other.status();
       },
       "%t_0.2 = f32[10] get-tuple-element(%t.1), index=0"},
      {"computation", [](ModuleEditor& e, const Module& m) { return e.clone_computation(m.entry().id()).status(); },
       "negate(%t#1#1)"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    Module module = parsed(kPaths);
    ModuleEditor edit(module);
    REQUIRE(c.change(edit, module) == absl::OkStatus());
    const std::string text = check_same_again(module);
    INFO(text);
    CHECK(text.find(c.printed) != std::string::npos);
  }
}

constexpr std::string_view kStarts = R"(HloModule starts, is_scheduled=true, num_partitions=8

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY e {
  p = f32[64,8] parameter(0)
  q = f32[64,8] parameter(1)
  start = ((f32[64,8]), f32[8,8], u32[]) reduce-scatter-start(p), channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}, to_apply=add, async_execution_thread="sparsecore"
  between = f32[64,8] negate(q)
  update = ((f32[64,8]), f32[8,8], u32[]) reduce-scatter-update(start)
  done = f32[8,8] reduce-scatter-done(update)
  ROOT root = (f32[8,8], f32[64,8]) tuple(done, between)
}
)";

TEST_CASE("an edit around or inside X-start is in the printed text") {
  using Change = absl::Status (*)(ModuleEditor&, const Module&);
  struct Case {
    const char* name;
    Change change;
    const char* printed;
    bool is_short;  // X-start is still printed
  };
  const Case cases[] = {
      {"attribute of X",
       [](ModuleEditor& e, const Module& m) {
         return e.set_attribute(named(m, "start"), AttributeKey::kReplicaGroups, "{{0,1,2,3},{4,5,6,7}}");
       },
       "reduce-scatter-start(%p), channel_id=1, replica_groups={{0,1,2,3},{4,5,6,7}}", true},
      {"attribute of X by X itself",
       [](ModuleEditor& e, const Module& m) {
         return e.set_attribute(named(m, "reduce-scatter"), AttributeKey::kReplicaGroups, "{{0,1,2,3},{4,5,6,7}}");
       },
       "reduce-scatter(%param_0), channel_id=1, replica_groups={{0,1,2,3},{4,5,6,7}}", false},
      {"common attribute",
       [](ModuleEditor& e, const Module& m) {
         return e.set_attribute(named(m, "start"), AttributeKey::kMetadata, "{op_name=\"x\"}");
       },
       "metadata={op_name=\"x\"}", true},
      {"thread",
       [](ModuleEditor& e, const Module& m) {
         return e.set_attribute(named(m, "start"), AttributeKey::kAsyncExecutionThread, "\"main\"");
       },
       "async_execution_thread=\"main\"", true},
      {"no thread",
       [](ModuleEditor& e, const Module& m) {
         return e.remove_attribute(named(m, "start"), AttributeKey::kAsyncExecutionThread);
       },
       "to_apply=%add\n", true},
      {"shape of X",
       [](ModuleEditor& e, const Module& m) { return e.set_shape(named(m, "reduce-scatter"), "f32[8,8]{0,1}"); },
       "f32[8,8]{0,1} reduce-scatter(", false},
      {"shape of the start",
       [](ModuleEditor& e, const Module& m) {
         return e.set_shape(named(m, "start"), "((f32[64,8]{1,0}), f32[8,8]{0,1}, u32[])");
       },
       "f32[8,8]{0,1}, u32[]) async-start(%p)", false},
      {"an instruction inside",
       [](ModuleEditor& e, const Module& m) {
         NewInstruction copy;
         copy.opcode = Opcode::kCopy;
         copy.operands = {named(m, "param_0")};
         return e.insert_before(named(m, "reduce-scatter"), copy).status();
       },
       "copy(%param_0)", false},
      {"operand", [](ModuleEditor& e, const Module& m) { return e.set_operand(named(m, "start"), 0, named(m, "q")); },
       "reduce-scatter-start(%q)", true},
      {"clone", [](ModuleEditor& e, const Module& m) { return e.clone(named(m, "start")).status(); },
       "%start.1 = ((f32[64,8]), f32[8,8], u32[]) reduce-scatter-start(%p)", true},
      {"computation", [](ModuleEditor& e, const Module& m) { return e.clone_computation(m.entry().id()).status(); },
       "%e.1 (", true},
      {"fuse",
       [](ModuleEditor& e, const Module& m) {
         return e.fuse({named(m, "start"), named(m, "update"), named(m, "done")}).status();
       },
       "reduce-scatter-start(%param_0)", true},
      {"erase",
       [](ModuleEditor& e, const Module& m) {
         NewInstruction constant;
         constant.opcode = Opcode::kBroadcast;
         constant.operands = {named(m, "p")};
         constant.shape = "f32[8,8]";
         constant.attributes = {{AttributeKey::kDimensions, "{0,1}", {}}};
         const auto made = e.insert_before(named(m, "start"), constant);
         if (!made.ok()) return made.status();
         if (auto s = e.replace_all_uses(named(m, "done"), *made); !s.ok()) return s;
         for (const char* name : {"done", "update", "start"}) {
           if (auto s = e.erase(named(m, name)); !s.ok()) return s;
         }
         return absl::OkStatus();
       },
       "broadcast(%p)", false},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    Module module = parsed(kStarts);
    ModuleEditor edit(module);
    REQUIRE(verify(module) == absl::OkStatus());
    const Checkpoint before = edit.checkpoint();
    REQUIRE(c.change(edit, module) == absl::OkStatus());
    const std::string text = check_same_again(module);
    INFO(text);
    CHECK(text.find(c.printed) != std::string::npos);
    CHECK((text.find("-scatter-start(") != std::string::npos) == c.is_short);
    REQUIRE(edit.rollback(before).ok());
    CHECK(print_module(module) == print_module(parsed(kStarts)));
  }
}

TEST_CASE("names that do not lex as one are refused") {
  Module module = parsed(kPaths);
  ModuleEditor edit(module);
  for (const char* name : {"bf16", "f32", "a b", "1x", "t#0", "x=", "%x", "x:", "__x", "a,b", "a\n"}) {
    INFO(name);
    NewInstruction made;
    made.opcode = Opcode::kNegate;
    made.operands = {named(module, "p0")};
    made.name = name;
    CHECK(edit.append(module.entry().id(), made).status().message() ==
          "'" + std::string(name) + "' is not a legal name of an instruction");
  }
  for (const char* name : {"a b", "", "1x", "t#0", "x="}) {
    INFO(name);
    CHECK_FALSE(edit.outline({named(module, "n")}, name).ok());
    ComputationBuilder builder(edit, name);
    builder.parameter("f32[]");
    CHECK(builder.finish().status().message() == "'" + std::string(name) + "' is not a legal name of a computation");
  }
  // Words that mean something elsewhere can be names.
  for (const char* name : {"ROOT", "ENTRY", "true", "nan", "replicated", "HloModule", "-x", "maximal", "add", "_x"}) {
    INFO(name);
    Module other = new_module("m");
    ModuleEditor e(other);
    ComputationBuilder b(e, std::string(name) == "-x" ? "x" : name, true);
    const InstructionId p = b.parameter("f32[8]", std::string(name) == "-x" ? "x" : name);
    REQUIRE(b.finish(b.op(Opcode::kNegate, {p})).ok());
    CHECK(verify(other) == absl::OkStatus());
    check_same_again(other);
  }
}

TEST_CASE("what cannot be written down is refused with the instruction's name") {
  using Change = absl::Status (*)(ModuleEditor&, const Module&);
  const struct {
    const char* text;
    Change change;
    const char* message;
  } cases[] = {
      {"HloModule m\nENTRY e {\n  ROOT c = f32[2] constant({1, 2})\n}\n",
       [](ModuleEditor& e, const Module& m) { return e.set_shape(named(m, "c"), "f32[3]"); }, "e.c: "},
      {"HloModule m\nENTRY e {\n  ROOT c = f32[2] constant({1.5, 2})\n}\n",
       [](ModuleEditor& e, const Module& m) { return e.set_shape(named(m, "c"), "s32[2]"); }, "e.c: "},
  };
  for (const auto& c : cases) {
    Module module = parsed(c.text);
    ModuleEditor edit(module);
    REQUIRE(c.change(edit, module).ok());
    const std::string message(verify(module).message());
    CHECK(message.substr(0, std::string(c.message).size()) == c.message);
    CHECK(message.find("the printed text cannot be read") != std::string::npos);
  }
}

TEST_CASE("a pasted instruction keeps its computations") {
  const std::string branch = "{\n  tmp_0 = f32[5,10]{1,0} parameter(0)\n  ROOT tmp_1 = f32[5,10]{1,0} ";
  const std::string nested =
      "{\n  tmp_0 = f32[5]{0} parameter(0)\n  ROOT tmp_1 = f32[5]{0} fusion(f32[5]{0} tmp_0), kind=kLoop, calls=\n  "
      "{\n    "
      "tmp_0 = f32[5]{0} parameter(0)\n    ROOT tmp_1 = f32[5]{0} negate(f32[5]{0} tmp_0)\n  }\n}";
  const std::string texts[] = {
      "f32[5,10]{1,0} conditional(s32[], f32[5,10]{1,0}, f32[5,10]{1,0}), branch_computations={\n" + branch +
          "ceil(f32[5,10]{1,0} tmp_0)\n},\n" + branch + "floor(f32[5,10]{1,0} tmp_0)\n}\n}",
      "f32[5]{0} while(f32[5]{0}), condition=\n" + nested + ", body=\n" + nested,
  };
  for (const std::string& text : texts) {
    INFO(text);
    const Module module = parsed(text);
    CHECK(print_instruction(module.entry().root()).find("tmp_1.calls") == std::string::npos);
    check_same_again(module);
  }
}

TEST_CASE("a pasted instruction becomes a module when an edit adds to it") {
  const std::string_view text = "%x = f32[8]{0} add(f32[8]{0} %a, f32[8]{0} negate(f32[8]{0} %b))";
  Module module = parsed(text);
  ModuleEditor edit(module);
  REQUIRE(edit.set_shape(named(module, "x"), "f32[8]{0:S(1)}").ok());
  CHECK(print_module(module).substr(0, 23) == "%x = f32[8]{0:S(1)} add");
  check_same_again(module);
  const Checkpoint before = edit.checkpoint();
  NewInstruction copy;
  copy.opcode = Opcode::kCopy;
  copy.operands = {named(module, "b")};
  REQUIRE(edit.insert_before(named(module, "x"), copy).ok());
  CHECK(print_module(module).substr(0, 9) == "ENTRY %x ");
  check_same_again(module);
  REQUIRE(edit.rollback(before).ok());
  CHECK(print_module(module).substr(0, 23) == "%x = f32[8]{0:S(1)} add");
}

TEST_CASE("random edits keep the law") {
  int accepted = 0;
  for (const char* folder : {"tests/corpus", "examples", "tests/predict/dumps"}) {
    for (const auto& entry : std::filesystem::directory_iterator(source_path(folder))) {
      if (entry.path().extension() != ".hlo") continue;
      for (std::uint32_t seed = 0; seed < 4; ++seed) {
        absl::StatusOr<Module> module = load_module(entry.path().string());
        if (!module.ok() || !module->has_entry()) continue;
        ModuleEditor edit(*module);
        RandomEdits edits(edit, seed);
        std::string history = entry.path().string() + "\n";
        for (int i = 0; i < 60; ++i) {
          history += edits.next() + "\n";
          if (i % 10 != 9 || !verify(*module).ok()) continue;
          INFO(history);
          ++accepted;
          check_same_again(*module);
        }
      }
    }
  }
  CHECK(accepted > 100);
}

}  // namespace
}  // namespace hloroof::internal
