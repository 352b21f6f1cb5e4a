// What explain says of a collective.
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "lib/analysis/axis_roles.h"
#include "lib/analysis/mesh.h"
#include "lib/explain/explain.h"
#include "lib/hardware/topology.h"
#include "lib/time/collective.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

std::string explained(const std::string& text, const std::string& device_name) {
  absl::StatusOr<Module> module = parse_module(text);
  INFO(module.status());
  REQUIRE(module.ok());
  absl::StatusOr<Target> target = find_target(device_name);
  REQUIRE(target.ok());
  const std::vector<Collective> collectives = find_collectives(*module);
  REQUIRE(collectives.size() == 1);
  const LogicalMesh mesh = infer_mesh(*module, collectives);
  absl::StatusOr<Topology> topology = topology_for(*target, mesh.device_count, mesh.slices);
  REQUIRE(topology.ok());
  absl::StatusOr<PhysicalMapping> mapping = map_mesh(mesh, target->device, *topology);
  REQUIRE(mapping.ok());
  std::string all;
  LogicalMesh of_roles = mesh;
  const AxisRole role = assign_roles(*module, analyze_calls(*module), collectives, of_roles)[0];
  const CollectiveCost cost = collective_cost(collectives[0], mesh, *mapping, target->device);
  for (const std::string& line :
       explain_collective(*module, collectives[0], role, cost, mesh, *mapping, target->device))
    all += line + "\n";
  for (const std::string& line : explain_mesh(mesh, *mapping)) all += line + "\n";
  return all;
}

// The scaling book's reading of a profile: 128 devices, an 8-way axis of stride 16.
TEST_CASE("explain: replica groups of stride 16 and the shape they imply") {
  std::string groups = "{";
  for (int g = 0; g < 16; ++g) {
    groups += g == 0 ? "{" : ",{";
    for (int i = 0; i < 8; ++i) groups += (i == 0 ? "" : ",") + std::to_string(g + 16 * i);
    groups += "}";
  }
  groups += "}";
  const std::string reduced = explained(
      "%all-reduce.3 = bf16[32,32,8192]{2,1,0:T(8,128)(2,1)} all-reduce(bf16[32,32,8192]{2,1,0:T(8,128)(2,1)} "
      "%fusion.32), channel_id=1, replica_groups=" +
          groups + ", use_global_device_ids=true, to_apply=%add",
      "tpu_v5p");
  CHECK_THAT(reduced,
             ContainsSubstring("replica_groups: 16 groups of 8 over the 8-way stride-16 axis; the other axis is "
                               "16-way"));
  CHECK_THAT(reduced, ContainsSubstring("bf16[32,32,65536]"));
  const std::string gathered = explained(
      "%all-gather.3 = bf16[32,32,65536]{2,1,0} all-gather(bf16[32,32,8192]{2,1,0} %p), channel_id=1, "
      "dimensions={2}, replica_groups=" +
          groups + ", use_global_device_ids=true",
      "tpu_v5p");
  CHECK_THAT(gathered, ContainsSubstring("bf16[32,32,8192] a device, 8-way on dimension 2: implied unsharded shape "
                                         "bf16[32,32,65536]"));
  CHECK_THAT(gathered, ContainsSubstring("GB/s nominal"));
}

TEST_CASE("explain: reductions in a wider type than the array's") {
  const char* const module = R"(HloModule m, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

widen {
  p = bf16[1024]{0} parameter(0)
  ROOT c = f32[1024]{0} convert(p)
}

ENTRY e {
  p = bf16[1024]{0} parameter(0)
  wide = f32[1024]{0} fusion(p), kind=kLoop, calls=widen
  sum = f32[1024]{0} all-reduce(wide), channel_id=1, replica_groups={}, use_global_device_ids=true, to_apply=add
  ROOT r = bf16[1024]{0} convert(sum)
}
)";
  CHECK_THAT(
      explained(module, "tpu_v5e"),
      ContainsSubstring("types: reduced as f32, converted from bf16: 32 bits of each element on the wire where 16"));
}

TEST_CASE("explain: groups in no line say so") {
  const std::string text = explained(
      "%all-reduce = f32[1024]{0} all-reduce(f32[1024]{0} %p), channel_id=1, replica_groups={{0,1,5},{2,3,4}}, "
      "use_global_device_ids=true, to_apply=%add",
      "tpu_v5e");
  CHECK_THAT(text, ContainsSubstring("2 groups of 3: irregular"));
  const std::string uneven = explained(
      "%all-reduce = f32[1024]{0} all-reduce(f32[1024]{0} %p), channel_id=1, replica_groups={{0,1,2},{3,4,5,6,7}}, "
      "use_global_device_ids=true, to_apply=%add",
      "tpu_v5e");
  CHECK_THAT(uneven, ContainsSubstring("2 groups of up to 5: irregular"));
  CHECK_THAT(text, ContainsSubstring("assumed: the groups are irregular"));
}

TEST_CASE("explain: where a group may lie is said if it matters") {
  const auto exchange = [](const std::string& groups, const std::string& device) {
    return explained(
        "%a = bf16[2048,4096]{1,0} all-to-all(bf16[2048,4096]{1,0} %p), channel_id=1, dimensions={0}, replica_groups=" +
            groups,
        device);
  };
  CHECK_THAT(exchange("[16,16]<=[256]", "tpu_v5e:16x16"),
             ContainsSubstring("placement: the text does not say which chips a group is on. Predicted: ") &&
                 ContainsSubstring(" on x (ring). Also possible: ") &&
                 ContainsSubstring(" on x (4 of 16) and y (4 of"));
  CHECK(exchange("[4,2]<=[8]", "tpu_v5e:2x4").find("placement:") == std::string::npos);
}

TEST_CASE("explain: one device has nothing to say") {
  const std::string text =
      explained("%all-reduce = f32[1024]{0} all-reduce(f32[1024]{0} %p), replica_groups={}, to_apply=%add", "tpu_v5e");
  CHECK_THAT(text, ContainsSubstring("no communication"));
}

TEST_CASE("explain: a transfer between slices") {
  const std::string attributes =
      "channel_id=1, is_host_transfer=true, frontend_attributes={_xla_host_transfer_handler_name="
      "\"xla_megascale_runtime\",_xla_host_transfer_rendezvous=\"k\",_xla_megascale_reduce_operation=\"SUM\","
      "_xla_megascale_target=\"{1,2}x{0:3}\",_xla_megascale_transfer_type=\"ALL_REDUCE\"}\n";
  const std::string program =
      "HloModule m, is_scheduled=true, num_partitions=4\nENTRY main {\n  x = f32[1024,1024] parameter(0)\n"
      "  tok = token[] after-all()\n  sent = (f32[1024,1024], u32[], token[]) send(x, tok), " +
      attributes + "  got = (f32[1024,1024], u32[], token[]) recv(tok), " + attributes +
      "  sd = token[] send-done(sent), channel_id=1\n  ROOT rd = (f32[1024,1024], token[]) recv-done(got), "
      "channel_id=1\n}\n";
  const std::string text = explained(program, "tpu_v5e");
  CHECK_THAT(text, ContainsSubstring("all-reduce of 4.00 MiB, asynchronous"));
  CHECK_THAT(text,
             ContainsSubstring("slices: 4 groups of 2 slices, one device of each; the program is that of one of 2"));
  CHECK_THAT(text, ContainsSubstring("pair: sent hands the data to the host and begins the transfer, got takes"));
  CHECK_THAT(text, ContainsSubstring("4.00 MiB sent by each device, 4.00 MiB over the busiest network link"));
  CHECK_THAT(text, ContainsSubstring("machine: 2x2*2; slices 2 on slice"));
}

}  // namespace
}  // namespace hloroof::internal
