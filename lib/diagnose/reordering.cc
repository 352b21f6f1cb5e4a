#include "lib/diagnose/reordering.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hloroof/attributes.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/value_walk.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline diagnose {
namespace {

constexpr std::size_t kLongestChain = 64;  // instructions from the result of an op to its source

// A part of a dimension of the source, as a reshape may split one. Sorted by rank and part, they have the order that
// the elements of the source have in memory.
struct Piece {
  std::size_t rank = 0;     // of the dimension of the source, the slowest first
  std::int64_t stride = 1;  // elements of the dimension between two of the part
  std::int64_t size = 1;
  std::size_t dimension = 0;  // of the source

  auto place() const { return std::pair(rank, -stride); }
};
using PieceList = std::vector<Piece>;       // the slowest first
using Dimensions = std::vector<PieceList>;  // by dimension of a shape

// The dimensions of a shape from the slowest to the fastest, in memory or as they are numbered.
std::vector<std::size_t> slowest_first(const Shape& shape, bool in_memory) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < shape.dimensions.size(); ++i) order.push_back(i);
  if (in_memory && shape.layout.minor_to_major.size() == order.size()) {
    order.assign(shape.layout.minor_to_major.rbegin(), shape.layout.minor_to_major.rend());
  }
  return order;
}

Dimensions whole_dimensions(const Shape& shape) {
  Dimensions result(shape.dimensions.size());
  const std::vector<std::size_t> order = slowest_first(shape, true);
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::int64_t size = shape.dimensions[order[rank]];
    if (size > 1) result[order[rank]] = {{rank, 1, size, order[rank]}};
  }
  return result;
}

PieceList in_order(const Dimensions& dimensions, const Shape& shape, bool in_memory) {
  PieceList result;
  for (const std::size_t d : slowest_first(shape, in_memory)) {
    result.insert(result.end(), dimensions[d].begin(), dimensions[d].end());
  }
  return result;
}

// The dimensions of another shape with the same elements in the same order; nullopt if a dimension of one is not a
// product of whole parts of dimensions of the other.
std::optional<Dimensions> reshaped(PieceList pieces, const Shape& to, bool in_memory) {
  Dimensions result(to.dimensions.size());
  std::reverse(pieces.begin(), pieces.end());  // the next is the last
  for (const std::size_t d : slowest_first(to, in_memory)) {
    std::int64_t left = to.dimensions[d];
    while (left > 1) {
      if (pieces.empty()) return std::nullopt;
      Piece piece = pieces.back();
      pieces.pop_back();
      if (piece.size > left) {
        if (piece.size % left != 0) return std::nullopt;
        Piece rest = piece;
        rest.size = piece.size / left;
        piece.stride *= rest.size;
        piece.size = left;
        pieces.push_back(rest);
      }
      if (left % piece.size != 0) return std::nullopt;
      left /= piece.size;
      result[d].push_back(piece);
    }
  }
  if (!pieces.empty()) return std::nullopt;
  return result;
}

// The dimensions of the result of an instruction with operand 0 in these; nullopt if it does not only move elements.
std::optional<Dimensions> moved(Dimensions dimensions, InstructionView at) {
  const Shape& from = at.operand(0).shape();
  const Shape& to = at.shape();
  if (!from.is_array() || !to.is_array() || from.dimensions.size() != dimensions.size()) return std::nullopt;
  switch (flow(at.opcode())) {
    case Flow::kRenames: return reshaped(in_order(dimensions, from, true), to, true);
    case Flow::kReshapes: return reshaped(in_order(dimensions, from, false), to, false);
    case Flow::kCopies: return dimensions;
    default: break;
  }
  if (at.opcode() != Opcode::kTranspose) return std::nullopt;
  const std::vector<std::int64_t> permutation = integers(at, AttributeKey::kDimensions);
  if (permutation.size() != dimensions.size()) return std::nullopt;
  Dimensions result;
  for (const std::int64_t d : permutation) {
    if (d < 0 || static_cast<std::size_t>(d) >= dimensions.size()) return std::nullopt;
    result.push_back(dimensions[static_cast<std::size_t>(d)]);
  }
  return result;
}

// The instructions from the result of an op back to the source, without the fusions around them; the last first.
std::optional<std::vector<InstructionView>> chain_to(InstructionView source, InstructionView op) {
  std::vector<InstructionView> chain;
  std::vector<InstructionId> callers;
  InstructionView at = op;
  for (std::size_t step = 0; step < kLongestChain; ++step) {
    if (at == source) return chain;
    InstructionId id = at.id();
    Path path;
    if (at.opcode() == Opcode::kParameter) {
      if (callers.empty()) return std::nullopt;
      id = argument(op.module().instruction(callers.back()), at.computation().id(), at.parameter_number());
      callers.pop_back();
      if (!id.valid()) return std::nullopt;
    } else {
      if (flow(at.opcode()) == Flow::kFuses) {
        callers.push_back(at.id());
      } else {
        chain.push_back(at);
      }
      if (!step_back(op.module(), id, path) || !path.empty()) return std::nullopt;
    }
    at = op.module().instruction(id);
  }
  return std::nullopt;
}

// Whether the pieces of each dimension follow one another in `all`, with nothing between them.
bool are_together(const PieceList& all, const Dimensions& dimensions) {
  const auto is_at = [&](std::size_t i, const Piece& piece) {
    return i < all.size() && all[i].place() == piece.place();
  };
  for (const PieceList& dimension : dimensions) {
    if (dimension.empty()) continue;
    std::size_t at = 0;
    while (at < all.size() && !is_at(at, dimension.front())) ++at;
    for (std::size_t i = 0; i < dimension.size(); ++i) {
      if (!is_at(at + i, dimension[i])) return false;
    }
  }
  return true;
}

}  // namespace

Reordering reordering(InstructionView source, InstructionView op) {
  Reordering result;
  const std::optional<std::vector<InstructionView>> chain = chain_to(source, op);
  if (!chain || !source.shape().is_array() || !op.shape().is_array()) return result;
  result.permutes_source = result.permutes_result = false;
  for (const InstructionView at : *chain) result.reverses = result.reverses || at.opcode() == Opcode::kReverse;
  std::optional<Dimensions> dimensions = whole_dimensions(source.shape());
  for (auto at = chain->rbegin(); at != chain->rend() && dimensions; ++at) {
    dimensions = moved(*std::move(dimensions), *at);
  }
  if (!dimensions) return result;
  const PieceList after = in_order(*dimensions, op.shape(), true);
  PieceList before = after;
  const auto precedes = [](const Piece& a, const Piece& b) { return a.place() < b.place(); };
  std::sort(before.begin(), before.end(), precedes);
  Dimensions of_source(source.shape().dimensions.size());
  for (const Piece& piece : before) of_source[piece.dimension].push_back(piece);
  result.permutes_source = are_together(after, of_source);
  result.permutes_result = are_together(before, *dimensions);
  return result;
}

}  // namespace hloroof::internal::inline diagnose
