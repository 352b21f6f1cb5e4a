// What an author can change about a kernel, on kernels that have it and on those that have not.
#include "lib/diagnose/kernel_findings.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/time/kernel_time.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

using enum DiagnosticCode;

constexpr double kKib = 1024;
constexpr double kMib = 1024 * kKib;

struct Window {
  std::vector<std::size_t> dimensions;  // of the grid, which select its block
  double bytes = 0;
  bool is_output = false;
};

// The kernel that runs `work` at each step of its grid, as a pipeline of windows does.
KernelRun pipeline(const std::vector<std::int64_t>& grid, const std::vector<Window>& windows, const RegionWork& work) {
  KernelRun run;
  run.name = "k";
  run.grid = grid;
  KernelRegion region;
  region.work = work;
  for (std::uint32_t w = 0; w < windows.size(); ++w) {
    KernelTransfer transfer;
    transfer.kind = windows[w].is_output ? KernelTransfer::Kind::kWrite : KernelTransfer::Kind::kRead;
    transfer.bytes = windows[w].bytes;
    transfer.buffer = w;
    transfer.window = w;
    run.transfers.push_back(transfer);
    KernelWindowUse use;
    use.block = {8, 128};
    use.is_output = windows[w].is_output;
    use.bytes = windows[w].bytes;
    use.blocks = 1;
    for (const std::size_t d : windows[w].dimensions) use.blocks *= static_cast<double>(grid[d]);
    run.windows.push_back(use);
    run.window_vmem_bytes += 2 * windows[w].bytes;
    region.buffers.push_back(w);
  }
  run.steps = 1;
  for (const std::int64_t bound : grid) run.steps *= bound;
  std::vector<std::int64_t> point(grid.size(), 0);
  std::vector<std::int64_t> next = point;
  const auto changes = [&](const Window& window) {
    return std::any_of(window.dimensions.begin(), window.dimensions.end(),
                       [&](std::size_t d) { return point[d] != next[d]; });
  };
  const auto start = [&](std::uint32_t w) {
    run.windows[w].moves += 1;
    run.events.push_back({KernelEvent::Kind::kStart, w, w});
  };
  std::vector<bool> waits(windows.size(), false);
  for (std::int64_t step = 0; step < run.steps; ++step) {
    run.events.push_back({KernelEvent::Kind::kStep, 0, 0});
    const bool is_last = step + 1 == run.steps;
    for (std::size_t d = grid.size(); !is_last && d-- > 0;) {
      if (++next[d] < grid[d]) break;
      next[d] = 0;
    }
    for (std::uint32_t w = 0; w < windows.size(); ++w) {
      if (windows[w].is_output) continue;
      if (step == 0) start(w);
      if (step == 0 || waits[w]) run.events.push_back({KernelEvent::Kind::kWait, 0, w});
      waits[w] = !is_last && changes(windows[w]);
      if (waits[w]) start(w);
    }
    run.events.push_back({KernelEvent::Kind::kRun, 0, 0});
    region.runs += 1;
    for (std::uint32_t w = 0; w < windows.size(); ++w) {
      if (windows[w].is_output && (is_last || changes(windows[w]))) start(w);
    }
    point = next;
  }
  run.regions = {region};
  return run;
}

// The same kernel with all of its arrays in VMEM.
KernelRun in_vmem(KernelRun run) {
  for (KernelTransfer& transfer : run.transfers) transfer.kind = KernelTransfer::Kind::kLocal;
  return run;
}

RegionWork product(double m, double n, double k, double batch = 1) {
  RegionWork work;
  work.matrix.push_back({});
  work.matrix.back().m = m;
  work.matrix.back().n = n;
  work.matrix.back().k = k;
  work.matrix.back().batch = batch;
  return work;
}

// Rows of x, which all columns share, and a bias for each row of the grid.
const std::vector<Window> kShared = {{{1}, kMib}, {{0}, 4 * kKib}, {{0, 1}, 64 * kKib, true}};
const std::vector<Window> kSharedInOrder = {{{0}, 4 * kMib}, {{1}, 4 * kKib}, {{0, 1}, kMib, true}};
// A sum over the innermost dimension cannot be moved outwards.
const std::vector<Window> kSummed = {{{1}, kMib}, {{0}, 4 * kKib}, {{0}, 64 * kKib, true}};
// A product of rows and columns: whatever the order, one of them is moved again.
const std::vector<Window> kProduct = {{{0}, kMib}, {{1}, kMib}, {{0, 1}, 64 * kKib, true}};

KernelRun with_scratch(KernelRun run, double bytes) {
  run.scratch_vmem_bytes = bytes;
  return run;
}

TEST_CASE("findings about a kernel: each where it is, and not where it is not") {
  const struct {
    const char* what;
    KernelRun run;
    const char* device;
    std::vector<DiagnosticCode> codes;
    const char* message;  // a part of the first one
  } rows[] = {
      {"another order keeps the blocks",
       with_scratch(pipeline({16, 8}, kShared, {}), 100 * kMib),
       "tpu_v5e",
       {kKernelRefetch},
       "window 0 moves each of its 8 blocks of [8,128] (1.00 MiB) 16 times: with the dimensions 1, 0"},
      {"this order keeps them", with_scratch(pipeline({8, 16}, kSharedInOrder, {}), 100 * kMib), "tpu_v5e", {}, ""},
      {"another order would write a sum in parts",
       with_scratch(pipeline({16, 8}, kSummed, {}), 100 * kMib),
       "tpu_v5e",
       {kBlockRereads},
       "VMEM has no room for larger blocks"},
      {"repeats that the work hides", pipeline({16, 8}, kShared, product(8192, 4096, 4096)), "tpu_v5e", {}, ""},
      {"larger blocks would save repeats",
       pipeline({16, 16}, kProduct, {}),
       "tpu_v5e",
       {kBlockRereads},
       "Blocks 16 times as large along dimension 0 of the grid [16,16] would move 48.0 MiB"},
      {"VMEM is full",
       with_scratch(pipeline({16, 16}, kProduct, {}), 100 * kMib),
       "tpu_v5e",
       {kBlockRereads},
       "VMEM has no room for larger blocks"},
      {"every block once", pipeline({16}, {{{0}, kMib}, {{0}, kMib, true}}, {}), "tpu_v5e", {}, ""},
      {"small blocks",
       pipeline({1000}, {{{0}, 4 * kKib}, {{0}, 4 * kKib, true}}, {}),
       "tpu_v5e",
       {kKernelSmallBlocks},
       "each of 1,000 steps of the grid moves 8.00 KiB"},
      {"small blocks in VMEM",
       in_vmem(pipeline({1000}, {{{0}, 4 * kKib}, {{0}, 4 * kKib, true}}, {})),
       "tpu_v5e",
       {kKernelSmallBlocks},
       "begin the step"},
      {"much work on each block in VMEM",
       in_vmem(pipeline({1000}, {{{0}, 64 * kKib}}, product(512, 512, 512))),
       "tpu_v5e",
       {},
       ""},
      {"large blocks, once each", pipeline({64}, {{{0}, 2 * kMib}, {{0}, 2 * kMib, true}}, {}), "tpu_v5e", {}, ""},
      {"half of the unit",
       pipeline({8}, {{{0}, 64 * kKib}}, product(4096, 4096, 64)),
       "tpu_v5e",
       {kKernelHalfFilled},
       "50 % of the matrix unit is filled"},
      {"all of it", pipeline({8}, {{{0}, 64 * kKib}}, product(4096, 4096, 128)), "tpu_v5e", {}, ""},
      {"a wider unit",
       pipeline({8}, {{{0}, 64 * kKib}}, product(4096, 4096, 128)),
       "tpu_v6e",
       {kKernelHalfFilled},
       "256"},
      {"few rows",
       pipeline({8}, {{{0}, 64 * kKib}}, product(8, 4096, 4096)),
       "tpu_v5e",
       {kKernelHalfFilled},
       "more rows"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const Device device = *find_device(row.device);
    const KernelTime<double> terms = kernel_time(row.run, device);
    const std::vector<KernelFinding> findings = kernel_findings(row.run, terms, device, std::nullopt);
    std::vector<DiagnosticCode> codes;
    for (const KernelFinding& finding : findings) {
      UNSCOPED_INFO(to_string(finding.code) << ": " << finding.message);
      codes.push_back(finding.code);
      CHECK(finding.seconds > 0);
      CHECK(finding.seconds <= terms.seconds);
    }
    CHECK(codes == row.codes);
    if (!findings.empty()) CHECK_THAT(findings.front().message, ContainsSubstring(row.message));
    // A limit is spoken of where there is one and the advice needs more.
    for (const double limit : {1024.0, 1e12}) {
      const std::vector<KernelFinding> limited = kernel_findings(row.run, terms, device, limit);
      REQUIRE(limited.size() == findings.size());
      for (std::size_t i = 0; i < findings.size(); ++i) {
        const bool says_fits = findings[i].message.find("VMEM has room for blocks") != std::string::npos ||
                               findings[i].message.find("of VMEM, which has") != std::string::npos ||
                               findings[i].message.find("would fit") != std::string::npos;
        const bool needs_more = says_fits && limit < 1e6;
        CHECK(limited[i].message ==
              findings[i].message + (needs_more ? ", if vmem_limit_bytes is raised from 1.00 KiB" : ""));
      }
    }
  }
}

}  // namespace
}  // namespace hloroof::internal
