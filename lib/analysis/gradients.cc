#include "lib/analysis/gradients.h"

#include <set>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "lib/analysis/axis_roles.h"
#include "lib/analysis/calls.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/shapes.h"
#include "lib/ir/value_walk.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline analysis {
namespace {

constexpr int kMaxUpdateValues = 1 << 14;  // limit on the values that one walk visits

class GradientFinder {
 public:
  GradientFinder(const Module& module, const CallGraph& calls, const std::vector<Collective>& collectives)
      : module_(module), calls_(calls), walk_(module) {
    for (std::size_t c = 0; c < collectives.size(); ++c) {
      const Collective& collective = collectives[c];
      const bool reduces =
          collective.kind == CollectiveKind::kAllReduce || collective.kind == CollectiveKind::kReduceScatter;
      if (!reduces || collective.groups.group_size <= 1) continue;
      for (const InstructionId id : {collective.instruction, collective.carrier, collective.done}) {
        if (id.valid()) reductions_.emplace(id.index, c);
      }
    }
  }

  absl::StatusOr<std::vector<std::size_t>> find() {
    std::set<std::size_t> found;
    int states = 0;
    for (const ParameterAlias& alias : input_output_alias(module_)) {
      const Path path(alias.output.begin(), alias.output.end());
      const std::optional<ShapeId> array = array_at(path);
      if (!array || !is_updated(path)) continue;
      ++states;
      const std::set<std::size_t> sources = sources_of(path);
      if (sources.empty()) {
        return absl::FailedPreconditionError(absl::StrCat("the text does not show where the update of ",
                                                          to_string(module_.shapes(), *array),
                                                          " is summed over the devices"));
      }
      found.insert(sources.begin(), sources.end());
    }
    if (states == 0) {
      return absl::FailedPreconditionError(
          "no argument of the program is updated in place by arithmetic, as weights are");
    }
    return std::vector<std::size_t>(found.begin(), found.end());
  }

 private:
  // Returns the large floating-point array at a place of the result of the entry, or nullopt if it is another value.
  std::optional<ShapeId> array_at(const Path& path) const {
    ShapeId id = module_.entry().root().shape_id();
    for (const std::int64_t element : path) {
      const Shape& shape = module_.shape(id);
      if (!shape.is_tuple() || element < 0 || element >= static_cast<std::int64_t>(shape.elements.size())) {
        return std::nullopt;
      }
      id = shape.elements[static_cast<std::size_t>(element)];
    }
    const Shape& shape = module_.shape(id);
    if (!shape.is_array() || !is_floating(shape.element_type) || element_count(shape) <= kSmallArray) {
      return std::nullopt;
    }
    return id;
  }

  auto callers() {
    return [this](ComputationId id) -> absl::Span<const InstructionId> { return CallFacts::callers(calls_, id); };
  }

  // Whether the value is the result of arithmetic on elements, as an optimizer's update is.
  bool is_updated(const Path& path) {
    bool is_arithmetic = false;
    walk_.begin();
    walk_.add(module_.entry().root().id(), path);
    walk_.back(kMaxUpdateValues, callers(), [&](InstructionView at) {
      if (moves_elements(at)) return Go::kOperands;
      switch (flow(at.opcode())) {
        case Flow::kElementwise: is_arithmetic = true; return Go::kStop;
        case Flow::kParameter: return at.computation().is_entry() ? Go::kStop : Go::kOn;
        case Flow::kUpdates:
        case Flow::kOpaque: return Go::kStop;
        default: return Go::kOn;
      }
    });
    return is_arithmetic;
  }

  // The reductions over devices that the value is computed from by arithmetic on elements.
  std::set<std::size_t> sources_of(const Path& path) {
    std::set<std::size_t> sources;
    walk_.begin();
    walk_.add(module_.entry().root().id(), path);
    walk_.back(kMaxUpdateValues, callers(), [&](InstructionView at) {
      const auto reduction = reductions_.find(at.id().index);
      if (reduction != reductions_.end()) {
        sources.insert(reduction->second);
        return Go::kStop;
      }
      if (at.shape().is_array() && (!is_floating(at.shape().element_type) || element_count(at.shape()) <= 1)) {
        return Go::kStop;  // a predicate, an index or a factor such as the learning rate
      }
      if (moves_elements(at)) return Go::kOperands;
      switch (flow(at.opcode())) {
        case Flow::kElementwise:
        case Flow::kUpdates: return Go::kOperands;
        case Flow::kRepeats:
        case Flow::kOpaque: return Go::kStop;
        case Flow::kParameter: return at.computation().is_entry() ? Go::kStop : Go::kOn;
        default: return Go::kOn;
      }
    });
    return sources;
  }

  const Module& module_;
  const CallGraph& calls_;
  ValueWalk walk_;
  std::unordered_map<std::uint32_t, std::size_t> reductions_;  // by carrier, done or the collective itself
};

}  // namespace

bool moves_elements(InstructionView instruction) {
  switch (instruction.opcode()) {
    case Opcode::kCustomCall: return string_value(instruction, AttributeKey::kCustomCallTarget) == "ConcatBitcast";
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllToAll:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart: return true;
    default: return false;
  }
}

absl::StatusOr<std::vector<std::size_t>> gradient_collectives(const Module& module, const CallGraph& calls,
                                                              const std::vector<Collective>& collectives) {
  return GradientFinder(module, calls, collectives).find();
}

}  // namespace hloroof::internal::inline analysis
