#include "lib/diagnose/kernel_findings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/units.h"
#include "lib/hardware/device_facts.h"
#include "lib/time/op_time.h"
#include "lib/work/region_products.h"

namespace hloroof::internal::inline diagnose {
namespace {

using enum DiagnosticCode;

constexpr double kLeastOfKernel = 0.1;      // share of a kernel's time that a finding is worth
constexpr double kLeastOfRereads = 0.05;    // of a kernel's time that larger blocks must save
constexpr double kWorthDoubling = 0.01;     // of a kernel's time that a block twice as large must save
constexpr double kLargeShare = 0.25;        // of a kernel's time that steps and latency are if its blocks are small
constexpr double kLeastFilled = 0.75;       // share of the matrix unit that products should fill
constexpr std::size_t kMostDimensions = 6;  // of a grid whose orders are compared
constexpr double kFewSteps = 8;             // a grid with fewer steps has nothing to gain from larger blocks

// The bytes of HBM that one move of a window reads or writes: none if the array lies in VMEM.
double hbm_bytes_of(const KernelRun& run, std::size_t window) {
  for (const KernelTransfer& transfer : run.transfers) {
    if (transfer.window == window) return transfer.kind == KernelTransfer::Kind::kLocal ? 0 : transfer.bytes;
  }
  return 0;
}

double seconds_of_hbm(const KernelTime<double>& terms) { return terms.reading + terms.writing; }

// ---- The order of the grid ----

// The dimensions of the grid, outermost first.
using GridOrder = std::vector<std::size_t>;
// The dimensions that select the block of a window, as bits.
using BlockDimensions = std::uint32_t;

double blocks_of(BlockDimensions dimensions, const std::vector<std::int64_t>& grid) {
  double blocks = 1;
  for (std::size_t d = 0; d < grid.size(); ++d) {
    if ((dimensions >> d & 1) != 0) blocks *= static_cast<double>(grid[d]);
  }
  return blocks;
}

// How often a window moves a block: at each step at which one of its dimensions, or one outside of the last of them,
// goes on.
double moves_of(BlockDimensions dimensions, const std::vector<std::int64_t>& grid, const GridOrder& order) {
  double moves = 1;
  double steps = 1;
  for (const std::size_t d : order) {
    steps *= static_cast<double>(grid[d]);
    if ((dimensions >> d & 1) != 0) moves = steps;
  }
  return moves;
}

// The sets of dimensions that explain the moves of a window. Empty if its blocks depend on data.
std::vector<BlockDimensions> explanations(const KernelWindowUse& window, const std::vector<std::int64_t>& grid,
                                          const GridOrder& order) {
  std::vector<BlockDimensions> sets;
  for (BlockDimensions set = 0; set < 1U << grid.size(); ++set) {
    bool has_idle_dimension = false;
    for (std::size_t d = 0; d < grid.size(); ++d) {
      has_idle_dimension = has_idle_dimension || ((set >> d & 1) != 0 && grid[d] == 1);
    }
    if (has_idle_dimension || blocks_of(set, grid) != window.blocks) continue;
    if (moves_of(set, grid, order) == window.moves) sets.push_back(set);
  }
  return sets;
}

// The moves of every window in another order, at most; nullopt if a result would be written in parts.
std::optional<std::vector<double>> moves_in(const GridOrder& order, const KernelRun& run,
                                            const std::vector<std::vector<BlockDimensions>>& dimensions) {
  std::vector<double> moves(run.windows.size(), 0);
  for (std::size_t w = 0; w < moves.size(); ++w) {
    for (const BlockDimensions set : dimensions[w]) moves[w] = std::max(moves[w], moves_of(set, run.grid, order));
    if (run.windows[w].is_output && moves[w] > run.windows[w].moves) return std::nullopt;
  }
  return moves;
}

struct MovedBytes {
  double read = 0;
  double written = 0;
};
MovedBytes bytes_of(const KernelRun& run, const std::vector<double>& moves) {
  MovedBytes bytes;
  for (std::size_t w = 0; w < moves.size(); ++w) {
    (run.windows[w].is_output ? bytes.written : bytes.read) += moves[w] * hbm_bytes_of(run, w);
  }
  return bytes;
}

void find_refetch(const KernelRun& run, const KernelTime<double>& terms, std::vector<KernelFinding>& findings) {
  if (run.grid.size() < 2 || run.grid.size() > kMostDimensions) return;
  GridOrder order(run.grid.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> moves;
  std::vector<std::vector<BlockDimensions>> dimensions;
  for (const KernelWindowUse& window : run.windows) {
    moves.push_back(window.moves);
    dimensions.push_back(explanations(window, run.grid, order));
    if (window.moves > 0 && dimensions.back().empty()) return;
  }
  const MovedBytes now = bytes_of(run, moves);
  const double all = now.read + now.written;
  GridOrder best_order = order;
  std::vector<double> best_moves = moves;
  double least = all;
  while (std::next_permutation(order.begin(), order.end())) {
    const auto others = moves_in(order, run, dimensions);
    if (!others) continue;
    const MovedBytes bytes = bytes_of(run, *others);
    if (bytes.read + bytes.written >= least) continue;
    least = bytes.read + bytes.written;
    best_order = order;
    best_moves = *others;
  }
  if (least >= all) return;
  const double saved = std::min(seconds_of_hbm(terms) * (1 - least / all), terms.waiting);
  if (saved < kLeastOfKernel * terms.seconds) return;
  std::size_t worst = 0;
  double most = 0;
  for (std::size_t w = 0; w < moves.size(); ++w) {
    const double repeated = (moves[w] - best_moves[w]) * hbm_bytes_of(run, w);
    if (repeated <= most) continue;
    most = repeated;
    worst = w;
  }
  const KernelWindowUse& window = run.windows[worst];
  findings.push_back(
      {kKernelRefetch, saved,
       absl::StrFormat("window %d moves each of its %s blocks of [%s] (%s) %.3g times: with the dimensions %s of the "
                       "grid [%s] from the outermost to the innermost, all windows together would move %s instead of "
                       "%s",
                       worst, format_count(window.blocks), absl::StrJoin(window.block, ","), format_bytes(window.bytes),
                       window.moves / window.blocks, absl::StrJoin(best_order, ", "), absl::StrJoin(run.grid, ","),
                       format_bytes(least), format_bytes(all))});
}

// ---- The matrix unit ----

struct Fill {
  double seconds = 0;  // of the products
  double ideal = 0;    // if they filled the unit
};

Fill fill_of(const MatrixWork& product, const Device& device) {
  const MatrixTime<double> terms = matrix_time(product, device);
  if (terms.form != MatrixForm::kSystolic || terms.rate <= 0) return {};
  return {std::max(terms.compute, terms.operands), product.flops / terms.rate};
}

std::string shape_that_wastes(const MatrixWork& product, const Device& device) {
  const MatrixTime<double> terms = matrix_time(product, device);
  const auto unit = static_cast<double>(device.tpu()->matrix.dim);
  const double columns = terms.is_swapped ? product.m : product.n;
  if (terms.operands > terms.compute) {
    return absl::StrFormat(
        "products of [%.0f,%.0f] and [%.0f,%.0f]: a unit of %.0f waits for weights while it has few rows to multiply: "
        "more rows in one product would fill it",
        product.m, product.k, product.k, product.n, unit);
  }
  std::vector<std::string> narrow;
  for (const double size : {product.k, columns}) {
    if (std::fmod(size, unit) != 0) narrow.push_back(absl::StrFormat("%.0f", size));
  }
  return absl::StrFormat(
      "products of [%.0f,%.0f] and [%.0f,%.0f]: %s %s of its width, %.0f: larger dimensions, or several heads in one "
      "product, would fill it",
      product.m, product.k, product.k, product.n, absl::StrJoin(narrow, " and "),
      narrow.size() == 1 ? "is no multiple" : "are no multiples", unit);
}

void find_half_filled(const KernelRun& run, const KernelTime<double>& terms, const Device& device,
                      std::vector<KernelFinding>& findings) {
  Fill all;
  double saved = 0;
  double most = 0;
  std::optional<MatrixWork> worst;
  for (std::size_t i = 0; i < run.regions.size(); ++i) {
    const RegionTime<double>& region = terms.regions[i];
    if (region.matrix <= 0 || terms.runs[i] <= 0) continue;
    Fill fill;
    for (const MatrixWork& product : products_of(run.regions[i].work)) {
      const Fill of_product = fill_of(product, device);
      fill.seconds += of_product.seconds;
      fill.ideal += of_product.ideal;
      const double wasted = (of_product.seconds - of_product.ideal) * terms.runs[i];
      if (wasted <= most) continue;
      most = wasted;
      worst = product;
    }
    if (fill.seconds <= 0) continue;
    all.seconds += fill.seconds * terms.runs[i];
    all.ideal += fill.ideal * terms.runs[i];
    // The other units take the time that they take.
    const double shorter = std::max(region.matrix * fill.ideal / fill.seconds, std::max(region.vector(), region.vmem));
    saved += std::max(region.matrix - shorter, 0.0) * terms.runs[i];
  }
  if (!worst || all.ideal > kLeastFilled * all.seconds) return;
  saved = std::min(saved, terms.seconds - seconds_of_hbm(terms));
  if (saved < kLeastOfKernel * terms.seconds) return;
  findings.push_back({kKernelHalfFilled, saved,
                      absl::StrFormat("%.0f %% of the matrix unit is filled, most wasted by %s",
                                      100 * all.ideal / all.seconds, shape_that_wastes(*worst, device))});
}

// ---- The size of the blocks ----

// The VMEM that the windows and the scratch of one core could take; 0 if the device does not say. Arrays of the kernel
// that lie in VMEM take their part of it.
double vmem_for_blocks(const KernelRun& run, const Device& device) {
  const std::optional<double> capacity = to_optional(device.tpu()->on_chip.vmem_capacity);
  if (!capacity || run.window_vmem_bytes <= 0) return 0;
  double taken = 0;
  for (const KernelTransfer& transfer : run.transfers) {
    if (transfer.kind != KernelTransfer::Kind::kLocal || transfer.window >= run.windows.size()) continue;
    taken += transfer.bytes * run.windows[transfer.window].blocks;
  }
  return std::max(*capacity - taken, 0.0) / core_count(device);
}

// How many times as large the blocks and the scratch could be.
double room_in_vmem(const KernelRun& run, const Device& device) {
  const double used = run.window_vmem_bytes + run.scratch_vmem_bytes;
  return used > 0 ? vmem_for_blocks(run, device) / used : 0;
}

// What the author must also do to use `bytes` of VMEM: nothing, as far as the text says.
std::string remedy_of_limit(double bytes, std::optional<double> limit) {
  if (!limit || bytes <= *limit) return {};
  return absl::StrCat(", if vmem_limit_bytes is raised from ", format_bytes(*limit));
}

struct RepeatedBytes {
  double moved = 0;     // of HBM, by windows
  double repeated = 0;  // the part of it that was moved before
};
RepeatedBytes repeated_bytes(const KernelRun& run) {
  RepeatedBytes bytes;
  for (std::size_t w = 0; w < run.windows.size(); ++w) {
    const KernelWindowUse& window = run.windows[w];
    bytes.moved += window.moves * hbm_bytes_of(run, w);
    bytes.repeated += std::max(window.moves - window.blocks, 0.0) * hbm_bytes_of(run, w);
  }
  return bytes;
}

// A kernel whose blocks are `factors` times as large along the dimensions of its grid.
struct LargerBlocks {
  std::vector<std::int64_t> factors;
  double bytes = 0;  // that the windows move in HBM
  double vmem = 0;   // bytes of windows and scratch
  double seconds = 0;
};

LargerBlocks with_factors(const KernelRun& run, const KernelTime<double>& terms,
                          const std::vector<BlockDimensions>& dimensions, std::vector<std::int64_t> factors) {
  LargerBlocks larger;
  GridOrder order(run.grid.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::int64_t> grid = run.grid;
  double fewer = 1;
  for (std::size_t d = 0; d < grid.size(); ++d) {
    grid[d] /= factors[d];
    fewer *= static_cast<double>(factors[d]);
  }
  double scratch = 1;
  for (std::size_t w = 0; w < run.windows.size(); ++w) {
    if (run.windows[w].moves <= 0) continue;
    double size = 1;
    BlockDimensions moving = dimensions[w];  // that still have more than one block
    for (std::size_t d = 0; d < grid.size(); ++d) {
      if ((moving >> d & 1) == 0) continue;
      size *= static_cast<double>(factors[d]);
      if (grid[d] == 1) moving &= ~(BlockDimensions{1} << d);
    }
    larger.bytes += moves_of(moving, grid, order) * size * hbm_bytes_of(run, w);
    larger.vmem += 2 * run.windows[w].bytes * size;
    if (run.windows[w].is_output) scratch = std::max(scratch, size);
  }
  larger.vmem += run.scratch_vmem_bytes * scratch;
  const double now = repeated_bytes(run).moved;
  const double hbm = seconds_of_hbm(terms) * larger.bytes / now;
  const double not_hidden = std::max(terms.waiting - std::max(seconds_of_hbm(terms) - terms.compute, 0.0), 0.0);
  larger.seconds = std::max(terms.compute, hbm) + not_hidden + terms.steps / fewer;
  larger.factors = std::move(factors);
  return larger;
}

// Doubles the blocks along the dimension that shortens the kernel most, as long as VMEM has room. nullopt if no larger
// block helps, or if the blocks of a window depend on data.
std::optional<LargerBlocks> best_larger_blocks(const KernelRun& run, const KernelTime<double>& terms,
                                               const Device& device) {
  if (run.grid.empty() || run.grid.size() > kMostDimensions) return std::nullopt;
  GridOrder order(run.grid.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<BlockDimensions> dimensions;
  for (const KernelWindowUse& window : run.windows) {
    const std::vector<BlockDimensions> sets = explanations(window, run.grid, order);
    if (window.moves > 0 && sets.empty()) return std::nullopt;
    dimensions.push_back(sets.empty() ? 0 : sets.front());
  }
  const double capacity = vmem_for_blocks(run, device);
  LargerBlocks best = with_factors(run, terms, dimensions, std::vector<std::int64_t>(run.grid.size(), 1));
  bool is_larger = false;
  for (;;) {
    std::optional<LargerBlocks> next;
    for (std::size_t d = 0; d < run.grid.size(); ++d) {
      if (run.grid[d] % (2 * best.factors[d]) != 0) continue;
      std::vector<std::int64_t> factors = best.factors;
      factors[d] *= 2;
      LargerBlocks tried = with_factors(run, terms, dimensions, std::move(factors));
      if (tried.vmem > capacity || tried.bytes >= best.bytes) continue;
      if (!next || tried.seconds < next->seconds) next = std::move(tried);
    }
    if (!next || next->seconds > best.seconds * (1 - kWorthDoubling)) break;
    best = *std::move(next);
    is_larger = true;
  }
  if (!is_larger) return std::nullopt;
  return best;
}

std::string block_text(const std::vector<std::int64_t>& block) {
  return absl::StrCat("[", absl::StrJoin(block, ","), "]");
}

// "input 0 8 times (blocks of [512,512]), input 1 16 times (blocks of [512,512])" for the windows that repeat.
std::string repeats_text(const KernelRun& run) {
  std::vector<std::string> texts;
  int inputs = 0;
  int outputs = 0;
  for (std::size_t w = 0; w < run.windows.size(); ++w) {
    const KernelWindowUse& window = run.windows[w];
    const int number = window.is_output ? outputs++ : inputs++;
    if (window.moves <= window.blocks || window.blocks <= 0 || hbm_bytes_of(run, w) <= 0) continue;
    texts.push_back(absl::StrFormat("%s %d %.3g times (blocks of %s)", window.is_output ? "output" : "input", number,
                                    window.moves / window.blocks, block_text(window.block)));
  }
  return absl::StrJoin(texts, ", ");
}

// Reports repeats that keep HBM busy. Returns whether there are any.
bool find_rereads(const KernelRun& run, const KernelTime<double>& terms, const Device& device,
                  std::optional<double> limit, std::vector<KernelFinding>& findings) {
  const RepeatedBytes bytes = repeated_bytes(run);
  if (bytes.moved <= 0) return false;
  const double hbm = seconds_of_hbm(terms);
  const double of_repeats = hbm * bytes.repeated / bytes.moved;
  const double once = bytes.moved - bytes.repeated;
  if (of_repeats < kLeastOfKernel * terms.seconds) return false;
  const std::string what = absl::StrFormat("moves %s: %s in %s of HBM time, where each block once would be %s in %s",
                                           repeats_text(run), format_bytes(bytes.moved), format_seconds(hbm),
                                           format_bytes(once), format_seconds(hbm - of_repeats));
  if (const auto larger = best_larger_blocks(run, terms, device)) {
    const double saved = terms.seconds - larger->seconds;
    if (saved < kLeastOfRereads * terms.seconds) return false;
    std::vector<std::string> along;
    for (std::size_t d = 0; d < larger->factors.size(); ++d) {
      if (larger->factors[d] == 1) continue;
      along.push_back(absl::StrFormat("%d times as large along dimension %d of the grid [%s]", larger->factors[d], d,
                                      absl::StrJoin(run.grid, ",")));
    }
    findings.push_back({kBlockRereads, saved,
                        absl::StrFormat("%s. Blocks %s would move %s, and about %s of its %s would be saved; they take "
                                        "%s of VMEM, which has %s",
                                        what, absl::StrJoin(along, " and "), format_bytes(larger->bytes),
                                        format_seconds(saved), format_seconds(terms.seconds),
                                        format_bytes(larger->vmem), format_bytes(vmem_for_blocks(run, device))) +
                            remedy_of_limit(larger->vmem, limit)});
    return true;
  }
  // Without room, the finding has no advice; an order that moves less is one.
  const double waited = std::min(of_repeats, terms.waiting);
  const bool has_order = std::any_of(findings.begin(), findings.end(),
                                     [](const KernelFinding& finding) { return finding.code == kKernelRefetch; });
  if (has_order || waited < kLeastOfKernel * terms.seconds) return false;
  findings.push_back(
      {kBlockRereads, waited, absl::StrCat(what, ". VMEM has no room for larger blocks"), Severity::kInfo});
  return true;
}

// Reports a kernel whose arrays all lie in VMEM and whose blocks are so small that beginning the steps takes long.
void find_small_steps(const KernelRun& run, const KernelTime<double>& terms, double steps,
                      std::vector<KernelFinding>& findings) {
  if (run.windows.empty() || seconds_of_hbm(terms) > 0 || terms.steps < kLargeShare * terms.seconds) return;
  findings.push_back(
      {kKernelSmallBlocks, terms.steps,
       absl::StrFormat("each of %s steps of the grid takes %s, of which %s begin the step: larger blocks "
                       "would need fewer steps",
                       format_count(steps), format_seconds(terms.seconds / steps),
                       format_seconds(terms.steps / steps))});
}

void find_block_size(const KernelRun& run, const KernelTime<double>& terms, const Device& device,
                     std::optional<double> limit, bool has_rereads, std::vector<KernelFinding>& findings) {
  const double step = seconds_of_step(run, device);
  const double steps = step > 0 ? terms.steps / step : 0;
  if (steps < kFewSteps) return;
  const auto [moved, repeated] = repeated_bytes(run);
  if (moved <= 0) return find_small_steps(run, terms, steps, findings);
  const double room = room_in_vmem(run, device);
  const double used = run.window_vmem_bytes + run.scratch_vmem_bytes;
  const std::string in_vmem = room >= 2 ? absl::StrFormat("; VMEM has room for blocks %.0f times as large", room) +
                                              remedy_of_limit(2 * used, limit)
                                        : std::string();
  // HBM is busy for longer than the work that could hide it: larger blocks change that only if they save repeats.
  const double busy = std::max(seconds_of_hbm(terms) - terms.compute, 0.0);
  const double not_hidden = std::max(terms.waiting - busy, 0.0);
  const double per_step = seconds_of_hbm(terms) / steps;
  if (per_step < step + transfer_latency(device)) {
    const double fixed = terms.steps + not_hidden;
    if (fixed < kLargeShare * terms.seconds) return;
    findings.push_back(
        {kKernelSmallBlocks, fixed,
         absl::StrFormat("each of %s steps of the grid moves %s and takes %s, of which %s begin the step or wait for "
                         "transfers: larger blocks would hide them%s",
                         format_count(steps), format_bytes(moved / static_cast<double>(run.steps)),
                         format_seconds(terms.seconds / steps), format_seconds(fixed / steps), in_vmem)});
    return;
  }
  if (room < 2 || has_rereads) return;
  // Blocks twice as large halve the steps and, at best, the repeats.
  const double saved =
      terms.steps / 2 + std::min(seconds_of_hbm(terms) * repeated / moved / 2 + not_hidden / 2, terms.waiting);
  if (saved < kLeastOfKernel * terms.seconds) return;
  findings.push_back(
      {kKernelVmemRoom, saved,
       absl::StrFormat("its windows and scratch take %s of VMEM, and %.0f %% of its time are steps of the grid and "
                       "waits for transfers, %.0f %% of whose bytes are repeats: blocks twice as large would fit",
                       format_bytes(used), 100 * (terms.steps + terms.waiting) / terms.seconds,
                       100 * repeated / moved) +
           remedy_of_limit(2 * used, limit)});
}

}  // namespace

std::vector<KernelFinding> kernel_findings(const KernelRun& run, const KernelTime<double>& terms, const Device& device,
                                           std::optional<double> limit) {
  std::vector<KernelFinding> findings;
  if (terms.seconds <= 0) return findings;
  find_refetch(run, terms, findings);
  find_half_filled(run, terms, device, findings);
  const bool has_rereads = find_rereads(run, terms, device, limit, findings);
  find_block_size(run, terms, device, limit, has_rereads, findings);
  return findings;
}

}  // namespace hloroof::internal::inline diagnose
