#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "hloroof/attributes.h"
#include "lib/ir/element_type.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/ir/value_walk.h"
#include "lib/kernel/common/isa.h"
#include "lib/values/attribute_values.h"
#include "lib/work/inside.h"
#include "lib/work/registers.h"

namespace hloroof::internal::inline work {
namespace {

// An operand from which nothing is read, and an operand that is read whole if any part of the result is needed.
constexpr Share kNothing{0, 0};
Share whole(Share wanted) { return wanted.logical > 0 ? kAll : kNothing; }

double ratio(double part, double of) { return of > 0 ? std::min(part / of, 1.0) : 0; }

// The array as a SparseCore reads blocks of it: not by whole tiles but by the sublanes of a tile, each of which holds
// as many rows as share its 32 bits.
Shape in_sublanes(Shape array) {
  std::vector<Tile>& tiles = array.layout.tiles;
  if (tiles.empty() || tiles[0].dimensions.size() < 2) return array;
  std::int64_t& rows = tiles[0].dimensions[tiles[0].dimensions.size() - 2];
  rows = tiles.size() > 1 ? std::clamp<std::int64_t>(tiles[1].dimensions[0], 1, rows) : 1;
  return array;
}

bool is_on_sparse_core(InstructionView instruction) {
  return ModuleRows::execution_thread(instruction.computation()) == "sparsecore";
}

Share block_share(const Shape& array, const std::vector<std::int64_t>& sizes, double blocks, SizeCache& cache,
                  ShapeId id) {
  const ArraySize block = block_size(array, sizes);
  const ArraySize& all = cache[id];
  return {ratio(blocks * block.padded_bytes, all.padded_bytes), ratio(blocks * block.logical_bytes, all.logical_bytes)};
}

// Whether a block of `sizes` covers some tile of `array` only in part, in a dimension that the block does not span.
bool covers_tiles_in_part(const Shape& array, const std::vector<std::int64_t>& sizes) {
  if (!is_tiled(array) || sizes.size() != array.dimensions.size()) return false;
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

// Whether a block of `sizes` covers tiles of two dimensions in part only across their rows.
bool spans_lanes(const Shape& array, const std::vector<std::int64_t>& sizes) {
  const std::vector<std::int64_t>& tile = array.layout.tiles[0].dimensions;
  if (tile.size() != 2 || tile[1] <= 0 || array.layout.minor_to_major.empty()) return false;
  const auto minor = static_cast<std::size_t>(array.layout.minor_to_major[0]);
  return sizes[minor] == array.dimensions[minor];
}

// Whether the blocks of a gather or scatter move one by one between tiled memory and the chip, with no cache that keeps
// a block for its next use. If the indices are sorted, repeated blocks are adjacent and move once.
bool are_fetched_apart(InstructionView instruction, const Shape& array) {
  return is_tiled(array) && !flag(instruction, AttributeKey::kIndicesAreSorted);
}

// A write of `blocks` blocks of `sizes` over part of `array`. Elements that the update combines with are read first,
// and so are partially covered tiles.
LeafWrite update_in_place(const Shape& array, const std::vector<std::int64_t>& sizes, double blocks, int parameter,
                          bool combines, bool apart) {
  const ArraySize block = block_size(array, sizes);
  const ArraySize all = array_size(array);
  LeafWrite leaf;
  leaf.in_place = true;
  leaf.parameter = parameter;
  // Blocks that are fetched apart may be the same block, so their sum may exceed the array.
  const auto limited = [apart](double bytes, double limit) { return apart ? bytes : std::min(bytes, limit); };
  leaf.written_padded = limited(blocks * block.padded_bytes, all.padded_bytes);
  leaf.written_logical = limited(blocks * block.logical_bytes, all.logical_bytes);
  const bool in_part = covers_tiles_in_part(array, sizes);
  leaf.combines = combines;
  if (combines || in_part) leaf.read_back = leaf.written_padded;
  if (in_part) leaf.partial_tile_elements = limited(blocks * block.padded_elements, all.padded_elements);
  return leaf;
}

// The share of one triangle of each matrix, including its diagonal.
Share triangle(const Shape& shape) {
  const double n = shape.rank() > 0 ? static_cast<double>(std::max<std::int64_t>(shape.dimensions.back(), 1)) : 1;
  return {(n + 1) / (2 * n), (n + 1) / (2 * n)};
}

}  // namespace

ArraySize block_size(const Shape& array, const std::vector<std::int64_t>& sizes) {
  Shape block = array;
  if (sizes.size() == block.dimensions.size()) block.dimensions = sizes;
  block.dynamic_dimensions.clear();
  block.layout.split_configs.clear();
  block.layout.tail_padding_alignment = 1;
  block.layout.dynamic_shape_metadata_prefix_bytes = 0;
  return array_size(block);
}

double window_elements(const std::vector<std::int64_t>& sizes) {
  double product = 1;
  for (std::int64_t s : sizes) product *= static_cast<double>(std::max<std::int64_t>(s, 0));
  return product;
}

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

Share operand_share(InstructionView instruction, int i, Share wanted, SizeCache& cache) {
  if (wanted.logical <= 0) return kNothing;
  const InstructionView operand = instruction.operand(i);
  switch (instruction.opcode()) {
    case Opcode::kSlice: {
      std::vector<std::int64_t> sizes = instruction.shape().dimensions;
      const std::vector<SliceRange> ranges = slice_ranges(instruction);
      // Along tiled dimensions a stride skips elements inside tiles, so that the whole range is read.
      const auto& minor_to_major = operand.shape().layout.minor_to_major;
      const std::size_t tiled = is_tiled(operand.shape()) ? operand.shape().layout.tiles[0].dimensions.size() : 0;
      for (std::size_t k = 0; k < tiled && k < minor_to_major.size(); ++k) {
        const std::int64_t d = minor_to_major[k];
        if (d >= 0 && d < static_cast<std::int64_t>(std::min(ranges.size(), sizes.size())) && ranges[d].stride > 1) {
          sizes[d] = std::max<std::int64_t>(ranges[d].limit - ranges[d].start, 0);
        }
      }
      return block_share(operand.shape(), sizes, 1, cache, operand.shape_id()) * wanted;
    }
    case Opcode::kPad: {
      if (i > 0) return whole(wanted);
      // Negative padding cuts the operand.
      std::vector<std::int64_t> sizes = operand.shape().dimensions;
      const std::vector<PaddingDimension> padded = padding(instruction);
      for (std::size_t d = 0; d < sizes.size() && d < padded.size(); ++d) {
        const std::int64_t size = std::max<std::int64_t>(sizes[d], 0);
        const std::int64_t low = std::clamp<std::int64_t>(padded[d].low, -size, 0);
        sizes[d] = std::max<std::int64_t>(size + low + std::clamp<std::int64_t>(padded[d].high, -size, 0), 0);
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
      Share share = block_share(operand.shape(), sizes, blocks, cache, operand.shape_id());
      if (are_fetched_apart(instruction, operand.shape())) {
        const bool by_sublanes = is_on_sparse_core(instruction);
        const ArraySize block = block_size(by_sublanes ? in_sublanes(operand.shape()) : operand.shape(), sizes);
        const ArraySize& all = cache[operand.shape_id()];
        if (all.padded_bytes > 0) share.padded = blocks * block.padded_bytes / all.padded_bytes;
        if (all.logical_bytes > 0) share.logical = blocks * block.logical_bytes / all.logical_bytes;
      }
      return share * wanted;
    }
    case Opcode::kScatter:
      // All updates are made, however small the part of the array is that they change.
      return i < scatter_operands(instruction) ? wanted : kAll;
    case Opcode::kBroadcast:
    case Opcode::kDot:
    case Opcode::kConvolution:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
    case Opcode::kSort: return whole(wanted);
    case Opcode::kDynamicUpdateSlice:
      if (i > 1) return kAll;
      return i == 1 ? kAll : wanted;
    case Opcode::kCholesky: return triangle(instruction.operand(i).shape());
    case Opcode::kTriangularSolve: return i == 0 ? triangle(instruction.operand(i).shape()) : kAll;
    case Opcode::kGetDimensionSize: return kNothing;
    case Opcode::kCopyStart:
    case Opcode::kAsyncStart: return kAll;
    default:
      // A collective sends and combines its whole input, even if only part of its result is used.
      return work_class(instruction.opcode()) == WorkClass::kCollective ? whole(wanted) : wanted;
  }
}

LeafWrite update_slice(const Shape& array, const Shape& update, int parameter) {
  LeafWrite leaf = update_in_place(array, update.dimensions, 1, parameter, false, false);
  if (leaf.partial_tile_elements > 0 && lies_by_rows(update) && spans_lanes(array, update.dimensions)) {
    const auto row = static_cast<double>(update.dimensions[array.layout.minor_to_major[0]]);
    leaf.rows = static_cast<double>(element_count(update)) / row;
    leaf.row_registers = leaf.rows * std::ceil(row / static_cast<double>(array.layout.tiles[0].dimensions[1]));
  }
  return leaf;
}

LeafWrite update_scatter(InstructionView scatter, int operand, const Shape& array, int parameter) {
  const Shape& updates = scatter.operand(scatter_operands(scatter) + 1 + operand).shape();
  const std::vector<std::int64_t> sizes = scatter_window(scatter, array, updates);
  const double one = window_elements(sizes);
  const double blocks = one > 0 ? static_cast<double>(element_count(updates)) / one : 0;
  const bool apart = are_fetched_apart(scatter, array);
  if (!is_on_sparse_core(scatter)) return update_in_place(array, sizes, blocks, parameter, true, apart);
  // A SparseCore adds to rows in its own memory: no register of a vector unit is updated in part.
  LeafWrite leaf = update_in_place(in_sublanes(array), sizes, blocks, parameter, true, apart);
  leaf.partial_tile_elements = 0;
  return leaf;
}

InstructionView updated_through(InstructionView at) {
  return origin(at, [](InstructionView i) { return keeps_order(i.opcode()); });
}

}  // namespace hloroof::internal::inline work
