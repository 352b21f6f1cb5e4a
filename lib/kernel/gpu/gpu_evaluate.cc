#include "lib/kernel/gpu/gpu_evaluate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "lib/kernel/common/isa.h"
#include "lib/kernel/common/scalar_value.h"
#include "lib/kernel/gpu/gpu_steps.h"

namespace hloroof::internal::inline kernel {
namespace {

constexpr std::int64_t kMostPositions = 4096;  // positions in the grid that are evaluated one by one
constexpr std::int64_t kMostTrips = 64;        // of a loop whose trips are independent of one another
constexpr std::int64_t kMostEvaluations = 1'000'000;

class BlockCounter {
 public:
  BlockCounter(const mlir::Module& kernel, const std::vector<GpuOpFacts>& facts, mlir::RegionId body,
               const GpuLaunch& launch)
      : kernel_(kernel), body_(body), launch_(launch), grid_(launch.grid), steps_(kernel, facts) {}

  absl::StatusOr<BlockRuns> run() {
    if (kernel_[body_].block_count == 0) return absl::InvalidArgumentError("the kernel has no body");
    if (!steps_.is_structured() || kernel_[body_].block_count > 1) {
      return absl::InvalidArgumentError("the kernel has unstructured control flow");
    }
    values_.assign(kernel_.values.size(), {});
    for (const auto& [value, constant] : steps_.constants()) values_[value.index] = constant;
    result_.runs.assign(kernel_.blocks.size(), 0);
    is_data_dependent_.assign(kernel_.ops.size(), false);
    return visit_grid();
  }

 private:
  // The region an operation runs, as far as it has been run.
  struct Frame {
    mlir::OpId op;
    mlir::BlockId block;
    std::size_t next = 0;
    double weight = 1;
    bool iterates = false;
    bool carries = false;
    // Of a loop that iterates: of `trips`, every one that is visited stands for `trips / visits`, and `visit` is next.
    std::int64_t trips = 0;
    std::int64_t visits = 0;
    std::int64_t visit = 0;
    std::int64_t first = 0;
    std::int64_t stride = 0;
    bool is_uncertain = false;  // a branch whose predicate depends on data
  };

  // ---- The grid -----------------------------------------------------------------------------------------------------

  absl::StatusOr<BlockRuns> visit_grid() {
    std::int64_t positions = 1;  // that differ
    result_.programs = 1;
    for (std::size_t axis = 0; axis < grid_.size(); ++axis) {
      const std::int64_t size = std::max<std::int64_t>(grid_[axis], 0);
      result_.programs *= static_cast<double>(size);
      if (steps_.depends_on_axis(axis)) positions = std::min(positions, std::int64_t{1} << 31) * size;
    }
    if (result_.programs <= 0) return result_;
    const std::int64_t warps = (std::max<std::int64_t>(launch_.threads, 1) + kWarpThreads - 1) / kWarpThreads;
    std::int64_t most = std::max<std::int64_t>(kMostPositions / (steps_.depends_on_thread() ? 2 * warps : 1), 1);
    // The steps of the first position tell how many can be afforded. It does not count yet.
    if (absl::Status status = visit_threads(0); !status.ok()) return status;
    most = std::clamp<std::int64_t>(kMostEvaluations / std::max<std::int64_t>(steps_taken_, 1) / 2, 1, most);
    steps_taken_ = 0;
    result_.is_sampled = positions > most;
    const std::int64_t visited = std::min(positions, most);
    for (std::int64_t i = 0; i < visited; ++i) {
      // The middle of the i-th of equal parts, so that a sample is not biased towards the first positions.
      std::int64_t position = result_.is_sampled ? (2 * i + 1) * positions / (2 * visited) : i;
      for (std::size_t axis = 0; axis < grid_.size(); ++axis) {
        if (!steps_.depends_on_axis(axis)) continue;
        program_id_[axis] = position % grid_[axis];
        position /= grid_[axis];
      }
      if (absl::Status status = visit_threads(result_.programs / static_cast<double>(visited)); !status.ok()) {
        return status;
      }
    }
    return std::move(result_);
  }

  absl::Status visit_threads(double weight) {
    if (!steps_.depends_on_thread() || launch_.threads <= 0) {
      return visit_program(weight * static_cast<double>(std::max<std::int64_t>(launch_.threads, 1)));
    }
    for (std::int64_t first = 0; first < launch_.threads; first += kWarpThreads) {
      const std::int64_t others = std::min(kWarpThreads, launch_.threads - first) - 1;
      for (const bool elected : {true, false}) {
        thread_ = elected ? first : first + 1;
        is_elected_ = elected;
        if (!elected && others == 0) continue;
        absl::Status status = visit_program(elected ? weight : weight * static_cast<double>(others));
        if (!status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status visit_program(double weight) {
    stack_.clear();
    enter({}, kernel_[body_].first_block, weight);
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      const std::vector<GpuStep>& steps = steps_.of(frame.block);
      if (frame.next == steps.size()) {
        leave();
        continue;
      }
      if (++steps_taken_ > kMostEvaluations)
        return absl::ResourceExhaustedError("the kernel's loops have too many trips");
      const GpuStep& step = steps[frame.next++];
      const double frame_weight = frame.weight;
      switch (step.structure) {
        case GpuStructure::kNone: evaluate(step); break;
        case GpuStructure::kFor: start_for(step, frame_weight); break;
        case GpuStructure::kIf:
        case GpuStructure::kSwitch: start_branch(step, frame_weight); break;
        case GpuStructure::kWhile: start_while(step, frame_weight); break;
      }
    }
    return absl::OkStatus();
  }

  void enter(mlir::OpId op, mlir::BlockId block, double weight) {
    result_.runs[block.index] += weight;
    Frame frame;
    frame.op = op;
    frame.block = block;
    frame.weight = weight;
    stack_.push_back(frame);
  }

  KnownInteger value_of(std::optional<mlir::ValueId> value) const {
    return value ? values_[value->index] : KnownInteger{};
  }

  void mark_data_dependent(mlir::OpId op) {
    if (is_data_dependent_[op.index]) return;
    is_data_dependent_[op.index] = true;
    result_.data_dependent.push_back(op);
  }

  void start_for(const GpuStep& step, double weight) {
    const mlir::OpId op = step.op;
    const KnownInteger lower = value_of(steps_.operand(op, 0));
    const KnownInteger upper = value_of(steps_.operand(op, 1));
    const KnownInteger stride = value_of(steps_.operand(op, 2));
    for (const mlir::ValueId r : kernel_.results_of(op)) values_[r.index] = {};
    if (!lower.is_known || !upper.is_known || !stride.is_known || stride.value <= 0) {
      mark_data_dependent(op);
      return;
    }
    const mlir::BlockId block = kernel_[steps_.region(op, 0)].first_block;
    const double span = static_cast<double>(upper.value) - static_cast<double>(lower.value);
    if (span <= 0) {
      forward(operand_list(op, kForBounds), kernel_.results_of(op), 0);
      return;
    }
    const auto trips = static_cast<std::int64_t>(
        std::min(std::ceil(span / static_cast<double>(stride.value)), static_cast<double>(std::int64_t{1} << 52)));
    const mlir::IdRange<mlir::ValueId> arguments = kernel_.arguments_of(block);
    if (!step.iterates) {
      for (const mlir::ValueId a : arguments) values_[a.index] = {};
      enter(op, block, weight * static_cast<double>(trips));
      return;
    }
    const std::int64_t visits = step.carries ? trips : std::min(trips, kMostTrips);
    result_.is_sampled = result_.is_sampled || visits < trips;
    enter(op, block, weight * static_cast<double>(trips) / static_cast<double>(visits));
    Frame& frame = stack_.back();
    frame.iterates = true;
    frame.carries = step.carries;
    frame.trips = trips;
    frame.visits = visits;
    frame.first = lower.value;
    frame.stride = stride.value;
    set_counter(frame);
    forward(operand_list(op, kForBounds), arguments, 1);
  }

  // Sets the counter of a loop for its next visit: the middle one of the trips that it stands for.
  void set_counter(Frame& frame) {
    const mlir::IdRange<mlir::ValueId> arguments = kernel_.arguments_of(frame.block);
    const std::int64_t trip =
        frame.visits == frame.trips
            ? frame.visit
            : static_cast<std::int64_t>((static_cast<double>(frame.visit) + 0.5) * static_cast<double>(frame.trips) /
                                        static_cast<double>(frame.visits));
    ++frame.visit;
    const auto offset = static_cast<std::uint64_t>(trip) * static_cast<std::uint64_t>(frame.stride);
    if (arguments.size() > 0) {
      values_[arguments[0].index] = {static_cast<std::int64_t>(static_cast<std::uint64_t>(frame.first) + offset), true};
    }
  }

  // The values of the operands of `op` from `first` on.
  std::vector<KnownInteger> operand_list(mlir::OpId op, std::uint32_t first) const {
    std::vector<KnownInteger> list;
    if (!op.valid()) return list;
    list.reserve(kernel_[op].operand_count);
    for (std::uint32_t i = first; i < kernel_[op].operand_count; ++i) list.push_back(value_of(steps_.operand(op, i)));
    return list;
  }

  // Assigns `list` to `targets` from number `first` on.
  void forward(const std::vector<KnownInteger>& list, mlir::IdRange<mlir::ValueId> targets, std::uint32_t first) {
    for (std::uint32_t i = first; i < targets.size(); ++i) {
      values_[targets[i].index] = i - first < list.size() ? list[i - first] : KnownInteger{};
    }
  }

  void start_branch(const GpuStep& step, double weight) {
    const mlir::OpId op = step.op;
    const KnownInteger selector = value_of(steps_.operand(op, 0));
    for (const mlir::ValueId r : kernel_.results_of(op)) values_[r.index] = {};
    const std::uint32_t regions = kernel_[op].region_count;
    if (!selector.is_known) {
      mark_data_dependent(op);
      for (std::uint32_t i = 0; i < regions; ++i) {
        if (kernel_[steps_.region(op, i)].block_count == 0) continue;
        enter(op, kernel_[steps_.region(op, i)].first_block, weight / std::max(regions, 2U));
        stack_.back().is_uncertain = true;
      }
      return;
    }
    std::uint32_t taken = 0;  // of scf.if: then, else; of scf.index_switch: default, then the cases
    if (step.structure == GpuStructure::kIf) {
      taken = selector.value != 0 ? 0 : 1;
    } else if (const auto cases = mlir::integers(kernel_, gpu_attribute(kernel_, op, "cases", "r", 0))) {
      const auto found = std::find(cases->begin(), cases->end(), selector.value);
      if (found != cases->end()) taken = static_cast<std::uint32_t>(found - cases->begin()) + 1;
    }
    if (taken < regions && kernel_[steps_.region(op, taken)].block_count > 0) {
      enter(op, kernel_[steps_.region(op, taken)].first_block, weight);
    }
  }

  void start_while(const GpuStep& step, double weight) {
    if (kernel_[steps_.region(step.op, 0)].block_count == 0 || kernel_[steps_.region(step.op, 1)].block_count == 0)
      return;
    const mlir::BlockId before = kernel_[steps_.region(step.op, 0)].first_block;
    forward(operand_list(step.op, 0), kernel_.arguments_of(before), 0);
    enter(step.op, before, weight);
  }

  // Leaves the block on top of the stack at its end.
  void leave() {
    const Frame frame = stack_.back();
    if (!frame.op.valid()) {
      stack_.pop_back();
      return;
    }
    const mlir::RegionId owner = kernel_[frame.block].region;
    const mlir::OpId last = steps_.terminator(owner);
    const mlir::IdRange<mlir::ValueId> results = kernel_.results_of(frame.op);
    switch (steps_.structure(frame.op)) {
      case GpuStructure::kFor:
        if (!frame.iterates) break;
        if (frame.visit < frame.visits) {
          Frame& again = stack_.back();
          if (frame.carries) forward(operand_list(last, 0), kernel_.arguments_of(again.block), 1);
          again.next = 0;
          set_counter(again);
          result_.runs[again.block.index] += again.weight;
          return;
        }
        forward(operand_list(last, 0), results, 0);
        break;
      case GpuStructure::kIf:
      case GpuStructure::kSwitch:
        if (!frame.is_uncertain) forward(operand_list(last, 0), results, 0);
        break;
      case GpuStructure::kWhile: leave_while(frame, owner, last); return;
      case GpuStructure::kNone: break;
    }
    stack_.pop_back();
  }

  void leave_while(const Frame& frame, mlir::RegionId owner, mlir::OpId last) {
    stack_.pop_back();
    if (owner != steps_.region(frame.op, 0)) {
      const mlir::BlockId before = kernel_[steps_.region(frame.op, 0)].first_block;
      forward(operand_list(last, 0), kernel_.arguments_of(before), 0);
      enter(frame.op, before, frame.weight);
      return;
    }
    const KnownInteger condition = value_of(steps_.operand(last, 0));
    if (!condition.is_known) mark_data_dependent(frame.op);
    if (condition.is_known && condition.value != 0) {
      const mlir::BlockId after = kernel_[steps_.region(frame.op, 1)].first_block;
      forward(operand_list(last, 1), kernel_.arguments_of(after), 0);
      enter(frame.op, after, frame.weight);
      return;
    }
    forward(operand_list(last, 1), kernel_.results_of(frame.op), 0);
  }

  // The threads of a block are numbered along the first axis.
  std::int64_t position(ScalarOp rule, std::size_t axis) const {
    switch (rule) {
      case ScalarOp::kProgramId:
      case ScalarOp::kBlockId: return program_id_[axis];
      case ScalarOp::kProgramCount:
      case ScalarOp::kGridSize: return grid_[axis];
      case ScalarOp::kThreadId: return axis == 0 ? thread_ : 0;
      case ScalarOp::kBlockSize: return axis == 0 ? launch_.threads : 1;
      case ScalarOp::kClusterBlockId: return program_id_[axis] % std::max<std::int64_t>(launch_.cluster[axis], 1);
      default: return launch_.cluster[axis];
    }
  }

  void evaluate(const GpuStep& step) {
    const mlir::Op& o = kernel_[step.op];
    KnownInteger& out = values_[o.first_result.index];
    out = {};
    switch (step.scalar) {
      case ScalarOp::kNone:
      case ScalarOp::kConstant: return;
      case ScalarOp::kProgramId:
      case ScalarOp::kProgramCount:
      case ScalarOp::kBlockId:
      case ScalarOp::kThreadId:
      case ScalarOp::kBlockSize:
      case ScalarOp::kGridSize:
      case ScalarOp::kClusterBlockId:
      case ScalarOp::kClusterSize:
        if (is_axis(step.immediate)) {
          out = {position(step.scalar, static_cast<std::size_t>(step.immediate.value)), true};
        }
        return;
      case ScalarOp::kElected: out = {is_elected_ ? 1 : 0, true}; return;
      case ScalarOp::kSecond: out = value_of(steps_.operand(step.op, 1)); return;
      case ScalarOp::kSelect: {
        const KnownInteger condition = value_of(steps_.operand(step.op, 0));
        if (condition.is_known) out = value_of(steps_.operand(step.op, condition.value != 0 ? 1 : 2));
        return;
      }
      default: break;
    }
    const KnownInteger a = value_of(steps_.operand(step.op, 0));
    const KnownInteger b = value_of(steps_.operand(step.op, 1));
    if (!a.is_known || (!b.is_known && kernel_[step.op].operand_count > 1)) return;
    const std::int64_t predicate = step.immediate.is_known ? step.immediate.value : -1;
    const std::optional<std::int64_t> value =
        evaluate_scalar(step.scalar, a.value, b.value, predicate, step.operand_bits, step.bits);
    if (value) out = {*value, true};
  }

  const mlir::Module& kernel_;
  mlir::RegionId body_;
  GpuLaunch launch_;
  GpuGrid grid_;
  GpuSteps steps_;

  GpuGrid program_id_ = {};
  std::int64_t thread_ = 0;
  bool is_elected_ = true;
  std::vector<KnownInteger> values_;
  std::vector<Frame> stack_;
  std::int64_t steps_taken_ = 0;
  std::vector<bool> is_data_dependent_;
  BlockRuns result_;
};

}  // namespace

absl::StatusOr<BlockRuns> count_block_runs(const mlir::Module& kernel, const std::vector<GpuOpFacts>& facts,
                                           mlir::RegionId body, const GpuLaunch& launch) {
  return BlockCounter(kernel, facts, body, launch).run();
}

}  // namespace hloroof::internal::inline kernel
