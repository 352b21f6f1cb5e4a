// Builds the time of an operation as a tree, from OverlapTerms and the trees of its resources.
#include <algorithm>

#include "absl/strings/str_format.h"
#include "lib/time/kernel_time.h"
#include "lib/time/op_time.h"
#include "lib/time/resource_terms.h"

namespace hloroof::internal {
namespace {

// The exponent of the overlap: how much of the faster of two resources hides behind the slower (OverlapTerms).
Factor overlap_exponent(const DeviceFactors& device) { return device.times({"overhead.overlap_norm"}); }

// All work that occupies the matrix unit: the products, and the operations that wait for the last window of a cut
// product.
Term matrix_side(const Work& work, const Device& device) {
  std::vector<Term> parts;
  for (const MatrixWork& product : work.matrix) parts.push_back(product_terms(product, device));
  if (work.product_steps > 1) {
    VectorTermTrees after = vector_term_trees(work.epilogue, device);
    parts.push_back(slowest("operations on the product",
                            {std::move(after.alus), std::move(after.transcendental),
                             sum("across lanes", {std::move(after.cross_lane), std::move(after.relayout)})}));
    parts.push_back(accumulation_terms(work, device));
  }
  return sum("matrix unit", std::move(parts));
}

// The transfers that no work of the operation hides: the read of the first window and the write of the last one.
Term first_and_last(const Work& work, const DeviceFactors& device) {
  Term first;
  Term last;
  if (work.read.hbm > 0) first = device.seconds("first read", 1, "", {"overhead.dma_read"});
  if (work.written.hbm > 0) last = device.seconds("last write", 1, "", {"overhead.dma_write"});
  return sum("first read and last write", {std::move(first), std::move(last)});
}

// A term of `share` of seconds that appear elsewhere in the tree.
Term share_of(const char* name, double seconds, Factor share) {
  Term term = leaf(name, seconds, seconds, "s");
  if (share.value == 1 && share.parameters.empty()) return term;
  return scaled(std::move(term), std::move(share));
}

Term at_the_ends(const Work& work, double faster, const DeviceFactors& device) {
  if (work.matrix.empty()) {
    return least("ends", {share_of("the faster of compute and memory", faster, over(1)), first_and_last(work, device)});
  }
  return least("ends", {share_of("a window of the faster side", faster, device.over({"overhead.fill_windows"})),
                        device.seconds("pipeline fill", 1, "", {"overhead.pipeline_fill"})});
}

// Compute, memory and layout changes: the busy time of the device without the ends.
Term side_by_side(const Work& work, const OverlapTerms& t, const Device& device) {
  const DeviceFactors factors(device);
  VectorTermTrees vector = vector_term_trees(work, device);
  Term vector_side =
      slowest("vector units", {std::move(vector.alus), std::move(vector.transcendental), std::move(vector.cross_lane)});
  Term core = work.is_chained
                  ? overlapped("matrix and vector units, taking turns",
                               {matrix_side(work, device), std::move(vector_side)}, overlap_exponent(factors))
                  : slowest("matrix and vector units", {matrix_side(work, device), std::move(vector_side)});
  Term compute = slowest("compute", {std::move(core), vmem_terms(work, device)});
  Term memory = slowest("memory", {hbm_terms_tree(work, device), host_terms(work, device)});
  const double memory_seconds = memory.seconds;
  Term overlap = overlapped(t.relayout > 0 ? "overlapping" : "compute and memory",
                            {std::move(compute), std::move(memory)}, overlap_exponent(factors));
  if (t.relayout <= 0) return overlap;
  // A core moves a window across lanes after its read and before its write. Memory waits in that time.
  Term between;
  if (t.between > 0) {
    const Factor share = factors.over_cores();
    Term waiting =
        factors.seconds("first bytes of windows", std::max(t.windows - 1, 0.0), "window", {"overhead.dma_read"});
    if (share.value != 1) waiting = scaled(std::move(waiting), share);
    between = sum("memory of one core", {share_of("memory, as above", memory_seconds, share), std::move(waiting)});
  }
  return slowest("compute and memory", {std::move(overlap), sum("memory, then across lanes",
                                                                {std::move(between), std::move(vector.relayout)})});
}

// The cost of an operation in addition to its work: one for each kernel, and more for a product.
std::vector<Term> overheads(const Work& work, const DeviceFactors& device, const Device& d) {
  std::vector<Term> terms;
  double launch = 0;
  for (const MatrixWork& product : work.matrix) launch = std::max(launch, matrix_launch_seconds(product, d));
  if (launch > 0) {
    Term matmul = device.seconds("matmul kernel", 1, "", {"overhead.matmul"});
    if (matmul.seconds != launch) matmul = device.seconds("matmul kernel", 1, "", {"overhead.matmul_f32"});
    terms.push_back(std::move(matmul));
  }
  if (!work.matrix.empty()) terms.push_back(first_and_last(work, device));
  return terms;
}

Term with_overheads(const Work& work, std::vector<Term> busy, const Device& device, LaunchedBy by) {
  constexpr const char* kWhole = "time of one execution";
  const DeviceFactors factors(device);
  std::vector<Term> launch = overheads(work, factors, device);
  const double kernels = std::max(work.kernels, 1.0);
  const char* const one = stays_on_chip(work, device) ? "overhead.op_on_chip" : "overhead.op";
  Term fixed =
      factors.seconds(work.kernels > 1 ? "each kernel" : "each operation", kernels, kernels > 1 ? "kernel" : "", {one});
  busy.push_back(std::move(fixed));
  std::move(launch.begin(), launch.end(), std::back_inserter(busy));
  Term whole = sum(kWhole, std::move(busy));
  if (launch_floor_seconds(work, by, device) <= 0) return whole;
  Term floor = by == LaunchedBy::kCommandBuffer
                   ? factors.seconds("launch, in a command buffer", kernels, "kernel", {"overhead.graph_launch"})
                   : factors.seconds("launch by the host", kernels, "kernel", {"overhead.launch"});
  whole.name = "work and overheads";
  return slowest(kWhole, {std::move(whole), std::move(floor)});
}

// `seconds` as an amount over the rate that results.
Term at_rate(std::string name, double seconds, double amount, std::string_view unit, std::string_view rate_unit,
             const DeviceFactors& device, std::initializer_list<std::string_view> paths) {
  if (seconds <= 0 || amount <= 0) return leaf(std::move(name), seconds, seconds, "s");
  return leaf(std::move(name), seconds, amount, unit, {device.derived(amount / seconds, rate_unit, true, paths)});
}

// All runs of one region, without its scalar code.
Term region_tree(const KernelRegion& region, const RegionTerms& t, double runs, const DeviceFactors& device) {
  double flops = 0;
  for (const KernelProduct& product : region.work.matrix) flops += product.flops();
  double elements = 0;
  for (const KernelVectorWork& part : region.work.vector) elements += part.cross_lane ? 0 : part.elements;
  Term products = at_rate("products", runs * t.matrix, runs * flops, "flop", "flop/s", device,
                          {"kernel.matrix_efficiency", "matrix.peak.bf16"});
  Term alus = at_rate("operations", runs * t.alus, runs * elements, "op", "op/s", device,
                      {"kernel.vector_efficiency", "vector.f32_rate"});
  Term results = at_rate("transcendental", runs * t.transcendental, runs * t.transcendental, "s", "1", device,
                         {"kernel.transcendental_rate", "vector.transcendental_rate"});
  Term lanes = at_rate("across lanes", runs * t.cross_lane, runs * t.cross_lane, "s", "1", device,
                       {"kernel.reduction_cycles", "kernel.transpose_cycles"});
  Term vmem = at_rate("loads and stores", runs * t.vmem, runs * (region.work.loaded_bytes + region.work.stored_bytes),
                      "B", "B/s", device, {"kernel.load_share", "on_chip.vmem_read_bandwidth"});
  std::string name = absl::StrFormat("code that runs %.0f times", runs);
  if (!region.source.empty()) name += ", from " + region.source;
  return overlapped(std::move(name),
                    {std::move(products), std::move(alus), std::move(results), std::move(lanes), std::move(vmem)},
                    device.times({"kernel.overlap_norm"}));
}

// A kernel whose body was read: its regions one after the other, and what it waits for.
Term kernel_tree(const Work& work, const Device& device) {
  constexpr std::size_t kShown = 8;
  const DeviceFactors factors(device);
  const OpTime time = op_time(work, device);
  const KernelTerms& t = *time.kernel;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < t.regions.size(); ++i) {
    if (t.runs[i] > 0 && t.regions[i].seconds > t.regions[i].scalar) order.push_back(i);
  }
  const auto busy = [&](std::size_t i) { return t.runs[i] * (t.regions[i].seconds - t.regions[i].scalar); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return busy(a) > busy(b); });
  std::vector<Term> parts;
  double rest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i < kShown) {
      parts.push_back(region_tree(work.kernel->regions[order[i]], t.regions[order[i]], t.runs[order[i]], factors));
    } else {
      rest += busy(order[i]);
    }
  }
  parts.push_back(leaf("other code", rest, rest, "s"));
  parts.push_back(at_rate("scalar code", t.scalar, t.scalar * *device.clock, "cycle", "cycle/s", factors,
                          {"kernel.scalar_cycles", "clock"}));
  parts.push_back(factors.seconds("steps of the grid", t.steps / std::max(device.tpu()->kernel.step, 1e-300), "step",
                                  {"kernel.step"}));
  parts.push_back(leaf("waiting for transfers", t.waiting, t.waiting, "s"));
  parts.push_back(factors.seconds("each operation", 1, "", {"overhead.op"}));
  Term whole = sum("time of one execution", std::move(parts));
  // The parts are rounded in another order.
  whole.seconds = time.seconds;
  return whole;
}

}  // namespace

Term op_terms(const Work& work, const Device& device, LaunchedBy by) {
  if (work.is_free) return {};
  if (work.seconds) return leaf("given by the user", *work.seconds, *work.seconds, "s");
  if (is_read_kernel(work, device)) return kernel_tree(work, device);
  const OpTime time = op_time(work, device, by);
  const OverlapTerms t = overlap_terms(time, work, vector_terms(work, device), device);
  Term busy = side_by_side(work, t, device);
  Term ends = at_the_ends(work, t.faster, DeviceFactors(device));
  return with_overheads(work, {std::move(busy), std::move(ends)}, device, by);
}

}  // namespace hloroof::internal
