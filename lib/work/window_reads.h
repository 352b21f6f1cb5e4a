// Counts how often the windows of a product's operands are fetched.
#ifndef HLOROOF_LIB_WORK_WINDOW_READS_H_
#define HLOROOF_LIB_WORK_WINDOW_READS_H_

#include <cstdint>
#include <vector>

#include "hloroof/module.h"
#include "lib/values/backend_config.h"

namespace hloroof::internal::inline work {

// How often a TPU fetches each operand of a product, which is a convolution or a fusion that contains one. The compiler
// cuts the product into windows, and runs a nest of loops over them (WindowConfig::iteration_bounds). An operand's
// window is fetched whenever its place changes. A loop that does not move the window, but encloses one that does,
// therefore fetches the whole operand once per iteration: M x K by K x N, with loops over N, M and K from the outside
// in, reads the left-hand side once for each window along N, and the right-hand side once for each along M.
//
// Operands of operations before and after the product have windows as well, which follow from the dimensions that they
// share with the product.
//
// The matrix unit is given an operand's window in each iteration, whether it was fetched for it or is still there.
struct WindowReads {
  std::vector<double> fetches;  // of each operand: 1 if it is fetched once or its windows cannot be told
  double lhs_fetches = 1;       // of each window of the product's operands
  double rhs_fetches = 1;
  double lhs_uses = 1;  // how often each element of the product's operands is given to the matrix unit
  double rhs_uses = 1;
};
// Returns no fetches if the loops cannot be told.
WindowReads window_reads(InstructionView instruction, const WindowConfig& config);

// The windows along dimension `d` of a result, whose sizes the compiler states from the most major dimension on, in
// tiles.
double windows_along(const Shape& shape, std::int64_t d, const std::vector<std::int64_t>& bounds);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_WINDOW_READS_H_
