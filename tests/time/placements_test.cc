// Where the groups of a collective may lie on the machine.
#include "lib/time/placements.h"

#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "lib/analysis/mesh.h"
#include "lib/hardware/topology.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

struct Placed {
  GroupPlacement mapped;
  std::vector<GroupPlacement> others;
};

// The placements of an all-to-all of 16 MiB in `groups`.
Placed placed(const std::string& groups, const std::string& device_name, const std::string& devices) {
  const absl::StatusOr<Module> module =
      parse_module("HloModule m, is_scheduled=true, num_partitions=" + devices +
                   "\nENTRY e {\n  p = bf16[2048,4096]{1,0:T(8,128)(2,1)} parameter(0)\n  ROOT a = "
                   "bf16[2048,4096]{1,0:T(8,128)(2,1)} all-to-all(p), dimensions={0}, channel_id=1, replica_groups=" +
                   groups + "\n}\n");
  REQUIRE(module.ok());
  const absl::StatusOr<Target> target = find_target(device_name);
  REQUIRE(target.ok());
  const std::vector<Collective> collectives = find_collectives(*module);
  REQUIRE(collectives.size() == 1);
  const LogicalMesh mesh = infer_mesh(*module);
  const absl::StatusOr<Topology> topology = topology_for(*target, mesh.device_count);
  REQUIRE(topology.ok());
  const absl::StatusOr<PhysicalMapping> mapping = map_mesh(mesh, target->device, *topology);
  REQUIRE(mapping.ok());
  return {mapped_placement(collectives[0], mesh, *mapping, target->device),
          other_placements(collectives[0], mesh, *mapping, target->device)};
}

TEST_CASE("a group of 16 on a torus of 16 x 16 may lie on a line or on rectangles") {
  const Placed of_16 = placed("[16,16]<=[256]", "tpu_v5e:16x16", "256");
  CHECK(of_16.mapped.on == "x (ring)");
  REQUIRE(of_16.others.size() == 2);  // 2 x 8 and 8 x 2 are alike
  CHECK(of_16.others[0].on == "x (4 of 16) and y (4 of 16)");
  CHECK(of_16.others[1].on == "x (2 of 16) and y (8 of 16)");
  // Half of what a device sends crosses the middle of a ring of 16 twice, and the middle of a line of 4 once per link.
  CHECK(of_16.others[0].seconds < 0.6 * of_16.mapped.seconds);
  CHECK(of_16.others[1].seconds > of_16.others[0].seconds);
}

TEST_CASE("a group of all devices has one placement, and a text of irregular groups none") {
  CHECK(placed("[1,16]<=[16]", "tpu_v5e:4x4", "16").others.empty());
  CHECK(placed("{{0,1,2,5},{3,4,6,7}}", "tpu_v5e:2x4", "8").others.empty());
  CHECK(placed("[2,4]<=[8]", "h100_sxm", "8").others.empty());
}

TEST_CASE("the cores of a chip are an axis too") {
  const Placed of_2 = placed("[4,2]<=[8]", "tpu_v7x:2x2x1", "8");
  CHECK(of_2.mapped.on == "core");
  REQUIRE(of_2.others.size() == 1);
  CHECK(of_2.others[0].seconds > of_2.mapped.seconds);
}

}  // namespace
}  // namespace hloroof::internal
