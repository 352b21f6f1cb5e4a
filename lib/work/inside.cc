#include "lib/work/inside.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/value_walk.h"
#include "lib/values/attribute_values.h"
#include "lib/work/custom_call.h"
#include "lib/work/shortcuts.h"

namespace hloroof::internal::inline work {
namespace {

// Whether an instruction runs a computation as part of the instruction that contains it: a nested fusion, or a call in
// an async wrapper.
bool is_inlined(Opcode opcode) { return flow(opcode) == Flow::kFuses || flow(opcode) == Flow::kCalls; }

std::optional<CustomCallBehaviour> behaviour_of(InstructionView custom_call) {
  return custom_call_behaviour(string_value(custom_call, AttributeKey::kCustomCallTarget));
}

}  // namespace

// ---- Touched parts -------------------------------------------------------------------------------------------------

// Examines one computation. `aliases` are those that the text states for the fusion that calls it.
class Examination {
 public:
  Examination(ComputationView computation, InsideTable& table, const std::vector<OperandAlias>& aliases)
      : computation_(computation),
        table_(table),
        sizes_(table.sizes_),
        aliases_(aliases),
        is_by_element_(table.by_element_[computation.id().index] != 0) {
    table_.order_.clear();
    for (InstructionView instruction : computation.instructions()) table_.order_.push_back(instruction);
    table_.place_.assign(table_.order_);
    table_.wanted_.assign(table_.order_.size(), Share{});
    table_.moved_.assign(table_.order_.size(), Share{});
    table_.in_windows_.assign(table_.order_.size(), 0);
    table_.in_place_.assign(table_.order_.size(), 0);
    table_.follows_product_.assign(table_.order_.size(), 0);
    table_.done_by_user_.assign(table_.order_.size(), 0);
  }

  Inside run() {
    Inside result;
    const std::vector<InstructionId> parameters = computation_.parameters();
    result.parameters.resize(parameters.size());
    result.in_operand_windows.resize(table_.uses_tiles_ ? parameters.size() : 0);
    if (!row_of(computation_).root.valid()) return result;
    want_root(computation_.root(), result);
    for (std::size_t i = table_.order_.size(); i-- > 0;) pass_on(table_.order_[i], result);
    if (is_by_element_) count_recomputation();
    Work epilogue;
    for (InstructionView instruction : table_.order_) {
      collect(instruction, result, follows_product(instruction) ? epilogue : result.work);
    }
    add_arithmetic(epilogue, 1, result.work);
    result.work.epilogue = std::move(epilogue.vector);
    if (is_by_element_) {
      result.uses.resize(parameters.size());
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        if (parameters[p].valid()) result.uses[p] = table_.recomputation_[table_.place_[parameters[p]]];
      }
    }
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (parameters[p].valid()) result.parameters[p] = table_.wanted_[table_.place_[parameters[p]]];
    }
    return result;
  }

 private:
  // kUpdate: an update in place. kOfPart: an instruction between an update and the root, which processes only the
  // updated part.
  enum : char { kUpdate = 1, kOfPart = 2 };
  // The operand of a product, or of a reduction over windows, in whose windows a result is computed.
  enum : char { kLhs = 1, kRhs = 2 };

  Share& wanted(InstructionView instruction) { return table_.wanted_[table_.place_[instruction.id()]]; }
  char& in_place(InstructionView instruction) { return table_.in_place_[table_.place_[instruction.id()]]; }

  // Finds the instruction that writes each leaf of the root.
  void want_root(InstructionView root, Inside& result) {
    struct Open {
      InstructionView instruction;
      ShapeId shape;
    };
    absl::InlinedVector<Open, 4> open = {{root, root.shape_id()}};
    while (!open.empty()) {
      const Open at = open.back();
      open.pop_back();
      if (at.instruction.opcode() == Opcode::kTuple) {
        // Each element is handled separately, because some are only passed through.
        for (std::size_t i = at.instruction.operand_count(); i-- > 0;) {
          const InstructionView element = at.instruction.operand(i);
          open.push_back({element, element.shape_id()});
        }
        continue;
      }
      const std::size_t leaves = root.module().shapes().leaves(at.shape).size();
      if (leaves == 1 && is_handed_on(at.instruction, result.leaves.size())) {
        result.leaves.push_back({.in_place = true});
        continue;
      }
      if (at.instruction.opcode() == Opcode::kCustomCall && is_free_custom_call(at.instruction)) {
        // This is the start or the end of a collective. Results that the text places in the memory of an operand are
        // passed through.
        for (std::size_t i = 0; i < leaves; ++i) {
          result.leaves.push_back({.in_place = stated_destination(result.leaves.size()) >= 0});
        }
        if (behaviour_of(at.instruction) != CustomCallBehaviour::kWait) wanted(at.instruction) = kAll;
        continue;
      }
      add_leaves(at.instruction, leaves, result);
    }
  }

  // The parameter whose memory holds leaf `i` of a result, as the text states it; -1 if it states none.
  int stated_destination(std::size_t i) const {
    for (const OperandAlias& alias : aliases_) {
      const bool is_leaf =
          alias.output.empty() ? i == 0 : alias.output.size() == 1 && alias.output[0] == static_cast<std::int64_t>(i);
      if (is_leaf && alias.operand_index.empty()) return static_cast<int>(alias.operand);
    }
    return -1;
  }

  // Whether leaf `i`, which `writer` computes, is only passed through. This is true for a parameter that stays in its
  // memory, and for the result of a collective that another fusion started and that runs concurrently with this one.
  // The TPU compiler puts such a collective into each fusion that runs while it is in flight, with its buffers as
  // parameters and results in the same memory. Its bytes are counted where it starts.
  bool is_handed_on(InstructionView writer, std::size_t i) const {
    const int destination = aliases_.empty() ? -1 : stated_destination(i);
    if (destination < 0) return false;
    const InstructionView at = origin(writer, [](InstructionView passed) {
      const Flow f = flow(passed.opcode());
      if (f == Flow::kRenames || f == Flow::kPicks) return true;
      return passed.opcode() == Opcode::kCustomCall && is_free_custom_call(passed);
    });
    if (at.opcode() == Opcode::kParameter) return at.parameter_number() == destination;
    if (work_class(at.opcode()) != WorkClass::kCollective) return false;
    for (InstructionView operand : at.operands()) {  // an in-place collective is work of this fusion
      const InstructionView source = updated_through(operand);
      if (source.opcode() == Opcode::kParameter && source.parameter_number() == destination) return false;
    }
    return true;
  }

  void add_leaves(InstructionView writer, std::size_t leaves, Inside& result) {
    // Skip the instructions that only rename, copy, reshape or convert the result.
    InstructionView at = updated_through(writer);
    std::size_t element = 0;
    bool is_element = false;
    if (at.opcode() == Opcode::kGetTupleElement && at.operand_count() == 1 && is_inlined(at.operand(0).opcode())) {
      element = static_cast<std::size_t>(at.tuple_index());
      is_element = true;
      at = at.operand(0);
    }
    if (is_inlined(at.opcode())) {
      if (const ComputationId called = inlined_computation(at); called.valid()) {
        const Inside& inner = *table_.known_[called.index];
        const std::size_t first = is_element ? element : 0;
        if (first + leaves <= inner.leaves.size()) {
          for (std::size_t i = 0; i < leaves; ++i) {
            LeafWrite leaf = inner.leaves[first + i];
            if (leaf.in_place) leaf.parameter = destination_of(at, leaf.parameter);
            if (leaf.parameter < 0) leaf = LeafWrite{};
            result.leaves.push_back(leaf);
            if (leaf.in_place) in_place(at) = kUpdate;
          }
          wanted(writer) = kAll;
          return;
        }
      }
    }
    if (leaves == 1 && at.opcode() == Opcode::kDynamicUpdateSlice && at.operand_count() >= 2) {
      if (const int parameter = destination_of(at, 0); parameter >= 0) {
        const Shape array = as_written(writer.shape(), at.shape());
        result.leaves.push_back(update_slice(array, at.operand(1).shape(), parameter));
        write_part(writer, at, result.leaves.back(), sizes_[writer.shape_id()]);
        return;
      }
    }
    if (at.opcode() == Opcode::kScatter && at.operand_count() >= 3 &&
        static_cast<int>(leaves) == scatter_operands(at)) {
      std::vector<LeafWrite> updates;
      for (int i = 0; i < scatter_operands(at); ++i) {
        const int parameter = destination_of(at, i);
        if (parameter < 0) break;
        const Shape array = leaves == 1 ? as_written(writer.shape(), at.shape()) : at.operand(i).shape();
        updates.push_back(update_scatter(at, i, array, parameter));
      }
      if (updates.size() == leaves) {
        result.leaves.insert(result.leaves.end(), updates.begin(), updates.end());
        write_part(writer, at, updates[0], leaves == 1 ? sizes_[writer.shape_id()] : ArraySize());
        return;
      }
    }
    for (std::size_t i = 0; i < leaves; ++i) result.leaves.emplace_back();
    wanted(writer) = kAll;
  }

  // The shape in memory of an array that is updated in place. `updated` is the result shape of the update, and `result`
  // that of the root to which it leads.
  static Shape as_written(const Shape& result, const Shape& updated) {
    if (result.dimensions == updated.dimensions) return result;
    Shape array = updated;
    array.element_type = result.element_type;
    array.layout.element_size_in_bits = result.layout.element_size_in_bits;
    return array;
  }

  // Marks `update` as made in place, and also the instructions that rename or convert its result on the way to
  // `writer`. They process only the part that is written.
  void write_part(InstructionView writer, InstructionView update, const LeafWrite& leaf, const ArraySize& whole) {
    in_place(update) = kUpdate;
    Share part = kAll;
    if (whole.padded_bytes > 0 && whole.logical_bytes > 0) {
      part = {std::min(leaf.written_padded / whole.padded_bytes, 1.0),
              std::min(leaf.written_logical / whole.logical_bytes, 1.0)};
    }
    for (InstructionView at = writer; at.id() != update.id(); at = at.operand(0)) in_place(at) = kOfPart;
    wanted(writer).add(part);
  }

  // The number of the parameter that operand `i` comes from, through instructions that keep its order; -1 if it does
  // not come from a parameter.
  int destination_of(InstructionView instruction, int i) {
    if (i < 0 || i >= static_cast<int>(instruction.operand_count())) return -1;
    InstructionView at = updated_through(instruction.operand(i));
    // Pass through a nested fusion that does nothing else.
    for (int steps = 0; at.opcode() == Opcode::kFusion && steps < 8; ++steps) {
      const ComputationId called = inlined_computation(at);
      if (!called.valid() || !row_of(at.module(), called).root.valid()) return -1;
      const InstructionView inner = updated_through(at.module().computation(called).root());
      if (inner.opcode() != Opcode::kParameter) return -1;
      const std::int64_t number = inner.parameter_number();
      if (number < 0 || number >= static_cast<std::int64_t>(at.operand_count())) return -1;
      at = updated_through(at.operand(number));
    }
    return at.opcode() == Opcode::kParameter ? static_cast<int>(at.parameter_number()) : -1;
  }

  // Whether an instruction on tiles reads its operand at another place than that of its result. Code for a TPU then
  // transfers a window of the array for it alone: of the array whose rows t and t - 1 are added, each byte is read
  // twice (final code of libtpu for slices, pads and reversals of one parameter, LIBTPU-LLO).
  bool has_own_window(InstructionView instruction) const {
    if (!table_.uses_tiles_) return false;
    const Opcode opcode = instruction.opcode();
    return opcode == Opcode::kSlice || opcode == Opcode::kPad || opcode == Opcode::kReverse;
  }

  // Marks the operands of a product or of a reduction over windows.
  void mark_in_windows(InstructionView instruction) {
    if (!table_.uses_tiles_) return;
    const bool is_reduction = instruction.opcode() == Opcode::kReduceWindow;
    if (!is_reduction && work_class(instruction.opcode()) != WorkClass::kContraction) return;
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      table_.in_windows_[table_.place_[instruction.operand(i).id()]] = i == 0 ? kLhs : kRhs;
    }
  }

  // Hands on what a nested fusion reads of `operand`. Code for a TPU transfers what a fusion before a product or before
  // a reduction over windows reads in the windows of that operand. An array that the operations after the product need
  // as well is transferred again in the windows of the result: a softmax reads its operand for the maximum and for the
  // difference. What the fusion makes is shared with them. Source: the final code of libtpu 0.0.52 for softmaxes, and
  // for products and what is added to them (LIBTPU-LLO); but two softmaxes whose operand is computed from bf16 or from
  // two arrays make it again.
  void want_of_fusion(InstructionView operand, Share share, char in_windows, Inside& result) {
    if (in_windows == 0) {
      wanted(operand).add(share);
      return;
    }
    table_.moved_[table_.place_[operand.id()]].add_apart(share);
    if (operand.opcode() != Opcode::kParameter) return;
    const auto number = static_cast<std::size_t>(operand.parameter_number());
    if (number >= result.in_operand_windows.size()) return;
    Inside::InWindows& windows = result.in_operand_windows[number];
    (in_windows == kRhs ? windows.rhs : windows.lhs) += share.padded;
  }

  // Marks the instruction before a conversion whose work the conversion does.
  void join_conversion(InstructionView convert) {
    if (!table_.uses_tiles_ || convert.opcode() != Opcode::kConvert) return;
    const auto mark = [this](InstructionView at) { table_.done_by_user_[table_.place_[at.id()]] = 1; };
    if (const auto rounding = rounding_of(convert)) mark(rounding->round);
    if (const auto before = narrow_conversion_before(convert)) mark(*before);
  }

  // Adds the needed share of an instruction's operands, given the needed share of its result.
  void pass_on(InstructionView instruction, Inside& result) {
    wanted(instruction).add_apart(table_.moved_[table_.place_[instruction.id()]]);
    const Share want = wanted(instruction);
    if (want.logical <= 0) return;
    join_conversion(instruction);
    mark_in_windows(instruction);
    if (is_inlined(instruction.opcode())) {
      const ComputationId called = inlined_computation(instruction);
      if (!called.valid()) return;
      const Inside& inner = *table_.known_[called.index];
      const char in_windows = table_.in_windows_[table_.place_[instruction.id()]];
      for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
        Share share = i < inner.parameters.size() ? inner.parameters[i] : kAll;
        // Here it is not an update in place, so the array to be updated is read as a whole.
        if (in_place(instruction) != kUpdate) {
          for (const LeafWrite& leaf : inner.leaves) {
            if (leaf.in_place && leaf.parameter == static_cast<int>(i)) share = kAll;
          }
        }
        want_of_fusion(instruction.operand(i), share * want, in_windows, result);
      }
      return;
    }
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      if (is_updated(instruction, i)) continue;  // the rest of the array stays in place
      const Share share = operand_share(instruction, static_cast<int>(i), want, sizes_);
      if (i == 0 && has_own_window(instruction)) {
        table_.moved_[table_.place_[instruction.operand(0).id()]].add_apart(share);
      } else {
        wanted(instruction.operand(i)).add(share);
      }
    }
  }

  // Whether operand `i` is an array that the instruction updates in place.
  bool is_updated(InstructionView instruction, std::size_t i) {
    if (in_place(instruction) != kUpdate || is_inlined(instruction.opcode())) return false;
    const bool is_scatter = instruction.opcode() == Opcode::kScatter;
    return i < (is_scatter ? static_cast<std::size_t>(scatter_operands(instruction)) : 1);
  }

  void count_recomputation() {
    const auto nested = [this](InstructionView fusion, std::size_t i) {
      const ComputationId called = inlined_computation(fusion);
      if (!called.valid()) return 1.0;
      const std::vector<double>& uses = table_.known_[called.index]->uses;
      return i < uses.size() ? uses[i] : 1.0;
    };
    const auto is_skipped = [this](InstructionView instruction, std::size_t i) { return is_updated(instruction, i); };
    const std::uint32_t root = table_.place_[computation_.root().id()];
    table_.recomputation_.run(table_.order_, table_.place_, root, sizes_, nested, is_skipped);
  }

  // Whether an instruction depends on the result of a product.
  bool follows_product(InstructionView instruction) {
    const auto mark = [this](InstructionView at) -> char& { return table_.follows_product_[table_.place_[at.id()]]; };
    bool follows = false;
    for (InstructionView operand : instruction.operands()) follows |= mark(operand) != 0;
    bool is_product = work_class(instruction.opcode()) == WorkClass::kContraction;
    if (is_inlined(instruction.opcode())) {
      const ComputationId called = inlined_computation(instruction);
      is_product = called.valid() && !table_.known_[called.index]->work.matrix.empty();
    }
    mark(instruction) = follows || is_product ? 1 : 0;
    return follows;
  }

  // Adds the work of one instruction: constants to `result`, arithmetic to `work`.
  void collect(InstructionView instruction, Inside& result, Work& work) {
    const Share want = wanted(instruction);
    if (instruction.opcode() == Opcode::kCustomCall) {
      // Inside a fusion, only calls that move nothing or all of their arrays are known, and selections. Another call
      // may have effects that no result shows.
      const bool is_moving =
          is_free_custom_call(instruction) || behaviour_of(instruction) == CustomCallBehaviour::kMove;
      if (!is_moving && !add_selection(instruction, want.logical, sizes_, work)) work.source = CostSource::kUnknown;
      return;
    }
    if (want.logical <= 0) return;
    const bool counts_uses = is_by_element_ && in_place(instruction) != kOfPart;
    const double times = counts_uses ? table_.recomputation_[table_.place_[instruction.id()]] : want.logical;
    if (instruction.opcode() == Opcode::kConstant) {
      // Scalar constants are part of the code.
      const ArraySize& size = sizes_[instruction.shape_id()];
      if (size.logical_elements > 1) result.constants.hbm += size.padded_bytes * want.padded;
      return;
    }
    if (is_inlined(instruction.opcode())) {
      const ComputationId called = inlined_computation(instruction);
      if (!called.valid()) {
        work.source = CostSource::kUnknown;
        return;
      }
      const Inside& inner = *table_.known_[called.index];
      add_arithmetic(inner.work, times, work);
      result.constants.hbm += inner.constants.hbm * want.padded;
      return;
    }
    if (instruction.opcode() == Opcode::kDynamicUpdateSlice && in_place(instruction) == kUpdate) {
      add_vector(work, Opcode::kDynamicUpdateSlice, instruction.shape().element_type,
                 sizes_[instruction.operand(1).shape_id()].padded_elements);
      return;
    }
    if (instruction.opcode() == Opcode::kUnknown) {
      work.source = CostSource::kUnknown;
      return;
    }
    result.has_reduce_window |= instruction.opcode() == Opcode::kReduceWindow;
    if (table_.done_by_user_[table_.place_[instruction.id()]] != 0) {
      Work counted;
      add_arithmetic(instruction, times, Place::kFused, sizes_, counted);
      counted.vector.clear();
      add_arithmetic(counted, 1, work);
      return;
    }
    add_arithmetic(instruction, times, Place::kFused, sizes_, work);
  }

  ComputationView computation_;
  InsideTable& table_;
  SizeCache& sizes_;
  const std::vector<OperandAlias>& aliases_;
  bool is_by_element_;
};

ComputationId inlined_computation(InstructionView instruction) {
  const bool call = flow(instruction.opcode()) == Flow::kCalls;
  if (!call && !wraps_computation(instruction.opcode())) return {};
  // An async-start that is written as the instruction it wraps also has that instruction's to_apply.
  const auto called = instruction.computations(call ? AttributeKey::kToApply : AttributeKey::kCalls);
  return called.size() == 1 && !called[0].is_missing() ? called[0].id() : ComputationId();
}

bool uses_tiles(const Module& module) {
  const ShapeTable& shapes = module.shapes();
  std::vector<bool> is_tiled(shapes.size(), false);
  bool any = false;
  for (std::uint32_t i = 0; i < shapes.size(); ++i) {
    is_tiled[i] = !shapes[ShapeId(i)].layout.tiles.empty();
    any = any || is_tiled[i];
  }
  if (!any) return false;
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      for (ShapeId leaf : shapes.leaves(instruction.shape_id())) {
        if (is_tiled[leaf.index]) return true;
      }
    }
  }
  return false;
}

InsideTable::InsideTable(const Module& module)
    : module_(module),
      uses_tiles_(uses_tiles(module)),
      sizes_(module.shapes()),
      known_(module.computation_limit()),
      by_element_(module.computation_limit(), 0) {
  if (uses_tiles_) return;  // only fusions on GPUs compute element by element
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.opcode() != Opcode::kFusion) continue;
      const std::string_view kind = instruction.text(AttributeKey::kKind);
      const ComputationId called = inlined_computation(instruction);
      if (called.valid() && (kind == "kLoop" || kind == "kInput")) by_element_[called.index] = 1;
    }
  }
}

void InsideTable::compute_callees(ComputationId id) {
  // Callees first, with an explicit stack, because the input controls the nesting depth of fusions.
  std::vector<ComputationId> open = {id};
  while (!open.empty()) {
    const ComputationId at = open.back();
    if (known_[at.index] != nullptr) {
      open.pop_back();
      continue;
    }
    bool ready = true;
    for (InstructionView instruction : module_.computation(at).instructions()) {
      if (!is_inlined(instruction.opcode())) continue;
      const ComputationId callee = inlined_computation(instruction);
      if (!callee.valid() || known_[callee.index] != nullptr) continue;
      open.push_back(callee);
      ready = false;
    }
    if (!ready) continue;
    open.pop_back();
    if (at == id) return;
    known_[at.index] = std::make_unique<Inside>(Examination(module_.computation(at), *this, {}).run());
  }
}

const Inside& InsideTable::of(ComputationId id) {
  std::unique_ptr<Inside>& known = known_[id.index];
  if (known == nullptr) {
    compute_callees(id);
    known = std::make_unique<Inside>(Examination(module_.computation(id), *this, {}).run());
  }
  return *known;
}

const Inside& InsideTable::of_fusion(InstructionView fusion) {
  const ComputationId id = inlined_computation(fusion);
  if (!fusion.has(AttributeKey::kOutputToOperandAliasing)) return of(id);
  compute_callees(id);
  fusion_ = Examination(module_.computation(id), *this, output_to_operand_aliasing(fusion)).run();
  return fusion_;
}

Inside InsideTable::of_instruction(InstructionView instruction) {
  Inside result;
  result.parameters.resize(instruction.operand_count());
  const std::size_t leaves = module_.shapes().leaves(instruction.shape_id()).size();
  result.leaves.resize(leaves);
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    result.parameters[i] = operand_share(instruction, static_cast<int>(i), kAll, sizes_);
  }
  if (instruction.opcode() == Opcode::kDynamicUpdateSlice && instruction.operand_count() >= 2 && leaves == 1) {
    result.leaves[0] = update_slice(instruction.operand(0).shape(), instruction.operand(1).shape(), 0);
    result.parameters[0] = Share{};
    add_vector(result.work, Opcode::kDynamicUpdateSlice, instruction.shape().element_type,
               sizes_[instruction.operand(1).shape_id()].padded_elements);
    return result;
  }
  if (instruction.opcode() == Opcode::kScatter && instruction.operand_count() >= 3) {
    const int operands = scatter_operands(instruction);
    for (int i = 0; i < operands && i < static_cast<int>(leaves); ++i) {
      result.leaves[i] = update_scatter(instruction, i, instruction.operand(i).shape(), i);
      result.parameters[i] = Share{};
    }
  }
  add_arithmetic(instruction, 1, Place::kAlone, sizes_, result.work);
  return result;
}

}  // namespace hloroof::internal::inline work
