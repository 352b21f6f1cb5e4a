// Malformed protos must give a clear error, and must neither crash nor exceed the memory limits.
#include <fstream>
#include <iterator>

#include "hloroof/print.h"
#include "lib/proto/write_proto.h"
#include "tests/catch.h"
#include "tests/proto/encode.h"
#include "tests/proto/proto_modules.h"

namespace hloroof::internal {
namespace {

std::string sample(const std::string& file = "many_ops.pb") {
  std::ifstream in("tests/proto/samples/" + file, std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("every prefix of a module is an error or a module") {
  const std::string whole = sample();
  int errors = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    errors += parse_proto(std::string_view(whole).substr(0, size)).ok() ? 0 : 1;
  }
  CHECK(errors > static_cast<int>(whole.size() / 2));
}

TEST_CASE("every byte may be corrupt") {
  const std::string whole = sample();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (char wrong : {'\0', '\x7f', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = wrong;
      (void)parse_proto(bytes);
    }
  }
  SUCCEED();
}

// What is wrong with writing what is read of a proto; empty if nothing is.
std::string fault_of_writing(const std::string& bytes) {
  const absl::StatusOr<Module> module = parse_proto(bytes);
  if (!module.ok()) return "";
  const absl::StatusOr<std::string> written = module_proto(*module, ElidedConstants::kWriteWithoutValues);
  if (!written.ok()) return "not written: " + std::string(written.status().message());
  const absl::StatusOr<Module> again = parse_proto(*written);
  if (!again.ok()) return "not read again: " + std::string(again.status().message());
  return print_module(*again) == print_module(*module) ? "" : "is another module when read again";
}

TEST_CASE("what is read of a corrupt proto can be written, and is the same when it is read again") {
  for (const char* file : {"many_ops.pb", "y_default_async_sugar.pb"}) {
    const std::string whole = sample(file);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      // A parser skips \r, so a name that ends in it is another when it is read.
      for (char wrong : {'\r', '\0', '\1', '=', '\xff'}) {
        if (wrong != '\r' && at % 13 != 0) continue;
        std::string bytes = whole;
        bytes[at] = wrong;
        const std::string fault = fault_of_writing(bytes);
        if (fault.empty()) continue;
        CAPTURE(file, at, wrong);
        CHECK(fault == "");
      }
    }
  }
}

TEST_CASE("bytes that are not a proto are an error") {
  struct Case {
    std::string bytes;
    const char* message;
  };
  const Case cases[] = {
      {"", "not an HloModuleProto, an HloProto, an HloSnapshot or a profile"},
      {"HloModule text, is_scheduled=true", "not a valid protocol buffer: malformed or truncated field at byte 2"},
      {field(1, "m") + field(2, "e") + field(3, field(1, "e")), "computation e: malformed program shape"},
      {"\x0b\x0c", "not a valid protocol buffer"},  // a group, which proto3 does not allow
  };
  for (const Case& c : cases) {
    const absl::StatusOr<Module> module = parse_proto(c.bytes);
    REQUIRE_FALSE(module.ok());
    CHECK(module.status().code() == absl::StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(module.status().message()), ContainsSubstring(c.message));
  }
}

std::string shape_f32() { return field(2, std::uint64_t{11}); }

// A module of one computation with these instructions.
std::string module_of(const std::string& instructions, const std::string& shape) {
  const std::string computation = field(1, "e") + instructions + field(4, field(2, shape)) + field(6, std::uint64_t{1});
  return field(1, "m") + field(2, "e") + field(3, computation);
}

TEST_CASE("shapes nest without recursion") {
  std::string shape = shape_f32();
  for (int depth = 0; depth < 20000; ++depth) shape = field(2, std::uint64_t{13}) + field(4, shape);
  const std::string parameter = field(1, "p") + field(2, "parameter") + field(3, shape) + field(35, std::uint64_t{1});
  const absl::StatusOr<Module> module = parse_proto(module_of(field(2, parameter), shape));
  REQUIRE_FALSE(module.ok());
  CHECK_THAT(std::string(module.status().message()), ContainsSubstring("nesting exceeds the limit"));
}

TEST_CASE("a shape that no text can have is malformed") {
  const struct {
    const char* name;
    std::string shape;
  } cases[] = {
      {"a negative dimension", shape_f32() + field(3, varint(static_cast<std::uint64_t>(-1)))},
      {"a static dimension without a size", shape_f32() + field(3, varint(std::uint64_t{1} << 63))},
      {"an unknown index type", shape_f32() + field(5, field(11, std::uint64_t{999}))},
      {"a tuple as pointer type", shape_f32() + field(5, field(12, std::uint64_t{13}))},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const std::string parameter = field(1, "p") + field(2, "parameter") + field(3, c.shape);
    const absl::StatusOr<Module> module = parse_proto(module_of(field(2, parameter), shape_f32()));
    REQUIRE_FALSE(module.ok());
    CHECK_THAT(std::string(module.status().message()), ContainsSubstring("p in e: malformed shape"));
  }
}

TEST_CASE("short ids of long names respect the text limit") {
  const std::string parameter =
      field(1, std::string(100000, 'p')) + field(2, "parameter") + field(3, shape_f32()) + field(35, std::uint64_t{1});
  const std::string tuple = field(1, "t") + field(2, "tuple") + field(3, shape_f32()) + field(35, std::uint64_t{2}) +
                            field(36, std::string(100000, '\1'));
  ParseOptions options;
  options.max_bytes = 1 << 20;
  const absl::StatusOr<Module> module =
      parse_proto(module_of(field(2, parameter) + field(2, tuple), shape_f32()), options);
  CHECK(module.status().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("names that are no names in a text are refused") {
  const auto error = [](const std::string& name, const std::string& opcode, const std::string& computation) {
    const std::string op = field(1, name) + field(2, opcode) + field(3, shape_f32()) + field(35, std::uint64_t{1});
    const std::string body = field(1, computation) + field(2, op) + field(4, field(2, shape_f32())) +
                             field(5, std::uint64_t{1}) + field(6, std::uint64_t{1});
    const absl::StatusOr<Module> module =
        parse_proto(field(1, "m") + field(2, "e") + field(3, body) + field(5, std::uint64_t{1}));
    return std::string(module.status().message());
  };
  CHECK(error("p", "parameter", "e").empty());
  CHECK_THAT(error("p\r", "parameter", "e"), ContainsSubstring("computation e: 'p\\r' is not a legal name of an inst"));
  CHECK_THAT(error("p = f32[] parameter(0)\n q", "parameter", "e"), ContainsSubstring("is not a legal name"));
  CHECK_THAT(error("", "parameter", "e"), ContainsSubstring("'' is not a legal name of an instruction"));
  CHECK_THAT(error("p", "parameter ", "e"), ContainsSubstring("p in e: 'parameter ' is not an opcode"));
  CHECK_THAT(error("p", "parameter", "e "), ContainsSubstring("'e ' is not a legal name of a computation"));
}

TEST_CASE("errors of dangling references name the instruction") {
  const std::string add = field(1, "sum") + field(2, "add") + field(3, shape_f32()) + field(36, std::uint64_t{99});
  const absl::StatusOr<Module> module = parse_proto(module_of(field(2, add), shape_f32()));
  REQUIRE_FALSE(module.ok());
  CHECK_THAT(std::string(module.status().message()),
             ContainsSubstring("sum in e: operand 0 is not in its computation"));
}

}  // namespace
}  // namespace hloroof::internal
