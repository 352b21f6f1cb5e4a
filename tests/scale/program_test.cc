// Small programs at another size: what changes, and what is refused.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "hloroof/print.h"
#include "lib/scale/scale.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// A program for 8 devices. Parameter 0 is state, of which each device has a shard of 128 rows, and parameter 1 a batch.
std::string program(const std::string& instructions, const std::string& before = "") {
  return "HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, num_partitions=8\n\n" +
         before +
         "ENTRY %main {\n"
         "  %w = f32[128,256]{1,0} parameter(0), sharding={devices=[8,1]<=[8]}\n"
         "  %x = f32[4,1024]{1,0} parameter(1), sharding={devices=[8,1]<=[8]}\n"
         "  %all = f32[1024,256]{1,0} all-gather(%w), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, "
         "use_global_device_ids=true\n" +
         instructions + "}\n";
}

const std::string kRoot = "  ROOT %r = (f32[128,256]{1,0}, f32[4,256]{1,0}) tuple(%w, %y)\n";
const std::string kDot =
    "  %y = f32[4,256]{1,0} dot(%x, %all), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" + kRoot;
const std::string kAdd =
    "%add {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n  ROOT %s = f32[] add(%a, %b)\n}\n\n";

const std::string kSharding = ", sharding={devices=[8,1]<=[8]}";

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part)) text.erase(at, part.size());
  return text;
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), by);
}

absl::StatusOr<ScaledProgram> scaled(const std::string& text, const ScaleRequest& request) {
  const absl::StatusOr<Module> module = parse_module(text);
  REQUIRE(module.ok());
  return scale_program(*module, request);
}

ScaleRequest axis(std::int64_t size) { return {{{"0", size}}, std::nullopt, std::nullopt}; }
ScaleRequest batch(std::int64_t to, std::int64_t from = 1) { return {{}, Ratio{to, from}, std::nullopt}; }

ScaleRequest shards(std::vector<SharedDimension> stated, std::int64_t size) {
  ScaleRequest request = axis(size);
  request.shards = std::move(stated);
  return request;
}

const std::string kRing = "{{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7},{7,0}}";

// A loop over a block that each trip passes on: `given` is what it passes on, the block %v or what it computed, %e.
std::string ring(const std::string& trips, const std::string& given) {
  return program(
      "  %zero = s32[] constant(0)\n  %init = (s32[], f32[128,256]{1,0}) tuple(%zero, %w)\n"
      "  %loop = (s32[], f32[128,256]{1,0}) while(%init), condition=%cond, body=%body, "
      "backend_config={\"known_trip_count\":{\"n\":\"" +
          trips +
          "\"}}\n"
          "  %y = f32[128,256]{1,0} get-tuple-element(%loop), index=1\n"
          "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%y, %x)\n",
      "%body {\n  %p = (s32[], f32[128,256]{1,0}) parameter(0)\n"
      "  %i = s32[] get-tuple-element(%p), index=0\n  %one = s32[] constant(1)\n  %n = s32[] add(%i, %one)\n"
      "  %v = f32[128,256]{1,0} get-tuple-element(%p), index=1\n  %e = f32[128,256]{1,0} exponential(%v)\n"
      "  %q = f32[128,256]{1,0} collective-permute(" +
          given + "), channel_id=2, source_target_pairs=" + kRing +
          "\n  %c = f32[128,256]{1,0} copy(%q)\n"
          "  ROOT %t = (s32[], f32[128,256]{1,0}) tuple(%n, %c)\n}\n\n"
          "%cond {\n  %p = (s32[], f32[128,256]{1,0}) parameter(0)\n"
          "  %i = s32[] get-tuple-element(%p), index=0\n  %k = s32[] constant(" +
          trips + ")\n  ROOT %l = pred[] compare(%i, %k), direction=LT\n}\n\n");
}

// A ring whose rounds take one slice of a stack each.
std::string ring_over_stack() {
  const std::string tuple = "(s32[], f32[128,256]{1,0}, f32[8,4,128]{2,1,0}, f32[4,256]{1,0})";
  return program(
      "  %stack = f32[8,4,128]{2,1,0} reshape(%x)\n  %none = f32[] constant(0)\n  %zeros = f32[4,256]{1,0} "
      "broadcast(%none), dimensions={}\n"
      "  %zero = s32[] constant(0)\n  %init = " +
          tuple + " tuple(%zero, %w, %stack, %zeros)\n  %loop = " + tuple +
          " while(%init), condition=%cond, body=%body\n"
          "  %y = f32[4,256]{1,0} get-tuple-element(%loop), index=3\n" +
          kRoot,
      "%body {\n  %p = " + tuple +
          " parameter(0)\n  %i = s32[] get-tuple-element(%p), index=0\n  %one = s32[] constant(1)\n"
          "  %n = s32[] add(%i, %one)\n  %zero = s32[] constant(0)\n"
          "  %v = f32[128,256]{1,0} get-tuple-element(%p), index=1\n"
          "  %s = f32[8,4,128]{2,1,0} get-tuple-element(%p), index=2\n"
          "  %a = f32[4,256]{1,0} get-tuple-element(%p), index=3\n"
          "  %slice = f32[1,4,128]{2,1,0} dynamic-slice(%s, %i, %zero, %zero), dynamic_slice_sizes={1,4,128}\n"
          "  %x = f32[4,128]{1,0} reshape(%slice)\n"
          "  %y = f32[4,256]{1,0} dot(%x, %v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
          "  %sum = f32[4,256]{1,0} add(%a, %y)\n"
          "  %q = f32[128,256]{1,0} collective-permute(%v), channel_id=2, source_target_pairs=" +
          kRing + "\n  ROOT %t = " + tuple + " tuple(%n, %q, %s, %sum)\n}\n\n%cond {\n  %p = " + tuple +
          " parameter(0)\n  %i = s32[] get-tuple-element(%p), index=0\n  %k = s32[] constant(8)\n"
          "  ROOT %l = pred[] compare(%i, %k), direction=LT\n}\n\n");
}

// Layers that pass on what they computed, with a slice of the state each.
std::string layers_that_pass(const std::string& alias) {
  const std::string tuple = "(s32[], f32[4,256]{1,0}, f32[6,32,256]{2,1,0})";
  return "HloModule m, is_scheduled=true, " + alias + "num_partitions=8\n\n%body {\n  %p = " + tuple +
         " parameter(0)\n  %i = s32[] get-tuple-element(%p), index=0\n  %one = s32[] constant(1)\n"
         "  %n = s32[] add(%i, %one)\n  %zero = s32[] constant(0)\n"
         "  %x = f32[4,256]{1,0} get-tuple-element(%p), index=1\n"
         "  %s = f32[6,32,256]{2,1,0} get-tuple-element(%p), index=2\n"
         "  %slice = f32[1,32,256]{2,1,0} dynamic-slice(%s, %i, %zero, %zero), dynamic_slice_sizes={1,32,256}\n"
         "  %w = f32[32,256]{1,0} reshape(%slice)\n"
         "  %all = f32[256,256]{1,0} all-gather(%w), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, "
         "use_global_device_ids=true\n"
         "  %y = f32[4,256]{1,0} dot(%x, %all), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
         "  %q = f32[4,256]{1,0} collective-permute(%y), channel_id=2, source_target_pairs=" +
         kRing + "\n  %both = f32[4,512]{1,0} concatenate(%q, %y), dimensions={1}\n" +
         "  %next = f32[4,256]{1,0} slice(%both), slice={[0:4], [128:384]}\n  ROOT %t = " + tuple +
         " tuple(%n, %next, %s)\n}\n\n%cond {\n  %p = " + tuple +
         " parameter(0)\n  %i = s32[] get-tuple-element(%p), index=0\n  %k = s32[] constant(6)\n"
         "  ROOT %l = pred[] compare(%i, %k), direction=LT\n}\n\nENTRY %main {\n"
         "  %w = f32[6,32,256]{2,1,0} parameter(0), sharding={devices=[1,8,1]<=[8]}\n"
         "  %x = f32[4,256]{1,0} parameter(1), sharding={devices=[8,1]<=[8]}\n  %zero = s32[] constant(0)\n"
         "  %init = " +
         tuple + " tuple(%zero, %x, %w)\n  %loop = " + tuple +
         " while(%init), condition=%cond, body=%body\n  %y = f32[4,256]{1,0} get-tuple-element(%loop), index=1\n"
         "  ROOT %r = (f32[6,32,256]{2,1,0}, f32[4,256]{1,0}) tuple(%w, %y)\n}\n";
}

const std::string kAlias = "input_output_alias={ {0}: (0, {}, may-alias) }, ";

// A scattered sum whose shards were rounded up, and from which the neighbor takes what is too much.
const std::string kRounded =
    "  %x0 = f32[] constant(1)\n  %large = f32[1056,256]{1,0} broadcast(%x0), dimensions={}\n"
    "  %id = u32[] partition-id()\n  %c132 = u32[] constant(132)\n  %start = u32[] multiply(%id, %c132)\n"
    "  %z = u32[] constant(0)\n"
    "  %rounded = f32[132,256]{1,0} dynamic-slice(%large, %start, %z), dynamic_slice_sizes={132,256}\n"
    "  %edge = f32[28,256]{1,0} slice(%rounded), slice={[104:132], [0:256]}\n"
    "  %from = f32[28,256]{1,0} collective-permute(%edge), channel_id=2, "
    "source_target_pairs={{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}\n"
    "  %both = f32[160,256]{1,0} concatenate(%from, %rounded), dimensions={0}\n"
    "  %c4 = u32[] constant(4)\n  %less = u32[] multiply(%id, %c4)\n  %c28 = u32[] constant(28)\n"
    "  %at = u32[] subtract(%c28, %less)\n"
    "  %part = f32[128,256]{1,0} dynamic-slice(%both, %at, %z), dynamic_slice_sizes={128,256}\n"
    "  %sum = f32[128,256]{1,0} add(%w, %part)\n"
    "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%sum, %x)\n";

struct Case {
  const char* name;
  std::string text;
  ScaleRequest request;
  std::vector<std::string> has;  // in the text of the scaled program
};

TEST_CASE("what changes in a program") {
  const std::string scattered =
      "  %g = f32[1024,256]{1,0} dot(%x, %x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n";
  // A weight is contracted with a computed value.
  const std::string computed =
      "  %v = f32[1024,1024]{1,0} parameter(2)\n"
      "  %e = f32[4,1024]{1,0} dot(%x, %v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" +
      replaced(kDot, "dot(%x,", "dot(%e,");
  const Case cases[] = {
      {"shards of the state shrink, what is gathered stays",
       program(kDot),
       axis(32),
       {"num_partitions=32", "f32[32,256]{1,0} parameter(0), sharding={devices=[32,1]<=[32]}",
        "f32[4,1024]{1,0} parameter(1)", "f32[1024,256]{1,0} all-gather(%w)", "replica_groups=[1,32]<=[32]",
        "f32[4,256]{1,0} dot("}},
      {"shards that only a gather shows",
       without(program(kDot), kSharding),
       axis(16),
       {"f32[64,256]{1,0} parameter(0)", "f32[4,1024]{1,0} parameter(1)", "f32[1024,256]{1,0} all-gather("}},
      {"an axis may shrink", program(kDot), axis(2), {"f32[512,256]{1,0} parameter(0)", "replica_groups=[1,2]<=[2]"}},
      {"a batch grows through a product",
       program(kDot),
       batch(3),
       {"f32[128,256]{1,0} parameter(0)", "f32[12,1024]{1,0} parameter(1)", "f32[12,256]{1,0} dot("}},
      {"what the compiler estimated is no estimate of the other size",
       program("  %y = f32[4,256]{1,0} dot(%x, %all), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
               "backend_config={\"window_config\":{\"estimated_cycles\":\"17\"}}\n" +
               kRoot),
       batch(2),
       {"\"estimated_cycles\":\"9223372036854775807\""}},
      {"both",
       program(kDot),
       {{{"0", 16}}, Ratio{1, 2}, std::nullopt},
       {"f32[64,256]{1,0} parameter(0)", "f32[2,256]{1,0} dot("}},
      {"scattered sums",
       program("  %wide = f32[1024,256]{1,0} broadcast(%x0), dimensions={}\n"
               "  %part = f32[128,256]{1,0} reduce-scatter(%wide), channel_id=2, replica_groups=[1,8]<=[8], "
               "dimensions={0}, use_global_device_ids=true, to_apply=%add\n"
               "  %sum = f32[128,256]{1,0} add(%w, %part)\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[1024,256]{1,0}) tuple(%sum, %all)\n",
               kAdd),
       axis(16),
       {"f32[1024,256]{1,0} broadcast(", "f32[64,256]{1,0} reduce-scatter(", "f32[64,256]{1,0} add("}},
      {"the shard of a device by its number",
       program("  %id = u32[] partition-id()\n  %size = u32[] constant(128)\n  %zero = u32[] constant(0)\n"
               "  %start = u32[] multiply(%id, %size)\n"
               "  %part = f32[128,256]{1,0} dynamic-slice(%all, %start, %zero), dynamic_slice_sizes={128,256}\n"
               "  %sum = f32[128,256]{1,0} add(%w, %part)\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%sum, %x)\n"),
       axis(16),
       {"f32[64,256]{1,0} dynamic-slice(", "dynamic_slice_sizes={64,256}", "u32[] constant(64)"}},
      {"a table of shards",
       program("  %id = u32[] partition-id()\n  %table = s32[8]{0} constant({0, 128, 256, 384, 512, 640, 768, 896})\n"
               "  %at = s32[1]{0} dynamic-slice(%table, %id), dynamic_slice_sizes={1}\n"
               "  %start = s32[] reshape(%at)\n  %zero = s32[] constant(0)\n"
               "  %part = f32[128,256]{1,0} dynamic-slice(%all, %start, %zero), dynamic_slice_sizes={128,256}\n"
               "  %sum = f32[128,256]{1,0} add(%w, %part)\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%sum, %x)\n"),
       axis(16),
       {"s32[16]{0} constant({0, 128,", "1920})", "f32[64,256]{1,0} dynamic-slice(%all"}},
      {"dimensions that are merged and split",
       program("  %flat = f32[32768]{0} reshape(%w)\n  %square = f32[128,16,16]{2,1,0} reshape(%flat)\n"
               "  %back = f32[16,128,16]{2,1,0} transpose(%square), dimensions={1,0,2}\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[16,128,16]{2,1,0}) tuple(%w, %back)\n"),
       axis(16),
       {"f32[16384]{0} reshape(", "f32[64,16,16]{2,1,0} reshape(", "f32[16,64,16]{2,1,0} transpose("}},
      {"a bitcast that transposes",
       program("  %turned = f32[256,128]{0,1} bitcast(%w)\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[256,128]{0,1}) tuple(%w, %turned)\n"),
       axis(16),
       {"f32[256,64]{0,1} bitcast("}},
      {"even parts of a dimension",
       program("  %half = f32[64,256]{1,0} slice(%w), slice={[64:128], [0:256]}\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[64,256]{1,0}) tuple(%w, %half)\n"),
       axis(16),
       {"f32[32,256]{1,0} slice(%w), slice={[32:64], [0:256]}"}},
      {"a convolution over the batch",
       program("  %t = f32[4,1024,8]{2,1,0} broadcast(%x), dimensions={0,1}\n"
               "  %y = f32[8,8,1]{2,1,0} convolution(%t, %t), window={size=4}, dim_labels=0fb_0io->bf0\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[8,8,1]{2,1,0}) tuple(%w, %y)\n"),
       batch(2),
       {"f32[8,1024,8]{2,1,0} broadcast(", "window={size=8}, dim_labels=0fb_0io->bf0"}},
      {"a free dimension of a convolution",
       program("  %k = f32[1,1024,1]{2,1,0} broadcast(%x0), dimensions={}\n"
               "  %t = f32[4,1024,1]{2,1,0} reshape(%x)\n"
               "  %y = f32[1,4,1]{2,1,0} convolution(%k, %t), window={size=4 pad=3_3 rhs_reversal=1}, "
               "dim_labels=0fb_0io->b0f\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[1,4,1]{2,1,0}) tuple(%w, %y)\n"),
       batch(2),
       {"f32[1,8,1]{2,1,0} convolution(", "window={size=8 pad=7_7 rhs_reversal=1}"}},
      {"neighbors that exchange their edges",
       program("  %a = f32[4,1024]{1,0} collective-permute(%x), channel_id=2, source_target_pairs=" + kRing +
               "\n  %y = f32[4,1024]{1,0} collective-permute(%x), channel_id=3, "
               "source_target_pairs={{1,0},{2,1},{3,2},{4,3},{5,4},{6,5},{7,6}}\n"
               "  %s = f32[4,1024]{1,0} add(%a, %y)\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%w, %s)\n"),
       axis(4),
       {"source_target_pairs={{0,1},{1,2},{2,3},{3,0}}", "source_target_pairs={{1,0},{2,1},{3,2}}"}},
      {"a shift by several places",
       program("  %y = f32[4,1024]{1,0} collective-permute(%x), channel_id=2, "
               "source_target_pairs={{0,5},{1,6},{2,7},{3,0},{4,1},{5,2},{6,3},{7,4}}\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%w, %y)\n"),
       axis(4),
       {"source_target_pairs={{0,1},{1,2},{2,3},{3,0}}"}},
      {"a ring in a loop",
       ring("8", "%v"),
       axis(16),
       {"f32[64,256]{1,0} collective-permute(", "{14,15},{15,0}}", "constant(16)",
        "\"known_trip_count\":{\"n\":\"16\"}"}},
      {"a ring of blocks of state, whose shardings are not stated",
       without(ring("8", "%v"), kSharding),
       axis(16),
       {"f32[64,256]{1,0} parameter(0)", "f32[4,1024]{1,0} parameter(1)", "constant(16)"}},
      {"a ring of sums", ring("8", "%e"), axis(16), {"constant(16)"}},
      {"a ring that was unrolled",
       replaced(replaced(replaced(ring("4", "%q0"), "  %q =",
                                  "  %q0 = f32[128,256]{1,0} collective-permute(%v), channel_id=4, "
                                  "source_target_pairs=" +
                                      kRing + "\n  %q ="),
                         "%one = s32[] constant(1)", "%one = s32[] constant(2)"),
                "%k = s32[] constant(4)", "%k = s32[] constant(8)"),
       axis(16),
       {"s32[] constant(16)", "\"known_trip_count\":{\"n\":\"8\"}"}},
      {"a ring without its last pass", ring("7", "%v"), axis(4), {"f32[256,256]{1,0} copy(", "constant(3)"}},
      {"layers that pass on what they computed are as many",
       layers_that_pass(kAlias),
       axis(16),
       {"f32[6,16,256]{2,1,0} parameter(0)", "s32[] constant(6)", "{14,15},{15,0}}"}},
      {"shards that were rounded up",
       program(kRounded),
       axis(4),
       {"f32[264,256]{1,0} dynamic-slice(", "f32[56,256]{1,0} collective-permute(", "slice={[208:264], [0:256]}",
        "f32[320,256]{1,0} concatenate(", "f32[256,256]{1,0} dynamic-slice("}},
      {"state that no result replaces",
       without(program(computed), " input_output_alias={ {0}: (0, {}, may-alias) },"),
       axis(16),
       {"f32[64,256]{1,0} parameter(0)", "f32[4,1024]{1,0} parameter(1)"}},
      {"state that no result replaces, whose shardings are not stated",
       without(without(program(computed), " input_output_alias={ {0}: (0, {}, may-alias) },"), kSharding),
       axis(16),
       {"f32[64,256]{1,0} parameter(0)", "f32[4,1024]{1,0} parameter(1)"}},
      {"shards that the user states",
       without(without(program(kDot), " input_output_alias={ {0}: (0, {}, may-alias) },"), kSharding),
       shards({{"w", 0}, {"1", 0}}, 4),
       {"f32[256,256]{1,0} parameter(0)", "f32[8,1024]{1,0} parameter(1)", "f32[8,256]{1,0} dot("}},
      {"a loop carries what grows",
       program("  %zero = s32[] constant(0)\n  %init = (s32[], f32[4,1024]{1,0}) tuple(%zero, %x)\n"
               "  %loop = (s32[], f32[4,1024]{1,0}) while(%init), condition=%cond, body=%body\n"
               "  %y = f32[4,1024]{1,0} get-tuple-element(%loop), index=1\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%w, %y)\n",
               "%body {\n  %p = (s32[], f32[4,1024]{1,0}) parameter(0)\n"
               "  %i = s32[] get-tuple-element(%p), index=0\n  %one = s32[] constant(1)\n  %n = s32[] add(%i, %one)\n"
               "  %v = f32[4,1024]{1,0} get-tuple-element(%p), index=1\n  %e = f32[4,1024]{1,0} exponential(%v)\n"
               "  ROOT %t = (s32[], f32[4,1024]{1,0}) tuple(%n, %e)\n}\n\n"
               "%cond {\n  %p = (s32[], f32[4,1024]{1,0}) parameter(0)\n"
               "  %i = s32[] get-tuple-element(%p), index=0\n  %k = s32[] constant(5)\n"
               "  ROOT %c = pred[] compare(%i, %k), direction=LT\n}\n\n"),
       batch(2),
       {"f32[8,1024]{1,0} exponential(", "constant(5)"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    std::string text = c.text;
    // A scalar that is broadcast.
    const std::size_t use =
        text.find("  %wide =") != std::string::npos ? text.find("  %wide =") : text.find("  %k = f32[1,1024");
    if (use != std::string::npos) text.insert(use, "  %x0 = f32[] constant(1)\n");
    const absl::StatusOr<ScaledProgram> result = scaled(text, c.request);
    INFO(result.status().message());
    REQUIRE(result.ok());
    const std::string printed = print_module(result->module);
    for (const std::string& part : c.has) CHECK_THAT(printed, ContainsSubstring(part));
  }
}

TEST_CASE("layers of a loop") {
  const std::string text =
      "HloModule m\n\n%body {\n  %p = (s32[], f32[4,8]{1,0}, f32[6,8,8]{2,1,0}) parameter(0)\n"
      "  %i = s32[] get-tuple-element(%p), index=0\n  %one = s32[] constant(1)\n  %n = s32[] add(%i, %one)\n"
      "  %zero = s32[] constant(0)\n  %x = f32[4,8]{1,0} get-tuple-element(%p), index=1\n"
      "  %stack = f32[6,8,8]{2,1,0} get-tuple-element(%p), index=2\n"
      "  %slice = f32[1,8,8]{2,1,0} dynamic-slice(%stack, %i, %zero, %zero), dynamic_slice_sizes={1,8,8}\n"
      "  %w = f32[8,8]{1,0} reshape(%slice)\n"
      "  %y = f32[4,8]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT %t = (s32[], f32[4,8]{1,0}, f32[6,8,8]{2,1,0}) tuple(%n, %y, %stack)\n}\n\n"
      "%cond {\n  %p = (s32[], f32[4,8]{1,0}, f32[6,8,8]{2,1,0}) parameter(0)\n"
      "  %i = s32[] get-tuple-element(%p), index=0\n  %k = s32[] constant(6)\n"
      "  ROOT %c = pred[] compare(%i, %k), direction=LT\n}\n\n"
      "ENTRY %main {\n  %x = f32[4,8]{1,0} parameter(0)\n  %stack = f32[6,8,8]{2,1,0} parameter(1)\n"
      "  %zero = s32[] constant(0)\n"
      "  %init = (s32[], f32[4,8]{1,0}, f32[6,8,8]{2,1,0}) tuple(%zero, %x, %stack)\n"
      "  %loop = (s32[], f32[4,8]{1,0}, f32[6,8,8]{2,1,0}) while(%init), condition=%cond, body=%body\n"
      "  ROOT %r = f32[4,8]{1,0} get-tuple-element(%loop), index=1\n}\n";
  const absl::StatusOr<ScaledProgram> result = scaled(text, {{}, std::nullopt, 9});
  INFO(result.status().message());
  REQUIRE(result.ok());
  const std::string printed = print_module(result->module);
  CHECK_THAT(printed, ContainsSubstring("s32[] constant(9)"));
  CHECK_THAT(printed, ContainsSubstring("f32[9,8,8]{2,1,0} parameter(1)"));
  CHECK_THAT(printed, ContainsSubstring("f32[1,8,8]{2,1,0} dynamic-slice("));
  const absl::StatusOr<ScaledProgram> none = scaled(program(kDot), {{}, std::nullopt, 9});
  REQUIRE_FALSE(none.ok());
  CHECK_THAT(std::string(none.status().message()), ContainsSubstring("no loop that takes one slice of stacked layers"));
}

TEST_CASE("layers are given as a number or a factor") {
  const auto of = [](const std::string& layers) { return parse_scale_request({}, "", layers, {}, false); };
  REQUIRE(of("9").ok());
  CHECK(of("9")->layers == 9);
  ScaleRequest request = *of("3/2x");
  const absl::StatusOr<ScaledProgram> result = scaled(layers_that_pass(kAlias), request);
  INFO(result.status().message());
  REQUIRE(result.ok());
  CHECK_THAT(print_module(result->module), ContainsSubstring("s32[] constant(9)"));
  REQUIRE(result->steps[0].notes.size() == 1);
  CHECK_THAT(result->steps[0].notes[0],
             ContainsSubstring("loop (6 trips). A trip that computes several layers counts"));
  request = *of("1/4x");
  CHECK_THAT(std::string(scaled(layers_that_pass(kAlias), request).status().message()),
             ContainsSubstring("no integer"));
  for (const char* wrong : {"0", "-1", "many", "2y"}) {
    CAPTURE(wrong);
    CHECK_FALSE(of(wrong).ok());
  }
}

// tests/accuracy/scale/permutes.py shows what libtpu makes.
TEST_CASE("what the compiler is known to make of rings at other sizes") {
  const std::string product =
      replaced(ring("8", "%v"), "channel_id=2,", "channel_id=2, frontend_attributes={is_spmd_generated=\"true\"},");
  for (const std::int64_t size : {4, 64}) {
    CAPTURE(size);
    ScaleRequest request = axis(size);
    const absl::StatusOr<ScaledProgram> refused = scaled(product, request);
    REQUIRE_FALSE(refused.ok());
    CHECK_THAT(
        std::string(refused.status().message()),
        ContainsSubstring("error: collective-permute q cannot be scaled: the compiler made its ring of one product"));
    CHECK(scaled(ring("8", "%v"), request).ok());  // rounds that the program has are as many as it says
    request.as_given = true;
    const absl::StatusOr<ScaledProgram> kept = scaled(product, request);
    REQUIRE(kept.ok());
    REQUIRE(kept->steps[0].notes.size() == 1);
    CHECK_THAT(kept->steps[0].notes[0], ContainsSubstring("Another program is likely: of q:"));
  }
  CHECK(scaled(product, axis(32)).ok());
}

TEST_CASE("a block of a ring that would be padded is laid out in another way") {
  std::string text = ring("8", "%v");
  for (std::size_t at = text.find("f32[128,256]{1,0}"); at != std::string::npos; at = text.find("f32[128,256]{1,0}")) {
    text.replace(at, 17, "f32[128,256]{0,1:T(8,128)}");
  }
  ScaleRequest request = axis(16);  // 64 rows along the 128 lanes
  const absl::StatusOr<ScaledProgram> refused = scaled(text, request);
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(std::string(refused.status().message()), ContainsSubstring("its block would fill 50 % of its tiles"));
  request.as_given = true;
  CHECK(scaled(text, request).ok());
  CHECK(scaled(text, axis(4)).ok());
}

TEST_CASE("for some sizes alone, the compiler makes rings where it gathers for others") {
  const absl::StatusOr<Target> target = find_target("tpu_v5e");
  REQUIRE(target.ok());
  const std::string text =
      replaced(program(kDot), "channel_id=1,", "channel_id=1, frontend_attributes={is_spmd_generated=\"true\"},");
  ScaleRequest to_four = axis(4);
  const absl::StatusOr<ScaledProgram> four = scale_program(*parse_module(text), to_four, &target->device);
  REQUIRE(four.ok());
  ScaleRequest back = axis(16);
  const absl::StatusOr<ScaledProgram> refused = scale_program(four->module, back, &target->device);
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(std::string(refused.status().message()),
             ContainsSubstring("for 4 devices the compiler gathers before products; for 8 to 32 it makes rings"));
  CHECK(scale_program(four->module, back).ok());  // of another compiler nothing is known
  back.as_given = true;
  const absl::StatusOr<ScaledProgram> kept = scale_program(four->module, back, &target->device);
  REQUIRE(kept.ok());
  CHECK(kept->steps[0].notes.size() == 1);
}

TEST_CASE("where the other operand of a product becomes the smaller one, the compiler may gather that") {
  const std::string text = program(
      "  %rows = f32[4,1024]{1,0} exponential(%x)\n"
      "  %y = f32[4,1024]{1,0} dot(%x0, %all), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
      "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%w, %y)\n");
  // On 256 devices, 4 rows each are as large as the 1024 rows of the gathered operand.
  const std::string large =
      replaced(replaced(text, "  %rows =", "  %x0 = f32[4,256]{1,0} slice(%x), slice={[0:4], [0:256]}\n  %rows ="),
               "%x = f32[4,1024]", "%x = f32[4,1024]");
  const absl::StatusOr<ScaledProgram> many = scaled(large, axis(256));
  INFO(many.status().message());
  REQUIRE(many.ok());
  ScaleRequest back = axis(8);
  const absl::StatusOr<ScaledProgram> refused = scale_program(many->module, back);
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(std::string(refused.status().message()), ContainsSubstring("a compiler may gather that one"));
  back.as_given = true;
  CHECK(scale_program(many->module, back).ok());
  CHECK(scale_program(many->module, axis(512)).ok());
}

TEST_CASE("permutes have a start and a done for as many devices as the compiler gives them") {
  const absl::StatusOr<Target> target = find_target("tpu_v5e");
  REQUIRE(target.ok());
  const std::string text = replaced(
      ring("8", "%v"), "  %q = f32[128,256]{1,0} collective-permute(%v), channel_id=2, source_target_pairs=" + kRing,
      "  %s = (f32[128,256]{1,0}, f32[128,256]{1,0}, u32[], u32[]) collective-permute-start(%v), channel_id=2, "
      "source_target_pairs=" +
          kRing + "\n  %q = f32[128,256]{1,0} collective-permute-done(%s)");
  const absl::StatusOr<Module> given = parse_module(text);
  REQUIRE(given.ok());
  const absl::StatusOr<ScaledProgram> few = scale_program(*given, axis(16), &target->device);
  REQUIRE(few.ok());
  CHECK_THAT(print_module(few->module), ContainsSubstring("collective-permute-done("));
  const absl::StatusOr<ScaledProgram> many = scale_program(*given, axis(32), &target->device);
  INFO(many.status().message());
  REQUIRE(many.ok());
  CHECK(many->steps[0].rewritten.waits == 1);
  const std::string printed = print_module(many->module);
  CHECK_THAT(printed, !ContainsSubstring("collective-permute-"));
  CHECK_THAT(printed, ContainsSubstring("f32[32,256]{1,0} collective-permute(%v)"));
  ScaleRequest back = axis(8);
  const absl::StatusOr<ScaledProgram> refused = scale_program(many->module, back, &target->device);
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(std::string(refused.status().message()), ContainsSubstring("has no start and no done"));
  back.as_given = true;
  CHECK(scale_program(many->module, back, &target->device).ok());
}

TEST_CASE("growing and shrinking back is the same program") {
  const std::string text = program(kDot);
  const absl::StatusOr<ScaledProgram> larger = scaled(text, {{{"0", 32}}, Ratio{3, 1}, std::nullopt});
  REQUIRE(larger.ok());
  const absl::StatusOr<ScaledProgram> again = scale_program(larger->module, {{{"0", 8}}, Ratio{1, 3}, std::nullopt});
  REQUIRE(again.ok());
  CHECK(print_module(again->module) == print_module(*parse_module(text)));
}

TEST_CASE("what is refused, and where") {
  const std::string masked = without(program("  %id = u32[] partition-id()\n  %zero = u32[] constant(0)\n"
                                             "  %is = pred[] compare(%id, %zero), direction=EQ\n"
                                             "  %no = f32[4,1024]{1,0} select(%is, %x, %x)\n" +
                                             kDot),
                                     kSharding);
  const std::string edges =
      replaced(replaced(ring("8", "%edge"), "  %q = f32[128,256]",
                        "  %edge = f32[128,16]{1,0} slice(%v), slice={[0:128], [0:16]}\n  %q = f32[128,16]"),
               "%c = f32[128,256]{1,0} copy(%q)",
               "%z = s32[] constant(0)\n  %c = f32[128,256]{1,0} dynamic-update-slice(%v, %q, %z, %z)");
  const struct {
    const char* name;
    std::string text;
    ScaleRequest request;
    const char* message;
  } cases[] = {
      {"no such axis",
       program(kDot),
       {{{"model", 4}}, std::nullopt, std::nullopt},
       "no axis \"model\", or several. Its axes: 0 8-way=8"},
      {"no mesh", "HloModule m\n\nENTRY %e {\n  ROOT %p = f32[8]{0} parameter(0)\n}\n", axis(4), "no axis is known"},
      {"not divisible", program(kDot), axis(24),
       "4:4: error: parameter w cannot be scaled: dimension 0 of f32[128,256] would have 128 x 1/3 elements"},
      {"no divisible batch", program(kDot), batch(1, 3), "dimension 0 of f32[4,1024] would have 4 x 1/3 elements"},
      {"a ring over the slices of a stack", ring_over_stack(), axis(16),
       "takes one slice of a stack; whether the slices are layers or parts along the axis"},
      {"recurrent passes, where no state says that trips are layers", layers_that_pass(""), axis(16),
       "each trip of its loop passes blocks along the axis that were computed"},
      {"a shard of no parameter", program(kDot), shards({{"w", 2}}, 16), "no parameter \"w\" with a dimension 2"},
      {"shards that may never be gathered", masked, axis(16),
       "error: select no cannot be scaled: it uses the number of the device"},
      {"a kernel", program("  %y = f32[4,256]{1,0} custom-call(%x, %all), custom_call_target=\"mine\"\n" + kRoot),
       batch(2), "error: custom-call y cannot be scaled: the program of a custom call"},
      {"a constant",
       program("  %c = f32[2]{0} constant({1, 2})\n  %t = f32[2,2,1024]{2,1,0} reshape(%x)\n"
               "  %b = f32[2,2,1024]{2,1,0} broadcast(%c), dimensions={0}\n"
               "  %y = f32[2,2,1024]{2,1,0} multiply(%t, %b)\n"
               "  %z = f32[2,1024]{1,0} slice(%x), slice={[0:2], [0:1024]}\n"
               "  %d = f32[2,1024]{1,0} broadcast(%c), dimensions={0}\n"
               "  %u = f32[2,1024]{1,0} multiply(%z, %d)\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[2,1024]{1,0}) tuple(%w, %u)\n"),
       batch(2), "error: constant c cannot be scaled: its values are written out"},
      {"a permutation along the axis that is no shift",
       program("  %y = f32[4,1024]{1,0} collective-permute(%x), channel_id=2, "
               "source_target_pairs={{0,7},{1,6},{2,5},{3,4},{4,3},{5,2},{6,1},{7,0}}\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%w, %y)\n"),
       axis(16), "error: collective-permute y cannot be scaled: it passes blocks along the axis, not all as far"},
      {"a shift with a gap",
       program("  %y = f32[4,1024]{1,0} collective-permute(%x), channel_id=2, "
               "source_target_pairs={{0,1},{1,2},{3,4},{4,5},{5,6},{6,7}}\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%w, %y)\n"),
       axis(16), "its pairs differ from place to place on the axis"},
      {"a shift by half of the axis",
       program("  %y = f32[4,1024]{1,0} collective-permute(%x), channel_id=2, "
               "source_target_pairs={{0,4},{1,5},{2,6},{3,7},{4,0},{5,1},{6,2},{7,3}}\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%w, %y)\n"),
       axis(16), "which may be as far or half of the other size"},
      {"a shift farther than the other size",
       program("  %y = f32[4,1024]{1,0} collective-permute(%x), channel_id=2, "
               "source_target_pairs={{0,2},{1,3},{2,4},{3,5},{4,6},{5,7},{6,0},{7,1}}\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%w, %y)\n"),
       axis(2), "farther than the other size has"},
      {"rounds that are written out",
       program("  %a = f32[4,1024]{1,0} collective-permute(%x), channel_id=2, source_target_pairs=" + kRing +
               "\n  %b = f32[4,1024]{1,0} exponential(%a)\n"
               "  %y = f32[4,1024]{1,0} collective-permute(%b), channel_id=3, source_target_pairs=" +
               kRing + "\n  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%w, %y)\n"),
       axis(16), "error: collective-permute y cannot be scaled: it passes blocks along the axis after another one did"},
      {"rounds of a loop that pass on edges", edges, axis(16),
       "error: collective-permute q cannot be scaled: each trip of its loop passes blocks along the axis that were"},
      {"a loop with other trips than the axis has devices", ring("5", "%v"), axis(16),
       "error: collective-permute q cannot be scaled: its loop passes blocks along the axis, but not as many"},
      {"one element of what changes",
       program("  %y = f32[1,1024]{1,0} slice(%x), slice={[1:2], [0:1024]}\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[1,1024]{1,0}) tuple(%w, %y)\n"),
       batch(2), "error: slice y cannot be scaled: it takes a part of a dimension that would change"},
      {"uneven parts",
       program("  %y = f32[3,1024]{1,0} slice(%x), slice={[1:4], [0:1024]}\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[3,1024]{1,0}) tuple(%w, %y)\n"),
       batch(1, 2), "f32[3,1024]"},
      {"padding",
       program("  %z = f32[] constant(0)\n  %y = f32[5,1024]{1,0} pad(%x, %z), padding=0_1x0_0\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[5,1024]{1,0}) tuple(%w, %y)\n"),
       batch(2), "error: pad y cannot be scaled"},
      {"a bitcast of a batch of one, whose elements would not be those of its operand",
       replaced(program("  %b = f32[1,1024,1]{1,2,0} bitcast(%x)\n"
                        "  ROOT %r = (f32[128,256]{1,0}, f32[1,1024,1]{1,2,0}) tuple(%w, %b)\n"),
                "%x = f32[4,1024]", "%x = f32[1,1024]"),
       batch(2), "error: bitcast b cannot be scaled: its operand would have 2048 elements and its result 1024"},
      {"what the program of a SparseCore is given only by an update",
       program("  %s = ((), (), (s32[16]{0})) custom-call-start(), async_execution_thread=\"sparsecore\", "
               "custom_call_target=\"mine\"\n"
               "  %u = ((f32[4,1024]{1,0}), f32[4,1024]{1,0}, (s32[16]{0})) custom-call-update(%s, %x)\n"
               "  %y = f32[4,1024]{1,0} custom-call-done(%u)\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[4,1024]{1,0}) tuple(%w, %y)\n"),
       batch(2), "cannot be scaled"},
      {"two ways",
       program("  %y = f32[4,1024]{1,0} transpose(%x), dimensions={0,1}\n"
               "  %p = f32[4,128]{1,0} slice(%y), slice={[0:4], [0:128]}\n"
               "  %q = f32[4,256]{1,0} dot(%p, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[4,256]{1,0}) tuple(%w, %q)\n"),
       axis(16), "in two ways"},
      {"parts along the axis",
       program("  %t = f32[4,2048]{1,0} broadcast(%s), dimensions={}\n"
               "  %y = f32[4,2048]{1,0} all-to-all(%t), channel_id=2, replica_groups=[1,8]<=[8], dimensions={1}\n"
               "  ROOT %r = (f32[128,256]{1,0}, f32[4,2048]{1,0}) tuple(%w, %y)\n"),
       axis(16), "error: all-to-all y cannot be scaled: the other size has another number of parts"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    std::string text = c.text;
    if (text.find("broadcast(%s)") != std::string::npos) text.insert(text.find("  %t ="), "  %s = f32[] constant(1)\n");
    const absl::StatusOr<ScaledProgram> result = scaled(text, c.request);
    REQUIRE_FALSE(result.ok());
    CHECK_THAT(std::string(result.status().message()), ContainsSubstring(c.message));
  }
}

TEST_CASE("factors") {
  const struct {
    const char* text;
    std::int64_t to;
    std::int64_t from;
  } cases[] = {{"2x", 2, 1}, {"4/3x", 4, 3}, {"6/4x", 3, 2}, {"0.5x", 1, 2}, {"1.25x", 5, 4}};
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const absl::StatusOr<Ratio> ratio = parse_ratio(c.text);
    REQUIRE(ratio.ok());
    CHECK(ratio->to == c.to);
    CHECK(ratio->from == c.from);
  }
  for (const char* text : {"", "x", "2", "0x", "-1x", "1/0x", "a/2x", "1e9x", "0.0x", "99999999999999999999x"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_ratio(text).ok());
  }
}

}  // namespace
}  // namespace hloroof::internal
