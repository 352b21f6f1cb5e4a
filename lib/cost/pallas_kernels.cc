#include "lib/cost/pallas_kernels.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/cost/inside.h"

namespace hloroof::inline v0 {
namespace {

// How the operands of a kernel lie.
enum class PallasOperands : std::uint8_t {
  kDense,  // queries, keys, values: [.., heads, sequence, head size]; before them s8[heads, blocks, blocks] of a mask
  kPages,  // s32 lengths[b], s32 pages[b * p], .., queries [.., head size], keys and values [heads, pages, page, head
           // size]
  kRaggedPages,  // s32 lengths[b], s32 pages[b, p], .., queries [tokens, heads, head size], both [pages, page, heads,
                 // head size]
  kGroups,       // [m,k] x [g,k,n] -> [m,n]: each row meets the weights of one group
  kGroupsOut,    // [k,m] x [m,n] -> [g,k,n]
};

struct Kernel {
  PallasOperands operands;
  int products;
  int products_with_dq;
};

std::optional<Kernel> kernel_called(std::string_view name) {
#define HLOROOF_PALLAS_KERNEL(part, operands, products, products_with_dq) \
  if (name.find(part) != std::string_view::npos) return Kernel{PallasOperands::operands, products, products_with_dq};
#include "lib/cost/pallas_kernels.def"
  return std::nullopt;
}

double extent(std::int64_t d) { return static_cast<double>(std::max<std::int64_t>(d, 1)); }

double elements(const Shape& shape) { return static_cast<double>(element_count(shape)); }

// The array operands in order: those that hold numbers to multiply, and those that hold positions.
struct Operands {
  std::vector<const Shape*> numbers;
  std::vector<const Shape*> positions;
  const Shape* mask = nullptr;  // the blocks that a mask keeps
};

Operands operands_of(InstructionView call, int least_rank) {
  Operands result;
  for (InstructionView operand : call.operands()) {
    const Shape& shape = operand.shape();
    if (!shape.is_array()) continue;
    if (shape.element_type == ElementType::kS32) {
      result.positions.push_back(&shape);
    } else if (shape.element_type == ElementType::kS8 && shape.rank() == 3 && result.numbers.empty()) {
      if (result.mask == nullptr) result.mask = &shape;
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

// The softmax over `scores` elements.
void add_softmax(double scores, Work& work) {
  work.transcendentals += scores;
  add_vector(work, Opcode::kExponential, ElementType::kF32, scores);
  add_vector(work, Opcode::kMultiply, ElementType::kF32, 4 * scores);  // scale, subtract, mask, sum
}

// Whether a result holds the queries' gradient: their shape, or that once for each block of keys.
bool gives_queries_gradient(InstructionView call, const Shape& queries) {
  const ShapeTable& shapes = call.module().shapes();
  for (ShapeId leaf : shapes.leaves(call.shape_id())) {
    const std::vector<std::int64_t>& d = shapes[leaf].dimensions;
    const std::vector<std::int64_t>& q = queries.dimensions;
    if (d.size() > q.size() && std::equal(q.rbegin(), q.rend() - 1, d.rbegin())) return true;
  }
  return false;
}

bool add_dense_attention(InstructionView call, const Kernel& kernel, Work& work) {
  const Operands operands = operands_of(call, 3);
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
  // A causal mask keeps (n + 1) / 2n of n x n blocks. Whether the mask is causal is in its data, not in the text.
  double share = 1;
  if (operands.mask != nullptr && product.m == product.n) {
    const double blocks = extent(operands.mask->dimensions[1]);
    share = (blocks + 1) / (2 * blocks);
  }
  const double scores = product.batch * product.m * product.n * share;
  const int products = gives_queries_gradient(call, q) ? kernel.products_with_dq : kernel.products;
  product.batch *= products * share;
  add_product(product, work);
  add_softmax(scores, work);
  return true;
}

// Every sequence as long as its pages allow: how many are in use is in the data.
bool add_paged_attention(InstructionView call, const Kernel& kernel, Work& work) {
  const bool ragged = kernel.operands == PallasOperands::kRaggedPages;
  const Operands operands = operands_of(call, 3);
  if (operands.numbers.size() < (ragged ? 2 : 3) || operands.positions.size() < 2) return false;
  const Shape& q = *operands.numbers[0];
  const Shape& cache = *operands.numbers[1];
  if (cache.rank() != 4) return false;
  const double sequences = std::max(elements(*operands.positions[0]), 1.0);
  const double pages = elements(*operands.positions[1]);  // of all sequences
  const double page = extent(cache.dimensions[ragged ? 1 : 2]);
  const double cached_pages = extent(cache.dimensions[ragged ? 0 : 1]);
  MatrixWork product;
  product.k = extent(q.dimensions.back());
  product.n = pages / sequences * page;
  // Each sequence meets keys of its own; the query heads that share a head of keys are the rows.
  const double rows = elements(q) / product.k;
  const double key_heads = ragged ? std::max(extent(cache.dimensions[2]) / 2, 1.0) : extent(cache.dimensions[0]);
  product.batch = sequences * key_heads;
  product.m = rows / product.batch;
  product.lhs = q.element_type;
  product.rhs = cache.element_type;
  const double scores = rows * product.n;
  product.batch *= kernel.products;
  add_product(product, work);
  add_softmax(scores, work);

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
  // The weights may lie transposed: the dimension that is not contracted is the other one.
  product.n =
      groups_out || rhs.dimensions[1] == lhs.dimensions[1] ? extent(rhs.dimensions.back()) : extent(rhs.dimensions[1]);
  product.lhs = lhs.element_type;
  product.rhs = rhs.element_type;
  add_product(product, work);
  return true;
}

}  // namespace

bool add_pallas_kernel(InstructionView call, Work& work) {
  const std::optional<Kernel> kernel = kernel_called(call.name());
  if (!kernel) return false;
  switch (kernel->operands) {
    case PallasOperands::kDense: return add_dense_attention(call, *kernel, work);
    case PallasOperands::kPages:
    case PallasOperands::kRaggedPages: return add_paged_attention(call, *kernel, work);
    case PallasOperands::kGroups:
    case PallasOperands::kGroupsOut: return add_grouped_matmul(call, *kernel, work);
  }
  return false;
}

}  // namespace hloroof::inline v0
