#include "lib/reschedule/constraints.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "lib/analysis/calls.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/schedule/async_pairs.h"
#include "lib/schedule/buffers.h"

namespace hloroof::internal::inline reschedule {
namespace {

// Whether the instruction acts on something outside the program: the host, another slice, or a random state.
bool has_effect(InstructionView instruction) {
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

class Finder {
 public:
  explicit Finder(const StepFacts& facts) : facts_(facts), module_(*facts.module), buffers_(module_, facts.calls) {}

  absl::StatusOr<Constraints> find() {
    if (!buffers_.complete()) {
      return absl::UnimplementedError("the module has too many values to know which orders are legal");
    }
    result_.before.resize(module_.instruction_limit());
    result_.after.resize(module_.instruction_limit());
    result_.is_fixed.assign(module_.instruction_limit(), false);
    communicates_.assign(module_.computation_limit(), false);
    has_effects_.assign(module_.computation_limit(), false);
    for (ComputationView computation : module_.computations()) {  // callees first
      if (CallFacts::is_scheduled(facts_.calls, computation.id())) visit(computation);
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
      if (calls_any(instruction, has_effects_) || has_effect(instruction)) {
        keep(last_effect, id);
        last_effect = id;
        has_effects_[computation.id().index] = true;
      }
      visit_buffers(instruction);
    }
  }

  bool is_collective_step(InstructionView instruction) const {
    return facts_.collectives.by_carrier.count(instruction.id().index) != 0 || is_collective(instruction.opcode()) ||
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
    for (InstructionId start : facts_.pairs.starts_of(id)) read_operands(id, module_.instruction(start));
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

  const StepFacts& facts_;
  const Module& module_;
  const Buffers buffers_;
  Constraints result_;
  std::unordered_map<BufferId, Uses> uses_;  // of the computation
  std::vector<bool> communicates_;           // by ComputationId
  std::vector<bool> has_effects_;            // by ComputationId
};

}  // namespace

absl::StatusOr<Constraints> find_constraints(const StepFacts& facts) { return Finder(facts).find(); }

}  // namespace hloroof::internal::inline reschedule
