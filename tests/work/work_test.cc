// The physical convention, clause by clause: bytes that are touched, where they lie, and what padding adds to them.
#include "lib/work/work.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace {

using namespace hloroof;
using namespace hloroof::internal;

constexpr double kMi = 1024.0 * 1024.0;

// The work of the entry's root.
Work root_work(const std::string& text) { return compute_work(parsed(text).entry().root()); }

Work work_named(const Module& module, std::string_view name) {
  for (InstructionView instruction : module.entry().instructions()) {
    if (instruction.name() == name) return compute_work(instruction);
  }
  FAIL("no instruction " << name);
  return {};
}

// A module whose entry is parameters named a, b, .. of `shapes` and then `instructions`.
std::string entry(const std::vector<std::string>& shapes, const std::string& instructions,
                  const std::string& computations = "") {
  std::string text = "HloModule m\n" + computations + "ENTRY main {\n";
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    text += "  " + name + " = " + shapes[i] + " parameter(" + std::to_string(i) + ")\n";
  }
  return text + instructions + "}\n";
}

// f32[512,1024] and f32[16,512,1024] in tiles that they fill: 2 and 32 MiB.
const std::string kLayer = "f32[512,1024]{1,0:T(8,128)}";
const std::string kStack = "f32[16,512,1024]{2,1,0:T(8,128)}";
constexpr double kLayerBytes = 2 * kMi;
constexpr double kStackBytes = 32 * kMi;

TEST_CASE("an array counts at its tiled, padded size, in its memory") {
  struct Case {
    const char* shape;
    double padded;
    double logical;
  };
  const Case cases[] = {
      {"f32[8,128]{1,0:T(8,128)}", 4096, 4096},
      {"f32[1000,100]{1,0:T(8,128)}", 1000 * 128 * 4, 1000 * 100 * 4},
      {"f32[9,1]{1,0:T(8,128)}", 16 * 128 * 4, 9 * 4},
      {"bf16[24,130]{1,0:T(8,128)(2,1)}", 24 * 256 * 2, 24 * 130 * 2},
      {"f32[1000,100]{0,1:T(8,128)}", 1024 * 104 * 4, 1000 * 100 * 4},  // the other dimension is minor
      {"f32[100]{0:T(1024)}", 4096, 400},
      {"f32[1000,100]{1,0}", 400000, 400000},             // no tiles: GPU and CPU
      {"s4[64,256]{1,0:T(8,128)(8,1)E(4)}", 8192, 8192},  // two to a byte
      {"u4[3,256]{1,0:T(8,128)(8,1)E(4)}", 1024, 384},
      {"pred[32,128]{1,0:T(8,128)(4,1)}", 4096, 4096},
  };
  for (const Case& c : cases) {
    CAPTURE(c.shape);
    const Work work = root_work(entry({c.shape}, "  ROOT r = " + std::string(c.shape) + " copy(a)\n"));
    CHECK(work.read.hbm == c.padded);
    CHECK(work.written.hbm == c.padded);
    CHECK(work.padded_bytes == 2 * c.padded);
    CHECK(work.logical_bytes == 2 * c.logical);
  }
}

TEST_CASE("bytes are split by memory space") {
  const Module module = parsed(entry(
      {"f32[8,128]{1,0:T(8,128)}", "f32[8,128]{1,0:T(8,128)S(1)}", "f32[8,128]{1,0:T(8,128)S(5)}", "s32[2]{0:S(4)}"},
      "  v = f32[8,128]{1,0:T(8,128)S(1)} add(a, b)\n"
      "  h = f32[8,128]{1,0:T(8,128)} copy(c)\n"
      "  ROOT s = s32[2]{0:S(4)} negate(d)\n"));
  const Work v = work_named(module, "v");
  CHECK(v.read.hbm == 4096);
  CHECK(v.read.vmem == 4096);
  CHECK(v.written.vmem == 4096);
  CHECK(v.written.hbm == 0);
  const Work h = work_named(module, "h");
  CHECK(h.read.host == 4096);
  CHECK(h.written.hbm == 4096);
  const Work s = work_named(module, "s");
  CHECK(s.read.scalar == 8);
  CHECK(s.written.scalar == 8);
}

TEST_CASE("an asynchronous pair is counted at its start") {
  const Module module = parsed(entry({kLayer, "f32[64,1024]{1,0:T(8,128)}"},
                                     "  cs = (f32[512,1024]{1,0:T(8,128)S(1)}, " + kLayer +
                                         ", u32[]{:S(2)}) copy-start(a)\n"
                                         "  cd = f32[512,1024]{1,0:T(8,128)S(1)} copy-done(cs)\n"
                                         "  gs = (f32[64,1024]{1,0:T(8,128)}, " +
                                         kLayer +
                                         ") all-gather-start(b), replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}\n"
                                         "  gd = " +
                                         kLayer +
                                         " all-gather-done(gs)\n"
                                         "  ROOT t = (f32[512,1024]{1,0:T(8,128)S(1)}, " +
                                         kLayer + ") tuple(cd, gd)\n"));
  const Work copy = work_named(module, "cs");
  CHECK(copy.read.hbm == kLayerBytes);
  CHECK(copy.written.vmem == kLayerBytes);
  CHECK(copy.padded_bytes == 2 * kLayerBytes);
  const Work gather = work_named(module, "gs");
  CHECK(gather.padded_bytes == kLayerBytes / 8 + kLayerBytes);
  for (const char* done : {"cd", "gd"}) {
    CHECK(work_named(module, done).padded_bytes == 0);
    CHECK(work_named(module, done).is_free);
  }
}

TEST_CASE("a recv writes its data, not the context beside it") {
  const Module module = parsed(entry({}, "  k = token[] after-all()\n  rs = (" + kLayer +
                                             ", u32[], token[]) recv(k), channel_id=1\n  rd = (" + kLayer +
                                             ", token[]) recv-done(rs), channel_id=1\n  ROOT d = " + kLayer +
                                             " get-tuple-element(rd), index=0\n"));
  CHECK(work_named(module, "rs").written.total() == kLayerBytes);
  CHECK(work_named(module, "rs").padded_bytes == kLayerBytes);
  CHECK(work_named(module, "rd").is_free);
}

// What a fusion reads of its first parameter, the stack, and writes; `body` is what it computes from p, q and i.
TEST_CASE("a fusion reads what it touches, once, through whatever only renames") {
  struct Case {
    const char* what;
    std::string body;
    std::string result;
    double read;
  };
  const std::string slice = " dynamic-slice(p, i, z, z), dynamic_slice_sizes={1,512,1024}\n  z2 = s32[] constant(0)\n";
  const std::string one = "f32[1,512,1024]{2,1,0:T(8,128)}";
  const std::string flat = "f32[8192,1024]{1,0:T(8,128)}";
  const Case cases[] = {
      {"all, once, by two users", "  e = " + kStack + " exponential(p)\n  ROOT r = " + kStack + " add(e, p)\n", kStack,
       kStackBytes},
      {"a dynamic slice", "  s = " + one + slice + "  ROOT r = " + one + " negate(s)\n", one, kLayerBytes},
      {"two slices",
       "  s = " + one + slice + "  u = " + one + " slice(p), slice={[3:4], [0:512], [0:1024]}\n  ROOT r = " + one +
           " add(s, u)\n",
       one, 2 * kLayerBytes},
      {"a slice and all of it",
       "  s = " + one + slice + "  b = " + kLayer + " bitcast(s)\n  c = " + kStack +
           " broadcast(b), dimensions={1,2}\n  ROOT r = " + kStack + " add(c, p)\n",
       kStack, kStackBytes},
      {"a slice of a bitcast",
       "  f = " + flat + " bitcast(p)\n  s = " + kLayer +
           " dynamic-slice(f, i, z), dynamic_slice_sizes={512,1024}\n  ROOT r = " + kLayer + " negate(s)\n",
       kLayer, kLayerBytes},
      {"a slice of a converted reshape",
       "  f = " + flat +
           " reshape(p)\n  g = bf16[8192,1024]{1,0:T(8,128)(2,1)} convert(f)\n"
           "  ROOT r = bf16[512,1024]{1,0:T(8,128)(2,1)} dynamic-slice(g, i, z), dynamic_slice_sizes={512,1024}\n",
       "bf16[512,1024]{1,0:T(8,128)(2,1)}", kLayerBytes},
      {"a slice in a nested fusion",
       "  n = " + one + " fusion(p, i), kind=kLoop, calls=nested\n  ROOT r = " + one + " negate(n)\n", one,
       kLayerBytes},
      {"a strided slice across layers",
       "  s = f32[4,512,1024]{2,1,0:T(8,128)} slice(p), slice={[0:16:4], [0:512], [0:1024]}\n"
       "  ROOT r = f32[4,512,1024]{2,1,0:T(8,128)} negate(s)\n",
       "f32[4,512,1024]{2,1,0:T(8,128)}", 4 * kLayerBytes},
      {"one row of each tile: whole tiles",
       "  s = f32[16,1,1024]{2,1,0:T(8,128)} slice(p), slice={[0:16], [5:6], [0:1024]}\n"
       "  ROOT r = f32[16,1,1024]{2,1,0:T(8,128)} negate(s)\n",
       "f32[16,1,1024]{2,1,0:T(8,128)}", 16 * 8 * 1024 * 4},
      {"nothing", "  ROOT r = " + kLayer + " broadcast(c0), dimensions={}\n", kLayer, 0},
  };
  const std::string nested = "nested {\n  p = " + kStack +
                             " parameter(0)\n  i = s32[] parameter(1)\n  z = s32[] constant(0)\n  ROOT s = " + one +
                             " dynamic-slice(p, i, z, z), dynamic_slice_sizes={1,512,1024}\n}\n";
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string fused = "fused {\n  p = " + kStack +
                              " parameter(0)\n  i = s32[] parameter(1)\n  z = s32[] constant(0)\n" +
                              "  c0 = f32[] constant(0)\n" + c.body + "}\n";
    const Work work = root_work(entry(
        {kStack, "s32[]"}, "  ROOT r = " + c.result + " fusion(a, b), kind=kLoop, calls=fused\n", nested + fused));
    const double index = work.read.hbm - c.read;
    CHECK((index == 0 || index == 4));  // and the index, where it is used
  }
}

TEST_CASE("on tiles, what is read at another place is read by a window of its own") {
  // The bytes that the final code of libtpu 0.0.52 for v6e moves, except at the borders that no row has.
  struct Case {
    const char* what;
    std::string body;
    std::string result;
    double read;
  };
  const auto slice = [](const std::string& name, const std::string& shape, const std::string& ranges) {
    return "  " + name + " = " + shape + " slice(p), slice={[0:16], " + ranges + "}\n";
  };
  const std::string rows = "f32[16,504,1024]{2,1,0:T(8,128)}";
  const std::string half = "f32[16,512,512]{2,1,0:T(8,128)}";
  const std::string lanes = "f32[16,512,64]{2,1,0:T(8,128)}";
  const double rows_bytes = kStackBytes * 504 / 512;
  const Case cases[] = {
      {"two slices that overlap",
       slice("s", rows, "[0:504], [0:1024]") + slice("t", rows, "[8:512], [0:1024]") + "  ROOT r = " + rows +
           " add(s, t)\n",
       rows, 2 * rows_bytes},
      {"two halves",
       slice("s", half, "[0:512], [0:512]") + slice("t", half, "[0:512], [512:1024]") + "  ROOT r = " + half +
           " add(s, t)\n",
       half, kStackBytes},
      {"two halves of one tile",
       slice("s", lanes, "[0:512], [0:64]") + slice("t", lanes, "[0:512], [64:128]") + "  ROOT r = " + lanes +
           " add(s, t)\n",
       lanes, 2 * kStackBytes / 8},
      {"all of it and what is padded",
       "  q = f32[] constant(0)\n  f = f32[16,520,1024]{2,1,0:T(8,128)} pad(p, q), padding=0_0x8_0x0_0\n"
       "  s = " +
           kStack + " slice(f), slice={[0:16], [0:512], [0:1024]}\n  ROOT r = " + kStack + " add(s, p)\n",
       kStack, kStackBytes * (1 + 512. / 520)},
      {"what is padded in part, and its other part",
       "  q = f32[] constant(-inf)\n  f = " + kStack + " pad(p, q), padding=0_0x0_0x-1000_1000\n  g = " + kStack +
           " pad(p, q), padding=0_0x0_0x24_-24\n  ROOT r = " + kStack + " maximum(f, g)\n",
       kStack, kStackBytes * (1 + 128. / 1024)},
      {"all of it twice and what is reversed",
       "  e = " + kStack + " exponential(p)\n  v = " + kStack + " reverse(p), dimensions={1}\n  s = " + kStack +
           " add(e, v)\n  ROOT r = " + kStack + " add(s, p)\n",
       kStack, 2 * kStackBytes},
      {"slices of what is converted",
       "  h = " + kStack + " exponential(p)\n  s = " + rows + " slice(h), slice={[0:16], [0:504], [0:1024]}\n  t = " +
           rows + " slice(h), slice={[0:16], [8:512], [0:1024]}\n  ROOT r = " + rows + " add(s, t)\n",
       rows, 2 * rows_bytes},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string fused = "fused {\n  p = " + kStack + " parameter(0)\n" + c.body + "}\n";
    const std::string root = "  ROOT r = " + c.result + " fusion(a), kind=kLoop, calls=fused\n";
    CHECK(root_work(entry({kStack}, root, fused)).read.hbm == c.read);
    // Caches of other devices keep what is read twice.
    std::string untiled = entry({kStack}, root, fused);
    for (std::size_t at = 0; (at = untiled.find(":T(8,128)")) != std::string::npos;) untiled.erase(at, 9);
    CHECK(root_work(untiled).read.hbm <= kStackBytes);
  }
}

// The final code of libtpu 0.0.52 for v5e and v6e moves these bytes; of a softmax 768 MiB for an array of 256 MiB.
TEST_CASE("what a product and the operations after it need is read in windows of each") {
  const std::string square = "f32[4096,4096]{1,0:T(8,128)}";
  const std::string inner =
      "i {\n  p = " + square + " parameter(0)\n  ROOT r = " + square + " exponential(p)\n}\n" +
      "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT r = f32[] add(x, y)\n}\n";
  const std::string nested = "  n = " + square + " fusion(p), kind=kLoop, calls=i\n";
  const std::string product = "  c = " + square + " convolution(n, q), dim_labels=bf_io->bf\n";
  const std::string window = "  z = f32[] constant(0)\n  c = " + square +
                             " reduce-window(n, z), window={size=1x8191 pad=0_0x4095_4095}, to_apply=add\n";
  struct Case {
    const char* what;
    std::string body;
    double read;  // in arrays of this size
  };
  const Case cases[] = {
      {"a product alone", nested + product + "  ROOT r = " + square + " negate(c)\n", 2},
      {"a product and its operand", nested + product + "  ROOT r = " + square + " add(c, p)\n", 3},
      {"a product and what was made of its operand", nested + product + "  ROOT r = " + square + " add(c, n)\n", 2},
      {"a product of an array with itself",
       nested + "  c = " + square + " convolution(n, n), dim_labels=bf_io->bf\n  ROOT r = " + square + " add(c, q)\n",
       2},
      {"a reduction of rows and its operand",
       nested + window + "  s = " + square + " subtract(p, c)\n  ROOT r = " + square + " add(s, q)\n", 3},
      {"a reduction of rows and what was made of its operand",
       nested + window + "  s = " + square + " subtract(n, c)\n  ROOT r = " + square + " add(s, q)\n", 2},
      {"a loop", nested + "  ROOT r = " + square + " subtract(p, n)\n", 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string fused =
        inner + "fused {\n  p = " + square + " parameter(0)\n  q = " + square + " parameter(1)\n" + c.body + "}\n";
    const std::string root = "  ROOT r = " + square + " fusion(a, b), kind=kOutput, calls=fused\n";
    const double bytes = 4.0 * 4096 * 4096;
    std::string text = entry({square, square}, root, fused);
    CHECK(root_work(text).read.hbm == c.read * bytes);
    // Caches of other devices keep what is read twice.
    for (std::size_t at = 0; (at = text.find(":T(8,128)")) != std::string::npos;) text.erase(at, 9);
    CHECK(root_work(text).read.hbm <= 2 * bytes);
  }
}

TEST_CASE("what a chain of instructions doubles stays finite") {
  std::string body;
  std::string last = "p";
  for (int i = 0; i < 2000; ++i) {
    const std::string n = std::to_string(i);
    body += "  v" + n + " = " + kLayer + " reverse(" + last + "), dimensions={1}\n  a" + n + " = " + kLayer + " add(v" +
            n + ", " + last + ")\n";
    last = "a" + n;
  }
  const std::string fused =
      "fused {\n  p = " + kLayer + " parameter(0)\n" + body + "  ROOT r = " + kLayer + " negate(" + last + ")\n}\n";
  const Work work = root_work(entry({kLayer}, "  ROOT r = " + kLayer + " fusion(a), kind=kLoop, calls=fused\n", fused));
  CHECK(work.read.hbm > 1000 * kLayerBytes);
  CHECK(work.read.hbm < 1e7 * kLayerBytes);
  CHECK(work.flops < 1e20);
}

TEST_CASE("an update in place writes the update, and reads back tiles that it covers in part") {
  struct Case {
    const char* what;
    std::string update;
    double written;
    double read;  // of the update and of what is read back
  };
  const Case cases[] = {
      {"a layer", "f32[1,512,1024]{2,1,0:T(8,128)}", kLayerBytes, kLayerBytes},
      {"eight rows of each layer: whole tiles", "f32[16,8,1024]{2,1,0:T(8,128)}", 16 * 8 * 4096, 16 * 8 * 4096},
      {"one row of each layer", "f32[16,1,1024]{2,1,0:T(8,128)}", 16 * 8 * 4096, 2 * 16 * 8 * 4096},
      {"one column", "f32[1,512,1]{2,1,0:T(8,128)}", 512 * 128 * 4, 2 * 512 * 128 * 4},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string indices = "  i = s32[] constant(0)\n";
    const Work plain = root_work(
        entry({kStack, c.update}, indices + "  ROOT r = " + kStack + " dynamic-update-slice(a, b, i, i, i)\n"));
    CHECK(plain.written.hbm == c.written);
    CHECK(plain.read.hbm - 3 * 4 == c.read);  // and three indices
    CHECK((plain.partial_tile_elements > 0) == (c.read > c.written));

    const std::string fused = "fused {\n  p = " + kStack + " parameter(0)\n  u = " + c.update + " parameter(1)\n" +
                              indices + "  v = " + c.update + " negate(u)\n  q = " + kStack +
                              " bitcast(p)\n  d = " + kStack +
                              " dynamic-update-slice(q, v, i, i, i)\n  ROOT r = " + kStack + " bitcast(d)\n}\n";
    const Work fusion = root_work(
        entry({kStack, c.update}, "  ROOT r = " + kStack + " fusion(a, b), kind=kLoop, calls=fused\n", fused));
    CHECK(fusion.written.hbm == c.written);
    CHECK(fusion.read.hbm == c.read);

    const std::string outer = fused + "outer {\n  p = " + kStack + " parameter(0)\n  u = " + c.update +
                              " parameter(1)\n  ROOT n = " + kStack + " fusion(p, u), kind=kLoop, calls=fused\n}\n";
    const Work nested = root_work(
        entry({kStack, c.update}, "  ROOT r = " + kStack + " fusion(a, b), kind=kLoop, calls=outer\n", outer));
    CHECK(nested.written.hbm == c.written);
    CHECK(nested.read.hbm == c.read);
  }
}

TEST_CASE("an update of what is computed in the fusion writes all of it") {
  const std::string fused = "fused {\n  p = " + kStack +
                            " parameter(0)\n  u = f32[1,512,1024]{2,1,0:T(8,128)} parameter(1)\n"
                            "  i = s32[] constant(0)\n  q = " +
                            kStack + " negate(p)\n  ROOT r = " + kStack + " dynamic-update-slice(q, u, i, i, i)\n}\n";
  const Work work = root_work(entry({kStack, "f32[1,512,1024]{2,1,0:T(8,128)}"},
                                    "  ROOT r = " + kStack + " fusion(a, b), kind=kLoop, calls=fused\n", fused));
  CHECK(work.written.hbm == kStackBytes);
  CHECK(work.read.hbm == kStackBytes + kLayerBytes);
}

TEST_CASE("a tuple of updates: each leaf by itself") {
  const std::string update = "f32[1,512,1024]{2,1,0:T(8,128)}";
  const std::string fused = "fused {\n  p = " + kStack + " parameter(0)\n  u = " + update +
                            " parameter(1)\n  i = s32[] constant(0)\n  d = " + kStack +
                            " dynamic-update-slice(p, u, i, i, i)\n  n = " + update + " negate(u)\n  ROOT t = (" +
                            kStack + ", " + update + ") tuple(d, n)\n}\n";
  const Work work = root_work(entry(
      {kStack, update}, "  ROOT r = (" + kStack + ", " + update + ") fusion(a, b), kind=kLoop, calls=fused\n", fused));
  CHECK(work.written.hbm == 2 * kLayerBytes);
  CHECK(work.read.hbm == kLayerBytes);
}

TEST_CASE("a gather reads its rows, a scatter reads, combines and writes them") {
  const std::string table = "f32[100000,8,128]{2,1,0:T(8,128)}";  // a row is a tile
  const std::string rows = "f32[64,8,128]{2,1,0:T(8,128)}";
  const std::string gather =
      " gather(a, b), offset_dims={1,2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
      "slice_sizes={1,8,128}\n";
  const Work read = root_work(entry({table, "s32[64]{0:T(128)}"}, "  ROOT r = " + rows + gather));
  CHECK(read.read.hbm == 64 * 4096 + 512);
  CHECK(read.written.hbm == 64 * 4096);

  const std::string add = "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n";
  const Work write = root_work(entry({table, "s32[64]{0:T(128)}", rows},
                                     "  ROOT r = " + table +
                                         " scatter(a, b, c), update_window_dims={1,2}, inserted_window_dims={0}, "
                                         "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add\n",
                                     add));
  CHECK(write.written.hbm == 64 * 4096);
  CHECK(write.read.hbm == 64 * 4096 + 64 * 4096 + 512);
  CHECK(write.flops == 64 * 1024);
  CHECK(write.logical_bytes == write.padded_bytes - 512 + 64 * 4);  // the tile of the indices is larger than they are
  // In a fusion as well all updates are read, however small the part of the table is that they change.
  const std::string fused = add + "fused {\n  a = " + table +
                            " parameter(0)\n  b = s32[64]{0:T(128)} parameter(1)\n  c = " + rows +
                            " parameter(2)\n  ROOT r = " + table +
                            " scatter(a, b, c), update_window_dims={1,2}, inserted_window_dims={0}, "
                            "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add\n}\n";
  const Work in_fusion =
      root_work(entry({table, "s32[64]{0:T(128)}", rows},
                      "  ROOT r = " + table + " fusion(a, b, c), kind=kCustom, calls=fused\n", fused));
  CHECK(in_fusion.written.hbm == write.written.hbm);
  CHECK(in_fusion.read.hbm == write.read.hbm);

  // Rows of tiled memory are fetched one by one: one that is asked for again is fetched again. Elsewhere caches keep
  // it, and in sorted order the same ones are neighbours.
  const std::string small = "f32[10,8,128]";
  const Work again = root_work(entry({small + "{2,1,0:T(8,128)}", "s32[64]{0:T(128)}"}, "  ROOT r = " + rows + gather));
  CHECK(again.read.hbm == 64 * 4096 + 512);
  const Work cached = root_work(entry({small, "s32[64]"}, "  ROOT r = f32[64,8,128]" + gather));
  CHECK(cached.read.hbm == 10 * 4096 + 256);
  const std::string sorted = gather.substr(0, gather.size() - 1) + ", indices_are_sorted=true\n";
  const Work once = root_work(entry({small + "{2,1,0:T(8,128)}", "s32[64]{0:T(128)}"}, "  ROOT r = " + rows + sorted));
  CHECK(once.read.hbm == 10 * 4096 + 512);
}

// The compiler writes a reduce-scatter as an all-reduce of which a fusion keeps a part.
TEST_CASE("a collective reads all it is given, whatever is kept of its result") {
  const std::string computations =
      "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n"
      "fused {\n  p = " +
      kStack + " parameter(0)\n  z = s32[] constant(0)\n  all = " + kStack +
      " all-reduce(p), replica_groups={{0,1}}, to_apply=add\n  ROOT r = " +
      "f32[1,512,1024]{2,1,0:T(8,128)} dynamic-slice(all, z, z, z), dynamic_slice_sizes={1,512,1024}\n}\n";
  const Work work = root_work(entry(
      {kStack}, "  ROOT r = f32[1,512,1024]{2,1,0:T(8,128)} fusion(a), kind=kCustom, calls=fused\n", computations));
  CHECK(work.read.hbm == kStackBytes);
  CHECK(work.written.hbm == kLayerBytes);
}

// XLA widens a cache to f32 and narrows it again around the update of one row.
TEST_CASE("an update in place through conversions works on the update alone") {
  const std::string fused =
      "fused {\n  p = bf16[16,4096] parameter(0)\n  u = bf16[1,4096] parameter(1)\n  i = s32[] parameter(2)\n"
      "  z = s32[] constant(0)\n  c = f32[16,4096] convert(p)\n  w = f32[1,4096] convert(u)\n"
      "  d = f32[16,4096] dynamic-update-slice(c, w, i, z)\n  ROOT r = bf16[16,4096] convert(d)\n}\n";
  const Work work = root_work(entry({"bf16[16,4096]", "bf16[1,4096]", "s32[]"},
                                    "  ROOT r = bf16[16,4096] fusion(a, b, c), kind=kLoop, calls=fused\n", fused));
  CHECK(work.read.hbm == 8192 + 4);
  CHECK(work.written.hbm == 8192);
  CHECK(work.flops == 2 * 4096);
}

TEST_CASE("several arrays scattered into in place write their updates") {
  const std::string array = "f32[1000,8,128]{2,1,0:T(8,128)}";
  const std::string rows = "f32[4,8,128]{2,1,0:T(8,128)}";
  const std::string add =
      "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  u = f32[] parameter(2)\n  v = f32[] parameter(3)\n"
      "  s = f32[] add(x, u)\n  t = f32[] add(y, v)\n  ROOT r = (f32[], f32[]) tuple(s, t)\n}\n";
  const std::string scatter =
      " update_window_dims={1,2}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
      "index_vector_dim=1, to_apply=add\n";
  const std::string type = "(" + array + ", " + array + ")";
  const std::string fused = add + "fused {\n  p = " + array + " parameter(0)\n  q = " + array +
                            " parameter(1)\n  i = s32[4]{0:T(128)} parameter(2)\n  u = " + rows +
                            " parameter(3)\n  ROOT r = " + type + " scatter(p, q, i, u, u)," + scatter + "}\n";
  const Work work = root_work(entry({array, array, "s32[4]{0:T(128)}", rows},
                                    "  ROOT r = " + type + " fusion(a, b, c, d), kind=kCustom, calls=fused\n", fused));
  CHECK(work.written.hbm == 2 * 4 * 4096);
  CHECK(work.read.hbm == 2 * 4 * 4096 + 512 + 4 * 4096);
}

TEST_CASE("copies and transposes that change the layout cross lanes") {
  struct Case {
    const char* what;
    std::string instruction;
    bool crosses;
  };
  const Case cases[] = {
      {"the same layout", "  ROOT r = " + kLayer + " copy(a)\n", false},
      {"the other order", "  ROOT r = f32[512,1024]{0,1:T(8,128)} copy(a)\n", true},
      {"a transpose", "  ROOT r = f32[1024,512]{1,0:T(8,128)} transpose(a), dimensions={1,0}\n", true},
      {"a transpose that the layout undoes", "  ROOT r = f32[1024,512]{0,1:T(8,128)} transpose(a), dimensions={1,0}\n",
       false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work(entry({kLayer}, c.instruction));
    CHECK(work.padded_bytes == 2 * kLayerBytes);
    CHECK(!work.vector.empty() == c.crosses);
    if (c.crosses) CHECK(work.vector.at(0).cross_lane);
  }
}

TEST_CASE("a collective under way in a fusion is counted where it starts") {
  const std::string part = "f32[64,1024]{1,0:T(8,128)}";
  const std::string buffers = part + ", " + kLayer;
  const std::string gather =
      " all-gather(p), channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}, use_global_device_ids=true\n";
  const std::string text =
      "start {\n  p = " + part + " parameter(0)\n  g = " + kLayer + gather + "  ROOT t = (" + buffers +
      ") custom-call(p, g), custom_call_target=\"AsyncCollectiveStart\"\n}\n"
      "beside {\n  p = " +
      part + " parameter(0)\n  o = " + kLayer + " parameter(1)\n  x = " + kStack + " parameter(2)\n  g = " + kLayer +
      gather + "  e = " + kStack + " negate(x)\n  ROOT t = (" + kStack + ", " + buffers +
      ") tuple(e, p, g)\n}\n"
      "done {\n  p = " +
      part + " parameter(0)\n  o = " + kLayer + " parameter(1)\n  g = " + kLayer + gather + "  ROOT r = " + kLayer +
      " custom-call(p, o, g), custom_call_target=\"AsyncCollectiveDone\"\n}\n";
  const Module module = parsed(entry(
      {part, kStack},
      "  s = (" + buffers +
          ") fusion(a), kind=kCustom, output_to_operand_aliasing={{0}: (0, {})}, calls=start\n"
          "  sa = " +
          part + " get-tuple-element(s), index=0\n  sb = " + kLayer +
          " get-tuple-element(s), index=1\n"
          "  f = (" +
          kStack + ", " + buffers +
          ") fusion(sa, sb, b), kind=kOutput, output_to_operand_aliasing={{1}: (0, {}), {2}: (1, {})}, calls=beside\n"
          "  fa = " +
          part + " get-tuple-element(f), index=1\n  fb = " + kLayer +
          " get-tuple-element(f), index=2\n"
          "  ROOT d = " +
          kLayer + " fusion(fa, fb), kind=kCustom, output_to_operand_aliasing={{}: (1, {})}, calls=done\n",
      text));
  CHECK(work_named(module, "s").padded_bytes == kLayerBytes / 8 + kLayerBytes);
  CHECK(work_named(module, "f").padded_bytes == 2 * kStackBytes);
  CHECK(work_named(module, "d").padded_bytes == 0);
}

TEST_CASE("large constants are read, scalars are part of the code") {
  const std::string fused =
      "fused {\n  p = f32[4]{0} parameter(0)\n  c = f32[4]{0} constant({1, 2, 3, 4})\n  k = f32[] constant(2)\n"
      "  b = f32[4]{0} broadcast(k), dimensions={}\n  s = f32[4]{0} add(p, c)\n  ROOT r = f32[4]{0} multiply(s, "
      "b)\n}\n";
  const Work work = root_work(entry({"f32[4]{0}"}, "  ROOT r = f32[4]{0} fusion(a), kind=kLoop, calls=fused\n", fused));
  CHECK(work.read.hbm == 32);
  CHECK(work.written.hbm == 16);
  CHECK(work.flops == 8);
}

TEST_CASE("what is not in the text is counted as unknown") {
  const Work opcode = root_work(entry({kLayer}, "  ROOT r = " + kLayer + " shiny-new-thing(a)\n"));
  CHECK(opcode.source == CostSource::kUnknown);
  CHECK(opcode.padded_bytes == 2 * kLayerBytes);
  const std::string fused =
      "fused {\n  p = " + kLayer + " parameter(0)\n  ROOT r = " + kLayer + " shiny-new-thing(p)\n}\n";
  CHECK(root_work(entry({kLayer}, "  ROOT r = " + kLayer + " fusion(a), kind=kLoop, calls=fused\n", fused)).source ==
        CostSource::kUnknown);
}

// A call of a kernel, with the body of a sample, of x and y.
std::string kernel_call(const std::string& name, const std::string& x, const std::string& y) {
  const std::string sample = source_text("tests/kernel/samples/matmul.hlo");
  const std::string call = sample.substr(sample.find(" = bf16[512,768]{1,0} custom-call(x.1, y.1)"));
  std::string line = call.substr(0, call.find('\n'));
  line.replace(line.find("x.1, y.1"), 8, x + ", " + y);
  line.erase(line.find(", operand_layout_constraints="),
             line.find(", frontend_attributes=") - line.find(", operand_layout_constraints="));
  return "  " + name + line + "\n";
}

TEST_CASE("instructions with the same work share it") {
  const Module module = parsed(
      "HloModule m, is_scheduled=true\n\nENTRY e {\n  x = f32[8,128] parameter(0)\n  a = f32[8,128] exponential(x)\n"
      "  b = f32[8,128] exponential(a)\n  ROOT c = f32[8,128] negate(b)\n}\n");
  const PagedTable<Shared<Work>> all = compute_work(module, analyze_calls(module));
  std::vector<const Work*> works;
  for (InstructionView instruction : module.entry().instructions()) works.push_back(&*all[instruction.id().index]);
  REQUIRE(works.size() == 4);
  CHECK(works[1]->transcendentals == 1024);
  CHECK(works[1] == works[2]);
  CHECK(works[1] != works[3]);
}

TEST_CASE("calls of one kernel with arrays of the same sizes in the same memories share what it does") {
  const Module module = parsed(
      "HloModule m, is_scheduled=true\n\nENTRY e {\n  x = bf16[512,1024]{1,0} parameter(0)\n"
      "  y = bf16[1024,768]{1,0} parameter(1)\n  z = bf16[1024,768]{0,1} parameter(2)\n"
      "  v = bf16[1024,768]{1,0:S(1)} parameter(3)\n  w = bf16[1024,1536]{1,0} parameter(4)\n" +
      kernel_call("a", "x", "y") + kernel_call("same", "x", "y") + kernel_call("other_layout", "x", "z") +
      kernel_call("on_chip", "x", "v") + kernel_call("other_size", "x", "w") +
      "  ROOT t = (bf16[512,768]{1,0}) tuple(a)\n}\n");
  const PagedTable<Shared<Work>> all = compute_work(module, analyze_calls(module));
  const auto kernel = [&](std::string_view name) {
    for (InstructionView instruction : module.entry().instructions()) {
      if (instruction.name() == name) return all[instruction.id().index]->kernel;
    }
    return std::shared_ptr<const KernelRun>();
  };
  REQUIRE(kernel("a") != nullptr);
  CHECK(kernel("a")->failure.empty());
  CHECK(kernel("same") == kernel("a"));
  CHECK(kernel("other_layout") == kernel("a"));
  CHECK(kernel("on_chip") != kernel("a"));
  CHECK(kernel("other_size") != kernel("a"));
  // Alone, each does the same.
  for (const char* name : {"same", "other_layout", "on_chip", "other_size"}) {
    const Work alone = work_named(module, name);
    REQUIRE(alone.kernel != nullptr);
    CHECK(alone.kernel->events.size() == kernel(name)->events.size());
    CHECK(alone.kernel->failure == kernel(name)->failure);
    CHECK(alone.kernel->windows.size() == kernel(name)->windows.size());
  }
}

}  // namespace
