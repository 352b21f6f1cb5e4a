// Determines the pieces of memory that gathers, scatters and slices touch: arrays of a GPU have no tiles, and what lies
// between two pieces is moved with them if they are shorter than an access.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hloroof/attributes.h"
#include "lib/ir/element_type.h"
#include "lib/values/attribute_values.h"
#include "lib/work/inside.h"
#include "lib/work/registers.h"
#include "lib/work/work.h"

namespace hloroof::internal::inline work {
namespace {

// Atomic operations on less than a word are loops that compare and swap the word.
constexpr int kNarrowBits = 32;
// Of one operation. Further kinds count their own bytes, and nothing beside them.
constexpr std::size_t kMostKinds = 64;

}  // namespace

double run_of(const Shape& shape, const std::vector<std::int64_t>& sizes) {
  double run = 1;
  for (const std::int64_t d : shape.layout.minor_to_major) {
    if (d < 0 || d >= static_cast<std::int64_t>(std::min(sizes.size(), shape.dimensions.size()))) break;
    run *= static_cast<double>(std::max<std::int64_t>(sizes[d], 1));
    if (sizes[d] != shape.dimensions[d]) break;
  }
  return run;
}

void add_pieces(InstructionView instruction, double share, SizeCache& sizes, Work& work) {
  const Opcode opcode = instruction.opcode();
  const bool is_slice = opcode == Opcode::kSlice || opcode == Opcode::kDynamicSlice;
  if ((!is_slice && opcode != Opcode::kGather && opcode != Opcode::kScatter) || instruction.operand_count() == 0)
    return;
  const Shape& array = instruction.operand(0).shape();
  if (is_tiled(array) || array.is_tuple()) return;
  const double element = bits(array.element_type) / 8.0;
  Pieces pieces;
  pieces.array_bytes = sizes[instruction.operand(0).shape_id()].padded_bytes;
  if (is_slice) {
    const double elements = sizes[instruction.shape_id()].logical_elements;
    const std::vector<SliceRange> ranges =
        opcode == Opcode::kSlice ? slice_ranges(instruction) : std::vector<SliceRange>();
    const auto& order = array.layout.minor_to_major;
    const auto minor = static_cast<std::size_t>(order.empty() ? 0 : order[0]);
    const bool skips = minor < ranges.size() && ranges[minor].stride > 1;
    const double run = skips ? 1 : run_of(array, instruction.shape().dimensions);
    pieces.bytes = run * element;
    pieces.count = elements / run * share;
  } else if (opcode == Opcode::kGather) {
    const std::vector<std::int64_t> window = integers(instruction, AttributeKey::kSliceSizes);
    const double run = run_of(array, window);
    pieces.bytes = run * element;
    pieces.count = sizes[instruction.shape_id()].logical_elements / run * share;
    pieces.is_indexed = true;
  } else {
    if (instruction.operand_count() < 3) return;
    const InstructionView update = instruction.operand(instruction.operand_count() - 1);
    const double elements = sizes[update.shape_id()].logical_elements * share;
    const double run = run_of(array, scatter_window(instruction, array, update.shape()));
    pieces.bytes = run * element;
    pieces.count = 2 * elements / run;  // read and written
    pieces.is_indexed = true;
    pieces.is_updated = true;
    if (!flag(instruction, AttributeKey::kUniqueIndices)) {
      if (bits(array.element_type) < kNarrowBits) {
        work.narrow_atomics += elements;
      } else {
        work.atomics += elements / run * std::ceil(pieces.bytes / kSectorBytes);
      }
    }
  }
  if (pieces.count > 1) add_pieces(pieces, work);
}

void add_pieces(const Pieces& pieces, Work& work) {
  const auto same = std::find_if(work.pieces.begin(), work.pieces.end(), [&](const Pieces& other) {
    return other.bytes == pieces.bytes && other.array_bytes == pieces.array_bytes &&
           other.is_indexed == pieces.is_indexed && other.is_updated == pieces.is_updated;
  });
  if (same != work.pieces.end()) {
    same->count += pieces.count;
  } else if (work.pieces.size() < kMostKinds) {
    work.pieces.push_back(pieces);
  }
}

}  // namespace hloroof::internal::inline work
