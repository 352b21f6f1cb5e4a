#include "lib/work/kernel_shapes.h"

#include <algorithm>
#include <cstddef>

#include "lib/ir/shapes.h"

namespace hloroof::internal::inline work {
namespace {

using Dimensions = std::vector<std::int64_t>;

double size_of(std::int64_t d) { return static_cast<double>(std::max<std::int64_t>(d, 1)); }

double leading_size(const Shape& shape, std::size_t minor_dimensions) {
  double size = 1;
  for (std::size_t i = 0; i + minor_dimensions < shape.dimensions.size(); ++i) size *= size_of(shape.dimensions[i]);
  return size;
}

bool is_integer(ElementType type) {
  return type == ElementType::kS8 || type == ElementType::kS16 || type == ElementType::kS32 ||
         type == ElementType::kU8 || type == ElementType::kU16 || type == ElementType::kU32;
}

// The operands in order. Quantized operands are integers too, so that an integer array of a high rank after the first
// float may be a number to multiply as well; only 32-bit integers cannot.
struct SortedOperands {
  std::vector<const Shape*> numbers;
  KernelShapes shapes;
};

SortedOperands sort_operands(InstructionView call) {
  SortedOperands sorted;
  for (InstructionView operand : call.operands()) {
    const Shape& shape = operand.shape();
    if (!shape.is_array()) continue;
    const bool is_first = sorted.numbers.empty();
    const ElementType type = shape.element_type;
    if (!is_integer(type)) {
      if (shape.rank() >= 2 && type != ElementType::kPred) sorted.numbers.push_back(&shape);
    } else if (shape.rank() <= 1) {
      if (is_first) sorted.shapes.lists.push_back(&shape);
    } else if (is_first && shape.rank() == 3 && sorted.shapes.mask == nullptr) {
      sorted.shapes.mask = &shape;
    } else if (type == ElementType::kS32 || type == ElementType::kU32) {
      if (!is_first || shape.rank() == 2) sorted.shapes.positions.push_back(&shape);
    } else if (!is_first) {
      sorted.numbers.push_back(&shape);
    }
  }
  return sorted;
}

HeadMatrix head_matrix(const Shape& shape, bool is_turned) {
  const std::size_t rank = shape.dimensions.size();
  HeadMatrix matrix;
  matrix.shape = &shape;
  matrix.heads = leading_size(shape, 2);
  matrix.rows = size_of(shape.dimensions[rank - (is_turned ? 1 : 2)]);
  matrix.head = size_of(shape.dimensions[rank - (is_turned ? 2 : 1)]);
  return matrix;
}

// Whether the leading dimensions of keys, or values, agree with those of the queries: several heads of queries may
// share one of keys.
bool heads_agree(const Shape& queries, const Shape& keys) {
  const Dimensions& q = queries.dimensions;
  const Dimensions& k = keys.dimensions;
  if (k.size() != q.size() && k.size() + 1 != q.size()) return false;
  const std::size_t batches = q.size() - 3;
  if (k.size() < batches + 2 || !std::equal(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(batches), k.begin())) {
    return false;
  }
  if (k.size() < q.size()) return true;
  return k[batches] > 0 && q[batches] % k[batches] == 0;
}

// Whether `shape` holds a row of `head` elements for each of `rows`, not turned, for all heads of `like`. A gradient of
// the queries may have one copy for each block of keys, in a further dimension before or after the first.
bool is_like(const Shape& shape, const Shape& like, double rows, double head) {
  const Dimensions& d = shape.dimensions;
  const Dimensions& l = like.dimensions;
  if (d.size() < l.size() || size_of(d[d.size() - 2]) != rows || size_of(d.back()) != head) return false;
  const std::ptrdiff_t first = d.size() > l.size() ? 1 : 0;
  return static_cast<std::ptrdiff_t>(l.size()) < 2 + first ||
         std::equal(l.rbegin() + 2, l.rend() - first, d.rbegin() + 2);
}

// Decides from the results what a call with the queries, keys and values of `shapes` computes.
std::optional<KernelFamily> attention_family(InstructionView call, const std::vector<const Shape*>& numbers,
                                             KernelShapes& shapes) {
  const HeadMatrix& q = shapes.queries;
  for (std::size_t i = 3; i < numbers.size() && shapes.gradient == nullptr; ++i) {
    if (numbers[i]->element_type == q.shape->element_type &&
        (is_like(*numbers[i], *q.shape, q.rows, shapes.values.head) ||
         is_like(*numbers[i], *q.shape, shapes.values.head, q.rows))) {
      shapes.gradient = numbers[i];
    }
  }
  int like_queries = 0;
  int like_keys = 0;
  int results = 0;
  bool is_result = false;  // whether one is what attention computes
  for (ShapeId leaf : call.module().shapes().leaves(call.shape_id())) {
    const Shape& result = call.module().shape(leaf);
    if (!result.is_array()) continue;
    is_result |= is_like(result, *q.shape, q.rows, shapes.values.head);
    const bool queries = is_like(result, *q.shape, q.rows, q.head);
    const bool keys = is_like(result, *shapes.keys.shape, shapes.keys.rows, shapes.keys.head) ||
                      is_like(result, *shapes.keys.shape, shapes.keys.rows, shapes.values.head);
    like_queries += queries ? 1 : 0;
    like_keys += keys ? 1 : 0;
    results += queries || keys ? 1 : 0;
  }
  if (shapes.gradient == nullptr) return is_result ? std::optional(KernelFamily::kAttention) : std::nullopt;
  if (results >= 3 && like_keys >= 2) return KernelFamily::kAllGradients;
  if (like_keys >= 2) return KernelFamily::kKeysGradient;
  if (like_queries >= 1) return KernelFamily::kQueriesGradient;
  return std::nullopt;
}

bool recognize_attention(InstructionView call, const std::vector<const Shape*>& numbers, KernelShapes& shapes) {
  if (numbers.size() < 3 || numbers[0]->rank() < 3) return false;
  const Shape& q = *numbers[0];
  const Shape& k = *numbers[1];
  const Shape& v = *numbers[2];
  if (!heads_agree(q, k) || !heads_agree(q, v) || k.rank() != v.rank()) return false;
  // Each of the three may be turned. The form that is turned least and agrees is taken.
  for (const unsigned turned : {0u, 2u, 3u, 1u, 4u, 6u, 7u, 5u}) {
    shapes.queries = head_matrix(q, (turned & 1) != 0);
    shapes.keys = head_matrix(k, (turned & 2) != 0);
    shapes.values = head_matrix(v, (turned & 4) != 0);
    shapes.gradient = nullptr;
    if (shapes.queries.head != shapes.keys.head || shapes.keys.rows != shapes.values.rows) continue;
    const std::optional<KernelFamily> family = attention_family(call, numbers, shapes);
    if (!family) continue;
    shapes.family = *family;
    return true;
  }
  return false;
}

// The lists of lengths and pages: s32[b] and s32[b * p] or s32[b, p].
bool find_pages(InstructionView call, KernelShapes& shapes) {
  std::vector<const Shape*> lists;
  for (InstructionView operand : call.operands()) {
    const Shape& shape = operand.shape();
    if (shape.is_array() && shape.rank() >= 1 && shape.rank() <= 2 && shape.element_type == ElementType::kS32) {
      lists.push_back(&shape);
    }
  }
  if (lists.size() < 2 || lists[0]->rank() != 1) return false;
  const std::int64_t sequences = std::max<std::int64_t>(element_count(*lists[0]), 1);
  const std::int64_t pages = element_count(*lists[1]);
  if (pages <= 0 || pages % sequences != 0) return false;
  shapes.sequences = static_cast<double>(sequences);
  shapes.pages = static_cast<double>(pages);
  return true;
}

bool has_result_like(InstructionView call, const Shape& shape) {
  for (ShapeId leaf : call.module().shapes().leaves(call.shape_id())) {
    if (call.module().shape(leaf).dimensions == shape.dimensions) return true;
  }
  return false;
}

bool recognize_paged(InstructionView call, const std::vector<const Shape*>& numbers, KernelShapes& shapes) {
  if (numbers.size() < 2 || numbers[0]->rank() < 3) return false;
  const Shape& q = *numbers[0];
  const Shape& cache = *numbers[1];
  if (cache.rank() != 4 || cache.dimensions.back() != q.dimensions.back() || !has_result_like(call, q)) return false;
  if (!find_pages(call, shapes)) return false;
  shapes.queries = head_matrix(q, false);
  shapes.queries.rows = static_cast<double>(element_count(q)) / shapes.queries.head;
  shapes.keys = head_matrix(cache, false);
  const bool has_values = numbers.size() >= 3 && numbers[2]->dimensions == cache.dimensions;
  shapes.family = has_values ? KernelFamily::kPagedAttention : KernelFamily::kRaggedAttention;
  if (has_values) shapes.values = head_matrix(*numbers[2], false);
  // A ragged cache holds keys and values of a position one after the other: [pages, page, 2 heads, head].
  shapes.keys.rows = size_of(cache.dimensions[has_values ? 2 : 1]);
  shapes.keys.heads = has_values ? size_of(cache.dimensions[0]) : std::max(size_of(cache.dimensions[2]) / 2, 1.0);
  return true;
}

bool recognize_grouped(InstructionView call, const std::vector<const Shape*>& numbers, KernelShapes& shapes) {
  if (numbers.size() < 2 || shapes.lists.empty()) return false;
  const Dimensions& a = numbers[0]->dimensions;
  const Dimensions& b = numbers[1]->dimensions;
  if (a.size() != 2) return false;
  shapes.queries.shape = numbers[0];
  shapes.keys.shape = numbers[1];
  for (ShapeId leaf : call.module().shapes().leaves(call.shape_id())) {
    const Dimensions& out = call.module().shape(leaf).dimensions;
    if (b.size() == 3 && out.size() == 2 && out[0] == a[0] &&
        ((b[1] == a[1] && b[2] == out[1]) || (b[2] == a[1] && b[1] == out[1]))) {
      shapes.family = KernelFamily::kGroupedProduct;
      return true;
    }
    const bool gives_columns = a[0] == b[0] && out.size() == 3 && out[1] == a[1] && b.size() == 2 && out[2] == b[1];
    const bool gives_rows = b.size() == 2 && a[1] == b[0] && out.size() == 3 && out[1] == a[0] && out[2] == b[1];
    if (gives_columns || gives_rows) {
      shapes.family = KernelFamily::kGroupedGradients;
      shapes.queries.rows = size_of(gives_columns ? a[0] : a[1]);
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<KernelShapes> recognize_kernel(InstructionView call) {
  const SortedOperands sorted = sort_operands(call);
  for (const auto recognize : {recognize_attention, recognize_grouped, recognize_paged}) {
    KernelShapes shapes = sorted.shapes;
    if (recognize(call, sorted.numbers, shapes)) return shapes;
  }
  return std::nullopt;
}

bool is_backward_kernel(InstructionView op) {
  if (op.opcode() != Opcode::kCustomCall) return false;
  const std::optional<KernelShapes> shapes = recognize_kernel(op);
  if (!shapes) return false;
  switch (shapes->family) {
    case KernelFamily::kQueriesGradient:
    case KernelFamily::kKeysGradient:
    case KernelFamily::kAllGradients: return true;
    default: return false;
  }
}

}  // namespace hloroof::internal::inline work
