#include "lib/work/same_work.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"

namespace hloroof::internal::inline work {
namespace {

// The members of each struct. A structured binding names all of them, so that a new member must be added here.
auto members(const MemoryBytes& bytes) {
  const auto& [hbm, vmem, host, scalar] = bytes;
  return std::tie(hbm, vmem, host, scalar);
}

auto members(const VectorWork& part) {
  const auto& [opcode, type, elements, cross_lane, to, shortcut] = part;
  return std::tie(opcode, type, elements, cross_lane, to, shortcut);
}

auto members(const Pieces& pieces) {
  const auto& [count, bytes, array_bytes, is_indexed, is_updated] = pieces;
  return std::tie(count, bytes, array_bytes, is_indexed, is_updated);
}

auto members(const RowWork& rows) {
  const auto& [moved, moved_registers, combined, stores, array_bytes, updated, updated_registers] = rows;
  return std::tie(moved, moved_registers, combined, stores, array_bytes, updated, updated_registers);
}

auto members(const TileWork& tiles) {
  const auto& [blocks, warps, held, exchanged] = tiles;
  return std::tie(blocks, warps, held, exchanged);
}

auto members(const MatrixWork& product) {
  const auto& [m, n, k, batch, lhs, rhs, out, passes, flops, multiplied_as, tile_m, tile_n, programs, is_for_threads,
               is_attention, kept_keys, is_gradient, is_unaligned, is_untuned, is_tuned, positions, is_shape_known,
               m_lanes, m_sublanes, n_lanes, n_sublanes, lhs_k, rhs_k, lhs_uses, rhs_uses, sliding] = product;
  const auto& [taps, features, batch_on_lanes, apart, patch_is_resident] = sliding;
  return std::tie(m, n, k, batch, lhs, rhs, out, passes, flops, multiplied_as, tile_m, tile_n, programs, is_for_threads,
                  is_attention, kept_keys, is_gradient, is_unaligned, is_untuned, is_tuned, positions, is_shape_known,
                  m_lanes, m_sublanes, n_lanes, n_sublanes, lhs_k, rhs_k, lhs_uses, rhs_uses, taps, features,
                  batch_on_lanes, apart, patch_is_resident);
}

auto members(const ReductionWindows& reduction) {
  const auto& [windows, registers, sums, is_by_rows, results, carried, is_alone] = reduction;
  return std::tie(windows, registers, sums, is_by_rows, results, carried, is_alone);
}

auto members(const DeviceGroups& groups) {
  const auto& [mode, regular, in_order, all_devices, group_size, group_count, within, across, listed, named_axes] =
      groups;
  return std::tie(mode, regular, in_order, all_devices, group_size, group_count, within, across, listed, named_axes);
}

template <typename Part>
bool same_parts(const std::vector<Part>& a, const std::vector<Part>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Part& x, const Part& y) { return members(x) == members(y); });
}

}  // namespace

bool same_work(const Work& a, const Work& b) {
  if (&a == &b) return true;
  const auto& [flops, transcendentals, matrix_flops, read, written, logical_bytes, padded_bytes, scalars_read,
               scalars_written, fetched, stored, matrix, vector, epilogue, read_again, between_kernels, product_steps,
               partial_tiles, sliced_rows, rows, reduction, loads_in_turn, window_steps, window_waits, window_copies,
               in_turn, seconds, source, thread_elements, kernels, sort_passes, block_threads, programs, is_for_threads,
               tile_bytes, tiles, pieces, atomics, narrow_atomics, is_chained, kernel, is_free] = a;
  return members(read) == members(b.read) && members(written) == members(b.written) &&
         members(tiles) == members(b.tiles) && members(rows) == members(b.rows) &&
         members(reduction) == members(b.reduction) && same_parts(matrix, b.matrix) && same_parts(vector, b.vector) &&
         same_parts(epilogue, b.epilogue) && same_parts(pieces, b.pieces) &&
         std::tie(flops, transcendentals, matrix_flops, logical_bytes, padded_bytes, scalars_read, scalars_written,
                  fetched, stored, read_again, between_kernels, product_steps, partial_tiles, sliced_rows,
                  loads_in_turn, window_steps, window_waits, window_copies, in_turn, seconds, source, thread_elements,
                  kernels, sort_passes, block_threads, programs, is_for_threads, tile_bytes, atomics, narrow_atomics,
                  is_chained, kernel, is_free) ==
             std::tie(b.flops, b.transcendentals, b.matrix_flops, b.logical_bytes, b.padded_bytes, b.scalars_read,
                      b.scalars_written, b.fetched_elements, b.stored_elements, b.read_again, b.between_kernels,
                      b.product_steps, b.partial_tile_elements, b.sliced_rows, b.loads_in_turn, b.window_steps,
                      b.window_waits, b.window_copies, b.units_in_turn, b.seconds, b.source, b.thread_elements,
                      b.kernels, b.sort_passes, b.block_threads, b.programs, b.is_for_threads, b.tile_bytes, b.atomics,
                      b.narrow_atomics, b.is_chained, b.kernel, b.is_free);
}

std::size_t work_hash(const Work& work) {
  return absl::HashOf(work.flops, work.read.total(), work.written.total(), work.logical_bytes, work.matrix.size(),
                      work.vector.size(), work.transcendentals);
}

Shared<Work> SharedWorks::share(Work work) {
  const auto found = works_.find(work);
  return found != works_.end() ? *found : *works_.emplace(std::move(work)).first;
}

bool same_collective(const Collective& a, const Collective& b) {
  const auto& [kind, instruction, carrier, runs, done, in_fusion, groups, pairs, dimension, bytes, element_bytes,
               arrays, shard_shape, slices] = a;
  return std::tie(kind, runs, in_fusion, pairs, dimension, bytes, element_bytes, arrays, shard_shape, slices) ==
             std::tie(b.kind, b.runs, b.in_fusion, b.pairs, b.dimension, b.bytes, b.element_bytes, b.arrays,
                      b.shard_shape, b.slices) &&
         members(groups) == members(b.groups);
}

std::size_t collective_hash(const Collective& collective) {
  return absl::HashOf(collective.kind, collective.bytes, collective.element_bytes, collective.arrays,
                      collective.dimension, collective.groups.group_size, collective.groups.group_count,
                      collective.pairs.size(), collective.shard_shape.index);
}

}  // namespace hloroof::internal::inline work
