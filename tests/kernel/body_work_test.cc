// What the operations of a body cost in registers and on units, on bodies of a few lines.
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "hloroof/parse.h"
#include "lib/kernel/common/kernel_type.h"
#include "lib/kernel/tpu/likely_lists.h"
#include "lib/kernel/tpu/read_kernel.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// The work of a body of one step whose operations are `lines`; %x is an f32[`shape`] in VMEM.
RegionWork work_of(const std::string& shape, const std::string& lines) {
  const std::string memory = absl::StrCat("memref<", shape, ", #tpu.memory_space<vmem>>");
  const std::string body = absl::StrCat(
      "module {\n  func.func @main(%g: i32, %x: ", memory,
      ", %y: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {dimension_semantics = "
      "[#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 1>, scratch_operands = 0 : i64, "
      "window_params = [{transform_indices = @window, window_bounds = array<i64: 8, 128>}, "
      "{transform_indices = @window, window_bounds = array<i64: 8, 128>}]} {\n    %c0 = arith.constant 0 : index\n",
      lines, "    return\n  }\n  func.func @window(%g: i32) -> (i32, i32) {\n    return %g, %g : i32, i32\n  }\n}\n");
  std::string encoded;
  absl::Base64Escape(body, &encoded);
  const auto module = parse_module(absl::StrCat(
      "HloModule m\nENTRY e {\n  x = f32[8,128]{1,0:T(8,128)} parameter(0)\n  ROOT o = f32[8,128]{1,0:T(8,128)} "
      "custom-call(x), custom_call_target=\"tpu_custom_call\", backend_config={\"custom_call_config\":{\"body\":\"",
      encoded, "\"}}\n}\n"));
  REQUIRE(module.ok());
  const absl::StatusOr<KernelRun> run = read_kernel(module->entry().root());
  INFO(run.status().message());
  REQUIRE(run.ok());
  INFO(run->failure);
  CHECK(run->unknown_ops.empty());
  REQUIRE(run->regions.size() == 1);
  return run->regions.front().work;
}

double elements_of(const RegionWork& work, Opcode opcode, bool cross_lane = false) {
  double elements = 0;
  for (const KernelVectorWork& part : work.vector) {
    if (part.opcode == opcode && part.cross_lane == cross_lane) elements += part.elements;
  }
  return elements;
}

TEST_CASE("vectors of one row lie in registers as they lie in memory") {
  const std::string load =
      "    %v = vector.load %x[%c0, %c0, %c0] : memref<8x1x6144xf32, #tpu.memory_space<vmem>>, vector<8x1x6144xf32>\n"
      "    %k = arith.constant dense<2.0> : vector<8x1x6144xf32>\n";
  const RegionWork work = work_of("8x1x6144xf32", load + "    %w = arith.mulf %v, %k : vector<8x1x6144xf32>\n");
  CHECK(work.loaded_bytes == 48 * 4096);
  CHECK(elements_of(work, Opcode::kMultiply) == 48 * 1024);
  // In memory of eight rows, one row is a sublane of each register.
  const RegionWork row =
      work_of("8x6144xf32",
              "    %v = vector.load %x[%c0, %c0] : memref<8x6144xf32, #tpu.memory_space<vmem>>, vector<1x6144xf32>\n"
              "    %w = arith.mulf %v, %v : vector<1x6144xf32>\n");
  CHECK(elements_of(row, Opcode::kMultiply) == 48 * 1024);
}

TEST_CASE("integers are reduced over lanes in two halves") {
  const auto reduced = [](const char* type, const char* kind) {
    const std::string t(type);
    return work_of("64x512x" + t, "    %v = vector.load %x[%c0, %c0] : memref<64x512x" + t +
                                      ", #tpu.memory_space<vmem>>, vector<64x512x" + t +
                                      ">\n    %a = arith.constant dense<0> : vector<64x" + t +
                                      ">\n    %r = vector.multi_reduction <" + kind + ">, %v, %a [1] : vector<64x512x" +
                                      t + "> to vector<64x" + t + ">\n");
  };
  const RegionWork integers = reduced("i32", "minsi");
  CHECK(elements_of(integers, Opcode::kReduce) == 64 * 128);
  CHECK(elements_of(integers, Opcode::kAdd, true) == 2 * 64 * 128);
  const RegionWork floats = reduced("f32", "maximumf");
  CHECK(elements_of(floats, Opcode::kReduce) == 0);
  CHECK(elements_of(floats, Opcode::kAdd, true) == 64 * 128);
}

TEST_CASE("operations of slow units that need one another's results wait in turn") {
  const std::string load =
      "    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>\n";
  const std::string transposed = "    %t = vector.transpose %v, [1, 0] : vector<8x128xf32> to vector<128x8xf32>\n";
  CHECK(work_of("8x128xf32", load + transposed + "    %w = arith.addf %t, %t : vector<128x8xf32>\n").units_in_turn ==
        1);
  CHECK(work_of("8x128xf32", load + transposed +
                                 "    %u = vector.transpose %t, [1, 0] : vector<128x8xf32> to vector<8x128xf32>\n"
                                 "    %w = arith.addf %u, %v : vector<8x128xf32>\n")
            .units_in_turn == 2);
  // What is reduced over lanes is in all of them.
  CHECK(work_of("8x128xf32",
                load + "    %a = arith.constant dense<0.0> : vector<8xf32>\n"
                       "    %r = vector.multi_reduction <add>, %v, %a [1] : vector<8x128xf32> to vector<8xf32>\n"
                       "    %c = vector.shape_cast %r : vector<8xf32> to vector<8x1xf32>\n"
                       "    %b = vector.broadcast %c : vector<8x1xf32> to vector<8x128xf32>\n"
                       "    %w = arith.addf %b, %v : vector<8x128xf32>\n")
            .units_in_turn == 1);
}

TEST_CASE("arrays of few rows have tiles of few rows") {
  CHECK(padded_bytes({64, 1, 1024}, 32) == 64 * 4096);
  CHECK(padded_bytes({3, 128}, 32) == 4 * 512);
  CHECK(padded_bytes({1, 128}, 16) == 2 * 256);
  CHECK(padded_bytes({9, 100}, 32) == 16 * 512);
}

TEST_CASE("rows of keys that no query sees are visited once") {
  CHECK(has_rows_without_blocks(92, 64, 8));
  CHECK_FALSE(has_rows_without_blocks(92, 8, 64));
  CHECK_FALSE(has_rows_without_blocks(36, 8, 8));
  const BlockPairs pairs = block_pairs(5, 4, 2);
  CHECK(pairs.outer == std::vector<std::int64_t>{0, 0, 1, 2, 3});
  CHECK(pairs.inner == std::vector<std::int64_t>{0, 1, 1, 1, 1});
  CHECK(pairs.visible_rows == 2);
}

}  // namespace
}  // namespace hloroof::internal
