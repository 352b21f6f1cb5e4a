// Along which axes values differ from device to device: a row for each way in which a value passes through a module of
// four by two devices, X outermost.
#include "lib/analysis/replication.h"

#include <string>

#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "lib/analysis/collectives.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr char kSum[] = "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n\n";

// The collectives that give the mesh its axes, in front of each case.
constexpr char kEntry[] =
    "ENTRY e {\n"
    "  x = f32[8,8] parameter(0), sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}\n"
    "  y = f32[8,8] parameter(1), sharding={devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}\n"
    "  xy = f32[8,8] parameter(2), sharding={devices=[4,2]<=[8]}\n"
    "  same = f32[8,8] parameter(3), sharding={replicated}\n"
    "  unsaid = f32[8,8] parameter(4)\n"
    "  over_x = f32[8,8] all-reduce(xy), channel_id=1, replica_groups=[2,4]<=[4,2]T(1,0), use_global_device_ids=true, "
    "to_apply=sum\n"
    "  over_y = f32[8,8] all-reduce(xy), channel_id=2, replica_groups=[4,2]<=[8], use_global_device_ids=true, "
    "to_apply=sum\n";

// "", "x", "y" or "xy": the axes along which the root of `text` differs; "?" if nothing is known.
std::string differing(const std::string& computations, const std::string& body,
                      const std::string& header = "num_partitions=8") {
  const auto module = parse_module("HloModule m, " + header + "\n\n" + kSum + computations + kEntry + body + "}\n");
  INFO(module.status());
  REQUIRE(module.ok());
  const CallGraph calls = analyze_calls(*module);
  const std::vector<Collective> collectives = find_collectives(*module);
  const LogicalMesh mesh = infer_mesh(*module, collectives);
  const std::vector<AxisSet> axes = differing_axes(*module, calls, mesh, collectives);
  if (axes.empty()) return "?";
  std::string text;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
    if ((axes[module->entry().root().id().index] >> i & 1) != 0) text += mesh.axes[i].stride == 1 ? "y" : "x";
  }
  return text;
}

TEST_CASE("a value differs along the axes of its sources") {
  const struct {
    const char* name;
    std::string computations, body, axes;
  } cases[] = {
      {"sharded over X", "", "  ROOT r = f32[8,8] negate(x)\n", "x"},
      {"sharded over Y", "", "  ROOT r = f32[8,8] negate(y)\n", "y"},
      {"sharded over both", "", "  ROOT r = f32[8,8] negate(xy)\n", "xy"},
      {"replicated", "", "  ROOT r = f32[8,8] negate(same)\n", ""},
      {"a parameter without a sharding", "", "  ROOT r = f32[8,8] negate(unsaid)\n", "xy"},
      {"of two", "", "  ROOT r = f32[8,8] add(x, same)\n", "x"},
      {"a constant", "", "  ROOT r = f32[] constant(1)\n", ""},
      {"the device's own number", "", "  ROOT r = u32[] partition-id()\n", "xy"},
      {"reduced over X", "", "  ROOT r = f32[8,8] negate(over_x)\n", "y"},
      {"reduced over Y", "", "  ROOT r = f32[8,8] negate(over_y)\n", "x"},
      {"gathered over X", "",
       "  ROOT r = f32[32,8] all-gather(x), channel_id=3, replica_groups=[2,4]<=[4,2]T(1,0), dimensions={0}, "
       "use_global_device_ids=true\n",
       ""},
      {"scattered over Y", "",
       "  ROOT r = f32[4,8] reduce-scatter(x), channel_id=3, replica_groups=[4,2]<=[8], dimensions={0}, "
       "use_global_device_ids=true, to_apply=sum\n",
       "xy"},
      {"exchanged over Y", "",
       "  ROOT r = f32[8,8] all-to-all(same), channel_id=3, replica_groups=[4,2]<=[8], dimensions={0}\n", "y"},
      {"sent to the next device", "",
       "  ROOT r = f32[8,8] collective-permute(same), channel_id=3, source_target_pairs={{0,1},{1,0}}\n", "xy"},
      {"an element of a tuple", "",
       "  t = (f32[8,8], f32[8,8]) tuple(x, same)\n  ROOT r = f32[8,8] get-tuple-element(t), index=1\n", ""},
      {"a fusion",
       "f {\n  p = f32[8,8] parameter(0)\n  q = f32[8,8] parameter(1)\n  ROOT r = f32[8,8] negate(q)\n}\n\n",
       "  ROOT r = f32[8,8] fusion(xy, y), kind=kLoop, calls=f\n", "y"},
      {"a value that a loop mixes into another",
       "body {\n  s = (s32[], f32[8,8], f32[8,8]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
       "  a = f32[8,8] get-tuple-element(s), index=1\n  b = f32[8,8] get-tuple-element(s), index=2\n"
       "  one = s32[] constant(1)\n  n = s32[] add(i, one)\n  c = f32[8,8] add(a, b)\n"
       "  ROOT t = (s32[], f32[8,8], f32[8,8]) tuple(n, c, b)\n}\n\n"
       "cond {\n  s = (s32[], f32[8,8], f32[8,8]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
       "  n = s32[] constant(9)\n  ROOT l = pred[] compare(i, n), direction=LT\n}\n\n",
       "  zero = s32[] constant(0)\n  t = (s32[], f32[8,8], f32[8,8]) tuple(zero, same, y)\n"
       "  w = (s32[], f32[8,8], f32[8,8]) while(t), condition=cond, body=body\n"
       "  ROOT r = f32[8,8] get-tuple-element(w), index=1\n",
       "y"},
      {"a branch that the device's number chooses",
       "left {\n  ROOT p = f32[8,8] parameter(0)\n}\n\nright {\n  ROOT p = f32[8,8] parameter(0)\n}\n\n",
       "  id = u32[] partition-id()\n  which = s32[] convert(id)\n"
       "  ROOT r = f32[8,8] conditional(which, same, same), branch_computations={left, right}\n",
       "xy"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(differing(c.computations, c.body) == c.axes);
  }
}

TEST_CASE("a value passes through any number of fusions in a row") {
  std::string computations;
  std::string body;
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i);
    computations += "fused." + n + " {\n  p = f32[8,8] parameter(0)\n  ROOT n = f32[8,8] negate(p)\n}\n\n";
    body += (i == 299 ? "  ROOT f." : "  f.") + n + " = f32[8,8] fusion(" +
            (i == 0 ? "x" : "f." + std::to_string(i - 1)) + "), kind=kLoop, calls=fused." + n + "\n";
  }
  CHECK(differing(computations, body) == "x");
}

TEST_CASE("a value passes through any number of fusions inside one another") {
  std::string computations = "fused.0 {\n  p = f32[8,8] parameter(0)\n  ROOT n = f32[8,8] negate(p)\n}\n\n";
  for (int i = 1; i < 300; ++i) {
    computations += "fused." + std::to_string(i) +
                    " {\n  p = f32[8,8] parameter(0)\n  ROOT f = f32[8,8] fusion(p), kind=kLoop, calls=fused." +
                    std::to_string(i - 1) + "\n}\n\n";
  }
  CHECK(differing(computations, "  ROOT f = f32[8,8] fusion(x), kind=kLoop, calls=fused.299\n") == "x");
}

TEST_CASE("with several replicas nothing is known") {
  CHECK(differing("", "  ROOT r = f32[8,8] negate(same)\n", "num_partitions=8, replica_count=2") == "?");
}

}  // namespace
}  // namespace hloroof::internal
