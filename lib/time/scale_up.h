// Collectives among GPUs: measured rates inside one NVLink or xGMI domain, and NIC rings across nodes.
#ifndef HLOROOF_LIB_TIME_SCALE_UP_H_
#define HLOROOF_LIB_TIME_SCALE_UP_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "lib/time/missing_numbers.h"

namespace hloroof::internal {

struct ScaleUpCost {
  double seconds = 0;  // without the latency
  double latency_seconds = 0;
  double wire_bytes = 0;       // sent by one device, the larger of inside its domain and through its NIC
  double link_bytes = 0;       // the part of `wire_bytes` on the slower of the two
  double network_seconds = 0;  // equals `seconds` if the network is the slower part, else 0
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
  bool relays = false;       // some device receives from a device other than the one it sends to
  bool leaves_node = false;  // some message goes over the network
};
ScaleUpCost send_cost(const Device& device, const Send& send, MissingNumbers* missing = nullptr);

// The bandwidth of a message inside one domain, in bytes/s; 0 if no rate is known.
double send_bandwidth(const Device& device, const Send& send, MissingNumbers* missing = nullptr);

// The steps of a collective across the network. It runs rings through the NICs, one for each local member, as in XLA's
// speed-of-light model (xla/service/gpu/model/sol_gpu_cost_model.cc). In each step a NIC sends one message, cut into
// chunks.
struct NetworkSteps {
  double message = 0;  // bytes
  double steps = 0;
  double chunks = 1;  // chunks in a message
};
NetworkSteps network_steps(const Device& device, CollectiveKind kind, double bytes, std::int64_t local,
                           std::int64_t nodes, MissingNumbers* missing = nullptr);

// The value of Send::relays for messages from the first to the second device of each pair.
bool relays(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs);

// The number of channels that carry one message of `bytes`, see SendRates; 1 if it is not known. The number doubles
// with the size by NCCL's rule (src/enqueue.cc, calcP2pChannelCount), and XLA's measured table shows each step of it.
double send_channels(const SendRates& rates, double bytes, std::int64_t devices);

// The cost of any other kind of collective, with `local` members of the group in each of `nodes` domains.
ScaleUpCost scale_up_cost(const Device& device, CollectiveKind kind, double bytes, std::int64_t local,
                          std::int64_t nodes, MissingNumbers* missing = nullptr);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_TIME_SCALE_UP_H_
