#include "lib/work/rows.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hloroof/attributes.h"
#include "lib/ir/element_type.h"
#include "lib/ir/rows.h"
#include "lib/kernel/common/isa.h"
#include "lib/values/attribute_values.h"
#include "lib/values/scoped_memory.h"
#include "lib/work/reductions.h"
#include "lib/work/registers.h"

namespace hloroof::internal::inline work {
namespace {

// Whether the window is a single element along the lanes of the array, which must be cut out of a register and put into
// another.
bool is_one_lane(const Shape& array, const std::vector<std::int64_t>& window) {
  const std::int64_t lane = minor_dimensions(array).lane;
  return lane >= 0 && lane < static_cast<std::int64_t>(window.size()) && window[lane] == 1 &&
         array.dimensions[lane] > 1;
}

// Whether the window is a row of 32-bit elements that one register holds. A load and a store move it. Packed elements
// are shifted to their place in the row beside.
bool is_one_register(const Shape& array, const std::vector<std::int64_t>& window) {
  const std::int64_t lane = minor_dimensions(array).lane;
  return lane >= 0 && lane < static_cast<std::int64_t>(window.size()) &&
         bits(array.element_type) == kernel::kLaneBits && window[lane] > 1 &&
         window_elements(window) <= kernel::kRegisterLanes;
}

}  // namespace

void add_rows(InstructionView instruction, double share, SizeCache& sizes, Work& work) {
  const bool is_scatter = instruction.opcode() == Opcode::kScatter;
  const int arrays = is_scatter ? scatter_operands(instruction) : 1;
  if (static_cast<int>(instruction.operand_count()) < (is_scatter ? 2 * arrays + 1 : 2) || arrays < 1) return;
  if (ModuleRows::execution_thread(instruction.computation()) == "sparsecore") return;
  const bool combines = is_scatter && !applied(instruction, AttributeKey::kToApply).operations.empty();
  for (int i = 0; i < arrays; ++i) {
    const Shape& array = instruction.operand(i).shape();
    if (!is_tiled(array)) continue;
    const InstructionView moved = is_scatter ? instruction.operand(arrays + 1 + i) : instruction;
    const std::vector<std::int64_t> window = is_scatter ? scatter_window(instruction, array, moved.shape())
                                                        : integers(instruction, AttributeKey::kSliceSizes);
    const double one = window_elements(window);
    const double windows = one > 0 ? sizes[moved.shape_id()].logical_elements / one * share : 0;
    const bool is_one = is_one_lane(array, window);
    // The place of an element in an array of several dimensions is that of its row, and then that in the row.
    if (combines || is_one) work.rows.combined += windows;
    if (!combines && (!is_one || array.rank() > 1)) {
      work.rows.moved += windows;
      if (!is_scatter && is_one_register(array, window)) work.rows.moved_registers += windows;
    }
    if (is_scatter) work.rows.stores += windows * block_size(array, window).padded_elements / kernel::kRegisterElements;
    work.rows.array_bytes = std::max(work.rows.array_bytes, sizes[instruction.operand(i).shape_id()].padded_bytes);
  }
}

bool are_rows_in_vmem(InstructionView instruction, const RowWork& rows, absl::Span<const LeafWrite> leaves,
                      absl::Span<const ShapeId> results, SizeCache& sizes) {
  if (rows.moved + rows.combined <= 0) return false;
  const auto is_it = [&](const ArraySize& size) {
    return size.space == MemorySpace::kVmem && size.padded_bytes == rows.array_bytes;
  };
  // A scatter writes its result in the memory of the array. If that is computed in the same fusion, each of its windows
  // is computed in VMEM, takes the rows that fall into it there, and is written. Source: the final code of libtpu
  // 0.0.52 for v6e, in which 81920 rows of 128 floats take ten bundles each, as in a table that lies in VMEM, and
  // another seven for the gather that orders them.
  if (rows.stores > 0) {
    const auto is_in_place = [](const LeafWrite& leaf) { return leaf.in_place; };
    if (!leaves.empty() && std::none_of(leaves.begin(), leaves.end(), is_in_place)) return true;
    for (const ShapeId leaf : results) {
      if (is_it(sizes[leaf])) return true;
    }
  } else {
    for (const InstructionView operand : instruction.operands()) {
      for (const ShapeId leaf : instruction.module().shapes().leaves(operand.shape_id())) {
        if (is_it(sizes[leaf])) return true;
      }
    }
  }
  return static_cast<double>(used_scoped_vmem(instruction)) >= rows.array_bytes;
}

}  // namespace hloroof::internal::inline work
