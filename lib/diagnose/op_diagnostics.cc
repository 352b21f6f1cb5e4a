// Findings about single ops, and about ops that repeat a conversion. Each states the reason and the suggested action.
// Seconds at stake are an estimate of the savings in the step and never exceed the time that the op spends in the step.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "hloroof/analysis.h"
#include "hloroof/attributes.h"
#include "hloroof/module.h"
#include "lib/analysis/calls.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/diagnose/kernel_gathers.h"
#include "lib/diagnose/moves.h"
#include "lib/diagnose/reordering.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/ir/value_walk.h"
#include "lib/schedule/async_pairs.h"
#include "lib/time/op_time.h"

namespace hloroof::internal::inline diagnose {
namespace {

using enum DiagnosticCode;

constexpr double kPoorlyFilled = 0.75;   // share of the matrix unit's rows and columns in use
constexpr std::size_t kMostValues = 64;  // limit on the values followed from one op to its users
constexpr double kTightMemory = 0.9;     // share of the usable memory
constexpr std::size_t kMostPlaces = 4;   // that a message names
constexpr double kUnequalBranches = 2;   // ratio of the slowest branch to the fastest

class OpDiagnoser {
 public:
  explicit OpDiagnoser(Diagnosis& diagnosis)
      : diagnosis_(diagnosis),
        facts_(diagnosis.facts),
        module_(diagnosis.module),
        device_(diagnosis.facts.target.device),
        prediction_(diagnosis.prediction) {}

  void run() {
    for (const OpPrediction& op : prediction_.ops) {
      if (!diagnosis_.may_matter(op.exposed_seconds)) continue;
      layout_change(op);
      redundant_product(op);
      matrix_shape(op);
      narrow_update(op);
      stall(op);
      conditional(op);
    }
    for (const CallGraph::Loop& loop : facts_.calls.loops()) tiny_ops(loop);
    repeated_upcasts();
    parameters();
  }

 private:
  // Returns the users of `id`. Follows instructions that only rename a value: bitcasts and get-tuple-elements.
  std::vector<InstructionView> real_users(InstructionId id) {
    std::vector<InstructionView> result;
    const auto users = [this](InstructionId value) { return diagnosis_.users_of(value); };
    walk_uses(module_, id, kMostValues, users, [&](InstructionView user, InstructionId) {
      const Flow f = flow(user.opcode());
      if (f == Flow::kRenames || f == Flow::kPicks) return Go::kOn;
      result.push_back(user);
      return Go::kStop;
    });
    return result;
  }

  bool multiplies(InstructionView instruction) const {
    const OpPrediction* op = diagnosis_.op(instruction.id());
    return op != nullptr && !op->work->matrix.empty();
  }

  // Whether a reshape puts an array into tiles of other dimensions. Before layouts are chosen, a reshape is none: it
  // may become a bitcast. One beside a collective arranges the parts that are sent.
  bool retiles(InstructionView reshape) {
    if (flow(reshape.opcode()) != Flow::kReshapes || reshape.operand_count() != 1) return false;
    const Shape& from = reshape.operand(0).shape();
    const Shape& to = reshape.shape();
    if (!from.is_array() || !to.is_array() || from.element_type != to.element_type) return false;
    if (from.layout.tiles.empty() || to.layout.tiles.empty()) return false;
    const InstructionView source = origin(reshape.operand(0), [](InstructionView at) { return is_alias(at.opcode()); });
    if (collective_kind(source.opcode()).has_value()) return false;
    for (const InstructionView user : real_users(reshape.id())) {
      if (collective_kind(user.opcode()).has_value()) return false;
    }
    return true;
  }

  void layout_change(const OpPrediction& op) {
    const InstructionView instruction = module_.instruction(op.id);
    const Opcode opcode = instruction.opcode();
    const bool is_fusion = flow(opcode) == Flow::kFuses;
    const bool is_reshape = retiles(instruction);
    if (!is_fusion && !is_reshape && opcode != Opcode::kCopy && opcode != Opcode::kTranspose) return;
    if (instruction.operand_count() != 1 || !instruction.shape().is_array()) return;
    if (diagnosis_.loop_copies.count(op.id.index) != 0) return;
    const DataMoves moves = data_moved_by(instruction);
    // Without another layout it is a copy between memories or to a second buffer.
    if (moves.computes || !(moves.changes_layout || is_reshape) || !moves.is_in_one_piece()) return;
    const InstructionView source = source_of(instruction);
    const Reordering order = reordering(source, instruction);
    if (order.reverses) return;  // the program asks for this order, and no layout has it
    std::string before;
    for (InstructionView user : real_users(op.id)) {
      if (multiplies(user)) before = " before " + std::string(user.name());
    }
    diagnosis_.add_work(
        kLayoutChange, op, op.exposed_seconds,
        absl::StrFormat("a %s that only reorders %s in memory%s: %s", op.opcode,
                        to_string(module_.shapes(), instruction.shape_id()), before,
                        is_reshape ? std::string("its dimensions fill tiles in another way than those before it: keep "
                                                 "one of the two shapes from the producer to the users")
                                   : cure_for_layout(instruction, source, order, !before.empty())));
  }

  static InstructionView source_of(InstructionView copy) {
    return origin(copy.operand(0), [](InstructionView at) { return flow(at.opcode()) == Flow::kRenames; });
  }

  // Who decides the layout before and after a copy: the caller of the program, or the program.
  std::string cure_for_layout(InstructionView copy, InstructionView source, const Reordering& order,
                              bool is_multiplied) {
    if (source.opcode() == Opcode::kParameter && source.computation().is_entry()) {
      const std::string arrives = absl::StrFormat("argument %s arrives as %s", std::string(source.name()),
                                                  to_string(module_.shapes(), source.shape_id()));
      if (order.permutes_source) {
        return arrives +
               "; let XLA choose its layout (in JAX, in_shardings=Format(Layout.AUTO)), or pass it in the "
               "layout of the copy";
      }
      return arrives + ", and none of its layouts has this order: pass an array of the shape of the copy";
    }
    if (is_result(copy) && order.permutes_result) {
      return "the result of the program has this layout; let XLA choose it (in JAX, "
             "out_shardings=Format(Layout.AUTO))";
    }
    if (is_between_transforms(copy, source)) {
      return "a transform takes its elements along the fastest dimension: one transform along several dimensions, "
             "where the program can ask for it, needs no copy";
    }
    return absl::StrCat("give the producer or the parameter the layout its user wants",
                        is_multiplied ? ", or contract over the other dimension" : "");
  }

  // Whether a transform makes what is copied, or takes the copy.
  bool is_between_transforms(InstructionView copy, InstructionView source) {
    if (source.opcode() == Opcode::kFft) return true;
    for (const InstructionView user : real_users(copy.id())) {
      if (user.opcode() == Opcode::kFft) return true;
    }
    return false;
  }

  // Whether a value is a result of the program, or an element of its result.
  bool is_result(InstructionView value) {
    if (!value.computation().is_entry()) return false;
    const InstructionView root = value.computation().root();
    if (value == root) return true;
    if (root.opcode() != Opcode::kTuple) return false;
    const absl::Span<const InstructionId> users = diagnosis_.users_of(value.id());
    return users.size() == 1 && users[0] == root.id();
  }

  void redundant_product(const OpPrediction& op) {
    const double copies = op.copies_on_devices;
    if (op.work->matrix.empty() || copies <= 1) return;
    diagnosis_.add_work(
        kRedundantCompute, op, op.exposed_seconds * (1 - 1 / copies),
        absl::StrFormat(
            "%.0f devices each compute all of it, %s, from the same operands: sharded over them, each would "
            "compute %s; in JAX, with_sharding_constraint on an operand or on the result",
            copies, format_flops(op.work->flops), format_flops(op.work->flops / copies)));
  }

  void matrix_shape(const OpPrediction& op) {
    if (device_.tpu() == nullptr) return;
    const double unit = static_cast<double>(device_.tpu()->matrix.dim);
    if (op.time->bound != Resource::kMatrix || is_read_kernel(op.work, device_)) return;
    const auto filled = [unit](double size) { return size / (std::ceil(size / unit) * unit); };
    double worst = 1;
    const MatrixWork* narrow = nullptr;
    for (const MatrixWork& product : op.work->matrix) {
      if (!product.is_shape_known || product.n <= 0 || product.k <= 0) continue;
      // K of a convolution is the mean of what its windows hold: the channels are not read off it.
      const double share = filled(product.n) * (product.window_positions > 1 ? 1 : filled(product.k));
      if (share < worst) {
        worst = share;
        narrow = &product;
      }
    }
    if (narrow == nullptr || worst > kPoorlyFilled) return;
    diagnosis_.add_work(
        kMatrixUnderfilled, op, op.exposed_seconds * (1 - worst),
        narrow->window_positions > 1
            ? absl::StrFormat("N = %.0f fills %.0f %% of the matrix unit, which is %.0f wide: as many channels as a "
                              "multiple of %.0f would",
                              narrow->n, 100 * worst, unit, unit)
            : absl::StrFormat("K = %.0f and N = %.0f fill %.0f %% of the matrix unit, which is %.0f wide: dimensions "
                              "that are multiples of %.0f, or several heads in one product, would",
                              narrow->k, narrow->n, 100 * worst, unit, unit));
  }

  void narrow_update(const OpPrediction& op) {
    if (op.work->partial_tile_elements <= 0) return;
    diagnosis_.add_work(
        kNarrowUpdate, op, op.exposed_seconds,
        absl::StrFormat("updates less than a tile along a tiled dimension: %s elements are read, merged and written "
                        "back; put the updated position in an outer dimension",
                        format_count(op.work->partial_tile_elements)));
  }

  // An async start may also run a computation, such as a kernel on another core. Only a known one without arithmetic
  // is a copy.
  static bool is_copy(const OpPrediction& transfer) {
    return transfer.source != CostSource::kUnknown && transfer.work->flops == 0 && transfer.work->transcendentals == 0;
  }

  // Reports waits for a copy. Waits for collectives are findings about the collective.
  void stall(const OpPrediction& op) {
    for (const TransferWait& wait : op.waits) {
      const OpPrediction* transfer = diagnosis_.op(wait.transfer);
      if (!diagnosis_.may_matter(wait.seconds) || transfer == nullptr) continue;
      if (facts_.collectives.by_carrier.contains(wait.transfer.index) || !is_copy(*transfer)) continue;
      const TimePart part = {TimePart::Kind::kWaitsFor, op.id, wait.transfer};
      if (const std::optional<KernelGather> gather =
              gather_for_kernels(module_.instruction(op.id), module_.instruction(wait.transfer), diagnosis_)) {
        diagnosis_.add(gather_finding(*gather, op, part, wait.seconds, diagnosis_));
        continue;
      }
      const bool to_host = transfer->work->written.host > 0;
      const bool from_host = transfer->work->read.host > 0;
      Finding finding = {.op = op.name, .parts = {part}, .least_share = kWorthOfStep};
      if (to_host || from_host) {
        finding.code = kHostTransfer;
        finding.cause = to_host ? "to the host" : "from the host";
        finding.message =
            absl::StrFormat("waits for %s between host and device: start it earlier, or offload less", wait.name);
      } else {
        finding.code = kPrefetchStall;
        finding.cause = "prefetches by " + transfer->opcode;
        finding.message = absl::StrFormat(
            "waits for the prefetch %s: too little work is between its start and its done to hide it", wait.name);
      }
      diagnosis_.add(std::move(finding));
    }
  }

  double seconds_of(ComputationId id) const {
    double sum = 0;
    for (InstructionView instruction : module_.computation(id).instructions()) {
      const OpPrediction* op = diagnosis_.op(instruction.id());
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
    if (most < kUnequalBranches * least) return;
    Finding finding = {.code = kBranchImbalance,
                       .severity = Severity::kInfo,
                       .message = absl::StrFormat("its branches take between %s and %s and the slowest is counted: "
                                                  "--branch-probability %s=P,P... says how often each runs",
                                                  format_seconds(least), format_seconds(most), op.name),
                       .cause = diagnosis_.place(op),
                       .op = op.name,
                       .most_seconds = stake,
                       .least_share = kWorthOfStep};
    for (InstructionView instruction : module_.computation(slowest).instructions()) {
      finding.parts.push_back({TimePart::Kind::kWork, instruction.id(), {}});
      finding.parts.push_back({TimePart::Kind::kWaitsIn, instruction.id(), {}});
    }
    diagnosis_.add(std::move(finding));
  }

  void tiny_ops(const CallGraph::Loop& loop) {
    if (loop.trips.value < 2) return;  // no known iterations to unroll
    const InstructionView instruction = module_.instruction(loop.instruction);
    Finding finding = {.code = kLatencyBoundLoop,
                       .cause = diagnosis_.place(instruction),
                       .op = std::string(instruction.name()),
                       .least_share = kWorthOfStep};
    for (ComputationView body : instruction.computations(AttributeKey::kBody)) {
      for (InstructionView inside : body.instructions()) {
        const OpPrediction* op = diagnosis_.op(inside.id());
        if (op == nullptr || op->bound != Resource::kLatency || op->exposed_seconds <= 0) continue;
        if (async_role(inside) != AsyncRole::kNone) continue;
        finding.parts.push_back({TimePart::Kind::kWork, inside.id(), {}});
      }
    }
    if (finding.parts.empty()) return;
    finding.message = absl::StrFormat(
        "%d %s of its body %s bound by the fixed cost, in each of %d iterations: unroll the loop, or do more in one "
        "iteration",
        finding.parts.size(), finding.parts.size() == 1 ? "op" : "ops", finding.parts.size() == 1 ? "is" : "are",
        loop.trips.value);
    diagnosis_.add(std::move(finding));
  }

  static bool is_narrow_float(const Shape& shape) {
    return shape.is_array() && is_floating(shape.element_type) && bits(shape.element_type) == 8;
  }

  // The instruction that makes a value, before it is renamed or copied, also to another memory.
  static InstructionView made_by(InstructionView value) {
    return origin(value, [](InstructionView at) {
      return flow(at.opcode()) == Flow::kRenames || flow(at.opcode()) == Flow::kCopies ||
             work_class(at.opcode()) == WorkClass::kAsyncCopy;
    });
  }

  // The wider type to which `op` converts its operand, by itself or inside of fusions; kInvalid if to none.
  ElementType upcast_by(InstructionView op, InstructionId operand) {
    const auto widens = [](InstructionView at) {
      const ElementType type = at.shape().element_type;
      return flow(at.opcode()) == Flow::kConverts && is_floating(type) && bits(type) > 8;
    };
    if (widens(op)) return op.shape().element_type;
    ElementType to = ElementType::kInvalid;
    const auto users = [this](InstructionId value) { return diagnosis_.users_of(value); };
    for (const InstructionId parameter : parameters_taking(op, operand)) {
      walk_uses(module_, parameter, kMostValues, users, [&](InstructionView user, InstructionId) {
        if (widens(user)) to = user.shape().element_type;
        const Flow f = flow(user.opcode());
        return f == Flow::kFuses || f == Flow::kRenames || f == Flow::kCopies ? Go::kOn : Go::kStop;
      });
    }
    return to;
  }

  // Whether an op does nothing but convert its operand, so that the result of an earlier one is the same array.
  bool only_converts(InstructionView op) {
    constexpr int kMostSteps = 8;
    InstructionId id = op.id();
    Path path;
    bool converts = false;
    for (int step = 0; step < kMostSteps; ++step) {
      const InstructionView at = module_.instruction(id);
      const Flow f = flow(at.opcode());
      converts |= f == Flow::kConverts;
      const bool is_all = at.id() == op.id() || f == Flow::kParameter;  // from here on, nothing is part of the op
      if (converts && is_all) return true;
      const bool passes = f == Flow::kFuses || f == Flow::kRenames || f == Flow::kCopies || f == Flow::kConverts;
      if (!passes || at.shape().is_tuple() || !step_back(module_, id, path)) return false;
    }
    return false;
  }

  // The share of the time of `op` that is left if it reads the array from HBM as `to`, instead of converting it.
  double share_without(const OpPrediction& op, const Shape& array, ElementType to) const {
    const ElementType from = array.element_type;
    Work work = op.work;
    std::erase_if(work.vector,
                  [&](const VectorWork& v) { return v.opcode == Opcode::kConvert && v.type == from && v.to == to; });
    const int bits_before = memory_space(array) == MemorySpace::kHbm ? bits(from) : 0;
    work.read.hbm += static_cast<double>(element_count(array)) * (bits(to) - bits_before) / 8;
    const double before = op_time(op.work, device_).seconds;
    return before > 0 ? std::min(1.0, op_time(work, device_).seconds / before) : 1;
  }

  // The loop that carries a value of its body from trip to trip without a change; invalid if there is none.
  InstructionId loop_that_keeps(InstructionView value) {
    const InstructionView element = made_by(value);
    if (element.opcode() != Opcode::kGetTupleElement || element.operand(0).opcode() != Opcode::kParameter) return {};
    const ComputationView body = element.computation();
    const auto number = static_cast<std::size_t>(element.tuple_index());
    if (body.root().opcode() != Opcode::kTuple || number >= body.root().operand_count()) return {};
    const InstructionView next = made_by(body.root().operand(number));
    const bool is_kept = next.opcode() == Opcode::kGetTupleElement && next.tuple_index() == element.tuple_index() &&
                         next.operand(0).id() == element.operand(0).id();
    if (!is_kept) return {};
    if (!calls_) calls_ = analyze_calls(module_);
    for (const CallGraph::Loop& loop : calls_->loops()) {
      for (ComputationView called : module_.instruction(loop.instruction).computations(AttributeKey::kBody)) {
        if (called.id() == body.id()) return loop.instruction;
      }
    }
    return {};
  }

  // Reports the ops that convert an array of 8-bit floats which an earlier op has converted to the same type, or which
  // their loop does not change. With one conversion for all, they would read the wider array instead, which is more
  // bytes.
  void repeated_upcasts() {
    std::map<std::pair<std::uint32_t, ElementType>, std::string> first;  // op by the array and the type
    for (const OpPrediction& op : prediction_.ops) {
      if (!diagnosis_.may_matter(op.exposed_seconds)) continue;
      const InstructionView instruction = module_.instruction(op.id);
      if (flow(instruction.opcode()) != Flow::kFuses && flow(instruction.opcode()) != Flow::kConverts) continue;
      for (const InstructionId operand : instruction.operand_ids()) {
        const InstructionView array = module_.instruction(operand);
        if (!is_narrow_float(array.shape())) continue;
        const ElementType to = upcast_by(instruction, operand);
        if (to == ElementType::kInvalid) continue;
        const auto [earlier, is_new] = first.try_emplace({made_by(array).id().index, to}, op.name);
        if (!is_new) {
          repeated_upcast(op, array, to, earlier->second);
        } else if (const InstructionId loop = loop_that_keeps(array); loop.valid()) {
          upcast_in_loop(op, array, to, loop);
        }
      }
    }
  }

  // The share of the time of `op` that is left if the array was converted before, and what to say of it.
  std::pair<double, std::string> without_upcast(const OpPrediction& op, InstructionView array, ElementType to) {
    if (only_converts(module_.instruction(op.id))) return {0, "it would not be needed"};
    const double left = share_without(op, array.shape(), to);
    return {left, absl::StrFormat("it would take %.0f %% of the time", 100 * left)};
  }

  void upcast_in_loop(const OpPrediction& op, InstructionView array, ElementType to, InstructionId loop) {
    const TripCount* const trips = CallFacts::trip_count(*calls_, loop);
    if (trips == nullptr || trips->value < 2) return;
    const auto [left, less] = without_upcast(op, array, to);
    const double again = 1 - 1 / static_cast<double>(trips->value);  // one conversion is left, before the loop
    diagnosis_.add_work(
        kRepeatedUpcast, op, (op.exposed_seconds - op.wait_seconds) * (1 - left) * again,
        absl::StrFormat(
            "converts %s to %s in each of the %d trips of %s, which does not change it: with one conversion "
            "before the loop, %s; multiplying the 8-bit floats as they are and scaling the product needs "
            "none",
            to_string(module_.shapes(), array.shape_id(), ShapeText::kWithoutLayout), to_absl(to_string(to)),
            trips->value, to_absl(module_.instruction(loop).name()), less));
  }

  void repeated_upcast(const OpPrediction& op, InstructionView array, ElementType to, const std::string& earlier) {
    if (earlier == op.name) return;
    const auto [left, less] = without_upcast(op, array, to);
    diagnosis_.add_work(
        kRepeatedUpcast, op, (op.exposed_seconds - op.wait_seconds) * (1 - left),
        absl::StrFormat("converts %s to %s, as %s does before it: with one conversion for all, %s; multiplying the "
                        "8-bit floats as they are and scaling the product needs none",
                        to_string(module_.shapes(), array.shape_id(), ShapeText::kWithoutLayout),
                        to_absl(to_string(to)), earlier, less));
  }

  // Reports the large parameters that every device holds in full, if memory is nearly used up. Copies cost nothing
  // else.
  void parameters() {
    const MemoryPrediction& memory = prediction_.memory;
    if (!module_.has_entry() || module_.num_partitions() <= 1) return;
    if (memory.hbm_peak_bytes < kTightMemory * memory.usable_bytes) return;
    std::map<std::string, double> by_place;
    double all = 0;
    double most = 0;
    std::string largest;
    for (InstructionId id : module_.entry().parameters()) {
      if (!id.valid()) continue;
      const InstructionView parameter = module_.instruction(id);
      const Shape& shape = module_.shape(parameter.shape_id());
      if (!shape.is_array() || memory_space(shape) != MemorySpace::kHbm) continue;
      const auto bytes = static_cast<double>(padded_bytes(shape));
      if (bytes < kWorthOfMemory * device_.hbm.capacity) continue;
      if (parameter.text(AttributeKey::kSharding).find("replicated}") == std::string_view::npos) continue;
      by_place[diagnosis_.place(parameter)] += bytes;
      all += bytes;
      if (bytes <= most) continue;
      most = bytes;
      largest = parameter.name();
    }
    if (by_place.empty()) return;
    std::vector<std::pair<std::string, double>> places(by_place.begin(), by_place.end());
    std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < std::min(kMostPlaces, places.size()); ++i) {
      texts.push_back(absl::StrCat(places[i].first, " ", format_bytes(places[i].second)));
    }
    if (places.size() > kMostPlaces) texts.push_back(absl::StrCat(places.size() - kMostPlaces, " more"));
    const auto devices = static_cast<double>(module_.num_partitions());
    const double saved = all * (1 - 1 / devices);
    diagnosis_.add({.code = kReplicatedParameter,
                    .severity = memory.fits ? Severity::kWarning : Severity::kError,
                    .message = absl::StrFormat("%s whole on each of %d devices (%s): sharded over them, as FSDP or a "
                                               "sharded optimizer does, they would take %s less",
                                               format_bytes(all), module_.num_partitions(), absl::StrJoin(texts, ", "),
                                               format_bytes(saved)),
                    .op = largest,
                    .bytes = saved});
  }

  Diagnosis& diagnosis_;
  const StepFacts& facts_;
  const Module& module_;
  const Device& device_;
  std::optional<CallGraph> calls_;  // once it was needed
  const StepPrediction& prediction_;
};

}  // namespace

void diagnose_ops(Diagnosis& diagnosis) { OpDiagnoser(diagnosis).run(); }

}  // namespace hloroof::internal::inline diagnose
