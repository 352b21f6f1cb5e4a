// Findings about arrays that a loop carries and only moves: slices out of a stack, copies to another layout, writes
// back into a stack, and copies of the whole array in the loop and around it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "hloroof/attributes.h"
#include "hloroof/module.h"
#include "lib/base/units.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/diagnose/moves.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/value_walk.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline diagnose {
namespace {

std::string times_text(double times) {
  const double rounded = std::round(10 * times) / 10;
  return rounded == 1 ? "once" : absl::StrCat(format_number(rounded), " times");
}

using enum DiagnosticCode;

// Bytes of a buffer. The copy of a smaller one, such as a counter, costs its launch, which is another finding.
constexpr double kLeastCarried = 64 * 1024;
// Share of an array that an op moves in all iterations of the loop. An op that moves less updates a part of it.
constexpr double kLeastMoved = 0.25;
constexpr std::size_t kMostFollowed = 64;  // limit on the values followed from a loop outwards

bool only_renames(InstructionView at) { return flow(at.opcode()) == Flow::kRenames; }

// Elements of a loop's state between which values pass, such as a stack that is read and the stack that is written.
class Groups {
 public:
  std::int64_t of(std::int64_t element) {
    auto at = parent_.emplace(element, element).first;
    while (at->second != at->first) {
      const auto next = parent_.find(at->second);
      at->second = next->second;  // so that long chains are walked once
      at = next;
    }
    return at->first;
  }
  void join(std::int64_t a, std::int64_t b) { parent_[of(a)] = of(b); }

 private:
  std::map<std::int64_t, std::int64_t> parent_;
};

struct Move {
  const OpPrediction* op = nullptr;
  DataMoves data;
  std::vector<std::int64_t> elements{};  // of the state
};

// What moves arrays of a loop.
struct Copies {
  bool is_updated = false;  // the loop returns new values of the arrays
  std::vector<Move> inside{};
  std::vector<Move> before{};
  std::vector<Move> after{};
  std::set<std::int64_t> not_donated{};  // arguments that are copied before the loop
};

class LoopCopyDiagnoser {
 public:
  explicit LoopCopyDiagnoser(Diagnosis& diagnosis) : diagnosis_(diagnosis), module_(diagnosis.module) {}

  void run() {
    for (const CallGraph::Loop& loop : diagnosis_.facts.calls.loops()) {
      const InstructionView instruction = module_.instruction(loop.instruction);
      for (ComputationView body : instruction.computations(AttributeKey::kBody)) {
        if (!row_of(body).root.valid() || !bodies_.insert(body.id().index).second) continue;
        if (is_optimized()) {
          follow(body);
          moved_arrays(instruction);
        }
        whole_copies(instruction, body);
      }
    }
  }

 private:
  using Value = std::pair<std::uint32_t, std::int64_t>;  // instruction, and the element of its result

  // Before optimization nothing is fused, so slices and copies stand alone that will not be ops of their own.
  bool is_optimized() const {
    const CompileStage stage = diagnosis_.prediction.origin.stage;
    return stage != CompileStage::kUnoptimized && stage != CompileStage::kUnpartitioned;
  }

  // ---- What a loop body does with the elements of its state ----

  // Returns the element of the state from which the elements of a value come unchanged.
  std::optional<std::int64_t> element_of(InstructionView at, std::int64_t result = 0) const {
    const auto found = carried_.find({at.id().index, result});
    if (found == carried_.end()) return std::nullopt;
    return found->second;
  }

  double bytes_of(std::int64_t element) const {
    const auto found = shapes_.find(element);
    return found == shapes_.end() ? 0 : static_cast<double>(padded_bytes(module_.shape(found->second)));
  }

  static bool is_large_in_hbm(const Shape& shape) {
    return shape.is_array() && memory_space(shape) == MemorySpace::kHbm &&
           static_cast<double>(padded_bytes(shape)) >= kLeastCarried;
  }

  void follow(ComputationView body) {
    carried_.clear();
    shapes_.clear();
    moves_.clear();
    returned_.clear();
    groups_ = {};
    bytes_.clear();
    logical_bytes_.clear();
    for (InstructionView at : body.instructions()) follow(at);
    const InstructionView root = body.root();
    if (root.opcode() != Opcode::kTuple) return;
    for (std::size_t i = 0; i < root.operand_count(); ++i) {
      const auto to = static_cast<std::int64_t>(i);
      const std::optional<std::int64_t> from = element_of(root.operand(i));
      if (!from || shapes_.count(to) == 0) continue;
      groups_.join(*from, to);
      const InstructionView made = origin(root.operand(i), only_renames);
      const bool is_unchanged = made.opcode() == Opcode::kGetTupleElement &&
                                made.operand(0).opcode() == Opcode::kParameter && made.tuple_index() == to;
      if (!is_unchanged) returned_.push_back(to);
    }
  }

  void follow(InstructionView at) {
    if (at.operand_count() == 0) return;
    const InstructionView first = at.operand(0);
    if (at.opcode() == Opcode::kGetTupleElement) {
      const std::int64_t index = at.tuple_index();
      if (first.opcode() != Opcode::kParameter) {
        carry(at, 0, element_of(first, index));
      } else if (is_large_in_hbm(at.shape())) {
        shapes_[index] = at.shape_id();
        carry(at, 0, index);
      }
      return;
    }
    if (only_renames(at)) return carry(at, 0, element_of(first));
    if (async_role(at.opcode()) == AsyncRole::kDone) {
      return carry(at, 0, element_of(first, static_cast<std::int64_t>(result_element(at.opcode()).value_or(0))));
    }
    follow_op(at);
  }

  void carry(InstructionView at, std::int64_t result, std::optional<std::int64_t> element) {
    if (element) carried_[{at.id().index, result}] = *element;
  }

  void follow_op(InstructionView at) {
    const bool is_start = async_role(at.opcode()) == AsyncRole::kStart;
    const bool is_tuple = at.shape().is_tuple() && !is_start;
    const std::size_t results = is_tuple ? at.shape().elements.size() : 1;
    std::vector<std::int64_t> moved;
    for (std::size_t i = 0; i < results; ++i) {
      std::optional<std::int64_t> element;
      for (const MovedFrom& from : moved_from(at, i)) {
        const std::optional<std::int64_t> source = element_of(at.operand(from.operand));
        if (!source) continue;
        if (element) groups_.join(*element, *source);
        element = source;
        if (!from.is_base) moved.push_back(*source);
      }
      carry(at, is_start && at.opcode() != Opcode::kCopyStart ? 1 : static_cast<std::int64_t>(i), element);
    }
    const OpPrediction* const op = diagnosis_.op(at.id());
    if (moved.empty() || op == nullptr || !moves_in_hbm(*op)) return;
    const DataMoves moves = data_moved_by(at);
    if (!moves.computes) moves_.push_back({op, moves, std::move(moved)});
  }

  // Whether an op moves an array from HBM to HBM. What it moves to memory on the chip, another op reads from there.
  static bool moves_in_hbm(const OpPrediction& op) {
    return op.work->written.hbm >= kLeastCarried / 2 && op.work->read.hbm > 0;
  }

  // ---- Arrays that the loop updates, and stacks that it only reads ----

  void moved_arrays(InstructionView loop) {
    std::set<std::int64_t> given;
    for (const auto& [element, shape] : shapes_) {
      const std::int64_t group = groups_.of(element);
      bytes_[group] = std::max(bytes_[group], bytes_of(element));
      logical_bytes_[group] = std::max(logical_bytes_[group], static_cast<double>(logical_bytes(module_.shape(shape))));
      if (has_initial_value(loop, element)) given.insert(group);
    }
    std::set<std::int64_t> updated;
    for (const std::int64_t element : returned_) {
      const std::int64_t group = groups_.of(element);
      if (given.count(group) != 0 && bytes_of(element) >= kLeastMoved * bytes_[group]) updated.insert(group);
    }
    Copies of_updated = {.is_updated = true};
    for (const auto& [element, shape] : shapes_) {
      if (updated.count(groups_.of(element)) != 0) copies_before(loop, element, of_updated);
    }
    for (const InstructionId id : diagnosis_.users_of(loop.id())) {
      const InstructionView result = module_.instruction(id);
      if (result.opcode() != Opcode::kGetTupleElement || shapes_.count(result.tuple_index()) == 0) continue;
      if (updated.count(groups_.of(result.tuple_index())) != 0) copies_after(result, of_updated);
    }
    Copies of_read;
    const double runs = diagnosis_.facts.executions(loop);
    std::set<std::int64_t> cut;
    for (const Move& move : moves_) {
      const std::int64_t group = groups_.of(move.elements.front());
      const double moved = move.op->work->written.hbm * move.op->executions;
      if (moved < kLeastMoved * bytes_[group] * runs || is_whole_copy(module_.instruction(move.op->id))) continue;
      if (move.data.cuts_out) cut.insert(group);
      if (updated.count(group) != 0) {
        of_updated.inside.push_back(move);
      } else if (given.count(group) != 0 && cut.count(group) != 0) {
        of_read.inside.push_back(move);
      }
    }
    report(loop, of_updated);
    report(loop, of_read);
  }

  // Whether an element of the state has a value when the loop begins, and not just memory to be filled.
  static bool has_initial_value(InstructionView loop, std::int64_t element) {
    const InstructionView state = origin(loop.operand(0), only_renames);
    if (state.opcode() != Opcode::kTuple || element >= static_cast<std::int64_t>(state.operand_count())) return true;
    const InstructionView at = origin(state.operand(static_cast<std::size_t>(element)), only_renames);
    return at.opcode() != Opcode::kBroadcast && at.operand_count() + (at.opcode() == Opcode::kParameter ? 1 : 0) > 0;
  }

  // A copy of the whole element as it is, in each iteration, is a finding of its own.
  static bool is_whole_copy(InstructionView at) {
    if (!copies_as_is(at)) return false;
    const InstructionView source = origin(at.operand(0), only_renames);
    return source.opcode() == Opcode::kGetTupleElement && source.operand(0).opcode() == Opcode::kParameter;
  }

  // Adds `at` to `found` if it moves all of an array from HBM to HBM. Returns whether it only moves.
  bool add_whole(InstructionView at, std::int64_t element, std::vector<Move>& found) const {
    const OpPrediction* const op = diagnosis_.op(at.id());
    if (op == nullptr) return false;
    const DataMoves moves = data_moved_by(at);
    if (moves.computes || !moves.is_in_one_piece()) return false;
    if (moves_in_hbm(*op) && op->work->written.hbm >= kLeastMoved * bytes_of(element)) {
      found.push_back({op, moves, {element}});
    }
    return true;
  }

  // The copies from which the initial value of an element comes.
  void copies_before(InstructionView loop, std::int64_t element, Copies& copies) const {
    const InstructionView state = origin(loop.operand(0), only_renames);
    if (state.opcode() != Opcode::kTuple || element >= static_cast<std::int64_t>(state.operand_count())) return;
    InstructionView at = state.operand(static_cast<std::size_t>(element));
    const std::size_t known = copies.before.size();
    for (std::size_t steps = 0; steps < kMostFollowed && at.operand_count() > 0; ++steps) {
      const bool is_done = at.opcode() == Opcode::kCopyDone;
      if (!only_renames(at) && !is_done && !add_whole(at, element, copies.before)) break;
      at = at.operand(0);
    }
    if (copies.before.size() == known || at.opcode() != Opcode::kParameter || !at.computation().is_entry()) return;
    if (donated().count(at.parameter_number()) == 0) copies.not_donated.insert(at.parameter_number());
  }

  // The numbers of the arguments whose memory results take.
  const std::set<std::int64_t>& donated() const {
    if (!donated_) {
      donated_.emplace();
      for (const ParameterAlias& alias : input_output_alias(module_)) donated_->insert(alias.parameter);
    }
    return *donated_;
  }

  // The copies of `result`, an element of what the loop returns.
  void copies_after(InstructionView result, Copies& copies) {
    const auto users = [this](InstructionId value) { return diagnosis_.users_of(value); };
    walk_uses(module_, result.id(), kMostFollowed, users, [&](InstructionView user, InstructionId) {
      if (only_renames(user) || user.opcode() == Opcode::kCopyDone) return Go::kOn;
      const bool goes_on = user.opcode() == Opcode::kCopy || user.opcode() == Opcode::kCopyStart;
      return add_whole(user, result.tuple_index(), copies.after) && goes_on ? Go::kOn : Go::kStop;
    });
  }

  static std::string ways_of(const Copies& copies, const DataMoves& all) {
    std::vector<std::string> ways;
    if (all.cuts_out) ways.push_back("slices out of a stack");
    if (all.changes_layout) ways.push_back("copies to another layout");
    if (all.writes_into) ways.push_back("writes back into a stack");
    if (!copies.before.empty()) ways.push_back("copies before the loop");
    if (!copies.after.empty()) ways.push_back("copies after the loop");
    return absl::StrJoin(ways, ", ");
  }

  static std::string cures_of(const Copies& copies, const DataMoves& all) {
    std::vector<std::string> cures;
    if (!copies.not_donated.empty()) {
      cures.push_back(absl::StrCat("donate argument ", absl::StrJoin(copies.not_donated, " and argument ")));
    }
    const bool is_copied_as_is = std::any_of(copies.after.begin(), copies.after.end(),
                                             [](const Move& move) { return !move.data.changes_layout; });
    if (copies.is_updated && (all.writes_into || is_copied_as_is)) {
      cures.push_back("carry it in the loop and update it in place (dynamic_update_slice on the carry)");
    }
    if (all.cuts_out) cures.push_back("keep one array for each layer");
    if (all.cuts_out && !copies.is_updated) cures.push_back("unroll the loop");
    if (all.changes_layout) cures.push_back("let XLA choose the layout (in JAX, Layout.AUTO)");
    if (cures.empty()) cures.push_back("do not use the old value after the loop");
    return absl::StrJoin(cures, ", or ");
  }

  void report(InstructionView loop, const Copies& copies) {
    double moved = 0;
    double seconds = 0;
    DataMoves all;
    std::set<std::int64_t> groups;
    std::vector<const OpPrediction*> ops;
    std::set<std::uint32_t> seen;
    for (const auto* moves : {&copies.inside, &copies.before, &copies.after}) {
      for (const Move& move : *moves) {
        for (const std::int64_t element : move.elements) groups.insert(groups_.of(element));
        if (!seen.insert(move.op->id.index).second || diagnosis_.loop_copies.count(move.op->id.index) != 0) continue;
        ops.push_back(move.op);
        moved += move.op->work->logical_bytes / 2 * move.op->executions;  // read and written
        seconds += move.op->exposed_seconds;
        all.changes_layout = all.changes_layout || move.data.changes_layout;
        all.cuts_out = all.cuts_out || move.data.cuts_out;
        all.writes_into = all.writes_into || move.data.writes_into;
      }
    }
    double held = 0;
    for (const std::int64_t group : groups) held += logical_bytes_[group];
    if (held <= 0 || !diagnosis_.may_matter(seconds)) return;
    const std::string place = diagnosis_.place(loop);
    const std::string message =
        absl::StrFormat("copies %s, which the loop %s, %s a step and computes nothing with it (%s): %s",
                        arrays_text(groups), copies.is_updated ? "carries" : "only reads", times_text(moved / held),
                        ways_of(copies, all), cures_of(copies, all));
    const std::string cause = absl::StrCat("arrays that ", place, copies.is_updated ? " carries" : " only reads");
    for (const OpPrediction* op : ops) {
      diagnosis_.loop_copies.insert(op->id.index);
      diagnosis_.add({.code = kLoopCarryCopy,
                      .message = message,
                      .cause = cause,
                      .op = op->name,
                      .parts = {{TimePart::Kind::kWork, op->id, {}}, {TimePart::Kind::kWaitsBy, op->id, {}}},
                      .least_share = kWorthOfStep});
    }
  }

  // "each of 2 arrays bf16[16,32,2048] (2.00 GiB)"; the largest, if they differ.
  std::string arrays_text(const std::set<std::int64_t>& groups) {
    std::optional<ShapeId> largest;
    double most = 0;
    for (const auto& [element, shape] : shapes_) {
      if (groups.count(groups_.of(element)) == 0 || bytes_of(element) <= most) continue;
      most = bytes_of(element);
      largest = shape;
    }
    if (!largest) return "an array";
    const auto same = std::count_if(groups.begin(), groups.end(), [&](std::int64_t at) { return bytes_[at] == most; });
    const auto others = static_cast<std::int64_t>(groups.size()) - same;
    return absl::StrCat(groups.size() > 1 ? absl::StrCat("each of ", same, " arrays ") : "the array ",
                        to_string(module_.shapes(), *largest, ShapeText::kWithoutLayout), " (", format_bytes(most), ")",
                        others > 0 ? absl::StrCat(" and ", others, " smaller") : "");
  }

  // ---- Copies of a whole element as it is, in each iteration ----

  void whole_copies(InstructionView loop, ComputationView body) {
    for (InstructionView instruction : body.instructions()) {
      const OpPrediction* const op = diagnosis_.op(instruction.id());
      if (op == nullptr || !copies_as_is(instruction) || !diagnosis_.may_matter(op->exposed_seconds)) continue;
      if (static_cast<double>(padded_bytes(instruction.shape())) < kLeastCarried) continue;
      if (diagnosis_.loop_copies.count(op->id.index) != 0) continue;
      const std::optional<std::int64_t> from = element_of_parameter(instruction.operand(0));
      const std::optional<std::int64_t> to = element_of_root(instruction, body.root());
      if (!from && !to) continue;
      const std::int64_t element = from ? *from : *to;
      std::string message =
          absl::StrFormat("copies all %s of element %d of the loop's state in every iteration",
                          format_bytes(static_cast<double>(padded_bytes(instruction.shape()))), element);
      const std::string reader = from ? other_reader(instruction) : "";
      if (!reader.empty()) {
        absl::StrAppend(&message, ", because ", reader, " also reads the old value");
      } else {
        message += ", because its old and its new value are live at the same time";
      }
      message +=
          ": update the buffer in place, read the old value before the update, or unroll the loop by two so "
          "that two buffers take turns";
      diagnosis_.add(
          {.code = kLoopCarryCopy,
           .message = std::move(message),
           .cause = absl::StrCat(to_string(module_.shapes(), instruction.shape_id()), " in ", diagnosis_.place(loop)),
           .op = op->name,
           .parts = {{TimePart::Kind::kWork, op->id, {}}},
           .least_share = kWorthOfStep});
      diagnosis_.loop_copies.insert(op->id.index);
    }
  }

  // Returns the element of the parameter of its computation that `value` renames.
  static std::optional<std::int64_t> element_of_parameter(InstructionView value) {
    const InstructionView at = origin(value, only_renames);
    if (at.opcode() != Opcode::kGetTupleElement) return std::nullopt;
    if (at.operand(0).opcode() != Opcode::kParameter) return std::nullopt;
    return at.tuple_index();
  }

  // Returns the element of the root tuple that renames `value`.
  static std::optional<std::int64_t> element_of_root(InstructionView value, InstructionView root) {
    if (root.opcode() != Opcode::kTuple) return std::nullopt;
    for (std::size_t i = 0; i < root.operand_count(); ++i) {
      if (origin(root.operand(i), only_renames) == value) return static_cast<std::int64_t>(i);
    }
    return std::nullopt;
  }

  // Returns the name of another instruction that reads what `copy` copies; empty if there is none.
  std::string other_reader(InstructionView copy) {
    const InstructionView source = origin(copy.operand(0), only_renames);
    std::string name;
    const auto users = [this](InstructionId value) { return diagnosis_.users_of(value); };
    walk_uses(module_, source.id(), kMostFollowed, users, [&](InstructionView user, InstructionId) {
      if (only_renames(user)) return Go::kOn;
      if (user != copy) name = std::string(user.name());
      return Go::kStop;
    });
    return name;
  }

  Diagnosis& diagnosis_;
  const Module& module_;
  std::set<std::uint32_t> bodies_;  // by ComputationId
  // Of the loop body that was followed last:
  std::map<Value, std::int64_t> carried_;
  std::map<std::int64_t, ShapeId> shapes_;  // of the arrays of the state, by element
  std::vector<Move> moves_;
  std::vector<std::int64_t> returned_;  // elements whose new value comes from the old one, moved or updated in place
  Groups groups_;
  std::map<std::int64_t, double> bytes_;          // of the largest element of each group
  std::map<std::int64_t, double> logical_bytes_;  // the same without padding
  mutable std::optional<std::set<std::int64_t>> donated_;
};

}  // namespace

void diagnose_loop_copies(Diagnosis& diagnosis) { LoopCopyDiagnoser(diagnosis).run(); }

}  // namespace hloroof::internal::inline diagnose
