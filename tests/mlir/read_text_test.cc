// The text form of MLIR: the modules that XLA's TPU compiler writes, each form of an operation, and faults.
#include "lib/mlir/read_text.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lib/mlir/attributes.h"
#include "lib/mlir/module.h"
#include "tests/catch.h"
#include "tests/mlir/print.h"
#include "tests/mlir/read_file.h"
#include "tests/paths.h"

namespace hloroof::internal::mlir {
namespace {

std::string text_sample(const std::string& name) {
  std::ifstream file(source_path("tests/mlir/samples/" + name + ".v6e.mlir"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// `lines` within a function of two scalars, two vectors and a memory reference.
std::string in_function(const std::string& lines) {
  return "module {\n  func.func @main(%a: i32, %i: index, %v: vector<8x128xf32>, %w: vector<128x8xbf16>, "
         "%m: memref<8x128xf32, #tpu.memory_space<vmem>>) {\n" +
         lines + "    return\n  }\n}\n";
}

// As jaxlib's MLIR counts them.
constexpr Counts kCounts[] = {
    {"attention", 64, 4, 3, 63},
    {"online_softmax", 63, 7, 6, 63},
    {"ragged_dot_lists", 58, 6, 6, 59},
    {"ragged_dot_product", 44, 5, 5, 65},
};

TEST_CASE("text: the kernels of the compiler are read whole") {
  for (const Counts& expected : kCounts) {
    INFO(expected.name);
    const std::string text = text_sample(expected.name);
    REQUIRE(is_text(text));
    const absl::StatusOr<std::string> bytes = bytecode_of_text(text);
    INFO(bytes.status().message());
    REQUIRE(bytes.ok());
    const absl::StatusOr<Module> module = read_module(*bytes);
    INFO(module.status().message());
    REQUIRE(module.ok());
    check_whole(*module, expected);
  }
}

TEST_CASE("text: each form of an operation, as its generic form") {
  struct Case {
    const char* text;
    const char* generic;  // a part of what the module prints
  };
  const Case cases[] = {
      {"%0 = arith.constant 7 : i32", R"("arith.constant"() {value = 7 : i32} : () -> i32)"},
      {"%0 = arith.constant -1 : index", R"("arith.constant"() {value = -1 : index} : () -> index)"},
      {"%0 = arith.constant true", R"("arith.constant"() {value = true} : () -> i1)"},
      {"%0 = arith.constant dense<0xFF80> : vector<8xbf16>", R"(-> vector<8xbf16>)"},
      {"%0 = arith.addi %a, %a : i32", R"("arith.addi"(%arg0, %arg0) : (i32, i32) -> i32)"},
      {"%0 = arith.addi %a, %a overflow<nsw> : i32", R"("arith.addi"(%arg0, %arg0) : (i32, i32) -> i32)"},
      {"%0 = arith.addf %v, %v fastmath<fast> : vector<8x128xf32>", R"("arith.addf"(%arg2, %arg2))"},
      {"%0 = arith.cmpi sge, %a, %a : i32", R"("arith.cmpi"(%arg0, %arg0) {predicate = 5 : i64} : (i32, i32) -> i1)"},
      {"%0 = arith.cmpf oeq, %v, %v : vector<8x128xf32>", R"(-> vector<8x128xi1>)"},
      {"%0 = arith.index_cast %a : i32 to index", R"("arith.index_cast"(%arg0) : (i32) -> index)"},
      {"%0 = math.exp %v : vector<8x128xf32>", R"("math.exp"(%arg2) : (vector<8x128xf32>) -> vector<8x128xf32>)"},
      {"%0 = memref.load %m[%i, %i] : memref<8x128xf32, #tpu.memory_space<vmem>>",
       R"("memref.load"(%arg4, %arg1, %arg1))"},
      {"%0 = vector.load %m[%i, %i] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>",
       R"(-> vector<8x128xf32>)"},
      {"vector.store %v, %m[%i, %i] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>",
       R"("vector.store"(%arg2, %arg4, %arg1, %arg1))"},
      {"%0 = vector.multi_reduction <add>, %v, %v [0, 1] : vector<8x128xf32> to f32",
       R"({reduction_dims = array<i64: 0, 1>})"},
      {"%0 = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>]} %v, %w, %v : vector<8x128xf32>, "
       "vector<128x8xbf16> into vector<8x8xf32>",
       R"({indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>]})"},
      {"%0 = tpu.matmul %v, %w, %v {transpose_lhs_hint = false, precision = #tpu.contract_precision<bf16>} : "
       "vector<8x128xf32>, vector<128x8xbf16>, vector<8x8xf32> -> vector<8x8xf32>",
       R"({transpose_lhs_hint = false, precision = #tpu.contract_precision<bf16>})"},
      {"%0 = tpu.iota {dimensions = array<i32: 0>} : vector<8x128xi32>", R"({dimensions = array<i32: 0>})"},
      {"%0:2 = scf.for %k = %a to %a step %a iter_args(%x = %a, %y = %v) -> (i32, vector<8x128xf32>) : i32 {\n"
       "  scf.yield %k, %y : i32, vector<8x128xf32>\n}\n%1 = arith.addi %0#0, %a : i32",
       R"("scf.for"(%arg0, %arg0, %arg0, %arg0, %arg2))"},
      {"%c = arith.constant true\nscf.if %c {\n  %2 = arith.addi %a, %a : i32\n} else {\n}", R"("scf.yield"())"},
      {"%c = arith.constant true\n%0 = scf.if %c -> (i32) {\n  scf.yield %a : i32\n} else {\n  scf.yield %a : i32\n}",
       R"("scf.yield"(%arg0))"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const absl::StatusOr<std::string> bytes = bytecode_of_text(in_function(std::string(c.text) + "\n"));
    INFO(bytes.status().message());
    REQUIRE(bytes.ok());
    const absl::StatusOr<Module> module = read_module(*bytes);
    INFO(module.status().message());
    REQUIRE(module.ok());
    const absl::StatusOr<std::string> printed = print(*module);
    REQUIRE(printed.ok());
    CAPTURE(*printed);
    CHECK(printed->find(c.generic) != std::string::npos);
  }
}

TEST_CASE("text: faults are named with line and column") {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"    %0 = arith.addi %b, %a : i32\n", "MLIR text:3:21: %b is not defined"},
      {"    %0 = tpu.enqueue_dma %m : i32\n",
       "MLIR text:3:10: an operation that is not read from text: tpu.enqueue_dma"},
      {"    scf.while : i32\n", "an operation that is not read from text: scf.while"},
      {"    %0 = arith.addi %a, %a\n", "MLIR text:4:5: the types of an operation are missing"},
      {"    %0:2 = arith.addi %a, %a : i32\n", "the number of results is not that of their types"},
      {"    %0 = arith.addi %a, %a : f33\n", "an unknown type 'f33'"},
      {"    %0 = arith.addi %a#1, %a : i32\n", "%a is not defined"},
      {"    %0 = arith.constant dense<1 : i32\n", "'<' is not closed"},
      {"    ~\n", "MLIR text:3:5: an unexpected character"},
      {"    scf.for %k = %a to %a step %a iter_args(%x = %a) -> (i32, i32) : i32 {\n    }\n",
       "a loop has not one type for each value that it carries"},
      {"    }\n  }\n}\n", "an unexpected '}'"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const absl::StatusOr<std::string> bytes = bytecode_of_text(in_function(c.text));
    REQUIRE_FALSE(bytes.ok());
    CHECK_THAT(std::string(bytes.status().message()), ContainsSubstring(c.message));
  }
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "scf.if %c {\n";
  CHECK_THAT(std::string(bytecode_of_text(in_function("%c = arith.constant true\n" + deep)).status().message()),
             ContainsSubstring("regions are nested too deep"));
}

TEST_CASE("text: each beginning of a kernel is read or refused") {
  const std::string text = text_sample("ragged_dot_lists");
  for (std::size_t size = 0; size < text.size(); size += 7) {
    const absl::StatusOr<std::string> bytes = bytecode_of_text(text.substr(0, size));
    if (bytes.ok()) CHECK(read_module(*bytes).ok());
  }
  CHECK_FALSE(is_text("ML\xEFR"));
  CHECK_FALSE(is_text("modules"));
  CHECK(is_text("\n module @x {}"));
}

}  // namespace
}  // namespace hloroof::internal::mlir
