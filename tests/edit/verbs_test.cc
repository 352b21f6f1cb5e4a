// Clones with changes, combined collectives, sliced products, patterns, names and neighbours.
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/edit.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

const std::string kBefore =
    "HloModule m, num_partitions=8\n\n%add {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
    "  ROOT %sum = f32[] add(%a, %b)\n}\n\n%other {\n  %oa = f32[] parameter(0)\n  %ob = f32[] parameter(1)\n"
    "  ROOT %os = f32[] add(%oa, %ob)\n}\n\n%largest {\n  %la = f32[] parameter(0)\n  %lb = f32[] parameter(1)\n"
    "  ROOT %lm = f32[] maximum(%la, %lb)\n}\n\nENTRY %main {\n  %p = f32[8,128]{1,0} parameter(0)\n"
    "  %q = f32[8,128]{0,1} parameter(1)\n  %w = f32[128,64]{1,0} parameter(2)\n";

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// A failing edit says why and changes nothing.
template <typename Edit>
void check_refused(const std::string& instructions, absl::StatusCode code, std::string_view said, Edit&& make) {
  INFO(instructions);
  Module module = parsed(kBefore + instructions + "}\n");
  const std::string before = print_module(module);
  ModuleEditor edit(module);
  const absl::Status status = make(edit);
  INFO(status.message());
  CHECK(status.code() == code);
  CHECK(contains(std::string(status.message()), said));
  CHECK(print_module(module) == before);
}

TEST_CASE("a clone differs in what is given") {
  Module module = parsed(kBefore +
                         "  %n = f32[8,128]{1,0} negate(%p)\n  %t = (f32[8,128]{1,0}) tuple(%n)\n"
                         "  %r = f32[8,128]{1,0} all-reduce(%n), to_apply=%add, channel_id=1\n"
                         "  %u = f32[8,128]{0,1} negate(%q)\n  ROOT %x = f32[8,128]{1,0} add(%r, %u)\n}\n");
  ModuleEditor edit(module);
  const Checkpoint before = edit.checkpoint();
  const std::string text = print_module(module);
  const auto id = [&](std::string_view name) { return named(module, name); };

  CloneChanges none;
  CHECK(edit.next(id("n")) == id("t"));
  const InstructionId same = edit.clone(id("n"), none).value();
  CHECK(edit.next(id("n")) == same);
  CHECK(contains(print_module(module), "= f32[8,128]{1,0} negate(%p)\n"));

  CloneChanges later;  // an operand that comes after the original
  later.operands = {id("u")};
  later.shape = "f32[8,128]{0,1}";
  const ComputationId largest = module.instruction(id("lm")).computation().id();
  later.attributes = {{AttributeKey::kChannelId, "7", {}}, {AttributeKey::kToApply, "", {largest}}};
  later.before = id("x");
  const InstructionId reduced = edit.clone(id("r"), later).value();
  CHECK(print_instruction(module.instruction(reduced)).find("f32[8,128]{0,1} all-reduce(") != std::string::npos);
  CHECK(module.instruction(reduced).operand_ids()[0] == id("u"));
  CHECK(module.instruction(reduced).text(AttributeKey::kChannelId) == "7");
  CHECK(module.instruction(reduced).computations(AttributeKey::kToApply)[0].name() == "largest");
  CHECK(edit.next(reduced) == id("x"));

  CloneChanges earlier;  // a place before the original's operand
  earlier.operands = {id("q")};
  earlier.shape_id = module.instruction(id("q")).shape_id();
  earlier.before = id("n");
  const InstructionId first = edit.clone(id("u"), earlier).value();
  CHECK(edit.next(first) == id("n"));

  CloneChanges pair;
  pair.operands = {id("n"), id("u")};
  pair.shape = "(f32[8,128]{1,0}, f32[8,128]{0,1})";
  pair.before = id("x");
  CHECK(module.instruction(edit.clone(id("t"), pair).value()).operand_count() == 2);

  CHECK(verify(module) == absl::OkStatus());
  REQUIRE(edit.rollback(before).ok());
  CHECK(print_module(module) == text);
}

TEST_CASE("a clone that can not be") {
  const std::string text =
      "  %n = f32[8,128]{1,0} negate(%p)\n  %k = f32[8,128]{1,0} negate(%n)\n  ROOT %x = f32[8,128]{1,0} add(%n, %k)\n";
  const auto with = [&](absl::StatusCode code, std::string_view said, auto&& change) {
    check_refused(text, code, said, [&](ModuleEditor& edit) {
      CloneChanges changes;
      change(edit.module(), changes);
      return edit.clone(named(edit.module(), "n"), changes).status();
    });
  };
  using absl::StatusCode;
  with(StatusCode::kInvalidArgument, "does not precede",
       [](const Module& m, CloneChanges& c) { c.operands = {named(m, "k")}; });
  with(StatusCode::kInvalidArgument, "negate takes 1 operand", [](const Module& m, CloneChanges& c) {
    c.operands = {named(m, "p"), named(m, "p")};
  });
  with(StatusCode::kInvalidArgument, "has no attribute", [](const Module&, CloneChanges& c) {
    c.attributes = {{AttributeKey::kDimensions, "{0}", {}}};
  });
  with(StatusCode::kInvalidArgument, "depends on p",
       [](const Module& m, CloneChanges& c) { c.before = named(m, "p"); });
  with(StatusCode::kInvalidArgument, "not of this module",
       [](const Module&, CloneChanges& c) { c.before = InstructionId(999); });
  with(StatusCode::kInvalidArgument, "not of this module",
       [](const Module&, CloneChanges& c) { c.shape_id = ShapeId(999); });
  with(StatusCode::kInvalidArgument, "", [](const Module&, CloneChanges& c) { c.shape = "f32[8"; });
}

TEST_CASE("collectives are combined, and taken apart again") {
  struct Case {
    const char* name;
    const char* instructions;
    const char* combined;
  };
  const Case cases[] = {
      {"sums with bodies that are alike",
       "  %x = f32[8,128]{1,0} all-reduce(%p), channel_id=1, to_apply=%add, metadata={op_name=\"g\"}\n"
       "  %n = f32[8,128]{0,1} negate(%q)\n  %y = f32[8,128]{0,1} all-reduce(%n), channel_id=2, to_apply=%other\n"
       "  ROOT %t = (f32[8,128]{1,0}, f32[8,128]{0,1}) tuple(%x, %y)\n",
       "(f32[8,128]{1,0}, f32[8,128]{0,1}) all-reduce(%p, %n), channel_id=1, to_apply=%add, metadata={op_name=\"g\"}"},
      {"before the first use",
       "  %x = f32[64,128]{1,0} all-gather(%p), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, "
       "use_global_device_ids=true\n  %n = f32[64,128]{1,0} negate(%x)\n"
       "  %y = f32[64,128]{0,1} all-gather(%q), channel_id=2, replica_groups=[1,8]<=[8], dimensions={0}, "
       "use_global_device_ids=true\n  ROOT %t = (f32[64,128]{1,0}, f32[64,128]{0,1}) tuple(%n, %y)\n",
       "(f32[64,128]{1,0}, f32[64,128]{0,1}) all-gather(%p, %q), channel_id=1, replica_groups=[1,8]<=[8], "
       "dimensions={0}, use_global_device_ids=true"},
      {"the root",
       "  %x = f32[1,128]{1,0} reduce-scatter(%p), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, "
       "to_apply=%add\n  ROOT %y = f32[1,128]{0,1} reduce-scatter(%q), channel_id=2, replica_groups=[1,8]<=[8], "
       "dimensions={0}, to_apply=%add\n",
       "(f32[1,128]{1,0}, f32[1,128]{0,1}) reduce-scatter(%p, %q), channel_id=1"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    Module module = parsed(kBefore + c.instructions + "}\n");
    ModuleEditor edit(module);
    const Checkpoint before = edit.checkpoint();
    const std::string text = print_module(module);
    const absl::StatusOr<InstructionId> combined = combine_collectives(edit, {named(module, "y"), named(module, "x")});
    INFO(combined.status().message());
    REQUIRE(combined.ok());
    CHECK(verify(module) == absl::OkStatus());
    INFO(print_module(module));
    CHECK(contains(print_module(module), c.combined));

    const absl::StatusOr<std::vector<InstructionId>> apart = uncombine_collective(edit, *combined);
    INFO(apart.status().message());
    REQUIRE(apart.ok());
    REQUIRE(apart->size() == 2);
    CHECK(verify(module) == absl::OkStatus());
    CHECK(!edit.is_alive(*combined));
    CHECK(module.instruction((*apart)[0]).text(AttributeKey::kChannelId) == "1");
    CHECK(module.instruction((*apart)[1]).text(AttributeKey::kChannelId) == "2");
    CHECK(!contains(print_module(module), "get-tuple-element"));
    REQUIRE(edit.rollback(before).ok());
    CHECK(print_module(module) == text);
  }
}

TEST_CASE("a tuple that is used as a whole is made again") {
  Module module =
      parsed(kBefore + "  ROOT %x = (f32[8,128]{1,0}, f32[8,128]{0,1}) all-reduce(%p, %q), to_apply=%add\n}\n");
  ModuleEditor edit(module);
  const std::vector<InstructionId> apart = uncombine_collective(edit, named(module, "x")).value();
  CHECK(verify(module) == absl::OkStatus());
  CHECK(module.entry().root().opcode() == Opcode::kTuple);
  CHECK(module.entry().root().operand_ids()[1] == apart[1]);
  CHECK(!module.instruction(apart[1]).has(AttributeKey::kChannelId));
}

TEST_CASE("what can not be combined or taken apart") {
  using absl::StatusCode;
  const auto combine = [](ModuleEditor& edit) {
    return combine_collectives(edit, {named(edit.module(), "x"), named(edit.module(), "y")}).status();
  };
  const std::string root = "  ROOT %t = (f32[8,128]{1,0}, f32[8,128]{1,0}) tuple(%x, %y)\n";
  const auto pair = [&](const std::string& x, const std::string& y) {
    return "  %x = f32[8,128]{1,0} " + x + "\n  %y = f32[8,128]{1,0} " + y + "\n" + root;
  };
  const std::string sum = "all-reduce(%p), to_apply=%add";
  check_refused(pair(sum, "negate(%p)"), StatusCode::kInvalidArgument, "y is negate", combine);
  check_refused(pair(sum, "all-reduce(%p), to_apply=%largest"), StatusCode::kInvalidArgument,
                "x and y differ in to_apply", combine);
  check_refused(pair(sum, sum + ", replica_groups={{0,1},{2,3}}"), StatusCode::kInvalidArgument,
                "x and y differ in replica_groups", combine);
  check_refused(pair(sum, sum + ", channel_id=1"), StatusCode::kInvalidArgument, "x and y differ in channel_id",
                combine);
  check_refused(pair(sum, "all-reduce(%x), to_apply=%add"), StatusCode::kInvalidArgument, "precede", combine);
  check_refused(pair(sum, sum + ", control-predecessors={%x}"), StatusCode::kUnimplemented, "control edges", combine);
  check_refused(pair(sum, "copy(%x)"), StatusCode::kInvalidArgument, "two or more",
                [](ModuleEditor& edit) { return combine_collectives(edit, {named(edit.module(), "x")}).status(); });
  check_refused(pair(sum, "copy(%x)"), StatusCode::kInvalidArgument, "x is named twice", [](ModuleEditor& edit) {
    return combine_collectives(edit, {named(edit.module(), "x"), named(edit.module(), "x")}).status();
  });
  check_refused(pair(sum, sum), StatusCode::kInvalidArgument, "x has a single result",
                [](ModuleEditor& edit) { return uncombine_collective(edit, named(edit.module(), "x")).status(); });
  check_refused(pair(sum, sum), StatusCode::kInvalidArgument, "t is tuple",
                [](ModuleEditor& edit) { return uncombine_collective(edit, named(edit.module(), "t")).status(); });
}

TEST_CASE("a product is computed in parts") {
  struct Case {
    const char* product;  // the root
    std::size_t operand;
    std::int64_t dimension;
    const char* slices;
    const char* part;
    const char* result;
  };
  const Case cases[] = {
      {"f32[8,64]{1,0} dot(%p, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}", 0, 0,
       "f32[4,128]{1,0} slice(%p), slice={[4:8], [0:128]}", "f32[4,64]{1,0} dot(%slice, %w), lhs_contracting_dims={1}",
       "f32[8,64]{1,0} concatenate(%c.1, %c.3), dimensions={0}"},
      {"f32[8,64]{1,0} dot(%p, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}", 1, 1,
       "f32[128,32]{1,0} slice(%w), slice={[0:128], [32:64]}", "f32[8,32]{1,0} dot(%p, %slice)",
       "concatenate(%c.1, %c.3), dimensions={1}"},
      {"f32[8,64]{1,0} dot(%p, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, backend_config={\"x\":1}", 0, 1,
       "f32[64,64]{1,0} slice(%w), slice={[64:128], [0:64]}", "f32[8,64]{1,0} dot(%slice, %slice.",
       "f32[8,64]{1,0} add("},
      {"f32[8,64]{1,0} convolution(%p, %w), dim_labels=bf_io->bf", 0, 0,
       "f32[4,128]{1,0} slice(%p), slice={[4:8], [0:128]}",
       "f32[4,64]{1,0} convolution(%slice, %w), dim_labels=bf_io->bf", "dimensions={0}"},
      {"f32[64,8]{1,0} convolution(%p, %w), dim_labels=bf_io->fb", 1, 1, "f32[128,32]{1,0} slice(%w)",
       "f32[32,8]{1,0} convolution(%p, %slice), dim_labels=bf_io->fb", "dimensions={0}"},
      {"f32[8,64]{1,0} convolution(%p, %w), dim_labels=bf_io->bf", 1, 0,
       "f32[8,64]{1,0} slice(%p), slice={[0:8], [64:128]}", "f32[8,64]{1,0} convolution(%slice, %slice.", "add("},
  };
  for (const Case& c : cases) {
    INFO(c.product);
    INFO(c.operand << ", " << c.dimension);
    Module module = parsed(kBefore + "  ROOT %c = " + c.product + "\n}\n");
    ModuleEditor edit(module);
    const Checkpoint before = edit.checkpoint();
    const std::string text = print_module(module);
    const absl::StatusOr<SlicedDot> sliced = slice_dot(edit, named(module, "c"), c.operand, c.dimension, 2);
    INFO(sliced.status().message());
    REQUIRE(sliced.ok());
    const std::string now = print_module(module);
    INFO(now);
    CHECK(verify(module) == absl::OkStatus());
    CHECK(sliced->parts.size() == 2);
    CHECK(sliced->result == module.entry().root().id());
    CHECK(contains(now, c.slices));
    CHECK(contains(now, c.part));
    CHECK(contains(now, c.result));
    CHECK(!contains(now, "backend_config"));
    REQUIRE(edit.rollback(before).ok());
    CHECK(print_module(module) == text);
  }
  // A batch dimension.
  Module module = parsed(
      "HloModule m\nENTRY %main {\n  %p = f32[4,8,16]{2,1,0} parameter(0)\n  %q = f32[16,4,32]{2,1,0} parameter(1)\n"
      "  ROOT %c = f32[4,8,32]{2,1,0} dot(%p, %q), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, "
      "rhs_contracting_dims={0}\n}\n");
  ModuleEditor edit(module);
  REQUIRE(slice_dot(edit, named(module, "c"), 1, 1, 4).ok());
  CHECK(verify(module) == absl::OkStatus());
  CHECK(contains(print_module(module), "slice={[3:4], [0:8], [0:16]}"));
  CHECK(contains(print_module(module), "slice={[0:16], [3:4], [0:32]}"));
}

TEST_CASE("what can not be sliced") {
  using absl::StatusCode;
  const auto slice = [](std::size_t operand, std::int64_t dimension, std::int64_t parts) {
    return [=](ModuleEditor& edit) {
      return slice_dot(edit, named(edit.module(), "x"), operand, dimension, parts).status();
    };
  };
  const std::string dot = "  ROOT %x = f32[8,64]{1,0} dot(%p, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  check_refused(dot + "\n", StatusCode::kInvalidArgument, "no dimension 2 of operand 0", slice(0, 2, 2));
  check_refused(dot + "\n", StatusCode::kInvalidArgument, "no dimension 0 of operand 2", slice(2, 0, 2));
  check_refused(dot + "\n", StatusCode::kInvalidArgument, "has the size 8, which is not 3 equal parts", slice(0, 0, 3));
  check_refused(dot + "\n", StatusCode::kInvalidArgument, "which is not 1 equal parts", slice(0, 0, 1));
  check_refused("  %n = f32[8,128]{1,0} negate(%p)\n" + dot + ", control-predecessors={%n}\n",
                StatusCode::kUnimplemented, "control edges", slice(0, 0, 2));
  check_refused("  ROOT %x = f32[8,128]{1,0} negate(%p)\n", StatusCode::kInvalidArgument, "x is negate",
                slice(0, 0, 2));
}

TEST_CASE("a product whose shapes do not fit its dimensions is refused") {
  Module module = parsed(
      kBefore + "  ROOT %x = f32[8,64]{1,0} dot(%p, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
  ModuleEditor edit(module);
  REQUIRE(edit.set_attribute(named(module, "x"), AttributeKey::kRhsContractingDims, "{5}").ok());
  CHECK(slice_dot(edit, named(module, "x"), 0, 1, 2).status().code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(edit.set_attribute(named(module, "x"), AttributeKey::kRhsContractingDims, "{}").ok());
  CHECK(slice_dot(edit, named(module, "x"), 0, 1, 2).status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("patterns") {
  const Module module =
      parsed(kBefore +
             "  %x = f32[64,128]{1,0} all-gather(%p), dimensions={0}\n"
             "  %v = f32[64,128]{1,0} bitcast(%x)\n  %k = f32[64,128]{1,0} copy(%v)\n"
             "  %d = f32[64,64]{1,0} dot(%k, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
             "  ROOT %s = f32[64,64]{1,0} add(%d, %d)\n}\n");
  const std::vector<Opcode> through = {Opcode::kBitcast, Opcode::kCopy};
  struct Case {
    const char* pattern;
    const char* of;
    bool is_through;
    const char* names;  // what matches; null if nothing does
  };
  const Case cases[] = {
      {"dot", "d", false, ""},
      {"add", "d", false, nullptr},
      {"dot(*, *)", "d", false, ""},
      {"dot(*)", "d", false, nullptr},
      {"%r = dot(%a, %b)", "d", false, "a=k b=w r=d"},
      {"dot(all-gather(%a), %b)", "d", false, nullptr},
      {"dot(all-gather(%a), %b)", "d", true, "a=p b=w"},
      {" dot( %g=all-gather( parameter ) , * ) ", "d", true, "g=x"},
      {"dot(copy(%a), %b)", "d", true, "a=x b=w"},
      {"add(%a, %a)", "s", false, "a=d"},
      {"dot(%a, %a)", "d", false, nullptr},
      {"add(dot(%a, %b), %c)", "s", false, "a=k b=w c=d"},
      {"*", "s", false, ""},
      {"%only", "s", false, "only=s"},
  };
  for (const Case& c : cases) {
    INFO(c.pattern);
    const absl::StatusOr<Pattern> pattern = read_pattern(c.pattern);
    REQUIRE(pattern.ok());
    const auto found = match(module.instruction(named(module, c.of)), *pattern,
                             c.is_through ? absl::Span<const Opcode>(through) : absl::Span<const Opcode>());
    REQUIRE(found.has_value() == (c.names != nullptr));
    if (!found) continue;
    std::string names;
    for (const auto& [name, id] : *found) {
      names += (names.empty() ? "" : " ") + name + "=" + std::string(module.instruction(id).name());
    }
    CHECK(names == c.names);
  }
  // The same by hand.
  const Pattern product = {Opcode::kDot, {{Opcode::kCopy, {}, "left"}, {}}, "product"};
  CHECK(match(module.instruction(named(module, "d")), product)->at("left") == named(module, "k"));
}

TEST_CASE("an opcode may be written as a name of Python") {
  const absl::StatusOr<Pattern> pattern = read_pattern("dot(all_gather(%x), %y)");
  REQUIRE(pattern.ok());
  CHECK(pattern->operands.front().opcode == Opcode::kAllGather);
}

TEST_CASE("what is no pattern") {
  const std::pair<std::string, const char*> cases[] = {
      {"", "expects an opcode, %name or *"}, {"dott", "expects an opcode"},    {"dot(%x", "expects , or )"},
      {"dot(%x,)", "expects an opcode"},     {"%", "expects a name after %"},  {"dot x", "expects the end"},
      {"% = dot", "expects a name"},         {"%x = %y", "expects an opcode"}, {"dott(%x)", "the nearest is dot"},
      {"dot(lhs, *)", "any value is %lhs"}};
  for (const auto& [text, said] : cases) {
    INFO(text);
    const absl::Status status = read_pattern(text).status();
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    INFO(status.message());
    CHECK(contains(std::string(status.message()), said));
  }
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "negate(";
  CHECK(read_pattern(deep).status().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("names and neighbours") {
  Module module = parsed(kBefore + "  %a = f32[8,128]{1,0} negate(%p)\n  ROOT %x = f32[8,128]{1,0} negate(%a)\n}\n");
  CHECK(module.instruction(find_by_name(module, "a").value()).opcode() == Opcode::kNegate);  // the entry first
  CHECK(module.instruction(find_by_name(module, "sum").value()).opcode() == Opcode::kAdd);
  CHECK(find_by_name(module, "nosuch").status().code() == absl::StatusCode::kNotFound);
  ModuleEditor edit(module);
  const ComputationId body = module.instruction(find_by_name(module, "sum").value()).computation().id();
  REQUIRE(edit.clone_computation(body).ok());
  CHECK(find_by_name(module, "sum").status().code() == absl::StatusCode::kInvalidArgument);

  const InstructionId p = named(module, "p");
  std::vector<InstructionId> forward;
  for (InstructionId id = p; id.valid(); id = edit.next(id)) forward.push_back(id);
  REQUIRE(forward.size() == 5);
  std::vector<InstructionId> backward;
  for (InstructionId id = forward.back(); id.valid(); id = edit.previous(id)) backward.insert(backward.begin(), id);
  CHECK(forward == backward);
  for (std::size_t i = 1; i < forward.size(); ++i) CHECK(edit.position(forward[i - 1]) < edit.position(forward[i]));
  REQUIRE(edit.move_before(forward[1], forward[0]).ok());
  CHECK(edit.position(forward[1]) < edit.position(forward[0]));
  CHECK(edit.next(forward[1]) == forward[0]);
  CHECK(edit.position(InstructionId(999)) == 0);
  CHECK(!edit.next(InstructionId(999)).valid());
  CHECK(!edit.previous(InstructionId()).valid());
}

}  // namespace
}  // namespace hloroof::internal
