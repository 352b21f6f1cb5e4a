#include "lib/cost/inside.h"

#include <algorithm>
#include <optional>

#include "hloroof/attribute_values.h"
#include "lib/cost/custom_call.h"

namespace hloroof::inline v0 {
namespace {

// An operand from which nothing is read, and one that is read whole when any of the result is wanted.
constexpr Share kNothing{0, 0};
Share whole(Share wanted) { return wanted.logical > 0 ? kAll : kNothing; }

double ratio(double part, double of) { return of > 0 ? std::min(part / of, 1.0) : 0; }

// A block of `sizes` out of `array`, as it lies there: with its tiles, so that a block narrower than a tile still
// covers the whole tile.
ArraySize block_size(const Shape& array, const std::vector<std::int64_t>& sizes) {
  Shape block = array;
  if (sizes.size() == block.dimensions.size()) block.dimensions = sizes;
  block.dynamic_dimensions.clear();
  block.layout.split_configs.clear();
  block.layout.tail_padding_alignment = 1;
  block.layout.dynamic_shape_metadata_prefix_bytes = 0;
  return array_size(block);
}

Share block_share(const Shape& array, const std::vector<std::int64_t>& sizes, double blocks, SizeCache& cache,
                  ShapeId id) {
  const ArraySize block = block_size(array, sizes);
  const ArraySize& all = cache[id];
  return {ratio(blocks * block.padded_bytes, all.padded_bytes), ratio(blocks * block.logical_bytes, all.logical_bytes)};
}

// Whether a block of `sizes` covers some tile of `array` only in part, in a dimension it does not span.
bool covers_tiles_in_part(const Shape& array, const std::vector<std::int64_t>& sizes) {
  if (array.layout.tiles.empty() || sizes.size() != array.dimensions.size()) return false;
  const std::vector<std::int64_t>& tile = array.layout.tiles[0].dimensions;
  const auto& minor_to_major = array.layout.minor_to_major;
  for (std::size_t i = 0; i < tile.size() && i < minor_to_major.size(); ++i) {
    const std::int64_t d = minor_to_major[i];
    const std::int64_t extent = tile[tile.size() - 1 - i];
    if (d < 0 || d >= static_cast<std::int64_t>(sizes.size()) || extent <= 1) continue;
    if (sizes[d] != array.dimensions[d] && sizes[d] % extent != 0) return true;
  }
  return false;
}

// The sizes of one update window of a scatter in its operand.
std::vector<std::int64_t> scatter_window(InstructionView scatter, const Shape& operand, const Shape& update) {
  const ScatterDimensions d = scatter_dimensions(scatter);
  std::vector<std::int64_t> sizes(operand.dimensions.size(), 1);
  std::size_t next = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto is = [i](const std::vector<std::int64_t>& list) {
      return std::find(list.begin(), list.end(), static_cast<std::int64_t>(i)) != list.end();
    };
    if (is(d.inserted_window_dims) || is(d.input_batching_dims)) continue;
    if (next < d.update_window_dims.size()) {
      const std::int64_t u = d.update_window_dims[next++];
      if (u >= 0 && u < update.rank()) sizes[i] = update.dimensions[u];
    }
  }
  return sizes;
}

double window_elements(const std::vector<std::int64_t>& sizes) {
  double product = 1;
  for (std::int64_t s : sizes) product *= static_cast<double>(std::max<std::int64_t>(s, 0));
  return product;
}

int scatter_operands(InstructionView scatter) { return static_cast<int>((scatter.operand_count() - 1) / 2); }

// `blocks` blocks of `sizes` written over part of `array`. What combines with what is there is read first, and so are
// tiles that are covered in part.
LeafWrite update_in_place(const Shape& array, const std::vector<std::int64_t>& sizes, double blocks, int parameter,
                          bool combines) {
  const ArraySize block = block_size(array, sizes);
  const ArraySize all = array_size(array);
  LeafWrite leaf;
  leaf.in_place = true;
  leaf.parameter = parameter;
  leaf.written_padded = std::min(blocks * block.padded_bytes, all.padded_bytes);
  leaf.written_logical = std::min(blocks * block.logical_bytes, all.logical_bytes);
  const bool in_part = covers_tiles_in_part(array, sizes);
  if (combines || in_part) leaf.read_back = leaf.written_padded;
  if (in_part) leaf.partial_tile_elements = std::min(blocks * block.padded_elements, all.padded_elements);
  return leaf;
}

// What of operand `i` an instruction reads when `wanted` of its result is wanted. Updates in place are not seen here.
Share operand_share(InstructionView instruction, int i, Share wanted, SizeCache& cache) {
  if (wanted.logical <= 0) return kNothing;
  const InstructionView operand = instruction.operand(i);
  switch (instruction.opcode()) {
    case Opcode::kSlice: {
      std::vector<std::int64_t> sizes = instruction.shape().dimensions;
      const std::vector<SliceRange> ranges = slice_ranges(instruction);
      // Along tiled dimensions a stride skips elements inside tiles: the whole range is read.
      const auto& minor_to_major = operand.shape().layout.minor_to_major;
      const std::size_t tiled =
          operand.shape().layout.tiles.empty() ? 0 : operand.shape().layout.tiles[0].dimensions.size();
      for (std::size_t k = 0; k < tiled && k < minor_to_major.size(); ++k) {
        const std::int64_t d = minor_to_major[k];
        if (d >= 0 && d < static_cast<std::int64_t>(std::min(ranges.size(), sizes.size())) && ranges[d].stride > 1) {
          sizes[d] = std::max<std::int64_t>(ranges[d].limit - ranges[d].start, 0);
        }
      }
      return block_share(operand.shape(), sizes, 1, cache, operand.shape_id()) * wanted;
    }
    case Opcode::kDynamicSlice:
      if (i > 0) return kAll;
      return block_share(operand.shape(), instruction.shape().dimensions, 1, cache, operand.shape_id()) * wanted;
    case Opcode::kGather: {
      if (i > 0) return kAll;
      const std::vector<std::int64_t> sizes = integers(instruction, AttributeKey::kSliceSizes);
      const double one = window_elements(sizes);
      const double blocks = one > 0 ? static_cast<double>(element_count(instruction.shape())) / one : 0;
      return block_share(operand.shape(), sizes, blocks, cache, operand.shape_id()) * wanted;
    }
    case Opcode::kBroadcast:
    case Opcode::kDot:
    case Opcode::kConvolution:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
    case Opcode::kSort: return whole(wanted);
    case Opcode::kDynamicUpdateSlice:
      if (i > 1) return kAll;
      return i == 1 ? kAll : wanted;
    case Opcode::kGetDimensionSize: return kNothing;
    case Opcode::kCopyStart:
    case Opcode::kAsyncStart: return kAll;
    default: return wanted;
  }
}

// Whether an instruction inside another runs a computation as part of it: a nested fusion, a call in an async wrapper.
bool is_inlined(Opcode opcode) { return opcode == Opcode::kFusion || opcode == Opcode::kCall; }

// An instruction whose result is operand 0 with something rearranged but no element added or dropped, so that an update
// in place can be made through it.
bool keeps_place(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kConvert:
    case Opcode::kCopy:
    case Opcode::kOptBarrier:
    case Opcode::kReshape: return true;
    default: return false;
  }
}

}  // namespace

// ---- Which parts are touched --------------------------------------------------------------------------------------

// One computation under examination. `aliases` are those that the text states of the fusion that calls it.
class Examination {
 public:
  Examination(ComputationView computation, InsideTable& table, const std::vector<OperandAlias>& aliases)
      : computation_(computation), table_(table), sizes_(table.sizes_), aliases_(aliases) {
    table_.order_.clear();
    for (InstructionView instruction : computation.instructions()) table_.order_.push_back(instruction);
    table_.wanted_.assign(table_.order_.size(), Share{});
    table_.in_place_.assign(table_.order_.size(), 0);
  }

  Inside run() {
    Inside result;
    const std::vector<InstructionId> parameters = computation_.parameters();
    result.parameters.resize(parameters.size());
    if (!computation_.data().root.valid()) return result;
    want_root(computation_.root(), result);
    for (std::size_t i = table_.order_.size(); i-- > 0;) pass_on(table_.order_[i]);
    for (InstructionView instruction : table_.order_) collect(instruction, result);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (parameters[p].valid()) result.parameters[p] = table_.wanted_[table_.place_[parameters[p].index]];
    }
    return result;
  }

 private:
  Share& wanted(InstructionView instruction) { return table_.wanted_[table_.place_[instruction.id().index]]; }
  char& in_place(InstructionView instruction) { return table_.in_place_[table_.place_[instruction.id().index]]; }

  // Finds which instruction writes each leaf of the root.
  void want_root(InstructionView root, Inside& result) {
    struct Open {
      InstructionView instruction;
      ShapeId shape;
    };
    std::vector<Open> open = {{root, root.shape_id()}};
    while (!open.empty()) {
      const Open at = open.back();
      open.pop_back();
      if (at.instruction.opcode() == Opcode::kTuple) {
        // Its elements are wanted one by one, and some only handed on.
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
        // The start of a collective: what the text places in an operand's memory is handed on.
        for (std::size_t i = 0; i < leaves; ++i) {
          result.leaves.push_back({.in_place = stated_destination(result.leaves.size()) >= 0});
        }
        wanted(at.instruction) = kAll;
        continue;
      }
      add_leaves(at.instruction, leaves, result);
    }
  }

  // The parameter in whose memory leaf `i` of a result lies, as the text states it; -1 if it states none.
  int stated_destination(std::size_t i) const {
    for (const OperandAlias& alias : aliases_) {
      const bool is_leaf =
          alias.output.empty() ? i == 0 : alias.output.size() == 1 && alias.output[0] == static_cast<std::int64_t>(i);
      if (is_leaf && alias.operand_index.empty()) return static_cast<int>(alias.operand);
    }
    return -1;
  }

  // Whether leaf `i`, which `writer` gives, is only handed on: a parameter that stays where it is, or the result of a
  // collective that another fusion started and that goes on beside what this one does. The TPU compiler puts such a
  // collective into each fusion that runs while it is under way, with the buffers it works on as parameters and results
  // in the same memory; its bytes are counted where it starts.
  bool is_handed_on(InstructionView writer, std::size_t i) const {
    const int destination = aliases_.empty() ? -1 : stated_destination(i);
    if (destination < 0) return false;
    InstructionView at = writer;
    while ((at.opcode() == Opcode::kBitcast || at.opcode() == Opcode::kGetTupleElement ||
            (at.opcode() == Opcode::kCustomCall && is_free_custom_call(at))) &&
           at.operand_count() >= 1) {
      at = at.operand(0);
    }
    if (at.opcode() == Opcode::kParameter) return at.parameter_number() == destination;
    if (work_class(at.opcode()) != WorkClass::kCollective) return false;
    for (InstructionView operand : at.operands()) {  // a collective made in place is work of this fusion
      InstructionView source = operand;
      while (keeps_place(source.opcode()) && source.operand_count() == 1) source = source.operand(0);
      if (source.opcode() == Opcode::kParameter && source.parameter_number() == destination) return false;
    }
    return true;
  }

  void add_leaves(InstructionView writer, std::size_t leaves, Inside& result) {
    // Through what only renames the result.
    InstructionView at = writer;
    while (keeps_place(at.opcode()) && at.operand_count() == 1) at = at.operand(0);
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
            if (leaf.in_place) in_place(at) = 1;
          }
          wanted(writer) = kAll;
          return;
        }
      }
    }
    if (leaves == 1 && at.opcode() == Opcode::kDynamicUpdateSlice && at.operand_count() >= 2) {
      if (const int parameter = destination_of(at, 0); parameter >= 0) {
        const Shape& array = at.shape();
        const std::vector<std::int64_t>& update = at.operand(1).shape().dimensions;
        result.leaves.push_back(update_in_place(array, update, 1, parameter, false));
        in_place(at) = 1;
        wanted(writer) = kAll;
        return;
      }
    }
    if (at.opcode() == Opcode::kScatter && at.operand_count() >= 3) {
      const int operands = scatter_operands(at);
      if (leaves == 1 && operands == 1) {
        if (const int parameter = destination_of(at, 0); parameter >= 0) {
          const Shape& updates = at.operand(2).shape();
          const std::vector<std::int64_t> sizes = scatter_window(at, at.shape(), updates);
          const double one = window_elements(sizes);
          const double blocks = one > 0 ? static_cast<double>(element_count(updates)) / one : 0;
          result.leaves.push_back(update_in_place(at.shape(), sizes, blocks, parameter, true));
          in_place(at) = 1;
          wanted(writer) = kAll;
          return;
        }
      }
    }
    for (std::size_t i = 0; i < leaves; ++i) result.leaves.emplace_back();
    wanted(writer) = kAll;
  }

  // The number of the parameter that operand `i` is, through what keeps its place; -1 if it is none, or is used
  // elsewhere.
  int destination_of(InstructionView instruction, int i) {
    if (i < 0 || i >= static_cast<int>(instruction.operand_count())) return -1;
    InstructionView at = instruction.operand(i);
    while (keeps_place(at.opcode()) && at.operand_count() == 1) at = at.operand(0);
    // A nested fusion that does nothing else than that.
    for (int steps = 0; at.opcode() == Opcode::kFusion && steps < 8; ++steps) {
      const ComputationId called = inlined_computation(at);
      if (!called.valid() || !at.module().data(called).root.valid()) return -1;
      InstructionView inner = at.module().computation(called).root();
      while (keeps_place(inner.opcode()) && inner.operand_count() == 1) inner = inner.operand(0);
      if (inner.opcode() != Opcode::kParameter) return -1;
      const std::int64_t number = inner.parameter_number();
      if (number < 0 || number >= static_cast<std::int64_t>(at.operand_count())) return -1;
      at = at.operand(number);
      while (keeps_place(at.opcode()) && at.operand_count() == 1) at = at.operand(0);
    }
    return at.opcode() == Opcode::kParameter ? static_cast<int>(at.parameter_number()) : -1;
  }

  // Hands what is wanted of an instruction on to its operands.
  void pass_on(InstructionView instruction) {
    const Share want = wanted(instruction);
    if (want.logical <= 0) return;
    if (is_inlined(instruction.opcode())) {
      const ComputationId called = inlined_computation(instruction);
      if (!called.valid()) return;
      const Inside& inner = *table_.known_[called.index];
      for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
        Share share = i < inner.parameters.size() ? inner.parameters[i] : kAll;
        // Not an update in place here: the array it would be made in is read as a whole.
        if (!in_place(instruction)) {
          for (const LeafWrite& leaf : inner.leaves) {
            if (leaf.in_place && leaf.parameter == static_cast<int>(i)) share = kAll;
          }
        }
        wanted(instruction.operand(i)).add(share * want);
      }
      return;
    }
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      if (i == 0 && in_place(instruction)) continue;  // what the update does not cover stays where it is
      wanted(instruction.operand(i)).add(operand_share(instruction, static_cast<int>(i), want, sizes_));
    }
  }

  // Adds an instruction's own work.
  void collect(InstructionView instruction, Inside& result) {
    const Share want = wanted(instruction);
    if (want.logical <= 0) return;
    if (instruction.opcode() == Opcode::kConstant) {
      // Scalars are part of the code.
      const ArraySize& size = sizes_[instruction.shape_id()];
      if (size.logical_elements > 1) result.constants.hbm += size.padded_bytes * want.padded;
      return;
    }
    if (is_inlined(instruction.opcode())) {
      const ComputationId called = inlined_computation(instruction);
      if (!called.valid()) {
        result.work.source = CostSource::kUnknown;
        return;
      }
      const Inside& inner = *table_.known_[called.index];
      add_arithmetic(inner.work, want.logical, result.work);
      result.constants.hbm += inner.constants.hbm * want.padded;
      return;
    }
    if (instruction.opcode() == Opcode::kDynamicUpdateSlice && in_place(instruction)) {
      add_vector(result.work, Opcode::kDynamicUpdateSlice, instruction.shape().element_type,
                 sizes_[instruction.operand(1).shape_id()].padded_elements);
      return;
    }
    if (instruction.opcode() == Opcode::kCustomCall) {
      const auto behaviour = custom_call_behaviour(string_value(instruction, AttributeKey::kCustomCallTarget));
      if (!behaviour) result.work.source = CostSource::kUnknown;
      return;
    }
    if (instruction.opcode() == Opcode::kUnknown) {
      result.work.source = CostSource::kUnknown;
      return;
    }
    add_arithmetic(instruction, want.logical, sizes_, result.work);
  }

  ComputationView computation_;
  InsideTable& table_;
  SizeCache& sizes_;
  const std::vector<OperandAlias>& aliases_;
};

ComputationId inlined_computation(InstructionView instruction) {
  const bool call = instruction.opcode() == Opcode::kCall;
  if (!call && instruction.opcode() != Opcode::kFusion && instruction.opcode() != Opcode::kAsyncStart) return {};
  // An async-start that is written as the instruction it wraps also carries that instruction's to_apply.
  const auto called = instruction.computations(call ? AttributeKey::kToApply : AttributeKey::kCalls);
  return called.size() == 1 && !called[0].is_missing() ? called[0].id() : ComputationId();
}

InsideTable::InsideTable(const Module& module)
    : module_(module), sizes_(module.shapes()), known_(module.computation_limit()), place_(module.instruction_limit()) {
  for (ComputationView computation : module.computations()) {
    std::uint32_t place = 0;
    for (InstructionView instruction : computation.instructions()) place_[instruction.id().index] = place++;
  }
}

void InsideTable::compute_callees(ComputationId id) {
  // Callees first, with a stack of our own: text decides how deep fusions nest.
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
  const auto in_place = [&](const std::vector<std::int64_t>& sizes, double blocks, bool combines, int operand) {
    result.leaves[operand] = update_in_place(instruction.operand(operand).shape(), sizes, blocks, operand, combines);
    result.parameters[operand] = Share{};
  };
  if (instruction.opcode() == Opcode::kDynamicUpdateSlice && instruction.operand_count() >= 2 && leaves == 1) {
    in_place(instruction.operand(1).shape().dimensions, 1, false, 0);
    add_vector(result.work, Opcode::kDynamicUpdateSlice, instruction.shape().element_type,
               sizes_[instruction.operand(1).shape_id()].padded_elements);
    return result;
  }
  if (instruction.opcode() == Opcode::kScatter && instruction.operand_count() >= 3) {
    const int operands = scatter_operands(instruction);
    for (int i = 0; i < operands && i < static_cast<int>(leaves); ++i) {
      const Shape& updates = instruction.operand(operands + 1 + i).shape();
      const std::vector<std::int64_t> sizes = scatter_window(instruction, instruction.operand(i).shape(), updates);
      const double one = window_elements(sizes);
      in_place(sizes, one > 0 ? static_cast<double>(element_count(updates)) / one : 0, true, i);
    }
  }
  add_arithmetic(instruction, 1, sizes_, result.work);
  return result;
}

}  // namespace hloroof::inline v0
