#include "lib/predict/changes.h"

#include <algorithm>

#include "lib/analysis/collectives.h"
#include "lib/schedule/async_pairs.h"

namespace hloroof::inline v0 {
namespace {

// Whether an array in a shape could count a loop: one element.
bool has_counter(const Module& module, ShapeId shape) {
  if (!shape.valid()) return false;
  const Span<ShapeId> leaves = module.shapes().leaves(shape);
  return std::any_of(leaves.begin(), leaves.end(), [&](ShapeId leaf) {
    return module.shape(leaf).is_array() && element_count(module.shape(leaf)) == 1;
  });
}

bool names_computations(AttributeKey key) {
  return form(key) == AttributeForm::kComputation || form(key) == AttributeForm::kComputationList;
}

class Finder {
 public:
  Finder(const ModuleEditor& editor, const StepFacts& facts, const PredictOptions& options)
      : editor_(editor),
        module_(editor.module()),
        facts_(facts),
        options_(options),
        known_(facts.computation_limit),
        touched_(module_.instruction_limit(), false),
        content_(module_.computation_limit(), false) {
    changes_.order.resize(module_.computation_limit(), false);
  }

  Changes run(const std::vector<Edit>& edits) {
    const bool names_matter = !options_.trip_counts.empty() || !options_.branch_probabilities.empty();
    for (const Edit& edit : edits) {
      switch (edit.kind) {
        case Edit::Kind::kName: changes_.everything |= names_matter; continue;
        case Edit::Kind::kShape: {
          touch(edit.instruction);
          const bool of_semaphore = is_semaphore(edit.old_shape) || is_semaphore(module_.data(edit.instruction).shape);
          for (InstructionId user : editor_.users(edit.instruction)) {
            touch(user);
            // A fusion that carries a step of a collective is known by its semaphore.
            if (of_semaphore && is_scheduled(module_.data(user).computation)) changes_.pairs.push_back(user);
          }
          break;
        }
        case Edit::Kind::kOperands:
        case Edit::Kind::kAttributes: touch(edit.instruction); break;
        case Edit::Kind::kInserted:
        case Edit::Kind::kErased: changes_.everything |= names_matter; [[fallthrough]];
        case Edit::Kind::kMoved:
          touch(edit.instruction);
          reorder(module_.data(edit.instruction).computation);
          break;
      }
      look_at_calls(edit);
      look_at_collectives(edit);
      look_at_pairs(edit);
    }
    return std::move(changes_);
  }

 private:
  InstructionView view(InstructionId id) const { return module_.instruction(id); }
  bool is_semaphore(ShapeId id) const {
    if (!id.valid()) return false;
    const Shape& shape = module_.shape(id);
    return shape.is_array() && shape.dimensions.empty() && shape.layout.memory_space == 2;
  }
  bool is_scheduled(ComputationId id) const { return id.index < known_ && facts_.calls.is_scheduled(id); }

  void touch(InstructionId id) {
    const ComputationId computation = module_.data(id).computation;
    if (is_scheduled(computation)) return touch_scheduled(id);
    if (touched_[id.index]) return;
    touched_[id.index] = true;
    change_content(computation);
  }

  // An instruction of a schedule.
  void touch_scheduled(InstructionId id) {
    if (touched_[id.index]) return;
    touched_[id.index] = true;
    if (!editor_.is_alive(id)) return;
    changes_.costs.push_back(id);
    const Opcode opcode = module_.data(id).opcode;
    if (is_collective(opcode)) {
      read_again(id);
    } else if (opcode == Opcode::kFusion || opcode == Opcode::kAsyncStart) {
      look_at_carrier(id);
    }
  }

  // Whether what carries collectives still does.
  void look_at_carrier(InstructionId id) {
    const CollectiveCosts& all = facts_.collectives;
    const bool carried = std::any_of(all.collectives.begin(), all.collectives.end(),
                                     [&](const Collective& c) { return c.carrier == id; });
    if (!carried) return;
    const bool listed = all.by_carrier.count(id.index) != 0;
    if (carries_collective_step(view(id)) == listed) changes_.collectives = true;
  }

  void reorder(ComputationId computation) {
    if (is_scheduled(computation)) {
      changes_.order[computation.index] = true;
    } else {
      change_content(computation);
    }
  }

  // What calls a computation that is no schedule of its own costs what is in it.
  void change_content(ComputationId computation) {
    std::vector<ComputationId> open = {computation};
    while (!open.empty()) {
      const ComputationId id = open.back();
      open.pop_back();
      if (content_[id.index]) continue;
      content_[id.index] = true;
      std::vector<InstructionId> callers;
      if (id.index < known_) callers = facts_.calls.callers(id);
      const auto [first, last] = facts_.callers_since.equal_range(id.index);
      for (auto since = first; since != last; ++since) callers.push_back(since->second);
      for (InstructionId caller : callers) {
        if (!editor_.is_alive(caller)) continue;
        if (module_.data(caller).computation.index < known_) changes_.pairs.push_back(caller);
        if (is_scheduled(module_.data(caller).computation)) {
          touch_scheduled(caller);
        } else {
          open.push_back(module_.data(caller).computation);
        }
      }
    }
  }

  std::vector<InstructionId> collectives_in(ComputationId id) const {
    std::vector<InstructionId> result;
    for (InstructionView instruction : module_.computation(id).instructions()) {
      if (is_collective(instruction.opcode())) result.push_back(instruction.id());
    }
    return result;
  }

  bool is_known(InstructionId collective) const {
    const std::vector<Collective>& all = facts_.collectives.collectives;
    return std::any_of(all.begin(), all.end(), [&](const Collective& c) { return c.instruction == collective; });
  }

  // A collective of a scheduled computation.
  void read_again(InstructionId id) {
    changes_.reread.insert(id.index);
    const Opcode opcode = module_.data(id).opcode;  // of these an attribute says whether they are collectives
    if (!is_known(id) || opcode == Opcode::kSend || opcode == Opcode::kRecv) changes_.collectives = true;
  }

  // Whether a computation that `opcode` calls may be a schedule of its own, or wrapped as one.
  static bool runs_schedules(Opcode opcode) {
    switch (work_class(opcode)) {
      case WorkClass::kCall: return opcode != Opcode::kFusion;
      case WorkClass::kAsync: return true;
      default: return false;
    }
  }

  void look_at_calls(const Edit& edit) {
    const InstructionView instruction = view(edit.instruction);
    const std::vector<ComputationId> called = instruction.called_computations();
    // A new schedule, or another number of callers where trip counts follow parameters to the only one.
    const bool matters = std::any_of(called.begin(), called.end(), [&](ComputationId id) {
      return runs_schedules(instruction.opcode()) || facts_.calls.trips_follow_callers(id);
    });
    switch (edit.kind) {
      case Edit::Kind::kInserted:
        for (ComputationId id : called) changes_.callers.emplace_back(id, edit.instruction);
        [[fallthrough]];
      case Edit::Kind::kErased:
      case Edit::Kind::kMoved: changes_.calls |= matters; break;
      case Edit::Kind::kAttributes:
        if (!names_computations(edit.key)) break;
        changes_.calls = true;  // also for what was called before
        for (ComputationId id : called) {
          changes_.callers.emplace_back(id, edit.instruction);
          change_content(id);  // what else calls it may look at what this one does with it
        }
        break;
      default: break;
    }
    if (changes_.calls || !facts_.calls.trips_read_off(edit.instruction)) return;
    const bool counts = instruction.opcode() == Opcode::kConstant || instruction.opcode() == Opcode::kWhile ||
                        has_counter(module_, instruction.shape_id()) || has_counter(module_, edit.old_shape);
    if (counts) changes_.calls = true;
  }

  void look_at_collectives(const Edit& edit) {
    const InstructionView instruction = view(edit.instruction);
    const Opcode opcode = instruction.opcode();
    if (!is_scheduled(instruction.data().computation)) return look_inside(edit);
    if (edit.kind == Edit::Kind::kShape || edit.kind == Edit::Kind::kAttributes) return;  // touch() sees those
    if (ends_collective(opcode) || opcode == Opcode::kAsyncUpdate) changes_.collectives = true;
    if (edit.kind == Edit::Kind::kOperands) return;
    if (is_collective(opcode)) changes_.collectives = true;
    if (opcode != Opcode::kFusion && opcode != Opcode::kAsyncStart) return;
    for (ComputationId called : instruction.called_computations()) {
      if (!collectives_in(called).empty()) changes_.collectives = true;
    }
  }

  // An edit of what a fusion, or what is wrapped, does.
  void look_inside(const Edit& edit) {
    const InstructionView instruction = view(edit.instruction);
    const ComputationId computation = instruction.data().computation;
    // The channel says which steps belong together; all else is read at the one place that stands for all of them.
    if (edit.kind == Edit::Kind::kAttributes && is_collective(instruction.opcode()) &&
        edit.key != AttributeKey::kChannelId) {
      changes_.reread.insert(edit.instruction.index);
      return;
    }
    const std::vector<InstructionId> beside = collectives_in(computation);
    for (InstructionId collective : beside) changes_.reread.insert(collective.index);
    if (is_collective(instruction.opcode()) || instruction.opcode() == Opcode::kCustomCall || !beside.empty()) {
      changes_.collectives = true;
    }
  }

  void look_at_pairs(const Edit& edit) {
    // What is in a computation that came since is no part of a schedule.
    if (module_.data(edit.instruction).computation.index >= known_) return;
    if (edit.kind != Edit::Kind::kShape && edit.kind != Edit::Kind::kMoved) changes_.pairs.push_back(edit.instruction);
  }

  const ModuleEditor& editor_;
  const Module& module_;
  const StepFacts& facts_;
  const PredictOptions& options_;
  const std::size_t known_;    // computations that there are facts of
  std::vector<bool> touched_;  // by InstructionId
  std::vector<bool> content_;  // by ComputationId: looked at
  Changes changes_;
};

}  // namespace

Changes find_changes(const ModuleEditor& editor, const std::vector<Edit>& edits, const StepFacts& facts,
                     const PredictOptions& options) {
  return Finder(editor, facts, options).run(edits);
}

}  // namespace hloroof::inline v0
