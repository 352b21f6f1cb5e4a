// What moving and converting data inside tiled arrays costs the vector units, and what memories on the chip cost.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "hloroof/device.h"
#include "lib/hardware/device_facts.h"
#include "lib/time/op_time.h"
#include "lib/time/vector_time.h"
#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

TEST_CASE("whole tiles are put together by address, parts of tiles by the vector units") {
  struct Case {
    const char* what;
    const char* parameter;
    const char* root;
    double elements;
    double across_lanes = 0;  // words of 32 bits
  };
  const Case cases[] = {
      {"pad by whole tiles", "f32[8,128]{1,0:T(8,128)} parameter(0)",
       "r = f32[16,256]{1,0:T(8,128)} pad(a, z), padding=8_0x0_128", 0},
      {"pad lanes in part", "f32[8,64]{1,0:T(8,128)} parameter(0)",
       "r = f32[8,128]{1,0:T(8,128)} pad(a, z), padding=0_0x64_0", 1024, 1024},
      {"pad lanes, into two more columns", "f32[8,128]{1,0:T(8,128)} parameter(0)",
       "r = f32[8,384]{1,0:T(8,128)} pad(a, z), padding=0_0x64_192", 3 * 1024, 2.5 * 1024},
      {"pad packed lanes", "bf16[8,128]{1,0:T(8,128)(2,1)} parameter(0)",
       "r = bf16[8,384]{1,0:T(8,128)(2,1)} pad(a, z), padding=0_0x64_192", 1024, 1.5 * 1024},
      {"pad between rows", "f32[8,128]{1,0:T(8,128)} parameter(0)",
       "r = f32[15,128]{1,0:T(8,128)} pad(a, z), padding=0_0_1x0_0", 2048},
      {"pad outside the tiles", "f32[3,8,128]{2,1,0:T(8,128)} parameter(0)",
       "r = f32[5,8,128]{2,1,0:T(8,128)} pad(a, z), padding=1_1x0_0x0_0", 0},
      {"pad without tiles", "f32[8,128] parameter(0)", "r = f32[16,128] pad(a, z), padding=8_0x0_0", 2048},
      {"concatenate without tiles", "bf16[8,128] parameter(0)", "r = bf16[16,128] concatenate(a, a), dimensions={0}",
       2048},
      {"concatenate whole tiles", "f32[8,128]{1,0:T(8,128)} parameter(0)",
       "r = f32[16,128]{1,0:T(8,128)} concatenate(a, a), dimensions={0}", 0},
      {"concatenate parts of tiles", "f32[4,128]{1,0:T(8,128)} parameter(0)",
       "r = f32[8,128]{1,0:T(8,128)} concatenate(a, a), dimensions={0}", 1024},
      {"concatenate parts of lanes", "f32[8,64]{1,0:T(8,128)} parameter(0)",
       "r = f32[8,128]{1,0:T(8,128)} concatenate(a, a), dimensions={1}", 1024, 1024},  // the second moves
      {"slice whole tiles", "f32[16,256]{1,0:T(8,128)} parameter(0)",
       "r = f32[8,128]{1,0:T(8,128)} slice(a), slice={[8:16], [128:256]}", 0},
      {"slice rows of 32 bits, which a load finds", "f32[16,128]{1,0:T(8,128)} parameter(0)",
       "r = f32[8,128]{1,0:T(8,128)} slice(a), slice={[3:11], [0:128]}", 0},
      {"slice packed rows", "bf16[16,128]{1,0:T(8,128)(2,1)} parameter(0)",
       "r = bf16[8,128]{1,0:T(8,128)(2,1)} slice(a), slice={[3:11], [0:128]}", 1024},
      {"slice lanes", "f32[8,256]{1,0:T(8,128)} parameter(0)",
       "r = f32[8,128]{1,0:T(8,128)} slice(a), slice={[0:8], [5:133]}", 0, 1024},
      {"slice packed rows and lanes", "bf16[16,256]{1,0:T(8,128)(2,1)} parameter(0)",
       "r = bf16[8,128]{1,0:T(8,128)(2,1)} slice(a), slice={[3:11], [5:133]}", 2 * 1024, 512},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work(std::string("  a = ") + c.parameter + "\n  z = f32[] constant(0)\n", c.root);
    double elements = 0;
    double across_lanes = 0;
    for (const VectorWork& v : work.vector) (v.cross_lane ? across_lanes : elements) += v.elements;
    CHECK(elements == c.elements);
    CHECK(across_lanes == c.across_lanes);
  }
}

TEST_CASE("what is concatenated may be longer together than a number can say") {
  const std::string shape = "s8[8,4611686018427387905]{1,0:T(8,128)(4,1)}";  // 1 beyond a tile
  const Work work = root_work("  a = " + shape + " parameter(0)\n",
                              "r = s8[8,9223372036854775807]{1,0:T(8,128)(4,1)} concatenate(a, a, a), dimensions={1}");
  double across_lanes = 0;
  for (const VectorWork& v : work.vector) across_lanes += v.cross_lane ? v.elements : 0;
  CHECK(across_lanes == Approx(2 * 9223372036854775807.0 / 4));  // of two arrays, whose elements end at this number
}

TEST_CASE("rows that change sublanes are gathered with as many loads as their stride leaves banks") {
  struct Case {
    const char* from;
    const char* to;
    double rows;   // of 64 x 128
    double loads;  // if more than one
  };
  const Case cases[] = {
      {"f32[32,64,128]{2,0,1:T(8,128)S(1)}", "f32[32,64,128]{2,1,0:T(8,128)}", 32, 8},  // 32 rows apart
      {"f32[16,64,128]{2,0,1:T(8,128)S(1)}", "f32[16,64,128]{2,1,0:T(8,128)}", 16, 4},
      {"f32[8,64,128]{2,0,1:T(8,128)S(1)}", "f32[8,64,128]{2,1,0:T(8,128)}", 8, 2},
      {"bf16[64,64,128]{2,0,1:T(8,128)(2,1)S(1)}", "bf16[64,64,128]{2,1,0:T(8,128)(2,1)}", 64, 8},
      {"bf16[16,64,128]{2,0,1:T(8,128)(2,1)S(1)}", "bf16[16,64,128]{2,1,0:T(8,128)(2,1)}", 16, 2},
      {"f32[32,64,128]{2,0,1:T(8,128)}", "f32[32,64,128]{2,1,0:T(8,128)}", 32,
       0},  // windows of HBM are laid out for it
      {"f32[32,64,128]{2,1,0:T(8,128)S(1)}", "f32[32,64,128]{2,1,0:T(8,128)}", 32, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.from, c.to);
    const Work work =
        root_work(std::string("  a = ") + c.from + " parameter(0)\n", std::string("r = ") + c.to + " copy(a)");
    CHECK(vector_elements(work, Opcode::kCopy) == c.loads * c.rows * 64 * 128);
  }
}

TEST_CASE("a conversion takes the operations of its two types") {
  struct Case {
    const char* from;
    const char* to;
    const char* device;
    double operations;  // for each element of 32 bits
  };
  const Case cases[] = {
      {"f32", "f8e4m3fn", "tpu_v6e", 47}, {"f32", "f8e4m3fn", "tpu_v7x", 3}, {"f8e4m3fn", "bf16", "tpu_v7x", 1.5},
      {"bf16", "s8", "tpu_v5e", 10},      {"bf16", "s8", "tpu_v6e", 6},      {"s8", "f32", "tpu_v2", 4},
      {"f32", "s32", "tpu_v5p", 5},       {"f8e5m2", "f32", "tpu_v4", 14},   {"f32", "bf16", "tpu_v6e", 0.5},
      {"bf16", "f32", "tpu_v6e", 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.from, c.to, c.device);
    const Device d = device(c.device);
    const Work work = root_work(std::string("  a = ") + c.from + "[1024,1024] parameter(0)\n",
                                std::string("r = ") + c.to + "[1024,1024] convert(a)");
    const double seconds = vector_time(work, d).operation_seconds;
    CHECK(seconds == Approx(1024 * 1024 * c.operations / d.vector.f32_rate));
  }
  // Other conversions take one operation, in code as it usually is.
  const Device d = device("tpu_v5e");
  const Work work = root_work("  a = s32[1024,1024] parameter(0)\n", "r = f32[1024,1024] convert(a)");
  CHECK(vector_time(work, d).operation_seconds ==
        Approx(1024 * 1024 / (d.vector.f32_rate * d.tpu()->vector.efficiency)));
}

TEST_CASE("what a fusion divides by, or raises to, costs less if it is a constant") {
  struct Case {
    const char* opcode;
    const char* type;
    const char* constant;
    const char* device;
    double operations;  // for each element
  };
  const Case cases[] = {
      {"divide", "s32", "7", "tpu_v6e", 7},      {"divide", "s32", "8", "tpu_v6e", 6},
      {"divide", "s32", "-8", "tpu_v6e", 7},     {"divide", "s32", "7", "tpu_v2", 38},
      {"remainder", "s32", "12", "tpu_v5e", 26}, {"remainder", "s32", "16", "tpu_v5e", 6},
      {"power", "f32", "2.7", "tpu_v6e", 12},    {"power", "f32", "-1.5", "tpu_v6e", 11},
      {"power", "f32", "0.25", "tpu_v5e", 24},   {"power", "f32", "inf", "tpu_v5e", 53},
  };
  for (const Case& c : cases) {
    CAPTURE(c.opcode, c.type, c.constant, c.device);
    const std::string shape = std::string(c.type) + "[1024,1024]{1,0:T(8,128)}";
    const std::string p = "  p = " + shape + " parameter(0)\n";
    const std::string made = "  k = " + std::string(c.type) + "[] constant(" + c.constant + ")\n  b = " + shape +
                             " broadcast(k), dimensions={}\n";
    const std::string root = "r = " + shape + " " + c.opcode + "(p, b)";
    const Device d = device(c.device);
    const auto operations = [&d](const Work& work) {
      return vector_time(work, d).operation_seconds * d.vector.f32_rate * d.tpu()->vector.efficiency / (1024 * 1024);
    };
    CHECK(operations(root_work(p, "f = " + shape + " fusion(p), kind=kLoop, calls=c",
                               "c {\n" + p + made + "  ROOT " + root + "\n}\n")) == Approx(c.operations));
    // The elements of an array of constants have not one value.
    const std::string array = "  k = " + std::string(c.type) + "[1024]{0:T(1024)} constant({...})\n  b = " + shape +
                              " broadcast(k), dimensions={1}\n";
    CHECK(operations(root_work(p, "f = " + shape + " fusion(p), kind=kLoop, calls=c",
                               "c {\n" + p + array + "  ROOT " + root + "\n}\n")) > 1.5 * c.operations);
    // An operation that stands alone has its operands in memory.
    CHECK(operations(root_work(p + made, root)) > 1.5 * c.operations);
  }
}

TEST_CASE("rows that trade sublanes are gathered, lanes go through the cross-lane unit") {
  struct Case {
    const char* what;
    const char* parameter;
    const char* root;
    bool crosses_lanes;
    double operations_on_v5e;  // of an element, on the ALUs
    double operations_on_v6e;
  };
  const Case cases[] = {
      {"lanes", "f32[256,128]{1,0:T(8,128)} parameter(0)", "r = f32[256,128]{0,1:T(8,128)} copy(a)", true, 0, 0},
      {"rows of 32 bits", "f32[16,8,128]{2,1,0:T(8,128)} parameter(0)", "r = f32[16,8,128]{2,0,1:T(8,128)} copy(a)",
       false, 7, 5},
      {"rows of 16 bits, two in a sublane", "bf16[16,8,128]{2,1,0:T(8,128)(2,1)} parameter(0)",
       "r = bf16[16,8,128]{2,0,1:T(8,128)(2,1)} copy(a)", false, 7, 4},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work(std::string("  a = ") + c.parameter + "\n", c.root);
    REQUIRE(work.vector.size() == 1);
    for (const auto& [name, operations] :
         {std::pair("tpu_v5e", c.operations_on_v5e), {"tpu_v6e", c.operations_on_v6e}}) {
      CAPTURE(name);
      const Device d = device(name);
      const VectorTime<double> time = vector_time(work, d);
      CHECK((time.relayout_seconds > 0) == c.crosses_lanes);
      CHECK(time.operation_seconds ==
            Approx(work.vector[0].elements * operations / (d.vector.f32_rate * d.tpu()->vector.efficiency)));
    }
  }
}

TEST_CASE("lanes that become another dimension than sublanes are gathered by rows as well") {
  struct Case {
    const char* to;
    bool is_gathered;
  };
  const Case cases[] = {{"{1,2,0:T(8,128)}", false}, {"{0,1,2:T(8,128)}", true}, {"{1,0,2:T(8,128)}", true}};
  for (const Case& c : cases) {
    CAPTURE(c.to);
    const Work work = root_work("  a = f32[128,128,128]{2,1,0:T(8,128)} parameter(0)\n",
                                std::string("r = f32[128,128,128]") + c.to + " copy(a)");
    double rows = 0;
    for (const VectorWork& v : work.vector) rows += v.cross_lane ? 0 : v.elements;
    CHECK(rows == (c.is_gathered ? 128 * 128 * 128 : 0));
    CHECK(vector_time(work, device("tpu_v5e")).relayout_seconds > 0);
  }
}

TEST_CASE("up to v5 a load for each row gathers a register, and loads of the same banks wait for one another") {
  const auto vmem_seconds = [](const Work& work, const Device& d) {
    return op_time(work, d).resources[Resource::kVmem];
  };
  Work rows =
      root_work("  a = f32[64,256,128]{2,1,0:T(8,128)} parameter(0)\n", "r = f32[64,256,128]{2,0,1:T(8,128)} copy(a)");
  constexpr double kBytes = 4.0 * 64 * 256 * 128;
  const Device v4 = device("tpu_v4");
  CHECK(vmem_seconds(rows, v4) == Approx(8 * kBytes / v4.tpu()->on_chip.vmem_read_bandwidth));
  const Device v6e = device("tpu_v6e");
  CHECK(vmem_seconds(rows, v6e) == Approx(std::max(kBytes / v6e.tpu()->on_chip.vmem_read_bandwidth,
                                                   kBytes / v6e.tpu()->on_chip.vmem_write_bandwidth)));
  rows.loads_in_turn = 1e6;
  CHECK(vmem_seconds(rows, v6e) == Approx(1e6 / *v6e.clock));
}

TEST_CASE("a core sends what it stores in VMEM to the other core") {
  Work work;
  work.written.vmem = 4096;  // a register
  const auto cycles = [&work](const Device& d) {
    const std::int64_t cores = d.cores_per_chip / d.devices_per_chip;
    return op_time(work, d).resources[Resource::kVmem] * *d.clock * static_cast<double>(cores);
  };
  Device v5p = device("tpu_v5p");
  CHECK(cycles(v5p) == Approx(*v5p.tpu()->vector.exchange_cycles));
  std::get<TpuCore>(v5p.core).vector.exchange_cycles = Fact<double>();
  CHECK(cycles(v5p) < 2);
}

TEST_CASE("windows take their own cycles, and what moves to other lanes as long as a permute") {
  const Device d = device("tpu_v5e");
  Work work;
  work.window_steps = 100;
  CHECK(vector_time(work, d).in_turn_seconds == Approx(100 * *d.tpu()->vector.window_cycles / *d.clock));
  const auto seconds = [&d](Opcode opcode) {
    const std::vector<VectorWork> one = {{opcode, ElementType::kF32, 1024, true, ElementType::kInvalid}};
    return vector_time(one, Numbers<double>(d)).register_seconds * *d.clock * d.tpu()->vector.cross_lane_units;
  };
  CHECK(seconds(Opcode::kSlice) == Approx(*d.tpu()->vector.permute_cycles));
  CHECK(seconds(Opcode::kTranspose) == 0);  // part of the relayouts
  CHECK(seconds(Opcode::kBroadcast) == Approx(*d.tpu()->vector.permute_cycles));
}

TEST_CASE("a row is divided by its total once") {
  const std::string shape = "f32[64,512]{1,0:T(8,128)}";
  const auto divisions = [&shape](const std::string& window) {
    const Work work = root_work(
        "  a = " + shape + " parameter(0)\n", "f = " + shape + " fusion(a), kind=kOutput, calls=c",
        "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\nc {\n  p = " +
            shape + " parameter(0)\n  z = f32[] constant(0)\n  t = " + shape + " reduce-window(p, z), window={" +
            window + "}, to_apply=add\n  ROOT r = " + shape + " divide(p, t)\n}\n");
    return vector_elements(work, Opcode::kDivide);
  };
  CHECK(divisions("size=1x1023 pad=0_0x511_511") == 64 * 512 * 0.25);  // one register of four
  CHECK(divisions("size=1x3 pad=0_0x1_1") == 64 * 512);
}

TEST_CASE("a core keeps HBM waiting while it changes a layout, and its neighbour draws on it then") {
  const Work turned =
      root_work("  a = f32[4096,4096]{1,0:T(8,128)} parameter(0)\n", "r = f32[4096,4096]{0,1:T(8,128)} copy(a)");
  for (const char* name : {"tpu_v5e", "tpu_v6e", "tpu_v5p", "tpu_v4"}) {
    CAPTURE(name);
    const Device d = device(name);
    const VectorTime<double> vector = vector_time(turned, d);
    CHECK(vector.seconds_without_relayout() == 0);
    CHECK(vector.seconds() == Approx(4096.0 * 4096.0 / 1024.0 * d.tpu()->vector.transpose_cycles /
                                     (*d.clock * core_count(d) * d.tpu()->vector.cross_lane_units)));
    const double memory = hbm_seconds(turned, d);
    const double busy = op_time(turned, d).seconds - d.overhead.op;
    CHECK(busy == Approx(std::max(memory, memory / core_count(d) + vector.seconds())));
    if (core_count(d) == 1) CHECK(busy == Approx(memory + vector.seconds()));
  }
  // Where both arrays lie in VMEM there is nothing to wait for.
  const Work inside =
      root_work("  a = f32[512,512]{1,0:T(8,128)S(1)} parameter(0)\n", "r = f32[512,512]{0,1:T(8,128)S(1)} copy(a)");
  const Device v6e = device("tpu_v6e");
  CHECK(op_time(inside, v6e).seconds == Approx(vector_time(inside, v6e).seconds() + *v6e.tpu()->overhead.op_on_chip));
}

TEST_CASE("a change of layout does not wait for the windows of the compiler one by one") {
  const char* parameter = "  a = f32[4096,4096]{1,0:T(8,128)} parameter(0)\n";
  const std::string copy = "r = f32[4096,4096]{0,1:T(8,128)} copy(a)";
  const Device v6e = device("tpu_v6e");
  const auto seconds = [&](const std::string& windows) {
    return op_time(root_work(parameter, copy + windows), v6e).seconds;
  };
  CHECK(seconds(", backend_config={\"window_config\":{\"iteration_bounds\":[\"8\",\"2200\",\"1\"]}}") == seconds(""));
}

TEST_CASE("an operation waits for HBM on the sides on which it has arrays there") {
  const std::string hbm = "f32[1024]{0:T(1024)}";
  const std::string vmem = "f32[1024]{0:T(1024)S(1)}";
  const std::string scalar = "s32[]{:T(128)}";
  const std::string one = "s32[1]{0:T(128)}";
  const auto parameter = [](const std::string& shape) { return "  a = " + shape + " parameter(0)\n"; };
  const std::string both = parameter(vmem) + "  i = " + scalar + " parameter(1)\n";
  const struct {
    const char* what;
    std::string parameters;
    std::string root;
    bool in;
    bool out;
    double stored = 0;  // transfers of arrays of one element to HBM where no other array goes there
  } cases[] = {
      {"arrays in HBM", parameter(hbm), "r = " + hbm + " negate(a)", true, true},
      {"a read of HBM", parameter(hbm), "r = " + vmem + " negate(a)", true, false},
      {"a write of HBM", parameter(vmem), "r = " + hbm + " negate(a)", false, true},
      {"host memory", parameter("f32[1024]{0:T(1024)S(5)}"), "r = " + vmem + " copy(a)", true, true},
      {"arrays in VMEM", parameter(vmem), "r = " + vmem + " negate(a)", false, false},
      {"no operand", "", "r = s32[8]{0:T(128)S(1)} iota(), iota_dimension=0", false, false},
      {"scalars", parameter(scalar), "r = pred[]{:T(512)} compare(a, a), direction=LT", false, false},
      {"scalars in scalar memory", parameter("s32[]{:T(128)S(6)}"), "r = s32[]{:T(128)S(6)} negate(a)", false, false},
      {"an array of one element", parameter(one), "r = " + one + " negate(a)", false, false, 1},
      {"a constant scalar", "  a = " + scalar + " constant(1)\n",
       "r = s32[8]{0:T(128)S(1)} broadcast(a), dimensions={}", false, false},
      {"a scalar repeated in HBM", parameter(scalar), "r = s32[8]{0:T(128)} broadcast(a), dimensions={}", false, true},
      {"an index", both, "r = f32[128]{0:T(128)S(1)} dynamic-slice(a, i), dynamic_slice_sizes={128}", false, false},
      {"one element of an array in HBM", parameter(hbm), "r = f32[1]{0:T(128)} slice(a), slice={[7:8]}", true, false,
       1},
      {"one element of an array in VMEM", parameter(vmem), "r = f32[1]{0:T(128)} slice(a), slice={[7:8]}", false, false,
       1},
  };
  for (const char* name : {"tpu_v5e", "tpu_v7x"}) {
    Device d = device(name);
    const double chip = *d.tpu()->overhead.op_on_chip;
    CHECK(chip < d.overhead.op / 4);
    for (const auto& c : cases) {
      CAPTURE(name, c.what);
      const Work work = root_work(c.parameters, c.root);
      const Directions directions = directions_of(work, d);
      CHECK(directions.in == c.in);
      CHECK(directions.out == c.out);
      const double waits = (d.overhead.op - chip) / 2 * (c.in + c.out);
      CHECK(op_time(work, d).overhead == Approx(chip + waits + c.stored * d.tpu()->overhead.dma_write));
      CHECK(op_terms(work, d).seconds == op_time(work, d).seconds);
    }
    std::get<TpuCore>(d.core).overhead.op_on_chip = Fact<double>();
    CHECK(op_time(root_work(parameter(vmem), "r = " + vmem + " negate(a)"), d).overhead == Approx(d.overhead.op));
  }
}

TEST_CASE("what else the vector units do waits for the first window and leaves the last") {
  const Device v5p = device("tpu_v5p");
  Work both =
      root_work("  a = f32[4096,4096]{1,0:T(8,128)} parameter(0)\n", "r = f32[4096,4096]{0,1:T(8,128)} copy(a)");
  const VectorTime<double> turned = vector_time(both, v5p);
  both.vector.push_back({Opcode::kAdd, ElementType::kF32, 4 * 4096.0 * 4096.0, false});
  const VectorTime<double> added = vector_time(both, v5p);
  CHECK(added.seconds_without_relayout() == Approx(vector_time({both.vector.back()}, v5p).seconds()));
  CHECK(added.relayout_seconds == turned.relayout_seconds);
  const OpTime time = op_time(both, v5p);
  const OverlapTime<double> terms = overlap_time(both, v5p);
  CHECK(terms.ends == Approx(v5p.tpu()->overhead.dma_read + v5p.tpu()->overhead.dma_write));
  CHECK(time.seconds == Approx(terms.joined + terms.ends + v5p.overhead.op));
  // A reduction over the lanes shares the unit, at its own rate.
  both.vector.push_back({Opcode::kReduce, ElementType::kF32, 4096.0 * 4096.0, true});
  const VectorTime<double> reduced = vector_time(both, v5p);
  CHECK(reduced.register_seconds / reduced.relayout_seconds ==
        Approx(v5p.tpu()->vector.lane_reduction_cycles / v5p.tpu()->vector.transpose_cycles));
  CHECK(reduced.seconds() == Approx(reduced.register_seconds + reduced.relayout_seconds));
}

TEST_CASE("a small product is cut into windows: no more than one of them stands at its ends") {
  Device v6e = device("tpu_v6e");
  std::get<TpuCore>(v6e.core).matrix.result_latency = Fact<double>();
  const Work small = root_work(
      "  a = bf16[512,512]{1,0:T(8,128)(2,1)} parameter(0)\n  b = bf16[512,512]{1,0:T(8,128)(2,1)} parameter(1)\n",
      "r = bf16[512,512]{1,0:T(8,128)(2,1)} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  const auto ends = [&] { return overlap_time(small, v6e); };
  REQUIRE(ends().faster < v6e.tpu()->overhead.pipeline_fill);
  CHECK(ends().ends == Approx(ends().faster / v6e.tpu()->overhead.fill_windows));
  std::get<TpuCore>(v6e.core).overhead.fill_windows = 1;
  CHECK(ends().ends == Approx(ends().faster));
  std::get<TpuCore>(v6e.core).overhead.pipeline_fill = 1e-8;
  CHECK(ends().ends == Approx(1e-8));
}

TEST_CASE("a product waits for the result of its last row, which the ends of a larger one hide") {
  const Device v6e = device("tpu_v6e");
  const auto product = [](const std::string& size, const char* space) {
    const std::string shape = "bf16[" + size + "," + size + "]{1,0:T(8,128)(2,1)" + space + "}";
    return root_work("  a = " + shape + " parameter(0)\n  b = " + shape + " parameter(1)\n",
                     "r = " + shape + " dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  };
  const double latency = *v6e.tpu()->matrix.result_latency / *v6e.clock;
  const OverlapTime<double> near = overlap_time(product("128", "S(1)"), v6e);
  CHECK(near.ends == Approx(latency));
  CHECK(op_time(product("128", "S(1)"), v6e).seconds ==
        Approx(near.joined + latency + *v6e.tpu()->overhead.op_on_chip));
  CHECK(overlap_time(product("4096", ""), v6e).ends == Approx(v6e.tpu()->overhead.pipeline_fill));
  // Nothing is published for v4, and an addition has no rows of a product.
  CHECK(overlap_time(product("128", "S(1)"), device("tpu_v4")).ends == 0);
  const std::string array = "f32[1024]{0:T(1024)S(1)}";
  CHECK(overlap_time(root_work("  a = " + array + " parameter(0)\n", "r = " + array + " add(a, a)"), v6e).ends == 0);
}

TEST_CASE("a product cut along what it contracts waits for its partial sums to be added") {
  const Device v6e = device("tpu_v6e");
  Work whole = root_work(
      "  a = bf16[4096,8192]{1,0:T(8,128)(2,1)} parameter(0)\n  b = bf16[8192,4096]{1,0:T(8,128)(2,1)} parameter(1)\n",
      "r = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  REQUIRE(whole.product_steps == 1);
  CHECK(accumulation_seconds(whole, v6e) == 0);
  Work cut = whole;
  cut.product_steps = 5;
  const double adding = 4 * 4096.0 * 4096.0 / v6e.vector.f32_rate;
  CHECK(accumulation_seconds(cut, v6e) == Approx(adding));
  const OpTime time = op_time(cut, v6e);
  CHECK(time.epilogue == Approx(adding));
  CHECK(time.resources[Resource::kVector] == Approx(adding));
  CHECK(time.resources[Resource::kMatrix] == op_time(whole, v6e).resources[Resource::kMatrix]);
  CHECK(time.seconds > op_time(whole, v6e).seconds);
  CHECK(time.seconds < op_time(whole, v6e).seconds + adding);
}

TEST_CASE("a product is cut in no more windows than there is to contract") {
  const char* parameters =
      "  a = bf16[64,64]{1,0:T(8,128)(2,1)} parameter(0)\n  b = bf16[64,64]{1,0:T(8,128)(2,1)} parameter(1)\n";
  const std::string product = std::string("product {\n") + parameters +
                              "  ROOT d = f32[64,64]{1,0:T(8,128)} dot(a, b), lhs_contracting_dims={1}, "
                              "rhs_contracting_dims={0}\n}\n\n";
  const auto work = [&](const char* bounds) {
    return root_work(parameters,
                     "r = f32[64,64]{1,0:T(8,128)} fusion(a, b), kind=kOutput, calls=product, backend_config="
                     "{\"window_config\":{\"output_window_bounds\":[\"1\",\"1\"],\"iteration_bounds\":[\"2\",\"3\"" +
                         std::string(bounds) + "]}}",
                     product);
  };
  CHECK(work("").product_steps == 1);
  CHECK(work(",\"4\",\"2\"").product_steps == 8);
  const Work absurd = work(",\"9000000000000000000\",\"9000000000000000000\",\"9000000000000000000\"");
  CHECK(absurd.product_steps == 64);
  CHECK(op_time(absurd, device("tpu_v6e")).seconds < 1e-3);
}

TEST_CASE("fast memory is CMEM where a chip has one") {
  const Work work =
      root_work("  a = f32[4096,4096]{1,0:T(8,128)S(3)} parameter(0)\n", "r = f32[4096,4096]{1,0:T(8,128)} negate(a)");
  const Device v4 = device("tpu_v4_core");
  CHECK(op_time(work, v4).resources[Resource::kVmem] ==
        Approx(work.read.vmem / *v4.tpu()->on_chip.cmem_read_bandwidth));
  const Device v5e = device("tpu_v5e");
  // What it writes to HBM is stored to VMEM first, one register a cycle.
  CHECK(op_time(work, v5e).resources[Resource::kVmem] ==
        Approx(std::max(work.read.vmem / v5e.tpu()->on_chip.vmem_read_bandwidth,
                        work.written.hbm / v5e.tpu()->on_chip.vmem_write_bandwidth)));
}

TEST_CASE("a product waits for DMA before its first step and after its last, on the memory that it uses") {
  const Device v5p = device("tpu_v5p");
  const auto overhead = [&](const char* operands, const char* result) {
    const std::string shape = operands;
    return op_time(root_work(
                       "  a = " + shape + " parameter(0)\n  b = " + shape + " parameter(1)\n",
                       std::string("r = ") + result + " dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
                   v5p)
        .overhead;
  };
  const char* hbm = "bf16[128,128]{1,0:T(8,128)(2,1)}";
  const char* vmem = "bf16[128,128]{1,0:T(8,128)(2,1)S(1)}";
  const double chip = *v5p.tpu()->overhead.op_on_chip;
  const double one_way = (v5p.overhead.op + chip) / 2;
  CHECK(overhead(vmem, vmem) == Approx(chip));
  CHECK(overhead(hbm, vmem) == Approx(one_way + v5p.tpu()->overhead.dma_read));
  CHECK(overhead(vmem, hbm) == Approx(one_way + v5p.tpu()->overhead.dma_write));
  CHECK(overhead(hbm, hbm) == Approx(v5p.overhead.op + v5p.tpu()->overhead.dma_read + v5p.tpu()->overhead.dma_write));
}

}  // namespace
}  // namespace hloroof::internal
