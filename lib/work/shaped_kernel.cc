#include "lib/work/shaped_kernel.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "hloroof/analysis.h"
#include "hloroof/module.h"
#include "lib/ir/shapes.h"
#include "lib/kernel/common/isa.h"
#include "lib/work/inside.h"
#include "lib/work/kernel_shapes.h"

namespace hloroof::internal::inline work {
namespace {

// The blocks of queries and keys that an attention kernel without a body visits.
struct AttentionBlocks {
  double queries = 1;      // blocks of queries
  double keys = 1;         // blocks of keys
  double key_parts = 1;    // parts of all blocks of keys that are computed on at a time
  double share = 1;        // of the pairs of blocks that are visited
  double least_share = 1;  // the least that `share` may be
  std::string assumption;  // a sentence; empty if the text gives the share
};

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
    if (queries < kRegisterLanes || keys < kRegisterLanes || queries >= shapes.queries.rows || keys >= shapes.keys.rows)
      continue;
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

// Block sizes come from kernel_metadata, or else from the mask's grid of blocks.
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

// What attention does to each pair of a query and a key.
struct AttentionWork {
  double products_of_keys = 0;    // products over, or with, the head of queries and keys
  double products_of_values = 0;  // the same for the head of values
  // Vector operations on each score, without its exponential and its masks. Forward: read from the matrix unit, maximum
  // of its row, subtract it, sum, narrow for the second product. Backward: read the score and the gradient of the
  // probability from the matrix unit, subtract the logarithm of the sum, subtract the row's mean, multiply by the
  // probability, narrow; for keys and values also narrow the probability.
  double score_ops = 0;
};

// Source: jax/experimental/pallas/ops/tpu/{flash_attention,splash_attention}, jax 0.10.2.
AttentionWork attention_work(KernelFamily family) {
  switch (family) {
    case KernelFamily::kQueriesGradient: return {2, 1, 6};  // q k^T, ds k; do v^T
    case KernelFamily::kKeysGradient: return {2, 2, 7};     // q k^T, ds^T q; do v^T, p^T do
    case KernelFamily::kAllGradients: return {3, 2, 7};
    default: return {1, 1, 5};  // q k^T; p v
  }
}

void add_product(MatrixWork product, Work& work) {
  product.flops = 2 * product.m * product.n * product.k * product.batch;
  work.flops += product.flops;
  work.matrix_flops += product.flops;
  work.matrix.push_back(product);
}

// Adds the operations between the products on each of `scores` elements of q k^T: the exponential and `score_ops` other
// operations. They run in one loop with the products, and each side waits for the other.
void add_softmax(double scores, double score_ops, Work& work) {
  work.transcendentals += scores;
  add_vector(work, Opcode::kExponential, ElementType::kF32, scores);
  add_vector(work, Opcode::kMultiply, ElementType::kF32, scores * score_ops);
  work.is_chained = true;
}

// Vector operations that mask a score. A kernel computes its masks at every block that it visits, including blocks that
// the mask keeps whole. It compares positions if the mask is a function, compares segments, joins the masks, and
// replaces the scores that they drop. The operands are s32: positions of the queries, and segments of queries and of
// keys.
double mask_ops(const KernelShapes& shapes) {
  const std::size_t segments = shapes.positions.size() >= 2 ? 1 : 0;
  const std::size_t function = shapes.positions.size() % 2;
  // Without a mask function, the kernel lists the blocks that the mask keeps only in part, and reads their bits.
  const std::size_t bits = shapes.mask != nullptr && function == 0 ? 1 : 0;
  const std::size_t masks = segments + function + bits;
  return masks == 0 ? 0 : static_cast<double>(2 * masks);  // compute each, join all but one, select once
}

// Vector operations for each score on results that are accumulated over blocks. Forward, for every block of keys, the
// accumulated result is scaled to the new maximum and added to. Backward, the gradient of the queries is added to for
// every block of keys, and the gradients of keys and values for every block of queries.
double gathering_ops(const KernelShapes& shapes, const AttentionBlocks& blocks) {
  const double head = shapes.queries.head;
  const double for_queries = head * blocks.key_parts / shapes.keys.rows;
  const double for_keys = 2 * head * blocks.queries / shapes.queries.rows;
  switch (shapes.family) {
    case KernelFamily::kQueriesGradient: return for_queries;
    case KernelFamily::kKeysGradient: return for_keys;
    case KernelFamily::kAllGradients: return for_keys + for_queries;
    default: return 2 * for_queries;
  }
}

void add_read(const Shape& array, double times, Work& work) {
  const double bytes = times * static_cast<double>(padded_bytes(array));
  (memory_space(array) == MemorySpace::kVmem ? work.read.vmem : work.read.hbm) += bytes;
  work.logical_bytes += times * static_cast<double>(logical_bytes(array));
}

// Adds the repeated reads of blocks. A kernel loops over the blocks of one side and for each fetches all blocks of the
// other side that the mask keeps. It fetches keys and values for every block of queries, or backward the queries and
// the result's gradient for every block of keys. The boundary bytes already hold each array once.
void add_fetches(const KernelShapes& shapes, const AttentionBlocks& blocks, Work& work) {
  const bool over_keys = shapes.family == KernelFamily::kKeysGradient || shapes.family == KernelFamily::kAllGradients;
  // A block that is the same in two successive steps is not fetched again.
  const double outer = over_keys ? blocks.keys : blocks.queries;
  const double inner = over_keys ? blocks.queries : blocks.keys;
  const double fetches = inner > 1 ? std::max(outer * blocks.share, 1.0) : 1;
  if (over_keys) {
    add_read(*shapes.queries.shape, fetches - 1, work);
    add_read(*shapes.gradient, fetches - 1, work);
    return;
  }
  // Query heads that share keys fetch them one after another.
  const double times = fetches * std::max(shapes.queries.heads / shapes.keys.heads, 1.0) - 1;
  add_read(*shapes.keys.shape, times, work);
  add_read(*shapes.values.shape, times, work);
}

std::string_view family_sentence(KernelFamily family) {
  switch (family) {
    case KernelFamily::kAttention: return "Its shapes are those of attention.";
    case KernelFamily::kQueriesGradient: return "Its shapes are those of the gradient of attention for the queries.";
    case KernelFamily::kKeysGradient: return "Its shapes are those of the gradients of attention for keys and values.";
    case KernelFamily::kAllGradients: return "Its shapes are those of the three gradients of attention.";
    case KernelFamily::kPagedAttention:
    case KernelFamily::kRaggedAttention: return "Its shapes are those of attention over a cache in pages.";
    case KernelFamily::kGroupedProduct: return "Its shapes are those of a product with the weights of groups.";
    case KernelFamily::kGroupedGradients: return "Its shapes are those of the gradient of the weights of groups.";
  }
  return "";
}

void add_attention(InstructionView call, const KernelShapes& shapes, Work& work, ShapedKernel& result) {
  const AttentionBlocks blocks = attention_blocks(call, shapes);
  const AttentionWork per_score = attention_work(shapes.family);
  MatrixWork product;
  product.m = shapes.queries.rows;
  product.n = shapes.keys.rows;
  product.k = shapes.queries.head;
  product.lhs = shapes.queries.shape->element_type;
  product.rhs = shapes.keys.shape->element_type;
  const double scores = shapes.queries.heads * product.m * product.n * blocks.share;
  const bool heads_are_equal = shapes.values.head == shapes.queries.head;
  const double with_keys = per_score.products_of_keys + (heads_are_equal ? per_score.products_of_values : 0);
  product.batch = shapes.queries.heads * with_keys * blocks.share;
  add_product(product, work);
  if (!heads_are_equal) {
    product.k = shapes.values.head;
    product.batch = shapes.queries.heads * per_score.products_of_values * blocks.share;
    add_product(product, work);
  }
  add_softmax(scores, per_score.score_ops + mask_ops(shapes) + gathering_ops(shapes, blocks), work);
  add_fetches(shapes, blocks, work);
  result.least_share = blocks.least_share / blocks.share;
  if (!blocks.assumption.empty()) result.assumptions.push_back(blocks.assumption);
}

// Assumes that every sequence fills its pages, because the number of pages in use depends on data.
void add_paged_attention(const KernelShapes& shapes, Work& work, ShapedKernel& result) {
  const bool ragged = shapes.family == KernelFamily::kRaggedAttention;
  const double cached_pages = static_cast<double>(shapes.keys.shape->dimensions[ragged ? 0 : 1]);
  const AttentionWork per_score = attention_work(shapes.family);
  MatrixWork product;
  product.k = shapes.queries.head;
  product.n = shapes.pages / shapes.sequences * shapes.keys.rows;
  // Each sequence has separate keys. The rows are the query heads that share a head of keys.
  product.batch = shapes.sequences * shapes.keys.heads;
  product.m = shapes.queries.rows / product.batch;
  product.lhs = shapes.queries.shape->element_type;
  product.rhs = shapes.keys.shape->element_type;
  product.batch *= per_score.products_of_keys + per_score.products_of_values;
  add_product(product, work);
  add_softmax(shapes.queries.rows * product.n, per_score.score_ops, work);
  const double unread = 1 - std::min(shapes.pages / std::max(cached_pages, 1.0), 1.0);
  for (const Shape* array : {shapes.keys.shape, shapes.values.shape}) {
    if (array == nullptr) continue;
    const double padded = static_cast<double>(padded_bytes(*array)) * unread;
    double& read = memory_space(*array) == MemorySpace::kHost   ? work.read.host
                   : memory_space(*array) == MemorySpace::kVmem ? work.read.vmem
                                                                : work.read.hbm;
    read = std::max(read - padded, 0.0);
    work.logical_bytes = std::max(work.logical_bytes - static_cast<double>(logical_bytes(*array)) * unread, 0.0);
  }
  result.assumptions.emplace_back("The sequences are assumed to fill their pages.");
}

void add_grouped_product(const KernelShapes& shapes, Work& work) {
  const Shape& lhs = *shapes.queries.shape;
  const Shape& rhs = *shapes.keys.shape;
  MatrixWork product;
  product.m = static_cast<double>(lhs.dimensions[0]);
  product.k = static_cast<double>(lhs.dimensions[1]);
  // The weights may be transposed, so n is the dimension that is not contracted.
  const bool is_plain = shapes.family == KernelFamily::kGroupedGradients || rhs.dimensions[1] == lhs.dimensions[1];
  product.n = static_cast<double>(is_plain ? rhs.dimensions.back() : rhs.dimensions[1]);
  product.lhs = lhs.element_type;
  product.rhs = rhs.element_type;
  add_product(product, work);
}

}  // namespace

ShapedKernel add_shaped_kernel(InstructionView call, const KernelShapes& shapes, Work& work) {
  ShapedKernel result;
  result.assumptions.emplace_back(family_sentence(shapes.family));
  switch (shapes.family) {
    case KernelFamily::kAttention:
    case KernelFamily::kQueriesGradient:
    case KernelFamily::kKeysGradient:
    case KernelFamily::kAllGradients: add_attention(call, shapes, work, result); break;
    case KernelFamily::kPagedAttention:
    case KernelFamily::kRaggedAttention: add_paged_attention(shapes, work, result); break;
    case KernelFamily::kGroupedProduct:
    case KernelFamily::kGroupedGradients: add_grouped_product(shapes, work); break;
  }
  work.padded_bytes = work.read.total() + work.written.total();
  work.source = std::max(work.source, CostSource::kAssumed);
  return result;
}

}  // namespace hloroof::internal::inline work
