#include "lib/time/op_time.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "lib/hardware/device_facts.h"
#include "lib/ir/element_type.h"
#include "lib/kernel/common/isa.h"
#include "lib/time/kernel_range.h"
#include "lib/time/kernel_time.h"
#include "lib/work/work.h"

namespace hloroof::internal::inline time {
namespace {

// Latency of the first input DMA plus the last output DMA, which nothing overlaps.
template <class Num>
Num dma_seconds(const Work& work, const TpuCore& core, const Numbers<Num>& n) {
  const Num reading = work.read.hbm > 0 ? n.amount("first read", 1, "") * n.at(core.overhead.dma_read) : Num(0.0);
  const Num writing = work.written.hbm > 0 ? n.amount("last write", 1, "") * n.at(core.overhead.dma_write) : Num(0.0);
  return sum("first read and last write", reading, writing);
}

// The time at the ends of an operation, before its first window and after its last, where compute and memory do not
// overlap. A product waits for the result of its last row at least. In the final code of 29 products for v5e and v6e
// (LIBTPU-LLO: one window of less than 1000 cycles, operands in VMEM) the bundles beside those of rows and weights
// are 1.6 times as many in the median.
template <class Num>
Num ends_seconds(const Work& work, double faster, bool is_on_matrix_unit, const TpuCore& core, const Numbers<Num>& n) {
  if (work.matrix.empty()) {
    return least("ends", again("the faster of compute and memory", Num(faster)), dma_seconds(work, core, n));
  }
  Num ends = least("ends", again("a window of the faster side", Num(faster)) / n.at(core.overhead.fill_windows),
                   n.amount("pipeline fill", 1, "") * n.at(core.overhead.pipeline_fill));
  if (!is_on_matrix_unit || !n.has(core.matrix.result_latency)) return ends;
  Num last = n.amount("result of the last row", 1, "row") *
             n.at(*core.matrix.result_latency, &core.matrix.result_latency) / n.clock();
  return value(ends) < value(last) ? last : ends;
}

// Bytes of main memory that are read and written. On a device that is not a TPU, all memory except host memory is main
// memory.
struct HbmBytes {
  double read = 0;
  double written = 0;
};
// Includes what is read once, and not what windows fetch again.
HbmBytes hbm_bytes(const Work& work, const Device& device) {
  if (device.tpu() != nullptr) return {work.read.hbm, work.written.hbm};
  return {work.read.hbm + work.read.vmem, work.written.hbm + work.written.vmem};
}

}  // namespace

// The bytes beside short pieces that are moved with them. Pieces of an array that stays in the level-2 cache move
// nothing else, and those of slices share what lies between them. Slices of arrays of one size are taken for slices of
// one array, as the two halves of interleaved pairs are, which together leave nothing between them.
double beside_pieces(const Work& work, const Device& device) {
  const GpuCore* const core = device.gpu();
  const Fact<double>& least = device.hbm.least_access;
  if (core == nullptr || !least) return 0;
  struct Sliced {
    double array_bytes = 0;
    double counted = 0;
    double moved = 0;
  };
  std::vector<Sliced> sliced;
  double bytes = 0;
  for (const Pieces& pieces : work.pieces) {
    const double counted = pieces.count * pieces.bytes;
    const double moved = pieces.count * std::max(pieces.bytes, *least);
    if (pieces.is_indexed) {
      const bool is_cached = pieces.array_bytes <= core->on_chip.l2_capacity;
      if (!is_cached) bytes += std::max(moved - std::min(counted, pieces.array_bytes), 0.0);
      continue;
    }
    auto at = std::find_if(sliced.begin(), sliced.end(),
                           [&](const Sliced& s) { return s.array_bytes == pieces.array_bytes; });
    if (at == sliced.end()) at = sliced.insert(at, Sliced{pieces.array_bytes, 0, 0});
    at->counted += counted;
    at->moved += moved;
  }
  for (const Sliced& s : sliced) {
    bytes += std::max(std::min(s.moved, s.array_bytes) - std::min(s.counted, s.array_bytes), 0.0);
  }
  return bytes;
}

// The share of the bandwidth at which `work` reads. A library's kernels of products hold fewer reads in flight than
// kernels that only stream: the one that cuBLAS proposes reads the weights of products of a few rows at 0.80 to 0.86 of
// the bandwidth on every GPU measured (AICONFIGURATOR). Where XLA times the algorithms of the library, or Triton's, the
// chosen one attains 0.88 to 0.93 (H100-JAX), about what other kernels do.
template <class Num>
Num read_share(const Work& work, const Numbers<Num>& n) {
  Num plain = n.known_or(n.device().hbm.read_efficiency, n.at(n.device().hbm.efficiency));
  const GpuCore* const core = n.device().gpu();
  const auto is_of_library = [](const MatrixWork& product) {
    return product.programs <= 0 && product.tile_m <= 0 && !product.is_attention && !product.is_tuned &&
           !product.is_untuned;
  };
  if (core == nullptr || work.matrix.empty() || !std::all_of(work.matrix.begin(), work.matrix.end(), is_of_library)) {
    return plain;
  }
  return n.known_or(core->matrix.read_efficiency, std::move(plain));
}

// Whether a sort whose kernels on a GPU are counted is one operation here.
bool sorts_at_once(const Work& work, const Device& device) { return work.block_threads > 0 && device.gpu() == nullptr; }

template <class Num>
Num hbm_seconds(const Work& work, const Numbers<Num>& n) {
  const Hbm& hbm = n.device().hbm;
  if (hbm.bandwidth <= 0 || hbm.efficiency <= 0) return 0.0;
  HbmBytes bytes = hbm_bytes(work, n.device());
  bytes.read += work.read_again;
  // A TPU keeps what its transforms have between their steps on the chip.
  if (n.device().tpu() == nullptr && !sorts_at_once(work, n.device())) bytes.read += work.between_kernels;
  if (bytes.read <= 0 && bytes.written <= 0) return 0.0;
  const Num bandwidth = n.at(hbm.bandwidth);
  const Num efficiency = n.at(hbm.efficiency);
  const Num reads = read_share(work, n);
  const Num writes = n.known_or(hbm.write_efficiency, efficiency);
  const Num turning =
      n.computed(turning_share(hbm.efficiency, value(reads), value(writes)), "1", efficiency, reads, writes);
  return sum("HBM", n.amount("HBM reads", bytes.read, "B") / reads / bandwidth,
             n.amount("beside short pieces", beside_pieces(work, n.device()), "B") / reads / bandwidth,
             n.amount("HBM writes", bytes.written, "B") / writes / bandwidth,
             n.amount("HBM turns between them", std::min(bytes.read, bytes.written), "B") * turning / bandwidth);
}
template double hbm_seconds(const Work&, const Numbers<double>&);
template Traced hbm_seconds(const Work&, const Numbers<Traced>&);

template <class Num>
Num accumulation_seconds(const Work& work, const Numbers<Num>& n) {
  double elements = 0;
  for (const MatrixWork& product : work.matrix) elements += product.m * product.n * product.batch;
  const Num one = over(n.amount("sums of windows added", elements, "op"), n.at(n.device().vector.f32_rate));
  const Num seconds = one * (work.product_steps - 1);
  return noted(seconds, [&] { return absl::StrFormat("%.0f windows along what is contracted", work.product_steps); });
}
template double accumulation_seconds(const Work&, const Numbers<double>&);
template Traced accumulation_seconds(const Work&, const Numbers<Traced>&);

template <class Num>
Num idle_factor(double programs, const GpuCore& core, const Numbers<Num>& n) {
  const auto units = static_cast<double>(core.vector.compute_units);
  if (programs <= 0 || units <= 0) return 1.0;
  return n.computed(std::ceil(programs / units) * units / programs, "1", n.at(core.vector.compute_units));
}
template double idle_factor(double, const GpuCore&, const Numbers<double>&);
template Traced idle_factor(double, const GpuCore&, const Numbers<Traced>&);

Directions directions_of(const Work& work, const Device& device) {
  const TpuCore* const core = device.tpu();
  if (core == nullptr || !core->overhead.op_on_chip || work.read.host + work.written.host > 0) return {};
  return {.in = work.read.hbm > work.scalars_read, .out = work.written.hbm > work.scalars_written};
}

namespace {

// Whether a multiprocessor holds too few blocks to load for one while another computes. Two blocks begin and end
// together. Measured fusions (H100-JAX: norms, softmax and their gradients) with at most two take about the sum of both
// times, those with three and more that of the bytes.
bool loads_in_turn(const TileWork& tiles, const GpuCore& gpu) {
  if (tiles.held <= 0 || tiles.exchanged > 0 || !gpu.vector.registers || !gpu.program.warp_registers) return false;
  constexpr double kTooFew = 2;
  const double registers = tiles.held + tiles.warps * *gpu.program.warp_registers;
  return *gpu.vector.registers < (kTooFew + 1) * registers;
}

// Near the ridge the slower of the two sides varies from window to window. The norm that joins them is therefore four
// and not the infinity of a steady state, as measured matmuls show. At the ends of a product one side waits for the
// other, for at most the fill time of the pipeline. The windows of other fusions are small: measured ones (TOKAMAX)
// wait for little more than the first read and the last write.
//
// Even a small product is cut into windows. The time at its ends is at most faster / fill_windows.
//
// If an array changes layout, a core moves a window through the cross-lane unit after its read and before its write,
// and takes the sum of both times. The other core of a chip uses HBM in that time. The final code of such
// operations on v5e, v6e and 7x (tests/accuracy/grid, relayouts.py) takes 0.7 to 1.2 of that, the least where f32 is
// turned or HBM is slow: it reads ahead, so that no window waits for its first byte.
// Measured programs with copies of bf16 (tests/accuracy, `flash_attention_vjp`) agree with it. Those that turn f32
// (`glu` on v6e and 7x) take up to 1.2 times as long, for a reason that nothing here shows.
//
// A kernel of a GPU hides its arithmetic behind the loads of other blocks on the same multiprocessor. `loads_in_turn`
// says where there are none.
template <class Num>
OverlapTime<Num> overlap_time(const Work& work, ResourceTimes<Num> resources, const Numbers<Num>& n) {
  const Num exponent = n.at(n.device().overhead.overlap_norm);
  const bool is_on_matrix_unit = value(resources.matrix) > 0;
  Num matrix = sum("matrix unit", std::move(resources.matrix), std::move(resources.epilogue));
  Num vector = resources.vector.seconds_without_relayout();
  Num core = work.is_chained
                 ? norm("matrix and vector units, taking turns", exponent, std::move(matrix), std::move(vector))
                 : slowest("matrix and vector units", std::move(matrix), std::move(vector));
  Num compute = slowest("compute", std::move(core), std::move(resources.vmem));
  Num memory = slowest("memory", std::move(resources.hbm), std::move(resources.host));
  const Num& relayout = resources.vector.relayout_seconds;
  OverlapTime<Num> time;
  const double memory_seconds = value(memory);
  time.faster = std::min(value(compute), memory_seconds);
  if (const GpuCore* const gpu = n.device().gpu(); gpu != nullptr && loads_in_turn(work.tiles, *gpu)) {
    time.joined = sum("memory, then compute", std::move(memory), std::move(compute));
  } else {
    time.joined = norm(value(relayout) > 0 ? "overlapping" : "compute and memory", exponent, std::move(compute),
                       std::move(memory));
  }
  // A block that holds its tile while its threads exchange it leaves no registers for a second block that could load.
  if (value(resources.exchange) > 0) {
    time.joined = sum("memory, then shared memory", std::move(time.joined), resources.exchange);
  }
  const TpuCore* const tpu = n.device().tpu();
  if (value(relayout) > 0) {
    Num between = 0.0;
    if (tpu != nullptr) between = again("memory of one core", Num(memory_seconds)) / n.cores();
    time.joined = slowest("compute and memory", std::move(time.joined),
                          sum("memory, then across lanes", std::move(between), relayout));
  }
  if (tpu != nullptr) time.ends = ends_seconds(work, time.faster, is_on_matrix_unit, *tpu, n);
  return time;
}

// The bytes of the registers whose rows copies and transposes gather from as many other registers.
double gathered_rows(const Work& work) {
  double bytes = 0;
  for (const VectorWork& v : work.vector) {
    if (v.opcode == Opcode::kTranspose && !v.cross_lane) bytes += v.elements * bits(v.type) / 8;
  }
  return bytes;
}

// The on-chip memory of a TPU that arrays are placed in. A device with CMEM uses CMEM, whose arrays reach the registers
// by DMA through VMEM. Any other device uses VMEM itself. What vector operations read from HBM and write to it also
// passes through VMEM, in windows that they load and store. Where they only turn an array, that is part of the turning.
// The cores of a chip without CMEM hold the same arrays in VMEM: each sends the part that it computes to the other.
template <class Num>
Num vmem_seconds(const Work& work, const TpuCore& core, const Numbers<Num>& n) {
  const TpuCore::OnChip& on_chip = core.on_chip;
  const Num read = n.at(on_chip.vmem_read_bandwidth);
  const Num write = n.at(on_chip.vmem_write_bandwidth);
  const bool has_windows =
      work.matrix.empty() &&
      (work.window_steps > 0 || std::any_of(work.vector.begin(), work.vector.end(), [](const VectorWork& v) {
         return v.opcode != Opcode::kTranspose || !v.cross_lane;
       }));
  double loads = has_windows ? work.read.hbm : 0;
  double stores = has_windows ? work.written.hbm : 0;
  Num cmem = 0.0;
  if (!n.has(on_chip.cmem_read_bandwidth)) {
    loads += work.read.vmem;
    stores += work.written.vmem;
  } else if (work.read.vmem + work.written.vmem > 0) {
    const Num cmem_read = n.at(*on_chip.cmem_read_bandwidth, &on_chip.cmem_read_bandwidth);
    const Num cmem_write = n.known_or(on_chip.cmem_write_bandwidth, write);
    cmem = slowest("CMEM", over(n.amount("CMEM reads", work.read.vmem, "B"), cmem_read),
                   over(n.amount("CMEM writes", work.written.vmem, "B"), cmem_write));
  }
  if (loads + stores == 0) return cmem;
  Num loading = over(n.amount("VMEM loads", loads, "B"), read);
  if (work.loads_in_turn > 0) {
    loading = slowest("loads", std::move(loading),
                      n.amount("loads of the same banks", work.loads_in_turn, "register") / (n.clock() * n.cores()));
  }
  if (const double rows = gathered_rows(work); rows > 0) {
    loading = slowest("loads", std::move(loading),
                      n.amount("rows gathered", rows, "B") * n.known_or(core.vector.gather_loads, 1.0) / read);
  }
  Num storing = over(n.amount("VMEM stores", stores, "B"), write);
  // Each is turned within its register, and stored alone: 1.01 to 1.06 bundles a row on v5e, 0.53 to 0.57 on v5p, 0.85
  // to 1.04 on v6e if the array lies in VMEM, and as little as 0.52 on v6e and 7x if two rows find other banks
  // (LIBTPU-LLO).
  if (work.sliced_rows > 0) {
    storing = slowest("stores", std::move(storing),
                      n.amount("rows sliced from tiles", work.sliced_rows, "row") / (n.clock() * n.cores()));
  }
  if (work.written.vmem > 0 && n.has(core.vector.exchange_cycles)) {
    const double registers =
        std::max(work.written.vmem * 8 / kLaneBits / register_elements(core.vector), work.sliced_rows);
    storing = slowest("stores", std::move(storing),
                      n.amount("stored by both cores", registers, "register") *
                          n.at(*core.vector.exchange_cycles, &core.vector.exchange_cycles) / (n.clock() * n.cores()));
  }
  return sum("VMEM and its windows", slowest("VMEM", cmem, std::move(loading), std::move(storing)),
             window_seconds(work, core, n));
}

// The tiles of a GPU kernel's programs. Transfers that the author of a program for threads schedules come from the
// level-2 cache. The loads of a program on tiles hit the level-1 cache as well.
template <class Num>
Num tiles_seconds(const Work& work, const GpuCore& core, const Numbers<Num>& n) {
  const Num l2 = n.at(core.on_chip.l2_bandwidth);
  const Num rate = work.is_for_threads ? l2 : n.known_or(core.program.tile_bandwidth, l2);
  return over(n.amount("tiles through L2", work.tile_bytes, "B"), rate) * idle_factor(work.programs, core, n);
}

// The atomic updates of scatters, which the level-2 cache executes.
template <class Num>
Num atomics_seconds(const Work& work, const GpuCore& core, const Numbers<Num>& n) {
  return sum("atomic updates in L2",
             over(n.amount("sectors", work.atomics, "update"), n.known_or(core.on_chip.atomic_rate, 0.0)),
             over(n.amount("narrow elements", work.narrow_atomics, "update"),
                  n.known_or(core.on_chip.narrow_atomic_rate, 0.0)));
}

// The sectors of the level-2 cache that gathers read. Of a table, a part stays in the level-1 caches, and as large a
// share of the reads at random places ends there.
double gathered_sectors(const Work& work, const GpuCore::OnChip& on_chip) {
  double sectors = 0;
  for (const Pieces& pieces : work.pieces) {
    if (!pieces.is_indexed || pieces.is_updated) continue;
    const double far = on_chip.l1_table ? std::max(1 - over(*on_chip.l1_table, pieces.array_bytes), 0.0) : 1.0;
    sectors += pieces.count * std::ceil(pieces.bytes / kSectorBytes) * far;
  }
  return sectors;
}

// What the level-2 cache does for gathers and scatters, one access after another.
template <class Num>
Num scattered_seconds(const Work& work, const GpuCore& core, const Numbers<Num>& n) {
  Num atomics = 0.0;
  if (work.atomics + work.narrow_atomics > 0) atomics = atomics_seconds(work, core, n);
  const double sectors = gathered_sectors(work, core.on_chip);
  if (sectors == 0 || !n.has(core.on_chip.gather_rate)) return atomics;
  Num gathers = over(n.amount("sectors gathered from L2", sectors, "read"), n.known_or(core.on_chip.gather_rate, 0.0));
  if (value(atomics) > 0) return sum("scattered accesses to L2", std::move(atomics), std::move(gathers));
  return gathers;
}

// The time that each resource needs for `work`.
template <class Num>
ResourceTimes<Num> resource_times(const Work& work, const Numbers<Num>& n, double products_busy = 0) {
  const Device& device = n.device();
  const TpuCore* const tpu = device.tpu();
  ResourceTimes<Num> times;
  bool has_vector = false;
  for (const MatrixWork& product : work.matrix) {
    MatrixTime<Num> time = matrix_time(product, n, products_busy);
    has_vector = has_vector || time.has_vector;
    times.matrix = sum("", times.matrix, std::move(time.seconds));
    Num launch = matrix_launch_seconds(product, n);
    if (value(launch) > value(times.launch)) times.launch = std::move(launch);
  }
  if (tpu != nullptr && !work.matrix.empty()) times.launch = sum("", times.launch, dma_seconds(work, *tpu, n));
  if (!has_vector) times.vector = vector_time(work, n);
  // A product cut along its contracted dimension is complete only with its last window. The operations on its result
  // therefore run at the end. Until then every window's sum is added to the previous ones.
  if (work.product_steps > 1) {
    times.accumulation = accumulation_seconds(work, n);
    const Num after = vector_time(work.epilogue, Numbers<Num>(device)).seconds("operations on the product");
    times.epilogue = sum("", after, times.accumulation);
  }
  times.hbm = hbm_seconds(work, n);
  if (tpu != nullptr) times.vmem = vmem_seconds(work, *tpu, n);
  if (device.gpu() != nullptr) times.vmem = scattered_seconds(work, *device.gpu(), n);
  if (device.gpu() != nullptr && work.tile_bytes > 0) times.vmem = tiles_seconds(work, *device.gpu(), n);
  if (const GpuCore* const gpu = device.gpu(); gpu != nullptr && work.tiles.exchanged > 0) {
    times.exchange = over(n.amount("elements exchanged", work.tiles.exchanged, "element"),
                          n.known_or(gpu->on_chip.exchange_rate, 0.0));
  }
  if (const double bytes = std::max(work.read.host, work.written.host); bytes > 0) {
    times.host = over(n.amount("host memory", bytes, "B"),
                      n.known_or(device.host.bandwidth, 0.0) * n.known_or(device.host.efficiency, 1.0));
  }
  return times;
}

// The fixed time of an operation or kernel. Most of Overhead::op is the round trip to HBM: the latency of a read and
// that of a write. An operation with arrays in HBM on one side alone waits for one of the two, and takes half of what
// Overhead::op is above the overhead on the chip: 0.67 to 0.72 us in the final code of 120 operations on v5e and v6e
// (LIBTPU-LLO), which has the transfers of both in 35 others, of 1.23 us.
template <class Num>
Num one_overhead_seconds(const Directions& directions, const Numbers<Num>& n) {
  Num op = n.at(n.device().overhead.op);
  if (directions.in && directions.out) return op;
  const Fact<double>& on_chip = n.device().tpu()->overhead.op_on_chip;
  Num chip = n.at(*on_chip, &on_chip);
  if (!directions.in && !directions.out) return chip;
  return n.computed((value(op) + value(chip)) / 2, "s", op, chip);
}

// The fixed time of the operation or of its kernels, in addition to its work, with a transfer for each array of one
// element that lies in HBM where no other array is.
template <class Num>
Num op_overhead_seconds(const Work& work, const Numbers<Num>& n) {
  const Device& device = n.device();
  const double kernels = sorts_at_once(work, device) ? 1 : std::max(work.kernels, 1.0);
  const Directions directions = directions_of(work, device);
  Num each = n.amount(kernels > 1 ? "each kernel" : "each operation", kernels, kernels > 1 ? "kernel" : "") *
             one_overhead_seconds(directions, n);
  if (work.sort_passes > 0 && device.gpu() != nullptr) {
    // A block of threads loads its keys, ranks them, waits for the counts of the blocks before it, and stores them.
    each = sum(
        "", std::move(each),
        n.amount("passes of a sort", work.sort_passes, "digit") * n.known_or(device.gpu()->overhead.sort_pass, 0.0));
  }
  if (const double fetched = directions.in ? 0 : work.fetched_elements; fetched > 0) {
    each = sum("", std::move(each),
               n.amount("elements fetched from HBM", fetched, "element") * n.at(device.tpu()->overhead.dma_read));
  }
  if (const double stored = directions.out ? 0 : work.stored_elements; stored > 0) {
    each = sum("", std::move(each),
               n.amount("elements stored in HBM", stored, "element") * n.at(device.tpu()->overhead.dma_write));
  }
  return each;
}

// The minimum time of a kernel of `work` on a GPU: the interval between two launches by the host, or between two
// launches in a command buffer, and the time in which its blocks of threads start, one after another.
template <class Num>
Num launch_floor_seconds(const Work& work, LaunchedBy by, const Numbers<Num>& n) {
  const GpuCore* const core = n.device().gpu();
  if (core == nullptr) return 0.0;
  const bool in_graph = by == LaunchedBy::kCommandBuffer;
  Num launch =
      n.amount(in_graph ? "launch, in a command buffer" : "launch by the host", std::max(work.kernels, 1.0), "kernel") *
      n.at(in_graph ? core->overhead.graph_launch : core->overhead.launch);
  if (work.tiles.blocks <= 0 || !core->overhead.block) return launch;
  return slowest(
      "launch and blocks", std::move(launch),
      n.amount("blocks of threads started", work.tiles.blocks, "block") * n.known_or(core->overhead.block, 0.0));
}

// What a product takes beside its work. It was measured where the host launches one product after another, and is about
// one interval of such launches. In a command buffer it is one interval of launches there.
template <class Num>
Num product_launch_seconds(Num measured, LaunchedBy by, const Numbers<Num>& n) {
  const GpuCore* const core = n.device().gpu();
  if (core == nullptr || by == LaunchedBy::kHost) return measured;
  Num in_graph = n.amount("launch of a product, in a command buffer", 1, "") * n.at(core->overhead.graph_launch);
  if (value(measured) < value(in_graph)) return measured;
  return in_graph;
}

// The seconds that the work takes at nominal peaks.
struct PeakSeconds {
  double matrix = 0;
  double hbm = 0;
  double host = 0;
  // The part of the vector units' seconds in which their ALUs wait: for other threads, for the number of the next row,
  // for the column before. It is at no peak.
  double waiting = 0;
};

PeakSeconds peak_seconds(const Work& work, const Device& device, double host) {
  PeakSeconds peak;
  for (const MatrixWork& product : work.matrix) peak.matrix += matrix_peak_seconds(product, device);
  const HbmBytes bytes = hbm_bytes(work, device);
  peak.hbm = over(bytes.read + bytes.written, device.hbm.bandwidth);
  peak.host = host;
  return peak;
}

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
  if (time.bound == Resource::kVector) ideal = std::max(slowest - peak.waiting, 0.0);
  if (time.bound == Resource::kLatency) ideal = std::max({peak.matrix, peak.hbm, peak.host});
  time.efficiency = time.seconds > 0 ? std::min(ideal / time.seconds, 1.0) : 0;
}

constexpr std::string_view kWhole = "time of one execution";

// The time of a Pallas kernel whose body was read.
template <class Num>
Num kernel_op_time(const Work& work, const Numbers<Num>& n, OpTime& time) {
  const Device& device = n.device();
  KernelTime<Num> kernel = kernel_time(*work.kernel, n);
  for (std::size_t i = 0; i < kernel.regions.size(); ++i) {
    const RegionTime<Num>& region = kernel.regions[i];
    time.resources[Resource::kMatrix] += kernel.runs[i] * value(region.matrix);
    time.resources[Resource::kVector] += kernel.runs[i] * region.vector();
    time.resources[Resource::kVmem] += kernel.runs[i] * value(region.vmem);
  }
  time.resources[Resource::kHbm] = kernel.reading + kernel.writing;
  const Num op = n.amount("each operation", 1, "") * n.at(device.overhead.op);
  time.overhead = value(op) + kernel.steps + kernel.scalar;
  Num seconds = sum(kWhole, op, kernel.seconds);
  PeakSeconds peak;
  for (const MatrixWork& product : work.matrix) peak.matrix += matrix_peak_seconds(product, device);
  peak.hbm = over(work.read.hbm + work.written.hbm, device.hbm.bandwidth);
  time.seconds = value(seconds);
  set_bound(peak, time);
  if constexpr (std::same_as<Num, double>) {
    if (const auto range = kernel_range(*work.kernel, kernel.seconds, device); range && is_open(*range)) {
      time.source = CostSource::kUnknown;
    }
    time.kernel = std::make_shared<const KernelTime<double>>(std::move(kernel));
  }
  return seconds;
}

void set_resources(const ResourceTimes<double>& from, OpTime& time) {
  time.resources[Resource::kMatrix] = from.matrix;
  time.resources[Resource::kVector] = from.vector.seconds() + from.accumulation + from.exchange;
  time.resources[Resource::kHbm] = from.hbm;
  time.resources[Resource::kVmem] = from.vmem;
  time.resources[Resource::kHost] = from.host;
  time.epilogue = from.epilogue;
}

// The time of any other operation. A launch hides behind the previous kernel unless that kernel is too short.
template <class Num>
Num plain_op_time(const Work& work, const RunAs& as, const Numbers<Num>& n, OpTime& time) {
  const Device& device = n.device();
  ResourceTimes<Num> resources = resource_times(work, n, as.products_busy);
  if constexpr (std::same_as<Num, double>) set_resources(resources, time);
  const double host = value(resources.host);
  const double waiting =
      value(resources.exchange) + value(resources.vector.row_seconds) + value(resources.vector.in_turn_seconds);
  Num launch = product_launch_seconds(std::move(resources.launch), as.launched_by, n);
  OverlapTime<Num> overlap = overlap_time(work, std::move(resources), n);
  Num busy = sum("", std::move(overlap.joined), std::move(overlap.ends));
  Num overhead = sum("", op_overhead_seconds(work, n), std::move(launch));
  Num floor = launch_floor_seconds(work, as.launched_by, n);
  time.overhead = std::max(value(overhead), value(floor) - value(busy));
  time.launched_in_graph = as.launched_by == LaunchedBy::kCommandBuffer;
  Num seconds = with_floor(kWhole, std::move(busy), std::move(overhead), std::move(floor));
  if constexpr (std::same_as<Num, double>) {
    time.seconds = seconds;
    PeakSeconds peak = peak_seconds(work, device, host);
    peak.waiting = waiting;
    set_bound(peak, time);
  }
  return seconds;
}

// Computes the time of `work`, which is not free and not given by the user. For double, fills `time`.
template <class Num>
Num timed(const Work& work, const RunAs& as, const Numbers<Num>& n, OpTime& time) {
  return is_read_kernel(work, n.device()) ? kernel_op_time(work, n, time) : plain_op_time(work, as, n, time);
}

}  // namespace

const void* deciding_cache_rate(const Work& work, const GpuCore& core) {
  const GpuCore::OnChip& on_chip = core.on_chip;
  if (work.tile_bytes > 0) {
    const Fact<double>& tiles = core.program.tile_bandwidth;
    return !work.is_for_threads && tiles ? static_cast<const void*>(&tiles) : &on_chip.l2_bandwidth;
  }
  const auto seconds = [](double count, const Fact<double>& rate) { return rate ? count / *rate : 0.0; };
  const std::pair<double, const void*> rates[] = {
      {seconds(work.atomics, on_chip.atomic_rate), &on_chip.atomic_rate},
      {seconds(work.narrow_atomics, on_chip.narrow_atomic_rate), &on_chip.narrow_atomic_rate},
      {seconds(gathered_sectors(work, on_chip), on_chip.gather_rate), &on_chip.gather_rate},
  };
  return std::max_element(std::begin(rates), std::end(rates))->second;
}

bool is_read_kernel(const Work& work, const Device& device) {
  return work.kernel != nullptr && work.kernel->failure.empty() && device.tpu() != nullptr;
}

OverlapTime<double> overlap_time(const Work& work, const Device& device) {
  const Numbers<double> numbers(device);
  return overlap_time(work, resource_times(work, numbers), numbers);
}

OpTime op_time(const Work& work, const Device& device, const RunAs& as, MissingNumbers* asked) {
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
  timed(work, as, Numbers<double>(device, &missing), time);
  if (!missing.empty()) time.source = std::max(time.source, CostSource::kAssumed);
  if (asked != nullptr) asked->add(missing);
  return time;
}

Term op_terms(const Work& work, const Device& device, const RunAs& as) {
  if (work.is_free) return {};
  MissingNumbers missing;
  const Numbers<Traced> numbers(device, &missing);
  if (work.seconds) return numbers.amount("given by the user", *work.seconds, "s").term();
  OpTime time;
  Term term = timed(work, as, numbers, time).term();
  note_missing(missing, device, term);
  return term;
}

void find_bound(const Work& work, const Device& device, OpTime& time) {
  set_bound(peak_seconds(work, device, time.resources[Resource::kHost]), time);
}

MissingNumbers missing_numbers(const Work& work, const Device& device, const RunAs& as) {
  MissingNumbers missing;
  if (work.is_free || work.seconds) return missing;
  if (is_read_kernel(work, device)) {
    add_missing_numbers(*work.kernel, device, missing);
  } else {
    op_time(work, device, as, &missing);
  }
  return missing;
}

}  // namespace hloroof::internal::inline time
