// Checks what reduce-windows compute on a TPU, whose code depends on the windows of the result. The final code of
// libtpu 0.0.52 does what is expected here; tests/accuracy/grid compares its cycles.
#include <string>

#include "lib/time/vector_time.h"
#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

const std::string kAdd = "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n";

// A fusion of one reduce-window, of which the compiler computes `windows` at a time.
Work fused(const std::string& shape, const std::string& window, const std::string& windows) {
  const std::string z = "  z = f32[] constant(0)\n";
  return root_work("  a = " + shape + " parameter(0)\n",
                   "f = " + shape + " fusion(a), kind=kOutput, calls=c, backend_config={\"window_config\":{" +
                       "\"output_window_bounds\":[" + windows + "],\"iteration_bounds\":[]}}",
                   kAdd + "c {\n  p = " + shape + " parameter(0)\n" + z + "  ROOT r = " + shape +
                       " reduce-window(p, z), window={" + window + "}, to_apply=add\n}\n");
}

Work alone(const std::string& shape, const std::string& window) {
  return root_work("  a = " + shape + " parameter(0)\n  z = f32[] constant(0)\n",
                   "r = " + shape + " reduce-window(a, z), window={" + window + "}, to_apply=add", kAdd);
}

TEST_CASE("Prefixes run from register to register only if one window of the result has all of them") {
  const std::string shape = "f32[256,512,128]{1,0,2:T(8,128)}";
  const std::string prefix = "size=1x1x128 pad=0_0x0_0x127_0";
  constexpr double kElements = 256 * 512 * 128;
  constexpr double kBytes = 4 * kElements;

  const Work running = fused(shape, prefix, R"("128","2","1")");
  CHECK(running.flops == kElements);
  CHECK(running.read_again == 0);
  // Two tiles of four rows fill a register, but are added one after the other.
  CHECK(fused("f32[256,512,128]{1,0,2:T(4,128)}", prefix, R"("128","2","1")").flops == 2 * kElements);
  // Within registers, they are a tree.
  CHECK(fused("f32[256,512,128]{1,2,0:T(8,128)}", prefix, R"("256","16","4")").flops == 7 * kElements);

  const Work direct = fused(shape, prefix, R"("64","16","1")");
  CHECK(direct.flops == 127 * kElements);
  CHECK(vector_elements(direct, Opcode::kAdd) == 127 * kElements);
  CHECK(vector_elements(direct, Opcode::kReduce) == 0);
  CHECK(direct.read_again == kBytes / 2);  // the second window of the result reads the first half again

  // The sums of a single position stay in memory.
  CHECK(vector_elements(fused(shape, prefix, R"("1","8","1")"), Opcode::kReduce) == 127 * kElements);
}

TEST_CASE("The prefixes before each position are a tree within registers") {
  const Work before = root_work("  a = f32[1024,64]{0,1:T(8,128)} parameter(0)\n  z = f32[] constant(0)\n",
                                "r = f32[1024,65]{0,1:T(8,128)} reduce-window(a, z), window={size=1x64 pad=0_0x64_0}, "
                                "to_apply=add",
                                kAdd);
  CHECK(before.flops == 7 * 1024 * 65);  // log2 of 65, rounded up
}

TEST_CASE("Windows along the sublanes go over their rows first, where no fusion contains them") {
  struct Case {
    const char* what;
    const char* result;
    double rows;  // of tiles of the result
    double elements;
    const char* window;
    double positions;
    double passes;
    double fused;  // positions in a fusion
  };
  constexpr double kRow = 256 * 128;
  const Case cases[] = {
      {"one dimension", "[32,248,128]", 32, 32 * 248 * 128, "size=1x9x1", 9, 0, 9},
      {"two", "[30,256,128]", 30, 30 * kRow, "size=3x3x1 pad=0_0x1_1x0_0", 3, 1, 9},
      {"rows alone", "[30,256,128]", 30, 30 * kRow, "size=3x1x1", 0, 0, 0},
      {"a stride of the other dimension", "[16,256,128]", 16, 16 * kRow, "size=2x3x1 stride=2x1x1 pad=0_0x1_1x0_0", 3,
       1, 6},
      {"a stride", "[32,128,128]", 32, 32 * kRow / 2, "size=1x2x1 stride=1x2x1", 2, 1, 4},
      {"strides of both", "[16,128,128]", 16, 16 * kRow / 2, "size=2x2x1 stride=2x2x1", 2, 2, 8},
  };
  const std::string layout = "{2,1,0:T(8,128)}";
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string operand = "f32[32,256,128]" + layout;
    const std::string result = std::string("f32") + c.result + layout;
    const std::string parameters = "  a = " + operand + " parameter(0)\n  z = f32[] constant(0)\n";
    const std::string root = result + " reduce-window(a, z), window={" + c.window + "}, to_apply=add";
    const Work alone = root_work(parameters, "r = " + root, kAdd);
    const Work inside = root_work(parameters, "r = " + result + " fusion(a), kind=kLoop, calls=f",
                                  kAdd + "f {\n" + parameters + "  ROOT w = " + root + "\n}\n");
    CHECK(vector_elements(alone, Opcode::kReduceWindow) == (c.positions + 3 * c.passes) * c.elements);
    CHECK(alone.window_steps == c.passes * c.rows);
    CHECK(vector_elements(inside, Opcode::kReduceWindow) == c.fused * c.elements);
    CHECK(inside.window_steps == 0);
  }
}

TEST_CASE("Windows of packed elements are computed in 32 bits") {
  const Work work = alone("bf16[64,1024,128]{2,1,0:T(8,128)(2,1)}", "size=3x1x1 pad=1_1x0_0x0_0");
  constexpr double kElements = 64 * 1024 * 128;
  double widened = 0;
  double narrowed = 0;
  for (const VectorWork& v : work.vector) {
    if (v.opcode == Opcode::kConvert) (v.to == ElementType::kF32 ? widened : narrowed) += v.elements;
    if (v.opcode == Opcode::kAdd) CHECK(v.type == ElementType::kF32);
  }
  CHECK(widened == kElements);
  CHECK(narrowed == kElements);
  CHECK(vector_elements(work, Opcode::kAdd) == 2 * kElements);
}

TEST_CASE("A total is computed and read anew for each window of the result") {
  const std::string shape = "f32[64,8,8192]{1,2,0:T(8,128)}";
  const std::string total = "size=1x1x16383 pad=0_0x0_0x8191_8191";
  constexpr double kElements = 64 * 8 * 8192;
  constexpr double kPadded = 16 * kElements;  // 8 of 128 lanes
  const Work once = fused(shape, total, R"("1","1024","1")");
  CHECK(once.flops == kElements);
  CHECK(once.read_again == 0);
  const Work again = fused(shape, total, R"("1","16","1")");  // 16 tiles of 8 rows: 64 windows
  CHECK(again.flops == 64 * kElements);
  CHECK(again.read_again == 63 * 4 * kPadded);
  CHECK(vector_elements(again, Opcode::kReduce) == 63 * kPadded);
}

TEST_CASE("A window along lanes or sublanes takes more for each position") {
  const std::string shape = "f32[64,256,512]{2,1,0:T(8,128)}";
  constexpr double kElements = 64 * 256 * 512;
  CHECK(vector_elements(alone(shape, "size=9x1x1 pad=8_0x0_0x0_0"), Opcode::kReduceWindow) == 0);
  CHECK(vector_elements(alone(shape, "size=1x9x1 pad=0_0x8_0x0_0"), Opcode::kReduceWindow) == 9 * kElements);
  CHECK(vector_elements(alone(shape, "size=1x1x9 pad=0_0x0_0x8_0"), Opcode::kReduceWindow) == 9 * kElements);
  // Prefixes along lanes are no tree.
  CHECK(alone(shape, "size=1x1x512 pad=0_0x0_0x511_0").flops == 511 * kElements);
  CHECK(alone(shape, "size=1x256x1 pad=0_0x255_0x0_0").flops == 8 * kElements);
}

TEST_CASE("Without tiles a thread finds the element of each position") {
  constexpr double kElements = 64 * 256 * 512;
  struct Case {
    const char* type;
    const char* window;
    double positions;
  };
  const Case cases[] = {
      {"f32", "size=1x1x9 pad=0_0x0_0x8_0", 9},
      {"f32", "size=1x3x3 pad=0_0x1_1x1_1", 9},
      {"bf16", "size=1x1x16 pad=0_0x0_0x15_0", 16},
      {"f32", "size=1x1x512 pad=0_0x0_0x511_0", 16},  // XLA makes windows of 16 of a longer prefix
      {"f32", "size=64x1x1 pad=63_0x0_0x0_0", 16},
  };
  for (const Case& c : cases) {
    CAPTURE(c.type, c.window);
    const Work work = alone(std::string(c.type) + "[64,256,512]", c.window);
    CHECK(vector_elements(work, Opcode::kReduceWindow) == c.positions * kElements);
    CHECK(work.flops == (c.positions - 1) * kElements);
    for (const VectorWork& v : work.vector) {
      // The instructions find elements, whatever their type.
      if (v.opcode == Opcode::kReduceWindow) CHECK(v.type == ElementType::kF32);
    }
  }
}

TEST_CASE("Windows of the result read what they share again") {
  // 64 positions a window and a reach of 32 before them: 31 rows of the window before.
  const Work work = fused("f32[512,64,512]{2,1,0:T(8,128)}", "size=32x1x1 pad=31_0x0_0x0_0", R"("64","8","4")");
  CHECK(work.flops == 31.0 * 512 * 64 * 512);
  CHECK(work.read_again == 7 * 31 * 64.0 * 512 * 4);
}

TEST_CASE("As many windows as a text can name are counted at once") {
  const Work work = fused("f32[1000000000000,8,128]{2,1,0:T(8,128)}", "size=3x1x1 pad=1_1x0_0x0_0", R"("1","1","1")");
  CHECK(work.read_again == Approx((2 * 1e12 - 2) * 8 * 128 * 4));
  // Windows that lie in the padding alone fetch nothing.
  const Work beside = fused("f32[64,8,128]{2,1,0:T(8,128)}", "size=2x1x1 pad=33_-32x0_0x0_0", R"("16","1","1")");
  CHECK(beside.read_again == 0);
}

TEST_CASE("A reduction knows its windows from the instruction or from the fusion that it is in") {
  const auto reduced = [](const std::string& type, const std::string& dimensions, const std::string& result,
                          const std::string& windows) {
    return root_work(
        "  a = " + type + "[64,256,512]{2,1,0:T(8,128)} parameter(0)\n  z = " + type + "[] constant(0)\n",
        "r = " + type + result + " reduce(a, z), dimensions={" + dimensions + "}, to_apply=add" +
            (windows.empty() ? ""
                             : ", backend_config={\"window_config\":{\"output_window_bounds\":[" + windows + "]}}"),
        kAdd);
  };
  struct Case {
    const char* dimensions;
    const char* result;
    const char* windows;
    ReductionWindows expected;  // windows, registers, sums, by rows, results, carried
  };
  const Case cases[] = {
      // Every register of a window adds to a sum of its own half; nothing is left for another window.
      {"0", "[256,512]{1,0:T(8,128)}", "64,1,2", {64, 128, 2, false, 0, 0}},
      {"0", "[256,512]{1,0:T(8,128)}", "32,1,4", {64, 128, 4, false, 0, 256}},
      // Four registers of lanes for each of 32 rows of registers.
      {"2", "[64,256]{1,0:T(8,128)}", "1,32,4", {64, 128, 32, true, 64, 0}},
      // One register of sums waits for the cross-lane unit once, at the end.
      {"0,1,2", "[]", "1,32,4", {64, 128, 1, true, 1, 64}},
      // The bounds are those of another operation.
      {"0", "[256,512]{1,0:T(8,128)}", "1,2", {}},
      {"0", "[256,512]{1,0:T(8,128)}", "", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.dimensions, c.windows);
    const ReductionWindows found = reduced("f32", c.dimensions, c.result, c.windows).reduction;
    CHECK(found.windows == c.expected.windows);
    CHECK(found.registers == c.expected.registers);
    CHECK(found.sums == c.expected.sums);
    CHECK(found.is_by_rows == c.expected.is_by_rows);
    CHECK(found.results == c.expected.results);
    CHECK(found.carried == c.expected.carried);
    CHECK(found.is_alone == (c.expected.windows > 0));
  }
  // Several arrays have sums each.
  const std::string both = "(f32[256,512]{1,0:T(8,128)}, s32[256,512]{1,0:T(8,128)})";
  const Work pair = root_work(
      "  a = f32[64,256,512]{2,1,0:T(8,128)} parameter(0)\n  i = s32[64,256,512]{2,1,0:T(8,128)} parameter(1)\n"
      "  z = f32[] constant(0)\n  n = s32[] constant(0)\n",
      "r = " + both +
          " reduce(a, i, z, n), dimensions={0}, to_apply=larger, "
          "backend_config={\"window_config\":{\"output_window_bounds\":[32,1,4]}}",
      "larger {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n  b = f32[] parameter(2)\n  j = s32[] "
      "parameter(3)\n"
      "  g = pred[] compare(a, b), direction=GT\n  v = f32[] select(g, a, b)\n  k = s32[] select(g, i, j)\n"
      "  ROOT t = (f32[], s32[]) tuple(v, k)\n}\n");
  CHECK(pair.reduction.windows == 64);
  CHECK(pair.reduction.sums == 4);
  CHECK(pair.reduction.carried == 2 * 256);
  // What comes from memory in 16 bits is added up in 32.
  const Work narrow = reduced("bf16", "0", "[256,512]{1,0:T(8,128)(2,1)}", "64,1,2");
  CHECK(vector_elements(narrow, Opcode::kConvert) == 64 * 256 * 512);
}

// The two sums of a cross-entropy over a vocabulary, of bf16[4096,32000].
Work cross_entropy(const std::string& windows) {
  const std::string logits = "f32[4096,32000]{1,0:T(8,128)}";
  return root_work(
      "  a = bf16[4096,32000]{1,0:T(8,128)(2,1)} parameter(0)\n  m = f32[4096]{0:T(1024)S(1)} parameter(1)\n",
      "f = (f32[4096]{0:T(1024)S(1)}, f32[4096]{0:T(1024)S(1)}) fusion(a, m), kind=kLoop, calls=c, "
      "backend_config={\"window_config\":{\"output_window_bounds\":[" +
          windows + "]}}",
      std::string(kAdd) + "c {\n  p = bf16[4096,32000]{1,0:T(8,128)(2,1)} parameter(0)\n  w = " + logits +
          " convert(p)\n  q = f32[4096]{0:T(1024)S(1)} parameter(1)\n  b = " + logits +
          " broadcast(q), dimensions={0}\n  s = " + logits + " subtract(w, b)\n  e = " + logits +
          " exponential(s)\n  z = f32[] constant(0)\n"
          "  t = f32[4096]{0:T(1024)S(1)} reduce(e, z), dimensions={1}, to_apply=add\n"
          "  u = f32[4096]{0:T(1024)S(1)} reduce(w, z), dimensions={1}, to_apply=add\n"
          "  ROOT r = (f32[4096]{0:T(1024)S(1)}, f32[4096]{0:T(1024)S(1)}) tuple(t, u)\n}\n");
}

double across_lanes(const Work& work, Opcode opcode) {
  double registers = 0;
  for (const VectorWork& v : work.vector) {
    if (v.opcode == opcode && v.cross_lane) registers += v.elements / 1024;
  }
  return registers;
}

TEST_CASE("Each window along the lanes spreads the values of its rows and reduces its own sums") {
  const Work whole = cross_entropy(R"("8","250")");
  CHECK(across_lanes(whole, Opcode::kBroadcast) == 512);
  CHECK(across_lanes(whole, Opcode::kReduce) == 2 * 512);
  // 512 rows of two registers: 512 permutes and 1024 registers that are transposed to be added up, in each of 125
  // windows.
  const Work tall = cross_entropy(R"("512","2")");
  CHECK(across_lanes(tall, Opcode::kBroadcast) == 125 * 512);
  CHECK(across_lanes(tall, Opcode::kReduce) == 125 * 2 * 512);
  // A window of one row of registers keeps its sums from window to window.
  const Work row = cross_entropy(R"("1","25")");
  CHECK(across_lanes(row, Opcode::kBroadcast) == 10 * 512);
  CHECK(across_lanes(row, Opcode::kReduce) == 2 * 512);
  // Cycles of the final code of libtpu 0.0.52.
  const struct {
    const char* device;
    double cycles;
  } cases[] = {{"tpu_v5e", 788536}, {"tpu_v6e", 471958}};
  for (const auto& c : cases) {
    CAPTURE(c.device);
    const Device machine = device(c.device);
    CHECK(vector_time(tall, machine).seconds() * *machine.clock == Approx(c.cycles).epsilon(0.28));
  }
}

TEST_CASE("Rows of a window that share a value spread it once") {
  const std::string scaled = "f32[384,384,64]{1,2,0:T(8,128)}";
  const std::string parameters = "  a = " + scaled + " parameter(0)\n  s = f32[64]{0:T(128)S(1)} parameter(1)\n";
  const auto spread = [&](const std::string& config) {
    return across_lanes(root_work(parameters, "f = " + scaled + " fusion(a, s), kind=kLoop, calls=c" + config,
                                  "c {\n" + parameters + "  b = " + scaled +
                                      " broadcast(s), dimensions={2}\n  ROOT r = " + scaled + " multiply(a, b)\n}\n"),
                        Opcode::kBroadcast);
  };
  CHECK(spread("") == 384 * 8);  // nothing says which rows do
  CHECK(spread(R"(, backend_config={"window_config":{"output_window_bounds":["128","8","1"]}})") == 3 * 3 * 8);
  CHECK(spread(R"(, backend_config={"window_config":{"output_window_bounds":["1","8","3"]}})") == 384 * 8);
}

TEST_CASE("Rows that are summed over the sublanes are stored one after another") {
  const struct {
    const char* what;
    const char* operand;
    const char* result;
    const char* dimensions;
    double rows, stores;
  } cases[] = {
      {"over sublanes", "f32[4096,4,256]{2,1,0:T(4,128)}", "f32[4096,256]{1,0:T(8,128)}", "1", 4096, 8192},
      {"of several dimensions", "bf16[8,512,4,64]{3,2,1,0:T(4,128)(2,1)}", "bf16[8,512,64]{2,1,0:T(8,128)(2,1)}", "2",
       4096, 4096},
      {"over a major dimension", "f32[4096,4,256]{0,2,1:T(8,128)}", "f32[4096,256]{0,1:T(8,128)}", "1", 0, 0},
      {"over lanes", "f32[4096,4,256]{2,1,0:T(4,128)}", "f32[4096,4]{1,0:T(8,128)}", "2", 0, 0},
      {"of many registers", "f32[256,64,1024]{2,1,0:T(8,128)}", "f32[256,1024]{1,0:T(8,128)}", "1", 0, 0},
      {"to one row", "f32[4096,256]{1,0:T(8,128)}", "f32[256]{0:T(256)}", "0", 0, 0},
      {"row by row already", "f32[4096,1,256]{2,1,0:T(1,128)}", "f32[4096,256]{1,0:T(8,128)}", "1", 0, 0},
      {"without tiles", "f32[4096,4,256]", "f32[4096,256]", "1", 0, 0},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const std::string type = std::string(c.operand).substr(0, std::string(c.operand).find('['));
    const std::string add = "add {\n  x = " + type + "[] parameter(0)\n  y = " + type +
                            "[] parameter(1)\n  ROOT s = " + type + "[] add(x, y)\n}\n";
    const std::string arguments =
        std::string("  a = ") + c.operand + " parameter(0)\n  z = " + type + "[] parameter(1)\n";
    const std::string reduce =
        std::string("r = ") + c.result + " reduce(a, z), dimensions={" + c.dimensions + "}, to_apply=add";
    const Work alone = root_work(arguments, reduce, add);
    CHECK(alone.rows.combined == c.rows);
    CHECK(alone.rows.stores == c.stores);
    const Work fused = root_work(arguments, std::string("r = ") + c.result + " fusion(a, z), kind=kLoop, calls=fused",
                                 add + "fused {\n" + arguments + "  ROOT " + reduce + "\n}\n");
    CHECK(fused.rows.combined == c.rows);
    CHECK(fused.rows.stores == c.stores);
  }
}

TEST_CASE("Sums that go down the columns of a window meet the banks of VMEM") {
  const auto loads = [](const char* type, const char* dimensions, const char* result, const char* windows) {
    return root_work(std::string("  a = ") + type + " parameter(0)\n  z = f32[] constant(0)\n",
                     std::string("r = f32") + result + " reduce(a, z), dimensions={" + dimensions +
                         "}, to_apply=add, backend_config={\"window_config\":{\"output_window_bounds\":[" + windows +
                         "]}}",
                     kAdd)
        .loads_in_turn;
  };
  constexpr double kRegisters = 64 * 256 * 512 / 1024.0;
  const char* const wide = "f32[64,256,512]{2,1,0:T(8,128)}";
  CHECK(loads(wide, "0", "[256,512]{1,0:T(8,128)}", "64,1,1") == kRegisters / 4);  // the next row is in other banks
  CHECK(loads(wide, "0", "[256,512]{1,0:T(8,128)}", "64,1,2") == kRegisters / 2);
  CHECK(loads(wide, "1", "[64,512]{1,0:T(8,128)}", "8,32,4") == kRegisters / 2);  // spread over four columns
  CHECK(loads(wide, "2", "[64,256]{1,0:T(8,128)}", "8,32,4") == 0);               // along the lanes
  CHECK(loads("bf16[64,256,512]{2,1,0:T(8,128)(2,1)}", "0", "[256,512]{1,0:T(8,128)}", "64,1,2") == 0);
}

}  // namespace
}  // namespace hloroof::internal
