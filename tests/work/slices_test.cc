// What slices of a TPU take beside the bytes that they move: rows that come out of tiles, and lanes that are rotated.
// The cycles are those of final code of libtpu 0.0.52.
#include <string>

#include "lib/time/op_time.h"
#include "lib/time/vector_time.h"
#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

Work dynamic_slice(const std::string& array, const std::string& result, const std::string& sizes) {
  return root_work("  a = " + array + " parameter(0)\n  i = s32[] parameter(1)\n",
                   "r = " + result + " dynamic-slice(a, i, i, i), dynamic_slice_sizes={" + sizes + "}");
}

TEST_CASE("Rows that a slice takes out of tiles are stored one after another") {
  const std::string rows = "f32[1024,64,256]{2,1,0:T(8,128)S(1)}";
  const std::string packed = "bf16[1024,64,256]{2,1,0:T(8,128)(2,1)S(1)}";
  const struct {
    const char* what;
    std::string array, result, sizes;
    double sliced;
  } cases[] = {
      {"a row of each", rows, "f32[1024,1,256]{2,1,0:T(1,128)S(1)}", "1024,1,256", 2048},
      {"of pairs of rows", packed, "bf16[1024,1,256]{2,1,0:T(2,128)(2,1)S(1)}", "1024,1,256", 2048},
      {"to tiles", rows, "f32[1024,1,256]{2,0,1:T(8,128)S(1)}", "1024,1,256", 0},
      {"whole tiles", rows, "f32[1024,8,256]{2,1,0:T(8,128)S(1)}", "1024,8,256", 0},
      {"out of rows", "f32[1024,64,256]{2,1,0:T(1,128)S(1)}", "f32[1024,1,256]{2,1,0:T(1,128)S(1)}", "1024,1,256", 0},
      {"without tiles", "f32[1024,64,256]", "f32[1024,1,256]", "1024,1,256", 0},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    CHECK(dynamic_slice(c.array, c.result, c.sizes).sliced_rows == c.sliced);
  }
  const Work known = root_work("  a = " + rows + " parameter(0)\n",
                               "r = f32[1024,1,256]{2,1,0:T(1,128)S(1)} slice(a), slice={[0:1024], [3:4], [0:256]}");
  CHECK(known.sliced_rows == 2048);

  const struct {
    const char* device;
    double cycles, packed_cycles;
  } timed[] = {{"tpu_v5e", 2147, 2157}, {"tpu_v6e", 2042, 2068}, {"tpu_v5p", 3154, 3129}};
  for (const auto& t : timed) {
    CAPTURE(t.device);
    const Device machine = device(t.device);
    const auto cycles = [&](const Work& work) {
      return op_time(work, machine).resources[Resource::kVmem] * *machine.clock;
    };
    CHECK(cycles(dynamic_slice(rows, cases[0].result, cases[0].sizes)) == Approx(t.cycles).epsilon(0.06));
    CHECK(cycles(dynamic_slice(packed, cases[1].result, cases[1].sizes)) == Approx(t.packed_cycles).epsilon(0.06));
  }
}

TEST_CASE("A dynamic slice of a part of the lanes rotates its registers") {
  const struct {
    const char* what;
    std::string array, result, sizes;
    double rotated;  // registers
  } cases[] = {
      {"one lane", "f32[64,64,256]{2,1,0:T(8,128)S(1)}", "f32[64,64,1]{2,1,0:T(8,128)S(1)}", "64,64,1", 512},
      {"some lanes", "f32[64,64,512]{2,1,0:T(8,128)}", "f32[64,64,64]{2,1,0:T(8,128)}", "64,64,64", 512},
      {"packed", "bf16[64,64,256]{2,1,0:T(8,128)(2,1)}", "bf16[64,64,1]{2,1,0:T(8,128)(2,1)}", "64,64,1", 256},
      {"whole tiles", "f32[64,64,512]{2,1,0:T(8,128)}", "f32[64,64,256]{2,1,0:T(8,128)}", "64,64,256", 0},
      {"all lanes", "f32[64,64,200]{2,1,0:T(8,128)}", "f32[8,64,200]{2,1,0:T(8,128)}", "8,64,200", 0},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const Work work = dynamic_slice(c.array, c.result, c.sizes);
    double registers = 0;
    for (const VectorWork& v : work.vector) registers += v.cross_lane ? v.elements / 1024 : 0;
    CHECK(registers == c.rotated);
  }
  const struct {
    const char* device;
    double cycles, packed_cycles;
  } timed[] = {{"tpu_v5e", 1490, 818}, {"tpu_v6e", 1159, 673}};
  for (const auto& t : timed) {
    CAPTURE(t.device);
    const Device machine = device(t.device);
    const auto cycles = [&](const Work& work) { return vector_time(work, machine).seconds() * *machine.clock; };
    CHECK(cycles(dynamic_slice(cases[0].array, cases[0].result, cases[0].sizes)) == Approx(t.cycles).epsilon(0.15));
    CHECK(cycles(dynamic_slice(cases[2].array, cases[2].result, cases[2].sizes)) ==
          Approx(t.packed_cycles).epsilon(0.25));
  }
}

TEST_CASE("Rows that lie one by one are loaded at their stride") {
  const struct {
    const char* what;
    std::string from, to;
    double loads;  // registers, each a part of one; 0: as they are
  } cases[] = {
      {"256 columns", "f32[1024,1,256]{2,1,0:T(1,128)S(1)}", "f32[1024,1,256]{2,0,1:T(8,128)}", 0},
      {"384 columns", "f32[1024,1,384]{2,1,0:T(1,128)S(1)}", "f32[1024,1,384]{2,0,1:T(8,128)}", 0},
      {"1024 columns: the same banks", "f32[512,1,1024]{2,1,0:T(1,128)S(1)}", "f32[512,1,1024]{2,0,1:T(8,128)}", 1024},
      {"pairs", "bf16[512,1,1024]{2,1,0:T(2,128)(2,1)S(1)}", "bf16[512,1,1024]{2,0,1:T(8,128)(2,1)}", 1024},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work("  a = " + c.from + " parameter(0)\n", "r = " + c.to + " copy(a)");
    CHECK(vector_elements(work, Opcode::kTranspose) == 0);
    CHECK(vector_elements(work, Opcode::kCopy) / 1024 == c.loads);
  }
}

}  // namespace
}  // namespace hloroof::internal
