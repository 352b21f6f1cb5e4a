#include "lib/schedule/async_pairs.h"

#include <algorithm>

#include "absl/types/span.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/wrapped.h"
#include "lib/ir/memory_spaces.h"
#include "lib/ir/rows.h"
#include "lib/ir/value_walk.h"

namespace hloroof::internal::inline schedule {
namespace {

// Limit on the instructions visited for one done. Real chains have a handful of links.
constexpr int kMaxVisits = 1024;

// Derives the role of a fusion from the custom calls in it. A start takes precedence over a done.
AsyncRole role_of_fusion(InstructionView fusion) {
  AsyncRole role = AsyncRole::kNone;
  for (ComputationView computation : fusion.computations(AttributeKey::kCalls)) {
    for (InstructionView inner : computation.instructions()) {
      if (inner.opcode() != Opcode::kCustomCall) continue;
      const std::string_view target = inner.text(AttributeKey::kCustomCallTarget);
      if (target == kAsyncCollectiveStart) return AsyncRole::kStart;
      if (target == kAsyncCollectiveDone) role = AsyncRole::kDone;
    }
  }
  return role;
}

// Whether a walk to the start of a transfer goes on through an instruction that is no fusion.
bool hands_on(Opcode opcode) { return is_alias(opcode) || calls_schedules(opcode) || flow(opcode) == Flow::kParameter; }

}  // namespace

class Tracer {
 public:
  Tracer(const Module& module, const CallGraph& calls, AsyncPairs& pairs)
      : calls_(calls), pairs_(pairs), walk_(module) {}

  void trace(InstructionView done, AsyncPairs::Done& result) {
    const bool is_fusion = flow(done.opcode()) == Flow::kFuses;
    result.starts.clear();
    if (!is_fusion && done.operand_count() == 1) {
      // Most dones name their start, and need no walk.
      const InstructionView start = done.operand(0);
      if (flow(start.opcode()) != Flow::kFuses && pairs_.role(start) == AsyncRole::kStart) {
        result.starts = {start.id()};
        result.looked_at = {done.id(), start.id()};
        return;
      }
    }
    result.looked_at = {done.id()};
    walk_.begin();
    if (!is_fusion || !add_semaphores(done)) {
      for (InstructionId operand : done.operand_ids()) walk_.add(operand, {});
    }
    const auto callers = [this](ComputationId id) -> absl::Span<const InstructionId> {
      return CallFacts::callers(calls_, id);
    };
    walk_.back(kMaxVisits, callers, [&](InstructionView at) {
      result.looked_at.push_back(at.id());
      return visit(at, is_fusion, result.starts);
    });
  }

 private:
  // Adds the operands through which the state of a collective passes from fusion to fusion. Returns whether there are
  // any.
  bool add_semaphores(InstructionView fusion) {
    bool has_any = false;
    for (InstructionView operand : fusion.operands()) {
      if (!is_semaphore(operand.shape())) continue;
      walk_.add(operand.id(), {});
      has_any = true;
    }
    return has_any;
  }

  // A start ends the search. The search continues through instructions that only forward values. The fusions that carry
  // the steps of a collective forward its state through semaphores. A search through all their operands finds the same
  // starts in all dumps of the corpus, and visits up to 700 instructions for a done of llm_unrolled_fsdp.v5e_2x4.
  Go visit(InstructionView at, bool is_fusion, std::vector<InstructionId>& starts) {
    const Flow f = flow(at.opcode());
    switch (pairs_.role(at)) {
      case AsyncRole::kStart:
        if ((f == Flow::kFuses) == is_fusion && std::find(starts.begin(), starts.end(), at.id()) == starts.end()) {
          starts.push_back(at.id());
        }
        return Go::kStop;
      case AsyncRole::kDone: return Go::kStop;
      case AsyncRole::kUpdate:
      case AsyncRole::kNone: break;
    }
    if (f == Flow::kFuses) {
      if (is_fusion && pairs_.is_step(at)) add_semaphores(at);
      return Go::kStop;
    }
    return hands_on(at.opcode()) ? Go::kOn : Go::kStop;
  }

  const CallGraph& calls_;
  AsyncPairs& pairs_;
  ValueWalk walk_;
};

AsyncRole async_role(InstructionView instruction) {
  const bool is_fusion = flow(instruction.opcode()) == Flow::kFuses;
  return is_fusion ? role_of_fusion(instruction) : ir::async_role(instruction.opcode());
}

bool is_semaphore(const Shape& shape) {
  return shape.is_array() && shape.dimensions.empty() && shape.layout.memory_space == kSyncSpace;
}

bool carries_collective_step(InstructionView fusion) {
  if (fusion.opcode() != Opcode::kFusion || async_role(fusion) != AsyncRole::kNone) return false;
  // The state of the collective (semaphores and counters) passes through the
  // fusion, so one operand is a scalar in memory space 2.
  const auto operands = fusion.operands();
  const bool has_semaphore = std::any_of(operands.begin(), operands.end(),
                                         [](InstructionView operand) { return is_semaphore(operand.shape()); });
  if (!has_semaphore) return false;
  for (ComputationView computation : fusion.computations(AttributeKey::kCalls)) {
    for (InstructionView inner : computation.instructions()) {
      if (is_blocking_collective(inner.opcode())) return true;
    }
  }
  return false;
}

AsyncRole AsyncPairs::role(InstructionView instruction) {
  Known& known = known_[instruction.id().index];
  if (!known.role_known) {
    known.role = async_role(instruction);
    known.role_known = true;
  }
  return known.role;
}

bool AsyncPairs::is_step(InstructionView fusion) {
  Known& known = known_[fusion.id().index];
  if (!known.step_known) {
    known.is_step = role(fusion) == AsyncRole::kNone && carries_collective_step(fusion);
    known.step_known = true;
  }
  return known.is_step;
}

bool AsyncPairs::ends_walks(InstructionView at) {
  if (role(at) == AsyncRole::kStart || role(at) == AsyncRole::kDone) return false;
  return flow(at.opcode()) == Flow::kFuses ? !is_step(at) : !hands_on(at.opcode());
}

AsyncPairs pair_async(const Module& module, const CallGraph& calls) {
  AsyncPairs pairs;
  pairs.traces_.resize(module.instruction_limit(), AsyncPairs::kNone);
  pairs.known_.resize(module.instruction_limit());
  Tracer tracer(module, calls, pairs);
  for (ComputationView computation : module.computations()) {
    if (!CallFacts::is_scheduled(calls, computation.id()) &&
        CallFacts::role(calls, computation.id()) != ComputationRole::kAsync)
      continue;
    for (InstructionView instruction : computation.instructions()) {
      if (pairs.role(instruction) != AsyncRole::kDone) continue;
      pairs.traces_[instruction.id().index] = static_cast<std::uint32_t>(pairs.dones_.size());
      pairs.dones_.push_back({instruction.id(), {}, {}});
      tracer.trace(instruction, pairs.dones_.back());
    }
  }
  return pairs;
}

void AsyncPairs::cut(const Module& module) {
  const std::size_t limit = module.instruction_limit();
  traces_.resize(limit, kNone);
  known_.resize(limit);
  while (!dones_.empty() && dones_.back().id.index >= limit) dones_.pop_back();
}

void AsyncPairs::update(const Module& module, const CallGraph& calls, absl::Span<const InstructionId> edited,
                        std::vector<InstructionId>& changed) {
  traces_.resize(module.instruction_limit(), kNone);
  known_.resize(module.instruction_limit());
  if (edited.empty()) return;
  // By InstructionId: what a walk found there or behind it may be something else.
  std::vector<bool> is_edited(module.instruction_limit(), false);
  bool any = false;
  for (InstructionId id : edited) {
    const bool ended_walks = known_[id.index].role_known && ends_walks(module.instruction(id));
    known_[id.index] = Known();
    const bool is_there = (row_of(module, id).flags & InstructionData::kErased) == 0;
    is_edited[id.index] = !ended_walks || (is_there && !ends_walks(module.instruction(id)));
    any = any || is_edited[id.index];
  }
  for (InstructionId id : edited) {
    const InstructionData& row = row_of(module, id);
    const bool is_there = (row.flags & InstructionData::kErased) == 0 &&
                          (CallFacts::is_scheduled(calls, row.computation) ||
                           CallFacts::role(calls, row.computation) == ComputationRole::kAsync);
    const bool is_done = is_there && role(module.instruction(id)) == AsyncRole::kDone;
    std::uint32_t& trace = traces_[id.index];
    if (is_done && trace == kNone) {
      trace = static_cast<std::uint32_t>(dones_.size());
      dones_.push_back({id, {}, {id}});
    } else if (!is_done && trace != kNone) {
      dones_[trace].starts.clear();
      dones_[trace].looked_at.clear();
      trace = kNone;
    }
  }
  // A done that is there looks at itself. Without any, empty() says so again.
  if (std::all_of(dones_.begin(), dones_.end(), [](const Done& done) { return done.looked_at.empty(); })) {
    dones_.clear();
  }
  if (!any) return;  // no walk has come or will come through what was edited
  Tracer tracer(module, calls, *this);
  for (std::size_t i = 0; i < dones_.size(); ++i) {
    Done& done = dones_[i];
    const bool is_there = done.id.index < traces_.size() && traces_[done.id.index] == i;
    if (!is_there) continue;
    const bool depends = std::any_of(done.looked_at.begin(), done.looked_at.end(),
                                     [&](InstructionId id) { return is_edited[id.index]; });
    if (!depends) continue;
    const std::vector<InstructionId> before = done.starts;
    tracer.trace(module.instruction(done.id), done);
    if (done.starts != before) changed.push_back(done.id);
  }
}

}  // namespace hloroof::internal::inline schedule
