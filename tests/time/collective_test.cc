// Times of collectives against worked examples and observations.
#include "lib/time/collective.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/analysis/device_groups.h"
#include "lib/analysis/grid.h"
#include "lib/analysis/mesh.h"
#include "lib/time/scale_up.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// A collective over some axes of a mesh, on a device with a topology.
struct Case {
  std::string device;  // with topology
  std::string mesh;
  std::vector<std::string> over;
  CollectiveKind kind;
  double bytes;
};

CollectiveCost cost_of(const Case& c, const std::vector<std::pair<std::string, double>>& set = {},
                       const CollectiveOptions& options = {}, const MeshOptions& mesh_options = {}) {
  absl::StatusOr<Target> target = find_target(c.device);
  REQUIRE(target.ok());
  for (const auto& [path, value] : set) REQUIRE(set_parameter(target->device, path, value).ok());
  const auto axes = parse_mesh(c.mesh);
  REQUIRE(axes.ok());
  LogicalMesh all;
  all.device_count = 1;
  for (const auto& [name, size] : *axes) all.device_count *= size;
  absl::StatusOr<LogicalMesh> mesh = override_mesh(all, *axes);
  REQUIRE(mesh.ok());
  absl::StatusOr<PhysicalMapping> mapping = map_mesh(*mesh, target->device, *target->topology, mesh_options);
  REQUIRE(mapping.ok());

  Collective collective;
  collective.kind = c.kind;
  collective.bytes = c.bytes;
  collective.element_bytes = 2;
  Grid within;
  Grid across;
  for (const MeshAxis& axis : mesh->axes) {
    const bool inside = std::find(c.over.begin(), c.over.end(), axis.name) != c.over.end();
    (inside ? within : across).push_back({axis.size, axis.stride});
  }
  collective.groups.within = normalized(within);
  collective.groups.across = normalized(across);
  collective.groups.group_size = grid_size(within).value_or(0);
  collective.groups.group_count = grid_size(across).value_or(0);
  return collective_cost(collective, *mesh, *mapping, target->device, options);
}

constexpr CollectiveKind kGather = CollectiveKind::kAllGather;
constexpr CollectiveKind kScatter = CollectiveKind::kReduceScatter;
constexpr CollectiveKind kReduce = CollectiveKind::kAllReduce;
constexpr CollectiveKind kExchange = CollectiveKind::kAllToAll;

// jax-ml scaling-book, "Sharded matrices and how to multiply them". The book drops the factor (N - 1) / N and
// latencies; the bandwidth term is compared with its figure times that factor. Links at the bandwidth the book uses, no
// waits.
TEST_CASE("Bandwidth terms of the scaling book's examples") {
  struct Row {
    Case c;
    double book_seconds;
    double factor;
  };
  const double v = 2.0 * 2048 * 8192;
  const Row rows[] = {
      {{"tpu_v5e:4x8", "x=8,y=4", {"y"}, kGather, v}, 560e-6, 1},  // the book counts the three hops
      {{"tpu_v4:4x4x4", "x=4,y=4,z=4", {"x"}, kGather, 2.0 * 1024 * 4096 / 4}, 23e-6, 3.0 / 4},
      {{"tpu_v4:4x4x4", "x=4,y=4,z=4", {"x", "y"}, kGather, 2.0 * 1024 * 4096}, 46e-6, 15.0 / 16},
      {{"tpu_v4:4x4x4", "x=4,y=4,z=4", {"z"}, kReduce, 2.0 * 1024 * 4096}, 190e-6, 3.0 / 4},
      {{"tpu_v5p:8x8x8", "x=512", {"x"}, kGather, 1073741824.0}, 2.0e-3, 511.0 / 512},
      {{"tpu_v2:2x2", "data=4,model=2", {"model"}, kScatter, 2.0 * 134217728}, 2 * 1.1e-3, 1},
  };
  for (const Row& row : rows) {
    const bool v5p = row.c.device.find("v5p") != std::string::npos;
    std::vector<std::pair<std::string, double>> set = {{"ici.message_bytes", 1e15}};
    if (v5p) set.emplace_back("ici.link_bandwidth", 9e10);
    const CollectiveCost cost = cost_of(row.c, set);
    INFO(row.c.device << " " << cost.algorithm);
    CHECK(cost.bandwidth_seconds == Approx(row.book_seconds * row.factor).epsilon(0.03));
    // Nobody published how fast the link between the two cores of a v2 chip is.
    const bool is_known = row.c.device != "tpu_v2:2x2";
    CHECK(cost.source == (is_known ? CostSource::kModel : CostSource::kAssumed));
    CHECK(cost.missing_numbers.empty() == is_known);
  }
}

// On slices without rings gathers take one axis after another; all-reduces go all axes at once or in one ring, as the
// strategies in compiled programs do. Figures by hand, in bytes over one link.
TEST_CASE("All-reduces on open slices use all axes") {
  struct Row {
    const char* device;
    const char* mesh;
    CollectiveKind kind;
    double passed;  // share of the array over a link
    const char* algorithm;
  };
  const Row rows[] = {
      {"tpu_v5e:2x4", "all=8", kGather, 7.0 / 8, "one axis after another"},
      {"tpu_v5e:2x4", "all=8", kReduce, 2 * 7.0 / 16, "one ring through 2 axes"},
      {"tpu_v5p:2x2x2", "all=8", kReduce, 2 * (1.0 / 24 + 1.0 / 12 + 1.0 / 6), "3 axes at once"},
      {"tpu_v5e:4x4", "all=16", kReduce, 2 * 15.0 / 32, "2 axes"},
  };
  constexpr double kBytes = 1 << 28;
  for (const Row& row : rows) {
    const CollectiveCost cost = cost_of({row.device, row.mesh, {"all"}, row.kind, kBytes},
                                        {{"ici.message_bytes", 1e15}, {"ici.link_bandwidth", 5e10}});
    INFO(row.device << " " << cost.algorithm);
    CHECK(cost.bandwidth_seconds == Approx(row.passed * kBytes / 5e10).epsilon(1e-6));
    CHECK_THAT(cost.algorithm, ContainsSubstring(row.algorithm));
  }
}

// What the final code of a gather sends on 16x16 of TPU v6e: half of the chips' shards each way around one ring. A
// reduce-scatter, as half of an all-reduce, is a ring on each axis at once.
TEST_CASE("Gathers on rings of v5e and v6e pass through all chips in one ring") {
  struct Row {
    const char* device;
    CollectiveKind kind;
    double passed;  // share of the array over a link
    const char* algorithm;
  };
  const Row rows[] = {
      {"tpu_v5e:16x16", kGather, 255.0 / 512, "one ring through 2 axes"},
      {"tpu_v6e:16x16", kGather, 255.0 / 512, "one ring through 2 axes"},
      {"tpu_v6e:16x16", kScatter, 255.0 / 1024, "2 axes at once"},
      {"tpu_v6e:16x16", kReduce, 2 * 255.0 / 1024, "2 axes at once"},
      {"tpu_v5p:4x4x4", kGather, 63.0 / 384, "3 axes at once"},
  };
  constexpr double kBytes = 1 << 28;
  for (const Row& row : rows) {
    const std::string mesh = std::string(row.device) == "tpu_v5p:4x4x4" ? "all=64" : "all=256";
    const CollectiveCost cost = cost_of({row.device, mesh, {"all"}, row.kind, kBytes},
                                        {{"ici.message_bytes", 1e15}, {"ici.link_bandwidth", 5e10}});
    INFO(row.device << " " << cost.algorithm);
    CHECK(cost.bandwidth_seconds == Approx(row.passed * kBytes / 5e10).epsilon(0.05));
    CHECK_THAT(cost.algorithm, ContainsSubstring(row.algorithm));
  }
}

// measured/open_points.csv: profiles published with the scaling book and with openxla/xprof.
// XLA's table has a shift among 64 GB200s take 750 us at 16 MiB, 755 us at 32 MiB, ... 781 us at 256 MiB: the number of
// channels doubles with the bytes. 512 KiB take longer than 1 MiB, for they go by the protocol of small messages.
TEST_CASE("Sends between GPUs use more channels the larger they are") {
  const Device device = find_device("gb200").value();
  const auto seconds = [&](double mebibytes, bool relays) {
    Send send;
    send.bytes = mebibytes * (1 << 20);
    send.devices = 64;
    send.relays = relays;
    const ScaleUpCost<double> cost = send_cost(device, send);
    return cost.seconds + cost.latency_seconds;
  };
  CHECK(seconds(16, true) == Approx(750e-6).epsilon(0.05));
  CHECK(seconds(256, true) == Approx(781e-6).epsilon(0.05));
  CHECK(seconds(1024, true) == Approx(1635e-6).epsilon(0.05));
  CHECK(seconds(0.5, true) > 1.5 * seconds(1, true));
  const Device h100 = find_device("h100_sxm").value();
  CHECK(send_channels(h100.scale_up.permute, 64 << 20, 8) == 4);
  CHECK(send_channels(h100.scale_up.permute, 65 << 20, 8) == 8);
  CHECK(send_channels(h100.scale_up.permute, 1e12, 8) == 32);
  CHECK(send_channels(h100.scale_up.permute, 1e12, 1000) == 32);
  CHECK(send_channels(SendRates(), 1e12, 8) == 1);
}

// Sizes up to 16 GiB: several in each octave, and those around each size at which a device changes how it sends.
std::vector<double> sizes_around_limits(const Device& device) {
  std::vector<double> limits = {1 << 20};
  const SendRates& rates = device.scale_up.permute;
  for (const Fact<double>& limit : {rates.low_latency_bytes, rates.channel_bytes, device.network.chunk_bytes}) {
    if (limit) limits.push_back(*limit);
  }
  std::vector<double> sizes;
  for (const double limit : limits) {
    for (const double factor : {1, 3, 5, 7}) {
      double at = limit * factor;
      while (at > 2) at /= 2;
      for (; at <= 0x1p34; at *= 2) {
        for (const double step : {-1.0, 0.0, 1.0}) sizes.push_back(std::floor(at) + step);
      }
    }
  }
  for (double at = 1; at <= 0x1p34; at *= 1.1) sizes.push_back(std::floor(at));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  sizes.erase(sizes.begin(), std::lower_bound(sizes.begin(), sizes.end(), 1));
  return sizes;
}

// Whether a message of `bytes` carries a flag in every word.
bool is_low_latency(const Fact<double>& low_latency_bytes, double bytes) {
  return low_latency_bytes && bytes <= *low_latency_bytes;
}

// Whether NCCL sends a message of `more` bytes in another way than one of `fewer`.
bool sends_in_another_way(const SendRates& rates, double fewer, double more, std::int64_t devices) {
  const bool leaves_low_latency =
      is_low_latency(rates.low_latency_bytes, fewer) && !is_low_latency(rates.low_latency_bytes, more);
  return leaves_low_latency || send_channels(rates, more, devices) > send_channels(rates, fewer, devices);
}

// NCCL itself sends some messages faster than slightly smaller ones, and XLA's table shows it. Shifts among GB200s take
// 750 us at 16 MiB on one channel and 432 us at 18 MiB on two, 111 us at 512 KiB and 59 us at 1 MiB. All-to-alls among
// 32 take 125 us with messages of 512 KiB and 88 us with messages of 1 MiB. Everywhere else more bytes take no less
// time.
TEST_CASE("More bytes among GPUs take less time only where NCCL sends them in another way") {
  for (const std::string& name : device_names()) {
    const Device device = find_device(name).value();
    if (device.gpu() == nullptr) continue;
    const SendRates& rates = device.scale_up.permute;
    const Fact<double>& low_latency_exchange = device.scale_up.all_to_all.low_latency_bytes;
    const std::vector<double> sizes = sizes_around_limits(device);
    for (const std::int64_t devices : {2, 6, 8, 16, 64}) {
      const Target target = find_target(name + ":" + std::to_string(devices)).value();
      LogicalMesh mesh;
      mesh.device_count = devices;
      mesh = *override_mesh(mesh, {{"a", devices}});
      const PhysicalMapping mapping = *map_mesh(mesh, target.device, *target.topology);
      for (int kind = 0; kind <= static_cast<int>(CollectiveKind::kRecv); ++kind) {
        Collective collective;
        collective.kind = static_cast<CollectiveKind>(kind);
        collective.groups.within = {{devices, 1}};
        collective.groups.group_size = devices;
        collective.groups.group_count = 1;
        const bool shifts = collective.kind == CollectiveKind::kCollectivePermute;
        const bool sends =
            shifts || collective.kind == CollectiveKind::kSend || collective.kind == CollectiveKind::kRecv;
        for (std::int64_t i = 0; shifts && i < devices; ++i) collective.pairs.emplace_back(i, (i + 1) % devices);
        const auto seconds_of = [&](double bytes) {
          collective.bytes = bytes;
          return collective_cost(collective, mesh, mapping, target.device).seconds;
        };
        const bool exchanges =
            collective.kind == CollectiveKind::kAllToAll || collective.kind == CollectiveKind::kRaggedAllToAll;
        const auto is_small = [&](double bytes) {
          return exchanges ? is_low_latency(low_latency_exchange, bytes / static_cast<double>(devices))
                           : is_low_latency(rates.low_latency_bytes, bytes);
        };
        const auto are_alike = [&](double less, double more) {
          if (exchanges) return is_small(less) == is_small(more);
          return !sends || !sends_in_another_way(rates, less, more, devices);
        };
        double fewer = 0;
        double before = 0;
        std::vector<double> faster;
        for (const double bytes : sizes) {
          const double seconds = seconds_of(bytes);
          if (seconds < before * (1 - 1e-12) && are_alike(fewer, bytes)) faster.push_back(bytes);
          // Twice the bytes on twice the channels take as long.
          if (!is_small(bytes) && seconds_of(2 * bytes) < seconds * (1 - 1e-12)) faster.push_back(2 * bytes);
          fewer = bytes;
          before = seconds;
        }
        CAPTURE(name, devices, to_string(collective.kind));
        CHECK(faster == std::vector<double>());
        CHECK(before > 0);
      }
    }
  }
}

TEST_CASE("Small messages of an all-to-all go in rounds on all channels, or take what their number takes") {
  const Device device = find_device("gb200").value();
  const SendRates& sends = device.scale_up.permute;
  const CollectiveRates& rates = device.scale_up.all_to_all;
  const double channels = *sends.channels * *sends.low_latency_bandwidth;
  struct Message {
    std::int64_t devices;
    double bytes;    // to one peer
    double seconds;  // beside the launch
  };
  for (const Message& m : {Message{8, 1024, 49 * *rates.square}, Message{64, 1024, 3969 * *rates.square},
                           Message{8, 524288, 8 * 524288 / channels}, Message{32, 524288, 32 * 524288 / channels},
                           Message{36, 524288, 64 * 524288 / channels}}) {
    CAPTURE(m.devices, m.bytes);
    const double bytes = m.bytes * static_cast<double>(m.devices);
    const ScaleUpCost<double> cost = scale_up_cost(device, CollectiveKind::kAllToAll, bytes, m.devices, 1, nullptr);
    CHECK(cost.seconds == Approx(m.seconds));
    CHECK(cost.latency_seconds == Approx(*rates.launch));
  }
}

// XLA's table, all-reduces of 16 KiB and less.
TEST_CASE("Small all-reduces among GB200s take more steps the more devices there are, up to a limit") {
  const Device device = find_device("gb200").value();
  struct Group {
    std::int64_t devices;
    double seconds;
  };
  for (const Group& g : {Group{4, 18e-6}, Group{8, 28e-6}, Group{32, 50e-6}, Group{64, 51e-6}, Group{72, 52e-6}}) {
    CAPTURE(g.devices);
    const auto cost = scale_up_cost(device, CollectiveKind::kAllReduce, 4096, g.devices, 1, nullptr);
    CHECK(cost.seconds + cost.latency_seconds == Approx(g.seconds).epsilon(0.15));
  }
  const auto latency = [&](const Device& of, std::int64_t devices) {
    return scale_up_cost(of, CollectiveKind::kAllReduce, 4096, devices, 1, nullptr).latency_seconds;
  };
  CHECK(latency(device, 18) > latency(device, 16));
  CHECK(latency(device, 32) == latency(device, 72));
  Device unlimited = device;
  unlimited.scale_up.all_reduce.most_steps = Fact<double>::none();
  CHECK(latency(unlimited, 72) > latency(unlimited, 32));
}

TEST_CASE("A device that passes messages on shares its channels") {
  LogicalMesh mesh;
  mesh.device_count = 8;
  mesh = *override_mesh(mesh, {{"a", 8}});
  const Target target = find_target("h100_sxm:8").value();
  const PhysicalMapping mapping = *map_mesh(mesh, target.device, *target.topology);
  const auto seconds = [&](std::vector<std::pair<std::int64_t, std::int64_t>> pairs) {
    Collective collective;
    collective.kind = CollectiveKind::kCollectivePermute;
    collective.bytes = 32 << 20;
    collective.pairs = std::move(pairs);
    return collective_cost(collective, mesh, mapping, target.device).seconds;
  };
  const double swapped = seconds({{0, 1}, {1, 0}});
  CHECK(seconds({{0, 4}}) == swapped);
  CHECK(seconds({{0, 1}, {1, 2}, {2, 0}}) > 1.4 * swapped);
}

// Jouppi et al., "TPU v4" (ISCA 2023), section 2.8: an all-to-all over the slice is 1.63 times as fast on 4x4x8 when it
// is twisted, 1.31 times on 4x8x8.
TEST_CASE("Twisted tori exchange faster and gather no slower") {
  const auto ratio = [](const std::string& shape, const std::string& mesh, const std::vector<std::string>& over,
                        CollectiveKind kind) {
    const Case plain = {"tpu_v4:" + shape, mesh, over, kind, 1e9};
    const Case twisted = {"tpu_v4:" + shape + "_twisted", mesh, over, kind, 1e9};
    return cost_of(plain).bandwidth_seconds / cost_of(twisted).bandwidth_seconds;
  };
  const std::vector<std::string> all = {"a", "b", "c"};
  CHECK(ratio("4x4x8", "a=4,b=4,c=8", all, CollectiveKind::kAllToAll) == Approx(1.63).epsilon(0.08));
  CHECK(ratio("4x8x8", "a=4,b=8,c=8", all, CollectiveKind::kAllToAll) == Approx(1.31).epsilon(0.08));
  CHECK(ratio("4x4x8", "a=4,b=4,c=8", all, kGather) > 1.1);
  // The longer axes are rings as before; a shorter one is closed only together with them.
  CHECK(ratio("4x4x8", "a=16,b=8", {"b"}, kGather) == Approx(1));
  CHECK(ratio("4x8x8", "a=4,b=64", {"b"}, kReduce) == Approx(1));
  CHECK(ratio("4x4x8", "a=32,b=4", {"b"}, kGather) == Approx(0.5));
  CHECK(ratio("4x4x8", "a=4,b=32", {"b"}, kGather) > 1.1);
  CHECK(ratio("4x4x8", "a=4,b=32", {"b"}, CollectiveKind::kAllToAll) == Approx(1 / (84.0 / 32 / 4)));
  // Whether rings close is a separate question.
  MeshOptions open;
  open.wrap = false;
  const Case twisted = {"tpu_v4:4x4x8_twisted", "a=16,b=8", {"a", "b"}, kReduce, 1e9};
  const Case plain = {"tpu_v4:4x4x8", "a=16,b=8", {"a", "b"}, kReduce, 1e9};
  CHECK(cost_of(twisted, {}, {}, open).seconds == cost_of(plain, {}, {}, open).seconds);
}

TEST_CASE("Between nodes the slower of the two levels carries its own bytes, at no more than its peak") {
  for (const char* device : {"h100_sxm:16", "b200_sxm:16", "mi300x:16"}) {
    for (const CollectiveKind kind : {kGather, kScatter, kReduce, kExchange}) {
      CAPTURE(device);
      CAPTURE(static_cast<int>(kind));
      const CollectiveCost cost = cost_of({device, "node=2,local=8", {"node", "local"}, kind, 256e6});
      CHECK(cost.busiest_link_bytes <= cost.wire_bytes);
      CHECK(cost.utilization > 0);
      CHECK(cost.utilization <= 1);
    }
  }
}

TEST_CASE("Collectives observed on hardware") {
  struct Row {
    Case c;
    double observed;
    double tolerance;
  };
  const Row rows[] = {
      {{"tpu_v5p:2x2x1", "all=4", {"all"}, kGather, 8388608}, 69.2e-6, 0.10},
      {{"tpu_v5p:2x2x1", "all=4", {"all"}, kGather, 131072000}, 983e-6, 0.10},
      {{"tpu_v5p:2x2x1", "all=4", {"all"}, kScatter, 29360128}, 219e-6, 0.10},
      {{"tpu_v5p:2x2x1", "all=4", {"all"}, kReduce, 4}, 7.0e-6, 0.30},
      {{"tpu_v5e:4x8", "x=8,y=4", {"y"}, kGather, 33554432}, 680e-6, 0.10},
      {{"tpu_v5e:4x8", "x=8,y=4", {"y"}, kGather, 131072}, 8e-6, 0.30},
      {{"tpu_v2:2x2", "data=4,model=2", {"model"}, kScatter, 134217728}, 1.13e-3, 0.10},
  };
  for (const Row& row : rows) {
    const CollectiveCost cost = cost_of(row.c);
    INFO(row.c.device << " " << row.c.bytes << " B: " << cost.seconds << " s, observed " << row.observed);
    CHECK(cost.seconds == Approx(row.observed).epsilon(row.tolerance));
  }
}

}  // namespace
}  // namespace hloroof::internal
