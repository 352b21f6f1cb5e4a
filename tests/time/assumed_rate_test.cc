// Which rate that nobody measured on a device decides the time of an op.
#include "lib/time/assumed_rate.h"

#include <string>

#include "hloroof/device.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

Work product(ElementType type) {
  Work work;
  MatrixWork matrix;
  matrix.m = matrix.n = matrix.k = 8192;
  matrix.flops = 2 * 8192.0 * 8192 * 8192;
  matrix.lhs = matrix.rhs = type;
  work.matrix.push_back(matrix);
  return work;
}

Work attention(double head, bool is_gradient) {
  Work work = product(ElementType::kBf16);
  work.matrix[0].is_attention = true;
  work.matrix[0].kept_keys = 4096;
  work.matrix[0].n = head;
  work.matrix[0].is_gradient = is_gradient;
  return work;
}

Work vector(Opcode opcode, ElementType type, double elements) {
  Work work;
  work.vector.push_back({opcode, type, elements});
  work.vector.push_back({Opcode::kAdd, type, elements});
  return work;
}

// Elements that threads load and store, and what else is done to them.
Work threads(Opcode opcode) {
  Work work = vector(opcode, ElementType::kF32, 1e8);
  work.thread_elements = 1e8;
  return work;
}

Work tiles(double exchanged) {
  Work work = vector(Opcode::kAdd, ElementType::kF32, 1e8);
  work.tiles.exchanged = exchanged;
  return work;
}

Work cache(double tile_bytes, double atomics, double narrow_atomics) {
  Work work;
  work.tile_bytes = tile_bytes;
  work.atomics = atomics;
  work.narrow_atomics = narrow_atomics;
  return work;
}

TEST_CASE("assumed rates: the number that decides, if it is assumed") {
  const double burst = 0;
  const double long_step = 10;  // s of products
  const struct {
    std::string device;
    Work work;
    Resource bound;
    double busy;
    std::string rate;
  } cases[] = {
      {"h100_sxm", product(ElementType::kBf16), Resource::kMatrix, burst, ""},  // fitted
      {"h100_sxm", product(ElementType::kF16), Resource::kMatrix, long_step, "matrix.sustained.f16"},
      {"h100_sxm", product(ElementType::kBf16), Resource::kMatrix, long_step, ""},  // measured with the power
      {"h200_sxm", product(ElementType::kBf16), Resource::kMatrix, long_step, ""},  // measured with the power
      {"gh200", product(ElementType::kBf16), Resource::kHbm, burst, "hbm.efficiency"},
      {"h100_sxm", product(ElementType::kBf16), Resource::kHbm, burst, ""},  // measured
      {"h100_sxm", product(ElementType::kBf16), Resource::kVector, burst, ""},
      {"h100_sxm", attention(128, false), Resource::kMatrix, burst, ""},
      {"h100_sxm", attention(256, false), Resource::kMatrix, burst, "attention.forward.head_256"},
      {"h100_sxm", attention(128, true), Resource::kMatrix, burst, ""},  // derived from published rates
      // What a kernel's code does was counted on one GPU.
      {"h100_sxm", vector(Opcode::kGather, ElementType::kF32, 1e8), Resource::kVector, burst, ""},
      {"h200_sxm", vector(Opcode::kGather, ElementType::kF32, 1e8), Resource::kVector, burst, "vector.weights.gather"},
      {"a100_sxm_80", vector(Opcode::kSort, ElementType::kF32, 1e8), Resource::kVector, burst,
       "vector.weights.radix-sort"},
      {"a100_sxm_80", vector(Opcode::kMultiply, ElementType::kF32, 1e8), Resource::kVector, burst, ""},
      {"h100_sxm", threads(Opcode::kAdd), Resource::kVector, burst, ""},
      {"h200_sxm", threads(Opcode::kAdd), Resource::kVector, burst, "vector.element_rate"},
      {"h200_sxm", threads(Opcode::kGather), Resource::kVector, burst, "vector.weights.gather"},
      {"b200_sxm", threads(Opcode::kAdd), Resource::kVector, burst, ""},  // not counted there
      {"h200_sxm", tiles(1e9), Resource::kVector, burst, "on_chip.exchange_rate"},
      {"h200_sxm", tiles(1), Resource::kVector, burst, ""},
      // The level-2 cache.
      {"h100_sxm", cache(0, 1e6, 0), Resource::kVmem, burst, ""},
      {"h200_sxm", cache(0, 1e6, 1e3), Resource::kVmem, burst, "on_chip.atomic_rate"},
      {"h200_sxm", cache(0, 1e3, 1e6), Resource::kVmem, burst, "on_chip.narrow_atomic_rate"},
      {"h100_sxm", cache(1e9, 0, 0), Resource::kVmem, burst, ""},
      {"h200_sxm", cache(1e9, 0, 0), Resource::kVmem, burst, "program.tile_bandwidth"},
      {"b200_sxm", cache(1e9, 0, 0), Resource::kVmem, burst, "on_chip.l2_bandwidth"},
      {"tpu_v5e", product(ElementType::kBf16), Resource::kHbm, burst, ""},
      {"trainium2", product(ElementType::kBf16), Resource::kHbm, burst, ""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.device, c.rate, c.busy);
    const Device device = find_device(c.device).value();
    OpTime time;
    time.bound = c.bound;
    CHECK(assumed_rate(c.work, time, device, c.busy) == c.rate);
  }
  // A number that the user states is the user's.
  Device device = find_device("gh200").value();
  CHECK(is_assumed(device, "hbm.efficiency"));
  CHECK_FALSE(is_assumed(device, "hbm.bandwidth"));
  CHECK_FALSE(is_assumed(device, "no.number"));
  REQUIRE(set_parameter(device, "hbm.efficiency", 0.9).ok());
  CHECK_FALSE(is_assumed(device, "hbm.efficiency"));
}

}  // namespace
}  // namespace hloroof::internal
