#include "lib/work/recomputation.h"

#include <algorithm>

#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "lib/ir/opcode_facts.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline work {
namespace {

// An instruction needed at more places than this counts as a place itself, which keeps the work linear.
constexpr std::size_t kMaxPlaces = 16;

bool same_dimensions(const Shape& a, const Shape& b) { return a.dimensions == b.dimensions; }

// Whether element x of the instruction needs element x of operand `i`.
bool asks_at_same_place(InstructionView instruction, std::size_t i) {
  const Opcode opcode = instruction.opcode();
  if (flow(opcode) == Flow::kPacks || flow(opcode) == Flow::kPicks) return true;
  return (keeps_order(opcode) || is_elementwise(opcode)) &&
         same_dimensions(instruction.shape(), instruction.operand(i).shape());
}

// The average number of times that each element of operand `i` is needed, if each element of the instruction is
// computed once.
double uses(InstructionView instruction, std::size_t i, SizeCache& sizes) {
  const ShapeTable& shapes = instruction.module().shapes();
  const absl::Span<const ShapeId> leaves = shapes.leaves(instruction.shape_id());
  const double out = leaves.empty() ? 0 : sizes[leaves[0]].logical_elements;
  const double in = sizes[instruction.operand(i).shape_id()].logical_elements;
  if (in <= 0) return 0;
  switch (instruction.opcode()) {
    case Opcode::kBroadcast: return out / in;
    case Opcode::kSlice: return out / in;
    case Opcode::kDynamicSlice: return i == 0 ? out / in : 1;
    case Opcode::kDynamicUpdateSlice: {
      if (i != 0) return 1;
      const double update = sizes[instruction.operand(1).shape_id()].logical_elements;
      return std::max(in - update, 0.0) / in;
    }
    case Opcode::kGather: {
      if (i == 0) return out / in;
      double window = 1;  // elements that share one index
      for (std::int64_t size : integers(instruction, AttributeKey::kSliceSizes)) {
        window *= static_cast<double>(std::max<std::int64_t>(size, 1));
      }
      return window;
    }
    case Opcode::kReduce: return i >= instruction.operand_count() / 2 ? out : 1;
    case Opcode::kReduceWindow: {
      if (i >= instruction.operand_count() / 2) return out;
      double window_size = 1;
      for (const WindowDimension& d : window(instruction).value_or(Window{}).dimensions) {
        window_size *= static_cast<double>(std::max<std::int64_t>(d.size, 1));
      }
      return out * window_size / in;
    }
    default:
      // A scalar operand of an elementwise operation.
      return is_elementwise(instruction.opcode()) && in < out ? out / in : 1;
  }
}

}  // namespace

void Recomputation::add_place(Node& node, std::uint32_t place) {
  if (std::find(node.wanted_at.begin(), node.wanted_at.end(), place) == node.wanted_at.end()) {
    node.wanted_at.push_back(place);
  }
}

void Recomputation::run(const std::vector<InstructionView>& order, const Positions& place, std::uint32_t root,
                        SizeCache& sizes, const NestedUse& nested,
                        const std::function<bool(InstructionView, std::size_t)>& is_skipped) {
  nodes_.assign(order.size(), {});
  times_.assign(order.size(), 0);
  nodes_[root].wanted_at.push_back(root);
  nodes_[root].wanted = 1;
  for (std::size_t at = order.size(); at-- > 0;) {
    const InstructionView instruction = order[at];
    double times = 0;
    for (std::uint32_t wanted_at : nodes_[at].wanted_at) times += nodes_[wanted_at].wanted;
    times_[at] = times;
    if (times <= 0) continue;
    if (nodes_[at].wanted_at.size() > kMaxPlaces) {
      nodes_[at].wanted_at.assign(1, static_cast<std::uint32_t>(at));
      nodes_[at].wanted = times;
    }
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      if (is_skipped(instruction, i)) continue;
      const std::uint32_t from = place[instruction.operand(i).id()];
      Node& operand = nodes_[from];
      if (asks_at_same_place(instruction, i)) {
        for (std::uint32_t wanted_at : nodes_[at].wanted_at) add_place(operand, wanted_at);
        continue;
      }
      add_place(operand, from);
      operand.wanted +=
          times * (instruction.opcode() == Opcode::kFusion ? nested(instruction, i) : uses(instruction, i, sizes));
    }
  }
}

}  // namespace hloroof::internal::inline work
