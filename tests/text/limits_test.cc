// Tests hostile and broken texts: limits, several errors in one parse, several modules in one text, a reused parser.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/ir/rows.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace {

std::size_t allocation_count = 0;
std::size_t allocated_bytes = 0;  // the total of all allocations, not reduced by deallocations

}  // namespace

// Counts the allocations of the parser. noinline avoids GCC's warning about mismatched new and delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocation_count;
  allocated_bytes += size;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
// Also replaces the nothrow form. Otherwise sanitizers would provide it and report a mismatch at the delete.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocation_count;
  allocated_bytes += size;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }

namespace hloroof::internal {
namespace {

std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

std::string in_module(const std::string& body) { return "HloModule m\n\nENTRY e {\n" + body + "\n}\n"; }

// Texts that nest `depth` levels of one thing.
std::string nested_shapes(int depth) {
  return in_module("  ROOT p = " + repeated("(", depth) + "f32[]" + repeated(")", depth) + " parameter(0)");
}
std::string nested_operands(int depth) {
  return in_module("  p = f32[] parameter(0)\n  ROOT r = f32[] negate(" + repeated("f32[] negate(", depth) + "p" +
                   repeated(")", depth) + ")");
}
std::string nested_bodies(int depth) {
  const std::string open = "{ p = f32[] parameter(0) ROOT c = f32[] call(p), to_apply=";
  return in_module("  p = f32[] parameter(0)\n  ROOT c = f32[] call(p), to_apply=" + repeated(open, depth) +
                   "{ ROOT q = f32[] parameter(0) }" + repeated(" }", depth));
}
std::string nested_literals(int depth) {
  return in_module("  ROOT c = f32[" + repeated("1,", depth - 1) + "1] constant(" + repeated("{", depth) + "1" +
                   repeated("}", depth) + ")");
}
std::string nested_tuple_literals(int depth) {
  return in_module("  ROOT c = " + repeated("(", depth) + "f32[]" + repeated(")", depth) + " constant(" +
                   repeated("(", depth) + "1" + repeated(")", depth) + ")");
}
// Unclosed brackets where any value is permitted.
std::string open_brackets(int depth) {
  return in_module("  ROOT p = f32[] parameter(0), future=" + repeated("{[(", depth));
}

TEST_CASE("nesting is limited by an option and an error names the limit") {
  for (const auto& make : {nested_shapes, nested_operands, nested_bodies, nested_literals, nested_tuple_literals}) {
    INFO(make(1));
    const absl::Status deep = parse_module(make(9000)).status();
    CHECK(deep.code() == absl::StatusCode::kResourceExhausted);
    CHECK_THAT(std::string(deep.message()), ContainsSubstring("8192"));

    const absl::Status shallow = parse_module(make(11)).status();
    INFO(std::string(shallow.message()));
    CHECK(shallow.ok());
    ParseOptions options;
    options.max_depth = 10;
    CHECK(parse_module(make(11), options).status().code() == absl::StatusCode::kResourceExhausted);
  }
  CHECK_FALSE(parse_module(open_brackets(100000)).ok());
}

// (x, (x, (x, ... ))): the depth equals the length, so each level has a longer list of leaves than the one inside it.
std::string leaning_tuples(int depth) {
  return in_module("  ROOT p = " + repeated("(f32[],", depth) + "f32[]" + repeated(")", depth) + " parameter(0)");
}

struct Hostile {
  const char* name;
  std::string text;
  bool accepted;
};

std::vector<Hostile> hostile_texts() {
  const std::string frames = repeated("1 {file_location_id=2147483647 parent_frame_id=2147483647}\n", 8);
  return {
      {"shapes nested to the right", leaning_tuples(100), true},
      {"shapes nested to the left",
       in_module("  ROOT p = " + repeated("(", 90) + "f32[]" + repeated(",f32[])", 90) + " parameter(0)"), true},
      {"an inferred tuple of tuples, doubled by each line",
       in_module("  p = f32[] parameter(0)\n  t0 = tuple(p, p)\n" +
                 [] {
                   std::string lines;
                   for (int i = 1; i < 40; ++i) {
                     const std::string before = "t" + std::to_string(i - 1);
                     lines += "  t" + std::to_string(i) + " = tuple(" + before + ", " + before + ")\n";
                   }
                   return lines;
                 }()),
       false},
      {"iota groups of 2^62 devices",
       in_module("  p = f32[4] parameter(0)\n  ROOT g = f32[4] all-to-all(p), "
                 "replica_groups=[4611686018427387904,1]<=[4611686018427387904], dimensions={0}"),
       true},
      {"iota groups whose product is beyond 64 bits",
       in_module("  p = f32[4] parameter(0)\n  ROOT g = f32[4] all-to-all(p), "
                 "replica_groups=[4294967296,4294967296]<=[4294967296,4294967296], dimensions={0}"),
       false},
      {"a sharding of 2^60 tiles",
       in_module("  ROOT p = f32[4,4] parameter(0), sharding={devices=[1073741824,1073741824]<=[1152921504606846976]}"),
       true},
      {"a mesh whose axes' product is beyond 64 bits",
       in_module("  ROOT p = f32[4] parameter(0), sharding={mesh['a'=4294967296,'b'=4294967296], [{'a'}]}"), false},
      {"an array of 2^124 elements and a constant of it left out",
       in_module("  ROOT c = f32[4611686018427387904,4611686018427387904] constant({...})"), true},
      {"a literal of 2^40 elements that stops after three",
       in_module("  ROOT c = f32[1099511627776] constant({1,2,3})"), false},
      {"a literal of 2^62 empty rows", in_module("  ROOT c = f32[4611686018427387904,0] constant({})"), false},
      {"tuple literals of empty tuples",
       in_module("  ROOT c = (" + repeated("(),", 99) + "()) constant((" + repeated("(),", 99) + "()))"), true},
      {"a dimension beyond 63 bits", in_module("  ROOT p = f32[9223372036854775808] parameter(0)"), false},
      {"a reshape between sizes beyond 64 bits",
       in_module("  p = f32[4611686018427387904,4611686018427387904] parameter(0)\n"
                 "  ROOT r = f32[4611686018427387904,4] reshape(p)"),
       true},
      {"stack frames that name places far away",
       "HloModule m\n\nFileNames\n1 \"a\"\nFunctionNames\n1 \"f\"\nFileLocations\n"
       "2147483647 {file_name_id=2147483647 function_name_id=2147483647 line=1 end_line=1 column=1 end_column=1}\n"
       "StackFrames\n" +
           frames + "\nENTRY e {\n  ROOT p = f32[] parameter(0), metadata={stack_frame_id=2147483647}\n}\n",
       true},
      {"many operands", in_module("  p = f32[] parameter(0)\n  ROOT t = tuple(" + repeated("p,", 400) + "p)"), true},
      {"many nested operands",
       in_module("  p = f32[] parameter(0)\n  ROOT r = " + repeated("negate(", 120) + "p" + repeated(")", 120)), true},
      {"many accesses to one tuple",
       in_module("  t = (f32[], f32[]) parameter(0)\n  ROOT r = tuple(" + repeated("t#0,t#1,", 120) + "t)"), true},
      {"paths down a deep tuple",
       in_module("  t = " + repeated("(", 60) + "f32[]" + repeated(")", 60) +
                 " parameter(0)\n  ROOT r = f32[] negate(t" + repeated("#0", 60) + ")"),
       true},
      {"buffers", in_module("  ROOT p = (" + repeated("b(f32[8]),", 80) + "b(f32[8])) parameter(0)"), true},
      {"buffers of buffers",
       in_module("  ROOT p = " + repeated("b(", 200) + "f32[]" + repeated(")", 200) + " parameter(0)"), false},
      {"a parameter number of 2^32-2", in_module("  ROOT p = f32[] parameter(4294967294)"), false},
      {"a rank of 400", in_module("  ROOT p = f32[" + repeated("1,", 399) + "1] parameter(0)"), true},
      {"a split of many pieces", in_module("  ROOT p = f32[9]{0:SC" + repeated("(0:1)", 100) + "} parameter(0)"),
       false},
      {"tiles of 2^62", in_module("  ROOT p = f32[8]{0:T" + repeated("(4611686018427387904)", 30) + "} parameter(0)"),
       true},
      {"a window of many dimensions",
       in_module("  p = f32[1] parameter(0)\n  ROOT r = f32[1] copy(p), window={size=" + repeated("9x", 300) + "9}"),
       false},
      {"comments and nothing else", repeated("/**/", 250), false},
      {"quotes", in_module("  ROOT p = f32[] parameter(0), metadata={op_name=\"" + repeated("\\\"", 400) + "\"}"),
       true},
  };
}

TEST_CASE("a hostile text of 1000 bytes allocates only kilobytes") {
  for (const Hostile& hostile : hostile_texts()) {
    INFO(hostile.name);
    CHECK(hostile.text.size() < 3000);
    const std::size_t before = allocated_bytes;
    const absl::StatusOr<Module> module = parse_module(hostile.text);
    INFO(std::string(module.status().message()));
    CHECK(module.ok() == hostile.accepted);
    if (module.ok()) {
      const std::string printed = print_module(*module);
      CHECK(printed.size() < 100'000);
    }
    // An ordinary short text allocates 60 kB, most of it for tables that are never full.
    CHECK(allocated_bytes - before < 1'000'000);
  }
}

TEST_CASE("tuples nested deep and wide are an error that names the limit") {
  // Each of 8000 levels lists the leaves of all levels inside it: 32 million.
  const std::string text = leaning_tuples(8000);
  const std::size_t before = allocated_bytes;
  const absl::Status status = parse_module(text).status();
  CHECK(status.code() == absl::StatusCode::kResourceExhausted);
  CHECK_THAT(std::string(status.message()), ContainsSubstring("more parts than the limit"));
  CHECK(allocated_bytes - before < 200 * text.size() + 16'000'000);
  CHECK(parse_module(leaning_tuples(200)).ok());
}

TEST_CASE("sizes are limited by options") {
  const std::string text = in_module("  p = f32[] parameter(0)\n  q = f32[] negate(p)\n  ROOT r = f32[] negate(q)");
  ParseOptions options;
  options.max_bytes = 20;
  CHECK(parse_module(text, options).status().code() == absl::StatusCode::kResourceExhausted);
  options = {};
  options.max_instructions = 2;
  const absl::Status status = parse_module(text, options).status();
  CHECK(status.code() == absl::StatusCode::kResourceExhausted);
  CHECK_THAT(std::string(status.message()), ContainsSubstring("the limit of 2"));
}

TEST_CASE("every truncation of a text is an error or a module, never more") {
  const std::string text =
      "HloModule m, input_output_alias={ {0}: (0, {}) }\n\n"
      "%a (x: f32[], y: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n"
      "  ROOT %s = f32[] add(%x, %y), metadata={op_name=\"a\\\"b\" source_line=3}\n}\n\n"
      "ENTRY %e (p: f32[8]) -> (f32[], f32[2]) {\n  %p = f32[8]{0:T(8)S(1)} parameter(0), sharding={devices=[2]<=[2]}\n"
      "  %z = f32[] constant(0) /* c */\n  %r = f32[] reduce(%p, %z), dimensions={0}, to_apply=%a\n"
      "  %k = f32[2]{0} constant({1, -inf})\n"
      "  ROOT %t = (f32[], f32[2]{0}) tuple(%r, %k), backend_config={\"a\":[\"}\"]}\n}\n";
  REQUIRE(parse_module(text).ok());
  int accepted = 0;
  for (std::size_t size = 0; size < text.size(); ++size) {
    if (parse_module(text.substr(0, size)).ok()) ++accepted;
  }
  // Excludes the last line end. The prefix up to the end of %a would be a module if it had the aliased result.
  CHECK(accepted == 1);
  // Replacing any single byte must not crash either.
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'\0', '{', '"', ')', '9', '\xff'}) {
      std::string changed = text;
      changed[i] = c;
      const absl::StatusOr<Module> module = parse_module(changed);
      if (module.ok()) CHECK(parse_module(print_module(*module)).ok());
    }
  }
}

TEST_CASE("one parse reports several independent errors") {
  const std::string text =
      "HloModule m\n\n"
      "a {\n"
      "  x = f32[] parameter(0)\n"
      "  y = f32[] negate(w)\n"    // 5: w is not there
      "  z = f32[] add(y, x)\n"    // y is known by its shape
      "  ROOT r = f32[] add(z)\n"  // 7: one operand
      "}\n\n"
      "b (x: f32[]) -> f32[2] {\n"  // 10: shape of the root
      "  ROOT x = f32[] parameter(0)\n"
      "}\n\n"
      "ENTRY e {\n"
      "  p = f32[] parameter(0)\n"
      "  c = f32[] call(p), to_apply=a\n"      // a is known by its name
      "  d = f32[] call(p), to_apply=b, x=\n"  // 17: no value
      "  ROOT t = (f32[], f32[]) tuple(c, d)\n"
      "}\n";
  ParseOptions options;
  options.path = "f";
  options.max_errors = 10;
  const std::string message(parse_module(text, options).status().message());
  INFO(message);
  CHECK_THAT(message, ContainsSubstring("f:5:20: error: instruction does not exist: w"));
  CHECK_THAT(message, ContainsSubstring("f:7:21: error: expects 2 operands"));
  CHECK_THAT(message, ContainsSubstring("f:10:1: error: Shape of computation b"));
  CHECK_THAT(message, ContainsSubstring("f:18"));
  std::size_t errors = 0;
  for (std::size_t at = message.find("error:"); at != std::string::npos; at = message.find("error:", at + 1)) ++errors;
  CHECK(errors == 4);

  options.max_errors = 1;
  const std::string first(parse_module(text, options).status().message());
  CHECK_THAT(first, ContainsSubstring("f:5:20"));
  CHECK(first.find("f:7") == std::string::npos);
}

TEST_CASE("an error in the line that closes a body does not affect the next body") {
  ParseOptions options;
  options.max_errors = 10;
  for (const char* head : {"ENTRY e {\n  p", "ENTRY e { p", "%e (p: f32[]) -> f32[] {\n  p"}) {
    const std::string text = std::string("HloModule m\nb {\n  p = f32[] parameter(0)\n  ROOT y = f32[] add(p) }\n") +
                             head + " = f32[] parameter(0)\n  ROOT n = f32[] negate(p)\n}\n";
    const std::string message(parse_module(text, options).status().message());
    INFO(message);
    CHECK_THAT(message, ContainsSubstring(":4:21: error: expects 2 operands"));
    CHECK(message.find("error:") == message.rfind("error:"));
  }
}

TEST_CASE("an error names the enclosing construct") {
  const std::string text = in_module("  x = f32[4] parameter(0)\n  ROOT y = f32[4] reverse(x), dimensions={a}");
  ParseOptions options;
  options.path = "f";
  const std::string message(parse_module(text, options).status().message());
  CHECK(message ==
        "f:5:43: error: expects an integer but sees 'a'\n"
        "    ROOT y = f32[4] reverse(x), dimensions={a}\n"
        "                                            ^\n"
        "f:5:31: note: error parsing attribute dimensions\n"
        "    ROOT y = f32[4] reverse(x), dimensions={a}\n"
        "                                ^");
}

TEST_CASE("strict rejects unknown opcodes and attributes") {
  ParseOptions strict;
  strict.strict = true;
  for (const char* body : {"  ROOT p = f32[] parameter(0), future_hint=3", "  ROOT p = f32[] warp-shuffle()"}) {
    const std::string text = in_module(body);
    const absl::StatusOr<Module> lenient = parse_module(text);
    REQUIRE(lenient.ok());
    CHECK(lenient->unknowns().opcodes + lenient->unknowns().attributes == 1);
    CHECK_FALSE(parse_module(text, strict).ok());
  }
}

TEST_CASE("a control predecessor that the text elides is counted, and the others are kept") {
  const std::string text =
      "HloModule m\n\nENTRY %e (t: (f32[], f32[])) -> f32[] {\n  %t = (f32[], f32[]) parameter(0)\n"
      "  %y = f32[] negate(%t#1)\n  %z = f32[] negate(%y), control-predecessors={%get-tuple-element.7}\n"
      "  ROOT %r = f32[] negate(%z), control-predecessors={%get-tuple-element.7, %y}\n}\n\n";
  const absl::StatusOr<Module> module = parse_module(text);
  REQUIRE(module.ok());
  CHECK(module->unknowns().missing_predecessors == 2);
  CHECK(module->entry().root().control_predecessors().size() == 1);
  CHECK(print_module(*module).find("%z = f32[] negate(%y), control-predecessors={%get-tuple-element.7}") !=
        std::string::npos);
  ParseOptions strict;
  strict.strict = true;
  CHECK_FALSE(parse_module(text, strict).ok());
}

TEST_CASE("a pasted instruction has placeholders for its operands") {
  const absl::StatusOr<Module> module = parse_module(
      "%fusion.3 = bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)} fusion(bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)} "
      "%fusion.32), "
      "kind=kCustom, calls=%all-reduce-scatter.3");
  REQUIRE(module.ok());
  CHECK(ModuleRows::is_single_instruction(*module));
  CHECK(module->unknowns().missing_operands == 1);
  CHECK(module->unknowns().missing_computations == 1);
  const InstructionView root = module->entry().root();
  CHECK(root.name() == "fusion.3");
  CHECK(root.operand(0).name() == "fusion.32");
  CHECK(to_string(module->shapes(), root.operand(0).shape_id()) == "bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)}");
  CHECK(root.computations(AttributeKey::kCalls)[0].is_missing());
}

// Forty lines can describe a tuple of 2^40 arrays.
TEST_CASE("inferred shapes are limited") {
  std::string body = "  t0 = f32[] parameter(0)\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string before = "t" + std::to_string(i - 1);
    body += "  t" + std::to_string(i) + " = tuple(" + before + ", " + before + ")\n";
  }
  const absl::Status wide = parse_module(in_module(body)).status();
  CHECK(absl::IsResourceExhausted(wide));
  CHECK_THAT(std::string(wide.message()), ContainsSubstring("inferred shapes have more parts than the limit"));

  body = "  t0 = f32[] parameter(0)\n";
  for (int i = 1; i <= 40; ++i) body += "  t" + std::to_string(i) + " = tuple(t" + std::to_string(i - 1) + ")\n";
  CHECK(parse_module(in_module(body)).ok());
  ParseOptions options;
  options.max_depth = 20;
  const absl::Status deep = parse_module(in_module(body), options).status();
  CHECK(absl::IsResourceExhausted(deep));
  CHECK_THAT(std::string(deep.message()), ContainsSubstring("nests deeper than the limit"));
}

TEST_CASE("async sugar is a call of a computation around the wrapped instruction") {
  const absl::StatusOr<Module> module = parse_module(
      in_module("  p = f32[16] parameter(0)\n"
                "  s = ((f32[16]), f32[4], s32[]) slice-start(p), slice={[0:4]}, async_execution_thread=\"t\"\n"
                "  ROOT d = f32[4] slice-done(s)"));
  REQUIRE(module.ok());
  REQUIRE(module->computations().size() == 2);
  const ComputationView wrapped = module->computations()[0];
  CHECK(wrapped.name() == "async_wrapped");
  CHECK(ModuleRows::execution_thread(wrapped) == "t");
  CHECK(wrapped.root().opcode() == Opcode::kSlice);
  CHECK(wrapped.root().text(AttributeKey::kSlice) == "{[0:4]}");
  CHECK(wrapped.root().operand(0).opcode() == Opcode::kParameter);
  CHECK(to_string(module->shapes(), wrapped.root().shape_id()) == "f32[4]");
  const InstructionView done = module->entry().root();
  CHECK(done.opcode() == Opcode::kAsyncDone);
  CHECK(done.operand(0).opcode() == Opcode::kAsyncStart);
  CHECK(done.operand(0).computations(AttributeKey::kCalls)[0] == wrapped);
  CHECK(module->instruction_count() == 3);
}

TEST_CASE("a reused parser does not allocate for a text that is not larger") {
  std::string body = "  p = f32[8,128]{1,0:T(8,128)} parameter(0)\n  t0 = f32[8,128]{1,0:T(8,128)} negate(p)\n";
  for (int i = 1; i < 300; ++i) {
    const std::string n = std::to_string(i);
    body += "  t" + n + " = f32[8,128]{1,0:T(8,128)} add(t" + std::to_string(i - 1) +
            ", p), metadata={op_name=\"jit(f)/add" + n + "\" source_line=" + n +
            "}, backend_config={\"window_config\":{\"estimated_cycles\":\"" + n + "\"}}\n";
    body += "  start" + n +
            " = ((f32[8,128]{1,0:T(8,128)}), f32[4,128]{1,0:T(4,128)S(1)}, s32[]{:S(2)}) slice-start(t" + n +
            "), slice={[0:4], [0:128]}\n";
    body += "  d" + n + " = f32[4,128]{1,0:T(4,128)S(1)} slice-done(start" + n + ")\n";
  }
  body += "  ROOT r = f32[8,128]{1,0:T(8,128)} negate(t299)";
  const std::string text = in_module(body);
  ParseOptions options;
  options.borrow = true;
  Parser parser(options);
  Module module;
  const std::string first(parser.parse(text, module).message());
  INFO(first);
  REQUIRE(first.empty());
  REQUIRE(parser.parse(text, module).ok());
  const std::size_t before = allocation_count;
  const bool ok = parser.parse(text, module).ok();
  const std::size_t allocated = allocation_count - before;
  CHECK(ok);
  CHECK(allocated == 0);
}

// Rows of the shape table reuse the memory of earlier shapes, which may be too small for the next one.
TEST_CASE("a parser that has parsed all texts allocates only for shapes when it parses one of them again") {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(source_path("tests/corpus")))) {
    if (entry.path().filename().string().rfind("y_", 0) != 0) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    texts.push_back(out.str());
  }
  REQUIRE(texts.size() > 5);
  Parser parser;
  Module module;
  for (int round = 0; round < 3; ++round) {
    for (const std::string& text : texts) REQUIRE(parser.parse(text, module).ok());
  }
  for (const std::string& text : texts) {
    INFO(text.substr(0, 200));
    const std::size_t before = allocation_count;
    const bool ok = parser.parse(text, module).ok();
    const std::size_t allocated = allocation_count - before;
    CHECK(ok);
    // Inferring an omitted shape allocates. Dumps do not omit shapes.
    bool infers = false;
    for (ComputationView computation : module.computations()) {
      for (InstructionView instruction : computation.instructions()) {
        infers = infers || (row_of(instruction).flags & InstructionData::kShapeInferred) != 0;
      }
    }
    if (infers) continue;
    CHECK(allocated <= 2 * module.shapes().size());
    CHECK(allocated < module.instruction_count() + 4);
  }
}

}  // namespace
}  // namespace hloroof::internal
