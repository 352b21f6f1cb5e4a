#include "lib/schedule/memory.h"

#include <algorithm>
#include <string>

#include "hloroof/parse.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

MemoryPrediction memory_of(const std::string& text, DeviceFamily family = DeviceFamily::kGpu) {
  auto module = parse_module(text);
  INFO(text);
  REQUIRE(module.ok());
  Device device;
  if (family == DeviceFamily::kTpu) device.core = TpuCore();
  if (family == DeviceFamily::kGpu) device.core = GpuCore();
  device.hbm.capacity = 1e9;
  const MemoryAnalysis memory = analyze_memory(*module, analyze_calls(*module), device);
  double highest = 0;
  for (const MemoryLevel& level : memory.levels) highest = std::max(highest, level.bytes);
  CHECK(highest == memory.prediction.hbm_peak_bytes);
  return memory.prediction;
}

// Arrays of f32[256] take 1 KiB each.
TEST_CASE("peaks of small programs, in KiB") {
  struct Case {
    const char* what;
    const char* body;
    double kib;
  };
  static const Case kCases[] = {
      {"argument and result", "p = f32[256] parameter(0)\n ROOT r = f32[256] negate(p)", 2},
      {"an elementwise chain works in place", R"(p = f32[256] parameter(0)
        a = f32[256] negate(p)
        b = f32[256] exponential(a)
        ROOT r = f32[256] negate(b))",
       2},
      {"a copy is not in place", R"(p = f32[256] parameter(0)
        a = f32[256] negate(p)
        ROOT r = f32[256] copy(a))",
       3},
      {"bitcasts and tuples take nothing", R"(p = f32[256] parameter(0)
        b = f32[16,16] bitcast(p)
        t = (f32[16,16], f32[256]) tuple(b, p)
        g = f32[16,16] get-tuple-element(t), index=0
        ROOT r = f32[16,16] negate(g))",
       2},
      {"two temporaries at once", R"(p = f32[256] parameter(0)
        a = f32[256] copy(p)
        b = f32[256] reverse(p), dimensions={0}
        c = f32[512] concatenate(a, b), dimensions={0}
        ROOT r = f32[256] slice(c), slice={[0:256]})",
       5},
      {"an update in place", R"(p = f32[256] parameter(0)
        a = f32[256] copy(p)
        u = f32[1] constant({7})
        i = s32[] constant(0)
        ROOT r = f32[256] dynamic-update-slice(a, u, i))",
       2 + 8 / 1024.0},
      {"unused results die at once", R"(p = f32[256] parameter(0)
        a = f32[256] copy(p)
        b = f32[256] copy(p)
        ROOT r = f32[256] copy(p))",
       2},
  };
  for (const Case& c : kCases) {
    CAPTURE(c.what);
    const std::string text = "HloModule m, is_scheduled=true\nENTRY main {\n " + std::string(c.body) + "\n}\n";
    CHECK(memory_of(text).hbm_peak_bytes == Approx(c.kib * 1024));
  }
}

// Sizes in KiB, as XLA's buffer assignment places such arrays on GPUs: a result has its own allocation from the start,
// in which a temporary lies if it is not larger and dead before the result is written.
TEST_CASE("temporaries and results of a GPU program share memory only where the temporary fits into the result") {
  struct Case {
    const char* what;
    const char* body;
    double kib;
    double temporaries;
  };
  static const Case kCases[] = {
      {"a larger temporary is beside the result", R"(p = f32[256] parameter(0)
        a = f32[512] pad(p, z), padding=0_256
        b = f32[512] copy(a)
        ROOT r = f32[256] slice(b), slice={[0:256]})",
       6, 4},
      {"a temporary of the same size is in the result", R"(p = f32[256] parameter(0)
        a = f32[256] reverse(p), dimensions={0}
        b = f32[256] copy(a)
        ROOT r = f32[256] copy(b))",
       3, 1},
      {"a smaller temporary is in the result", R"(p = f32[256] parameter(0)
        a = f32[128] slice(p), slice={[0:128]}
        b = f32[128] copy(a)
        ROOT r = f32[256] pad(b, z), padding=0_128)",
       2.5, 0.5},
      {"a result that is written first is free for no temporary", R"(p = f32[256] parameter(0)
        r = f32[256] copy(p)
        a = f32[128] slice(p), slice={[0:128]}
        b = f32[128] copy(a)
        s = f32[64] slice(b), slice={[0:64]}
        ROOT t = (f32[256], f32[64]) tuple(r, s))",
       3.25, 1},
      {"a result reuses its operand's memory only if the operand is in its allocation", R"(p = f32[256] parameter(0)
        a = f32[512] pad(p, z), padding=0_256
        b = f32[256] slice(a), slice={[0:256]}
        ROOT r = f32[256] negate(b))",
       4, 2},
  };
  for (const Case& c : kCases) {
    CAPTURE(c.what);
    const MemoryPrediction memory = memory_of(
        "HloModule m, is_scheduled=true\nENTRY main {\n z = f32[] parameter(1)\n " + std::string(c.body) + "\n}\n");
    CHECK(memory.hbm_peak_bytes == Approx(c.kib * 1024 + 4));
    CHECK(memory.temporaries_bytes == Approx(c.temporaries * 1024));
  }
}

TEST_CASE("donating an argument saves its bytes on a GPU even if the result is not live at the peak without") {
  const std::string body = R"(
ENTRY main {
  p = f32[256] parameter(0)
  a = f32[257] custom-call(p), custom_call_target="a"
  b = f32[257] copy(a)
  ROOT r = f32[256] custom-call(b), custom_call_target="b"
}
)";
  const MemoryPrediction given = memory_of("HloModule m, is_scheduled=true\n" + body);
  const MemoryPrediction donated =
      memory_of("HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }\n" + body);
  REQUIRE(given.donatable.size() == 1);
  CHECK(given.hbm_peak_bytes - donated.hbm_peak_bytes == given.donatable[0].bytes);
}

TEST_CASE("a donated argument is counted once") {
  const MemoryPrediction memory = memory_of(R"(
HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY main {
  p = f32[256] parameter(0)
  ROOT r = f32[256] negate(p)
}
)");
  CHECK(memory.arguments_bytes == 1024);
  CHECK(memory.outputs_bytes == 1024);
  CHECK(memory.aliased_bytes == 1024);
  CHECK(memory.hbm_peak_bytes == 1024);
}

TEST_CASE("an argument that the program donates to any result is not a missed donation") {
  const auto donatable = [](const std::string& header) {
    return memory_of("HloModule m, is_scheduled=true" + header + R"(
ENTRY main {
  p = f32[256] parameter(0)
  q = f32[256] parameter(1)
  ROOT r = f32[256] add(p, q)
}
)")
        .donatable;
  };
  REQUIRE(donatable("").size() == 1);
  CHECK(donatable("")[0].number == 0);
  REQUIRE(donatable(", buffer_donor={ (0, {}) }").size() == 1);
  CHECK(donatable(", buffer_donor={ (0, {}) }")[0].number == 1);
  CHECK(donatable(", buffer_donor={ (0, {}), (1, {}) }").empty());
}

TEST_CASE("several updates of one array in a row are in place, of whatever kind") {
  const MemoryPrediction memory = memory_of(R"(
HloModule m, is_scheduled=true
sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}
twice {
  s = f32[256] parameter(0)
  i = s32[1] parameter(1)
  u = f32[1] parameter(2)
  a = f32[256] scatter(s, i, u), to_apply=sum, update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1
  ROOT b = f32[256] scatter(a, i, u), to_apply=sum, update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1
}
ENTRY main {
  p = f32[256] parameter(0)
  i = s32[1] parameter(1)
  u = f32[1] parameter(2)
  c = f32[256] copy(p)
  ROOT r = f32[256] fusion(c, i, u), kind=kCustom, calls=twice
}
)");
  CHECK(memory.hbm_peak_bytes == 2 * 1024 + 8);
}

TEST_CASE("what only an async-update reads is live until then") {
  const MemoryPrediction memory = memory_of(R"(
HloModule m, is_scheduled=true
wrapped {
  a = f32[256] parameter(0)
  ROOT n = f32[256] negate(a)
}
ENTRY main {
  p = f32[256] parameter(0)
  c = f32[256] copy(p)
  s = ((f32[256]), f32[256], u32[]) async-start(p), calls=wrapped
  u = ((f32[256]), f32[256], u32[]) async-update(s, c)
  d = f32[256] async-done(u)
  ROOT r = f32[256] negate(d)
}
)");
  CHECK(memory.hbm_peak_bytes == 3 * 1024 + 4);
}

TEST_CASE("an async-update that brings the operands keeps them, and the context that it states, in place") {
  const MemoryPrediction memory = memory_of(R"(
HloModule m, is_scheduled=true
wrapped {
  a = f32[256] parameter(0)
  ROOT n = f32[256] negate(a)
}
ENTRY main {
  p = f32[256] parameter(0)
  s = ((), (), (u32[64], u32[])) async-start(), calls=wrapped
  u = ((f32[256]), f32[256], (u32[64])) async-update(s, p), output_to_operand_aliasing={{2,0}: (0, {2,0})}
  d = f32[256] async-done(u)
  ROOT r = f32[256] negate(d)
}
)");
  CHECK(memory.hbm_peak_bytes == 2 * 1024 + 65 * 4);  // p, the result and the contexts
}

TEST_CASE("the state of a loop is one buffer") {
  const MemoryPrediction memory = memory_of(R"(
HloModule m, is_scheduled=true
cond {
  c = (s32[], f32[256]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(4)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  b = (s32[], f32[256]) parameter(0)
  j = s32[] get-tuple-element(b), index=0
  one = s32[] constant(1)
  k = s32[] add(j, one)
  x = f32[256] get-tuple-element(b), index=1
  y = f32[256] negate(x)
  ROOT t = (s32[], f32[256]) tuple(k, y)
}
ENTRY main {
  p = f32[256] parameter(0)
  a = f32[256] copy(p)
  zero = s32[] constant(0)
  init = (s32[], f32[256]) tuple(zero, a)
  w = (s32[], f32[256]) while(init), condition=cond, body=body
  ROOT r = f32[256] get-tuple-element(w), index=1
}
)");
  CHECK(memory.hbm_peak_bytes >= 2048);
  CHECK(memory.hbm_peak_bytes < 2048 + 64);  // and a few scalars
}

TEST_CASE("memory spaces are kept apart on a TPU") {
  const std::string text = R"(
HloModule m, is_scheduled=true
ENTRY main {
  p = f32[256]{0:T(256)} parameter(0)
  s = (f32[256]{0:T(256)S(1)}, f32[256]{0:T(256)}, u32[]{:S(2)}) copy-start(p)
  d = f32[256]{0:T(256)S(1)} copy-done(s)
  h = f32[256]{0:T(256)S(5)} copy(d)
  ROOT r = f32[256]{0:T(256)} negate(d)
}
)";
  const MemoryPrediction memory = memory_of(text, DeviceFamily::kTpu);
  CHECK(memory.hbm_peak_bytes == 2048);
  CHECK(memory.vmem_peak_bytes == 1024);
  CHECK(memory.host_peak_bytes == 1024);
}

TEST_CASE("peaks of VMEM, in KiB") {
  struct Case {
    const char* what;
    const char* text;
    double kib;
  };
  static const Case kCases[] = {
      {"a concatenation of prefetched slices takes their memory", R"(
slice1 {
  p = f32[512] parameter(0)
  ROOT s = f32[256]{0:S(1)} slice(p), slice={[0:256]}
}
slice2 {
  p = f32[512] parameter(0)
  ROOT s = f32[256]{0:S(1)} slice(p), slice={[256:512]}
}
ENTRY main {
  p = f32[512] parameter(0)
  first = ((f32[512]), f32[256]{0:S(1)}, u32[]{:S(2)}) async-start(p), calls=slice1
  second = ((f32[512]), f32[256]{0:S(1)}, u32[]{:S(2)}) async-start(p), calls=slice2
  d1 = f32[256]{0:S(1)} async-done(first)
  d2 = f32[256]{0:S(1)} async-done(second)
  c = f32[512]{0:S(1)} custom-call(d1, d2), custom_call_target="ConcatBitcast"
  ROOT r = f32[512] negate(c)
}
)",
       2},
      {"a concatenation by another call takes memory of its own", R"(
ENTRY main {
  p = f32[256] parameter(0)
  d1 = f32[256]{0:S(1)} copy(p)
  d2 = f32[256]{0:S(1)} copy(p)
  c = f32[512]{0:S(1)} custom-call(d1, d2), custom_call_target="kernel"
  ROOT r = f32[512] negate(c)
}
)",
       4},
      {"a part that is read later keeps its memory", R"(
ENTRY main {
  p = f32[256] parameter(0)
  d1 = f32[256]{0:S(1)} copy(p)
  d2 = f32[256]{0:S(1)} copy(p)
  c = f32[512]{0:S(1)} custom-call(d1, d2), custom_call_target="ConcatBitcast"
  r = f32[512] negate(c)
  ROOT t = (f32[512], f32[256]{0:S(1)}) tuple(r, d1)
}
)",
       4},
      {"the state of a loop takes no memory between its last use and its next value", R"(
body {
  s = (f32[256]{0:S(1)}, f32[256]) parameter(0)
  x = f32[256]{0:S(1)} get-tuple-element(s), index=0
  h = f32[256] negate(x)
  a = f32[256]{0:S(1)} copy(h)
  b = f32[256]{0:S(1)} reverse(a), dimensions={0}
  k = f32[256] copy(b)
  y = f32[256]{0:S(1)} copy(k)
  ROOT t = (f32[256]{0:S(1)}, f32[256]) tuple(y, k)
}
condition {
  s = (f32[256]{0:S(1)}, f32[256]) parameter(0)
  ROOT c = pred[] constant(true)
}
ENTRY main {
  p = f32[256] parameter(0)
  x = f32[256]{0:S(1)} copy(p)
  t = (f32[256]{0:S(1)}, f32[256]) tuple(x, p)
  w = (f32[256]{0:S(1)}, f32[256]) while(t), condition=condition, body=body
  z = f32[256]{0:S(1)} get-tuple-element(w), index=0
  ROOT r = f32[256] negate(z)
}
)",
       2},
      {"the state of a loop that is passed on keeps its memory", R"(
body {
  s = (f32[256]{0:S(1)}, f32[256]) parameter(0)
  x = f32[256]{0:S(1)} get-tuple-element(s), index=0
  h = f32[256] negate(x)
  a = f32[256]{0:S(1)} copy(h)
  b = f32[256]{0:S(1)} reverse(a), dimensions={0}
  k = f32[256] copy(b)
  ROOT t = (f32[256]{0:S(1)}, f32[256]) tuple(x, k)
}
condition {
  s = (f32[256]{0:S(1)}, f32[256]) parameter(0)
  ROOT c = pred[] constant(true)
}
ENTRY main {
  p = f32[256] parameter(0)
  x = f32[256]{0:S(1)} copy(p)
  t = (f32[256]{0:S(1)}, f32[256]) tuple(x, p)
  w = (f32[256]{0:S(1)}, f32[256]) while(t), condition=condition, body=body
  z = f32[256]{0:S(1)} get-tuple-element(w), index=0
  ROOT r = f32[256] negate(z)
}
)",
       3},
  };
  for (const Case& c : kCases) {
    INFO(c.what);
    const std::string text = std::string("HloModule m, is_scheduled=true\n") + c.text;
    CHECK(memory_of(text, DeviceFamily::kTpu).vmem_peak_bytes == c.kib * 1024);
  }
}

TEST_CASE("padding is counted and what is live is named, largest first") {
  const MemoryPrediction memory = memory_of(R"(
HloModule m, is_scheduled=true
ENTRY main {
  narrow = f32[1024,4]{1,0:T(8,128)} parameter(0)
  small = f32[8,128]{1,0:T(8,128)} parameter(1)
  ROOT r = f32[8,128]{1,0:T(8,128)} negate(small)
}
)",
                                            DeviceFamily::kTpu);
  REQUIRE(memory.live_at_peak.size() == 3);
  CHECK(memory.live_at_peak[0].name == "narrow");
  CHECK(memory.live_at_peak[0].bytes == 1024 * 128 * 4);
  CHECK(memory.live_at_peak[0].padding_bytes == 1024 * 124 * 4);
  CHECK(memory.padding_bytes == 1024 * 124 * 4);
}

}  // namespace
}  // namespace hloroof::internal
