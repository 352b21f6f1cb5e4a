#include "lib/mlir/attributes.h"

#include <string>
#include <string_view>

#include "tests/catch.h"
#include "tests/mlir/encode.h"
#include "tests/mlir/print.h"

namespace hloroof::internal::mlir {
namespace {

using std::string_literals::operator""s;

constexpr std::uint64_t kDynamicCode = ~std::uint64_t{0};  // zigzag of the least number

struct Case {
  std::string name;
  std::string bytes;
  std::string expected;  // the printed text, or what the message contains
};

std::string dense(std::uint64_t type, const std::string& bytes) { return varints({18, type, bytes.size()}) + bytes; }

Module module_of(const std::string& bytes) {
  absl::StatusOr<Module> module = read_module(bytes);
  INFO(module.status().message());
  REQUIRE(module.ok());
  return *std::move(module);
}

// Attribute 0 is the one under test. String 5 is "a", string 6 is `b"`.
std::string with_attribute(const std::string& bytes) {
  Source source;
  source.strings = {"a", "b\""};
  source.attributes = {{bytes},
                       {varints({2, 5})},                       // 1: "a"
                       {varints({8, 1, zigzag(-7)})},           // 2: -7 : i64
                       {varints({7})},                          // 3: unit
                       {varints({15})},                         // 4: an unknown location
                       {varints({4, 1})},                       // 5: @a
                       {"#x.y<1>\0"s, false, 1},                // 6
                       {varints({2, 6})},                       // 7: b"
                       {varints({11, 1, 3, 4})},                // 8: "a":3:4
                       {"opaque", true, 1},                     // 9
                       {varints({18, 10, 1}) + "\x05"s}};       // 10: dense i1
  source.types = {{varints({0, 32 << 2})},                      // 0: i32
                  {varints({0, 64 << 2})},                      // 1: i64
                  {varints({0, 1 << 2})},                       // 2: i1
                  {varints({5})},                               // 3: f32
                  {varints({1})},                               // 4: index
                  {varints({13, 2, zigzag(2), zigzag(2), 0})},  // 5: tensor<2x2xi32>
                  {varints({0, 128 << 2})},                     // 6: i128
                  {varints({13, 1, zigzag(0), 0})},             // 7: tensor<0xi32>
                  {varints({0, 8 << 2 | 2})},                   // 8: ui8
                  {varints({13, 0, 3})},                        // 9: tensor<f32>
                  {varints({13, 1, zigzag(3), 2})},             // 10: tensor<3xi1>
                  {varints({9, 3})},                            // 11: complex<f32>
                  {"!x.t\0"s, false, 1},                        // 12
                  {varints({13, 1, zigzag(1), 11})},            // 13: tensor<1xcomplex<f32>>
                  {varints({13, 1, kDynamicCode, 0})}};         // 14: tensor<?xi32>
  return source.bytes();
}

TEST_CASE("each kind of attribute is decoded and printed") {
  const Case cases[] = {
      {"array", varints({0, 3, 2, 3, 5}), "[-7, unit, @a]"},
      {"dictionary", varints({1, 3, 1, 2, 7, 3, 1, 6}), R"({a = -7 : i64, "b\22", a = #x.y<1>})"},
      {"string", varints({2, 6}), R"("b\22")"},
      {"typed string", varints({3, 5, 0}), R"("a" : i32)"},
      {"flat symbol", varints({4, 1}), "@a"},
      {"symbol", varints({5, 5, 2, 5, 5}), "@a::@a::@a"},
      {"type", varints({6, 5}), "tensor<2x2xi32>"},
      {"unit", varints({7}), "unit"},
      {"i32", varints({8, 0, zigzag(-300)}), "-300 : i32"},
      {"index", varints({8, 4, zigzag(5)}), "5 : index"},
      {"true", varints({8, 2}) + "\1", "true"},
      {"ui8", varints({8, 8}) + "\xff", "255 : ui8"},
      {"i128", varints({8, 6, 2, zigzag(0), zigzag(-1)}), "-18446744073709551616 : i128"},
      {"float", varints({9, 3, zigzag(0x3f800000)}), "1.000000e+00 : f32"},
      {"call site", varints({10, 8, 4}), R"(loc(callsite("a":3:4 at unknown)))"},
      {"file", varints({11, 7, 1, 2}), R"(loc("b\22":1:2))"},
      {"fused", varints({12, 2, 8, 4}), R"(loc(fused["a":3:4, unknown]))"},
      {"fused with metadata", varints({13, 1, 8, 2}), R"(loc(fused<-7 : i64>["a":3:4]))"},
      {"name", varints({14, 1, 8}), R"(loc("a"("a":3:4)))"},
      {"name of unknown", varints({14, 1, 4}), R"(loc("a"))"},
      {"unknown location", varints({15}), "loc(unknown)"},
      {"dense array", varints({17, 0, 2, 8}) + "\1\0\0\0\xff\xff\xff\xff"s, "array<i32: 1, -1>"},
      {"empty dense array", varints({17, 1, 0, 0}), "array<i64>"},
      {"dense elements", dense(5, "\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0"s), "dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>"},
      {"splat", dense(5, "\1\0\0\0"s), "dense<1> : tensor<2x2xi32>"},
      {"no elements", dense(7, ""), "dense<> : tensor<0xi32>"},
      {"rank 0", dense(9, "\0\0\x80\x3f"s), "dense<1.000000e+00> : tensor<f32>"},
      {"packed", dense(10, "\5"), "dense<[true, false, true]> : tensor<3xi1>"},
      {"all true", dense(10, "\xff"), "dense<true> : tensor<3xi1>"},
      {"complex", dense(13, "\0\0\x80\x3f\0\0\0\x40"s), "dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f32>>"},
      {"dense strings", varints({19, 10, 0, 5, 6}), R"(dense<["a", "b\22"]> : tensor<3xi1>)"},
      {"sparse", varints({20, 5, 10, 10}), "sparse<[true, false, true], [true, false, true]> : tensor<2x2xi32>"},
      {"distinct", varints({21, 2}), "distinct[0]<-7 : i64>"},
      {"range", varints({22, 1, 4, 1, 2, 3, 4}), R"(loc("a":1:2 to 3:4))"},
      {"range in a line", varints({22, 1, 3, 1, 2, 4}), R"(loc("a":1:2 to :4))"},
      {"no range", varints({22, 1, 0}), R"(loc("a":0:0))"},
      {"identity", varints({23, 2 << 2}), "affine_map<(d0, d1) -> (d0, d1)>"},
      {"permutation", varints({23, 2 << 2 | 1, 1, 0}), "affine_map<(d0, d1) -> (d1, d0)>"},
      {"projection", varints({23, 2 << 2 | 2, 1, 1}), "affine_map<(d0, d1) -> (d1)>"},
      {"affine", varints({23, 1 << 2 | 3, 1, 1, 3, 0, 0, 4, 1, 0, 2, zigzag(-2)}),
       "affine_map<(d0)[s0] -> (d0 - s0 * 2)>"},
      {"integer set", varints({24, 1, 0, 1, 0, 0}) + "\1", "affine_set<(d0) : (d0 == 0)>"},
      {"strided", varints({25, zigzag(3), 2, zigzag(2), kDynamicCode}), "strided<[2, ?], offset: 3>"},
      {"a code that is not known", varints({60, 1, 2}), "#unknown"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const std::string bytes = with_attribute(c.bytes);
    const Module module = module_of(bytes);
    const absl::StatusOr<std::string> text = print(module, AttributeId{0});
    INFO(text.status().message());
    REQUIRE(text.ok());
    CHECK(*text == c.expected);
    if (c.expected == "#unknown") continue;
    // Every shorter encoding is an error, or another attribute.
    for (std::size_t size = 0; size < c.bytes.size(); ++size) {
      const std::string cut = with_attribute(c.bytes.substr(0, size));
      const Module shorter = module_of(cut);
      const absl::StatusOr<std::string> other = print(shorter, AttributeId{0});
      CHECK((!other.ok() || *other != c.expected));
    }
  }
}

TEST_CASE("malformed attributes are errors with an offset") {
  const Case cases[] = {
      {"empty", "", "the bytes end in the middle of an entity at byte"},
      {"trailing", varints({7, 1}), "bytes follow an attribute or type"},
      {"attribute out of range", varints({0, 1, 99}), "the index of an attribute is out of range"},
      {"type out of range", varints({6, 99}), "the index of a type is out of range"},
      {"string out of range", varints({2, 99}), "the index of a string is out of range"},
      {"count", varints({0, 99}), "a count is larger than the bytes that follow"},
      {"key", varints({1, 1, 3, 3}), "an attribute that must be a string is not one"},
      {"integer of no number type", varints({8, 5, 1}), "the type of a number is not a number"},
      {"blob", varints({18, 5, 99}), "a length reaches beyond the end of its section"},
      {"dense of another size", dense(5, "\1\0\0\0\2\0\0\0"s), "do not match its type"},
      {"dense of dynamic shape", dense(14, "\1\0\0\0"s), "do not match its type"},
      {"dense of text", dense(12, "\1\0\0\0"s), "MLIR"},
      {"contains itself", varints({0, 1, 0}), "contains itself"},
      {"metadata contains itself", varints({13, 0, 0}), "contains itself"},
      {"resource", varints({16, 0, 0}), "the index of a resource is out of range"},
      {"dimension", varints({23, 1 << 2 | 1, 1}), "the number of a dimension is out of range"},
      {"affine kind", varints({23, 1 << 2 | 3, 0, 1, 8}), "an affine expression is of an unknown kind"},
      {"dimensions", varints({23, std::uint64_t{1} << 40U}), "more than 4096 dimensions"},
      {"range", varints({22, 1, 5, 1, 2, 3, 4, 5}), "a range of a file has more than four numbers"},
      {"words", varints({8, 6, 3, 0, 0, 0}), "an integer has more words than its type"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const std::string bytes = with_attribute(c.bytes);
    const Module module = module_of(bytes);
    const absl::StatusOr<std::string> text = print(module, AttributeId{0});
    REQUIRE_FALSE(text.ok());
    CHECK_THAT(std::string(text.status().message()), ContainsSubstring(c.expected));
  }
}

TEST_CASE("each kind of type is decoded and printed") {
  const Case cases[] = {
      {"signed", varints({0, 7 << 2 | 1}), "si7"},
      {"function", varints({2, 2, 1, 2, 1, 1}), "(i32, f32) -> i32"},
      {"function without results", varints({2, 0, 0}), "() -> ()"},
      {"bf16", varints({3}), "bf16"},
      {"f8E8M0FNU", varints({32}), "f8E8M0FNU"},
      {"complex", varints({9, 2}), "complex<f32>"},
      {"memref", varints({10, 2, zigzag(8), kDynamicCode, 2, 0}), "memref<8x?xf32>"},
      {"memref with layout", varints({10, 1, zigzag(8), 2, 1}), "memref<8xf32, strided<[2]>>"},
      {"memref in space", varints({11, 2, 1, zigzag(8), 2, 3}), "memref<8xf32, #x.vmem>"},
      {"none", varints({12}), "none"},
      {"tensor", varints({13, 0, 2}), "tensor<f32>"},
      {"encoded tensor", varints({14, 2, 1, zigzag(4), 2}), "tensor<4xf32, #x.vmem>"},
      {"tuple", varints({15, 2, 1, 2}), "tuple<i32, f32>"},
      {"unranked memref", varints({16, 2}), "memref<*xf32>"},
      {"unranked memref in space", varints({17, 2, 2}), "memref<*xf32, #x.vmem>"},
      {"unranked tensor", varints({18, 2}), "tensor<*xf32>"},
      {"vector", varints({19, 2, zigzag(8), zigzag(128), 2}), "vector<8x128xf32>"},
      {"scalable vector", varints({20, 2}) + "\1\0"s + varints({2, zigzag(4), zigzag(2), 2}), "vector<[4]x2xf32>"},
      {"a code that is not known", varints({50}), "!unknown"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    Source source;
    source.attributes = {{varints({23, 1 << 2})},
                         {varints({25, 0, 1, zigzag(2)})},
                         {"#x.vmem\0"s, false, 1},
                         {"affine_map<(d0) -> (d0)>\0"s, false, 0}};
    // A memref<8x?xf32> has a layout of rank 2 in reality. Only the identity matters here.
    source.types = {{c.bytes}, {varints({0, 32 << 2})}, {varints({5})}};
    const std::string bytes = source.bytes();
    const Module module = module_of(bytes);
    const absl::StatusOr<std::string> text = print(module, TypeId{0});
    INFO(text.status().message());
    REQUIRE(text.ok());
    CHECK(*text == c.expected);
  }
}

TEST_CASE("values of attributes are found without decoding all") {
  Source source;
  source.strings = {"a", "b"};
  source.attributes = {{varints({1, 2, 1, 3, 2, 4})},
                       {varints({2, 5})},
                       {varints({2, 6})},
                       {varints({8, 0, zigzag(42)})},
                       {varints({0, 2, 3, 3})},
                       {dense(1, "\1\0\0\0\0\0\0\0"s)},
                       {varints({17, 0, 1, 4}) + "\xfe\xff\xff\xff"s},
                       {varints({4, 1})}};
  source.types = {{varints({0, 32 << 2})}, {varints({19, 1, zigzag(3), 2})}, {varints({0, 64 << 2})}};
  const std::string bytes = source.bytes();
  const Module module = module_of(bytes);
  CHECK(find(module, AttributeId{0}, "a") == AttributeId{3});
  CHECK_FALSE(find(module, AttributeId{0}, "c").valid());
  CHECK_FALSE(find(module, AttributeId{1}, "a").valid());
  CHECK(integer(module, AttributeId{3}) == 42);
  CHECK_FALSE(integer(module, AttributeId{1}).has_value());
  CHECK_FALSE(integer(module, AttributeId{}).has_value());
  CHECK(integers(module, AttributeId{4}) == std::vector<std::int64_t>{42, 42});
  CHECK(integers(module, AttributeId{5}) == std::vector<std::int64_t>{1, 1, 1});
  CHECK(integers(module, AttributeId{6}) == std::vector<std::int64_t>{-2});
  CHECK_FALSE(integers(module, AttributeId{0}).has_value());
  CHECK(string(module, AttributeId{7}) == "a");
}

}  // namespace
}  // namespace hloroof::internal::mlir
