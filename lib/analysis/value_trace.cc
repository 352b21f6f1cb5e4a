#include "lib/analysis/value_trace.h"

#include <algorithm>

#include "absl/types/span.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal::inline analysis {
namespace {

// Work limit, so that adversarial text ends in "not known". Loop counters need about a dozen steps.
constexpr std::int64_t kMaxSteps = 1 << 16;

// The computations outside its own that a value is followed to. Without this limit, n nested loops would take n^2
// steps.
constexpr std::size_t kMaxCallers = 64;

// No operation on scalars has more operands.
constexpr std::size_t kMaxOperands = 4;

bool is_one_element(const Shape& shape) { return shape.is_array() && element_count(shape) == 1; }

}  // namespace

TraceContext make_trace_context(const Module& module, ListsByComputation<CallSite>& sites) {
  TraceContext context;
  context.module = &module;
  const std::size_t limit = module.computation_limit();
  std::vector<Callers::Call> calls;
  calls.reserve(limit);
  for (ComputationView computation : module.computations()) {
    for (const CallSite& site : sites.of(computation)) {
      if (site.is_first && site.opcode == Opcode::kWhile) context.whiles.push_back(site.caller);
      if (site.callee < limit) calls.emplace_back(site.callee, site.caller);
    }
  }
  context.callers = Callers(limit, calls);
  return context;
}

ValueTracer::ValueTracer(const TraceContext& context, ComputationId computation, const LoopState* state)
    : context_(context), module_(*context.module), state_(state) {
  frames_.push_back({computation, InstructionId(), -1, state != nullptr});
  if (state == nullptr) outer_[computation.index] = 0;
}

int ValueTracer::inner_frame(int parent, InstructionId site, ComputationId computation) {
  const auto [at, is_new] = entered_.try_emplace({parent, site.index}, static_cast<int>(frames_.size()));
  if (is_new) frames_.push_back({computation, site, parent, false});
  return at->second;
}

int ValueTracer::outer_frame(ComputationId computation) {
  const auto [at, is_new] = outer_.try_emplace(computation.index, static_cast<int>(frames_.size()));
  if (is_new) frames_.push_back({computation, InstructionId(), -1, false});
  return at->second;
}

// Follows a parameter to the argument at the call site through which the frame was entered. Without a call site,
// follows it to the argument of the only caller of the computation.
bool ValueTracer::follow_parameter(Place& place) {
  const Frame frame = frames_[place.frame];
  const std::int64_t number = module_.instruction(place.id).parameter_number();
  if (frame.site.valid()) {
    const InstructionId handed = argument(module_.instruction(frame.site), frame.computation, number);
    if (!handed.valid()) return false;
    place.frame = frame.parent;
    place.id = handed;
    return true;
  }
  if (frame.is_loop) return false;
  if (context_.reads != nullptr) context_.reads->callers_of.insert(frame.computation.index);
  const absl::Span<const InstructionId> callers = context_.callers.of(frame.computation.index);
  if (callers.size() != 1) return false;
  const InstructionView caller = module_.instruction(callers[0]);
  if (flow(caller.opcode()) == Flow::kLoops && !is_unchanged(caller.id(), place.path)) return false;
  const InstructionId handed = argument(caller, frame.computation, number);
  if (!handed.valid()) return false;
  const ComputationId outside = caller.computation().id();
  if (outer_.size() >= kMaxCallers && outer_.count(outside.index) == 0) return false;
  place.frame = outer_frame(outside);
  place.id = handed;
  return true;
}

// Returns true if a loop leaves part `path` of its state unchanged.
bool ValueTracer::is_unchanged(InstructionId loop, const Path& path) const {
  if (context_.reads != nullptr) context_.reads->unchanged_of.insert(loop.index);
  const auto facts = context_.loops.find(loop.index);
  return facts != context_.loops.end() && facts->second.facts.unchanged.count(path) != 0;
}

// Returns true if the value of an instruction equals the value that step_back() finds, with the same type and the
// elements in the same places.
bool ValueTracer::hands_on(const Place& place) const {
  const InstructionView instruction = module_.instruction(place.id);
  switch (flow(instruction.opcode())) {
    case Flow::kPacks:
    case Flow::kPicks:
    case Flow::kFuses:
    case Flow::kCalls:
    case Flow::kAsyncWhole:
    case Flow::kAsyncFirst:
    case Flow::kAsyncSecond: return true;
    case Flow::kRenames:
    case Flow::kCopies:
    case Flow::kReshapes:
    case Flow::kReorders:
    case Flow::kRepeats: break;
    default: return false;
  }
  if (instruction.operand_count() == 0) return false;
  const Shape& to = instruction.shape();
  const Shape& from = instruction.operand(0).shape();
  context_.note(instruction.operand_ids()[0]);
  if (!to.is_array() || !from.is_array()) return to.is_array() == from.is_array();
  if (to.element_type != from.element_type) return false;
  const bool stays = keeps_order(instruction.opcode()) && to.dimensions == from.dimensions;
  return stays || is_one_element(to);
}

// Goes one step back through an instruction that passes its value on. Returns false at a source.
bool ValueTracer::follow(Place& place) {
  const InstructionView instruction = module_.instruction(place.id);
  context_.note(place.id);
  if (flow(instruction.opcode()) == Flow::kParameter) return follow_parameter(place);
  const InstructionId site = place.id;
  if (flow(instruction.opcode()) == Flow::kLoops) {
    if (!is_unchanged(site, place.path) || instruction.operand_count() != 1) return false;
    place.id = instruction.operand_ids()[0];
    return true;
  }
  if (!hands_on(place) || !step_back(module_, place.id, place.path)) return false;
  const ComputationId inside = row_of(module_, place.id).computation;
  if (inside != row_of(instruction).computation) place.frame = inner_frame(place.frame, site, inside);
  return true;
}

ValueTracer::Source ValueTracer::source_in(int frame, InstructionId id, Path path) {
  Place place{frame, id, std::move(path)};
  while (++steps_ < kMaxSteps && follow(place)) {
  }
  Source result{place.id, place.path, false, place.frame};
  result.is_state = frames_[place.frame].is_loop && module_.instruction(place.id).opcode() == Opcode::kParameter;
  return result;
}

// Returns the value of a source that needs no operands, or nullopt if its operands must be evaluated first.
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

// Returns how much counter `path` of a loop grows in all its trips, or nullopt if that is not known.
std::optional<std::int64_t> ValueTracer::growth(InstructionView loop, const Path& path) const {
  if (context_.reads != nullptr) context_.reads->growth_of.insert(loop.id().index);
  const auto known = context_.loops.find(loop.id().index);
  if (known == context_.loops.end() || loop.operand_count() != 1) return std::nullopt;
  const LoopFacts& facts = known->second.facts;
  const auto increment = facts.increments.find(path);
  std::int64_t grown = 0;
  if (!facts.trips || increment == facts.increments.end() ||
      __builtin_mul_overflow(*facts.trips, increment->second, &grown)) {
    return std::nullopt;
  }
  return grown;
}

// Moves `place` to the source of its value. Returns the value if it is known without evaluating operands.
std::optional<Scalar> ValueTracer::known_value(Place& place) {
  bool moved = true;
  while (moved) {
    moved = follow(place);
    if (++steps_ >= kMaxSteps) return Scalar::unknown();
  }
  if (place.path.empty()) {
    const auto seen = values_.find({place.frame, place.id.index});
    if (seen != values_.end()) return seen->second;
  }
  return leaf_value(place);
}

// Returns the operand that a source needs next, or nullopt if it has all values that it needs.
std::optional<ValueTracer::Place> ValueTracer::next_operand(const PendingSource& source) const {
  const InstructionView instruction = module_.instruction(source.place.id);
  const std::size_t next = source.operands.size();
  if (instruction.opcode() == Opcode::kWhile) {
    if (next > 0 || !growth(instruction, source.place.path)) return std::nullopt;
    return Place{source.place.frame, instruction.operand(0).id(), source.place.path};
  }
  if (next >= instruction.operand_count() || next >= kMaxOperands) return std::nullopt;
  return Place{source.place.frame, instruction.operand(next).id(), Path()};
}

// Returns the value of a source from the values of its operands.
Scalar ValueTracer::value_of(const PendingSource& source) const {
  const InstructionView instruction = module_.instruction(source.place.id);
  const std::vector<Scalar>& operands = source.operands;
  const ElementType operand_type =
      instruction.operand_count() > 0 ? instruction.operand(0).shape().element_type : ElementType::kInvalid;
  switch (instruction.opcode()) {
    case Opcode::kWhile: {  // initial value + trips x increment
      const std::optional<std::int64_t> grown = growth(instruction, source.place.path);
      std::int64_t final_value = 0;
      if (!grown || !operands[0].is_integer() || __builtin_add_overflow(operands[0].offset, *grown, &final_value)) {
        return Scalar::unknown();
      }
      return Scalar::integer(final_value);
    }
    case Opcode::kCompare: {
      ComparisonDirection comparison;
      const bool is_ready = operands.size() == 2 && operands[0].is_integer() && operands[1].is_integer() &&
                            comparison_from_string(instruction.text(AttributeKey::kDirection), comparison);
      if (!is_ready) return Scalar::unknown();
      const bool unsigned_64 = operand_type == ElementType::kU64;
      return Scalar::integer(compare_integers(comparison, operands[0].offset, operands[1].offset, unsigned_64));
    }
    default:
      return apply(instruction.opcode(), instruction.shape().element_type, operand_type, operands.data(),
                   operands.size());
  }
}

Scalar ValueTracer::evaluate_in(int frame, InstructionId id, Path path) {
  std::vector<PendingSource> pending;
  const auto visit = [&](Place place) {
    const std::optional<Scalar> value = known_value(place);
    if (!value) pending.push_back({std::move(place), {}});
    return value;
  };
  std::optional<Scalar> value = visit({frame, id, std::move(path)});
  while (!pending.empty()) {
    PendingSource& source = pending.back();
    if (value) source.operands.push_back(*value);
    if (std::optional<Place> operand = next_operand(source)) {
      value = visit(*std::move(operand));
      continue;
    }
    value = value_of(source);
    const bool is_loop = module_.instruction(source.place.id).opcode() == Opcode::kWhile;
    if (!is_loop) values_[{source.place.frame, source.place.id.index}] = *value;
    pending.pop_back();
  }
  return *value;
}

}  // namespace hloroof::internal::inline analysis
