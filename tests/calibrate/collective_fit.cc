#include "tests/calibrate/collective_fit.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "lib/calibrate/nonnegative_fit.h"
#include "lib/time/scale_up.h"

namespace hloroof::internal {

namespace {

enum Feature : Eigen::Index { kLaunch, kFill, kSent, kStep, kPeer, kSquare, kFeatures };

// The features of a measurement, and the seconds that no coefficient decides.
struct Row {
  Eigen::RowVectorXd features = Eigen::RowVectorXd::Zero(kFeatures);
  double known = 0;
};

// Of bytes that go to all peers at once.
Row at_once(double sent, double peers) {
  Row row;
  row.features[kFill] = std::sqrt(sent);
  row.features[kSent] = sent;
  row.features[kPeer] = sent / peers;
  row.features[kSquare] = peers * peers;
  return row;
}

// Of low-latency messages. The coefficients `c` decide what limits them.
Row low_latency(double message, std::int64_t devices, const SendRates& rates, const Eigen::VectorXd& c) {
  Row row;
  const double square = static_cast<double>((devices - 1) * (devices - 1));
  const double sending = exchange_rounds(devices) * message / (*rates.channels * *rates.low_latency_bandwidth);
  if (sending > square * c[kSquare]) {
    row.known = sending;
  } else {
    row.features[kSquare] = square;
  }
  return row;
}

Row row_of(const CollectiveMeasurement& m, const Device& device, const Eigen::VectorXd& c) {
  const Fact<double>& low_latency_bytes = rates_of(device, m.kind).low_latency_bytes;
  const double sent = bytes_sent(m.kind, m.bytes, m.devices);
  const double peers = static_cast<double>(m.devices - 1);
  Row row = low_latency_bytes && sent / peers <= *low_latency_bytes
                ? low_latency(sent / peers, m.devices, device.scale_up.permute, c)
                : at_once(sent, peers);
  row.features[kLaunch] = 1;
  row.features[kStep] = step_count(rates_of(device, m.kind), peers);
  return row;
}

}  // namespace

CollectiveRates fit_collective_rates(const std::vector<CollectiveMeasurement>& measurements, const Device& device) {
  const double bandwidth = *device.scale_up.bandwidth;
  const Fact<double>& low_latency_bytes = rates_of(device, measurements[0].kind).low_latency_bytes;
  const int rounds = low_latency_bytes ? 10 : 1;  // enough that no message changes its limit any more
  const Eigen::Index count = low_latency_bytes ? kFeatures : kSquare;
  const Eigen::Index rows = static_cast<Eigen::Index>(measurements.size());
  Eigen::VectorXd c = Eigen::VectorXd::Zero(kFeatures);
  c[kSquare] = 1e-8;  // at first, so that the number of messages limits small ones among many devices
  for (int round = 0; round < rounds; ++round) {
    Eigen::MatrixXd features(rows, kFeatures);
    Eigen::VectorXd targets(rows);
    Eigen::VectorXd times(rows);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const CollectiveMeasurement& m = measurements[static_cast<std::size_t>(i)];
      const Row row = row_of(m, device, c);
      features.row(i) = row.features;
      times(i) = m.seconds;
      targets(i) = m.seconds - row.known;
    }
    c.head(count) = fit_nonnegative(features.leftCols(count), targets, times);
  }
  CollectiveRates rates;
  rates.launch = c[kLaunch];
  rates.fill = c[kFill];
  if (c[kSent] > 0) rates.efficiency = 1 / (c[kSent] * bandwidth);
  rates.step = c[kStep];
  if (c[kPeer] > 0) rates.peer_efficiency = 1 / (c[kPeer] * bandwidth);
  rates.most_steps = rates_of(device, measurements[0].kind).most_steps;
  rates.low_latency_bytes = low_latency_bytes;
  if (low_latency_bytes) rates.square = c[kSquare];
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
