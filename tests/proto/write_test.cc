// Checks that a module survives the way through a proto, and that what XLA wrote comes back byte for byte.
// tests/differential/protos.py compares with XLA.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "hloroof/edit.h"
#include "hloroof/print.h"
#include "lib/input/parse_proto.h"
#include "lib/ir/rows.h"
#include "lib/proto/wire.h"
#include "lib/proto/write_proto.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/proto/encode.h"
#include "tests/proto/proto_modules.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

// The files of a folder of this repository with this extension.
std::vector<std::string> files_of(const std::string& folder, const std::string& extension) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source_path(folder))) {
    if (entry.path().extension() == extension) {
      files.push_back(fs::relative(entry.path(), source_path(".")).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("what XLA wrote comes back byte for byte") {
  const std::vector<std::string> files = files_of("tests/proto/samples", ".pb");
  REQUIRE(files.size() >= 8);
  for (const std::string& file : files) {
    CAPTURE(file);
    const std::string bytes = source_text(file);
    const absl::StatusOr<Module> module = parse_proto(bytes);
    REQUIRE(module.ok());
    const absl::StatusOr<std::string> again = write_proto(*module);
    REQUIRE(again.ok());
    CHECK((*again == bytes));
  }
}

TEST_CASE("a text survives the way through a proto") {
  std::vector<std::string> files = files_of("tests/corpus", ".hlo");
  for (const std::string& file : files_of("tests/predict/dumps", ".hlo")) files.push_back(file);
  std::size_t compared = 0;
  for (const std::string& file : files) {
    CAPTURE(file);
    const absl::StatusOr<Module> module = parse_module(source_text(file));
    if (!module.ok()) continue;  // a text that the parser must refuse
    const absl::StatusOr<std::string> bytes = module_proto(*module, ElidedConstants::kWriteWithoutValues);
    if (!bytes.ok()) {
      CHECK_THAT(std::string(bytes.status().message()),
                 ContainsSubstring("not a single instruction") || ContainsSubstring("a proto cannot hold its lanes"));
      continue;
    }
    // What is read from the proto of the text is written as the same proto, and is the text that XLA would print of it.
    const absl::StatusOr<Module> again = parse_proto(*bytes);
    INFO(again.status().message());
    REQUIRE(again.ok());
    const absl::StatusOr<std::string> bytes_again = module_proto(*again, ElidedConstants::kWriteWithoutValues);
    REQUIRE(bytes_again.ok());
    CHECK((*bytes_again == *bytes));
    // The proto has a layout of the entry computation in any case, and names that are unique in the module. A number of
    // a stack frame has no meaning without the tables.
    const auto body = [](const Module& m) {
      PrintOptions options;
      options.canonical_names = true;
      options.program_shape = false;
      options.compact_tuple_access = false;
      options.metadata = !ModuleRows::stack_frame_tables(m).empty();
      const std::string text = print_module(m, options);
      return text.substr(std::min(text.find("{\n"), text.size()));
    };
    CHECK(body(*again) == body(*module));
    ++compared;
  }
  CHECK(compared >= 20);
}

// A module whose entry has these lines.
std::string entry_of(const std::string& lines, const std::string& header = "") {
  return "HloModule m" + header + "\n\nENTRY %e {\n" + lines + "}\n";
}

TEST_CASE("attributes survive the way through a proto") {
  const struct {
    const char* name;
    std::string lines;
  } cases[] = {
      {"statistics and origin",
       "  %a = (f32[8]{0}, (f32[], f32[2]{0})) parameter(0), parameter_replication={true,false,true}, "
       "sharding={{replicated}, {maximal device=1}, {manual}}, statistics={visualizing_index=1,name=1.5,b=2e-30}, "
       "origin={({\"x\" {1,2}}, ({}, {\"y\"}))}, metadata={op_name=\"z\" metadata_payload=\"p\"}\n"
       "  ROOT %x = f32[8]{0} get-tuple-element(%a), index=0, origin={[synthetic_call]}\n"},
      {"accuracy, frontend attributes and a control predecessor",
       "  %a = f32[8]{0} parameter(0)\n"
       "  %b = f32[8]{0} negate(%a), frontend_attributes={key=\"a\\\"b\",other={\"x\":1}}\n"
       "  ROOT %f = f32[8]{0} exponential(%a), control-predecessors={%b}, "
       "result_accuracy={tolerance={atol=0,rtol=0,ulps=2}}, backend_config=\"text\"\n"},
      {"groups",
       "  %a = f32[8]{0} parameter(0)\n"
       "  %b = f32[8]{0} all-to-all(%a), channel_id=1, replica_groups={{0,1},{2,3}}, dimensions={0}\n"
       "  %c = f32[16]{0} all-gather(%b), channel_id=2, replica_groups=[2,2]<=[2,2]T(1,0), dimensions={0}, "
       "use_global_device_ids=true\n"
       "  ROOT %d = f32[16]{0} collective-permute(%c), channel_id=3, source_target_pairs={{0,1},{1,0}}\n"},
      {"shardings",
       "  %a = f32[8,8]{1,0} parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}\n"
       "  %b = f32[8,8]{1,0} negate(%a), sharding={devices=[1,2,2]0,2,1,3 last_tile_dims={manual}}\n"
       "  %c = f32[8,8]{1,0} negate(%b), sharding={replicated shard_as 3}\n"
       "  %d = f32[8,8]{1,0} negate(%c), sharding={mesh['x'=2,'y'=4], [{'x'}, {'y':(2)2, ?}]}\n"
       "  %f = f32[8,8]{1,0} negate(%d), sharding={mesh['x'=2], replicated}\n"
       "  %g = f32[8,8]{1,0} negate(%f), sharding={mesh['x'=2], manual}\n"
       "  %h = f32[8,8]{1,0} negate(%g), sharding={mesh['x'=2], unreduced}\n"
       "  %i = f32[8,8]{1,0} negate(%h), sharding={mesh[], replicated}\n"
       "  %m = f32[8,8]{1,0} negate(%i), sharding={mesh['x'=2], unreduced=min}\n"
       "  %n = f32[8,8]{1,0} negate(%m), sharding={mesh['x'=2,'y'=2], [{'y'}, {}], unreduced=max{'x'}}\n"
       "  ROOT %j = f32[8,8]{1,0} negate(%n), sharding={maximal_mesh[device_id=3]}\n"},
      {"convolution and windows",
       "  %a = f32[8,16,16,3]{3,2,1,0} parameter(0)\n"
       "  %k = f32[3,3,3,8]{3,2,1,0} parameter(1)\n"
       "  ROOT %c = f32[8,8,8,8]{3,2,1,0} convolution(%a, %k), window={size=3x3 stride=2x2 pad=0_1x0_1 "
       "rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, operand_precision={highest,default}\n"},
      {"the kind of a convolution",
       "  %a = f32[8,16,16,3]{3,2,1,0} parameter(0)\n"
       "  %k = f32[3,3,3,8]{3,2,1,0} parameter(1)\n"
       "  ROOT %c = f32[8,14,14,8]{3,2,1,0} convolution(%a, %k), window={size=3x3}, dim_labels=b01f_01io->b01f, "
       "convolution_kind=dgrad, operand_precision={highest,default}\n"},
      {"a broadcast from a dynamic root",
       "  %a = f32[8]{0} parameter(0)\n  ROOT %b = f32[8]{0} collective-broadcast(%a), channel_id=1, "
       "replica_groups={{0,1}}, has_dynamic_root=true\n"},
      {"dot",
       "  %a = bf16[4,8,16]{2,1,0} parameter(0)\n  %b = bf16[4,16,8]{2,1,0} parameter(1)\n"
       "  ROOT %d = f32[4,8,8]{2,1,0} dot(%a, %b), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_batch_dims={0}, rhs_contracting_dims={1}, algorithm=dot_bf16_bf16_f32\n"},
      {"gather",
       "  %a = f32[100,8]{1,0} parameter(0)\n  %i = s32[4,1]{1,0} parameter(1)\n"
       "  ROOT %g = f32[4,8]{1,0} gather(%a, %i), offset_dims={1}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}, indices_are_sorted=true\n"},
      {"slices, padding, iota and random numbers",
       "  %a = f32[16]{0} iota(), iota_dimension=0\n  %z = f32[] constant(0)\n"
       "  %s = f32[4]{0} slice(%a), slice={[0:8:2]}\n  %p = f32[9]{0} pad(%s, %z), padding=1_1_1\n"
       "  %g = f32[9]{0} rng(%z, %z), distribution=rng_uniform\n  ROOT %r = f32[9]{0} add(%p, %g)\n"},
      {"layouts",
       "  %a = bf16[8,128]{1,0:T(8,128)(2,1)S(1)} parameter(0)\n  %b = s4[8]{0:E(4)} parameter(1)\n"
       "  %d = f32[<=8,4]{1,0} parameter(2)\n  %e = f32[8,16]{0,1:T(2,*)L(32)} parameter(3)\n"
       "  ROOT %t = (bf16[8,128]{1,0:T(8,128)(2,1)S(1)}, s4[8]{0:E(4)}, f32[<=8,4]{1,0}, f32[8,16]{0,1:T(2,*)L(32)}) "
       "tuple(%a, %b, %d, %e)\n"},
      {"a custom call",
       "  %a = f32[8]{0} parameter(0)\n  ROOT %c = (f32[8]{0}, f32[2]{0}) custom-call(%a), custom_call_target=\"x\", "
       "operand_layout_constraints={f32[8]{0}}, custom_call_has_side_effect=true, literal=f32[2]{0} {1, 2}, "
       "output_to_operand_aliasing={{0}: (0, {})}, api_version=API_VERSION_TYPED_FFI, backend_config={\"a\":1}\n"},
      {"orders of comparisons",
       "  %a = f32[8]{0} parameter(0)\n  %i = s32[8]{0} parameter(1)\n"
       "  %t = pred[8]{0} compare(%a, %a), direction=LT, order=TOTAL\n"
       "  %o = pred[8]{0} compare(%a, %a), direction=GE, type=TOTALORDER\n"
       "  %p = pred[8]{0} compare(%i, %i), direction=EQ, order=PARTIAL\n"
       "  ROOT %r = (pred[8]{0}, pred[8]{0}, pred[8]{0}) tuple(%t, %o, %p)\n"},
      {"a stable topk",
       "  %a = f32[8]{0} parameter(0)\n"
       "  ROOT %t = (f32[2]{0}, s32[2]{0}) topk(%a), k=2, largest=true, is_stable=true\n"},
      {"the end of an asynchronous operation in a tuple",
       "  %a = f32[16]{0} parameter(0)\n  %s = ((f32[16]{0}), f32[4]{0}, s32[]) slice-start(%a), slice={[0:4]}\n"
       "  %t = (f32[16]{0}, ((f32[16]{0}), f32[4]{0}, s32[])) tuple(%a, %s)\n"
       "  %g = ((f32[16]{0}), f32[4]{0}, s32[]) get-tuple-element(%t), index=1\n"
       "  ROOT %d = f32[4]{0} slice-done(%g)\n"},
      {"asynchronous operations",
       "  %a = f32[8]{0} parameter(0)\n  %s = ((f32[8]{0}), f32[8]{0}, u32[]) negate-start(%a), "
       "async_execution_thread=\"sparsecore\", metadata={op_name=\"n\"}\n  %d = f32[8]{0} negate-done(%s)\n"
       "  %c = (f32[8]{0:S(1)}, f32[8]{0}, u32[]{:S(2)}) copy-start(%d), cross_program_prefetch_index=0\n"
       "  ROOT %r = f32[8]{0:S(1)} copy-done(%c)\n"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const Module module = parsed(entry_of(c.lines));
    const absl::StatusOr<std::string> bytes = write_proto(module);
    INFO(bytes.status().message());
    REQUIRE(bytes.ok());
    const absl::StatusOr<std::string> text = proto_to_text(*bytes);
    REQUIRE(text.ok());
    CHECK(text->substr(text->find("{\n") + 2) == c.lines + "}\n\n");
  }
}

TEST_CASE("the facts of the HloModule line survive the way through a proto") {
  const std::string lines = "  %a = f32[8]{0} parameter(0)\n  ROOT %b = f32[8]{0} negate(%a)\n";
  for (const std::string header : {", is_scheduled=true", ", input_output_alias={ {}: (0, {}, may-alias) }",
                                   ", input_output_alias={ {}: (0, {}, must-alias) }", ", buffer_donor={ (0, {}) }",
                                   ", entry_computation_layout={(f32[8]{0:S(5)})->f32[8]{0}}",
                                   ", replica_count=2, num_partitions=4", ", frontend_attributes={a=\"b\"}"}) {
    CAPTURE(header);
    const absl::StatusOr<std::string> text = proto_to_text(*write_proto(parsed(entry_of(lines, header))));
    REQUIRE(text.ok());
    CHECK_THAT(*text, ContainsSubstring(header.substr(2)));
  }
}

TEST_CASE("constants of all types survive with all their values") {
  const struct {
    const char* shape;
    const char* value;
  } cases[] = {
      {"pred[3]{0}", "{1, 0, 1}"},
      {"pred[]", "true"},
      {"s2[3]{0}", "{1, -1, -2}"},
      {"s4[3]{0}", "{1, -2, -8}"},
      {"s8[2]{0}", "{-128, 127}"},
      {"u8[2]{0}", "{0, 255}"},
      {"s16[2]{0}", "{-32768, 7}"},
      {"u16[1]{0}", "{65535}"},
      {"s32[12]{0}", "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -11}"},
      {"u32[1]{0}", "{4294967295}"},
      {"s64[1]{0}", "{-9223372036854775808}"},
      {"u64[1]{0}", "{18446744073709551615}"},
      {"f32[5]{0}", "{0.1, -1, inf, nan, -nan(0x123)}"},
      {"f64[3]{0}", "{0.1, 1e+300, nan(0x5)}"},
      {"bf16[2]{0}", "{1, -0.5}"},
      {"f16[2]{0}", "{1, nan(0x3)}"},
      {"f8e4m3fn[3]{0}", "{1, 448, nan}"},
      {"f4e2m1fn[3]{0}", "{1, 2, 0.5}"},
      {"c64[2]{0}", "{(1, 2), (nan, -3)}"},
      {"c128[1]{0}", "{(0.1, -2)}"},
      {"s32[2,3]{0,1}", "{ { 1, 2, 3 }, { 4, 5, 6 } }"},
      {"bf16[2,3]{0,1}", "{ { 1, 2, 3 }, { 4, 5, 6 } }"},
      {"s32[2,1,2]{1,0,2}", "{ { { 1, 2 } }, { { 3, 4 } } }"},
      {"(s32[], (f32[2]{0}, pred[]))", "( 1, ( {2, 3}, false ) )"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.shape, c.value);
    const std::string line = std::string("  ROOT %c = ") + c.shape + " constant(" + c.value + ")\n";
    const absl::StatusOr<std::string> bytes = write_proto(parsed(entry_of(line)));
    REQUIRE(bytes.ok());
    const auto text = proto_to_text(*bytes, {}, LargeConstants::kKeep);
    REQUIRE(text.ok());
    CHECK_THAT(*text, ContainsSubstring(line));
    // A literal stores its elements in the order of the layout; writing a second time must not turn them again.
    const absl::StatusOr<Module> again = parse_module(*text);
    REQUIRE(again.ok());
    CHECK((*write_proto(*again) == *bytes));
  }
}

// f32[], as XLA writes it
std::string scalar_shape() { return field(2, std::uint64_t{11}) + field(5, field(16, std::uint64_t{1})); }

TEST_CASE("the bytes of a small module") {
  const std::string shape = scalar_shape();
  const std::string parameter = field(1, "p") + field(2, "parameter") + field(3, shape);
  const std::string negate =
      field(1, "n") + field(2, "negate") + field(3, shape) + field(35, std::uint64_t{1}) + field(36, varint(0));
  const std::string program = field(1, shape) + field(2, shape);
  const std::string computation = field(1, "e") + field(2, parameter) + field(2, negate) +
                                  field(4, program + field(3, "p")) + field(6, std::uint64_t{1});
  const std::string module = field(1, "m") + field(2, "e") + field(3, computation) + field(4, program + field(3, "p0"));
  const absl::StatusOr<std::string> bytes =
      write_proto(parsed(entry_of("  %p = f32[] parameter(0)\n  ROOT %n = f32[] negate(%p)\n")));
  REQUIRE(bytes.ok());
  CHECK((*bytes == module));
}

// The small module with fields that this library does not know, of every wire type.
std::string module_with_unknown_fields() {
  const std::string unknown = field(900, "kept") + field(901, std::uint64_t{7}) + varint(902 << 3 | 5) + "abcd" +
                              varint(903 << 3 | 1) + "abcdefgh";
  const std::string shape = scalar_shape();
  const std::string parameter = field(1, "p") + field(2, "parameter") + field(3, shape) + unknown;
  const auto unary = [&](const char* name, std::uint64_t id, std::uint64_t operand) {
    return field(1, name) + field(2, "negate") + field(3, shape) + field(35, id) + field(36, varint(operand)) + unknown;
  };
  const std::string program = field(1, shape) + field(2, shape) + field(3, "p");
  const std::string computation = field(1, "e") + field(2, parameter) + field(2, unary("n", 5, 0)) +
                                  field(2, unary("o", 9, 5)) + field(4, program) + field(6, std::uint64_t{9}) + unknown;
  return field(1, "m") + field(2, "e") + field(3, computation) + field(4, program) + field(5, std::uint64_t{77}) +
         unknown;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_CASE("an edit changes the fields that it concerns, and unknown fields stay") {
  const std::string original = module_with_unknown_fields();
  absl::StatusOr<Module> read = parse_proto(original);
  REQUIRE(read.ok());
  CHECK((*write_proto(*read) == original));

  Module module = *std::move(read);
  ModuleEditor edit(module);
  NewInstruction cosine;
  cosine.opcode = Opcode::kCosine;
  cosine.operands = {named(module, "n")};
  cosine.name = "c";
  const absl::StatusOr<InstructionId> made = edit.insert_before(named(module, "o"), cosine);
  REQUIRE(made.ok());
  REQUIRE(edit.set_operands(named(module, "o"), {*made}).ok());
  const absl::StatusOr<std::string> bytes = write_proto(module);
  REQUIRE(bytes.ok());
  CHECK(count(*bytes, "kept") == 5);  // of three instructions, the computation and the module
  CHECK(WireMessage(*bytes).integer(5) == 77);
  const WireMessage computation(WireMessage(*bytes).bytes(3));
  std::map<std::string, WireMessage> by_name;
  for (std::string_view instruction : computation.all(2)) {
    by_name.emplace(WireMessage(instruction).bytes(1), WireMessage(instruction));
  }
  REQUIRE(by_name.size() == 4);
  CHECK(by_name["n"].integer(35) == 5);
  CHECK(by_name["o"].integer(35) == 9);
  CHECK(by_name["c"].integer(35) == 10);  // a new number
  CHECK(by_name["o"].integers(36) == std::vector<std::int64_t>{10});
  CHECK(by_name["c"].integers(36) == std::vector<std::int64_t>{5});
  const absl::StatusOr<Module> again = parse_proto(*bytes);
  REQUIRE(again.ok());
  CHECK(equal(module, *again));

  // An instruction of another kind under the name of an erased one has nothing of it but the number.
  REQUIRE(edit.set_operands(named(module, "o"), {named(module, "p")}).ok());
  REQUIRE(edit.erase(*made).ok());
  REQUIRE(edit.erase(named(module, "n")).ok());
  cosine.operands = {named(module, "p")};
  cosine.name = "n";
  const absl::StatusOr<InstructionId> other = edit.insert_before(named(module, "o"), cosine);
  REQUIRE(other.ok());
  REQUIRE(edit.set_operands(named(module, "o"), {*other}).ok());
  const absl::StatusOr<std::string> replaced = write_proto(module);
  REQUIRE(replaced.ok());
  CHECK(count(*replaced, "kept") == 4);
}

TEST_CASE("a move changes the schedule, and wrapped computations stay what they are") {
  const std::string original = source_text("tests/proto/samples/y_default_async_sugar.pb");
  absl::StatusOr<Module> read = parse_proto(original);
  REQUIRE(read.ok());
  Module module = *std::move(read);
  ModuleEditor edit(module);
  REQUIRE(edit.move_before(named(module, "slice-start.1"), named(module, "slice-start")).ok());
  const absl::StatusOr<std::string> bytes = write_proto(module);
  REQUIRE(bytes.ok());
  CHECK((*bytes != original));
  const WireMessage now(*bytes);
  const WireMessage before(original);
  CHECK(now.all(7).size() == 1);
  CHECK(now.all(3).size() == before.all(3).size());
  for (std::size_t c = 0; c + 1 < now.all(3).size(); ++c) CHECK((now.all(3)[c] == before.all(3)[c]));
  const absl::StatusOr<Module> again = parse_proto(*bytes);
  REQUIRE(again.ok());
  CHECK(again->is_scheduled());
  CHECK(equal(module, *again));
}

TEST_CASE("a new fusion gets a computation with new numbers") {
  absl::StatusOr<Module> read = parse_proto(module_with_unknown_fields());
  REQUIRE(read.ok());
  Module module = *std::move(read);
  ModuleEditor edit(module);
  REQUIRE(edit.fuse({named(module, "n"), named(module, "o")}).ok());
  const absl::StatusOr<std::string> bytes = write_proto(module);
  REQUIRE(bytes.ok());
  const WireMessage message(*bytes);
  const std::vector<std::string_view> computations = message.all(3);
  REQUIRE(computations.size() == 2);
  const WireMessage fused(computations[0]);
  CHECK(fused.integer(5) == 1);
  CHECK(fused.flag(7));
  for (std::string_view instruction : fused.all(2)) CHECK(WireMessage(instruction).integer(35) >> 32 == 1);
  const absl::StatusOr<Module> again = parse_proto(*bytes);
  REQUIRE(again.ok());
  // The edit drops the layout of the entry computation, which a proto has in any case.
  const auto computations_of = [](const std::string& text) { return text.substr(text.find('%')); };
  CHECK(computations_of(print_module(*again)) == computations_of(print_module(module)));
}

TEST_CASE("a constant that the text elides comes from the proto, also beside an edit") {
  std::string values;
  for (std::uint64_t i = 0; i < 5000; ++i) values += varint(i % 100);
  const std::string shape = field(2, std::uint64_t{4}) + field(3, varint(5000)) +
                            field(5, field(1, varint(0)) + field(16, std::uint64_t{1})) + field(6, varint(0));
  const std::string constant = field(1, "c") + field(2, "constant") + field(3, shape) +
                               field(8, field(1, shape) + field(4, values)) + field(35, std::uint64_t{1});
  const std::string negate =
      field(1, "n") + field(2, "negate") + field(3, shape) + field(35, std::uint64_t{2}) + field(36, varint(1));
  const std::string computation =
      field(1, "e") + field(2, constant) + field(2, negate) + field(4, field(2, shape)) + field(6, std::uint64_t{2});
  const std::string original = field(1, "m") + field(2, "e") + field(3, computation);
  absl::StatusOr<Module> read = parse_proto(original);
  REQUIRE(read.ok());
  CHECK_THAT(print_module(*read), ContainsSubstring("constant({...})"));
  Module module = *std::move(read);
  ModuleEditor edit(module);
  NewInstruction copy;
  copy.opcode = Opcode::kCopy;
  copy.operands = {named(module, "c")};
  const absl::StatusOr<InstructionId> made = edit.insert_before(named(module, "n"), copy);
  REQUIRE(made.ok());
  REQUIRE(edit.set_operands(named(module, "n"), {*made}).ok());
  const absl::StatusOr<std::string> bytes = write_proto(module);
  REQUIRE(bytes.ok());
  CHECK(count(*bytes, values) == 1);
}

TEST_CASE("what a proto cannot hold is an error that names it") {
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {entry_of("  ROOT %c = f32[100]{0} constant({...})\n"), "c in e: the text has {...} in place of the values"},
      {"%n = f32[8]{0} negate(f32[8]{0} %p)", "not a single instruction"},
      {entry_of("  %p = f32[] parameter(0)\n  ROOT %n = f32[] negate(%p), new_attribute={1}\n"),
       "n in e: a proto cannot hold its new_attribute"},
      {entry_of("  %p = f32[8]{0} parameter(0)\n  ROOT %n = f32[16]{0} all-gather(%p), channel_id=0, "
                "replica_groups={{0,1}}, dimensions={0}\n"),
       "n in e: a proto cannot hold its channel_id"},
      {entry_of("  %p = f32[8]{0} parameter(0)\n  ROOT %n = f32[16]{0} all-gather(%p), channel_id=-1, "
                "replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true\n"),
       "n in e: a proto cannot hold its channel_id"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const absl::StatusOr<std::string> bytes = write_proto(parsed(c.text));
    REQUIRE_FALSE(bytes.ok());
    CHECK(bytes.status().code() == absl::StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(bytes.status().message()), ContainsSubstring(c.message));
  }
}

TEST_CASE("global ids without a channel are an error when they are written") {
  Module module = parsed(entry_of(
      "  %p = f32[8]{0} parameter(0)\n  ROOT %n = f32[16]{0} all-gather(%p), channel_id=1, replica_groups={{0,1}}, "
      "dimensions={0}, use_global_device_ids=true\n"));
  ModuleEditor edit(module);
  REQUIRE(edit.remove_attribute(named(module, "n"), AttributeKey::kChannelId).ok());
  CHECK_THAT(std::string(write_proto(module).status().message()),
             ContainsSubstring("n in e: a proto cannot hold its use_global_device_ids"));
}

TEST_CASE("names that computations share become unique, as XLA makes them") {
  const Module module = parsed(
      "HloModule m\n\n%f (x: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n  ROOT %n = f32[] negate(%x)\n}\n\n"
      "ENTRY %e (x: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n  %n.1 = f32[] negate(%x)\n"
      "  ROOT %n = f32[] fusion(%n.1), kind=kLoop, calls=%f\n}\n");
  const std::string text = *proto_to_text(*write_proto(module));
  CHECK_THAT(text, ContainsSubstring("ROOT %n.2 = f32[] fusion(%n.1), kind=kLoop, calls=%f"));
  CHECK_THAT(text, ContainsSubstring("%n.1 = f32[] negate(%x.1)"));
}

// What can be read can be written, and is read as the same.
void check_written(std::string_view bytes) {
  const absl::StatusOr<Module> module = parse_proto(bytes);
  if (!module.ok()) return;
  const absl::StatusOr<std::string> written = write_proto(*module);
  if (!written.ok()) return;
  const absl::StatusOr<Module> again = parse_proto(*written);
  INFO(again.status().message());
  REQUIRE(again.ok());
  std::string difference;
  const bool is_equal = equal(*module, *again, &difference);
  INFO(difference);
  REQUIRE(is_equal);
}

TEST_CASE("a damaged proto that can be read is written as it was read") {
  const std::string whole = source_text("tests/proto/samples/y_default_async_sugar.pb");
  for (std::size_t size = 0; size < whole.size(); ++size) check_written(std::string_view(whole).substr(0, size));
  std::string bytes = whole;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] = static_cast<char>(whole[at] ^ (1 << bit));
      check_written(bytes);
    }
    bytes[at] = whole[at];
  }
}

}  // namespace
}  // namespace hloroof::internal
