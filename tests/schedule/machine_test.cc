#include "lib/schedule/machine.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/schedule/crowd.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr int kOnHbm = static_cast<int>(Resource::kHbm);
constexpr int kOnLink = kResourceCount;
constexpr int kOnSparseCore = kFirstSparseCore;

// The transfer number `i` of many of different sizes: most move in HBM, some on a link or on both, some run on a
// SparseCore, and all have a latency.
Demand transfer(std::size_t i) {
  Demand demand;
  demand.step = Step::kStart;
  const double moving = 1e-6 * static_cast<double>(1 + i * 7919 % 10007);
  if (i % 5 != 1) demand.busy[kOnHbm] = moving;
  if (i % 5 <= 1) demand.busy[kOnLink] = moving * 0.75;
  demand.seconds = moving + 1e-6 * static_cast<double>(i % 7);
  if (i % 11 == 0) demand.busy[kOnSparseCore] = demand.seconds;
  if (i % 13 == 0) demand.held_units = 0.25;
  return demand;
}

std::map<std::uint32_t, double> ends_of(Machine& machine) {
  std::map<std::uint32_t, double> ends;
  for (const FinishedFlight& flight : machine.take_finished()) ends[flight.start.index] = flight.end;
  return ends;
}

TEST_CASE("a crowd moves its transfers as a machine moves a list of them") {
  constexpr std::size_t kCount = 700;  // a machine keeps so many in a list
  Machine machine;
  Crowd crowd;
  for (std::size_t i = 0; i < kCount; ++i) machine.start(InstructionId(i), transfer(i));
  for (const Flight& flight : machine.in_flight()) crowd.add(flight);
  double now = 0;
  std::map<std::uint32_t, double> ends;
  while (crowd.size() > 0) {
    const SharedSeconds load = crowd.load();
    const double step = crowd.next_event(load, {}, 0);
    std::vector<Flight> ended;
    crowd.advance(load, step, ended);
    now += step;
    for (const Flight& flight : ended) ends[flight.start.index] = now;
  }
  machine.drain();
  CHECK(machine.looked_at() == 0);
  const std::map<std::uint32_t, double> expected = ends_of(machine);
  REQUIRE(expected.size() == kCount);
  for (const auto& [start, end] : expected) {
    INFO("transfer " << start);
    CHECK(ends[start] == Approx(end).epsilon(1e-7));
  }
}

TEST_CASE("a transfer that holds units slows down what computes beside it, and not itself") {
  Demand collective;
  collective.step = Step::kStart;
  collective.busy[kOnLink] = 4;
  collective.seconds = 4;
  collective.held_units = 0.25;
  const auto after_kernel = [&](Resource resource, double busy) {
    Machine machine;
    machine.start(InstructionId(1), collective);
    SharedSeconds kernel = {};
    kernel[static_cast<int>(resource)] = busy;
    const double elapsed = machine.run(2, kernel);
    machine.drain();
    CHECK(ends_of(machine)[1] == Approx(4));
    return elapsed;
  };
  CHECK(after_kernel(Resource::kMatrix, 2) == Approx(2.5));
  CHECK(after_kernel(Resource::kVector, 2) == Approx(2.5));
  CHECK(after_kernel(Resource::kMatrix, 1) == Approx(2));  // units to spare
  CHECK(after_kernel(Resource::kHbm, 2) == Approx(2));
}

TEST_CASE("transfers enter and leave a crowd while others wait and compute") {
  constexpr std::size_t kCount = 3000;
  Machine machine;
  double waited = 0;
  double busy = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    Demand demand = transfer(i);
    demand.busy = {};
    demand.busy[kOnHbm] = demand.seconds;
    demand.held_units = 0;
    busy += demand.seconds;
    CHECK(machine.start(InstructionId(i), demand) == 0);
  }
  SharedSeconds compute = {};
  compute[static_cast<int>(Resource::kMatrix)] = 1e-3;
  CHECK(machine.run(1e-3, compute) == Approx(1e-3));  // uses what no transfer uses

  // A wait that ends before the transfer does.
  const double left = transfer(3).seconds / 2;
  waited += machine.wait(InstructionId(3), left);
  CHECK(waited > 0);
  CHECK(machine.wait(InstructionId(3), left) == 0);
  double remaining = 0;
  for (const Flight& flight : machine.in_flight()) {
    if (flight.start == InstructionId(3)) remaining = flight.remaining;
  }
  CHECK(remaining == Approx(left).epsilon(1e-6));

  const double rest = machine.wait(InstructionId(3));
  CHECK(rest > 0);
  REQUIRE(machine.causes().size() == 1);
  CHECK(machine.causes()[0].cause == InstructionId(3));
  CHECK(machine.causes()[0].seconds == Approx(rest));
  CHECK(machine.looked_at() > 0);

  const double drained = machine.drain();
  double caused = 0;
  for (const WaitPart& part : machine.causes()) caused += part.seconds;
  CHECK(caused == Approx(drained));
  CHECK(machine.in_flight().empty());
  CHECK(machine.take_finished().size() == kCount);
  CHECK(machine.now() == Approx(busy));  // HBM was never idle
}

TEST_CASE("many transfers of different sizes take few steps") {
  constexpr std::size_t kCount = 200'000;
  Machine machine;
  double busy = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    Demand demand;
    demand.step = Step::kStart;
    demand.seconds = demand.busy[kOnHbm] = 1e-9 * static_cast<double>(1 + i * 7919 % kCount);
    busy += demand.seconds;
    machine.start(InstructionId(i), demand);
  }
  for (std::size_t i = 0; i < kCount; ++i) machine.wait(InstructionId(i));
  CHECK(machine.now() == Approx(busy));
  CHECK(machine.take_finished().size() == kCount);
  CHECK(machine.looked_at() < 10 * kCount);  // a list of them would be looked at 2e10 times
}

TEST_CASE("a crowd with times of very different sizes ends") {
  Machine machine;
  for (std::size_t i = 0; i < 2000; ++i) {
    Demand demand;
    demand.step = Step::kStart;
    demand.seconds = i % 2 == 0 ? 1e-12 : 1e18 / static_cast<double>(1 + i);
    demand.busy[kOnHbm] = demand.seconds * (i % 3 == 0 ? 1e-9 : 1);
    machine.start(InstructionId(i), demand);
  }
  machine.wait(InstructionId(1), 1e-13);
  machine.drain();
  CHECK(machine.take_finished().size() == 2000);
  CHECK(machine.now() < std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace hloroof::internal
