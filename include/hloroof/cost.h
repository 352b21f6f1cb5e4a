// Work and time of one instruction. Work (FLOPs, bytes, messages) follows from the module alone and is independent of
// the device. Time is work divided by the rates of a Device.
//
// count_xla() counts as XLA's HloCostAnalysis does. Use it to compare with `compiled.cost_analysis()`. That convention
// ignores tiles and trip counts (a while loop counts as one iteration) and counts every custom call as -1. For the work
// that the hardware does, use the physical convention of Work. lib/work/README.md lists the rule of every opcode.
//
//   absl::StatusOr<hloroof::ModuleCounts> counts = hloroof::count_xla(module);
//   counts->total.flops;                                  // cost_analysis()["flops"]
//   counts->of(instruction.id()).bytes_accessed;
//
// Lifetime: the structs own their data. ModuleCounts is indexed by the ids of its module; an edit makes it stale.
//
// Threads: the functions keep no state and may run on any number of threads.
#ifndef HLOROOF_COST_H_
#define HLOROOF_COST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof {
namespace internal {
inline namespace kernel {
struct KernelRun;
}  // namespace kernel
inline namespace time {
template <class Num>
struct KernelTime;
}  // namespace time
}  // namespace internal
inline namespace v0 {

// A value that never changes and that copies share: what many ops have in common. Reads like a pointer that is never
// null, and converts to `const T&`. Without a value it reads as T(). Assigning another value leaves the copies as they
// are.
template <typename T>
class Shared {
 public:
  Shared() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): stands for the value
  Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const { return value_ != nullptr ? *value_ : nothing(); }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT(google-explicit-constructor): likewise

 private:
  static const T& nothing() {
    static const T kNothing;
    return kNothing;
  }

  std::shared_ptr<const T> value_;
};

struct CollectiveOptions {
  // What-if: all-reduces and reduce-scatters send elements of this many bytes, such as 1 for int8. Does not change
  // smaller elements.
  std::optional<double> reduce_element_bytes;
  double imbalance = 1;  // ragged exchanges: bytes on the busiest path / average bytes
};

// The reliability of a number. An instruction has the least reliable source of its parts.
enum class CostSource : std::uint8_t {
  kModel,     // counted or modelled
  kCode,      // the cycles of the compiler's final code; only with PredictOptions::code
  kCompiler,  // the compiler's estimate in the dump; only with EstimateSource::kCompiler
  kUser,      // set by the user
  kAssumed,   // a stated assumption replaces a fact that the text or the device file lacks
  kUnknown,   // only boundary bytes are charged; any other work is unknown
};

// The resource that limits an operation. kMatrix .. kVmem are inside the device; kIci .. kHost move data in or out of
// it.
enum class Resource : std::uint8_t { kMatrix, kVector, kHbm, kVmem, kIci, kDcn, kHost, kLatency };
inline constexpr int kResourceCount = 8;

// A stream of work that runs concurrently with the others: the compute stream, or the lane of one kind of transfer.
enum class Lane : std::uint8_t { kCompute, kDma, kIci, kDcn, kHost, kSparseCore };
inline constexpr int kLaneCount = 6;

// Bytes by memory space: S(0) HBM, S(1) VMEM, S(5) host, and the small scalar memories. On a GPU, HBM and VMEM are both
// device memory.
struct MemoryBytes {
  double hbm = 0;
  double vmem = 0;
  double host = 0;
  double scalar = 0;  // SMEM, semaphores and sync flags

  double total() const { return hbm + vmem + host + scalar; }
};

// The multiplication type that the algorithm of a dot names, which overrides its precision: dot_bf16_bf16_f32_x3
// multiplies f32 operands as bf16, in 3 passes.
enum class MultipliedAs : std::uint8_t { kUnset, kBf16, kF16, kTf32, kF32 };

// Parts of an array that lie apart from one another in memory, as a gather or a strided slice reads them.
struct Pieces {
  double count = 0;
  double bytes = 0;         // contiguous bytes of one
  double array_bytes = 0;   // of the array that they are parts of
  bool is_indexed = false;  // at positions that an array of indices states: some may be read repeatedly
  bool is_updated = false;  // by a scatter
};

// TPU: a convolution whose window slides over its input, which decides how the compiler lays it on the matrix unit.
struct SlidingWindow {
  double taps = 0;            // positions of the window, padding included, holes of the input left out; 0: none slides
  double features = 0;        // of the input at a position
  double batch_on_lanes = 0;  // the batch of the input, if it is on the lanes of its tiles
  bool apart = false;         // the compiler multiplies position by position
  // The batch is on the lanes of the result too: what the window covers stays in the array, and the filters stream by.
  bool patch_is_resident = false;
};

// One matrix product as the matrix unit computes it: `batch` products of an M x K and a K x N matrix. A convolution is
// lowered to such a product: M is output positions, K is window positions times input features, N is output features.
struct MatrixWork {
  double m = 1;
  double n = 1;
  double k = 1;
  double batch = 1;
  ElementType lhs = ElementType::kBf16;
  ElementType rhs = ElementType::kBf16;
  ElementType out = ElementType::kBf16;
  int passes = 1;    // products of the parts of the operands: 1 for bf16, 3 and 6 for f32 at HIGH and HIGHEST
  double flops = 0;  // as counted in Work: valid positions only
  MultipliedAs multiplied_as = MultipliedAs::kUnset;
  double tile_m = 0;  // GPU: the block that the compiler chose for a Triton kernel; 0: not stated
  double tile_n = 0;
  double programs =
      0;  // GPU: blocks of threads of the kernel whose body computes it; 0: a library or the compiler does
  bool is_for_threads = false;  // see Work
  bool is_attention = false;    // of a fused kernel in which exponentials alternate with the products
  double kept_keys = 0;         // of attention: the keys that a query attends to, on average; K is a multiple of it
  bool is_gradient = false;     // of attention: the kernel computes its gradients
  bool is_unaligned = false;    // GPU: the rows of an operand are no multiple of 16 bytes
  bool is_untuned = false;      // compiled without a GPU: the block is a placeholder that no real run would use
  bool is_tuned = false;        // GPU: XLA times the algorithms of the library and names the one that it chose
  double window_positions = 1;  // positions of a convolution's window, a factor of K; 1 for a dot
  bool is_shape_known = true;   // false if only the FLOPs are stated: m, n and k then describe a cube
  // TPU: the extents of the dimensions on the lanes and sublanes of the arrays' tiles that are only a part of m, n or
  // k. Such a dimension fills whole tiles for each value of the other dimensions of m, n or k. 0 if there is no such
  // dimension.
  double m_on_lanes = 0;  // of the result
  double m_on_sublanes = 0;
  double n_on_lanes = 0;
  double n_on_sublanes = 0;
  double lhs_k_on_lanes = 0;
  double rhs_k_on_lanes = 0;
  // TPU: how often each element of an operand is given to the matrix unit, in windows of the product that need it. A
  // unit that does not multiply the operand's type has it converted each time.
  double lhs_uses = 1;
  double rhs_uses = 1;
  SlidingWindow sliding;
};

// What a fusion knows of the operands and users of an operation, if that makes its code shorter.
enum class Shortcut : std::uint8_t {
  kNone,
  kConstant,    // the second operand of an integer division, a remainder or a power
  kPowerOfTwo,  // such an operand by which integers are divided with shifts
  kQuarters,    // an exponent that is a multiple of 1/4, which takes roots and no logarithm
  kSymmetric,   // a clamp between a constant and its negative
  kRounded,     // a conversion to integers that also rounds to the nearest even one
};

// Work of one kind for the vector units: `opcode` applied to `elements` padded elements. `cross_lane` means that
// elements move to another lane or sublane: transposes, layout changes, reductions along the minor dimension.
struct VectorWork {
  Opcode opcode = Opcode::kAdd;
  ElementType type = ElementType::kF32;
  double elements = 0;
  bool cross_lane = false;
  // convert: the type of the result; divide: the type in which the program states it, if the compiler widened it, or
  // kInvalid; others: kInvalid
  ElementType to = ElementType::kInvalid;
  Shortcut shortcut = Shortcut::kNone;
};

// What a fusion for a GPU does with the tiles that the compiler chose for it. A block of threads computes one tile.
struct TileWork {
  double blocks = 0;     // also of loops and concatenations, which have no tiles; 0: not known
  double warps = 0;      // of a block
  double held = 0;       // padded elements that a block holds in registers while it reduces their rows
  double exchanged = 0;  // padded elements that the threads of all blocks pass to one another, through shared memory
};

// What is done row by row: by gathers and scatters, because no row is known before its number is read, and by updates
// in place whose rows cover registers in part.
struct RowWork {
  double moved = 0;              // rows that are copied
  double moved_registers = 0;    // those among them that one register holds
  double combined = 0;           // rows with which an update is combined
  double stores = 0;             // registers that are stored in part, beside those of gathers
  double array_bytes = 0;        // padded bytes of the largest array that has the rows
  double updated = 0;            // rows of updates in place, each laid out as one
  double updated_registers = 0;  // of those rows, included in Work::partial_tile_elements
};

// TPU: how the compiler computes a reduction whose operation states its windows. The sums of a window stay in
// registers.
struct ReductionWindows {
  double windows = 0;       // 0: none
  double registers = 0;     // of 32-bit elements, of the operand in a window
  double sums = 0;          // registers to which a window adds
  bool is_by_rows = false;  // rows are reduced to a value each, by an instruction of its own: one after another
  double results = 0;       // windows at whose end the cross-lane unit makes values of rows
  double carried = 0;       // registers of sums that windows load and store, because others add to them too
  bool is_alone = false;    // no fusion contains it
};

// The work of one device for one execution of one instruction, in the physical convention.
struct Work {
  double flops = 0;  // logical: contractions at their logical dimensions, elementwise operations one per element
  double transcendentals = 0;
  double matrix_flops = 0;  // the part of `flops` that runs on the matrix unit
  MemoryBytes read;         // padded bytes of the accessed parts only
  MemoryBytes written;
  double logical_bytes = 0;    // read + written without padding
  double padded_bytes = 0;     // read + written with padding: read.total() + written.total()
  double scalars_read = 0;     // the part of read.hbm that is arrays of one element
  double scalars_written = 0;  // the part of written.hbm that is
  // TPU: arrays of one element in HBM that an operation on scalars fetches, each with a transfer of its own that it
  // waits for; and 1 if an operation writes any, all at once. Scalars that operations on scalars make pass in registers
  // or scalar memory.
  double fetched_elements = 0;
  double stored_elements = 0;
  std::vector<MatrixWork> matrix;
  std::vector<VectorWork> vector;    // one entry per kind and type
  std::vector<VectorWork> epilogue;  // the part of `vector` applied to the result of a product in the same instruction
  double read_again = 0;             // TPU: bytes of HBM beyond `read` that a product's windows are fetched again
  double between_kernels = 0;  // not TPU: bytes of HBM beyond those that the kernels of a library move to each other
  double product_steps = 1;    // TPU: windows along the contracted dimensions; their sums are accumulated
  double partial_tile_elements = 0;  // padded elements of tiles that an in-place update covers only in part
  double sliced_rows = 0;            // TPU: of a tile of lanes each, which slices take out of tiles and store alone
  RowWork rows;                      // TPU: of gathers and scatters whose array lies in VMEM
  ReductionWindows reduction;
  // TPU: registers that vector operations in windows load from VMEM, each counted for the share of a bundle that the
  // banks of its rows leave to it: 1 if the loads around it are of rows in the same banks.
  double loads_in_turn = 0;
  double window_steps = 0;  // TPU: starts of windows of vector operations, and of their transfers from and to HBM
  double window_waits = 0;  // TPU: windows that begin with elements moved to other lanes, which nothing overlaps
  // TPU: bytes of arrays in VMEM that an operation copies there window by window, because its windows are no whole
  // parts of the memory of the array.
  double window_copies = 0;
  double units_in_turn = 0;       // TPU: operations of the cross-lane units, each of which waits for the one before
  std::optional<double> seconds;  // set by the user; overrides the model
  CostSource source = CostSource::kModel;
  // GPU: elements of the result that the threads of a kernel compute, each some of its own.
  double thread_elements = 0;
  double kernels = 1;        // GPU: kernels that a library call launches one after another
  double sort_passes = 0;    // GPU: of these, the passes of a radix sort over one array
  double block_threads = 0;  // GPU: threads of a block that sorts a row; 0: of other kernels
  double programs = 0;  // GPU: blocks of threads of a kernel whose body was read, or of each of a library's; 0: unknown
  bool is_for_threads =
      false;              // GPU: such a kernel's author scheduled its threads and transfers (Mosaic), not a compiler
  double tile_bytes = 0;  // GPU: bytes of the tiles that those blocks load and store, mostly from the level-2 cache
  TileWork tiles;         // GPU: of a fusion whose tiles the compiler states
  std::vector<Pieces> pieces;  // GPU: included in `read` and `written` with their own bytes
  double atomics = 0;          // GPU: updates of 32 bytes by the atomic operations of scatters
  double narrow_atomics = 0;   // GPU: their updates of elements of less than 4 bytes
  bool is_chained = false;     // products and vector operations alternate in one loop, as in attention kernels
  // TPU: what a Pallas kernel does step by step, read from its body; nullptr for other operations and kernels without
  // one.
  std::shared_ptr<const internal::KernelRun> kernel;
  bool is_free = false;  // takes no time: parameters, constants, tuples, bitcasts, the done of an async pair
};

// Seconds that one execution keeps each resource busy. Resources overlap: the time of the operation is that of the
// slowest resource plus `overhead`.
struct ResourceSeconds {
  double seconds[kResourceCount] = {};
  double& operator[](Resource r) { return seconds[static_cast<int>(r)]; }
  double operator[](Resource r) const { return seconds[static_cast<int>(r)]; }
};

struct OpTime {
  ResourceSeconds resources;
  double epilogue = 0;                  // the part of the vector units' seconds that waits for the matrix unit
  double overhead = 0;                  // floor: launch, DMA latency, pipeline fill; charged as Resource::kLatency
  double seconds = 0;                   // of one execution
  Resource bound = Resource::kLatency;  // the slowest resource; kLatency if the overhead exceeds all of them
  double efficiency = 0;                // ideal time on the bounding resource at its nominal peak / seconds, 0 .. 1
  CostSource source = CostSource::kModel;
  double wire_bytes = 0;           // sent by this device over ICI, NVLink or the network for the op's collectives
  bool launched_in_graph = false;  // GPU: launched by a command buffer, not by the host
  // TPU: the parts of the time of a Pallas kernel that was read; nullptr for other operations.
  std::shared_ptr<const internal::KernelTime<double>> kernel;
};

struct XlaCounts {
  double flops = 0;            // a multiplication or an addition counts as one, a fused multiply-add as two
  double transcendentals = 0;  // not part of flops
  double bytes_accessed = 0;   // read and written
  double output_bytes = 0;     // the bytes of the result, included in bytes_accessed
};

// Counts of one execution of the module. They are per device if the module is partitioned.
struct ModuleCounts {
  XlaCounts total;  // ENTRY, with everything it calls

  // By id: an instruction including everything it calls, and the sum over a computation.
  std::vector<XlaCounts> instructions;
  std::vector<XlaCounts> computations;

  // Instructions whose counts are incomplete: unknown opcodes (which count only their operands and result), calls of
  // computations that are not in the text, and attributes that cannot be read.
  std::vector<InstructionId> unknown;

  // Bytes read from each operand of all instructions. Those of one instruction are consecutive. 0 for call, while,
  // conditional and async-start, which count the instructions inside; their output_bytes are 0 as well.
  std::vector<double> operand_bytes;

  const XlaCounts& of(InstructionId id) const { return instructions[id.index]; }
  const XlaCounts& of(ComputationId id) const { return computations[id.index]; }
};

struct XlaCountOptions {
  // Add in float32 and in XLA's visiting order, so that totals equal XLA's to the last bit. The default adds in double;
  // the totals of a large module then differ by the rounding of XLA's running sum, about 1e-6 of the total.
  bool float32 = false;
};

// Counts the module, in time linear in its size. Errors: InvalidArgument if the module has no ENTRY computation.
absl::StatusOr<ModuleCounts> count_xla(const Module& module, const XlaCountOptions& options = {});

// The work of custom calls, as in `--custom-call TARGET=flops:...,bytes:...`.
struct CustomCallCost {
  std::string target;  // a target or the name of one call: exact, or an RE2 pattern between slashes such as /flash.*/
  std::optional<double> flops;
  std::optional<double> bytes;
  std::optional<double> transcendentals;
  std::optional<double> seconds;
};

// The contents of a scalar operand of a Pallas kernel, such as the sizes of groups or a table of pages. Nothing is
// assumed about what is stated.
struct KernelList {
  std::string kernel;  // the name that its author gave it, or the name of one call
  std::string
      operand;  // the number of the call's operand, or "group_sizes": the rows of each group of grouped products
  std::vector<std::int64_t> values;
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_COST_H_
