// Builds trees of terms. Combinations omit children of zero seconds, and factors are named by their device-file paths.
#ifndef HLOROOF_LIB_TIME_TERM_BUILDER_H_
#define HLOROOF_LIB_TIME_TERM_BUILDER_H_

#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/time/terms.h"

namespace hloroof::internal::inline time {

// A leaf of amount * factors. `seconds` is the result of the time function, and the leaf must evaluate to the same
// value.
Term leaf(std::string name, double seconds, double amount, std::string_view unit, std::vector<Factor> factors = {},
          std::string note = "");

// Omits children of zero seconds. A single remaining child replaces the combination, and a kMax absorbs the children of
// nested kMax terms. A kMin with a child of zero seconds takes no time.
Term combined(Combine combine, std::string name, std::vector<Term> children, const Factor& exponent = {});
inline Term sum(std::string name, std::vector<Term> children) {
  return combined(Combine::kSum, std::move(name), std::move(children));
}
inline Term slowest(std::string name, std::vector<Term> children) {
  return combined(Combine::kMax, std::move(name), std::move(children));
}

// The same for a braced list, which is moved from. A std::initializer_list would copy whole trees.
template <std::size_t n>
std::vector<Term> moved(Term (&children)[n]) {
  return {std::make_move_iterator(std::begin(children)), std::make_move_iterator(std::end(children))};
}
template <std::size_t n>
Term sum(std::string name, Term (&&children)[n]) {
  return combined(Combine::kSum, std::move(name), moved(children));
}
template <std::size_t n>
Term slowest(std::string name, Term (&&children)[n]) {
  return combined(Combine::kMax, std::move(name), moved(children));
}

// Factors that follow from the program.
Factor times(double value);
Factor over(double value);

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_TERM_BUILDER_H_
