// Devices: what the model knows about the hardware, as plain numbers in SI units.
//
//   absl::StatusOr<hloroof::Device> device = hloroof::find_device("tpu_v5e:4x4");
//   if (!device.ok()) return device.status();            // NotFound names the nearest devices
//   double seconds = bytes / (device->hbm.bandwidth * device->hbm.efficiency);
//
// Every number describes ONE device as JAX and XLA see it: a core on TPU v2, v3 and 7x, a chip (both cores as one) on
// v4, v5e, v5p and v6e, a GPU, or one die of an MI250X. Exceptions say so: an ICI link belongs to the chip, and the
// devices of a chip share it.
//
// A number that may be unknown is a std::optional and is empty where it is; it is never zero in place of unknown. Plain
// members are known for every device: a device file that lacks one does not load. Where a number comes from is kept
// beside the numbers: see parameters().
//
// Device and Topology are plain values: copy them, change them, share them between readers.
#ifndef HLOROOF_DEVICE_H_
#define HLOROOF_DEVICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hloroof {
inline namespace v0 {

enum class DeviceFamily { kTpu, kGpu, kOther };

// How a number came about.
enum class Provenance {
  kPublished,  // read in vendor documentation, or in source published by the vendor or a framework
  kDerived,    // arithmetic on published numbers
  kFitted,     // fitted to measurements
  kAssumed,    // a guess, or taken over from a relative; the note says why
  kUser,       // set by set_parameter()
};

// Where one number of a device comes from.
struct ParameterSource {
  Provenance kind = Provenance::kAssumed;
  std::string source;  // title of the document, or of the formula
  std::string note;    // may be empty
};

// Peak rates of the matrix unit by operand type, dense, flop/s (a multiply-add is two). `f32` is the rate of a dot with
// f32 operands at default precision (one bf16 pass on TPUs, TF32 on NVIDIA GPUs that have it), `f32_highest` the rate
// at HIGHEST precision. Empty where the unit has no native path: see MatrixUnit::rate().
struct MatrixPeak {
  double f16 = 0;
  double f32 = 0;
  double f32_highest = 0;
  std::optional<double> bf16;
  std::optional<double> tf32;
  std::optional<double> f64;
  std::optional<double> f8;
  std::optional<double> f4;
  std::optional<double> s8;
  std::optional<double> s4;
};

enum class MatrixType { kBf16, kF16, kF32, kF32Highest, kTf32, kF64, kF8, kF4, kS8, kS4 };

// Cycles by operand type, for what the matrix unit does to one 8x128 register of packed operands.
struct MatrixCycles {
  std::optional<double> bf16;
  std::optional<double> f32;
  std::optional<double> f8;
  std::optional<double> s8;
  std::optional<double> s4;
};

// The matrix units of the device: systolic arrays on TPUs, tensor cores on GPUs.
struct MatrixUnit {
  std::optional<int64_t> dim;            // rows = columns of one systolic array
  std::optional<int64_t> count;          // arrays of the device (all its cores)
  std::optional<double> rows_per_cycle;  // left-hand rows one array takes in per cycle, bf16
  std::optional<double> clock;  // Hz, where the matrix unit's peaks are quoted at another clock than Device::clock
  MatrixPeak peak;              // flop/s
  double efficiency = 0;        // fraction of peak that a large dense matmul attains, bf16 or f16
  std::optional<double> efficiency_f32;  // the same for f32 at default precision
  std::optional<int64_t> largest_tile;   // GPU: rows and columns of the largest block that libraries have; 128
  std::optional<double> fill_f32;  // GPU: share of the multiprocessors the largest tile has to fill to be taken for f32
  std::optional<double> efficiency_f8;  // the same for f8
  std::optional<double> efficiency_s8;  // the same for s8
  std::optional<double>
      operand_bandwidth;       // GPU: bytes/s at which operands reach the tensor cores of all blocks, mostly from L2
  MatrixCycles stream_cycles;  // cycles one array needs to take in one left-hand register
  MatrixCycles latch_cycles;   // cycles one array needs to take in one register of weights
  MatrixCycles result_cycles;  // cycles from the last row in to the last row out

  // The peak rate for operands of `type`, flop/s. A type without a native path runs at the rate of the type it is
  // converted to: s4 as s8, f4 as f8, s8 and f8 as bf16, bf16 and tf32 as f32, f64 as nothing (empty).
  std::optional<double> rate(MatrixType type) const;
};

// What one element of an elementwise operation costs the vector units, in place of one vector operation.
struct OpWeight {
  std::string op;         // as XLA spells the opcode: "exponential", "divide"; "integer-divide" for integer operands
  double vector_ops = 1;  // operations on the ALUs
  double transcendentals = 0;  // results of the transcendental unit
  ParameterSource source;
};

// The vector units of the device: the VPU on TPUs, the CUDA cores or stream processors on GPUs.
struct VectorUnit {
  std::optional<int64_t> lanes;            // TPU register: lanes (minor dimension)
  std::optional<int64_t> sublanes;         // TPU register: sublanes (second minor dimension)
  std::optional<int64_t> alus;             // ALUs per lane and sublane
  std::optional<int64_t> compute_units;    // GPU: streaming multiprocessors or compute units; Trainium: NeuronCores
  std::optional<bool> native_bf16;         // packed bf16 arithmetic, two elements a lane
  double f32_rate = 0;                     // f32 operations/s; a fused multiply-add is ONE operation here, two flop
  std::optional<double> bf16_rate;         // bf16 operations/s where native
  std::optional<double> f16_rate;          // f16 operations/s where native
  std::optional<double> f64_rate;          // f64 operations/s
  std::optional<double> efficiency;        // TPU: fraction of f32_rate that compiled chains of operations attain
  double transcendental_rate = 0;          // exp2, log2, reciprocal, tanh ... results/s
  std::optional<double> transpose_cycles;  // TPU cross-lane unit: cycles for a 32-bit register
  std::optional<double> packed_transpose_cycles;  // the same for a register of packed 16-bit elements
  std::optional<double> lane_reduction_cycles;    // and to reduce a register over its lanes; as a transpose where empty
  std::optional<double> cross_lane_units;         // TPU: such units of a core; 1 where empty
  std::optional<double> relayout_window_registers;  // TPU: of a window in which a layout is changed
  std::optional<double> partial_update_cycles;      // TPU: cycles to merge an update into a register it covers in part
  std::vector<OpWeight> weights;                    // sorted by op

  // What one element of `op` costs; one vector operation where the device file says nothing else.
  OpWeight weight(std::string_view op) const;
};

// Main memory.
struct Hbm {
  double capacity = 0;                     // bytes
  double bandwidth = 0;                    // bytes/s, nominal
  double efficiency = 0;                   // fraction of bandwidth that large streams attain, as much read as written
  std::optional<double> read_efficiency;   // the same where nothing is written; efficiency where empty
  std::optional<double> write_efficiency;  // the same where nothing is read; efficiency where empty
  std::optional<double> row_bytes;         // contiguous bytes below which an access loses bandwidth in proportion
  std::optional<double> allocation_bytes;  // bytes, what the size of an allocation is a multiple of
  std::optional<double> pointer_bytes;     // bytes, of a pointer in the table behind a tuple of results
  std::optional<double> latency;           // s, of a transfer however small, as seen by a kernel
};

// Memories on the chip. TPU: VMEM (S(1)), SMEM, CMEM; GPU: L2 and what each SM or CU has; others: vmem is their SRAM.
struct OnChip {
  std::optional<double> vmem_capacity;         // bytes, all cores of the device
  std::optional<double> vmem_usable;           // bytes, what the compiler hands out of it
  std::optional<double> vmem_read_bandwidth;   // bytes/s
  std::optional<double> vmem_write_bandwidth;  // bytes/s
  std::optional<double> smem_capacity;         // bytes, all cores of the device
  std::optional<double> cmem_capacity;         // bytes
  std::optional<double> cmem_read_bandwidth;   // bytes/s
  std::optional<double> cmem_write_bandwidth;  // bytes/s
  std::optional<double> l2_capacity;           // bytes
  std::optional<double> l2_bandwidth;          // bytes/s
  std::optional<double> l3_capacity;           // bytes (AMD: Infinity Cache)
  std::optional<double> l3_bandwidth;          // bytes/s
  std::optional<double> shared_per_unit;       // bytes of shared memory (LDS) per compute unit
  std::optional<double> registers_per_unit;    // bytes of registers per compute unit
};

// The host and the chips on it.
struct Host {
  int64_t chips = 1;                // chips per host (GPU: GPUs per server)
  std::optional<double> bandwidth;  // bytes/s between device and host memory, one way
  std::optional<double> latency;    // s, of one transfer
};

// When an axis of a TPU slice closes to a ring.
enum class WrapRule {
  kNone,        // never (and for devices without a torus)
  kFullAxis,    // when it is as long as that axis of the pod
  kWholeCubes,  // on every axis when all axes of the slice are multiples of 4
  kAlways,
};

// Inter-chip interconnect: a torus of chips.
struct Ici {
  int64_t dims = 0;  // dimensions of the torus; 0: the device has none
  WrapRule wrap = WrapRule::kNone;
  std::vector<int64_t> pod_shape;                // chips along each axis of the whole pod; may be empty
  std::vector<std::vector<int64_t>> slices;      // standard slice shapes, by size
  std::optional<int64_t> max_chips;              // chips of a pod
  std::optional<int64_t> links;                  // links per chip
  std::optional<double> link_bandwidth;          // bytes/s, usable, one link one way
  std::optional<double> link_bandwidth_nominal;  // bytes/s, as published, one link one way
  std::optional<double> hop_latency;             // s, one hop
  std::optional<double> message_bytes;           // bytes sent between two waits for the neighbour, each a hop latency;
                                                 // unknown: the waits are hidden
  std::optional<double> die_to_die_bandwidth;    // bytes/s one way between the devices of one chip
};

// The network between slices (TPU) or between scale-up domains (GPU), per device.
struct Network {
  std::optional<double> bandwidth;      // bytes/s, one way, nominal
  std::optional<double> efficiency;     // fraction of it that large transfers attain
  std::optional<double> latency;        // s, one step of an algorithm: a round trip
  std::optional<double> chunk_bytes;    // bytes of the chunks a transfer is cut into
  std::optional<double> chunk_latency;  // s, to prepare one chunk
  std::optional<double> launch;         // s, once for a collective that crosses the network
};

// What one kind of collective attains among the N devices of a group inside a scale-up domain. With w bytes sent by
// each: time = launch + step (N - 1) + fill sqrt(w) + w / (efficiency bandwidth) + w / N / (peer_efficiency bandwidth).
// A pipeline cut into the best number of chunks takes a time beyond its bytes that grows as the root of them.
struct CollectiveRates {
  std::optional<double> launch;  // s, once
  std::optional<double> step;    // s, for every other device of the group
  std::optional<double> fill;    // s per square root of a byte
  // What the bytes of all peers together and those of one peer cost, as a multiple of ScaleUp::bandwidth; above 1 where
  // the other term costs most, or the switch reduces on the way. Unknown: no such term.
  std::optional<double> efficiency;
  std::optional<double> peer_efficiency;
};

// What one message from a device to another attains inside a scale-up domain, as NCCL sends it. Channels, blocks of
// threads that copy, are dealt out among the N devices that could be sent to: channels / N of them carry a message, one
// at least. Twice as many do for as long as each would have more than channel_bytes, up to all of them. With c
// channels, time = launch + bytes / min(efficiency bandwidth, c channel_bandwidth).
struct SendRates {
  std::optional<double> launch;                    // s, once
  std::optional<double> efficiency;                // all channels together attain this share of ScaleUp::bandwidth
  std::optional<double> channels;                  // of a device; unknown: the link alone is the limit
  std::optional<double> channel_bytes;             // bytes
  std::optional<double> channel_bandwidth;         // bytes/s of one channel
  std::optional<double> shared_channel_bandwidth;  // bytes/s of one that also receives from a third device
  std::optional<double> low_latency_bytes;         // messages up to so many bytes carry a flag in every word ...
  std::optional<double> low_latency_bandwidth;     // ... which makes a channel this slow, bytes/s
};

// GPU: the devices joined by NVLink, NVSwitch or xGMI.
struct ScaleUp {
  int64_t domain = 1;                        // devices of one domain; 1: none
  std::optional<double> bandwidth;           // bytes/s a device sends into it, one way, nominal
  std::optional<double> efficiency;          // fraction of it that large collectives attain
  std::optional<double> latency;             // s, one step (barrier) of an algorithm
  std::optional<bool> in_network_reduction;  // the switch reduces (NVLink SHARP)
  CollectiveRates all_gather;
  CollectiveRates reduce_scatter;
  CollectiveRates all_reduce;
  CollectiveRates all_to_all;
  SendRates permute;
};

// What an operation costs whatever its size, seconds.
struct Overhead {
  double op = 0;                        // one top-level operation, or one kernel
  std::optional<double> op_on_chip;     // TPU: the part of `op` that adds to work whose arrays all lie in VMEM
  double loop_iteration = 0;            // one trip of a while loop, beside its operations
  double collective = 0;                // one collective, beside its hops
  std::optional<double> fill_windows;   // windows a small product is cut into: no more of the faster of compute and
                                        // memory than one of so many parts stands at its ends; 1 where empty
  std::optional<double> pipeline_fill;  // most that compute and memory of one operation fail to overlap at its ends
  std::optional<double> launch;         // GPU: s, from one kernel's launch by the host to the next: none takes less
  std::optional<double> graph_launch;   // GPU: the same inside a command buffer
  std::optional<double> matmul;         // GPU: s, a matmul kernel beside `op`
  std::optional<double> matmul_f32;     // the same with f32 operands
  std::optional<double> wave;           // GPU: s, a wave of tiles of a matmul: filling and draining its blocks
  std::optional<double> split;          // GPU: s, joining the parts of a contraction that is split over blocks
  std::optional<double> dma_read;       // HBM to VMEM, first byte
  std::optional<double> dma_write;      // VMEM to HBM, first byte
};

// What XLA's own TPU compiler assumes, per device; for comparing with its estimates, not used by the model.
struct CompilerAssumptions {
  std::optional<double> matrix_rate;    // bf16 flop/s
  std::optional<double> hbm_bandwidth;  // bytes/s
};

// A set of devices: `slices` equal slices, each a box of chips with `shape` chips along its axes. Without a torus a
// slice is a scale-up domain, and shape has one axis along which devices are counted.
struct Topology {
  std::vector<int64_t> shape;  // chips along each axis
  std::vector<bool> wraps;     // does that axis close to a ring; same size as shape
  bool twisted = false;        // the wraparound links of the shorter axes end half-way along the longer ones
  int64_t slices = 1;
  int64_t devices_per_chip = 1;

  int64_t chips_per_slice() const;
  int64_t devices_per_slice() const;
  int64_t device_count() const;
  std::string to_string() const;  // "4x4x8*2", "4x4x8_twisted"; without "*1"
};

struct Device {
  std::string name;          // "tpu_v5e"
  std::string display_name;  // "TPU v5e"
  std::string vendor;        // "Google"
  std::string architecture;  // "sm_90a"; may be empty
  DeviceFamily family = DeviceFamily::kOther;
  std::vector<std::string> aliases;  // other names find_device() accepts, JAX device kinds among them
  std::vector<std::string> notes;    // what a reader of the numbers should know

  int64_t cores_per_chip = 1;
  int64_t devices_per_chip = 1;
  std::optional<double> clock;  // Hz
  std::optional<double> power;  // W, of the chip
  MatrixUnit matrix;
  VectorUnit vector;
  Hbm hbm;
  OnChip on_chip;
  Host host;
  Ici ici;
  ScaleUp scale_up;
  Network network;
  Overhead overhead;
  CompilerAssumptions compiler;

  std::optional<Topology> topology;      // as asked for in "device:topology*slices"; empty: not asked for
  std::optional<int64_t> slices;         // as asked for in "device*slices", without a topology
  std::string origin;                    // path of the device file; empty for a built-in device
  std::string file_sha256;               // of the device file and those it extends, 64 hexadecimal digits
  std::vector<ParameterSource> sources;  // of the numbers above, in the order of parameters()

  double cores() const { return static_cast<double>(cores_per_chip) / static_cast<double>(devices_per_chip); }
};

// One number of a device, as `devices show` lists it and `--set` names it.
struct Parameter {
  std::string path;     // "hbm.bandwidth"
  std::string unit;     // "B/s", "B", "flop/s", "op/s", "Hz", "s", "cycle", "W", "1" for counts and fractions, "bool"
  std::string meaning;  // one line
  std::optional<double> value;  // empty: unknown. Booleans are 0 or 1.
  ParameterSource source;       // meaningful where the value is known
};

// Finds a built-in device by name, alias or JAX device kind, in any case: "tpu_v5e", "TPU v5 lite", "ironwood". A
// topology may follow: "tpu_v5p:4x4x8*2" is two slices of 4x4x8 chips, "h100_sxm:16" two NVLink domains of eight. Of
// "tpu_v5e*2", two slices, each is the smallest that holds its share of the module's devices.
// Errors: NotFound, with the nearest names; InvalidArgument for a topology the device cannot have.
absl::StatusOr<Device> find_device(std::string_view name);

// Reads a device file of the user's own (data/hardware/README.md has the format). Errors: NotFound when it cannot be
// read, InvalidArgument as check_device_file() says.
absl::StatusOr<Device> load_device(const std::string& path);

// Names of the built-in devices, TPUs first, in order of generation.
std::vector<std::string> device_names();

// Says whether `text` is a valid device file. The error names `path`, the place in the file, what is there and what was
// expected; a JSON syntax error has line, column, the source line and a caret.
absl::Status check_device_file(std::string_view text, std::string_view path);

// The smallest standard slice of `device` that holds `device_count` devices; several of the largest where one does not.
// Errors: InvalidArgument for a count below one.
absl::StatusOr<Topology> default_topology(const Device& device, int64_t device_count);

// Reads "4x4", "4x4x8*2", "16" for `device`. Errors: InvalidArgument, saying what the device can have.
absl::StatusOr<Topology> parse_topology(const Device& device, std::string_view text);

// device.topology where it was asked for, else the default. Errors: InvalidArgument, with both numbers, when the
// topology asked for has fewer devices than `device_count`.
absl::StatusOr<Topology> topology_for(const Device& device, int64_t device_count);

// All numbers of the device, in a fixed order.
std::vector<Parameter> parameters(const Device& device);

// Sets one number by its path, per device and in SI units: set_parameter(device, "hbm.bandwidth", 1.2e12). Errors:
// NotFound, with the nearest paths; InvalidArgument for a value the number cannot have.
absl::Status set_parameter(Device& device, std::string_view path, double value);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_DEVICE_H_
