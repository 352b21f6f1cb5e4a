// Seconds from work: every resource of the device is a roof, and an operation takes as long as its slowest resource
// plus a floor. All rates are the device's; nothing here knows an operation or a program by its name.
#ifndef HLOROOF_LIB_COST_OP_TIME_H_
#define HLOROOF_LIB_COST_OP_TIME_H_

#include <cstdint>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/cost/vector_time.h"

namespace hloroof::inline v0 {

// How the time of a product comes about.
enum class MatrixForm : std::uint8_t {
  kPlain,     // FLOPs over the rate
  kSystolic,  // rows streamed past weights that stay
  kWaves,     // thread-block tiles dealt out over multiprocessors
  kStreamed,  // K in equal pieces for all multiprocessors
};

// What the seconds of one product on the matrix unit are made of. kSystolic: max(compute, operands) / attained,
// operands being the loading of weights. kWaves: max(compute, operands) + starting + joining + storing, `attained`
// being in `compute`. kStreamed: compute + joining.
struct MatrixTerms {
  MatrixForm form = MatrixForm::kPlain;
  double seconds = 0;
  double rate = 0;      // flop/s for these types, all passes made
  double attained = 1;  // share of it that large products attain
  double compute = 0;
  double operands = 0;
  // kSystolic
  bool is_swapped = false;  // the left-hand operand stays and the right-hand one streams
  double rows = 0;          // that stream, padded to registers
  double k_tiles = 0;
  double n_tiles = 0;
  double registers = 0;  // of weights that are loaded, all tiles
  double row_rate = 0;   // rows/s, all arrays together
  // kWaves
  double tile_m = 0;
  double tile_n = 0;
  double parts = 1;  // that K is cut into
  double blocks = 0;
  double waves = 0;
  double starting = 0;  // of the waves
  double joining = 0;   // of the parts
  double storing = 0;   // results of the last wave
};
MatrixTerms matrix_terms(const MatrixWork& product, const Device& device);

// What the seconds of main memory are made of.
struct HbmTerms {
  double reading = 0;
  double writing = 0;
  double turning = 0;  // between the two

  double seconds() const { return reading + writing + turning; }
};
HbmTerms hbm_terms(const Work& work, const Device& device);

// The memory on the chip in which arrays are placed: CMEM where there is one, whose arrays reach the registers through
// VMEM by way of DMA, else VMEM itself.
struct FastMemory {
  bool is_cmem = false;
  std::optional<double> read_bandwidth;   // bytes/s
  std::optional<double> write_bandwidth;  // bytes/s
};
FastMemory fast_memory(const OnChip& on_chip);

// What the seconds of resources that work at once in a pipeline of windows are made of: compute (matrix, vector, vmem)
// against memory (hbm, host). `time` has the seconds of each resource and those of the vector units that come after the
// matrix unit's. Changes of layout do not work beside memory, and are not part of `compute`. Where products and vector
// operations wait for one another (Work::is_chained), the two are joined as compute and memory are.
inline constexpr int kOverlapNorm = 4;
struct OverlapTerms {
  double compute = 0;
  double slower = 0;
  double faster = 0;
  double relayout = 0;  // of the cross-lane unit, for changes of layout
  double between = 0;   // of memory while the core waits for it before and after those, with `waiting`
  double windows = 0;   // in which layouts change
  double waiting = 0;   // for the first byte of each of those but the first
  double joined = 0;    // (slower^n + faster^n)^(1/n), n = kOverlapNorm, or between + relayout if that is more
  double ends = 0;      // before the first window and after the last

  bool waits_for_relayout() const { return relayout > 0 && joined <= between + relayout; }

  double seconds() const { return joined + ends; }
};
OverlapTerms overlap_terms(const OpTime& time, const Work& work, const VectorTerms& vector, const Device& device);

// Seconds the matrix unit takes for one product, padding to its dimensions, passes and loading of weights included; the
// better of the two ways to lay the product on the unit.
double matrix_seconds(const MatrixWork& product, const Device& device);

// The peak that holds for a product: that of its operands' type, passes for wide types included; nothing if the unit
// cannot multiply such operands.
struct ProductPeak {
  MatrixType type = MatrixType::kBf16;
  double rate = 0;  // flop/s
};
std::optional<ProductPeak> product_peak(const MatrixWork& product, const Device& device);

// The same at the unit's peak rate, without padding or any loss.
double matrix_peak_seconds(const MatrixWork& product, const Device& device);

// What the kernel of a product costs beside it and Device::overhead.op; 0 where nothing is known of it.
double matrix_launch_seconds(const MatrixWork& product, const Device& device);

// Of a product cut along what it contracts (Work::product_steps): each window's sum but the first is added to those
// before, at the peak of the vector units, while the matrix unit waits. Measured products on v6e that are cut in 4 to
// 20 (TPU-GEMM, TOKAMAX `loss`) come out 5 to 10 % too fast without.
double accumulation_seconds(const Work& work, const Device& device);

// The least a kernel of `work` takes on a GPU: what stands between two launches by the host, or in a command buffer.
double launch_floor_seconds(const Work& work, const Device& device);

// Whether all that `work` touches lies in VMEM, on a device that says what it then takes (Overhead::op_on_chip).
bool stays_on_chip(const Work& work, const Device& device);

// The time of such work that keeps the device busy for `busy` seconds. Most of what an operation takes whatever its
// size is the way to HBM and back, which runs beside: (work^n + floor^n)^(1/n), n = kOverlapNorm, of the work with
// Overhead::op_on_chip added and Overhead::op. So the measured gated linear units of 4 to 16 us on v6e and 7x have it
// (tests/accuracy/kernels), and so the TPU compiler, whose least estimate for work in VMEM is that for HBM.
double on_chip_seconds(double busy, const Device& device);

// The time of `work` on `device` without what happens on wires: the caller of a collective adds that. Zero throughout
// for work that is free.
OpTime op_time(const Work& work, const Device& device);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_OP_TIME_H_
