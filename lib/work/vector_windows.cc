#include "lib/work/vector_windows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/analysis.h"
#include "lib/ir/element_type.h"
#include "lib/kernel/common/isa.h"
#include "lib/work/registers.h"
#include "lib/work/window_reads.h"
#include "lib/work/work.h"

namespace hloroof::internal::inline work {
namespace {

// The loads of a window up to which the compiler writes its code without a loop, and finds loads of other columns for a
// bundle. Derived from the final code of libtpu 0.0.52 for v5e and v6e: sums of two arrays in windows of 128 and of 256
// registers have two loads in a bundle and more, sums of five arrays in windows of 256 registers one.
constexpr double kUnrolledLoads = 512;

// The columns of a window over which such code spreads the loads that gather rows one by one, and the loads of a bundle
// then: 1.3 to 2.4 in the same code, and 1.0 with a single column.
constexpr std::int64_t kSpreadColumns = 4;
constexpr double kLoadsOfColumns = 2;

// The windows of a result, in tiles.
struct Windows {
  double tiles = 1;          // of a window
  double excess = 1;         // tiles of all windows, as a multiple of those of the result: the last may not be full
  std::int64_t columns = 1;  // of a window
};

Windows result_windows(const Shape& result, const std::vector<std::int64_t>& bounds) {
  Windows windows;
  const auto& order = result.layout.minor_to_major;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t bound = tiles_of_window(result, i, bounds);
    const auto along = static_cast<double>(tiles_along(result, order[i]));
    const auto each = static_cast<double>(bound);
    windows.tiles *= each;
    windows.excess *= std::ceil(along / each) * each / along;
    if (i == 0) windows.columns = bound;
  }
  return windows;
}

// The loads of one bundle whose rows lie in different banks of VMEM. The code goes down a column of tiles of 32-bit
// registers, or of parts of them that fill `rows` of their rows, from one row of `columns` tiles to the next.
double loads_side_by_side(std::int64_t columns, std::int64_t rows) {
  const std::int64_t stride = columns % kernel::kVmemBanks * rows % kernel::kVmemBanks;
  const std::int64_t apart = std::gcd(stride, kernel::kVmemBanks);  // kVmemBanks for a stride of 0
  const std::int64_t loads = kernel::kVmemBanks / std::max(apart, rows);
  return static_cast<double>(loads);
}

// The parameters of a fusion, by number, whose elements are widened to 32 bits as they are loaded.
std::vector<bool> widened_parameters(ComputationView computation) {
  std::vector<bool> widened;
  for (const InstructionView instruction : computation.instructions()) {
    if (instruction.opcode() != Opcode::kConvert || instruction.operand_count() != 1) continue;
    const InstructionView from = instruction.operand(0);
    if (from.opcode() != Opcode::kParameter || from.parameter_number() < 0 ||
        bits(instruction.shape().element_type) != kernel::kLaneBits) {
      continue;
    }
    const auto number = static_cast<std::size_t>(from.parameter_number());
    if (number >= widened.size()) widened.resize(number + 1);
    widened[number] = true;
  }
  return widened;
}

// The loads of registers of 32-bit elements, if the arrays have several. A load of elements that stay packed takes two
// tiles side by side, and the code of a single array goes down several columns at once: both find other banks.
double loads_in_turn(InstructionView instruction, ComputationId called, const Windows& windows, double elements,
                     const Inside& inside, SizeCache& sizes) {
  std::vector<bool> widened;
  if (called.valid()) widened = widened_parameters(instruction.module().computation(called));
  double loads = 0;
  double arrays = 0;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape& operand = instruction.operand(i).shape();
    if (!operand.is_array() || !is_tiled(operand) || operand.layout.minor_to_major.size() < 2) continue;
    const int width = bits(operand.element_type);
    if (width < kernel::kLaneBits && (width == 0 || i >= widened.size() || !widened[i])) continue;
    const ArraySize& size = sizes[instruction.operand(i).shape_id()];
    if (size.logical_elements != elements) continue;
    const std::int64_t columns =
        is_in_vmem(operand) ? tiles_along(operand, operand.layout.minor_to_major[0]) : windows.columns;
    const std::int64_t rows = kernel::kRegisterSublanes * std::min(width, kernel::kLaneBits) / kernel::kLaneBits;
    const double share = i < inside.parameters.size() ? inside.parameters[i].padded : 1;
    const double registers = size.padded_elements / kernel::kRegisterElements;
    loads += registers * share / loads_side_by_side(columns, std::max<std::int64_t>(rows, 1));
    ++arrays;
  }
  return arrays > 1 && arrays * windows.tiles > kUnrolledLoads ? loads : 0;
}

// Whether windows of `bounds` are whole parts of the memory of an array, of one size. Others are copied to a place of
// their own, or from there, if the array is in VMEM. Source: the final code of libtpu 0.0.52 for v5e and v6e.
bool are_whole_parts(const Shape& array, const std::vector<std::int64_t>& bounds) {
  const auto& order = array.layout.minor_to_major;
  bool is_cut = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t tiles = tiles_along(array, order[i]);
    const std::int64_t bound = tiles_of_window(array, i, bounds);
    if (is_cut && bound > 1) return false;
    if (tiles % bound != 0) return false;
    is_cut |= bound < tiles;
  }
  return true;
}

// The bytes of the windows of a copy that turns its array and that are copied within VMEM.
double window_copies(InstructionView copy, const WindowConfig& config, SizeCache& sizes) {
  double bytes = 0;
  const auto add = [&](InstructionView array, const std::vector<std::int64_t>& bounds) {
    const Shape& shape = array.shape();
    if (!shape.is_array() || !is_tiled(shape) || bounds.size() != shape.layout.minor_to_major.size()) return;
    if (is_in_vmem(shape) && !are_whole_parts(shape, bounds)) bytes += sizes[array.shape_id()].padded_bytes;
  };
  if (copy.opcode() != Opcode::kCopy || copy.operand_count() != 1) return 0;
  add(copy.operand(0), config.input_window_bounds);
  add(copy, config.output_window_bounds);
  return bytes;
}

// How many windows along the lanes spread a value that a broadcast repeats, over the registers of its rows that share
// it in a window because the broadcast repeats it along other dimensions too.
double windows_of_values(InstructionView broadcast, const std::vector<std::int64_t>& bounds) {
  const Shape& shape = broadcast.shape();
  const std::int64_t lane = minor_dimensions(shape).lane;
  double windows = windows_along(shape, lane, bounds);
  for (std::int64_t d : repeated_dimensions(broadcast)) {
    if (d != lane) windows *= windows_along(shape, d, bounds) / static_cast<double>(tiles_along(shape, d));
  }
  return windows;
}

// Whether `work` moves elements to other lanes, but for reductions, which say themselves how they wait.
bool moves_lanes(const VectorWork& work) {
  return work.cross_lane && work.opcode != Opcode::kReduce && work.opcode != Opcode::kSort;
}

// Whether the windows of an array are copied to VMEM or from there.
bool moves(const Shape& shape, const ArraySize& size) {
  const bool is_on_device = size.space == MemorySpace::kHbm || size.space == MemorySpace::kVmem;
  return is_on_device && !is_in_vmem(shape) && size.logical_elements > 1;
}

}  // namespace

// Source: the final code of libtpu 0.0.52 for v5e and v6e, in which the windows of a cross-entropy are 512 rows of two
// registers: each reduces 1024 registers of sums, and spreads 512 values.
void reduce_in_windows(const Shape& computed, const WindowConfig& config, Work& work) {
  const double windows = windows_along(computed, minor_dimensions(computed).lane, config.output_window_bounds);
  for (VectorWork& part : work.vector) {
    if (part.cross_lane && part.opcode == Opcode::kReduce) part.elements *= windows;
  }
}

// Source: the same, and that for v6e and 7x of a norm whose scales lie along the sublanes: eight registers of scales
// serve 128 others that are eight registers high.
void spread_in_windows(InstructionView fusion, ComputationId called, const Shape& computed, const WindowConfig& config,
                       SizeCache& sizes, Work& work) {
  double counted = 0;
  double spread = 0;
  for (const InstructionView inner : fusion.module().computation(called).instructions()) {
    if (inner.opcode() != Opcode::kBroadcast) continue;
    const double elements = spread_elements(inner, Place::kFused, sizes);
    const bool is_divided = inner.shape().dimensions == computed.dimensions;
    counted += elements;
    spread += is_divided ? elements * windows_of_values(inner, config.output_window_bounds) : elements;
  }
  if (counted <= 0) return;
  for (VectorWork& part : work.vector) {
    if (part.cross_lane && part.opcode == Opcode::kBroadcast) part.elements *= spread / counted;
  }
}

void add_reduction_loads(InstructionView reduce, const WindowConfig& config, SizeCache& sizes, Work& work) {
  const Shape& operand = reduce.operand(0).shape();
  const std::vector<std::int64_t>& bounds = config.output_window_bounds;
  if (work.reduction.windows <= 0 || bits(operand.element_type) != kernel::kLaneBits) return;
  const std::vector<std::int64_t> reduced = integers(reduce, AttributeKey::kDimensions);
  if (reduced.size() == 1 && reduced[0] == minor_dimensions(operand).lane) return;  // goes along the rows
  const Windows windows = result_windows(operand, bounds);
  const double spread = windows.columns >= kSpreadColumns ? kLoadsOfColumns : 1;
  const double registers = sizes[reduce.operand(0).shape_id()].padded_elements / kernel::kRegisterElements;
  work.loads_in_turn = registers / std::max(loads_side_by_side(windows.columns, kernel::kRegisterSublanes), spread);
}

void add_vector_windows(InstructionView instruction, ComputationId called, const WindowConfig& config,
                        const Inside& inside, SizeCache& sizes, Work& work) {
  const absl::Span<const ShapeId> leaves = instruction.module().shapes().leaves(instruction.shape_id());
  if (leaves.empty()) return;
  const Shape& result = instruction.module().shape(leaves[0]);
  const std::vector<std::int64_t>& bounds = config.output_window_bounds;
  if (!is_tiled(result) || bounds.empty() || bounds.size() != result.layout.minor_to_major.size()) return;
  const Windows windows = result_windows(result, bounds);
  if (called.valid()) spread_in_windows(instruction, called, result, config, sizes, work);
  for (VectorWork& part : work.vector) {
    part.elements *= windows.excess;
    // The loads that gather a row each from the same banks wait for one another, and not for those of other columns.
    const bool gathers_rows = part.opcode == Opcode::kCopy;
    if (gathers_rows && windows.columns >= kSpreadColumns && windows.tiles <= kUnrolledLoads) {
      part.elements /= kLoadsOfColumns;
    }
  }
  // What a copy that turns its array takes beside has been measured as a whole (vector.transpose_cycles).
  const bool is_turning = std::any_of(work.vector.begin(), work.vector.end(), [](const VectorWork& v) {
    return v.opcode == Opcode::kTranspose && v.cross_lane;
  });
  if (is_turning) {
    work.window_copies = window_copies(instruction, config, sizes);
    return;
  }
  work.loads_in_turn = loads_in_turn(instruction, called, windows, sizes[leaves[0]].logical_elements, inside, sizes);
  double moved = 0;  // arrays
  for (const InstructionView operand : instruction.operands()) {
    if (operand.shape().is_array() && moves(operand.shape(), sizes[operand.shape_id()])) ++moved;
  }
  for (const ShapeId leaf : leaves) moved += moves(instruction.module().shape(leaf), sizes[leaf]) ? 1 : 0;
  work.window_steps = loop_steps(config) * (1 + moved);
  if (std::any_of(work.vector.begin(), work.vector.end(), moves_lanes)) work.window_waits = loop_steps(config);
}

}  // namespace hloroof::internal::inline work
