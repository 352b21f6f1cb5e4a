// Small least-squares fits whose coefficients are times, and therefore not negative.
#ifndef HLOROOF_LIB_CALIBRATE_NONNEGATIVE_FIT_H_
#define HLOROOF_LIB_CALIBRATE_NONNEGATIVE_FIT_H_

#include <Eigen/Core>

namespace hloroof::internal::inline calibrate {

// The coefficients c >= 0 that minimize the relative errors of features * c against `times`. Outliers of a noisy table
// get less weight: the weight of a row is the inverse square root of its error. Supports at most 8 features, because it
// tries all subsets. Times must be positive.
Eigen::VectorXd fit_nonnegative(const Eigen::MatrixXd& features, const Eigen::VectorXd& times);

// The same for `targets`, which are parts of `times` and may be negative. Errors are relative to `times`.
Eigen::VectorXd fit_nonnegative(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets,
                                const Eigen::VectorXd& times);

}  // namespace hloroof::internal::inline calibrate

#endif  // HLOROOF_LIB_CALIBRATE_NONNEGATIVE_FIT_H_
