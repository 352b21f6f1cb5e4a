// Checks that the text of a proto equals XLA's, for all containers.
//
// samples/NAME.pb is the output of XLA's HloModule::ToProto() and samples/NAME.hlo that of its ToString(), with the
// computations in the order of the proto. tests/differential/protos.py makes such pairs and compares with jaxlib
// directly.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "hloroof/print.h"
#include "lib/input/parse_proto.h"
#include "lib/proto/wire.h"
#include "tests/catch.h"
#include "tests/proto/encode.h"
#include "tests/proto/proto_modules.h"

namespace hloroof::internal {
namespace {

namespace fs = std::filesystem;

const std::string kSamples = "tests/proto/samples/";

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("protos give XLA's text, and it reads back") {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kSamples)) {
    if (entry.path().extension() == ".pb") names.insert(entry.path().stem().string());
  }
  REQUIRE(names.size() >= 7);
  for (const std::string& name : names) {
    INFO(name);
    const absl::StatusOr<std::string> text = proto_to_text(read(kSamples + name + ".pb"));
    REQUIRE(text.ok());
    CHECK(*text == read(kSamples + name + ".hlo"));
    const absl::StatusOr<Module> module = parse_proto(read(kSamples + name + ".pb"));
    REQUIRE(module.ok());
    CHECK(print_module(*module) == *text);
  }
}

// What libtpu 0.0.50.1 hands to a registered pass after scheduling: the computations of fusions have empty sequences.
TEST_CASE("a module from within a compile has a schedule of the computations that run") {
  const absl::StatusOr<Module> module = load_module(kSamples + "compiles/post_scheduler.v5e_2x4.pb");
  INFO(module.status().message());
  REQUIRE(module.ok());
  CHECK(module->is_scheduled());
  CHECK(module->num_partitions() == 8);
  CHECK(module->entry().instruction_count() == 10);
  const absl::StatusOr<Module> again = parse_module(print_module(*module));
  REQUIRE(again.ok());
  CHECK(equal(*module, *again));
}

TEST_CASE("load_module reads protos by their name") {
  const absl::StatusOr<Module> module = load_module(kSamples + "many_ops.pb");
  REQUIRE(module.ok());
  CHECK(module->name() == "mix");
  CHECK(equal(*module, *load_module(kSamples + "many_ops.hlo")));
  CHECK_FALSE(load_module(kSamples + "none.pb").ok());
}

// A profile in XProf's form: each module is an HloProto in a stat of the metadata plane.
std::string xspace(const std::vector<std::string>& modules) {
  std::string plane = field(1, std::uint64_t{1}) + field(2, "/host:metadata");
  for (std::size_t m = 0; m < modules.size(); ++m) {
    const std::string stat = field(1, std::uint64_t{7}) + field(6, field(1, modules[m]));
    const std::string metadata = field(1, m + 1) + field(2, "jit_step(1)") + field(5, stat);
    plane += field(4, field(1, m + 1) + field(2, metadata));
  }
  plane += field(5, field(1, std::uint64_t{7}) + field(2, field(1, std::uint64_t{7}) + field(2, "hlo_proto")));
  const std::string device = field(1, std::uint64_t{2}) + field(2, "/device:TPU:0") + field(3, field(2, "Steps"));
  return field(1, device) + field(1, plane) + field(4, "host");
}

TEST_CASE("a module is found in an HloProto and in a profile") {
  const std::string mix = read(kSamples + "many_ops.pb");
  const std::string loop = read(kSamples + "while_dynamic.v5e_2x4.pb");
  const std::string text = *proto_to_text(mix);
  CHECK(*proto_to_text(field(1, mix) + field(3, field(1, "buffers"))) == text);
  CHECK(*proto_to_text(field(1, field(1, mix)) + field(4, "TPU")) == text);  // an HloSnapshot
  CHECK(*proto_to_text(xspace({mix})) == text);
  CHECK(*proto_to_text(xspace({mix, mix})) == text);  // a duplicate counts once

  const absl::StatusOr<Module> which = parse_proto(xspace({mix, loop}));
  REQUIRE_FALSE(which.ok());
  CHECK_THAT(std::string(which.status().message()), ContainsSubstring("holds 2 modules: mix, jit_f"));

  const std::string path = (fs::temp_directory_path() / "hloroof_test.xplane.pb").string();
  std::ofstream(path, std::ios::binary) << xspace({mix, loop});
  CHECK(load_module(path + "#jit_f")->name() == "jit_f");
  const absl::StatusOr<Module> none = load_module(path + "#other");
  CHECK(none.status().code() == absl::StatusCode::kNotFound);
  CHECK_THAT(std::string(none.status().message()), ContainsSubstring("there are mix, jit_f"));
  CHECK(load_module(path + "#2")->name() == "jit_f");
  std::remove(path.c_str());

  const std::string unnamed = (fs::temp_directory_path() / "hloroof_test.bin").string();
  std::ofstream(unnamed, std::ios::binary) << mix;
  CHECK(load_module(unnamed)->name() == "mix");  // the content says that it is a proto
  std::remove(unnamed.c_str());
}

// A module whose only instruction is a constant.
std::string constant_module(const std::string& shape, const std::string& literal) {
  const std::string instruction = field(1, "c") + field(2, "constant") + field(3, shape) +
                                  field(8, field(1, shape) + literal) + field(35, std::uint64_t{1});
  const std::string computation = field(1, "main") + field(2, instruction) + field(4, field(2, shape)) +
                                  field(5, std::uint64_t{1}) + field(6, std::uint64_t{1});
  return field(1, "m") + field(2, "main") + field(3, computation) + field(6, std::uint64_t{1});
}

TEST_CASE("large constants are elided, or complete for printing") {
  const auto array = [](std::uint64_t type, const std::vector<std::uint64_t>& dimensions) {
    std::string packed;
    for (std::uint64_t dimension : dimensions) packed += varint(dimension);
    return field(2, type) + field(3, packed);
  };
  std::string twelve;
  for (std::uint64_t i = 0; i < 12; ++i) twelve += varint(i);
  const std::string s32 = array(4, {2, 6});
  const std::string pair = field(2, std::uint64_t{13}) + field(4, array(4, {})) + field(4, array(4, {2}));
  const struct {
    const char* name;
    std::string module;
    std::string elided;
    std::string full;
  } cases[] = {
      {"twelve elements", constant_module(s32, field(4, twelve)), "{...}",
       "{ { 0, 1, 2, 3, 4, 5 }, { 6, 7, 8, 9, 10, 11 } }"},
      {"a tuple",
       constant_module(pair, field(10, field(1, array(4, {})) + field(4, varint(7))) +
                                 field(10, field(1, array(4, {2})) + field(4, varint(8) + varint(9)))),
       "{...}", "( 7, {8, 9} )"},
      {"many rows without elements", constant_module(array(4, {1'000'000'000, 0}), ""), "{...}", "{...}"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const auto elided = proto_to_text(c.module, {}, LargeConstants::kElide);
    const auto full = proto_to_text(c.module, {}, LargeConstants::kKeep);
    REQUIRE(elided.ok());
    REQUIRE(full.ok());
    CHECK_THAT(*elided, ContainsSubstring("constant(" + c.elided + ")"));
    CHECK_THAT(*full, ContainsSubstring("constant(" + c.full + ")"));
    CHECK(parse_module(*full).ok());
  }
  // A literal without values is elided, but one with some of them is malformed.
  CHECK_THAT(*proto_to_text(constant_module(s32, ""), {}, LargeConstants::kKeep), ContainsSubstring("constant({...})"));
  twelve.pop_back();
  CHECK_FALSE(proto_to_text(constant_module(s32, field(4, twelve)), {}, LargeConstants::kKeep).ok());
}

TEST_CASE("a device assignment determines replicas and partitions") {
  const std::string module = read(kSamples + "coll_ar_1mb.h100_sxm_1x1x8.pb") +
                             field(15, field(1, std::uint64_t{2}) + field(2, std::uint64_t{8}));
  const absl::StatusOr<Module> read_module = parse_proto(module);
  REQUIRE(read_module.ok());
  CHECK(read_module->replica_count() == 2);
  CHECK(read_module->num_partitions() == 8);
}

TEST_CASE("fields of the wire format") {
  const std::string bytes = field(1, std::uint64_t{300}) + field(2, "text") + field(1, std::uint64_t{5}) +
                            field(3, varint(1) + varint(2)) + field(3, std::uint64_t{3}) +
                            field(4, static_cast<std::uint64_t>(-1));
  const WireMessage message(bytes);
  CHECK(message.ok());
  CHECK(message.integer(1) == 5);  // the last one wins
  CHECK(message.bytes(2) == "text");
  CHECK(message.integers(3) == std::vector<std::int64_t>{1, 2, 3});  // packed and not
  CHECK(message.integer(4) == -1);
  CHECK(message.integer(9, 7) == 7);
  CHECK_FALSE(message.has(9));
}

}  // namespace
}  // namespace hloroof::internal
