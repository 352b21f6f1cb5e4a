#include "tests/calibrate/collective_fit.h"

#include <cmath>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "lib/calibrate/nonnegative_fit.h"
#include "lib/time/scale_up.h"

namespace hloroof::internal {

CollectiveRates fit_collective_rates(const std::vector<CollectiveMeasurement>& measurements, double bandwidth) {
  const Eigen::Index rows = static_cast<Eigen::Index>(measurements.size());
  Eigen::MatrixXd features(rows, 5);
  Eigen::VectorXd times(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const CollectiveMeasurement& m = measurements[static_cast<std::size_t>(i)];
    const double sent = bytes_sent(m.kind, m.bytes, m.devices);
    const double others = static_cast<double>(m.devices - 1);
    features(i, 0) = 1;
    features(i, 1) = std::sqrt(sent);
    features(i, 2) = sent;
    features(i, 3) = others;
    features(i, 4) = sent / others;
    times(i) = m.seconds;
  }
  const Eigen::VectorXd c = fit_nonnegative(features, times);
  CollectiveRates rates;
  rates.launch = c[0];
  rates.fill = c[1];
  if (c[2] > 0) rates.efficiency = 1 / (c[2] * bandwidth);
  rates.step = c[3];
  if (c[4] > 0) rates.peer_efficiency = 1 / (c[4] * bandwidth);
  return rates;
}

SendRates fit_send_rates(const std::vector<CollectiveMeasurement>& measurements, const Device& device) {
  // The limits of a message, one column each. The entry is its bytes, or the bytes of one of its channels.
  enum Limit : Eigen::Index { kLink = 1, kChannel, kSharedChannel, kLowLatency, kLimits };
  constexpr int kRounds = 10;  // enough that no message changes its limit any more
  const double bandwidth = *device.scale_up.bandwidth;
  const Eigen::Index rows = static_cast<Eigen::Index>(measurements.size());
  Eigen::VectorXd c;
  SendRates rates = device.scale_up.permute;
  rates.launch = rates.efficiency = rates.channel_bandwidth = rates.shared_channel_bandwidth = Fact<double>();
  rates.low_latency_bandwidth = Fact<double>();
  for (int round = 0; round < kRounds; ++round) {
    Eigen::MatrixXd features = Eigen::MatrixXd::Zero(rows, kLimits);
    Eigen::VectorXd times(rows);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const CollectiveMeasurement& m = measurements[static_cast<std::size_t>(i)];
      const double channels = send_channels(rates, m.bytes, m.devices);
      const bool low_latency = rates.low_latency_bytes && m.bytes <= *rates.low_latency_bytes;
      Limit limit = low_latency ? kLowLatency : m.relays ? kSharedChannel : kChannel;
      // In the first round the link limits messages on all channels. Later it limits those for which it takes longer.
      const bool link = round == 0 ? rates.channels && channels == *rates.channels
                                   : m.bytes * c[kLink] > m.bytes / channels * c[limit];
      if (!rates.channels || link) limit = kLink;
      features(i, 0) = 1;
      features(i, limit) = limit == kLink ? m.bytes : m.bytes / channels;
      times(i) = m.seconds;
    }
    c = fit_nonnegative(features, times);
  }
  const auto rate = [&](Limit limit) { return c[limit] > 0 ? Fact<double>(1 / c[limit]) : Fact<double>(); };
  rates.launch = c[0];
  if (c[kLink] > 0) rates.efficiency = 1 / (c[kLink] * bandwidth);
  rates.channel_bandwidth = rate(kChannel);
  rates.shared_channel_bandwidth = rate(kSharedChannel);
  rates.low_latency_bandwidth = rate(kLowLatency);
  return rates;
}

}  // namespace hloroof::internal
