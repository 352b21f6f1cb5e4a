#include "lib/schedule/async_pairs.h"

#include <algorithm>
#include <set>
#include <utility>

namespace hloroof::inline v0 {
namespace {

constexpr std::string_view kStartTarget = "\"AsyncCollectiveStart\"";
constexpr std::string_view kDoneTarget = "\"AsyncCollectiveDone\"";

// How far one done is traced. Real chains have a handful of links.
constexpr int kMaxVisits = 1024;

// What the custom calls in a fusion make it: a start, else a done.
AsyncRole role_of_fusion(InstructionView fusion) {
  AsyncRole role = AsyncRole::kNone;
  for (ComputationView computation : fusion.computations(AttributeKey::kCalls)) {
    for (InstructionView inner : computation.instructions()) {
      if (inner.opcode() != Opcode::kCustomCall) continue;
      const std::string_view target = inner.text(AttributeKey::kCustomCallTarget);
      if (target == kStartTarget) return AsyncRole::kStart;
      if (target == kDoneTarget) role = AsyncRole::kDone;
    }
  }
  return role;
}

bool is_plain_collective(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kReduceScatter:
    case Opcode::kAllToAll:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kRaggedAllToAll: return true;
    default: return false;
  }
}

// Where a value comes from: element `element` of the result of `instruction`,
// or all of it.
struct Place {
  static constexpr std::int64_t kAll = -1;
  InstructionId instruction;
  std::int64_t element = kAll;
};

// Whether the elements of a result may come from different places, as visit() follows them.
bool tells_elements_apart(Opcode opcode) {
  switch (opcode) {
    case Opcode::kTuple:
    case Opcode::kWhile:
    case Opcode::kCall:
    case Opcode::kParameter:
    case Opcode::kBitcast:
    case Opcode::kOptBarrier:
    case Opcode::kAddDependency: return true;
    default: return false;
  }
}

}  // namespace

class Tracer {
 public:
  Tracer(const Module& module, const CallGraph& calls, AsyncPairs& pairs)
      : module_(module), calls_(calls), pairs_(pairs), visited_(module.instruction_limit(), 0) {}

  void trace(InstructionView done, AsyncPairs::Done& result) {
    pending_.clear();
    visited_elements_.clear();
    ++trace_;
    result.starts.clear();
    result.looked_at = {done.id()};
    collective_fusion_ = done.opcode() == Opcode::kFusion;
    for (InstructionId operand : done.operand_ids()) push({operand, Place::kAll});
    for (int visits = 0; !pending_.empty() && visits < kMaxVisits; ++visits) {
      const Place place = pending_.back();
      pending_.pop_back();
      result.looked_at.push_back(place.instruction);
      visit(place, result.starts);
    }
    std::sort(result.looked_at.begin(), result.looked_at.end());
    result.looked_at.erase(std::unique(result.looked_at.begin(), result.looked_at.end()), result.looked_at.end());
  }

 private:
  void push(Place place) {
    if (!place.instruction.valid()) return;
    if (!tells_elements_apart(module_.data(place.instruction).opcode)) place.element = Place::kAll;
    if (place.element == Place::kAll) {
      if (visited_[place.instruction.index] == trace_) return;
      visited_[place.instruction.index] = trace_;
    } else if (!visited_elements_.insert({place.instruction.index, place.element}).second) {
      return;
    }
    pending_.push_back(place);
  }

  void push_operand(InstructionView instruction, std::size_t i, std::int64_t element) {
    if (i < instruction.operand_count()) push({instruction.operand_ids()[i], element});
  }

  void visit(Place place, std::vector<InstructionId>& starts) {
    const InstructionView instruction = module_.instruction(place.instruction);
    switch (pairs_.role(instruction)) {
      case AsyncRole::kStart:
        if ((instruction.opcode() == Opcode::kFusion) == collective_fusion_ &&
            std::find(starts.begin(), starts.end(), place.instruction) == starts.end()) {
          starts.push_back(place.instruction);
        }
        return;
      case AsyncRole::kUpdate: push_operand(instruction, 0, Place::kAll); return;
      case AsyncRole::kDone: return;
      case AsyncRole::kNone: break;
    }
    switch (instruction.opcode()) {
      case Opcode::kGetTupleElement: push_operand(instruction, 0, instruction.tuple_index()); break;
      case Opcode::kBitcast:
      case Opcode::kOptBarrier:
      case Opcode::kAddDependency: push_operand(instruction, 0, place.element); break;
      case Opcode::kTuple:
        if (place.element != Place::kAll) {
          push_operand(instruction, static_cast<std::size_t>(place.element), Place::kAll);
        } else {
          for (InstructionId operand : instruction.operand_ids()) push({operand, Place::kAll});
        }
        break;
      case Opcode::kWhile:
        push_operand(instruction, 0, place.element);
        for (ComputationView body : instruction.computations(AttributeKey::kBody)) push_root(body, place.element);
        break;
      case Opcode::kCall:
        for (ComputationView callee : instruction.computations(AttributeKey::kToApply))
          push_root(callee, place.element);
        break;
      case Opcode::kParameter: visit_parameter(instruction, place.element); break;
      case Opcode::kFusion:
        if (collective_fusion_ && pairs_.is_step(instruction)) {
          for (InstructionId operand : instruction.operand_ids()) push({operand, Place::kAll});
        }
        break;
      default: break;
    }
  }

  void push_root(ComputationView computation, std::int64_t element) {
    if (computation.data().root.valid()) push({computation.data().root, element});
  }

  void visit_parameter(InstructionView parameter, std::int64_t element) {
    const ComputationView computation = parameter.computation();
    for (InstructionId caller : calls_.callers(computation.id())) {
      const InstructionView call = module_.instruction(caller);
      if (call.opcode() == Opcode::kWhile) {
        push_operand(call, 0, element);
        for (ComputationView body : call.computations(AttributeKey::kBody)) push_root(body, element);
      } else if (call.opcode() == Opcode::kCall) {
        push_operand(call, static_cast<std::size_t>(parameter.parameter_number()), element);
      }
    }
  }

  const Module& module_;
  const CallGraph& calls_;
  AsyncPairs& pairs_;
  bool collective_fusion_ = false;
  std::vector<Place> pending_;
  std::vector<std::uint32_t> visited_;  // by InstructionId: the last trace that came by all of it
  std::uint32_t trace_ = 0;
  std::set<std::pair<std::uint32_t, std::int64_t>> visited_elements_;
};

AsyncRole async_role(InstructionView instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduceStart:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCopyStart:
    case Opcode::kAsyncStart:
    case Opcode::kSend:
    case Opcode::kRecv: return AsyncRole::kStart;
    case Opcode::kAsyncUpdate: return AsyncRole::kUpdate;
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCopyDone:
    case Opcode::kAsyncDone:
    case Opcode::kSendDone:
    case Opcode::kRecvDone: return AsyncRole::kDone;
    case Opcode::kFusion: return role_of_fusion(instruction);
    default: return AsyncRole::kNone;
  }
}

bool carries_collective_step(InstructionView fusion) {
  if (fusion.opcode() != Opcode::kFusion || async_role(fusion) != AsyncRole::kNone) return false;
  // The state of the collective, semaphores and counters, passes through: a
  // scalar in memory space 2 among the operands.
  bool has_semaphore = false;
  for (InstructionView operand : fusion.operands()) {
    const Shape& shape = operand.shape();
    if (shape.is_array() && shape.dimensions.empty() && shape.layout.memory_space == 2) has_semaphore = true;
  }
  if (!has_semaphore) return false;
  for (ComputationView computation : fusion.computations(AttributeKey::kCalls)) {
    for (InstructionView inner : computation.instructions()) {
      if (is_plain_collective(inner.opcode())) return true;
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

AsyncPairs pair_async(const Module& module, const CallGraph& calls) {
  AsyncPairs pairs;
  pairs.traces_.resize(module.instruction_limit(), AsyncPairs::kNone);
  pairs.known_.resize(module.instruction_limit());
  Tracer tracer(module, calls, pairs);
  for (ComputationView computation : module.computations()) {
    if (!calls.is_scheduled(computation.id()) && calls.role(computation.id()) != ComputationRole::kAsync) continue;
    for (InstructionView instruction : computation.instructions()) {
      if (pairs.role(instruction) != AsyncRole::kDone) continue;
      pairs.traces_[instruction.id().index] = static_cast<std::uint32_t>(pairs.dones_.size());
      pairs.dones_.push_back({instruction.id(), {}, {}});
      tracer.trace(instruction, pairs.dones_.back());
    }
  }
  return pairs;
}

void AsyncPairs::update(const Module& module, const CallGraph& calls, Span<InstructionId> edited,
                        std::vector<bool>& changed) {
  traces_.resize(module.instruction_limit(), kNone);
  known_.resize(module.instruction_limit());
  for (InstructionId id : edited) known_[id.index] = Known();
  Tracer tracer(module, calls, *this);
  for (InstructionId id : edited) {
    const InstructionData& row = module.data(id);
    const bool is_there =
        (row.flags & InstructionData::kErased) == 0 &&
        (calls.is_scheduled(row.computation) || calls.role(row.computation) == ComputationRole::kAsync);
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
  for (std::size_t i = 0; i < dones_.size(); ++i) {
    Done& done = dones_[i];
    if (traces_[done.id.index] != i) continue;
    const bool depends = std::any_of(edited.begin(), edited.end(), [&](InstructionId id) {
      return std::binary_search(done.looked_at.begin(), done.looked_at.end(), id);
    });
    if (!depends) continue;
    const std::vector<InstructionId> before = done.starts;
    tracer.trace(module.instruction(done.id), done);
    if (done.starts != before) changed[module.data(done.id).computation.index] = true;
  }
}

}  // namespace hloroof::inline v0
