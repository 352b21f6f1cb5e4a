// Runs a kernel's code: computes its scalars, follows its control flow, and records which regions run and which
// transfers start and are waited for.
#ifndef HLOROOF_LIB_KERNEL_TPU_MACHINE_H_
#define HLOROOF_LIB_KERNEL_TPU_MACHINE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "lib/kernel/tpu/kernel_code.h"
#include "lib/kernel/tpu/kernel_run.h"

namespace hloroof::internal::inline kernel {

// What to do where the text does not say which branch runs: what is expected, which is also the most, or the least.
enum class UnknownBranches : std::uint8_t { kExpected, kLeast };

// The value of a scalar, or a reference to memory.
struct KernelValue {
  enum class State : std::uint8_t { kUnknown, kNumber, kMemory };

  State state = State::kUnknown;
  bool offset_is_known = true;  // kMemory
  std::uint32_t buffer = 0;     // kMemory
  std::int64_t number = 0;      // kNumber: the value; kMemory: the offset in elements

  static KernelValue of(std::int64_t number) { return {State::kNumber, true, 0, number}; }
  bool is_number() const { return state == State::kNumber; }
  std::optional<std::int64_t> known() const { return is_number() ? std::optional(number) : std::nullopt; }
};

// Contents of memory that scalars are loaded from. Unknown where `known` is false or missing.
struct KernelBuffer {
  std::vector<std::int64_t> data;
  std::vector<bool> known;
};

// How far the code reached into a buffer.
struct BufferReach {
  std::int64_t last_read = -1;  // the last element that a scalar load read
  double unsized_bytes = 0;     // moved to or from it by transfers whose size depends on data
};

class KernelMachine {
 public:
  // `budget` limits the instructions that run, all calls together.
  KernelMachine(const KernelCode& code, KernelRun& run, UnknownBranches branches, std::int64_t budget);

  // The bounds of the grid, which the code may ask for.
  void set_grid(std::vector<std::int64_t> grid) { grid_ = std::move(grid); }

  // Adds memory. The number identifies it in KernelValue::buffer.
  std::uint32_t add_buffer(KernelBuffer buffer);

  // Runs a function. Errors: ResourceExhausted if the budget is spent, InvalidArgument if the code cannot be followed.
  absl::Status call(mlir::OpId function, const std::vector<KernelValue>& arguments);
  const std::vector<KernelValue>& results() const { return results_; }  // of the last call

  void note(std::string_view assumption) {
    if (assumptions_.find(assumption) == assumptions_.end()) assumptions_.emplace(assumption);
  }
  const std::set<std::string, std::less<>>& assumptions() const { return assumptions_; }
  const std::vector<BufferReach>& reach() const { return reach_; }  // by the numbers of add_buffer()

 private:
  struct Frame {
    enum class Kind : std::uint8_t { kFunction, kPlain, kFor, kBefore, kAfter };

    Kind kind = Kind::kPlain;
    mlir::OpId op;
    std::uint32_t pc = 0;
    std::uint32_t end = 0;
    std::int64_t at = 0;
    std::int64_t upper = 0;
    std::int64_t step = 1;
    bool runs_once = false;  // the condition or the bounds are unknown

    void go_to(const KernelCode& code, mlir::BlockId block) {
      pc = code.block_begin[block.index];
      end = code.block_end[block.index];
    }
  };

  void enter(Frame::Kind kind, mlir::OpId op, mlir::BlockId block);
  absl::Status execute(const KernelInstruction& in);
  absl::Status finish(const KernelInstruction& in);  // the terminator of the innermost block
  void scalar(const KernelInstruction& in);
  void load(const KernelInstruction& in);
  void store(const KernelInstruction& in);
  void allocate(const KernelInstruction& in);
  void slice(const KernelInstruction& in);
  void view(const KernelInstruction& in);
  absl::Status call_function(const KernelInstruction& in);
  void choose(const KernelInstruction& in);
  std::uint32_t heavier_region(mlir::OpId op);  // of the two of an if: 0 or 1, or 2 if they do equal work
  void begin_for(const KernelInstruction& in);
  absl::Status branch(const KernelInstruction& in);
  void transfer(const KernelInstruction& in);
  void wait(const KernelInstruction& in);
  void run_region(const KernelInstruction& in);

  const KernelValue& operand(mlir::OpId op, std::uint32_t number) const;
  std::optional<std::int64_t> number(mlir::OpId op, std::uint32_t at) const;
  void set(mlir::ValueId value, const KernelValue& to) { values_[KernelCode::value_number(value)] = to; }
  void copy(mlir::OpId from, std::uint32_t first_operand, mlir::ValueId to, std::uint32_t count);
  // The element of SMEM that the operation refers to: its buffer and its offset.
  std::optional<std::size_t> element(mlir::OpId op, std::uint32_t memory, std::uint32_t first_index) const;
  std::uint32_t semaphore_of(mlir::OpId op, std::uint32_t number);
  void set_spare(mlir::OpId op, std::uint32_t source, std::uint32_t target, KernelTransfer& transfer) const;
  void set_bytes(mlir::OpId op, std::uint32_t source, std::uint32_t target, KernelTransfer& transfer);

  const KernelCode& code_;
  const mlir::Module& module_;
  KernelRun& run_;
  UnknownBranches branches_;
  std::int64_t budget_;
  std::vector<std::int64_t> grid_;
  std::vector<KernelValue> values_;                 // by KernelCode::value_number
  std::vector<double> elements_;                    // of memory references of a dynamic shape; 0 if unknown
  std::vector<std::vector<std::int64_t>> strides_;  // by TypeId, in elements; empty if the shape is dynamic
  std::vector<bool> is_room_;   // whether `elements_` is the room of the buffer, because the size is unknown
  std::vector<double> room_;    // elements with each dynamic size the most that the buffer holds; 0 if unknown
  std::vector<bool> is_whole_;  // whether a dynamic size is that of the array
  std::vector<KernelBuffer> buffers_;
  std::vector<BufferReach> reach_;  // by buffer
  std::vector<Frame> frames_;
  std::vector<KernelValue> results_;
  std::vector<KernelValue> moved_;                             // operands that are being copied
  absl::flat_hash_map<std::uint32_t, std::uint32_t> heavier_;  // by OpId: see heavier_region
  std::set<std::string, std::less<>> assumptions_;
};

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_MACHINE_H_
