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
#include "lib/time/numbers.h"
#include "lib/time/terms.h"
#include "lib/time/traced.h"
#include "lib/time/vector_time.h"

namespace hloroof::internal::inline time {

// The model that gives the time of a product.
enum class MatrixForm : std::uint8_t {
  kPlain,     // FLOPs over the rate
  kSystolic,  // rows stream past weights that are resident in the arrays
  kWaves,     // thread-block tiles are distributed over multiprocessors
  kStreamed,  // K is split into equal pieces for all multiprocessors
  kBetween,   // K lies between the last known for kWaves and the first known for kStreamed
};

// The time of one product on the matrix unit, and the model's choices for it.
template <class Num>
struct MatrixTime {
  Num seconds = 0.0;
  Num attained = 1.0;  // share of the rate that large products attain
  MatrixForm form = MatrixForm::kPlain;
  double rate = 0;          // flop/s for these types, with all passes
  bool has_vector = false;  // the seconds include the operations of the vector unit between the products
  // kSystolic
  double compute = 0;       // seconds
  double operands = 0;      // seconds to load weights
  bool is_swapped = false;  // the left-hand operand is resident and the right-hand one streams
  double registers = 0;     // weight registers loaded, over all tiles
  // kWaves
  double tile_m = 0;
  double tile_n = 0;
  double blocks = 0;
};

// `products_busy` is that of RunAs.
template <class Num>
MatrixTime<Num> matrix_time(const MatrixWork& product, const Numbers<Num>& numbers, double products_busy = 0);
inline MatrixTime<double> matrix_time(const MatrixWork& product, const Device& device) {
  return matrix_time(product, Numbers<double>(device));
}

// The seconds of main memory.
template <class Num>
Num hbm_seconds(const Work& work, const Numbers<Num>& numbers);
inline double hbm_seconds(const Work& work, const Device& device) { return hbm_seconds(work, Numbers<double>(device)); }

// The seconds of the resources of an operation. They work at once in a pipeline of windows. Compute (matrix, vector,
// vmem) overlaps memory (hbm, host).
template <class Num>
struct ResourceTimes {
  Num matrix = 0.0;        // the products
  Num epilogue = 0.0;      // work of the vector units that follows the products
  Num accumulation = 0.0;  // the part of `epilogue` that adds the sums of windows
  VectorTime<Num> vector;
  Num vmem = 0.0;
  Num exchange = 0.0;  // of elements between the threads of a GPU's blocks
  Num hbm = 0.0;
  Num host = 0.0;
  Num launch = 0.0;  // of products
};

// The time of these resources together. Layout changes do not overlap memory. If products and vector operations wait
// for one another (Work::is_chained), the two are combined in the way compute and memory are.
template <class Num>
struct OverlapTime {
  Num joined = 0.0;   // (slower^n + faster^n)^(1/n), n = Overhead::overlap_norm, or between + relayout if that is more
  Num ends = 0.0;     // before the first window and after the last
  double faster = 0;  // the faster of compute and memory
};
OverlapTime<double> overlap_time(const Work& work, const Device& device);

// The peak rate for a product: the rate for the type of its operands, with the passes that wide types need. Returns
// nullopt if the unit cannot multiply such operands.
template <class Num>
struct ProductPeak {
  MatrixType type = MatrixType::kBf16;
  Num rate = 0.0;              // flop/s
  double passes = 1;           // passes in that rate
  const void* slot = nullptr;  // the member of MatrixPeak with the rate of one pass
};
template <class Num>
std::optional<ProductPeak<Num>> product_peak(const MatrixWork& product, const Numbers<Num>& numbers);
inline std::optional<ProductPeak<double>> product_peak(const MatrixWork& product, const Device& device) {
  return product_peak(product, Numbers<double>(device));
}

// The number of a GPU that the time of an op that the level-2 cache bounds is proportional to: the rate of tiles, of
// atomic updates or of gathers.
const void* deciding_cache_rate(const Work& work, const GpuCore& core);

// Defined in matrix_time.cc. Adds the conversions of operands that a TPU's matrix unit does not multiply as they are:
// of what is narrower than the other operand, and of types that the unit lacks. The code converts a window each time
// that a product of windows uses it (final code of libtpu for products of f8e4m3fn, LIBTPU-LLO).
void add_conversions(const MatrixWork& product, const Device& device, std::vector<VectorWork>& work);

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
template <class Num>
Num idle_factor(double programs, const GpuCore& core, const Numbers<Num>& numbers);

// The cost of a product's kernel on a GPU in addition to the product itself and Device::overhead.op.
template <class Num>
Num matrix_launch_seconds(const MatrixWork& product, const Numbers<Num>& numbers);

// The accumulation time of a product that is cut along its contracted dimension (Work::product_steps). Every window's
// sum except the first is added to the previous sums. This runs at the peak of the vector units while the matrix unit
// waits. Without this term, measured products on v6e that are cut into 4 to 20 windows (TPU-GEMM, TOKAMAX `loss`) come
// out 5 to 10 % too fast.
template <class Num>
Num accumulation_seconds(const Work& work, const Numbers<Num>& numbers);
inline double accumulation_seconds(const Work& work, const Device& device) {
  return accumulation_seconds(work, Numbers<double>(device));
}

// The launcher of a kernel on a GPU.
enum class LaunchedBy : std::uint8_t { kHost, kCommandBuffer };

// How an operation runs, apart from its work.
struct RunAs {
  LaunchedBy launched_by = LaunchedBy::kHost;
  // Seconds that all products of the step take at the burst rates (sustained_rate.h). 0 for an operation alone, whose
  // products run at these rates.
  double products_busy = 0;
};

// How an operation runs whose kernels are in a command buffer or not (OpTime::launched_in_graph).
inline RunAs run_as(bool in_graph, double products_busy) {
  return {in_graph ? LaunchedBy::kCommandBuffer : LaunchedBy::kHost, products_busy};
}

// Whether `work` moves arrays from HBM or the host's memory to the chip, and from the chip there. Arrays of one element
// pass through scalar memory, and constants of one element are part of the code. Both on a device that does not state
// the overhead of an operation that stays on the chip (overhead.op_on_chip).
struct Directions {
  bool in = true;
  bool out = true;
};
Directions directions_of(const Work& work, const Device& device);

// Whether `work` is a Pallas kernel whose body gives its time (kernel_time.h).
bool is_read_kernel(const Work& work, const Device& device);

// The time of `work` on `device` as a tree of terms, whose seconds are those of op_time() to the last bit. Zero seconds
// and no children for work that is free.
Term op_terms(const Work& work, const Device& device, const RunAs& as = {});

// The time of `work` on `device` without wire time, which the caller adds for a collective. All fields are zero for
// work that is free. A missing number lowers the source of the time to CostSource::kAssumed.
OpTime op_time(const Work& work, const Device& device, const RunAs& as = {}, MissingNumbers* missing = nullptr);

// Sets the bound and the efficiency of `time`, which follow from its resources, its overhead and its seconds.
void find_bound(const Work& work, const Device& device, OpTime& time);

// The device numbers that op_time() needs for `work` and that the device does not state.
MissingNumbers missing_numbers(const Work& work, const Device& device, const RunAs& as);

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_OP_TIME_H_
