// The parts of measurements for cross-validation: each leaves out another fifth of them.
#ifndef HLOROOF_LIB_CALIBRATE_FOLDS_H_
#define HLOROOF_LIB_CALIBRATE_FOLDS_H_

#include <cstddef>
#include <vector>

namespace hloroof::internal::inline calibrate {

inline constexpr std::size_t kFolds = 5;

// `rows` without every kFolds-th, of which the first is `out`. With fewer than kFolds rows there is nothing to leave
// out.
template <typename Row>
std::vector<Row> without_fold(const std::vector<Row>& rows, std::size_t out) {
  std::vector<Row> kept;
  kept.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % kFolds != out) kept.push_back(rows[i]);
  }
  return kept;
}

}  // namespace hloroof::internal::inline calibrate

#endif  // HLOROOF_LIB_CALIBRATE_FOLDS_H_
