// Devices: the model's description of the hardware, as plain numbers in SI units.
//
//   absl::StatusOr<hloroof::Device> device = hloroof::find_device("tpu_v5e:4x4");
//   if (!device.ok()) return device.status();            // NotFound names the nearest devices
//   double seconds = bytes / (device->hbm.bandwidth * device->hbm.efficiency);
//
// Every number describes ONE device as JAX and XLA see it: a core on TPU v2, v3 and 7x, a chip (both cores as one) on
// v4, v5e, v5p and v6e, a GPU, or one die of an MI250X. Exceptions are documented: an ICI link belongs to the chip, and
// the devices of a chip share it.
//
// Plain members are known for every device: a device file that lacks one does not load. A number that a device may lack
// is a Fact, which is unknown until it is set and never reads as zero. Device::sources holds the source of each number;
// see parameters().
//
// Device and Topology are plain values: copy them, change them, share them between readers.
#ifndef HLOROOF_DEVICE_H_
#define HLOROOF_DEVICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hloroof {
inline namespace v0 {

enum class DeviceFamily { kTpu, kGpu, kCpu, kOther };

// How a number was obtained.
enum class Provenance {
  kPublished,  // from vendor documentation, or from source code published by the vendor or a framework
  kDerived,    // arithmetic on published numbers
  kFitted,     // fitted to measurements
  kAssumed,    // a guess, or the value of a related device; the note gives the reason
  kUser,       // set by set_parameter()
};

// The source of one number of a device.
struct ParameterSource {
  Provenance kind = Provenance::kAssumed;
  std::string source;  // title of the document or of the formula
  std::string note;    // may be empty
};

// A number that a device may lack. It is known, none or unknown. None is a statement: the device lacks the feature, or
// the model has no separate number for it. The formula that reads the number defines the fallback. Unknown means that
// no source states the number: the formula still returns a time, and its result is marked CostSource::kAssumed.
template <typename T>
class Fact {
 public:
  Fact() = default;                                        // unknown
  Fact(T value) : value_(value), state_(State::kKnown) {}  // NOLINT(google-explicit-constructor)
  static Fact none() {
    Fact fact;
    fact.state_ = State::kNone;
    return fact;
  }

  bool has_value() const { return state_ == State::kKnown; }
  bool is_none() const { return state_ == State::kNone; }
  explicit operator bool() const { return has_value(); }
  const T& operator*() const { return value_; }  // requires has_value()

  friend bool operator==(const Fact& a, const Fact& b) { return a.state_ == b.state_ && a.value_ == b.value_; }
  friend bool operator!=(const Fact& a, const Fact& b) { return !(a == b); }

 private:
  enum class State : std::uint8_t { kUnknown, kNone, kKnown };
  T value_ = T();
  State state_ = State::kUnknown;
};

// Peak dense rates of the matrix unit by operand type, flop/s (a multiply-add is two). `f32` is the rate of a dot with
// f32 operands at default precision: one bf16 pass on TPUs, TF32 on NVIDIA GPUs that have it. `f32_highest` is the rate
// of such a dot on a GPU at HIGHEST precision. None if the unit has no native path. Such a type runs at the rate of the
// type it is converted to: s4 as s8; f4 as f8; s8 and f8 as bf16; bf16, tf32 and f32 at HIGHEST as f32. f64 is never
// converted.
struct MatrixPeak {
  double f16 = 0;
  double f32 = 0;
  Fact<double> f32_highest;
  Fact<double> bf16;
  Fact<double> tf32;
  Fact<double> f64;
  Fact<double> f8;
  Fact<double> f4;
  Fact<double> s8;
  Fact<double> s4;
};

// The matrix units of the device: systolic arrays on TPUs, tensor cores on GPUs.
struct MatrixUnit {
  MatrixPeak peak;              // flop/s
  double efficiency = 0;        // fraction of peak that a large dense matmul attains, bf16 or f16
  Fact<double> efficiency_f32;  // for f32 at default precision; none: `efficiency` applies
  Fact<double> efficiency_f8;   // for f8; none: likewise
  Fact<double> efficiency_s8;   // for s8; none: likewise
  // The rates at the power cap, which products cannot exceed once a step has kept the unit busy for a while; until
  // then they run at the burst rates, `peak` times its efficiency. None: the cap does not bind.
  struct Sustained {
    Fact<double> bf16;          // flop/s
    Fact<double> f16;           // flop/s
    Fact<double> f32;           // flop/s, at default precision
    Fact<double> f8;            // flop/s
    Fact<double> starts_after;  // s of products from which on the rate falls; none: products run at the burst rates
    Fact<double> holds_after;   // s of products from which on the rate is the sustained one; none: from starts_after
  } sustained;
};

// The cost of one element of an elementwise operation on the vector units, if it is not one vector operation.
struct OpWeight {
  // XLA's spelling of the opcode: "exponential", "divide"; "integer-divide" for integer operands; "convert-f32-s8" for
  // a conversion, whose operations are on elements of 32 bits in code that fills the ALUs.
  std::string op;
  double vector_ops = 1;       // operations on the ALUs
  double transcendentals = 0;  // results computed by the transcendental unit
  ParameterSource source;
};

// The vector units of the device: the VPU on TPUs, the CUDA cores or stream processors on GPUs.
struct VectorUnit {
  double f32_rate = 0;     // f32 operations/s; a fused multiply-add counts as ONE operation here, but as two flop
  Fact<double> bf16_rate;  // native bf16 operations/s; none: the f32 rate
  Fact<double> f16_rate;   // native f16 operations/s; none: the f32 rate
  Fact<double> f64_rate;   // f64 operations/s; none: half the f32 rate
  double transcendental_rate = 0;  // results/s of exp2, log2, reciprocal, tanh ...
  std::vector<OpWeight> weights;   // sorted by op; all other operations are one vector operation
};

// Main memory.
struct Hbm {
  double capacity = 0;            // bytes
  Fact<double> usable;            // bytes that the compiler lets a program use; none: see memory_fraction
  Fact<double> memory_fraction;   // fraction of the capacity that XLA's allocator takes; none: all of it
  double bandwidth = 0;           // bytes/s, nominal
  double efficiency = 0;          // fraction of bandwidth that large streams attain with equal reads and writes
  Fact<double> read_efficiency;   // the fraction for streams that only read; none: `efficiency` applies
  Fact<double> write_efficiency;  // the fraction for streams that only write; none: `efficiency` applies
  Fact<double> least_access;      // bytes that the shortest access moves; none: what it asks for
  Fact<double> allocation_bytes;  // bytes; allocations are rounded up to a multiple of this; none: no rounding
  Fact<double> pointer_bytes;     // bytes of one pointer in the pointer table of a tuple of results; none: no table
};

// The link to host memory.
struct Host {
  Fact<double> bandwidth;   // bytes/s between device and host memory, one direction, nominal
  Fact<double> efficiency;  // share of that bandwidth which transfers attain; none: all of it
};

// The condition under which an axis of a TPU slice closes to a ring.
enum class WrapRule {
  kNone,        // never; also for devices without a torus
  kFullAxis,    // the axis is as long as the same axis of the pod
  kWholeCubes,  // all axes of the slice are multiples of Ici::cube_edge
  kAlways,
};

// Inter-chip interconnect: a torus of chips. TPUs only.
struct Ici {
  int64_t dims = 0;  // dimensions of the torus; 0: no torus
  WrapRule wrap = WrapRule::kNone;
  std::vector<int64_t> pod_shape;            // chips along each axis of the whole pod; may be empty
  std::vector<std::vector<int64_t>> slices;  // standard slice shapes, by size
  int64_t cube_edge = 0;                     // chips along the edge of the cubes that optical switches join; 0: none
  Fact<int64_t> max_chips;                   // chips of a pod
  Fact<double> link_bandwidth;               // bytes/s, usable, of one link in one direction
  Fact<double> link_bandwidth_nominal;       // bytes/s, as published, of one link in one direction
  Fact<double> hop_latency;                  // s, one hop
  Fact<double> mean_distance;  // mean distance of a step of a collective among scattered devices, as a share of
                               // the longest distance
  // Whether an all-gather over several rings runs through all their chips as one ring, and not on each axis at once.
  bool gathers_in_one_ring = false;
  Fact<int64_t> async_permute_devices;  // devices of a program up to which the compiler starts permutes and waits for
                                        // them later; none: any number
  Fact<double> message_bytes;           // bytes sent between two waits for the neighbour; each wait is a hop
                                        // latency; none: the waits are hidden
  Fact<double> die_to_die_bandwidth;    // bytes/s, one direction, between the devices of one chip; none: as a link
};

// The network between slices (TPU) or between scale-up domains (GPU), per device.
struct Network {
  std::string name;  // "a3-high", the networks and settings that the target names; empty: as the device file says
  std::string description;    // of them, one line
  Fact<double> bandwidth;     // bytes/s, one direction, nominal; with `nics`, of one NIC
  Fact<double> nics;          // GPU: network interfaces of a node, which its devices share; none: one for each device
  Fact<double> node_devices;  // GPU: devices that share them; none: those of the scale-up domain
  Fact<double> efficiency;    // fraction of `bandwidth` that large transfers attain
  Fact<double> tree_efficiency;  // GPU: that of an all-reduce over trees, as a share of the above; none: only rings
  Fact<double> latency;          // s, one step of an algorithm: a round trip
  Fact<double> chunk_bytes;      // GPU: bytes of one chunk of a transfer; none: transfers are not split
  Fact<double> chunk_latency;    // GPU: s, to prepare one chunk
  Fact<double> launch;  // s, once for a collective that crosses the network; none: Overhead::collective. On a TPU:
                        // for a transfer between slices that the hosts perform
  // TPU: bytes/s that a host reads and writes to reduce the data of one device.
  Fact<double> reduction_bandwidth;
  Fact<double> skew;  // TPU: s, standard deviation of the times at which slices reach a transfer between them
};

// Performance of one kind of collective among the N devices of a group inside a scale-up domain. If each device sends w
// bytes, time = launch + step (N - 1) + fill sqrt(w) + w / (efficiency bandwidth) + w / N / (peer_efficiency
// bandwidth). The `fill` term is the overhead of a pipeline with the optimal number of chunks: it grows with the square
// root of the bytes.
struct CollectiveRates {
  Fact<double> launch;  // s, once
  Fact<double> step;    // s, for every other device of the group
  Fact<double> fill;    // s per square root of a byte
  // Bandwidth for the bytes of all peers together and for those of one peer, as multiples of ScaleUp::bandwidth. A
  // value exceeds 1 if the other term dominates, or if the switch reduces data in transit. None: the term is absent.
  Fact<double> efficiency;
  Fact<double> peer_efficiency;
  Fact<double> most_steps;  // of an all-reduce: more other devices than that take no more steps; none: each takes one
  // Of an all-to-all:
  Fact<double> low_latency_bytes;  // messages to one peer of at most this many bytes carry a flag in every word and
                                   // move at SendRates::low_latency_bandwidth; none: all move at the rates above
  Fact<double> square;             // s, times the square of the number of other devices
};

// Performance of one message between two devices inside a scale-up domain, as NCCL sends it. A channel is a block of
// threads that copies data. The channels are divided among the N possible receivers: a message starts with channels / N
// of them, at least one. This number doubles while each channel would carry more than channel_bytes, up to all
// channels. With c channels, time = launch + bytes / min(efficiency bandwidth, c channel_bandwidth).
struct SendRates {
  Fact<double> launch;                    // s, once
  Fact<double> efficiency;                // share of ScaleUp::bandwidth that all channels together attain
  Fact<double> channels;                  // channels of a device; none: the link is the only limit
  Fact<double> channel_bytes;             // bytes per channel above which a message uses more channels
  Fact<double> channel_bandwidth;         // bytes/s of one channel
  Fact<double> shared_channel_bandwidth;  // bytes/s of a channel that also receives from a third device
  Fact<double> low_latency_bytes;         // messages of at most this many bytes carry a flag in every word
  Fact<double> low_latency_bandwidth;     // bytes/s of one channel for such messages
};

// GPU: the devices connected by NVLink, NVSwitch or xGMI.
struct ScaleUp {
  int64_t domain = 1;       // devices of one domain; 1: no domain
  Fact<double> bandwidth;   // bytes/s that one device sends into the domain, one direction, nominal
  Fact<double> efficiency;  // fraction of `bandwidth` that large collectives attain, for kinds without rates below
  Fact<double> latency;     // s, one step (barrier) of an algorithm, for the same kinds
  bool reduces_in_switch = false;  // the switch adds up what devices send, as NVLink SHARP does
  CollectiveRates all_gather;
  CollectiveRates reduce_scatter;
  CollectiveRates all_reduce;
  CollectiveRates all_to_all;
  SendRates permute;
};

// Fixed costs, independent of the size of an operation, in seconds.
struct Overhead {
  double op = 0;              // one top-level operation, or one kernel
  double loop_iteration = 0;  // one trip of a while loop, in addition to its operations
  Fact<double> collective;    // one collective, in addition to its hops; none: the rates of each kind include it
  double overlap_norm = 0;    // n: compute a and memory b of one operation combine to (a^n + b^n)^(1/n); not a time
};

// How a program that no compiler has scheduled is ordered.
struct Scheduling {
  int64_t transfers_ahead = 1;  // maximum of transfers of one lane that are in flight, or complete and not yet used
};

// Cycles in which one systolic array loads one register of weights, by operand type.
struct LatchCycles {
  Fact<double> bf16;  // none: loading weights adds no time
  Fact<double> f32;   // none, for this type and those below: as bf16
  Fact<double> f8;
  Fact<double> s8;
  Fact<double> s4;
};

// Numbers that only TPUs have. The paths in the device file omit the struct: TpuCore::matrix.dim is "matrix.dim".
struct TpuCore {
  Fact<int64_t> sparse_cores;  // SparseCores of the device; none: as many as the text names
  struct Matrix {
    int64_t dim = 0;    // rows = columns of one systolic array
    int64_t count = 0;  // arrays of the device (all its cores)
    LatchCycles latch_cycles;
    Fact<double> result_latency;  // cycles from the last row of a product of bf16 to its result; none: 0
  } matrix;
  struct Vector {
    int64_t lanes = 0;                   // of a register (minor dimension)
    int64_t sublanes = 0;                // of a register (second minor dimension)
    bool native_bf16 = false;            // packed bf16 arithmetic, two elements per lane
    double efficiency = 0;               // fraction of f32_rate that compiled chains of operations attain
    double transpose_cycles = 0;         // cycles of a cross-lane unit to transpose a 32-bit register
    Fact<double> permute_cycles;         // cycles to spread or move values of a register over lanes; none: as long
    double packed_transpose_cycles = 0;  // cycles to transpose a register of packed 16-bit elements
    double lane_reduction_cycles = 0;    // cycles to reduce a register over its lanes
    double cross_lane_units = 0;         // cross-lane units of one core
    double partial_update_cycles = 0;    // cycles to merge an update into a register that it covers in part
    Fact<double> update_row_cycles;      // cycles to begin a row of an update that covers registers in part; none: 0
    Fact<double> update_store_cycles;    // cycles to load and store a register of such a row; none: 0
    Fact<double> row_move_cycles;        // cycles to find a row by its number and move it inside VMEM; none: 0
    Fact<double> register_move_cycles;   // cycles for a row that one register holds; none: row_move_cycles
    Fact<double> row_combine_cycles;     // cycles to find it and combine it with another, which is read back; none: 0
    Fact<double> operation_latency;      // cycles until an operation can use the result of another; none: 0
    Fact<double> reduced_rows;   // registers of rows whose values over the lanes are added up side by side; none: all
    Fact<double> window_cycles;  // cycles of a window beside those of its registers, and of its transfers; none: 0
    Fact<double> gather_loads;   // loads of a register whose rows lie in as many registers; none: 1
    Fact<double> row_norm;       // the norm of the units' times where a row waits for its total; none: the slowest unit
    Fact<double> exchange_cycles;  // cycles in which both cores store a register of a result in VMEM; none: one store
  } vector;
  struct OnChip {
    Fact<double> vmem_capacity;         // bytes, all cores of the device
    double vmem_read_bandwidth = 0;     // bytes/s
    double vmem_write_bandwidth = 0;    // bytes/s
    Fact<double> cmem_read_bandwidth;   // bytes/s; none: the device has no CMEM
    Fact<double> cmem_write_bandwidth;  // bytes/s
  } on_chip;
  struct Overhead {
    // s, instead of Overhead::op for work without arrays in HBM; the mean of both for work that only reads HBM or only
    // writes it; none: no difference
    Fact<double> op_on_chip;
    double fill_windows = 0;   // windows of a small product. Compute and memory of a product fail to overlap for
                               // min(min(compute, memory) / fill_windows, pipeline_fill) at its two ends together.
    double pipeline_fill = 0;  // s, upper bound of that time
    double dma_read = 0;       // s, latency of the first byte from HBM to VMEM
    double dma_write = 0;      // s, latency of the first byte from VMEM to HBM
  } overhead;
  // The unrolled code of Pallas kernels, in which the compiler overlaps many operations.
  struct Kernel {
    double matrix_efficiency = 0;    // share of the matrix peak that products attain
    double vector_efficiency = 0;    // share of the ALUs that operations keep busy
    double transcendental_rate = 0;  // results, as a multiple of VectorUnit::transcendental_rate
    double reduction_cycles = 0;  // cycles of a cross-lane unit for each register that is reduced or spread over lanes
    double transpose_cycles = 0;  // cycles of a cross-lane unit for each register that is transposed
    double load_share = 0;        // share of loads and stores that does not stay in registers
    double overlap_norm = 0;      // norm in which the units of a core join
    double scalar_cycles = 0;     // cycles of a scalar operation
    Fact<double> unit_latency;    // cycles from an operation of the cross-lane or matrix units to its result; none: 0
    Fact<double> transfer_start;  // cycles of the scalar code that checks the bounds of a transfer; none: 0
    double step = 0;              // s, a step of the grid
    Fact<double> window_cycles;   // cycles of the scalar code of a step for each window; none: 0
    double transfer_efficiency = 0;  // bandwidth of transfers, as a share of what large streams attain
    double exposed_wait = 0;         // share of a wait for a transfer that other work does not fill
  } kernel;
  // The machine code of the core, which the command `bundles` follows.
  struct Code {
    Fact<int64_t> delay_slots;      // bundles after a branch that run before its target
    Fact<double> granule;           // bytes, the unit in which transfers state their sizes
    Fact<double> transfer_latency;  // s, from the end of a transfer from or to HBM to that of the wait for it
  } code;
};

// The rule by which libraries split K of a product into equal pieces for all multiprocessors (stream-K) instead of
// assigning whole tiles. It applies to products with few tiles and a long K. The thresholds for wide products are
// looser.
struct StreamK {
  Fact<double> wide_ratio;       // least N / M of a wide product, and least M / N of a tall one
  Fact<double> share;            // largest share of the multiprocessors that the tiles fill
  Fact<double> share_wide;       // the same for a wide product
  Fact<double> least_k;          // least K
  Fact<double> least_k_wide;     // the same for a wide product
  Fact<double> k_per_tile;       // least K for each tile of one product
  Fact<double> k_per_tile_wide;  // the same for a wide product
};

// Numbers that only GPUs have. The paths in the device file omit the struct, as for TpuCore.
struct GpuCore {
  struct Matrix {
    Fact<double> clock;              // Hz, if the matrix peaks are quoted at a clock other than Device::clock
    int64_t tile = 0;                // rows and columns of the block that libraries prefer for a matmul
    int64_t narrow_tile = 0;         // one side of the smallest blocks; the other is `tile`
    int64_t largest_tile = 0;        // rows and columns of the largest block that libraries have
    Fact<double> smallest_tile;      // those of the smallest; blocks then have any two sides from there to the largest,
                                     // each twice the one before; none: a side of each block is `tile`
    double most_parts = 0;           // largest number of parts into which K is split, a power of two
    double least_part_k = 0;         // least K of one part if there are several
    Fact<double> operand_bandwidth;  // bytes/s at which operands reach the tensor cores of all blocks, mostly from L2;
                                     // none: operand traffic is not a limit
    Fact<double> result_bandwidth;   // bytes/s at which all blocks write their results, while nothing is computed;
                                     // none: other work hides it
    Fact<double> fill_f32;    // share of the multiprocessors that the largest tile must fill to be chosen for f32;
                              // none: the fastest tile is chosen, and the rest of this struct is not read
    Fact<double> batch_tile;  // one side of the blocks for batches of f32 products
    StreamK stream_k;         // for f32
    Fact<double> efficiency_unaligned;  // share of the peak if the rows of an operand do not begin at multiples of 16
                                        // bytes, as copies by the tensor memory unit need; none: as if they did
    Fact<double> read_efficiency;  // share of Hbm::bandwidth at which a library's kernels of products read; none: as
                                   // other kernels
    // The highest share of the peak that useful FLOPs of a whole step are published to attain. It changes no time.
    struct HighestUtilization {
      Fact<double> bf16;
      Fact<double> f8;
    } highest_utilization;
  } matrix;
  struct Vector {
    int64_t compute_units = 0;   // streaming multiprocessors or compute units
    Fact<double> block_threads;  // the smallest block of threads of which a multiprocessor fills all its places for
                                 // threads; none: any
    Fact<double> registers;      // of 32 bits, of one multiprocessor, for the threads that it runs; none: enough
    Fact<double> element_rate;   // 1/s, elements of results that threads find, load and store; none: no time of its own
    Fact<double> collective_units;  // those that a collective takes from the kernels beside it; none: kernels lose none
  } vector;
  struct OnChip {
    double l2_capacity = 0;           // bytes
    double l2_bandwidth = 0;          // bytes/s
    Fact<double> atomic_rate;         // updates/s of 32 bytes that atomic operations on 4 bytes or more attain; none:
                                      // they take no longer than stores
    Fact<double> narrow_atomic_rate;  // updates/s of elements of less than 4 bytes, for which a loop compares and swaps
    Fact<double> gather_rate;         // reads/s of 32 bytes at scattered places; none: gathers take what their bytes do
    Fact<double> l1_table;            // bytes of a gathered table that stay in the level-1 cache of a multiprocessor
    Fact<double> exchange_rate;  // elements/s that threads pass to one another through shared memory; none: no time
  } on_chip;
  // What kernels attain that a user wrote and whose bodies are read. The compiler schedules programs on tiles, such as
  // Triton's. The author of a program for threads, such as Mosaic's, schedules it.
  struct Program {
    Fact<double> matrix_efficiency;  // programs on tiles: share of the matrix peak; none: MatrixUnit::efficiency,
                                     // which programs for threads attain
    Fact<double> vector_efficiency;  // programs on tiles: share of the rates of the vector units; none: all
    Fact<double> thread_vector_efficiency;  // programs for threads: likewise
    Fact<double> warp_registers;            // registers of a warp beside those that hold its part of a tile
    Fact<double> tile_bandwidth;            // programs on tiles: bytes/s of all tiles together; none:
                                            // OnChip::l2_bandwidth, at which programs for threads transfer theirs
  } program;
  // What the attention kernels of libraries attain, their exponentials included. The FLOPs of masked scores do not
  // count. Unknown: their products run as any others.
  struct Attention {
    // The rates of bf16 and f16 with many keys and many heads, by the size of a head.
    struct Forward {
      Fact<double> head_64;   // flop/s; smaller heads run at that rate in proportion to their size
      Fact<double> head_128;  // flop/s
      Fact<double> head_256;  // flop/s, also of larger heads
    } forward;
    Fact<double> backward;   // flop/s of the gradient with heads of 128; other heads in proportion to the forward rates
    Fact<double> keys_half;  // keys kept per query that halve the rates; none: they do not depend on the keys
    Fact<double> f8_gain;    // rate with 8-bit float operands over that with bf16; none: 1
  } attention;
  struct Overhead {
    double launch = 0;        // s, minimum time between two kernel launches by the host, a lower bound for each kernel
    double graph_launch = 0;  // s, the same inside a command buffer
    Fact<double> sort_pass;   // s, a pass of a radix sort, beside its keys; none: no time
    Fact<double> block;       // s between the starts of two blocks of threads of a kernel; none: no time
    double matmul = 0;        // s, a matmul kernel, in addition to Overhead::op
    Fact<double> matmul_f32;  // s, the same with f32 operands; none: as matmul
    Fact<double> wave;        // s, to fill and drain the blocks of one wave of matmul tiles; none: no such term
    Fact<double> split;       // s, to join the parts of a contraction split over blocks; none: split_part for each part
    Fact<double> split_part;  // s, for each part; none: `split` applies
  } overhead;
};

// A device without family-specific numbers: its peaks are plain roofs.
struct OtherCore {};

// A CPU: its peaks are plain roofs too, and XLA compiles another program for it than for other devices.
struct CpuCore {};

// A set of devices: `slices` equal slices, each a box of chips with `shape` chips along its axes. On a device without a
// torus, a slice is a scale-up domain, and `shape` is one axis that counts devices.
struct Topology {
  std::vector<int64_t> shape;  // chips along each axis
  std::vector<bool> wraps;     // whether each axis closes to a ring; same size as shape
  bool twisted = false;        // the wraparound links of the shorter axes end half-way along the longer axes
  int64_t slices = 1;
  int64_t devices_per_chip = 1;

  int64_t device_count() const;
  std::string to_string() const;  // "4x4x8*2", "4x4x8_twisted"; a single slice has no "*1"
};

// A kind of measurement that predictions for a device were compared with.
enum class Measured {
  kSteps,        // whole steps
  kKernels,      // modules of one or a few kernels
  kMatmuls,      // single matmuls
  kCollectives,  // single collectives
};

// The error of predictions for a device, |predicted / measured - 1|, over measurements that no number of the device
// depends on.
struct Accuracy {
  Measured what = Measured::kSteps;
  int64_t rows = 0;  // measurements
  double median = 0;
  double p90 = 0;  // 90th percentile
};

struct Device {
  std::string name;                  // "tpu_v5e"; "h100_sxm@a3-high" with the network that the target names
  std::string display_name;          // "TPU v5e"
  std::string vendor;                // "Google"
  std::string architecture;          // "sm_90a"; may be empty
  std::vector<std::string> aliases;  // other names that find_device() accepts, including JAX device kinds
  std::vector<std::string> notes;    // remarks on the numbers for the user

  int64_t cores_per_chip = 1;
  int64_t devices_per_chip = 1;
  Fact<double> clock;  // Hz
  Fact<double> power;  // W, of the chip
  std::variant<OtherCore, CpuCore, TpuCore, GpuCore> core;
  MatrixUnit matrix;
  VectorUnit vector;
  Hbm hbm;
  Host host;
  Ici ici;
  ScaleUp scale_up;
  Network network;
  Overhead overhead;
  Scheduling schedule;

  std::string origin;                    // path of the device file; empty for a built-in device
  std::string file_sha256;               // of the device file and the files it extends, 64 hexadecimal digits
  std::vector<ParameterSource> sources;  // sources of the numbers above, in the order of parameters()

  // In the order of Measured, each kind at most once; empty if nothing was measured. set_parameter() clears it: what
  // was measured with the numbers of the device file says nothing of other numbers.
  std::vector<Accuracy> accuracy;
  std::string measured_relative;  // the device with `accuracy` that this one extends, or that set_parameter() changed;
                                  // empty if `accuracy` is not, or if there is none

  DeviceFamily family() const;
  const TpuCore* tpu() const { return std::get_if<TpuCore>(&core); }  // null if the device is not a TPU
  const GpuCore* gpu() const { return std::get_if<GpuCore>(&core); }  // null if the device is not a GPU
};

// What to predict a module for: a device, and the topology that the caller requests. A Device converts to a Target that
// requests none. topology_for() makes the request complete.
struct Target {
  Device device;
  std::optional<Topology> topology;
  // Replaces Topology::slices. If no topology is requested, each slice is the smallest standard one that holds the
  // program of one slice, or its share of the devices of a module that is not compiled for one slice.
  std::optional<int64_t> slices;

  Target() = default;
  Target(Device facts) : device(std::move(facts)) {}  // NOLINT(google-explicit-constructor): a device is a target
};

// One number of a device. `devices show` lists it, and `--set` changes it by its path.
struct Parameter {
  std::string path;     // "hbm.bandwidth"
  std::string unit;     // "B/s", "B", "flop/s", "op/s", "Hz", "s", "cycle", "W", "1" for counts and fractions, "bool"
  std::string meaning;  // one line
  Fact<double> value;   // booleans are 0 or 1
  ParameterSource source;  // valid if the value is known or none
  bool is_read = true;     // the model reads it; false: it only describes the device, and set_parameter() rejects it
};

// Finds a built-in device by name, alias or JAX device kind, ignoring case: "tpu_v5e", "TPU v5 lite", "ironwood".
// A network may follow: "h100_sxm@a3-high". Errors: NotFound, with the nearest names; InvalidArgument if a topology
// follows the name, as find_target() takes it, or if the device is no GPU and has no such network.
absl::StatusOr<Device> find_device(std::string_view name);

// Finds a built-in device and reads the topology that may follow its name: "tpu_v5p:4x4x8*2" is two slices of 4x4x8
// chips, "h100_sxm:16" is two NVLink domains of eight, "tpu_v5e*2" sets Target::slices, "h100_sxm:16@a3-high" also
// names the network between the domains. Errors: as find_device(); InvalidArgument if the device cannot have the
// topology.
absl::StatusOr<Target> find_target(std::string_view name);

// Reads a device file of the user; data/hardware/README.md describes the format. Errors: NotFound if the file cannot be
// read; InvalidArgument, naming the place in the file, the
// value found and the value expected; a JSON syntax error names the line and the column and shows the source line with
// a caret.
absl::StatusOr<Device> load_device(const std::string& path);

// Returns the names of the built-in devices, TPUs first, in order of generation.
std::vector<std::string> device_names();

// Parses "4x4", "4x4x8*2" or "16" for `device`. Errors: InvalidArgument, stating what the device supports.
absl::StatusOr<Topology> parse_topology(const Device& device, std::string_view text);

// Returns all numbers that devices of this family have, in a fixed order.
std::vector<Parameter> parameters(const Device& device);

// Sets one number by its path, per device and in SI units: set_parameter(device, "hbm.bandwidth", 1.2e12). Errors:
// NotFound, with the nearest paths; InvalidArgument if the number cannot have this value, or if no prediction for this
// device reads the number.
absl::Status set_parameter(Device& device, std::string_view path, double value);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_DEVICE_H_
