// Tests device orders from the user and the pieces of machine axes that the mesh axes map to.
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "lib/analysis/mesh.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

LogicalMesh mesh_of(const std::string& text) {
  const auto axes = parse_mesh(text);
  REQUIRE(axes.ok());
  LogicalMesh all;
  for (const auto& [name, size] : *axes) all.device_count *= size;
  absl::StatusOr<LogicalMesh> mesh = override_mesh(all, *axes);
  REQUIRE(mesh.ok());
  return *std::move(mesh);
}

TEST_CASE("Parsing a device order") {
  const auto ids = [](const std::string& text) {
    absl::StatusOr<std::vector<std::int64_t>> order = parse_device_order(text);
    INFO(order.status());
    REQUIRE(order.ok());
    return *order;
  };
  CHECK(ids("0,2,1,3") == std::vector<std::int64_t>{0, 2, 1, 3});
  CHECK(ids(" 1 , 0 ") == std::vector<std::int64_t>{1, 0});
  CHECK(ids("[1,4]<=[2,2]T(1,0)") == std::vector<std::int64_t>{0, 2, 1, 3});
  for (const char* bad : {"", "0,,1", "0,1,", "-1", "0 1", "[4", "[1,2000000]<=[2000000]", "99999999999999999999"}) {
    INFO(bad);
    CHECK_FALSE(parse_device_order(bad).ok());
  }
}

TEST_CASE("A device order determines the placement of axes") {
  struct Row {
    std::string device;
    std::string mesh;
    std::string order;
    std::string mapping;
    bool aligned;
  };
  const Row rows[] = {
      {"tpu_v5e:2x4", "data=2,model=4", "0,1,2,3,4,5,6,7", "data 2 on x; model 4 on y", true},
      {"tpu_v5e:2x4", "data=4,model=2", "0,1,2,3,4,5,6,7",
       "data 4 on x and y (2 of 4, every 2nd); model 2 on y (2 of 4)", true},
      {"tpu_v5e:2x4", "data=4,model=2", "[1,8]<=[4,2]T(1,0)", "data 4 on y; model 2 on x", true},
      // The reverse order along an axis gives the same piece.
      {"tpu_v5e:2x4", "data=2,model=4", "3,2,1,0,7,6,5,4", "data 2 on x; model 4 on y", true},
      // The second row is rotated, so the pairs of `data` do not span the rows only.
      {"tpu_v5e:2x4", "data=2,model=4", "0,1,2,3,5,4,7,6", "data 2 on one device; model 4 on y", false},
      // Neighbours in the text are on different slices.
      {"tpu_v5e:4x4*2", "data=2,model=16", "[1,32]<=[16,2]T(1,0)",
       "data 2 on x (2 of 4, every 2nd); model 16 on slice and x (2 of 4) and y", true},
  };
  for (const Row& row : rows) {
    INFO(row.device << " " << row.mesh << " " << row.order);
    absl::StatusOr<Target> target = find_target(row.device);
    REQUIRE(target.ok());
    const LogicalMesh mesh = mesh_of(row.mesh);
    MeshOptions options;
    options.device_order = *parse_device_order(row.order);
    absl::StatusOr<PhysicalMapping> mapping = map_mesh(mesh, target->device, *target->topology, options);
    INFO(mapping.status());
    REQUIRE(mapping.ok());
    CHECK(mapping->aligned == row.aligned);
    CHECK(mapping->to_string(mesh) == row.mapping);
  }
}

TEST_CASE("Invalid device orders") {
  absl::StatusOr<Target> target = find_target("tpu_v5e:2x2");
  REQUIRE(target.ok());
  const LogicalMesh mesh = mesh_of("all=4");
  for (const std::vector<std::int64_t>& order :
       {std::vector<std::int64_t>{0, 1, 2}, {0, 1, 2, 3, 4}, {0, 1, 2, 2}, {0, 1, 2, 4}, {0, 1, 2, -1}}) {
    MeshOptions options;
    options.device_order = order;
    CHECK_FALSE(map_mesh(mesh, target->device, *target->topology, options).ok());
  }
}

}  // namespace
}  // namespace hloroof::internal
