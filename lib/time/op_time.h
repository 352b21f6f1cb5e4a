// Converts work to seconds. Every resource of the device is a roof: an operation takes the time of its slowest resource
// plus a floor. All rates come from the device. Nothing here recognizes an operation or a program by its name.
#ifndef HLOROOF_LIB_TIME_OP_TIME_H_
#define HLOROOF_LIB_TIME_OP_TIME_H_

#include <cstdint>
#include <optional>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/time/missing_numbers.h"
#include "lib/time/vector_time.h"

namespace hloroof::internal {

// The model that gives the time of a product.
enum class MatrixForm : std::uint8_t {
  kPlain,     // FLOPs over the rate
  kSystolic,  // rows stream past weights that are resident in the arrays
  kWaves,     // thread-block tiles are distributed over multiprocessors
  kStreamed,  // K is split into equal pieces for all multiprocessors
  kBetween,   // K lies between the last known for kWaves and the first known for kStreamed
};

// The parts of the seconds of one product on the matrix unit. kSystolic: max(compute, operands) / attained, where
// `operands` is the time to load weights. kWaves: max(compute, operands) + starting + joining + storing, where
// `compute` already includes `attained`. kStreamed: compute + joining. kBetween: interpolated.
struct MatrixTerms {
  MatrixForm form = MatrixForm::kPlain;
  double seconds = 0;
  double rate = 0;      // flop/s for these types, with all passes
  double attained = 1;  // share of the rate that large products attain
  double compute = 0;
  double operands = 0;
  // kSystolic
  bool is_swapped = false;  // the left-hand operand is resident and the right-hand one streams
  double rows = 0;          // rows streamed, padded to registers
  double k_tiles = 0;
  double n_tiles = 0;
  double registers = 0;  // weight registers loaded, over all tiles
  double row_rate = 0;   // rows/s, all arrays together
  // kWaves
  double tile_m = 0;
  double tile_n = 0;
  double parts = 1;   // parts that K is cut into
  double part_k = 0;  // K of one part
  double blocks = 0;
  double waves = 0;
  double starting = 0;  // time to start the waves
  double joining = 0;   // time to join the parts
  double storing = 0;   // time to store the results of the last wave
  // kBetween
  double waves_k = 0;  // the last K in waves; the first in pieces is twice that
  double waves_seconds = 0;
  double streamed_seconds = 0;
};

// Here and below, `missing` collects the device numbers that a formula needs and that the device does not state.
MatrixTerms matrix_terms(const MatrixWork& product, const Device& device, MissingNumbers* missing = nullptr);

// The parts of the seconds of main memory.
struct HbmTerms {
  double reading = 0;
  double writing = 0;
  double turning = 0;  // turnaround between reading and writing

  double seconds() const { return reading + writing + turning; }
};
HbmTerms hbm_terms(const Work& work, const Device& device, MissingNumbers* missing = nullptr);

// The on-chip memory that arrays are placed in. A device with CMEM uses CMEM, whose arrays reach the registers by DMA
// through VMEM. Any other device uses VMEM itself.
struct FastMemory {
  bool is_cmem = false;
  double read_bandwidth = 0;   // bytes/s
  double write_bandwidth = 0;  // bytes/s
};
FastMemory fast_memory(const TpuCore::OnChip& on_chip, MissingNumbers* missing = nullptr);

// The parts of the seconds of resources that work at once in a pipeline of windows. Compute (matrix, vector, vmem)
// overlaps memory (hbm, host). `time` holds the seconds of each resource, and the seconds of the vector units that
// follow those of the matrix unit. Layout changes do not overlap memory and are not part of `compute`. If products and
// vector operations wait for one another (Work::is_chained), the two are combined in the way compute and memory are.
struct OverlapTerms {
  double compute = 0;
  double slower = 0;
  double faster = 0;
  double relayout = 0;  // cross-lane unit, for layout changes
  double between = 0;   // memory time while the core waits before and after layout changes; includes `waiting`
  double windows = 0;   // windows in which layouts change
  double waiting = 0;   // for the first byte of each of these windows except the first
  double joined = 0;  // (slower^n + faster^n)^(1/n), n = Overhead::overlap_norm, or between + relayout if that is more
  double ends = 0;    // before the first window and after the last

  bool waits_for_relayout() const { return relayout > 0 && joined <= between + relayout; }

  double seconds() const { return joined + ends; }
};
OverlapTerms overlap_terms(const OpTime& time, const Work& work, const VectorTerms& vector, const Device& device);

// The peak rate for a product: the rate for the type of its operands, with the passes that wide types need. Returns
// nullopt if the unit cannot multiply such operands.
struct ProductPeak {
  MatrixType type = MatrixType::kBf16;
  double rate = 0;  // flop/s
};
std::optional<ProductPeak> product_peak(const MatrixWork& product, const Device& device,
                                        MissingNumbers* missing = nullptr);

// The m, n and k of a product on a systolic array: those of MatrixWork, padded to whole tiles of the arrays they lie
// in.
struct ProductSize {
  double m = 1;
  double n = 1;
  double k = 1;
};
ProductSize padded_size(const MatrixWork& product, const TpuCore::Vector& registers);

// The seconds of the product at the unit's peak rate, without padding or any loss.
double matrix_peak_seconds(const MatrixWork& product, const Device& device);

// The time of a kernel's programs over the time they would take if all multiprocessors were busy until the end. The
// programs run in waves of one for each multiprocessor. 1 for an operation without programs.
double idle_factor(double programs, const GpuCore& core);

// The bytes/s at which tiles of a kernel's programs move. Transfers that the author of a program for threads schedules
// come from the level-2 cache. The loads of a program on tiles hit the level-1 cache as well.
double tile_bandwidth(const Work& work, const GpuCore& core, MissingNumbers* missing = nullptr);

// The cost of a product's kernel on a GPU in addition to the product itself and Device::overhead.op.
double matrix_launch_seconds(const MatrixWork& product, const Device& device, MissingNumbers* missing = nullptr);

// The accumulation time of a product that is cut along its contracted dimension (Work::product_steps). Every window's
// sum except the first is added to the previous sums. This runs at the peak of the vector units while the matrix unit
// waits. Without this term, measured products on v6e that are cut into 4 to 20 windows (TPU-GEMM, TOKAMAX `loss`) come
// out 5 to 10 % too fast.
double accumulation_seconds(const Work& work, const Device& device);

// The launcher of a kernel on a GPU.
enum class LaunchedBy : std::uint8_t { kHost, kCommandBuffer };

// The minimum time of a kernel of `work` on a GPU: the interval between two launches by the host, or between two
// launches in a command buffer.
double launch_floor_seconds(const Work& work, LaunchedBy by, const Device& device);

// Whether `work` moves no array between the chip and other memory, and the device states the overhead of that case
// (overhead.op_on_chip). Arrays of one element pass through scalar memory, and constants of one element are part of the
// code.
bool stays_on_chip(const Work& work, const Device& device);

// The fixed time of the operation or of its kernels, in addition to its work. Most of Overhead::op is the round trip to
// HBM, so an operation that stays on the chip takes only overhead.op_on_chip.
double op_overhead_seconds(const Work& work, const Device& device);

// Whether `work` is a Pallas kernel whose body gives its time (kernel_time.h).
bool is_read_kernel(const Work& work, const Device& device);

// The time of `work` on `device` without wire time, which the caller adds for a collective. All fields are zero for
// work that is free. A missing number lowers the source of the time to CostSource::kAssumed.
OpTime op_time(const Work& work, const Device& device, LaunchedBy by = LaunchedBy::kHost,
               MissingNumbers* missing = nullptr);

// The device numbers that op_time() needs for `work` and that the device does not state.
MissingNumbers missing_numbers(const Work& work, const Device& device, LaunchedBy by);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_TIME_OP_TIME_H_
