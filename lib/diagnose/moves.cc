#include "lib/diagnose/moves.h"

#include <cstdint>
#include <set>
#include <utility>

#include "hloroof/attributes.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/ir/value_walk.h"

namespace hloroof::internal::inline diagnose {
namespace {

constexpr std::size_t kMostWalked = 256;  // limit on the values followed inside of one op

bool is_scalar(InstructionView at) { return at.shape().is_array() && element_count(at.shape()) <= 1; }

bool has_other_layout(InstructionView copy) {
  if (copy.operand_count() == 0) return false;
  const Shape& from = copy.operand(0).shape();
  const Shape& to = copy.shape();
  if (!from.is_array() || !to.is_array()) return false;
  return from.layout.minor_to_major != to.layout.minor_to_major || from.layout.tiles != to.layout.tiles;
}

void examine(InstructionView at, DataMoves& moves) {
  switch (flow(at.opcode())) {
    case Flow::kParameter:
    case Flow::kRenames:
    case Flow::kPacks:
    case Flow::kPicks:
    case Flow::kReshapes: return;
    case Flow::kCopies: moves.changes_layout = moves.changes_layout || has_other_layout(at); return;
    case Flow::kReorders: moves.changes_layout = moves.changes_layout || !is_scalar(at); return;
    case Flow::kSelects: moves.cuts_out = moves.cuts_out || !is_scalar(at); return;
    default: break;
  }
  if (at.opcode() == Opcode::kDynamicUpdateSlice) {
    moves.writes_into = true;
    return;
  }
  if (at.opcode() == Opcode::kCopyStart || at.opcode() == Opcode::kConstant || is_scalar(at)) return;
  moves.computes = true;
}

ComputationId computation_inside(InstructionView op) {
  if (!wraps_computation(op.opcode())) return {};
  const auto called = op.computations(AttributeKey::kCalls);
  if (called.size() != 1 || !row_of(op.module(), called[0].id()).root.valid()) return {};
  return called[0].id();
}

// A value inside of an op. `level` is the computation that runs it, as an index of the calls that lead to it.
struct Place {
  InstructionId id;
  Path path;
  std::size_t level = 0;
  bool is_base = false;
};

struct Level {
  InstructionId caller;
  ComputationId computation;
  std::size_t outer = 0;
};

}  // namespace

DataMoves data_moved_by(InstructionView op) {
  DataMoves moves;
  std::set<std::uint32_t> seen;
  std::vector<InstructionView> open = {op};
  while (!open.empty() && !moves.computes) {
    const InstructionView at = open.back();
    open.pop_back();
    if (!wraps_computation(at.opcode())) {
      examine(at, moves);
      continue;
    }
    const ComputationId called = computation_inside(at);
    moves.computes = moves.computes || !called.valid();
    if (!called.valid() || !seen.insert(called.index).second) continue;
    for (InstructionView inner : op.module().computation(called).instructions()) open.push_back(inner);
  }
  return moves;
}

bool copies_as_is(InstructionView op) {
  if (op.opcode() != Opcode::kCopy && flow(op.opcode()) != Flow::kFuses) return false;
  if (op.operand_count() != 1 || !op.shape().is_array() || !(op.shape() == op.operand(0).shape())) return false;
  const DataMoves moves = data_moved_by(op);
  return !moves.computes && !moves.changes_layout && moves.is_in_one_piece();
}

std::vector<MovedFrom> moved_from(InstructionView op, std::size_t element) {
  const Module& module = op.module();
  const ComputationId inside = computation_inside(op);
  const Flow f = flow(op.opcode());
  if (!inside.valid()) {
    if (op.operand_count() == 0) return {};
    if (op.opcode() == Opcode::kDynamicUpdateSlice && op.operand_count() > 1) return {{0, true}, {1, false}};
    if (f == Flow::kUpdates) return {{element, true}};
    if (op.opcode() == Opcode::kCopyStart) return {{0, false}};
    const bool is_move = f == Flow::kCopies || f == Flow::kReshapes || f == Flow::kReorders || f == Flow::kSelects;
    return is_move ? std::vector<MovedFrom>{{0, false}} : std::vector<MovedFrom>{};
  }
  std::vector<MovedFrom> found;
  const InstructionView root = module.computation(inside).root();
  std::vector<Level> levels = {{op.id(), inside, 0}};
  std::vector<Place> open = {{root.id(), {}, 0, false}};
  if (root.shape().is_tuple() && op.opcode() != Opcode::kAsyncStart) {
    open[0].path.push_back(static_cast<std::int64_t>(element));
  }
  for (std::size_t visits = 0; !open.empty() && visits < kMostWalked; ++visits) {
    Place place = std::move(open.back());
    open.pop_back();
    const InstructionView at = module.instruction(place.id);
    if (at.opcode() == Opcode::kParameter) {
      const Level level = levels[place.level];
      const std::int64_t number = at.parameter_number();
      if (place.level == 0) {
        if (number >= 0 && static_cast<std::size_t>(number) < op.operand_count() && place.path.empty()) {
          found.push_back({static_cast<std::size_t>(number), place.is_base});
        }
        continue;
      }
      place.id = argument(module.instruction(level.caller), level.computation, number);
      place.level = level.outer;
      if (place.id.valid()) open.push_back(std::move(place));
      continue;
    }
    if (const ComputationId called = computation_inside(at); called.valid()) {
      levels.push_back({at.id(), called, place.level});
      place.level = levels.size() - 1;
    }
    switch (flow(at.opcode())) {
      case Flow::kConverts:
      case Flow::kRepeats: continue;
      case Flow::kUpdates:
        if (at.opcode() == Opcode::kDynamicUpdateSlice && at.operand_count() > 1) {
          Place& update = open.emplace_back();
          update.id = at.operand(1).id();
          update.level = place.level;
          update.is_base = place.is_base;
        }
        place.is_base = true;
        break;
      default: break;
    }
    if (step_back(module, place.id, place.path)) open.push_back(std::move(place));
  }
  return found;
}

}  // namespace hloroof::internal::inline diagnose
