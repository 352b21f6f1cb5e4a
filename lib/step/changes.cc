#include "lib/step/changes.h"

#include <algorithm>

#include "absl/types/span.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/collectives.h"
#include "lib/analysis/wrapped.h"
#include "lib/ir/attribute_form.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/schedule/async_pairs.h"

namespace hloroof::internal::inline step {
namespace {

// Returns true if an array in the shape could be a loop counter, that is, has one element.
bool has_counter(const Module& module, ShapeId shape) {
  if (!shape.valid()) return false;
  const absl::Span<const ShapeId> leaves = module.shapes().leaves(shape);
  return std::any_of(leaves.begin(), leaves.end(), [&](ShapeId leaf) {
    return module.shape(leaf).is_array() && element_count(module.shape(leaf)) == 1;
  });
}

// Returns true if two shapes have the same arrays, possibly with other layouts.
bool same_arrays(const Module& module, ShapeId a, ShapeId b) {
  if (!a.valid() || !b.valid()) return false;
  const Shape& x = module.shape(a);
  const Shape& y = module.shape(b);
  if (x.is_array() && y.is_array()) return x.element_type == y.element_type && x.dimensions == y.dimensions;
  return x.is_tuple() && y.is_tuple() &&
         std::equal(x.elements.begin(), x.elements.end(), y.elements.begin(), y.elements.end(),
                    [&](ShapeId i, ShapeId j) {
                      const Shape& in_x = module.shape(i);
                      const Shape& in_y = module.shape(j);
                      return i == j || (in_x.is_array() && in_y.is_array() && in_x.element_type == in_y.element_type &&
                                        in_x.dimensions == in_y.dimensions);
                    });
}

// Returns true if a computation called by `opcode` may be scheduled or be wrapped as an asynchronous one.
bool runs_schedules(Opcode opcode) { return calls_schedules(opcode) || work_class(opcode) == WorkClass::kAsync; }

class Finder {
 public:
  Finder(const ModuleEditor& editor, const StepFacts& facts, const SearchRecords& records, const SinceCallGraph& since)
      : editor_(editor),
        module_(editor.module()),
        facts_(facts),
        records_(records),
        since_(since),
        touched_(module_.instruction_limit(), false),
        contents_touched_(module_.computation_limit(), false) {}

  Stale run(const std::vector<Edit>& edits) {
    for (const Edit& edit : edits) {
      stale_.edited_in.push_back(row_of(module_, edit.instruction).computation);
      find_named(edit);
      find_touched(edit);
      find_order(edit);
      find_calls(edit);
      find_collectives(edit);
      find_pairs(edit);
      find_sharding(edit);
      find_shape(edit);
    }
    // Those stages find other collectives, which may be between other devices.
    stale_.device_count |= stale_.calls || stale_.collectives || !stale_.descriptions.empty();
    return std::move(stale_);
  }

 private:
  // ---- Touched instructions and computations -----------------------------------------------------------------------

  bool is_known(ComputationId id) const { return id.index < since_.computation_limit; }
  bool is_scheduled(ComputationId id) const { return is_known(id) && CallFacts::is_scheduled(facts_.calls, id); }

  // The cost of an instruction depends on its own text and on the shapes of its operands, and of what an operand that
  // is a bitcast renames, and not on its place.
  void find_touched(const Edit& edit) {
    if (edit.kind == Edit::Kind::kMoved) {
      const ComputationId computation = row_of(module_, edit.instruction).computation;
      if (is_scheduled(computation) && !is_also_inlined(computation)) return;
    }
    touch(edit.instruction);
    const bool is_shape = edit.kind == Edit::Kind::kShape;
    if (!is_shape && !is_bitcast(edit.instruction)) return;
    for (InstructionId user : editor_.users(edit.instruction)) {
      touch(user);
      if (!is_shape || !is_bitcast(user)) continue;
      for (InstructionId of_bitcast : editor_.users(user)) touch(of_bitcast);
    }
  }

  bool is_bitcast(InstructionId id) const {
    return editor_.is_alive(id) && row_of(module_, id).opcode == Opcode::kBitcast;
  }

  void touch(InstructionId id) {
    const ComputationId computation = row_of(module_, id).computation;
    if (is_scheduled(computation)) {
      touch_scheduled(id);
      if (is_also_inlined(computation)) touch_contents(computation);
      return;
    }
    if (touched_[id.index]) return;
    touched_[id.index] = true;
    touch_contents(computation);
  }

  // Whether a scheduled computation is also part of instructions that run it as a whole, such as fusions.
  bool is_also_inlined(ComputationId scheduled) const {
    const std::vector<InstructionId> all = callers(scheduled);
    return std::any_of(all.begin(), all.end(), [&](InstructionId caller) {
      return editor_.is_alive(caller) && !calls_schedules(row_of(module_, caller).opcode);
    });
  }

  // Marks the costs of an instruction of a scheduled computation as stale, and the collective that it is or carries.
  void touch_scheduled(InstructionId id) {
    if (touched_[id.index]) return;
    touched_[id.index] = true;
    if (!editor_.is_alive(id)) return;
    stale_.costs.push_back(id);
    const Opcode opcode = row_of(module_, id).opcode;
    if (is_collective(opcode)) {
      describe_again(id);
    } else if (wraps_computation(opcode)) {
      find_carrier(id);
    }
  }

  // The cost of a caller of an unscheduled computation depends on the contents of that computation.
  void touch_contents(ComputationId computation) {
    std::vector<ComputationId> open = {computation};
    while (!open.empty()) {
      const ComputationId id = open.back();
      open.pop_back();
      if (contents_touched_[id.index]) continue;
      contents_touched_[id.index] = true;
      for (InstructionId caller : callers(id)) {
        if (!editor_.is_alive(caller)) continue;
        const ComputationId outer = row_of(module_, caller).computation;
        if (is_known(outer)) stale_.pairs.push_back(caller);
        if (is_scheduled(outer)) {
          touch_scheduled(caller);
        } else {
          open.push_back(outer);
        }
      }
    }
  }

  std::vector<InstructionId> callers(ComputationId id) const {
    std::vector<InstructionId> result;
    if (is_known(id)) {
      const absl::Span<const InstructionId> known = CallFacts::callers(facts_.calls, id);
      result.assign(known.begin(), known.end());
    }
    const auto [first, last] = since_.callers.equal_range(id.index);
    for (auto later = first; later != last; ++later) result.push_back(later->second);
    return result;
  }

  // ---- Options -----------------------------------------------------------------------------------------------------

  // Options that name an instruction are checked against the module. An edit may add or remove that instruction.
  void find_named(const Edit& edit) {
    if (facts_.options.trip_counts.empty() && facts_.options.branch_probabilities.empty()) return;
    switch (edit.kind) {
      case Edit::Kind::kInserted:
      case Edit::Kind::kErased: stale_.everything = true; break;
      default: break;
    }
  }

  // ---- Order -------------------------------------------------------------------------------------------------------

  void find_order(const Edit& edit) {
    switch (edit.kind) {
      case Edit::Kind::kInserted:
      case Edit::Kind::kErased:
      case Edit::Kind::kRoot:
      case Edit::Kind::kMoved: break;
      default: return;
    }
    const ComputationId computation = row_of(module_, edit.instruction).computation;
    if (has_meaning_for_collectives(module_.instruction(edit.instruction))) {
      stale_.collectives_in.push_back(computation);
    }
    if (is_scheduled(computation)) stale_.replay.order_changed(computation);  // for others see find_touched()
  }

  // ---- The call graph ----------------------------------------------------------------------------------------------

  void find_calls(const Edit& edit) {
    const InstructionView instruction = module_.instruction(edit.instruction);
    const std::vector<ComputationId> called = instruction.called_computations();
    // The call may schedule a computation. It may also change the number of callers of a computation for which a trip
    // count was traced from a parameter to the only caller.
    const bool matters = std::any_of(called.begin(), called.end(), [&](ComputationId id) {
      return runs_schedules(instruction.opcode()) || CallFacts::trips_follow_callers(facts_.calls, id);
    });
    find_fused(edit, called);
    const bool names_others = edit.kind == Edit::Kind::kAttributes && names_computations(edit.key);
    if (names_others || (!called.empty() && edit.kind != Edit::Kind::kShape && edit.kind != Edit::Kind::kOperands)) {
      stale_.calls_changed.push_back(row_of(instruction).computation);
    }
    switch (edit.kind) {
      case Edit::Kind::kInserted:
        for (ComputationId id : called) stale_.callers.emplace_back(id, edit.instruction);
        [[fallthrough]];
      case Edit::Kind::kErased:
        stale_.calls |= matters;
        stale_.lost_callers |= edit.kind == Edit::Kind::kErased && !called.empty();
        break;
      case Edit::Kind::kMoved:  // what is scheduled and what is wrapped stay so, and the first are listed in order
        stale_.calls |= matters && calls_schedules(instruction.opcode());
        break;
      case Edit::Kind::kRoot:
        stale_.calls |= matters || is_scheduled(instruction.computation().id());
        stale_.values_changed.push_back(edit.instruction);
        break;
      case Edit::Kind::kAttributes:
        if (!names_computations(edit.key)) break;
        stale_.calls = true;  // also covers the previous callees
        if (runs_schedules(instruction.opcode())) stale_.replay.steps.push_back(edit.instruction);
        for (ComputationId id : called) {
          stale_.callers.emplace_back(id, edit.instruction);
          touch_contents(id);  // the cost of other callers may depend on this one
        }
        break;
      default: break;
    }
    if (!CallFacts::trips_read_off(facts_.calls, edit.instruction) || keeps_trips(edit)) return;
    if (!may_count(edit.instruction) && !has_counter(module_, edit.old_shape)) return;
    stale_.values_changed.push_back(edit.instruction);
    stale_.calls = true;
  }

  // Whether the value of an instruction may decide a trip count. A comparison does whatever its shape says, which
  // verify() checks and the call graph does not.
  bool may_count(InstructionId id) const {
    const InstructionData& row = row_of(module_, id);
    return row.opcode == Opcode::kConstant || row.opcode == Opcode::kWhile || row.opcode == Opcode::kCompare ||
           has_counter(module_, row.shape);
  }

  // Whether an edit of an instruction from which trip counts were read off keeps all of them. They do not depend on
  // layouts or on the order of instructions, and on an operand only if it was looked at.
  bool keeps_trips(const Edit& edit) const {
    switch (edit.kind) {
      case Edit::Kind::kMoved: return true;
      case Edit::Kind::kShape: return same_arrays(module_, edit.old_shape, row_of(module_, edit.instruction).shape);
      case Edit::Kind::kOperands:
        if (!edit.old_operand.valid()) return false;
        return !CallFacts::trips_read_off(facts_.calls, edit.old_operand) ||
               (!may_count(edit.old_operand) && !may_count(edit.new_operand));
      default: return false;
    }
  }

  // On GPUs the kinds of all fusions that call a computation decide how the work inside it is counted; see InsideTable.
  void find_fused(const Edit& edit, const std::vector<ComputationId>& called) {
    if (row_of(module_, edit.instruction).opcode != Opcode::kFusion) return;
    const bool is_other_kind = edit.kind == Edit::Kind::kAttributes && edit.key == AttributeKey::kKind;
    if (edit.kind == Edit::Kind::kInserted || edit.kind == Edit::Kind::kErased || is_other_kind) {
      for (ComputationId id : called) touch_contents(id);
    }
    if (edit.kind == Edit::Kind::kAttributes && edit.key == AttributeKey::kCalls) stale_.fused_before = true;
  }

  // ---- Collectives -------------------------------------------------------------------------------------------------

  void find_collectives(const Edit& edit) {
    const InstructionView instruction = module_.instruction(edit.instruction);
    const Opcode opcode = instruction.opcode();
    if (!is_scheduled(row_of(instruction).computation)) return find_wrapped_collectives(edit);
    if (edit.kind == Edit::Kind::kAttributes && names_computations(edit.key)) {
      stale_.collectives |= !wraps_computation(opcode) || calls_schedules(opcode) ||
                            records_.collectives.carriers.contains(edit.instruction.index) ||
                            has_collective_inside(instruction.called_computations());
    }
    if (edit.kind == Edit::Kind::kShape || edit.kind == Edit::Kind::kAttributes) return;  // see touch_scheduled()
    if (continues_collective(opcode)) stale_.collectives = true;
    if (edit.kind == Edit::Kind::kOperands) return;
    if (is_collective(opcode)) stale_.collectives = true;
    if (!wraps_computation(opcode)) return;
    for (const WrappedComputation& wrapped : wrapped_computations(instruction)) {
      if (!collectives_in(wrapped.id).empty()) stale_.collectives = true;
    }
  }

  // Handles an edit inside a fusion or inside a computation that an async-start wraps.
  void find_wrapped_collectives(const Edit& edit) {
    const InstructionView instruction = module_.instruction(edit.instruction);
    // The channel determines which steps belong together. All other attributes are read from one representative.
    if (edit.kind == Edit::Kind::kAttributes && is_collective(instruction.opcode()) &&
        edit.key != AttributeKey::kChannelId) {
      stale_.descriptions.insert(edit.instruction.index);
      return;
    }
    const ComputationId computation = row_of(instruction).computation;
    const std::vector<InstructionId> neighbours = collectives_in(computation);
    for (InstructionId collective : neighbours) stale_.descriptions.insert(collective.index);
    // A loop decides how often collectives run.
    if (has_collective([](const Collective& c) { return c.runs != 1; })) stale_.collectives = true;
    if (edit.kind == Edit::Kind::kShape) return;
    // A call decides which collectives run, and a custom call which part of them.
    const bool decides = runs_computations(instruction.opcode()) || instruction.opcode() == Opcode::kCustomCall;
    const bool calls_others = edit.kind == Edit::Kind::kAttributes && names_computations(edit.key);
    if (is_collective(instruction.opcode()) || !neighbours.empty() || calls_others ||
        (decides &&
         (has_collective_inside({computation}) || has_collective_inside(instruction.called_computations())))) {
      stale_.collectives = true;
    }
  }

  // Returns whether computations have a collective, themselves or in what they run.
  bool has_collective_inside(std::vector<ComputationId> open) const {
    std::set<std::uint32_t> seen;
    while (!open.empty()) {
      const ComputationId id = open.back();
      open.pop_back();
      if (!id.valid() || !seen.insert(id.index).second) continue;
      if (module_.computation(id).is_missing()) return true;  // unknown
      for (InstructionView instruction : module_.computation(id).instructions()) {
        if (is_collective(instruction.opcode())) return true;
        // A custom call may be the program of a SparseCore.
        if (!runs_computations(instruction.opcode()) && instruction.opcode() != Opcode::kCustomCall) continue;
        for (ComputationId called : instruction.called_computations()) open.push_back(called);
      }
    }
    return false;
  }

  // Marks a collective of a scheduled computation as stale.
  void describe_again(InstructionId id) {
    stale_.descriptions.insert(id.index);
    const Opcode opcode = row_of(module_, id).opcode;  // an attribute decides whether a send or recv is a collective
    const bool is_found = has_collective([&](const Collective& c) { return c.instruction == id; });
    if (!is_found || opcode == Opcode::kSend || opcode == Opcode::kRecv) stale_.collectives = true;
  }

  // Checks whether an instruction that carried a collective still carries it.
  void find_carrier(InstructionId id) {
    if (!has_collective([&](const Collective& c) { return c.carrier == id; })) return;
    const bool listed = facts_.collectives.by_carrier.contains(id.index);
    if (carries_collective_step(module_.instruction(id)) == listed) stale_.collectives = true;
  }

  template <typename Predicate>
  bool has_collective(const Predicate& predicate) const {
    const std::vector<Collective>& all = facts_.collectives.collectives;
    return std::any_of(all.begin(), all.end(), predicate);
  }

  std::vector<InstructionId> collectives_in(ComputationId id) const {
    std::vector<InstructionId> result;
    for (InstructionView instruction : module_.computation(id).instructions()) {
      if (is_collective(instruction.opcode())) result.push_back(instruction.id());
    }
    return result;
  }

  // ---- Tiles -------------------------------------------------------------------------------------------------------

  void find_shape(const Edit& edit) {
    switch (edit.kind) {
      case Edit::Kind::kShape:
      case Edit::Kind::kInserted:
      case Edit::Kind::kErased: stale_.tiles = true; break;
      default: break;
    }
  }

  // ---- Devices -----------------------------------------------------------------------------------------------------

  void find_sharding(const Edit& edit) {
    const bool is_parameter = row_of(module_, edit.instruction).opcode == Opcode::kParameter;
    stale_.device_count |= is_parameter || edit.key == AttributeKey::kSharding;
  }

  // ---- Pairs -------------------------------------------------------------------------------------------------------

  // touch_contents() adds the fusions whose insides an edit touches.
  void find_pairs(const Edit& edit) {
    if (!is_known(row_of(module_, edit.instruction).computation)) return;  // new computations are fused or applied
    switch (edit.kind) {
      case Edit::Kind::kMoved: return;
      case Edit::Kind::kShape:
        // A semaphore among its operands identifies a fusion that carries a step of a collective.
        if (!is_semaphore(edit.old_shape) && !is_semaphore(row_of(module_, edit.instruction).shape)) return;
        for (InstructionId user : editor_.users(edit.instruction)) {
          if (is_scheduled(row_of(module_, user).computation)) stale_.pairs.push_back(user);
        }
        return;
      default: stale_.pairs.push_back(edit.instruction);
    }
  }

  bool is_semaphore(ShapeId id) const { return id.valid() && internal::is_semaphore(module_.shape(id)); }

  const ModuleEditor& editor_;
  const Module& module_;
  const StepFacts& facts_;
  const SearchRecords& records_;
  const SinceCallGraph& since_;
  std::vector<bool> touched_;           // by InstructionId
  std::vector<bool> contents_touched_;  // by ComputationId
  Stale stale_;
};

}  // namespace

Stale find_stale(const ModuleEditor& editor, const std::vector<Edit>& edits, const StepFacts& facts,
                 const SearchRecords& records, const SinceCallGraph& since) {
  return Finder(editor, facts, records, since).run(edits);
}

}  // namespace hloroof::internal::inline step
