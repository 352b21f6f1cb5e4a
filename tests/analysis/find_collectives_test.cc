// Collectives in every form in which compilers leave them.
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/attributes.h"
#include "hloroof/parse.h"
#include "lib/analysis/collectives.h"
#include "lib/analysis/mesh.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

// A module of 8 devices whose entry has these lines; `callees` are computations before it.
Module module_of(const std::string& lines, const std::string& callees = "",
                 const std::string& header = "num_partitions=8") {
  return parsed("HloModule m, is_scheduled=true, " + header +
                "\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n\n" +
                callees +
                "\nENTRY e {\n  p = f32[8,128]{1,0} parameter(0)\n  q = f32[64,128]{1,0} parameter(1)\n  t = token[] "
                "after-all()\n" +
                lines + "}\n");
}

// "all-gather 32768 B x8 by start, awaited by done"
std::string summary(const Module& module, const Collective& c) {
  std::string text = std::string(to_string(c.kind)) + " " + std::to_string(static_cast<std::int64_t>(c.bytes)) +
                     " B x" + std::to_string(c.groups.group_size) + " by " +
                     std::string(module.instruction(c.carrier).name());
  if (c.done.valid()) text += ", awaited by " + std::string(module.instruction(c.done).name());
  if (c.arrays > 1) text += ", " + std::to_string(c.arrays) + " arrays";
  return text;
}

std::vector<std::string> found(const Module& module) {
  std::vector<std::string> all;
  for (const Collective& c : find_collectives(module)) all.push_back(summary(module, c));
  return all;
}

const std::string kGroups = "channel_id=1, replica_groups=[1,8]<=[8], use_global_device_ids=true";
const std::string kSemaphores = "s32[2]{0:S(4)}, u32[]{:S(2)}";

struct Form {
  std::string lines;
  std::string callees;
  std::vector<std::string> collectives;
};

const Form kForms[] = {
    {"ROOT g = f32[64,128]{1,0} all-gather(p), dimensions={0}, " + kGroups, "", {"all-gather 32768 B x8 by g"}},
    {"s = (f32[8,128]{1,0}, f32[64,128]{1,0}) all-gather-start(p), dimensions={0}, " + kGroups +
         "\nROOT d = f32[64,128]{1,0} all-gather-done(s)",
     "",
     {"all-gather 32768 B x8 by s, awaited by d"}},
    {"s = f32[64,128]{1,0} all-reduce-start(q), to_apply=sum, " + kGroups +
         "\nROOT d = f32[64,128]{1,0} all-reduce-done(s)",
     "",
     {"all-reduce 32768 B x8 by s, awaited by d"}},
    {"ROOT r = (f32[64,128]{1,0}, f32[8,128]{1,0}) all-reduce(q, p), to_apply=sum, " + kGroups,
     "",
     {"all-reduce 36864 B x8 by r, 2 arrays"}},
    {"ROOT r = f32[8,128]{1,0} reduce-scatter(q), dimensions={0}, to_apply=sum, " + kGroups,
     "",
     {"reduce-scatter 32768 B x8 by r"}},
    {"s = ((f32[64,128]{1,0}), f32[8,128]{1,0}) reduce-scatter-start(q), dimensions={0}, to_apply=sum, " + kGroups +
         "\nROOT d = f32[8,128]{1,0} reduce-scatter-done(s)",
     "",
     {"reduce-scatter 32768 B x8 by s, awaited by d"}},
    {"s = ((f32[64,128]{1,0}), f32[64,128]{1,0}, s32[]) async-start(q), calls=wrapped\n"
     "u = ((f32[64,128]{1,0}), f32[64,128]{1,0}, s32[]) async-update(s)\n"
     "ROOT d = f32[64,128]{1,0} async-done(u)",
     "wrapped {\n  x = f32[64,128]{1,0} parameter(0)\n  ROOT a = f32[64,128]{1,0} all-to-all(x), dimensions={0}, "
     "channel_id=1, replica_groups=[1,8]<=[8]\n}\n",
     {"all-to-all 32768 B x8 by s, awaited by d"}},
    // The program of a SparseCore: the thread calls the computation that has the collective.
    {"s = ((f32[8,128]{1,0}), f32[64,128]{1,0}, s32[]) async-start(p), async_execution_thread=\"sparsecore\", "
     "calls=wrapped\nROOT d = f32[64,128]{1,0} async-done(s)",
     "called {\n  x = f32[8,128]{1,0} parameter(0)\n  ROOT g = f32[64,128]{1,0} all-gather(x), dimensions={0}, " +
         kGroups +
         "\n}, execution_thread=\"sparsecore\"\n\n"
         "wrapped {\n  x = f32[8,128]{1,0} parameter(0)\n  ROOT c = f32[64,128]{1,0} call(x), to_apply=called\n}, "
         "execution_thread=\"sparsecore\"\n",
     {"all-gather 32768 B x8 by s, awaited by d"}},
    // The same when libtpu has compiled the program: a custom call names its binary.
    {"s = ((f32[8,128]{1,0}), f32[64,128]{1,0}, s32[]) async-start(p), async_execution_thread=\"sparsecore\", "
     "calls=wrapped\nROOT d = f32[64,128]{1,0} async-done(s)",
     "called {\n  x = f32[8,128]{1,0} parameter(0)\n  ROOT g = f32[64,128]{1,0} all-gather(x), dimensions={0}, " +
         kGroups +
         "\n}, execution_thread=\"sparsecore\"\n\n"
         "wrapped {\n  x = f32[8,128]{1,0} parameter(0)\n  ROOT c = f32[64,128]{1,0} custom-call(x), "
         "custom_call_target=\"b\", called_computations={called}\n}, execution_thread=\"sparsecore\"\n",
     {"all-gather 32768 B x8 by s, awaited by d"}},
    {"ROOT f = f32[64,128]{1,0} fusion(p), kind=kCustom, calls=outer",
     "inner {\n  x = f32[8,128]{1,0} parameter(0)\n  ROOT g = f32[64,128]{1,0} all-gather(x), dimensions={0}, " +
         kGroups +
         "\n}\n\nouter {\n  x = f32[8,128]{1,0} parameter(0)\n  ROOT c = f32[64,128]{1,0} fusion(x), kind=kLoop, "
         "calls=inner\n}\n",
     {"all-gather 32768 B x8 by f"}},
    {"o = s64[8]{0} parameter(2)\nROOT a = f32[64,128]{1,0} ragged-all-to-all(q, q, o, o, o, o), channel_id=1, "
     "replica_groups=[1,8]<=[8]",
     "",
     {"ragged-all-to-all 32768 B x8 by a"}},
    {"ROOT b = f32[64,128]{1,0} collective-broadcast(q), channel_id=1, replica_groups=[1,8]<=[8]",
     "",
     {"collective-broadcast 32768 B x8 by b"}},
    {"s = (f32[64,128]{1,0}, f32[64,128]{1,0}, u32[], u32[]) collective-permute-start(q), channel_id=1, "
     "source_target_pairs={{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7},{7,0}}\n"
     "ROOT d = f32[64,128]{1,0} collective-permute-done(s)",
     "",
     {"collective-permute 32768 B x8 by s, awaited by d"}},
    {"s = (f32[64,128]{1,0}, u32[], token[]) send(q, t), channel_id=1\nsd = token[] send-done(s), channel_id=1\n"
     "r = (f32[64,128]{1,0}, u32[], token[]) recv(sd), channel_id=2\n"
     "ROOT rd = (f32[64,128]{1,0}, token[]) recv-done(r), channel_id=2",
     "",
     {"send 32768 B x1 by s, awaited by sd", "recv 32768 B x1 by r, awaited by rd"}},
    // The reduce-scatter of TPU dumps: an all-reduce of which a fusion keeps a slice.
    {"ROOT f = f32[8,128]{1,0} fusion(q), kind=kCustom, calls=all-reduce-scatter",
     "all-reduce-scatter {\n  x = f32[64,128]{1,0} parameter(0)\n  r = f32[64,128]{1,0} all-reduce(x), "
     "to_apply=sum, " +
         kGroups +
         "\n  i = s32[] constant(0)\n  ROOT d = f32[8,128]{1,0} dynamic-slice(r, i, i), "
         "dynamic_slice_sizes={8,128}\n}\n",
     {"reduce-scatter 32768 B x8 by f"}},
    // A gather cut into steps: the start, a matmul that carries it on, the end.
    {"s = (f32[8,128]{1,0}, f32[64,128]{1,0}, " + kSemaphores +
         ") fusion(p), kind=kCustom, calls=start\n"
         "x = f32[64,128]{1,0} get-tuple-element(s), index=1\n"
         "flag = u32[]{:S(2)} get-tuple-element(s), index=3\n"
         "step = f32[64,128]{1,0} fusion(x, q, flag), kind=kOutput, calls=carried\n"
         "ROOT d = f32[64,128]{1,0} fusion(step), kind=kCustom, calls=ended",
     "start {\n  x = f32[8,128]{1,0} parameter(0)\n  g = f32[64,128]{1,0} all-gather(x), dimensions={0}, " + kGroups +
         "\n  ROOT c = (f32[8,128]{1,0}, f32[64,128]{1,0}, " + kSemaphores +
         ") custom-call(g), custom_call_target=\"AsyncCollectiveStart\"\n}\n\n"
         "carried {\n  x = f32[64,128]{1,0} parameter(0)\n  y = f32[64,128]{1,0} parameter(1)\n  f = u32[]{:S(2)} "
         "parameter(2)\n  h = f32[8,128]{1,0} slice(x), slice={[0:8], [0:128]}\n  g = f32[64,128]{1,0} "
         "all-gather(h), "
         "dimensions={0}, " +
         kGroups +
         "\n  ROOT m = f32[64,128]{1,0} multiply(g, y)\n}\n\n"
         "ended {\n  x = f32[64,128]{1,0} parameter(0)\n  h = f32[8,128]{1,0} slice(x), slice={[0:8], [0:128]}\n"
         "  g = f32[64,128]{1,0} all-gather(h), dimensions={0}, " +
         kGroups + "\n  ROOT c = f32[64,128]{1,0} custom-call(g), custom_call_target=\"AsyncCollectiveDone\"\n}\n",
     {"all-gather 32768 B x8 by s, awaited by d"}},
};

TEST_CASE("Every form of a collective is found once") {
  for (const Form& form : kForms) {
    INFO(form.lines);
    CHECK(found(module_of(form.lines + "\n", form.callees)) == form.collectives);
  }
}

TEST_CASE("A collective in a loop of another thread runs once for each trip and each call") {
  const Module module = module_of(
      "s = ((f32[64,128]{1,0}), f32[64,128]{1,0}, s32[]) async-start(q), async_execution_thread=\"sparsecore\", "
      "calls=wrapped\nROOT d = f32[64,128]{1,0} async-done(s)\n",
      "body {\n  x = f32[64,128]{1,0} parameter(0)\n  ROOT r = f32[64,128]{1,0} all-reduce(x), to_apply=sum, " +
          kGroups +
          "\n}, execution_thread=\"sparsecore\"\n\n"
          "goes_on {\n  x = f32[64,128]{1,0} parameter(0)\n  ROOT t = pred[] constant(true)\n}, "
          "execution_thread=\"sparsecore\"\n\n"
          "called {\n  x = f32[64,128]{1,0} parameter(0)\n  ROOT w = f32[64,128]{1,0} while(x), condition=goes_on, "
          "body=body, backend_config={\"known_trip_count\":{\"n\":\"3\"}}\n}, execution_thread=\"sparsecore\"\n\n"
          "wrapped {\n  x = f32[64,128]{1,0} parameter(0)\n  c = f32[64,128]{1,0} call(x), to_apply=called\n"
          "  ROOT e = f32[64,128]{1,0} call(c), to_apply=called\n}, execution_thread=\"sparsecore\"\n");
  const std::vector<Collective> all = find_collectives(module);
  REQUIRE(all.size() == 1);
  CHECK(all[0].runs == 6);
}

TEST_CASE("Groups of replicas and partitions are groups of devices") {
  struct Row {
    std::string attributes;
    std::string mode;
    std::int64_t size;
    std::int64_t count;
    std::string mesh;
  };
  // 2 replicas of 4 partitions: device = replica * 4 + partition.
  const Row rows[] = {
      {"replica_groups={{0,1}}", "cross_replica", 2, 4, "2-way stride-4 axis x 4-way stride-1 axis"},
      {"replica_groups={}", "cross_replica", 2, 4, "2-way stride-4 axis x 4-way stride-1 axis"},
      {"channel_id=1, replica_groups={{0},{1}}", "cross_replica_and_partition", 4, 2,
       "2-way stride-4 axis x 4-way stride-1 axis"},
      {"channel_id=1, replica_groups={{0,1}}", "cross_replica_and_partition", 8, 1, "8-way stride-1 axis"},
      {"channel_id=1, replica_groups={{0,2,4,6},{1,3,5,7}}, use_global_device_ids=true", "flattened_id", 4, 2,
       "4-way stride-2 axis x 2-way stride-1 axis"},
      {"channel_id=1, replica_groups=mesh['data'=2,'model'=4] {'model'}, use_global_device_ids=true", "flattened_id", 4,
       2, "data 2 (stride 4) x model 4 (stride 1)"},
  };
  for (const Row& row : rows) {
    INFO(row.attributes);
    const Module module = module_of("ROOT r = f32[64,128]{1,0} all-reduce(q), to_apply=sum, " + row.attributes + "\n",
                                    "", "replica_count=2, num_partitions=4");
    const std::vector<Collective> collectives = find_collectives(module);
    REQUIRE(collectives.size() == 1);
    CHECK(group_mode_name(collectives[0].groups.mode) == row.mode);
    CHECK(collectives[0].groups.group_size == row.size);
    CHECK(collectives[0].groups.group_count == row.count);
    CHECK(infer_mesh(module, collectives).to_string() == row.mesh);
  }
}

TEST_CASE("A send and a recv with the pairs of the permutation they stand for join its groups") {
  const std::string pairs =
      "channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,2},{2,4},{4,6},{1,3}}}";
  const Module module = module_of("r = (f32[8,128]{1,0}, u32[], token[]) recv(t), " + pairs +
                                  "\ns = (f32[8,128]{1,0}, u32[], token[]) send(p, t), " + pairs +
                                  "\nrd = (f32[8,128]{1,0}, token[]) recv-done(r), channel_id=1"
                                  "\nROOT sd = token[] send-done(s), channel_id=1\n");
  const std::vector<Collective> collectives = find_collectives(module);
  REQUIRE(collectives.size() == 2);
  for (const Collective& c : collectives) {
    CHECK(c.pairs == source_target_pairs(module.instruction(c.instruction)));
    CHECK(c.pairs.size() == 4);
    CHECK(c.groups.group_size == 4);
  }
}

TEST_CASE("After an edit the computations that it reaches are read again") {
  const Module module = module_of(
      "g = f32[64,128]{1,0} all-gather(p), dimensions={0}, " + kGroups +
          "\nROOT c = f32[64,128]{1,0} call(g), to_apply=called\n",
      "fused {\n  x = f32[64,128]{1,0} parameter(0)\n  ROOT r = f32[64,128]{1,0} all-reduce(x), to_apply=sum, " +
          kGroups +
          "\n}\n\ncalled {\n  y = f32[64,128]{1,0} parameter(0)\n  ROOT f = f32[64,128]{1,0} fusion(y), "
          "kind=kLoop, calls=fused\n}\n");
  const CallGraph calls = analyze_calls(module);
  CollectiveRecord record;
  const std::vector<Collective> known = find_collectives(module, calls, record);
  REQUIRE(known.size() == 2);  // of the entry, and of the computation that it calls
  const auto search_again = [&] {
    const CollectivesAgain again = find_collectives_again(module, calls, known, {}, /*others=*/true, record);
    CHECK(again.are_all(known.size()));
    return again.read;
  };
  CHECK(search_again().empty());
  record.edited_in(module.entry().id());
  std::vector<IndexRange> read = search_again();
  REQUIRE(read.size() == 1);
  CHECK(read[0].begin == 0);
  CHECK(read[0].end == 1);
  for (ComputationView computation : module.computations()) {
    if (computation.name() == "fused") record.edited_in(computation.id());
  }
  read = search_again();
  REQUIRE(read.size() == 1);
  CHECK(read[0].begin == 1);
  CHECK(read[0].end == 2);
  CHECK(search_again().empty());
}

}  // namespace
}  // namespace hloroof::internal
