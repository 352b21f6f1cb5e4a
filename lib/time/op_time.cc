#include "lib/time/op_time.h"
#include "lib/hardware/device_facts.h"
#include "lib/time/kernel_time.h"

#include <algorithm>
#include <cmath>

namespace hloroof::internal {
namespace {

double over(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

double joined(double slower, double faster, const Device& device) {
  const double norm = device.overhead.overlap_norm;
  if (slower <= 0) return 0;
  return slower * std::pow(1 + std::pow(faster / slower, norm), 1.0 / norm);
}

// Latency of the first input DMA plus the last output DMA, which nothing overlaps.
double dma_seconds(const Work& work, const TpuCore& core) {
  const double reading = work.read.hbm > 0 ? core.overhead.dma_read : 0;
  const double writing = work.written.hbm > 0 ? core.overhead.dma_write : 0;
  return reading + writing;
}

// The number of windows of the compiler's loop, each of which holds at least one register. If the compiler states none,
// the number of windows it would cut such an array into.
double relayout_windows(const Work& work, const VectorTerms& vector_terms, const TpuCore& core) {
  if (work.relayout_windows > 0) return std::min(work.relayout_windows, std::ceil(vector_terms.relaid_registers));
  return std::ceil(over(vector_terms.relaid_registers, core.vector.relayout_window_registers));
}

// The time at the ends of an operation, before its first window and after its last, where compute and memory do not
// overlap.
double ends_seconds(const Work& work, double faster, const TpuCore& core) {
  if (work.matrix.empty()) return std::min(faster, dma_seconds(work, core));
  return std::min(faster / core.overhead.fill_windows, core.overhead.pipeline_fill);
}

// Bytes of main memory that are read and written. On a device that is not a TPU, all memory except host memory is main
// memory.
struct HbmBytes {
  double read = 0;
  double written = 0;
};
HbmBytes hbm_bytes(const Work& work, const Device& device) {
  if (device.tpu() != nullptr) return {work.read.hbm, work.written.hbm};
  return {work.read.hbm + work.read.vmem, work.written.hbm + work.written.vmem};
}

}  // namespace

// Near the ridge the slower of the two sides varies from window to window. The norm that joins them is therefore four
// and not the infinity of a steady state, as measured matmuls show. At the ends of a product one side waits for the
// other, for at most the fill time of the pipeline. The windows of other fusions are small: measured ones (TOKAMAX)
// wait for little more than the first read and the last write.
//
// Even a small product is cut into windows. The time at its ends is at most faster / fill_windows.
//
// If an array changes layout, a core moves a window through the cross-lane unit after its read and before its write,
// and HBM waits for that core. The other core of a chip uses HBM in that time. Measured kernels
// (tests/accuracy/kernels, `glu`) run such copies at the speed of HBM on v5p, which has two cores. On v6e and 7x, which
// have one core a device, they take the sum of both times, as in the TPU compiler's cycles. From HBM to HBM, each
// window waits for the first byte of its read. Without that term the same kernels come out 8 to 14 % too fast, by
// 0.4 to 0.7 us a window for 17 to 1366 windows, which is the latency of a read.
OverlapTerms overlap_terms(const OpTime& time, const Work& work, const VectorTerms& vector_terms,
                           const Device& device) {
  const ResourceSeconds& resources = time.resources;
  const double matrix = resources[Resource::kMatrix] + time.epilogue;
  const double vector = vector_terms.seconds_without_relayout();
  OverlapTerms terms;
  terms.compute = std::max({matrix, vector, resources[Resource::kVmem]});
  if (work.is_chained) {
    terms.compute = std::max(joined(std::max(matrix, vector), std::min(matrix, vector), device), terms.compute);
  }
  const double memory = std::max(resources[Resource::kHbm], resources[Resource::kHost]);
  terms.slower = std::max(terms.compute, memory);
  terms.faster = std::min(terms.compute, memory);
  terms.relayout = vector_terms.relayout_seconds;
  const TpuCore* const core = device.tpu();
  if (core != nullptr && terms.relayout > 0 && memory > 0) {
    if (work.matrix.empty() && work.read.hbm > 0 && work.written.hbm > 0) {
      terms.windows = relayout_windows(work, vector_terms, *core);
      terms.waiting = std::max(terms.windows - 1, 0.0) * core->overhead.dma_read;
    }
    terms.between = (memory + terms.waiting) / core_count(device);
  }
  terms.joined = std::max(joined(terms.slower, terms.faster, device), terms.between + terms.relayout);
  if (core != nullptr) terms.ends = ends_seconds(work, terms.faster, *core);
  return terms;
}

// Reads alone and writes alone attain a higher rate than both at once. `efficiency` is the share attained with equal
// reads and writes. The difference from the other two efficiencies is the time lost in turnaround, in proportion to the
// smaller of the two streams.
HbmTerms hbm_terms(const Work& work, const Device& device, MissingNumbers* missing) {
  const Hbm& hbm = device.hbm;
  if (hbm.bandwidth <= 0 || hbm.efficiency <= 0) return {};
  const HbmBytes bytes = hbm_bytes(work, device);
  if (bytes.read <= 0 && bytes.written <= 0) return {};
  const double reads = number_or(hbm.read_efficiency, hbm.efficiency, missing);
  const double writes = number_or(hbm.write_efficiency, hbm.efficiency, missing);
  const double turning = std::max(2 / hbm.efficiency - 1 / reads - 1 / writes, 0.0);
  return {bytes.read / reads / hbm.bandwidth, bytes.written / writes / hbm.bandwidth,
          turning * std::min(bytes.read, bytes.written) / hbm.bandwidth};
}

double accumulation_seconds(const Work& work, const Device& device) {
  double elements = 0;
  for (const MatrixWork& product : work.matrix) elements += product.m * product.n * product.batch;
  return (work.product_steps - 1) * over(elements, device.vector.f32_rate);
}

double idle_factor(double programs, const GpuCore& core) {
  const auto units = static_cast<double>(core.vector.compute_units);
  if (programs <= 0 || units <= 0) return 1;
  return std::ceil(programs / units) * units / programs;
}

double tile_bandwidth(const Work& work, const GpuCore& core, MissingNumbers* missing) {
  if (work.is_for_threads) return core.on_chip.l2_bandwidth;
  return number_or(core.program.tile_bandwidth, core.on_chip.l2_bandwidth, missing);
}

double launch_floor_seconds(const Work& work, LaunchedBy by, const Device& device) {
  const GpuCore* const core = device.gpu();
  if (core == nullptr) return 0;
  const double floor = by == LaunchedBy::kCommandBuffer ? core->overhead.graph_launch : core->overhead.launch;
  return std::max(work.kernels, 1.0) * floor;
}

bool stays_on_chip(const Work& work, const Device& device) {
  const TpuCore* const core = device.tpu();
  return core != nullptr && core->overhead.op_on_chip && work.read.hbm + work.written.hbm <= work.scalar_bytes &&
         work.read.host + work.written.host <= 0;
}

double op_overhead_seconds(const Work& work, const Device& device) {
  const double one = stays_on_chip(work, device) ? *device.tpu()->overhead.op_on_chip : device.overhead.op;
  return std::max(work.kernels, 1.0) * one;
}

FastMemory fast_memory(const TpuCore::OnChip& on_chip, MissingNumbers* missing) {
  const FastMemory vmem = {false, on_chip.vmem_read_bandwidth, on_chip.vmem_write_bandwidth};
  if (is_unknown(on_chip.cmem_read_bandwidth) && missing != nullptr) missing->add(&on_chip.cmem_read_bandwidth);
  if (!on_chip.cmem_read_bandwidth) return vmem;
  return {true, *on_chip.cmem_read_bandwidth, number_or(on_chip.cmem_write_bandwidth, vmem.write_bandwidth, missing)};
}

namespace {

// The seconds that the work takes at nominal peaks.
struct PeakSeconds {
  double matrix = 0;
  double hbm = 0;
  double host = 0;
};

// Sets the bound and the efficiency, which follow from the resources, the overhead and the seconds.
void set_bound(const PeakSeconds& peak, OpTime& time) {
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
  double ideal = slowest;
  if (time.bound == Resource::kMatrix) ideal = peak.matrix;
  if (time.bound == Resource::kHbm) ideal = peak.hbm;
  if (time.bound == Resource::kLatency) ideal = std::max({peak.matrix, peak.hbm, peak.host});
  time.efficiency = time.seconds > 0 ? std::min(ideal / time.seconds, 1.0) : 0;
}

// The time of a Pallas kernel whose body was read.
OpTime kernel_op_time(const Work& work, const Device& device, MissingNumbers* missing) {
  OpTime time;
  time.source = work.source;
  const auto kernel = std::make_shared<const KernelTerms>(kernel_terms(*work.kernel, device, missing));
  const KernelTerms& terms = *kernel;
  for (std::size_t i = 0; i < terms.regions.size(); ++i) {
    const RegionTerms& region = terms.regions[i];
    time.resources[Resource::kMatrix] += terms.runs[i] * region.matrix;
    time.resources[Resource::kVector] += terms.runs[i] * region.vector();
    time.resources[Resource::kVmem] += terms.runs[i] * region.vmem;
  }
  PeakSeconds peak;
  for (const MatrixWork& product : work.matrix) peak.matrix += matrix_peak_seconds(product, device);
  peak.hbm = over(work.read.hbm + work.written.hbm, device.hbm.bandwidth);
  time.resources[Resource::kHbm] = terms.reading + terms.writing;
  time.overhead = device.overhead.op + terms.steps + terms.scalar;
  time.seconds = device.overhead.op + terms.seconds;
  time.kernel = kernel;
  set_bound(peak, time);
  return time;
}

}  // namespace

bool is_read_kernel(const Work& work, const Device& device) {
  return work.kernel != nullptr && work.kernel->failure.empty() && device.tpu() != nullptr;
}

OpTime op_time(const Work& work, const Device& device, LaunchedBy by, MissingNumbers* asked) {
  OpTime time;
  time.source = work.source;
  if (work.is_free) return time;
  if (work.seconds) {
    time.seconds = *work.seconds;
    time.overhead = *work.seconds;
    time.resources[Resource::kLatency] = time.overhead;
    return time;
  }

  MissingNumbers missing;
  if (is_read_kernel(work, device)) {
    time = kernel_op_time(work, device, &missing);
    if (!missing.empty()) time.source = std::max(time.source, CostSource::kAssumed);
    if (asked != nullptr) asked->add(missing);
    return time;
  }
  const TpuCore* const tpu = device.tpu();
  PeakSeconds peak;
  double launch = 0;
  for (const MatrixWork& product : work.matrix) {
    time.resources[Resource::kMatrix] += matrix_terms(product, device, &missing).seconds;
    peak.matrix += matrix_peak_seconds(product, device);
    launch = std::max(launch, matrix_launch_seconds(product, device, &missing));
  }
  if (tpu != nullptr && !work.matrix.empty()) launch += dma_seconds(work, *tpu);
  const VectorTerms vector = vector_terms(work, device, &missing);
  time.resources[Resource::kVector] = vector.seconds();
  // A product cut along its contracted dimension is complete only with its last window. The operations on its result
  // therefore run at the end. Until then every window's sum is added to the previous ones.
  if (work.product_steps > 1) {
    const double adding = accumulation_seconds(work, device);
    time.epilogue = vector_terms(work.epilogue, device).seconds() + adding;
    time.resources[Resource::kVector] += adding;
  }

  const HbmBytes bytes = hbm_bytes(work, device);
  peak.hbm = over(bytes.read + bytes.written, device.hbm.bandwidth);
  time.resources[Resource::kHbm] = hbm_terms(work, device, &missing).seconds();
  if (tpu != nullptr && work.read.vmem + work.written.vmem > 0) {
    const FastMemory fast = fast_memory(tpu->on_chip, &missing);
    time.resources[Resource::kVmem] =
        std::max(over(work.read.vmem, fast.read_bandwidth), over(work.written.vmem, fast.write_bandwidth));
  }
  if (const GpuCore* const gpu = device.gpu(); gpu != nullptr && work.tile_bytes > 0) {
    time.resources[Resource::kVmem] =
        over(work.tile_bytes, tile_bandwidth(work, *gpu, &missing)) * idle_factor(work.programs, *gpu);
  }
  const double host_bytes = std::max(work.read.host, work.written.host);
  peak.host = host_bytes > 0 ? over(host_bytes, number_or(device.host.bandwidth, 0.0, &missing)) : 0;
  time.resources[Resource::kHost] = peak.host;

  // A launch hides behind the previous kernel unless that kernel is too short.
  const double busy = overlap_terms(time, work, vector, device).seconds();
  time.overhead = std::max(op_overhead_seconds(work, device) + launch, launch_floor_seconds(work, by, device) - busy);
  time.launched_in_graph = by == LaunchedBy::kCommandBuffer;
  if (!missing.empty()) time.source = std::max(time.source, CostSource::kAssumed);
  if (asked != nullptr) asked->add(missing);
  time.seconds = busy + time.overhead;
  set_bound(peak, time);
  return time;
}

MissingNumbers missing_numbers(const Work& work, const Device& device, LaunchedBy by) {
  MissingNumbers missing;
  if (work.is_free || work.seconds) return missing;
  if (is_read_kernel(work, device)) {
    add_missing_numbers(*work.kernel, device, missing);
  } else {
    op_time(work, device, by, &missing);
  }
  return missing;
}

}  // namespace hloroof::internal
