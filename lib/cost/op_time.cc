#include "lib/cost/op_time.h"

#include <algorithm>
#include <cmath>

namespace hloroof::inline v0 {
namespace {

double over(double amount, std::optional<double> rate) { return rate && *rate > 0 ? amount / *rate : 0; }

double joined(double slower, double faster) {
  if (slower <= 0) return 0;
  return slower * std::pow(1 + std::pow(faster / slower, kOverlapNorm), 1.0 / kOverlapNorm);
}

// The first operand takes so long to arrive, and the last result to leave when there is nothing left to compute.
double dma_seconds(const Work& work, const Device& device) {
  const double reading = work.read.hbm > 0 ? device.overhead.dma_read.value_or(0) : 0;
  const double writing = work.written.hbm > 0 ? device.overhead.dma_write.value_or(0) : 0;
  return reading + writing;
}

// The compiler's, which hold a register at least, or as many as it would cut such an array into.
double relayout_windows(const Work& work, const VectorTerms& vector_terms, const Device& device) {
  if (work.relayout_windows > 0) return std::min(work.relayout_windows, std::ceil(vector_terms.relaid_registers));
  return std::ceil(over(vector_terms.relaid_registers, device.vector.relayout_window_registers));
}

}  // namespace

// Near the ridge the slower of the two varies from window to window, so the norm that joins them is four and not the
// infinity of a steady state, as measured matmuls show; at the ends of a product one waits for the other, for no longer
// than the pipeline takes to fill. The windows of other fusions are small: measured ones (TOKAMAX) wait for little more
// than the first read and the last write.
//
// A product is cut into windows even where it is small: no more than its share of the faster side stands at the ends.
//
// Where an array takes another layout, a core puts a window through the cross-lane unit between its way in and its way
// out, and keeps HBM waiting meanwhile; the other core of a chip draws on HBM then. Measured kernels
// (tests/accuracy/kernels, `glu`) take such copies at the speed of HBM on v5p, which has two cores, and in the sum of
// both on v6e and 7x, which have one a device, as the TPU compiler's cycles do. From HBM to HBM each window waits for
// the first byte of its own read: without that the same kernels come out 8 to 14 % too fast, by 0.4 to 0.7 us a window
// of 17 to 1366, which is what a read takes to begin.
OverlapTerms overlap_terms(const OpTime& time, const Work& work, const VectorTerms& vector_terms,
                           const Device& device) {
  const ResourceSeconds& resources = time.resources;
  const double matrix = resources[Resource::kMatrix] + time.epilogue;
  const double vector = vector_terms.seconds_without_relayout();
  OverlapTerms terms;
  terms.compute = std::max({matrix, vector, resources[Resource::kVmem]});
  if (work.is_chained) {
    terms.compute = std::max(joined(std::max(matrix, vector), std::min(matrix, vector)), terms.compute);
  }
  const double memory = std::max(resources[Resource::kHbm], resources[Resource::kHost]);
  terms.slower = std::max(terms.compute, memory);
  terms.faster = std::min(terms.compute, memory);
  terms.relayout = vector_terms.relayout_seconds;
  if (terms.relayout > 0 && memory > 0) {
    if (work.matrix.empty() && work.read.hbm > 0 && work.written.hbm > 0) {
      terms.windows = relayout_windows(work, vector_terms, device);
      terms.waiting = std::max(terms.windows - 1, 0.0) * device.overhead.dma_read.value_or(0);
    }
    terms.between = (memory + terms.waiting) / device.cores();
  }
  terms.joined = std::max(joined(terms.slower, terms.faster), terms.between + terms.relayout);
  terms.ends = work.matrix.empty() ? std::min(terms.faster, dma_seconds(work, device))
                                   : std::min(terms.faster / device.overhead.fill_windows.value_or(1),
                                              device.overhead.pipeline_fill.value_or(0));
  return terms;
}

// Reads alone and writes alone attain more than both at once: `efficiency` is that of as much read as written, and what
// it falls behind the other two is lost in turning round, in proportion to the smaller of the two streams. On a GPU all
// but host memory is device memory.
HbmTerms hbm_terms(const Work& work, const Device& device) {
  const Hbm& hbm = device.hbm;
  if (hbm.bandwidth <= 0 || hbm.efficiency <= 0) return {};
  const bool has_vmem = device.on_chip.vmem_read_bandwidth.has_value();
  const double read = work.read.hbm + (has_vmem ? 0 : work.read.vmem);
  const double written = work.written.hbm + (has_vmem ? 0 : work.written.vmem);
  const double reads = hbm.read_efficiency.value_or(hbm.efficiency);
  const double writes = hbm.write_efficiency.value_or(hbm.efficiency);
  const double turning = std::max(2 / hbm.efficiency - 1 / reads - 1 / writes, 0.0);
  return {read / reads / hbm.bandwidth, written / writes / hbm.bandwidth,
          turning * std::min(read, written) / hbm.bandwidth};
}

double accumulation_seconds(const Work& work, const Device& device) {
  double elements = 0;
  for (const MatrixWork& product : work.matrix) elements += product.m * product.n * product.batch;
  return (work.product_steps - 1) * over(elements, device.vector.f32_rate);
}

double launch_floor_seconds(const Work& work, const Device& device) {
  const auto& floor = work.in_graph ? device.overhead.graph_launch : device.overhead.launch;
  return std::max(work.kernels, 1.0) * floor.value_or(0);
}

bool stays_on_chip(const Work& work, const Device& device) {
  return device.overhead.op_on_chip && device.on_chip.vmem_read_bandwidth && work.read.vmem + work.written.vmem > 0 &&
         work.read.hbm + work.written.hbm <= 0 && work.read.host + work.written.host <= 0;
}

double on_chip_seconds(double busy, const Device& device) {
  const double work = busy + device.overhead.op_on_chip.value_or(0);
  return joined(std::max(work, device.overhead.op), std::min(work, device.overhead.op));
}

FastMemory fast_memory(const OnChip& on_chip) {
  if (on_chip.cmem_read_bandwidth) return {true, on_chip.cmem_read_bandwidth, on_chip.cmem_write_bandwidth};
  return {false, on_chip.vmem_read_bandwidth, on_chip.vmem_write_bandwidth};
}

OpTime op_time(const Work& work, const Device& device) {
  OpTime time;
  time.source = work.source;
  if (work.is_free) return time;
  if (work.seconds) {
    time.seconds = *work.seconds;
    time.overhead = *work.seconds;
    time.resources[Resource::kLatency] = time.overhead;
    return time;
  }

  double peak_matrix = 0;
  double launch = 0;
  for (const MatrixWork& product : work.matrix) {
    time.resources[Resource::kMatrix] += matrix_seconds(product, device);
    peak_matrix += matrix_peak_seconds(product, device);
    launch = std::max(launch, matrix_launch_seconds(product, device));
  }
  if (!work.matrix.empty()) launch += dma_seconds(work, device);
  const VectorTerms vector = vector_terms(work, device);
  time.resources[Resource::kVector] = vector.seconds();
  // Cut along what is contracted, a product is complete only with its last window: what is done to the result is left
  // for the end of it, and until then every window's sum is added to those before.
  if (work.product_steps > 1) {
    const double adding = accumulation_seconds(work, device);
    time.epilogue = vector_terms(work.epilogue, device).seconds() + adding;
    time.resources[Resource::kVector] += adding;
  }

  // On a GPU all but host memory is device memory.
  const bool has_vmem = device.on_chip.vmem_read_bandwidth.has_value();
  const double read = work.read.hbm + (has_vmem ? 0 : work.read.vmem);
  const double written = work.written.hbm + (has_vmem ? 0 : work.written.vmem);
  const double peak_hbm = device.hbm.bandwidth > 0 ? (read + written) / device.hbm.bandwidth : 0;
  time.resources[Resource::kHbm] = hbm_terms(work, device).seconds();
  if (has_vmem) {
    const FastMemory fast = fast_memory(device.on_chip);
    time.resources[Resource::kVmem] =
        std::max(over(work.read.vmem, fast.read_bandwidth), over(work.written.vmem, fast.write_bandwidth));
  }
  const double peak_host = over(std::max(work.read.host, work.written.host), device.host.bandwidth);
  time.resources[Resource::kHost] = peak_host;

  // A launch hides behind the kernel before it unless that is too short.
  const double busy = overlap_terms(time, work, vector, device).seconds();
  if (stays_on_chip(work, device)) {
    time.overhead = on_chip_seconds(busy, device) - busy + launch;
  } else {
    time.overhead =
        std::max(std::max(work.kernels, 1.0) * device.overhead.op + launch, launch_floor_seconds(work, device) - busy);
  }
  time.resources[Resource::kLatency] = time.overhead;
  time.bound = Resource::kLatency;
  double slowest = 0;
  for (int r = 0; r < kResourceCount; ++r) {
    if (static_cast<Resource>(r) != Resource::kLatency) slowest = std::max(slowest, time.resources.seconds[r]);
  }
  for (int r = 0; r < kResourceCount; ++r) {
    if (static_cast<Resource>(r) == Resource::kLatency || time.resources.seconds[r] < slowest) continue;
    if (slowest > time.overhead) time.bound = static_cast<Resource>(r);
    break;
  }
  time.seconds = busy + time.overhead;

  double ideal = slowest;
  if (time.bound == Resource::kMatrix) ideal = peak_matrix;
  if (time.bound == Resource::kHbm) ideal = peak_hbm;
  if (time.bound == Resource::kLatency) ideal = std::max({peak_matrix, peak_hbm, peak_host});
  time.efficiency = time.seconds > 0 ? std::min(ideal / time.seconds, 1.0) : 0;
  return time;
}

}  // namespace hloroof::inline v0
