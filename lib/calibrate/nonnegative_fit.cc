#include "lib/calibrate/nonnegative_fit.h"

#include <vector>

#include <Eigen/Core>
#include <Eigen/QR>

namespace hloroof::internal::inline calibrate {
namespace {

constexpr int kRounds = 8;            // of reweighting; enough for the weights to converge
constexpr double kSmallError = 0.03;  // relative; smaller errors get the same weight

// Least squares over all c >= 0. Tries all subsets of coefficients that are zero.
Eigen::VectorXd solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  const int n = static_cast<int>(a.cols());
  Eigen::VectorXd best = Eigen::VectorXd::Zero(n);
  double least = b.squaredNorm();
  for (unsigned set = 1; set < (1U << n); ++set) {
    std::vector<int> columns;
    for (int i = 0; i < n; ++i) {
      if ((set >> i & 1U) != 0) columns.push_back(i);
    }
    Eigen::MatrixXd part(a.rows(), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t i = 0; i < columns.size(); ++i) part.col(static_cast<Eigen::Index>(i)) = a.col(columns[i]);
    const Eigen::VectorXd c = part.colPivHouseholderQr().solve(b);
    if (!c.allFinite() || (c.array() < 0).any()) continue;
    const double error = (part * c - b).squaredNorm();
    if (error >= least) continue;
    least = error;
    best.setZero();
    for (std::size_t i = 0; i < columns.size(); ++i) best[columns[i]] = c[static_cast<Eigen::Index>(i)];
  }
  return best;
}

}  // namespace

Eigen::VectorXd fit_nonnegative(const Eigen::MatrixXd& features, const Eigen::VectorXd& times) {
  return fit_nonnegative(features, times, times);
}

Eigen::VectorXd fit_nonnegative(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets,
                                const Eigen::VectorXd& times) {
  // Scale the columns to one magnitude for numerical stability.
  Eigen::VectorXd scale = features.cwiseAbs().colwise().maxCoeff().transpose();
  scale = (scale.array() > 0).select(scale, 1.0);
  const Eigen::MatrixXd scaled = features * scale.cwiseInverse().asDiagonal();
  Eigen::VectorXd weights = times.cwiseInverse();
  Eigen::VectorXd c = Eigen::VectorXd::Zero(features.cols());
  for (int round = 0; round < kRounds; ++round) {
    c = solve(weights.asDiagonal() * scaled, weights.cwiseProduct(targets));
    const Eigen::VectorXd error = (scaled * c - targets).cwiseAbs().cwiseQuotient(times);
    weights = times.cwiseInverse().cwiseQuotient(error.cwiseMax(kSmallError).cwiseSqrt());
  }
  return c.cwiseQuotient(scale);
}

}  // namespace hloroof::internal::inline calibrate
