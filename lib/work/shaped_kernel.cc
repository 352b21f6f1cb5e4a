#include "lib/work/shaped_kernel.h"

#include <algorithm>
#include <string_view>

#include "hloroof/analysis.h"
#include "lib/work/attention_blocks.h"
#include "lib/work/inside.h"

namespace hloroof::internal::inline work {
namespace {

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
