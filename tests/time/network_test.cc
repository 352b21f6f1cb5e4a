// Collectives among GPUs of several nodes: published bus bandwidths, and the formulas of rings, trees and rails.
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "lib/analysis/mesh.h"
#include "lib/hardware/device_facts.h"
#include "lib/time/collective.h"
#include "lib/time/scale_up.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr CollectiveKind kGather = CollectiveKind::kAllGather;
constexpr CollectiveKind kReduce = CollectiveKind::kAllReduce;

// What large transfers attain through the NICs of one GPU, in bytes/s.
double attained(const Device& gpu) {
  return network_bandwidth(gpu) * (gpu.network.efficiency ? *gpu.network.efficiency : 1.0);
}

double seconds_of(const ScaleUpCost<double>& cost) { return cost.seconds + cost.latency_seconds; }

// What nccl-tests print as the bus bandwidth, in GB/s.
double bus_bandwidth(const std::string& device, CollectiveKind kind, double bytes, std::int64_t nodes) {
  const Device gpu = find_device(device).value();
  const std::int64_t local = 8;
  return bytes_sent(kind, bytes, local * nodes) / seconds_of(scale_up_cost(gpu, kind, bytes, local, nodes)) / 1e9;
}

// The sources are those of data/hardware/networks.json. Nothing is fitted to the rows of two nodes with InfiniBand.
TEST_CASE("networks: published bus bandwidths of large messages") {
  const struct {
    std::string device;
    CollectiveKind kind;
    double bytes;
    std::int64_t nodes;
    double least;
    double most;
    double tolerance;
  } rows[] = {
      {"h100_sxm@a3-high", kGather, 0x1p30, 2, 65, 68, 0.05},
      {"h100_sxm@a3-high", kGather, 0x1p27, 2, 61.6, 61.6, 0.15},
      {"h100_sxm@a3-mega", kReduce, 0x1p30, 2, 86.6, 90.1, 0.02},
      {"h100_sxm@a3-mega", kReduce, 0x1p27, 2, 71, 71, 0.02},
      {"h200_sxm@a3-ultra", kGather, 0x1p30, 2, 318, 326, 0.02},
      {"h200_sxm@a3-ultra", kGather, 0x1p27, 2, 252, 252, 0.02},
      // Trees halve what a NIC sends between two nodes. The slower level is NVLink.
      {"h100_sxm@dgx-h100", kReduce, 0x1p32, 2, 418, 445, 0.06},
      {"a100_sxm_80@dgx-a100", kReduce, 0x1p32, 4, 192, 192, 0.05},
  };
  for (const auto& row : rows) {
    CAPTURE(row.device, row.bytes);
    const double bus = bus_bandwidth(row.device, row.kind, row.bytes, row.nodes);
    CAPTURE(bus);
    CHECK(bus >= row.least * (1 - row.tolerance));
    CHECK(bus <= row.most * (1 + row.tolerance));
  }
}

TEST_CASE("networks: a message of 8 KB over two nodes of A3 High takes 0.4 ms") {
  CHECK(seconds_of(scale_up_cost(find_device("h100_sxm@a3-high").value(), kGather, 8192, 8, 2)) ==
        Approx(0.4e-3).epsilon(0.1));
}

TEST_CASE("networks: what one GPU sends through its NIC") {
  const struct {
    std::string device;
    CollectiveKind kind;
    std::int64_t local;
    std::int64_t nodes;
    double bytes;
    double sent;  // of the bytes
    bool tree;
  } rows[] = {
      // Flat rings: each byte crosses each border between nodes.
      {"h200_sxm", kGather, 8, 2, 1e9, 15.0 / 16 / 8, false},
      {"h200_sxm", kGather, 8, 32, 1e9, 255.0 / 256 / 8, false},
      {"h200_sxm", kGather, 1, 32, 1e9, 31.0 / 32, false},
      {"a100_sxm_80", kReduce, 8, 32, 1e10, 2 * 255.0 / 256 / 8, false},
      {"a100_sxm_80", kReduce, 8, 2, 1e9, 2 * 15.0 / 16 / 8, false},
      // Trees, where the switch of a domain reduces, and of small messages.
      {"h200_sxm", kReduce, 8, 2, 1e9, 1.0 / 8, true},
      {"h200_sxm", kReduce, 8, 3, 1e9, 1.5 / 8, true},
      {"h200_sxm", kReduce, 8, 32, 1e9, 2.0 / 8, true},
      {"a100_sxm_80", kReduce, 8, 32, 1e4, 2.0 / 8, true},
      {"h100_sxm@a3-mega", kReduce, 8, 32, 1e4, 2.0 / 8, true},
      {"h100_sxm@a3-mega", kReduce, 8, 2, 1e9, 2 * 15.0 / 16 / 8, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.device, row.local, row.nodes, row.bytes);
    const Device gpu = find_device(row.device).value();
    const ScaleUpCost<double> cost = scale_up_cost(gpu, row.kind, row.bytes, row.local, row.nodes);
    CHECK(cost.tree == row.tree);
    const double nic = attained(gpu);
    CHECK(cost.network_seconds >= row.sent * row.bytes / nic * (1 - 1e-9));
    CHECK(cost.network_seconds <= row.sent * row.bytes / nic / 0.9 + 1e-3);
  }
}

// XLA's step takes 37 us, for which a ring of 32 nodes waits 64 times and a tree ten times.
TEST_CASE("networks: small all-reduces wait for the depth of a tree") {
  const Device gpu = find_device("h100_sxm").value();
  const auto latency = [&](std::int64_t nodes) { return scale_up_cost(gpu, kReduce, 1024, 8, nodes).latency_seconds; };
  const double step = *gpu.network.latency + *gpu.network.chunk_latency;
  CHECK(latency(32) == Approx(*gpu.network.launch + 10 * step));
  CHECK(latency(33) == Approx(*gpu.network.launch + 12 * step));
  CHECK(latency(2) == Approx(*gpu.network.launch + 2 * step));
  Device rings = gpu;
  REQUIRE(set_parameter(rings, "scale_up.reduces_in_switch", 0).ok());
  CHECK(scale_up_cost(rings, kReduce, 1024, 8, 32).latency_seconds == Approx(latency(32)));
  // Large ones go by rings, and no size takes less time than a smaller one.
  double before = 0;
  bool was_tree = true;
  for (double bytes = 1024; bytes < 1e11; bytes *= 1.3) {
    const ScaleUpCost<double> cost = scale_up_cost(rings, kReduce, bytes, 8, 32);
    CAPTURE(bytes);
    CHECK(seconds_of(cost) >= before * (1 - 1e-12));
    CHECK((was_tree || !cost.tree));
    was_tree = cost.tree;
    before = seconds_of(cost);
  }
  CHECK_FALSE(was_tree);
}

TEST_CASE("networks: NICs of a node by --set, and a lone sender has whole ones") {
  Device gpu = find_device("h100_sxm").value();
  const double alone = scale_up_cost(gpu, kGather, 1e9, 8, 4).network_seconds;
  REQUIRE(set_parameter(gpu, "network.nics", 4).ok());
  CHECK(scale_up_cost(gpu, kGather, 1e9, 8, 4).network_seconds == Approx(2 * alone).epsilon(0.02));
  REQUIRE(set_parameter(gpu, "network.node_devices", 4).ok());
  CHECK(scale_up_cost(gpu, kGather, 1e9, 8, 4).network_seconds == Approx(alone));

  const Device high = find_device("h100_sxm@a3-high").value();
  const auto seconds = [&](double leaving) {
    Send send;
    send.bytes = 1e9;
    send.devices = 16;
    send.leaving = leaving;
    return send_cost(high, send).network_seconds;
  };
  CHECK(seconds(8) == Approx(1e9 / 8.25e9).epsilon(0.02));
  CHECK(seconds(4) == Approx(1e9 / 16.5e9).epsilon(0.03));
  CHECK(seconds(1) == Approx(1e9 / 16.5e9).epsilon(0.03));
}

TEST_CASE("networks: both levels of a machine are busy") {
  const Target target = find_target("h100_sxm:16@a3-high").value();
  LogicalMesh mesh;
  mesh.device_count = 16;
  mesh = *override_mesh(mesh, {{"a", 16}});
  const PhysicalMapping mapping = *map_mesh(mesh, target.device, *target.topology);
  Collective collective;
  collective.kind = kGather;
  collective.bytes = 1e9;
  collective.groups.within = {{16, 1}};
  collective.groups.group_size = 16;
  collective.groups.group_count = 1;
  const CollectiveCost cost = collective_cost(collective, mesh, mapping, target.device);
  CHECK(cost.resource == Resource::kDcn);
  CHECK(cost.link_bandwidth == Approx(12.5e9));
  CHECK(cost.bandwidth_seconds == Approx(1e9 * 15 / 16 / 8 / 8.25e9).epsilon(0.01));
  CHECK(cost.other_level_seconds == Approx(scale_up_cost(target.device, kGather, 1e9, 8, 2).domain_seconds));
  CHECK(cost.other_level_seconds > 0);
  CHECK(cost.other_level_seconds < cost.bandwidth_seconds / 5);
  CHECK_THAT(cost.algorithm, ContainsSubstring("rings between 2 nodes of a3-high and inside them"));
}

}  // namespace
}  // namespace hloroof::internal
