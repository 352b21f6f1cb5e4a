// What moving data inside tiled arrays costs the vector units, and what memories on the chip cost.
#include <cmath>
#include <string>

#include "hloroof/device.h"
#include "lib/cost/op_time.h"
#include "lib/cost/vector_time.h"
#include "tests/catch.h"
#include "tests/cost/root_work.h"

namespace hloroof {
namespace {

TEST_CASE("whole tiles are put together by address, parts of tiles by the vector units") {
  struct Case {
    const char* what;
    const char* parameter;
    const char* root;
    double elements;
  };
  const Case cases[] = {
      {"pad by whole tiles", "f32[8,128]{1,0:T(8,128)} parameter(0)",
       "r = f32[16,256]{1,0:T(8,128)} pad(a, z), padding=8_0x0_128", 0},
      {"pad lanes in part", "f32[8,64]{1,0:T(8,128)} parameter(0)",
       "r = f32[8,128]{1,0:T(8,128)} pad(a, z), padding=0_0x64_0", 1024},
      {"pad between rows", "f32[8,128]{1,0:T(8,128)} parameter(0)",
       "r = f32[15,128]{1,0:T(8,128)} pad(a, z), padding=0_0_1x0_0", 2048},
      {"pad outside the tiles", "f32[3,8,128]{2,1,0:T(8,128)} parameter(0)",
       "r = f32[5,8,128]{2,1,0:T(8,128)} pad(a, z), padding=1_1x0_0x0_0", 0},
      {"pad without tiles", "f32[8,128] parameter(0)", "r = f32[16,128] pad(a, z), padding=8_0x0_0", 2048},
      {"concatenate whole tiles", "f32[8,128]{1,0:T(8,128)} parameter(0)",
       "r = f32[16,128]{1,0:T(8,128)} concatenate(a, a), dimensions={0}", 0},
      {"concatenate parts of tiles", "f32[4,128]{1,0:T(8,128)} parameter(0)",
       "r = f32[8,128]{1,0:T(8,128)} concatenate(a, a), dimensions={0}", 1024},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work(std::string("  a = ") + c.parameter + "\n  z = f32[] constant(0)\n", c.root);
    double elements = 0;
    for (const VectorWork& v : work.vector) elements += v.elements;
    CHECK(elements == c.elements);
  }
}

TEST_CASE("rows that trade sublanes are loaded with a stride, lanes go through the cross-lane unit") {
  struct Case {
    const char* what;
    const char* parameter;
    const char* root;
    bool on_v5e;  // on the cross-lane unit
    bool on_v6e;
  };
  const Case cases[] = {
      {"lanes", "f32[256,128]{1,0:T(8,128)} parameter(0)", "r = f32[256,128]{0,1:T(8,128)} copy(a)", true, true},
      {"rows of 32 bits", "f32[16,8,128]{2,1,0:T(8,128)} parameter(0)", "r = f32[16,8,128]{2,0,1:T(8,128)} copy(a)",
       false, false},
      {"rows of 16 bits, two in a sublane", "bf16[16,8,128]{2,1,0:T(8,128)(2,1)} parameter(0)",
       "r = bf16[16,8,128]{2,0,1:T(8,128)(2,1)} copy(a)", true, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work(std::string("  a = ") + c.parameter + "\n", c.root);
    REQUIRE(work.vector.size() == 1);
    CHECK(is_on_cross_lane_unit(work.vector[0], device("tpu_v5e").vector) == c.on_v5e);
    CHECK(is_on_cross_lane_unit(work.vector[0], device("tpu_v6e").vector) == c.on_v6e);
  }
}

TEST_CASE("a relayout goes on beside its transfers and waits for nothing at the ends") {
  const Device v5p = device("tpu_v5p");
  const Work copied =
      root_work("  a = f32[4096,4096]{1,0:T(8,128)} parameter(0)\n", "r = f32[4096,4096]{1,0:T(8,128)} copy(a)");
  const Work turned =
      root_work("  a = f32[4096,4096]{1,0:T(8,128)} parameter(0)\n", "r = f32[4096,4096]{0,1:T(8,128)} copy(a)");
  const VectorTerms vector = vector_terms(turned, v5p);
  CHECK(vector.seconds() ==
        Approx(4096.0 * 4096.0 / 1024.0 * *v5p.vector.transpose_cycles / (*v5p.clock * v5p.cores())));
  CHECK(vector.seconds_without_relayout() == 0);
  const double hbm = hbm_terms(turned, v5p).seconds();
  const double overhead = op_time(copied, v5p).seconds - hbm;
  CHECK(op_time(turned, v5p).seconds > hbm + overhead);
  CHECK(op_time(turned, v5p).seconds <= std::hypot(hbm, vector.seconds()) + overhead);
  // What else the vector units do waits for the first window and leaves the last.
  Work both = turned;
  both.vector.push_back({Opcode::kAdd, ElementType::kF32, 4096.0 * 4096.0, false});
  const double alone = vector_terms({both.vector.back()}, v5p).seconds();
  CHECK(vector_terms(both, v5p).seconds_without_relayout() == Approx(alone));
  const double ends = *v5p.overhead.dma_read + *v5p.overhead.dma_write;
  REQUIRE(alone > ends);
  CHECK(op_time(both, v5p).seconds == Approx(op_time(turned, v5p).seconds + ends));
  // A reduction over the lanes shares the unit.
  both.vector.push_back({Opcode::kReduce, ElementType::kF32, 4096.0 * 4096.0, true});
  CHECK(vector_terms(both, v5p).seconds() == Approx(2 * vector.seconds()));
}

TEST_CASE("fast memory is CMEM where a chip has one") {
  const Work work =
      root_work("  a = f32[4096,4096]{1,0:T(8,128)S(3)} parameter(0)\n", "r = f32[4096,4096]{1,0:T(8,128)} negate(a)");
  const Device v4 = device("tpu_v4_core");
  CHECK(op_time(work, v4).resources[Resource::kVmem] == Approx(work.read.vmem / *v4.on_chip.cmem_read_bandwidth));
  const Device v5e = device("tpu_v5e");
  CHECK(op_time(work, v5e).resources[Resource::kVmem] == Approx(work.read.vmem / *v5e.on_chip.vmem_read_bandwidth));
}

TEST_CASE("a product waits for DMA before its first step and after its last, on the memory that it uses") {
  const Device v5p = device("tpu_v5p");
  const auto overhead = [&](const char* operands, const char* result) {
    const std::string shape = operands;
    return op_time(root_work(
                       "  a = " + shape + " parameter(0)\n  b = " + shape + " parameter(1)\n",
                       std::string("r = ") + result + " dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
                   v5p)
        .overhead;
  };
  const char* hbm = "bf16[128,128]{1,0:T(8,128)(2,1)}";
  const char* vmem = "bf16[128,128]{1,0:T(8,128)(2,1)S(1)}";
  CHECK(overhead(vmem, vmem) == Approx(v5p.overhead.op));
  CHECK(overhead(hbm, vmem) == Approx(v5p.overhead.op + *v5p.overhead.dma_read));
  CHECK(overhead(vmem, hbm) == Approx(v5p.overhead.op + *v5p.overhead.dma_write));
  CHECK(overhead(hbm, hbm) == Approx(v5p.overhead.op + *v5p.overhead.dma_read + *v5p.overhead.dma_write));
}

}  // namespace
}  // namespace hloroof
