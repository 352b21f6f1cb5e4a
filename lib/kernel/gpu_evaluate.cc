#include "lib/kernel/gpu_evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/status.h"

#include "lib/ir/element_type.h"

namespace hloroof::internal {
namespace {

constexpr std::int64_t kMostPositions = 4096;  // positions in the grid that are evaluated one by one
constexpr std::int64_t kMostTrips = 64;        // of a loop whose trips are independent of one another
constexpr std::int64_t kMostEvaluations = 1'000'000;
constexpr std::int64_t kWarp = 32;       // threads
constexpr std::uint32_t kForBounds = 3;  // scf.for: lower bound, upper bound, step, then the initial values

struct KnownInteger {
  std::int64_t value = 0;
  bool is_known = false;
};

enum class Structure : std::uint8_t { kNone, kFor, kIf, kWhile, kSwitch };

// An operation that bounds, predicates or the position in the grid pass through.
struct Step {
  mlir::OpId op;
  Structure structure = Structure::kNone;
  ScalarRule rule = ScalarRule::kNone;
  KnownInteger immediate;   // the constant, the predicate or the axis
  std::uint32_t width = 0;  // bits of the result
  bool iterates = false;    // a loop whose trips differ in what counts
  bool carries = false;     // likewise, and a trip depends on the one before
};

std::int64_t wrapped(std::uint64_t bits_of_value, std::uint32_t width) {
  if (width == 0 || width >= 64) return static_cast<std::int64_t>(bits_of_value);
  const std::uint64_t low = bits_of_value & ((std::uint64_t{1} << width) - 1);
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  if (width == 1) return static_cast<std::int64_t>(low);
  return static_cast<std::int64_t>((low ^ sign) - sign);
}

std::uint64_t unsigned_of(std::int64_t value, std::uint32_t width) {
  const auto bits_of_value = static_cast<std::uint64_t>(value);
  return width == 0 || width >= 64 ? bits_of_value : bits_of_value & ((std::uint64_t{1} << width) - 1);
}

bool holds(std::int64_t predicate, std::int64_t a, std::int64_t b, std::uint32_t width) {
  const std::uint64_t ua = unsigned_of(a, width);
  const std::uint64_t ub = unsigned_of(b, width);
  switch (predicate) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    case 5: return a >= b;
    case 6: return ua < ub;
    case 7: return ua <= ub;
    case 8: return ua > ub;
    default: return ua >= ub;
  }
}

bool overflows_division(std::int64_t a, std::int64_t b) {
  return b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min());
}

// The result of an operation with two operands of `width` bits; nullopt if it is not defined.
std::optional<std::int64_t> combine(ScalarRule rule, std::int64_t a, std::int64_t b, std::uint32_t width) {
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  const bool divides = !overflows_division(a, b);
  const std::uint64_t ta = unsigned_of(a, width);
  const std::uint64_t tb = unsigned_of(b, width);
  switch (rule) {
    case ScalarRule::kAdd: return static_cast<std::int64_t>(ua + ub);
    case ScalarRule::kSubtract: return static_cast<std::int64_t>(ua - ub);
    case ScalarRule::kMultiply: return static_cast<std::int64_t>(ua * ub);
    case ScalarRule::kAnd: return a & b;
    case ScalarRule::kOr: return a | b;
    case ScalarRule::kXor: return a ^ b;
    case ScalarRule::kMinimumSigned: return std::min(a, b);
    case ScalarRule::kMaximumSigned: return std::max(a, b);
    case ScalarRule::kMinimumUnsigned: return ta < tb ? a : b;
    case ScalarRule::kMaximumUnsigned: return ta < tb ? b : a;
    case ScalarRule::kDivideSigned: return divides ? std::optional(a / b) : std::nullopt;
    case ScalarRule::kRemainderSigned: return divides ? std::optional(a % b) : std::nullopt;
    case ScalarRule::kFloorDivide:
      if (!divides) return std::nullopt;
      return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    case ScalarRule::kCeilDivideSigned:
      if (!divides) return std::nullopt;
      return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
    case ScalarRule::kDivideUnsigned: return tb == 0 ? std::nullopt : std::optional<std::int64_t>(ta / tb);
    case ScalarRule::kRemainderUnsigned: return tb == 0 ? std::nullopt : std::optional<std::int64_t>(ta % tb);
    case ScalarRule::kCeilDivideUnsigned:
      return tb == 0 ? std::nullopt : std::optional<std::int64_t>(ta / tb + (ta % tb != 0 ? 1 : 0));
    case ScalarRule::kShiftLeft: return tb < 64 ? std::optional<std::int64_t>(ua << tb) : std::nullopt;
    case ScalarRule::kShiftRightSigned: return tb < 64 ? std::optional(a >> tb) : std::nullopt;
    case ScalarRule::kShiftRightUnsigned: return tb < 64 ? std::optional<std::int64_t>(ta >> tb) : std::nullopt;
    default: return std::nullopt;
  }
}

class BlockCounter {
 public:
  BlockCounter(const mlir::Module& kernel, const std::vector<GpuOpFacts>& facts, mlir::RegionId body,
               const GpuLaunch& launch)
      : kernel_(kernel),
        facts_(facts),
        body_(body),
        launch_(launch),
        grid_(launch.grid),
        types_(gpu_tile_types(kernel)) {}

  absl::StatusOr<BlockRuns> run() {
    if (kernel_[body_].block_count == 0) return absl::InvalidArgumentError("the kernel has no body");
    find_needed();
    if (unstructured_.valid() || kernel_[body_].block_count > 1)
      return absl::InvalidArgumentError("the kernel has unstructured control flow");
    values_.assign(kernel_.values.size(), {});
    list_steps();
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

  Structure structure(mlir::OpId op) const {
    const OpCost cost = facts_[kernel_[op].name.index].cost;
    if (cost != OpCost::kControl) return Structure::kNone;
    const std::string name = gpu_op_name(kernel_, kernel_[op].name);
    if (name == "scf.for" && kernel_[op].region_count == 1 && kernel_[op].operand_count >= kForBounds) {
      return Structure::kFor;
    }
    if (name == "scf.if" && kernel_[op].operand_count == 1) return Structure::kIf;
    if (name == "scf.while" && kernel_[op].region_count == 2) return Structure::kWhile;
    if (name == "scf.index_switch" && kernel_[op].operand_count == 1) return Structure::kSwitch;
    return Structure::kNone;
  }

  // The last operation of a region's only block; invalid if the region is empty.
  mlir::OpId terminator(mlir::RegionId region) const {
    return kernel_[region].block_count == 0 ? mlir::OpId{} : last_of_block_[kernel_[region].first_block.index];
  }

  std::optional<mlir::ValueId> operand(mlir::OpId op, std::uint32_t number) const {
    if (!op.valid() || number >= kernel_[op].operand_count) return std::nullopt;
    return kernel_.operand(op, number);
  }

  mlir::RegionId region(mlir::OpId op, std::uint32_t number) const { return kernel_.regions_of(op)[number]; }

  // ---- What bounds and predicates depend on -------------------------------------------------------------------------

  void need(std::optional<mlir::ValueId> value) {
    if (!value || is_needed_[value->index]) return;
    is_needed_[value->index] = true;
    pending_.push_back(*value);
  }

  void find_needed() {
    is_needed_.assign(kernel_.values.size(), false);
    last_of_block_.assign(kernel_.blocks.size(), {});
    for (std::uint32_t i = 0; i < kernel_.ops.size(); ++i) last_of_block_[kernel_.ops[i].block.index] = mlir::OpId{i};
    structures_.assign(kernel_.ops.size(), Structure::kNone);
    for (std::uint32_t i = 0; i < kernel_.ops.size(); ++i) {
      const mlir::OpId op{i};
      structures_[i] = structure(op);
      for (const mlir::RegionId r : kernel_.regions_of(op)) {
        if (structures_[i] != Structure::kNone && kernel_[r].block_count > 1) unstructured_ = op;
      }
      switch (structures_[i]) {
        case Structure::kNone: break;
        case Structure::kFor:
          for (std::uint32_t b = 0; b < kForBounds; ++b) need(operand(op, b));
          break;
        case Structure::kIf:
        case Structure::kSwitch: need(operand(op, 0)); break;
        case Structure::kWhile: need(operand(terminator(region(op, 0)), 0)); break;
      }
    }
    while (!pending_.empty()) {
      const mlir::ValueId value = pending_.back();
      pending_.pop_back();
      const mlir::Value& v = kernel_[value];
      v.op.valid() ? need_for_result(v.op, v.index) : need_for_argument(v.block, v.index);
    }
  }

  void need_for_result(mlir::OpId op, std::uint32_t index) {
    switch (structures_[op.index]) {
      case Structure::kFor:
        need(operand(terminator(region(op, 0)), index));
        need(operand(op, kForBounds + index));
        return;
      case Structure::kIf:
      case Structure::kSwitch:
        for (const mlir::RegionId r : kernel_.regions_of(op)) need(operand(terminator(r), index));
        return;
      case Structure::kWhile: need(operand(terminator(region(op, 0)), index + 1)); return;
      case Structure::kNone: break;
    }
    if (facts_[kernel_[op].name.index].scalar == ScalarRule::kNone) return;
    for (std::uint32_t i = 0; i < kernel_[op].operand_count; ++i) need(operand(op, i));
  }

  void need_for_argument(mlir::BlockId block, std::uint32_t index) {
    const mlir::RegionId owner = kernel_[block].region;
    if (!owner.valid() || !kernel_[owner].op.valid()) return;
    const mlir::OpId op = kernel_[owner].op;
    if (structures_[op.index] == Structure::kFor && index > 0) {
      need(operand(op, kForBounds + index - 1));
      need(operand(terminator(owner), index - 1));
    } else if (structures_[op.index] == Structure::kWhile) {
      if (owner == region(op, 0)) {
        need(operand(op, index));
        need(operand(terminator(region(op, 1)), index));
      } else {
        need(operand(terminator(region(op, 0)), index + 1));
      }
    }
  }

  bool any_needed(mlir::IdRange<mlir::ValueId> values) const {
    for (const mlir::ValueId v : values) {
      if (is_needed_[v.index]) return true;
    }
    return false;
  }

  // Lists, for each block, the operations that count and those that compute what is needed.
  void list_steps() {
    steps_of_block_.assign(kernel_.blocks.size(), {});
    for (std::uint32_t i = 0; i < kernel_.ops.size(); ++i) {
      const mlir::OpId op{i};
      const mlir::Op& o = kernel_[op];
      Step step;
      step.op = op;
      step.structure = structures_[i];
      step.rule = facts_[o.name.index].scalar;
      if (step.structure == Structure::kFor) {
        const mlir::RegionId body = region(op, 0);
        if (kernel_[body].block_count == 0) continue;
        const mlir::IdRange<mlir::ValueId> arguments = kernel_.arguments_of(kernel_[body].first_block);
        step.carries = any_needed(kernel_.results_of(op));
        for (std::uint32_t a = 1; a < arguments.size(); ++a) {
          step.carries = step.carries || is_needed_[arguments[a].index];
        }
        step.iterates = step.carries || any_needed(arguments);
      } else if (step.structure == Structure::kNone) {
        if (o.result_count != 1 || step.rule == ScalarRule::kNone || !is_needed_[o.first_result.index]) continue;
        read_immediate(step);
        if (step.rule == ScalarRule::kConstant) {
          // Constants may be outside the body.
          values_[o.first_result.index] = step.immediate;
          continue;
        }
      }
      steps_of_block_[o.block.index].push_back(step);
    }
  }

  static bool is_axis(const KnownInteger& axis) { return axis.is_known && axis.value >= 0 && axis.value < 3; }

  static bool is_position(ScalarRule rule) {
    return rule >= ScalarRule::kProgramId && rule <= ScalarRule::kClusterSize;
  }

  // A dimension in the attribute "#gpu<dim x>".
  void read_dimension(Step& step) const {
    const absl::StatusOr<mlir::Attribute> dimension =
        mlir::decode(kernel_, gpu_attribute(kernel_, step.op, "dimension", "r", 0));
    if (!dimension.ok() || dimension->text.size() < 2) return;
    const char letter = dimension->text[dimension->text.size() - 2];
    if (letter >= 'x' && letter <= 'z') step.immediate = {letter - 'x', true};
  }

  void read_immediate(Step& step) {
    std::string_view name;
    if (step.rule == ScalarRule::kConstant) name = "value";
    if (step.rule == ScalarRule::kCompare) name = "predicate";
    if (step.rule == ScalarRule::kProgramId || step.rule == ScalarRule::kProgramCount) name = "axis";
    if (!name.empty()) {
      const std::optional<std::int64_t> value = mlir::integer(kernel_, gpu_attribute(kernel_, step.op, name, "r", 0));
      if (value) step.immediate = {*value, true};
    }
    if (is_position(step.rule) && !step.immediate.is_known) read_dimension(step);
    const bool is_on_grid = step.rule == ScalarRule::kProgramId || step.rule == ScalarRule::kBlockId ||
                            step.rule == ScalarRule::kClusterBlockId;
    if (is_on_grid && is_axis(step.immediate)) {
      depends_on_axis_[static_cast<std::size_t>(step.immediate.value)] = true;
    }
    depends_on_thread_ = depends_on_thread_ || step.rule == ScalarRule::kThreadId || step.rule == ScalarRule::kElected;
    // A comparison takes the width of its operands.
    const mlir::ValueId typed = step.rule == ScalarRule::kCompare && kernel_[step.op].operand_count > 0
                                    ? kernel_.operand(step.op, 0)
                                    : kernel_[step.op].first_result;
    const TileType& type = types_[kernel_[typed].type.index];
    if (type.is_pointer || type.element == ElementType::kInvalid) return;
    step.width = type.element == ElementType::kPred ? 1 : static_cast<std::uint32_t>(bits(type.element));
  }

  // ---- The grid -----------------------------------------------------------------------------------------------------

  absl::StatusOr<BlockRuns> visit_grid() {
    std::int64_t positions = 1;  // that differ
    result_.programs = 1;
    for (std::size_t axis = 0; axis < grid_.size(); ++axis) {
      const std::int64_t size = std::max<std::int64_t>(grid_[axis], 0);
      result_.programs *= static_cast<double>(size);
      if (depends_on_axis_[axis]) positions = std::min(positions, std::int64_t{1} << 31) * size;
    }
    if (result_.programs <= 0) return result_;
    const std::int64_t warps = (std::max<std::int64_t>(launch_.threads, 1) + kWarp - 1) / kWarp;
    std::int64_t most = std::max<std::int64_t>(kMostPositions / (depends_on_thread_ ? 2 * warps : 1), 1);
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
        if (!depends_on_axis_[axis]) continue;
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
    if (!depends_on_thread_ || launch_.threads <= 0) {
      return visit_program(weight * static_cast<double>(std::max<std::int64_t>(launch_.threads, 1)));
    }
    for (std::int64_t first = 0; first < launch_.threads; first += kWarp) {
      const std::int64_t others = std::min(kWarp, launch_.threads - first) - 1;
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
      const std::vector<Step>& steps = steps_of_block_[frame.block.index];
      if (frame.next == steps.size()) {
        leave();
        continue;
      }
      if (++steps_taken_ > kMostEvaluations)
        return absl::ResourceExhaustedError("the kernel's loops have too many trips");
      const Step& step = steps[frame.next++];
      const double frame_weight = frame.weight;
      switch (step.structure) {
        case Structure::kNone: evaluate(step); break;
        case Structure::kFor: start_for(step, frame_weight); break;
        case Structure::kIf:
        case Structure::kSwitch: start_branch(step, frame_weight); break;
        case Structure::kWhile: start_while(step, frame_weight); break;
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

  void start_for(const Step& step, double weight) {
    const mlir::OpId op = step.op;
    const KnownInteger lower = value_of(operand(op, 0));
    const KnownInteger upper = value_of(operand(op, 1));
    const KnownInteger stride = value_of(operand(op, 2));
    for (const mlir::ValueId r : kernel_.results_of(op)) values_[r.index] = {};
    if (!lower.is_known || !upper.is_known || !stride.is_known || stride.value <= 0) {
      mark_data_dependent(op);
      return;
    }
    const mlir::BlockId block = kernel_[region(op, 0)].first_block;
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
    for (std::uint32_t i = first; i < kernel_[op].operand_count; ++i) list.push_back(value_of(operand(op, i)));
    return list;
  }

  // Assigns `list` to `targets` from number `first` on.
  void forward(const std::vector<KnownInteger>& list, mlir::IdRange<mlir::ValueId> targets, std::uint32_t first) {
    for (std::uint32_t i = first; i < targets.size(); ++i) {
      values_[targets[i].index] = i - first < list.size() ? list[i - first] : KnownInteger{};
    }
  }

  void start_branch(const Step& step, double weight) {
    const mlir::OpId op = step.op;
    const KnownInteger selector = value_of(operand(op, 0));
    for (const mlir::ValueId r : kernel_.results_of(op)) values_[r.index] = {};
    const std::uint32_t regions = kernel_[op].region_count;
    if (!selector.is_known) {
      mark_data_dependent(op);
      for (std::uint32_t i = 0; i < regions; ++i) {
        if (kernel_[region(op, i)].block_count == 0) continue;
        enter(op, kernel_[region(op, i)].first_block, weight / std::max(regions, 2U));
        stack_.back().is_uncertain = true;
      }
      return;
    }
    std::uint32_t taken = 0;  // of scf.if: then, else; of scf.index_switch: default, then the cases
    if (step.structure == Structure::kIf) {
      taken = selector.value != 0 ? 0 : 1;
    } else if (const auto cases = mlir::integers(kernel_, gpu_attribute(kernel_, op, "cases", "r", 0))) {
      const auto found = std::find(cases->begin(), cases->end(), selector.value);
      if (found != cases->end()) taken = static_cast<std::uint32_t>(found - cases->begin()) + 1;
    }
    if (taken < regions && kernel_[region(op, taken)].block_count > 0) {
      enter(op, kernel_[region(op, taken)].first_block, weight);
    }
  }

  void start_while(const Step& step, double weight) {
    if (kernel_[region(step.op, 0)].block_count == 0 || kernel_[region(step.op, 1)].block_count == 0) return;
    const mlir::BlockId before = kernel_[region(step.op, 0)].first_block;
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
    const mlir::OpId last = terminator(owner);
    const mlir::IdRange<mlir::ValueId> results = kernel_.results_of(frame.op);
    switch (structures_[frame.op.index]) {
      case Structure::kFor:
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
      case Structure::kIf:
      case Structure::kSwitch:
        if (!frame.is_uncertain) forward(operand_list(last, 0), results, 0);
        break;
      case Structure::kWhile: leave_while(frame, owner, last); return;
      case Structure::kNone: break;
    }
    stack_.pop_back();
  }

  void leave_while(const Frame& frame, mlir::RegionId owner, mlir::OpId last) {
    stack_.pop_back();
    if (owner != region(frame.op, 0)) {
      const mlir::BlockId before = kernel_[region(frame.op, 0)].first_block;
      forward(operand_list(last, 0), kernel_.arguments_of(before), 0);
      enter(frame.op, before, frame.weight);
      return;
    }
    const KnownInteger condition = value_of(operand(last, 0));
    if (!condition.is_known) mark_data_dependent(frame.op);
    if (condition.is_known && condition.value != 0) {
      const mlir::BlockId after = kernel_[region(frame.op, 1)].first_block;
      forward(operand_list(last, 1), kernel_.arguments_of(after), 0);
      enter(frame.op, after, frame.weight);
      return;
    }
    forward(operand_list(last, 1), kernel_.results_of(frame.op), 0);
  }

  // The threads of a block are numbered along the first axis.
  std::int64_t position(ScalarRule rule, std::size_t axis) const {
    switch (rule) {
      case ScalarRule::kProgramId:
      case ScalarRule::kBlockId: return program_id_[axis];
      case ScalarRule::kProgramCount:
      case ScalarRule::kGridSize: return grid_[axis];
      case ScalarRule::kThreadId: return axis == 0 ? thread_ : 0;
      case ScalarRule::kBlockSize: return axis == 0 ? launch_.threads : 1;
      case ScalarRule::kClusterBlockId: return program_id_[axis] % std::max<std::int64_t>(launch_.cluster[axis], 1);
      default: return launch_.cluster[axis];
    }
  }

  void evaluate(const Step& step) {
    const mlir::Op& o = kernel_[step.op];
    KnownInteger& out = values_[o.first_result.index];
    out = {};
    switch (step.rule) {
      case ScalarRule::kNone:
      case ScalarRule::kConstant: return;
      case ScalarRule::kProgramId:
      case ScalarRule::kProgramCount:
      case ScalarRule::kBlockId:
      case ScalarRule::kThreadId:
      case ScalarRule::kBlockSize:
      case ScalarRule::kGridSize:
      case ScalarRule::kClusterBlockId:
      case ScalarRule::kClusterSize:
        if (is_axis(step.immediate)) {
          out = {position(step.rule, static_cast<std::size_t>(step.immediate.value)), true};
        }
        return;
      case ScalarRule::kElected: out = {is_elected_ ? 1 : 0, true}; return;
      case ScalarRule::kSecond: out = value_of(operand(step.op, 1)); return;
      case ScalarRule::kCast:
      case ScalarRule::kExtendUnsigned: {
        const KnownInteger from = value_of(operand(step.op, 0));
        if (!from.is_known) return;
        std::int64_t value = from.value;
        if (step.rule == ScalarRule::kExtendUnsigned) {
          const TileType& type = types_[kernel_[kernel_.operand(step.op, 0)].type.index];
          if (type.element == ElementType::kInvalid) return;
          value = static_cast<std::int64_t>(unsigned_of(
              value, type.element == ElementType::kPred ? 1 : static_cast<std::uint32_t>(bits(type.element))));
        }
        out = {wrapped(static_cast<std::uint64_t>(value), step.width), true};
        return;
      }
      case ScalarRule::kSelect: {
        const KnownInteger condition = value_of(operand(step.op, 0));
        if (condition.is_known) out = value_of(operand(step.op, condition.value != 0 ? 1 : 2));
        return;
      }
      default: break;
    }
    const KnownInteger a = value_of(operand(step.op, 0));
    const KnownInteger b = value_of(operand(step.op, 1));
    if (!a.is_known || !b.is_known) return;
    if (step.rule == ScalarRule::kCompare) {
      if (step.immediate.is_known) out = {holds(step.immediate.value, a.value, b.value, step.width) ? 1 : 0, true};
      return;
    }
    if (const std::optional<std::int64_t> value = combine(step.rule, a.value, b.value, step.width)) {
      out = {wrapped(static_cast<std::uint64_t>(*value), step.width), true};
    }
  }

  const mlir::Module& kernel_;
  const std::vector<GpuOpFacts>& facts_;
  mlir::RegionId body_;
  GpuLaunch launch_;
  GpuGrid grid_;
  std::vector<TileType> types_;

  std::vector<Structure> structures_;
  std::vector<mlir::OpId> last_of_block_;
  mlir::OpId unstructured_;
  std::vector<bool> is_needed_;
  std::vector<mlir::ValueId> pending_;
  std::vector<std::vector<Step>> steps_of_block_;
  std::array<bool, 3> depends_on_axis_ = {};
  bool depends_on_thread_ = false;

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

}  // namespace hloroof::internal
