// Programs of one kernel that run at the same time, on the subcores of SparseCores or on the cores of a chip.
#include "lib/time/kernel_time.h"

#include <cstdint>

#include "hloroof/device.h"
#include "lib/hardware/device_facts.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr double kBytes = 1 << 20;  // that each program reads, and then uses in one region

Device device_of(const char* name) { return find_device(name).value(); }

// `programs` of one step each. Those after the first are on others of the cores that share the work.
KernelRun run_of(int programs, std::int64_t side_by_side) {
  KernelRun run;
  KernelRegion region;
  region.work.vector.push_back({Opcode::kAdd, ElementType::kF32, 1e6, false});
  region.buffers = {1};
  region.runs = programs;
  run.regions.push_back(region);
  KernelTransfer transfer;
  transfer.bytes = transfer.unpadded_bytes = kBytes;
  transfer.buffer = 1;
  run.transfers.push_back(transfer);
  for (int i = 0; i < programs; ++i) {
    run.events.push_back({KernelEvent::Kind::kStep, i == 0 ? 0U : 1U, 0});
    run.events.push_back({KernelEvent::Kind::kStart, 0, 1});
    run.events.push_back({KernelEvent::Kind::kWait, 0, 1});
    run.events.push_back({KernelEvent::Kind::kRun, 0, 0});
  }
  run.steps = programs;
  run.side_by_side = side_by_side;
  return run;
}

TEST_CASE("programs that run side by side share HBM, and each computes its own part") {
  for (const char* name : {"tpu_v5p", "tpu_v6e", "tpu_v7x"}) {
    const Device device = device_of(name);
    const KernelTime<double> one = kernel_time(run_of(1, 1), device);
    REQUIRE(one.compute > 0);
    for (const int programs : {2, 16, 32}) {
      INFO(name << ", " << programs << " programs");
      const KernelTime<double> all = kernel_time(run_of(programs, programs), device);
      CHECK(all.reading == Approx(programs * one.reading));  // as long as HBM takes for all of them
      CHECK(all.compute == Approx(one.compute));
      CHECK(all.steps == Approx(one.steps));
      CHECK(all.runs == one.runs);
    }
  }
}

TEST_CASE("the steps of a TensorCore's kernel follow one another on each core of a chip") {
  for (const char* name : {"tpu_v5p", "tpu_v6e", "tpu_v7x"}) {
    CAPTURE(name);
    const Device device = device_of(name);
    const KernelTime<double> one = kernel_time(run_of(1, 1), device);
    const KernelTime<double> two = kernel_time(run_of(2, 1), device);
    const bool is_split = core_count(device) > 1;
    CHECK(two.compute == Approx(is_split ? one.compute : 2 * one.compute));
    CHECK(two.steps == Approx(is_split ? one.steps : 2 * one.steps));
    CHECK(two.reading == Approx(2 * one.reading));  // of half of HBM, or twice as much
  }
}

TEST_CASE("a step takes the longer the more windows the kernel has") {
  const Device device = device_of("tpu_v6e");
  KernelRun run = run_of(1, 1);
  const KernelTime<double> none = kernel_time(run, device);
  run.windows.resize(10);
  const KernelTime<double> ten = kernel_time(run, device);
  CHECK(none.steps == device.tpu()->kernel.step);
  CHECK(ten.steps == Approx(none.steps + 10 * *device.tpu()->kernel.window_cycles / *device.clock));
  CHECK(seconds_of_step(run, device) == Approx(ten.steps));
}

TEST_CASE("a block of an array in VMEM is used where it lies, and is not waited for") {
  const Device device = device_of("tpu_v6e");
  KernelRun run = run_of(1, 1);
  CHECK(kernel_time(run, device).waiting > 0);
  run.transfers[0].kind = KernelTransfer::Kind::kLocal;
  CHECK(kernel_time(run, device).waiting > 0);  // a copy that the body starts itself
  run.transfers[0].window = 0;
  CHECK(kernel_time(run, device).waiting == 0);
}

}  // namespace
}  // namespace hloroof::internal
