// Work and time of one instruction. Work (FLOPs, bytes, messages) is arithmetic on the module and knows no device; time
// is work over the rates of a Device.
#ifndef HLOROOF_COST_H_
#define HLOROOF_COST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hloroof/element_type.h"
#include "hloroof/opcode.h"

namespace hloroof {
inline namespace v0 {

// How much a number can be trusted; the worst of an instruction's parts.
enum class CostSource : std::uint8_t {
  kModel,     // counted or modelled
  kCompiler,  // the estimate the dump carries, only with EstimateSource::kCompiler
  kUser,      // given by the user
  kAssumed,   // a stated assumption stands in for a fact the text does not hold
  kUnknown,   // boundary bytes are charged, anything beyond them is not known
};

// What limits an operation. kMatrix .. kVmem are the chip's own; the rest move data in or out of it.
enum class Resource : std::uint8_t { kMatrix, kVector, kHbm, kVmem, kIci, kDcn, kHost, kLatency };
inline constexpr int kResourceCount = 8;

// Bytes by where they lie: S(0) HBM, S(1) VMEM (GPU: all is device memory), S(5) host, and the small scalar memories.
struct MemoryBytes {
  double hbm = 0;
  double vmem = 0;
  double host = 0;
  double scalar = 0;  // SMEM, semaphores and sync flags

  double total() const { return hbm + vmem + host + scalar; }
};

// What a dot's algorithm names for the multiplication, in place of its precision: dot_bf16_bf16_f32_x3 multiplies f32
// operands as bf16, in 3 passes.
enum class MultipliedAs : std::uint8_t { kUnset, kBf16, kF16, kTf32, kF32 };

// One matrix product as the matrix unit sees it: `batch` times an M x K by a K x N one. Convolutions appear as the
// product they are computed as: M output positions, K the positions of the window times input features, N output
// features.
struct MatrixWork {
  double m = 1;
  double n = 1;
  double k = 1;
  double batch = 1;
  ElementType lhs = ElementType::kBf16;
  ElementType rhs = ElementType::kBf16;
  ElementType out = ElementType::kBf16;
  int passes = 1;    // products of the operands' parts: 1 for bf16, 3 and 6 for f32 at HIGH and HIGHEST
  double flops = 0;  // as counted in Work: valid positions only
  MultipliedAs multiplied_as = MultipliedAs::kUnset;
  double tile_m = 0;  // GPU: the block that the compiler chose for a Triton kernel; 0: none is given
  double tile_n = 0;
  bool is_untuned = false;      // the compiler saw no GPU, and its block is a placeholder that no run would use
  double window_positions = 1;  // of a convolution: the part of K that is the window; 1 for a dot
  bool is_shape_known = true;   // false where only the FLOPs are stated: m, n and k are then a cube
  // TPU: what the tiles of the arrays make of m, n and k. A dimension on lanes or sublanes fills whole tiles for each
  // value of the other dimensions that make up m, n or k with it. 1 where there is no such dimension.
  double m_padding = 1;
  double n_padding = 1;
  double k_padding = 1;
};

// Work of one kind for the vector units: `elements` padded elements are put through `opcode`. Where `cross_lane` is set
// elements change their lane or sublane (transposes, changes of layout, reductions along the minor dimension).
struct VectorWork {
  Opcode opcode = Opcode::kAdd;
  ElementType type = ElementType::kF32;
  double elements = 0;
  bool cross_lane = false;
};

// What the hardware does for one execution of one instruction on one device, physical convention.
struct Work {
  double flops = 0;  // as written: contractions at their logical dimensions, elementwise one an element
  double transcendentals = 0;
  double matrix_flops = 0;  // the part of `flops` that runs on the matrix unit
  MemoryBytes read;         // padded bytes, only the parts touched
  MemoryBytes written;
  double logical_bytes = 0;  // read + written without padding
  double padded_bytes = 0;   // read + written with padding: read.total() + written.total()
  double wire_bytes = 0;     // sent by this device over ICI, NVLink or the network, for a collective
  std::vector<MatrixWork> matrix;
  std::vector<VectorWork> vector;    // one entry a kind and type
  std::vector<VectorWork> epilogue;  // the part of `vector` that works on what a product in the same instruction gives
  double product_steps = 1;          // TPU: windows along what a product contracts, each added to those before
  double relayout_windows = 0;       // TPU: windows of the loop that changes a layout; 0 where the text does not say
  double partial_tile_elements = 0;  // padded elements of tiles that an update in place covers only in part
  std::optional<double> seconds;     // given by the user, in place of a model
  CostSource source = CostSource::kModel;
  double kernels = 1;       // GPU: how many a library call launches one after another
  bool in_graph = false;    // GPU: one of the kernels that a command buffer launches
  bool is_chained = false;  // TPU: products and vector operations take turns in one loop, as in attention kernels
  bool is_free = false;     // takes no time at all: parameters, constants, tuples, bitcasts, done of an async pair
};

// Seconds that one execution keeps each resource busy. They overlap: the time of the operation is the slowest plus
// `overhead`.
struct ResourceSeconds {
  double seconds[kResourceCount] = {};
  double& operator[](Resource r) { return seconds[static_cast<int>(r)]; }
  double operator[](Resource r) const { return seconds[static_cast<int>(r)]; }
};

struct OpTime {
  ResourceSeconds resources;
  double epilogue = 0;                  // part of the vector units' seconds that waits for the matrix unit
  double overhead = 0;                  // floor: launch, DMA latency, pipeline fill; charged as Resource::kLatency
  double seconds = 0;                   // of one execution
  Resource bound = Resource::kLatency;  // the slowest resource, kLatency if the overhead exceeds them all
  double efficiency = 0;                // ideal time on the bounding resource at its nominal peak / seconds, 0 .. 1
  CostSource source = CostSource::kModel;
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_COST_H_
