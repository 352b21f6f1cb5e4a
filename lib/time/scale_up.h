// Collectives among GPUs: measured rates inside one NVLink or xGMI domain, and rings or trees of NICs across nodes. The
// two levels work on different parts of the array at once, so that the slower one decides.
#ifndef HLOROOF_LIB_TIME_SCALE_UP_H_
#define HLOROOF_LIB_TIME_SCALE_UP_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "lib/time/missing_numbers.h"
#include "lib/time/numbers.h"

namespace hloroof::internal::inline time {

template <class Num>
struct ScaleUpCost {
  Num seconds = 0.0;  // without the latency
  Num latency_seconds = 0.0;
  double wire_bytes = 0;       // sent by one device, the larger of inside its domain and through its NIC
  double link_bytes = 0;       // the part of `wire_bytes` on the slower of the two
  double domain_seconds = 0;   // that the links of the domain are busy
  double network_seconds = 0;  // that the NICs are busy
  bool tree = false;           // the nodes form trees, not rings

  bool is_bound_by_network() const { return network_seconds > 0 && network_seconds >= domain_seconds; }
};

// The rates of the device for one kind. A kind without rates uses those of the all-gather. Permutations and sends have
// rates of another form, SendRates.
const CollectiveRates& rates_of(const Device& device, CollectiveKind kind);

// Bytes that one of `devices` sends for a collective of `bytes`. `bytes` is the size of the full array, or for an
// exchange the size of the array on one device.
double bytes_sent(CollectiveKind kind, double bytes, std::int64_t devices);

// The number of passes of every byte around the group. An all-reduce has two: a reduce-scatter and an all-gather.
inline double rounds(CollectiveKind kind) { return kind == CollectiveKind::kAllReduce ? 2 : 1; }

// A message of `bytes` from each device to at most one other, in a program of `devices`.
struct Send {
  double bytes = 0;
  std::int64_t devices = 2;
  bool relays = false;  // some device receives from a device other than the one it sends to
  double leaving = 0;   // messages of one node that go over the network, at most
};
template <class Num>
ScaleUpCost<Num> send_cost(const Send& send, const Numbers<Num>& numbers);
inline ScaleUpCost<double> send_cost(const Device& device, const Send& send, MissingNumbers* missing = nullptr) {
  return send_cost(send, Numbers<double>(device, missing));
}

// The value of Send::relays for messages from the first to the second device of each pair.
bool relays(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs);

// The number of channels that carry one message of `bytes`, see SendRates; 1 if it is not known. The number doubles
// with the size by NCCL's rule (src/enqueue.cc, calcP2pChannelCount), and XLA's measured table shows each step of it.
double send_channels(const SendRates& rates, double bytes, std::int64_t devices);

// The number of steps of a collective in which `peers` other devices take part. A ring passes all of them. Where a
// switch reduces, NCCL takes another algorithm from some number of devices on, whose steps grow no more.
double step_count(const CollectiveRates& rates, double peers);

// The number of rounds in which NCCL sends the low-latency messages of an all-to-all: a power of two.
double exchange_rounds(std::int64_t devices);

// The cost of any other kind of collective, with `local` members of the group in each of `nodes` domains.
template <class Num>
ScaleUpCost<Num> scale_up_cost(CollectiveKind kind, double bytes, std::int64_t local, std::int64_t nodes,
                               const Numbers<Num>& numbers);
inline ScaleUpCost<double> scale_up_cost(const Device& device, CollectiveKind kind, double bytes, std::int64_t local,
                                         std::int64_t nodes, MissingNumbers* missing = nullptr) {
  return scale_up_cost(kind, bytes, local, nodes, Numbers<double>(device, missing));
}

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_SCALE_UP_H_
