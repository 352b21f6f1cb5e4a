#include "lib/step/order_rules.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/collectives.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/schedule/async_pairs.h"
#include "lib/schedule/buffers.h"

namespace hloroof::internal::inline step {
namespace {

// Whether the instruction acts on something outside the program: the host, another slice, or a random state.
bool acts_outside(InstructionView instruction) {
  switch (instruction.opcode()) {
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState: return true;
    case Opcode::kCustomCall: return instruction.text(AttributeKey::kCustomCallHasSideEffect) == "true";
    default: return false;
  }
}

// The part of a start's result that is its operands under another name; see Buffers::visit_start().
bool forwards_operand(const Buffers& buffers, InstructionView start, std::uint32_t leaf) {
  if (async_role(start.opcode()) != AsyncRole::kStart) return false;
  if (start.opcode() == Opcode::kCopyStart) return leaf == 1;
  if (flow(start.opcode()) != Flow::kAsyncSecond) return false;
  std::uint32_t operands = 0;
  for (InstructionId operand : start.operand_ids()) {
    operands += buffers.leaf_count(operand);
    if (start.opcode() == Opcode::kCollectivePermuteStart) break;
  }
  return leaf < operands;
}

class RuleFinder {
 public:
  // `carries`, by InstructionId: starts or performs a collective.
  RuleFinder(const Module& module, const CallGraph& calls, const AsyncPairs& pairs, std::vector<bool> carries)
      : module_(module), calls_(calls), pairs_(pairs), carries_(std::move(carries)), buffers_(module, calls) {}

  absl::StatusOr<OrderRules> find() {
    if (!buffers_.complete()) {
      return absl::UnimplementedError("the module has too many values to know which orders are legal");
    }
    result_.before.resize(module_.instruction_limit());
    result_.after.resize(module_.instruction_limit());
    result_.is_fixed.assign(module_.instruction_limit(), false);
    result_.starts.resize(module_.instruction_limit());
    communicates_.assign(module_.computation_limit(), false);
    has_effects_.assign(module_.computation_limit(), false);
    for (ComputationView computation : module_.computations()) {  // callees first
      if (CallFacts::is_scheduled(calls_, computation.id())) visit(computation);
    }
    tidy(result_.before);
    tidy(result_.after);
    return std::move(result_);
  }

 private:
  struct Uses {
    InstructionId writer;
    std::vector<InstructionId> readers;  // since then
  };

  void keep(InstructionId first, InstructionId second) {
    if (!first.valid() || first == second) return;
    if (row_of(module_, first).computation != row_of(module_, second).computation) return;
    result_.before[second.index].push_back(first);
    result_.after[first.index].push_back(second);
  }

  static void tidy(std::vector<std::vector<InstructionId>>& lists) {
    for (std::vector<InstructionId>& list : lists) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  void visit(ComputationView computation) {
    uses_.clear();
    InstructionId last_collective;
    InstructionId last_effect;
    for (InstructionView instruction : computation.instructions()) {
      const InstructionId id = instruction.id();
      const bool is_ahead = instruction.has(AttributeKey::kCrossProgramPrefetchIndex);
      result_.is_fixed[id.index] = instruction.opcode() == Opcode::kParameter || instruction.is_root() || is_ahead;
      for (InstructionId operand : instruction.operand_ids()) keep(operand, id);
      for (InstructionView predecessor : instruction.control_predecessors()) keep(predecessor.id(), id);
      if (calls_any(instruction, communicates_) || is_collective_step(instruction)) {
        keep(last_collective, id);
        last_collective = id;
        communicates_[computation.id().index] = true;
      }
      if (calls_any(instruction, has_effects_) || acts_outside(instruction)) {
        keep(last_effect, id);
        last_effect = id;
        has_effects_[computation.id().index] = true;
      }
      const absl::Span<const InstructionId> starts = pairs_.starts_of(id);
      result_.starts[id.index].assign(starts.begin(), starts.end());
      visit_buffers(instruction);
    }
  }

  bool is_collective_step(InstructionView instruction) const {
    return carries_[instruction.id().index] || is_collective(instruction.opcode()) ||
           carries_collective_step(instruction);
  }

  static bool calls_any(InstructionView instruction, const std::vector<bool>& marked) {
    if (!calls_schedules(instruction.opcode())) return false;
    const std::vector<ComputationId> called = instruction.called_computations();
    return std::any_of(called.begin(), called.end(), [&](ComputationId id) { return id.valid() && marked[id.index]; });
  }

  // What only renames memory neither reads nor writes it. Its users do.
  void visit_buffers(InstructionView instruction) {
    const Opcode opcode = instruction.opcode();
    if (is_alias(opcode) || opcode == Opcode::kParameter || opcode == Opcode::kConstant) return;
    const InstructionId id = instruction.id();
    read_operands(id, instruction);
    // A transfer reads until its done.
    for (InstructionId start : pairs_.starts_of(id)) read_operands(id, module_.instruction(start));
    for (std::uint32_t leaf = 0; leaf < buffers_.leaf_count(id); ++leaf) {
      if (!forwards_operand(buffers_, instruction, leaf)) {
        write(id, buffers_.buffer_of(buffers_.first_value(id) + leaf));
      }
    }
  }

  void read_operands(InstructionId reader, InstructionView instruction) {
    for (InstructionId operand : instruction.operand_ids()) {
      for (std::uint32_t leaf = 0; leaf < buffers_.leaf_count(operand); ++leaf) {
        read(reader, buffers_.buffer_of(buffers_.first_value(operand) + leaf));
      }
    }
  }

  void read(InstructionId id, BufferId buffer) {
    Uses& uses = uses_[buffer];
    keep(uses.writer, id);
    if (uses.readers.empty() || uses.readers.back() != id) uses.readers.push_back(id);
  }

  void write(InstructionId id, BufferId buffer) {
    Uses& uses = uses_[buffer];
    keep(uses.writer, id);
    for (InstructionId reader : uses.readers) keep(reader, id);
    uses.writer = id;
    uses.readers.clear();
  }

  const Module& module_;
  const CallGraph& calls_;
  const AsyncPairs& pairs_;
  const std::vector<bool> carries_;
  const Buffers buffers_;
  OrderRules result_;
  std::unordered_map<BufferId, Uses> uses_;  // of the computation
  std::vector<bool> communicates_;           // by ComputationId
  std::vector<bool> has_effects_;            // by ComputationId
};

}  // namespace

absl::StatusOr<OrderRules> find_order_rules(const StepFacts& facts) {
  std::vector<bool> carries(facts.module->instruction_limit(), false);
  for (const auto& [carrier, unused] : facts.collectives.by_carrier) carries[carrier] = true;
  return RuleFinder(*facts.module, facts.calls, facts.pairs, std::move(carries)).find();
}

}  // namespace hloroof::internal::inline step

namespace hloroof::inline v0 {

absl::StatusOr<OrderRules> find_order_rules(const Module& module) {
  if (!module.is_scheduled()) return absl::InvalidArgumentError("the module has no schedule (is_scheduled=true)");
  const CallGraph calls = analyze_calls(module);
  const internal::AsyncPairs pairs = internal::pair_async(module, calls);
  std::vector<bool> carries(module.instruction_limit(), false);
  for (const Collective& collective : internal::find_collectives(module, calls)) {
    carries[collective.carrier.index] = true;
  }
  return internal::RuleFinder(module, calls, pairs, std::move(carries)).find();
}

}  // namespace hloroof::inline v0
