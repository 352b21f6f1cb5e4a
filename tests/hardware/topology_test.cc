#include "lib/hardware/topology.h"

#include <cstdint>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

std::string wraps_text(const Topology& topology) {
  std::string text;
  for (const bool wrap : topology.wraps) text += wrap ? 'o' : '-';
  return text;
}

TEST_CASE("topology: the smallest standard slice that holds the devices") {
  const struct {
    std::string device;
    int64_t count;
    std::string slice;
    int64_t held;
    std::string wraps;  // o: ring, -: open
  } cases[] = {
      {"tpu_v5e", 1, "1x1", 1, "--"},
      {"tpu_v5e", 2, "2x2", 4, "--"},
      {"tpu_v5e", 8, "2x4", 8, "--"},
      {"tpu_v5e", 9, "4x4", 16, "--"},
      {"tpu_v5e", 128, "8x16", 128, "-o"},
      {"tpu_v5e", 256, "16x16", 256, "oo"},
      {"tpu_v5e", 257, "16x16*2", 512, "oo"},
      {"tpu_v6e", 64, "8x8", 64, "--"},
      {"tpu_v4", 1, "2x2x1", 4, "---"},
      {"tpu_v4", 64, "4x4x4", 64, "ooo"},
      {"tpu_v4_core", 8, "2x2x1", 8, "---"},
      {"tpu_v4_core", 128, "4x4x4", 128, "ooo"},
      {"tpu_v5p", 16, "2x2x4", 16, "---"},
      {"tpu_v5p", 32, "2x4x4", 32, "---"},
      {"tpu_v5p", 6144, "16x16x24", 6144, "ooo"},
      {"tpu_v7x", 8, "2x2x1", 8, "---"},
      {"tpu_v7x", 128, "4x4x4", 128, "ooo"},
      {"tpu_v2", 8, "2x2", 8, "--"},
      {"tpu_v2", 512, "16x16", 512, "oo"},
      {"tpu_v3", 2048, "32x32", 2048, "oo"},
      {"tpu_v3", 1024, "16x32", 1024, "-o"},
      {"tpu_v4i", 4, "4", 4, "o"},
      {"h100_sxm", 1, "1", 1, "-"},
      {"h100_sxm", 8, "8", 8, "-"},
      {"h100_sxm", 12, "8*2", 16, "-"},
      {"gb200", 72, "72", 72, "-"},
      {"l4", 4, "1*4", 4, "-"},
      {"trainium1", 32, "32", 32, "-"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.device, c.count);
    const auto topology = default_topology(find_device(c.device).value(), c.count);
    REQUIRE(topology.ok());
    CHECK(topology->to_string() == c.slice);
    CHECK(topology->device_count() == c.held);
    CHECK(wraps_text(*topology) == c.wraps);
    CHECK(topology->wraps.size() == topology->shape.size());
  }
}

TEST_CASE("topology: every count gets a slice at least as large") {
  for (const std::string& name : device_names()) {
    const Device device = find_device(name).value();
    for (int64_t count = 1; count < 3000; count += 1 + count / 7) {
      CAPTURE(name, count);
      const auto topology = default_topology(device, count);
      REQUIRE(topology.ok());
      CHECK(topology->device_count() >= count);
    }
  }
  const Device device = find_device("tpu_v5e").value();
  CHECK(default_topology(device, 0).status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(default_topology(device, -1).status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(default_topology(device, INT64_MAX).ok());
}

TEST_CASE("topology: as written") {
  const struct {
    std::string device;
    std::string text;
    std::string slice;
    int64_t held;
    std::string wraps;
  } cases[] = {
      {"tpu_v5e", "4x4", "4x4", 16, "--"},
      {"tpu_v5e", "2x2x1", "2x2", 4, "--"},
      {"tpu_v5e", "16x8", "16x8", 128, "o-"},
      {"tpu_v5e", "8", "2x4", 8, "--"},
      {"tpu_v5e", "4X4 ", "4x4", 16, "--"},
      {"tpu_v5e", "16x16*4", "16x16*4", 1024, "oo"},
      {"tpu_v5p", "4x4x8*2", "4x4x8*2", 256, "ooo"},
      {"tpu_v5p", "4x4", "4x4x1", 16, "---"},
      {"tpu_v5p", "8x12x20", "8x12x20", 1920, "ooo"},
      {"tpu_v7x", "4x4x8", "4x4x8", 256, "ooo"},
      {"tpu_v4", "1x2x2", "1x2x2", 4, "---"},
      {"tpu_v5e", "4x2*3", "4x2*3", 24, "--"},
      {"tpu_v5p", "1x1x1", "1x1x1", 1, "---"},
      {"tpu_v4", "4x4x8_twisted", "4x4x8_twisted", 128, "ooo"},
      {"tpu_v4", "4x4x8_untwisted", "4x4x8", 128, "ooo"},
      {"tpu_v5p", "128_twisted", "4x4x8_twisted", 128, "ooo"},
      {"tpu_v5p", "8x4x8_twisted*2", "8x4x8_twisted*2", 512, "ooo"},
      {"tpu_v5p", "12x12x24_twisted", "12x12x24_twisted", 3456, "ooo"},
      {"tpu_v7x", "8x16x16_twisted", "8x16x16_twisted", 4096, "ooo"},
      {"h100_sxm", "16", "8*2", 16, "-"},
      {"h100_sxm", "4", "4", 4, "-"},
      {"h100_sxm", "8*4", "8*4", 32, "-"},
      {"mi250x_gcd", "8", "8", 8, "-"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.device, c.text);
    const auto topology = parse_topology(find_device(c.device).value(), c.text);
    REQUIRE(topology.ok());
    CHECK(topology->to_string() == c.slice);
    CHECK(topology->device_count() == c.held);
    CHECK(wraps_text(*topology) == c.wraps);
  }
}

TEST_CASE("topology: the cubes that are joined are those of the device file") {
  Device device = find_device("tpu_v5p").value();
  device.ici.cube_edge = 8;
  CHECK(wraps_text(*parse_topology(device, "4x4x4")) == "---");
  CHECK(wraps_text(*parse_topology(device, "8x8x8")) == "ooo");
  const auto twisted = parse_topology(device, "4x4x8_twisted");
  REQUIRE_FALSE(twisted.ok());
  CHECK_THAT(std::string(twisted.status().message()), ContainsSubstring("a multiple of 8"));
  device.ici.cube_edge = 0;
  CHECK(wraps_text(*parse_topology(device, "8x8x8")) == "---");
}

TEST_CASE("topology: what cannot be is refused with what can") {
  const struct {
    std::string device;
    std::string text;
    std::string reason;
  } cases[] = {
      {"tpu_v5e", "", "chips along each axis"},
      {"tpu_v5e", "4x", "chips along each axis"},
      {"tpu_v5e", "x4", "chips along each axis"},
      {"tpu_v5e", "0x4", "chips along each axis"},
      {"tpu_v5e", "-2x4", "chips along each axis"},
      {"tpu_v5e", "4x4x4", "its torus has 2 axes"},
      {"tpu_v5e", "4x32", "its pod has 16x16 chips"},
      {"tpu_v5e", "3x3", "its slices are 1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16 chips"},
      {"tpu_v5e", "5x7", "no such slice"},
      {"tpu_v5e", "3x3*2", "no such slice"},
      {"tpu_v6e", "1x8", "no such slice"},
      {"tpu_v3", "2x16", "no such slice"},
      {"tpu_v4", "4x4x6", "multiples of 4"},
      {"tpu_v5p", "3x3x3", "multiples of 4"},
      {"tpu_v7x", "2x2x8", "multiples of 4"},
      {"tpu_v5e", "7", "no standard slice has 7 devices"},
      {"tpu_v5e", "512*2", "more devices than one slice has"},
      {"tpu_v5e", "4x4*", "number of slices"},
      {"tpu_v5e", "4x4*0", "number of slices"},
      {"tpu_v5e", "4x4*2*2", "number of slices"},
      {"tpu_v5e", "99999999999999999999x2", "chips along each axis"},
      {"tpu_v5e", "1000000000x1000000000x1000000000x1000000000", "chips along each axis"},
      {"tpu_v5e", "1x1x1x1x1x1x1x1x1", "chips along each axis"},
      {"tpu_v5p", "4x4x4_twisted", "k x k x 2k"},
      {"tpu_v5p", "4x8x16_twisted", "k x k x 2k"},
      {"tpu_v5p", "2x2x4_twisted", "k x k x 2k"},
      {"tpu_v5p", "_twisted", "chips along each axis"},
      {"tpu_v5p", "4x4x8*2_twisted", "number of slices"},
      {"tpu_v5e", "4x8_twisted", "no optical switches"},
      {"h100_sxm", "8_twisted", "no torus to twist"},
      {"h100_sxm", "12", "domains of 8"},
      {"h100_sxm", "16*2", "domains of 8"},
      {"h100_sxm", "4x4", "it has no torus"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.device, c.text);
    const auto topology = parse_topology(find_device(c.device).value(), c.text);
    REQUIRE_FALSE(topology.ok());
    CHECK(topology.status().code() == absl::StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(topology.status().message()), ContainsSubstring(c.reason));
    CHECK_THAT(std::string(topology.status().message()), ContainsSubstring(c.device));
  }
}

TEST_CASE("topology: one that is too small for the module is refused with both numbers") {
  const Target target = find_target("tpu_v5e:2x2").value();
  CHECK(topology_for(target, 3)->device_count() == 4);
  const auto small = topology_for(target, 8);
  REQUIRE_FALSE(small.ok());
  CHECK_THAT(std::string(small.status().message()), ContainsSubstring("has 4 devices; the module needs 8"));
  CHECK(topology_for(find_device("tpu_v5e").value(), 8)->to_string() == "2x4");
}

TEST_CASE("topology: a program for fewer devices runs on a compact part of the slice") {
  struct Case {
    const char* target;
    std::int64_t devices;
    const char* part;
    std::vector<bool> wraps;
  };
  const Case cases[] = {
      {"tpu_v5e:8x8", 8, "2x4", {false, false}},
      {"tpu_v5e:16x16", 8, "2x4", {false, false}},
      {"tpu_v5e:16x16", 128, "8x16", {false, true}},
      {"tpu_v5e:16x8", 32, "4x8", {false, false}},
      {"tpu_v5e:8x8", 64, "8x8", {false, false}},
      {"tpu_v5e:8x8", 6, "8x8", {false, false}},  // no slice has six chips
      {"tpu_v4_core:4x4x8", 128, "4x4x4", {true, true, false}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.target, c.devices);
    const absl::StatusOr<Topology> topology = topology_for(find_target(c.target).value(), c.devices);
    REQUIRE(topology.ok());
    CHECK(topology->to_string() == c.part);
    CHECK(topology->wraps == c.wraps);
  }
}

TEST_CASE("topology: a text that names its slices") {
  const absl::StatusOr<Device> device = find_device("tpu_v5e");
  REQUIRE(device.ok());
  struct Row {
    std::string topology;
    std::optional<int64_t> slices;
    std::string expected;  // the topology, or a part of the message
  };
  const Row rows[] = {
      {"", std::nullopt, "4x4*2"},
      {"", 2, "4x4*2"},
      {"4x8", std::nullopt, "4x8*2"},
      {"4x8*2", std::nullopt, "4x8*2"},
      {"4x4*3", 2, "4x4*2"},  // --slices replaces the number in the topology
      {"", 1, "not change it to 1"},
      {"4x4", 4, "not change it to 4"},
      {"4x4*4", std::nullopt, "not change it to 4"},
      {"2x4", std::nullopt, "has 8 devices; the module needs 16"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.topology);
    Target target = *device;
    if (!row.topology.empty()) target.topology = *parse_topology(*device, row.topology);
    target.slices = row.slices;
    const absl::StatusOr<Topology> topology = topology_for(target, 32, 2);
    if (topology.ok()) {
      CHECK(topology->to_string() == row.expected);
    } else {
      CHECK_THAT(std::string(topology.status().message()), ContainsSubstring(row.expected));
    }
  }
}

TEST_CASE("topology: slices share the devices of the module, or replace those of the topology") {
  Target target = find_target("tpu_v5e*2").value();
  CHECK(topology_for(target, 8)->to_string() == "2x2*2");
  CHECK(topology_for(target, 9)->to_string() == "2x4*2");
  target.slices = 0;
  CHECK(topology_for(target, 8).status().code() == absl::StatusCode::kInvalidArgument);
  target = find_target("tpu_v5e:4x4*3").value();
  CHECK(topology_for(target, 8)->to_string() == "4x4*3");
  target.slices = 2;
  CHECK(topology_for(target, 8)->to_string() == "4x4*2");
  CHECK(topology_for(target, 33).status().code() == absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hloroof::internal
