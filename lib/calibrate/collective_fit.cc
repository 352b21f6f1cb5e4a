#include "lib/calibrate/collective_fit.h"

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "lib/calibrate/nonnegative_fit.h"
#include "lib/cost/scale_up.h"

namespace hloroof::inline v0 {

CollectiveRates fit_collective_rates(const std::vector<CollectiveMeasurement>& measurements, double bandwidth) {
  const Eigen::Index rows = static_cast<Eigen::Index>(measurements.size());
  const bool permute = !measurements.empty() && measurements[0].kind == CollectiveKind::kCollectivePermute;
  Eigen::MatrixXd features(rows, permute ? 3 : 5);
  Eigen::VectorXd times(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const CollectiveMeasurement& m = measurements[static_cast<std::size_t>(i)];
    const double sent = bytes_sent(m.kind, m.bytes, m.devices);
    const double others = static_cast<double>(m.devices - 1);
    features(i, 0) = 1;
    features(i, 1) = std::sqrt(sent);
    features(i, 2) = sent;
    if (!permute) {
      features(i, 3) = others;
      features(i, 4) = sent / others;
    }
    times(i) = m.seconds;
  }
  const Eigen::VectorXd c = fit_nonnegative(features, times);
  CollectiveRates rates;
  rates.launch = c[0];
  rates.fill = c[1];
  if (c[2] > 0) rates.efficiency = 1 / (c[2] * bandwidth);
  rates.step = permute ? 0 : c[3];
  if (!permute && c[4] > 0) rates.peer_efficiency = 1 / (c[4] * bandwidth);
  return rates;
}

}  // namespace hloroof::inline v0
