// Rows that gathers and scatters find by number, sorts and selections in tiles, and panels of factorizations.
#include <string>

#include "lib/time/op_time.h"
#include "lib/time/vector_time.h"
#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

constexpr const char* kAdd =
    "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n";
constexpr const char* kKeepSecond = "add {\n  x = f32[] parameter(0)\n  ROOT y = f32[] parameter(1)\n}\n";

std::string with(const std::string& type, const char* space) { return type + "{1,0:T(8,128)" + space + "}"; }

// A scatter of 512 rows into a table of `width` columns, fused. `config` is the fusion's.
Work scatter(int width, const char* space, const std::string& config, const char* combiner = kAdd) {
  const std::string columns = std::to_string(width) + "]";
  const std::string table = with("f32[1024," + columns, space);
  const std::string arguments = "  a = " + table + " parameter(0)\n  b = s32[512]{0:T(512)} parameter(1)\n  c = " +
                                with("f32[512," + columns, "") + " parameter(2)\n";
  const std::string fused = std::string(combiner) + "fused {\n" + arguments + "  ROOT r = " + table +
                            " scatter(a, b, c), update_window_dims={1}, inserted_window_dims={0}, "
                            "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add\n}\n";
  return root_work(arguments, "r = " + table + " fusion(a, b, c), kind=kCustom, calls=fused" + config, fused);
}

std::string uses_vmem(int bytes) {
  return R"(, backend_config={"used_scoped_memory_configs":[{"memory_space":"1","offset":"0","size":")" +
         std::to_string(bytes) + R"("}]})";
}

TEST_CASE("a gather moves its rows one by one, if the table lies in VMEM") {
  struct Case {
    const char* what;
    std::string table, result, slice;
    double moved, combined;
  };
  const Case cases[] = {
      {"rows in VMEM", "f32[1000,256]{1,0:T(8,128)S(1)}", "f32[64,256]{1,0:T(8,128)}", "1,256", 64, 0},
      {"rows in HBM", "f32[1000,256]{1,0:T(8,128)}", "f32[64,256]{1,0:T(8,128)}", "1,256", 0, 0},
      {"single elements, each cut out of a register", "f32[1000,256]{1,0:T(8,128)S(1)}", "f32[64,1]{1,0:T(8,128)}",
       "1,1", 64, 64},
      {"an array without tiles", "f32[1000,256]", "f32[64,256]", "1,256", 0, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work("  a = " + c.table + " parameter(0)\n  b = s32[64] parameter(1)\n",
                                "r = " + c.result +
                                    " gather(a, b), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                                    "index_vector_dim=1, slice_sizes={" +
                                    c.slice + "}");
    CHECK(work.rows.moved == c.moved);
    CHECK(work.rows.combined == c.combined);
    CHECK(work.rows.stores == 0);
  }
}

// Bundles of final code of libtpu 0.0.52, of gathers of 16384 rows from VMEM.
TEST_CASE("a row that one register holds moves faster than one of several") {
  const struct {
    const char* device;
    const char* type;
    const char* width;
    double one_register, bundles;
  } cases[] = {
      {"tpu_v5e", "f32", "64", 16384, 27444},  {"tpu_v5e", "f32", "128", 16384, 27582},
      {"tpu_v6e", "f32", "128", 16384, 27518}, {"tpu_v5p", "f32", "128", 16384, 13532},
      {"tpu_v7x", "f32", "128", 16384, 27776}, {"tpu_v6e", "f32", "256", 0, 60286},
      {"tpu_v6e", "f32", "1024", 0, 60350},    {"tpu_v6e", "bf16", "128", 0, 45374},
  };
  for (const auto& c : cases) {
    CAPTURE(c.device, c.type, c.width);
    const std::string layout = std::string("{1,0:T(8,128)") + (std::string(c.type) == "bf16" ? "(2,1)" : "");
    const std::string columns = std::string(c.width) + "]" + layout;
    const Work work = root_work("  a = " + std::string(c.type) + "[4096," + columns + "S(1)} parameter(0)\n" +
                                    "  b = s32[16384]{0:T(1024)} parameter(1)\n",
                                "r = " + std::string(c.type) + "[16384," + columns +
                                    "} gather(a, b), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                                    "index_vector_dim=1, slice_sizes={1," +
                                    c.width + "}");
    CHECK(work.rows.moved == 16384);
    CHECK(work.rows.moved_registers == c.one_register);
    const Device machine = device(c.device);
    CHECK(vector_time(work, machine).row_seconds * *machine.clock == Approx(c.bundles).epsilon(0.35));
  }
}

TEST_CASE("a scatter combines or replaces rows in VMEM, and copies the table once") {
  constexpr double kTable = 1024.0 * 256 * 4;
  constexpr double kUpdates = 512.0 * 256 * 4 + 512 * 4;
  for (const Work& work : {scatter(256, "", uses_vmem(2 << 20)), scatter(256, "S(1)", "")}) {
    CHECK(work.rows.combined == 512);
    CHECK(work.rows.moved == 0);
    CHECK(work.rows.stores == 512 * 2);  // two registers hold a row
    CHECK(work.partial_tile_elements == 0);
  }
  const Work copied = scatter(256, "", uses_vmem(2 << 20));
  CHECK(copied.read.hbm == kTable + kUpdates);
  CHECK(copied.written.hbm == kTable);
  const Work near = scatter(256, "S(1)", "");  // the table is there already
  CHECK(near.read.hbm == kUpdates);
  CHECK(near.written.hbm == 0);
  const Work replaced = scatter(256, "", uses_vmem(2 << 20), kKeepSecond);
  CHECK(replaced.rows.combined == 0);
  CHECK(replaced.rows.moved == 512);
  // What the compiler gave the fusion does not hold the table, or nothing is said: the rows move to and from HBM.
  for (const std::string& config : {uses_vmem(1 << 19), std::string()}) {
    const Work far = scatter(256, "", config);
    CHECK(far.rows.combined == 0);
    CHECK(far.rows.stores == 0);
    CHECK(far.partial_tile_elements > 0);
  }
}

TEST_CASE("a scatter into an array that its fusion computes has its windows in VMEM") {
  const std::string arguments =
      "  z = f32[] parameter(0)\n  b = s32[512]{0:T(512)} parameter(1)\n"
      "  c = f32[512,256]{1,0:T(8,128)} parameter(2)\n";
  const std::string fused = std::string(kAdd) + "fused {\n" + arguments +
                            "  a = f32[250000,256]{1,0:T(8,128)} broadcast(z), dimensions={}\n"
                            "  ROOT r = f32[250000,256]{1,0:T(8,128)} scatter(a, b, c), update_window_dims={1}, "
                            "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
                            "indices_are_sorted=true, to_apply=add\n}\n";
  const Work work = root_work(
      arguments, "r = f32[250000,256]{1,0:T(8,128)} fusion(z, b, c), kind=kCustom, calls=fused" + uses_vmem(32190464),
      fused);
  CHECK(work.rows.combined == 512);
  CHECK(work.rows.stores == 512 * 2);
  CHECK(work.partial_tile_elements == 0);
  CHECK(work.written.hbm == 250000.0 * 256 * 4);
  CHECK(work.read.hbm < 1e6);  // the updates, and not the array
}

// An update of one position of a stack along its second minor dimension.
Work stacked(const std::string& rows, const std::string& width, const std::string& update_tile,
             const std::string& type = "f32", const std::string& tile = "T(8,128)") {
  const std::string stack = type + "[" + rows + ",16," + width + "]{2,1,0:" + tile + "}";
  return root_work("  a = " + stack + " parameter(0)\n  u = " + type + "[" + rows + ",1," + width +
                       "]{2,1,0:" + update_tile + "} parameter(1)\n  i = s32[] parameter(2)\n  z = s32[] constant(0)\n",
                   "r = " + stack + " dynamic-update-slice(a, u, z, i, z)");
}

TEST_CASE("an update that lies row by row has rows, and the registers of each") {
  const Work work = stacked("7168", "512", "T(1,128)");
  CHECK(work.rows.updated == 7168);
  CHECK(work.rows.updated_registers == 7168 * 4);
  CHECK(work.partial_tile_elements == 7168 * 4 * 1024);
  const Work odd = stacked("7168", "130", "T(1,128)");
  CHECK(odd.rows.updated == 7168);
  CHECK(odd.rows.updated_registers == 7168 * 2);
  const Work packed = stacked("7168", "512", "T(2,128)(2,1)", "bf16", "T(8,128)(2,1)");
  CHECK(packed.rows.updated == 7168);
  CHECK(packed.rows.updated_registers == 7168 * 4);
  const Work tiles = stacked("7168", "512", "T(8,128)");  // rows of several tiles lie in one register
  CHECK(tiles.rows.updated == 0);
  CHECK(tiles.partial_tile_elements == work.partial_tile_elements);
}

// Bundles of final code, by tests/accuracy/grid/updates.py.
TEST_CASE("rows that cover tiles in part take what their code takes, on one core") {
  const struct {
    const char* device;
    const char* rows;
    const char* width;
    double bundles;  // of a row
  } cases[] = {
      {"tpu_v4", "28672", "128", 16.4}, {"tpu_v4", "3584", "4096", 212},   {"tpu_v5e", "28672", "128", 32.5},
      {"tpu_v5e", "7168", "512", 45.1}, {"tpu_v5e", "3584", "4096", 179},  {"tpu_v5p", "28672", "128", 32.8},
      {"tpu_v5p", "3584", "4096", 187}, {"tpu_v6e", "28672", "128", 31.8}, {"tpu_v6e", "7168", "512", 40.1},
      {"tpu_v6e", "3584", "4096", 153}, {"tpu_v7x", "28672", "128", 22.2}, {"tpu_v7x", "3584", "4096", 148},
  };
  for (const auto& c : cases) {
    CAPTURE(c.device, c.rows);
    const Device machine = device(c.device);
    const double rows = std::stod(c.rows);
    const VectorTime<double> time = vector_time(stacked(c.rows, c.width, "T(1,128)"), machine);
    CHECK(time.row_seconds * *machine.clock / rows == Approx(c.bundles).epsilon(0.09));
    CHECK(time.partial_seconds == 0);
  }
}

TEST_CASE("rows take their time one after another") {
  for (const char* name : {"tpu_v5e", "tpu_v6e"}) {
    CAPTURE(name);
    const Device machine = device(name);
    const TpuCore& core = *machine.tpu();
    const double per_row = *core.vector.row_combine_cycles + 1;  // and a store
    Work work;
    work.rows.combined = work.rows.stores = 1000;
    CHECK(vector_time(work, machine).row_seconds == Approx(1000 * per_row / *machine.clock).epsilon(0.05));
    work.rows = {};
    work.rows.moved = 1000;
    CHECK(vector_time(work, machine).row_seconds == Approx(1000 * *core.vector.row_move_cycles / *machine.clock));
    // The ALUs wait most of that time: no peak of the vector units is near.
    CHECK(op_time(work, machine).efficiency == Approx(0).margin(1e-9));
    work.rows = {};
    CHECK(vector_time(work, machine).seconds() == 0);
    work.units_in_turn = 128;
    CHECK(vector_time(work, machine).seconds() == Approx(128 * *core.kernel.unit_latency / *machine.clock));
  }
}

TEST_CASE("sorts in tiles compare with all operations of the comparator") {
  const std::string less =
      "less {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  n = f32[] negate(x)\n  m = f32[] negate(y)\n"
      "  i = s32[] bitcast-convert(m)\n  j = s32[] bitcast-convert(n)\n"
      "  ROOT s = pred[] compare(i, j), direction=LT\n}\n";
  struct Case {
    const char* what;
    const char* array;
    int dimension;
    double compared, of_one, moved;
  };
  constexpr double kStages = 55;  // of 1024
  constexpr double kElements = 1024.0 * 1024;
  const Case cases[] = {
      {"along sublanes", "f32[1024,1024]{1,0:T(8,128)}", 0, kElements * kStages, 0.85, kElements * kStages},
      {"along lanes", "f32[1024,1024]{1,0:T(8,128)}", 1, kElements * kStages, 1, 2 * kElements * kStages},
      {"one row a register", "f32[1,1024]{1,0:T(1,128)}", 1, 8 * 1024 * kStages, 1, 16 * 1024 * kStages},
      {"without tiles", "f32[1024,1024]", 1, 0, 1, kElements * kStages},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work(
        std::string("  a = ") + c.array + " parameter(0)\n",
        std::string("r = ") + c.array + " sort(a), dimensions={" + std::to_string(c.dimension) + "}, to_apply=less",
        less);
    CHECK(vector_elements(work, Opcode::kCompare) == c.compared);
    CHECK(vector_elements(work, Opcode::kBitcastConvert) == 0);
    CHECK(vector_elements(work, Opcode::kNegate) == Approx(2 * c.of_one * c.compared));
    CHECK(vector_elements(work, Opcode::kSort) == c.moved);
    CHECK(work.flops == Approx(std::string(c.array).find("f32[1,") == 0 ? 1024 * 10 : kElements * 10));
  }
}

TEST_CASE("a selection keeps k values for each place of the registers") {
  const std::string array = "  a = f32[64,32000]{1,0:T(8,128)} parameter(0)\n";
  const std::string result = "(f32[64,40]{1,0:T(8,128)}, s32[64,40]{1,0:T(8,128)})";
  const Work whole = root_work(array, "r = " + result + " custom-call(a), custom_call_target=\"TopK\"");
  CHECK(vector_elements(whole, Opcode::kTopk) == 64.0 * 32000 * 40);
  const Work packed =
      root_work("  a = s32[64,32000]{1,0:T(8,128)} parameter(0)\n",
                "r = s32[64,40]{1,0:T(8,128)} custom-call(a), custom_call_target=\"TopKBatchMajorSmallK\"");
  CHECK(vector_elements(packed, Opcode::kMaximum) == 64.0 * 32000 * 40);
  CHECK(packed.source == CostSource::kModel);
}

TEST_CASE("a selection that ends a fusion counts beside what the fusion computes") {
  struct Case {
    const char* target;
    const char* operands;
    double kept, compared, selected;
    CostSource source;
  };
  constexpr double kElements = 64.0 * 32000;
  const Case cases[] = {
      {"TopK", "v", kElements * 40, 0, 0, CostSource::kModel},
      {"PartialReduce", "v, n, f, g", 0, kElements, 2 * kElements, CostSource::kModel},
      {"somebody's", "v", 0, 0, 0, CostSource::kUnknown},
  };
  const std::string array = "f32[64,32000]{1,0:T(8,128)}";
  const std::string result = "(f32[64,40]{1,0:T(8,128)}, s32[64,40]{1,0:T(8,128)})";
  for (const Case& c : cases) {
    CAPTURE(c.target);
    const std::string fused = "fused {\n  a = " + array + " parameter(0)\n  f = f32[] parameter(1)\n" +
                              "  g = s32[] parameter(2)\n  v = " + array + " add(a, a)\n" +
                              "  n = s32[64,32000]{1,0:T(8,128)} iota(), iota_dimension=1\n  ROOT r = " + result +
                              " custom-call(" + c.operands + "), custom_call_target=\"" + c.target + "\"\n}\n";
    const Work work =
        root_work("  a = " + array + " parameter(0)\n  f = f32[] parameter(1)\n  g = s32[] parameter(2)\n",
                  "r = " + result + " fusion(a, f, g), kind=kCustom, calls=fused", fused);
    CHECK(vector_elements(work, Opcode::kTopk) == c.kept);
    CHECK(vector_elements(work, Opcode::kCompare) == c.compared);
    CHECK(vector_elements(work, Opcode::kSelect) == c.selected);
    CHECK(vector_elements(work, Opcode::kAdd) == kElements);
    CHECK(work.source == c.source);
  }
}

TEST_CASE("the columns of a factorization wait for one another") {
  struct Case {
    const char* target;
    double in_turn;
  };
  for (const Case& c :
       {Case{"Cholesky", 3 * 128}, Case{"InvertDiagBlocksLowerTriangular", 3 * 128}, Case{"CompactWyHelper", 3 * 128},
        Case{"LuRealDecompositionBlock", 9 * 128}, Case{"QrDecompositionBlock", 9 * 128}}) {
    CAPTURE(c.target);
    const Work work = root_work(
        "  a = f32[3,128,128]{2,1,0:T(8,128)} parameter(0)\n",
        std::string("r = f32[3,128,128]{2,1,0:T(8,128)} custom-call(a), custom_call_target=\"") + c.target + "\"");
    CHECK(work.units_in_turn == c.in_turn);
    CHECK(work.source == CostSource::kModel);
    CHECK(work.flops > 0);
  }
}

}  // namespace
}  // namespace hloroof::internal
