// Findings about collectives: those that the step waits for, gathers whose result is cut again, and exchanges that move
// a value from one sharding to another.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "hloroof/module.h"
#include "lib/analysis/axis_names.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/mesh.h"
#include "lib/analysis/op_name.h"
#include "lib/base/units.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/diagnose/sent_by_role.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/value_walk.h"
#include "lib/step/hideable.h"
#include "lib/step/waits.h"

namespace hloroof::internal::inline diagnose {
namespace {

using enum DiagnosticCode;

constexpr double kBusyChip = 0.80;          // share of the step that the chip works: the links are no concern then
constexpr double kWorthOfExposed = 0.05;    // share of the step of all waits for one kind of collective over one axis
constexpr std::size_t kMostCutValues = 64;  // limit on the values followed from a gather to its users
constexpr int kMostIndexValues = 64;        // limit on the values followed back from the offset of a slice

// What JAX calls the collectives that a program asks for by name. XLA's partitioner inserts all others, and gives them
// the op_name of the op that needs the value.
bool is_asked_for(std::string_view op_name, std::string_view module_name) {
  static constexpr std::array<std::string_view, 9> kPrimitives = {
      "all_to_all",     "ragged_all_to_all",   "ppermute", "pshuffle", "all_gather", "psum", "psum_scatter",
      "reduce_scatter", "all_gather_invariant"};
  const OpPath path = parse_op_name(op_name, module_name);
  return std::find(kPrimitives.begin(), kPrimitives.end(), path.op) != kPrimitives.end() ||
         op_name.find("shard_map") != std::string_view::npos;
}

// What is exposed of the collectives of one cause, and what other orders can hide of it.
struct Exposure {
  double seconds = 0;
  double hideable = 0;
};

// The sharded dimension of a value before and after an exchange.
struct Resharding {
  std::string before;
  std::string after;
};

class CommunicationDiagnoser {
 public:
  explicit CommunicationDiagnoser(Diagnosis& diagnosis)
      : diagnosis_(diagnosis),
        module_(diagnosis.module),
        collectives_(diagnosis.facts.collectives),
        prediction_(diagnosis.prediction) {
    for (const CollectivePrediction& collective : prediction_.collectives) {
      seconds_[collective.id.index] += collective.exposed_seconds;
      if (!collective.hideable_seconds) continue;
      Exposure& exposure = exposures_[cause_of(collective)];
      exposure.seconds += collective.exposed_seconds;
      exposure.hideable += *collective.hideable_seconds;
    }
  }

  void run() {
    balance();
    for (const CollectivePrediction& collective : prediction_.collectives) exposed(collective);
    for (const Collective& collective : collectives_.collectives) {
      if (!collective.carrier.valid() || collective.in_fusion || seconds_of(collective) <= 0) continue;
      if (!diagnosis_.may_matter(seconds_of(collective))) continue;
      if (!reshards(collective)) gathered_to_be_cut(collective);
    }
  }

 private:
  static std::vector<TimePart> parts_of(InstructionId carrier) {
    return {{TimePart::Kind::kWork, carrier, {}}, {TimePart::Kind::kWaitsBy, carrier, {}}};
  }

  double seconds_of(const Collective& collective) const {
    const auto found = seconds_.find(collective.carrier.index);
    return found == seconds_.end() ? 0 : found->second;
  }

  // Compares the time of the busiest link with that of all other ops, which run one after another.
  void balance() {
    double links = 0;
    for (const ResourceUse& use : prediction_.resources) {
      const bool is_link = use.resource == Resource::kIci || use.resource == Resource::kDcn;
      if (is_link && use.busy_seconds > links) {
        links = use.busy_seconds;
        link_ = to_string(use.resource, prediction_.family);
      }
      if (!is_link && use.resource != Resource::kHost) chip_ = std::max(chip_, use.busy_seconds);
    }
    ops_ = op_seconds(prediction_);
    links_ = links;
    const double step = prediction_.step_seconds;
    if (links <= ops_ || links - ops_ < kWorthOfStep * step) return;
    Finding finding = {.code = kCrossoverNotReached,
                       .message = absl::StrCat(busier_than_ops(), ": no overlap can hide all of it. ",
                                               help_for(mostly_sent(sent_by_role(prediction_)))),
                       .cause = link_,
                       .most_seconds = links - ops_,
                       .least_share = kWorthOfStep};
    for (const CollectivePrediction& collective : prediction_.collectives) {
      for (const TimePart& part : parts_of(collective.id)) finding.parts.push_back(part);
    }
    diagnosis_.add(std::move(finding));
  }

  std::string busier_than_ops() const {
    return absl::StrFormat("%s is busy %.1fx as long as the other ops take", link_,
                           ops_ > 0 ? links_ / ops_ : INFINITY);
  }

  // Advice for links that are busy for longer than the other ops take. A larger batch helps only where it does not also
  // send more.
  std::string help_for(MostlySent sent) const {
    switch (sent) {
      case MostlySent::kParameters:
        return "What it sends does not grow with the batch: a larger batch per device, or fewer devices along the "
               "axis, would balance the two";
      case MostlySent::kActivations: return help_for_activations();
      case MostlySent::kUndecided: break;
    }
    return "Fewer devices along the axis, or less to exchange, would help";
  }

  static std::string over(const std::vector<std::string>& axes, std::int64_t devices) {
    return axes.empty() ? absl::StrCat(devices, " devices") : axes_in_sentence(axes);
  }

  static std::string cause_of(const CollectivePrediction& collective) {
    return collective.kind + " over " + over(collective.axis_names, collective.group_size);
  }

  // The seconds of the step in which a collective runs in its own start.
  double in_start(InstructionId carrier) const {
    if (diagnosis_.facts.costs.demand[carrier.index].held <= 0) return 0;
    const std::vector<Wait>& waits = diagnosis_.facts.timeline.waits;  // sorted by op
    double seconds = 0;
    auto wait = std::lower_bound(waits.begin(), waits.end(), carrier,
                                 [](const Wait& a, InstructionId op) { return a.op.index < op.index; });
    for (; wait != waits.end() && wait->op == carrier; ++wait) seconds += wait->seconds;
    return seconds;
  }

  // Why the step waits for a collective, and what would help.
  std::string why_exposed(const CollectivePrediction& collective) const {
    const std::optional<std::size_t> carried = collectives_.by_carrier.first_of(collective.id.index);
    if (links_ > ops_) {
      return absl::StrCat("the step waits for it, and no schedule can hide all of it, because ", busier_than_ops(),
                          ". ", help_for(mostly_sent(collective.role)));
    }
    if (carried && collectives_.collectives[*carried].slices > 0) {
      return "the step waits for the network between slices. Send earlier, exchange less, or exchange less often, such "
             "as once for several microbatches";
    }
    if (in_start(collective.id) > collective.exposed_seconds / 2) {
      return "the step waits for it in the fusion that starts it, which performs the first part of the collective "
             "before it ends. Only the rest can be hidden. Exchange less, or have the compiler start it without a "
             "fusion";
    }
    if (diagnosis_.facts.costs.demand[collective.id.index].step == Step::kRun) {
      return "the step waits for it: it is one blocking instruction, and no order of the program hides it. Exchange "
             "less, or have the compiler split it into a start and an end";
    }
    const auto exposure = exposures_.find(cause_of(collective));
    if (exposure == exposures_.end()) return "the step waits for it. Start it earlier, or exchange less";
    if (exposure->second.hideable < kWorthOfOrder * exposure->second.seconds) {
      return "the step waits for it, and no order of the ops hides it: nearly all that takes time comes before its "
             "start or needs its end. Exchange less, or cut what makes or uses it into parts, so that one runs beside "
             "the exchange of another";
    }
    return absl::StrCat(
        "the step waits for it. Put work that does not need its result between its start and its end, "
        "which can hide at most ",
        format_seconds(exposure->second.hideable), " of it, or exchange less");
  }

  void exposed(const CollectivePrediction& collective) {
    if (collective.exposed_seconds <= 0) return;
    const bool is_busy = chip_ >= kBusyChip * prediction_.step_seconds;
    diagnosis_.add({.code = kExposedCommunication,
                    .severity = is_busy ? Severity::kInfo : Severity::kWarning,
                    .message = why_exposed(collective),
                    .cause = cause_of(collective),
                    .op = collective.name,
                    .parts = parts_of(collective.id),
                    .most_seconds = collective.exposed_seconds,
                    .least_share = kWorthOfExposed});
  }

  // ---- Gathers that are cut again ----

  // Returns the users of a value, and sets `is_unused` if it has none: the whole value leaves the computation.
  auto noting_unused(bool& is_unused) {
    return [this, &is_unused](InstructionId value) {
      const absl::Span<const InstructionId> all = diagnosis_.users_of(value);
      is_unused |= all.empty();
      return all;
    };
  }

  // Returns true if every use of the result ends in a reduction or a slice. Follows instructions that rename, convert
  // or compute elementwise, also inside fusions. Sets `verb` to that operation and the suggested alternative.
  bool is_only_cut(InstructionId result, std::string& verb) {
    bool is_unused = false;
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
      return passes(user);
    };
    return walk_uses(module_, result, kMostCutValues, noting_unused(is_unused), visit) && !is_unused && !verb.empty();
  }

  static Go passes(InstructionView user) {
    const Opcode opcode = user.opcode();
    const Flow f = flow(opcode);
    if (f == Flow::kFuses) return user.computations(AttributeKey::kCalls).size() == 1 ? Go::kOn : Go::kEnd;
    const bool goes_on = keeps_order(opcode) || f == Flow::kPicks || f == Flow::kElementwise;
    return goes_on && !user.is_root() ? Go::kOn : Go::kEnd;
  }

  void gathered_to_be_cut(const Collective& collective) {
    if (collective.kind != CollectiveKind::kAllGather) return;
    std::string verb;
    if (!is_only_cut(result_of(collective), verb)) return;
    const OpPrediction* const op = diagnosis_.op(collective.carrier);
    diagnosis_.add({.code = kGatherThenCut,
                    .message = "what it gathers is only " + verb,
                    .cause = diagnosis_.place(*op),
                    .op = op->name,
                    .parts = parts_of(collective.carrier),
                    .most_seconds = seconds_of(collective),
                    .least_share = kWorthOfStep});
  }

  static InstructionId result_of(const Collective& collective) {
    return collective.done.valid() ? collective.done : collective.instruction;
  }

  // ---- Values that change their sharding ----

  bool reshards(const Collective& collective) {
    const OpPrediction* const op = diagnosis_.op(collective.carrier);
    if (op == nullptr) return false;
    std::string name = op->op_name;
    if (name.empty()) name = op_name(module_.instruction(collective.instruction));
    if (is_asked_for(name, module_.name())) return false;
    std::optional<Resharding> found = written_shardings(collective);
    if (!found && collective.kind == CollectiveKind::kAllToAll) found = by_exchange(collective);
    if (!found && collective.kind == CollectiveKind::kAllGather) found = by_gather_and_slice(collective);
    if (!found) return false;
    const std::string kind(to_string(collective.kind));
    const InstructionView instruction = module_.instruction(collective.instruction);
    std::string message = absl::StrFormat(
        "%s moves %s from one sharding to another: before, %s; after, %s", kind,
        instruction.operand_count() > 0 ? to_string(module_.shapes(), instruction.operand(0).shape_id()) : "a value",
        found->before, found->after);
    if (!op->source_file.empty()) {
      absl::StrAppend(&message, ", at ", op->source_file,
                      op->source_line > 0 ? absl::StrCat(":", op->source_line) : "");
    }
    message +=
        ". Unless the program needs both (as experts do), give producer and consumer the same sharding "
        "(with_sharding_constraint): then nothing is sent";
    diagnosis_.add({.code = kReshard,
                    .message = std::move(message),
                    .cause = absl::StrCat(found->before, " -> ", found->after, ", ", diagnosis_.place(*op)),
                    .op = op->name,
                    .parts = parts_of(collective.carrier),
                    .most_seconds = seconds_of(collective),
                    .least_share = kWorthOfStep});
    return true;
  }

  std::string axes_of(const Collective& collective) const {
    std::vector<std::string> names;
    for (const int axis : spanned_axes(collectives_.mesh, collective.groups)) {
      names.push_back(collectives_.mesh.axes[axis].name);
    }
    const std::int64_t pieces = collective.groups.group_size;
    const std::string axes = over(names, pieces);
    const bool states_size = names.empty() || (names.size() == 1 && is_description_of_axis(names[0]));
    return states_size ? axes : absl::StrCat(axes, " (", pieces, "-way)");
  }

  // Reads the shardings that the text states for the source of the value and for its user, if they differ.
  std::optional<Resharding> written_shardings(const Collective& collective) {
    const InstructionView instruction = module_.instruction(collective.instruction);
    if (instruction.operand_count() == 0) return std::nullopt;
    const InstructionView source = origin(instruction.operand(0), [](InstructionView at) {
      return !at.has(AttributeKey::kSharding) && keeps_elements(at.opcode());
    });
    const std::string before(source.text(AttributeKey::kSharding));
    if (before.empty()) return std::nullopt;
    std::string after;
    const auto users = [this](InstructionId value) { return diagnosis_.users_of(value); };
    walk_uses(module_, result_of(collective), kMostCutValues, users, [&](InstructionView user, InstructionId) {
      after = user.text(AttributeKey::kSharding);
      if (!after.empty()) return Go::kEnd;
      return keeps_elements(user.opcode()) ? Go::kOn : Go::kStop;
    });
    if (after.empty() || after == before || after.find("replicated}") != std::string::npos) return std::nullopt;
    return Resharding{"sharding=" + before, "sharding=" + after};
  }

  // An all-to-all makes one dimension whole and splits another. The array before and after it, without the dimension
  // that numbers the pieces, says which.
  std::optional<Resharding> by_exchange(const Collective& collective) {
    const InstructionView instruction = module_.instruction(collective.instruction);
    const std::int64_t pieces = collective.groups.group_size;
    if (instruction.operand_count() != 1 || pieces < 2 || collective.dimension < 0) return std::nullopt;
    const auto keeps_shape_apart = [](InstructionView at) { return keeps_elements(at.opcode()); };
    const InstructionView source = origin(instruction.operand(0), keeps_shape_apart);
    InstructionView target = module_.instruction(result_of(collective));
    for (std::size_t steps = 0; steps < kMostCutValues; ++steps) {
      const absl::Span<const InstructionId> users = diagnosis_.users_of(target.id());
      if (users.size() != 1 || !keeps_shape_apart(module_.instruction(users[0]))) break;
      target = module_.instruction(users[0]);
    }
    if (!source.shape().is_array() || !target.shape().is_array()) return std::nullopt;
    const std::string axes = " over " + axes_of(collective);
    const std::vector<std::int64_t>& before = source.shape().dimensions;
    const std::vector<std::int64_t>& after = target.shape().dimensions;
    std::optional<std::size_t> made_whole;
    std::optional<std::size_t> split;
    std::size_t different = 0;
    for (std::size_t i = 0; i < before.size() && before.size() == after.size(); ++i) {
      if (before[i] == after[i]) continue;
      ++different;
      if (before[i] * pieces == after[i]) made_whole = i;
      if (after[i] * pieces == before[i]) split = i;
    }
    if (different == 2 && made_whole && split) {
      return Resharding{absl::StrCat("dimension ", *made_whole, axes), absl::StrCat("dimension ", *split, axes)};
    }
    return Resharding{absl::StrCat("another dimension", axes),
                      absl::StrCat("dimension ", collective.dimension, " of the exchanged array", axes)};
  }

  // Whether a value depends on the number of the device.
  bool depends_on_device(InstructionId value) {
    if (!walk_) walk_.emplace(module_);
    bool found = false;
    walk_->begin();
    walk_->add(value, {});
    walk_->back(
        kMostIndexValues, [&](ComputationId id) { return CallFacts::callers(diagnosis_.facts.calls, id); },
        [&](InstructionView at) {
          found = found || at.opcode() == Opcode::kPartitionId || at.opcode() == Opcode::kReplicaId;
          if (found) return Go::kEnd;
          const Flow f = flow(at.opcode());
          if (f == Flow::kParameter || f == Flow::kFuses || f == Flow::kPicks) return Go::kOn;
          return f == Flow::kLoops || f == Flow::kBranches ? Go::kStop : Go::kOperands;
        });
    return found;
  }

  // A gather along one dimension of which each device then takes its part along another.
  std::optional<Resharding> by_gather_and_slice(const Collective& collective) {
    if (collective.dimension < 0) return std::nullopt;
    const InstructionId result = result_of(collective);
    const std::vector<std::int64_t> whole = module_.instruction(result).shape().dimensions;
    std::optional<std::size_t> sliced;
    bool is_unused = false;
    const auto visit = [&](InstructionView user, InstructionId value) {
      if (user.opcode() != Opcode::kDynamicSlice) return passes(user);
      const std::vector<std::int64_t>& from = user.operand(0).shape().dimensions;
      const std::vector<std::int64_t>& to = user.shape().dimensions;
      if (user.operand(0).id() != value || from != whole || to.size() != from.size()) return Go::kEnd;
      for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] == to[i]) continue;
        if (static_cast<std::int64_t>(i) == collective.dimension || (sliced && *sliced != i)) return Go::kEnd;
        if (i + 1 >= user.operand_count() || !depends_on_device(user.operand(i + 1).id())) return Go::kEnd;
        sliced = i;
      }
      return Go::kStop;
    };
    const bool is_cut = walk_uses(module_, result, kMostCutValues, noting_unused(is_unused), visit);
    if (!is_cut || is_unused || !sliced) return std::nullopt;
    return Resharding{absl::StrCat("dimension ", collective.dimension, " over ", axes_of(collective)),
                      absl::StrCat("dimension ", *sliced, " by a slice of the gathered array on each device")};
  }

  Diagnosis& diagnosis_;
  const Module& module_;
  const CollectiveCosts& collectives_;
  const StepPrediction& prediction_;
  std::unordered_map<std::uint32_t, double> seconds_;  // exposed, by InstructionId of the carrier
  std::map<std::string, Exposure> exposures_;          // by cause
  std::optional<ValueWalk> walk_;
  std::string link_;
  double links_ = 0;
  double chip_ = 0;  // seconds of its busiest unit
  double ops_ = 0;   // seconds of all ops beside waits and collectives
};

}  // namespace

void diagnose_communication(Diagnosis& diagnosis) { CommunicationDiagnoser(diagnosis).run(); }

}  // namespace hloroof::internal::inline diagnose
