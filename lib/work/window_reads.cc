#include "lib/work/window_reads.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "hloroof/attributes.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/values/attribute_values.h"
#include "lib/work/contraction.h"
#include "lib/work/inside.h"
#include "lib/work/registers.h"

namespace hloroof::internal::inline work {
namespace {

// The loops that move a window along each dimension of an array, as bits.
using LoopSet = std::uint32_t;
using Moves = absl::InlinedVector<LoopSet, 6>;
constexpr std::size_t kMostLoops = 32;

// More instructions than any fusion has. Fusions that call one another several times could be visited exponentially
// often.
constexpr std::size_t kMostVisits = 20000;

// The loops of a product and what each dimension of its arrays depends on.
struct Nest {
  std::vector<double> trips;  // from the outside in
  Moves lhs;
  Moves rhs;
  Moves out;
};

void move(Moves& moves, std::int64_t dimension, std::size_t loop) {
  if (dimension >= 0 && dimension < static_cast<std::int64_t>(moves.size())) moves[dimension] |= LoopSet{1} << loop;
}

// The compiler's loops over the result are, from the outside in: batch dimensions, N, further dimensions of N, M,
// further dimensions of M. Those over what is contracted follow: the window's positions, and the input features. The
// order holds for the products of all dumps of the corpus but one in two hundred, which the sizes of windows show.
std::optional<Nest> nest_of(InstructionView product, const WindowConfig& config) {
  const auto numbers = convolution_dimension_numbers(product);
  if (!numbers || product.operand_count() < 2) return std::nullopt;
  const std::vector<ProductPart> spatial = spatial_parts(product);
  const Shape& out = product.shape();
  const std::size_t loops = 2 * spatial.size() + 3;
  if (config.iteration_bounds.size() != loops || loops > kMostLoops ||
      numbers->output_spatial.size() < spatial.size() || numbers->rhs_spatial.size() < spatial.size() ||
      config.output_window_bounds.size() != out.layout.minor_to_major.size()) {
    return std::nullopt;
  }
  Nest nest;
  nest.lhs.resize(product.operand(0).shape().rank());
  nest.rhs.resize(product.operand(1).shape().rank());
  nest.out.resize(out.rank());
  for (const std::int64_t bound : config.iteration_bounds) {
    nest.trips.push_back(static_cast<double>(std::max<std::int64_t>(bound, 1)));
  }
  std::size_t loop = 0;
  bool fits = true;
  const auto over = [&](std::int64_t d) {
    const bool is_known = d >= 0 && d < out.rank();
    fits = fits && is_known && windows_along(out, d, config.output_window_bounds) == nest.trips[loop];
    move(nest.out, d, loop);
  };
  const auto over_spatial = [&](auto belongs) {
    for (std::size_t i = 0; i < spatial.size(); ++i) {
      if (!belongs(spatial[i])) continue;
      over(numbers->output_spatial[i]);
      if (spatial[i] != ProductPart::kN) move(nest.lhs, numbers->lhs_spatial[i], loop);
      if (spatial[i] == ProductPart::kN || spatial[i] == ProductPart::kBatch) {
        move(nest.rhs, numbers->rhs_spatial[i], loop);
      }
      ++loop;
    }
  };
  over_spatial([](ProductPart part) { return part == ProductPart::kBatch; });
  over(numbers->output_feature);
  move(nest.rhs, numbers->rhs_output_feature, loop++);
  over_spatial([](ProductPart part) { return part == ProductPart::kN; });
  over(numbers->output_batch);
  move(nest.lhs, numbers->lhs_batch, loop++);
  over_spatial([](ProductPart part) { return part != ProductPart::kBatch && part != ProductPart::kN; });
  for (std::size_t i = 0; i < spatial.size(); ++i, ++loop) {
    if (spatial[i] != ProductPart::kK && spatial[i] != ProductPart::kWindow) continue;
    move(nest.lhs, numbers->lhs_spatial[i], loop);
    move(nest.rhs, numbers->rhs_spatial[i], loop);
  }
  move(nest.lhs, numbers->lhs_feature, loop);
  move(nest.rhs, numbers->rhs_input_feature, loop);
  if (!fits) return std::nullopt;
  return nest;
}

// The dimensions of a shape, from the most minor one in memory on for a bitcast.
absl::InlinedVector<std::int64_t, 6> dimension_order(const Shape& shape, bool in_memory) {
  const auto& minor = shape.layout.minor_to_major;
  if (in_memory && static_cast<int>(minor.size()) == shape.rank()) return {minor.begin(), minor.end()};
  absl::InlinedVector<std::int64_t, 6> order;
  for (std::int64_t d = shape.rank(); d-- > 0;) order.push_back(d);
  return order;
}

// The moves along the dimensions of `to`, which has the elements of `from` in the same order. Dimensions that become
// one another together share their moves.
std::optional<Moves> regrouped(const Shape& from, const Moves& moves, const Shape& to, bool in_memory) {
  if (from.dimensions == to.dimensions && moves.size() == to.dimensions.size()) return moves;
  Moves result(to.rank());
  const absl::InlinedVector<std::int64_t, 6> a = dimension_order(from, in_memory);
  const absl::InlinedVector<std::int64_t, 6> b = dimension_order(to, in_memory);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    double left = 1;
    double right = 1;
    LoopSet set = 0;
    const std::size_t first = j;
    do {
      const bool takes_left = i < a.size() && (left <= right || j >= b.size());
      if (takes_left) {
        set |= moves[a[i]];
        left *= static_cast<double>(from.dimensions[a[i++]]);
      } else if (j < b.size()) {
        right *= static_cast<double>(to.dimensions[b[j++]]);
      } else {
        return std::nullopt;
      }
    } while (left != right);
    for (std::size_t k = first; k < j; ++k) result[b[k]] = set;
  }
  return result;
}

// Operations whose result element comes from the same place of each operand, apart from the edges.
bool keeps_places(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCopy:
    case Opcode::kConvert:
    case Opcode::kPad:
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kConcatenate:
    case Opcode::kReverse: return true;
    default: return is_elementwise(opcode);
  }
}

// The moves of an array of `rank` dimensions on one side of a broadcast or a transpose, given those on the other side.
// The instruction lists for each dimension d of one side the dimension of the other; `to_listed` says that the moves
// go from d to the listed one. Nothing if the list does not fit.
std::optional<Moves> relabelled(InstructionView instruction, const Moves& moves, int rank, bool to_listed) {
  const std::vector<std::int64_t> dimensions = integers(instruction, AttributeKey::kDimensions);
  Moves result(rank);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const std::int64_t from = to_listed ? static_cast<std::int64_t>(d) : dimensions[d];
    const std::int64_t to = to_listed ? dimensions[d] : static_cast<std::int64_t>(d);
    if (from < 0 || from >= static_cast<std::int64_t>(moves.size()) || to < 0 || to >= rank) return std::nullopt;
    result[to] = moves[from];
  }
  return result;
}

// The moves of operand `i`, given those of the result.
std::optional<Moves> operand_moves(InstructionView instruction, std::size_t i, const Moves& moves, const Nest& nest,
                                   InstructionId product) {
  if (instruction.id() == product) {
    if (i > 1) return std::nullopt;
    return i == 0 ? nest.lhs : nest.rhs;
  }
  const Shape& operand = instruction.operand(i).shape();
  if (!operand.is_array()) return std::nullopt;
  const Opcode opcode = instruction.opcode();
  if (keeps_places(opcode)) {
    if (operand.rank() == static_cast<int>(moves.size())) return moves;
    return operand.rank() == 0 ? std::optional<Moves>(Moves()) : std::nullopt;
  }
  Moves result(operand.rank());
  switch (opcode) {
    case Opcode::kBroadcast:
    case Opcode::kTranspose: return relabelled(instruction, moves, operand.rank(), opcode == Opcode::kTranspose);
    case Opcode::kReshape: return regrouped(instruction.shape(), moves, operand, false);
    case Opcode::kBitcast: return regrouped(instruction.shape(), moves, operand, true);
    default: return std::nullopt;
  }
}

// The moves of the result, given those of operand 0 or of any operand of an elementwise operation.
std::optional<Moves> result_moves(InstructionView instruction, std::size_t i, const Moves& moves) {
  const Shape& shape = instruction.shape();
  if (!shape.is_array()) return std::nullopt;
  const Opcode opcode = instruction.opcode();
  if (keeps_places(opcode)) {
    return shape.rank() == static_cast<int>(moves.size()) ? std::optional<Moves>(moves) : std::nullopt;
  }
  if (i != 0) return std::nullopt;
  Moves result(shape.rank());
  switch (opcode) {
    case Opcode::kBroadcast:
    case Opcode::kTranspose: return relabelled(instruction, moves, shape.rank(), opcode == Opcode::kBroadcast);
    case Opcode::kReduce: {
      const std::vector<std::int64_t> dimensions = integers(instruction, AttributeKey::kDimensions);
      std::size_t next = 0;
      for (std::size_t d = 0; d < moves.size(); ++d) {
        if (std::find(dimensions.begin(), dimensions.end(), static_cast<std::int64_t>(d)) != dimensions.end()) continue;
        if (next < result.size()) result[next++] = moves[d];
      }
      return result;
    }
    case Opcode::kReshape: return regrouped(instruction.operand(0).shape(), moves, shape, false);
    case Opcode::kBitcast: return regrouped(instruction.operand(0).shape(), moves, shape, true);
    default: return std::nullopt;
  }
}

// Follows the dimensions of the product to the parameters of the computation that contains it.
class Trace {
 public:
  Trace(InstructionView product, const Nest& nest) : product_(product), nest_(nest) {}

  // False if the fusion is too large.
  bool run(ComputationView computation) {
    std::vector<InstructionView> order = instructions_of(computation);
    moves_[product_.id().index] = nest_.out;
    for (const InstructionView at : order) {
      if (moves_.contains(at.id().index)) continue;
      for (std::size_t i = 0; i < at.operand_count(); ++i) {
        const auto known = moves_.find(at.operand(i).id().index);
        if (known == moves_.end()) continue;
        std::optional<Moves> result = result_moves(at, i, known->second);
        if (!result) continue;
        moves_[at.id().index] = *std::move(result);
        break;
      }
    }
    // From the product back to the parameters, and then from the results: what both need is fetched again and again in
    // the windows of the product's operands, and once more in those of the result.
    const auto product =
        std::find_if(order.begin(), order.end(), [this](InstructionView at) { return at.id() == product_.id(); });
    std::vector<InstructionView> before(order.begin(), product == order.end() ? product : std::next(product));
    return follow(std::move(before)) && follow(std::move(order));
  }

  // How often a value is fetched.
  double fetches(InstructionId value) const {
    const auto known = moves_.find(value.index);
    return known == moves_.end() ? 1 : fetches(known->second);
  }
  WindowReads reads(std::vector<double> fetches_of_operands) const {
    return {std::move(fetches_of_operands), fetches(nest_.lhs), fetches(nest_.rhs), uses(nest_.lhs), uses(nest_.rhs)};
  }

  // How often each element of a value is used: once in each iteration of the loops that do not move its window.
  double uses(const Moves& moves) const {
    double times = 1;
    for (std::size_t loop = 0; loop < nest_.trips.size(); ++loop) {
      const bool moves_it =
          std::any_of(moves.begin(), moves.end(), [loop](LoopSet set) { return (set >> loop & 1) != 0; });
      if (!moves_it) times *= nest_.trips[loop];
    }
    return times;
  }
  double fetches(const Moves& moves) const {
    LoopSet all = 0;
    for (const LoopSet set : moves) all |= set;
    double times = 1;
    double passed = 1;  // iterations of loops outside that do not move the window
    for (std::size_t loop = 0; loop < nest_.trips.size(); ++loop) {
      const bool moves_it = (all >> loop & 1) != 0;
      if (!moves_it) passed *= nest_.trips[loop];
      if (moves_it && nest_.trips[loop] > 1) times = passed;
    }
    return times;
  }

 private:
  struct Frame {
    std::optional<InstructionView> caller;
    std::vector<InstructionView> rest;
    ComputationId called;
  };

  static std::vector<InstructionView> instructions_of(ComputationView computation) {
    std::vector<InstructionView> order;
    for (const InstructionView instruction : computation.instructions()) order.push_back(instruction);
    return order;
  }

  // A value with several users is fetched as its first user needs it.
  void give(InstructionView value, const Moves& moves) { moves_.try_emplace(value.id().index, moves); }

  // Hands on what is known of the results of `rest` to their operands, from the last to the first, with an explicit
  // stack of nested fusions. False if there are too many.
  bool follow(std::vector<InstructionView> rest) {
    std::vector<Frame> open;
    open.push_back({{}, std::move(rest), {}});
    std::size_t visits = 0;
    while (!open.empty()) {
      Frame& frame = open.back();
      if (frame.rest.empty()) {
        if (frame.called.valid()) hand_out(frame);
        open.pop_back();
        continue;
      }
      const InstructionView at = frame.rest.back();
      frame.rest.pop_back();
      if (++visits > kMostVisits) return false;
      const auto known = moves_.find(at.id().index);
      if (known == moves_.end()) continue;
      const Moves moves = known->second;
      const ComputationId called = inlined_computation(at);
      if (called.valid()) {
        const ComputationView inner = at.module().computation(called);
        if (!row_of(inner).root.valid() || !inner.root().shape().is_array()) continue;
        Frame next{at, instructions_of(inner), called};
        for (const InstructionView i : next.rest) moves_.erase(i.id().index);
        moves_[inner.root().id().index] = moves;
        open.push_back(std::move(next));
        continue;
      }
      for (std::size_t i = 0; i < at.operand_count(); ++i) {
        if (std::optional<Moves> back = operand_moves(at, i, moves, nest_, product_.id())) give(at.operand(i), *back);
      }
    }
    return true;
  }

  // Hands what is known of a nested fusion's parameters to the operands of its caller.
  void hand_out(const Frame& frame) {
    const std::vector<InstructionId> parameters = frame.caller->module().computation(frame.called).parameters();
    for (std::size_t p = 0; p < parameters.size() && p < frame.caller->operand_count(); ++p) {
      if (!parameters[p].valid()) continue;
      const auto known = moves_.find(parameters[p].index);
      if (known == moves_.end()) continue;
      const Moves moves = known->second;
      give(frame.caller->operand(p), moves);
    }
  }

  InstructionView product_;
  const Nest& nest_;
  absl::flat_hash_map<std::uint32_t, Moves> moves_;  // by InstructionId
};

}  // namespace

double windows_along(const Shape& shape, std::int64_t d, const std::vector<std::int64_t>& bounds) {
  const auto& order = shape.layout.minor_to_major;
  for (std::size_t i = 0; i < order.size() && i < bounds.size(); ++i) {
    if (order[i] != d) continue;
    const auto unit = static_cast<double>(tile_extent(shape, d));
    const auto size = static_cast<double>(std::max<std::int64_t>(bounds[bounds.size() - 1 - i], 1));
    return std::ceil(static_cast<double>(shape.dimensions[d]) / (unit * size));
  }
  return 1;
}

WindowReads window_reads(InstructionView instruction, const WindowConfig& config) {
  WindowReads reads;
  std::vector<double> fetches(instruction.operand_count(), 1);
  if (instruction.opcode() == Opcode::kConvolution) {
    const std::optional<Nest> nest = nest_of(instruction, config);
    if (!nest) return reads;
    const Trace trace(instruction, *nest);
    if (!fetches.empty()) fetches[0] = trace.fetches(nest->lhs);
    if (fetches.size() > 1) fetches[1] = trace.fetches(nest->rhs);
    return trace.reads(std::move(fetches));
  }
  const ComputationId called = inlined_computation(instruction);
  if (!called.valid()) return reads;
  const ComputationView computation = instruction.module().computation(called);
  std::optional<InstructionView> product;
  for (const InstructionView inner : computation.instructions()) {
    if (inner.opcode() != Opcode::kConvolution) continue;
    if (product) return reads;  // the loops of several products are not told apart
    product = inner;
  }
  if (!product) return reads;
  const std::optional<Nest> nest = nest_of(*product, config);
  if (!nest) return reads;
  Trace trace(*product, *nest);
  if (!trace.run(computation)) return reads;
  const std::vector<InstructionId> parameters = computation.parameters();
  for (std::size_t p = 0; p < parameters.size() && p < fetches.size(); ++p) {
    if (parameters[p].valid()) fetches[p] = trace.fetches(parameters[p]);
  }
  return trace.reads(std::move(fetches));
}

}  // namespace hloroof::internal::inline work
