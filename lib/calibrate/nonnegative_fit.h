// Small least-squares fits whose coefficients are times, and so not negative.
#ifndef HLOROOF_LIB_CALIBRATE_NONNEGATIVE_FIT_H_
#define HLOROOF_LIB_CALIBRATE_NONNEGATIVE_FIT_H_

#include <Eigen/Core>

namespace hloroof::inline v0 {

// The coefficients c >= 0 that bring features * c closest to `times`, each row counted by its relative error, and rows
// far off counted less: weights go with the inverse root of the error, so that outliers of a noisy table pull little.
// At most 8 features (all subsets of them are tried); times above 0.
Eigen::VectorXd fit_nonnegative(const Eigen::MatrixXd& features, const Eigen::VectorXd& times);

// The same closest to `targets`, which are parts of `times` of either sign; errors are relative to `times`.
Eigen::VectorXd fit_nonnegative(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets,
                                const Eigen::VectorXd& times);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_CALIBRATE_NONNEGATIVE_FIT_H_
