// An asynchronous operation has the work of what it wraps, however it is written.
#include <optional>
#include <string>

#include "hloroof/cost.h"
#include "hloroof/parse.h"
#include "lib/analysis/names.h"
#include "lib/work/work.h"
#include "tests/catch.h"
#include "tests/work/root_work.h"

namespace hloroof::internal {
namespace {

constexpr char kHlo[] = R"(HloModule m, is_scheduled=true, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

gathered {
  shard = bf16[8,128]{1,0} parameter(0)
  ROOT gather = bf16[32,128]{1,0} all-gather(shard), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}
}

ENTRY main {
  x = bf16[32,128]{1,0} parameter(0)
  shard = bf16[8,128]{1,0} parameter(1)
  scatter-start = ((bf16[32,128]{1,0}), bf16[8,128]{1,0}) reduce-scatter-start(x), channel_id=2, replica_groups={{0,1,2,3}}, dimensions={0}, to_apply=add
  call-start = ((bf16[8,128]{1,0}), bf16[32,128]{1,0}) call-start(shard), to_apply=gathered
  scatter-done = bf16[8,128]{1,0} reduce-scatter-done(scatter-start)
  call-done = bf16[32,128]{1,0} call-done(call-start)
  ROOT both = (bf16[8,128]{1,0}, bf16[32,128]{1,0}) tuple(scatter-done, call-done)
}
)";

TEST_CASE("starts that are written with the opcode they wrap have its work") {
  const absl::StatusOr<Module> module = parse_module(kHlo);
  REQUIRE(module.ok());
  struct Case {
    const char* name;
    const char* category;
    double read;
    double written;
  };
  for (const Case& c : {Case{"scatter-start", "reduce-scatter-start", 32 * 128 * 2, 8 * 128 * 2},
                        Case{"call-start", "call-start", 8 * 128 * 2, 32 * 128 * 2}}) {
    INFO(c.name);
    for (InstructionView instruction : module->entry().instructions()) {
      if (instruction.name() != c.name) continue;
      const Work work = compute_work(instruction, {});
      CHECK(work.source == CostSource::kModel);
      CHECK(work.read.hbm == c.read);
      CHECK(work.written.hbm == c.written);
      CHECK(op_category(instruction) == c.category);
    }
  }
}

// A kernel on the array `p` that states its cost, one that does not, and one without arrays.
constexpr char kStated[] =
    R"(custom-call(p), custom_call_target="tpu_custom_call", backend_config={"custom_call_config":{"cost_estimate":)"
    R"({"flops":"5000","bytes_accessed":"9000"}}})";
constexpr char kSilent[] = R"(custom-call(p), custom_call_target="tpu_custom_call")";
constexpr char kEffect[] = R"(custom-call(), custom_call_target="tpu_custom_call", custom_call_has_side_effect=true)";

constexpr char kStart[] = "r = ((f32[1024]), f32[1024]) async-start(a), calls=outer";
constexpr char kSparseCore[] =
    R"(r = ((f32[1024]), f32[1024]) call-start(a), to_apply=outer, async_execution_thread="sparsecore")";
constexpr char kUnbound[] =
    R"(r = ((), (), s32[]{:S(2)}) call-start(), to_apply=outer, async_execution_thread="sparsecore")";

// What libtpu makes of a start on a SparseCore in the end.
constexpr char kBinary[] =
    R"(r = ((), (), s32[]{:S(2)}) custom-call-start(), async_execution_thread="sparsecore", custom_call_target="b", )"
    R"(called_computations={program})";

// A computation of one array, whose root is the last of `lines`.
std::string computation(const char* name, const std::string& lines) {
  return std::string(name) + " {\n  p = f32[1024] parameter(0)\n" + lines + "\n}\n";
}

std::string kernel(const char* name, const char* call) {
  return computation(name, std::string("  ROOT k = f32[1024] ") + call);
}

// Calls `inner` on another thread and waits for it.
std::string nested(const char* name, const char* inner) {
  const std::string called = std::string("to_apply=") + inner + ", async_execution_thread=\"sparsecore\"";
  return computation(name,
                     "  s = ((f32[1024]), f32[1024]) call-start(p), " + called + "\n  ROOT d = f32[1024] call-done(s)");
}

TEST_CASE("a custom call on another core counts as it would alone, however deep it lies") {
  const std::string through_call =
      kernel("inner", kStated) + computation("outer", "  ROOT c = f32[1024] call(p), to_apply=inner");
  const std::string through_start = kernel("inner", kStated) + nested("outer", "inner");
  const std::string deep = kernel("inner", kStated) + nested("middle", "inner") +
                           computation("around", "  ROOT c = f32[1024] call(p), to_apply=middle") +
                           nested("outer", "around");
  const std::string two =
      computation("outer", std::string("  q = f32[1024] ") + kStated + "\n  ROOT k = f32[1024] " + kStated);
  const std::string with_negate =
      computation("outer", std::string("  k = f32[1024] ") + kStated + "\n  ROOT n = f32[1024] negate(k)");
  const std::string two_cores =
      kernel("inner", kStated) + computation("outer",
                                             "  s = ((f32[1024]), f32[1024]) async-start(p), calls=inner\n"
                                             "  d = f32[1024] async-done(s)\n"
                                             "  t = ((f32[1024]), f32[1024]) async-start(d), calls=inner\n"
                                             "  ROOT e = f32[1024] async-done(t)");
  struct Case {
    const char* what;
    std::string computations;
    const char* start;
    double flops;
    double bytes;
  };
  const Case cases[] = {
      {"wrapped", kernel("outer", kStated), kStart, 5000, 9000},
      {"called", through_call, kStart, 5000, 9000},
      {"called on a SparseCore", through_call, kSparseCore, 5000, 9000},
      {"started within", through_start, kSparseCore, 5000, 9000},
      {"started within, operands follow", through_start, kUnbound, 5000, 9000},
      {"three threads", deep, kSparseCore, 5000, 9000},
      {"two calls", two, kStart, 10000, 18000},
      {"a call and an operation", with_negate, kStart, 5000 + 1024, 9000 + 2 * 4096},
      {"started twice", two_cores, kSparseCore, 10000, 18000},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work("  a = f32[1024] parameter(0)\n", c.start, c.computations);
    CHECK(work.flops == c.flops);
    CHECK(work.padded_bytes == c.bytes);
    CHECK(work.read.total() + work.written.total() == c.bytes);
    CHECK(work.source == CostSource::kAssumed);
  }
}

TEST_CASE("a custom call that names a binary has the work of the program that it calls on a SparseCore") {
  const auto program = [](const std::string& lines, const char* thread = "sparsecore") {
    return "program {\n  p = f32[1024] parameter(0)\n" + lines + "\n}, execution_thread=\"" + thread + "\"\n";
  };
  const std::string copied = "  ROOT c = f32[1024] copy(p)";
  const std::string outer = nested("middle", "inner") + program("  ROOT c = f32[1024] call(p), to_apply=middle");
  WorkOptions options;
  CustomCallCost cost;
  cost.target = "b";
  cost.seconds = 3;
  options.custom_calls = {cost};
  struct Case {
    const char* what;
    std::string computations;
    CostSource source;
    double bytes;
    WorkOptions options;
  };
  const Case cases[] = {
      {"a copy", program(copied), CostSource::kModel, 8192, {}},
      {"a program that starts another", computation("inner", copied) + outer, CostSource::kModel, 8192, {}},
      {"a kernel", kernel("inner", kSilent) + outer, CostSource::kUnknown, 8192, {}},
      {"on another thread", program(copied, "host"), CostSource::kUnknown, 0, {}},
      {"a stated time", program(copied), CostSource::kUser, 0, options},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work("  a = f32[1024] parameter(0)\n", kBinary, c.computations, c.options);
    CHECK(work.source == c.source);
    CHECK(work.padded_bytes == c.bytes);
  }
}

TEST_CASE("what runs on another core is modelled only if all of it is") {
  const auto with_root = [](const std::string& lines) { return computation("outer", lines); };
  const std::string copied = "  ROOT c = f32[1024] copy(p)";
  const std::string fused =
      kernel("fused", kSilent) + with_root("  ROOT f = f32[1024] fusion(p), kind=kCustom, calls=fused");
  const std::string loop = kernel("step", kSilent) +
                           computation("going", "  ROOT g = pred[] custom-call(p), custom_call_target=\"Going\"") +
                           with_root("  ROOT w = f32[1024] while(p), condition=going, body=step");
  struct Case {
    const char* what;
    std::string computations;
    const char* start;
    CostSource source;
    double bytes;  // at least
  };
  const Case cases[] = {
      {"a copy", with_root(copied), kStart, CostSource::kModel, 8192},
      {"a nested copy", computation("inner", copied) + nested("outer", "inner"), kUnbound, CostSource::kModel, 8192},
      {"a kernel", kernel("outer", kSilent), kStart, CostSource::kUnknown, 8192},
      {"called", kernel("inner", kSilent) + with_root("  ROOT c = f32[1024] call(p), to_apply=inner"), kSparseCore,
       CostSource::kUnknown, 8192},
      {"started within", kernel("inner", kSilent) + nested("outer", "inner"), kSparseCore, CostSource::kUnknown, 8192},
      {"operands follow", kernel("inner", kSilent) + nested("outer", "inner"), kUnbound, CostSource::kUnknown, 8192},
      {"beside a known one", with_root(std::string("  q = f32[1024] ") + kSilent + "\n  ROOT k = f32[1024] " + kStated),
       kStart, CostSource::kUnknown, 8192 + 9000},
      {"without arrays", with_root(std::string("  e = () ") + kEffect + "\n" + copied), kStart, CostSource::kUnknown,
       8192},
      {"in a fusion", fused, kStart, CostSource::kUnknown, 8192},
      {"in a loop", loop, kStart, CostSource::kUnknown, 8192},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Work work = root_work("  a = f32[1024] parameter(0)\n", c.start, c.computations);
    CHECK(work.source == c.source);
    CHECK(work.padded_bytes >= c.bytes);
  }
}

TEST_CASE("a stated time of a custom call on another core holds if nothing else runs there") {
  const std::string alone = kernel("inner", kSilent) + nested("outer", "inner");
  const std::string twice =
      computation("outer", std::string("  q = f32[1024] ") + kSilent + "\n  ROOT k = f32[1024] " + kSilent);
  const std::string beside =
      computation("outer", std::string("  q = f32[1024] ") + kSilent + "\n  ROOT n = f32[1024] negate(q)");
  WorkOptions options;
  CustomCallCost cost;
  cost.target = "tpu_custom_call";
  cost.seconds = 3;
  options.custom_calls = {cost};
  struct Case {
    const char* what;
    std::string computations;
    std::optional<double> seconds;
    CostSource source;
  };
  for (const Case& c : {Case{"alone", alone, 3.0, CostSource::kUser}, Case{"twice", twice, 6.0, CostSource::kUser},
                        Case{"beside an operation", beside, 3.0, CostSource::kAssumed}}) {
    CAPTURE(c.what);
    const Work work = root_work("  a = f32[1024] parameter(0)\n", kStart, c.computations, options);
    CHECK(work.seconds == c.seconds);
    CHECK(work.source == c.source);
  }
}

TEST_CASE("calls of calls on another core run exponentially often, but are counted once") {
  constexpr int kDepth = 200;
  std::string computations = kernel("level0", kStated);
  for (int i = 1; i <= kDepth; ++i) {
    const std::string call = "f32[1024] call(p), to_apply=level" + std::to_string(i - 1);
    const std::string name = i == kDepth ? "outer" : "level" + std::to_string(i);
    computations += computation(name.c_str(), "  q = " + call + "\n  ROOT r = " + call);
  }
  const Work work = root_work("  a = f32[1024] parameter(0)\n", kStart, computations);
  CHECK(work.source == CostSource::kUnknown);
  CHECK(work.padded_bytes > 1e60);
  CHECK(work.flops > 1e60);
  CHECK(work.matrix.size() < 10000);
}

// A row of bf16 lies in the tiles of eight rows, two of which share the sublanes of 32 bits. The TensorCore copies
// tiles, a SparseCore sublanes. The reshape to the same shape, which the compiler leaves in offloaded gathers, moves
// nothing.
TEST_CASE("a gather on a SparseCore reads the sublanes of its rows") {
  constexpr double kRow = 1024 * 2;
  struct Case {
    const char* type;
    const char* tiles;
    const char* thread;
    double read;  // rows for each row of the result
  };
  for (const Case& c : {Case{"bf16", "T(8,128)(2,1)", "sparsecore", 2}, Case{"bf16", "T(8,128)(2,1)", "main", 8},
                        Case{"f32", "T(8,128)", "sparsecore", 2 * 1}, Case{"f32", "T(8,128)", "main", 2 * 8}}) {
    CAPTURE(c.type, c.thread);
    const std::string type = c.type;
    const std::string rows = type + "[64,1024]{1,0:" + c.tiles + "}";
    const std::string table = type + "[4096,1024]{1,0:" + c.tiles + "}";
    const std::string indices = "s32[64]{0:T(128)}";
    const std::string apart = std::string(c.thread) == "main" ? "" : ", execution_thread=\"sparsecore\"";
    const std::string text =
        "HloModule m, is_scheduled=true\n\ngathered {\n  t = " + table + " parameter(0)\n  i = " + indices +
        " parameter(1)\n  g = " + rows +
        " gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
        "slice_sizes={1,1024}\n  ROOT r = " +
        rows + " reshape(g)\n}" + apart + "\n\nENTRY main {\n  x = " + table + " parameter(0)\n  y = " + indices +
        " parameter(1)\n  ROOT f = " + rows + " fusion(x, y), kind=kCustom, calls=gathered\n}\n";
    const absl::StatusOr<Module> module = parse_module(text);
    REQUIRE(module.ok());
    const Work work = compute_work(module->entry().root(), {});
    CHECK(work.read.hbm == 64 * kRow * c.read + 512);
    for (const VectorWork& v : work.vector) CHECK(v.opcode != Opcode::kTranspose);
  }
}

// A SparseCore adds to the sublanes of a row in its own memory; a vector unit updates part of each register of a tile.
TEST_CASE("a scatter on a SparseCore reads and writes the sublanes of its rows, and no register in part") {
  constexpr double kRow = 1024 * 2;
  struct Case {
    const char* type;
    const char* tiles;
    const char* thread;
    double rows;     // of the array, read and written for each row of the updates
    double updated;  // padded elements of tiles in part, for each row of the updates
  };
  for (const Case& c :
       {Case{"bf16", "T(8,128)(2,1)", "sparsecore", 2, 0}, Case{"bf16", "T(8,128)(2,1)", "main", 8, 8 * 1024},
        Case{"f32", "T(8,128)", "sparsecore", 2 * 1, 0}, Case{"f32", "T(8,128)", "main", 2 * 8, 8 * 1024}}) {
    CAPTURE(c.type, c.thread);
    const std::string type = c.type;
    const std::string rows = type + "[64,1024]{1,0:" + c.tiles + "}";
    const std::string table = type + "[4096,1024]{1,0:" + c.tiles + "}";
    const std::string indices = "s32[64]{0:T(128)}";
    const std::string apart = std::string(c.thread) == "main" ? "" : ", execution_thread=\"sparsecore\"";
    const std::string text =
        "HloModule m, is_scheduled=true\n\nadd {\n  a = " + type + "[] parameter(0)\n  b = " + type +
        "[] parameter(1)\n  ROOT c = " + type + "[] add(a, b)\n}" + apart + "\n\nscattered {\n  t = " + table +
        " parameter(0)\n  i = " + indices + " parameter(1)\n  u = " + rows + " parameter(2)\n  ROOT s = " + table +
        " scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
        "index_vector_dim=1, to_apply=add\n}" +
        apart + "\n\nENTRY main {\n  x = " + table + " parameter(0)\n  y = " + indices +
        " parameter(1)\n  z = " + rows + " parameter(2)\n  ROOT f = " + table +
        " fusion(x, y, z), kind=kCustom, calls=scattered\n}\n";
    const absl::StatusOr<Module> module = parse_module(text);
    REQUIRE(module.ok());
    const Work work = compute_work(module->entry().root(), {});
    const double updates = 64 * kRow * (type == "f32" ? 2 : 1);
    CHECK(work.written.hbm == 64 * kRow * c.rows);
    CHECK(work.read.hbm == 64 * kRow * c.rows + updates + 512);
    CHECK(work.partial_tile_elements == 64 * c.updated);
  }
}

}  // namespace
}  // namespace hloroof::internal
