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
// Returns 1 for an operand that is fetched once or whose windows cannot be told, and nothing if the loops cannot be
// told.
std::vector<double> window_fetches(InstructionView instruction, const WindowConfig& config);

// The windows along dimension `d` of a result, whose sizes the compiler states from the most major dimension on, in
// tiles.
double windows_along(const Shape& shape, std::int64_t d, const std::vector<std::int64_t>& bounds);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_WINDOW_READS_H_
