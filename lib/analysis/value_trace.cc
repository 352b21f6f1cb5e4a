#include "lib/analysis/value_trace.h"

#include <algorithm>

namespace hloroof::inline v0 {
namespace {

// Work limits, so that text made to be slow ends in "not known". Counters take a dozen steps.
constexpr std::int64_t kMaxSteps = 1 << 16;
constexpr std::size_t kMaxPath = 64;

bool is_one_element(const Shape& shape) { return shape.is_array() && element_count(shape) == 1; }

}  // namespace

TraceContext make_trace_context(const Module& module) {
  TraceContext context;
  context.module = &module;
  context.callers.resize(module.computation_limit());
  context.looked_at.resize(module.instruction_limit(), false);
  context.callers_mattered.resize(module.computation_limit(), false);
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      for (ComputationId callee : instruction.called_computations()) {
        if (!callee.valid() || callee.index >= context.callers.size()) continue;
        context.callers[callee.index].push_back(instruction.id());
      }
    }
  }
  return context;
}

ValueTracer::ValueTracer(const TraceContext& context, ComputationId computation, const LoopState* state)
    : context_(context), module_(*context.module), state_(state) {
  frames_.push_back({computation, InstructionId(), -1, state != nullptr});
  if (state == nullptr) outer_[computation.index] = 0;
}

int ValueTracer::enter(int parent, InstructionId site, ComputationId computation) {
  const auto [at, is_new] = entered_.try_emplace({parent, site.index}, static_cast<int>(frames_.size()));
  if (is_new) frames_.push_back({computation, site, parent, false});
  return at->second;
}

int ValueTracer::outer_frame(ComputationId computation) {
  const auto [at, is_new] = outer_.try_emplace(computation.index, static_cast<int>(frames_.size()));
  if (is_new) frames_.push_back({computation, InstructionId(), -1, false});
  return at->second;
}

// A parameter is what the call site hands over; of a computation reached from outside, what its one caller does.
bool ValueTracer::follow_parameter(Place& place) {
  const Frame frame = frames_[place.frame];
  const std::int64_t number = module_.instruction(place.id).parameter_number();
  if (frame.site.valid()) {
    const InstructionView site = module_.instruction(frame.site);
    if (number < 0 || number >= static_cast<std::int64_t>(site.operand_count())) return false;
    place.frame = frame.parent;
    place.id = site.operand(number).id();
    return true;
  }
  if (frame.is_loop) return false;
  context_.callers_mattered[frame.computation.index] = true;
  const auto& callers = context_.callers[frame.computation.index];
  if (callers.size() != 1) return false;
  const InstructionView caller = module_.instruction(callers[0]);
  InstructionId handed;
  switch (caller.opcode()) {
    case Opcode::kWhile: {
      const auto facts = context_.loops.find(caller.id().index);
      if (facts == context_.loops.end() || facts->second.unchanged.count(place.path) == 0) return false;
      if (caller.operand_count() != 1) return false;
      handed = caller.operand(0).id();
      break;
    }
    case Opcode::kCall:
      if (number < 0 || number >= static_cast<std::int64_t>(caller.operand_count())) return false;
      handed = caller.operand(number).id();
      break;
    case Opcode::kConditional: {
      const auto called = caller.called_computations();
      const auto branch = std::find(called.begin(), called.end(), frame.computation) - called.begin();
      if (branch + 1 >= static_cast<std::int64_t>(caller.operand_count())) return false;
      handed = caller.operand(branch + 1).id();
      break;
    }
    default: return false;
  }
  place.frame = outer_frame(caller.computation().id());
  place.id = handed;
  return true;
}

// One step back through something that hands its value on. False at a source.
bool ValueTracer::follow(Place& place) {
  const InstructionView instruction = module_.instruction(place.id);
  context_.looked_at[place.id.index] = true;
  switch (instruction.opcode()) {
    case Opcode::kGetTupleElement:
      if (instruction.operand_count() != 1 || place.path.size() >= kMaxPath) return false;
      place.path.insert(place.path.begin(), instruction.tuple_index());
      place.id = instruction.operand(0).id();
      return true;
    case Opcode::kTuple: {
      if (place.path.empty()) return false;
      const std::int64_t element = place.path.front();
      if (element < 0 || element >= static_cast<std::int64_t>(instruction.operand_count())) return false;
      place.path.erase(place.path.begin());
      place.id = instruction.operand(element).id();
      return true;
    }
    case Opcode::kCopy:
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
      if (instruction.operand_count() < 1) return false;
      place.id = instruction.operand(0).id();
      return true;
    case Opcode::kBitcast:
    case Opcode::kReshape:
    case Opcode::kBroadcast:
    case Opcode::kTranspose:
      if (instruction.operand_count() != 1) return false;
      context_.looked_at[instruction.operand(0).id().index] = true;
      if (!is_one_element(instruction.shape()) ||
          instruction.operand(0).shape().element_type != instruction.shape().element_type) {
        return false;
      }
      place.id = instruction.operand(0).id();
      return true;
    case Opcode::kCopyDone:
      if (instruction.operand_count() != 1 || instruction.operand(0).opcode() != Opcode::kCopyStart) return false;
      context_.looked_at[instruction.operand(0).id().index] = true;
      if (instruction.operand(0).operand_count() != 1) return false;
      place.id = instruction.operand(0).operand(0).id();
      return true;
    case Opcode::kFusion:
    case Opcode::kCall: {
      const auto called = instruction.called_computations();
      if (called.size() != 1 || !called[0].valid() || !module_.data(called[0]).root.valid()) return false;
      place.frame = enter(place.frame, place.id, called[0]);
      place.id = module_.data(called[0]).root;
      return true;
    }
    case Opcode::kWhile: {
      const auto facts = context_.loops.find(place.id.index);
      if (facts == context_.loops.end() || instruction.operand_count() != 1) return false;
      if (facts->second.unchanged.count(place.path) == 0) return false;
      place.id = instruction.operand(0).id();
      return true;
    }
    case Opcode::kParameter: return follow_parameter(place);
    default: return false;
  }
}

ValueTracer::Source ValueTracer::source_in(int frame, InstructionId id, Path path) {
  Place place{frame, id, std::move(path)};
  while (++steps_ < kMaxSteps && follow(place)) {
  }
  Source result{place.id, place.path, false, place.frame};
  result.is_state = frames_[place.frame].is_loop && module_.instruction(place.id).opcode() == Opcode::kParameter;
  return result;
}

// The value of a source that needs no operands; nothing if its operands are to be evaluated first.
std::optional<Scalar> ValueTracer::leaf_value(const Place& place) {
  const InstructionView instruction = module_.instruction(place.id);
  switch (instruction.opcode()) {
    case Opcode::kConstant:
      if (!place.path.empty() || !is_one_element(instruction.shape())) return Scalar::unknown();
      return parse_constant(instruction.shape().element_type, instruction.text(AttributeKey::kConstantLiteral));
    case Opcode::kIota: return is_one_element(instruction.shape()) ? Scalar::integer(0) : Scalar::unknown();
    case Opcode::kParameter: {
      if (!frames_[place.frame].is_loop) return Scalar::unknown();
      const auto value = state_->find(place.path);
      if (value != state_->end()) return value->second;
      missing_.push_back(place.path);
      return Scalar::unknown();
    }
    case Opcode::kCompare:
    case Opcode::kWhile: return std::nullopt;
    default:
      if (!place.path.empty() || !is_one_element(instruction.shape()) || !is_elementwise(instruction.opcode())) {
        return Scalar::unknown();
      }
      return std::nullopt;
  }
}

Scalar ValueTracer::evaluate(InstructionId id, Path path) { return evaluate_in(0, id, std::move(path)); }

Scalar ValueTracer::evaluate_in(int frame, InstructionId id, Path path) {
  // An entry is a source whose operands are being evaluated; `operands` fills up from the left.
  struct Open {
    Place place;
    std::vector<Scalar> operands;
  };
  std::vector<Open> open;
  Scalar result;
  bool has_result = false;

  // Follows a value to its source and answers it, or opens it.
  const auto visit = [&](Place place) {
    has_result = false;
    while (follow(place)) {
      if (++steps_ >= kMaxSteps) {
        result = Scalar::unknown();
        has_result = true;
        return;
      }
    }
    if (++steps_ >= kMaxSteps) {
      result = Scalar::unknown();
      has_result = true;
      return;
    }
    const auto seen = place.path.empty() ? values_.find({place.frame, place.id.index}) : values_.end();
    if (seen != values_.end()) {
      result = seen->second;
      has_result = true;
      return;
    }
    if (const auto leaf = leaf_value(place)) {
      result = *leaf;
      has_result = true;
      return;
    }
    open.push_back({std::move(place), {}});
  };

  visit({frame, id, std::move(path)});
  while (!open.empty()) {
    Open& top = open.back();
    const InstructionView instruction = module_.instruction(top.place.id);
    if (has_result) {
      top.operands.push_back(result);
      has_result = false;
    }
    const std::size_t next = top.operands.size();
    if (instruction.opcode() == Opcode::kWhile) {
      // A counter after its loop: initial value + trips x increment.
      const LoopFacts* facts = nullptr;
      if (const auto at = context_.loops.find(instruction.id().index); at != context_.loops.end()) facts = &at->second;
      const auto increment =
          facts != nullptr ? facts->increments.find(top.place.path) : std::map<Path, std::int64_t>::const_iterator();
      if (facts == nullptr || !facts->trips || increment == facts->increments.end() ||
          instruction.operand_count() != 1) {
        result = Scalar::unknown();
      } else if (next == 0) {
        visit({top.place.frame, instruction.operand(0).id(), top.place.path});
        continue;
      } else {
        std::int64_t grown = 0;
        std::int64_t final_value = 0;
        const bool overflow = __builtin_mul_overflow(*facts->trips, increment->second, &grown) ||
                              __builtin_add_overflow(top.operands[0].offset, grown, &final_value);
        result = top.operands[0].is_integer() && !overflow ? Scalar::integer(final_value) : Scalar::unknown();
      }
      open.pop_back();
      has_result = true;
      continue;
    }
    if (next < instruction.operand_count() && next < 4) {
      visit({top.place.frame, instruction.operand(next).id(), {}});
      continue;
    }
    const ElementType operand_type =
        instruction.operand_count() > 0 ? instruction.operand(0).shape().element_type : ElementType::kInvalid;
    if (instruction.opcode() == Opcode::kCompare) {
      Comparison comparison;
      const bool ready = top.operands.size() == 2 && top.operands[0].is_integer() && top.operands[1].is_integer() &&
                         comparison_from_string(instruction.text(AttributeKey::kDirection), comparison);
      const bool unsigned_64 = operand_type == ElementType::kU64;
      result = ready ? Scalar::integer(
                           compare_integers(comparison, top.operands[0].offset, top.operands[1].offset, unsigned_64))
                     : Scalar::unknown();
    } else {
      result = apply(instruction.opcode(), instruction.shape().element_type, operand_type, top.operands.data(),
                     top.operands.size());
    }
    values_[{top.place.frame, top.place.id.index}] = result;
    open.pop_back();
    has_result = true;
  }
  return result;
}

}  // namespace hloroof::inline v0
