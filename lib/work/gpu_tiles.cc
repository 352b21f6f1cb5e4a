#include "lib/work/gpu_tiles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/values/attribute_values.h"
#include "lib/values/backend_config.h"
#include "lib/work/inside.h"

namespace hloroof::internal::inline work {
namespace {

// Triton's tiles have powers of two along each dimension.
double padded(std::int64_t size) {
  return static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1))));
}

double padded_elements(const std::vector<std::int64_t>& tile) {
  double product = 1;
  for (const std::int64_t size : tile) product *= padded(size);
  return product;
}

// The number of tiles that cover an array.
double tile_count(const Shape& shape, const std::vector<std::int64_t>& tile) {
  double count = 1;
  for (std::size_t i = 0; i < tile.size(); ++i) {
    count *= std::ceil(static_cast<double>(shape.dimensions[i]) / static_cast<double>(tile[i]));
  }
  return count;
}

// Whether a dimension of one lies between two others.
bool has_gap(const std::vector<std::int64_t>& tile) {
  const auto is_long = [](std::int64_t size) { return size > 1; };
  const auto first = std::find_if(tile.begin(), tile.end(), is_long);
  const auto last = std::find_if(tile.rbegin(), tile.rend(), is_long).base();
  return first < last && std::find(first, last, 1) != last;
}

// The tile of what `reduce` reads, if it reduces the last dimension and `tile` is that of `stored`, which has as many
// elements as its operand, or the shape of its result. nullopt for other reductions: along columns the threads keep
// what they hold, and of arrays that the fusion reshapes the tile is not known.
std::optional<std::vector<std::int64_t>> tile_of_operand(InstructionView reduce, const Shape& stored,
                                                         const std::vector<std::int64_t>& tile) {
  const Shape& read = reduce.operand(0).shape();
  const auto last = static_cast<std::int64_t>(read.dimensions.size()) - 1;
  if (integers(reduce, AttributeKey::kDimensions) != std::vector<std::int64_t>{last}) return std::nullopt;
  std::vector<std::int64_t> of_operand = tile;
  if (element_count(read) == element_count(stored)) {
    if (stored.dimensions.back() != read.dimensions.back()) return std::nullopt;
    of_operand.back() = read.dimensions.back();
    return of_operand;
  }
  if (reduce.shape().is_tuple() || reduce.shape().dimensions != stored.dimensions) return std::nullopt;
  of_operand.push_back(read.dimensions.back());
  return of_operand;
}

// What XLA makes of loops and concatenations: threads of a block, the most neighbours that one thread computes, the
// most operands of a concatenation that is a kernel of its own, and of one in a loop with neighbours.
constexpr double kThreadsOfBlock = 128;
constexpr double kMostNeighbours = 4;
constexpr std::uint32_t kMostCopied = 4;
constexpr std::uint32_t kMostJoined = 10;

// Whether each thread of a loop computes one element only, because its code would be too long.
bool is_without_neighbours(ComputationView loop) {
  for (InstructionView i : loop.instructions()) {
    if (i.opcode() == Opcode::kReduceWindow) return true;
    if (i.opcode() == Opcode::kConcatenate && i.operand_count() > kMostJoined) return true;
  }
  return false;
}

// The neighbours of a thread: as many as divide `elements`, a whole number or nearly so.
double neighbours_in(double elements) {
  double neighbours = kMostNeighbours;
  while (neighbours > 1 && std::fmod(std::round(elements), neighbours) != 0) neighbours /= 2;
  return neighbours;
}

// The blocks of a loop over `elements` elements.
double blocks_of(ComputationView loop, double elements) {
  const double neighbours = is_without_neighbours(loop) ? 1 : neighbours_in(elements);
  return std::ceil(elements / (kThreadsOfBlock * neighbours));
}

// The blocks of a concatenation that is a kernel of its own. Each thread copies, of every operand, neighbours whose
// number divides all operands' rows, so that none of its stores crosses from one operand to the next.
double blocks_of(InstructionView concatenate) {
  double neighbours = kMostNeighbours;
  double largest = 0;
  for (std::uint32_t i = 0; i < concatenate.operand_count(); ++i) {
    const Shape& operand = concatenate.operand(i).shape();
    neighbours = std::min(neighbours, neighbours_in(run_of(concatenate.shape(), operand.dimensions)));
    largest = std::max(largest, static_cast<double>(element_count(operand)));
  }
  return std::ceil(largest / (kThreadsOfBlock * neighbours));
}

// The concatenation that a fusion is compiled as: the root, or in a fusion of `kind=kInput` any, if that has no other
// operation which such kernels are made for.
std::optional<InstructionView> copied_concatenate(ComputationView body, bool is_input) {
  const auto is_copied = [](InstructionView i) {
    return i.opcode() == Opcode::kConcatenate && i.operand_count() <= kMostCopied;
  };
  if (is_copied(body.root())) return body.root();
  if (!is_input) return std::nullopt;
  std::optional<InstructionView> found;
  for (InstructionView i : body.instructions()) {
    const bool is_other = i.opcode() == Opcode::kReduce || i.opcode() == Opcode::kScatter ||
                          i.opcode() == Opcode::kTranspose || i.opcode() == Opcode::kCopy;
    if (is_other) return std::nullopt;
    if (is_copied(i)) found = i;
  }
  return found;
}

}  // namespace

void add_thread_blocks(InstructionView fusion, ComputationId fused, Work& work) {
  const std::string_view kind = fusion.text(AttributeKey::kKind);
  if (kind != "kLoop" && kind != "kInput") return;
  const ComputationView body = fusion.module().computation(fused);
  if (!row_of(body).root.valid()) return;
  if (const auto concatenate = copied_concatenate(body, kind == "kInput")) {
    work.tiles.blocks = blocks_of(*concatenate);
  } else if (kind == "kLoop" && work.thread_elements > 0) {
    work.tiles.blocks = blocks_of(body, work.thread_elements);
  }
}

void add_gpu_tiles(InstructionView fusion, ComputationId fused, Work& work) {
  if (!work.matrix.empty()) return;
  if (fusion.text(AttributeKey::kBackendConfig).find("block_level") == std::string_view::npos) return;
  const std::optional<FusionBackendConfig> config = fusion_backend_config(fusion);
  if (!config || !config->block_level || config->block_level->output_tiles.empty()) return;
  const std::vector<std::int64_t>& tile = config->block_level->output_tiles[0];
  const ShapeTable& shapes = fusion.module().shapes();
  const Shape& stored = fusion.shape().is_tuple() && !fusion.shape().elements.empty()
                            ? shapes[fusion.shape().elements[0]]
                            : fusion.shape();
  const bool is_stated = tile.size() == stored.dimensions.size() && !tile.empty() &&
                         std::all_of(tile.begin(), tile.end(), [](std::int64_t size) { return size > 0; });
  if (!is_stated) return;
  TileWork& tiles = work.tiles;
  tiles.blocks = tile_count(stored, tile);
  tiles.warps = static_cast<double>(config->block_level->num_warps);
  double exchanged = 0;
  double reductions = 0;
  for (InstructionView i : fusion.module().computation(fused).instructions()) {
    if (i.opcode() != Opcode::kReduce || i.operand_count() == 0) continue;
    const std::optional<std::vector<std::int64_t>> read = tile_of_operand(i, stored, tile);
    if (!read) continue;
    const bool is_stored = element_count(i.operand(0).shape()) == element_count(stored);
    if (is_stored) tiles.held = std::max(tiles.held, padded_elements(*read));
    if (!has_gap(*read)) continue;
    if (is_stored) ++reductions;
    exchanged = std::max(exchanged, tiles.blocks * padded_elements(*read));
  }
  tiles.exchanged = exchanged * (1 + reductions);
}

}  // namespace hloroof::internal::inline work
