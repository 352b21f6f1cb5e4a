// Counts for opcodes that apply a computation or a window to many elements: reduce, reduce-window, map, scan and
// select-and-scatter. Also counts sort, without its comparator as XLA does.
#include <algorithm>
#include <bit>
#include <optional>

#include "hloroof/attributes.h"
#include "lib/analysis/saturating.h"
#include "lib/counts/xla_counts.h"

namespace hloroof::internal::inline counts {
namespace {

// Recognizes a reduce followed by a broadcast that is written as one reduce-window. A single dimension has a window,
// which covers the whole dimension from each of its elements. Returns that dimension.
std::optional<std::size_t> reduce_broadcast_dimension(InstructionView instruction, const Window& window) {
  const Shape& shape = instruction.shape();
  if (!shape.is_array() || window.dimensions.size() != shape.dimensions.size()) return std::nullopt;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < window.dimensions.size(); ++i) {
    const WindowDimension& d = window.dimensions[i];
    const bool padded = d.pad_low != 0 || d.pad_high != 0;
    if (d.size == 1 && !padded) continue;
    if (found || d.pad_low != d.pad_high || d.pad_low < 0 || d.pad_low > kSaturated / 4 ||
        d.size != 2 * d.pad_low + 1 || d.pad_low != shape.dimensions[i] - 1) {
      return std::nullopt;
    }
    found = i;
  }
  return found;
}

std::int64_t window_elements(const Window& window) {
  std::int64_t elements = 1;
  for (const WindowDimension& d : window.dimensions)
    elements = saturating_multiply(elements, std::max<std::int64_t>(d.size, 0));
  return elements;
}

void count_reduce_window(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  const std::optional<Window> spatial = window(instruction);
  if (!spatial) {
    row.known = false;
    return;
  }
  const std::int64_t outputs = context.first_elements(instruction);
  std::int64_t times = saturating_multiply(window_elements(*spatial) - 1, outputs);
  if (const auto i = reduce_broadcast_dimension(instruction, *spatial)) {
    const std::int64_t size = instruction.shape().dimensions[*i];
    if (size > 0) times = outputs / size + (size - 1);
  }
  count_applied(instruction, AttributeKey::kToApply, times, context, row);
}

// Every element of the source selects within a window and scatters once.
void count_select_and_scatter(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  const std::optional<Window> spatial = window(instruction);
  if (!spatial || instruction.operand_count() < 2) {
    row.known = false;
    return;
  }
  const std::int64_t sources = context.elements(instruction.operand(1));
  count_applied(instruction, AttributeKey::kSelect, saturating_multiply(sources, window_elements(*spatial) - 1),
                context, row);
  count_applied(instruction, AttributeKey::kScatter, sources, context, row);
}

// Flops: E * ceil(log2 E) over all elements of the first operand.
void count_sort(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  if (instruction.operand_count() == 0) return;
  const std::int64_t elements = context.elements(instruction.operand(0));
  const auto log2 = elements <= 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(elements - 1));
  row.flops = context.number(saturating_multiply(elements, log2));
}

}  // namespace

void count_reduction(InstructionView instruction, const XlaContext& context, XlaRow& row) {
  switch (instruction.opcode()) {
    case Opcode::kReduce: {
      // The number of reducer runs, each of which combines an input element into an output element. A variadic reducer
      // does more work in each run.
      if (instruction.operand_count() == 0) break;
      const std::int64_t times = context.elements(instruction.operand(0)) - context.first_elements(instruction);
      return count_applied(instruction, AttributeKey::kToApply, times, context, row);
    }
    case Opcode::kReduceWindow: return count_reduce_window(instruction, context, row);
    case Opcode::kSelectAndScatter: return count_select_and_scatter(instruction, context, row);
    case Opcode::kMap:
      return count_applied(instruction, AttributeKey::kToApply, context.elements(instruction), context, row);
    case Opcode::kScan:
      if (instruction.operand_count() < 2) break;
      return count_applied(instruction, AttributeKey::kToApply, context.elements(instruction.operand(1)), context, row);
    case Opcode::kSort: return count_sort(instruction, context, row);
    default: return;  // topk: no work
  }
  row.known = false;
}

}  // namespace hloroof::internal::inline counts
