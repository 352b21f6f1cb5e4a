// What the threads of a GPU take to find, load and store their elements, beside bytes and arithmetic.
#include <cstddef>
#include <cstdint>
#include <string>

#include "hloroof/device.h"
#include "lib/time/op_time.h"
#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

// The times are those of tests/accuracy/h100, of H100.
struct Measured {
  const char* what;
  std::string parameters;
  std::string root;
  double seconds;
  std::string computations = "";
};

std::string fusion(const std::string& parameters, const std::string& root) {
  return "f {\n" + parameters + "  ROOT z = " + root + "\n}\n";
}

TEST_CASE("Threads take time for each element of their result, or for each place that they look at") {
  const std::string maximum =
      "larger {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] maximum(x, y)\n}\n";
  const std::string image = "  a = f32[128,112,112,64] parameter(0)\n  z = f32[] constant(0)\n";
  const std::string square = "  a = bf16[8192,8192] parameter(0)\n";
  const auto embedding = [](const std::string& type) {
    return "  t = " + type + "[128256,4096]{1,0} parameter(0)\n  i = s32[16384,1]{1,0} parameter(1)\n";
  };
  const auto lookup = [](const std::string& type) {
    return "r = " + type +
           "[16384,4096]{1,0} gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
           "index_vector_dim=1, slice_sizes={1,4096}";
  };
  const Measured cases[] = {
      {"rows of bf16 that are reversed", square, "r = bf16[8192,8192] fusion(a), kind=kLoop, calls=f", 92.3e-6,
       fusion(square, "bf16[8192,8192] reverse(a), dimensions={1}")},
      {"rows of a table in bf16", embedding("bf16"), lookup("bf16"), 110.7e-6},
      {"rows of a table in f32", embedding("f32"), lookup("f32"), 186.2e-6},
      {"windows of 3 x 3", image,
       "r = f32[128,56,56,64] reduce-window(a, z), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x0_1x0_1x0_0}, "
       "to_apply=larger",
       173.6e-6, maximum},
      {"windows of 3 x 3 in bf16, a thread each", "  a = bf16[128,112,112,64] parameter(0)\n  z = bf16[] constant(0)\n",
       "r = bf16[128,56,56,64] fusion(a), kind=kLoop, calls=f", 123.4e-6,
       "larger {\n  x = bf16[] parameter(0)\n  y = bf16[] parameter(1)\n  ROOT s = bf16[] maximum(x, y)\n}\n"
       "f {\n  a = bf16[128,112,112,64] parameter(0)\n  z = bf16[] constant(0)\n  ROOT r = bf16[128,56,56,64] "
       "reduce-window(a, z), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x0_1x0_1x0_0}, to_apply=larger\n}\n"},
      {"bytes that are converted", "  a = s8[8192,8192] parameter(0)\n",
       "r = bf16[8192,8192] fusion(a), kind=kLoop, calls=f", 80.9e-6,
       fusion("  a = s8[8192,8192] parameter(0)\n", "bf16[8192,8192] convert(a)")},
      {"65,536 keys, six kernels", "  k = f32[65536] parameter(0)\n",
       R"(r = (f32[65536], u8[9999]) custom-call(k), custom_call_target="xla.gpu.ext.cub_sort_keys")", 43e-6},
  };
  const Device h100 = device("h100_sxm");
  for (const Measured& c : cases) {
    CAPTURE(c.what);
    CHECK(op_time(root_work(c.parameters, c.root, c.computations), h100).seconds == Approx(c.seconds).epsilon(0.06));
  }
}

TEST_CASE(
    "Only the result of a kernel with a thread for each element counts, and of an update the part that it writes") {
  const std::string array = "  a = bf16[1024,4096] parameter(0)\n";
  const auto elements = [&](const std::string& parameters, const std::string& kind, const std::string& result,
                            const std::string& inner) {
    return root_work(
               parameters,
               "r = " + result + " fusion(a" + (parameters == array ? "" : ", b, c") + "), kind=" + kind + ", calls=f",
               fusion(parameters, result + " " + inner))
        .thread_elements;
  };
  CHECK(elements(array, "kLoop", "bf16[1024,4096]", "negate(a)") == 1024 * 4096);
  CHECK(elements(array, "kLoop", "bf16[16,4096]", "slice(a), slice={[0:16], [0:4096]}") == 16 * 4096);
  CHECK(elements(array, "kCustom", "bf16[1024,4096]", "negate(a)") == 0);  // computed tile by tile
  const std::string update =
      "  a = bf16[1024,4096] parameter(0)\n  b = bf16[8,4096] parameter(1)\n  c = s32[] parameter(2)\n";
  CHECK(elements(update, "kLoop", "bf16[1024,4096]", "dynamic-update-slice(a, b, c, c)") == 8 * 4096);
}

// A concatenation of two parts of an array along its last dimension.
Work joined(const std::string& type, std::int64_t first, std::int64_t second, const std::string& kind = "kInput") {
  const auto columns = [&](std::int64_t count) { return type + "[8192," + std::to_string(count) + "]{1,0}"; };
  const std::string parameters =
      "  a = " + columns(first) + " parameter(0)\n  b = " + columns(second) + " parameter(1)\n";
  const std::string result = columns(first + second);
  return root_work(parameters, "r = " + result + " fusion(a, b), kind=" + kind + ", calls=f",
                   fusion(parameters, result + " concatenate(a, b), dimensions={1}"));
}

TEST_CASE("A thread of a concatenation copies neighbours only where all parts have whole numbers of them") {
  CHECK(joined("bf16", 64, 64).tiles.blocks == 8192 * 64 / 128 / 4);
  CHECK(joined("bf16", 66, 64).tiles.blocks == 8192 * 66 / 128 / 2);
  CHECK(joined("bf16", 5, 64).tiles.blocks == 8192 * 64 / 128);
  CHECK(joined("bf16", 5, 64, "kLoop").tiles.blocks == 8192 * 64 / 128);
  CHECK(joined("bf16", 5, 64, "kOutput").tiles.blocks == 0);
  const std::string rows = "  a = f32[5,8192]{1,0} parameter(0)\n  b = f32[8187,8192]{1,0} parameter(1)\n";
  const auto along = [&](const std::string& layout) {
    std::string parameters = rows;
    std::string result = "f32[8192,8192]{1,0}";
    for (std::string* text : {&parameters, &result}) {
      for (std::size_t at = text->find("{1,0}"); at != std::string::npos; at = text->find("{1,0}", at + 5)) {
        text->replace(at, 5, layout);
      }
    }
    return root_work(parameters, "r = " + result + " fusion(a, b), kind=kInput, calls=f",
                     fusion(parameters, result + " concatenate(a, b), dimensions={0}"))
        .tiles.blocks;
  };
  CHECK(along("{1,0}") == 8187 * 8192 / 128 / 4);
  CHECK(along("{0,1}") == 8187 * 8192 / 128);  // rows of 5 and of 8187 lie one after another
}

TEST_CASE(
    "A fusion is compiled as a concatenation of four arrays at most, at its root or with nothing else to be made for") {
  const auto blocks = [](const std::string& kind, int parts, const std::string& root) {
    const std::string part = "f32[8192,513]";
    const std::string whole = "f32[8192," + std::to_string(513 * parts) + "]";
    const std::string sum =
        "sum {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n";
    std::string parameters;
    std::string names;
    for (int i = 0; i < parts; ++i) {
      const std::string name = "a" + std::to_string(i);
      parameters.append("  ").append(name).append(" = ").append(part);
      parameters.append(" parameter(").append(std::to_string(i)).append(")\n");
      names.append(i > 0 ? ", " : "").append(name);
    }
    std::string code = "f {\n" + parameters + "  z = f32[] constant(0)\n  c = " + whole + " concatenate(" + names +
                       "), dimensions={1}\n  ROOT r = " + whole + " " + root + "\n}\n";
    if (root.empty()) {
      code = "f {\n" + parameters + "  ROOT c = " + whole + " concatenate(" + names + "), dimensions={1}\n}\n";
    }
    return root_work(parameters, "r = " + whole + " fusion(" + names + "), kind=" + kind + ", calls=f", sum + code)
        .tiles.blocks;
  };
  const double one_each = 8192 * 513 / 128.0;
  CHECK(blocks("kLoop", 3, "") == one_each);
  CHECK(blocks("kLoop", 5, "") == 5 * one_each / 4);
  CHECK(blocks("kInput", 3, "negate(c)") == one_each);
  CHECK(blocks("kLoop", 3, "negate(c)") == 3 * one_each / 4);  // a part of a loop
  CHECK(blocks("kLoop", 12, "") == 12 * one_each);
  CHECK(blocks("kInput", 3, "copy(c)") == 0);  // a transposition, for all that is known
}

TEST_CASE("A thread of a loop computes as many neighbours as divide the elements of its result, four at most") {
  const auto blocks = [](const std::string& size, const std::string& code, const std::string& more = "") {
    const std::string shape = "f32[" + size + "]";
    const std::string parameters = "  a = " + shape + " parameter(0)\n";
    return root_work(
               parameters, "r = " + shape + " fusion(a), kind=kLoop, calls=f",
               more + "f {\n" + parameters + "  z = f32[] constant(0)\n  ROOT c = " + shape + " " + code + "\n}\n")
        .tiles.blocks;
  };
  CHECK(blocks("8192,8192", "negate(a)") == 131072);
  CHECK(blocks("8192,8193", "negate(a)") == 131088);  // the rows may be odd
  CHECK(blocks("8191,8190", "negate(a)") == 262049);
  CHECK(blocks("8191,8191", "negate(a)") == 524161);
  // More than a double counts, and more than it holds: no block for a part of an element.
  CHECK(blocks("9007199254740991,1023", "negate(a)") <= 9007199254740992.0 * 1023 / 128);
  const std::string longest = "9223372036854775807";
  CHECK(blocks(longest + "," + longest, "negate(a)") <= 1e38);
  const std::string sum = "sum {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n";
  CHECK(blocks("8192,8192", "reduce-window(a, z), window={size=1x9 pad=0_0x4_4}, to_apply=sum", sum) == 524288);
}

TEST_CASE("The blocks of a concatenation of odd rows take longer to start than their bytes to move") {
  const Device h100 = device("h100_sxm");
  CHECK(op_time(joined("bf16", 5, 8187), h100).seconds == Approx(316.4e-6).epsilon(0.02));
  CHECK(op_time(joined("f32", 5, 8187), h100).seconds == Approx(317.2e-6).epsilon(0.02));
  CHECK(op_time(joined("bf16", 8, 8184), h100).seconds < 100e-6);
}

TEST_CASE("A block that sorts a short row leaves threads of its multiprocessor idle") {
  const std::string less =
      "less {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n"
      "  ROOT s = pred[] compare(x, y), direction=LT\n}\n";
  struct Case {
    std::string dimensions;
    double threads;
    double seconds;  // measured
  };
  const Case cases[] = {{"[65536,64]", 32, 176.5e-6}, {"[256,8192]", 4096, 174.8e-6}, {"[4096,1024]", 512, 195.7e-6}};
  const Device h100 = device("h100_sxm");
  for (const Case& c : cases) {
    CAPTURE(c.dimensions);
    const std::string keys = "  a = f32" + c.dimensions + " parameter(0)\n";
    const std::string pairs = "(f32" + c.dimensions + ", s32" + c.dimensions + ")";
    const std::string sort = pairs + " sort(a, n), dimensions={1}, to_apply=less";
    const std::string places = "  n = s32" + c.dimensions + " iota(), iota_dimension=1\n";
    const Work work =
        root_work(keys, "r = " + pairs + " fusion(a), kind=kCustom, calls=f", less + fusion(keys + places, sort));
    CHECK(work.block_threads == c.threads);
    CHECK(root_work(keys + places, "r = " + sort, less).block_threads == c.threads);
    CHECK(op_time(work, h100).seconds == Approx(c.seconds).epsilon(0.12));
  }
}

TEST_CASE("Kernels that run one after another in a sequence add their elements and their passes") {
  const std::string call = R"(custom-call(k), custom_call_target="xla.gpu.ext.cub_sort_keys")";
  const std::string sequence =
      "s {\n  k = f32[65536] parameter(0)\n  n = f32[65536] negate(k)\n  c = (f32[65536], u8[9999]) " + call +
      "\n  e = f32[65536] exponential(n)\n  ROOT t = (f32[65536], f32[65536]) tuple(n, e)\n}\n";
  const Work work = root_work("  a = f32[65536] parameter(0)\n",
                              "r = ((f32[65536]), (f32[65536], f32[65536]), u32[]) async-start(a), calls=s", sequence);
  CHECK(work.thread_elements == 2 * 65536);
  CHECK(work.sort_passes == 4);
  CHECK(work.kernels == 8);
}

TEST_CASE("A device that states no rate of elements takes no time for them") {
  const Work work = root_work("  a = bf16[8192,8192] parameter(0)\n", "r = bf16[8192,8192] negate(a)");
  CHECK(work.thread_elements == 8192 * 8192);
  Device h100 = device("h100_sxm");
  const double with = op_time(work, h100).seconds;
  std::get<GpuCore>(h100.core).vector.element_rate = Fact<double>::none();
  CHECK(op_time(work, h100).seconds < with);
}

}  // namespace
}  // namespace hloroof::internal
