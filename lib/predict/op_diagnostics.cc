// Findings about single ops. Each states the cost, the reason and the suggested action. Seconds at stake are an
// estimate of the savings in the step and never exceed the time that the op spends in the step.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "hloroof/attributes.h"
#include "hloroof/module.h"
#include "lib/cost/op_time.h"
#include "lib/ir/rows.h"
#include "lib/ir/value_walk.h"
#include "lib/predict/diagnostics.h"
#include "lib/schedule/async_pairs.h"

namespace hloroof::internal {
namespace {

using enum DiagnosticCode;

constexpr double kDominates = 0.10;      // share of the step above which total communication is reported
constexpr double kPoorlyFilled = 0.75;   // share of the matrix unit's rows and columns in use
constexpr std::size_t kMostValues = 64;  // limit on the values followed from one op to its users
constexpr double kUnequalBranches = 2;   // ratio of the slowest branch to the fastest

class OpDiagnoser {
 public:
  OpDiagnoser(const StepFacts& facts, StepPrediction& prediction)
      : facts_(facts),
        module_(*facts.module),
        device_(facts.target.device),
        collectives_(facts.collectives),
        prediction_(prediction) {
    ops_.resize(module_.instruction_limit(), nullptr);
    for (const OpPrediction& op : prediction.ops) ops_[op.id.index] = &op;
  }

  void run() {
    for (const OpPrediction& op : prediction_.ops) {
      layout_change(op);
      matrix_shape(op);
      matrix_type(op);
      narrow_update(op);
      stall(op);
      conditional(op);
    }
    for (const Collective& collective : collectives_.collectives) gathered_to_be_cut(collective);
    for (const CallGraph::Loop& loop : facts_.calls.loops()) tiny_ops(loop);
    communication();
    parameters();
    donations();
  }

 private:
  bool matters(double seconds) const {
    return prediction_.step_seconds > 0 && seconds >= kWorthOfStep * prediction_.step_seconds;
  }

  void add(DiagnosticCode code, Severity severity, std::string message, const std::string& op,
           std::optional<double> stake) {
    prediction_.diagnostics.push_back({code, severity, std::move(message), op, stake});
  }

  // Builds the table of users on first use, because few predictions have a finding that needs users.
  Span<InstructionId> users_of(InstructionId id) {
    if (!users_) users_.emplace(module_);
    return users_->of(id);
  }

  // Returns the users of `id`. Follows instructions that only rename a value: bitcasts and get-tuple-elements.
  std::vector<InstructionView> real_users(InstructionId id) {
    std::vector<InstructionView> result;
    const auto users = [this](InstructionId value) { return users_of(value); };
    walk_uses(module_, id, kMostValues, users, [&](InstructionView user, InstructionId) {
      const Flow f = flow(user.opcode());
      if (f == Flow::kRenames || f == Flow::kPicks) return Go::kOn;
      result.push_back(user);
      return Go::kStop;
    });
    return result;
  }

  bool multiplies(InstructionView instruction) const {
    const OpPrediction* op = ops_[instruction.id().index];
    return op != nullptr && !op->work.matrix.empty();
  }

  void layout_change(const OpPrediction& op) {
    if (!matters(op.exposed_seconds)) return;
    const InstructionView instruction = module_.instruction(op.id);
    const Opcode opcode = instruction.opcode();
    if (opcode != Opcode::kCopy && opcode != Opcode::kTranspose) return;
    const Shape& to = module_.shape(instruction.shape_id());
    if (instruction.operand_count() != 1 || !to.is_array()) return;
    const Shape& from = module_.shape(instruction.operand(0).shape_id());
    const bool same_order =
        from.layout.minor_to_major == to.layout.minor_to_major && from.layout.tiles == to.layout.tiles;
    if (opcode == Opcode::kCopy && same_order) return;  // a copy between memory spaces or to a second buffer
    std::string before;
    for (InstructionView user : real_users(op.id)) {
      if (multiplies(user)) before = " before " + std::string(user.name());
    }
    add(kLayoutChange, Severity::kWarning,
        absl::StrFormat(
            "a %s that only reorders %s in memory%s: give the producer or the parameter the layout its user wants, "
            "or contract over the other dimension",
            op.opcode, to_string(module_.shapes(), instruction.shape_id()), before),
        op.name, op.exposed_seconds);
  }

  void matrix_shape(const OpPrediction& op) {
    if (device_.tpu() == nullptr) return;
    const double unit = static_cast<double>(device_.tpu()->matrix.dim);
    if (op.time.bound != Resource::kMatrix || !matters(op.exposed_seconds)) return;
    const auto filled = [unit](double size) { return size / (std::ceil(size / unit) * unit); };
    double worst = 1;
    const MatrixWork* narrow = nullptr;
    for (const MatrixWork& product : op.work.matrix) {
      if (!product.is_shape_known || product.n <= 0 || product.k <= 0) continue;
      const double share = filled(product.n) * filled(product.k);
      if (share < worst) {
        worst = share;
        narrow = &product;
      }
    }
    if (narrow == nullptr || worst > kPoorlyFilled) return;
    add(kMatrixUnderfilled, Severity::kWarning,
        absl::StrFormat(
            "K = %.0f and N = %.0f fill %.0f %% of the matrix unit, which is %.0f wide: dimensions that are multiples "
            "of %.0f, or several heads in one product, would",
            narrow->k, narrow->n, 100 * worst, unit, unit),
        op.name, op.exposed_seconds * (1 - worst));
  }

  std::string why_slow(const MatrixWork& product) const {
    if (product.passes <= 1) return "bf16 operands are half the bytes and no slower";
    if (device_.family() == DeviceFamily::kTpu) return absl::StrFormat("%d passes of the matrix unit", product.passes);
    return "at a precision beyond TF32";
  }

  void matrix_type(const OpPrediction& op) {
    if (!matters(op.exposed_seconds)) return;
    for (const MatrixWork& product : op.work.matrix) {
      if (product.lhs != ElementType::kF32 && product.rhs != ElementType::kF32) continue;
      const double peak_seconds = matrix_peak_seconds(product, device_);
      const std::optional<double> bf16 = device_.matrix.rate(MatrixType::kBf16);
      double faster = product.passes;
      if (bf16 && *bf16 > 0 && product.flops > 0) faster = peak_seconds * *bf16 / product.flops;
      // If reading the operands is the bottleneck, bf16 halves the bytes and so the time.
      if (op.time.bound == Resource::kHbm) faster = 2;
      if (faster <= 1 || (op.time.bound != Resource::kMatrix && op.time.bound != Resource::kHbm)) continue;
      add(kWideMatrixType, Severity::kWarning,
          absl::StrFormat("multiplies f32: %s; bf16 operands with an f32 result would take 1/%.1f of the time",
                          why_slow(product), faster),
          op.name, op.exposed_seconds * (1 - 1 / faster));
      return;
    }
  }

  void narrow_update(const OpPrediction& op) {
    if (op.work.partial_tile_elements <= 0 || !matters(op.exposed_seconds)) return;
    add(kNarrowUpdate, Severity::kWarning,
        absl::StrFormat("updates less than a tile along a tiled dimension: %.3g elements are read, merged and written "
                        "back; put the "
                        "updated position in an outer dimension",
                        op.work.partial_tile_elements),
        op.name, op.exposed_seconds);
  }

  // Waits for a copy. Those for collectives are findings about the collective.
  void stall(const OpPrediction& op) {
    for (const TransferWait& wait : op.waits) {
      const OpPrediction* transfer = ops_[wait.transfer.index];
      if (!matters(wait.seconds) || transfer == nullptr) continue;
      if (facts_.collectives.by_carrier.count(wait.transfer.index) > 0) continue;
      const bool host = transfer->work.read.host + transfer->work.written.host > 0;
      add(host ? kHostTransfer : kPrefetchStall, Severity::kWarning,
          host ? absl::StrFormat("waits for %s between host and device: start it earlier, or offload less", wait.name)
               : absl::StrFormat("waits for the prefetch %s: too little stands between start and done to hide it",
                                 wait.name),
          op.name, wait.seconds);
    }
  }

  double seconds_of(ComputationId id) const {
    double sum = 0;
    for (InstructionView instruction : module_.computation(id).instructions()) {
      const OpPrediction* op = ops_[instruction.id().index];
      if (op != nullptr) sum += op->seconds;
    }
    return sum;
  }

  void conditional(const OpPrediction& op) {
    if (row_of(module_, op.id).opcode != Opcode::kConditional) return;
    double least = INFINITY;
    double most = 0;
    ComputationId slowest;
    for (ComputationId branch : module_.instruction(op.id).called_computations()) {
      const double seconds = seconds_of(branch);
      least = std::min(least, seconds);
      if (seconds >= most) slowest = branch;
      most = std::max(most, seconds);
    }
    if (!slowest.valid() || facts_.executions(slowest) < op.executions) return;  // the branch probabilities are given
    const double stake = (most - least) * op.executions;
    if (most < kUnequalBranches * least || !matters(stake)) return;
    add(kBranchImbalance, Severity::kInfo,
        absl::StrFormat("its branches take between %.3g and %.3g s and the slowest is counted: --branch-probability "
                        "%s=P,P... says how "
                        "often each runs",
                        least, most, op.name),
        op.name, stake);
  }

  // Returns true if every use of the result ends in a reduction or a slice. Follows instructions that rename, convert
  // or compute elementwise, also inside fusions. Sets `verb` to that operation and the suggested alternative.
  bool is_only_cut(InstructionId result, std::string& verb) {
    bool is_unused = false;
    const auto users = [&](InstructionId value) {
      const Span<InstructionId> all = users_of(value);
      is_unused |= all.size() == 0;  // the whole value leaves the computation
      return all;
    };
    const auto visit = [&](InstructionView user, InstructionId) {
      const Opcode opcode = user.opcode();
      const Flow f = flow(opcode);
      if (opcode == Opcode::kReduce) {
        verb = "reduced: reduce the shards first and exchange the sums (reduce-scatter or all-reduce)";
        return Go::kStop;
      }
      if (f == Flow::kSelects) {
        if (verb.empty()) verb = "cut again: exchange only what is used (all-to-all or collective-permute)";
        return Go::kStop;
      }
      if (f == Flow::kFuses) return user.computations(AttributeKey::kCalls).size() == 1 ? Go::kOn : Go::kEnd;
      const bool passes = keeps_order(opcode) || f == Flow::kPicks || f == Flow::kElementwise;
      return passes && !user.is_root() ? Go::kOn : Go::kEnd;
    };
    return walk_uses(module_, result, kMostValues, users, visit) && !is_unused && !verb.empty();
  }

  void gathered_to_be_cut(const Collective& collective) {
    if (collective.kind != CollectiveKind::kAllGather || collective.in_fusion) return;
    const InstructionId result = collective.done.valid() ? collective.done : collective.instruction;
    const OpPrediction* op = collective.carrier.valid() ? ops_[collective.carrier.index] : nullptr;
    if (op == nullptr || !result.valid()) return;
    double stake = 0;
    for (const CollectivePrediction& predicted : prediction_.collectives) {
      if (predicted.id == collective.carrier) stake += predicted.exposed_seconds;
    }
    std::string verb;
    if (!matters(stake) || !is_only_cut(result, verb)) return;
    add(kGatherThenCut, Severity::kWarning, "what it gathers is only " + verb, op->name, stake);
  }

  void tiny_ops(const CallGraph::Loop& loop) {
    if (loop.trips.value < 2) return;  // no known iterations to unroll
    double seconds = 0;
    int count = 0;
    for (ComputationView body : module_.instruction(loop.instruction).computations(AttributeKey::kBody)) {
      for (InstructionView instruction : body.instructions()) {
        const OpPrediction* op = ops_[instruction.id().index];
        if (op == nullptr || op->bound != Resource::kLatency || op->exposed_seconds <= 0) continue;
        if (async_role(instruction) != AsyncRole::kNone) continue;
        ++count;
        seconds += op->exposed_seconds;
      }
    }
    if (count == 0 || !matters(seconds)) return;
    add(kLatencyBoundLoop, Severity::kWarning,
        absl::StrFormat("%d ops of its body are bound by their fixed cost, in each of %d iterations: unroll the loop, "
                        "or do more in one "
                        "iteration",
                        count, loop.trips.value),
        std::string(module_.instruction(loop.instruction).name()), seconds);
  }

  void communication() {
    double links = 0;
    double chip = 0;
    std::string link;
    for (const ResourceUse& use : prediction_.resources) {
      const bool is_link = use.resource == Resource::kIci || use.resource == Resource::kDcn;
      if (is_link && use.busy_seconds > links) {
        links = use.busy_seconds;
        link = to_string(use.resource, prediction_.family);
      }
      if (!is_link && use.resource != Resource::kHost) chip = std::max(chip, use.busy_seconds);
    }
    const double exposed = prediction_.exposed_communication_seconds;
    if (links > chip && matters(links - chip)) {
      add(kCrossoverNotReached, Severity::kWarning,
          absl::StrFormat("%s is busy %.1fx as long as the chip itself: no overlap can hide it. A batch per device "
                          "that much larger, or "
                          "fewer devices along that axis, would balance the two",
                          link, chip > 0 ? links / chip : INFINITY),
          "", links - chip);
    }
    if (prediction_.step_seconds > 0 && exposed > kDominates * prediction_.step_seconds) {
      add(kCollectiveDominates, Severity::kWarning,
          absl::StrFormat("communication that nothing hides is %.0f %% of the step: --view collectives says which and "
                          "over which axes",
                          100 * exposed / prediction_.step_seconds),
          "", exposed);
    }
  }

  void parameters() {
    if (!module_.has_entry() || module_.num_partitions() <= 1) return;
    for (InstructionId id : module_.entry().parameters()) {
      if (!id.valid()) continue;
      const InstructionView parameter = module_.instruction(id);
      const Shape& shape = module_.shape(parameter.shape_id());
      if (!shape.is_array() || memory_space(shape) != MemorySpace::kHbm) continue;
      const auto bytes = static_cast<double>(padded_bytes(shape));
      if (bytes < kWorthOfMemory * device_.hbm.capacity) continue;
      if (parameter.text(AttributeKey::kSharding).find("replicated}") == std::string_view::npos) continue;
      add(kReplicatedParameter, Severity::kWarning,
          absl::StrFormat("%.2f GiB that every one of %d devices holds in full: shard it over an axis that has no use "
                          "for the copies",
                          bytes / (1024.0 * 1024 * 1024), module_.num_partitions()),
          std::string(parameter.name()), std::nullopt);
    }
  }

  void donations() {
    const MemoryPrediction& memory = prediction_.memory;
    for (const DonatableArgument& argument : memory.donatable) {
      if (argument.bytes < kWorthOfMemory * memory.capacity_bytes) break;
      add(kDonationMissed, memory.fits ? Severity::kInfo : Severity::kWarning,
          absl::StrFormat("argument %d is not donated though a result has its shape: donating it would save %.2f GiB",
                          argument.number, argument.bytes / (1024.0 * 1024 * 1024)),
          argument.name, std::nullopt);
    }
  }

  const StepFacts& facts_;
  const Module& module_;
  const Device& device_;
  const CollectiveCosts& collectives_;
  StepPrediction& prediction_;
  std::optional<Users> users_;
  std::vector<const OpPrediction*> ops_;  // by InstructionId
};

}  // namespace

void diagnose_ops(const StepFacts& facts, StepPrediction& prediction) { OpDiagnoser(facts, prediction).run(); }

}  // namespace hloroof::internal
