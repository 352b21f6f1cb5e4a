// What a kernel does, step by step, as far as it follows from the text: its regions of straight-line code with their
// work, its transfers, and the order in which they run, start and are waited for. It does not depend on the device.
#ifndef HLOROOF_LIB_KERNEL_TPU_KERNEL_RUN_H_
#define HLOROOF_LIB_KERNEL_TPU_KERNEL_RUN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/shape.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

// `batch` products of an m x k and a k x n matrix.
struct KernelProduct {
  double m = 1;
  double n = 1;
  double k = 1;
  double batch = 1;
  ElementType lhs = ElementType::kBf16;
  ElementType rhs = ElementType::kBf16;
  int passes = 1;  // products of the parts of the operands: 6 for f32 at the highest precision

  double flops() const { return 2 * m * n * k * batch; }
};

// `opcode` on each of `elements` padded elements. `cross_lane`: the elements move to other lanes.
struct KernelVectorWork {
  Opcode opcode = Opcode::kAdd;
  ElementType type = ElementType::kF32;
  double elements = 0;
  bool cross_lane = false;
};

// The work of straight-line code.
struct RegionWork {
  std::vector<KernelProduct> matrix;
  std::vector<KernelVectorWork> vector;  // one entry per kind and type
  double loaded_bytes = 0;               // from VMEM to registers
  double stored_bytes = 0;               // from registers to VMEM
  double scalar_ops = 0;                 // on the scalar unit
  double checked_transfers = 0;          // transfers of the kernel's own that start and whose bounds are checked
  double units_in_turn = 0;  // operations of cross-lane and matrix units on the longest chain, each of which waits for
                             // the result of the one before
};

struct KernelRegion {
  RegionWork work;
  std::vector<std::uint32_t> buffers;       // memory that it loads from or stores to, in order of number
  std::vector<std::uint32_t> late_buffers;  // the same, used only after a product: what products are added to
  mlir::OpId first_op;                      // the first operation with work
  mlir::OpId first_product;                 // invalid if there is none
  std::string source;  // file:line of the first product, or else of the first operation; empty if unknown
  double runs = 0;     // how often it runs
};

struct KernelTransfer {
  enum class Kind : std::uint8_t { kRead, kWrite, kLocal, kRemote };  // from HBM, to HBM, on the chip, to another chip

  Kind kind = Kind::kRead;
  double bytes = 0;              // padded to tiles
  double unpadded_bytes = 0;     // of its elements alone
  std::uint32_t buffer = kNone;  // the memory on the chip that it fills or empties
  std::uint32_t window = kNone;  // the window that it belongs to; kNone: the kernel's own
  double spare = 1;              // how many times the part of the array fits in the buffer, if it is all of a dimension
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
};

struct KernelEvent {
  enum class Kind : std::uint8_t {
    kStep,   // a step of the grid begins; `index` is 1 if the second core of a chip runs it, if there is one, or one of
             // the other programs that run side by side
    kRun,    // region `index` runs
    kStart,  // transfer `index` starts; its end signals `semaphore`
    kWait,   // from here on, the buffer of the oldest transfer that signals `semaphore` may be used
  };

  Kind kind = Kind::kStep;
  std::uint32_t index = 0;
  std::uint32_t semaphore = 0;
};

// A window of the kernel's pipeline.
struct KernelWindowUse {
  std::vector<std::int64_t> block;
  bool is_output = false;
  double bytes = 0;   // of a block, padded to tiles
  double moves = 0;   // how often a block is moved
  double blocks = 0;  // different blocks that are moved; more moves than blocks are repeats
};

struct KernelRun {
  std::vector<KernelRegion> regions;
  std::vector<KernelTransfer> transfers;
  std::vector<KernelEvent> events;
  std::vector<std::string> unknown_ops;  // operations without a row in kernel_ops.def
  std::vector<std::string> assumptions;  // what the text does not say, as sentences
  std::string failure;                   // why its code was not followed
  bool has_body = true;                  // whether the text has a program of the kernel
  bool has_unknown_branch = false;       // whether a branch with work depends on data
  bool has_unknown_loop = false;         // whether the end of a loop depends on data
  std::string name;                      // the name that its author gave it
  std::vector<std::int64_t> grid;
  double window_vmem_bytes = 0;
  double scratch_vmem_bytes = 0;
  std::vector<KernelWindowUse> windows;
  std::int64_t steps = 0;
  // Set if the sizes of its transfers depend on data: the share of its rows that it moves if it alone has work.
  std::optional<double> covered;
  // What it does if each branch and each loop that depends on data does as little as it can; null if none depends on
  // data. What this run does is also the most, unless a loop has no known end.
  std::shared_ptr<const KernelRun> least;
  // Other bounds of its work, as factors of what is assumed.
  double least_work = 1;
  double most_work = 1;
  std::int64_t side_by_side = 1;  // programs that run at the same time, each on a subcore of a SparseCore
};

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_KERNEL_RUN_H_
