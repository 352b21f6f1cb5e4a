#include <algorithm>
#include <set>
#include <vector>

#include "lib/scale/rules.h"
#include "lib/values/attribute_values.h"
#include "lib/values/decode.h"

namespace hloroof::internal::inline scale {
namespace {

constexpr std::string_view kPart = "it takes a part of a dimension that would change";

}  // namespace

// Whether the value depends on the number of the device.
bool Rules::follows_device(InstructionView start) const {
  constexpr int kMost = 256;
  std::vector<InstructionId> open = {start.id()};
  std::set<InstructionId> seen;
  for (int visits = 0; !open.empty() && visits < kMost; ++visits) {
    const InstructionView at = module_.instruction(open.back());
    open.pop_back();
    if (!seen.insert(at.id()).second) continue;
    if (at.opcode() == Opcode::kPartitionId || at.opcode() == Opcode::kReplicaId) return true;
    if (at.opcode() == Opcode::kGetTupleElement && at.operand(0).opcode() == Opcode::kParameter) {
      // What a loop carries began as an element of its operand.
      for (InstructionId caller : callers_[at.computation().id().index]) {
        const InstructionView loop = module_.instruction(caller);
        if (loop.opcode() != Opcode::kWhile || loop.operand(0).opcode() != Opcode::kTuple) continue;
        const auto element = static_cast<std::size_t>(at.tuple_index());
        if (element < loop.operand(0).operand_count()) open.push_back(loop.operand(0).operand_ids()[element]);
      }
    }
    for (InstructionId operand : at.operand_ids()) open.push_back(operand);
    if (at.opcode() == Opcode::kFusion) {
      for (ComputationId called : at.called_computations()) {
        for (InstructionView inside : module_.computation(called).instructions()) {
          if (inside.opcode() == Opcode::kPartitionId || inside.opcode() == Opcode::kReplicaId) return true;
        }
      }
    }
    if (at.opcode() != Opcode::kParameter) continue;
    for (InstructionId caller : callers_[at.computation().id().index]) {
      const InstructionView user = module_.instruction(caller);
      const auto number = static_cast<std::size_t>(at.parameter_number());
      if (user.opcode() == Opcode::kFusion && number < user.operand_count()) open.push_back(user.operand_ids()[number]);
    }
  }
  return false;
}

// `piece` is `piece_size` of the `size` elements of `whole`, from `start` on: a scalar, or nothing if it is fixed.
void Rules::part(InstructionView at, Node whole, std::int64_t size, Node piece, std::int64_t piece_size,
                 std::optional<InstructionView> start) {
  if (size == piece_size) return link(at, whole, piece);
  // A part of a shard that was rounded up: see find_rounds().
  const bool is_rounded = axis_ != nullptr && start && piece_size < size && size < 2 * piece_size;
  if (is_rounded && follows_device(*start)) return link(at, whole, piece);
  const bool is_shard = axis_ != nullptr && start && piece_size > 0 && size % piece_size == 0 && follows_device(*start);
  if (is_shard) {
    const std::int64_t shards = size / piece_size;
    const bool is_along = (shards == axis_->from() && axis_->has_unique_size()) || shards == axis_->devices();
    if (is_along) {
      link(at, whole, piece, -1);
      if (piece_size == 1) stay(at, piece, kPart);
      return;
    }
    if (shards % axis_->from() != 0) return link(at, whole, piece);
  }
  stay(at, piece, kPart);
  if (layers_ > 0 && piece_size == 1 && size == layers_) return;
  stay(at, whole, kPart);
}

void Rules::dynamic_slice(InstructionView i) {
  const InstructionView operand = i.operand(0);
  for (std::size_t d = 0; d < rank(i); ++d) {
    std::optional<InstructionView> start;
    if (d + 1 < i.operand_count()) start = i.operand(d + 1);
    part(i, node(operand, d), array(operand).dimensions[d], node(i, d), array(i).dimensions[d], start);
  }
  for (std::size_t n = 1; n < i.operand_count(); ++n) nothing_grows(i, i.operand(n));
}

void Rules::dynamic_update_slice(InstructionView i) {
  const InstructionView update = i.operand(1);
  alike(i, i.operand(0), 0, i, 0);
  for (std::size_t d = 0; d < rank(i); ++d) {
    std::optional<InstructionView> start;
    if (d + 2 < i.operand_count()) start = i.operand(d + 2);
    part(i, node(i, d), array(i).dimensions[d], node(update, d), array(update).dimensions[d], start);
  }
}

void Rules::slice(InstructionView i) {
  const InstructionView operand = i.operand(0);
  const std::vector<SliceRange> ranges = slice_ranges(i);
  // An array that is moved piece by piece is so whatever its size; otherwise one element has a meaning.
  const std::vector<InstructionId>& callers = callers_[i.computation().id().index];
  const bool is_transfer = std::any_of(callers.begin(), callers.end(), [this](InstructionId caller) {
    return module_.instruction(caller).opcode() == Opcode::kAsyncStart;
  });
  for (std::size_t d = 0; d < rank(i) && d < ranges.size(); ++d) {
    const std::int64_t size = array(operand).dimensions[d];
    const SliceRange& range = ranges[d];
    const bool is_whole = range.start == 0 && range.limit == size && range.stride == 1;
    const std::int64_t count = array(i).dimensions[d];
    if (layers_ > 0 && layers_ == size && count == 1 && (range.start == 0 || range.limit == size)) {
      stay(i, node(i, d), kPart);
    } else if (is_whole || (range.stride == 1 && (count > 1 || is_transfer))) {
      link(i, node(operand, d), node(i, d));  // start and limit grow, too; rewriting checks that they can
    } else {
      stay(i, node(operand, d), kPart);
      stay(i, node(i, d), kPart);
    }
  }
}

void Rules::pad(InstructionView i) {
  const std::vector<PaddingDimension> paddings = padding(i);
  for (std::size_t d = 0; d < rank(i) && d < paddings.size(); ++d) {
    const PaddingDimension& at = paddings[d];
    link_or_stay(i, d, at.low == 0 && at.high == 0 && at.interior == 0);
  }
}

void Rules::concatenate(InstructionView i) {
  for (InstructionView operand : i.operands()) alike(i, operand, 0, i, 0);
}

void Rules::gather(InstructionView i) {
  const GatherDimensions n = gather_dimensions(i);
  const InstructionView operand = i.operand(0);
  const InstructionView indices = i.operand(1);
  std::size_t next = 0;  // of offset_dims
  for (std::size_t d = 0; d < rank(operand); ++d) {
    if (lists(n.collapsed_slice_dims, d) || lists(n.operand_batching_dims, d)) continue;
    if (next >= n.offset_dims.size() || d >= n.slice_sizes.size()) break;
    const auto result = static_cast<std::size_t>(n.offset_dims[next++]);
    part(i, node(operand, d), array(operand).dimensions[d], node(i, result), n.slice_sizes[d], std::nullopt);
  }
  for (std::size_t b = 0; b < n.operand_batching_dims.size(); ++b) {
    link(i, node(operand, static_cast<std::size_t>(n.operand_batching_dims[b])),
         node(indices, static_cast<std::size_t>(n.start_indices_batching_dims[b])));
  }
  std::size_t from = 0;
  for (std::size_t d = 0; d < rank(i); ++d) {
    if (lists(n.offset_dims, d)) continue;
    if (static_cast<std::int64_t>(from) == n.index_vector_dim) ++from;
    if (from < rank(indices)) link(i, node(indices, from++), node(i, d));
  }
}

void Rules::scatter(InstructionView i) {
  const ScatterDimensions n = scatter_dimensions(i);
  const std::size_t arrays_updated = i.operand_count() / 2;
  const InstructionView indices = i.operand(arrays_updated);
  for (std::size_t a = 0; a < arrays_updated; ++a) {
    const InstructionView operand = i.operand(a);
    const InstructionView updates = i.operand(arrays_updated + 1 + a);
    alike(i, operand, 0, i, a);
    std::size_t next = 0;  // of update_window_dims
    for (std::size_t d = 0; d < rank(operand); ++d) {
      if (lists(n.inserted_window_dims, d) || lists(n.input_batching_dims, d)) continue;
      if (next >= n.update_window_dims.size()) break;
      const auto update = static_cast<std::size_t>(n.update_window_dims[next++]);
      part(i, node(operand, d), array(operand).dimensions[d], node(updates, update), array(updates).dimensions[update],
           std::nullopt);
    }
    std::size_t from = 0;
    for (std::size_t d = 0; d < rank(updates); ++d) {
      if (lists(n.update_window_dims, d)) continue;
      if (static_cast<std::int64_t>(from) == n.index_vector_dim) ++from;
      if (from < rank(indices)) link(i, node(indices, from++), node(updates, d));
    }
    for (std::size_t b = 0; b < n.input_batching_dims.size(); ++b) {
      link(i, node(operand, static_cast<std::size_t>(n.input_batching_dims[b])),
           node(indices, static_cast<std::size_t>(n.scatter_indices_batching_dims[b])));
    }
  }
}

}  // namespace hloroof::internal::inline scale
