#include "lib/mlir/module.h"

#include <string>
#include <string_view>

#include "lib/mlir/attributes.h"
#include "tests/catch.h"
#include "tests/golden.h"
#include "tests/mlir/encode.h"
#include "tests/mlir/print.h"
#include "tests/mlir/read_file.h"

namespace hloroof::internal::mlir {
namespace {

// As jaxlib's MLIR counts them.
constexpr Counts kCounts[] = {
    {"flash_attention_backward.mlir24", 290, 17, 17, 300},
    {"forms.version0", 13, 7, 8, 10},
    {"forms.version6", 13, 7, 8, 10},
    {"gmm.mlir23", 112, 9, 9, 125},
    {"splash_attention.mlir21", 330, 19, 19, 368},
};

TEST_CASE("samples are read whole") {
  for (const Counts& expected : kCounts) {
    INFO(expected.name);
    const std::string bytes = sample(expected.name);
    CHECK(is_bytecode(bytes));
    const absl::StatusOr<Module> module = read_module(bytes);
    INFO(module.status().message());
    REQUIRE(module.ok());
    check_whole(*module, expected);
  }
}

// The goldens equal what jaxlib's MLIR prints, except for comments and the properties of modules (tests/differential).
TEST_CASE("samples are printed as MLIR prints them") {
  for (const char* name : {"forms.version0", "forms.version6", "gmm.mlir23"}) {
    const std::string bytes = sample(name);
    const absl::StatusOr<Module> module = read_module(bytes);
    REQUIRE(module.ok());
    const absl::StatusOr<std::string> text = print(*module);
    INFO(text.status().message());
    REQUIRE(text.ok());
    check_golden("tests/mlir/samples/" + std::string(name) + ".mlir", *text);
  }
}

TEST_CASE("the order of operations, the blocks around them and the values that they use") {
  const std::string bytes = sample("forms.version6");
  const absl::StatusOr<Module> read = read_module(bytes);
  REQUIRE(read.ok());
  const Module& module = *read;
  CHECK(module.version == 6);
  CHECK(module.producer.substr(0, 4) == "MLIR");
  std::size_t top = 0;
  for (const OpId op : module.top_level()) {
    CHECK(module.is(op, "builtin.module"));
    CHECK_FALSE(module.is(op, "builtin.modul"));
    CHECK_FALSE(module.parent(op).valid());
    CHECK(module[op].end.index == module.ops.size());
    ++top;
  }
  CHECK(top == 1);
  std::size_t uses = 0;
  for (OpId op{0}; op.index < module.ops.size(); ++op.index) {
    for (const RegionId region : module.regions_of(op)) {
      CHECK(module[region].op == op);
      for (const BlockId block : module.blocks_of(region)) {
        CHECK(module[block].region == region);
        for (const OpId inner : module.ops_of(block)) {
          CHECK(module[inner].block == block);
          CHECK(module.parent(inner) == op);
          CHECK(module[inner].end.index <= module[op].end.index);
        }
      }
    }
    if (module.is(op, "a.f")) {
      // Its operands are defined after it.
      CHECK(module.is(module[module.operand(op, 0)].op, "a.g"));
      CHECK(module.is(module[module.operand(op, 1)].op, "a.h"));
      CHECK(module[module.operand(op, 1)].index == 1);
      ++uses;
    }
    if (module.is(op, "a.y")) {
      CHECK(module.is(module[module.operand(op, 0)].op, "r"));
      CHECK(module[module.operand(op, 1)].block.valid());
      ++uses;
    }
    if (module.is(op, "a.c")) {
      CHECK(module[op].successor_count == 2);
      CHECK(module.successors[module[op].successor_begin].index == module[op].block.index + 1);
      ++uses;
    }
  }
  CHECK(uses == 3);
  REQUIRE(module.resources.size() == 1);
  CHECK(module.resources[0].key == "k");
  CHECK(module.resources[0].owner == "builtin");
  CHECK(module.resources[0].data == "\1\2\3\4");
}

TEST_CASE("dialect versions, registered names and both kinds of properties are read") {
  Source source;
  source.version = 6;
  source.attributes = {{varints({15})}, {varints({8, 0, zigzag(7)})}, {varints({1, 0})}};
  source.types = {{varints({0, 32 << 2})}};
  source.properties = {"raw bytes"};
  // Two operations: x.op with properties as attribute 1 and x.registered with entry 0 of the properties.
  source.ir = varint(2 << 1) + varint(1) + std::string(1, 64) + varints({0, 1}) + varint(2) + std::string(1, 64) +
              varints({0, 0});
  const std::string bytes = source.bytes();
  const absl::StatusOr<Module> module = read_module(bytes);
  INFO(module.status().message());
  REQUIRE(module.ok());
  CHECK(module->dialects[1].version == "v9");
  CHECK(module->dialects[0].version.empty());
  REQUIRE(module->ops.size() == 2);
  CHECK(module->is(OpId{0}, "x.op"));
  CHECK_FALSE(module->op_names[1].is_registered);
  CHECK(module->op_names[2].is_registered);
  CHECK(integer(*module, module->ops[0].properties) == 7);
  CHECK(module->ops[1].raw_properties == "raw bytes");
  CHECK(*print(*module) == "\"x.op\"() <7 : i32> : () -> ()\n\"x.registered\"() <\"raw bytes\"> : () -> ()\n");
}

TEST_CASE("resources of dialects and of other owners") {
  Source source;
  source.strings = {"owner", "key", "text"};
  // Section 5 has the data of all entries: a bool, a string, and a blob with alignment 1.
  source.more_sections = section(5, "\1" + varint(7) + varints({1, 2}) + "xy") +
                         section(6, varints({1, 5, 2, 6, 1}) + '\1' + varints({6, 1}) + '\2' + varints({1, 1, 6, 4}) +
                                        std::string(1, '\0'));
  const std::string bytes = source.bytes();
  const absl::StatusOr<Module> module = read_module(bytes);
  INFO(module.status().message());
  REQUIRE(module.ok());
  REQUIRE(module->resources.size() == 3);
  CHECK(module->external_resource_count == 2);
  CHECK(module->resources[0].kind == Resource::Kind::kBool);
  CHECK(module->resources[0].owner == "owner");
  CHECK(module->resources[0].data == "\1");
  CHECK(module->resources[1].data == "text");
  CHECK(module->resources[2].owner == "x");
  CHECK(module->resources[2].data == "xy");
}

struct Malformed {
  std::string name;
  std::string ir;
  const char* message;
};

TEST_CASE("malformed operations are errors with an offset") {
  const std::string op = varint(1);
  const auto mask = [](int bits) { return std::string(1, static_cast<char>(bits)); };
  const Malformed cases[] = {
      {"empty", "", "the bytes end in the middle of an entity"},
      {"too many operations", varint(9 << 1), "a count is larger than the bytes that follow"},
      {"trailing bytes", varints({0, 0}), "bytes follow the operations"},
      {"name", varint(1 << 1) + varint(9) + mask(0) + varint(0), "the index of an operation's name is out of range"},
      {"mask", varint(1 << 1) + op + mask(128) + varint(0), "unknown bit"},
      {"location", varint(1 << 1) + op + mask(0) + varint(9), "the index of an attribute is out of range"},
      {"operand", varint(1 << 1) + op + mask(4) + varints({0, 1, 0}), "the index of a value is out of range"},
      {"result", varint(1 << 1) + op + mask(2) + varints({0, 1, 0}), "a region defines more values than it declares"},
      {"successor", varint(1 << 1) + op + mask(8) + varints({0, 1, 0}), "the index of a block is out of range"},
      {"use list", varint(1 << 1) + op + mask(32) + varint(0), "which this version does not have"},
      {"properties", varint(1 << 1) + op + mask(64) + varints({0, 0}), "which this version does not have"},
      {"blocks", varint(1 << 1) + op + mask(16) + varints({0, 1 << 1, 99}), "a count is larger than the bytes"},
      {"values", varint(1 << 1) + op + mask(16) + varints({0, 1 << 1, 1, 1, 0}),
       "declares more values than it defines"},
      {"regions", varint(1 << 1) + op + mask(16) + varints({0, 99 << 1}), "a count is larger than the bytes"},
      {"top-level argument", varints({0 << 1 | 1, 1, 0, 0}), "a region defines more values than it declares"},
  };
  for (const Malformed& c : cases) {
    INFO(c.name);
    Source source;
    source.attributes = {{varints({15})}};
    source.types = {{varints({1})}};
    source.ir = c.ir;
    const std::string bytes = source.bytes();
    const absl::StatusOr<Module> module = read_module(bytes);
    REQUIRE_FALSE(module.ok());
    CHECK_THAT(std::string(module.status().message()), ContainsSubstring(c.message));
    CHECK_THAT(std::string(module.status().message()), ContainsSubstring(" at byte "));
  }
}

TEST_CASE("malformed containers are errors with an offset") {
  const std::string good = Source().bytes();
  REQUIRE(read_module(good).ok());
  const std::string tables = section(1, "") + section(2, "") + section(3, "") + section(4, "");
  const Malformed cases[] = {
      {"magic", "MLIR", "do not begin with the magic number"},
      {"later version", "ML\xEFR" + varint(7), "version 7 is later than 6"},
      {"no sections", std::string("ML\xEFR\1p\0", 7), "section 0 is missing at byte 7"},
      {"twice", good + section(4, varint(0)), "section 4 appears twice"},
      {"unknown section", good + section(20, ""), "a section has the unknown id 20"},
      {"length", good + std::string(1, 5) + varint(100), "a length reaches beyond the end of its section"},
      {"strings that overlap their lengths",
       std::string("ML\xEFR\1p\0", 7) + section(0, varints({3, 4, 5, 2})) + tables,
       "the length of a string is out of range"},
      {"strings too short",
       std::string("ML\xEFR\1p\0", 7) + section(0, varints({1, 2}) + std::string("ab\0", 3)) + tables,
       "do not add up to their bytes"},
      {"no NUL", std::string("ML\xEFR\1p\0", 7) + section(0, varints({1, 2}) + "ab") + tables,
       "a string has no NUL at its end"},
      {"resources", good + section(6, varint(0)), "section 5 is missing"},
  };
  for (const Malformed& c : cases) {
    INFO(c.name);
    const absl::StatusOr<Module> module = read_module(c.ir);
    REQUIRE_FALSE(module.ok());
    CHECK_THAT(std::string(module.status().message()), ContainsSubstring(c.message));
  }
}

}  // namespace
}  // namespace hloroof::internal::mlir
