#include "lib/cost/pallas_kernels.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/analysis.h"
#include "lib/analysis/kernel_name.h"
#include "lib/cost/inside.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal {
namespace {

// The layout of a kernel's operands.
enum class PallasOperands : std::uint8_t {
  kDense,  // queries, keys, values: [.., heads, sequence, head size]; a mask s8, s16 or s32[heads, blocks, blocks] may
           // precede them
  kPages,  // s32 lengths[b], s32 pages[b * p], .., queries [.., head size], keys and values [heads, pages, page, head
           // size]
  kRaggedPages,  // s32 lengths[b], s32 pages[b, p], .., queries [tokens, heads, head size], both [pages, page, heads,
                 // head size]
  kGroups,       // [m,k] x [g,k,n] -> [m,n]: each row is multiplied by the weights of one group
  kGroupsOut,    // [k,m] x [m,n] -> [g,k,n]
};

struct Kernel {
  PallasOperands operands;
  int products;
  int products_with_dq;
  int score_ops;
};

std::optional<Kernel> kernel_called(std::string_view name) {
#define HLOROOF_PALLAS_KERNEL(part, operands, products, products_with_dq, score_ops) \
  if (name.find(part) != std::string_view::npos) {                                   \
    return Kernel{PallasOperands::operands, products, products_with_dq, score_ops};  \
  }
#include "lib/cost/pallas_kernels.def"
  return std::nullopt;
}

// The call of a kernel, and the name that its author gave it. A text without the body of the kernel has only the name
// of the instruction, which older versions of JAX name after the kernel.
struct PallasCall {
  InstructionView instruction;
  std::string name;
};

// Attention has two matrix products in the forward pass, and more in each backward kernel.
constexpr int kForwardProducts = 2;

double extent(std::int64_t d) { return static_cast<double>(std::max<std::int64_t>(d, 1)); }

double elements(const Shape& shape) { return static_cast<double>(element_count(shape)); }

// The array operands in order: those that hold numbers to multiply, and those that hold positions.
struct Operands {
  std::vector<const Shape*> numbers;
  std::vector<const Shape*> positions;
  const Shape* mask = nullptr;  // the blocks that the mask keeps
};

Operands operands_of(InstructionView call, int least_rank) {
  Operands result;
  for (InstructionView operand : call.operands()) {
    const Shape& shape = operand.shape();
    if (!shape.is_array()) continue;
    const ElementType type = shape.element_type;
    if (shape.rank() == 3 && result.numbers.empty() &&
        (type == ElementType::kS8 || type == ElementType::kS16 || type == ElementType::kS32)) {
      if (result.mask == nullptr) result.mask = &shape;  // the narrowest type that holds the number of blocks
    } else if (type == ElementType::kS32) {
      result.positions.push_back(&shape);
    } else if (shape.rank() >= least_rank) {
      result.numbers.push_back(&shape);
    }
  }
  return result;
}

void add_product(MatrixWork product, Work& work) {
  product.flops = 2 * product.m * product.n * product.k * product.batch;
  work.flops += product.flops;
  work.matrix_flops += product.flops;
  work.matrix.push_back(product);
  work.source = std::max(work.source, CostSource::kAssumed);
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
double mask_ops(const Operands& operands) {
  const std::size_t segments = operands.positions.size() >= 2 ? 1 : 0;
  const std::size_t function = operands.positions.size() % 2;
  // Without a mask function, the kernel lists the blocks that the mask keeps only in part, and reads their bits.
  const std::size_t bits = operands.mask != nullptr && function == 0 ? 1 : 0;
  const std::size_t masks = segments + function + bits;
  return masks == 0 ? 0 : static_cast<double>(2 * masks);  // compute each, join all but one, select once
}

// Whether a result holds the gradient of the queries: it has a higher rank than the queries and matches their minor
// dimensions, with one copy for each block of keys.
bool gives_queries_gradient(InstructionView call, const Shape& queries) {
  const ShapeTable& shapes = call.module().shapes();
  for (ShapeId leaf : shapes.leaves(call.shape_id())) {
    const std::vector<std::int64_t>& d = shapes[leaf].dimensions;
    const std::vector<std::int64_t>& q = queries.dimensions;
    if (d.size() > q.size() && std::equal(q.rbegin(), q.rend() - 1, d.rbegin())) return true;
  }
  return false;
}

// The number after `name` in the arguments of the kernel as JAX prints them ("block_q\": 128"), or in the kernel's name
// (block_q_128); 0 if it is absent.
double printed_block_size(const PallasCall& call, std::string_view name) {
  for (const std::string_view text :
       {call.instruction.text(AttributeKey::kFrontendAttributes), std::string_view(call.name)}) {
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
      std::size_t i = at + name.size();
      while (i < text.size() && (text[i] == '\\' || text[i] == '"' || text[i] == ':' || text[i] == ' ')) ++i;
      if (i == at + name.size() && i < text.size() && text[i] == '_') ++i;
      double size = 0;
      for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && size < 1e9; ++i) size = 10 * size + (text[i] - '0');
      if (size > 0) return size;
    }
  }
  return 0;
}

// The share of a mask's grid of blocks that a causal mask keeps: in each row of blocks, the blocks up to the diagonal.
double causal_share(const Shape& mask) {
  const double rows = extent(mask.dimensions[1]);
  const double columns = extent(mask.dimensions[2]);
  double kept = 0;
  for (double row = 1; row <= rows && row <= 1e6; ++row) kept += std::ceil(row * columns / rows);
  return std::min(kept / (rows * columns), 1.0);
}

void add_read(const Shape& array, double times, Work& work) {
  const double bytes = times * static_cast<double>(padded_bytes(array));
  (memory_space(array) == MemorySpace::kVmem ? work.read.vmem : work.read.hbm) += bytes;
  work.logical_bytes += times * static_cast<double>(logical_bytes(array));
}

// The number of blocks that a kernel cuts `length` into. It follows from the first of `names` that is printed, or else
// from the mask's grid.
double block_count(const PallasCall& call, const Operands& operands, double length,
                   std::initializer_list<std::string_view> names, std::size_t mask_dimension) {
  for (std::string_view name : names) {
    if (const double size = printed_block_size(call, name); size > 0) return std::ceil(length / size);
  }
  return operands.mask != nullptr ? extent(operands.mask->dimensions[mask_dimension]) : 1;
}

// Vector operations for each score on results that are accumulated over blocks. Forward, for every block of keys, the
// accumulated result is scaled to the new maximum and added to. Backward, the gradient of the queries is added to for
// every block of keys, and the gradients of keys and values for every block of queries.
double gathering_ops(const PallasCall& call, const Kernel& kernel, const Operands& operands, bool gives_dq) {
  const Shape& q = *operands.numbers[0];
  const Shape& k = *operands.numbers[1];
  const double head = extent(q.dimensions.back());
  const double queries = extent(q.dimensions[q.dimensions.size() - 2]);
  const double keys = extent(k.dimensions[k.dimensions.size() - 2]);
  if (kernel.products == 2) {
    return 2 * head * block_count(call, operands, keys, {"block_kv_compute", "block_kv"}, 2) / keys;
  }
  if (kernel.products == 3) return head * block_count(call, operands, keys, {"block_kv_dq"}, 2) / keys;
  const double of_keys = 2 * head * block_count(call, operands, queries, {"block_q_dkv"}, 2) / queries;
  if (!gives_dq) return of_keys;
  return of_keys + head * block_count(call, operands, keys, {"block_kv_dkv_compute", "block_kv_dkv"}, 1) / keys;
}

// Adds the repeated reads of blocks. A kernel loops over the blocks of one side and for each fetches all blocks of the
// other side that the mask keeps. It fetches keys and values for every block of queries, or backward the queries and
// the result's gradient for every block of keys. `share` is the kept share of the blocks. The boundary bytes already
// hold each array once.
void add_fetches(const PallasCall& call, const Kernel& kernel, const Operands& operands, double share, Work& work) {
  const Shape& q = *operands.numbers[0];
  const Shape& k = *operands.numbers[1];
  const bool over_keys = kernel.products == 4;
  const double queries = extent(q.dimensions[q.dimensions.size() - 2]);
  const double keys = extent(k.dimensions[k.dimensions.size() - 2]);
  const double query_blocks =
      over_keys ? block_count(call, operands, queries, {"block_q_dkv"}, 2)
                : block_count(call, operands, queries, {kernel.products == 3 ? "block_q_dq" : "block_q", "block_q"}, 1);
  const double key_blocks =
      over_keys ? block_count(call, operands, keys, {"block_kv_dkv", "block_k_major_dkv"}, 1)
                : block_count(call, operands, keys, {kernel.products == 3 ? "block_kv_dq" : "block_kv"}, 2);
  // A block that is the same in two successive steps is not fetched again.
  const double outer = over_keys ? key_blocks : query_blocks;
  const double inner = over_keys ? query_blocks : key_blocks;
  const double fetches = inner > 1 ? std::max(outer * share, 1.0) : 1;
  if (over_keys) {
    add_read(q, fetches - 1, work);
    for (std::size_t i = 3; i < operands.numbers.size(); ++i) {
      if (operands.numbers[i]->dimensions != q.dimensions) continue;
      add_read(*operands.numbers[i], fetches - 1, work);  // the result's gradient
      break;
    }
    return;
  }
  // Query heads that share keys fetch them one after another.
  const double heads = std::max(elements(q) / queries / extent(q.dimensions.back()), 1.0);
  const double key_heads = std::max(elements(k) / keys / extent(k.dimensions.back()), 1.0);
  const double times = fetches * std::max(heads / key_heads, 1.0) - 1;
  for (std::size_t i : {1u, 2u}) add_read(*operands.numbers[i], times, work);
}

bool add_dense_attention(const PallasCall& call, const Kernel& kernel, Work& work) {
  const Operands operands = operands_of(call.instruction, 3);
  if (operands.numbers.size() < 3) return false;
  const Shape& q = *operands.numbers[0];
  const Shape& k = *operands.numbers[1];
  MatrixWork product;
  for (std::int64_t i = 0; i + 2 < q.rank(); ++i) product.batch *= extent(q.dimensions[static_cast<std::size_t>(i)]);
  product.m = extent(q.dimensions[q.dimensions.size() - 2]);
  product.n = extent(k.dimensions[k.dimensions.size() - 2]);
  product.k = extent(q.dimensions.back());
  product.lhs = q.element_type;
  product.rhs = k.element_type;
  // A causal mask keeps (n + 1) / 2n of n x n blocks. Whether the mask is causal depends on its data, which is not in
  // the text.
  double share = 1;
  if (operands.mask != nullptr && product.m == product.n) share = causal_share(*operands.mask);
  const double scores = product.batch * product.m * product.n * share;
  const bool gives_dq = gives_queries_gradient(call.instruction, q);
  product.batch *= (gives_dq ? kernel.products_with_dq : kernel.products) * share;
  add_product(product, work);
  add_softmax(scores, kernel.score_ops + mask_ops(operands) + gathering_ops(call, kernel, operands, gives_dq), work);
  add_fetches(call, kernel, operands, share, work);
  return true;
}

// Assumes that every sequence fills its pages, because the number of pages in use depends on data.
bool add_paged_attention(InstructionView call, const Kernel& kernel, Work& work) {
  const bool ragged = kernel.operands == PallasOperands::kRaggedPages;
  const Operands operands = operands_of(call, 3);
  if (operands.numbers.size() < (ragged ? 2 : 3) || operands.positions.size() < 2) return false;
  const Shape& q = *operands.numbers[0];
  const Shape& cache = *operands.numbers[1];
  if (cache.rank() != 4) return false;
  const double sequences = std::max(elements(*operands.positions[0]), 1.0);
  const double pages = elements(*operands.positions[1]);  // pages of all sequences
  const double page = extent(cache.dimensions[ragged ? 1 : 2]);
  const double cached_pages = extent(cache.dimensions[ragged ? 0 : 1]);
  MatrixWork product;
  product.k = extent(q.dimensions.back());
  product.n = pages / sequences * page;
  // Each sequence has separate keys. The rows are the query heads that share a head of keys.
  const double rows = elements(q) / product.k;
  const double key_heads = ragged ? std::max(extent(cache.dimensions[2]) / 2, 1.0) : extent(cache.dimensions[0]);
  product.batch = sequences * key_heads;
  product.m = rows / product.batch;
  product.lhs = q.element_type;
  product.rhs = cache.element_type;
  const double scores = rows * product.n;
  product.batch *= kernel.products;
  add_product(product, work);
  add_softmax(scores, kernel.score_ops, work);

  const double unread = 1 - std::min(pages / cached_pages, 1.0);
  for (std::size_t i = 1; i < operands.numbers.size() && i < (ragged ? 2u : 3u); ++i) {
    const Shape& array = *operands.numbers[i];
    const double padded = static_cast<double>(padded_bytes(array)) * unread;
    double& read = memory_space(array) == MemorySpace::kHost   ? work.read.host
                   : memory_space(array) == MemorySpace::kVmem ? work.read.vmem
                                                               : work.read.hbm;
    read = std::max(read - padded, 0.0);
    work.logical_bytes = std::max(work.logical_bytes - static_cast<double>(logical_bytes(array)) * unread, 0.0);
  }
  return true;
}

bool add_grouped_matmul(InstructionView call, const Kernel& kernel, Work& work) {
  const Operands operands = operands_of(call, 2);
  if (operands.numbers.size() < 2) return false;
  const Shape& lhs = *operands.numbers[0];
  const Shape& rhs = *operands.numbers[1];
  const bool groups_out = kernel.operands == PallasOperands::kGroupsOut;
  if (lhs.rank() != 2 || rhs.rank() != (groups_out ? 2 : 3)) return false;
  MatrixWork product;
  product.m = extent(lhs.dimensions[0]);
  product.k = extent(lhs.dimensions[1]);
  // The weights may be transposed, so n is the dimension that is not contracted.
  product.n =
      groups_out || rhs.dimensions[1] == lhs.dimensions[1] ? extent(rhs.dimensions.back()) : extent(rhs.dimensions[1]);
  product.lhs = lhs.element_type;
  product.rhs = rhs.element_type;
  add_product(product, work);
  return true;
}

}  // namespace

bool add_pallas_kernel(InstructionView instruction, Work& work) {
  PallasCall call = {instruction, kernel_name(instruction)};
  if (call.name.empty()) call.name = instruction.name();
  const std::optional<Kernel> kernel = kernel_called(call.name);
  if (!kernel) return false;
  switch (kernel->operands) {
    case PallasOperands::kDense: return add_dense_attention(call, *kernel, work);
    case PallasOperands::kPages:
    case PallasOperands::kRaggedPages: return add_paged_attention(instruction, *kernel, work);
    case PallasOperands::kGroups:
    case PallasOperands::kGroupsOut: return add_grouped_matmul(instruction, *kernel, work);
  }
  return false;
}

bool names_backward_kernel(std::string_view name) {
  const std::optional<Kernel> kernel = kernel_called(name);
  return kernel && kernel->products_with_dq > kForwardProducts;
}

}  // namespace hloroof::internal
