// Infers trip counts from the text. TPU dumps have no annotated counts, so a missed loop over layers makes the
// prediction wrong by the number of layers.
//
// A loop has a closed form if its condition compares a linear function of one counter with an invariant, and its body
// adds a constant to the counter. Other loops that depend only on integers are executed. XLA's rules, which cover fewer
// loops, are in xla/hlo/analysis/while_loop_analysis.cc.
#include "lib/analysis/trip_count.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/analysis/calls.h"
#include "lib/ir/element_type.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline analysis {
namespace {

// The maximum number of trips for which a loop without a closed form is executed.
constexpr std::int64_t kMaxRunTrips = 1 << 16;
constexpr std::int64_t kMaxRunSteps = 1 << 21;
constexpr int kMaxPasses = 8;
constexpr int kMaxParts = 64;  // the number of terms of a conjunction
// Limits of the nesting of tuples in a loop's state and of its number of arrays. Without them, a short text could build
// an exponentially large tuple.
constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxElements = 1 << 16;

std::string_view symbol(ComparisonDirection comparison) {
  constexpr std::string_view kSymbols[] = {"==", "!=", "<", "<=", ">", ">="};
  return kSymbols[static_cast<int>(comparison)];
}

ComparisonDirection mirrored(ComparisonDirection comparison) {
  switch (comparison) {
    case ComparisonDirection::kLt: return ComparisonDirection::kGt;
    case ComparisonDirection::kLe: return ComparisonDirection::kGe;
    case ComparisonDirection::kGt: return ComparisonDirection::kLt;
    case ComparisonDirection::kGe: return ComparisonDirection::kLe;
    default: return comparison;
  }
}

ComputationId single(InstructionView instruction, AttributeKey key) {
  const auto computations = instruction.computations(key);
  return computations.size() == 1 ? computations[0].id() : ComputationId();
}

bool usable(const Module& module, ComputationId id) { return id.valid() && row_of(module, id).root.valid(); }

// "known_trip_count":{"n":"12"} in backend_config. The quotes may be escaped, and n may be unquoted.
std::optional<std::int64_t> annotated_trip_count(std::string_view backend_config) {
  const std::size_t at = backend_config.find("known_trip_count");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = backend_config.substr(at + 16);
  const std::size_t end = rest.find('}');
  rest = rest.substr(0, end);
  const std::size_t digit = rest.find_first_of("0123456789");
  if (digit == std::string_view::npos) return std::nullopt;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(rest.data() + digit, rest.data() + rest.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// Analyzes one while instruction.
class Loop {
 public:
  Loop(const TraceContext& context, InstructionView instruction)
      : context_(context),
        instruction_(instruction),
        condition_(single(instruction, AttributeKey::kCondition)),
        body_(single(instruction, AttributeKey::kBody)) {
    context.note(instruction.id());
  }

  bool well_formed() const {
    return usable(module(), condition_) && usable(module(), body_) && instruction_.operand_count() == 1;
  }

  // The elements of the state that the body returns unchanged.
  std::set<Path> unchanged() const {
    std::set<Path> result;
    const LoopState none;
    const InstructionId root = row_of(module(), body_).root;
    for (Path& path : elements()) {
      ValueTracer tracer(context_, body_, &none);
      const auto source = tracer.source(root, path);
      if (source.is_state && source.path == path) result.insert(std::move(path));
    }
    return result;
  }

  TripCount infer(LoopFacts& facts) const;

 private:
  const Module& module() const { return *context_.module; }

  // The arrays of the state, including those of nested tuples down to kMaxDepth.
  std::vector<Path> elements() const {
    std::vector<Path> result;
    std::vector<std::pair<ShapeId, Path>> open = {{instruction_.shape_id(), {}}};
    while (!open.empty() && result.size() < kMaxElements) {
      auto [id, path] = std::move(open.back());
      open.pop_back();
      const Shape& shape = module().shape(id);
      if (!shape.is_tuple()) {
        result.push_back(std::move(path));
        continue;
      }
      if (path.size() >= kMaxDepth) continue;
      for (std::size_t i = 0; i < shape.elements.size(); ++i) {
        open.emplace_back(shape.elements[i], path);
        open.back().second.push_back(static_cast<std::int64_t>(i));
      }
    }
    return result;
  }

  Scalar initial(const Path& element) const {
    ValueTracer tracer(context_, instruction_.computation().id(), nullptr);
    return tracer.evaluate(instruction_.operand(0).id(), element);
  }

  ElementType element_type(const Path& element) const {
    ShapeId id = instruction_.shape_id();
    for (std::int64_t i : element) {
      const Shape& shape = module().shape(id);
      if (i < 0 || i >= static_cast<std::int64_t>(shape.elements.size())) return ElementType::kInvalid;
      id = shape.elements[static_cast<std::size_t>(i)];
    }
    return module().shape(id).element_type;
  }

  // The elements of the state that `root` in `computation` depends on, except those whose values `state` has.
  std::vector<Path> dependencies(ComputationId computation, InstructionId root, Path path,
                                 const LoopState& state) const {
    ValueTracer tracer(context_, computation, &state);
    tracer.evaluate(root, std::move(path));
    return tracer.missing();
  }

  std::optional<std::int64_t> step_of(const LoopState& invariants, const Path& counter) const;
  std::optional<TripCount> closed_form(const LoopState& invariants, const Path& counter, LoopFacts& facts) const;
  std::optional<TripCount> at_most(const LoopState& invariants, const std::set<Path>& counters) const;
  std::optional<TripCount> while_compared(ValueTracer& condition, const ValueTracer::Source& compared,
                                          const Path& counter, std::int64_t step) const;
  std::optional<TripCount> run(const std::vector<Path>& needed, const LoopFacts& facts) const;
  std::optional<std::string> find_unknown_input(const std::vector<Path>& needed, const LoopFacts& facts,
                                                LoopState& state) const;
  std::string explain_unknown(const std::vector<Path>& needed, const LoopFacts& facts) const;

  const TraceContext& context_;
  InstructionView instruction_;
  ComputationId condition_;
  ComputationId body_;
};

// "element 3 of the loop's state", of a tuple in it "element 3.0".
std::string described(const Path& element) {
  if (element.empty()) return "the loop's state";
  std::string text = "element ";
  for (std::size_t i = 0; i < element.size(); ++i) text += (i > 0 ? "." : "") + std::to_string(element[i]);
  return text + " of the loop's state";
}

TripCount not_known(std::string why) { return {1, TripCount::Source::kAssumed, std::move(why)}; }

// The step as a signed number: adding 2^32 - 1 to a u32 counts down by one.
std::int64_t signed_step(ElementType type, std::int64_t step) {
  const int width = bits(type);
  if (width <= 0 || width >= 64) return step;
  const std::int64_t half = std::int64_t{1} << (width - 1);
  return step >= half && step < 2 * half ? step - 2 * half : step;
}

// The constant that the body adds to a counter on every trip.
std::optional<std::int64_t> Loop::step_of(const LoopState& invariants, const Path& counter) const {
  LoopState state = invariants;
  state[counter] = Scalar::counter();
  ValueTracer body(context_, body_, &state);
  const Scalar next = body.evaluate(row_of(module(), body_).root, counter);
  if (!next.known || next.slope != 1) return std::nullopt;
  return signed_step(element_type(counter), next.offset);
}

std::optional<TripCount> Loop::closed_form(const LoopState& invariants, const Path& counter, LoopFacts& facts) const {
  const std::optional<std::int64_t> step = step_of(invariants, counter);
  if (!step) return std::nullopt;
  LoopState state = invariants;
  state[counter] = Scalar::counter();
  ValueTracer condition(context_, condition_, &state);
  const auto root = condition.source(row_of(module(), condition_).root, {});
  std::optional<TripCount> trips = while_compared(condition, root, counter, *step);
  if (trips) facts.increments[counter] = *step;
  return trips;
}

// An upper bound for a loop whose condition is a conjunction: the smallest count of any of its terms. A solver or
// decoder that may end early usually has such a counter.
std::optional<TripCount> Loop::at_most(const LoopState& invariants, const std::set<Path>& counters) const {
  std::optional<TripCount> least;
  for (const Path& counter : counters) {
    const std::optional<std::int64_t> step = step_of(invariants, counter);
    if (!step) continue;
    LoopState state = invariants;
    state[counter] = Scalar::counter();
    ValueTracer condition(context_, condition_, &state);
    std::vector<ValueTracer::Source> parts = {condition.source(row_of(module(), condition_).root, {})};
    for (int looked_at = 0; !parts.empty() && looked_at < kMaxParts; ++looked_at) {
      const ValueTracer::Source part = parts.back();
      parts.pop_back();
      const InstructionView instruction = module().instruction(part.id);
      if (instruction.opcode() == Opcode::kAnd) {
        for (InstructionId operand : instruction.operand_ids()) {
          parts.push_back(condition.source_in(part.frame, operand, {}));
        }
        continue;
      }
      std::optional<TripCount> trips = while_compared(condition, part, counter, *step);
      if (trips && (!least || trips->value < least->value)) least = std::move(trips);
    }
  }
  return least;
}

// The trip count of a loop that runs while the comparison `compared` of its condition holds. nullopt if it does not
// compare the counter with a known value.
std::optional<TripCount> Loop::while_compared(ValueTracer& condition, const ValueTracer::Source& compared,
                                              const Path& counter, std::int64_t step) const {
  const Scalar first = initial(counter);
  if (!first.is_integer()) return std::nullopt;
  const ElementType type = element_type(counter);
  if (!fits(type, first.offset)) return std::nullopt;
  const InstructionView compare = module().instruction(compared.id);
  ComparisonDirection comparison;
  if (compare.opcode() != Opcode::kCompare || compare.operand_count() != 2 ||
      !comparison_from_string(compare.text(AttributeKey::kDirection), comparison)) {
    return std::nullopt;
  }
  Scalar left = condition.evaluate_in(compared.frame, compare.operand(0).id());
  Scalar right = condition.evaluate_in(compared.frame, compare.operand(1).id());
  if (!left.known || !right.known) return std::nullopt;
  if (left.slope == 0) {
    std::swap(left, right);
    comparison = mirrored(comparison);
  }
  if (left.slope == 0) return std::nullopt;

  // left - right: its initial value, and its change `growth` per trip.
  std::int64_t slope = 0;
  std::int64_t growth = 0;
  std::int64_t difference = 0;
  std::int64_t scaled = 0;
  std::int64_t offset = 0;
  if (__builtin_sub_overflow(left.slope, right.slope, &slope) || __builtin_mul_overflow(slope, step, &growth) ||
      __builtin_mul_overflow(slope, first.offset, &scaled) ||
      __builtin_sub_overflow(left.offset, right.offset, &offset) ||
      __builtin_add_overflow(scaled, offset, &difference)) {
    return std::nullopt;
  }
  const auto trips = count_trips(comparison, difference, growth);
  if (!trips) return std::nullopt;

  // Valid only if neither the counter nor the compared value overflows its type.
  std::int64_t grown = 0;
  std::int64_t last = 0;
  if (__builtin_mul_overflow(*trips, step, &grown) || __builtin_add_overflow(first.offset, grown, &last)) {
    return std::nullopt;
  }
  const ElementType compared_type = compare.operand(0).shape().element_type;
  for (const Scalar& side : {left, right}) {
    for (std::int64_t x : {first.offset, last}) {
      std::int64_t value = 0;
      if (__builtin_mul_overflow(side.slope, x, &value) || __builtin_add_overflow(value, side.offset, &value) ||
          !fits(compared_type, value)) {
        return std::nullopt;
      }
    }
  }
  if (!fits(type, last)) return std::nullopt;

  std::string why = "from " + std::to_string(first.offset) + " by " + std::to_string(step) + " while ";
  if (left.slope == 1 && left.offset == 0 && right.slope == 0) {
    why += std::string(symbol(comparison)) + " " + std::to_string(right.offset);
  } else {
    why += "the condition holds";
  }
  return TripCount{*trips, TripCount::Source::kInferred, std::move(why)};
}

// Sets `state` to the initial values of `needed` and of everything that their updates depend on. Returns a description
// of the first element whose value is unknown, or nullopt.
std::optional<std::string> Loop::find_unknown_input(const std::vector<Path>& needed, const LoopFacts& facts,
                                                    LoopState& state) const {
  std::vector<Path> open(needed.rbegin(), needed.rend());
  const LoopState none;
  const InstructionId root = row_of(module(), body_).root;
  while (!open.empty()) {
    const Path element = std::move(open.back());
    open.pop_back();
    if (state.count(element) != 0) continue;
    const bool is_unchanged = facts.unchanged.count(element) != 0;
    const Scalar first = initial(element);
    if (!first.is_integer()) {
      const ElementType type = element_type(element);
      if (!is_integral(type) && type != ElementType::kPred) return described(element) + ", which is not an integer";
      return described(element) +
             (is_unchanged ? ", whose value is not in the text" : ", whose initial value is not in the text");
    }
    state[element] = first;
    if (is_unchanged) continue;
    for (Path& other : dependencies(body_, root, element, none)) open.push_back(std::move(other));
  }
  return std::nullopt;
}

// Explains why a loop has no closed form and cannot be executed to its end.
std::string Loop::explain_unknown(const std::vector<Path>& needed, const LoopFacts& facts) const {
  LoopState state;
  if (const auto unknown = find_unknown_input(needed, facts, state)) return "the condition depends on " + *unknown;
  ValueTracer condition(context_, condition_, &state);
  if (!condition.evaluate(row_of(module(), condition_).root).is_integer()) {
    return "the condition depends on values that are not integer constants of the text";
  }
  ValueTracer body(context_, body_, &state);
  for (const auto& [element, value] : state) {
    if (facts.unchanged.count(element) != 0) continue;
    if (!body.evaluate(row_of(module(), body_).root, element).is_integer()) {
      return "the condition depends on " + described(element) + ", which the body computes from data";
    }
  }
  return needed.empty() ? "the condition does not depend on a counter"
                        : "the loop did not end within the limit of trips";
}

// Executes the condition and the updates of the elements that it depends on.
std::optional<TripCount> Loop::run(const std::vector<Path>& needed, const LoopFacts& facts) const {
  LoopState state;
  if (find_unknown_input(needed, facts, state)) return std::nullopt;
  const InstructionId root = row_of(module(), body_).root;

  std::int64_t steps = 0;
  LoopState
      passed;  // the state at the last power-of-two trip; reaching it a second time means that the loop never ends
  for (std::int64_t trip = 0; trip <= kMaxRunTrips && steps < kMaxRunSteps; ++trip) {
    ValueTracer condition(context_, condition_, &state);
    const Scalar goes_on = condition.evaluate(row_of(module(), condition_).root);
    if (!goes_on.is_integer()) return std::nullopt;
    if (goes_on.offset == 0) {
      return TripCount{trip, TripCount::Source::kInferred, "by running the condition"};
    }
    LoopState next = state;
    ValueTracer body(context_, body_, &state);
    for (auto& [element, value] : next) {
      if (facts.unchanged.count(element) != 0) continue;
      value = body.evaluate(root, element);
      if (!value.is_integer()) return std::nullopt;
    }
    state = std::move(next);
    if (state == passed) return std::nullopt;
    if ((trip & (trip + 1)) == 0) passed = state;
    steps += condition.steps() + body.steps();
  }
  return std::nullopt;
}

TripCount Loop::infer(LoopFacts& facts) const {
  const LoopState none;
  const std::vector<Path> needed = dependencies(condition_, row_of(module(), condition_).root, {}, none);
  std::set<Path> counters;
  LoopState invariants;
  bool all_known = true;
  for (const Path& element : needed) {
    if (facts.unchanged.count(element) == 0) {
      counters.insert(element);
      continue;
    }
    const Scalar value = initial(element);
    if (value.is_integer()) {
      invariants[element] = value;
    } else {
      all_known = false;
    }
  }
  if (all_known) {
    if (counters.size() == 1) {
      if (auto trips = closed_form(invariants, *counters.begin(), facts)) return *trips;
    }
    if (auto trips = run(needed, facts)) return *trips;
  }
  TripCount unknown = not_known(explain_unknown(needed, facts));
  if (const auto bound = at_most(invariants, counters)) {
    facts.at_most = bound->value;
    unknown.why = "at most " + std::to_string(bound->value) + ", " + bound->why + "; " + unknown.why;
  }
  return unknown;
}

}  // namespace

std::optional<std::int64_t> count_trips(ComparisonDirection comparison, std::int64_t difference, std::int64_t step) {
  if (difference == std::numeric_limits<std::int64_t>::min() || step == std::numeric_limits<std::int64_t>::min()) {
    return std::nullopt;
  }
  // Counting down is counting up with all signs reversed.
  if (comparison == ComparisonDirection::kGt || comparison == ComparisonDirection::kGe) {
    comparison = comparison == ComparisonDirection::kGt ? ComparisonDirection::kLt : ComparisonDirection::kLe;
    difference = -difference;
    step = -step;
  }
  switch (comparison) {
    case ComparisonDirection::kGt:
    case ComparisonDirection::kGe: break;  // excluded above
    case ComparisonDirection::kLt:         // ceil(-difference / step)
      if (difference >= 0) return 0;
      if (step <= 0) return std::nullopt;
      return (-difference - 1) / step + 1;
    case ComparisonDirection::kLe:  // floor(-difference / step) + 1
      if (difference > 0) return 0;
      if (step <= 0) return std::nullopt;
      return -difference / step + 1;
    case ComparisonDirection::kEq:
      if (difference != 0) return 0;
      if (step == 0) return std::nullopt;
      return 1;
    case ComparisonDirection::kNe:
      if (difference == 0) return 0;
      if (step == 0 || difference % step != 0 || -(difference / step) < 0) return std::nullopt;
      return -(difference / step);
  }
  return std::nullopt;
}

namespace {

bool have_common(const absl::flat_hash_set<std::uint32_t>& a, const absl::flat_hash_set<std::uint32_t>& b) {
  const bool is_less = a.size() <= b.size();
  const absl::flat_hash_set<std::uint32_t>& fewer = is_less ? a : b;
  const absl::flat_hash_set<std::uint32_t>& others = is_less ? b : a;
  return std::any_of(fewer.begin(), fewer.end(), [&](std::uint32_t i) { return others.contains(i); });
}

// Whether answers that were read off `reads` are stale.
bool concerns(const TraceReads& changed, const TraceReads& reads) {
  return have_common(changed.instructions, reads.instructions) || have_common(changed.callers_of, reads.callers_of) ||
         have_common(changed.unchanged_of, reads.unchanged_of);
}

// One search for the trip counts of loops.
class Search {
 public:
  Search(TraceContext& context, const CallOptions& options) : context_(context), options_(options) {}

  // Returns false if the answers that are kept may not be those of a search for all loops.
  bool run(TraceReads changed) {
    find_stale(std::move(changed));
    if (keeps_stale_) return false;
    std::vector<InstructionId> left = open_;
    // The bound of a loop may be the result of another loop, so repeat until no further count is found.
    for (int pass = 0; pass < kMaxPasses && !left.empty(); ++pass) {
      const std::size_t before = left.size();
      std::erase_if(left, [&](InstructionId id) { return infer(id); });
      if (left.size() == before) break;
    }
    // In a search for all loops, these may meet the others before the trips of those are known.
    return !keeps_any_ || std::none_of(open_.begin(), open_.end(), [&](InstructionId id) {
      return !context_.loops.at(id.index).reads.growth_of.empty() || feeds_others(id.index);
    });
  }

 private:
  // Finds again what inference does not need of the loops that `changed` concerns, and lists in open_ those that need
  // inference.
  void find_stale(TraceReads changed) {
    LoopRecords before = std::move(context_.loops);
    context_.loops.clear();
    std::vector<std::uint32_t> kept;
    // Computations precede their callers, so inner loops are analyzed before outer ones.
    for (InstructionId id : context_.whiles) {
      auto known = before.extract(id.index);
      if (!known.empty() && !concerns(changed, known.mapped().reads)) {
        context_.loops.insert(std::move(known));
        kept.push_back(id.index);
        continue;
      }
      if (!known.empty()) facts_before_[id.index] = std::move(known.mapped().facts);
      LoopRecord& record = context_.loops[id.index];
      if (start(id, record)) open_.push_back(id);
      if (record.facts.unchanged != facts_before_[id.index].unchanged) changed.unchanged_of.insert(id.index);
    }
    keeps_any_ = !kept.empty();
    // A loop may also be read off one that encloses it.
    keeps_stale_ = std::any_of(kept.begin(), kept.end(),
                               [&](std::uint32_t id) { return concerns(changed, context_.loops.at(id).reads); });
  }

  // Finds what inference does not need. Returns whether the trip count needs it.
  bool start(InstructionId id, LoopRecord& record) {
    context_.reads = &record.reads;
    const InstructionView instruction = context_.module->instruction(id);
    const Loop loop(context_, instruction);
    if (loop.well_formed()) record.facts.unchanged = loop.unchanged();
    context_.reads = nullptr;
    const auto user = options_.trip_counts.find(std::string(instruction.name()));
    if (user != options_.trip_counts.end()) {
      record.trips = {user->second, TripCount::Source::kUser, "set by the user"};
      record.facts.trips = user->second;
      return false;
    }
    if (const auto annotated = annotated_trip_count(instruction.text(AttributeKey::kBackendConfig))) {
      record.trips = {*annotated, TripCount::Source::kAnnotated, "known_trip_count"};
      record.facts.trips = *annotated;
      return false;
    }
    if (loop.well_formed()) return true;
    record.trips = {options_.default_trip_count, TripCount::Source::kAssumed,
                    "the loop's condition or body is not in the text"};
    return false;
  }

  // Infers the trip count. Returns whether it is known.
  bool infer(InstructionId id) {
    LoopRecord& record = context_.loops.at(id.index);
    context_.reads = &record.reads;
    record.trips = Loop(context_, context_.module->instruction(id)).infer(record.facts);
    context_.reads = nullptr;
    if (record.trips.source == TripCount::Source::kAssumed) {
      record.trips.value = record.facts.at_most.value_or(options_.default_trip_count);
      return false;
    }
    record.facts.trips = record.trips.value;
    return true;
  }

  // Whether the trips or increments of a loop changed and some loop was read off them.
  bool feeds_others(std::uint32_t id) {
    const LoopFacts& now = context_.loops.at(id).facts;
    const LoopFacts& before = facts_before_[id];
    if (now.trips == before.trips && now.increments == before.increments) return false;
    return std::any_of(context_.loops.begin(), context_.loops.end(),
                       [&](const auto& loop) { return loop.second.reads.growth_of.contains(id); });
  }

  TraceContext& context_;
  const CallOptions& options_;
  std::vector<InstructionId> open_;                            // loops whose trip count is inferred
  std::unordered_map<std::uint32_t, LoopFacts> facts_before_;  // of the loops that are looked at again
  bool keeps_any_ = false;
  bool keeps_stale_ = false;
};

}  // namespace

void find_trip_counts(TraceContext& context, const CallOptions& options, TraceReads changed) {
  if (Search(context, options).run(std::move(changed))) return;
  context.loops.clear();
  Search(context, options).run({});
}

TripCount infer_trip_count(InstructionView while_instruction) {
  ListsByComputation<CallSite> sites(list_call_sites);
  TraceContext context = make_trace_context(while_instruction.module(), sites);
  find_trip_counts(context, {}, {});
  const auto found = context.loops.find(while_instruction.id().index);
  return found == context.loops.end() ? not_known("not a while loop") : found->second.trips;
}

}  // namespace hloroof::internal::inline analysis
