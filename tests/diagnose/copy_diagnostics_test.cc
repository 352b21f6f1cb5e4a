// Copies and updates of whole buffers, values that change their sharding, and donations without effect: texts that have
// the finding and texts that have not.
#include <algorithm>
#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

struct Case {
  const char* what;
  std::string text;
  std::string says;  // part of the message; empty: there is no such finding
};

void check(const char* code, const std::vector<Case>& cases, const char* device = "tpu_v5e") {
  for (const Case& c : cases) {
    CAPTURE(code, c.what);
    const auto prediction = predict_step_time(c.text, device);
    INFO(std::string(prediction.status().message()));
    REQUIRE(prediction.ok());
    std::string found;
    for (const Diagnostic& diagnostic : prediction->diagnostics) {
      if (to_string(diagnostic.code) == code) found += diagnostic.cause + ": " + diagnostic.message + "\n";
    }
    if (c.says.empty()) {
      CHECK(found.empty());
    } else {
      CHECK_THAT(found, ContainsSubstring(c.says));
    }
  }
}

// A loop whose state is a counter and two arrays. `body` defines y and z, the next arrays, from x and w.
std::string loop(const std::string& body) {
  const std::string array = "f32[2048,2048]{1,0:T(8,128)}";
  const std::string state = "(s32[]{:T(128)}, " + array + ", " + array + ")";
  return "HloModule m, is_scheduled=true\n\ncond {\n  s = " + state +
         " parameter(0)\n  i = s32[]{:T(128)} get-tuple-element(s), index=0\n  n = s32[]{:T(128)} constant(20)\n"
         "  ROOT lt = pred[]{:T(512)} compare(i, n), direction=LT\n}\nbody {\n  s = " +
         state + " parameter(0)\n  i = s32[]{:T(128)} get-tuple-element(s), index=0\n  x = " + array +
         " get-tuple-element(s), index=1\n  w = " + array + " get-tuple-element(s), index=2\n" + body +
         "  one = s32[]{:T(128)} constant(1)\n  next = s32[]{:T(128)} add(i, one)\n  ROOT t = " + state +
         " tuple(next, y, z)\n}\nENTRY main {\n  x = " + array + " parameter(0)\n  w = " + array +
         " parameter(1)\n  zero = s32[]{:T(128)} constant(0)\n  t = " + state +
         " tuple(zero, x, w)\n  ROOT l = " + state + " while(t), condition=cond, body=body\n}\n";
}

TEST_CASE("loop-carry-copy: a buffer that a loop carries is copied in every iteration") {
  const std::string a = "f32[2048,2048]{1,0:T(8,128)} ";
  const std::string b = "  b = f32[2048,2048]{0,1:T(8,128)} copy(x)\n";
  check("loop-carry-copy",
        {
            {"of the parameter, which is read later",
             loop("  c = " + a + "copy(x)\n  y = " + a + "negate(w)\n  z = " + a + "add(c, x)\n"),
             "16.0 MiB of element 1"},
            {"of the root", loop("  d = " + a + "negate(x)\n  y = " + a + "copy(d)\n  z = " + a + "negate(w)\n"),
             "element 1 of the loop's state in every iteration"},
            {"says who reads the old value",
             loop("  c = " + a + "copy(x)\n  y = " + a + "negate(c)\n  z = " + a + "add(w, x)\n"),
             "because z also reads the old value"},
            {"none", loop("  y = " + a + "negate(x)\n  z = " + a + "negate(w)\n"), ""},
            {"to another layout and back", loop(b + "  y = " + a + "negate(w)\n  z = " + a + "copy(b)\n"),
             "40 times a step and computes nothing with it (copies to another layout): let XLA choose the layout"},
            {"of a value inside the body",
             loop("  d = " + a + "negate(x)\n  c = " + a + "copy(d)\n  y = " + a + "negate(c)\n  z = " + a +
                  "add(w, d)\n"),
             ""},
            {"outside of a loop",
             "HloModule m, is_scheduled=true\n\nENTRY main {\n  p = " + a + "parameter(0)\n  c = " + a +
                 "copy(p)\n  ROOT r = " + a + "add(c, p)\n}\n",
             ""},
        });
}

// A loop of 12 iterations over stacks of 12 blocks. `body` defines y and z, the next stacks, from x and w; `before` and
// `after` define those with which the loop begins, x and w, and the result, r, from y.
std::string stacks(const std::string& body, const std::string& before, const std::string& after) {
  const std::string stack = "bf16[12,8,1024,128]{3,2,1,0:T(8,128)(2,1)}";
  const std::string block = "bf16[1,8,1024,128]{3,2,1,0:T(8,128)(2,1)}";
  const std::string state = "(s32[]{:T(128)}, " + stack + ", " + stack + ")";
  const std::string i = "  i = s32[]{:T(128)} parameter(1)\n  o = s32[]{:T(128)} constant(0)\n";
  return "HloModule m, is_scheduled=true\n\ncut {\n  x = " + stack + " parameter(0)\n" + i + "  ROOT d = " + block +
         " dynamic-slice(x, i, o, o, o), dynamic_slice_sizes={1,8,1024,128}\n}\nturn {\n  b = " + block +
         " parameter(0)\n  ROOT c = bf16[1,8,1024,128]{3,1,2,0:T(8,128)(2,1)} copy(b)\n}\nback {\n  x = " + stack +
         " parameter(0)\n" + i + "  b = bf16[1,8,1024,128]{3,1,2,0:T(8,128)(2,1)} parameter(2)\n  c = " + block +
         " copy(b)\n  ROOT d = " + stack + " dynamic-update-slice(x, c, i, o, o, o)\n}\ncond {\n  s = " + state +
         " parameter(0)\n  i = s32[]{:T(128)} get-tuple-element(s), index=0\n  n = s32[]{:T(128)} constant(12)\n"
         "  ROOT lt = pred[]{:T(512)} compare(i, n), direction=LT\n}\nbody {\n  s = " +
         state + " parameter(0)\n  i = s32[]{:T(128)} get-tuple-element(s), index=0\n  x = " + stack +
         " get-tuple-element(s), index=1\n  w = " + stack +
         " get-tuple-element(s), index=2\n  o = s32[]{:T(128)} constant(0)\n  half = bf16[]{:T(256)} constant(0.5)\n" +
         body + "  one = s32[]{:T(128)} constant(1)\n  next = s32[]{:T(128)} add(i, one)\n  ROOT t = " + state +
         " tuple(next, y, z)\n}\nENTRY main {\n  p = " + stack + " parameter(0)\n  q = " + stack + " parameter(1)\n" +
         before + "  zero = s32[]{:T(128)} constant(0)\n  t = " + state + " tuple(zero, x, w)\n  l = " + state +
         " while(t), condition=cond, body=body\n  y = " + stack + " get-tuple-element(l), index=1\n  z = " + stack +
         " get-tuple-element(l), index=2\n" + after + "}\n";
}

TEST_CASE("loop-carry-copy: arrays that a loop carries are moved and not computed with") {
  const std::string stack = "bf16[12,8,1024,128]{3,2,1,0:T(8,128)(2,1)} ";
  const std::string block = "bf16[1,8,1024,128]{3,2,1,0:T(8,128)(2,1)} ";
  const std::string turned = "bf16[1,8,1024,128]{3,1,2,0:T(8,128)(2,1)} ";
  const std::string filled =
      "  x = " + stack + "negate(p)\n  w = " + stack + "custom-call(), custom_call_target=\"AllocateBuffer\"\n";
  const std::string given = "  x = " + stack + "negate(p)\n  w = " + stack + "negate(q)\n";
  const std::string first = "  ROOT r = " + stack + "negate(y)\n";
  const std::string cut = "  b = " + block + "fusion(x, i), kind=kLoop, calls=cut\n";
  const std::string turn = "  c = " + turned + "fusion(b), kind=kLoop, calls=turn\n";
  // One position of a block changes.
  const std::string position = "bf16[1,8,1,128]{3,1,2,0:T(8,128)(2,1)} ";
  const std::string update = "  n = " + position + "broadcast(half), dimensions={}\n  u = " + turned +
                             "dynamic-update-slice(c, n, o, o, i, o)\n";
  const std::string back =
      "  z = " + stack + "fusion(w, i, u), kind=kLoop, calls=back\n  y = " + stack + "bitcast(x)\n";
  const std::string in_place =
      "  n = bf16[1,8,8,128]{3,2,1,0:T(8,128)(2,1)} broadcast(half), dimensions={}\n  y = " + stack +
      "dynamic-update-slice(x, n, i, o, o, o)\n";
  check("loop-carry-copy",
        {
            {"out of a stack and back into another",
             stacks(cut + turn + update + back, filled,
                    "  c = " + stack + "copy(z)\n  ROOT r = " + stack + "negate(c)\n"),
             "copies the array bf16[12,8,1024,128] (24.0 MiB), which the loop carries, 4 times a step and computes "
             "nothing with it (slices out of a stack, copies to another layout, writes back into a stack, copies after "
             "the loop): carry it in the loop and update it in place (dynamic_update_slice on the carry), or keep one "
             "array for each layer, or let XLA choose the layout (in JAX, Layout.AUTO)"},
            {"updated in place, but read through copies to another layout",
             stacks(cut + turn + "  e = " + turned + "exponential(c)\n" + in_place + "  z = " + stack + "bitcast(w)\n",
                    given, first),
             "2 times a step and computes nothing with it (slices out of a stack, copies to another layout): keep one "
             "array for each layer, or let XLA choose the layout"},
            {"an argument that is not donated",
             stacks(in_place + "  z = " + stack + "bitcast(w)\n",
                    "  x = " + stack + "copy(p)\n  w = " + stack + "negate(q)\n", first),
             "once a step and computes nothing with it (copies before the loop): donate argument 0"},
            {"stacks that are only read",
             stacks(cut + "  e = " + block + "exponential(b)\n  y = " + stack + "bitcast(x)\n  z = " + stack +
                        "bitcast(w)\n",
                    given, first),
             "which the loop only reads, once a step and computes nothing with it (slices out of a stack): keep one "
             "array for each layer, or unroll the loop"},
            {"updated in place", stacks(in_place + "  z = " + stack + "bitcast(w)\n", given, first), ""},
            {"a stack of results",
             stacks("  u = " + turned + "broadcast(half), dimensions={}\n" + back, filled,
                    "  ROOT r = " + stack + "negate(z)\n"),
             ""},
            {"an optimizer", stacks("  y = " + stack + "add(x, w)\n  z = " + stack + "multiply(w, x)\n", given, first),
             ""},
        });
}

std::string entry(const std::string& body, const std::string& header = "") {
  return "HloModule m, is_scheduled=true" + header + "\n\n" + body;
}

TEST_CASE("unfused-update: an update of a slice that rewrites the whole array") {
  const std::string arguments = R"(ENTRY main {
  p = f32[64,4096,128]{2,1,0:T(8,128)} parameter(0)
  u = f32[1,4096,128]{2,1,0:T(8,128)} parameter(1)
  i = s32[]{:T(128)} parameter(2)
  z = s32[]{:T(128)} constant(0)
)";
  const std::string update = "f32[64,4096,128]{2,1,0:T(8,128)} dynamic-update-slice(";
  // One row of a block changes, and the block is written back into the array as a whole.
  const std::string block = R"(f {
  p = f32[64,4096,128]{2,1,0:T(8,128)} parameter(0)
  b = f32[1,4096,128]{2,1,0:T(8,128)} parameter(1)
  u = f32[1,8,128]{2,1,0:T(8,128)} parameter(2)
  i = s32[]{:T(128)} parameter(3)
  z = s32[]{:T(128)} constant(0)
  d = f32[1,4096,128]{2,1,0:T(8,128)} dynamic-update-slice(b, u, z, i, z)
  ROOT e = f32[64,4096,128]{2,1,0:T(8,128)} dynamic-update-slice(p, d, i, z, z)
}
ENTRY main {
  p = f32[64,4096,128]{2,1,0:T(8,128)} parameter(0)
  b = f32[1,4096,128]{2,1,0:T(8,128)} parameter(1)
  u = f32[1,8,128]{2,1,0:T(8,128)} parameter(2)
  i = s32[]{:T(128)} parameter(3)
  ROOT r = f32[64,4096,128]{2,1,0:T(8,128)} fusion(p, b, u, i), kind=kLoop, calls=f
})";
  const std::string in_place = R"(f {
  p = f32[64,4096,128]{2,1,0:T(8,128)} parameter(0)
  u = f32[1,4096,128]{2,1,0:T(8,128)} parameter(1)
  i = s32[]{:T(128)} parameter(2)
  z = s32[]{:T(128)} constant(0)
  ROOT d = f32[64,4096,128]{2,1,0:T(8,128)} dynamic-update-slice(p, u, i, z, z)
}
ENTRY main {
  p = f32[64,4096,128]{2,1,0:T(8,128)} parameter(0)
  u = f32[1,4096,128]{2,1,0:T(8,128)} parameter(1)
  i = s32[]{:T(128)} parameter(2)
  ROOT r = f32[64,4096,128]{2,1,0:T(8,128)} fusion(p, u, i), kind=kLoop, calls=f
})";
  const std::string copy = "  c = f32[64,4096,128]{2,1,0:T(8,128)} copy(p)\n";
  check("unfused-update",
        {
            {"an argument that is copied first", entry(arguments + copy + "  ROOT d = " + update + "c, u, i, z, z)\n}"),
             "donate the argument p"},
            {"an argument that a fusion copies first",
             entry("f {\n  p = f32[64,4096,128]{2,1,0:T(8,128)} parameter(0)\n  ROOT c = "
                   "f32[64,4096,128]{2,1,0:T(8,128)} copy(p)\n}\n" +
                   arguments + "  c = f32[64,4096,128]{2,1,0:T(8,128)} fusion(p), kind=kLoop, calls=f\n  ROOT d = " +
                   update + "c, u, i, z, z)\n}"),
             "donate the argument p"},
            {"another value that is copied first",
             entry(arguments + "  n = f32[64,4096,128]{2,1,0:T(8,128)} negate(p)\n" +
                   "  c = f32[64,4096,128]{2,1,0:T(8,128)} copy(n)\n" + "  d = " + update + "c, u, i, z, z)\n" +
                   "  ROOT r = f32[64,4096,128]{2,1,0:T(8,128)} add(n, d)\n}"),
             "read the old value before the update"},
            {"a fusion that writes a whole block for one row", entry(block), "changes 0.2 % of f32[1,4096,128]"},
            {"a fusion in place", entry(in_place), ""},
            {"in place", entry(arguments + "  ROOT d = " + update + "p, u, i, z, z)\n}"), ""},
            {"an update of most of the array", entry(R"(ENTRY main {
  p = f32[64,4096,128]{2,1,0:T(8,128)} parameter(0)
  u = f32[48,4096,128]{2,1,0:T(8,128)} parameter(1)
  i = s32[]{:T(128)} parameter(2)
  z = s32[]{:T(128)} constant(0)
  c = f32[64,4096,128]{2,1,0:T(8,128)} copy(p)
  ROOT d = f32[64,4096,128]{2,1,0:T(8,128)} dynamic-update-slice(c, u, i, z, z)
})"),
             ""},
        });
}

// An all-to-all of a value of [rows, columns] that a device holds, between two other ops.
std::string exchange(const std::string& metadata) {
  return entry(R"(ENTRY main {
  p = bf16[512,4096]{1,0:T(8,128)(2,1)} parameter(0)
  n = bf16[512,4096]{1,0:T(8,128)(2,1)} negate(p)
  s = bf16[512,8,512]{2,1,0:T(8,128)(2,1)} reshape(n)
  e = bf16[512,8,512]{2,1,0:T(8,128)(2,1)} all-to-all(s), channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={1})" +
                   metadata + R"(
  m = bf16[8,512,512]{2,1,0:T(8,128)(2,1)} transpose(e), dimensions={1,0,2}
  f = bf16[4096,512]{1,0:T(8,128)(2,1)} reshape(m)
  ROOT r = bf16[4096,512]{1,0:T(8,128)(2,1)} negate(f)
})",
               ", num_partitions=8");
}

// A gather along dimension 0 of which the device then takes its part along dimension `sliced`.
std::string gather_and_slice(int sliced, const std::string& offset) {
  const std::string part = sliced == 1 ? "bf16[4096,512]" : "bf16[512,4096]";
  const std::string offsets = sliced == 1 ? "z, o" : "o, z";
  const std::string sizes = sliced == 1 ? "{4096,512}" : "{512,4096}";
  return entry(
      "ENTRY main {\n  p = bf16[512,4096]{1,0:T(8,128)(2,1)} parameter(0)\n  k = s32[] parameter(1)\n"
      "  z = s32[] constant(0)\n  w = s32[] constant(512)\n  d = u32[] partition-id()\n  v = s32[] convert(d)\n"
      "  o = s32[] multiply(" +
          offset +
          ", w)\n  g = bf16[4096,4096]{1,0:T(8,128)(2,1)} all-gather(p), channel_id=1, dimensions={0}, "
          "use_global_device_ids=true, replica_groups={{0,1,2,3,4,5,6,7}}, metadata={op_name=\"jit(f)/dot\" "
          "source_file=\"model.py\" source_line=12}\n  ROOT r = " +
          part + "{1,0:T(8,128)(2,1)} dynamic-slice(g, " + offsets + "), dynamic_slice_sizes=" + sizes + "\n}",
      ", num_partitions=8");
}

// A permute between two values whose shardings the text states.
std::string permute(const std::string& before, const std::string& after) {
  return entry(
      "ENTRY main {\n  p = bf16[512,4096]{1,0:T(8,128)(2,1)} parameter(0), sharding=" + before +
          "\n  e = bf16[512,4096]{1,0:T(8,128)(2,1)} collective-permute(p), channel_id=1, "
          "source_target_pairs={{0,0},{1,4},{2,1},{3,5},{4,2},{5,6},{6,3},{7,7}}, "
          "metadata={op_name=\"jit(f)/dot\"}\n  ROOT r = bf16[512,4096]{1,0:T(8,128)(2,1)} copy(e), sharding=" +
          after + "\n}",
      ", num_partitions=8");
}

TEST_CASE("reshard: a collective moves a value from one sharding to another") {
  const std::string inserted =
      ", metadata={op_name=\"jit(f)/layers_0/dot_general\" source_file=\"model.py\" source_line=12}";
  check("reshard",
        {
            {"an exchange that the partitioner inserts", exchange(inserted),
             "before, dimension 0 over the 8-way axis; after, dimension 1 over the 8-way axis, at model.py:12"},
            {"an exchange that the program asks for", exchange(", metadata={op_name=\"jit(f)/shard_map/all_to_all\"}"),
             ""},
            {"a gather along one dimension, cut along another", gather_and_slice(1, "v"),
             "dimension 1 by a slice of the gathered array on each device, at model.py:12"},
            {"cut along the same dimension", gather_and_slice(0, "v"), ""},
            {"cut at the same place on each device", gather_and_slice(1, "k"), ""},
            {"two shardings in the text", permute("{devices=[2,4]<=[8]}", "{devices=[2,4]<=[4,2]T(1,0)}"),
             "before, sharding={devices=[2,4]<=[8]}; after, sharding={devices=[2,4]<=[4,2]T(1,0)}"},
            {"the same sharding", permute("{devices=[2,4]<=[8]}", "{devices=[2,4]<=[8]}"), ""},
        });
}

TEST_CASE("donation-missed says why") {
  const std::string big = "f32[16384,16384]{1,0:T(8,128)}";
  const auto one = [&](const std::string& result, const std::string& body, const std::string& header) {
    return entry("ENTRY main {\n  p = " + big + " parameter(0)\n" + body + "  ROOT r = " + result + "\n}", header);
  };
  const std::string donor = ", buffer_donor={ (0, {}) }";
  const std::string two = R"(ENTRY main {
  p = f32[16384,16384]{1,0:T(8,128)} parameter(0)
  q = f32[16384,16384]{1,0:T(8,128)} parameter(1)
  ROOT r = f32[16384,16384]{1,0:T(8,128)} add(p, q)
})";
  const std::string read_later = R"(ENTRY main {
  p = f32[16384,16384]{1,0:T(8,128)} parameter(0)
  n = f32[16384,16384]{1,0:T(8,128)} negate(p)
  e = f32[16384,16384]{1,0:T(8,128)} add(p, n)
  ROOT t = (f32[16384,16384]{1,0:T(8,128)}, f32[16384,16384]{1,0:T(8,128)}) tuple(n, e)
})";
  const std::string copied_back = R"(ENTRY main {
  p = f32[16384,16384]{1,0:T(8,128)} parameter(0)
  n = f32[16384,16384]{1,0:T(8,128)} negate(p)
  e = f32[16384,16384]{1,0:T(8,128)} add(p, n)
  c = f32[16384,16384]{1,0:T(8,128)} copy(n)
  ROOT t = (f32[16384,16384]{1,0:T(8,128)}, f32[16384,16384]{1,0:T(8,128)}) tuple(c, e)
})";
  check(
      "donation-missed",
      {
          {"not donated", one(big + " negate(p)", "", ""), "not donated: argument 0 is not donated though"},
          {"no result of the shape",
           one("f32[8192,16384]{1,0:T(8,128)} slice(p), slice={[0:8192],[0:16384]}", "", donor),
           "because no result has its shape and type"},
          {"another type", one("bf16[16384,16384]{1,0:T(8,128)(2,1)} convert(p)", "", donor),
           "because no result has its shape and type"},
          {"another layout", one("f32[16384,16384]{0,1:T(8,128)} copy(p)", "", donor),
           "because the result of its shape has another layout: result 0 is f32[16384,16384]{0,1:T(8,128)}"},
          {"another memory", one("f32[16384,16384]{1,0:T(8,128)S(5)} copy(p)", "", donor),
           "because the result of its shape is in another memory"},
          {"the result is taken",
           entry(two, ", input_output_alias={ {}: (1, {}, must-alias) }, buffer_donor={ (0, {}) }"),
           "because every result of its shape already lives in another argument"},
          {"read after the result", entry(read_later, donor), "e reads it after n writes result 0"},
          {"not used", one(big + " negate(p)", "", donor), "because the compiler did not use the donation"},
          {"donated, but copied", entry(copied_back, ", input_output_alias={ {0}: (0, {}, must-alias) }"),
           "because e reads the argument after n writes the result"},
          {"donated", one(big + " negate(p)", "", ", input_output_alias={ {}: (0, {}, must-alias) }"), ""},
          {"donors of a module that is not scheduled",
           "HloModule m, buffer_donor={ (0, {}) }\n\nENTRY main {\n  p = f32[16384,16384]{1,0} parameter(0)\n  ROOT r "
           "= f32[16384,16384]{1,0} negate(p)\n}",
           ""},
      });
}

}  // namespace
}  // namespace hloroof::internal
