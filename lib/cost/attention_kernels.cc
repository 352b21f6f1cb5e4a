#include "lib/cost/attention_kernels.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "lib/cost/inside.h"

namespace hloroof::inline v0 {
namespace {

// Matrix products a head of the kernel called `name`; 0 if it is not in the table.
int products_of(std::string_view name) {
#define HLOROOF_ATTENTION_KERNEL(part, products) \
  if (name.find(part) != std::string_view::npos) return products;
#include "lib/cost/attention_kernels.def"
  return 0;
}

}  // namespace

bool add_known_kernel(InstructionView call, Work& work) {
  const int products = products_of(call.name());
  if (products == 0) return false;

  // Queries, keys and values are the first three arrays of numbers with at least three dimensions: [.., heads, sequence,
  // head size]. The grid of blocks that a mask keeps comes before them, as s8[heads, query blocks, key blocks].
  std::vector<const Shape*> arrays;
  const Shape* grid = nullptr;
  for (InstructionView operand : call.operands()) {
    const Shape& shape = operand.shape();
    if (!shape.is_array() || shape.rank() < 3) continue;
    if (is_floating(shape.element_type)) {
      arrays.push_back(&shape);
    } else if (grid == nullptr && shape.element_type == ElementType::kS8) {
      grid = &shape;
    }
  }
  if (arrays.size() < 3) return false;
  const std::vector<std::int64_t>& q = arrays[0]->dimensions;
  const std::vector<std::int64_t>& k = arrays[1]->dimensions;
  const auto extent = [](std::int64_t d) { return static_cast<double>(std::max<std::int64_t>(d, 1)); };
  double heads = 1;
  for (std::size_t i = 0; i + 2 < q.size(); ++i) heads *= extent(q[i]);
  const double queries = extent(q[q.size() - 2]);
  const double keys = extent(k[k.size() - 2]);
  const double head_size = extent(q.back());

  // A causal mask keeps (n + 1) / 2n of n x n blocks. Whether the mask is causal is in its data, not in the text.
  double share = 1;
  if (grid != nullptr) {
    const double blocks = extent(grid->dimensions[grid->dimensions.size() - 2]);
    if (queries == keys) share = (blocks + 1) / (2 * blocks);
  }
  MatrixWork product;
  product.m = queries;
  product.n = keys;
  product.k = head_size;
  product.batch = heads * products * share;
  product.lhs = arrays[0]->element_type;
  product.rhs = arrays[1]->element_type;
  product.flops = 2 * product.m * product.n * product.k * product.batch;
  work.flops += product.flops;
  work.matrix_flops += product.flops;
  work.matrix.push_back(product);
  const double scores = heads * queries * keys * share;
  work.transcendentals += scores;
  add_vector(work, Opcode::kExponential, ElementType::kF32, scores);
  add_vector(work, Opcode::kMultiply, ElementType::kF32, 4 * scores);  // scale, subtract, mask, sum
  work.source = std::max(work.source, CostSource::kAssumed);
  return true;
}

}  // namespace hloroof::inline v0
