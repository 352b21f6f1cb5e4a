// The kernels of samples/, which make_samples.py writes. What they do is computed by hand.
#include "lib/kernel/tpu/read_kernel.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "hloroof/attributes.h"
#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "lib/kernel/common/isa.h"
#include "lib/kernel/tpu/kernel_op.h"
#include "lib/kernel/tpu/region_work.h"
#include "lib/values/backend_config.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

InstructionView kernel_call(const Module& module) { return module.entry().root(); }

absl::StatusOr<Module> sample(const std::string& name) {
  return load_module(source_path("tests/kernel/samples/" + name + ".hlo"));
}

KernelRun run_of(const std::string& name) {
  const absl::StatusOr<Module> module = sample(name);
  INFO(module.status().message());
  REQUIRE(module.ok());
  absl::StatusOr<KernelRun> run = read_kernel(kernel_call(*module));
  INFO(run.status().message());
  REQUIRE(run.ok());
  CHECK(run->unknown_ops.empty());
  return *std::move(run);
}

double flops_of(const KernelRun& run) {
  double flops = 0;
  for (const KernelRegion& region : run.regions) {
    for (const KernelProduct& product : region.work.matrix) flops += region.runs * product.flops();
  }
  return flops;
}

double elements_of(const KernelRun& run, Opcode opcode) {
  double elements = 0;
  for (const KernelRegion& region : run.regions) {
    for (const KernelVectorWork& part : region.work.vector) {
      if (part.opcode == opcode) elements += region.runs * part.elements;
    }
  }
  return elements;
}

double bytes_of(const KernelRun& run, KernelTransfer::Kind kind) {
  double bytes = 0;
  for (const KernelEvent& event : run.events) {
    if (event.kind != KernelEvent::Kind::kStart) continue;
    if (run.transfers[event.index].kind == kind) bytes += run.transfers[event.index].bytes;
  }
  return bytes;
}

TEST_CASE("a grid with windows: products, blocks that move when their index changes, memory") {
  const KernelRun run = run_of("matmul");
  CHECK(run.name == "blocked_matmul");
  CHECK(run.grid == std::vector<std::int64_t>{2, 3, 2});
  CHECK(run.steps == 12);
  CHECK(flops_of(run) == 2.0 * 512 * 1024 * 768);
  REQUIRE(run.windows.size() == 3);
  // The block of x changes at each step, although there are four; that of y too; a block of the result at every second.
  CHECK(run.windows[0].moves == 12);
  CHECK(run.windows[0].blocks == 4);
  CHECK(run.windows[0].bytes == 256 * 512 * 2);
  CHECK(run.windows[1].moves == 12);
  CHECK(run.windows[1].blocks == 6);
  CHECK(run.windows[2].moves == 6);
  CHECK(run.windows[2].blocks == 6);
  CHECK(run.windows[2].is_output);
  CHECK(bytes_of(run, KernelTransfer::Kind::kRead) == 12 * 256 * 512 * 2 + 12 * 512 * 256 * 2);
  CHECK(bytes_of(run, KernelTransfer::Kind::kWrite) == 512 * 768 * 2);
  CHECK(run.window_vmem_bytes == 2 * (256 * 512 * 2 + 512 * 256 * 2 + 256 * 256 * 2));
  CHECK(run.scratch_vmem_bytes == 256 * 256 * 4);
  CHECK(run.assumptions.empty());
  // The first dimension is parallel: the second core of a chip takes half of the steps.
  std::map<std::uint32_t, int> steps;
  for (const KernelEvent& event : run.events) {
    if (event.kind == KernelEvent::Kind::kStep) ++steps[event.index];
  }
  CHECK(steps == std::map<std::uint32_t, int>{{0, 6}, {1, 6}});
}

TEST_CASE("a condition on the position in the grid is counted over the grid") {
  const KernelRun run = run_of("causal");
  CHECK(flops_of(run) == 36 * 2.0 * 128 * 128 * 128);
  CHECK(run.assumptions.empty());
}

TEST_CASE("loops run as often as their bounds and conditions say") {
  const KernelRun run = run_of("loops");
  CHECK(elements_of(run, Opcode::kExponential) == 5 * 64 * 256);
  CHECK(elements_of(run, Opcode::kTanh) == 7 * 64 * 256);
  CHECK(run.assumptions.empty());
}

TEST_CASE("transfers of the kernel's own are started and waited for in its order") {
  const KernelRun run = run_of("copies");
  CHECK(bytes_of(run, KernelTransfer::Kind::kRead) == 512 * 256 * 4);
  CHECK(bytes_of(run, KernelTransfer::Kind::kWrite) == 512 * 256 * 4);
  std::string order;
  for (const KernelEvent& event : run.events) {
    if (event.kind == KernelEvent::Kind::kStart) {
      order += run.transfers[event.index].kind == KernelTransfer::Kind::kRead ? 'r' : 'w';
    }
    if (event.kind == KernelEvent::Kind::kWait) order += '.';
    if (event.kind == KernelEvent::Kind::kRun && !run.regions[event.index].work.vector.empty()) order += 'x';
  }
  // The next block is fetched before the current one is awaited.
  CHECK(order == "rr.xw.r.xw.r.xw..xw.");
  std::set<std::uint32_t> semaphores;
  for (const KernelEvent& event : run.events) {
    if (event.kind == KernelEvent::Kind::kStart) semaphores.insert(event.semaphore);
  }
  CHECK(semaphores.size() == 3);
}

TEST_CASE("lists that are data are assumed from their lengths, and the assumption is stated") {
  const KernelRun run = run_of("listed");
  CHECK(run.grid == std::vector<std::int64_t>{10});
  CHECK(flops_of(run) == 10 * 2.0 * 128 * 128 * 128);
  REQUIRE(run.windows.size() == 3);
  // Rows 0, 1 1, 2 2 2, 3 3 3 3; columns 0, 0 1, 0 1 2, ...: only between the first two pairs the column stays.
  CHECK(run.windows[0].moves == 4);
  CHECK(run.windows[1].moves == 9);
  CHECK(run.windows[2].moves == 10);
  REQUIRE(run.assumptions.size() == 1);
  CHECK(run.assumptions[0].find("causal") != std::string::npos);
}

TEST_CASE("the length of a list bounds a loop, times a product of constants") {
  const KernelRun run = run_of("looped");
  // Two columns of the 11 blocks of the list.
  CHECK(flops_of(run) == 2 * 11 * 2.0 * 128 * 128 * 128);
  CHECK(bytes_of(run, KernelTransfer::Kind::kRead) == 2 * 11 * 128 * 128 * 2);
}

// The call of a kernel from f32[64,256] to f32[64,256] with the program `body`.
Module call_of(const std::string& body) {
  std::string encoded;
  absl::Base64Escape(body, &encoded);
  absl::StatusOr<Module> module = parse_module(
      "HloModule m\nENTRY e {\n  x = f32[64,256] parameter(0)\n  ROOT k = f32[64,256] custom-call(x), "
      "custom_call_target=\"tpu_custom_call\", backend_config={\"custom_call_config\": {\"body\": \"" +
      encoded + "\"}}\n}\n");
  INFO(module.status().message());
  REQUIRE(module.ok());
  return *std::move(module);
}

std::string bytecode(const std::string& name) {
  std::ifstream file(source_path("tests/kernel/samples/" + name + ".mlirbc"), std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("a loop over a list moves each row once, and ends with the list") {
  constexpr double kRow = 128 * 4;  // bytes; a record names at most 16 rows
  const KernelRun rows = run_of("records");
  CHECK(bytes_of(rows, KernelTransfer::Kind::kRead) == 256 * kRow);
  CHECK(bytes_of(rows, KernelTransfer::Kind::kWrite) == 256 * kRow);
  CHECK(rows.covered == 1);
  CHECK(rows.most_work == 64 / 16);  // each record may name a single row
  // 64 records name at most 1024 of the 8192 rows.
  const KernelRun list = run_of("records_end");
  CHECK(bytes_of(list, KernelTransfer::Kind::kRead) == 64 * 16 * kRow);
  CHECK(list.covered == 64 * 16 / 8192.0);
}

TEST_CASE("calls that update one result in turn do its work once: the one that does the least") {
  const absl::StatusOr<Module> module = sample("shared");
  REQUIRE(module.ok());
  const InstructionView second = kernel_call(*module);
  const absl::StatusOr<KernelRun> worker = read_kernel(second);
  const absl::StatusOr<KernelRun> idle = read_kernel(second.operand(3));
  REQUIRE(worker.ok());
  REQUIRE(idle.ok());
  // Both compute 64 rows in each iteration, but the second has 64 of them filled.
  CHECK(elements_of(*worker, Opcode::kExponential) == 256 / 64 * 64 * 8 * 128);
  CHECK(elements_of(*idle, Opcode::kExponential) == 0);
  CHECK(worker->most_work > 3);
  CHECK(idle->most_work == 1);
  CHECK(kernel_inputs(second) != kernel_inputs(second.operand(3)));
}

TEST_CASE("an indirect transfer moves the rows that it names") {
  const Module module = call_of(bytecode("gathers_rows"));
  const absl::StatusOr<KernelRun> run = read_kernel(kernel_call(module));
  REQUIRE(run.ok());
  CHECK(bytes_of(*run, KernelTransfer::Kind::kRead) == 8 * 256 * 4);
}

TEST_CASE("a kernel may ask for the bounds of its grid") {
  const absl::StatusOr<Module> module = sample("own_bounds");
  REQUIRE(module.ok());
  for (const std::int64_t count : {1, 2, 5}) {
    CAPTURE(count);
    ReadKernelOptions options;
    options.lists = {{"own_bounds", "0", {count}}};
    const absl::StatusOr<KernelRun> run = read_kernel(kernel_call(*module), options);
    REQUIRE(run.ok());
    CHECK(run->grid == std::vector<std::int64_t>{3, count});
    // In each step of the grid, a loop runs as often as the grid has columns.
    CHECK(elements_of(*run, Opcode::kExponential) == static_cast<double>(3 * count * count) * 64 * 256);
    CHECK(run->assumptions.empty());
  }
}

TEST_CASE("the scalar code of an index runs in each step, also where the block stays") {
  const KernelRun run = run_of("next_rows");
  CHECK(run.steps == 4 * 3);
  REQUIRE(run.windows.size() == 2);
  CHECK(run.windows[0].moves == 4);  // it depends on the row alone
  CHECK(run.windows[0].blocks == 4);
  int scalars = 0;
  for (std::size_t i = 0; i < run.regions.size(); ++i) {
    if (run.regions[i].work.scalar_ops == 0) continue;
    ++scalars;
    CHECK(run.regions[i].runs == 4 * 3);
    CHECK(std::count_if(run.events.begin(), run.events.end(), [&](const KernelEvent& event) {
            return event.kind == KernelEvent::Kind::kRun && event.index == i;
          }) == 4 * 3);
  }
  CHECK(scalars == 1);
}

TEST_CASE("a product of a buffer that its array fills in part may do that part of its work") {
  const struct {
    const char* sample;
    double filled;  // the share of the 512 rows of the buffer
  } cases[] = {{"filled_128", 1 / 4.0}, {"filled_256", 1 / 2.0}, {"filled_512", 1}};
  for (const auto& c : cases) {
    CAPTURE(c.sample);
    const KernelRun run = run_of(c.sample);
    CHECK(bytes_of(run, KernelTransfer::Kind::kRead) == c.filled * 512 * 128 * 4 + 128 * 128 * 4);
    CHECK(flops_of(run) == 2.0 * 512 * 128 * 128);  // what is expected: all of the buffer
    double products = 0;
    double code = 0;
    for (const KernelRegion& region : run.regions) {
      const double weight = region.runs * weight_of(region.work);
      code += weight;
      if (!region.work.matrix.empty()) products += weight;
    }
    REQUIRE(products < code);  // what is no product takes all of the buffer
    CHECK(run.least_work == Approx(1 - (1 - c.filled) * products / weight_of(run)));
    CHECK(run.most_work == 1);
    CHECK(run.assumptions.size() == (c.filled < 1 ? 1 : 0));
  }
}

TEST_CASE("each point of the parallel dimensions of a SparseCore's grid is a program of its own") {
  const struct {
    const char* sample;
    std::int64_t side_by_side;
    int own_steps;    // of the first program
    int other_steps;  // of the others; of a TensorCore's kernel, those of the second core of a chip
  } cases[] = {
      {"gathers_rows", 1, 1, 0},
      {"gathers_on_subcores", 2 * 16, 1, 31},
      {"gathers_on_subcores_thrice", 2 * 16, 3, 31 * 3},
      {"gathers_on_scalar_subcores", 2, 1, 1},
      {"gathers_on_tensor_cores", 1, 16, 16},
  };
  for (const auto& c : cases) {
    CAPTURE(c.sample);
    const Module module = call_of(bytecode(c.sample));
    const absl::StatusOr<KernelRun> run = read_kernel(kernel_call(module));
    REQUIRE(run.ok());
    CHECK(run->side_by_side == c.side_by_side);
    std::map<std::uint32_t, int> steps;
    for (const KernelEvent& event : run->events) {
      if (event.kind == KernelEvent::Kind::kStep) ++steps[event.index];
    }
    CHECK(steps[0] == c.own_steps);
    CHECK(steps[1] == c.other_steps);
    CHECK(run->steps == c.own_steps + c.other_steps);
    CHECK(bytes_of(*run, KernelTransfer::Kind::kRead) == static_cast<double>(run->steps) * 8 * 256 * 4);
  }
}

TEST_CASE("a stated length of zero runs no product") {
  absl::StatusOr<Module> module = sample("looped");
  REQUIRE(module.ok());
  ReadKernelOptions options;
  options.lists = {{"looped_blocks", "0", {0}}};
  const absl::StatusOr<KernelRun> stated = read_kernel(kernel_call(*module), options);
  REQUIRE(stated.ok());
  CHECK(flops_of(*stated) == 0);
}

TEST_CASE("a called function runs; one that is missing or empty cannot be followed") {
  const Module calling = call_of(bytecode("calls_helper"));
  const absl::StatusOr<KernelRun> run = read_kernel(kernel_call(calling));
  INFO(run.status().message());
  REQUIRE(run.ok());
  CHECK(elements_of(*run, Opcode::kExponential) == 8 * 128);
  for (const char* name : {"calls_missing", "calls_empty"}) {
    const Module module = call_of(bytecode(name));
    const absl::StatusOr<KernelRun> failed = read_kernel(kernel_call(module));
    INFO(name);
    REQUIRE(failed.ok());
    CHECK(failed->failure.find("function") != std::string::npos);
  }
}

TEST_CASE("a body is followed as far as the size of its arrays justifies") {
  const absl::StatusOr<Module> module = sample("endless");
  REQUIRE(module.ok());
  const InstructionView call = kernel_call(*module);
  CHECK(instruction_limit(call) == 1'000'000 + 2 * 64 * 256 * 4 / 20);
  const absl::StatusOr<KernelRun> run = read_kernel(call);
  REQUIRE(run.ok());
  CHECK(run->failure == "the kernel runs too many operations to follow them");
  CHECK(flops_of(*run) == 0);
  const absl::StatusOr<Module> loops = sample("loops");
  REQUIRE(loops.ok());
  ReadKernelOptions options;
  options.most_instructions = 10;
  const absl::StatusOr<KernelRun> short_run = read_kernel(kernel_call(*loops), options);
  REQUIRE(short_run.ok());
  CHECK(!short_run->failure.empty());
  const absl::StatusOr<Module> matmul = sample("matmul");
  REQUIRE(matmul.ok());
  CHECK(read_kernel(kernel_call(*matmul), options).status().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("a body that cannot be followed still shows its grid and its windows") {
  const absl::StatusOr<Module> module = sample("matmul");
  REQUIRE(module.ok());
  const KernelRun whole = run_of("matmul");
  ReadKernelOptions options;
  options.most_instructions = 16 * whole.steps;  // enough for the steps, too few for their code
  const absl::StatusOr<KernelRun> run = read_kernel(kernel_call(*module), options);
  INFO(run.status().message());
  REQUIRE(run.ok());
  CHECK(run->failure == "the kernel runs too many operations to follow them");
  CHECK(run->grid == whole.grid);
  CHECK(flops_of(*run) == 0);
  REQUIRE(run->windows.size() == whole.windows.size());
  for (std::size_t w = 0; w < whole.windows.size(); ++w) CHECK(run->windows[w].moves == whole.windows[w].moves);
  for (const KernelTransfer::Kind kind : {KernelTransfer::Kind::kRead, KernelTransfer::Kind::kWrite}) {
    CHECK(bytes_of(*run, kind) == bytes_of(whole, kind));
  }
}

TEST_CASE("a kernel that the compiler wrote is followed from its text") {
  std::ifstream file(source_path("tests/mlir/samples/online_softmax.v6e.mlir"), std::ios::binary);
  const std::string body{std::istreambuf_iterator<char>(file), {}};
  std::string encoded;
  absl::Base64Escape(body, &encoded);
  const auto module = parse_module(
      "HloModule m\nENTRY e {\n  s = bf16[64,4096,4096]{2,1,0:T(8,128)(2,1)} parameter(0)\n"
      "  v = bf16[64,4096,128]{2,1,0:T(8,128)(2,1)} parameter(1)\n"
      "  ROOT o = bf16[64,4096,128]{2,1,0:T(8,128)(2,1)} custom-call(s, v), custom_call_target=\"tpu_custom_call\", "
      "backend_config={\"custom_call_config\":{\"body\":\"" +
      encoded + "\"}}\n}\n");
  REQUIRE(module.ok());
  const absl::StatusOr<KernelRun> run = read_kernel(kernel_call(*module));
  INFO(run.status().message());
  REQUIRE(run.ok());
  CHECK(run->failure.empty());
  CHECK(run->unknown_ops.empty());
  CHECK(run->assumptions.empty());
  CHECK(run->grid == std::vector<std::int64_t>{64, 4, 4});
  CHECK(run->steps == 1024);
  CHECK(flops_of(*run) == 1024.0 * 2 * 1024 * 1024 * 128);
  REQUIRE(run->windows.size() == 3);
  CHECK(run->windows[0].moves == 1024);  // the scores
  CHECK(run->windows[1].moves == 1024);  // the values
  CHECK(run->windows[2].moves == 256);   // the result, once the last dimension of the grid is through
  CHECK(bytes_of(*run, KernelTransfer::Kind::kRead) == 1024.0 * (1024 * 1024 + 1024 * 128) * 2);
}

TEST_CASE("a body that cannot be followed is an error that says why") {
  const absl::StatusOr<Module> module = sample("loops");
  REQUIRE(module.ok());
  const std::string body = kernel_body(kernel_call(*module));
  std::string encoded;
  absl::Base64Escape(body, &encoded);
  const std::string text(kernel_call(*module).text(AttributeKey::kBackendConfig));
  REQUIRE(text.find(encoded) != std::string::npos);
  const struct {
    std::string body;
    absl::StatusCode code;
  } rows[] = {
      {"", absl::StatusCode::kNotFound},
      {"module {}", absl::StatusCode::kInvalidArgument},  // text, without a function
      {"modules", absl::StatusCode::kNotFound},
      {body.substr(0, 8), absl::StatusCode::kInvalidArgument},
      {body.substr(0, body.size() / 2), absl::StatusCode::kInvalidArgument},
  };
  for (const auto& row : rows) {
    const Module other = call_of(row.body);
    CHECK(read_kernel(kernel_call(other)).status().code() == row.code);
  }
}

TEST_CASE("bodies count in the registers that the files of all TPUs state") {
  int tpus = 0;
  for (const std::string& name : device_names()) {
    const Device device = find_device(name).value();
    if (device.tpu() == nullptr) continue;
    INFO(name);
    CHECK(device.tpu()->vector.lanes == kRegisterLanes);
    CHECK(device.tpu()->vector.sublanes == kRegisterSublanes);
    ++tpus;
  }
  CHECK(tpus > 5);
}

TEST_CASE("each row of the table of operations has a name of a known dialect, once") {
  std::set<std::string_view> names;
#define HLOROOF_KERNEL_OP(name, kind, scalar, opcode) CHECK(names.insert(name).second);
#include "lib/kernel/tpu/kernel_ops.def"
  for (const std::string_view name : names) {
    const std::string_view dialect = name.substr(0, name.find('.'));
    CAPTURE(std::string(name));
    CHECK(std::set<std::string_view>{"arith", "math", "scf", "cf", "func", "memref", "tpu", "vector", "ub"}.count(
              dialect) == 1);
    CHECK(kernel_op(name).kind != KernelOpKind::kUnknown);
    CHECK(kernel_op("stable_mosaic." + std::string(name)).kind == kernel_op(name).kind);
  }
  CHECK(kernel_op("arith.unheard_of").kind == KernelOpKind::kUnknown);
}

}  // namespace
}  // namespace hloroof::internal
