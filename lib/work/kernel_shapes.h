// Recognizes kernels without a body by the shapes of their operands and results. No name plays a part.
#ifndef HLOROOF_LIB_WORK_KERNEL_SHAPES_H_
#define HLOROOF_LIB_WORK_KERNEL_SHAPES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof::internal::inline work {

enum class KernelFamily : std::uint8_t {
  kAttention,         // queries, keys, values -> a result like the queries
  kQueriesGradient,   // the same and the result's gradient -> the gradient of the queries
  kKeysGradient,      // the same -> the gradients of keys and values
  kAllGradients,      // the same -> all three gradients
  kPagedAttention,    // lengths[b], pages[b * p], queries [.., head], keys and values [heads, pages, page, head]
  kRaggedAttention,   // lengths[b], pages[b, p], queries [tokens, heads, head], a cache [pages, page, 2 heads, head]
  kGroupedProduct,    // [m,k] x [g,k,n] -> [m,n], and a list: each row is multiplied by the weights of one group
  kGroupedGradients,  // [m,k] x [m,n] -> [g,k,n], and a list
};

// A matrix of each head: its rows are queries or keys, and its columns the elements of a head. Either may be minor.
struct HeadMatrix {
  const Shape* shape = nullptr;
  double heads = 1;  // all leading dimensions
  double rows = 1;
  double head = 1;
};

struct KernelShapes {
  KernelFamily family = KernelFamily::kAttention;
  HeadMatrix queries;  // for grouped products `shape` is the left side
  HeadMatrix keys;     // for grouped products `shape` is the right side; for a cache, one page
  HeadMatrix values;
  const Shape* gradient = nullptr;      // the gradient of the result
  const Shape* mask = nullptr;          // the first of the integer arrays [heads, blocks, blocks] before the queries
  std::vector<const Shape*> lists;      // integer arrays with at most one dimension before the queries
  std::vector<const Shape*> positions;  // integer arrays of higher ranks after them
  double sequences = 1;                 // of paged attention
  double pages = 0;                     // of paged attention: the pages of all sequences
};

// nullopt if the shapes fit none of the families. The pointers point into the module of `call`.
std::optional<KernelShapes> recognize_kernel(InstructionView call);

// Whether an op is a kernel that computes gradients of attention. JAX gives the backward kernel of a custom gradient
// the op_name of the forward kernel.
bool is_backward_kernel(InstructionView op);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_KERNEL_SHAPES_H_
