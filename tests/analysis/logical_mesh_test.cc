// Infers the axes of a mesh from the groups of a program.
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "lib/analysis/axis_names.h"
#include "lib/analysis/mesh.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

Module module_with(int partitions, const std::vector<std::string>& collectives) {
  std::string text = "HloModule m, is_scheduled=true, num_partitions=" + std::to_string(partitions) +
                     "\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n\n"
                     "ENTRY e {\n  p = f32[64,128]{1,0} parameter(0)\n";
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    text += "  c" + std::to_string(i) + " = " + collectives[i] + "\n";
  }
  text += "  ROOT r = f32[64,128]{1,0} copy(p)\n}\n";
  return parsed(text);
}

std::string all_reduce(const std::string& groups) {
  return "f32[64,128]{1,0} all-reduce(p), channel_id=1, replica_groups=" + groups +
         ", use_global_device_ids=true, to_apply=sum";
}

std::string permute(const std::string& pairs) {
  return "f32[64,128]{1,0} collective-permute(p), channel_id=2, source_target_pairs=" + pairs;
}

TEST_CASE("Groups of stride 16 over 128 devices are one axis of 8, the other is 16") {
  std::string groups = "{";
  for (int g = 0; g < 16; ++g) {
    groups += g == 0 ? "{" : ",{";
    for (int i = 0; i < 8; ++i) groups += (i == 0 ? "" : ",") + std::to_string(g + 16 * i);
    groups += "}";
  }
  groups += "}";
  for (const std::string& written : {groups, std::string("[16,8]<=[8,16]T(1,0)")}) {
    const Module module = module_with(128, {all_reduce(written)});
    const LogicalMesh mesh = infer_mesh(module);
    REQUIRE(mesh.axes.size() == 2);
    CHECK(mesh.axes[0].size == 8);
    CHECK(mesh.axes[0].stride == 16);
    CHECK(mesh.axes[1].size == 16);
    CHECK(mesh.axes[1].stride == 1);
    CHECK(spanned_axes(mesh, find_collectives(module)[0].groups) == std::vector<int>{0});
    CHECK(mesh.unaligned.empty());
  }
}

TEST_CASE("Meshes from several groups together") {
  struct Row {
    int partitions;
    std::vector<std::string> collectives;
    std::string mesh;
    std::size_t unaligned;
  };
  const Row rows[] = {
      {8, {}, "8-way stride-1 axis", 0},
      {1, {}, "1 device", 0},
      {8, {all_reduce("{{0,1,2,3,4,5,6,7}}")}, "8-way stride-1 axis", 0},
      {8, {all_reduce("[4,2]<=[8]"), all_reduce("[2,4]<=[4,2]T(1,0)")}, "4-way stride-2 axis x 2-way stride-1 axis", 0},
      {8,
       {all_reduce("{{0,4},{1,5},{2,6},{3,7}}"), all_reduce("{{0,1},{2,3},{4,5},{6,7}}")},
       "2-way stride-4 axis x 2-way stride-2 axis x 2-way stride-1 axis",
       0},
      {8, {all_reduce("mesh['data'=4,'model'=2] {'model'}")}, "data 4 (stride 2) x model 2 (stride 1)", 0},
      // XLA numbers the axes of each op anew: neither are they names, nor does one op cut the mesh where no groups do.
      {8, {all_reduce("mesh['axis_0'=4,'axis_1'=2] {'axis_1'}")}, "4-way stride-2 axis x 2-way stride-1 axis", 0},
      {8,
       {all_reduce("mesh['axis_0'=2,'axis_1'=2,'axis_2'=2] {'axis_2'}"),
        all_reduce("mesh['axis_0'=4,'axis_1'=2] {'axis_0'}")},
       "4-way stride-2 axis x 2-way stride-1 axis",
       0},
      {8,
       {all_reduce("mesh['axis_0'=4,'axis_1'=2] {'axis_1'}"), all_reduce("mesh['data'=4,'model'=2] {'data'}")},
       "data 4 (stride 2) x model 2 (stride 1)",
       0},
      // The mesh 12 = 2 x 2 x 3 contains both six groups of two and four groups of three.
      {12,
       {all_reduce("[6,2]<=[12]"), all_reduce("[4,3]<=[2,3,2]T(0,2,1)")},
       "2-way stride-6 axis x 3-way stride-2 axis x 2-way stride-1 axis",
       0},
      // Consecutive groups of 4 and of 6 have no common mesh.
      {12, {all_reduce("[3,4]<=[12]"), all_reduce("[2,6]<=[12]")}, "3-way stride-4 axis x 4-way stride-1 axis", 1},
      {6, {all_reduce("{{0,1,5},{2,3,4}}")}, "6-way stride-1 axis", 1},
      // Permutations: rings over the inner four of eight devices. A shift by two along an axis of eight is not an axis.
      {8,
       {permute("{{0,1},{1,2},{2,3},{3,0},{4,5},{5,6},{6,7},{7,4}}")},
       "2-way stride-4 axis x 4-way stride-1 axis",
       0},
      {8, {permute("{{0,2},{1,3},{2,4},{3,5},{4,6},{5,7},{6,0},{7,1}}")}, "8-way stride-1 axis", 0},
      {8, {permute("{{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}")}, "8-way stride-1 axis", 0},
  };
  for (const Row& row : rows) {
    const LogicalMesh mesh = infer_mesh(module_with(row.partitions, row.collectives));
    CHECK(mesh.to_string() == row.mesh);
    CHECK(mesh.unaligned.size() == row.unaligned);
  }
}

TEST_CASE("The order of the devices of a mesh decides which groups its axes are") {
  struct Row {
    int partitions;
    std::string written;
    std::vector<GridAxis> within;
    std::string mesh;
  };
  const Row rows[] = {
      // In the order of ids the last axis has neighbours.
      {8, "mesh['X'=4,'Y'=2] {'Y'}", {{2, 1}}, "X 4 (stride 2) x Y 2 (stride 1)"},
      {8, "mesh['X'=4,'Y'=2], device_ids=([8]) {'Y'}", {{2, 1}}, "X 4 (stride 2) x Y 2 (stride 1)"},
      // The devices in the order of the mesh are 0 2 4 6 1 3 5 7.
      {8, "mesh['X'=2,'Y'=4], device_ids=([4,2]T(1,0)) {'X'}", {{2, 1}}, "Y 4 (stride 2) x X 2 (stride 1)"},
      {8, "mesh['X'=2,'Y'=4], device_ids=([4,2]T(1,0)) {'Y'}", {{4, 2}}, "Y 4 (stride 2) x X 2 (stride 1)"},
      {8, "mesh['X'=2,'Y'=4], device_ids=(0,2,4,6,1,3,5,7) {'X'}", {{2, 1}}, "Y 4 (stride 2) x X 2 (stride 1)"},
      {8, "mesh['X'=1,'Y'=2,'Z'=4], device_ids=([4,2]T(1,0)) {'Y'}", {{2, 1}}, "Z 4 (stride 2) x Y 2 (stride 1)"},
      // 0 4 1 5 2 6 3 7
      {8, "mesh['X'=4,'Y'=2], device_ids=([2,4]T(1,0)) {'Y'}", {{2, 4}}, "Y 2 (stride 4) x X 4 (stride 1)"},
      // Three axes in the order of the last, the first, the second: 0 4 8, 12 16 20, 1 5 9, ...
      {24,
       "mesh['X'=4,'Y'=2,'Z'=3], device_ids=([2,3,4]T(2,0,1)) {'Z'}",
       {{3, 4}},
       "Y 2 (stride 12) x Z 3 (stride 4) x X 4 (stride 1)"},
      {24,
       "mesh['X'=4,'Y'=2,'Z'=3], device_ids=([2,3,4]T(2,0,1)) {'X','Z'}",
       {{12, 1}},
       "Y 2 (stride 12) x Z 3 (stride 4) x X 4 (stride 1)"},
      // An axis may go over two dimensions of the order, in any direction: the devices of Y are 0 2 1 3 and 4 6 5 7.
      {8, "mesh['X'=2,'Y'=4], device_ids=([2,2,2]T(0,2,1)) {'Y'}", {{4, 1}}, "X 2 (stride 4) x Y 4 (stride 1)"},
      // The devices of Y are 0 1 4 5 and 2 3 6 7: two axes of the devices, of which neither is Y.
      {8,
       "mesh['X'=2,'Y'=4], device_ids=([2,2,2]T(1,0,2)) {'Y'}",
       {{2, 4}, {2, 1}},
       "2-way stride-4 axis x X 2 (stride 2) x 2-way stride-1 axis"},
      // Not all groups look alike.
      {8, "mesh['X'=4,'Y'=2], device_ids=(0,1,2,4,3,5,6,7) {'Y'}", {}, "8-way stride-1 axis"},
      // The names of XLA are read in the same way, but are no names.
      {8,
       "mesh['axis_0'=1,'axis_1'=2,'axis_2'=4], device_ids=([4,2]T(1,0)) {'axis_1'}",
       {{2, 1}},
       "4-way stride-2 axis x 2-way stride-1 axis"},
      {8,
       "mesh['axis_0'=1,'axis_1'=2,'axis_2'=4], device_ids=([4,2]T(1,0)) {'axis_2'}",
       {{4, 2}},
       "4-way stride-2 axis x 2-way stride-1 axis"},
  };
  for (const Row& row : rows) {
    INFO(row.written);
    const Module module = module_with(row.partitions, {all_reduce(row.written)});
    CHECK(find_collectives(module)[0].groups.within == row.within);
    CHECK(infer_mesh(module).to_string() == row.mesh);
  }
}

TEST_CASE("An axis without a name is called after its size, and after its stride where several have that size") {
  struct Row {
    int partitions;
    std::vector<std::string> collectives;
    std::vector<std::string> names;
  };
  const Row rows[] = {
      {8, {all_reduce("[1,8]<=[8]")}, {"8-way"}},
      {8, {all_reduce("mesh['axis_0'=4,'axis_1'=2] {'axis_1'}")}, {"4-way", "2-way"}},
      {16,
       {all_reduce("[8,2]<=[16]"), all_reduce("[8,2]<=[2,8]T(1,0)")},
       {"2-way stride-8", "4-way", "2-way stride-1"}},
      {8, {all_reduce("mesh['axis_12'=4,'_axis_1'=2] {'axis_12'}")}, {"4-way", "2-way"}},
      {8, {all_reduce("mesh['axis_x'=4,'axis'=2] {'axis'}")}, {"axis_x", "axis"}},
  };
  for (const Row& row : rows) {
    std::vector<std::string> names;
    for (const MeshAxis& axis : infer_mesh(module_with(row.partitions, row.collectives)).axes) {
      names.push_back(axis.name);
      CHECK(axis.named_in_text != is_description_of_axis(axis.name));
    }
    CHECK(names == row.names);
  }
  CHECK(axis_in_sentence("8-way") == "the 8-way axis");
  CHECK(axis_in_sentence("2-way stride-4") == "the 2-way stride-4 axis");
  CHECK(axis_in_sentence("data") == "data");
  CHECK_FALSE(is_description_of_axis("axis"));
  CHECK_FALSE(is_description_of_axis("8-way axis"));
}

std::string role_of(const std::string& file) {
  absl::StatusOr<Module> module = load_module(shared_path("corpus/") + file);
  INFO(file << " " << module.status());
  REQUIRE(module.ok());
  const LogicalMesh mesh = infer_mesh(*module);
  std::string text;
  for (const MeshAxis& axis : mesh.axes) {
    REQUIRE_FALSE(axis.roles.empty());
    text += (text.empty() ? "" : " x ") + std::string(axis_role_name(axis.roles[0])) + " " + std::to_string(axis.size);
  }
  return text;
}

TEST_CASE("Roles of the axes of real programs") {
  if (!std::ifstream(shared_path("corpus/tpu/llm_fsdp_train.v5e_2x4.hlo"))) HLOROOF_SKIP("no corpus");
  CHECK(role_of("tpu/llm_fsdp_train.v5e_2x4.hlo") == "FSDP 8");
  CHECK(role_of("gpu/llm_fsdp_train.h100_sxm_1x1x8.hlo") == "FSDP 8");
  CHECK(role_of("tpu/llm_tp_train.v5e_2x4.hlo") == "tensor 8");
  CHECK(role_of("tpu/llm_2d_16.v5e_4x4.hlo") == "FSDP 4 x FSDP 2 x tensor 2");
  CHECK(role_of("tpu/moe_ep_train.v5e_2x4.hlo") == "expert 8");
  CHECK(role_of("tpu/pipeline_ppermute.v5e_2x4.hlo") == "pipeline 8");
  CHECK(role_of("tpu/ring_attention.v5e_2x4.hlo") == "sequence 8");
  CHECK(role_of("tpu/seed_vit_b128.v5e_2x4.hlo") == "data 8");
  CHECK(role_of("step/llama3.1-8b.v6e-32.hlo") == "FSDP 32");
  CHECK(role_of("step/maxtext-32b.v5p-128.hlo") == "FSDP 16 x tensor 4");
}

TEST_CASE("Meshes of real programs whose groups are over meshes in another order than that of the devices") {
  if (!std::ifstream(shared_path("corpus/stories/giant_bad.hlo"))) HLOROOF_SKIP("no corpus");
  const struct {
    const char* file;
    const char* mesh;
  } rows[] = {
      {"stories/giant_bad.hlo", "4-way stride-2 axis x 2-way stride-1 axis"},
      {"step/llama3.1-405b-fp8.b200-256.hlo", "2-way stride-128 axis x 128-way stride-1 axis"},
  };
  for (const auto& row : rows) {
    INFO(row.file);
    absl::StatusOr<Module> module = load_module(shared_path("corpus/") + row.file);
    REQUIRE(module.ok());
    CHECK(infer_mesh(*module).to_string() == row.mesh);
  }
}

TEST_CASE("A line pasted from a profile has the devices its groups name") {
  absl::StatusOr<Module> module = parse_module(
      "%all-reduce.3 = bf16[32,32,8192]{2,1,0} all-reduce(bf16[32,32,8192]{2,1,0} %fusion.32), channel_id=1, "
      "replica_groups=[16,8]<=[8,16]T(1,0), use_global_device_ids=true, to_apply=%add");
  INFO(module.status());
  REQUIRE(module.ok());
  const LogicalMesh mesh = infer_mesh(*module);
  CHECK(mesh.device_count == 128);
  CHECK(mesh.to_string() == "8-way stride-16 axis x 16-way stride-1 axis");
}

TEST_CASE("Mesh axes on the axes of the machine") {
  struct Row {
    std::string device;
    std::string mesh;
    std::string mapping;
  };
  const Row rows[] = {
      {"tpu_v5e:2x4", "data=2,model=4", "data 2 on x; model 4 on y"},
      {"tpu_v5e:2x4", "data=4,model=2", "data 4 on y; model 2 on x"},
      {"tpu_v5e:2x4", "all=8", "all 8 on x and y"},
      {"tpu_v5e:4x4", "data=8,model=2", "data 8 on x and y (2 of 4, every 2nd); model 2 on y (2 of 4)"},
      {"tpu_v5e:16x16", "data=16,model=16", "data 16 on y (ring); model 16 on x (ring)"},
      {"tpu_v5p:4x4x4", "data=4,model=16", "data 4 on z (ring); model 16 on x (ring) and y (ring)"},
      {"tpu_v5e:4x4*2", "data=2,model=16", "data 2 on slice; model 16 on x and y"},
      {"h100_sxm:16", "data=2,model=8", "data 2 on node; model 8 on nvlink"},
      {"h100_sxm:16", "all=16", "all 16 on node and nvlink"},
      {"h100_sxm:16", "data=2,tensor=4,model=2",
       "data 2 on node; tensor 4 on nvlink (4 of 8, every 2nd); model 2 on nvlink (2 of 8)"},
      {"tpu_v5e:4x4*2", "data=2,fsdp=8,model=2",
       "data 2 on slice; fsdp 8 on x and y (2 of 4, every 2nd); model 2 on y (2 of 4)"},
  };
  for (const Row& row : rows) {
    absl::StatusOr<Target> target = find_target(row.device);
    REQUIRE(target.ok());
    auto axes = parse_mesh(row.mesh);
    REQUIRE(axes.ok());
    LogicalMesh all;
    all.device_count = target->topology->device_count();
    absl::StatusOr<LogicalMesh> mesh = override_mesh(all, *axes);
    REQUIRE(mesh.ok());
    absl::StatusOr<PhysicalMapping> mapping = map_mesh(*mesh, target->device, *target->topology);
    REQUIRE(mapping.ok());
    CHECK(mapping->to_string(*mesh) == row.mapping);
    CHECK(mapping->aligned);
  }
}

TEST_CASE("Impossible meshes") {
  LogicalMesh mesh;
  mesh.device_count = 8;
  CHECK_FALSE(parse_mesh("data").ok());
  CHECK_FALSE(parse_mesh("data=0").ok());
  CHECK_FALSE(parse_mesh("=2").ok());
  CHECK_FALSE(parse_mesh("data=2,").ok());
  CHECK_FALSE(parse_mesh("data=99999999999999999999").ok());
  CHECK_FALSE(override_mesh(mesh, {{"data", 3}}).ok());
  CHECK_FALSE(override_mesh(mesh, {{"data", 16}}).ok());
  absl::StatusOr<Target> target = find_target("tpu_v5e:2x2");
  REQUIRE(target.ok());
  CHECK_FALSE(map_mesh(mesh, target->device, *target->topology).ok());
  MeshOptions options;
  options.order = {"nothing"};
  mesh.device_count = 4;
  CHECK_FALSE(map_mesh(mesh, target->device, *target->topology, options).ok());
}

}  // namespace
}  // namespace hloroof::internal
