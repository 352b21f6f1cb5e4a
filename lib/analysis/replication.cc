#include "lib/analysis/replication.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "lib/analysis/calls.h"
#include "lib/base/strings.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/value_walk.h"

namespace hloroof::internal::inline analysis {
namespace {

constexpr std::size_t kMostAxes = 64;             // bits of an AxisSet
constexpr int kMostRounds = 64;                   // each passes a value on by one call or one iteration of a loop
constexpr std::int64_t kMostDevices = 1 << 16;    // of a sharding that is looked at device by device
constexpr std::uint32_t kMostElements = 1 << 12;  // of a tuple that are told apart

// What a collective does to the axes of its operands.
struct Exchange {
  AxisSet equalized = 0;
  AxisSet spread = 0;
};

class Replication {
 public:
  Replication(const Module& module, const CallGraph& calls, const LogicalMesh& mesh)
      : module_(module), calls_(calls), mesh_(mesh) {
    for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
      all_ |= AxisSet{1} << i;
      // Slices that run a copy of the program each have data of their own.
      if (mesh.axes[i].stride >= module.num_partitions()) copies_ |= AxisSet{1} << i;
    }
  }

  std::vector<AxisSet> run(const std::vector<Collective>& collectives) {
    exchange_of_.assign(module_.instruction_limit(), 0);
    for (const Collective& collective : collectives) read(collective);
    lay_out();
    bool settled = false;
    for (int round = 0; round < kMostRounds && !settled; ++round) settled = !pass();
    if (!settled) return {};
    std::vector<AxisSet> whole(module_.instruction_limit(), 0);
    for (const ComputationId id : computations_) {
      for (InstructionView instruction : module_.computation(id).instructions()) {
        whole[instruction.id().index] = union_of(instruction.id());
      }
    }
    return whole;
  }

 private:
  // A computation of which some instructions were visited.
  struct Open {
    InstructionRange::Iterator next;
    InstructionRange::Iterator end;
    bool are_parts_visited = false;  // those of `next`
  };

  void read(const Collective& collective) {
    Exchange exchange{.equalized = 0, .spread = all_};
    AxisSet spanned = 0;
    for (const int axis : spanned_axes(mesh_, collective.groups)) spanned |= AxisSet{1} << axis;
    switch (collective.kind) {
      case CollectiveKind::kAllGather:
      case CollectiveKind::kAllReduce:
      case CollectiveKind::kCollectiveBroadcast: exchange = {.equalized = spanned, .spread = 0}; break;
      case CollectiveKind::kReduceScatter:
      case CollectiveKind::kAllToAll:
        if (spanned != 0) exchange.spread = spanned;
        break;
      default: break;
    }
    exchanges_.push_back(exchange);
    exchange_of_[collective.instruction.index] = static_cast<std::uint32_t>(exchanges_.size());
  }

  // Gives each instruction a set, or a tuple one for each of its elements.
  void lay_out() {
    is_part_.assign(module_.computation_limit(), false);
    begin_.assign(module_.instruction_limit(), 0);
    count_.assign(module_.instruction_limit(), 0);
    std::uint32_t next = 0;
    for (const ComputationId id : ModuleRows::computation_order(module_)) {
      if (!is_visited(id)) continue;
      computations_.push_back(id);
      is_part_[id.index] = is_part_of_one(id);
      for (InstructionView instruction : module_.computation(id).instructions()) {
        const Shape& shape = instruction.shape();
        std::uint32_t count = 1;
        if (shape.is_tuple() && shape.elements.size() <= kMostElements) {
          count = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(shape.elements.size()));
        }
        begin_[instruction.id().index] = next;
        count_[instruction.id().index] = count;
        next += count;
      }
    }
    sets_.assign(next, 0);
  }

  bool is_visited(ComputationId id) const {
    const ComputationRole role = CallFacts::role(calls_, id);
    return role != ComputationRole::kUnused && role != ComputationRole::kApplied;
  }

  // Whether only one fusion or async-start runs a computation. It is visited with that instruction, so that a value
  // passes through a row of them, and through those inside, in one round.
  bool is_part_of_one(ComputationId id) const {
    const absl::Span<const InstructionId> callers = CallFacts::callers(calls_, id);
    if (callers.size() != 1) return false;
    const InstructionView caller = module_.instruction(callers[0]);
    return has_parts(caller) && is_visited(caller.computation().id());
  }

  static bool has_parts(InstructionView instruction) {
    return flow(instruction.opcode()) == Flow::kFuses || instruction.opcode() == Opcode::kAsyncStart;
  }

  // Visits every instruction once. Returns whether a set has grown.
  bool pass() {
    has_grown_ = false;
    for (const ComputationId id : computations_) {
      if (!is_part_[id.index]) visit_all(id);
    }
    return has_grown_;
  }

  // Visits the instructions of a computation, each after its parts. With an explicit stack, because the input controls
  // the nesting depth.
  void visit_all(ComputationId id) {
    open(id);
    while (!open_.empty()) {
      Open& top = open_.back();
      if (top.next == top.end) {
        open_.pop_back();
        continue;
      }
      const InstructionView instruction = *top.next;
      if (!top.are_parts_visited && has_parts(instruction)) {
        top.are_parts_visited = true;
        for (const ComputationId called : instruction.called_computations()) {
          if (is_part_[called.index]) open(called);
        }
        continue;
      }
      top.are_parts_visited = false;
      ++top.next;
      visit(instruction);
    }
  }

  void open(ComputationId id) {
    const InstructionRange instructions = module_.computation(id).instructions();
    open_.push_back({instructions.begin(), instructions.end()});
  }

  absl::Span<AxisSet> of(InstructionId id) { return {sets_.data() + begin_[id.index], count_[id.index]}; }

  // Instructions of computations that are left out have no sets.
  AxisSet union_of(InstructionId id) {
    if (!id.valid()) return 0;
    AxisSet axes = 0;
    for (const AxisSet element : of(id)) axes |= element;
    return axes;
  }

  void add(AxisSet& set, AxisSet more) {
    if ((more & ~set) == 0) return;
    set |= more;
    has_grown_ = true;
  }

  void add_to_all(InstructionId id, AxisSet more) {
    for (AxisSet& set : of(id)) add(set, more);
  }

  // Adds what `from` has, element by element if both are the same tuple.
  void add_from(InstructionId id, InstructionId from) {
    if (!from.valid()) return;
    const absl::Span<AxisSet> to = of(id);
    const absl::Span<const AxisSet> source = of(from);
    if (to.size() != source.size()) return add_to_all(id, union_of(from));
    for (std::size_t i = 0; i < to.size(); ++i) add(to[i], source[i]);
  }

  void add_operands(InstructionView instruction) {
    for (const InstructionId operand : instruction.operand_ids()) add_to_all(instruction.id(), union_of(operand));
  }

  void add_roots(InstructionView instruction) {
    for (const ComputationId called : instruction.called_computations()) {
      add_from(instruction.id(), ModuleRows::row(module_, called).root);
    }
  }

  void visit(InstructionView instruction) {
    const InstructionId id = instruction.id();
    if (const std::uint32_t at = exchange_of_[id.index]; at != 0) {
      const Exchange& exchange = exchanges_[at - 1];
      AxisSet axes = 0;
      for (const InstructionId operand : instruction.operand_ids()) axes |= union_of(operand);
      return add_to_all(id, (axes & ~exchange.equalized) | exchange.spread);
    }
    switch (flow(instruction.opcode())) {
      case Flow::kParameter: return visit_parameter(instruction);
      case Flow::kPacks:
        if (of(id).size() != instruction.operand_count()) return add_operands(instruction);
        for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
          add(of(id)[i], union_of(instruction.operand_ids()[i]));
        }
        return;
      case Flow::kPicks: return visit_pick(instruction);
      case Flow::kFuses:
      case Flow::kCalls: return add_roots(instruction);
      case Flow::kLoops:
        add_operands_by_element(instruction);
        for (ComputationView body : instruction.computations(AttributeKey::kBody)) add_from(id, body.root().id());
        // Where the number of iterations differs, so does everything that they compute.
        for (ComputationView condition : instruction.computations(AttributeKey::kCondition)) {
          add_to_all(id, union_of(condition.root().id()));
        }
        return;
      case Flow::kBranches:
        add_roots(instruction);
        if (instruction.operand_count() > 0) add_to_all(id, union_of(instruction.operand_ids()[0]));
        return;
      default: break;
    }
    if (instruction.operand_count() == 0) return add_to_all(id, is_same_everywhere(instruction) ? 0 : all_);
    switch (instruction.opcode()) {
      case Opcode::kAsyncStart:
        for (const ComputationId called : instruction.called_computations()) {
          add_to_all(id, union_of(ModuleRows::row(module_, called).root));
        }
        return;
      case Opcode::kRng:
      case Opcode::kInfeed:
      case Opcode::kRecv:
      case Opcode::kRecvDone: return add_to_all(id, all_);
      default: return add_operands_by_element(instruction);
    }
  }

  void add_operands_by_element(InstructionView instruction) {
    if (instruction.operand_count() == 1) return add_from(instruction.id(), instruction.operand_ids()[0]);
    add_operands(instruction);
  }

  static bool is_same_everywhere(InstructionView instruction) {
    const Opcode opcode = instruction.opcode();
    return opcode == Opcode::kConstant || opcode == Opcode::kIota;
  }

  void visit_pick(InstructionView instruction) {
    const InstructionId tuple = instruction.operand_ids()[0];
    const absl::Span<const AxisSet> elements = of(tuple);
    const auto index = static_cast<std::size_t>(instruction.tuple_index());
    const bool is_told_apart = instruction.operand(0).shape().elements.size() == elements.size();
    add_to_all(instruction.id(), is_told_apart && index < elements.size() ? elements[index] : union_of(tuple));
  }

  void visit_parameter(InstructionView parameter) {
    const InstructionId id = parameter.id();
    const ComputationView computation = parameter.computation();
    if (computation.is_entry()) return add_to_all(id, of_sharding(parameter));
    for (const InstructionId caller : CallFacts::callers(calls_, computation.id())) {
      const InstructionView call = module_.instruction(caller);
      if (flow(call.opcode()) == Flow::kLoops) {
        add_from(id, call.operand_count() > 0 ? call.operand_ids()[0] : InstructionId());
        for (ComputationView body : call.computations(AttributeKey::kBody)) add_from(id, body.root().id());
      } else {
        add_from(id, argument(call, computation.id(), parameter.parameter_number()));
      }
    }
  }

  AxisSet of_sharding(InstructionView parameter) {
    const std::string_view text = parameter.text(AttributeKey::kSharding);
    const auto known = of_text_.find(text);
    if (known != of_text_.end()) return known->second;
    AxisSet axes = copies_;
    const std::optional<ShardingAttribute> all = sharding(parameter);
    if (!all || all->elements.empty()) axes = all_;
    for (const Sharding& one : all ? absl::MakeConstSpan(all->elements) : absl::Span<const Sharding>()) {
      axes |= axes_of(one);
    }
    return of_text_.emplace(std::string(text), axes).first->second;
  }

  // The axes along which the devices hold different shards.
  AxisSet axes_of(const Sharding& sharding) const {
    if (sharding.kind == Sharding::Kind::kReplicated) return 0;
    const bool is_by_shard = sharding.kind == Sharding::Kind::kTiled || sharding.kind == Sharding::Kind::kNamed;
    const bool is_whole = std::all_of(sharding.subgroups.begin(), sharding.subgroups.end(),
                                      [](auto group) { return group == Sharding::Subgroup::kReplicated; });
    if (!is_by_shard || !is_whole || !sharding.unreduced_axes.empty() || !sharding.manual_axes.empty()) return all_;
    const absl::StatusOr<std::vector<std::int64_t>> devices = sharding.device_list(kMostDevices);
    const auto count = module_.num_partitions();
    if (!devices.ok() || static_cast<std::int64_t>(devices->size()) != count) return all_;
    std::int64_t shards = 1;
    const std::size_t dimensions = sharding.kind == Sharding::Kind::kNamed
                                       ? sharding.dimension_axes.size()
                                       : sharding.tile_dimensions.size() - sharding.subgroups.size();
    for (std::size_t d = 0; d < dimensions; ++d) shards *= sharding.shards_of_dimension(d);
    if (shards <= 0 || count % shards != 0) return all_;
    std::vector<std::int64_t> shard_of(devices->size(), 0);
    for (std::int64_t p = 0; p < count; ++p) {
      const std::int64_t device = (*devices)[static_cast<std::size_t>(p)];
      if (device < 0 || device >= count) return all_;
      shard_of[static_cast<std::size_t>(device)] = p / (count / shards);
    }
    AxisSet axes = 0;
    for (std::size_t i = 0; i < mesh_.axes.size(); ++i) {
      if (differs_along(mesh_.axes[i], shard_of)) axes |= AxisSet{1} << i;
    }
    return axes;
  }

  // Whether a device holds another shard than the next one along the axis.
  static bool differs_along(const MeshAxis& axis, const std::vector<std::int64_t>& shard_of) {
    const auto count = static_cast<std::int64_t>(shard_of.size());
    for (std::int64_t device = 0; device + axis.stride < count; ++device) {
      if (device / axis.stride % axis.size == axis.size - 1) continue;
      const auto at = static_cast<std::size_t>(device);
      if (shard_of[at] != shard_of[at + static_cast<std::size_t>(axis.stride)]) return true;
    }
    return false;
  }

  const Module& module_;
  const CallGraph& calls_;
  const LogicalMesh& mesh_;
  AxisSet all_ = 0;
  AxisSet copies_ = 0;
  std::vector<Exchange> exchanges_;
  std::vector<std::uint32_t> exchange_of_;               // by InstructionId, one more than the index; 0 for none
  std::map<std::string, AxisSet, std::less<>> of_text_;  // by the text of a sharding
  std::vector<ComputationId> computations_;              // callees first
  std::vector<bool> is_part_;                            // by ComputationId; see is_part_of_one()
  std::vector<Open> open_;                               // the computations of the visit, outermost first
  std::vector<std::uint32_t> begin_;                     // by InstructionId, in sets_
  std::vector<std::uint32_t> count_;                     // by InstructionId; 0 where nothing is known
  std::vector<AxisSet> sets_;
  bool has_grown_ = false;
};

}  // namespace

std::vector<AxisSet> differing_axes(const Module& module, const CallGraph& calls, const LogicalMesh& mesh,
                                    const std::vector<Collective>& collectives) {
  if (module.replica_count() != 1 || mesh.axes.empty() || mesh.axes.size() > kMostAxes) return {};
  return Replication(module, calls, mesh).run(collectives);
}

}  // namespace hloroof::internal::inline analysis
