// Formats terms as text: the tree as an indented table, and its main leaves in one line.
#ifndef HLOROOF_LIB_EXPLAIN_TERMS_VIEW_H_
#define HLOROOF_LIB_EXPLAIN_TERMS_VIEW_H_

#include <cstddef>
#include <string>

#include "hloroof/device.h"
#include "lib/time/terms.h"

namespace hloroof::internal::inline explain {

// Writes one line for each term, with children indented below their parent: the name, the seconds and the formula.
//   compute and memory             264 us  4-norm: they overlap in part
//     matrix product              60.6 us  331 Mflop / (197 Tflop/s x 0.955)
std::string terms_table(const Term& term, std::size_t width);

// Writes one line for each device parameter that the tree uses: path, value, kind and source.
std::string parameters_table(const Term& term, const Device& device, std::size_t width);

// Lists the leaves that add the most time to `times` executions of the term: "rows streamed 187 us, HBM reads 32.0 us".
// Sums leaves of the same name. Lists at most `most` leaves and, after the first, omits those below 1 % of the whole.
std::string main_terms(const Term& term, std::size_t most, double times = 1);

}  // namespace hloroof::internal::inline explain

#endif  // HLOROOF_LIB_EXPLAIN_TERMS_VIEW_H_
