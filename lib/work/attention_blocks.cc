#include "lib/work/attention_blocks.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal::inline work {
namespace {

// The number after `name` in the arguments of the kernel as JAX prints them, \"block_q\": 128; 0 if it is absent.
double printed_size(InstructionView call, std::string_view name) {
  const std::string_view text = call.text(AttributeKey::kFrontendAttributes);
  const std::string quoted = absl::StrCat("\"", std::string(name));
  for (std::size_t at = text.find(quoted); at != std::string_view::npos; at = text.find(quoted, at + 1)) {
    std::size_t i = at + quoted.size();
    const std::size_t end = i;
    while (i < text.size() && (text[i] == '\\' || text[i] == '"' || text[i] == ':' || text[i] == ' ')) ++i;
    if (i == end) continue;  // a longer name
    double size = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && size < 1e9; ++i) size = 10 * size + (text[i] - '0');
    if (size > 0) return size;
  }
  return 0;
}

double first_printed(InstructionView call, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const double size = printed_size(call, name); size > 0) return size;
  }
  return 0;
}

double blocks_in(double length, double size) { return size > 0 ? std::ceil(length / size) : 0; }

// The block sizes of a mask that is stored in blocks, [blocks, block, block]: those that the mask keeps only in part.
// Keys come first in the kernel that computes their gradients. Segment numbers, [batch, queries, 128] and
// [batch, 8, keys], hold a whole sequence.
std::optional<std::pair<double, double>> stored_block(InstructionView call, const KernelShapes& shapes) {
  const bool keys_first = shapes.family == KernelFamily::kKeysGradient || shapes.family == KernelFamily::kAllGradients;
  for (InstructionView operand : call.operands()) {
    const Shape& shape = operand.shape();
    if (!shape.is_array() || shape.rank() != 3 || &shape == shapes.mask) continue;
    if (shape.element_type != ElementType::kS32 && shape.element_type != ElementType::kS8 &&
        shape.element_type != ElementType::kPred) {
      continue;
    }
    const double queries = static_cast<double>(shape.dimensions[keys_first ? 2 : 1]);
    const double keys = static_cast<double>(shape.dimensions[keys_first ? 1 : 2]);
    if (queries < 128 || keys < 128 || queries >= shapes.queries.rows || keys >= shapes.keys.rows) continue;
    if (std::fmod(shapes.queries.rows, queries) == 0 && std::fmod(shapes.keys.rows, keys) == 0) {
      return std::pair(queries, keys);
    }
  }
  return std::nullopt;
}

// The share of a grid of blocks that a causal mask keeps: in each row of blocks, the blocks up to the diagonal.
double causal_share(double rows, double columns) {
  double kept = 0;
  for (double row = 1; row <= rows && row <= 1e6; ++row) kept += std::ceil(row * columns / rows);
  return std::min(kept / (rows * columns), 1.0);
}

// The number of blocks on a side of the triangle of `count` blocks; 0 if they do not make one.
double triangle_side(double count) {
  const double side = std::floor((std::sqrt(8 * count + 1) - 1) / 2);
  return side * (side + 1) / 2 == count ? side : 0;
}

double square_side(double count) {
  const double side = std::round(std::sqrt(count));
  return side * side == count ? side : 0;
}

// The length that at least three lists have: the lists of a kernel that visits only the blocks in them. 0 if there are
// none.
double listed_blocks(const KernelShapes& shapes) {
  for (const Shape* list : shapes.lists) {
    if (list->rank() != 1) continue;
    const auto equal = std::count_if(shapes.lists.begin(), shapes.lists.end(),
                                     [&](const Shape* other) { return other->dimensions == list->dimensions; });
    if (equal >= 3) return static_cast<double>(element_count(*list));
  }
  return 0;
}

void assume_causal(const KernelShapes& shapes, AttentionBlocks& blocks) {
  if (shapes.queries.rows != shapes.keys.rows) {
    blocks.least_share = 1 / std::max(blocks.keys, 1.0);
    blocks.assumption = "Its mask is data, and is assumed to keep all blocks.";
    return;
  }
  blocks.share = causal_share(blocks.queries, blocks.keys);
  blocks.least_share = 1 / std::max(blocks.keys, 1.0);
  blocks.assumption = "Its mask is data, and is assumed to be causal.";
}

// From the grid of blocks of the mask. A kernel whose mask is known when it is built leaves out the columns of blocks
// that no row of blocks needs.
void use_mask(const KernelShapes& shapes, bool query_block_is_known, bool key_block_is_known, AttentionBlocks& blocks) {
  const double rows = static_cast<double>(shapes.mask->dimensions[1]);
  const double columns = static_cast<double>(shapes.mask->dimensions[2]);
  if (rows <= 0 || columns <= 0) return;
  if (!query_block_is_known) blocks.queries = rows;
  if (!key_block_is_known) blocks.keys = columns;
  const double pairs = blocks.queries * blocks.keys;
  if (rows * columns < pairs) {
    blocks.share = rows * columns / pairs;
    blocks.least_share = blocks.share;
    return;
  }
  assume_causal(shapes, blocks);
}

void use_lists(const KernelShapes& shapes, double listed, bool sizes_are_known, AttentionBlocks& blocks) {
  const double side = triangle_side(listed);
  if (!sizes_are_known && side > 0 && shapes.queries.rows == shapes.keys.rows) blocks.queries = blocks.keys = side;
  const double pairs = blocks.queries * blocks.keys;
  if (pairs < listed) return;
  blocks.share = listed / pairs;
  blocks.least_share = blocks.share;
}

}  // namespace

AttentionBlocks attention_blocks(InstructionView call, const KernelShapes& shapes) {
  AttentionBlocks blocks;
  double query_block = 0;
  double key_block = 0;
  double key_part = 0;
  switch (shapes.family) {
    case KernelFamily::kQueriesGradient:
      query_block = first_printed(call, {"block_q_dq", "block_q"});
      key_block = first_printed(call, {"block_kv_dq", "block_kv"});
      key_part = key_block;
      break;
    case KernelFamily::kKeysGradient:
    case KernelFamily::kAllGradients:
      query_block = first_printed(call, {"block_q_dkv"});
      key_block = first_printed(call, {"block_kv_dkv", "block_k_major_dkv"});
      key_part = first_printed(call, {"block_kv_dkv_compute", "block_kv_dkv"});
      break;
    default:
      query_block = first_printed(call, {"block_q"});
      key_block = first_printed(call, {"block_kv"});
      key_part = first_printed(call, {"block_kv_compute", "block_kv"});
  }
  if (query_block <= 0 || key_block <= 0) {
    if (const auto stored = stored_block(call, shapes)) {
      query_block = stored->first;
      key_block = stored->second;
    }
  }
  const bool sizes_are_known = query_block > 0 && key_block > 0;
  blocks.queries = std::max(blocks_in(shapes.queries.rows, query_block), 1.0);
  blocks.keys = std::max(blocks_in(shapes.keys.rows, key_block), 1.0);
  const double listed = listed_blocks(shapes);
  if (shapes.mask != nullptr) {
    use_mask(shapes, query_block > 0, key_block > 0, blocks);
  } else if (listed > 0) {
    use_lists(shapes, listed, sizes_are_known, blocks);
  } else if (shapes.lists.size() == 1 && element_count(*shapes.lists[0]) > 1) {
    // One number for each pair of blocks.
    const double pairs = static_cast<double>(element_count(*shapes.lists[0]));
    if (!sizes_are_known) blocks.queries = blocks.keys = std::max(square_side(pairs), 1.0);
    if (blocks.queries * blocks.keys == pairs) assume_causal(shapes, blocks);
  } else {
    blocks.least_share = shapes.queries.rows == shapes.keys.rows ? 0.5 : 1;
    if (blocks.least_share < 1) blocks.assumption = "It has no operand for a mask, and is assumed to have none.";
  }
  blocks.key_parts = key_part > 0 ? blocks_in(shapes.keys.rows, key_part) : blocks.keys;
  return blocks;
}

}  // namespace hloroof::internal::inline work
