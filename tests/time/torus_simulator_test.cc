// The closed forms of collectives on a torus against the simulator, over all slice shapes up to 256 chips. The table:
//   time_torus_simulator_test '[table]'
#include "tests/time/torus_simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "lib/analysis/mesh.h"
#include "lib/hardware/device_facts.h"
#include "lib/time/permute.h"
#include "lib/time/torus.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr double kBandwidth = 9e10;
constexpr double kLatency = 1e-6;
constexpr std::int64_t kMaxChips = 256;
constexpr int kChunks = 1024;

using Axes = std::vector<SimulatedAxis>;

std::string name_of(const Axes& axes) {
  std::string text;
  for (const SimulatedAxis& axis : axes) {
    text += (text.empty() ? "" : "x") + std::to_string(axis.size) + (axis.twisted ? "~" : axis.wraps ? "*" : "");
  }
  return text;
}

// The slices of all TPUs, axes of one left out, and their planes where they are twisted; and the lines and rings up to
// 16. Rings are marked with a star, twisted ones with a tilde.
std::vector<Axes> shapes() {
  std::vector<Axes> result;
  std::set<std::string> seen;
  const auto add = [&](Axes axes) {
    axes.erase(std::remove_if(axes.begin(), axes.end(), [](const SimulatedAxis& a) { return a.size == 1; }),
               axes.end());
    if (!axes.empty() && seen.insert(name_of(axes)).second) result.push_back(std::move(axes));
  };
  for (int size = 2; size <= 16; ++size) {
    add({{size, false}});
    if (size > 2) add({{size, true}});
  }
  for (const std::string& name : device_names()) {
    absl::StatusOr<Device> device = find_device(name);
    REQUIRE(device.ok());
    for (const std::vector<std::int64_t>& slice : device->ici.slices) {
      std::string text;
      for (const std::int64_t extent : slice) text += (text.empty() ? "" : "x") + std::to_string(extent);
      for (const char* suffix : {"", "_twisted"}) {
        absl::StatusOr<Topology> topology = parse_topology(*device, text + suffix);
        if (!topology.ok()) continue;
        const std::int64_t longest = *std::max_element(topology->shape.begin(), topology->shape.end());
        Axes axes;
        for (std::size_t i = 0; i < topology->shape.size(); ++i) {
          const bool twisted = topology->twisted && topology->shape[i] < longest;
          axes.push_back({static_cast<int>(topology->shape[i]), topology->wraps[i], twisted});
        }
        if (chips_per_slice(*topology) <= kMaxChips) add(axes);
        if (topology->twisted && longest * longest / 2 <= kMaxChips) add({axes.front(), axes.back()});
      }
    }
  }
  return result;
}

std::vector<TorusAxis> torus_axes(const Axes& axes) {
  std::vector<TorusAxis> result;
  for (const SimulatedAxis& axis : axes) {
    TorusAxis torus;
    torus.size = axis.size;
    torus.wraps = axis.wraps;
    torus.twisted = axis.twisted;
    torus.bandwidth = kBandwidth;
    torus.hop_latency = kLatency;
    result.push_back(torus);
  }
  return result;
}

bool all_rings(const Axes& axes) {
  return std::all_of(axes.begin(), axes.end(), [](const SimulatedAxis& a) { return a.wraps; });
}

// As many parts of an array as there are axes, each going through the axes from another one on.
std::vector<std::vector<int>> rotated_orders(const Axes& axes) {
  const int n = static_cast<int>(axes.size());
  std::vector<std::vector<int>> orders;
  for (int part = 0; part < n; ++part) {
    orders.emplace_back();
    for (int phase = 0; phase < n; ++phase) orders.back().push_back((part + phase) % n);
  }
  return orders;
}

// Which axes the parts of an array pass through: on rings as many parts as axes, else one after another, lines first.
std::vector<std::vector<int>> orders_of(const Axes& axes) {
  const int n = static_cast<int>(axes.size());
  if (all_rings(axes)) return rotated_orders(axes);
  std::vector<std::vector<int>> orders;
  orders.emplace_back();
  for (const bool wraps : {false, true}) {
    for (int axis = 0; axis < n; ++axis) {
      if (axes[axis].wraps == wraps) orders[0].push_back(axis);
    }
  }
  return orders;
}

struct Outcome {
  std::string shape;
  std::string what;
  double bytes;
  double closed;
  double simulated;
};

double total(const TorusCost& cost) { return cost.seconds + cost.hop_seconds; }

// Half of an all-reduce where not all axes are rings, by the better of two more ways: all axes at once, and one ring
// through all of them.
double simulated_half(const Axes& axes, double bytes) {
  TorusSimulator simulator(axes, kBandwidth, kLatency);
  double best = simulator.gather(bytes, rotated_orders(axes));
  int devices = 1;
  bool even = false;
  for (const SimulatedAxis& axis : axes) {
    devices *= axis.size;
    even = even || axis.size % 2 == 0;
  }
  if (even && axes.size() > 1) {
    TorusSimulator ring({{devices, true}}, kBandwidth, kLatency);
    best = std::min(best, ring.gather(bytes, {{0}}));
  }
  return best;
}

std::vector<Outcome> compare(const Axes& axes) {
  TorusSimulator simulator(axes, kBandwidth, kLatency);
  const std::vector<std::vector<int>> orders = orders_of(axes);
  std::vector<std::vector<int>> backwards = orders;
  for (std::vector<int>& order : backwards) std::reverse(order.begin(), order.end());
  const std::vector<TorusAxis> torus = torus_axes(axes);
  std::vector<Outcome> outcomes;
  const std::string shape = name_of(axes);
  for (const double bytes : {1e9, 1e3}) {
    // Where axes differ, parts wait for one another: an array of no size goes faster in one part.
    const double gathered = std::min(simulator.gather(bytes, orders), simulator.gather(bytes, {orders[0]}));
    const double scattered = std::min(simulator.scatter(bytes, backwards), simulator.scatter(bytes, {backwards[0]}));
    const double closed = total(gather_cost(torus, bytes));
    outcomes.push_back({shape, "all-gather", bytes, closed, gathered});
    outcomes.push_back({shape, "reduce-scatter", bytes, closed, scattered});
    double reduced = scattered + gathered;
    if (!all_rings(axes) && axes.size() > 1) reduced = std::min(reduced, 2 * simulated_half(axes, bytes));
    outcomes.push_back({shape, "all-reduce", bytes, 2 * total(all_reduce_half_cost(torus, bytes)), reduced});
    outcomes.push_back({shape, "all-to-all", bytes, total(exchange_cost(torus, bytes)), simulator.exchange(bytes)});
    outcomes.push_back({shape, "broadcast", bytes, total(broadcast_cost(torus, bytes)),
                        simulator.broadcast(bytes, bytes > 1e6 ? kChunks : 1)});
  }
  return outcomes;
}

// The closed form of a broadcast leaves out that the pipeline has to fill, and that of an all-reduce over several axes
// at once that a part need not wait for the others between phases.
TEST_CASE("Closed forms are what messages take") {
  for (const Axes& axes : shapes()) {
    for (const Outcome& o : compare(axes)) {
      INFO(o.what << " of " << o.bytes << " B on " << o.shape << ": " << o.closed << " s, simulated " << o.simulated);
      const double tolerance = o.what == "broadcast" || o.what == "all-reduce" ? 0.06 : 0.01;
      CHECK(o.closed == Approx(o.simulated).epsilon(tolerance));
    }
  }
}

TEST_CASE("Shifts along an axis") {
  for (const bool wraps : {false, true}) {
    for (int size = 3; size <= 16; ++size) {
      for (int steps = 1; steps < size; ++steps) {
        TorusSimulator simulator({{size, wraps}}, kBandwidth, kLatency);
        LogicalMesh mesh;
        mesh.device_count = size;
        mesh = *override_mesh(mesh, {{"x", size}});
        PhysicalMapping mapping;
        mapping.physical = {{"x", size, wraps, LinkKind::kIci}};
        mapping.pieces = {{{0, size, 1, wraps}}};
        std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
        for (int i = 0; i < size; ++i) {
          if (wraps || i + steps < size) pairs.emplace_back(i, (i + steps) % size);
        }
        const TorusCost cost = permute_cost(pairs, mesh, mapping, torus_axes({{size, wraps}}), 1e9);
        const double simulated = simulator.shift(1e9, 0, steps, kChunks);
        INFO(size << (wraps ? " ring" : " line") << ", shift by " << steps);
        CHECK(total(cost) == Approx(simulated).epsilon(0.02));
      }
    }
  }
}

TEST_CASE("Messages on twisted tori take the shortest way") {
  for (const char* slice : {"tpu_v5p:4x4x8", "tpu_v5p:4x4x8_twisted", "tpu_v5p:4x8x8_twisted"}) {
    const Target machine = *find_target(slice);
    const std::vector<std::int64_t>& shape = machine.topology->shape;
    LogicalMesh mesh;
    mesh.device_count = machine.topology->device_count();
    mesh = *override_mesh(mesh, {{"x", shape[0]}, {"y", shape[1]}, {"z", shape[2]}});
    MeshOptions in_order;
    for (std::int64_t i = 0; i < mesh.device_count; ++i) in_order.device_order.push_back(i);
    const PhysicalMapping mapping = *map_mesh(mesh, machine.device, *machine.topology, in_order);
    Axes axes;
    for (const PhysicalAxis& axis : mapping.physical) {
      axes.push_back({static_cast<int>(axis.size), axis.wraps, axis.twisted});
    }
    const TorusSimulator simulator(axes, kBandwidth, kLatency);
    for (int target = 1; target < simulator.devices(); ++target) {
      const TorusCost cost =
          permute_cost({{3, (3 + target) % simulator.devices()}}, mesh, mapping, torus_axes(axes), 1);
      INFO(slice << ", 3 to " << (3 + target) % simulator.devices());
      CHECK(cost.hop_seconds == Approx(kLatency * simulator.distance(3, (3 + target) % simulator.devices())));
    }
  }
}

TEST_CASE("Closed forms against the simulator", "[.][table]") {
  std::printf("%-14s %-14s %8s %12s %12s %7s\n", "shape", "collective", "bytes", "closed form", "simulated", "ratio");
  std::map<std::pair<std::string, double>, std::vector<double>> ratios;
  for (const Axes& axes : shapes()) {
    for (const Outcome& o : compare(axes)) {
      std::printf("%-14s %-14s %8.0e %9.3f us %9.3f us %7.3f\n", o.shape.c_str(), o.what.c_str(), o.bytes,
                  1e6 * o.closed, 1e6 * o.simulated, o.closed / o.simulated);
      ratios[{o.what, o.bytes}].push_back(o.closed / o.simulated);
    }
  }
  std::printf("\n%-14s %8s %7s %7s %7s %7s   closed form / simulated\n", "collective", "bytes", "shapes", "min",
              "median", "max");
  for (auto& [key, all] : ratios) {
    std::sort(all.begin(), all.end());
    std::printf("%-14s %8.0e %7zu %7.3f %7.3f %7.3f\n", key.first.c_str(), key.second, all.size(), all.front(),
                all[all.size() / 2], all.back());
  }
}

}  // namespace
}  // namespace hloroof::internal
